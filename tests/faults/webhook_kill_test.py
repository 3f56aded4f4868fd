"""kill -9 of server and receiver at random while webhooks are delivered. The receiver's ledger is compared
with the feed: nothing lost, first arrivals in order, duplicates only with the same id and body."""
import contextlib
import http.client
import json
import os
import random
import threading
import time

import cluster as clusters  # in deploy/, where harness.py looks
import harness
import webhook_receiver

KILLS = 200 if os.environ.get("MAEJIN_ALL") or os.environ.get("MAEJIN_CAMPAIGN") else 12
SEED = int(os.environ.get("MAEJIN_SEED", "1"))
HOOKS = "/api/v1/admin/webhooks"
FLAGS = ("--webhooks-allow-private", "true")
TROUBLE = (OSError, http.client.HTTPException)


class Sale(threading.Thread):
    """Holds and releases seats until stopped, whatever the answers are."""

    def __init__(self, client, schedule):
        super().__init__(daemon=True)
        self.client, self.schedule, self.stopping, self.made = client, schedule, threading.Event(), 0

    def run(self):
        turn = 0
        while not self.stopping.is_set():
            turn += 1
            with contextlib.suppress(*TROUBLE):
                held = self.client().post("/api/v1/reservations", {
                    "scheduleId": self.schedule, "seats": [turn % 500 + 1], "userId": f"fan-{turn}"
                })
                self.made += held.status == 201
            time.sleep(0.02)

    def end(self):
        self.stopping.set()
        self.join(60)


def feed_of(admin, after):
    """Every event after an id, once the feed is quiet."""
    found = []
    while True:
        page = admin.get(f"/api/v1/admin/events?after={after}&limit=1000&wait=1").json
        found += page["events"]
        if not page["events"]:
            return found
        after = page["next"]


def violations(feed, ledger):
    """What the ledger of the receiver says against the feed."""
    wrong, first, bodies = [], [], {}
    for each in ledger:
        number = int(each["webhook-id"].removeprefix("evt_"))
        if number not in bodies:
            first.append(number)
        if bodies.setdefault(number, each["body"]) != each["body"]:
            wrong.append(f"{number}: two bodies")
    wrong += [f"{event['id']}: lost" for event in feed if event["id"] not in bodies]
    for event in feed:
        told = json.loads(bodies.get(event["id"], "null"))
        meant = {"type": event["type"], "timestamp": event["time"], "data": event["data"]}
        if told not in (None, meant):
            wrong.append(f"{event['id']}: another event")
    if first != sorted(first):
        wrong.append("first arrivals are not in the order of the feed")
    return wrong


def test_control_auditor_finds_losses_disorder_and_changed_bodies():
    feed = [{"id": n, "type": "t", "time": "x", "data": {}} for n in (1, 2)]
    body = json.dumps({"type": "t", "timestamp": "x", "data": {}})
    one, two = ({"webhook-id": f"evt_{n}", "body": body} for n in (1, 2))
    assert violations(feed, [one, two, two, one]) == []
    assert violations(feed, [one]) == ["2: lost"]
    assert violations(feed, [two, one]) == ["first arrivals are not in the order of the feed"]
    assert "1: two bodies" in violations(feed, [one, {**one, "body": "{}"}, two])


class Stage:
    """The receiver, its ledger, and the endpoint that gets everything."""

    def __init__(self, folder, admin):
        self.folder, self.port = folder, harness.free_port()
        self.ledger = folder / "ledger.ndjson"
        self.receiver = webhook_receiver.ReceiverProcess(self.port, self.ledger)
        self.hook = admin.post(HOOKS, {
            "url": f"http://127.0.0.1:{self.port}/", "types": ["*"], "ratePerSecond": 10000
        }).json
        self.chance = random.Random(SEED)

    def kill_receiver(self, admin):
        self.receiver.kill()
        time.sleep(self.chance.random() * 0.2)
        self.receiver = webhook_receiver.ReceiverProcess(self.port, self.ledger)
        # Tries again at once: the pause after a failure would make the test long.
        with contextlib.suppress(*TROUBLE):
            admin().call("PATCH", f"{HOOKS}/{self.hook['id']}", {"status": "active"})

    def await_all(self, admin, newest):
        def arrived():
            with contextlib.suppress(*TROUBLE):
                shown = admin().get(f"{HOOKS}/{self.hook['id']}").json
                assert shown["status"] == "active", shown
                return shown["after"] >= newest

        harness.until(arrived, seconds=120, every=0.2)

    def audit(self, feed, made):
        ledger = webhook_receiver.read_ledger(self.ledger)
        assert len(feed) > made > 0
        assert violations(feed, ledger) == []


def test_kills_of_server_and_receiver_lose_no_webhook(tmp_path):
    server = harness.Server(tmp_path / "data", *FLAGS)
    concert = harness.create_concert(server.admin(), seats=500, room="none", holdSeconds=1)
    stage = Stage(tmp_path, server.admin())
    current = {"server": server}
    sale = Sale(lambda: current["server"].client(), concert["schedules"][0]["id"])
    sale.start()
    for _ in range(KILLS):
        time.sleep(stage.chance.random() * 0.4)
        if stage.chance.random() < 0.5:
            current["server"].kill()
            current["server"] = harness.Server(tmp_path / "data", *FLAGS)
        else:
            stage.kill_receiver(lambda: current["server"].admin())
    sale.end()
    with current["server"] as last:
        feed = feed_of(last.admin(), stage.hook["after"])
        stage.await_all(last.admin, feed[-1]["id"])
        stage.audit(feed, sale.made)
    stage.receiver.kill()


def test_kills_of_three_nodes_and_receiver_lose_no_webhook(tmp_path):
    with clusters.Cluster(tmp_path, nodes=3, sentinel=False, node_flags=FLAGS,
                          redis_parameters="?timeout_ms=60000") as cluster:
        key = {"Authorization": f"Bearer {cluster.admin_key}"}

        def client(**headers):
            return harness.Client(cluster.port, headers, timeout=20)

        def admin():
            return client(**key)

        concert = harness.create_concert(harness.RetryingClient(cluster.port, key), seats=500, room="none",
                                         holdSeconds=1)
        stage = Stage(tmp_path, harness.RetryingClient(cluster.port, key))
        sale = Sale(client, concert["schedules"][0]["id"])
        sale.start()
        for _ in range(KILLS):
            time.sleep(stage.chance.random() * 0.4)
            if stage.chance.random() < 0.7:
                node = stage.chance.choice(cluster.nodes)
                node.kill()
                node.start()
            else:
                stage.kill_receiver(admin)
        sale.end()
        feed = feed_of(harness.RetryingClient(cluster.port, key), stage.hook["after"])
        stage.await_all(admin, feed[-1]["id"])
        stage.audit(feed, sale.made)
        stage.receiver.kill()

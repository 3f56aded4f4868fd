"""kill -9 at random moments of a running on-sale. After every restart, all changes of a client-side ledger of
acknowledgements must be there, no unrequested ones, and one owner per seat."""
import http.client
import os
import random
import shutil
import threading
import time

import harness
import pytest

KILLS = 200 if os.environ.get("MAEJIN_CAMPAIGN") else 20
FANS = 24
SEATS = 150 * KILLS  # more than are held and paid between the kills
SEED = int(os.environ.get("MAEJIN_SEED", "1"))
TROUBLE = (OSError, http.client.HTTPException)


class Ledger:
    """Requests of the fans and acknowledged changes. A request without an answer is unknown, never failed."""

    def __init__(self):
        self.lock = threading.Lock()
        self.asked = {}        # seat -> users that requested a hold of it
        self.asked_joins = set()  # users that requested a place
        self.joined = {}       # token -> (user, number) of acknowledged living places
        self.left_by = set()   # users that may have left the line: paid, left, or unknown
        self.held = {}         # reservation id -> (user, seat), acknowledged
        self.paid = {}         # reservation id -> (user, seat, paidAt), acknowledged
        self.maybe_paid = set()  # reservation ids with a payment request
        self.unexpected = []    # unexpected answers

    def note(self, change):
        with self.lock:
            change(self)


class Fan(threading.Thread):
    """Repeats join, enter, hold and pay until stopped. Returns when the server is gone."""

    def __init__(self, name, port, concert, ledger, stopping, seed):
        super().__init__(daemon=True)
        self.name, self.client, self.concert, self.ledger = name, harness.Client(port,
                                                                                 timeout=5), concert, ledger
        self.stopping, self.chance, self.turn = stopping, random.Random(seed), 0

    def run(self):
        while not self.stopping.is_set():
            self.turn += 1
            try:
                self.visit(f"{self.name}-{self.turn}")
            except TROUBLE:
                return  # the server is gone; the next round starts new fans
            except Exception as surprise:  # pylint: disable=broad-except
                self.ledger.note(lambda l: l.unexpected.append(repr(surprise)))
                return

    def visit(self, user):
        room, ledger = self.concert["id"], self.ledger
        ledger.note(lambda l: l.asked_joins.add(user))
        answer = self.client.post(f"/api/v1/rooms/{room}/entries", {"userId": user})
        if answer.status != 201:
            return
        token, number = answer.json["token"], answer.json["number"]
        ledger.note(lambda l: l.joined.update({token: (user, number)}))
        if self.chance.random() < 0.2:
            return  # stays in line, and is checked after the restart
        if self.client.post(f"/api/v1/rooms/{room}/enter", headers={"X-Queue-Token": token}).status != 200:
            return
        seat = self.chance.randint(1, SEATS)
        ledger.note(lambda l: l.asked.setdefault(seat, set()).add(user))
        held = harness.hold(self.client, self.concert["schedules"][0]["id"], [seat], user, token)
        if held.status == 201:
            self.decide(user, seat, held.json)
        else:
            assert held.code in ("seat-held", "seat-taken", "unavailable"), held

    def decide(self, user, seat, reservation):
        ledger, identifier = self.ledger, reservation["reservationId"]
        ledger.note(lambda l: l.held.update({identifier: (user, seat)}))
        if self.chance.random() < 0.3:
            return  # keeps the hold, which is checked after the restart
        ledger.note(lambda l: (l.maybe_paid.add(identifier), l.left_by.add(user)))
        paid = harness.pay(self.client, reservation, user)
        if paid.status == 200:
            ledger.note(lambda l: l.paid.update({identifier: (user, seat, paid.json["paidAt"])}))
        else:
            assert paid.status == 503, paid


def read_again(acknowledged):
    """The entries that are read after a restart. A campaign's ledger is too long to be read 200 times: then
    the newest, which the last kill endangered most, and a sample of the older ones."""
    entries = list(acknowledged.items())
    if len(entries) <= 4000:
        return entries
    return entries[-1500:] + random.sample(entries[:-1500], 500)


def check_places(client, concert, ledger):
    """I5 for joins: every acknowledged place that was not left is there, with the same number."""
    for token, (user, number) in read_again(ledger.joined):
        answer = client.call("GET", f"/api/v1/rooms/{concert['id']}/entries/me",
                             headers={"X-Queue-Token": token})
        if user in ledger.left_by:
            assert answer.status in (200, 404), answer
        else:
            assert answer.status == 200 and answer.json[
                "number"] == number, f"the place of {user} is lost: {answer}"


def check_reservations(client, ledger):
    """I5 for holds and payments, I1: every acknowledged one is there, as acknowledged."""
    for identifier, (user, seat) in read_again(ledger.held):
        answer = client.call("GET", f"/api/v1/reservations/{identifier}", headers={"X-User-Id": user})
        assert answer.status == 200, f"the hold {identifier} of {user} is lost: {answer}"
        found = answer.json
        assert found["seats"] == [seat]
        if identifier in ledger.paid:
            assert found["status"] == "CONFIRMED" and found["paidAt"] == ledger.paid[identifier][2]
        elif identifier not in ledger.maybe_paid:
            assert found["status"] == "HELD"


def check_seats(client, concert, ledger):
    """I1, I2, I6: the map agrees with the ledger, and every taken seat was requested."""
    seats = client.get(f"/api/v1/schedules/{concert['schedules'][0]['id']}/seats").json["seats"]
    status = {s["number"]: s["status"] for s in seats}
    assert len(status) == SEATS
    winners = {}
    for identifier, (user, seat, _) in ledger.paid.items():
        assert seat not in winners, f"seat {seat} was sold to {user} and to {winners[seat]}"
        winners[seat] = user
        assert status[seat] == "ASSIGNED", f"seat {seat}, paid as {identifier}, is {status[seat]}"
    for seat, state in status.items():
        if state != "AVAILABLE":
            assert ledger.asked.get(seat), f"seat {seat} is {state}, but no fan requested it"
    for identifier, (user, seat) in ledger.held.items():
        if identifier not in ledger.maybe_paid:
            assert status[seat] == "HELD", f"seat {seat}, held as {identifier} by {user}, is {status[seat]}"


def check_line(client, concert, ledger):
    """I6 for the line: every place was requested."""
    serving = client.get(f"/api/v1/rooms/{concert['id']}/serving").json
    assert serving["waiting"] + serving["entered"] <= len(ledger.asked_joins)


def check_all(server, concert, ledger):
    assert ledger.unexpected == []
    client = server.client()
    check_places(client, concert, ledger)
    check_reservations(client, ledger)
    check_seats(client, concert, ledger)
    check_line(client, concert, ledger)
    client.close()


def sell_for_a_moment(server, concert, ledger, chance, round_number, enough=lambda: True):
    stopping = threading.Event()
    fans = [
        Fan(f"r{round_number}f{n}", server.port, concert, ledger, stopping, chance.random())
        for n in range(FANS)
    ]
    for fan in fans:
        fan.start()
    harness.until(enough)
    time.sleep(chance.uniform(0.05, 0.55))  # a random moment for the kill, not a wait for a condition
    server.kill()
    stopping.set()
    for fan in fans:
        fan.join()


def start_sale(server):
    """A concert whose holds and places do not expire during the test: a missing one was lost."""
    concert = harness.create_concert(server.admin(), seats=SEATS, holdSeconds=3600)
    settings = {
        "capacity": 1_000_000, "tokenTtlSeconds": 3600, "sessionLimitSeconds": 7200, "graceSeconds": 7200
    }
    assert server.admin().call("PUT", f"/api/v1/rooms/{concert['id']}", settings).status == 200
    return concert


def test_acknowledged_changes_survive_kill_9(tmp_path):
    chance, ledger = random.Random(SEED), Ledger()
    with harness.Server(tmp_path / "data") as server:
        concert = start_sale(server)
        sell_for_a_moment(server, concert, ledger, chance, 0)
    for round_number in range(1, KILLS + 1):
        with harness.Server(tmp_path / "data") as server:
            check_all(server, concert, ledger)
            if round_number < KILLS:
                sell_for_a_moment(server, concert, ledger, chance, round_number)
    print(f"{KILLS} kills, seed {SEED}: {len(ledger.joined)} places, {len(ledger.held)} holds, "
          f"{len(ledger.paid)} payments")
    assert len(ledger.held) > len(ledger.paid) > 5 * KILLS, "the ledger is too thin to show anything"


def test_control_lost_acknowledged_work_fails_every_check(tmp_path):
    """Restores the folder of before the sale: every check must fail."""
    chance, ledger = random.Random(SEED), Ledger()
    with harness.Server(tmp_path / "data") as server:
        concert = start_sale(server)
    shutil.copytree(tmp_path / "data", tmp_path / "before")
    with harness.Server(tmp_path / "data") as server:
        harness.until(lambda: server.client().get("/readyz").status == 200)
        sell_for_a_moment(server, concert, ledger, chance, 0, enough=lambda: ledger.paid)
    with harness.Server(tmp_path / "before") as server:
        client = server.client()
        for check in (lambda: check_places(client, concert, ledger),
                      lambda: check_reservations(client, ledger),
                      lambda: check_seats(client, concert, ledger)):
            with pytest.raises(AssertionError):
                check()


def test_acknowledged_sell_out_is_ranked_after_kill_9(tmp_path):
    for attempt in range(3):
        with harness.Server(tmp_path / "data") as server:
            concert = harness.create_concert(server.admin(), seats=1)
            paid = harness.buy(server.client(), concert, 1, f"fan-{attempt}")
            server.kill()
        assert paid["concertSoldOut"] is True
        with harness.Server(tmp_path / "data") as server:
            rows = server.client().get("/api/v1/rankings/soldout?window=all&topN=1000").json["entries"]
            assert [r["soldOutAt"] for r in rows if r["concertId"] == concert["id"]] == [paid["paidAt"]]
            assert server.client().get(f"/api/v1/concerts/{concert['id']}").json["status"] == "SOLD_OUT"

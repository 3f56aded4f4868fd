"""The server is killed after a request had its effect and before its answer was remembered. The repeated
request with the same Idempotency-Key has no second effect. The tests restore that state on disk: the effect's
rows are there, the answer's row is not."""
import contextlib
import sqlite3
import subprocess
import threading
import time

import harness
import pytest
import redis_server
import cluster as clusters  # in deploy/, where harness.py looks


class KillableServer:
    """A server that can be killed after the effect and before the answer is remembered."""

    def __init__(self, data):
        self.data, self.server = data, harness.Server(data)

    def after_the_effect(self, announced=False):
        self.server.kill()
        with sqlite3.connect(self.data / "maejin.db") as db:
            change = "DELETE FROM idempotency"
            if announced:
                change = "UPDATE idempotency SET status = 0, headers = '', body = ''"
            assert db.execute(change).rowcount >= 1, "the answer was remembered before the crash"
        self.server = harness.Server(self.data)


@pytest.fixture
def crashed(tmp_path):
    running = KillableServer(tmp_path / "data")
    yield running
    running.server.kill()


def keyed(key, **headers):
    return {"Idempotency-Key": key, **headers}


def test_join_repeated_after_kill_keeps_its_place(crashed):
    path, body = "/api/v1/rooms/main/entries", {"userId": "ann"}
    first = crashed.server.client().post(path, body, keyed("k1"))
    crashed.after_the_effect()
    again = crashed.server.client().post(path, body, keyed("k1"))
    assert (first.status, again.status) == (201, 200)
    assert (again.json["number"], again.json["token"]) == (first.json["number"], first.json["token"])


def test_hold_and_payment_repeated_after_kill_happen_once(crashed):
    concert = harness.create_concert(crashed.server.admin(), seats=3)
    client = crashed.server.client()
    token = harness.enter(client, concert["id"], "ann")
    body = {"scheduleId": concert["schedules"][0]["id"], "seats": [1], "userId": "ann"}
    held = client.post("/api/v1/reservations", body, keyed("k1", **{"X-Queue-Token": token}))
    crashed.after_the_effect()
    client = crashed.server.client()
    again = client.post("/api/v1/reservations", body, keyed("k1", **{"X-Queue-Token": token}))
    assert (held.status, again.status) == (201, 201), again
    assert again.json["reservationId"] == held.json["reservationId"]

    pay = f"/api/v1/reservations/{held.json['reservationId']}/payment"
    paid = client.post(pay, {"amount": held.json["amount"]}, keyed("k2", **{"X-User-Id": "ann"}))
    crashed.after_the_effect()
    client = crashed.server.client()
    repaid = client.post(pay, {"amount": held.json["amount"]}, keyed("k2", **{"X-User-Id": "ann"}))
    assert paid.status == 200
    assert (repaid.status, repaid.json.get("paidAt")) == (200, paid.json["paidAt"]), repaid
    assert client.get(f"/api/v1/concerts/{concert['id']}").json["availableSeats"] == 2


@pytest.mark.parametrize("path", ["/api/v1/concerts", "/api/v1/concerts/{id}/schedules"])
def test_operator_creation_repeated_after_kill_is_interrupted(crashed, path):
    admin = crashed.server.admin()
    concert = harness.create_concert(admin)
    path = path.format(**concert)
    body = harness.concert_body() if path.endswith("concerts") else {
        "schedules": [{"concertDate": "2099-06-01", "seats": 3}]
    }

    def made():
        client = crashed.server.client()
        return client.get("/api/v1/concerts").json, client.get(
            f"/api/v1/concerts/{concert['id']}").json["totalSeats"]

    assert admin.post(path, body, keyed("k1")).status == 201
    before = made()
    crashed.after_the_effect(announced=True)
    again = crashed.server.admin().post(path, body, keyed("k1"))
    assert (again.status, again.code) == (409, "idempotency-interrupted")
    assert made() == before


def test_refused_requests_of_fans_and_operators_leave_no_row(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        admin, fan = server.admin(), server.client()
        for number in range(200):
            assert admin.post("/api/v1/concerts", {"title": ""}, keyed(f"a{number}")).status == 400
            assert fan.post("/api/v1/reservations",
                            {"scheduleId": 1, "seats": [1], "userId": f"fan-{number}"},
                            keyed("k")).status == 404
            assert fan.post("/api/v1/reservations", {"scheduleId": 1, "seats": [1]},
                            keyed(f"b{number}")).status == 401
        again = admin.post("/api/v1/concerts", {"title": ""}, keyed("a1"))
        assert again.status == 400 and "idempotent-replayed" not in again.headers
    with sqlite3.connect(tmp_path / "data" / "maejin.db") as db:
        assert db.execute("SELECT COUNT(*) FROM idempotency").fetchone() == (0,)


@contextlib.contextmanager
def locked_reservations(database):
    """Another client's transaction locks every row of the reservations. The locks are held on entry."""
    def lock():
        client = subprocess.Popen(
            database.client("maejin", "--unbuffered", "-e",
                            "BEGIN; SELECT 1 FROM reservations FOR UPDATE; SELECT SLEEP(600)"),
            stdout=subprocess.PIPE, text=True)
        clients.callback(client.wait)
        clients.callback(client.kill)
        # The client prints a row only when it has the lock. InnoDB can end the transaction as a deadlock's
        # victim: then the client prints nothing and another one tries.
        return client.stdout.readline() == "1\n"

    with contextlib.ExitStack() as clients:
        harness.until(lock)
        yield


class Payment:
    """One payment that runs on its own thread. Starts again if the server refused it for a moment (503)."""

    def __init__(self, client, path, amount):
        self.client, self.path, self.amount, self.answers = client, path, amount, []
        self.start()

    def start(self):
        self.thread = threading.Thread(target=self.pay)
        self.thread.start()

    def pay(self):
        self.answers.append(self.client.post(self.path, self.amount, keyed("pay")))

    def waits_for_a_lock(self, database):
        if not self.thread.is_alive():
            assert self.answers[-1].status == 503, self.answers
            self.start()
        keys = database.number("SELECT COUNT(*) FROM idempotency_keys WHERE status IS NULL")
        return keys == 1 and database.number(
            "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'") >= 1

    def answer(self):
        self.thread.join()
        return self.answers[-1]


def test_a_payment_interrupted_by_a_database_fault_is_repeated_within_ten_seconds(tmp_path):
    """The database fails while the payment runs, after its key was taken. The key is free again soon after
    the database is back."""
    with contextlib.ExitStack() as parts:
        database, redis = clusters.MariaDb(tmp_path), parts.enter_context(redis_server.Redis(tmp_path))
        parts.callback(database.kill)
        database.start()
        database.create_database()
        server = parts.enter_context(
            harness.Server(tmp_path / "data", "--mysql", database.url(), "--redis", redis.patient_url))
        client = harness.Client(server.port, {"X-User-Id": "ann"})
        concert = harness.create_concert(server.admin(), seats=3, room="none")
        body = {"scheduleId": concert["schedules"][0]["id"], "seats": [1], "userId": "ann"}
        held = harness.until(
            lambda: (answer := client.post("/api/v1/reservations", body)).status == 201 and answer.json)
        path, amount = f"/api/v1/reservations/{held['reservationId']}/payment", {"amount": held["amount"]}

        # The payment stops between its key and its effect.
        with locked_reservations(database):
            payment = Payment(client, path, amount)
            # MariaDB refreshes innodb_trx only where it was not read for a tenth of a second.
            harness.until(lambda: payment.waits_for_a_lock(database), every=0.3)
            database.kill()
        assert payment.answer().status == 503, payment.answers
        database.start()
        back = time.monotonic()

        repeater = harness.Client(server.port, {"X-User-Id": "ann"})
        paid = harness.until(
            lambda: (answer := repeater.post(path, amount, keyed("pay"))).status not in (409, 503) and answer,
            30, 0.1)
        assert paid.status == 200 and paid.json["status"] == "CONFIRMED", paid
        assert time.monotonic() - back < 10

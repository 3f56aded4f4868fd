"""The server is killed after a request had its effect and before its answer was remembered: the same request with the
same Idempotency-Key, sent again, has no second effect. On disk that moment looks like this: the effect's rows are there,
the answer's row is not."""
import sqlite3

import harness
import pytest


class Crashed:
    """A server that can be killed in that moment."""

    def __init__(self, data):
        self.data, self.server = data, harness.Server(data)

    def after_the_effect(self, announced=False):
        self.server.kill()
        with sqlite3.connect(self.data / "maejin.db") as db:
            change = "UPDATE idempotency SET status = 0, headers = '', body = ''" if announced else "DELETE FROM idempotency"
            assert db.execute(change).rowcount >= 1, "the answer was remembered before the crash"
        self.server = harness.Server(self.data)


@pytest.fixture
def crashed(tmp_path):
    running = Crashed(tmp_path / "data")
    yield running
    running.server.kill()


def keyed(key, **headers):
    return {"Idempotency-Key": key, **headers}


def test_a_join_keeps_its_place(crashed):
    path, body = "/api/v1/rooms/main/entries", {"userId": "ann"}
    first = crashed.server.client().post(path, body, keyed("k1"))
    crashed.after_the_effect()
    again = crashed.server.client().post(path, body, keyed("k1"))
    assert (first.status, again.status) == (201, 200)
    assert (again.json["number"], again.json["token"]) == (first.json["number"], first.json["token"])


def test_a_hold_and_its_payment_happen_once(crashed):
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
def test_an_operator_s_creation_is_never_made_twice(crashed, path):
    admin = crashed.server.admin()
    concert = harness.create_concert(admin)
    path = path.format(**concert)
    body = harness.concert_body() if path.endswith("concerts") else {"schedules": [{"concertDate": "2027-06-01", "seats": 3}]}

    def made():
        client = crashed.server.client()
        return client.get("/api/v1/concerts").json, client.get(f"/api/v1/concerts/{concert['id']}").json["totalSeats"]

    assert admin.post(path, body, keyed("k1")).status == 201
    before = made()
    crashed.after_the_effect(announced=True)
    again = crashed.server.admin().post(path, body, keyed("k1"))
    assert (again.status, again.code) == (409, "idempotency-interrupted")
    assert made() == before


def test_refused_requests_leave_no_row_whoever_sent_them(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        admin, fan = server.admin(), server.client()
        for number in range(200):
            assert admin.post("/api/v1/concerts", {"title": ""}, keyed(f"a{number}")).status == 400
            assert fan.post("/api/v1/reservations", {"scheduleId": 1, "seats": [1], "userId": f"fan-{number}"}, keyed("k")).status == 404
            assert fan.post("/api/v1/reservations", {"scheduleId": 1, "seats": [1]}, keyed(f"b{number}")).status == 401
        again = admin.post("/api/v1/concerts", {"title": ""}, keyed("a1"))
        assert again.status == 400 and "idempotent-replayed" not in again.headers
    with sqlite3.connect(tmp_path / "data" / "maejin.db") as db:
        assert db.execute("SELECT COUNT(*) FROM idempotency").fetchone() == (0,)

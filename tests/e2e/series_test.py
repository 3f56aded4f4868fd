"""The series of a sale, in all three modes: it counts what happened, survives a restart, is stored once for
all nodes, and old points are thinned."""
import contextlib
import datetime
import sqlite3
import time

import back_ends
import harness
import pytest
import redis_server
import sandbox_pay
from harness import create_concert, enter, hold, until

HOUR_MS = 3_600_000
FIELDS = ["at", "arrivals", "admissions", "waiting", "entered", "held", "sold", "revenue", "refused",
          "declined"]


class Stage:
    """One back end with its database, and a payment sandbox that declines on request."""

    def __init__(self, name, folder, parts):
        self.folder, self.shared = folder, None
        self.flags = parts.enter_context(sandbox_pay.Sandbox(folder)).settings()
        if name != "embedded":
            self.flags += ["--redis", parts.enter_context(redis_server.Redis(folder)).patient_url]
        if name == "mariadb":
            self.shared = back_ends.mariadb(folder, parts)
            self.flags += ["--mysql", self.shared.url(parameters=back_ends.PATIENT)]

    def start(self, node="data"):
        return harness.Server(self.folder / node, *self.flags)

    def sql(self, statement):
        if self.shared:
            return [[int(cell) for cell in row] for row in self.shared.sql(statement)]
        with contextlib.closing(sqlite3.connect(self.folder / "data" / "maejin.db")) as database:
            rows = [list(row) for row in database.execute(statement)]
            database.commit()
            return rows


@pytest.fixture(scope="module", name="stage", params=back_ends.NAMES)
def fixture_stage(request, tmp_path_factory):
    with contextlib.ExitStack() as parts:
        yield Stage(request.param, tmp_path_factory.mktemp(request.param), parts)


def read(server, concert, after=None):
    query = f"?after={after}" if after else ""
    answer = server.admin().get(f"/api/v1/concerts/{concert['id']}/series{query}")
    assert answer.status == 200, answer
    return answer.json


def seconds_of(point):
    return datetime.datetime.fromisoformat(point["at"].replace("Z", "+00:00")).timestamp()


def counts(point):
    return {name: point[name] for name in [*FIELDS[1:], "expired"]}


def measured(points):
    """Without response times: a server that restarts within a moment may add a larger one to its point."""
    return [(point["at"], counts(point)) for point in points]


def pay(client, held, user, method):
    body = {"amount": held["amount"], "method": method}
    return client.post(f"/api/v1/reservations/{held['reservationId']}/payment", body, {"X-User-Id": user})


def hold_sale(server):
    """ann pays one seat after a declined payment; bob is refused that seat and holds another; cho joins."""
    admin, client = server.admin(), server.client()
    concert = create_concert(admin)
    room, date = concert["id"], concert["schedules"][0]["id"]
    token = enter(client, room, "ann")
    held = hold(client, date, [1], "ann", token).json
    assert pay(client, held, "ann", "test-declined").code == "payment-declined"
    assert pay(client, held, "ann", "card").status == 200
    assert admin.call("PUT", f"/api/v1/rooms/{room}", {"notice": "Back soon"}).status == 200
    token = enter(client, room, "bob")
    assert hold(client, date, [1], "bob", token).code == "seat-taken"
    assert admin.call("PUT", f"/api/v1/rooms/{room}", {"capacity": 1, "state": "paused"}).status == 200
    assert client.post(f"/api/v1/rooms/{room}/entries", {"userId": "cho"}).status == 201
    return concert, date, token


def old_rows(concert, ages_ms):
    now = int(time.time() * 1000) // HOUR_MS * HOUR_MS
    values = ", ".join(f"({concert['id']}, {now - age}{', 0' * 9})" for age in ages_ms)
    columns = ", ".join(["concert_id", *FIELDS])
    return f"INSERT INTO sale_series ({columns}) VALUES {values}"


def test_series_counts_the_sale_and_survives_a_restart(stage):
    with contextlib.ExitStack() as nodes:
        server = nodes.enter_context(stage.start())
        if stage.shared:
            nodes.enter_context(stage.start("second"))
        concert, date, token = hold_sale(server)
        # Refusals are stored once a second; the next change of the sale has them measured.
        until(lambda: stage.sql("SELECT COALESCE(SUM(count), 0) FROM refusals")[0][0] == 2)
        assert hold(server.client(), date, [2], "bob", token).status == 201
        wanted = {"arrivals": 3, "admissions": 2, "waiting": 1, "entered": 1, "held": 1, "sold": 1,
                  "revenue": 1000, "refused": 1, "declined": 1, "expired": 0}
        until(lambda: [counts(point) for point in read(server, concert)["points"][-1:]] == [wanted])
        before = read(server, concert)
        moments = [point["at"] for point in before["points"]]
        assert moments == sorted(set(moments))
        assert all(moment.endswith(("0.000Z", "5.000Z")) for moment in moments)
        details = [mark["detail"] for mark in before["marks"] if mark["action"] == "room.configure"]
        assert any('"notice":"Back soon"' in detail for detail in details)
        assert any('"state":"paused"' in detail for detail in details)
        assert before["openedAt"] is not None
        later = read(server, concert, moments[-1])
        assert later["points"] == [] and len(later["marks"]) < len(before["marks"])
    # Three hours ago: twelve points of one minute. Three days ago: two of a quarter of an hour. Then a year.
    stage.sql(old_rows(concert, [3 * HOUR_MS - step * 5000 for step in range(12)]))
    stage.sql(old_rows(concert, [80 * HOUR_MS, 80 * HOUR_MS - 600_000, 10_000 * HOUR_MS]))
    with stage.start() as server:

        def thinned():
            """Two old points, then those from before. A server that starts in a later moment adds its own."""
            points = measured(read(server, concert)["points"])[2:]
            return points[:len(before["points"])] == measured(before["points"])

        until(thinned)
        after = read(server, concert)
        assert [mark["at"] for mark in after["marks"]][-len(before["marks"]):] == [
            mark["at"] for mark in before["marks"]]


def test_series_counts_expired_holds_once_and_has_response_times(stage):
    with contextlib.ExitStack() as nodes:
        server = nodes.enter_context(stage.start())
        if stage.shared:
            nodes.enter_context(stage.start("second"))
        client = server.client()
        concert = create_concert(server.admin(), holdSeconds=1)
        room, date = concert["id"], concert["schedules"][0]["id"]
        tokens = {user: enter(client, room, user) for user in ("ann", "bob")}
        for user, seat in (("ann", 1), ("bob", 2)):
            assert hold(client, date, [seat], user, tokens[user]).status == 201

        def ended():
            last = read(server, concert)["points"][-1:]
            return last and (last[0]["expired"], last[0]["held"]) == (2, 0) and last

        until(ended)
        points = read(server, concert)["points"]
        assert [point["expired"] for point in points] == sorted(point["expired"] for point in points)
        assert all(point["p99Ms"] is None or point["p99Ms"] >= 0.1 for point in points)
        assert any(point["p99Ms"] for point in points), "requests were answered between two points"
    with stage.start() as server:
        # Another hold expires: the count goes on after the restart.
        client = server.client()
        token = client.post(f"/api/v1/rooms/{room}/entries", {"userId": "ann"}).json["token"]
        client.post(f"/api/v1/rooms/{room}/enter", headers={"X-Queue-Token": token})
        assert hold(client, date, [3], "ann", token).status == 201
        until(lambda: read(server, concert)["points"][-1]["expired"] == 3)


def test_span_without_change_has_a_point_at_its_end(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        concert = create_concert(server.admin())
        enter(server.client(), concert["id"], "ann")
        # A moment may pass between the join and the entry.
        until(lambda: any(point["entered"] == 1 for point in read(server, concert)["points"]))
        first = read(server, concert)["points"][-1]
        # Two moments later nothing has changed, and there is no new point.
        begun = time.time()
        until(lambda: time.time() - begun > 11)
        assert read(server, concert)["points"][-1] == first
        enter(server.client(), concert["id"], "bob")
        until(lambda: read(server, concert)["points"][-1]["arrivals"] == 2)
        flat, last = read(server, concert)["points"][-2:]
        assert counts(flat) == counts(first) and flat["at"] > first["at"]
        assert seconds_of(last) - seconds_of(flat) == 5


def test_series_refuses_unknown_concerts_and_times(stage):
    with stage.start() as server:
        admin = server.admin()
        assert admin.get("/api/v1/concerts/99999/series").code == "concert-not-found"
        concert = create_concert(admin, opened=False)
        wrong = admin.get(f"/api/v1/concerts/{concert['id']}/series?after=yesterday")
        assert (wrong.status, wrong.code) == (400, "invalid-field")
        assert read(server, concert)["points"] == []

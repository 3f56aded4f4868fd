"""A concert names the order and the time of its room's pre-queue, and the request ends after the concert is
committed and before its room is made: the room that the server makes later has what was named."""
import contextlib
import datetime
import sqlite3

import pytest

import back_ends
import harness
import redis_server


def named(seconds):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def body():
    return harness.concert_body(bookingOpenAt=named(7200), order="arrival", preQueueAt=named(-60))


def assert_room_is_as_named(server, concert, sent):
    admin, client = server.admin(), server.client()
    path = f"/api/v1/rooms/{concert}"
    # A room is made first, and follows its concert then.
    room = harness.until(lambda: (read := admin.get(path).json).get("opensAt") and read)
    assert (room["order"], room["preQueueAt"]) == (sent["order"], sent["preQueueAt"])
    assert room["state"] == "pre-queue"
    assert client.get(f"{path}/shuffle").json["shuffles"] == [], "the pre-queue began with the named order"


@pytest.mark.parametrize("back_end", ["redis", "mariadb"])
def test_room_made_after_a_redis_outage_is_as_its_concert_named_it(tmp_path, back_end):
    with redis_server.Redis(tmp_path / "redis") as redis, contextlib.ExitStack() as parts:
        flags = back_ends.database(tmp_path, parts) if back_end == "mariadb" else []
        server = parts.enter_context(harness.Server(tmp_path / "node", "--redis", redis.patient_url, *flags))
        harness.until(lambda: server.client().get("/readyz").status == 200)
        redis.cli("CONFIG", "SET", "maxmemory", "1")  # Redis refuses writes
        sent = body()
        refused = server.admin().post("/api/v1/concerts", sent)
        assert refused.code == "unavailable", refused
        concert = server.client().get("/api/v1/concerts").json["concerts"][0]["id"]
        assert server.admin().get(f"/api/v1/rooms/{concert}").code == "room-not-found"
        redis.cli("CONFIG", "SET", "maxmemory", "0")
        assert_room_is_as_named(server, concert, sent)


def test_room_made_after_a_restart_is_as_its_concert_named_it(tmp_path):
    with harness.Server(tmp_path / "node") as server:
        sent = body()
        concert = server.admin().post("/api/v1/concerts", sent).json["id"]
        server.kill()
    # What a crash between the two commits leaves: the concert without its room.
    with contextlib.closing(sqlite3.connect(tmp_path / "node" / "maejin.db")) as database, database:
        database.execute("PRAGMA foreign_keys = ON")
        assert database.execute("DELETE FROM room WHERE name = ?", [str(concert)]).rowcount == 1
    with harness.Server(tmp_path / "node") as server:
        assert_room_is_as_named(server, concert, sent)

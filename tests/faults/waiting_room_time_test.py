"""The wall clock is set, the process is stopped: the capacity holds, and no place, turn or hold is lost."""
import contextlib
import datetime
import glob
import os
import signal
import time

import back_ends
import harness
import pytest

FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)


def fake_clock(tmp_path, offset):
    """A file with the offset of the server's wall clock, and the environment with which it is read."""
    assert FAKETIME, "faketime is not installed"
    rc = tmp_path / "faketimerc"
    rc.write_text(f"{offset}\n", encoding="utf-8")
    return rc, {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(rc), "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}


def set_clock(rc, offset):
    fresh = rc.with_suffix(".new")
    fresh.write_text(f"{offset}\n", encoding="utf-8")
    fresh.rename(rc)


def server_time(server):
    """Seconds since 1970 by the server's clock."""
    told = server.client().get("/api/v1/time").json["now"]
    return datetime.datetime.fromisoformat(told.replace("Z", "+00:00")).timestamp()


class Fans:
    def __init__(self, server):
        self.server, self.client, self.tokens = server, server.client(), {}
        settings = {"capacity": 2, "admission": "claim", "tokenTtlSeconds": 60, "graceSeconds": 60}
        assert server.admin().call("PUT", "/api/v1/rooms/main", settings).status == 200

    def join(self, *users):
        for user in users:
            self.tokens[user] = self.client.post("/api/v1/rooms/main/entries", {"userId": user}).json["token"]

    def call(self, method, user, path):
        return self.client.call(method, f"/api/v1/rooms/main/{path}",
                                headers={"X-Queue-Token": self.tokens[user]})

    def poll(self, user):
        return self.call("GET", user, "entries/me")


@pytest.mark.parametrize("jump", ["+3600", "-3600"])
def test_wall_clock_set_by_an_hour_changes_nothing(tmp_path, jump):
    rc, env = fake_clock(tmp_path, "+0")
    with harness.Server(tmp_path / "data", env=env) as server:
        fans = Fans(server)
        fans.join("a", "b", "c", "d")
        assert [fans.call("POST", user, "enter").status for user in ("a", "b", "c")] == [200, 200, 409]
        before = fans.poll("c").json
        set_clock(rc, jump)
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline:
            assert [fans.poll(user).json["status"] for user in "abcd"] == ["entered"] * 2 + ["waiting"] * 2
            time.sleep(0.2)
        after = fans.poll("c").json
        assert (after["rank"], after["number"]) == (before["rank"], before["number"])
        assert fans.call("POST", "c", "enter").code == "not-your-turn"
        fans.call("DELETE", "a", "entries/me")
        assert fans.call("POST", "c", "enter").status == 200


def test_server_started_ten_minutes_behind_follows_the_corrected_clock(tmp_path):
    rc, env = fake_clock(tmp_path, "-600")
    with harness.Server(tmp_path / "data", env=env) as server:
        assert server_time(server) < time.time() - 590
        admin, client = server.admin(), server.client()
        late = datetime.datetime.fromtimestamp(time.time() - 300, datetime.timezone.utc).isoformat()
        waiting = harness.create_concert(admin, opened=False, room="none", bookingOpenAt=late)
        assert client.get(f"/api/v1/concerts/{waiting['id']}").json["status"] == "SCHEDULED"
        concert = harness.create_concert(admin, room="none", holdSeconds=60)
        held = harness.hold(client, concert["schedules"][0]["id"], [1], "ann", "")
        assert held.status == 201, held
        set_clock(rc, "+0")
        # A step is confirmed for three seconds.
        harness.until(lambda: abs(server_time(server) - time.time()) < 2, seconds=10)
        assert client.get(f"/api/v1/concerts/{waiting['id']}").json["status"] == "OPEN"
        assert abs(client.get("/readyz").json["clockOffsetMs"]) < 2000
        assert abs(harness.metric(client, "maejin_clock_offset_seconds")) < 2
        assert "ahead; the server's clock steps forward" in server.log_path.read_text(encoding="utf-8")
        assert harness.pay(client, held.json, "ann").status == 200, "a hold outlives the step"


def test_restart_with_a_clock_an_hour_behind_goes_on_from_the_last_time(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        before = server_time(server)
    _, env = fake_clock(tmp_path, "-3600")
    with harness.Server(tmp_path / "data", env=env) as server:
        assert server_time(server) >= before
        assert server.client().get("/readyz").json["clockOffsetMs"] < -3_000_000
        assert "behind the last run" in server.log_path.read_text(encoding="utf-8")


@pytest.mark.parametrize("back_end", back_ends.NAMES)
def test_process_stopped_beyond_a_turn_and_a_hold_takes_neither_away(tmp_path, back_end):
    """With Redis: while no node serves the room. With MariaDB: while no node reaches the database."""
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(back_end, tmp_path, parts)
        server = parts.enter_context(harness.Server(tmp_path / "data", *flags))
        fans = Fans(server)
        server.admin().call("PUT", "/api/v1/rooms/main", {"capacity": 1, "turnSeconds": 15})
        concert = harness.create_concert(server.admin(), room="none", holdSeconds=15)
        fans.join("a", "b")
        held = harness.hold(fans.client, concert["schedules"][0]["id"], [1], "ann", "").json
        assert fans.poll("a").json["status"] == "ready"
        os.kill(server.process.pid, signal.SIGSTOP)
        time.sleep(16)
        os.kill(server.process.pid, signal.SIGCONT)
        # b was told that a is ahead: a turn that nobody could use does not pass.
        assert fans.call("POST", "b", "enter").code == "not-your-turn"
        assert fans.call("POST", "a", "enter").status == 200
        assert harness.pay(fans.client, held, "ann").status == 200


def test_process_stopped_beyond_the_life_of_a_place_ends_none(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        fans = Fans(server)
        server.admin().call("PUT", "/api/v1/rooms/main", {"tokenTtlSeconds": 15, "graceSeconds": 15})
        fans.join("a", "b", "c", "d")
        assert fans.call("POST", "a", "enter").status == 200
        assert fans.call("POST", "b", "enter").status == 200
        os.kill(server.process.pid, signal.SIGSTOP)
        time.sleep(16)
        os.kill(server.process.pid, signal.SIGCONT)
        assert [fans.poll(user).json.get("status") for user in "abcd"] == ["entered"] * 2 + ["waiting"] * 2
        serving = fans.client.get("/api/v1/rooms/main/serving").json
        assert (serving["entered"], serving["waiting"]) == (2, 2)


def test_control_missed_polls_without_a_stop_end_places(tmp_path):
    """Ten seconds without polls of a running process end places and slots."""
    with harness.Server(tmp_path / "data") as server:
        fans = Fans(server)
        server.admin().call("PUT", "/api/v1/rooms/main", {"tokenTtlSeconds": 10, "graceSeconds": 10})
        fans.join("a", "b", "c")
        assert fans.call("POST", "a", "enter").status == 200
        harness.until(lambda: (serving := fans.client.get("/api/v1/rooms/main/serving").json)["waiting"] ==
                      serving["entered"] == 0)
        assert fans.poll("a").code == "not-queued"

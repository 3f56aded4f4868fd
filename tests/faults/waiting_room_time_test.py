"""The wall clock is set, the process is stopped: the capacity holds, and no place is lost."""
import glob
import os
import signal
import time

import harness
import pytest

FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)


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
    assert FAKETIME, "faketime is not installed"
    rc = tmp_path / "faketimerc"
    rc.write_text("+0\n", encoding="utf-8")
    env = {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(rc), "FAKETIME_NO_CACHE": "1",
           "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
    with harness.Server(tmp_path / "data", env=env) as server:
        fans = Fans(server)
        fans.join("a", "b", "c", "d")
        assert [fans.call("POST", user, "enter").status for user in ("a", "b", "c")] == [200, 200, 409]
        before = fans.poll("c").json
        (tmp_path / "set").write_text(f"{jump}\n", encoding="utf-8")
        (tmp_path / "set").rename(rc)
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            assert [fans.poll(user).json["status"] for user in "abcd"] == ["entered"] * 2 + ["waiting"] * 2
            time.sleep(0.2)
        after = fans.poll("c").json
        assert (after["rank"], after["number"]) == (before["rank"], before["number"])
        assert fans.call("POST", "c", "enter").code == "not-your-turn"
        fans.call("DELETE", "a", "entries/me")
        assert fans.call("POST", "c", "enter").status == 200


def test_process_stopped_for_ten_seconds_ends_no_place(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        fans = Fans(server)
        server.admin().call("PUT", "/api/v1/rooms/main", {"tokenTtlSeconds": 8, "graceSeconds": 8})
        fans.join("a", "b", "c", "d")
        assert fans.call("POST", "a", "enter").status == 200
        assert fans.call("POST", "b", "enter").status == 200
        os.kill(server.process.pid, signal.SIGSTOP)
        time.sleep(10)
        os.kill(server.process.pid, signal.SIGCONT)
        assert [fans.poll(user).json.get("status") for user in "abcd"] == ["entered"] * 2 + ["waiting"] * 2
        serving = fans.client.get("/api/v1/rooms/main/serving").json
        assert (serving["entered"], serving["waiting"]) == (2, 2)


def test_control_missed_polls_without_a_stop_end_places(tmp_path):
    """Ten seconds without polls of a running process end places and slots."""
    with harness.Server(tmp_path / "data") as server:
        fans = Fans(server)
        server.admin().call("PUT", "/api/v1/rooms/main", {"tokenTtlSeconds": 2, "graceSeconds": 2})
        fans.join("a", "b", "c")
        assert fans.call("POST", "a", "enter").status == 200
        harness.until(lambda: (serving := fans.client.get("/api/v1/rooms/main/serving").json)["waiting"] ==
                      serving["entered"] == 0)
        assert fans.poll("a").code == "not-queued"

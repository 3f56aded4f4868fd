"""maejin top on a terminal and in a pipe."""
import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import harness
import pytest


@pytest.fixture(scope="module")
def concert(server):
    """A concert of five seats: one is paid, one held; two fans are inside, one waits."""
    admin, client = server.admin(), server.client()
    made = harness.create_concert(admin, title="한밤의 매진 라이브", seats=5)
    room = f"/api/v1/rooms/{made['id']}"
    assert admin.call("PUT", room, {"capacity": 2, "releaseOnPayment": False}).status == 200
    harness.buy(client, made, 1, "ann")
    assert harness.hold(client, made["schedules"][0]["id"], [2], "bob",
                        harness.enter(client, made["id"], "bob")).status == 201
    harness.join(client, made["id"], "cat")
    return made


def url(server):
    return f"http://127.0.0.1:{server.port}"


def test_top_once_prints_one_block_of_the_data_folder_server(server, concert):
    code, out, err = harness.run("top", "--data", server.data, "--once", "--interval", 1)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert re.match(rf"maejin 0\.\S+  {url(server)}  up ", lines[0]) and lines[1] == "ready   journal ok"
    assert re.search(r"^requests +[\d.]+/s   errors 0/s .*p99 [\d.]+ m?s", out, re.M), out
    assert re.search(r"^line +waiting 1   inside 2 ", out, re.M), out
    name = f"{concert['id']} 한밤의 매진 라이브"
    assert re.search(rf"^{name} +1 +2/2 +0 +open +2$", out, re.M), out
    assert re.search(rf"^{name} +1 +1 +3 +0 +open$", out, re.M), out
    assert "\033" not in out


def test_top_once_as_json_is_one_object(server, concert):
    code, out, err = harness.run("top", "--data", server.data, "--once", "--json", "--interval", 1)
    assert (code, err, out.count("\n")) == (0, "", 1)
    seen = json.loads(out)
    assert seen["reachable"] and seen["ready"] and seen["checks"] == {"journal": True} and seen["notes"] == []
    assert seen["server"]["version"].startswith("0.") and "bookings" in seen["server"]["backEnds"]
    assert seen["requests"]["perSecond"] > 0 and seen["requests"]["errorsPerSecond"] == 0
    assert (seen["seats"]["sold"], seen["seats"]["held"], seen["seats"]["free"]) == (1, 1, 3)
    [shown] = [room for room in seen["rooms"] if room["eventId"] == str(concert["id"])]
    assert shown == {
        "eventId": str(concert["id"]), "title": "한밤의 매진 라이브", "state": "open", "waiting": 1, "entered": 2,
        "capacity": 2, "serving": 2, "admittedPerMinute": 0
    }
    [sold] = seen["concerts"]
    assert (sold["soldSeats"], sold["heldSeats"], sold["availableSeats"], sold["status"]) == (1, 1, 3, "OPEN")


@pytest.mark.parametrize("key, complaint", [(None, "cannot read"),
                                            ("0" * 64, "does not accept this admin key")])
def test_top_without_the_admin_key_shows_partial_data_and_says_so(server, concert, tmp_path, key, complaint):
    file = tmp_path / "admin.key"
    if key:
        file.write_text(key + "\n")
        file.chmod(0o600)
    code, out, _ = harness.run("top", "--url", url(server), "--admin-key-file", file, "--once", "--json",
                               "--interval", 1)
    seen = json.loads(out)
    assert code == 0 and seen["server"] is None
    assert complaint in seen["notes"][0] and "would add" in seen["notes"][1]
    [shown] = [room for room in seen["rooms"] if room["eventId"] == str(concert["id"])]
    assert (shown["waiting"], shown["entered"], shown["capacity"], shown["state"]) == (1, 2, 2, None)


def test_top_once_without_a_server_exits_with_1(tmp_path):
    for flags in (["--once"], ["--once", "--json"], ["--json"], []):
        code, out, err = harness.run("top", "--url", "http://127.0.0.1:1", *flags, cwd=tmp_path)
        assert (code, out) == (1, "") and "http://127.0.0.1:1/readyz" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flags, complaint", [
    (["--url", "ftp://127.0.0.1:8080"], "--url must be"),
    (["--url", "http://127.0.0.1:8080,ftp://127.0.0.1"], "--url must be"),
    (["--url", ","], "--url must be"),
    (["--url", "http://127.0.0.1:8080/console"], "--url must be"),
    (["--interval", "0"], "--interval must be"),
])
def test_top_with_a_wrong_flag_exits_with_2(flags, complaint):
    code, out, err = harness.run("top", *flags)
    assert (code, out) == (2, "") and complaint in err


def test_top_of_several_nodes_has_a_row_for_each_and_goes_on_without_one(server, concert, tmp_path):
    silent = "http://127.0.0.1:1"
    with harness.Server(tmp_path / "other") as other:
        nodes = [silent, url(server), url(other)]
        flags = ["top", "--url", ",".join(nodes), "--data", server.data, "--once", "--interval", 1]
        code, out, err = harness.run(*flags)
        assert (code, err) == (0, "")
        assert re.match(r"NODE +STATE +REQUESTS +ERRORS +P99 +OPEN +SHED$", out.splitlines()[0]), out
        assert re.search(rf"^{silent} +NO ANSWER +- +-", out, re.M), out
        for node in nodes[1:]:
            assert re.search(rf"^{node} +ready +[\d.]+/s", out, re.M), out
        # The first node that answers has the rooms.
        assert re.search(rf"^{concert['id']} 한밤의 매진 라이브 +1 +2/2 ", out, re.M), out
        code, out, err = harness.run(*flags, "--json")
        rows = [json.loads(line) for line in out.splitlines()]
        assert [(row["url"], row["reachable"]) for row in rows] == list(zip(nodes, (False, True, True))), err


def test_top_in_a_pipe_prints_one_row_per_interval_and_outage(tmp_path):
    address = f"127.0.0.1:{harness.free_port()}"
    with harness.Server(tmp_path / "data", listen=address) as server:
        watched = subprocess.Popen([
            harness.BINARY, "top", "--url",
            url(server), "--data",
            str(server.data), "--json", "--interval", "1"
        ], stdout=subprocess.PIPE, text=True, env=harness.clean_environment(),
                                   preexec_fn=harness.die_with_parent)
        try:
            assert json.loads(watched.stdout.readline())["reachable"]
            assert server.stop() == 0
            lines = iter(watched.stdout.readline, "")
            gone = next(seen for seen in map(json.loads, lines) if not seen["reachable"])
            assert gone["since"] <= gone["at"] and "error" in gone
            with harness.Server(tmp_path / "data", listen=address):
                assert next(seen for seen in map(json.loads, lines) if seen["reachable"])["ready"]
                watched.send_signal(signal.SIGINT)
                assert watched.wait(60) == 0
        finally:
            watched.kill()
            watched.wait()
            watched.stdout.close()


class Terminal:
    """`maejin top` on a pseudo-terminal."""

    def __init__(self, *arguments, columns=80, rows=24):
        self.main, self.side = pty.openpty()
        self.resize(columns, rows)
        self.modes = termios.tcgetattr(self.side)
        self.text = ""

        def own_terminal():
            harness.die_with_parent()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen([harness.BINARY, "top", *map(str, arguments)], stdin=self.side,
                                        stdout=self.side, stderr=self.side,
                                        env=harness.clean_environment(TERM="xterm"), start_new_session=True,
                                        preexec_fn=own_terminal)

    def resize(self, columns, rows):
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, found, seconds=60):
        """Reads until `found` accepts the output since the last call; returns that output."""
        deadline = time.monotonic() + seconds
        while not found(self.text):
            assert time.monotonic() < deadline, self.text
            if select.select([self.main], [], [], 0.1)[0]:
                self.text += os.read(self.main, 65536).decode(errors="replace")
        text, self.text = self.text, ""
        return text

    def press(self, keys):
        os.write(self.main, keys)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.main)
        os.close(self.side)


@contextlib.contextmanager
def terminal(*arguments, **size):
    shown = Terminal(*arguments, **size)
    try:
        yield shown
    finally:
        shown.close()


def assert_restored(shown):
    shown.read_until(lambda text: text.endswith("\033[?1049l"))
    assert shown.process.wait(60) == 0
    assert termios.tcgetattr(shown.side) == shown.modes


@pytest.mark.parametrize("keys", [b"q", b"\x03"])
def test_top_on_a_terminal_redraws_until_q_or_ctrl_c_and_restores_the_terminal(server, concert, keys):
    with terminal("--data", server.data, "--interval", 1) as shown:
        first = shown.read_until(lambda text: "q quits" in text)
        assert first.startswith("\033[?1049h") and "한밤의 매진 라이브" in first and "errors -" in first
        assert termios.tcgetattr(shown.side)[3] & termios.ECHO == 0
        shown.read_until(lambda text: "errors 0/s" in text and text.endswith("q quits; every 1 s"))
        shown.press(b"x")
        shown.press(keys)
        assert_restored(shown)


def test_top_redraws_at_once_after_a_resize(server, concert):
    with terminal("--data", server.data, "--interval", 600) as shown:
        wide = shown.read_until(lambda text: "q quits" in text)
        assert "SERVING" in wide and wide.count("\r\n") == 23
        shown.resize(40, 12)
        narrow = shown.read_until(lambda text: "q quits" in text)
        assert "SERVING" not in narrow and narrow.count("\r\n") == 11
        shown.press(b"q")
        assert_restored(shown)


def test_top_on_a_terminal_shows_since_when_the_server_is_unreachable(tmp_path):
    port = harness.free_port()
    with harness.Server(tmp_path / "data", listen=f"127.0.0.1:{port}"):
        pass
    with terminal("--url", f"http://127.0.0.1:{port}", "--data", tmp_path / "data", "--interval", 1) as shown:
        shown.read_until(lambda text: re.search(r"NO ANSWER since \d\d:\d\d:\d\d UTC \([1-9]\d* s\)", text))
        with harness.Server(tmp_path / "data", listen=f"127.0.0.1:{port}"):
            shown.read_until(lambda text: "ready   journal ok" in text)
            shown.press(b"q")
            assert_restored(shown)

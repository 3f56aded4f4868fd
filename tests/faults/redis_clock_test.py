"""Redis's clock jumps while nodes on MariaDB sell: no hold ends early, and the nodes stay together."""
import contextlib
import datetime
import re
import socket
import threading
import time

import back_ends
import harness
import redis_server


class ShiftedTime:
    """A proxy to Redis that adds `shift` seconds to every reply to TIME."""

    def __init__(self, redis):
        self.redis, self.shift, self.told = redis, 0, 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"redis://127.0.0.1:{self.listener.getsockname()[1]}{redis_server.PATIENT}"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection((self.redis.host.address, self.redis.port))
                for pair in ((client, server, False), (server, client, True)):
                    threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, sink, shifts):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(re.sub(rb"(\*2\r\n\$10\r\n)(\d{10})(\r\n\$\d\r\n)", self.shifted, data)
                             if shifts else data)
            sink.shutdown(socket.SHUT_WR)

    def shifted(self, found):
        if self.shift:
            self.told += 1
        return found[1] + str(int(found[2]) + self.shift).encode() + found[3]


def ahead(server):
    """Seconds that the server's clock is ahead of this machine's."""
    while True:
        asked = time.time()
        told = server.client().get("/api/v1/time").json["now"]
        if time.time() - asked < 0.5:  # a slower answer says nothing
            return datetime.datetime.fromisoformat(told.replace("Z", "+00:00")).timestamp() - asked


def test_jump_of_redis_by_an_hour_ends_no_hold_and_separates_no_nodes(tmp_path):
    with contextlib.ExitStack() as parts:
        database = back_ends.mariadb(tmp_path, parts)
        clock = parts.enter_context(ShiftedTime(parts.enter_context(redis_server.Redis(tmp_path / "redis"))))
        flags = ["--mysql", database.url(), "--redis", clock.url]
        nodes = [parts.enter_context(harness.Server(tmp_path / name, *flags)) for name in ("a", "b")]
        concert = harness.create_concert(nodes[0].admin(), room="none", holdSeconds=600)
        held = harness.hold(nodes[0].client(), concert["schedules"][0]["id"], [1], "ann", "").json
        clock.shift = 3600
        for node in nodes:
            harness.until(lambda node=node: "redis: its clock jumped by" in node.log_path.read_text("utf-8"))
        # Every node has measured the jump several times more.
        told = clock.told
        harness.until(lambda: clock.told >= told + 6)
        nodes.append(parts.enter_context(harness.Server(tmp_path / "late", *flags)))
        times = [ahead(node) for node in nodes]
        assert all(abs(seconds) < 60 for seconds in times), times
        assert max(times) - min(times) < 2, "a node that starts during the slew joins the others"
        for node in nodes:
            told = node.client().get(f"/api/v1/reservations/{held['reservationId']}", **{"X-User-Id": "ann"})
            assert told.json["status"] == "HELD", told
        assert harness.pay(nodes[-1].client(), held, "ann").status == 200


def test_redis_that_was_wrong_at_the_start_is_followed_in_one_step(tmp_path):
    with redis_server.Redis(tmp_path / "redis") as redis, ShiftedTime(redis) as clock:
        clock.shift = -600
        with harness.Server(tmp_path / "node", "--redis", clock.url) as server:
            assert ahead(server) < -590
            concert = harness.create_concert(server.admin(), room="none", holdSeconds=60)
            held = harness.hold(server.client(), concert["schedules"][0]["id"], [1], "ann", "").json
            clock.shift = 0
            harness.until(lambda: abs(ahead(server)) < 2)
            assert "the node's time steps forward" in server.log_path.read_text("utf-8")
            assert harness.pay(server.client(), held, "ann").status == 200, "a hold outlives the step"

"""Waiting rooms on Redis: maejin beside the seeds' design in Node (Fastify + ioredis), on the same Redis, in the same run.

What the rows compare, maejin on the left and the peer on the right:

  join         a place in the room of an event (seed 003); maejin also signs a token
  poll         one's place there
  enter        going in; neither signs a pass. maejin is asked with `Prefer: return=minimal`, as its own pages ask, and
               its database remembers the admission before the fan hears of it; the peer keeps it in Redis alone
  enter+pass   going in with a pass, which no seed asks for: both sign the same ES256 JWT for shops that verify offline. The
               signature is OpenSSL's on both sides, and about half of what maejin does
  pass/none    not like for like: maejin as asked without any preference, which signs a pass, beside the peer that signs
               nothing
  token        a place in the queue of the whole site (seed 004)
  status       one's place there

The peer does what the seeds ask and no more: no signed tokens, no database, no clean-up of who stays away.

Prints microseconds of CPU per request, of the server and of Redis, and their ratio: medians of rounds in which the two
take turns. Twice: in a rush, as at an opening, when 2,000 fans have a request under way at any time, and with 128 of them.
maejin asks Redis for many fans at once, so the fuller it gets the less a fan costs; the peer's fans cost the more.

Last, Redis is killed and comes back empty while everybody waits: what it takes until all have their places again, by their
tokens. The peer has nothing to put beside it: its fans have lost theirs.
`--small` is the mode that tests run: one round of maejin alone.
"""
import argparse
import json
import pathlib
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/support"))
import harness  # noqa: E402
import redis_server  # noqa: E402

FANS = 6000
VERBS = ("join", "poll", "enter", "enter+pass", "token", "status")
# The row, maejin's verb, the peer's verb, and the ratio at most where one is set.
ROWS = (("join", "join", "join", 0.5), ("poll", "poll", "poll", 0.5), ("enter", "enter", "enter", 0.5),
        ("enter+pass", "enter+pass", "enter+pass", None), ("pass/none", "enter+pass", "enter", None),
        ("token", "token", "token", None), ("status", "status", "status", None))


def cpu_of(process):
    """Seconds of CPU that all threads of a process have used so far."""
    return time.clock_gettime(~process.pid << 3 | 2)  # the kernel's name for another process's CPU clock


class Crowd:
    """Many keep-alive connections, each with one request under way at a time."""

    def __init__(self, port, connections):
        self.connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]

    def send(self, requests):
        """Sends all requests (bytes); returns the bodies of the answers, all of which must be 2xx."""
        bodies = []
        for at in range(0, len(requests), len(self.connections)):
            under_way = list(zip(self.connections, requests[at:at + len(self.connections)]))
            for connection, sent in under_way:
                connection.sendall(sent)
            bodies += [self._read(connection) for connection, _ in under_way]
        return bodies

    @staticmethod
    def _read(connection):
        buffer = b""
        while True:
            head, separator, body = buffer.partition(b"\r\n\r\n")
            if separator and len(body) >= int(re.search(rb"content-length: *(\d+)", head, re.I).group(1)):
                assert head[9:10] == b"2", buffer
                return body
            piece = connection.recv(65536)
            assert piece, "the server closed the connection"
            buffer += piece

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in self.connections:
            connection.close()


def request(method, path, headers=None, body=None):
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", *(f"{name}: {value}" for name, value in (headers or {}).items())]
    data = b"" if body is None else json.dumps(body).encode()
    if data:
        lines.append("Content-Type: application/json")
    if method == "POST":
        lines.append(f"Content-Length: {len(data)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


class Meter:
    """Measures verbs of one server: {verb: (microseconds of the server, of Redis)} a request."""

    def __init__(self, crowd, server, redis):
        self.crowd, self.processes, self.figures = crowd, (server, redis), {}

    def measure(self, verb, requests):
        before = [cpu_of(process) for process in self.processes]
        bodies = self.crowd.send(requests)
        self.figures[verb] = tuple((cpu_of(process) - used) / len(requests) * 1e6
                                   for process, used in zip(self.processes, before))
        return bodies


class Sizes:
    def __init__(self, fans, polls, connections):
        self.fans, self.polls, self.connections = fans, polls, connections

    def polling(self, values):
        """Whose turn it is to poll, spread over the whole line."""
        return [values[i * 7919 % len(values)] for i in range(self.polls)]


def names(fans):
    return [f"fan{i}" for i in range(fans)]


def round_of_maejin(redis, folder, sizes):
    """A new server every round: what the room of the last one would still do is over."""
    shutil.rmtree(folder / "data", ignore_errors=True)
    with harness.Server(folder / "data", "--redis", redis.url) as server, Crowd(server.port, sizes.connections) as crowd:
        admin, meter = server.admin(), Meter(crowd, server.process, redis.process)
        path = f"/api/v1/rooms/{harness.create_concert(admin)['id']}"

        def let_in(capacity):
            assert admin.call("PUT", path, {"capacity": capacity, "admission": "claim"}).status == 200

        let_in(0)
        joined = meter.measure("join", [request("POST", path + "/entries", body={"userId": fan}) for fan in names(sizes.fans)])
        tokens = [{"X-Queue-Token": json.loads(body)["token"]} for body in joined]
        meter.measure("poll", [request("GET", path + "/entries/me", token) for token in sizes.polling(tokens)])
        let_in(sizes.fans)
        half = len(tokens) // 2
        meter.measure("enter", [request("POST", path + "/enter", {**token, "Prefer": "return=minimal"}) for token in tokens[:half]])
        meter.measure("enter+pass", [request("POST", path + "/enter", token) for token in tokens[half:]])

        issued = meter.measure("token", [request("POST", "/queue/token", body={"userId": fan}) for fan in names(sizes.fans)])
        tokens = [{"X-Queue-Token": json.loads(body)["token"]} for body in issued]
        meter.measure("status", [request("GET", "/queue/status", token) for token in sizes.polling(tokens)])
    redis.cli("FLUSHALL")
    return meter.figures


class Peer:
    """One process for all rounds of a table, so that its code is compiled and warm."""

    @staticmethod
    def install(folder):
        shutil.copytree(HERE / "redis_peer", folder / "peer")
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=folder / "peer", check=True)

    def __init__(self, redis, folder, capacity):
        self.redis = redis
        self.process = subprocess.Popen(["node", "peer.js", str(redis.port), str(capacity)], cwd=folder / "peer",
                                        stdout=subprocess.PIPE, text=True, preexec_fn=harness.die_with_parent)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def round(self, sizes):
        with Crowd(self.port, sizes.connections) as crowd:
            meter = Meter(crowd, self.process, self.redis.process)
            users = [{"X-User-Id": fan} for fan in names(sizes.fans)]
            meter.measure("join", [request("POST", "/rooms/42/entries", body={"userId": fan}) for fan in names(sizes.fans)])
            meter.measure("poll", [request("GET", "/rooms/42/entries/me", user) for user in sizes.polling(users)])
            half = len(users) // 2
            meter.measure("enter", [request("POST", "/rooms/42/enter", user) for user in users[:half]])
            meter.measure("enter+pass", [request("POST", "/rooms/42/enter-with-pass", user) for user in users[half:]])
            issued = meter.measure("token", [request("POST", "/queue/token", body={"userId": fan}) for fan in names(sizes.fans)])
            tokens = [{"X-Queue-Token": json.loads(body)["token"]} for body in issued]
            meter.measure("status", [request("GET", "/queue/status", token) for token in sizes.polling(tokens)])
        self.redis.cli("FLUSHALL")
        return meter.figures

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def told(rounds, verb):
    server, redis = (statistics.median(figures[verb][part] for figures in rounds) for part in (0, 1))
    return f"{server + redis:7.1f} ({server:6.1f} + {redis:5.1f})"


def compare(redis, folder, peer, sizes, rounds):
    ours, theirs = [], []
    peer.round(sizes)  # warms up
    for i in range(rounds):
        turns = [lambda: ours.append(round_of_maejin(redis, folder, sizes)), lambda: theirs.append(peer.round(sizes))]
        for turn in turns if i % 2 == 0 else reversed(turns):
            turn()
    print(f"µs of CPU a request (server + Redis), medians of {rounds} rounds of {sizes.fans} fans and {sizes.polls} polls, "
          f"{sizes.connections} at a time")
    print(f"  {'':<12}{'maejin':<26}{'Fastify + ioredis':<26}ratio")
    for row, our_verb, their_verb, goal in ROWS:
        ratio = statistics.median(sum(our[our_verb]) / sum(their[their_verb]) for our, their in zip(ours, theirs))
        wanted = "" if goal is None else f"  (goal: at most {goal:.2f})"
        print(f"  {row:<12}{told(ours, our_verb):<26}{told(theirs, their_verb):<26}{ratio:.2f}{wanted}")


def restart_empty(redis, folder, sizes):
    """All fans poll once after Redis lost everything: (seconds, µs of CPU of the server, of Redis, a fan)."""
    shutil.rmtree(folder / "data", ignore_errors=True)
    patient = f"{redis.url}?timeout_ms=60000"  # nobody is to be told without Redis because the machine is busy
    with harness.Server(folder / "data", "--redis", patient) as server, Crowd(server.port, sizes.connections) as crowd:
        room = harness.create_concert(server.admin())["id"]
        path = f"/api/v1/rooms/{room}"
        assert server.admin().call("PUT", path, {"capacity": 0, "admission": "claim"}).status == 200
        joined = [json.loads(body) for body in
                  crowd.send([request("POST", path + "/entries", body={"userId": fan}) for fan in names(sizes.fans)])]
        redis.kill()
        redis.start()
        fans = [request("GET", path + "/entries/me", {"X-Queue-Token": fan["token"]}) for fan in joined]

        def noticed():
            """By every thread of the server: whoever is told without Redis is told that the room pauses."""
            return all(json.loads(body)["state"] == "open" for body in crowd.send(fans[:1] * sizes.connections))

        harness.until(noticed)
        meter, began = Meter(crowd, server.process, redis.process), time.monotonic()
        found = [json.loads(body) for body in meter.measure("back", fans)]
        seconds = time.monotonic() - began
        assert redis.cli("ZCARD", f"queue:{room}") == str(sizes.fans), "somebody was told without Redis"
    assert [fan["number"] for fan in found] == [fan["number"] for fan in joined], "somebody has another place"
    redis.cli("FLUSHALL")
    return seconds, *meter.figures["back"]


def print_restart(redis, folder, sizes):
    seconds, server, own = restart_empty(redis, folder, sizes)
    print(f"after an empty restart of Redis: {sizes.fans} fans have their places again in {seconds:.2f} s, "
          f"{server + own:.1f} µs of CPU each (server {server:.1f} + Redis {own:.1f})")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--small", action="store_true")
    arguments.add_argument("--rounds", type=int, default=9)
    arguments = arguments.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with redis_server.Redis(folder) as redis:
            if not arguments.small:
                Peer.install(folder)
                for connections in (2000, 128):
                    with Peer(redis, folder, FANS) as peer:
                        compare(redis, folder, peer, Sizes(FANS, 2 * FANS, connections), arguments.rounds)
                print_restart(redis, folder, Sizes(20_000, 0, 2000))
                return
            figures = round_of_maejin(redis, folder, Sizes(fans=200, polls=400, connections=128))
            for verb in VERBS:
                print(f"  {verb:<12}{told([figures], verb)} µs of CPU a request (server + Redis)")
            print_restart(redis, folder, Sizes(200, 0, 128))


if __name__ == "__main__":
    main()

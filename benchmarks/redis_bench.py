"""Waiting rooms on Redis: maejin beside the simplest design in Node (Fastify + ioredis), on the same Redis.

What the rows compare, maejin on the left and the peer on the right:

  join         take a place in the room of a concert; maejin also signs a token
  poll         read that place
  enter        take a slot; neither signs a pass. The request says `Prefer: return=minimal`, as maejin's pages
               do. maejin's database records the admission before the answer; the peer writes only to Redis
  enter+pass   take a slot and get a pass: both sign the same ES256 JWT for shops that verify offline.
               Both use OpenSSL; the signature is about half of maejin's work
  pass/none    not a like comparison: maejin without `Prefer`, which signs a pass; the peer signs nothing
  token        take a place in the queue of the whole site
  status       read that place

The peer does only what docs/requirements.md asks of these calls: it signs no tokens, has no database, and
removes no absent fans.

Prints microseconds of CPU per request, of the server and of Redis, and their ratio: medians of rounds in
which the two take turns. Twice: with 2,000 requests in flight, as when a sale opens, and with 128. maejin
batches requests of many fans, so its cost per fan falls with the load; the peer's cost rises.

Then only polls of a long line, with 64 to 2,000 connections. maejin on Redis, maejin embedded, nginx + Lua +
Redis (one ZRANK per poll over kept connections) and the Node peer take turns. The server and Redis share one
core, wrk has the other. Prints microseconds of CPU per poll (server and Redis together), polls per second,
the median latency, and the median latency with eight connections, which is about half of the load.

Then two nodes with a million waiters: the memory of a mirror, the time until a node answers from its mirror,
and Redis's CPU for twice as many polls.

Last, Redis is killed and restarts empty while all fans wait: the time until every fan has its place again, by
its token. The peer has no such recovery: its fans lose their places.
`--small` is the mode that tests run: one round of maejin alone.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import statistics
import string
import subprocess
import sys
import tempfile
import time
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/support"))
import harness  # noqa: E402
import redis_server  # noqa: E402

FANS = 6000
WRITTEN_AFTER = 1.5  # maejin writes signs of life once a second; they count as part of the polls
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
    lines = [
        f"{method} {path} HTTP/1.1", "Host: bench",
        *(f"{name}: {value}" for name, value in (headers or {}).items())
    ]
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

    def measure(self, verb, requests, after=0.0):
        """`after`: seconds after the last answer that count as well, for work that the requests put off."""
        before = [cpu_of(process) for process in self.processes]
        bodies = self.crowd.send(requests)
        time.sleep(after)
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
    with harness.Server(folder / "data", "--redis",
                        redis.url) as server, Crowd(server.port, sizes.connections) as crowd:
        admin, meter = server.admin(), Meter(crowd, server.process, redis.process)
        path = f"/api/v1/rooms/{harness.create_concert(admin)['id']}"

        def let_in(capacity):
            assert admin.call(
                "PUT", path,
                {"capacity": capacity, "admission": "claim", "joinsPerAddressPerMinute": None}).status == 200

        let_in(0)
        joined = meter.measure(
            "join", [request("POST", path + "/entries", body={"userId": fan}) for fan in names(sizes.fans)])
        tokens = [{"X-Queue-Token": json.loads(body)["token"]} for body in joined]
        meter.measure("poll",
                      [request("GET", path + "/entries/me", token)
                       for token in sizes.polling(tokens)], WRITTEN_AFTER)
        let_in(sizes.fans)
        half = len(tokens) // 2
        meter.measure("enter", [
            request("POST", path + "/enter", {**token, "Prefer": "return=minimal"}) for token in tokens[:half]
        ])
        meter.measure("enter+pass", [request("POST", path + "/enter", token) for token in tokens[half:]])

        assert admin.call("PUT", "/api/v1/rooms/main", {"joinsPerAddressPerMinute": None}).status == 200
        issued = meter.measure(
            "token", [request("POST", "/queue/token", body={"userId": fan}) for fan in names(sizes.fans)])
        tokens = [{"X-Queue-Token": json.loads(body)["token"]} for body in issued]
        meter.measure("status",
                      [request("GET", "/queue/status", token)
                       for token in sizes.polling(tokens)], WRITTEN_AFTER)
    redis.cli("FLUSHALL")
    return meter.figures


class Peer:
    """One process for all rounds of a table, so that its code is compiled and warm."""

    @staticmethod
    def install(folder):
        shutil.copytree(HERE / "redis_peer", folder / "peer")
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=folder / "peer",
                       check=True)

    def __init__(self, redis, folder, capacity):
        self.redis = redis
        self.process = subprocess.Popen(
            ["node", "peer.js", str(redis.port), str(capacity)], cwd=folder / "peer", stdout=subprocess.PIPE,
            text=True, preexec_fn=harness.die_with_parent)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def round(self, sizes):
        with Crowd(self.port, sizes.connections) as crowd:
            meter = Meter(crowd, self.process, self.redis.process)
            users = [{"X-User-Id": fan} for fan in names(sizes.fans)]
            meter.measure(
                "join",
                [request("POST", "/rooms/42/entries", body={"userId": fan}) for fan in names(sizes.fans)])
            meter.measure("poll",
                          [request("GET", "/rooms/42/entries/me", user) for user in sizes.polling(users)])
            half = len(users) // 2
            meter.measure("enter", [request("POST", "/rooms/42/enter", user) for user in users[:half]])
            meter.measure("enter+pass",
                          [request("POST", "/rooms/42/enter-with-pass", user) for user in users[half:]])
            issued = meter.measure(
                "token", [request("POST", "/queue/token", body={"userId": fan}) for fan in names(sizes.fans)])
            tokens = [{"X-Queue-Token": json.loads(body)["token"]} for body in issued]
            meter.measure("status",
                          [request("GET", "/queue/status", token) for token in sizes.polling(tokens)])
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
        turns = [
            lambda: ours.append(round_of_maejin(redis, folder, sizes)),
            lambda: theirs.append(peer.round(sizes))
        ]
        for turn in turns if i % 2 == 0 else reversed(turns):
            turn()
    print(
        f"µs of CPU a request (server + Redis), medians of {rounds} rounds of {sizes.fans} fans "
        f"and {sizes.polls} polls, {sizes.connections} at a time")
    print(f"  {'':<12}{'maejin':<26}{'Fastify + ioredis':<26}ratio")
    for row, our_verb, their_verb, goal in ROWS:
        ratio = statistics.median(
            sum(our[our_verb]) / sum(their[their_verb]) for our, their in zip(ours, theirs))
        wanted = "" if goal is None else f"  (goal: at most {goal:.2f})"
        print(f"  {row:<12}{told(ours, our_verb):<26}{told(theirs, their_verb):<26}{ratio:.2f}{wanted}")


def restart_empty(redis, folder, sizes):
    """All fans poll once after Redis lost everything: (seconds, µs of CPU of the server, of Redis, a fan)."""
    shutil.rmtree(folder / "data", ignore_errors=True)
    patient = f"{redis.url}?timeout_ms=60000"  # a busy machine is no outage of Redis
    with harness.Server(folder / "data", "--redis", patient) as server, Crowd(server.port,
                                                                              sizes.connections) as crowd:
        room = harness.create_concert(server.admin())["id"]
        path = f"/api/v1/rooms/{room}"
        assert server.admin().call(
            "PUT", path,
            {"capacity": 0, "admission": "claim", "joinsPerAddressPerMinute": None}).status == 200
        joined = [
            json.loads(body) for body in crowd.send(
                [request("POST", path + "/entries", body={"userId": fan}) for fan in names(sizes.fans)])
        ]
        redis.kill()
        redis.start()
        fans = [request("GET", path + "/entries/me", {"X-Queue-Token": fan["token"]}) for fan in joined]

        def noticed():
            """The node answers from its mirror until it detects the loss; then its first poll restores a
    place."""
            states = [json.loads(body)["state"] for body in crowd.send(fans[:1] * sizes.connections)]
            return set(states) == {"open"} and redis.cli("ZCARD", f"queue:{room}") != "0"

        harness.until(noticed)
        meter, began = Meter(crowd, server.process, redis.process), time.monotonic()
        found = [json.loads(body) for body in meter.measure("back", fans)]
        seconds = time.monotonic() - began
        assert redis.cli("ZCARD", f"queue:{room}") == str(sizes.fans), "a poll was answered without Redis"
    assert [fan["number"] for fan in found] == [fan["number"] for fan in joined], "a place changed its number"
    redis.cli("FLUSHALL")
    return seconds, *meter.figures["back"]


def print_restart(redis, folder, sizes):
    seconds, server, own = restart_empty(redis, folder, sizes)
    print(f"after an empty restart of Redis: {sizes.fans} fans have their places again in {seconds:.2f} s, "
          f"{server + own:.1f} µs of CPU each (server {server:.1f} + Redis {own:.1f})")


# Polls alone.

CONNECTIONS = (64, 128, 1000, 2000)
SERVERS_CORE, WRK_CORE = "0", "1"
SAMPLE = 20_000  # so many of the waiting are polled for, spread over the line


def pin(process):
    subprocess.run(
        ["taskset", "-a", "-cp", SERVERS_CORE, str(process.pid)], check=True, stdout=subprocess.DEVNULL)


class Polled:
    """A server whose line is polled: name, port, path, the header line of each poll, and its processes."""

    def __init__(self, name, port, path, headers, processes, folder):
        self.name, self.port, self.path, self.processes, self.rounds = name, port, path, processes, {}
        self.file = folder / f"{name.split()[0]}-headers"
        self.file.write_text("\n".join(headers) + "\n", encoding="utf-8")
        for process in processes:
            pin(process)

    def measure(self, connections, seconds):
        """(µs of CPU a poll, polls a second, median latency in ms)"""
        before = sum(map(cpu_of, self.processes))
        told_by_wrk = subprocess.run(
            [
                "taskset", "-c", WRK_CORE, "wrk", "-t", "1", "-c",
                str(connections), "-d", f"{seconds}s", "--timeout", "20s", "-s",
                HERE / "redis_peer/polls.lua",
                f"http://127.0.0.1:{self.port}"
            ], check=True, capture_output=True, text=True,
            env={**os.environ, "POLL_HEADERS": str(self.file), "POLL_PATH": self.path}).stdout
        polls, micros, median, wrong = map(int,
                                           re.search(r"POLLS (\d+) (\d+) (\d+) (\d+)", told_by_wrk).groups())
        assert wrong == 0, told_by_wrk
        used = sum(map(cpu_of, self.processes)) - before
        self.rounds.setdefault(connections, []).append(
            (used / polls * 1e6, polls / micros * 1e6, median / 1000))

    def median(self, connections, part):
        return statistics.median(figures[part] for figures in self.rounds[connections])

    def ratio(self, other, connections):
        """Of the CPU a poll, round by round."""
        return statistics.median(own[0] / others[0]
                                 for own, others in zip(self.rounds[connections], other.rounds[connections]))


class Nginx:
    def __init__(self, redis, folder):
        folder.mkdir()
        self.port = harness.free_port()
        text = string.Template((HERE / "redis_peer/nginx.conf").read_text(encoding="utf-8")).substitute(
            folder=folder, port=self.port, redis=redis.port)
        (folder / "nginx.conf").write_text(text, encoding="utf-8")
        self.process = subprocess.Popen(
            ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL,
            preexec_fn=harness.die_with_parent)
        harness.until(self.workers)

    def workers(self):
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], check=False, capture_output=True,
                               text=True).stdout.split()
        return [types.SimpleNamespace(pid=int(pid)) for pid in found]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def line_of_maejin(server, waiting):
    """Joins; returns the path of polls and the tokens."""
    admin = server.admin()
    path = f"/api/v1/rooms/{harness.create_concert(admin)['id']}"
    assert admin.call("PUT", path,
                      {"capacity": 0, "admission": "claim", "joinsPerAddressPerMinute": None}).status == 200
    with Crowd(server.port, 1000) as crowd:
        joined = crowd.send(
            [request("POST", path + "/entries", body={"userId": fan}) for fan in names(waiting)])
    step = max(1, waiting // SAMPLE)
    return path + "/entries/me", [f"X-Queue-Token: {json.loads(body)['token']}" for body in joined[::step]]


def line_of_peer(redis, waiting):
    for first in range(0, waiting, 10_000):
        words = [word for i in range(first, min(first + 10_000, waiting)) for word in (str(i), f"fan{i}")]
        redis.cli("ZADD", "queue:42", *words)
    return [f"X-User-Id: fan{i}" for i in range(0, waiting, max(1, waiting // SAMPLE))]


def compare_polls(folder, waiting, rounds, seconds):
    with contextlib.ExitStack() as stack:
        start = stack.enter_context
        redis, peers_redis = start(redis_server.Redis(folder / "redis1")), start(
            redis_server.Redis(folder / "redis2"))
        shared, alone = start(harness.Server(folder / "shared", "--redis",
                                             redis.url)), start(harness.Server(folder / "alone"))
        nginx, node = start(Nginx(peers_redis, folder / "nginx")), start(Peer(peers_redis, folder, 0))
        users = line_of_peer(peers_redis, waiting)
        polled = [
            Polled("maejin on Redis", shared.port, *line_of_maejin(shared, waiting),
                   [shared.process, redis.process], folder),
            Polled("embedded", alone.port, *line_of_maejin(alone, waiting), [alone.process], folder),
            Polled("nginx + Lua", nginx.port, "/poll", users, [*nginx.workers(), peers_redis.process],
                   folder),
            Polled("Fastify + ioredis", node.port, "/rooms/42/entries/me", users,
                   [node.process, peers_redis.process], folder)
        ]
        print(f"polls of {waiting} waiting, medians of {rounds} rounds: µs of CPU a poll (server + Redis), "
              "polls a second, median ms", flush=True)
        for connections in (8, *CONNECTIONS):
            for each in polled:
                each.measure(connections, 1)  # warms up
                each.rounds.clear() if connections == 8 else each.rounds.pop(connections)
            for i in range(rounds):
                for each in polled if i % 2 == 0 else reversed(polled):
                    each.measure(connections, seconds)
            print_polls(polled, connections)


def print_polls(polled, connections):
    ours, embedded, nginx, node = polled
    print(f"  {connections} connections")
    for each in polled:
        cpu, rate, latency = (each.median(connections, figure) for figure in range(3))
        print(f"    {each.name:<20}{cpu:7.1f} µs {rate:9.0f}/s {latency:7.2f} ms")
    ratios = [ours.ratio(other, connections) for other in (embedded, nginx, node)]
    print("    ratio to embedded {:.2f} (goal: at most 1.40), to nginx + Lua {:.2f} (0.45), "
          "to Fastify {:.2f} (0.40)".format(*ratios), flush=True)


# A million waiters on two nodes.

def memory_of(process):
    """Bytes, resident."""
    return int(
        re.search(r"VmRSS:\s+(\d+)",
                  pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")).group(1)) * 1024


def print_mirrors(folder, waiting):
    keys = folder / "keys"
    with redis_server.Redis(folder / "redis3") as redis, \
            harness.Server(folder / "first", "--redis", redis.url, "--keys", keys) as first:
        path, tokens = line_of_maejin(first, waiting)
        poll = request("GET", path, dict([tokens[-1].split(": ")]))
        began = time.monotonic()
        with harness.Server(folder / "second", "--redis", redis.url, "--keys", keys) as second:
            started, before = time.monotonic(), memory_of(second.process)
            with Crowd(second.port, 1) as crowd:
                rank = json.loads(crowd.send([poll])[0])["rank"]
            answered = time.monotonic()
            assert rank is not None and rank > waiting * 0.9, rank
            print(f"{waiting} waiters, a second node: started after {started - began:.2f} s, "
                  f"first rank {answered - started:.3f} s later, "
                  f"{(memory_of(second.process) - before) / waiting:.2f} bytes a waiter more")
            seconds = 2  # soon after, the waiters that do not poll become absent: that is other work of Redis
            for connections in (64, 128):
                polled = Polled("second", second.port, path, tokens, [second.process], folder)
                used = cpu_of(redis.process)
                polled.measure(connections, seconds)
                polls = polled.median(connections, 1)
                share = (cpu_of(redis.process) - used) / seconds * 100
                print(f"  {connections} pollers: {polls:.0f} polls/s, Redis {share:.1f} % of a core")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--small", action="store_true")
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--only", choices=("verbs", "polls", "mirrors", "restart"), help="one part alone")
    arguments.add_argument("--waiting", type=int, default=200_000, help="of the polled line")
    arguments.add_argument("--seconds", type=int, default=4, help="of a round of polls")
    arguments = arguments.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if arguments.small:
            run_small(folder)
            return

        def wanted(part):
            return arguments.only in (None, part)

        if wanted("verbs") or wanted("polls"):
            Peer.install(folder)
        if wanted("polls"):
            compare_polls(folder, arguments.waiting, arguments.rounds, arguments.seconds)
        if wanted("mirrors"):
            print_mirrors(folder, 1_000_000)
        with redis_server.Redis(folder / "redis") as redis:
            if wanted("verbs"):
                for connections in (2000, 128):
                    with Peer(redis, folder, FANS) as peer:
                        compare(redis, folder, peer, Sizes(FANS, 2 * FANS, connections), arguments.rounds)
            if wanted("restart"):
                print_restart(redis, folder, Sizes(20_000, 0, 2000))


def run_small(folder):
    with redis_server.Redis(folder / "redis") as redis:
        figures = round_of_maejin(redis, folder, Sizes(fans=200, polls=400, connections=128))
        for verb in VERBS:
            print(f"  {verb:<12}{told([figures], verb)} µs of CPU a request (server + Redis)")
        print_restart(redis, folder, Sizes(200, 0, 128))


if __name__ == "__main__":
    main()

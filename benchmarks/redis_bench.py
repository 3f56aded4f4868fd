"""Poll, join and enter on Redis: maejin beside the seeds' design in Node (Fastify + ioredis), on the same Redis, in the same run.

Prints microseconds of CPU per request, of the server and of Redis together. `--small` is the mode that tests run.
"""
import argparse
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
import harness  # noqa: E402
import redis_server  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(*pids):
    """Seconds of CPU that processes have used so far."""
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


class Load:
    """A crowd: many keep-alive connections, each with one request under way at a time."""

    def __init__(self, port, connections=128):
        self.port, self.connections = port, connections

    def run(self, requests):
        """Sends all requests (bytes); returns how many were answered 2xx."""
        crowd = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(self.connections)]
        good = 0
        for at in range(0, len(requests), self.connections):
            under_way = list(zip(crowd, requests[at:at + self.connections]))
            for connection, sent in under_way:
                connection.sendall(sent)
            good += sum(self._read(connection) for connection, _ in under_way)
        for connection in crowd:
            connection.close()
        return good

    @staticmethod
    def _read(connection):
        buffer = b""
        while True:
            head, separator, rest = buffer.partition(b"\r\n\r\n")
            if separator and len(rest) >= int(re.search(rb"content-length: *(\d+)", head, re.I).group(1)):
                return head[9:10] == b"2"
            piece = connection.recv(65536)
            assert piece, "the server closed the connection"
            buffer += piece


def request(method, path, headers, body=b""):
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", *(f"{name}: {value}" for name, value in headers.items())]
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def measure(name, load, requests, server, redis):
    before, start = (cpu_of(server), cpu_of(redis)), time.monotonic()
    good = load.run(requests)
    took = time.monotonic() - start
    own, shared = ((cpu_of(pid) - used) / len(requests) * 1e6 for pid, used in zip((server, redis), before))
    micros = own + shared
    print(f"  {name:<8} {micros:7.1f} µs CPU a request (server {own:.1f}, Redis {shared:.1f})   {len(requests) / took:9.0f} requests/s")
    assert good == len(requests), f"{name}: {len(requests) - good} were refused"
    return micros


def measure_maejin(redis, folder, fans, polls):
    print("maejin and Redis")
    with harness.Server(folder / "data", "--redis", redis.url) as server:
        admin = server.admin()
        load, pids = Load(server.port), (server.process.pid, redis.process.pid)
        assert admin.call("PUT", "/api/v1/rooms/main", {"capacity": 0, "admission": "claim"}).status == 200
        def of(user, method, path):
            return request(method, f"/api/v1/rooms/main/{path}", {"X-User-Id": user})
        result = {}
        joins = [request("POST", "/api/v1/rooms/main/entries", {"Content-Type": "application/json"},
                         f'{{"userId":"fan{i}"}}'.encode()) for i in range(fans)]
        result["join"] = measure("join", load, joins, *pids)
        result["poll"] = measure("poll", load, [of(f"fan{i * 7919 % fans}", "GET", "entries/me") for i in range(polls)], *pids)
        assert admin.call("PUT", "/api/v1/rooms/main", {"capacity": 800}).status == 200
        entering = min(600, fans)  # requests of one moment may overtake each other a little
        result["enter"] = measure("enter", load, [of(f"fan{i}", "POST", "enter") for i in range(entering)], *pids)
        return result


def measure_peer(redis, folder, fans, polls):
    print("Fastify, ioredis and Redis")
    peer = subprocess.Popen(["node", "peer.js", str(redis.port)], cwd=folder / "peer", stdout=subprocess.PIPE, text=True)
    try:
        port = int(peer.stdout.readline().rsplit(":", 1)[1])
        load, pids = Load(port), (peer.pid, redis.process.pid)
        def of(i, method, path):
            return request(method, f"/rooms/42/{path}", {"X-User-Id": f"fan{i}"})
        result = {}
        result["join"] = measure("join", load, [of(i, "POST", "entries") for i in range(fans)], *pids)
        result["poll"] = measure("poll", load, [of(i * 7919 % fans, "GET", "entries/me") for i in range(polls)], *pids)
        entering = min(600, fans)  # requests of one moment may overtake each other a little
        result["enter"] = measure("enter", load, [of(i, "POST", "enter") for i in range(entering)], *pids)
        return result
    finally:
        peer.kill()
        peer.wait()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--small", action="store_true")
    small = arguments.parse_args().small
    fans, polls = (200, 400) if small else (20_000, 60_000)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with redis_server.Redis(folder) as redis:
            ours = measure_maejin(redis, folder, fans, polls)
            redis.cli("FLUSHALL")
            if small:
                return
            shutil.copytree(HERE / "redis_peer", folder / "peer")
            subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=folder / "peer", check=True)
            theirs = measure_peer(redis, folder, fans, polls)
    for verb in ours:
        print(f"{verb}: maejin uses {ours[verb] / theirs[verb]:.2f} of the peer's CPU (goal for poll: at most 0.50)")


if __name__ == "__main__":
    main()

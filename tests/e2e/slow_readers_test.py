"""Slow readers of a large, changing seat map: memory stays bounded, and ordinary readers are served."""
import json
import resource
import socket
import threading
import time

import harness

READERS = 300
SEATS = 100_000
MIB = 1 << 20
# Where nothing bounds the memory, the test stops here instead of exhausting the machine.
TOO_MUCH = 600 * MIB


def resident(server):
    """The process's resident memory, in bytes."""
    status = (harness.pathlib.Path("/proc") / str(server.process.pid) / "status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def address_space(server):
    status = (harness.pathlib.Path("/proc") / str(server.process.pid) / "status").read_text(encoding="utf-8")
    return int(status.split("VmSize:")[1].split()[0]) * 1024


def large_concert(server):
    """Returns the id of a date with 100,000 seats: its map is more than 7 MB."""
    made = server.admin().post("/api/v1/concerts", {
        "title": "Large", "artist": "A", "venue": "V", "room": "none", "price": 1000,
        "schedules": [{"concertDate": "2031-01-01", "sections": [
            {"name": "A", "rows": 100, "seatsPerRow": SEATS // 100, "price": 1000}]}]})
    assert made.status == 201, made
    return made.json["schedules"][0]["id"]


class Changes:
    """Changes one seat after another."""

    def __init__(self, server, schedule):
        self.admin, self.schedule, self.seat = server.admin(), schedule, 0

    def __call__(self):
        self.seat += 1
        done = self.admin.post(f"/api/v1/schedules/{self.schedule}/block", {"seats": [self.seat]})
        assert done.status in (200, 503), done


def slow_reader(server, path):
    """Asks for `path` and reads nothing."""
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.connect(("127.0.0.1", server.port))
    reader.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    return reader


def ordinary_reader(server, path, results, bytes_per_second):
    """Reads the whole map at an ordinary speed; appends the number of its seats."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as reader:
        reader.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
        text, begun = bytearray(), time.monotonic()
        while piece := reader.recv(1 << 16):
            text += piece
            ahead = len(text) / bytes_per_second - (time.monotonic() - begun)
            if ahead > 0:
                time.sleep(ahead)
    head, _, body = bytes(text).partition(b"\r\n\r\n")
    results.append(len(json.loads(body)["seats"]) if head.startswith(b"HTTP/1.1 200") else head)


def test_memory_stays_bounded_when_300_readers_stall_on_a_changing_seat_map(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        schedule = large_concert(server)
        path = f"/api/v1/schedules/{schedule}/seats"
        change = Changes(server, schedule)
        server.client().get(path)
        idle = most = resident(server)
        readers, ordinary, results = [], [], []
        for number in range(READERS):
            change()
            readers.append(slow_reader(server, path))
            if number % 60 == 0:
                ordinary.append(
                    threading.Thread(target=ordinary_reader, args=(server, path, results, 4 * MIB)))
                ordinary[-1].start()
            most = max(most, resident(server))
            figures = f"{most / MIB:.0f} MiB with {number + 1} readers, {idle / MIB:.0f} MiB before"
            assert most < TOO_MUCH, figures
        for thread in ordinary:
            thread.join()
            change()
            most = max(most, resident(server))
        print(f"{idle / MIB:.0f} MiB idle, {most / MIB:.0f} MiB at most")
        assert most - idle <= 200 * MIB, f"{idle / MIB:.0f} MiB before, {most / MIB:.0f} MiB at most"
        assert results == [SEATS] * len(ordinary), results
        assert len(server.client().get(path).json["seats"]) == SEATS
        for reader in readers:
            reader.close()


def test_server_survives_a_memory_limit_when_readers_stall(tmp_path):
    with harness.Server(tmp_path / "data", "--http-seat-map-bytes", 1 << 40) as server:
        schedule = large_concert(server)
        path = f"/api/v1/schedules/{schedule}/seats"
        change = Changes(server, schedule)
        server.client().get(path)
        # The budget is out of the way: allocations fail.
        limit = address_space(server) + 150 * MIB
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (limit, limit))
        readers = []
        for _ in range(60):
            change()
            readers.append(slow_reader(server, path))
        refused = harness.until(lambda: server.process.poll() is None and "out of memory" in server.log_path.
                                read_text(encoding="utf-8"))
        assert refused
        for reader in readers:
            reader.close()
        harness.until(lambda: len(server.client().get(path).json.get("seats", [])) == SEATS)
        assert server.process.poll() is None

"""Server-Sent Events of the waiting room."""
import json
import socket

import harness
import pytest


class Listener:
    def __init__(self, server, token, **headers):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.socket.sendall(f"GET /api/v1/rooms/main/stream?token={token} HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode())
        self.file = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.head = []
        while (line := self.file.readline().strip()):
            self.head.append(line)

    def next(self):
        """The next event's name, id and data; comments are passed over."""
        event = {}
        while True:
            line = self.file.readline()
            if not line:
                return None
            line = line.rstrip("\n").rstrip("\r")
            if not line and "event" in event:
                return event["event"], event.get("id"), json.loads(event["data"])
            if ": " in line and not line.startswith(":"):
                name, value = line.split(": ", 1)
                event[name] = value

    def close(self):
        self.file.close()
        self.socket.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("streams") / "data") as running:
        yield running


def join(client, user):
    return client.post("/api/v1/rooms/main/entries", {"userId": user}).json["token"]


def test_a_listener_hears_of_its_position_its_turn_a_notice_and_its_end(server):
    client, admin = server.client(), server.admin()
    admin.call("PUT", "/api/v1/rooms/main", {"capacity": 1, "admission": "claim", "notice": None})
    ann, bob = join(client, "ann"), join(client, "bob")
    client.call("POST", "/api/v1/rooms/main/enter", headers={"X-Queue-Token": ann})
    listener = Listener(server, bob)
    assert listener.head[0].startswith("HTTP/1.1 200") and "text/event-stream" in " ".join(listener.head).lower()
    event, first_id, data = listener.next()
    assert (event, data["rank"], data["token"]) == ("position", 0, bob)
    again = Listener(server, bob, **{"Last-Event-ID": first_id})
    client.call("DELETE", "/api/v1/rooms/main/entries/me", headers={"X-Queue-Token": ann})
    event, _, data = listener.next()
    assert (event, data["status"]) == ("turn", "ready")
    assert again.next()[0] == "turn", "it missed nothing, so nothing was told twice"
    admin.call("PUT", "/api/v1/rooms/main", {"notice": "five minutes"})
    assert listener.next()[2]["notice"] == "five minutes"
    assert listener.next() == ("notice", None, "five minutes")
    client.call("DELETE", "/api/v1/rooms/main/entries/me", headers={"X-Queue-Token": bob})
    assert listener.next()[0] == "gone"
    assert listener.next() is None
    listener.close()
    again.close()


def test_a_stream_needs_a_place(server):
    client = server.client()
    assert client.get("/api/v1/rooms/main/stream").status == 401
    assert client.get("/api/v1/rooms/main/stream?token=x").code == "token-invalid"
    assert client.get("/api/v1/rooms/9/stream?userId=ann").code == "room-not-found"
    assert client.get("/api/v1/rooms/main/stream?userId=nobody").code == "not-queued"


def test_an_open_stream_is_a_sign_of_life(server):
    admin, client = server.admin(), server.client()
    admin.call("PUT", "/api/v1/rooms/main", {"capacity": 0, "admission": "claim", "graceSeconds": 1, "notice": None})
    silent, listening = join(client, "silent"), join(client, "listening")
    listener = Listener(server, listening)
    assert listener.next()[2]["rank"] == 1
    assert listener.next()[2]["rank"] == 0, "the one without a stream has gone"
    answer = client.call("GET", "/api/v1/rooms/main/entries/me", headers={"X-Queue-Token": silent})
    assert answer.code == "not-queued"
    listener.close()

"""Server-Sent Events of the waiting room."""
import harness
import pytest


def listen(server, token, **headers):
    return harness.Listener(server, f"/api/v1/rooms/main/stream?token={token}", **headers)


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
    listener = listen(server, bob)
    assert listener.head[0].startswith("HTTP/1.1 200") and "text/event-stream" in " ".join(
        listener.head).lower()
    event, first_id, data = listener.next()
    assert (event, data["rank"], data["token"]) == ("position", 0, bob)
    again = listen(server, bob, **{"Last-Event-ID": first_id})
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


def test_open_stream_keeps_the_place(server):
    admin, client = server.admin(), server.client()
    admin.call("PUT", "/api/v1/rooms/main", {"capacity": 0, "admission": "claim", "notice": None})
    silent, listening = join(client, "silent"), join(client, "listening")
    listener = listen(server, listening)
    assert listener.next()[2]["rank"] == 1
    assert admin.call("PUT", "/api/v1/rooms/main", {"graceSeconds": 1}).status == 200
    while (rank := listener.next()[2]["rank"]) == 1:
        pass
    assert rank == 0, "the one without a stream has gone"
    answer = client.call("GET", "/api/v1/rooms/main/entries/me", headers={"X-Queue-Token": silent})
    assert answer.code == "not-queued"
    listener.close()

"""Server-Sent Events of the seats of a date."""
import harness
import pytest


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("seats") / "data") as running:
        yield running


def on_sale(server, seats=5, **fields):
    """A date of an open concert without a room."""
    return harness.create_concert(server.admin(), seats=seats, room="none", **fields)["schedules"][0]["id"]


def listen(server, schedule, since=None, **headers):
    query = "" if since is None else f"?since={since}"
    listener = harness.Listener(server, f"/api/v1/schedules/{schedule}/seats/stream{query}", **headers)
    assert listener.head[0].startswith("HTTP/1.1 200") and "text/event-stream" in " ".join(
        listener.head).lower()
    return listener


def take(client, schedule, seat, user="fan"):
    held = harness.hold(client, schedule, [seat], user, "")
    assert held.status == 201, held
    return held.json


def states(client, schedule):
    return client.get(f"/api/v1/schedules/{schedule}/seats?form=compact").json


def test_every_listener_receives_hold_payment_and_return(server):
    client, schedule = server.client(), on_sale(server)
    version = states(client, schedule)["version"]
    listeners = [listen(server, schedule, version) for _ in range(3)]
    held = take(client, schedule, 2)
    for listener in listeners:
        event, number, data = listener.next()
        assert (event, data["changes"]) == ("seats", {"H": [2]})
        assert int(number) == data["version"] > version
    assert harness.pay(client, held, "fan").status == 200
    other = take(client, schedule, 3)
    seen = {}
    while seen != {2: "S", 3: "H"}:
        seen.update(
            {seat: letter for letter, seats in listeners[0].next()[2]["changes"].items() for seat in seats})
    client.call("DELETE", f"/api/v1/reservations/{other['reservationId']}", headers={"X-User-Id": "fan"})
    while seen != {2: "S", 3: "A"}:
        seen.update(
            {seat: letter for letter, seats in listeners[0].next()[2]["changes"].items() for seat in seats})
    for listener in listeners:
        listener.close()


def test_reconnecting_listener_receives_missed_changes(server):
    client, schedule = server.client(), on_sale(server)
    first = listen(server, schedule)
    event, number, data = first.next()
    assert event == "snapshot" and data["states"] == "AAAAA" and int(number) == data["version"]
    first.close()
    take(client, schedule, 4)
    again = listen(server, schedule, since=1, **{"Last-Event-ID": number})
    assert again.next()[2]["changes"] == {"H": [4]}, "the header goes before the query"
    version = states(client, schedule)["version"]
    fresh = listen(server, schedule, version)
    take(client, schedule, 5)
    event, _, data = fresh.next()
    assert event == "seats" and 5 in data["changes"][
        "H"], "a listener with the newest version gets no snapshot"
    again.close()
    fresh.close()


def test_stale_version_receives_the_whole_map(server):
    schedule = on_sale(server, seats=3)
    listener = listen(server, schedule, **{"Last-Event-ID": "7"})
    event, _, data = listener.next()
    assert (event, data["states"]) == ("snapshot", "AAA")
    listener.close()


def test_slow_listener_receives_all_100000_seats(server):
    client, schedule = server.client(), on_sale(server, seats=100_000)
    quick, listener = listen(server, schedule, states(client, schedule)["version"]), listen(server, schedule)
    for seat in range(1, 4):
        take(client, schedule, seat)
        assert quick.next()[2]["changes"] == {"H": [seat]}, "a frame that waits behind the large one"
    event, _, data = listener.next()
    assert event == "snapshot" and len(data["states"]) == 100_000
    assert [listener.next()[2]["changes"] for _ in range(3)] == [{"H": [1]}, {"H": [2]}, {"H": [3]}]
    quick.close()
    listener.close()


def test_stream_refuses_unknown_date_and_invalid_version(server):
    client = server.client()
    assert client.get("/api/v1/schedules/999999/seats/stream").code == "schedule-not-found"
    assert client.get("/api/v1/schedules/x/seats/stream").code == "schedule-not-found"
    schedule = on_sale(server)
    answer = client.get(f"/api/v1/schedules/{schedule}/seats/stream?since=x")
    assert (answer.code, answer.json["field"]) == ("invalid-field", "since")


def test_listener_gauge_follows_open_streams(server):
    def count():
        return harness.metric(server.client(), "maejin_booking_seat_listeners")

    harness.until(lambda: count() == 0)
    listener = listen(server, on_sale(server))
    harness.until(lambda: count() == 1)
    listener.close()
    harness.until(lambda: count() == 0)


def test_stream_continues_after_a_server_restart(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        schedule = on_sale(server)
        listener = listen(server, schedule)
        _, number, _ = listener.next()
        assert server.stop() == 0
        assert listener.next() == ("reconnect", None, {})
        listener.close()
    with harness.Server(tmp_path / "data") as server:
        take(server.client(), schedule, 1)
        listener = listen(server, schedule, **{"Last-Event-ID": number})
        event, newer, data = listener.next()
        assert event == "snapshot" and data["states"] == "HAAAA" and int(newer) > int(number)
        listener.close()

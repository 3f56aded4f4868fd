"""Booking over HTTP: from a new concert to the sell-out in the ranking."""
import pytest

import harness


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("booking") / "data") as running:
        yield running


def create(server, seats=2, **more):
    body = {"title": "IU", "artist": "IU", "venue": "Seoul", "price": 1000, "room": "none",
            "schedules": [{"concertDate": "2099-12-24", "seats": seats}], **more}
    answer = server.admin().post("/api/v1/concerts", body)
    assert answer.status == 201, answer
    return answer.json


def opened(server, seats=2, **more):
    concert = create(server, seats, **more)
    answer = server.admin().post(f"/api/v1/concerts/{concert['id']}/open")
    assert answer.status == 200, answer
    return concert["id"], concert["schedules"][0]["id"]


def hold(client, schedule, seats, user="fan", **headers):
    return client.call("POST", "/api/v1/reservations",
                       {"scheduleId": schedule, "seats": seats, "userId": user}, headers=headers or None)


def pay(client, held, user="fan", amount=None):
    path = f"/api/v1/reservations/{held.json['reservationId']}/payment"
    return client.call("POST", path, {"amount": held.json["amount"] if amount is None else amount},
                       headers={"X-User-Id": user})


def test_a_concert_goes_from_creation_to_its_place_in_the_ranking(server):
    client = server.client()
    concert, schedule = opened(server)
    assert client.get(f"/api/v1/concerts/{concert}").json["status"] == "OPEN"
    first = hold(client, schedule, [1], "anna")
    assert first.status == 201 and first.json["status"] == "HELD" and first.json["amount"] == 1000
    assert hold(client, schedule, [1], "bert").code == "seat-held"
    paid = pay(client, first, "anna")
    assert paid.status == 200 and paid.json["status"] == "CONFIRMED" and not paid.json["scheduleSoldOut"]
    assert pay(client, first, "anna").json == paid.json
    assert hold(client, schedule, [1], "bert").code == "seat-taken"
    last = pay(client, hold(client, schedule, [2], "bert"), "bert")
    assert last.json["scheduleSoldOut"] and last.json["concertSoldOut"]
    sold_out = client.get(f"/api/v1/concerts/{concert}").json
    assert sold_out["status"] == "SOLD_OUT" and sold_out["soldOutAt"] == last.json["paidAt"]
    assert sold_out["ranking"]["all"] >= 1
    refused = hold(client, schedule, [2], "carl")
    assert refused.code == "sold-out" and refused.json["mayReturn"] is False


def test_a_hold_needs_a_turn_in_the_concerts_own_room(server):
    client = server.client()
    concert, schedule = opened(server, room="own")
    assert hold(client, schedule, [1], "anna").code == "pass-required"
    joined = client.post(f"/api/v1/rooms/{concert}/entries", {"userId": "anna"})
    token = {"X-Queue-Token": joined.json["token"]}
    assert client.call("POST", f"/api/v1/rooms/{concert}/enter", {}, headers=token).status == 200
    held = hold(client, schedule, [1], "anna", **token)
    assert held.status == 201
    assert hold(client, schedule, [2], "bert", **token).status == 403
    assert pay(client, held, "anna").status == 200
    assert client.get(f"/api/v1/rooms/{concert}/serving").json["entered"] == 0


def test_seats_are_read_with_an_entity_tag(server):
    client = server.client()
    _, schedule = opened(server, seats=3)
    path = f"/api/v1/schedules/{schedule}/seats"
    first = client.get(path)
    assert first.json["seats"][0] == {
        "number": 1, "section": "A", "row": 1, "status": "AVAILABLE", "price": 1000
    }
    tag = first.headers["etag"]
    assert client.call("GET", path, headers={"If-None-Match": tag}).status == 304
    version = first.json["version"]
    hold(client, schedule, [2])
    second = client.call("GET", path, headers={"If-None-Match": tag})
    assert second.status == 200 and second.json["seats"][1]["status"] == "HELD"
    assert client.get(f"{path}?since={version}").json["changes"] == [{"number": 2, "status": "HELD"}]
    assert client.get(f"{path}?form=compact").json["states"] == "AHA"


def test_refusals_have_their_codes(server):
    client = server.client()
    concert = create(server)
    schedule = concert["schedules"][0]["id"]
    assert hold(client, schedule, [1]).code == "not-open"
    assert hold(client, 987654, [1]).code == "schedule-not-found"
    assert client.get("/api/v1/concerts/987654").code == "concert-not-found"
    server.admin().post(f"/api/v1/concerts/{concert['id']}/open")
    assert server.admin().post(f"/api/v1/concerts/{concert['id']}/open").code == "already-open"
    assert hold(client, schedule, [77]).code == "seat-not-found"
    assert hold(client, schedule, [1, 1]).code == "invalid-field"
    assert hold(client, schedule, []).code == "invalid-field"
    held = hold(client, schedule, [1], "anna")
    assert pay(client, held, "anna", amount=1).code == "amount-mismatch"
    assert pay(client, held, "thief").code == "reservation-not-found"
    assert client.post("/api/v1/concerts", {}).status == 401


def test_a_cancelled_hold_gives_its_seat_back(server):
    client = server.client()
    _, schedule = opened(server)
    held = hold(client, schedule, [1], "anna")
    path = f"/api/v1/reservations/{held.json['reservationId']}"
    me = {"X-User-Id": "anna"}
    assert client.call("GET", path, headers=me).json["status"] == "HELD"
    assert client.call("DELETE", path, headers=me).json["status"] == "CANCELLED"
    assert hold(client, schedule, [1], "bert").status == 201


def test_a_repeated_key_makes_one_reservation(server):
    client = server.client()
    _, schedule = opened(server, seats=4)
    first = hold(client, schedule, [1], "anna", **{"Idempotency-Key": "k1"})
    again = hold(client, schedule, [1], "anna", **{"Idempotency-Key": "k1"})
    assert again.status == 201 and again.json["reservationId"] == first.json["reservationId"]


def test_operator_blocks_cancels_and_lists_reservations(server):
    admin, client = server.admin(), server.client()
    concert, schedule = opened(server, seats=3)
    assert admin.post(f"/api/v1/schedules/{schedule}/block", {"seats": [3]}).json["totalSeats"] == 2
    assert hold(client, schedule, [3]).code == "seat-taken"
    assert admin.post(f"/api/v1/schedules/{schedule}/release", {"seats": [3]}).json["totalSeats"] == 3
    held = hold(client, schedule, [1], "=anna")
    pay(client, held, "=anna")
    listed = admin.get(f"/api/v1/admin/reservations?concertId={concert}").json["reservations"]
    assert [each["status"] for each in listed] == ["CONFIRMED"]
    table = admin.get(f"/api/v1/admin/reservations.csv?concertId={concert}")
    assert table.headers["content-type"].startswith("text/csv")
    assert held.json["reservationId"] in table.text and "\"'=anna\"" in table.text
    assert admin.post(f"/api/v1/concerts/{concert}/cancel").json["status"] == "CANCELLED"
    path = f"/api/v1/admin/reservations?concertId={concert}&status=REFUNDED"
    assert harness.until(lambda: admin.get(path).json["reservations"])
    assert client.get("/api/v1/admin/reservations").status == 401

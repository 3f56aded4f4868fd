"""Creating, opening and reading concerts."""
import re

import harness
import pytest

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def test_a_new_concert_has_an_id_a_status_and_its_dates(admin):
    created = admin.post("/api/v1/concerts", harness.concert_body(seats=50, dates=2))
    assert created.status == 201
    concert = created.json
    assert set(concert) >= {"id", "status", "bookingOpenAt", "schedules"}
    assert concert["status"] == "SCHEDULED" and concert["bookingOpenAt"] is None
    assert [(s["concertDate"], s["totalSeats"]) for s in concert["schedules"]] == [("2099-05-01", 50),
                                                                                   ("2099-05-02", 50)]
    assert len({s["id"] for s in concert["schedules"]}) == 2


def test_sections_become_rows_of_numbered_seats_with_prices(admin, client):
    sections = [{"name": "R", "rows": 2, "seatsPerRow": 3, "price": 9000},
                {"name": "S", "rows": 1, "seatsPerRow": 2, "price": 5000}]
    body = harness.concert_body()
    body["schedules"] = [{"concertDate": "2099-06-01", "sections": sections}]
    concert = admin.post("/api/v1/concerts", body).json
    schedule = concert["schedules"][0]
    assert schedule["totalSeats"] == 8
    seats = client.get(f"/api/v1/schedules/{schedule['id']}/seats").json["seats"]
    assert len({s["number"] for s in seats}) == 8
    assert sum(s["price"] for s in seats) == 6 * 9000 + 2 * 5000
    assert {s["section"] for s in seats} == {"R", "S"}
    assert {s["status"] for s in seats} == {"AVAILABLE"}


def test_opening_sets_the_time_once(admin, client):
    concert = harness.create_concert(admin, opened=False)
    opened = admin.post(f"/api/v1/concerts/{concert['id']}/open")
    assert opened.status == 200 and INSTANT.fullmatch(opened.json["bookingOpenAt"])
    again = admin.post(f"/api/v1/concerts/{concert['id']}/open")
    assert (again.status, again.code) == (409, "already-open")
    read = client.get(f"/api/v1/concerts/{concert['id']}").json
    assert read["status"] == "OPEN" and read["bookingOpenAt"] == opened.json["bookingOpenAt"]


def test_a_concert_opens_by_itself_at_its_time(admin, client):
    past = harness.create_concert(admin, opened=False, bookingOpenAt="2025-01-01T00:00:00.000Z")
    assert client.get(f"/api/v1/concerts/{past['id']}").json["status"] == "OPEN"
    future = harness.create_concert(admin, opened=False, bookingOpenAt="2099-01-01T09:00:00+09:00")
    read = client.get(f"/api/v1/concerts/{future['id']}").json
    assert read["status"] == "SCHEDULED" and read["bookingOpenAt"] == "2099-01-01T00:00:00.000Z"


def test_one_concert_and_all_concerts_are_read(admin, client):
    concert = harness.create_concert(admin, seats=7)
    one = client.get(f"/api/v1/concerts/{concert['id']}").json
    assert set(one) >= {
        "id", "title", "artist", "venue", "status", "totalSeats", "availableSeats", "bookingOpenAt",
        "soldOutAt", "ranking"
    }
    assert (one["totalSeats"], one["availableSeats"], one["soldOutAt"], one["ranking"]) == (7, 7, None, None)
    everything = client.get("/api/v1/concerts")
    assert everything.status == 200
    listed = everything.json["concerts"] if isinstance(everything.json, dict) else everything.json
    assert concert["id"] in [c["id"] for c in listed]


def test_dates_can_be_added(admin, client):
    concert = harness.create_concert(admin, seats=3)
    added = admin.post(f"/api/v1/concerts/{concert['id']}/schedules",
                       {"schedules": [{"concertDate": "2099-08-01", "seats": 4}]})
    assert added.status == 201, added
    assert client.get(f"/api/v1/concerts/{concert['id']}").json["totalSeats"] == 7


@pytest.mark.parametrize("method, path", [("POST", "/api/v1/concerts"), ("POST", "/api/v1/concerts/1/open"),
                                          ("POST", "/api/v1/concerts/1/schedules"),
                                          ("GET", "/api/v1/rooms/main"), ("PUT", "/api/v1/rooms/main")])
def test_operators_calls_need_the_admin_key(client, method, path):
    body = {} if method != "GET" else None
    refused = client.call(method, path, body)
    assert (refused.status, refused.code) == (401, "unauthorized")
    assert "www-authenticate" in refused.headers
    wrong = client.call(method, path, body, {"Authorization": "Bearer " + "0" * 64})
    assert (wrong.status, wrong.code) == (401, "unauthorized")


@pytest.mark.parametrize("path", ["/api/v1/concerts/999999", "/api/v1/schedules/999999/seats"])
def test_unknown_ids_are_not_found(client, path):
    answer = client.get(path)
    assert answer.status == 404 and answer.code.endswith("not-found")


@pytest.mark.parametrize("field", ["title", "artist", "venue", "price", "schedules"])
def test_concert_without_a_required_field_is_refused(admin, field):
    body = harness.concert_body()
    del body[field]
    refused = admin.post("/api/v1/concerts", body)
    assert (refused.status, refused.code, refused.json["field"]) == (400, "invalid-field", field)


@pytest.mark.parametrize("field", ["title", "artist", "venue", "organizer"])
def test_control_characters_are_refused_in_the_names_of_a_concert(admin, field):
    path = f"/api/v1/concerts/{harness.create_concert(admin, seats=1, room='none')['id']}"
    for text in ("\0", "a\x1b[2J", "a\x07", "a\nb", "a\x7f"):
        made = admin.post("/api/v1/concerts", {**harness.concert_body(), field: text})
        changed = admin.call("PATCH", path, {field: text})
        for answer in (made, changed):
            assert (answer.status, answer.code, answer.json["field"]) == (400, "invalid-field", field)


def test_a_title_is_measured_in_characters(admin):
    assert admin.post("/api/v1/concerts", harness.concert_body(title="가" * 200)).status == 201
    assert admin.post("/api/v1/concerts", harness.concert_body(title="가" * 201)).status == 400


@pytest.mark.parametrize("form", ['{}', 'W/{}', '"other", {}', '*'])
def test_an_unchanged_seat_map_is_not_sent_twice(admin, client, form):
    schedule = harness.create_concert(admin)["schedules"][0]["id"]
    path = f"/api/v1/schedules/{schedule}/seats"
    tag = client.get(path).headers["etag"]
    again = client.call("GET", path, headers={"If-None-Match": form.format(tag)})
    assert (again.status, again.text, again.headers["cache-control"]) == (304, "", "no-cache")


def test_personal_answers_are_no_store(admin, client):
    concert = harness.create_concert(admin)
    token = harness.enter(client, concert["id"], "ann")
    held = harness.hold(client, concert["schedules"][0]["id"], [1], "ann", token)
    fan = {"X-Queue-Token": token, "X-User-Id": "ann"}
    personal = [
        held,
        client.get(f"/api/v1/rooms/{concert['id']}/entries/me", **fan),
        client.get("/queue/status", **fan),
        client.get(f"/api/v1/reservations/{held.json['reservationId']}", **fan),
        admin.get("/api/v1/admin/reservations"),
        admin.get(f"/api/v1/rooms/{concert['id']}")
    ]
    assert [answer.headers["cache-control"] for answer in personal] == ["no-store"] * len(personal)
    assert client.get(
        f"/api/v1/rooms/{concert['id']}/serving").headers["cache-control"] == "public, max-age=1"

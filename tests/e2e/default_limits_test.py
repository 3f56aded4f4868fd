"""What protects a sale whose operator set nothing: limits per customer and per network, on every back end."""
import contextlib

import back_ends
import harness
import pytest


@pytest.fixture(scope="module", params=back_ends.NAMES)
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"limits-{request.param}")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        yield parts.enter_context(harness.Server(folder / "data", *flags))


def create(admin, **limits):
    """An open concert with the limits that it gets when only `limits` are named."""
    body = harness.concert_body(seats=60, dates=2, room="none")
    unnamed = {name: value for name, value in body.items() if name not in harness.NO_LIMITS}
    made = admin.post("/api/v1/concerts", {**unnamed, **limits})
    assert made.status == 201, made
    assert admin.post(f"/api/v1/concerts/{made.json['id']}/open").status == 200
    return made.json


def hold(client, concert, seats, user="ann", date=0):
    body = {"scheduleId": concert["schedules"][date]["id"], "seats": seats, "userId": user}
    return harness.until(lambda:
                         (answer := client.post("/api/v1/reservations", body)).code != "not-open" and answer)


def test_a_new_concert_and_its_room_have_limits_unless_they_are_switched_off(admin):
    def limits(**named):
        made = create(admin, **named)
        return made["maxSeatsPerUser"], made["maxSeatsPerDate"], made["cooldownSeconds"]

    assert limits() == (8, 0, 60)
    assert limits(maxSeatsPerUser=None, cooldownSeconds=None) == (0, 0, 0)
    assert limits(maxSeatsPerUser=0, cooldownSeconds=0) == (0, 0, 0)
    assert limits(maxSeatsPerUser=3, maxSeatsPerDate=2, cooldownSeconds=5) == (3, 2, 5)
    room = f"/api/v1/rooms/{harness.create_concert(admin)['id']}"
    assert admin.get(room).json["joinsPerAddressPerMinute"] == 1000
    for none in (None, 0):
        assert admin.call("PUT", room, {"joinsPerAddressPerMinute": 7}).json["joinsPerAddressPerMinute"] == 7
        assert admin.call("PUT", room,
                          {"joinsPerAddressPerMinute": none}).json["joinsPerAddressPerMinute"] is None


def test_one_customer_holds_at_most_eight_seats(client, admin):
    concert = create(admin)
    assert hold(client, concert, list(range(1, 10))).code == "too-many-seats"
    assert hold(client, concert, list(range(1, 9))).status == 201
    assert hold(client, concert, [9]).code == "too-many-seats"
    assert hold(client, concert, [9], date=1).code == "too-many-seats"
    assert hold(client, concert, [9], user="bob").status == 201


def test_cancelling_before_the_deadline_does_not_avoid_the_cooldown(client, admin):
    concert = create(admin)
    for _ in range(3):
        held = hold(client, concert, [1])
        assert held.status == 201, held
        path = f"/api/v1/reservations/{held.json['reservationId']}"
        assert client.call("DELETE", path, headers={"X-User-Id": "ann"}).status == 200
    refused = hold(client, concert, [1])
    assert (refused.status, refused.code) == (429, "too-many-requests"), refused
    assert 1 <= int(refused.headers["retry-after"]) <= 120
    assert hold(client, concert, [1], date=1).status == 201, "another date"
    assert hold(client, concert, [1], user="bob").status == 201


def test_one_network_gets_so_many_places_a_minute_and_this_machine_more(client, admin):
    room = f"/api/v1/rooms/{harness.create_concert(admin)['id']}"
    # The default of 1,000 takes seconds to reach; the rule is the same.
    assert admin.call("PUT", room, {"joinsPerAddressPerMinute": 50}).status == 200
    outside = {"X-Forwarded-For": "203.0.113.7"}
    answers = [client.post(f"{room}/entries", {"userId": f"far-{number}"}, outside) for number in range(80)]
    # One more is let in each 1.2 seconds.
    assert [answer.status for answer in answers[:50]] == [201] * 50
    refused = next(answer for answer in answers[50:] if answer.status != 201)
    assert (refused.status, refused.code) == (429, "too-many-requests") and "retry-after" in refused.headers
    assert client.post(f"{room}/entries", {"userId": "far-1"},
                       outside).status == 200, "a client that has a place keeps it"
    near = [client.post(f"{room}/entries", {"userId": f"near-{number}"}).status for number in range(60)]
    assert near == [201] * 60


def test_the_doctor_names_what_has_no_limit(server, admin):
    def limits():
        _, out, _ = harness.run("doctor", "--data", server.data)
        return [line for line in out.splitlines() if " limits " in line]

    open_one = create(admin, maxSeatsPerUser=0, cooldownSeconds=0)["id"]
    admin.call("PUT", "/api/v1/rooms/main", {"joinsPerAddressPerMinute": None})
    found = "\n".join(limits())
    assert f"{open_one}" in found
    assert "without maxSeatsPerUser" in found and "without cooldownSeconds" in found
    assert "main" in found and "without joinsPerAddressPerMinute" in found and "warning" in found

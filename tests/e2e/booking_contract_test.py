"""Holds, payments, cancellations and their refusals."""
import re
import threading

import harness
import pytest


@pytest.fixture
def concert(admin):
    return harness.create_concert(admin, seats=5)


def schedule_of(concert):
    return concert["schedules"][0]["id"]


def status_of(client, concert, seat):
    seats = client.get(f"/api/v1/schedules/{schedule_of(concert)}/seats").json["seats"]
    return next(s["status"] for s in seats if s["number"] == seat)


def held(client, concert, seats, user):
    token = harness.enter(client, concert["id"], user)
    answer = harness.hold(client, schedule_of(concert), seats, user, token)
    assert answer.status == 201, answer
    return answer.json


def test_a_hold_has_a_deadline_and_an_amount(client, concert):
    reservation = held(client, concert, [1, 2], "ann")
    assert re.fullmatch(r"[0-9a-f]{32}", reservation["reservationId"])
    assert (reservation["status"], sorted(reservation["seats"]), reservation["amount"]) == ("HELD", [1,
                                                                                                     2], 2000)
    assert reservation["expiresAt"].endswith("Z")
    assert status_of(client, concert, 1) == "HELD"
    shown = client.get(f"/api/v1/concerts/{concert['id']}").json
    assert (shown["totalSeats"], shown["availableSeats"], shown["heldSeats"]) == (5, 3, 2)


def test_payment_assigns_the_seat_and_releases_the_slot(client, concert):
    reservation = held(client, concert, [1], "ann")
    paid = harness.pay(client, reservation, "ann")
    assert paid.status == 200
    assert paid.json["status"] == "CONFIRMED"
    assert (paid.json["scheduleSoldOut"], paid.json["concertSoldOut"]) == (False, False)
    assert status_of(client, concert, 1) == "ASSIGNED"
    harness.until(lambda: client.get(f"/api/v1/rooms/{concert['id']}/serving").json["entered"] == 0)


def test_a_hold_without_a_turn_is_refused(client, concert):
    path, body = "/api/v1/reservations", {"scheduleId": schedule_of(concert), "seats": [1], "userId": "ann"}
    refused = client.post(path, body)
    assert (refused.status, refused.code) == (403, "pass-required")
    forged = client.post(path, body, {"X-Queue-Token": "not-a-token"})
    assert (forged.status, forged.code) == (401, "token-invalid")
    assert status_of(client, concert, 1) == "AVAILABLE"


def test_hold_with_a_token_of_another_room_is_refused(admin, client, concert):
    other = harness.create_concert(admin)
    token = harness.enter(client, other["id"], "ann")
    refused = harness.hold(client, schedule_of(concert), [1], "ann", token)
    assert (refused.status, refused.code) == (403, "pass-required")


def test_a_concert_without_a_room_needs_no_token(admin, client):
    concert = harness.create_concert(admin, room="none")
    answer = client.post("/api/v1/reservations",
                         {"scheduleId": schedule_of(concert), "seats": [1], "userId": "ann"})
    assert answer.status == 201, answer


def test_a_concert_that_is_not_open_sells_nothing(admin, client):
    concert = harness.create_concert(admin, opened=False, room="none")
    refused = harness.hold(client, schedule_of(concert), [1], "ann", "")
    assert (refused.status, refused.code) == (409, "not-open")


def test_held_seat_and_paid_seat_have_different_codes(client, concert):
    ben = harness.enter(client, concert["id"], "ben")  # no fan is admitted while every seat is held
    reservation = held(client, concert, [1], "ann")
    refused = harness.hold(client, schedule_of(concert), [1], "ben", ben)
    assert (refused.status, refused.code) == (409, "seat-held")
    assert harness.pay(client, reservation, "ann").status == 200
    refused = harness.hold(client, schedule_of(concert), [1], "ben", ben)
    assert (refused.status, refused.code) == (409, "seat-taken")


def test_several_seats_are_all_or_nothing(client, concert):
    held(client, concert, [2], "ann")
    ben = harness.enter(client, concert["id"], "ben")
    refused = harness.hold(client, schedule_of(concert), [1, 2, 3], "ben", ben)
    assert (refused.status, refused.code) == (409, "seat-held")
    assert [status_of(client, concert, n) for n in (1, 3)] == ["AVAILABLE", "AVAILABLE"]


def test_sold_out_refusal_says_whether_seats_may_return(admin, client):
    concert = harness.create_concert(admin, seats=1)
    ben = harness.enter(client, concert["id"], "ben")  # no fan is admitted while every seat is held
    reservation = held(client, concert, [1], "ann")
    refused = harness.hold(client, schedule_of(concert), [1], "ben", ben)
    assert (refused.status, refused.code, refused.json["mayReturn"]) == (409, "sold-out", True)
    assert harness.pay(client, reservation, "ann").status == 200
    refused = harness.hold(client, schedule_of(concert), [1], "ben", ben)
    assert (refused.status, refused.code, refused.json["mayReturn"]) == (409, "sold-out", False)


def test_refusal_at_the_door_says_whether_seats_may_return(admin, client):
    concert = harness.create_concert(admin, seats=1)
    ben = {"X-Queue-Token": harness.join(client, concert["id"], "ben")["token"]}
    reservation = held(client, concert, [1], "ann")

    def refused_with(may_return):
        answer = client.post(f"/api/v1/rooms/{concert['id']}/enter", headers=ben)
        return answer.code == "sold-out" and answer.json["mayReturn"] is may_return

    me = f"/api/v1/rooms/{concert['id']}/entries/me"
    harness.until(lambda: client.get(me, **ben).json["status"] == "waiting")
    assert refused_with(True)
    assert harness.pay(client, reservation, "ann").status == 200
    assert refused_with(False)


def test_refusals_are_korean_by_accept_language(admin, client):
    concert = harness.create_concert(admin, seats=1)
    token = harness.enter(client, concert["id"], "ben")
    held(client, concert, [1], "ann")
    refused = client.post("/api/v1/reservations",
                          {"scheduleId": schedule_of(concert), "seats": [1], "userId": "ben"},
                          {"X-Queue-Token": token, "Accept-Language": "ko-KR,ko;q=0.9"})
    assert "매진" in refused.json["detail"]


def test_wrong_amount_is_refused_and_the_hold_stays(client, concert):
    reservation = held(client, concert, [1], "ann")
    refused = harness.pay(client, {**reservation, "amount": 1}, "ann")
    assert (refused.status, refused.code) == (409, "amount-mismatch")
    assert harness.pay(client, reservation, "ann").status == 200


def test_a_hold_runs_out_and_the_seat_returns(admin, client):
    concert = harness.create_concert(admin, seats=2, holdSeconds=1)
    reservation = held(client, concert, [1], "ann")
    harness.until(lambda: status_of(client, concert, 1) == "AVAILABLE")
    refused = harness.pay(client, reservation, "ann")
    assert (refused.status, refused.code) == (409, "hold-expired")
    read = client.call("GET", f"/api/v1/reservations/{reservation['reservationId']}",
                       headers={"X-User-Id": "ann"})
    assert read.json["status"] == "EXPIRED"


def test_cancelling_returns_the_seat_and_refunding_too(client, concert):
    path = "/api/v1/reservations/{reservationId}"
    reservation = held(client, concert, [1], "ann")
    cancelled = client.call("DELETE", path.format(**reservation), headers={"X-User-Id": "ann"})
    assert cancelled.status == 200
    assert status_of(client, concert, 1) == "AVAILABLE"
    paid = held(client, concert, [1], "ben")
    assert harness.pay(client, paid, "ben").status == 200
    assert client.call("DELETE", path.format(**paid), headers={"X-User-Id": "ben"}).status == 200
    assert status_of(client, concert, 1) == "AVAILABLE"
    read = client.call("GET", path.format(**paid), headers={"X-User-Id": "ben"})
    assert read.json["status"] == "REFUNDED"


def test_reservation_of_another_user_is_not_found(client, concert):
    reservation = held(client, concert, [1], "ann")
    path = f"/api/v1/reservations/{reservation['reservationId']}"
    for answer in (client.call("GET", path,
                               headers={"X-User-Id": "eve"}), harness.pay(client, reservation, "eve"),
                   client.call("DELETE", path, headers={"X-User-Id": "eve"})):
        assert (answer.status, answer.code) == (404, "reservation-not-found")
    assert status_of(client, concert, 1) == "HELD"


def test_unknown_seats_schedules_and_reservations_are_not_found(client, concert):
    token = harness.enter(client, concert["id"], "ann")
    assert harness.hold(client, schedule_of(concert), [99], "ann", token).code == "seat-not-found"
    assert harness.hold(client, 999_999, [1], "ann", token).code == "schedule-not-found"
    for unknown in ("0" * 32, "nonsense"):
        answer = client.call("GET", f"/api/v1/reservations/{unknown}", headers={"X-User-Id": "ann"})
        assert answer.status == 404 and answer.code


def test_short_reservation_path_holds_seats(client, concert):
    token = harness.enter(client, concert["id"], "ann")
    answer = client.post("/reservations", {"scheduleId": schedule_of(concert), "seats": [1], "userId": "ann"},
                         {"X-Queue-Token": token})
    assert answer.status == 201 and answer.json["status"] == "HELD"


def test_the_same_idempotency_key_has_one_effect_and_one_answer(client, concert):
    token = harness.enter(client, concert["id"], "ann")
    headers = {"X-Queue-Token": token, "Idempotency-Key": "order-1"}
    body = {"scheduleId": schedule_of(concert), "seats": [1], "userId": "ann"}
    first = client.post("/api/v1/reservations", body, headers)
    again = client.post("/api/v1/reservations", body, headers)
    assert (first.status, again.status) == (201, 201)
    assert again.json == first.json and again.headers["idempotent-replayed"] == "true"
    other = client.post("/api/v1/reservations", {**body, "seats": [2]}, headers)
    assert (other.status, other.code) == (422, "idempotency-mismatch")
    assert status_of(client, concert, 2) == "AVAILABLE"


def test_concurrent_holds_of_one_seat_have_one_winner(server, admin):
    concert = harness.create_concert(admin, seats=2)
    outcomes, ready = [], threading.Barrier(16)

    def race(user):
        client = server.client()
        token = harness.enter(client, concert["id"], user)
        ready.wait()
        answer = harness.hold(client, schedule_of(concert), [1], user, token)
        outcomes.append((answer.status, answer.code if answer.status != 201 else None))

    threads = [threading.Thread(target=race, args=(f"fan-{n}",)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes, key=str) == [(201, None)] + [(409, "seat-held")] * 15


def test_hold_without_token_is_refused_for_a_fan_inside(client, concert):
    harness.enter(client, concert["id"], "ann")
    refused = client.post("/api/v1/reservations",
                          {"scheduleId": schedule_of(concert), "seats": [1], "userId": "ann"})
    assert (refused.status, refused.code) == (403, "pass-required")
    assert status_of(client, concert, 1) == "AVAILABLE"


def test_seat_refusal_names_the_seat(client, concert):
    held(client, concert, [2], "ann")
    token = harness.enter(client, concert["id"], "ben")
    refused = harness.hold(client, schedule_of(concert), [1, 2], "ben", token)
    assert (refused.status, refused.code, refused.json["seat"]) == (409, "seat-held", 2)


def test_reservation_is_visible_to_its_owner_only(client, concert):
    path = f"/api/v1/reservations/{held(client, concert, [1], 'ann')['reservationId']}"
    assert client.get(f"{path}?userId=ann").status == 200
    for refused in (client.get(f"{path}?userId=ben"), client.call("DELETE", path,
                                                                  headers={"X-User-Id": "ben"})):
        assert (refused.status, refused.code) == (404, "reservation-not-found")
    assert status_of(client, concert, 1) == "HELD"


def test_a_blocked_seat_or_a_cancelled_date_sells_nothing_out(admin, client):
    blocked = harness.create_concert(admin, seats=2)
    harness.buy(client, blocked, 1, "ann")
    assert admin.post(f"/api/v1/schedules/{schedule_of(blocked)}/block", {"seats": [2]}).status == 200
    cancelled = harness.create_concert(admin, seats=1, dates=2)
    harness.buy(client, cancelled, 1, "ann")
    second = cancelled["schedules"][1]["id"]
    assert admin.post(f"/api/v1/schedules/{second}/cancel").status == 200
    for concert in (blocked, cancelled):
        shown = client.get(f"/api/v1/concerts/{concert['id']}").json
        assert (shown["status"], shown["soldOutAt"], shown["availableSeats"]) == ("SOLD_OUT", None, 0)
        assert shown["ranking"] is None, "no payment sold the last seat"


def test_concert_list_equals_the_single_concert(admin, client):
    concert = harness.create_concert(admin, seats=1)
    harness.buy(client, concert, 1, "ann")
    path = "/api/v1/concerts"
    harness.until(lambda: client.get(f"{path}/{concert['id']}").json["ranking"])
    listed = client.get(f"{path}?after={concert['id'] - 1}&limit=1").json["concerts"]
    assert listed == [client.get(f"{path}/{concert['id']}").json]


@pytest.mark.parametrize("ending, code", [("cancel", "concert-cancelled"), ("close", "room-closed")])
def test_room_of_an_ended_concert_is_closed(admin, client, concert, ending, code):
    assert admin.post(f"/api/v1/concerts/{concert['id']}/{ending}").status == 200
    refused = client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "ann"})
    assert (refused.status, refused.code) == (409, code)


def test_best_available_in_an_unknown_section_is_refused(client, concert):
    token = harness.enter(client, concert["id"], "ann")
    refused = client.post("/api/v1/reservations",
                          {"scheduleId": schedule_of(concert), "best": 1, "section": "Z", "userId": "ann"},
                          {"X-Queue-Token": token})
    assert (refused.status, refused.code, refused.json["field"]) == (400, "invalid-field", "section")

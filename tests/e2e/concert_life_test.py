"""The life of a concert, in all three modes: it is changed, its room follows it, its end is told truthfully,
a turn is not taken back, and a concert sells through the room `main`."""
import contextlib
import datetime
import itertools

import pytest

import back_ends
import harness
from harness import buy, concert_body, create_concert, enter, hold, join, pay, until


@pytest.fixture(scope="module", params=back_ends.NAMES)
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        yield parts.enter_context(harness.Server(folder / "data", *flags))


def at(seconds):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def create(admin, **fields):
    created = admin.post("/api/v1/concerts", concert_body(**fields))
    assert created.status == 201, created
    return created.json


def patch(admin, path, body):
    return admin.call("PATCH", path, body)


def room_of(admin, concert):
    return admin.get(f"/api/v1/rooms/{concert['id']}").json


def poll(client, concert, token):
    answer = client.get(f"/api/v1/rooms/{concert['id']}/entries/me", **{"X-Queue-Token": token})
    assert answer.status == 200, answer
    return answer.json


def try_enter(client, concert, token):
    return client.post(f"/api/v1/rooms/{concert['id']}/enter", headers={"X-Queue-Token": token})


# Point 8: what can be changed, and when a date sells.

def test_patched_concert_shows_and_keeps_the_changes(admin, client):
    concert = create(admin, bookingOpenAt=at(3600))
    path = f"/api/v1/concerts/{concert['id']}"
    changes = {
        "title": "Corrected", "artist": "A", "venue": "V", "bookingOpenAt": at(7200), "holdSeconds": 60,
        "maxSeatsPerUser": 2, "maxSeatsPerDate": 1, "cooldownSeconds": 5, "listed": False, "ranked": False
    }
    answer = patch(admin, path, changes)
    assert answer.status == 200, answer
    assert {name: answer.json[name] for name in changes} == changes
    assert {name: client.get(path).json[name] for name in changes} == changes
    assert patch(client, path, {"title": "x"}).status == 401
    assert patch(admin, path, {"price": 1}).status == 400
    assert patch(admin, path, {"title": ""}).code == "invalid-field"
    assert patch(admin, "/api/v1/concerts/987654", {"title": "x"}).code == "concert-not-found"


def test_opening_of_an_open_concert_cannot_be_changed(admin):
    concert = create_concert(admin)
    path = f"/api/v1/concerts/{concert['id']}"
    assert patch(admin, path, {"bookingOpenAt": at(60)}).code == "already-open"
    assert patch(admin, path, {"title": "still possible"}).status == 200


def test_date_sells_until_its_sales_end(admin, client):
    concert = create_concert(admin, dates=2)
    date = concert["schedules"][0]["id"]
    token = enter(client, concert["id"], "late")
    assert hold(client, date, [1], "late", token).status == 201
    answer = patch(admin, f"/api/v1/schedules/{date}", {"salesEndAt": at(-1)})
    assert (answer.status, answer.json["schedules"][0]["status"]) == (200, "ENDED")
    assert hold(client, date, [2], "late", token).code == "sales-ended"
    assert hold(client, concert["schedules"][1]["id"], [2], "late", token).status == 201
    assert patch(admin, f"/api/v1/schedules/{date}", {"salesEndAt": None}).status == 200
    assert hold(client, date, [2], "late", token).status == 201
    assert patch(admin, f"/api/v1/schedules/{date}", {"startsAt": at(-1)}).status == 200
    assert hold(client, date, [3], "late", token).code == "sales-ended"


def test_field_of_the_waiting_list_is_refused_by_name_and_changes_nothing(admin, client):
    """The contract names these fields for a waiting list that this version does not have."""
    concert = create(admin, bookingOpenAt=at(3600))
    schedule = concert["schedules"][0]
    for field, value in (("offerSeconds", 600), ("returns", "offer")):
        answer = patch(admin, f"/api/v1/schedules/{schedule['id']}", {"startsAt": at(86_400), field: value})
        assert (answer.status, answer.code, answer.json["field"]) == (400, "invalid-field", field)
    assert client.get(f"/api/v1/concerts/{concert['id']}").json["schedules"] == concert["schedules"]


def test_show_of_yesterday_is_not_sold(admin, client):
    body = concert_body(room="none")
    body["schedules"][0]["concertDate"] = str(datetime.date.today() - datetime.timedelta(days=2))
    concert = admin.post("/api/v1/concerts", body).json
    assert admin.post(f"/api/v1/concerts/{concert['id']}/open").status == 200
    assert hold(client, concert["schedules"][0]["id"], [1], "late", "").code == "sales-ended"
    assert client.get(f"/api/v1/concerts/{concert['id']}").json["status"] == "CLOSED"


def test_reopen_undoes_close(admin, client):
    concert = create_concert(admin)
    path = f"/api/v1/concerts/{concert['id']}"
    assert admin.post(f"{path}/reopen").code == "not-closed"
    token = enter(client, concert["id"], "early")
    assert admin.post(f"{path}/close").json["status"] == "CLOSED"
    assert hold(client, concert["schedules"][0]["id"], [1], "early", token).code == "concert-closed"
    assert room_of(admin, concert)["state"] == "closed"
    assert admin.post(f"{path}/reopen").json["status"] == "OPEN"
    assert room_of(admin, concert)["state"] == "open"
    assert hold(client, concert["schedules"][0]["id"], [1], "early", token).status == 201


# Point 7: the room follows the concert.

def test_room_waits_for_the_opening(admin, client):
    concert = create(admin, bookingOpenAt=at(7200))
    assert room_of(admin, concert)["state"] == "scheduled"
    refused = client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "early"})
    assert (refused.status, refused.code) == (409, "not-open")
    assert patch(admin, f"/api/v1/concerts/{concert['id']}", {"bookingOpenAt": at(1200)}).status == 200
    assert room_of(admin, concert)["state"] == "pre-queue", "a pre-queue begins 30 minutes before the opening"
    token = join(client, concert["id"], "early")["token"]
    assert poll(client, concert, token)["rank"] is None
    assert try_enter(client, concert, token).code == "not-your-turn"
    assert admin.post(f"/api/v1/concerts/{concert['id']}/open").status == 200
    assert room_of(admin, concert)["state"] == "open"
    assert try_enter(client, concert, token).status == 200
    assert hold(client, concert["schedules"][0]["id"], [1], "early", token).status == 201


def test_room_without_an_opening_is_scheduled_until_open(admin, client):
    concert = create(admin)
    assert room_of(admin, concert)["state"] == "scheduled"
    assert client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "early"}).code == "not-open"
    assert admin.post(f"/api/v1/concerts/{concert['id']}/open").status == 200
    enter(client, concert["id"], "early")


def test_postponed_opening_keeps_the_places_of_the_pre_queue(admin, client):
    concert = create(admin, bookingOpenAt=at(600))
    first = join(client, concert["id"], "first")
    path = f"/api/v1/concerts/{concert['id']}"
    assert patch(admin, path, {"bookingOpenAt": at(7200)}).status == 200
    assert room_of(admin, concert)["state"] == "scheduled"
    kept = poll(client, concert, first["token"])
    assert (kept["number"], kept["rank"], kept["state"]) == (first["number"], None, "scheduled")
    assert client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "second"}).code == "not-open"
    assert patch(admin, path, {"bookingOpenAt": at(600)}).status == 200
    assert join(client, concert["id"], "second")["number"] == first["number"] + 1
    draws = client.get(f"/api/v1/rooms/{concert['id']}/shuffle").json["shuffles"]
    assert len(draws) == 1, "both are in one draw"
    assert admin.post(f"{path}/open").status == 200
    assert {poll(client, concert, first["token"])["status"]} == {"ready"}


def test_pre_queue_by_arrival_tells_ranks_and_opens_by_itself(admin, client):
    concert = create(admin, bookingOpenAt=at(600), order="arrival")
    assert room_of(admin, concert)["order"] == "arrival"
    tokens = [join(client, concert["id"], f"fan{n}")["token"] for n in range(3)]
    assert [poll(client, concert, token)["rank"] for token in tokens] == [0, 1, 2]
    assert patch(admin, f"/api/v1/concerts/{concert['id']}", {"bookingOpenAt": at(0.5)}).status == 200
    until(lambda: room_of(admin, concert)["state"] == "open", 20)
    assert client.get(f"/api/v1/rooms/{concert['id']}/shuffle").json["shuffles"] == []
    assert try_enter(client, concert, tokens[2]).status == 200


def test_named_pre_queue_time_is_the_rooms(admin):
    concert = create(admin, bookingOpenAt=at(7200), preQueueAt=at(-1))
    assert room_of(admin, concert)["state"] == "pre-queue"
    assert patch(admin, f"/api/v1/concerts/{concert['id']}", {"preQueueAt": at(3600)}).status == 200
    assert room_of(admin, concert)["state"] == "scheduled"


def test_change_of_the_room_stays_until_the_concert_names_the_field_again(admin):
    concert = create(admin, bookingOpenAt=at(7200), order="arrival", preQueueAt=at(600))
    path, by_operator, by_concert = f"/api/v1/concerts/{concert['id']}", at(1200), at(2400)

    def named():
        room = room_of(admin, concert)
        return room["order"], room["preQueueAt"]

    changes = {"order": "draw", "preQueueAt": by_operator}
    assert admin.call("PUT", f"/api/v1/rooms/{concert['id']}", changes).status == 200
    assert patch(admin, path, {"title": "Corrected"}).status == 200
    assert named() == ("draw", by_operator)
    assert patch(admin, path, {"preQueueAt": by_concert}).status == 200
    assert named() == ("draw", by_concert)
    assert patch(admin, path, {"order": "arrival"}).status == 200
    assert named() == ("arrival", by_concert)


def test_room_closes_after_the_last_sale(admin, client):
    concert = create_concert(admin)
    token = join(client, concert["id"], "late")["token"]
    date = concert["schedules"][0]["id"]
    assert patch(admin, f"/api/v1/schedules/{date}", {"salesEndAt": at(0.3)}).status == 200
    until(lambda: room_of(admin, concert)["state"] == "closed", 20)
    assert poll(client, concert, token)["ended"] == "closed"
    assert client.get(f"/api/v1/concerts/{concert['id']}").json["status"] == "CLOSED"
    assert client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "later"}).code == "room-closed"


# Point 9: the end is true.

def test_waiter_of_a_sold_out_concert_is_not_called(admin, client):
    concert = create_concert(admin, seats=1)
    date = concert["schedules"][0]["id"]
    buyer = enter(client, concert["id"], "buyer")
    waiter = join(client, concert["id"], "waiter")["token"]
    assert poll(client, concert, waiter)["status"] == "ready"
    held = hold(client, date, [1], "buyer", buyer).json
    until(lambda: poll(client, concert, waiter)["status"] == "waiting", 20)
    assert poll(client, concert, waiter)["outlook"] == "unlikely"
    refused = try_enter(client, concert, waiter)
    assert (refused.status, refused.code) == (409, "sold-out")
    assert pay(client, held, "buyer").status == 200
    until(lambda: poll(client, concert, waiter)["ended"] == "sold-out", 20)
    told = poll(client, concert, waiter)
    assert (told["status"], told["outlook"], told["state"]) == ("waiting", "sold-out", "open")
    path = f"/api/v1/reservations/{held['reservationId']}"
    returned = client.call("DELETE", path, None, {"X-User-Id": "buyer"})
    assert returned.json["endReason"] == "customer"
    until(lambda: poll(client, concert, waiter)["status"] == "ready", 20)
    told = poll(client, concert, waiter)
    assert (told["outlook"], told["ended"]) == ("good", None)
    assert try_enter(client, concert, waiter).status == 200


def test_outlook_is_good_only_with_more_seats_than_people_ahead(admin, client):
    concert = create_concert(admin, seats=2)
    assert admin.call("PUT", f"/api/v1/rooms/{concert['id']}", {"capacity": 0}).status == 200
    outlooks = [join(client, concert["id"], f"fan{n}")["outlook"] for n in range(3)]
    assert outlooks == ["good", "good", "unlikely"]


def test_cancelled_concert_is_told_to_all(admin, client, server):
    concert = create_concert(admin, seats=3)
    date = concert["schedules"][0]["id"]
    paid = buy(client, concert, 1, "payer")
    holder = enter(client, concert["id"], "holder")
    held = hold(client, date, [2], "holder", holder).json
    waiter = join(client, concert["id"], "waiter")["token"]
    listener = harness.Listener(server, f"/api/v1/rooms/{concert['id']}/stream?token={waiter}")
    assert admin.post(f"/api/v1/concerts/{concert['id']}/cancel").json["status"] == "CANCELLED"
    assert poll(client, concert, waiter)["ended"] == "cancelled"
    events = {}
    while "gone" not in events:
        event = listener.next()
        events[event[0]] = event[2]
    assert events["gone"] == {"code": "concert-cancelled", "ended": "cancelled"}
    listener.close()
    joined = client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "later"})
    assert (joined.status, joined.code) == (409, "concert-cancelled")
    assert hold(client, date, [3], "holder", holder).code == "concert-cancelled"
    assert pay(client, held, "holder").code == "concert-cancelled"

    def read(reservation, user):
        answer = client.get(f"/api/v1/reservations/{reservation}", **{"X-User-Id": user}).json
        return answer["status"], answer["endReason"]

    until(lambda: read(held["reservationId"], "holder") == ("CANCELLED", "cancelled"), 20)
    until(lambda: read(paid["reservationId"], "payer") == ("REFUNDED", "cancelled"), 20)
    assert pay(client, held, "holder").code == "concert-cancelled"


def test_closed_concert_is_told_to_waiters_and_holders(admin, client):
    concert = create_concert(admin)
    holder = enter(client, concert["id"], "holder")
    held = hold(client, concert["schedules"][0]["id"], [1], "holder", holder).json
    waiter = join(client, concert["id"], "waiter")["token"]
    assert admin.post(f"/api/v1/concerts/{concert['id']}/close").status == 200
    told = poll(client, concert, waiter)
    assert (told["state"], told["ended"]) == ("closed", "closed")
    assert client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "later"}).code == "room-closed"
    assert pay(client, held, "holder").status == 200, "holds made before may be paid"


def test_expired_hold_names_its_reason(admin, client):
    concert = create_concert(admin, holdSeconds=1)
    token = enter(client, concert["id"], "slow")
    held = hold(client, concert["schedules"][0]["id"], [1], "slow", token).json
    assert held["endReason"] is None
    path = f"/api/v1/reservations/{held['reservationId']}"
    until(lambda: client.get(path, **{"X-User-Id": "slow"}).json["endReason"] == "expired", 20)


def test_concert_without_a_free_seat_is_not_open_for_ever(admin, client):
    concert = create_concert(admin, seats=2, dates=2)
    path = f"/api/v1/concerts/{concert['id']}"
    buy(client, concert, 1, "payer")
    first, second = [each["id"] for each in concert["schedules"]]
    assert admin.post(f"/api/v1/schedules/{second}/cancel").json["status"] == "OPEN"
    assert admin.post(f"/api/v1/schedules/{first}/block", {"seats": [2]}).json["status"] == "SOLD_OUT"
    shown = client.get(path).json
    assert (shown["status"], shown["soldOutAt"], shown["ranking"]) == ("SOLD_OUT", None, None)
    assert admin.post(f"/api/v1/schedules/{first}/release", {"seats": [2]}).json["status"] == "OPEN"
    token = join(client, concert["id"], "last")["token"]
    until(lambda: poll(client, concert, token)["status"] == "ready", 10)  # nodes see the seat within a second
    last = buy(client, concert, 2, "last")
    assert last["concertSoldOut"] is True
    assert client.get(path).json["soldOutAt"] == last["paidAt"]


# Point 10: ready is not taken back.

def test_ready_fan_stays_ready_when_an_earlier_fan_returns(admin, client):
    concert = create_concert(admin)
    path = f"/api/v1/rooms/{concert['id']}"
    assert admin.call("PUT", path, {"capacity": 0}).status == 200
    tokens = [join(client, concert["id"], f"fan{n}")["token"] for n in range(2)]
    # The first fan misses three polls of a second each, and is absent.
    deadline = datetime.datetime.now() + datetime.timedelta(seconds=4)
    until(lambda: poll(client, concert, tokens[1]) and datetime.datetime.now() > deadline, 20, every=0.3)
    assert admin.call("PUT", path, {"capacity": 1}).status == 200
    until(lambda: poll(client, concert, tokens[1])["status"] == "ready", 20)
    assert poll(client, concert, tokens[0])["status"] == "waiting", "the slot is kept for the other fan"
    assert poll(client, concert, tokens[1])["status"] == "ready"
    assert try_enter(client, concert, tokens[0]).code == "not-your-turn"
    assert try_enter(client, concert, tokens[1]).status == 200


def test_ready_fan_may_enter_a_paused_room_and_no_other_becomes_ready(admin, client):
    concert = create_concert(admin)
    path = f"/api/v1/rooms/{concert['id']}"
    ready = join(client, concert["id"], "ready")["token"]
    assert poll(client, concert, ready)["status"] == "ready"
    assert admin.call("PUT", path, {"state": "paused"}).status == 200
    later = join(client, concert["id"], "later")["token"]
    assert poll(client, concert, later)["status"] == "waiting"
    assert poll(client, concert, ready)["status"] == "ready"
    assert try_enter(client, concert, later).code == "not-your-turn"
    assert try_enter(client, concert, ready).status == 200


# Point 13: a concert whose fans wait in `main`.

def test_concert_of_the_main_room_is_bought_from_the_page_to_the_payment(admin, client):
    concert = create_concert(admin, room="main")
    assert client.get(f"/api/v1/concerts/{concert['id']}").json["room"] == "main"
    refused = client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "lost"})
    assert (refused.status, refused.code) == (409, "room-closed"), "fans do not wait in the wrong room"
    served = client.get("/api/v1/rooms/main/serving").json["entered"]
    joined = client.call("POST", f"/events/{concert['id']}/plain", "do=join",
                         {"Content-Type": "application/x-www-form-urlencoded"})
    assert joined.status == 303, joined
    until(lambda: client.get("/api/v1/rooms/main/serving").json["entered"] == served + 1, 20)
    token = join(client, "main", "ann")["token"]
    main, mine = "/api/v1/rooms/main/entries/me", {"X-Queue-Token": token}
    until(lambda: client.get(main, **mine).json["status"] == "entered", 20)
    held = hold(client, concert["schedules"][0]["id"], [1], "ann", token)
    assert held.status == 201, held
    assert pay(client, held.json, "ann").status == 200
    gone = client.get("/api/v1/rooms/main/entries/me", **{"X-Queue-Token": token})
    assert gone.status == 404, "the payment gave the slot of main back"


def test_postponed_reservation_shows_the_date_before(admin, client):
    concert = create_concert(admin)
    paid = buy(client, concert, 1, "early")
    date = concert["schedules"][0]["id"]
    path = f"/api/v1/reservations/{paid['reservationId']}"
    assert client.get(path, **{"X-User-Id": "early"}).json["previousDate"] is None
    assert admin.post(f"/api/v1/schedules/{date}/postpone", {"concertDate": "2099-09-09"}).status == 200
    shown = client.get(path, **{"X-User-Id": "early"}).json
    assert (shown["previousDate"], shown["concertDate"]) == ("2099-05-01", "2099-09-09")
    assert shown["status"] == "CONFIRMED"
    later = buy(client, concert, 2, "later")
    path = f"/api/v1/reservations/{later['reservationId']}"
    assert client.get(path, **{"X-User-Id": "later"}).json["previousDate"] is None


def test_room_of_an_ended_concert_does_not_open_again(admin, client):
    for verb, code in (("cancel", "concert-cancelled"), ("close", "concert-closed")):
        concert = create_concert(admin)
        assert admin.post(f"/api/v1/concerts/{concert['id']}/{verb}").status == 200
        until(lambda c=concert: room_of(admin, c)["state"] == "closed")
        for state in ("open", "pre-queue", "scheduled"):
            refused = admin.call("PUT", f"/api/v1/rooms/{concert['id']}", {"state": state})
            assert (refused.status, refused.code) == (409, code), refused
        assert admin.call("PUT", f"/api/v1/rooms/{concert['id']}", {"capacity": 5}).status == 200
        refused = client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "late"})
        assert refused.code == ("concert-cancelled" if verb == "cancel" else "room-closed"), refused


def test_concert_without_an_opening_has_no_pre_queue_until_it_gets_one(admin, client):
    concert = create(admin, bookingOpenAt=None, preQueueAt=at(-60))
    assert room_of(admin, concert)["state"] == "scheduled"
    assert client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": "ann"}).status == 409
    named = at(-30)
    assert patch(admin, f"/api/v1/concerts/{concert['id']}", {"preQueueAt": named}).status == 200
    assert room_of(admin, concert)["state"] == "scheduled"
    assert patch(admin, f"/api/v1/concerts/{concert['id']}", {"bookingOpenAt": at(7200)}).status == 200
    until(lambda: room_of(admin, concert)["state"] == "pre-queue")
    assert room_of(admin, concert)["preQueueAt"] == named, "the named time, not the default"


def test_pre_queue_time_of_the_room_is_kept_until_the_opening_is_named(admin, client):
    concert = create(admin, bookingOpenAt=None)
    room, named = f"/api/v1/rooms/{concert['id']}", at(-30)
    assert admin.call("PUT", room, {"preQueueAt": named}).status == 200
    for change in ({"title": "Renamed"}, {"bookingOpenAt": at(7200)}):
        assert room_of(admin, concert)["state"] == "scheduled"
        assert patch(admin, f"/api/v1/concerts/{concert['id']}", change).status == 200
    until(lambda: room_of(admin, concert)["state"] == "pre-queue")
    assert room_of(admin, concert)["preQueueAt"] == named


def test_queue_token_before_a_draw_has_no_position(admin, client):
    concert = create(admin, bookingOpenAt=at(600))
    until(lambda: room_of(admin, concert)["state"] == "pre-queue")
    for user in ("ann", "bob"):
        taken = client.post("/queue/token", {"userId": user, "eventId": str(concert["id"])})
        assert (taken.status, taken.json["position"]) == (200, None), taken


def test_fans_of_a_concert_with_blocked_seats_only_are_not_let_in(admin, client):
    concert = create_concert(admin, schedules=[{"concertDate": "2099-05-01", "seats": 2, "blocked": [1, 2]}])
    users = (f"fan-{number}" for number in itertools.count())

    def refused():
        """A fan that comes before the room knows of the seats is let in: then another one tries."""
        token = client.post(f"/api/v1/rooms/{concert['id']}/entries", {"userId": next(users)}).json["token"]
        return try_enter(client, concert, token).code == "sold-out" and token

    assert poll(client, concert, until(refused))["status"] == "waiting"


def test_rooms_are_listed_main_first_then_by_concert(admin):
    create(admin)
    names = [room["eventId"] for room in admin.get("/api/v1/rooms").json["rooms"]]
    concerts = [int(name) for name in names if name.isdigit()]
    assert concerts == sorted(concerts) and len(concerts) > 1, names
    assert names[0] == "main" and "main" not in names[1:], names


def test_default_pre_queue_follows_the_opening_and_a_named_time_stays(admin, client):
    path, opening = "/api/v1/concerts/{}", {"bookingOpenAt": at(7200)}
    named = create(admin, bookingOpenAt=at(3600), preQueueAt=at(1800))
    default = create(admin, bookingOpenAt=at(3600))
    removed = create(admin, bookingOpenAt=at(3600))
    assert admin.call("PUT", f"/api/v1/rooms/{removed['id']}", {"preQueueAt": None}).status == 200
    assert patch(admin, path.format(removed["id"]), {"title": "Renamed"}).status == 200
    assert room_of(admin, removed)["preQueueAt"] is None, "an operator's null stays"
    before = room_of(admin, named)["preQueueAt"]
    for concert in (named, default):
        assert patch(admin, path.format(concert["id"]), opening).status == 200
    assert room_of(admin, named)["preQueueAt"] == before, "it was named, although it equals the default"
    assert room_of(admin, default)["preQueueAt"] > before


def test_paused_room_without_seats_tells_that_the_sale_is_sold_out(admin, client):
    concert = create_concert(admin, seats=1)
    buyer, waiter = enter(client, concert["id"], "buyer"), join(client, concert["id"], "waiter")
    until(lambda: poll(client, concert, waiter["token"])["status"] == "ready")
    assert admin.call("PUT", f"/api/v1/rooms/{concert['id']}", {"state": "paused"}).status == 200
    assert hold(client, concert["schedules"][0]["id"], [1], "buyer", buyer).status == 201
    until(lambda: try_enter(client, concert, waiter["token"]).code == "sold-out")


def test_last_hold_ends_all_turns_at_once(admin, client):
    concert = create_concert(admin, seats=1)
    buyer = enter(client, concert["id"], "buyer")
    assert hold(client, concert["schedules"][0]["id"], [1], "buyer", buyer).status == 201
    late = join(client, concert["id"], "late")
    assert (late["status"], late["outlook"]) == ("waiting", "unlikely")
    assert try_enter(client, concert, late["token"]).code == "sold-out"


def test_best_seats_of_a_date_that_does_not_sell_are_refused(admin, client):
    concert = create_concert(admin, seats=2)
    path = f"/api/v1/concerts/{concert['id']}"
    best = f"/api/v1/schedules/{concert['schedules'][0]['id']}/best?count=1"
    assert client.get(best).status == 200
    assert admin.post(f"{path}/close").status == 200
    assert client.get(best).code == "concert-closed"
    later = create(admin, bookingOpenAt=at(600))
    assert client.get(f"/api/v1/schedules/{later['schedules'][0]['id']}/best?count=1").status == 200


def test_null_is_as_good_as_an_absent_field(admin, client):
    section = {"name": "A", "rows": 1, "seatsPerRow": 2, "price": 3, "rowLengths": None, "shape": None}
    dates = [{"concertDate": "2099-05-01", "seats": 2, "sections": None, "blocked": None},
             {"concertDate": "2099-05-02", "seats": None, "sections": [section]}]
    concert = create_concert(admin, schedules=dates, room="none")
    first, second = (schedule["id"] for schedule in concert["schedules"])
    for body in ({"scheduleId": first, "seats": [1], "best": None},
                 {"scheduleId": second, "seats": None, "best": 1}):
        assert client.post("/api/v1/reservations", {**body, "userId": "ann"}).status == 201, body
    assert admin.post("/api/v1/concerts", {**concert_body(), "schedules": None}).code == "invalid-field"

"""Bookings after the sale: fans list their own, operators read, cancel and refund one; best available follows the
seat plan. On every back end, with signed users."""
import contextlib
import re

import back_ends
import harness
import pytest
from users_test import SECRET, bearer, token

SECTIONS = [{"name": "VIP", "rows": 2, "seatsPerRow": 3, "price": 500}, {"name": "R", "rows": 2, "seatsPerRow": 5, "price": 300},
            {"name": "S", "rows": 1, "seatsPerRow": 4, "price": 100}]


@pytest.fixture(scope="module", params=back_ends.NAMES)
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"bookings-{request.param}")
    (folder / "secret").write_bytes(SECRET + b"\n")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        yield parts.enter_context(
            harness.Server(folder / "data", "--auth-users", "signed", "--auth-key-file", folder / "secret", *flags))


def opened(admin, **plan):
    plan = plan or {"seats": 20}
    concert = harness.create_concert(
        admin, title="Winter", venue="Arena", room="none", maxSeatsPerUser=0,
        schedules=[{"concertDate": "2027-12-24", "startsAt": "2027-12-24T10:00:00Z", **plan}])
    return concert["id"], concert["schedules"][0]["id"]


def hold(client, user, schedule, **wish):
    held = client.post("/api/v1/reservations", {"scheduleId": schedule, **wish}, bearer(token(user)))
    assert held.status == 201, held
    return held.json


def pay(client, user, held):
    path = f"/api/v1/reservations/{held['reservationId']}/payment"
    assert client.post(path, {"amount": held["amount"]}, bearer(token(user))).status == 200


def test_fan_lists_own_bookings_of_all_concerts_newest_first(client, admin):
    (concert, first), (_, second) = opened(admin, sections=SECTIONS), opened(admin)
    ann = bearer(token("lister"))
    made = [hold(client, "lister", first, seats=[1, 2]), hold(client, "lister", second, seats=[1]),
            hold(client, "lister", first, seats=[3])]
    hold(client, "other", first, seats=[4])
    pay(client, "lister", made[0])
    page = client.call("GET", "/api/v1/reservations?limit=2", headers=ann)
    assert page.status == 200, page
    assert [each["reservationId"] for each in page.json["items"]] == [made[2]["reservationId"], made[1]["reservationId"]]
    last = client.call("GET", f"/api/v1/reservations?limit=2&after={page.json['next']}", headers=ann).json
    assert last["next"] is None
    (oldest,) = last["items"]
    assert {name: oldest[name] for name in ("status", "concertId", "title", "venue", "concertDate", "startsAt", "labels")} == {
        "status": "CONFIRMED", "concertId": concert, "title": "Winter", "venue": "Arena", "concertDate": "2027-12-24",
        "startsAt": "2027-12-24T10:00:00.000Z", "labels": ["VIP 1-1", "VIP 1-2"]}
    assert client.call("GET", "/api/v1/reservations", headers=bearer(token("nobody"))).json == {"items": [], "next": None}
    assert client.get("/api/v1/reservations").status == 401
    assert client.call("GET", "/api/v1/reservations?after=x", headers=ann).code == "invalid-field"


def test_reservation_codes_are_short_unique_and_stable(client, admin):
    _, schedule = opened(admin)
    made = [hold(client, "coder", schedule, seats=[seat]) for seat in range(1, 11)]
    codes = [each["code"] for each in made]
    assert len(set(codes)) == 10
    assert all(re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}", code) for code in codes), codes
    read = client.call("GET", f"/api/v1/reservations/{made[0]['reservationId']}", headers=bearer(token("coder"))).json
    assert read["code"] == codes[0]


def test_operator_reads_cancels_and_refunds_single_bookings_of_signed_users(client, admin):
    _, schedule = opened(admin)
    paid, held = hold(client, "payer", schedule, seats=[1]), hold(client, "holder", schedule, seats=[2])
    pay(client, "payer", paid)
    path = "/api/v1/admin/reservations/"
    assert admin.get(path + paid["reservationId"]).json["status"] == "CONFIRMED"
    assert admin.get(path + paid["code"].lower().replace("-", "")).json["reservationId"] == paid["reservationId"]
    refunded = admin.call("DELETE", path + paid["code"], {"reason": "paid twice"})
    assert refunded.status == 200 and refunded.json["status"] == "REFUNDED", refunded
    assert refunded.json["paymentStatus"] == "REFUNDED"
    assert admin.call("DELETE", path + held["reservationId"]).json["status"] == "CANCELLED"
    assert admin.call("DELETE", path + paid["reservationId"]).json["status"] == "REFUNDED"
    assert client.call("GET", f"/api/v1/reservations/{paid['reservationId']}", headers=bearer(token("payer"))).json["status"] == "REFUNDED"
    assert hold(client, "next", schedule, seats=[1, 2])["amount"] > 0
    rows = [row for row in admin.get("/api/v1/admin/audit?limit=10").json["entries"] if row["action"] == "reservation.cancel"]
    assert [row["subject"] for row in rows[:2]] == [f"reservation {each['reservationId']}" for each in (held, paid)]
    assert "paid twice" in str(rows[1]["detail"])
    assert admin.get(path + "ZZZZ-ZZZZ").code == admin.get(path + "nonsense").code == "reservation-not-found"
    assert admin.call("DELETE", path + "0" * 32).code == "reservation-not-found"
    assert client.get(path + paid["reservationId"]).status == 401


def test_best_available_follows_sections_then_rows_then_the_middle(client, admin):
    _, schedule = opened(admin, sections=SECTIONS)
    path = f"/api/v1/schedules/{schedule}/best"

    def best(query):
        answer = client.get(f"{path}?{query}")
        assert answer.status == 200, answer
        return [seat["label"] for seat in answer.json["seats"]], answer.json["amount"]

    assert best("count=2") == (["VIP 1-1", "VIP 1-2"], 1000)
    assert best("count=1") == (["VIP 1-2"], 500)
    assert best("count=3&section=R") == (["R 1-2", "R 1-3", "R 1-4"], 900)
    assert best("count=2&maxPrice=200") == (["S 1-2", "S 1-3"], 200)
    first = hold(client, "b1", schedule, best=3)
    assert first["labels"] == ["VIP 1-1", "VIP 1-2", "VIP 1-3"] and first["amount"] == 1500
    second = hold(client, "b2", schedule, best=2)
    assert second["labels"] == ["VIP 2-1", "VIP 2-2"], "row 2 of the best section comes before row 1 of the next"
    assert hold(client, "b3", schedule, best=2)["labels"] == ["R 1-2", "R 1-3"], "seats together"
    assert hold(client, "b4", schedule, best=1)["labels"] == ["VIP 2-3"]
    assert hold(client, "b5", schedule, best=1, prefer="price")["labels"] == ["S 1-2"]
    answer = client.get(path + "?count=1")
    assert answer.json["seats"] == [{"number": 10, "section": "R", "row": 1, "label": "R 1-4", "price": 300}], answer
    assert client.get(path + "?count=6").code == "sold-out"
    assert client.get(path + "?section=none").code == "invalid-field"
    assert client.get(path + "?count=0").code == "invalid-field"
    assert client.get("/api/v1/schedules/987654/best").code == "schedule-not-found"

"""Bookings after the sale: fans list their own, operators read, cancel and refund one; best available follows
the seat plan. On every back end, with signed users."""
import base64
import contextlib
import json
import re
import subprocess

import back_ends
import harness
import pytest
from users_test import SECRET, bearer, token

SECTIONS = [{"name": "VIP", "rows": 2, "seatsPerRow": 3,
             "price": 500}, {"name": "R", "rows": 2, "seatsPerRow": 5, "price": 300},
            {"name": "S", "rows": 1, "seatsPerRow": 4, "price": 100}]


@pytest.fixture(scope="module", params=back_ends.NAMES)
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"bookings-{request.param}")
    (folder / "secret").write_bytes(SECRET + b"\n")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        yield parts.enter_context(
            harness.Server(folder / "data", "--auth-users", "signed", "--auth-key-file", folder / "secret",
                           *flags))


def opened(admin, **plan):
    plan = plan or {"seats": 20}
    concert = harness.create_concert(
        admin, title="Winter", venue="Arena", room="none", maxSeatsPerUser=0,
        schedules=[{"concertDate": "2099-12-24", "startsAt": "2099-12-24T10:00:00Z", **plan}])
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
    assert [each["reservationId"]
            for each in page.json["items"]] == [made[2]["reservationId"], made[1]["reservationId"]]
    last = client.call("GET", f"/api/v1/reservations?limit=2&after={page.json['next']}", headers=ann).json
    assert last["next"] is None
    (oldest,) = last["items"]
    assert {
        name: oldest[name]
        for name in ("status", "concertId", "title", "venue", "concertDate", "startsAt", "labels")
    } == {
        "status": "CONFIRMED", "concertId": concert, "title": "Winter", "venue": "Arena",
        "concertDate": "2099-12-24", "startsAt": "2099-12-24T10:00:00.000Z", "labels": ["VIP 1-1", "VIP 1-2"]
    }
    assert client.call("GET", "/api/v1/reservations",
                       headers=bearer(token("nobody"))).json == {"items": [], "next": None}
    assert client.get("/api/v1/reservations").status == 401
    assert client.call("GET", "/api/v1/reservations?after=x", headers=ann).code == "invalid-field"


def test_reservation_codes_are_short_unique_and_stable(client, admin):
    _, schedule = opened(admin)
    made = [hold(client, "coder", schedule, seats=[seat]) for seat in range(1, 11)]
    codes = [each["code"] for each in made]
    assert len(set(codes)) == 10
    assert all(re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}", code) for code in codes), codes
    read = client.call("GET", f"/api/v1/reservations/{made[0]['reservationId']}",
                       headers=bearer(token("coder"))).json
    assert read["code"] == codes[0]


def test_operator_reads_cancels_and_refunds_single_bookings_of_signed_users(client, admin):
    _, schedule = opened(admin)
    paid, held = hold(client, "payer", schedule, seats=[1]), hold(client, "holder", schedule, seats=[2])
    pay(client, "payer", paid)
    path = "/api/v1/admin/reservations/"
    assert admin.get(path + paid["reservationId"]).json["status"] == "CONFIRMED"
    assert admin.get(path +
                     paid["code"].lower().replace("-", "")).json["reservationId"] == paid["reservationId"]
    refunded = admin.call("DELETE", path + paid["code"], {"reason": "paid twice"})
    assert refunded.status == 200 and refunded.json["status"] == "REFUNDED", refunded
    assert refunded.json["paymentStatus"] == "REFUNDED"
    assert admin.call("DELETE", path + held["reservationId"]).json["status"] == "CANCELLED"
    assert admin.call("DELETE", path + paid["reservationId"]).json["status"] == "REFUNDED"
    assert client.call("GET", f"/api/v1/reservations/{paid['reservationId']}",
                       headers=bearer(token("payer"))).json["status"] == "REFUNDED"
    assert hold(client, "next", schedule, seats=[1, 2])["amount"] > 0
    rows = [
        row for row in admin.get("/api/v1/admin/audit?limit=10").json["entries"]
        if row["action"] == "reservation.cancel"
    ]
    assert [row["subject"]
            for row in rows[:2]] == [f"reservation {each['reservationId']}" for each in (held, paid)]
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
    assert second["labels"] == ["VIP 2-1",
                                "VIP 2-2"], "row 2 of the best section comes before row 1 of the next"
    assert hold(client, "b3", schedule, best=2)["labels"] == ["R 1-2", "R 1-3"], "seats together"
    assert hold(client, "b4", schedule, best=1)["labels"] == ["VIP 2-3"]
    assert hold(client, "b5", schedule, best=1, prefer="price")["labels"] == ["S 1-2"]
    answer = client.get(path + "?count=1")
    assert answer.json["seats"] == [{"number": 10, "section": "R", "row": 1, "label": "R 1-4",
                                     "price": 300}], answer
    assert client.get(path + "?count=6").code == "sold-out"
    assert client.get(path + "?section=none").code == "invalid-field"
    assert client.get(path + "?count=0").code == "invalid-field"
    assert client.get("/api/v1/schedules/987654/best").code == "schedule-not-found"


def signed_by(jwks, text, folder):
    """Verifies a QR code's text with OpenSSL and the published keys, as a door without a connection does."""
    message, _, signature = text.rpartition(".")
    decode = lambda part: base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    (key,) = [key for key in jwks["keys"] if key["kid"].startswith(message.split(".")[5])]
    point = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004") + decode(
        key["x"]) + decode(key["y"])
    (folder / "key.der").write_bytes(point)
    number = lambda value: b"\x02" + bytes([len(value)]) + value
    halves = [half.lstrip(b"\0") for half in (decode(signature)[:32], decode(signature)[32:])]
    body = b"".join(number(b"\0" + half if half[0] > 127 else half) for half in halves)
    (folder / "signature").write_bytes(b"\x30" + bytes([len(body)]) + body)
    (folder / "message").write_text(message, encoding="utf-8")
    command = ["openssl", "dgst", "-sha256", "-keyform", "DER", "-verify", "key.der", "-signature"]
    done = subprocess.run([*command, "signature", "message"], cwd=folder, capture_output=True, check=False)
    return done.returncode == 0


def verify(server, *words):
    code, out, err = harness.run("ticket", "verify", *words, "--url", f"http://127.0.0.1:{server.port}",
                                 "--admin-key-file", server.data / "admin.key")
    return code, (out or err).strip()


def test_label_of_a_ticket_cannot_control_the_terminal(server, client, admin):
    def sections(name):
        return [{"name": name, "rows": 1, "seatsPerRow": 2, "price": 1}]

    dates = [{"concertDate": "2099-12-24", "sections": sections("Win\x1b[2Jter")}]
    refused = admin.post("/api/v1/concerts", harness.concert_body(schedules=dates))
    assert (refused.status, refused.json["field"]) == (400, "schedules[0].sections[0].name")
    # Also an escape sequence, in one character that JSON texts may have.
    _, schedule = opened(admin, sections=sections("Win\x9b2Jter"))
    held = hold(client, "terminal", schedule, seats=[1])
    pay(client, "terminal", held)
    code, text = verify(server, held["code"])
    assert code == 0 and "\x9b" not in text and "Win?2Jter" in text, repr(text)


def test_ticket_is_valid_then_cancelled_and_any_other_is_unknown(server, client, admin, tmp_path):
    concert, schedule = opened(admin, sections=SECTIONS)
    held = hold(client, "door", schedule, seats=[1, 2])
    path, code, owner = f"/api/v1/reservations/{held['reservationId']}", held["code"], bearer(token("door"))
    assert client.call("GET", path + "/tickets", headers=owner).json["tickets"] == []
    assert admin.get(f"/api/v1/tickets/{code}").code == "unknown-ticket", "not paid"
    pay(client, "door", held)
    tickets = client.call("GET", path + "/tickets", headers=owner).json["tickets"]
    assert [(each["seat"], each["label"]) for each in tickets] == [(1, "VIP 1-1"), (2, "VIP 1-2")]
    assert all(each["svg"].startswith("<svg ") for each in tickets)
    assert client.call("GET", path + "/tickets",
                       headers=bearer(token("other"))).code == "reservation-not-found"
    text = tickets[1]["text"]
    assert text.startswith(f"MJ1.{code.replace('-', '')}.{schedule}.2.2099-12-24.") and len(text) < 140
    whole = admin.get(f"/api/v1/tickets/{code.lower()}").json
    assert whole == {
        "status": "valid", "code": code, "reservationId": held["reservationId"], "concertId": concert,
        "scheduleId": schedule, "title": "Winter", "venue": "Arena", "concertDate": "2099-12-24",
        "startsAt": "2099-12-24T10:00:00.000Z", "seats": [1, 2], "labels": ["VIP 1-1", "VIP 1-2"]
    }
    assert admin.get(f"/api/v1/tickets/{text}").json == {**whole, "seats": [2], "labels": ["VIP 1-2"]}
    jwks = client.get("/.well-known/jwks.json")
    other_seat = text.replace(".2.2099", ".3.2099")
    assert signed_by(jwks.json, text, tmp_path) and not signed_by(jwks.json, other_seat, tmp_path)
    for wrong in (other_seat, "ZZZZ-ZZZZ", "nonsense", "MJ1", text[:-1]):
        assert admin.get(f"/api/v1/tickets/{wrong}").code == "unknown-ticket", wrong
    assert client.get(f"/api/v1/tickets/{code}").status == 401
    assert verify(server, code) == (0, f"valid  {code}  Winter  2099-12-24  VIP 1-1, VIP 1-2")
    assert verify(server, text) == (0, f"valid  {code}  Winter  2099-12-24  VIP 1-2")
    assert verify(server, other_seat) == (1, "unknown") == verify(server, "no/ticket")
    keys = tmp_path / "jwks.json"
    keys.write_text(jwks.text, encoding="utf-8")
    offline = lambda words: harness.run("ticket", "verify", words, "--jwks", keys, "--json", cwd=tmp_path)
    status, out, _ = offline(text)
    assert status == 0 and json.loads(out) == {
        "status": "signed", "code": code, "scheduleId": schedule, "seat": 2, "concertDate": "2099-12-24"
    }
    assert offline(other_seat)[:2] == (1, '{"status":"unknown"}\n')
    assert client.call("DELETE", path, headers=owner).status == 200
    assert client.call("GET", path + "/tickets", headers=owner).json["tickets"] == []
    assert admin.get(f"/api/v1/tickets/{text}").json["status"] == "cancelled"
    assert verify(server, code)[0] == 1 and verify(server, code)[1].startswith("cancelled")


def test_ticket_of_a_postponed_date_stays_valid_and_gets_a_new_code(client, admin):
    _, schedule = opened(admin)
    held = hold(client, "mover", schedule, seats=[4])
    pay(client, "mover", held)
    path, owner = f"/api/v1/reservations/{held['reservationId']}/tickets", bearer(token("mover"))
    (old,) = client.call("GET", path, headers=owner).json["tickets"]
    moved = admin.post(f"/api/v1/schedules/{schedule}/postpone", {"concertDate": "2100-01-02"})
    assert moved.status == 200, moved
    (new,) = client.call("GET", path, headers=owner).json["tickets"]
    assert ".2099-12-24." in old["text"] and ".2100-01-02." in new["text"]
    for text in (old["text"], new["text"]):
        answer = admin.get(f"/api/v1/tickets/{text}").json
        assert (answer["status"], answer["concertDate"]) == ("valid", "2100-01-02")

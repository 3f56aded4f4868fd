"""From the last payment to the boards."""
import datetime
import re
import threading

import harness
import pytest

INSTANT = "%Y-%m-%dT%H:%M:%S.%fZ"
SEOUL = datetime.timezone(datetime.timedelta(hours=9))


@pytest.fixture(scope="module")
def sold(server):
    """A sold-out concert of two dates with one seat each, and the last payment."""
    admin, client = server.admin(), server.client()
    concert = harness.create_concert(admin, seats=1, dates=2)
    first = harness.buy(client, concert, 1, "ann", concert["schedules"][0]["id"])
    assert (first["scheduleSoldOut"], first["concertSoldOut"]) == (True, False)
    last = harness.buy(client, concert, 1, "ben", concert["schedules"][1]["id"])
    assert (last["scheduleSoldOut"], last["concertSoldOut"]) == (True, True)
    return {**concert, "payment": last}


def millis(instant):
    return round(
        datetime.datetime.strptime(instant, INSTANT).replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)


def row_of(board, concert):
    return next(e for e in board["entries"] if e["concertId"] == concert["id"])


@pytest.mark.parametrize("window, pattern", [("daily", r"concert:soldout:ranking:daily:\d{8}"),
                                             ("weekly", r"concert:soldout:ranking:weekly:\d{4}-W\d\d"),
                                             ("monthly", r"concert:soldout:ranking:monthly:\d{6}"),
                                             ("all", r"concert:soldout:ranking:all")])
def test_a_sell_out_is_in_every_window_at_once(client, sold, window, pattern):
    answer = client.get(f"/api/v1/rankings/soldout?window={window}&topN=1000")
    assert answer.status == 200
    assert answer.json["window"] == window and re.fullmatch(pattern, answer.json["key"])
    row = row_of(answer.json, sold)
    assert set(row) >= {
        "rank", "concertId", "title", "artist", "venue", "bookingOpenAt", "soldOutAt", "durationMillis",
        "durationSeconds", "duration"
    }


def test_the_duration_is_exact_to_the_millisecond(client, sold):
    row = row_of(client.get("/api/v1/rankings/soldout?window=all&topN=1000").json, sold)
    assert row["soldOutAt"] == sold["payment"]["paidAt"]
    assert row["durationMillis"] == millis(row["soldOutAt"]) - millis(row["bookingOpenAt"])
    assert row["durationSeconds"] == row["durationMillis"] // 1000


def test_the_concert_carries_its_rank(client, sold):
    concert = client.get(f"/api/v1/concerts/{sold['id']}").json
    assert concert["status"] == "SOLD_OUT" and concert["soldOutAt"] == sold["payment"]["paidAt"]
    assert set(concert["ranking"]) == {"daily", "weekly", "monthly", "all"}
    assert all(rank >= 1 for rank in concert["ranking"].values())
    alone = client.get(f"/api/v1/rankings/soldout/concerts/{sold['id']}?window=all")
    assert alone.status == 200 and alone.json["rank"] == concert["ranking"]["all"]


def test_a_concert_that_is_not_sold_out_has_no_rank(admin, client):
    concert = harness.create_concert(admin)
    answer = client.get(f"/api/v1/rankings/soldout/concerts/{concert['id']}?window=all")
    assert (answer.status, answer.code) == (404, "not-ranked")


def test_the_composite_board_has_the_score_as_a_decimal_string(client, sold):
    answer = client.get("/api/v1/rankings/soldout/top?topN=100")
    row = row_of(answer.json, sold)
    opened = millis(row["bookingOpenAt"]) // 1000
    seconds = str(row["durationSeconds"]) if row["durationSeconds"] else ""
    assert row["score"] == f"{seconds}98{opened}"


def test_dates_have_their_own_boards(client, sold):
    answer = client.get("/api/v1/rankings/soldout/schedules?window=monthly&topN=1000")
    ids = [e["scheduleId"] for e in answer.json["entries"]]
    assert {s["id"] for s in sold["schedules"]} <= set(ids)
    today = datetime.datetime.now(SEOUL)
    listed = client.get(f"/api/v1/concerts/rankings/soldout?year={today.year}&month={today.month}&topN=1000")
    assert isinstance(listed.json, list)
    assert set(listed.json[0]) == {"ranking", "scheduleId", "concertDate"}
    assert [row["scheduleId"] for row in listed.json] == ids
    assert client.get("/api/v1/concerts/rankings/soldout").json[:10] == listed.json[:10]


def test_progress_counts_reserved_seats_and_subtracts_returned_ones(admin, client):
    body = harness.concert_body(seats=4)
    body["schedules"][0]["concertDate"] = "2031-01-02"
    concert = admin.post("/api/v1/concerts", body).json
    admin.post(f"/api/v1/concerts/{concert['id']}/open")

    def reserved():
        rows = client.get("/api/v1/rankings/progress?by=date&topN=1000").json["entries"]
        return {row["concertDate"]: row["reserved"] for row in rows}.get("2031-01-02", 0)

    token = harness.enter(client, concert["id"], "ann")
    held = harness.hold(client, concert["schedules"][0]["id"], [1, 2], "ann", token).json
    assert reserved() == 2
    listed = client.get("/concerts/ranking?topN=1000").json
    assert {"ranking", "concertDate", "reservations"} == set(listed[0])
    assert [r["reservations"] for r in listed if r["concertDate"] == "2031-01-02"] == [2]
    client.call("DELETE", f"/api/v1/reservations/{held['reservationId']}", headers={"X-User-Id": "ann"})
    assert reserved() == 0


@pytest.mark.parametrize(
    "query",
    ["topN=0", "topN=1001", "topN=-1", "topN=x", "topN=", "window=hourly", "at=2025-02-30", "at=yesterday"])
def test_bad_ranking_query_is_refused_with_the_field(client, query):
    answer = client.get(f"/api/v1/rankings/soldout?{query}")
    assert (answer.status, answer.code) == (400, "invalid-field")
    assert query.split("=")[0] in answer.text


def test_first_sell_out_stands_after_a_refund(admin, client):
    concert = harness.create_concert(admin, seats=1)
    token = harness.enter(client, concert["id"], "ann")
    held = harness.hold(client, concert["schedules"][0]["id"], [1], "ann", token).json
    assert harness.pay(client, held, "ann").json["concertSoldOut"] is True
    before = row_of(client.get("/api/v1/rankings/soldout?window=all&topN=1000").json, concert)
    client.call("DELETE", f"/api/v1/reservations/{held['reservationId']}", headers={"X-User-Id": "ann"})
    harness.buy_returned(client, concert, 1, "ben")
    after = client.get("/api/v1/rankings/soldout?window=all&topN=1000").json
    assert [e["soldOutAt"] for e in after["entries"]
            if e["concertId"] == concert["id"]] == [before["soldOutAt"]]


def test_two_concerts_of_the_same_name_are_two_rows(admin, client):
    twins = [harness.create_concert(admin, seats=1) for _ in range(2)]
    for twin in twins:
        harness.buy(client, twin, 1, "ann")
    rows = client.get("/api/v1/rankings/soldout?window=all&topN=1000").json["entries"]
    assert len([r for r in rows if r["concertId"] in {t["id"] for t in twins}]) == 2


def test_concurrent_payments_all_succeed(server, admin, client):
    concert = harness.create_concert(admin, seats=24)
    answers, ready = [], threading.Barrier(24)

    def pay(seat):
        own, user = server.client(), f"fan-{seat}"
        token = harness.enter(own, concert["id"], user)
        held = harness.hold(own, concert["schedules"][0]["id"], [seat], user, token).json
        ready.wait()
        answers.append(harness.pay(own, held, user))

    threads = [threading.Thread(target=pay, args=(seat,)) for seat in range(1, 25)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [a.status for a in answers] == [200] * 24
    assert sum(a.json["concertSoldOut"] for a in answers) == 1
    assert row_of(client.get("/api/v1/rankings/soldout?window=all&topN=1000").json, concert)["rank"] >= 1

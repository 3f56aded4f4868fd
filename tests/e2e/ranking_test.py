"""The rankings over HTTP: imported history on every board, caches, refusals, the stream, the operator's
calls."""
import concurrent.futures
import contextlib
import json
import re
import socket
import sqlite3

import harness
import pytest

DAY = "2025-10-31"


def sold_out(number, millis, **more):
    opening = f"2025-10-31T10:{number % 60:02}:00.000+09:00"
    end = f"2025-10-31T01:{number % 60:02}:{millis // 1000:02}.{millis % 1000:03}Z"
    return {
        "concertId": number, "title": f"콘서트 {number}", "artist": "가수", "venue": "홀", "bookingOpenAt": opening,
        "soldOutAt": end, "schedules": [{"id": number * 10, "concertDate": "2025-12-24", "seats": 50}], **more
    }


def ndjson(rows):
    return "\n".join(json.dumps(row, ensure_ascii=False) if isinstance(row, dict) else row for row in rows)


@pytest.fixture(name="server", scope="module")
def running_server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("ranking") / "data") as server:
        yield server


@pytest.fixture(name="imported", scope="module")
def with_history(server):
    rows = [
        sold_out(1, 300),
        sold_out(2, 100),
        sold_out(3, 5000), "{broken", "",
        sold_out(4, 1000, colour="red"),
        sold_out(5, 1000, soldOutAt="2025-10-31T00:00:00Z"),
        sold_out(6, 1000, soldOutAt="2999-01-01T00:00:00Z"),
        sold_out(1, 300), "x" * 2_000_000
    ]
    answer = server.admin().post("/api/v1/admin/soldouts", ndjson(rows),
                                 {"Content-Type": "application/x-ndjson"})
    assert answer.status == 200
    return answer.json


def test_import_reports_the_result_of_each_row(imported):
    assert (imported["imported"], imported["skipped"]) == (3, 1)
    assert [(r["line"], r["code"]) for r in imported["rejected"]] == [
        (4, "invalid-json"), (6, "invalid-field"), (7, "sold-out-before-opening"), (8, "sold-out-in-future"),
        (10, "payload-too-large")]
    assert imported["rejected"][1]["field"] == "colour"


def test_an_import_needs_the_admin_key(server):
    assert server.client().post("/api/v1/admin/soldouts", "{}").status == 401


def test_array_is_imported_like_ndjson(server, imported):
    rows = [sold_out(11, 50, soldOutAt="2024-01-01T00:00:00.050Z", bookingOpenAt="2024-01-01T00:00:00Z"),
            {"title": "]},{"}, sold_out(1, 300)]
    answer = server.admin().post("/api/v1/admin/soldouts", json.dumps(rows, indent=1))
    assert answer.json["imported"] == 1 and answer.json["skipped"] == 1
    assert [(r["line"], r["code"]) for r in answer.json["rejected"]] == [(2, "invalid-field")]


@pytest.mark.parametrize("window, key", [("daily", "concert:soldout:ranking:daily:20251031"),
                                         ("weekly", "concert:soldout:ranking:weekly:2025-W44"),
                                         ("monthly", "concert:soldout:ranking:monthly:202510")])
def test_each_window_ranks_by_the_millisecond(server, imported, window, key):
    answer = server.client().get(f"/api/v1/rankings/soldout?window={window}&at={DAY}&topN=10")
    assert answer.status == 200
    board = answer.json
    assert board["window"] == window and board["key"] == key
    assert [(e["rank"], e["concertId"], e["durationMillis"]) for e in board["entries"]] == [
        (1, 2, 100), (2, 1, 300), (3, 3, 5000)]
    assert board["entries"][0] == {
        "rank": 1, "concertId": 2, "title": "콘서트 2", "artist": "가수", "venue": "홀", "dates": 1,
        "bookingOpenAt": "2025-10-31T01:02:00.000Z", "soldOutAt": "2025-10-31T01:02:00.100Z",
        "durationMillis": 100, "durationSeconds": 0, "duration": "0.1s"
    }


def test_durations_are_read_in_korean(server, imported):
    board = server.client().get(f"/api/v1/rankings/soldout?at={DAY}", **{"Accept-Language": "ko"}).json
    assert [e["duration"] for e in board["entries"]] == ["0.1초", "0.3초", "5초"]


def test_the_composite_board_ranks_by_the_second_and_shows_its_score(server, imported):
    board = server.client().get("/api/v1/rankings/soldout/top").json
    assert board["key"] == "concertSoldOutRank"
    ids = [e["concertId"] for e in board["entries"]]
    assert ids.index(1) < ids.index(2) < ids.index(3)  # 0 seconds both; the earlier opening first
    assert {e["concertId"]: e["score"] for e in board["entries"]}[3] == "5991761872580"


def test_rank_of_one_concert_with_its_neighbours(server, imported):
    answer = server.client().get("/api/v1/rankings/soldout/concerts/1?window=daily&around=1").json
    assert answer["rank"] == 2 and answer["concertId"] == 1
    assert [e["rank"] for e in answer["around"]] == [1, 2, 3]
    assert server.client().get("/api/v1/rankings/soldout/concerts/77").code == "not-ranked"
    assert server.client().get("/api/v1/rankings/soldout/concerts/x").code == "invalid-field"
    assert server.client().get("/api/v1/rankings/soldout/concerts/1?at=2025-11-01").code == "not-ranked"


def test_schedules_are_ranked_by_the_second(server, imported):
    board = server.client().get(f"/api/v1/rankings/soldout/schedules?window=monthly&at={DAY}").json
    assert board["key"] == "ranking:soldout-time:202510"
    assert [(e["rank"], e["scheduleId"], e["concertDate"]) for e in board["entries"]] == [
        (1, 10, "2025-12-24"), (2, 20, "2025-12-24"), (3, 30, "2025-12-24")]
    assert server.client().get("/api/v1/rankings/soldout/schedules?window=all").code == "invalid-field"


def test_monthly_schedules_as_a_plain_array(server, imported):
    rows = server.client().get("/api/v1/concerts/rankings/soldout?year=2025&month=10&topN=2").json
    assert rows == [{"ranking": 1, "scheduleId": 10, "concertDate": "2025-12-24"},
                    {"ranking": 2, "scheduleId": 20, "concertDate": "2025-12-24"}]
    assert server.client().get("/api/v1/concerts/rankings/soldout").json == []


@pytest.mark.parametrize("query", [
    "topN=0", "topN=1001", "topN=-1", "topN=ten", "topN=", "topN=1e3", "window=yearly", "at=2025-02-30",
    "at=today", "from=0", "topN=99999999999999999999"
])
def test_invalid_ranking_queries_are_refused_with_their_code(server, query):
    answer = server.client().get(f"/api/v1/rankings/soldout?{query}")
    assert answer.status == 400 and answer.code == "invalid-field"
    assert query.split("=")[0] in answer.text


def test_pages_continue_where_the_last_one_ended(server, imported):
    page = server.client().get(f"/api/v1/rankings/soldout?at={DAY}&from=2&topN=1").json
    assert page["total"] == 3
    assert [(e["rank"], e["concertId"]) for e in page["entries"]] == [(2, 1)]


def test_an_unchanged_board_is_not_sent_twice(server, imported):
    path = f"/api/v1/rankings/soldout?at={DAY}&topN=3"
    first = server.client().get(path)
    assert first.headers["cache-control"] == "public, max-age=1"
    again = server.client().get(path, **{"If-None-Match": first.headers["etag"]})
    assert (again.status, again.text) == (304, "")
    assert server.client().get(path, **{"If-None-Match": '"other"'}).text == first.text


def test_a_new_sell_out_shows_in_the_very_next_read(server, imported):
    client, admin = server.client(), server.admin()
    path = "/api/v1/rankings/soldout?window=daily&at=2025-06-01&topN=1"
    for number in range(20):
        row = sold_out(900 + number, 0, bookingOpenAt="2025-06-01T00:00:00Z",
                       soldOutAt=f"2025-06-01T00:00:{59 - number:02}Z")
        assert admin.post("/api/v1/admin/soldouts", ndjson([row])).json["imported"] == 1
        assert client.get(path).json["entries"][0]["concertId"] == 900 + number


def test_progress_without_reservations_is_empty(server):
    client = server.client()
    assert client.get("/concerts/ranking").json == []
    assert client.get("/api/v1/rankings/progress").json["entries"] == []
    assert client.get("/api/v1/rankings/progress?by=schedule").json["key"] == "ranking:soldout:schedule"
    assert client.get("/api/v1/rankings/progress/2025-12-24").code == "not-ranked"
    assert client.get("/api/v1/rankings/progress/x").code == "invalid-field"
    assert client.get("/api/v1/rankings/progress?window=monthly").code == "invalid-field"
    assert client.get("/api/v1/rankings/progress?by=seat").code == "invalid-field"


def test_the_operator_rebuilds_reconciles_and_prunes(server, imported):
    client, admin = server.client(), server.admin()
    before = client.get(f"/api/v1/rankings/soldout?window=monthly&at={DAY}&topN=1000").text
    assert admin.post("/api/v1/admin/rankings/rebuild").json == {"rebuilt": True}
    assert client.get(f"/api/v1/rankings/soldout?window=monthly&at={DAY}&topN=1000").text == before
    assert admin.post("/api/v1/admin/rankings/reconcile").json["drift"] == 0
    assert admin.post("/api/v1/admin/rankings/prune", {"before": "soon"}).code == "invalid-field"
    assert admin.post("/api/v1/admin/rankings/prune", {"before": "2024-02"}).json == {"boards": 1, "rows": 1}
    assert client.get("/api/v1/concerts/rankings/soldout?year=2024&month=1").json[0]["scheduleId"] == 110
    assert client.post("/api/v1/admin/rankings/rebuild").status == 401


def drift(server):
    metrics = server.admin().get("/metrics").text
    return float(re.search(r"^maejin_ranking_drift_total (\S+)$", metrics, re.M).group(1))


def test_the_scheduled_comparison_counts_and_repairs_drift(tmp_path):
    with harness.Server(tmp_path / "data", env={"MAEJIN_RANKINGS_RECONCILE_SECONDS": "1"}) as server:
        client, admin = server.client(), server.admin()
        assert admin.post("/api/v1/admin/soldouts", ndjson([sold_out(1, 300),
                                                            sold_out(2, 100)])).json["imported"] == 2
        concert = harness.create_concert(admin, seats=5, room="none")
        hold = {"scheduleId": concert["schedules"][0]["id"], "seats": [1, 2], "userId": "fan"}
        assert client.post("/api/v1/reservations", hold).status == 201
        assert drift(server) == 0
        with contextlib.closing(sqlite3.connect(server.data / "maejin.db", timeout=20)) as database, database:
            database.execute("UPDATE sold_out_concerts SET title = 'A' WHERE concert_id = 1")
        harness.until(lambda: drift(server) == 1)
        entries = client.get(f"/api/v1/rankings/soldout?at={DAY}").json["entries"]
        assert [entry["title"] for entry in entries] == ["콘서트 2", "A"]
        with contextlib.closing(sqlite3.connect(server.data / "maejin.db", timeout=20)) as database, database:
            database.execute("UPDATE reservations SET status = 'CANCELLED'")
        harness.until(lambda: drift(server) == 5)  # by date, day, week and schedule
        assert client.get("/concerts/ranking").json == []


def test_rankings_survive_a_kill(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        rows = ndjson([sold_out(1, 300), sold_out(2, 100)])
        assert server.admin().post("/api/v1/admin/soldouts", rows).json["imported"] == 2
        before = server.client().get("/api/v1/rankings/soldout?window=all").text
        server.kill()
    with harness.Server(tmp_path / "data") as server:
        assert server.client().get("/api/v1/rankings/soldout?window=all").text == before


CSV = """title,artist,venue,bookingOpenAt,soldOutAt,concertDate,seats,concertId
"둘, 셋",가수,홀,2025-10-31T10:00:00+09:00,2025-10-31T10:05:00+09:00,2025-12-24,50,1
"둘, 셋",가수,홀,2025-10-31T10:00:00+09:00,2025-10-31T10:05:00+09:00,2025-12-25,50,1

하나,가수,홀,2025-10-31T10:00:00+09:00,2025-10-31T10:05:00+09:00,2025-12-26,many,2
셋,가수,홀,2025-10-31T10:00:00+09:00,2025-10-31T10:04:00+09:00,2025-12-26,50,
"""


def test_the_command_line_imports_and_exports_with_a_server_and_without(tmp_path):
    data, file = tmp_path / "data", tmp_path / "history.csv"
    file.write_text(CSV, encoding="utf-8")
    harness.Server(data).stop()
    code, out, _ = harness.run("import", "soldouts", file, "--data", data)
    assert code == 1
    assert "line 5: invalid-field (schedules[0].seats" in out
    assert "2 imported, 0 already known, 1 rejected" in out
    with harness.Server(data):
        code, out, _ = harness.run("import", "soldouts", file, "--data", data, "--json")
        assert (json.loads(out)["imported"], json.loads(out)["skipped"]) == (0, 2)
        code, with_server, _ = harness.run("rankings", "export", "--data", data)
        assert code == 0
        assert harness.run("rankings", "rebuild", "--data", data)[0] == 0
        assert harness.run("rankings", "export", "--data", data)[1] == with_server
    rows = [json.loads(line) for line in with_server.splitlines()]
    assert [(row["rank"], row["title"], row["dates"]) for row in rows] == [(1, "셋", 1), (2, "둘, 셋", 2)]
    assert harness.run("rankings", "export", "--data", data)[1] == with_server
    code, out, _ = harness.run("rankings", "export", "--board", "schedules", "--at", DAY, "--format", "csv",
                               "--data", data)
    assert code == 0 and len(out.splitlines()) == 4
    assert out.startswith("rank,scheduleId,concertId,title,artist,venue,concertDate,")
    code, out, _ = harness.run("rankings", "prune", "--before", "2025-11", "--data", data)
    assert code == 0 and out.startswith("dropped 1 boards with 3 rows")


def test_rankings_command_refuses_with_a_message(tmp_path):
    file = tmp_path / "history.csv"
    file.write_text("title,colour\n", encoding="utf-8")
    code, _, err = harness.run("import", "soldouts", file, "--data", tmp_path / "data")
    assert code == 1 and 'unknown column "colour"' in err
    assert harness.run("import", "soldouts", tmp_path / "none", "--data", tmp_path / "data")[0] == 1
    harness.Server(tmp_path / "data").stop()
    for words in (["prune", "--before", "soon"], ["export", "--window",
                                                  "hourly"], ["export", "--at", "today"]):
        code, _, err = harness.run("rankings", *words, "--data", tmp_path / "data")
        assert code == 2 and f"{words[1][2:]}: must be" in err


def test_a_hundred_reservations_at_once_count_a_hundred_and_expire_to_none(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        concert = harness.create_concert(server.admin(), seats=100, room="none", holdSeconds=15)
        schedule, date = concert["schedules"][0]["id"], concert["schedules"][0]["concertDate"]

        def hold(seat):
            body = {"scheduleId": schedule, "seats": [seat], "userId": f"fan-{seat}"}
            return server.client().post("/api/v1/reservations", body).status

        with concurrent.futures.ThreadPoolExecutor(20) as crowd:
            assert list(crowd.map(hold, range(1, 101))) == [201] * 100
        client = server.client()
        assert client.get("/concerts/ranking").json == [{
            "ranking": 1, "concertDate": date, "reservations": 100
        }]
        assert client.get(f"/api/v1/rankings/progress/{date}").json == {
            "rank": 1, "concertDate": date, "reserved": 100, "totalSeats": 100, "percent": 100.0
        }
        by_schedule = client.get("/api/v1/rankings/progress?by=schedule").json["entries"]
        wanted = {"rank": 1, "scheduleId": schedule, "concertDate": date, "reserved": 100, "percent": 100.0}
        assert [{name: row[name] for name in wanted} for row in by_schedule] == [wanted]
        _, table, _ = harness.run("rankings", "export", "--board", "progress", "--format", "csv", "--data",
                                  server.data)
        assert table.splitlines()[1].endswith(",100.0"), table
        server.kill()
    with harness.Server(tmp_path / "data") as server:
        client = server.client()
        harness.until(lambda: client.get("/concerts/ranking").json == [])


def test_the_first_sell_out_stands_after_a_refund_and_a_second_one(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        client, admin = server.client(), server.admin()
        concert = harness.create_concert(admin, seats=1)
        paid = harness.buy(client, concert, 1, "first")
        assert paid["concertSoldOut"]
        boards = [
            "/api/v1/rankings/soldout?window=" + window for window in ("daily", "weekly", "monthly", "all")
        ] + ["/api/v1/rankings/soldout/top", "/api/v1/rankings/soldout/schedules?window=monthly"]
        before = [client.get(board).json["entries"] for board in boards]
        assert all(len(entries) == 1 for entries in before)
        assert before[0][0]["soldOutAt"] == paid["paidAt"]
        assert client.get(f"/api/v1/concerts/{concert['id']}").json["ranking"] == {
            "daily": 1, "weekly": 1, "monthly": 1, "all": 1}
        answer = client.call("DELETE", f"/api/v1/reservations/{paid['reservationId']}",
                             headers={"X-User-Id": "first"})
        assert answer.status == 200, answer
        harness.buy_returned(client, concert, 1, "second")
        assert [client.get(board).json["entries"] for board in boards] == before


def test_imported_ids_are_never_given_to_concerts_of_the_server(server, imported):
    admin = server.admin()
    ours = harness.create_concert(admin, opened=False)
    assert 11 < ours["id"] < 2**52
    assert admin.post("/api/v1/admin/soldouts", ndjson([sold_out(ours["id"], 100)])).json["skipped"] == 1
    assert admin.post("/api/v1/admin/soldouts", ndjson([sold_out(5000, 100)])).json["imported"] == 1
    assert harness.create_concert(admin, opened=False)["id"] == 5001


def test_stream_sends_every_sell_out(server, imported):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as listener:
        listener.sendall(b"GET /api/v1/rankings/stream HTTP/1.1\r\nHost: x\r\n\r\n")
        heard = listener.recv(4096)
        concert = harness.create_concert(server.admin(), seats=1)
        harness.buy(server.client(), concert, 1, "listener")
        while heard.count(b"event: soldout") < 2:
            heard += listener.recv(4096)
    events = [
        json.loads(line[6:]) for line in heard.decode().splitlines() if line.startswith("data: {\"kind\"")
    ]
    assert [event["kind"] for event in events] == ["schedule", "concert"]
    assert events[1]["concertId"] == concert["id"] and events[1]["ranks"]["daily"] >= 1

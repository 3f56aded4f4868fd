"""What should not be public is not, in all three modes: unlisted and unranked concerts, cancelled ones, wrong
imports, and rehearsals."""
import contextlib

import pytest

import back_ends
import harness
from harness import buy, concert_body, until

WINDOWS = ("daily", "weekly", "monthly", "all")
PUBLIC = (["/api/v1/concerts", "/api/v1/rankings/soldout/top?topN=100", "/concerts/ranking?topN=10",
           "/api/v1/rankings/progress?by=date&topN=100", "/api/v1/rankings/progress?by=schedule&topN=100"]
          + [f"/api/v1/rankings/soldout?window={window}&topN=100" for window in WINDOWS]
          + [f"/api/v1/rankings/soldout/schedules?window={window}&topN=100" for window in WINDOWS[:3]])


@pytest.fixture(scope="module", params=back_ends.NAMES)
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(request.param, folder, parts)
        yield parts.enter_context(harness.Server(folder / "data", *flags))


def create(admin, **fields):
    created = admin.post("/api/v1/concerts", concert_body(**fields))
    assert created.status == 201, created
    assert admin.post(f"/api/v1/concerts/{created.json['id']}/open").status == 200
    return created.json


def ranked(client, concert):
    """The boards that have the concert."""
    number = concert["id"] if isinstance(concert, dict) else concert
    return {window for window in WINDOWS
            if client.get(f"/api/v1/rankings/soldout/concerts/{number}?window={window}").status == 200}


def public(client):
    pages = {path: client.get(path) for path in PUBLIC}
    assert {page.status for page in pages.values()} == {200}
    return {path: page.text for path, page in pages.items()}


def test_unlisted_concert_is_in_no_list(admin, client):
    concert = create(admin, listed=False)
    listed = {each["id"] for each in client.get("/api/v1/concerts?limit=1000").json["concerts"]}
    assert concert["id"] not in listed
    assert client.get(f"/api/v1/concerts/{concert['id']}").json["listed"] is False
    listed = {each["id"] for each in admin.get("/api/v1/admin/concerts?limit=1000").json["concerts"]}
    assert concert["id"] in listed, "operators see it"
    assert admin.call("PATCH", f"/api/v1/concerts/{concert['id']}", {"listed": True}).status == 200
    listed = {each["id"] for each in client.get("/api/v1/concerts?limit=1000").json["concerts"]}
    assert concert["id"] in listed


def test_unranked_concert_is_on_no_board_until_it_is_ranked(admin, client):
    before = public(client)
    concert = create(admin, seats=1, listed=False, ranked=False)
    buy(client, concert, 1, "only")
    shown = client.get(f"/api/v1/concerts/{concert['id']}").json
    assert (shown["status"], shown["ranking"]) == ("SOLD_OUT", None) and shown["soldOutAt"]
    assert public(client) == before
    path = f"/api/v1/concerts/{concert['id']}"
    assert admin.call("PATCH", path, {"ranked": True}).status == 200
    until(lambda: ranked(client, concert) == set(WINDOWS), 30)
    until(lambda: client.get(path).json["ranking"] is not None, 30)
    assert admin.call("PATCH", path, {"ranked": False}).status == 200
    until(lambda: public(client) == before, 30)
    assert admin.post("/api/v1/admin/rankings/rebuild").status == 200
    assert public(client) == before


def test_cancelled_concert_leaves_every_board(admin, client):
    before = public(client)
    concert = create(admin, seats=1, listed=False)
    buy(client, concert, 1, "only")
    until(lambda: ranked(client, concert) == set(WINDOWS), 30)
    assert admin.post(f"/api/v1/concerts/{concert['id']}/cancel").status == 200
    until(lambda: public(client) == before, 30)
    assert admin.post("/api/v1/admin/rankings/rebuild").status == 200
    assert public(client) == before


def test_wrong_import_is_removed_and_corrected(admin, client):
    before = public(client)
    row = {"concertId": 4711, "title": "Wrong", "artist": "A", "venue": "V",
           "bookingOpenAt": "2025-10-31T10:00:00Z", "soldOutAt": "2025-10-31T10:00:01Z",
           "schedules": [{"id": 47110, "concertDate": "2025-12-24", "seats": 5}]}
    assert admin.post("/api/v1/admin/soldouts", [row]).json["imported"] == 1
    path = "/api/v1/admin/soldouts/4711"
    assert client.call("DELETE", path).status == 401
    assert admin.call("DELETE", path).status == 204
    until(lambda: public(client) == before, 30)
    again = admin.post("/api/v1/admin/soldouts", [row])
    assert again.json["skipped"] == 1, "what was removed is not imported again"
    assert admin.post("/api/v1/admin/rankings/rebuild").status == 200
    assert public(client) == before
    assert admin.call("DELETE", "/api/v1/admin/soldouts/987654").code == "not-ranked"
    right = {**row, "title": "Right", "soldOutAt": "2025-10-31T10:05:00Z"}
    assert admin.call("PUT", path, {**right, "soldOutAt": "2025-10-30T10:00:00Z"}).status == 400
    assert admin.call("PUT", path, right).status == 200
    until(lambda: ranked(client, 4711) == set(WINDOWS), 30)
    entry = client.get("/api/v1/rankings/soldout/concerts/4711?window=all").json
    assert (entry["title"], entry["durationMillis"]) == ("Right", 300_000)
    assert admin.post("/api/v1/admin/rankings/rebuild").status == 200
    assert client.get("/api/v1/rankings/soldout/concerts/4711?window=all").json["title"] == "Right"
    assert admin.call("DELETE", path).status == 204
    until(lambda: public(client) == before, 30)
    actions = [each["action"] for each in admin.get("/api/v1/admin/audit?limit=100").json["entries"]]
    assert actions.count("soldout.remove") == 2 and "soldout.correct" in actions


def test_correction_takes_no_date_of_another_concert(admin, client):
    own = create(admin, seats=1)
    dates = {"concertDate": "2025-12-24", "seats": 5}
    row = {"title": "Past", "artist": "A", "venue": "V", "bookingOpenAt": "2025-10-31T10:00:00Z",
           "soldOutAt": "2025-10-31T10:00:01Z"}
    rows = [{**row, "concertId": 9000 + i, "schedules": [{**dates, "id": 90000 + i}]} for i in (1, 2)]
    assert admin.post("/api/v1/admin/soldouts", rows).json["imported"] == 2
    board = "/api/v1/rankings/soldout/schedules?window=monthly&at=2025-10-31&topN=1000"
    before = until(lambda: (found := client.get(board).json["entries"]) and len(found) >= 2 and found, 30)
    for taken in (90002, own["schedules"][0]["id"]):
        wrong = {**rows[0], "schedules": [{**dates, "id": taken}]}
        refused = admin.call("PUT", "/api/v1/admin/soldouts/9001", wrong)
        assert (refused.status, refused.code) == (400, "invalid-field"), refused
        assert refused.json["field"] == "schedules", refused
    assert admin.call("PUT", "/api/v1/admin/soldouts/9001", rows[0]).status == 200
    until(lambda: client.get(board).json["entries"] == before, 30)
    for concert in (9001, 9002):
        assert admin.call("DELETE", f"/api/v1/admin/soldouts/{concert}").status == 204


def test_rehearsal_leaves_no_public_trace(admin, client, server):
    on_sale = create(admin, seats=3)
    buy(client, on_sale, 1, "first")
    until(lambda: str(on_sale["schedules"][0]["id"]) in public(client)[PUBLIC[4]], 30)
    before = public(client)
    code, out, err = harness.run("rehearse", "--url", f"http://127.0.0.1:{server.port}", "--admin-key-file",
                                 server.data / "admin.key", "--fans", 6, "--seats", 4, "--opens-in", 0,
                                 "--arrive-within", 0, "--think-ms", 0, "--hold-seconds", 1)
    assert code == 0, out + err
    until(lambda: public(client) == before, 30)
    # The same, started by an operator's call. The buyer's slot is still occupied.
    plan = {"fans": 6, "seats": 4, "opensInSeconds": 0, "arriveWithinSeconds": 0, "thinkMs": 0,
            "holdSeconds": 1}
    assert admin.post("/api/v1/admin/rehearsals", {**plan, "duringSale": True}).status == 202
    current = "/api/v1/admin/rehearsals/current"
    done = until(lambda: (now := admin.get(current).json)["endedAt"] and now, 120)
    assert done["state"] == "finished" and done["report"]["verdict"] == "passed", done
    until(lambda: public(client) == before, 30)
    actions = [row["action"] for row in admin.get("/api/v1/admin/audit?limit=100").json["entries"]]
    assert {"rehearsal.start", "rehearsal.end"} <= set(actions)

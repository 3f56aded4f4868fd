"""Seat plans: dates with their sections, rows and special seats, from a file of any length."""
import json

import harness
import pytest

HALL = {
    "concertDate": "2099-05-01",
    "startsAt": "2099-05-01T10:00:00.000Z",
    "sections": [
        {"name": "R", "price": 99000, "rowLengths": [3, 5], "blocked": [{"row": 2, "seats": [1, 5]}],
         "wheelchair": [{"row": 1, "seats": [2]}]},
        {"name": "S", "rows": 2, "seatsPerRow": 4, "wheelchair": [{"row": 2, "seats": [4]}]},
    ],
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("plans") / "data") as running:
        yield running


@pytest.fixture
def concert(server):
    return harness.create_concert(server.admin(), dates=0, room="none")["id"]


def load(server, concert, body):
    return server.admin().post(f"/api/v1/concerts/{concert}/schedules/import", body)


def dates(server, concert):
    return server.client().get(f"/api/v1/concerts/{concert}").json["schedules"]


def test_a_plan_has_sections_rows_prices_and_special_seats(server, concert):
    answer = load(server, concert, [HALL])
    assert answer.status == 201, answer
    date = answer.json["schedules"][0]
    assert (date["concertDate"], date["startsAt"]) == ("2099-05-01", "2099-05-01T10:00:00.000Z")
    assert date["totalSeats"] == 14, "sixteen, and two are blocked"
    compact = server.client().get(f"/api/v1/schedules/{date['id']}/seats?form=compact").json
    assert [(each["name"], each["price"], each["rows"]) for each in compact["sections"]] == [
        ("R", 99000, [3, 5]), ("S", 1000, [4, 4])]
    assert compact["states"] == "AAABAAAB" + "A" * 8
    assert compact["wheelchair"] == [2, 16]
    seats = server.client().get(f"/api/v1/schedules/{date['id']}/seats").json["seats"]
    assert seats[1] == {
        "number": 2, "section": "R", "row": 1, "status": "AVAILABLE", "price": 99000, "wheelchair": True
    }
    assert seats[12] == {"number": 13, "section": "S", "row": 2, "status": "AVAILABLE", "price": 1000}


@pytest.mark.parametrize("text", [
    lambda plan: json.dumps([plan, plan], indent=2),
    lambda plan: json.dumps(plan) + "\n" + json.dumps(plan),
    lambda plan: json.dumps(plan, indent=2) + "\n\n" + json.dumps(plan, indent=2) + "\n",
], ids=["array", "lines", "objects over lines"])
def test_a_file_is_an_array_or_one_date_after_the_other(server, concert, text):
    assert load(server, concert, text(HALL)).status == 201
    assert [each["totalSeats"] for each in dates(server, concert)] == [14, 14]


def test_plan_of_100000_seats_exceeds_the_body_limit_and_is_imported(server, concert):
    every_other = [{"row": row, "seats": list(range(1, 1001, 2))} for row in range(1, 101)]
    plan = {
        "concertDate": "2099-06-01",
        "sections": [{"name": "A", "rows": 100, "seatsPerRow": 1000, "blocked": every_other}]
    }
    text = json.dumps([plan])
    assert len(text) > 2 * 64 * 1024
    answer = load(server, concert, text)
    assert answer.status == 201, answer
    assert answer.json["schedules"][0]["totalSeats"] == 50_000
    with harness.Server(server.data.parent / "other") as other:
        assert load(other, 1, text).code == "concert-not-found"


def test_every_wrong_date_is_named_by_line_and_field_and_nothing_is_changed(server, concert):
    wrong = [
        HALL,
        {**HALL, "concertDate": "tomorrow"},
        {**HALL, "sections": [{"name": "R", "rowLengths": [3, 0]}]},
        {
            **HALL, "sections": [{
                "name": "R", "rows": 2, "seatsPerRow": 2, "blocked": [{"row": 3, "seats": [1]}]
            }]
        },
        {
            **HALL, "sections": [{
                "name": "R", "rows": 2, "seatsPerRow": 2, "blocked": [{"row": 2, "seats": [3]}]
            }]
        },
        {
            **HALL, "sections": [{"name": "R", "rows": 1, "seatsPerRow": 1},
                                 {"name": "R", "rows": 1, "seatsPerRow": 1}]
        },
        {**HALL, "sections": [{"name": "R", "rows": 1000, "seatsPerRow": 101}]},
        {**HALL, "sections": [{"name": "R", "rows": 1, "seatsPerRow": 1, "rowLengths": [1]}]},
        {**HALL, "blocked": [4, 4]},
        {**HALL, "colour": "red"},
    ]
    lines = [json.dumps(each) for each in wrong] + ['{"concertDate": ']
    expected = {
        2: "concertDate", 3: "sections[0].rowLengths", 4: "sections[0].blocked[0].row",
        5: "sections[0].blocked[0].seats", 6: "sections[1].name", 7: "sections", 8: "sections[0].rowLengths",
        9: "blocked", 10: "colour", 11: None
    }
    answer = load(server, concert, "\n".join(lines))
    assert (answer.status, answer.code) == (400, "invalid-field")
    assert {each["line"]: each.get("field") for each in answer.json["errors"]} == expected
    assert answer.json["errors"][-1]["code"] == "invalid-json"
    assert all(each["detail"] for each in answer.json["errors"])
    assert dates(server, concert) == []
    in_an_array = load(server, concert, "[" + ",".join(lines[:3]) + "]")
    assert [each["line"] for each in in_an_array.json["errors"]] == [2, 3]


def test_body_that_is_no_plan_changes_nothing(server, concert):
    for body in ["", " \n", "[]", "[" + json.dumps(HALL), "null"]:
        answer = load(server, concert, body)
        assert answer.status == 400, (body, answer)
    assert dates(server, concert) == []
    too_long = json.dumps([{**HALL, "blocked": [1] * 600_000}])
    answer = load(server, concert, too_long)
    assert (answer.status, answer.code) == (413, "payload-too-large")
    assert answer.json["errors"][0]["line"] == 1
    assert load(server, concert, json.dumps([HALL] * 1001)).code == "payload-too-large"
    assert dates(server, concert) == []


def test_plan_import_needs_admin_key_and_open_concert(server, concert):
    path = f"/api/v1/concerts/{concert}/schedules/import"
    assert server.client().post(path, [HALL]).status == 401
    assert load(server, 999_999, [HALL]).code == "concert-not-found"
    server.admin().post(f"/api/v1/concerts/{concert}/cancel")
    assert load(server, concert, [HALL]).code == "concert-cancelled"


def test_plan_survives_a_restart(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        concert = harness.create_concert(server.admin(), dates=0, room="none")["id"]
        date = load(server, concert, [HALL]).json["schedules"][0]["id"]
        before = server.client().get(f"/api/v1/schedules/{date}/seats").json["seats"]
    with harness.Server(tmp_path / "data") as server:
        assert server.client().get(f"/api/v1/schedules/{date}/seats").json["seats"] == before


def test_outlines_of_sections_are_kept_over_a_restart_and_odd_ones_are_refused(server, concert, tmp_path):
    shape = [0, 0, 400, 0, 400, 300]
    outlined = {"name": "R", "rows": 1, "seatsPerRow": 2, "shape": shape}
    plan = {"concertDate": "2099-05-01", "sections": [outlined, {"name": "S", "rows": 1, "seatsPerRow": 2}]}
    with harness.Server(tmp_path / "data") as first:
        made = harness.create_concert(first.admin(), dates=0, room="none")["id"]
        date = load(first, made, plan).json["schedules"][0]["id"]
    with harness.Server(tmp_path / "data") as again:
        sections = again.client().get(f"/api/v1/schedules/{date}/seats?form=compact").json["sections"]
        assert [each.get("shape") for each in sections] == [shape, None]
    for wrong in ([0, 0, 1, 1], [0] * 7, [0] * 202, [0, 0, 1, 0, 1, 10_001], [0, 0, 1, 0, 1, -1], "0,0"):
        answer = load(server, concert, {**plan, "sections": [{**plan["sections"][0], "shape": wrong}]})
        assert answer.json["errors"][0]["field"].startswith("sections[0].shape"), answer

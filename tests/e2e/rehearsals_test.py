"""An operator rehearses from the console: POST /api/v1/admin/rehearsals, GET and DELETE …/current."""
import os
import pathlib
import signal

import harness
import pytest
from harness import until

PATH = "/api/v1/admin/rehearsals"
CURRENT = PATH + "/current"
TINY = {"fans": 6, "seats": 4, "opensInSeconds": 0, "arriveWithinSeconds": 0, "thinkMs": 0, "holdSeconds": 1}
# Two fans at a time buy at most two seats each: it does not end by itself within a test.
LONG = {"fans": 30, "seats": 5000, "capacity": 2, "opensInSeconds": 0, "arriveWithinSeconds": 0}


@pytest.fixture(scope="module", name="server")
def fixture_server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("rehearsals") / "data") as running:
        yield running


def start(server, plan, **more):
    answer = server.admin().post(PATH, {**plan, **more})
    assert answer.status == 202, answer
    assert answer.json["state"] == "running" and answer.headers["location"] == CURRENT
    return answer.json


def current(server):
    return server.admin().get(CURRENT).json


def ended(server):
    return until(lambda: (now := current(server))["endedAt"] and now, 120)


def selling(server):
    """The rehearsal once it has sold a seat."""
    return until(lambda: (now := current(server))["progress"] and now["progress"]["sold"] > 0 and now, 120)


def child_of(server):
    """The process of the rehearsal."""
    pid = server.process.pid
    found = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        found += (task / "children").read_text(encoding="ascii").split()
    return int(found[0])


def is_gone(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


def test_rehearsal_is_reported_with_the_sale_report_and_audited(server):
    begun = start(server, TINY, dates=2)
    assert begun["plan"]["patienceSeconds"] == 300 and begun["plan"]["connections"] == 6
    done = ended(server)
    assert done["state"] == "finished" and done["reason"] is None, done
    report = done["report"]
    assert report["verdict"] == "passed" and (report["fans"], report["seats"], report["dates"]) == (6, 4, 2)
    sale = report["saleReport"]
    assert sale["bookings"]["seatsSold"] == 4 and sale["status"] == "SOLD_OUT", "not cancelled yet"
    assert sale["line"]["arrivals"] >= sale["line"]["admitted"] > 0
    concert = server.client().get(f"/api/v1/concerts/{report['concertId']}").json
    assert concert["status"] == "CANCELLED"
    rows = [row for row in server.admin().get("/api/v1/admin/audit").json["entries"]
            if row["subject"] == "rehearsal"]
    assert [row["action"] for row in rows] == ["rehearsal.end", "rehearsal.start"]
    assert rows[1]["actor"] == begun["startedBy"] == "admin" and '"fans":6' in rows[1]["detail"]


def test_second_rehearsal_is_refused_and_the_first_is_cancelled(server):
    begun = start(server, LONG)
    second = server.admin().post(PATH, TINY)
    assert (second.status, second.code) == (409, "rehearsal-running")
    seen = selling(server)
    assert seen["id"] == begun["id"] and seen["progress"]["phase"] == "sale" and seen["report"] is None
    concert = seen["progress"]["concertId"]
    child = child_of(server)
    for file in ("cmdline", "environ"):
        assert server.admin_key.encode() not in pathlib.Path(f"/proc/{child}/{file}").read_bytes()
    assert os.getpgid(child) == child and os.getpriority(os.PRIO_PROCESS, child) > os.getpriority(
        os.PRIO_PROCESS, server.process.pid)
    assert server.admin().call("DELETE", CURRENT).status == 204
    done = ended(server)
    assert done["state"] == "cancelled" and done["report"]["ended"] == "interrupted", done
    assert server.client().get(f"/api/v1/concerts/{concert}").json["status"] == "CANCELLED"
    assert server.client().get(f"/api/v1/rooms/{concert}/serving").json["state"] == "closed"
    assert server.admin().call("DELETE", CURRENT).status == 404
    assert is_gone(child)


@pytest.mark.parametrize("body, field", [
    ({}, "fans"),
    ({"fans": 0, "seats": 1}, "fans"),
    ({"fans": 50_001, "seats": 1}, "fans"),
    ({"fans": 1}, "seats"),
    ({"fans": 1, "seats": "many"}, "seats"),
    ({"fans": 1, "seats": 3, "dates": 2}, "seats"),
    ({"fans": 1, "seats": 1, "patienceSeconds": 0}, "patienceSeconds"),
    ({"fans": 1, "seats": 1, "duringSale": "yes"}, "duringSale"),
    ({"fans": 1, "seats": 1, "url": "http://127.0.0.1:1"}, "url"),
])
def test_invalid_rehearsal_is_refused_by_field(server, body, field):
    answer = server.admin().post(PATH, body)
    assert (answer.status, answer.code) == (400, "invalid-field") and answer.json["field"] == field, answer


def test_rehearsal_during_a_sale_needs_consent(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        assert server.admin().get(CURRENT).status == 204, "none yet"
        concert = harness.create_concert(server.admin(), seats=3)
        harness.join(server.client(), concert["id"], "ann")
        refused = server.admin().post(PATH, TINY)
        assert (refused.status, refused.code) == (409, "sale-running")
        assert f"room {concert['id']}: " in refused.json["detail"]
        korean = server.admin().call("POST", PATH, TINY, {"Accept-Language": "ko"})
        assert "대기" in korean.json["detail"]
        assert server.admin().get(CURRENT).status == 204, "nothing was started"
        start(server, TINY, duringSale=True)
        assert ended(server)["report"]["verdict"] == "passed"
        assert server.admin().post(f"/api/v1/concerts/{concert['id']}/cancel").status == 200
        start(server, TINY)
        assert ended(server)["state"] == "finished", "fans of a cancelled concert are no sale"


def test_rehearsal_with_real_money_is_refused(tmp_path):
    with harness.Server(tmp_path / "data", "--payment-provider", "callback") as server:
        refused = server.admin().post(PATH, TINY)
        assert (refused.status, refused.code) == (409, "real-money")
        assert server.admin().get("/api/v1/admin/concerts").json["concerts"] == []


def test_rehearsal_that_cannot_run_tells_its_reason(tmp_path):
    with harness.Server(tmp_path / "data", "--http-connections-per-address", 50) as server:
        start(server, TINY, connections=45)
        done = ended(server)
        assert done["state"] == "failed" and "http.connections-per-address" in done["reason"], done
        assert done["report"] is None and done["progress"] is None


def test_concert_of_a_killed_rehearsal_is_cancelled(server):
    start(server, LONG)
    concert = selling(server)["progress"]["concertId"]
    os.kill(child_of(server), signal.SIGKILL)
    done = ended(server)
    assert done["state"] == "failed" and done["reason"] and done["report"] is None, done
    assert server.client().get(f"/api/v1/concerts/{concert}").json["status"] == "CANCELLED"


def test_server_that_stops_ends_its_rehearsal_first(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        start(server, LONG)
        concert = selling(server)["progress"]["concertId"]
        child = child_of(server)
        assert server.stop(120) == 0
        assert is_gone(child)
    with harness.Server(tmp_path / "data") as server:
        assert server.client().get(f"/api/v1/concerts/{concert}").json["status"] == "CANCELLED"
        assert server.admin().get(CURRENT).status == 204, "a restart forgets the report"
        actions = [row["action"] for row in server.admin().get("/api/v1/admin/audit").json["entries"]]
        assert "rehearsal.end" in actions


def test_rehearsal_of_a_killed_server_ends(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        start(server, LONG)
        selling(server)
        child = child_of(server)
        server.kill()
        until(lambda: is_gone(child), 120)

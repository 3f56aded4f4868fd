"""The event feed: every transition once, in order, on every back end; long polls; `maejin events follow`."""
import contextlib
import json
import subprocess
import threading
import time

import back_ends
import harness
import openapi
import pytest

FEED = "/api/v1/admin/events"


@pytest.fixture(scope="module", params=back_ends.NAMES)
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"events-{request.param}")
    with contextlib.ExitStack() as parts:
        yield parts.enter_context(
            harness.Server(folder / "data", *back_ends.flags(request.param, folder, parts)))


def read(admin, after, types="", wait=5):
    answer = admin.get(f"{FEED}?after={after}&types={types}&wait={wait}&limit=1000")
    assert answer.status == 200, answer
    assert openapi.faults_of_answer(("GET", FEED), answer) == []
    return answer.json


def newest(admin):
    """The newest id, once the feed is quiet."""
    after = 0
    while (page := read(admin, after, wait=1))["events"]:
        after = page["next"]
    return after


def types_until(admin, after, last):
    """Types of the events after an id, up to the first of type `last`."""
    found = []
    while last not in found:
        page = read(admin, after)
        assert page["events"], found
        for event in page["events"]:
            assert event["id"] == after + 1, "ids have no gaps"
            after = event["id"]
            found.append(event["type"])
    return found


def test_sale_from_creation_to_sell_out_is_told_in_order(client, admin):
    start = newest(admin)
    concert = harness.create_concert(admin, seats=2, room="none")
    schedule = concert["schedules"][0]["id"]
    held = [
        client.post("/api/v1/reservations", {"scheduleId": schedule, "seats": [seat], "userId": "ann"}).json
        for seat in (1, 2)
    ]
    for each in held:
        path = f"/api/v1/reservations/{each['reservationId']}/payment"
        assert client.post(path, {"amount": each["amount"], "userId": "ann"}).status == 200
    told = types_until(admin, start, "concert.sold-out")
    expected = [
        "concert.created", "operator.action", "concert.opened", "operator.action", "reservation.held",
        "reservation.held", "reservation.confirmed", "reservation.confirmed", "schedule.sold-out",
        "concert.sold-out"
    ]
    assert [each for each in told if not each.startswith("room.")] == expected
    confirmed = [event for event in read(admin, start, "reservation.confirmed")["events"]]
    assert [event["data"]["seats"] for event in confirmed] == [[1], [2]]
    assert confirmed[0]["subject"] == f"reservation {held[0]['reservationId']}"
    assert confirmed[0]["data"]["userId"] == "ann"


def test_opening_by_time_and_the_end_of_a_hold_are_told(client, admin):
    start = newest(admin)
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
    concert = harness.create_concert(admin, opened=False, seats=2, room="none", bookingOpenAt=soon,
                                     holdSeconds=1)
    hold = {"scheduleId": concert["schedules"][0]["id"], "seats": [1], "userId": "ann"}
    harness.until(lambda: client.post("/api/v1/reservations", hold).status == 201)
    told = types_until(admin, start, "reservation.expired")
    assert told.count("concert.opened") == 1 and told.count("reservation.held") == 1, told


def test_filter_limit_and_cursor_narrow_a_page(admin):
    harness.create_concert(admin, seats=1, room="none")
    start = newest(admin) - 1
    harness.create_concert(admin, seats=1, room="none")
    newest(admin)
    page = admin.get(f"{FEED}?after={start}&types=operator.*&limit=1").json
    assert [event["type"]
            for event in page["events"]] == ["operator.action"] and page["next"] == page["events"][0]["id"]
    for query in ("after=x", "after=-1", "limit=0", "limit=1001", "wait=61", "types=nonsense",
                  "types=reservation"):
        assert admin.get(f"{FEED}?{query}").code == "invalid-field", query


def test_long_poll_ends_with_the_next_event_or_its_time(server, admin):
    after = newest(admin)
    begin = time.monotonic()
    assert read(admin, after, wait=1) == {"events": [], "next": after}
    assert time.monotonic() - begin >= 1
    pages = []
    waiter = threading.Thread(
        target=lambda: pages.append(read(server.admin(), after, "concert.created", wait=60)))
    waiter.start()
    harness.create_concert(admin, seats=1, room="none")
    waiter.join(60)
    assert [event["type"] for event in pages[0]["events"]] == ["concert.created"]


def test_feed_needs_the_admin_key(client):
    assert client.get(FEED).status == 401


def follow(server, *arguments, **more):
    return subprocess.run([
        harness.BINARY, "events", "follow", "--data",
        str(server.data), "--url", f"http://127.0.0.1:{server.port}", "--once", *map(str, arguments)
    ], capture_output=True, text=True, timeout=120, check=False, env=harness.clean_environment(), **more)


def test_follow_prints_resumes_and_retries_a_failing_command(server, admin, tmp_path):
    start = newest(admin)
    first = harness.create_concert(admin, opened=False, seats=1, room="none")["id"]
    newest(admin)
    cursor = ("--cursor", tmp_path / "cursor", "--types", "concert.*")
    printed = follow(server, "--after", start, *cursor)
    assert printed.returncode == 0, printed
    (event,) = map(json.loads, printed.stdout.splitlines())
    assert (event["type"], event["data"]["concertId"]) == ("concert.created", first)
    assert follow(server, *cursor).stdout == "", "it resumes after the last event"
    second = harness.create_concert(admin, opened=False, seats=1, room="none")["id"]
    newest(admin)
    command = f"cat >> {tmp_path}/seen; test -e {tmp_path}/failed || {{ touch {tmp_path}/failed; exit 1; }}"
    ran = follow(server, *cursor, "--exec", command)
    assert ran.returncode == 0 and "the command failed" in ran.stderr, ran
    seen = [json.loads(line) for line in (tmp_path / "seen").read_text(encoding="utf-8").splitlines()]
    assert [each["data"]["concertId"] for each in seen] == [second, second], "again until it succeeds"
    assert follow(server, *cursor, "--exec", "false").returncode == 0
    assert follow(server, "--types", "nonsense").returncode == 2


def test_every_documented_type_is_known_and_every_known_type_documented(admin):
    schemas = openapi.document()["components"]["schemas"]
    documented = {
        name for each in schemas["Event"]["oneOf"]
        for name in openapi.resolved(each)["properties"]["type"]["enum"]
    }
    for name in documented:
        assert admin.get(f"{FEED}?types={name}&limit=1").status == 200, name
    source = (harness.ROOT / "src/domain/event.cpp").read_text(encoding="utf-8")
    known = set(source.split("kTypes")[1].split("});")[0].replace('"', " ").replace(",", " ").split()) - {"="}
    assert documented == {name for name in known if "." in name}

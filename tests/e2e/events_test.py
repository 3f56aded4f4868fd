"""The event feed: every transition once, in order, on every back end; long polls; `maejin events follow`."""
import contextlib
import datetime
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
        flags = back_ends.flags(request.param, folder, parts)
        started = parts.enter_context(harness.Server(folder / "data", *flags))
        started.flags = flags
        yield started


def read(admin, after, types="", wait=5):
    answer = admin.get(f"{FEED}?after={after}&types={types}&wait={wait}&limit=1000")
    assert answer.status == 200, answer
    assert openapi.faults_of_answer(("GET", FEED), answer) == []
    return answer.json


def told(admin, concert):
    """The id of the event of a concert's creation in the audit log, once it is in the feed."""

    def found():
        after, subject = 0, f"concert {concert['id']}"
        while (page := read(admin, after, "operator.action", wait=0))["events"]:
            for event in page["events"]:
                if event["subject"] == subject and event["data"]["action"] == "concert.create":
                    return event["id"]
            after = page["next"]
        return None

    return harness.until(found)


def mark(admin):
    """The id of an event after all those of the calls before."""
    return told(admin, harness.create_concert(admin, opened=False, seats=1, room="none"))


def in_a_second():
    """The time of an opening: far enough away that the concert is created before."""
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=1)).isoformat(
        timespec="milliseconds").replace("+00:00", "Z")


def types_until(admin, after, last):
    """Types of the events after an id, up to the first of type `last`."""
    found = []
    while last not in found:
        page = read(admin, after, wait=30)
        assert page["events"], found
        for event in page["events"]:
            assert event["id"] == after + 1, "ids have no gaps"
            after = event["id"]
            found.append(event["type"])
    return found


def test_sale_from_creation_to_sell_out_is_told_in_order(client, admin):
    start = mark(admin)
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
    page = (harness.ROOT / "docs/events.md").read_text(encoding="utf-8")
    example = json.loads(page.split("```json")[1].split("```")[0])["events"][0]
    assert list(example) == list(confirmed[0]) and list(example["data"]) == list(confirmed[0]["data"])


def test_opening_by_time_and_the_end_of_a_hold_are_told(client, admin):
    start = mark(admin)
    soon = in_a_second()
    concert = harness.create_concert(admin, opened=False, seats=2, room="none", bookingOpenAt=soon,
                                     holdSeconds=1)
    hold = {"scheduleId": concert["schedules"][0]["id"], "seats": [1], "userId": "ann"}
    harness.until(lambda: client.post("/api/v1/reservations", hold).status == 201)
    told = types_until(admin, start, "reservation.expired")
    assert told.count("concert.opened") == 1 and told.count("reservation.held") == 1, told


def test_filter_limit_and_cursor_narrow_a_page(admin):
    start = mark(admin) - 1
    mark(admin)
    page = admin.get(f"{FEED}?after={start}&types=operator.*&limit=1").json
    assert [event["type"]
            for event in page["events"]] == ["operator.action"] and page["next"] == page["events"][0]["id"]
    for query in ("after=x", "after=-1", "limit=0", "limit=1001", "wait=61", "types=nonsense",
                  "types=reservation"):
        assert admin.get(f"{FEED}?{query}").code == "invalid-field", query


def test_long_poll_ends_with_the_next_event_or_its_time(server, admin):
    after = mark(admin)
    while True:
        begin = time.monotonic()
        page = read(admin, after, wait=1)
        if not page["events"]:
            break
        after = page["next"]
    assert page["next"] >= after and time.monotonic() - begin >= 1
    pages = []
    waiter = threading.Thread(
        target=lambda: pages.append(read(server.admin(), after, "concert.created", wait=60)))
    waiter.start()
    harness.create_concert(admin, seats=1, room="none")
    waiter.join(60)
    assert [event["type"] for event in pages[0]["events"]] == ["concert.created"]


def room_events(admin, room):
    """Phases of a room in the feed, in order."""
    events = admin.get(f"{FEED}?types=room.opened,room.paused,room.closed&limit=1000").json["events"]
    return [event["type"] for event in events if event["data"]["room"] == str(room)]


def test_phases_of_a_room_are_told_once_each(admin):
    room = harness.create_concert(admin, seats=1)["id"]
    for state in ("paused", "open", "open", "paused", "closed"):
        assert admin.call("PUT", f"/api/v1/rooms/{room}", {"state": state}).status == 200
    phases = ["room.opened", "room.paused", "room.opened", "room.paused", "room.closed"]
    harness.until(lambda: room_events(admin, room) == phases)
    mark(admin)
    assert room_events(admin, room) == phases


def test_phase_by_time_is_told_once_though_every_node_sees_it(server, admin, tmp_path):
    with contextlib.ExitStack() as nodes:
        # Only MariaDB has room for a second node.
        others = [nodes.enter_context(harness.Server(tmp_path / "data", *server.flags)).admin()
                  ] if "--mysql" in server.flags else []
        soon = in_a_second()
        room = harness.create_concert(admin, opened=False, seats=1, bookingOpenAt=soon)["id"]
        for each in (admin, *others):
            path = f"/api/v1/rooms/{room}/serving"
            harness.until(lambda node=each: node.get(path).json.get("state") == "open")
        harness.until(lambda: room_events(admin, room))
        for each in (admin, *others):
            mark(each)
        assert room_events(admin, room) == ["room.opened"]


def test_live_reader_hears_counts_of_rooms_and_keeps_its_place(server, client, admin):
    room = harness.create_concert(admin, seats=1)["id"]
    after = mark(admin)
    pages = []
    waiter = threading.Thread(target=lambda: pages.append(
        server.admin().get(f"{FEED}?after={after}&types=room.progress&wait=60").json))
    waiter.start()

    def join_more():
        harness.join(client, room, f"fan-{time.monotonic_ns()}")
        return pages

    harness.until(join_more, every=0.3)
    waiter.join(60)
    counts = [event for event in pages[0]["events"] if event["data"]["room"] == str(room)]
    assert len(counts) == 1 and "id" not in counts[0] and pages[0]["next"] >= after
    assert counts[0]["data"]["waiting"] + counts[0]["data"]["entered"] > 0
    assert read(admin, 0, "room.progress", wait=0)["events"] == [], "not stored"


def test_feed_needs_the_admin_key(client):
    assert client.get(FEED).status == 401


def follow(server, *arguments, **more):
    return subprocess.run([
        harness.BINARY, "events", "follow", "--data",
        str(server.data), "--url", f"http://127.0.0.1:{server.port}", "--once", *map(str, arguments)
    ], capture_output=True, text=True, timeout=120, check=False, env=harness.clean_environment(), **more)


def test_follow_prints_resumes_and_retries_a_failing_command(server, admin, tmp_path):
    start = mark(admin)
    concert = harness.create_concert(admin, opened=False, seats=1, room="none")
    first = concert["id"]
    told(admin, concert)
    cursor = ("--cursor", tmp_path / "cursor", "--types", "concert.*")
    printed = follow(server, "--after", start, *cursor)
    assert printed.returncode == 0, printed
    (event,) = map(json.loads, printed.stdout.splitlines())
    assert (event["type"], event["data"]["concertId"]) == ("concert.created", first)
    assert follow(server, *cursor).stdout == "", "it resumes after the last event"
    concert = harness.create_concert(admin, opened=False, seats=1, room="none")
    second = concert["id"]
    told(admin, concert)
    command = f"cat >> {tmp_path}/seen; test -e {tmp_path}/failed || {{ touch {tmp_path}/failed; exit 1; }}"
    ran = follow(server, *cursor, "--exec", command)
    assert ran.returncode == 0 and "the command failed" in ran.stderr, ran
    seen = [json.loads(line) for line in (tmp_path / "seen").read_text(encoding="utf-8").splitlines()]
    assert [each["data"]["concertId"] for each in seen] == [second, second], "again until it succeeds"
    assert follow(server, *cursor, "--exec", "false").returncode == 0
    assert follow(server, "--types", "nonsense").returncode == 2


@pytest.mark.parametrize("verb", [["follow"], ["follow", "--once"]])
def test_follow_refuses_a_missing_data_folder(verb, tmp_path):
    assert harness.run("events", *verb, "--data", "nothere", cwd=tmp_path) == (
        1, "", "maejin: there is no data folder at nothere; the first start of a server creates one\n")


def test_follow_once_without_a_server_ends(tmp_path):
    with harness.Server(tmp_path / "data"):
        pass
    assert harness.run("events", "follow", "--once", "--data", tmp_path / "data", timeout=30) == (
        1, "", f"maejin: no server runs on the data folder {tmp_path / 'data'}\n")


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
    # The waitlist comes later: a client may name its types today.
    later = {name for name in known if name.startswith("waitlist.")}
    page = (harness.ROOT / "docs/events.md").read_text(encoding="utf-8")
    assert len(later) == 3 and all(name in page for name in later)
    assert documented == {name for name in known if "." in name} - later

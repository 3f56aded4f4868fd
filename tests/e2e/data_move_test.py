"""Data moved from a data folder to a shared database and back keeps seats, money and boards."""
import json

import back_ends
import harness
import pytest
import redis_server
import cluster as clusters  # in deploy/, where harness.py looks

# The head of a WebP picture of 640 × 320; all bytes are ASCII, as the client expects of answers.
POSTER = b"RIFF....WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\x3f\x01\0"
LOGO = b"RIFF....WEBPVP8X\x0a\0\0\0\0\0\0\0\x63\0\0\x27\0\0"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    server = clusters.MariaDb(tmp_path_factory.mktemp("mariadb")).start()
    server.create_database()
    yield server
    server.stop()


@pytest.fixture
def redis(tmp_path):
    with redis_server.Redis(tmp_path) as server:
        yield server


def sell(server):
    """A sold-out concert, one on sale with a hold, a paid, a cancelled and a blocked seat, a closed one, and
    one that names the pre-queue of its room."""
    admin, client = server.admin(), server.client()
    section = {"name": "A", "rows": 1, "seatsPerRow": 3, "shape": [0, 0, 9, 0, 9, 9]}
    sold = harness.create_concert(admin, room="none", title="매진",
                                  schedules=[{"concertDate": "2099-05-01", "sections": [section]}])
    for seat in (1, 2, 3):
        buy(client, sold, seat)
    going = harness.create_concert(admin, seats=700, dates=2, room="none", holdSeconds=3600,
                                   color="#ffcc00", organizer="한강 라이브")
    schedule = going["schedules"][0]["id"]
    buy(client, going, 600)
    hold(client, schedule, [1, 2], "ann")
    gone = hold(client, schedule, [3], "bob")
    assert client.call("DELETE", f"/api/v1/reservations/{gone['reservationId']}",
                       headers={"X-User-Id": "bob"}).status == 200
    assert admin.post(f"/api/v1/schedules/{schedule}/block", {"seats": [700]}).status == 200
    picture_path = f"/api/v1/concerts/{going['id']}/poster"
    assert admin.call("PUT", picture_path, POSTER).status == 204
    assert admin.call("PUT", f"/api/v1/concerts/{going['id']}/logo", LOGO).status == 204
    closed = harness.create_concert(admin, seats=1, room="none")
    assert admin.post(f"/api/v1/concerts/{closed['id']}/close").status == 200
    planned = harness.create_concert(admin, opened=False, seats=1, bookingOpenAt="2099-04-01T09:00:00.000Z",
                                     order="arrival", preQueueAt="2099-04-01T08:00:00.000Z")
    return [sold, going, closed, planned]


def hold(client, schedule, seats, user):
    answer = client.post("/api/v1/reservations", {"scheduleId": schedule, "seats": seats, "userId": user})
    assert answer.status == 201, answer
    return answer.json


def buy(client, concert, seat):
    assert harness.pay(client, hold(client, concert["schedules"][0]["id"], [seat], f"fan-{seat}"),
                       f"fan-{seat}").status == 200


def picture(server, concerts):
    """Public answers and operators' answers."""
    client, admin = server.client(), server.admin()
    seen = {"reservations": admin.get("/api/v1/admin/reservations?limit=1000").json["reservations"],
            "audit": admin.get("/api/v1/admin/audit?limit=100").json["entries"]}
    for path in ("/api/v1/rankings/soldout?window=all", "/api/v1/rankings/soldout/top",
                 "/api/v1/rankings/soldout/schedules?window=monthly", "/api/v1/rankings/progress",
                 "/api/v1/rankings/progress?by=schedule"):
        seen[path] = harness.until(lambda: client.get(path).json)  # pylint: disable=cell-var-from-loop
    for concert in concerts:
        seen[concert["id"]] = client.get(f"/api/v1/concerts/{concert['id']}").json
        if concert["room"] == "own":  # rooms are not moved: the server makes them again
            room = admin.get(f"/api/v1/rooms/{concert['id']}").json
            seen["room", concert["id"]] = room.get("order"), room.get("preQueueAt")
        for kind in ("poster", "logo"):
            seen[kind, concert["id"]] = client.get(f"/api/v1/concerts/{concert['id']}/{kind}").text
        for schedule in concert["schedules"]:
            compact = client.get(f"/api/v1/schedules/{schedule['id']}/seats?form=compact").json
            seen["sections", schedule["id"]] = compact["sections"]
            seats = client.get(f"/api/v1/schedules/{schedule['id']}/seats").json["seats"]
            seen["seats", schedule["id"]] = [seat["status"] for seat in seats]
    return seen


def test_data_moved_to_mariadb_and_back_is_equal(tmp_path, database, redis):
    with harness.Server(tmp_path / "first") as server:
        concerts = sell(server)
        before = picture(server, concerts)
    shared = ("--mysql", database.url(parameters=back_ends.PATIENT), "--redis", redis.patient_url)
    code, _, err = harness.run("data", "export", tmp_path / "file", "--data", tmp_path / "first")
    assert code == 0, err
    code, _, err = harness.run("data", "import", tmp_path / "file", "--data", tmp_path / "other", *shared)
    assert code == 0, err
    with harness.Server(tmp_path / "node", *shared) as server:
        harness.until(lambda: picture(server, concerts) == before)
        # The sale continues: held seats are paid, a free one is held, the blocked one is refused.
        client, schedule = server.client(), concerts[1]["schedules"][0]["id"]
        [held] = [each for each in before["reservations"] if each["status"] == "HELD"]
        assert harness.pay(client, held, "ann").status == 200
        hold(client, schedule, [3], "carl")
        assert client.post("/api/v1/reservations",
                           {"scheduleId": schedule, "seats": [700], "userId": "dora"}).code == "seat-taken"
        for path, reserved in (("/api/v1/rankings/progress?by=schedule", 4), ("/api/v1/rankings/progress",
                                                                              7)):
            harness.until(lambda path=path, reserved=reserved:
                      client.get(path).json["entries"][0]["reserved"] == reserved)
        harness.until(
            lambda: client.get(f"/api/v1/concerts/{concerts[1]['id']}").json["availableSeats"] == 1399 - 4)
        after = picture(server, concerts)
    code, _, err = harness.run("data", "export", tmp_path / "back", "--data", tmp_path / "other", *shared)
    assert code == 0, err
    code, _, err = harness.run("data", "import", tmp_path / "back", "--data", tmp_path / "last")
    assert code == 0, err
    with harness.Server(tmp_path / "last") as server:
        harness.until(lambda: picture(server, concerts) == after)


def test_reports_of_a_move_as_json(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        harness.create_concert(server.admin())

    def move(verb, file, data):
        code, out, err = harness.run("data", verb, file, "--data", data, "--json")
        assert code == 0, err
        return out, err

    exported = json.loads(move("export", tmp_path / "file", tmp_path / "data")[0])
    assert exported["rows"] > 0 and len(exported["boards"]) > 8
    assert (exported["file"], exported["store"]) == (str(tmp_path / "file"), str(tmp_path / "data"))
    out, err = move("export", "-", tmp_path / "data")
    assert out == (tmp_path / "file").read_text(encoding="utf-8"), "standard output is the file"
    assert json.loads(err) == {**exported, "file": "-"}
    imported = json.loads(move("import", tmp_path / "file", tmp_path / "new")[0])
    assert imported == {**exported, "store": str(tmp_path / "new")}
    code, out, err = harness.run("data", "import", tmp_path / "file", "--data", tmp_path / "new", "--json")
    assert (code, out) == (1, "") and err.startswith("maejin: ")


def test_data_import_requires_an_empty_target(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        harness.create_concert(server.admin())
    assert harness.run("data", "export", tmp_path / "file", "--data", tmp_path / "data")[0] == 0
    code, _, err = harness.run("data", "import", tmp_path / "file", "--data", tmp_path / "data")
    assert code == 1 and "empty store" in err


def test_truncated_or_altered_export_is_refused_and_imports_nothing(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        harness.create_concert(server.admin())
    assert harness.run("data", "export", tmp_path / "file", "--data", tmp_path / "data")[0] == 0
    lines = (tmp_path / "file").read_text(encoding="utf-8").splitlines()
    (tmp_path / "cut").write_text("\n".join(lines[:-1]), encoding="utf-8")
    code, _, err = harness.run("data", "import", tmp_path / "cut", "--data", tmp_path / "new")
    assert code == 1 and "truncated" in err
    end = json.loads(lines[-1])
    end["counts"]["concerts"] += 1
    (tmp_path / "changed").write_text("\n".join([*lines[:-1], json.dumps(end)]), encoding="utf-8")
    code, _, err = harness.run("data", "import", tmp_path / "changed", "--data", tmp_path / "new")
    assert code == 1 and "2 rows were exported, 1 arrived" in err
    # Nothing was imported: the whole file is accepted now.
    assert harness.run("data", "import", tmp_path / "file", "--data", tmp_path / "new")[0] == 0

"""`maejin verify` finds rows that contradict each other, in both kinds of backup; verbs that need only the
database do not ask for Redis."""
import contextlib
import json
import shutil
import sqlite3

import back_ends
import harness
import pytest
import redis_server


def test_backup_refuses_a_folder_without_the_signing_keys(tmp_path):
    data, keys, file = tmp_path / "data", tmp_path / "keys", tmp_path / "b"
    harness.Server(data, "--keys", keys).stop()
    code, _, err = harness.run("backup", file, "--data", data)
    assert (code, file.exists()) == (1, False), err
    assert f"no signing keys in {data / 'keys'}: give --keys DIR as the server does" in err
    assert harness.run("backup", file, "--data", data, "--keys", keys)[0] == 0
    assert harness.run("verify", file)[0] == 0


@pytest.fixture(scope="module", name="sold")
def fixture_sold(tmp_path_factory):
    """The data folder of a stopped server: paid, refunded, free and held reservations, a blocked seat."""
    data = tmp_path_factory.mktemp("sold") / "data"
    with harness.Server(data) as server:
        client, admin = server.client(), server.admin()
        concert = harness.create_concert(admin, seats=6)
        harness.buy(client, concert, 1, "paid fan")
        returned = harness.buy(client, concert, 2, "returned fan")["reservationId"]
        given_back = client.call("DELETE", f"/api/v1/reservations/{returned}",
                                 headers={"X-User-Id": "returned fan"})
        assert given_back.status in (200, 204), given_back
        free = harness.create_concert(admin, seats=2, price=0)
        harness.buy(client, free, 1, "free fan")
        schedule = concert["schedules"][0]["id"]
        token = harness.enter(client, concert["id"], "holding fan")
        assert harness.hold(client, schedule, [3], "holding fan", token).status == 201
        assert admin.post(f"/api/v1/schedules/{schedule}/block", {"seats": [6]}).status == 200
    return data


@pytest.mark.parametrize("change,complaint", [
    ("SELECT 1", ""),
    ("UPDATE reservations SET seats = '[6]' WHERE user_id = 'paid fan'", "has a blocked seat"),
    ("UPDATE reservations SET seats = '[6]' WHERE user_id = 'holding fan'", "has a blocked seat"),
    ("UPDATE reservations SET status = 'EXPIRED' WHERE user_id = 'paid fan'", "is not confirmed"),
    ("UPDATE payments SET status = 'CAPTURED' WHERE status = 'REFUNDED'", "is not confirmed"),
    ("UPDATE reservations SET status = 'CONFIRMED' WHERE user_id = 'holding fan'", "without a captured"),
    ("DELETE FROM payments WHERE amount = 0", "without a captured payment"),
    ("INSERT INTO payments SELECT 99, '0000000000000000000000000000000a', reservation_number, amount, "
     "status, provider, method, created_at, settled_at, hold_ver FROM payments WHERE amount = 0",
     "is paid twice"),
])
def test_verify_finds_rows_that_contradict_each_other(sold, tmp_path, change, complaint):
    shutil.copytree(sold, tmp_path / "data")
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "maejin.db")) as database:
        assert database.execute(change).rowcount != 0
        database.commit()
    assert harness.run("backup", tmp_path / "b", "--data", tmp_path / "data")[0] == 0
    code, _, err = harness.run("verify", tmp_path / "b")
    assert (code == 1 and complaint in err) if complaint else code == 0, err


@pytest.fixture(scope="module", name="shared")
def fixture_shared(tmp_path_factory):
    """A database with a sale on it, whose node has stopped."""
    folder = tmp_path_factory.mktemp("shared")
    with contextlib.ExitStack() as parts:
        redis = parts.enter_context(redis_server.Redis(folder))
        database = back_ends.mariadb(folder, parts)
        database.node_flags = ["--redis", redis.patient_url, "--mysql", database.url()]
        with harness.Server(folder / "node", *database.node_flags) as server:
            concert = harness.create_concert(server.admin(), seats=4, room="none", title="It's \\ 밤'")
            schedule = concert["schedules"][0]["id"]
            for seat, user in ((1, "paid fan"), (2, "holding fan")):
                held = server.client().post("/api/v1/reservations", {
                    "scheduleId": schedule, "seats": [seat], "userId": user})
                assert held.status == 201, held
                if user == "paid fan":
                    assert harness.pay(server.client(), held.json, user).status == 200
        yield database


def backed_up(database, file):
    code, _, err = harness.run("backup", file, "--mysql", database.url())
    assert code == 0, err
    return harness.run("verify", file)


@pytest.mark.parametrize("change,undo,complaint", [
    ("UPDATE audit SET detail = CONCAT(detail, ' ') WHERE id = 1",
     "UPDATE audit SET detail = TRIM(detail) WHERE id = 1", "the audit log is broken at row 1"),
    ("UPDATE audit_head SET last_id = last_id + 1", "UPDATE audit_head SET last_id = last_id - 1",
     "the audit log is broken at row"),
    ("UPDATE reservations SET status = 'EXPIRED' WHERE user_id = 'paid fan'",
     "UPDATE reservations SET status = 'CONFIRMED' WHERE user_id = 'paid fan'", "is not confirmed"),
    ("UPDATE payments SET status = 'FAILED'", "UPDATE payments SET status = 'CAPTURED'",
     "without a captured payment"),
    ("UPDATE seats SET state = 'BLOCKED', reservation_number = NULL WHERE state = 'HELD'",
     "UPDATE seats SET state = 'HELD', reservation_number = (SELECT number FROM reservations WHERE "
     "user_id = 'holding fan') WHERE state = 'BLOCKED'", "has a seat of reservation"),
    ("UPDATE seats SET number = 9 WHERE state = 'HELD'", "UPDATE seats SET number = 2 WHERE state = 'HELD'",
     "disagree"),
])
def test_verify_of_a_database_backup_finds_contradictions(shared, tmp_path, change, undo, complaint):
    assert backed_up(shared, tmp_path / "whole")[0] == 0
    shared.sql(change)
    try:
        code, _, err = backed_up(shared, tmp_path / "broken")
    finally:
        shared.sql(undo)
    assert code == 1 and complaint in err, err
    code, _, err = backed_up(shared, tmp_path / "whole again")
    assert code == 0, err


def test_verify_of_a_database_backup_refuses_another_schema(shared, tmp_path):
    newest = shared.number("SELECT MAX(version) FROM schema_versions")
    shared.sql(f"UPDATE schema_versions SET version = 999 WHERE version = {newest}")
    try:
        code, _, err = backed_up(shared, tmp_path / "b")
    finally:
        shared.sql(f"UPDATE schema_versions SET version = {newest} WHERE version = 999")
    assert code == 1 and "has schema 999" in err, err


def rotations(database):
    return int(database.number("SELECT COUNT(*) FROM audit WHERE action = 'keys.rotate' AND actor = "
                               "'command line'"))


def test_verbs_of_a_database_need_no_redis_and_audit_there(shared, tmp_path):
    where = ["--mysql", shared.url()]
    for words in (["migrate"], ["data", "export", tmp_path / "export"]):
        code, _, err = harness.run(*words, *where)
        assert code == 0, err
    code, out, err = harness.run("migrate", "--json", *where)
    assert code == 0, err
    assert json.loads(out) == {
        "database": where[1].replace(f":{shared.password}@", "@"), "applied": 0,
        "schema": shared.number("SELECT MAX(version) FROM schema_versions")}
    before = rotations(shared)
    code, out, err = harness.run("keys", "rotate", "--json", "--data", tmp_path / "none", *where)
    assert code == 0 and len(json.loads(out)["keys"]) >= 2, err
    assert rotations(shared) == before + 1
    assert backed_up(shared, tmp_path / "b")[0] == 0, "the audit chain is intact"


def test_keys_in_files_beside_a_database_rotate_while_the_node_is_stopped(shared, tmp_path):
    data, flags = tmp_path / "node", [*shared.node_flags, "--keys", tmp_path / "keys"]
    with harness.Server(data, *flags) as server:
        refused = server.admin().post("/api/v1/admin/keys/rotate")
        assert (refused.status, refused.code) == (400, "invalid-field"), refused
        assert "given by --keys" in refused.json["detail"], refused
        code, _, err = harness.run("keys", "rotate", "--data", data, *flags)
        assert code == 1 and "given by --keys" in err, err
    before = rotations(shared)
    code, out, err = harness.run("keys", "rotate", "--data", data, *flags)
    assert code == 0 and len(json.loads(out)["keys"]) == 2, err
    assert rotations(shared) == before + 1 and not (data / "maejin.db").exists()
    assert len(list((tmp_path / "keys").glob("pass-*.pem"))) == 2


def test_backup_of_a_database_without_keys_needs_their_folder(shared, tmp_path):
    shared.sql("CREATE TABLE kept_keys AS SELECT * FROM signing_keys; DELETE FROM signing_keys")
    try:
        code, _, err = harness.run("backup", tmp_path / "b", "--mysql", shared.url())
    finally:
        shared.sql("INSERT INTO signing_keys SELECT * FROM kept_keys; DROP TABLE kept_keys")
    assert code == 1 and "no signing keys in the database: give --keys DIR" in err, err

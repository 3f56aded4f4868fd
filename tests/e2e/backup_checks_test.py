"""`maejin verify` finds rows that contradict each other, in both kinds of backup; verbs that need only the
database do not ask for Redis."""
import contextlib
import shutil
import sqlite3

import harness
import pytest


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

"""A lost or cut data folder is noticed at the start; a full disk does not prevent one."""
import contextlib
import os
import shutil
import sqlite3
import subprocess

import back_ends
import harness
import pytest


def rows_of(data):
    """The number of rows in the audit log."""
    with contextlib.closing(sqlite3.connect(data / "maejin.db")) as database:
        return database.execute("SELECT count(*) FROM audit").fetchone()[0]


def marked_rows_of(data):
    """The number of the audit log's rows that the mark covers."""
    file = data / "high-water"
    return int(file.read_text(encoding="utf-8").split("audit ")[1].split()[0]) if file.exists() else 0


@pytest.fixture(scope="module")
def sold(tmp_path_factory):
    """A data folder as kill -9 leaves it: an acknowledged sale, still in the write-ahead log."""
    data = tmp_path_factory.mktemp("maejin") / "data"
    with harness.Server(data) as server:
        harness.create_concert(server.admin())
        harness.until(lambda: marked_rows_of(data) == rows_of(data))
        server.kill()
    return data


def copy_of(sold, tmp_path):
    shutil.copytree(sold, tmp_path / "data")
    return tmp_path / "data"


def refused_start(data):
    code, _, err = harness.run("serve", "--listen", "127.0.0.1:0", "--data", data, timeout=60)
    assert code == 1, err
    return err


def test_control_the_folder_starts_as_it_is(sold, tmp_path):
    with harness.Server(copy_of(sold, tmp_path)) as server:
        assert len(server.client().get("/api/v1/concerts").json["concerts"]) == 1


@pytest.mark.parametrize(
    "lost",
    [["maejin.db-wal", "maejin.db-shm"], ["maejin.db"], ["maejin.db", "maejin.db-wal", "maejin.db-shm"]])
def test_lost_log_or_database_refuses_the_start_until_the_operator_accepts_it(sold, tmp_path, lost):
    data = copy_of(sold, tmp_path)
    for name in lost:
        (data / name).unlink(missing_ok=True)
    assert "the database lacks committed data" in refused_start(data)
    (data / "high-water").unlink()
    with harness.Server(data) as server:
        assert server.client().get("/api/v1/concerts").status == 200


@pytest.mark.parametrize("change, sentence", [
    ("DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)", "the audit log lacks row"),
    ("UPDATE audit SET hash = 'forged' WHERE id = (SELECT max(id) FROM audit)", "the audit log was changed")])
def test_cut_or_forged_audit_log_refuses_the_start_and_the_doctor_names_it(sold, tmp_path, change, sentence):
    data = copy_of(sold, tmp_path)
    with contextlib.closing(sqlite3.connect(data / "maejin.db")) as database:
        database.execute(change)
        database.commit()
    assert sentence in refused_start(data)
    code, out, _ = harness.run("doctor", "--data", data)
    assert code == 1 and sentence in out


CUT = ("DELETE FROM audit WHERE id = (SELECT last_id FROM audit_head); "
       "UPDATE audit_head SET last_id = (SELECT max(id) FROM audit), "
       "last_hash = (SELECT hash FROM audit ORDER BY id DESC LIMIT 1)")


def audit_of(data, flags):
    code, out, _ = harness.run("doctor", "--data", data, *flags)
    return code, next(line for line in out.splitlines() if " audit " in line)


def test_cut_audit_log_of_a_shared_database_is_named_by_log_and_doctor_until_it_is_accepted(tmp_path):
    """The head in the database is cut too: only the mark in the node's data folder shows it."""
    data, mark = tmp_path / "data", tmp_path / "data" / "audit-mark"
    with contextlib.ExitStack() as parts:
        shared = back_ends.mariadb(tmp_path, parts)
        flags = [*back_ends.flags("redis", tmp_path, parts), "--mysql", shared.url()]
        with harness.Server(data, *flags) as server:
            harness.create_concert(server.admin(), room="none")
            newest = shared.number("SELECT last_id FROM audit_head")
            harness.until(lambda: mark.exists() and
                          mark.read_text(encoding="utf-8").split()[1] == str(newest))
        assert "intact" in audit_of(data, flags)[1]
        shared.sql(CUT)
        code, line = audit_of(data, flags)
        assert code == 1 and f"the audit log lacks row {newest}" in line
        with harness.Server(data, *flags) as server:
            # The sale goes on: other nodes use the database anyway.
            harness.create_concert(server.admin(), room="none")
            harness.until(lambda: f"lacks row {newest}" in server.log_path.read_text(encoding="utf-8"))
        code, line = audit_of(data, flags)
        assert code == 1 and "the audit log was changed" in line, "row numbers are used again"
        mark.unlink()
        assert "intact" in audit_of(data, flags)[1]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 12 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_full_disk_does_not_prevent_a_start_and_heals(small_disk):
    """The rest of the disk is filled by others."""
    data = small_disk / "data"
    filler = small_disk / "filler"
    with harness.Server(data) as server:
        concert = harness.create_concert(server.admin(), seats=50, room="none")
        harness.until(lambda: (data / "maejin.db-reserve").exists())
        server.kill()
    file = os.open(filler, os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while True:
            os.write(file, b"x" * 4096)
    os.close(file)
    # The index of the log is made anew, which takes space.
    (data / "maejin.db-shm").unlink()
    with harness.Server(data) as server:
        client = server.client()
        assert client.get(f"/api/v1/concerts/{concert['id']}").json["totalSeats"] == 50
        filler.unlink()
        schedule = concert["schedules"][0]["id"]
        harness.until(lambda: harness.hold(client, schedule, [1], "ann", "").status in (201, 409))


def test_log_stays_small_on_a_small_disk(small_disk):
    data = small_disk / "data"
    with harness.Server(data) as server:
        client = server.client()
        concert = harness.create_concert(server.admin(), seats=50, room="none")
        # Each hold and its end are some pages of the log: together several times the disk.
        for number in range(1500):
            held = harness.hold(client, concert["schedules"][0]["id"], [1 + number % 50], f"fan-{number}", "")
            assert held.status == 201, (number, held)
            gone = client.call("DELETE", f"/api/v1/reservations/{held.json['reservationId']}",
                               headers={"X-User-Id": f"fan-{number}"})
            assert gone.status == 200, (number, gone)
        assert (data / "maejin.db-wal").stat().st_size < 4 << 20

"""Backups: taken during a sale, verified, restored after the folder was destroyed; scheduled, encrypted."""
import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import threading
import time

import back_ends
import harness
import pytest
import redis_server

ROUNDS = 50 if os.environ.get("MAEJIN_ALL") else 3
SEATS = 900  # more than are sold while a backup is made


def backup(*words):
    code, out, err = harness.run("backup", *words, "--json")
    assert code == 0, err
    return json.loads(out)


def verify(file, *words):
    return harness.run("verify", file, "--json", *words)


class Sale:
    """Fans who buy one seat after the other; the ledger has every acknowledged payment with its time."""

    def __init__(self, server, concert):
        self.server, self.concert = server, concert
        self.ledger, self.tokens, self.stopped = {}, {}, False
        self.threads = [threading.Thread(target=self.run, args=(number, )) for number in range(4)]
        for each in self.threads:
            each.start()

    def run(self, number):
        client = self.server.client()
        for seat in range(1 + number, SEATS + 1, 4):
            if self.stopped:
                return
            user = f"fan {seat}"
            with contextlib.suppress(OSError, AssertionError):
                paid = harness.buy(client, self.concert, seat, user)
                self.ledger[seat] = (time.monotonic(), paid["reservationId"], user)
                joined = harness.join(client, self.concert["id"], user)
                self.tokens[user] = time.monotonic(), joined

    def stop(self):
        self.stopped = True
        for each in self.threads:
            each.join()


def flipped(file, seed):
    data = bytearray(file.read_bytes())
    data[random.Random(seed).randrange(len(data))] ^= 1 << (seed % 8)
    copy = file.with_suffix(".flipped")
    copy.write_bytes(data)
    return copy


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_sale_is_restored_from_a_backup_taken_during_it(tmp_path, seed):
    """Nothing acknowledged before the backup is lost; no seat is sold twice; later tokens are refused and
    their numbers are not given again."""
    file = tmp_path / "sale.backup"
    with harness.Server(tmp_path / "data") as server:
        concert = harness.create_concert(server.admin(), seats=SEATS)
        sale = Sale(server, concert)
        harness.until(lambda: len(sale.ledger) >= 15 + 10 * seed % 100)
        kept = enter(server.client(), concert, harness.join(server.client(), concert["id"], "kept fan"))
        early = harness.join(server.client(), concert["id"], "early fan")
        began = time.monotonic()
        taken = backup(file, "--data", server.data)
        ended = time.monotonic()
        harness.until(lambda: len([at for at, *_ in sale.ledger.values() if at > ended]) >= 3)
        sale.stop()
        late = harness.join(server.client(), concert["id"], "late fan")
        lost = [enter(server.client(), concert, each) for each in (late, early)]
        server.kill()
    assert taken["bytes"] == file.stat().st_size and oct(file.stat().st_mode)[-3:] == "600"
    code, out, err = verify(file)
    assert code == 0 and json.loads(out)["concerts"] == 1, err
    for number in range(5):
        code, _, err = verify(flipped(file, 1000 * seed + number))
        assert code == 1 and "maejin" in err, "a flipped byte was not found"
    shutil.rmtree(tmp_path / "data")
    code, out, err = harness.run("restore", file, "--data", tmp_path / "data", "--json")
    assert code == 0, err
    with harness.Server(tmp_path / "data") as server:
        check_restored(server, concert, sale, began, late)
        check_passes(server.client(), concert, kept, lost)


def enter(client, concert, joined):
    """Returns the pass."""
    entered = client.post(f"/api/v1/rooms/{concert['id']}/enter", headers={"X-Queue-Token": joined["token"]})
    assert entered.status == 200, entered
    return entered.json["pass"]


def check_passes(client, concert, kept, lost):
    """A pass from after the backup is no proof any more, though its fan may have joined before it."""

    def gate(text):
        answer = client.get(f"/gate?room={concert['id']}", **{"X-Maejin-Pass": text})
        return answer.status, answer.headers["x-maejin-gate"]

    assert gate(kept) == (204, "ok")
    assert [gate(each) for each in lost] == [(401, "invalid")] * 2


def check_restored(server, concert, sale, began, late):
    client = server.client()
    before = {seat: row for seat, row in sale.ledger.items() if row[0] < began}
    assert before
    for _, reservation, user in before.values():
        found = client.get(f"/api/v1/reservations/{reservation}", **{"X-User-Id": user})
        assert found.status == 200 and found.json["status"] == "CONFIRMED", found
    early = [joined for at, joined in sale.tokens.values() if at < began]
    for joined in early:
        place = client.get(f"/api/v1/rooms/{concert['id']}/entries/me", **{"X-Queue-Token": joined["token"]})
        assert place.status == 200 and place.json["number"] == joined["number"], place
    gone = client.get(f"/api/v1/rooms/{concert['id']}/entries/me", **{"X-Queue-Token": late["token"]})
    assert (gone.status, gone.code) == (404, "not-queued"), gone
    assert harness.join(client, concert["id"], "new fan")["number"] > late["number"] + 1_000_000
    seats = client.get(f"/api/v1/schedules/{concert['schedules'][0]['id']}/seats").json["seats"]
    free = [each["number"] for each in seats if each["status"] == "AVAILABLE"]
    assert not set(free) & set(before)
    sold = harness.buy(client, concert, free[0], "another")
    rows = server.admin().get("/api/v1/admin/reservations?limit=1000").json["reservations"]
    assert len({each["code"] for each in rows}) == len(rows)
    paid = [seat for each in rows if each["status"] == "CONFIRMED" for seat in each["seats"]]
    assert len(paid) == len(set(paid)), "a seat is sold twice"
    assert sold["reservationId"] in {each["reservationId"] for each in rows}
    new = harness.create_concert(server.admin(), seats=1)
    assert new["id"] > concert["id"] + 1000
    actions = [row["action"] for row in server.admin().get("/api/v1/admin/audit").json["entries"]]
    assert "backup.restore" in actions


def test_drill_of_the_documentation(tmp_path):
    text = (harness.ROOT / "docs/operations.md").read_text(encoding="utf-8")
    commands = re.search(r"```sh drill\n(.*?)```", text, re.S)[1]
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/maejin").symlink_to(harness.BINARY)
    with harness.Server(tmp_path / "maejin-data") as server:
        harness.create_concert(server.admin(), seats=3)
        environment = harness.clean_environment(PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
        done = subprocess.run(["sh", "-e", "-c", commands], cwd=tmp_path, env=environment, check=False,
                              capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    with harness.Server(tmp_path / "restored") as server:
        assert len(server.client().get("/api/v1/concerts").json["concerts"]) == 1
        assert server.admin().get("/api/v1/admin/system").status == 200, "the admin key was restored"


def test_encrypted_backup_needs_its_key(tmp_path):
    key, other = tmp_path / "backup.key", tmp_path / "other.key"
    for file, text in ((key, "a secret of the operator"), (other, "some other long secret")):
        file.write_text(text + "\n", encoding="utf-8")
        file.chmod(0o600)
    with harness.Server(tmp_path / "data") as server:
        harness.create_concert(server.admin(), seats=3, title="Hidden title")
        backup(tmp_path / "b", "--data", server.data, "--backup-key-file", key)
    assert b"Hidden title" not in (tmp_path / "b").read_bytes()
    code, out, _ = verify(tmp_path / "b", "--backup-key-file", key)
    assert code == 0 and json.loads(out)["encrypted"] is True
    code, _, err = verify(tmp_path / "b")
    assert code == 1 and "encrypted" in err
    code, _, err = verify(tmp_path / "b", "--backup-key-file", other)
    assert code == 1 and "decrypted" in err
    code, _, err = harness.run("restore", tmp_path / "b", "--data", tmp_path / "r", "--backup-key-file",
                               other)
    assert code == 1 and not (tmp_path / "r").exists() and not (tmp_path / "r.restoring").exists(), err


def test_backup_without_a_usable_key_writes_no_file(tmp_path):
    short = tmp_path / "short.key"
    short.write_text("abc\n", encoding="utf-8")
    short.chmod(0o600)
    with harness.Server(tmp_path / "data") as server:
        for key in (tmp_path / "missing.key", short):
            code, _, err = harness.run("backup", tmp_path / "b", "--data", server.data, "--backup-key-file",
                                       key)
            assert (code, (tmp_path / "b").exists()) == (1, False) and str(key) in err, err
        backup(tmp_path / "plain", "--data", server.data)
        for verb in (["verify"], ["restore", "--data", tmp_path / "r"]):
            code, _, err = harness.run(*verb, tmp_path / "plain", "--backup-key-file",
                                       tmp_path / "missing.key")
            assert code == 1 and "backup key" in err, err


def test_failed_report_and_rotation_exit_with_an_error(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        code, out, err = harness.run("report", "write", "7", "--output", tmp_path / "r.html", "--data",
                                     server.data)
        assert (code, out, (tmp_path / "r.html").exists()) == (1, "", False) and "concert" in err, err
    code, out, err = harness.run("keys", "rotate", "--data", tmp_path / "data", "--keys", "/proc/none")
    assert (code, out) == (1, "") and "key folder" in err, err


def test_scheduled_backups_are_written_and_pruned(tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in ("maejin-20200101T000000Z.backup", "maejin-20200102T000000Z.backup", "notes.txt"):
        (folder / name).touch()
    flags = ["--backup-folder", folder, "--backup-keep", "2", "--data", tmp_path / "data"]
    _, out, _ = harness.run("doctor", *flags)
    assert re.search(r"warning +backup +.*minutes old", out), out
    with harness.Server(tmp_path / "data", *flags[:4]) as server:
        harness.until(lambda: harness.metric(server.client(), "maejin_backups_written_total") == 1)
        assert 0 <= harness.metric(server.client(), "maejin_backup_age_seconds") < 60
        assert harness.metric(server.client(), "maejin_backup_bytes") > 0
        harness.until(lambda: not (folder / "maejin-20200101T000000Z.backup").exists())
    names = sorted(each.name for each in folder.iterdir())
    assert len(names) == 3 and names[0] == "maejin-20200102T000000Z.backup" and names[2] == "notes.txt"
    assert verify(folder / names[1])[0] == 0
    _, out, _ = harness.run("doctor", *flags)
    assert re.search(r"ok +backup", out), out


def test_failed_scheduled_backup_is_counted_and_the_server_goes_on(tmp_path):
    (tmp_path / "file").touch()
    with harness.Server(tmp_path / "data", "--backup-folder", tmp_path / "file" / "x") as server:
        harness.until(lambda: harness.metric(server.client(), "maejin_backups_failed_total") == 1)
        assert server.client().get("/readyz").status == 200
        assert harness.metric(server.client(), "maejin_backup_age_seconds") == -1


@pytest.mark.parametrize("words,expected", [
    (["backup", "b", "--data", "missing"], "no database"),
    (["verify", "missing"], "cannot read"),
    (["restore", "missing", "--data", "new"], "cannot read"),
])
def test_missing_file_or_folder_is_an_error(tmp_path, words, expected):
    code, _, err = harness.run(*words, cwd=tmp_path)
    assert code == 1 and expected in err, err


def test_restore_refuses_a_folder_in_use(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        backup(tmp_path / "b", "--data", server.data)
        code, _, err = harness.run("restore", tmp_path / "b", "--data", server.data)
        assert code == 1 and "not empty" in err


def test_shared_database_is_restored_from_a_backup_taken_during_a_sale(tmp_path):
    """With Redis and MariaDB: an export of one moment, restored to an empty database on another server."""
    file, seats = tmp_path / "night.backup", 60
    with contextlib.ExitStack() as parts:
        redis = parts.enter_context(redis_server.Redis(tmp_path))
        (tmp_path / "one").mkdir(), (tmp_path / "two").mkdir()
        database, other = (back_ends.mariadb(tmp_path / name, parts) for name in ("one", "two"))
        with harness.Server(tmp_path / "data", "--redis", redis.patient_url, "--mysql",
                            database.url()) as server:
            concert = harness.create_concert(server.admin(), seats=seats, room="none", title="It's \\ 밤'",
                                             maxSeatsPerUser=0)
            schedule, client = concert["schedules"][0]["id"], server.client()

            def buy(seat):
                held = client.post("/api/v1/reservations", {
                    "scheduleId": schedule, "seats": [seat], "userId": f"fan {seat}"})
                if held.status != 201:
                    return None
                paid = client.post(f"/api/v1/reservations/{held.json['reservationId']}/payment",
                                   {"amount": held.json["amount"]}, headers={"X-User-Id": f"fan {seat}"})
                return held.json["reservationId"] if paid.status == 200 else None

            before = {seat: buy(seat) for seat in range(1, 31)}
            late = {}
            selling = threading.Thread(target=lambda: late.update((s, buy(s)) for s in range(31, seats + 1)))
            selling.start()
            taken = backup(file, "--mysql", database.url())
            selling.join()
            assert all(before.values()) and all(late.values()) and taken["rows"] > 100
        code, out, err = verify(file)
        assert code == 0 and json.loads(out)["rows"] == taken["rows"], err
        for number in range(5):
            assert verify(flipped(file, number))[0] == 1, "a flipped byte was not found"
        code, _, err = harness.run("restore", file, "--data", tmp_path / "folder")
        assert code == 1 and "--mysql" in err
        code, _, err = harness.run("restore", file, "--mysql", database.url())
        assert code == 1 and "not empty" in err
        code, _, err = harness.run("restore", file, "--mysql", other.url())
        assert code == 0, err
        scheduled = tmp_path / "scheduled"
        with harness.Server(tmp_path / "restored", "--redis", redis.patient_url, "--mysql", other.url(),
                            "--backup-folder", scheduled) as server:
            check_restored_database(server, schedule, before, late)
            harness.until(lambda: harness.metric(server.client(), "maejin_backups_written_total") == 1)
        code, out, err = verify(*scheduled.glob("maejin-*.backup"))
        assert code == 0 and json.loads(out)["rows"] >= taken["rows"] - len(late), err


SKIPPED = {"concerts.id": 10_000, "schedules.id": 10_000, "reservations.number": 10_000_000,
           "payments.number": 10_000_000, "events.number": 100_000_000}


def highest_number(database, column):
    return database.number(f"SELECT MAX({column}) FROM {column.split('.')[0]}")


def next_number(database, column):
    return database.number("SELECT auto_increment FROM information_schema.tables WHERE "
                           f"table_schema = 'maejin' AND table_name = '{column.split('.')[0]}'")


@pytest.mark.parametrize("break_it,mend_it", [
    ("REVOKE ALTER ON maejin.* FROM maejin@'%'", "GRANT ALTER ON maejin.* TO maejin@'%'"),
    ("CREATE TRIGGER broken BEFORE INSERT ON seats FOR EACH ROW SIGNAL SQLSTATE '45000'",
     "DROP TRIGGER broken"),
], ids=["at the next numbers", "at the rows"])
def test_restore_to_a_database_that_failed_can_be_repeated(tmp_path, break_it, mend_it):
    """A step that fails stands for a crash there. The numbers are raised first, and outlive a kill -9 of the
    database after the rows with lower ones."""
    file = tmp_path / "b"
    with contextlib.ExitStack() as parts:
        redis = parts.enter_context(redis_server.Redis(tmp_path))
        (tmp_path / "one").mkdir(), (tmp_path / "two").mkdir()
        database, other = (back_ends.mariadb(tmp_path / name, parts) for name in ("one", "two"))
        with harness.Server(tmp_path / "data", "--redis", redis.patient_url, "--mysql",
                            database.url()) as server:
            harness.buy(server.client(), harness.create_concert(server.admin(), seats=2), 1, "fan")
        backup(file, "--mysql", database.url())
        assert harness.run("migrate", "--mysql", other.url())[0] == 0
        other.sql(break_it)
        code, _, err = harness.run("restore", file, "--mysql", other.url())
        assert code == 1 and "cannot restore the database" in err, err
        assert other.number("SELECT (SELECT COUNT(*) FROM concerts) + (SELECT COUNT(*) FROM audit)") == 0
        other.sql(mend_it)
        code, _, err = harness.run("restore", file, "--mysql", other.url())
        assert code == 0, err
        other.kill()
        other.start()
        for column, skipped in SKIPPED.items():
            assert next_number(other, column) >= highest_number(database, column) + skipped, column
        assert other.number("SELECT COUNT(*) FROM reservations WHERE status = 'CONFIRMED'") == 1


def check_restored_database(server, schedule, before, late):
    client, admin = server.client(), server.admin()
    rows = {each["reservationId"]: each for each in
            admin.get("/api/v1/admin/reservations?limit=1000").json["reservations"]}
    for seat, reservation in before.items():
        assert rows[reservation]["status"] == "CONFIRMED" and rows[reservation]["seats"] == [seat]
    states = {each["number"]: each["status"]
              for each in client.get(f"/api/v1/schedules/{schedule}/seats").json["seats"]}
    seat_states = {None: "AVAILABLE", "HELD": "HELD", "CONFIRMED": "ASSIGNED"}
    for seat, reservation in late.items():
        status = rows[reservation]["status"] if reservation in rows else None
        assert states[seat] == seat_states[status], "seats and reservations are of one moment"
    assert client.get("/api/v1/concerts").json["concerts"][0]["title"] == "It's \\ 밤'"
    new = harness.create_concert(admin, seats=1, room="none")
    assert new["id"] > 10_000
    assert [row for row in admin.get("/api/v1/admin/audit").json["entries"]
            if row["action"] == "backup.restore"]

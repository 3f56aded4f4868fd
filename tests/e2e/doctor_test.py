"""`maejin doctor --sale` and the server's readiness: a ready sale passes, and each check of the table finds
its planted defect."""
import contextlib
import datetime
import json
import re
import sqlite3
import subprocess

import back_ends
import harness
import pytest
import redis_server
import sandbox_pay
import tls_test
import watching  # deploy/, on the path through harness
import webhook_receiver

READINESS = "/api/v1/admin/readiness"

# A nearly full disk, a slow fsync, a clock that is not synchronised: as the environment says.
PLANTED = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>
int statvfs(const char* path, struct statvfs* out) {
  memset(out, 0, sizeof *out);
  out->f_frsize = 4096;
  out->f_bavail = getenv("PLANT_DISK") ? 1000 : 1 << 28;
  return 0;
}
int fdatasync(int fd) {
  (void)fd;
  if (getenv("PLANT_FSYNC")) usleep(30000);
  return 0;
}
int adjtimex(struct timex* out) { return getenv("PLANT_CLOCK") ? TIME_ERROR : TIME_OK; }
"""


@pytest.fixture(scope="module", name="library")
def fixture_library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    (folder / "planted.c").write_text(PLANTED, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "planted.so", folder / "planted.c"], check=True)
    return folder / "planted.so"


def findings(text):
    found = {}
    for each in json.loads(text):
        assert each["meaning"], each
        # Several findings of one name: the worst counts.
        before = found.get(each["about"], ("ok", ""))
        worse = ["ok", "warning", "bad"].index(each["health"]) >= ["ok", "warning", "bad"].index(before[0])
        found[each["about"]] = (each["health"], each["sentence"]) if worse else before
    return found


def doctor(*flags, env=None):
    code, out, err = harness.run("doctor", "--json", *flags, env=env)
    assert not err, err
    found = findings(out)
    assert code == (1 if "bad" in {health for health, _ in found.values()} else 0)
    return found


def moment(hour_utc):
    day = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=3)
    return day.strftime(f"%Y-%m-%dT{hour_utc:02}:00:00Z")


@pytest.fixture(scope="module", name="sale")
def fixture_sale(tmp_path_factory):
    """A server with a payment sandbox, a webhook and a rehearsal; every test makes its own concert."""
    folder = tmp_path_factory.mktemp("sale")
    sandbox = sandbox_pay.Sandbox(folder)
    with harness.Server(folder / "data", "--payment-provider", "sandbox", "--payment-sandbox-url",
                        f"http://127.0.0.1:{sandbox.port}", "--webhooks-allow-private", "true") as server:
        server.receiver = webhook_receiver.Receiver()
        yield server
    sandbox.process.kill()
    sandbox.process.wait()


LIMITS = {"maxSeatsPerUser": 4, "cooldownSeconds": 60}


def concert(server, opens_at=moment(11), **fields):
    wish = {"opened": False, "seats": 10, "bookingOpenAt": opens_at, **LIMITS, **fields}
    return harness.create_concert(server.admin(), **wish)["id"]


def check(server, sale):
    return doctor("--data", server.data, "--sale", sale)


def test_sale_without_defects_is_ready(sale):
    found = check(sale, concert(sale))
    assert found["opening"][0] == "ok" and "20:00 Asia/Seoul" in found["opening"][1], found
    assert found["room"][0] == found["gate"][0] == found["webhooks"][0] == "ok", found
    assert found["payment"] == ("warning", found["payment"][1]) and "not real" in found["payment"][1]
    expected = set(watching.CHECKS) - {"limits", "certificate", "redis", "database"}
    assert set(found) == expected, "without TLS, Redis and MariaDB"
    answer = sale.admin().get(f"{READINESS}?sale={concert(sale)}").json
    assert answer["ready"] is True and answer["findings"][0]["about"] == "opening"
    without = {each["about"] for each in sale.admin().get(READINESS).json["findings"]}
    assert without == expected - {"opening", "room", "rehearsal", "gate", "webhooks", "payment"}


def test_wrong_admin_key_is_named(sale, tmp_path):
    key = tmp_path / "wrong.key"
    key.write_text("k" * 40 + "\n", encoding="utf-8")
    key.chmod(0o600)
    expected = ("bad", f"the server refuses the key of {key}")
    for words in ([], ["--sale", concert(sale)]):
        code, out, _ = harness.run("doctor", "--json", "--data", sale.data, "--admin-key-file", key, *words)
        found = [(each["health"], each["sentence"]) for each in json.loads(out)
                 if each["about"] == "admin key"]
        assert (code, found) == (1, [expected]), out


def test_unknown_sale_and_missing_server(sale, tmp_path):
    assert check(sale, 999999)["opening"][0] == "bad"
    assert doctor("--data", tmp_path / "none", "--sale", 1)["data"][0] == "bad"
    assert harness.run("doctor", "--sale", "x")[0] == 2
    assert sale.admin().get(f"{READINESS}?sale=x").code == "invalid-field"
    assert sale.admin().get(f"{READINESS}?sale=999999").code == "concert-not-found"


def test_opening_defects_are_found(sale):
    assert check(sale, concert(sale, opens_at=None))["opening"][0] == "warning"
    health, sentence = check(sale, concert(sale, opens_at=moment(18)))["opening"]
    assert health == "warning" and "03:00 Asia/Seoul" in sentence and "time zone" in sentence
    cancelled = concert(sale)
    assert sale.admin().post(f"/api/v1/concerts/{cancelled}/cancel").status == 200
    assert check(sale, cancelled)["opening"][0] == "bad"


@pytest.mark.parametrize("defect,health", [({"state": "closed"}, "bad"), ({"draining": True}, "bad")])
def test_room_defects_are_found(sale, defect, health):
    made = concert(sale)
    assert sale.admin().call("PUT", f"/api/v1/rooms/{made}", defect).status == 200
    assert check(sale, made)["room"][0] == health


def test_paused_room_and_missing_room_are_found(sale):
    made = harness.create_concert(sale.admin(), seats=10)["id"]
    assert sale.admin().call("PUT", f"/api/v1/rooms/{made}", {"state": "paused"}).status == 200
    assert check(sale, made)["room"][0] == "bad"
    assert check(sale, concert(sale, room="none"))["room"][0] == "warning"


def test_gate_without_limits_is_found(sale):
    health, sentence = check(sale, concert(sale, maxSeatsPerUser=0))["gate"]
    assert health == "warning" and "maxSeatsPerUser" in sentence
    made = concert(sale)
    sale.admin().call("PUT", f"/api/v1/rooms/{made}", {"joinsPerAddressPerMinute": None})
    assert "joinsPerAddressPerMinute" in check(sale, made)["gate"][1]


def test_rehearsal_defects_are_found(sale):
    """None, one that is too small, one that did not sell out."""
    made = concert(sale)
    assert "never rehearsed" in check(sale, made)["rehearsal"][1]
    code, _, err = harness.run("rehearse", "--data", sale.data, "--fans", 30, "--seats", 20, "--capacity",
                               10, "--opens-in", 1, "--arrive-within", 1, "--think-ms", 10, "--json")
    assert code == 0, err
    health, sentence = check(sale, made)["rehearsal"]
    assert health == "warning" and "capacity 10; this sale has 800" in sentence, sentence
    sale.admin().call("PUT", f"/api/v1/rooms/{made}", {"capacity": 10})
    assert check(sale, made)["rehearsal"][0] == "ok"
    harness.create_concert(sale.admin(), seats=3, title="Rehearsal 2026-11-17", artist="maejin rehearse",
                           listed=False)
    health, sentence = check(sale, made)["rehearsal"]
    assert health == "warning" and "not sold out" in sentence


def test_webhook_defects_are_found(sale):
    made, admin = concert(sale), sale.admin()
    hook = admin.post("/api/v1/admin/webhooks", {"url": sale.receiver.url(), "types": ["webhook.test"]}).json
    path = f"/api/v1/admin/webhooks/{hook['id']}"
    health, sentence = check(sale, made)["webhooks"]
    assert health == "warning" and "send a test" in sentence
    assert admin.post(path + "/test").status in (200, 202)
    harness.until(lambda: check(sale, made)["webhooks"][0] == "ok")
    assert admin.call("PATCH", path, {"status": "disabled"}).status == 200
    health, sentence = check(sale, made)["webhooks"]
    assert health == "bad" and f"{hook['id']}" in sentence
    assert admin.call("DELETE", path).status == 204


def test_unreachable_payment_provider_is_found(tmp_path):
    flags = ["--payment-provider", "sandbox", "--payment-sandbox-url", "http://127.0.0.1:1"]
    with harness.Server(tmp_path / "data", *flags) as server:
        assert check(server, concert(server))["payment"][0] == "bad"
    with harness.Server(tmp_path / "instant") as server:
        health, sentence = check(server, concert(server))["payment"]
        assert health == "warning" and "no money" in sentence


@pytest.mark.parametrize("about", ["disk", "fsync", "clock"])
def test_machine_defects_are_found(tmp_path, library, about):
    environment = {"LD_PRELOAD": str(library)}
    assert doctor("--data", tmp_path / "d", env=environment)[about][0] == "ok"
    planted = {**environment, f"PLANT_{about.upper()}": "1"}
    assert doctor("--data", tmp_path / "d", env=planted)[about][0] == "warning"


def test_configuration_data_files_and_key_defects_are_found(tmp_path):
    code, _, err = harness.run("doctor", "--tls-cert-file", "a")
    assert code == 2 and "tls.key-file" in err, "configuration"
    (tmp_path / "file").touch()
    assert doctor("--data", tmp_path / "file" / "x")["data"][0] == "bad"
    found = doctor("--data", tmp_path / "d", "--http-connections", "10000000")
    assert found["files"][0] == "warning" and "ulimit -n" in found["files"][1]
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef\n", encoding="utf-8")
    key.chmod(0o640)
    assert doctor("--data", tmp_path / "d", "--admin-key-file", key)["admin key"][0] == "warning"


def test_audit_users_backup_and_certificate_defects_are_found(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        harness.create_concert(server.admin(), seats=1)
    assert doctor("--data", tmp_path / "data")["audit"][0] == "ok"
    with sqlite3.connect(tmp_path / "data/maejin.db") as database:
        database.execute("UPDATE audit SET detail = '{}' WHERE id = 1")
    assert doctor("--data", tmp_path / "data")["audit"][0] == "bad"
    secret = tmp_path / "users.key"
    secret.write_text("0123456789abcdef0123456789abcdef\n", encoding="utf-8")
    secret.chmod(0o600)
    signed = ["--auth-users", "signed", "--auth-key-file", secret]
    assert doctor("--data", tmp_path / "d", *signed)["users"][0] == "warning"
    assert doctor("--data", tmp_path / "d", *signed, "--auth-issuer", "i", "--auth-audience",
                  "a")["users"][0] == "ok"
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups/maejin-20200101T000000Z.backup").touch()
    assert doctor("--data", tmp_path / "data", "--backup-folder",
                  tmp_path / "backups")["backup"][0] == "warning"
    cert, key = tls_test.make_certificate(tmp_path, "short", days=5)
    tls = ["--tls-cert-file", cert, "--tls-key-file", key]
    assert doctor("--data", tmp_path / "d", *tls)["certificate"][0] == "warning"
    _, other = tls_test.make_certificate(tmp_path, "other")
    assert doctor("--data", tmp_path / "d", *tls[:3], other)["certificate"][0] == "bad"


def test_concerts_without_limits_are_found(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        harness.create_concert(server.admin(), seats=1, **LIMITS)
        assert doctor("--data", server.data)["limits"][0] == "ok"
        harness.create_concert(server.admin(), seats=1)
        assert doctor("--data", server.data)["limits"][0] == "warning"


def test_redis_defects_are_found(tmp_path):
    (tmp_path / "good").mkdir(), (tmp_path / "bad").mkdir()
    with redis_server.Redis(tmp_path / "bad", "--maxmemory-policy", "allkeys-lru") as redis:
        found = harness.run("doctor", "--json", "--data", tmp_path / "d", "--redis", redis.url)[1]
        assert "noeviction" in found and findings(found)["redis"][0] == "bad"
        assert "append-only file off" in found


def test_database_defects_are_found_by_a_node_of_a_cluster(tmp_path_factory, tmp_path):
    with contextlib.ExitStack() as parts:
        redis = parts.enter_context(redis_server.Redis(tmp_path))
        database = back_ends.mariadb(tmp_path_factory.mktemp("database"), parts)
        flags = ["--redis", redis.patient_url, "--mysql", database.url()]
        with harness.Server(tmp_path / "data", *flags) as server:
            made = concert(server)
            assert check(server, made)["database"][0] in ("ok", "warning")
            database.sql("SET GLOBAL innodb_flush_log_at_trx_commit = 2")
            health, sentence = check(server, made)["database"]
            assert health == "bad" and "innodb_flush_log_at_trx_commit" in sentence


@pytest.mark.parametrize("setting", [
    "--site-logo", "--webhooks-ca-file", "--payment-refund-ca-file", "--backup-key-file",
    "--payment-callback-secret-file"
])
def test_missing_file_of_a_setting_is_found(tmp_path, setting):
    callback = ["--payment-provider", "callback"]
    good = doctor("--data", tmp_path / "d", *callback)["named files"]
    found = doctor("--data", tmp_path / "d", *callback, setting, tmp_path / "missing")["named files"]
    assert (good[0], found[0]) == ("ok", "bad")
    assert str(tmp_path / "missing") in found[1]


@pytest.mark.parametrize("setting", ["--auth-key-file", "--auth-jwks"])
def test_missing_key_of_user_tokens_is_found(tmp_path, setting):
    found = doctor("--data", tmp_path / "d", "--auth-users", "signed", setting, tmp_path / "missing")
    assert found["users"][0] == "bad" and str(tmp_path / "missing") in found["users"][1]


def test_every_check_of_the_table_has_its_planted_defect():
    text = open(__file__, encoding="utf-8").read()
    assert {name for name in watching.CHECKS if not re.search(rf'"{name}"', text)} == set()

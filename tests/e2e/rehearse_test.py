"""`maejin rehearse` sells a test concert on a running server, audits it, and cancels it."""
import json
import resource
import signal
import subprocess

import harness
import pytest
import sandbox_pay

SMALL = ("--fans", 24, "--seats", 8, "--capacity", 8, "--opens-in", 1, "--arrive-within", 0, "--think-ms",
         100, "--seed", 3, "--hold-seconds", 1)
TINY = ("--fans", 6, "--seats", 4, "--opens-in", 0, "--arrive-within", 0, "--think-ms", 0, "--hold-seconds",
        1)
BROKEN, INCOMPLETE = 3, 4


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("rehearse") / "data") as running:
        yield running


def url(server):
    return f"http://127.0.0.1:{server.port}"


def rehearse(server, *flags, **more):
    return harness.run("rehearse", "--url", url(server), "--admin-key-file", server.data / "admin.key",
                       *flags, **more)


def read(server, path):
    return server.client().get(path).json


def test_small_rehearsal_sells_out_is_audited_and_cleaned_up(server):
    mine = harness.create_concert(server.admin(), seats=3)
    code, out, err = rehearse(server, *SMALL)
    assert code == 0, out + err
    assert "Sold out in " in out and "seats a second" in out
    assert "PASSED: sold out, and every invariant holds" in out
    assert "BROKEN" not in out
    for step in ("join", "poll", "enter", "hold", "pay"):
        assert f"\n{step} " in out, f"the latency of {step} is told"
    assert [each["id"] for each in read(server, "/api/v1/concerts")["concerts"]] == [mine["id"]]
    rehearsal = server.admin().get("/api/v1/admin/concerts").json["concerts"][-1]
    assert rehearsal["title"].startswith("Rehearsal 20") and rehearsal["status"] == "CANCELLED"
    assert f"concert {rehearsal['id']}, unlisted and cancelled" in out
    assert read(server, f"/api/v1/rooms/{rehearsal['id']}/serving")["state"] == "closed"
    assert read(server,
                f"/api/v1/concerts/{mine['id']}")["availableSeats"] == 3, "other concerts are not touched"


def test_json_report_equals_text_report_and_fans_share_connections(server):
    sold = harness.create_concert(server.admin(), seats=1, room="none")
    held = server.client().post("/api/v1/reservations", {
        "scheduleId": sold["schedules"][0]["id"], "seats": [1], "userId": "ann"})
    assert harness.pay(server.client(), held.json, "ann").json["concertSoldOut"]
    code, out, err = rehearse(server, *SMALL, "--dates", 2, "--connections", 3, "--keep", "--json")
    assert code == 0, out + err
    report = json.loads(out)
    assert report["verdict"] == "passed" and report["soldOut"] and report["ended"] is None
    assert (report["fans"], report["seats"], report["dates"], report["seatsPaid"]) == (24, 8, 2, 8)
    assert report["connections"] == 3
    assert [check["name"] for check in report["checks"] if check["problems"]] == []
    assert {check["invariant"]
            for check in report["checks"]} == {"I1", "I2", "I3", "I4", "I5", "I6", "I10", "I11"}
    compared = {check["name"]: check["compared"] for check in report["checks"]}
    assert compared["ranking"] == 4, "the sell-out of another sale, on four boards"
    assert compared["no-public-row"] == 9 and compared["order"] > 0
    steps = {step["step"]: step for step in report["steps"]}
    # A hold lasts a second: on a busy machine some expire before the payment.
    assert steps["pay"]["byStatus"]["200"] > 0 and sum(
        steps["pay"]["byStatus"].values()) == steps["pay"]["answers"]
    assert 0 < steps["poll"]["p50Micros"] <= steps["poll"]["p99Micros"] <= steps["poll"]["maxMicros"]
    kept = read(server, f"/api/v1/concerts/{report['concertId']}")
    assert kept["status"] == "SOLD_OUT" and len(kept["schedules"]) == 2
    assert kept["ranking"] is None
    row = server.client().get(f"/api/v1/rankings/soldout/concerts/{report['concertId']}?window=all")
    assert row.status == 404, "a rehearsal is on no board"
    assert "opens in" in err, "progress goes to standard error"


def test_rehearsal_finds_the_server_of_the_data_folder(server):
    code, out, err = harness.run("rehearse", "--data", server.data, *TINY)
    assert code == 0, out + err


def test_rehearsal_without_a_server_fails_with_a_message(tmp_path, server):
    code, _, err = harness.run("rehearse", "--url", "http://127.0.0.1:1", "--admin-key-file",
                               server.data / "admin.key")
    assert code == 1 and "the server does not answer: http://127.0.0.1:1" in err
    code, _, err = harness.run("rehearse", "--data", tmp_path / "none")
    assert code == 1 and "give one with --url" in err


def test_rehearsal_with_a_wrong_key_creates_nothing(tmp_path, server):
    before = len(read(server, "/api/v1/concerts")["concerts"])
    (tmp_path / "wrong.key").write_text("0123456789abcdef0123456789abcdef\n", encoding="utf-8")
    (tmp_path / "wrong.key").chmod(0o600)
    code, _, err = harness.run("rehearse", "--url", url(server), "--admin-key-file", tmp_path / "wrong.key")
    assert code == 1 and "does not accept the admin key" in err and "wrong.key" in err
    code, _, err = harness.run("rehearse", "--url", url(server), "--admin-key-file", tmp_path / "missing.key")
    assert code == 1 and "missing.key" in err
    assert len(read(server, "/api/v1/concerts")["concerts"]) == before


@pytest.mark.parametrize("flags, told", [
    (("--fans", "many"), "--fans must be a whole number"),
    (("--seats", 5, "--dates", 2), "--seats must be a multiple of --dates"),
    (("--url", "https://tickets.example"), "--url must be http://ADDRESS:PORT"),
    (("--url", "http://127.0.0.1:8080/shop"), "--url must be http://ADDRESS:PORT"),
])
def test_rehearsal_with_invalid_arguments_is_a_usage_error(flags, told):
    code, _, err = harness.run("rehearse", *flags)
    assert code == 2 and told in err


def test_rehearsal_beyond_limits_names_them_and_creates_nothing(server):
    before = len(read(server, "/api/v1/concerts")["concerts"])
    code, _, err = rehearse(server, "--connections", 1000)
    assert code == 1 and "http.connections-per-address = 1000" in err
    limited = subprocess.run([harness.BINARY, "rehearse", "--data", server.data, "--connections", "300"],
                             text=True, capture_output=True, check=False, env=harness.clean_environment(),
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)))
    assert limited.returncode == 1
    assert "364 open files, but the limit is 256: raise `ulimit -n`" in limited.stderr
    assert len(read(server, "/api/v1/concerts")["concerts"]) == before


def test_rehearsal_refuses_a_real_payment_provider(tmp_path):
    with harness.Server(tmp_path / "data", "--payment-provider", "callback") as server:
        code, _, err = rehearse(server, *SMALL)
        assert code == 1 and 'payment.provider = "callback"' in err and "real money" in err
        assert read(server, "/api/v1/concerts")["concerts"] == []


def test_rehearsal_reconciles_sandbox_faults(tmp_path):
    with sandbox_pay.Sandbox(tmp_path) as sandbox, \
            harness.Server(tmp_path / "data", *sandbox.settings(**{"payment-deadline-seconds": 1})) as server:
        sandbox.set_faults(lostPercent=30, declinedPercent=15)
        code, out, err = rehearse(server, "--fans", 30, "--seats", 8, "--opens-in", 0, "--arrive-within", 0,
                                  "--think-ms", 50, "--hold-seconds", 2, "--json")
        assert code == 0, out + err
        report = json.loads(out)
        charges = sandbox.charges().values()
        assert report["refusals"].get("payment-declined", 0) <= sum(charge["status"] == "DECLINED"
                                                                    for charge in charges)
        assert len(charges) >= report["seatsPaid"] // 2, "money was asked for: at most two seats a payment"


def test_rehearsal_fans_sign_user_tokens_if_users_are_signed(tmp_path):
    key = tmp_path / "users.key"
    key.write_text("a secret that both sides know, 32 bytes\n", encoding="utf-8")
    with harness.Server(tmp_path / "data", "--auth-users", "signed", "--auth-key-file", key) as server:
        code, _, err = rehearse(server, *TINY)
        assert code == 1 and "--auth-key-file" in err and "signed user tokens" in err
        code, out, err = rehearse(server, *TINY, "--auth-key-file", key)
        assert code == 0, out + err


class Running:
    """A running rehearsal."""

    def __init__(self, server, *flags):
        self.process = subprocess.Popen([
            harness.BINARY, "rehearse", "--url",
            url(server), "--admin-key-file",
            str(server.data / "admin.key"), "--json", *map(str, flags)
        ], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=harness.clean_environment(),
                                        preexec_fn=harness.die_with_parent)

    def end(self, timeout=240):
        out, err = self.process.communicate(timeout=timeout)
        assert out, err
        return self.process.returncode, json.loads(out)


def sold(server):
    """Count of taken seats of the newest concert."""
    concerts = server.admin().get("/api/v1/admin/concerts").json["concerts"]
    return concerts[-1]["totalSeats"] - concerts[-1]["availableSeats"] if concerts else 0


def test_rehearsal_ended_by_a_signal_reports_as_incomplete(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        running = Running(server, "--fans", 30, "--seats", 500, "--capacity", 2, "--opens-in", 0,
                          "--hold-seconds", 1)
        harness.until(lambda: sold(server) > 0)
        running.process.send_signal(signal.SIGINT)
        code, report = running.end()
        assert code == INCOMPLETE and report["verdict"] == "incomplete"
        assert report["ended"] == "interrupted" and not report["soldOut"]
        assert [check["name"] for check in report["checks"] if check["problems"]] == []
        assert read(server, f"/api/v1/concerts/{report['concertId']}")["status"] == "CANCELLED"


def test_sale_changed_by_an_outsider_fails_the_audit(tmp_path):
    with harness.Server(tmp_path / "data") as server:
        running = Running(server, "--fans", 40, "--seats", 40, "--capacity", 4, "--opens-in", 0,
                          "--arrive-within", 0, "--think-ms", 600, "--hold-seconds", 2)
        confirmed = "/api/v1/admin/reservations?status=CONFIRMED"
        paid = harness.until(lambda: server.admin().get(confirmed).json["reservations"])[0]
        refunded = server.client().call("DELETE", f"/api/v1/reservations/{paid['reservationId']}",
                                        headers={"X-User-Id": paid["userId"]})
        assert refunded.status == 200, refunded
        code, report = running.end()
        assert code == BROKEN and report["verdict"] == "failed" and report["soldOut"]
        broken = {check["name"]: check["examples"] for check in report["checks"] if check["problems"]}
        assert set(broken) == {"lost-reservation", "double-sale"}, "its seat was sold once more"
        assert paid["reservationId"] in broken["lost-reservation"][0] and "REFUNDED" in broken[
            "lost-reservation"][0]


def test_rehearsal_passes_if_the_killed_server_returns(tmp_path):
    data = tmp_path / "data"
    address = f"127.0.0.1:{harness.free_port()}"
    server = harness.Server(data, listen=address)
    running = Running(server, "--fans", 160, "--seats", 120, "--capacity", 10, "--opens-in", 0,
                      "--arrive-within", 0, "--think-ms", 900, "--hold-seconds", 2)
    harness.until(lambda: sold(server) > 10)
    server.kill()
    with harness.Server(data, listen=address):
        code, report = running.end()
    assert code == 0, report
    assert report["requestsWithoutAnswer"] > 0, "the kill interrupted no request: the test shows nothing"
    assert report["seatsPaid"] + report["unknown"]["paymentsSold"] >= 120


def test_rehearsal_is_incomplete_if_the_server_never_returns(tmp_path):
    server = harness.Server(tmp_path / "data")
    running = Running(server, "--fans", 20, "--seats", 500, "--capacity", 2, "--opens-in", 0,
                      "--arrive-within", 0)
    harness.until(lambda: sold(server) > 0)
    server.kill()
    running.process.send_signal(signal.SIGINT)
    code, report = running.end()
    assert code == INCOMPLETE and "state could not be read" in report["ended"]
    assert report["checks"] == [] and "Cleaning up failed" in report["leftBehind"]

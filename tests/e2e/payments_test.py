"""Payments through a provider: the sandbox over real HTTP, and an operator's service with callbacks."""
import contextlib
import hashlib
import hmac
import http.client
import http.server
import json
import ssl
import stat
import subprocess
import threading
import time

import pytest

import back_ends
import harness
import openapi
import redis_server
import cluster as clusters  # in deploy/, where harness.py looks
import sandbox_pay


@pytest.fixture(scope="module", params=["embedded", "mariadb"])
def back_end(request):
    """The back ends: every sandbox test runs on each."""
    return request.param


@pytest.fixture(scope="module")
def sandbox(back_end, tmp_path_factory):
    with sandbox_pay.Sandbox(tmp_path_factory.mktemp(f"sandbox-{back_end}")) as running:
        yield running


@contextlib.contextmanager
def server_on(back_end, folder, settings):
    """A running server, and its database (None where it is embedded)."""
    database = None
    with contextlib.ExitStack() as parts:
        if back_end == "mariadb":
            database, redis = clusters.MariaDb(folder), clusters.Redis(folder)
            for part in (database, redis):
                parts.callback(part.kill)
                part.start()
            database.create_database()
            settings = [*settings, "--mysql", database.url(parameters=back_ends.PATIENT), "--redis",
                        redis.url + redis_server.PATIENT]
        yield parts.enter_context(harness.Server(folder / "data", *settings)), database


@pytest.fixture(scope="module")
def shop(back_end, sandbox, tmp_path_factory):
    """A server whose money is taken by the sandbox, and that waits a second for it."""
    settings = sandbox.settings(**{"payment-deadline-seconds": 1})
    with server_on(back_end, tmp_path_factory.mktemp(f"shop-{back_end}"), settings) as (running, database):
        running.audit = lambda: (sandbox_pay.audit_mariadb(sandbox, database) if back_end == "mariadb"
                                 else sandbox_pay.audit(sandbox, running.data))
        yield running


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("caller") / "data", "--payment-provider",
                        "callback") as running:
        yield running


@pytest.fixture(scope="module")
def caller_on_mariadb(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mariadb")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags("mariadb", folder, parts)
        yield parts.enter_context(harness.Server(folder / "data", "--payment-provider", "callback", *flags))


def on_sale(server, seats=4, **more):
    concert = harness.create_concert(server.admin(), seats=seats, room="none", **more)
    return concert["schedules"][0]["id"]


def try_hold(server, schedule, seat, user):
    return server.client().post("/api/v1/reservations",
                                {"scheduleId": schedule, "seats": [seat], "userId": user})


def hold(server, schedule, seat, user="fan"):
    held = try_hold(server, schedule, seat, user)
    assert held.status == 201, held
    return held.json


def pay(server, held, method="card", **headers):
    return server.client().post(f"/api/v1/reservations/{held['reservationId']}/payment",
                                {"amount": held["amount"], "method": method},
                                {"X-User-Id": held["userId"], **headers})


def read(server, held):
    answer = server.client().get(f"/api/v1/reservations/{held['reservationId']}",
                                 **{"X-User-Id": held["userId"]})
    assert answer.status == 200, answer
    return answer.json


def settled(server, held, method="card", **headers):
    """Pays, and polls while the answer is PAYING: on a busy machine the sandbox may take longer than its
    second."""
    return harness.until(lambda: (answer := pay(server, held, method, **headers)).status != 202 and answer)


def becomes(server, held, status, payment):
    """Waits until the reservation and its payment have these states; returns the reservation."""
    def look():
        found = read(server, held)
        return found if (found["status"], found.get("paymentStatus")) == (status, payment) else None
    return harness.until(look)


# --- sandbox

def test_sandbox_payment_assigns_the_seat(shop, sandbox):
    held = hold(shop, on_sale(shop, seats=1), 1)
    paid = settled(shop, held)
    assert paid.status == 200 and paid.json["status"] == "CONFIRMED" and paid.json["concertSoldOut"] is True
    charge = sandbox.charges()[paid.json["paymentId"]]
    assert (charge["status"], charge["amount"], charge["method"]) == ("CAPTURED", held["amount"], "card")
    assert pay(shop, held).json == paid.json
    assert sandbox.charges()[paid.json["paymentId"]]["captures"] == 1


def test_a_declined_payment_leaves_the_hold_and_may_be_tried_again(shop):
    held = hold(shop, on_sale(shop), 1)
    declined = settled(shop, held, "test-declined")
    assert declined.status == 409 and declined.code == "payment-declined"
    korean = settled(shop, held, "test-declined", **{"Accept-Language": "ko"})
    assert "거절" in korean.json["detail"]
    assert read(shop, held)["status"] == "HELD" and read(shop, held)["paymentStatus"] == "FAILED"
    assert settled(shop, held).status == 200


def test_lost_provider_answer_is_paying_until_the_worker_asked(shop, sandbox):
    held = hold(shop, on_sale(shop), 1)
    under_way = pay(shop, held, "test-lost")
    assert under_way.status == 202 and under_way.json["status"] == "PAYING", under_way
    assert under_way.json["paymentStatus"] == "PENDING"
    found = becomes(shop, held, "CONFIRMED", "CAPTURED")
    assert found["paymentId"] == under_way.json["paymentId"]
    assert sandbox.charges()[found["paymentId"]]["captures"] == 1


def test_duplicate_provider_answer_reaches_no_other_payment(shop, sandbox):
    schedule = on_sale(shop, seats=20)
    for seat in range(1, 21):
        held = hold(shop, schedule, seat, f"fan-{seat}")
        paid = pay(shop, held, "test-twice" if seat % 2 else "test-declined")
        # Unknown if the duplicate closed the connection; never another payment's answer.
        assert paid.status in ((200, 202) if seat % 2 else (409, 202)), (seat, paid)
    harness.until(lambda: shop.audit() == [])


def test_provider_answer_after_the_deadline_is_found_by_the_worker(shop, sandbox):
    held = hold(shop, on_sale(shop), 1)
    assert pay(shop, held, "test-slow").status == 202
    found = becomes(shop, held, "CONFIRMED", "CAPTURED")
    assert sandbox.charges()[found["paymentId"]]["captures"] == 1


def begun(server, schedule, seat, user):
    """A held seat with a payment in flight."""
    held = hold(server, schedule, seat, user)
    assert pay(server, held).status == 202
    return held


def test_late_money_gets_its_free_seat_or_a_refund(shop, sandbox):
    schedule = on_sale(shop, holdSeconds=6)
    sandbox.set_faults(lostPercent=100)
    lucky, unlucky = [begun(shop, schedule, seat, user) for seat, user in ((1, "lucky"), (2, "unlucky"))]
    for held in (lucky, unlucky):
        becomes(shop, held, "EXPIRED", "PENDING")
    # The reservation reads EXPIRED a moment before the seat map of the node shows the seat available.
    quick = harness.until(lambda:
                          (answer := try_hold(shop, schedule, 2, "quick")).status == 201 and answer.json)
    sandbox.set_faults()
    assert settled(shop, quick).status == 200
    becomes(shop, lucky, "CONFIRMED", "CAPTURED")
    told = becomes(shop, unlucky, "EXPIRED", "REFUNDED")
    assert sandbox.charges()[told["paymentId"]]["refunds"] == 1


def test_cancelled_paid_reservation_is_refunded(shop, sandbox):
    held = hold(shop, on_sale(shop), 1)
    paid = settled(shop, held).json
    path = f"/api/v1/reservations/{held['reservationId']}"
    assert shop.client().call("DELETE", path,
                              headers={"X-User-Id": "fan"}).json["status"] in ("CANCELLED", "REFUNDED")
    becomes(shop, held, "REFUNDED", "REFUNDED")
    assert sandbox.charges()[paid["paymentId"]]["status"] == "REFUNDED"


def test_sandbox_outage_charges_no_customer_and_payments_settle_afterwards(shop, sandbox):
    schedule = on_sale(shop)
    sandbox.set_faults(down=True)
    held = [hold(shop, schedule, seat, f"fan-{seat}") for seat in (1, 2)]
    keys = [pay(shop, each).json["paymentId"] for each in held]
    assert not set(keys) & set(sandbox.charges())
    sandbox.set_faults()
    for each in held:
        becomes(shop, each, "CONFIRMED", "CAPTURED")
    harness.until(lambda: shop.audit() == [])


def test_payments_are_counted_and_timed(shop):
    text = shop.client().get("/metrics").text
    for series in ('maejin_payments_total{step="captured"}', 'maejin_payments_total{step="refunded"}',
                   'maejin_payment_provider_calls_total{call="charge",outcome="unknown"}',
                   'maejin_payment_provider_seconds_count{call="ask"}', "maejin_payments_unsettled"):
        assert series in text, series


# --- callback

def signed(server, body, secret=None, timestamp=None, signature=None):
    """An event as an operator's service sends it: (text, headers)."""
    secret = secret or (server.data / "payment.secret").read_text(encoding="utf-8").splitlines()[0]
    sent_at = str(int(time.time()) if timestamp is None else timestamp)
    text = json.dumps(body)
    made = hmac.new(secret.encode(), f"{sent_at}.{text}".encode(), hashlib.sha256).hexdigest()
    return text, {"X-Maejin-Timestamp": sent_at, "X-Maejin-Signature": signature or made}


def tell(server, body, **how):
    """Signs and sends an event."""
    text, headers = signed(server, body, **how)
    answer = server.client().post("/api/v1/payments/callback", text, headers)
    assert openapi.faults_of_answer(("POST", "/api/v1/payments/callback"), answer) == []
    return answer


def event(payment, kind="captured", event_id=None, amount=1000):
    return {"eventId": event_id or f"{kind}-{payment}", "type": kind, "paymentId": payment, "amount": amount}


def begin(server, seat=1, **more):
    held = hold(server, on_sale(server, **more), seat)
    under_way = pay(server, held)
    assert under_way.status == 202 and under_way.json["paymentStatus"] == "PENDING", under_way
    return held, under_way.json["paymentId"]


def test_callback_secret_is_created_with_mode_0600(caller):
    secret = caller.data / "payment.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert len(secret.read_text(encoding="utf-8").strip()) == 64


def test_signed_callback_assigns_the_seat(caller):
    held, payment = begin(caller)
    told = tell(caller, event(payment))
    assert told.status == 200 and told.json["status"] == "CONFIRMED", told
    assert read(caller, held)["status"] == "CONFIRMED"


def test_repeated_callback_event_is_replayed_after_a_restart(tmp_path):
    with harness.Server(tmp_path / "data", "--payment-provider", "callback") as server:
        held, payment = begin(server)
        first = tell(server, event(payment, event_id="once"))
        assert first.status == 200
        server.kill()
    with harness.Server(tmp_path / "data", "--payment-provider", "callback") as server:
        again = tell(server, event(payment, event_id="once"))
        assert again.json == first.json and again.headers["idempotent-replayed"] == "true"
        other = tell(server, event(payment, "declined", event_id="once"))
        assert other.status == 422 and other.code == "idempotency-mismatch"
        assert read(server, held)["status"] == "CONFIRMED"


def test_forged_expired_unknown_or_mismatched_callback_changes_nothing(caller):
    held, payment = begin(caller)
    now = int(time.time())
    for answer, status, code in [
            (tell(caller, event(payment), secret="x" * 64), 403, "signature-invalid"),
            (tell(caller, event(payment), signature="00"), 403, "signature-invalid"),
            (tell(caller, event(payment), timestamp=now - 400), 403, "signature-expired"),
            (tell(caller, event(payment), timestamp=now + 400), 403, "signature-expired"),
            (caller.client().post("/api/v1/payments/callback", event(payment)), 403, "signature-invalid"),
            (tell(caller, event("0" * 32)), 404, "payment-not-found"),
            (tell(caller, event("nonsense")), 404, "payment-not-found"),
            (tell(caller, event(payment, amount=999)), 409, "amount-mismatch"),
            (tell(caller, event(payment, "maybe")), 400, "invalid-field"),
            (tell(caller, {**event(payment), "more": 1}), 400, "invalid-field")]:
        assert (answer.status, answer.code) == (status, code), answer
    assert read(caller, held)["status"] == "PAYING"
    # A refused event may be sent again.
    assert tell(caller, event(payment)).status == 200


def test_declined_callback_keeps_the_hold(caller):
    held, payment = begin(caller)
    assert tell(caller, event(payment, "declined")).json["status"] == "HELD"
    second = pay(caller, held).json["paymentId"]
    assert second != payment
    assert tell(caller, event(second)).json["status"] == "CONFIRMED"


def status_of(server, held):
    told = read(server, held)
    return told["status"], told["paymentStatus"]


def listed(server, status):
    rows = server.admin().get(f"/api/v1/admin/reservations?status={status}&limit=1000").json["reservations"]
    assert {row["status"] for row in rows} <= {status}
    return {row["reservationId"] for row in rows}


@pytest.mark.parametrize("which", ["caller", "caller_on_mariadb"])
def test_refund_is_due_until_the_callback_confirms_it(request, which):
    caller = request.getfixturevalue(which)
    held, payment = begin(caller)
    tell(caller, event(payment))
    told = caller.client().call("DELETE", f"/api/v1/reservations/{held['reservationId']}",
                                headers={"X-User-Id": "fan"})
    assert told.json["status"] == "CANCELLED", "REFUNDED is a promise that only the provider can keep"
    assert status_of(caller, held) == ("CANCELLED", "REFUND_DUE")
    assert held["reservationId"] in listed(caller, "CANCELLED") and held["reservationId"] not in listed(
        caller, "REFUNDED")
    assert tell(caller, event(payment, "refunded")).json["status"] == "REFUNDED"
    assert status_of(caller, held) == ("REFUNDED", "REFUNDED")
    assert held["reservationId"] in listed(caller, "REFUNDED") and held["reservationId"] not in listed(
        caller, "CANCELLED")


def send_at_once(server, connections, bodies):
    """Sends one event on each open connection before any answer is read. A busy database may refuse one with
    503; a provider sends it again."""
    for connection, body in zip(connections, bodies):
        text, headers = signed(server, body)
        connection.request("POST", "/api/v1/payments/callback", text,
                           {"Content-Type": "application/json", **headers})
    for connection, body in zip(connections, bodies):
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status in (200, 503), text
        if answer.status == 503:
            harness.until(lambda again=body: tell(server, again).status == 200)


@pytest.mark.parametrize("back_end", ["embedded", "mariadb"])
def test_declined_and_captured_at_once_after_a_cancelled_hold_leave_a_refund_due(back_end, tmp_path):
    """`declined` must not overwrite REFUND_DUE, whichever event arrives first (I8)."""
    rounds, at_once = 20, 10
    with server_on(back_end, tmp_path,
                   ["--payment-provider", "callback"]) as (server, _), contextlib.ExitStack() as open_:
        schedule = on_sale(server, seats=rounds * at_once)
        connections = [
            open_.enter_context(
                contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)))
            for _ in range(2 * at_once)
        ]
        client, fan, lost = server.client(), {"X-User-Id": "fan"}, []
        for number in range(rounds):
            held = [hold(server, schedule, number * at_once + seat) for seat in range(1, at_once + 1)]
            payments = [pay(server, each).json["paymentId"] for each in held]
            for each in held:
                assert client.call("DELETE", f"/api/v1/reservations/{each['reservationId']}",
                                   headers=fan).status == 200
            kinds = ("declined", "captured") if number % 2 else ("captured", "declined")
            send_at_once(server, connections,
                         [event(payment, kind) for payment in payments for kind in kinds])
            lost += [each["seats"] for each in held if read(server, each)["paymentStatus"] != "REFUND_DUE"]
        assert lost == [], f"{len(lost)} of {rounds * at_once} pairs lost the captured money"


def test_the_other_providers_know_no_callback(server):
    assert server.client().post("/api/v1/payments/callback", event("0" * 32)).code == "payment-not-found"


class RefundService(http.server.BaseHTTPRequestHandler):
    """The operator's service behind payment.refund-url."""
    asked = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append((self.path, dict(self.headers), body))
        answer = json.dumps({"key": json.loads(body)["key"], "status": "REFUNDED"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def certificate(folder, name):
    """A self-signed certificate for 127.0.0.1: (certificate, key)."""
    files = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
        "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout",
        files[1]
    ], check=True, capture_output=True)
    return files


@contextlib.contextmanager
def refund_service(identity=None):
    """The operator's service, over HTTPS where it has a certificate."""
    RefundService.asked.clear()
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), RefundService)
    if identity:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*identity)
        service.socket = context.wrap_socket(service.socket, server_side=True)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    try:
        yield service
    finally:
        service.shutdown()
        service.server_close()


def refund_settings(tmp_path, url, *more):
    """The settings of a server that sends refunds to `url`, and the secret that both share."""
    secret = tmp_path / "secret"
    secret.write_text("0123456789abcdef0123456789abcdef\n", encoding="utf-8")
    secret.chmod(0o600)
    return [
        "--payment-provider", "callback", "--payment-callback-secret-file", secret,
        "--payment-deadline-seconds", "1", "--payment-refund-url", url, *more
    ], secret.read_text(encoding="utf-8").strip()


def pay_and_cancel(server, key):
    held, payment = begin(server)
    assert tell(server, event(payment), secret=key).status == 200
    server.client().call("DELETE", f"/api/v1/reservations/{held['reservationId']}",
                         headers={"X-User-Id": "fan"})
    return held, payment


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_service_with_an_address_is_asked_for_refunds(tmp_path, scheme):
    identity = certificate(tmp_path, "service") if scheme == "https" else None
    with refund_service(identity) as service:
        url = f"{scheme}://127.0.0.1:{service.server_port}/refunds"
        settings, key = refund_settings(tmp_path, url,
                                        *(["--payment-refund-ca-file", identity[0]] if identity else []))
        with harness.Server(tmp_path / "data", *settings) as server:
            held, payment = pay_and_cancel(server, key)
            becomes(server, held, "REFUNDED", "REFUNDED")
        path, headers, body = RefundService.asked[-1]
    assert path == "/refunds" and json.loads(body) == {"type": "refund", "key": payment, "amount": 1000}
    signed = hmac.new(key.encode(), headers["X-Maejin-Timestamp"].encode() + b"." + body,
                      hashlib.sha256).hexdigest()
    assert headers["X-Maejin-Signature"] == signed


def test_customers_that_walked_away_take_no_slot_of_a_refund(tmp_path):
    with refund_service() as service:
        settings, key = refund_settings(tmp_path, f"http://127.0.0.1:{service.server_port}/refunds")
        with harness.Server(tmp_path / "data", *settings) as server:
            begin(server)
            harness.until(lambda: harness.metric(server.client(), "maejin_payments_unsettled") == 1)
            held, _ = pay_and_cancel(server, key)
            becomes(server, held, "REFUNDED", "REFUNDED")

            def calls(kind):
                series = f'maejin_payment_provider_calls_total{{call="{kind}",outcome="answered"}}'
                return harness.metric(server.client(), series)

            assert (calls("refund"), calls("ask")) == (1, 0), "callback cannot be asked"


def test_a_refund_service_with_another_certificate_is_told_nothing(tmp_path):
    with refund_service(certificate(tmp_path, "impostor")) as service:
        settings, key = refund_settings(tmp_path, f"https://127.0.0.1:{service.server_port}/refunds",
                                        "--payment-refund-ca-file",
                                        certificate(tmp_path, "service")[0])
        with harness.Server(tmp_path / "data", *settings) as server:
            pay_and_cancel(server, key)
            harness.until(lambda: "certificate verify failed" in server.log_path.read_text(encoding="utf-8"))
        assert RefundService.asked == []

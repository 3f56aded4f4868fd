"""Logs as JSON, and request ids: taken over, answered, logged, passed on."""
import http.server
import json
import threading

import harness
import pytest

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture(name="server", scope="module")
def fixture_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    with harness.Server(folder / "data", "--log-format", "json", "--log-access",
                        folder / "access.log") as running:
        running.access = folder / "access.log"
        yield running


def lines(server, part):
    def found():
        rows = [json.loads(line) for line in server.access.read_text(encoding="utf-8").splitlines()]
        return [row for row in rows if part in row["target"]]

    return harness.until(found)


def test_json_lines_have_the_request_id(server):
    answer = server.client().get("/healthz?mine", **{"X-Request-Id": "shop-42", "traceparent": TRACE})
    assert answer.headers["x-request-id"] == "shop-42" and answer.headers["traceparent"] == TRACE
    row, = lines(server, "?mine")
    assert (row["requestId"], row["traceparent"], row["status"]) == ("shop-42", TRACE, 200)
    assert row["method"] == "GET" and row["client"] == "127.0.0.1"


def test_request_without_an_id_gets_a_unique_one(server):
    ids = {server.client().get("/healthz?own").headers["x-request-id"] for _ in range(5)}
    assert len(ids) == 5
    assert harness.until(lambda: {row["requestId"] for row in lines(server, "?own")} == ids)


@pytest.mark.parametrize("bad", ["a b", '"quoted"', "x" * 129])
def test_bad_id_is_replaced(server, bad):
    answer = server.client().get("/healthz", **{"X-Request-Id": bad, "traceparent": "00-nonsense"})
    assert answer.headers["x-request-id"] != bad and "traceparent" not in answer.headers


def test_refusal_has_the_id_too(server):
    answer = server.client().get("/nowhere", **{"X-Request-Id": "r-1"})
    assert (answer.status, answer.headers["x-request-id"]) == (404, "r-1")


def test_program_log_is_json(server):
    server.client(Authorization="Bearer wrong").get("/api/v1/admin/system")
    rows = [json.loads(line) for line in server.log_path.read_text(encoding="utf-8").splitlines()]
    assert rows and all(set(row) == {"time", "level", "message"} for row in rows)


@pytest.mark.parametrize("level, count", [("debug", 1), ("info", 0)])
def test_refused_request_is_logged_at_level_debug_only(tmp_path, level, count):
    with harness.Server(tmp_path / "data", "--log-level", level) as server:
        assert server.client().post("/api/v1/rooms/nowhere/entries", {"userId": "minji"}).status == 404
    log = server.log_path.read_text(encoding="utf-8")
    assert log.count("http: POST /api/v1/rooms/{eventId}/entries was refused: room-not-found\n") == count
    assert "minji" not in log


def test_answer_without_access_log_has_no_own_id(tmp_path):
    with harness.Server(tmp_path / "data") as plain:
        assert "x-request-id" not in plain.client().get("/healthz").headers
        assert plain.client().get("/healthz", **{"X-Request-Id": "a"}).headers["x-request-id"] == "a"


class Provider(http.server.BaseHTTPRequestHandler):
    """Captures every charge, and remembers the headers."""
    seen = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append(dict(self.headers))
        answer = json.dumps({"key": body["key"], "status": "CAPTURED"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def test_payment_provider_gets_the_request_id(tmp_path):
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{provider.server_port}"
    try:
        with harness.Server(tmp_path / "data", "--payment-provider", "sandbox", "--payment-sandbox-url",
                            url) as server:
            concert = harness.create_concert(server.admin(), seats=2, room="none")
            held = harness.hold(server.client(), concert["schedules"][0]["id"], [1], "ann", "").json
            paid = server.client().post(f"/api/v1/reservations/{held['reservationId']}/payment",
                                        {"amount": held["amount"]},
                                        {"X-User-Id": "ann", "X-Request-Id": "pay-7", "traceparent": TRACE})
            assert paid.status == 200, paid
    finally:
        provider.shutdown()
        provider.server_close()
    assert Provider.seen[-1]["X-Request-Id"] == "pay-7" and Provider.seen[-1]["traceparent"] == TRACE

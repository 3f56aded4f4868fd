"""TLS in the server: versions, ciphers, reload, half-open handshakes, redirection, the operators' address."""
import contextlib
import json
import re
import signal
import socket
import ssl
import subprocess
import threading
import time

import harness
import pytest


def make_certificate(folder, name, days=30):
    """A self-signed certificate for localhost; returns (certificate, key)."""
    cert, key = folder / f"{name}.crt", folder / f"{name}.key"
    subprocess.run([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", key, "-out", cert, "-days",
        str(days), "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"
    ], check=True, capture_output=True)
    return cert, key


class TlsServer(harness.Server):
    """The first line has https."""

    def _first_line(self):
        line = super()._first_line()
        assert line.startswith("maejin: listening on https://"), line
        return line.replace("https://", "http://")

    @property
    def operators(self):
        """The port of local commands, as announced in the data folder."""
        return int(re.search(r":(\d+)", (self.data / "maejin.lock").read_text(encoding="utf-8"))[1])

    def admin(self):
        return harness.Client(self.operators, {"Authorization": f"Bearer {self.admin_key}"})


@pytest.fixture(name="server", scope="module")
def fixture_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    cert, key = make_certificate(folder, "first")
    redirect = harness.free_port()
    with TlsServer(folder / "data", "--tls-cert-file", cert, "--tls-key-file", key, "--http-redirect-listen",
                   f"127.0.0.1:{redirect}") as running:
        running.cert, running.key, running.folder, running.redirect = cert, key, folder, redirect
        yield running


def context(server):
    made = ssl.create_default_context(cafile=server.cert)
    return made


def connect(server, made=None):
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    return (made or context(server)).wrap_socket(plain, server_hostname="localhost")


def ask(connection, path, method="GET", body=b"", headers=""):
    length = f"Content-Length: {len(body)}\r\n"
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{length}{headers}\r\n"
    connection.sendall(head.encode() + body)
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("closed before the answer")
        data += piece
    head, rest = data.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"Content-Length: (\d+)", head)[1])
    while len(rest) < length:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("closed within the answer")
        rest += piece
    return int(head.split()[1]), head.decode(), rest


def openssl(server, *words):
    address = f"127.0.0.1:{server.port}"
    done = subprocess.run(["openssl", "s_client", "-connect", address, "-CAfile", server.cert, *words],
                          input="", capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("flag,version", [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")])
def test_versions_and_ciphers(server, flag, version):
    text = openssl(server, flag, "-alpn", "h2,http/1.1")
    assert version in text and "Verify return code: 0" in text, text
    assert re.search(r"Cipher is (TLS_AES|TLS_CHACHA20|ECDHE-ECDSA-(AES|CHACHA20))", text), text
    assert "ALPN protocol: http/1.1" in text


@pytest.mark.parametrize(
    "words", [["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], ["-tls1_2", "-cipher", "AES128-SHA"]])
def test_old_versions_and_ciphers_are_refused(server, words):
    assert "Cipher is (NONE)" in openssl(server, *words) or "alert" in openssl(server, *words)


def test_curl_keeps_the_connection_and_a_session_is_resumed(server):
    url = f"https://localhost:{server.port}/healthz"
    done = subprocess.run(["curl", "-sv", "--cacert", server.cert, url, url], capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.stdout == '{"status":"ok"}' * 2 and "Re-using existing connection" in done.stderr, done.stderr
    assert "Reused, TLS" in openssl(server, "-tls1_2", "-reconnect")


def resumes(made, first, second, session=None):
    """Whether a session of the first server is resumed by the second; returns (that, the session)."""

    def visit(server, known):
        plain = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        with made.wrap_socket(plain, server_hostname="localhost", session=known) as tls:
            assert ask(tls, "/healthz")[0] == 200  # TLS 1.3 sends its tickets after the handshake
            return tls.session_reused, tls.session

    session = session or visit(first, None)[1]
    return visit(second, session)[0], session


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_session_is_resumed_by_another_node_with_the_same_keys(tmp_path, version):
    cert, key = make_certificate(tmp_path, "shared")
    made = ssl.create_default_context(cafile=cert)
    made.minimum_version = made.maximum_version = version
    flags = ["--tls-cert-file", cert, "--tls-key-file", key]
    shared = [*flags, "--keys", tmp_path / "keys"]
    with TlsServer(tmp_path / "one", *shared) as one:
        with TlsServer(tmp_path / "two", *shared) as two, TlsServer(tmp_path / "three", *flags) as three:
            reused, session = resumes(made, one, two)
            assert reused and harness.metric(two.admin(), "maejin_tls_resumptions_total") == 1
            assert not resumes(made, one, three, session)[0], "control: other keys, another server"
            cert.write_bytes(cert.read_bytes())  # the files changed: they are loaded again
            loaded = lambda: "loaded the new certificate" in two.log_path.read_text(encoding="utf-8")
            harness.until(loaded)
            assert resumes(made, one, two, session)[0], "after the certificate was loaded again"
            assert harness.run("keys", "rotate", "--data", one.data)[0] == 0
            assert resumes(made, one, one, session)[0], "after a rotation of the signing keys"
    with TlsServer(tmp_path / "one", *shared) as one:
        assert resumes(made, one, one, session)[0], "after a restart"


def test_sale_over_tls(server):
    concert = harness.create_concert(server.admin(), seats=200, room="none")
    with connect(server) as tls:
        schedule = concert["schedules"][0]["id"]
        body = (b'{"scheduleId":%d,"seats":[1],"userId":"ann"}' % schedule)
        status, _, _ = ask(tls, "/api/v1/reservations", "POST", body, "Content-Type: application/json\r\n")
        assert status == 201
        for _ in range(50):
            status, _, rest = ask(tls, f"/api/v1/schedules/{schedule}/seats")
            assert status == 200 and rest.endswith(b"}")
        tls.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * 20)  # pipelined
        data = b""
        while data.count(b'{"status":"ok"}') < 20:
            data += tls.recv(65536)


def test_operator_rehearses_over_the_plain_local_address(server):
    plan = {"fans": 4, "seats": 2, "opensInSeconds": 0, "arriveWithinSeconds": 0, "thinkMs": 0,
            "holdSeconds": 1, "duringSale": True}
    assert server.admin().post("/api/v1/admin/rehearsals", plan).status == 202
    read = lambda: server.admin().get("/api/v1/admin/rehearsals/current").json
    done = harness.until(lambda: (now := read())["endedAt"] and now, 120)
    assert done["report"]["verdict"] == "passed", done
    assert done["report"]["url"] == f"http://127.0.0.1:{server.operators}"


def test_long_answers_are_whole_when_the_client_reads_slowly(server):
    """The socket refuses bytes in the middle of records; pipelined answers queue behind it."""
    concert = harness.create_concert(server.admin(), seats=20_000, room="none")
    path = f"/api/v1/schedules/{concert['schedules'][0]['id']}/seats"
    expected = server.admin().get(path).text.encode()
    assert len(expected) > 500_000
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    plain.settimeout(30)
    plain.connect(("127.0.0.1", server.port))
    with context(server).wrap_socket(plain, server_hostname="localhost") as tls:
        tls.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 3)
        data = bytearray()
        while len(data) < 3 * len(expected) or not data.endswith(expected):
            more = tls.recv(4096)
            assert more, "the connection ended"
            data += more
    assert data.count(expected) == 3 and len(data) < 3 * (len(expected) + 1000)


def test_upload_over_tls(server):
    row = {"title": "t", "artist": "a", "venue": "v", "bookingOpenAt": "2025-10-31T10:00:00Z",
           "soldOutAt": "2025-10-31T10:01:00Z", "schedules": [{"concertDate": "2025-12-24", "seats": 5}]}
    rows = "".join(json.dumps({**row, "concertId": 9_000 + n}) + "\n" for n in range(3_000)).encode()
    with connect(server) as tls:
        headers = f"Content-Type: application/x-ndjson\r\nAuthorization: Bearer {server.admin_key}\r\n"
        status, _, answer = ask(tls, "/api/v1/admin/soldouts", "POST", rows, headers)
        assert status == 200 and b'"imported":3000' in answer, answer[:300]


def test_event_stream_over_tls(server):
    with connect(server) as tls:
        tls.sendall(b"GET /api/v1/rankings/stream HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"text/event-stream" in tls.recv(65536)


def test_half_open_handshake_is_dropped(tmp_path):
    cert, key = make_certificate(tmp_path, "half")
    # A server of its own: with this deadline a pause of a second ends other tests' handshakes.
    with TlsServer(tmp_path / "data", "--tls-cert-file", cert, "--tls-key-file", key,
                   "--http-header-deadline-seconds", "1") as server:
        for first in (b"", b"\x16\x03\x01"):
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as slow:
                with contextlib.suppress(ConnectionError):
                    slow.sendall(first)
                    assert slow.recv(1) == b""
        harness.until(lambda: harness.metric(
            server.admin(), 'maejin_tls_handshakes_total{result="failed"}') == 2)


def test_plain_http_on_the_tls_port_is_closed(server):
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    data = b""
    with contextlib.suppress(ConnectionError):
        while piece := plain.recv(100):
            data += piece
    assert b"HTTP/1.1 200" not in data


def test_http_port_redirects_only(server):
    client = harness.Client(server.redirect)
    answer = client.call("GET", "/rankings?window=all", headers={"Host": "localhost:80"})
    assert answer.status == 308
    assert answer.headers["location"] == f"https://localhost:{server.port}/rankings?window=all"
    assert client.post("/api/v1/reservations", {}).status == 308
    assert client.call("GET", "/api/v1/admin/system").status == 308


def test_local_commands_reach_the_server(server):
    code, out, err = harness.run("keys", "rotate", "--data", server.data)
    assert code == 0 and "keys" in out, err


def test_top_watches_over_tls_a_certificate_that_the_machine_trusts(server):
    url = f"https://127.0.0.1:{server.port}"
    flags = ["top", "--url", url, "--data", server.data, "--once", "--json", "--interval", 1]
    code, out, err = harness.run(*flags, env={"SSL_CERT_FILE": str(server.cert)})
    assert code == 0 and json.loads(out)["url"] == url and json.loads(out)["ready"], err
    code, _, err = harness.run(*flags)
    assert code == 1 and "self-signed certificate" in err


def test_certificate_is_loaded_again_under_load(server):
    """By a change of the files, and by SIGHUP; no request fails."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    stop, failed, done = threading.Event(), [], []

    def poll():
        while not stop.is_set():
            try:
                with connect(server, made) as tls:
                    for _ in range(5):
                        done.append(ask(tls, "/healthz")[0])
            except OSError as error:
                failed.append(error)

    threads = [threading.Thread(target=poll) for _ in range(2)]
    for each in threads:
        each.start()

    def subject():
        with connect(server, made) as tls:
            return ssl.DER_cert_to_PEM_cert(tls.getpeercert(True))

    try:
        for name in ("second", "third"):
            cert, key = make_certificate(server.folder, name)
            # The key first: for a moment the two do not fit, and the server keeps what it has.
            server.key.write_bytes(key.read_bytes())
            server.cert.write_bytes(cert.read_bytes())
            if name == "third":
                server.process.send_signal(signal.SIGHUP)
            expected = cert.read_text(encoding="utf-8").strip()
            harness.until(lambda: subject().strip() == expected)
        server.cert.write_text("broken", encoding="utf-8")
        harness.until(
            lambda: "keeping the previous certificate" in server.log_path.read_text(encoding="utf-8")
        )
        assert subject().strip() == expected
        server.cert.write_bytes((server.folder / "third.crt").read_bytes())
    finally:
        stop.set()
        for each in threads:
            each.join()
    assert not failed and set(done) == {200}


def test_drain_finishes_answers_over_tls(tmp_path):
    cert, key = make_certificate(tmp_path, "drain")
    server = TlsServer(tmp_path / "data", "--tls-cert-file", cert, "--tls-key-file", key)
    server.cert = cert
    concert = harness.create_concert(server.admin(), seats=20000, room="none")
    with connect(server) as tls:
        path = f"/api/v1/schedules/{concert['schedules'][0]['id']}/seats"
        tls.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        data = tls.recv(1000)
        server.process.send_signal(signal.SIGTERM)
        while b"\r\n\r\n" not in data:
            data += tls.recv(1000)
        head, body = data.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        while len(body) < length:
            piece = tls.recv(65536)
            assert piece, "the answer was cut"
            body += piece
    # Not stop(): a second SIGTERM ends a server that still drains, as documented.
    assert server.process.wait(60) == 0
    server.kill()


def test_operators_have_an_address_of_their_own(tmp_path):
    port = harness.free_port()
    with harness.Server(tmp_path / "data", "--admin-listen", f"127.0.0.1:{port}") as server:
        public, own = server.admin(), harness.Client(port, {"Authorization": f"Bearer {server.admin_key}"})
        for path in ("/metrics", "/api/v1/admin/system", "/api/v1/rooms"):
            assert public.get(path).status == 404 and own.get(path).status == 200, path
        assert public.post("/api/v1/admin/soldouts", []).status == 404
        assert public.get("/healthz").status == 200 and public.get("/api/v1/concerts").status == 200
        code, _, err = harness.run("keys", "rotate", "--data", server.data)
        assert code == 0, err


@pytest.mark.parametrize("flags,expected", [
    (["--tls-cert-file", "a"], "both or neither"),
    (["--http-redirect-listen", "127.0.0.1:1"], "needs tls.cert-file"),
    (["--admin-listen", "nonsense"], "must be an address"),
])
def test_conflicting_settings_are_refused(flags, expected):
    code, _, err = harness.run("config", "check", *flags)
    assert code == 2 and expected in err, err


def test_missing_or_foreign_key_ends_the_start(tmp_path):
    cert, _ = make_certificate(tmp_path, "one")
    _, key = make_certificate(tmp_path, "two")
    for wrong in (key, tmp_path / "missing"):
        code, _, err = harness.run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data",
                                   "--tls-cert-file", cert, "--tls-key-file", wrong)
        assert code == 1 and "tls.key-file" in err


def test_doctor_warns_of_the_certificate(tmp_path):
    cert, key = make_certificate(tmp_path, "short", days=5)
    flags = ["--tls-cert-file", cert, "--tls-key-file", key]
    _, out, _ = harness.run("doctor", "--data", tmp_path / "d", *flags)
    assert re.search(r"warning +certificate +.*in \d days", out), out

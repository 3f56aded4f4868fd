"""The console's session over HTTP: its cookie, the pages that may use it, and how it ends, in every mode."""
import base64
import contextlib
import re

import back_ends
import harness
import pytest
import tls_test

PATH = "/api/v1/admin/session"


@pytest.fixture(scope="module", name="server")
def fixture_server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("session") / "data") as running:
        yield running


def sign_in(client, key, **headers):
    answer = client.call("POST", PATH, None, {"Authorization": f"Bearer {key}", **headers})
    if answer.status != 200:
        return answer, None
    return answer, answer.headers["set-cookie"].split(";")[0]


def origin(server):
    return f"http://127.0.0.1:{server.port}"


def test_cookie_of_plain_http(server):
    answer, cookie = sign_in(server.client(), server.admin_key)
    assert (answer.json["actor"], answer.json["role"]) == ("admin", "owner")
    written = answer.headers["set-cookie"]
    assert written.startswith("maejin_console=") and "Secure" not in written
    for part in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"):
        assert part in written
    assert server.admin_key not in written and answer.headers["cache-control"] == "no-store"
    shown = server.client().call("GET", PATH, None, {"Cookie": cookie})
    assert shown.json == answer.json
    assert f"console: admin signed in from 127.0.0.1" in server.log_path.read_text(encoding="utf-8")
    assert harness.metric(server.client(), "maejin_console_sign_ins_total") >= 1


def test_cookie_over_tls_and_behind_a_proxy(server, tmp_path):
    cert, key = tls_test.make_certificate(tmp_path, "session")
    with tls_test.TlsServer(tmp_path / "data", "--tls-cert-file", cert, "--tls-key-file", key) as secure:
        secure.cert = cert
        with tls_test.connect(secure) as tls:
            key = f"Authorization: Bearer {secure.admin_key}\r\n"
            status, head, _ = tls_test.ask(tls, PATH, "POST", headers=key)
            cookie = re.search(r"Set-Cookie: (__Host-maejin_console=[^;]+); .*Secure", head)[1]
            assert status == 200
            assert tls_test.ask(tls, PATH, headers=f"Cookie: {cookie}\r\n")[0] == 200
            plain = cookie.replace("__Host-", "")
            assert tls_test.ask(tls, PATH, headers=f"Cookie: {plain}\r\n")[0] == 401, "set by a plain page"
            head = tls_test.ask(tls, "/gate?room=main&as=forward")[1]
            assert f"Location: https://localhost/wait/main" in head, "the gate knows TLS too"
    with harness.Server(tmp_path / "proxied", "--http-trusted-proxies", "127.0.0.1") as proxied:
        forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
        answer, _ = sign_in(proxied.client(), proxied.admin_key, **forwarded)
        assert answer.headers["set-cookie"].startswith("__Host-maejin_console=")
    assert sign_in(server.client(), server.admin_key,
                   **forwarded)[1].startswith("maejin_console="), "untrusted"


@pytest.mark.parametrize("method,headers,accepted", [
    ("GET", {}, True),
    ("GET", {"Sec-Fetch-Site": "same-origin"}, True),
    ("GET", {"Sec-Fetch-Site": "none"}, True),
    ("GET", {"Sec-Fetch-Site": "same-site"}, False),
    ("GET", {"Sec-Fetch-Site": "cross-site"}, False),
    ("GET", {"Origin": "http://evil.example"}, False),
    ("POST", {}, False),
    ("POST", {"Origin": "OWN"}, True),
    ("POST", {"Origin": "OWN", "Sec-Fetch-Site": "same-origin"}, True),
    ("POST", {"Origin": "OWN", "Sec-Fetch-Site": "none"}, False),
    ("POST", {"Origin": "null"}, False),
    ("POST", {"Origin": "http://127.0.0.1:1"}, False),
    ("POST", {"Origin": "http://evil.example"}, False),
    ("POST", {"Origin": "http://127.0.0.1.evil.example"}, False),
])
def test_only_pages_of_this_server_use_the_session(server, method, headers, accepted):
    _, cookie = sign_in(server.client(), server.admin_key)
    headers = {name: value.replace("OWN", origin(server)) for name, value in headers.items()}
    path = "/api/v1/admin/system" if method == "GET" else "/api/v1/admin/rankings/reconcile"
    answer = server.client().call(method, path, None, {"Cookie": cookie, **headers})
    assert (answer.status == 200) == accepted, answer
    if not accepted:
        assert (answer.status, answer.code) == (403, "forbidden") and "Origin" in answer.json["detail"]


def test_sign_in_from_a_page_of_another_site_is_refused(server):
    answer, _ = sign_in(server.client(), server.admin_key, Origin="http://evil.example")
    assert answer.status == 403 and "set-cookie" not in answer.headers


def test_altered_cookie_is_refused(server):
    _, cookie = sign_in(server.client(), server.admin_key)
    name, text = cookie.split("=", 1)
    sealed = bytearray(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    for at in range(len(sealed)):
        sealed[at] ^= 1
        wrong = base64.urlsafe_b64encode(bytes(sealed)).decode().rstrip("=")
        sealed[at] ^= 1
        assert server.client().call("GET", PATH, None, {"Cookie": f"{name}={wrong}"}).status == 401, at
    for wrong in ("x", text + "AA", text[:-4]):
        assert server.client().call("GET", PATH, None, {"Cookie": f"{name}={wrong}"}).status == 401


def test_signing_out_ends_the_session(server):
    _, cookie = sign_in(server.client(), server.admin_key)
    _, other = sign_in(server.client(), server.admin_key)
    gone = server.client().call("DELETE", PATH, None, {"Cookie": cookie, "Origin": origin(server)})
    assert gone.status == 204 and "Max-Age=0" in gone.headers["set-cookie"]
    assert server.client().call("GET", PATH, None, {"Cookie": cookie}).status == 401
    assert server.client().call("GET", PATH, None, {"Cookie": other}).status == 200, "another session goes on"


def test_a_wrong_key_begins_no_session(server):
    answer, _ = sign_in(server.client(), "wrong")
    assert answer.status == 401 and "set-cookie" not in answer.headers
    log = server.log_path.read_text(encoding="utf-8")
    assert "wrong admin key from 127.0.0.1" in log and server.admin_key not in log


@pytest.mark.parametrize("back_end", back_ends.NAMES)
def test_session_has_the_role_of_its_key_and_ends_with_it(tmp_path_factory, back_end):
    folder = tmp_path_factory.mktemp("session")
    with contextlib.ExitStack() as parts:
        flags = back_ends.flags(back_end, folder, parts)
        with harness.Server(folder / "data", *flags) as server:
            made = server.admin().post("/api/v1/admin/keys", {"name": "Desk", "role": "operator"}).json
            _, cookie = sign_in(server.client(), made["key"])
            page = {"Cookie": cookie, "Origin": origin(server), "Idempotency-Key": "once"}
            assert server.client().call("POST", "/api/v1/admin/keys/rotate", None, page).status == 403
            body = {
                "title": "T", "artist": "A", "venue": "V", "price": 1,
                "schedules": [{"concertDate": "2099-12-24", "seats": 2}]
            }
            first, again = (server.client().call("POST", "/api/v1/concerts", body, page) for _ in range(2))
            assert first.status == 201 and again.json["id"] == first.json["id"], "an Idempotency-Key works"
            rows = server.admin().get("/api/v1/admin/audit").json["entries"]
            assert f"Desk ({made['id']})" in {row["actor"] for row in rows}
            server.admin().call("POST", "/api/v1/admin/keys/rotate")
            assert server.client().call("GET", PATH, None, {"Cookie": cookie}).status == 200, "rotated"
        with harness.Server(folder / "data", *flags) as server:
            assert server.client().call("GET", PATH, None, {"Cookie": cookie}).status == 200, "restarted"
            assert server.admin().call("DELETE", f"/api/v1/admin/keys/{made['id']}").status == 204
            assert server.client().call("GET", PATH, None, {"Cookie": cookie}).status == 401

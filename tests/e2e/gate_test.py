"""The gate in front of a toy shop, with a real nginx and the configuration that `maejin snippet nginx`
prints: one table of visits."""
import base64
import contextlib
import http.client
import http.server
import json
import pathlib
import shutil
import socket
import subprocess
import threading
import urllib.parse

import harness
import pytest


NODE = harness.ROOT / "web/node_modules/.bin/node"
EXEMPT = "/health,/static/,/robots.txt"


class Shop(http.server.BaseHTTPRequestHandler):
    """Answers with what it was asked for."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"shop {self.command} {self.path}".encode())

    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *_):
        pass


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def shop_server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@contextlib.contextmanager
def nginx(folder, port, snippet):
    folder.mkdir()
    config = folder / "nginx.conf"
    kinds = ("proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n".join(f"{name}_temp_path {folder}/{name};" for name in kinds)
    config.write_text(f"""
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    large_client_header_buffers 4 16k;
    {temporary}
    server {{
        listen 127.0.0.1:{port};
        {snippet}
    }}
}}
""", encoding="utf-8")
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    process = subprocess.Popen([binary, "-c", str(config), "-p", str(folder)])
    try:
        harness.until(lambda: pathlib.Path(folder / "nginx.pid").exists() and answers(port))
        yield
    finally:
        process.terminate()
        process.wait(60)


@contextlib.contextmanager
def express(folder, port, shop, snippet):
    """A server of node:http with the middleware, in front of the shop."""
    folder.mkdir()
    (folder / "maejin.mjs").write_text(snippet, encoding="utf-8")
    (folder / "main.mjs").write_text(f"""
import {{ createServer, request }} from 'node:http';
import {{ maejin }} from './maejin.mjs';
const gate = maejin();
createServer((asked, answer) => gate(asked, answer, () => {{
  const options = {{ port: {shop}, host: '127.0.0.1', path: asked.url, method: asked.method }};
  request(options, (said) => {{
    answer.writeHead(said.statusCode, said.headers);
    said.pipe(answer);
  }}).end();
}})).listen({port}, '127.0.0.1');
""", encoding="utf-8")
    process = subprocess.Popen([str(NODE), str(folder / "main.mjs")])
    try:
        harness.until(lambda: answers(port))
        yield
    finally:
        process.terminate()
        process.wait(60)


class Site:
    """A shop behind the gate of the room `shop`, and maejin's admin."""

    def __init__(self, kind, folder, parts):
        self.kind = kind
        self.maejin = parts.enter_context(
            harness.Server(folder / "data", "--http-trusted-proxies", "127.0.0.1"))
        self.shop = parts.enter_context(shop_server())
        self.port = harness.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.admin = self.maejin.admin()
        for name in ("shop", "other"):
            self.create(name)
        self.folder = folder / kind
        parts.enter_context(self.front(self.folder, self.port, self.snippet("--exempt", EXEMPT)))

    def create(self, name):
        verify = "offline" if self.kind == "express" else "online"
        body = {"id": name, "returnUrls": [self.url], "tokenTtlSeconds": 600, "verify": verify}
        assert self.admin.post("/api/v1/rooms", body).status == 201

    def front(self, folder, port, snippet):
        if self.kind == "nginx":
            return nginx(folder, port, snippet)
        return express(folder, port, self.shop, snippet)

    def snippet(self, *flags):
        maejin, shop = f"http://127.0.0.1:{self.maejin.port}", f"http://127.0.0.1:{self.shop}"
        flags = ("--maejin", maejin, "--shop", shop, "--room", "shop", *flags)
        code, text, error = harness.run("snippet", self.kind, *flags)
        assert code == 0, error
        return text

    def ask(self, path, method="GET", port=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=60)
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        answer = harness.Answer(response.status, {k.lower(): v for k, v in response.getheaders()},
                                response.read().decode())
        connection.close()
        return answer

    def code(self, room="shop", path="/buy?seat=1"):
        """A fresh return code of a new visitor."""
        target = urllib.parse.quote(self.url + path, safe="")
        sent = self.ask(f"/wait/{room}?return={target}", port=self.maejin.port)
        assert sent.status == 303, sent
        query = urllib.parse.urlsplit(sent.headers["location"]).query
        return urllib.parse.parse_qs(query)["maejin_return"][0]

    def cookie(self):
        """The cookie of a new visitor that came back through nginx."""
        answer = self.ask(f"/buy?seat=1&maejin_return={self.code()}")
        assert (answer.status, answer.headers["location"]) == (303, "/buy?seat=1"), answer
        return answer.headers["set-cookie"].split(";")[0]

    def wait_url(self, path):
        return f"{self.url}/wait/shop?return={urllib.parse.quote(self.url + path, safe='')}"


@pytest.fixture(scope="module", params=["nginx", "express"])
def site(request, tmp_path_factory):
    with contextlib.ExitStack() as parts:
        yield Site(request.param, tmp_path_factory.mktemp("gate"), parts)


@pytest.fixture(scope="module")
def cookie(site):
    return site.cookie()


def test_visitor_without_a_valid_pass_is_sent_to_the_line(site, cookie):
    name, good = cookie.split("=", 1)
    altered = good[:-3] + ("AAA" if good[-3:] != "AAA" else "BBB")
    parts = good.split(".")
    cookies = {
        "no cookie": None, "empty": f"{name}=", "garbage": f"{name}=x", "forged": f"{name}=x.y.z",
        "altered": f"{name}={altered}", "no signature": f"{name}={parts[0]}.{parts[1]}.",
        "no algorithm": f"{name}=eyJhbGciOiJub25lIn0.{parts[1]}.", "other name": f"maejin-other={good}",
        "long": f"{name}={'a' * 3000}", "encoded line break": f"{name}=%0d%0a",
        "queue token": "maejin_token=x"
    }
    for case, value in cookies.items():
        headers = {"Cookie": value} if value else {}
        answer = site.ask("/buy?seat=1", **headers)
        assert (answer.status, answer.headers["location"]) == (303, site.wait_url("/buy?seat=1")), case
        assert answer.headers["cache-control"] == "no-store", case


def test_visitor_inside_reaches_the_shop(site, cookie):
    paths = ("/", "/buy?seat=1", "/%EA%B3%B5%EC%97%B0", "/a%20b", "/" + "a" * 3000, "/buy?maejin_return=")
    for path in paths:
        answer = site.ask(path, Cookie=cookie)
        assert (answer.status, answer.text) == (200, f"shop GET {path}"), path
    assert site.ask("/buy", "POST", Cookie=cookie).text == "shop POST /buy"
    assert site.ask("/buy", "HEAD", Cookie=cookie).status == 200
    assert site.ask("/buy", Cookie=f"a=b; {cookie}; c=d").status == 200
    assert site.ask("/buy", **{"X-Maejin-Pass": cookie.split("=", 1)[1]}).status == 200


def test_shape_of_a_refused_request_is_kept(site):
    for path in ("/%EA%B3%B5%EC%97%B0", "/a?b=c&d=%26", "/" + "a" * 3500):
        assert site.ask(path).headers["location"] == site.wait_url(path), path
    assert site.ask("/buy", "POST").status == 303
    assert site.ask("/buy", "HEAD").status == 303
    scripts = {"X-Requested-With": "XMLHttpRequest", "Accept": "application/json", "Sec-Fetch-Mode": "cors"}
    for name, value in scripts.items():
        answer = site.ask("/buy", **{name: value})
        assert answer.status == 401 and answer.json["waitUrl"] == site.wait_url("/buy"), name
    assert site.ask("/buy", Accept="text/html,application/json").status == 303
    # A visitor's own forwarding headers count for nothing.
    forged = {"X-Forwarded-Uri": "/evil", "X-Original-URL": "http://evil.example/", "X-User-Id": "eve"}
    assert site.ask("/buy", **forged).headers["location"] == site.wait_url("/buy")


def test_exempt_paths_are_not_behind_the_gate(site):
    for path in ("/health", "/static/logo.png", "/robots.txt"):
        assert site.ask(path).text == f"shop GET {path}"
    if site.kind == "nginx":
        assert site.ask("/_maejin/gate").status == 404 and site.ask("/_maejin/return").status == 404


def test_return_code_is_good_once_and_for_its_site_and_room(site):
    code = site.code()
    first = site.ask(f"/buy?maejin_return={code}&seat=1")
    assert (first.status, first.headers["location"]) == (303, "/buy?seat=1")
    given = first.headers["set-cookie"]
    assert given.startswith("maejin-shop=") and "HttpOnly" in given
    cases = {
        "replayed": code, "garbage": "x.y", "of another room": site.code("other"),
        "altered": site.code()[:-4] + "AAAA"
    }
    for case, bad in cases.items():
        answer = site.ask(f"/buy?maejin_return={bad}")
        assert answer.status == 303 and "set-cookie" not in answer.headers, case
        assert answer.headers["location"] == site.url + "/", case
    stranger = site.ask(f"/gate/return?room=shop&maejin_return={site.code()}&to=/", port=site.maejin.port,
                        Host="other.example")
    assert (stranger.status, stranger.code) == (401, "return-code-invalid")
    if site.kind == "nginx":
        assert code not in (site.folder / "access.log").read_text(encoding="utf-8")


def test_waiting_page_is_reached_through_the_shop_host(site):
    if site.kind == "express":
        return  # the app routes it
    site.admin.call("PATCH", "/api/v1/rooms/other", {"capacity": 0})
    page = site.ask("/wait/other")
    assert page.status == 200 and 'data-room="other"' in page.text


def test_revoked_and_ended_sessions_wait_again(site):
    # A pass that is verified offline outlives its room.
    for end in ("revoke", "room") if site.kind == "nginx" else ("revoke",):
        cookie = site.cookie()
        assert site.ask("/buy", Cookie=cookie).status == 200
        if end == "revoke":
            claims = cookie.split("=", 1)[1].split(".")[1]
            user = json.loads(decode(claims))["sub"]
            assert site.admin.post("/api/v1/rooms/shop/revocations", {"userId": user}).status == 204
        else:
            assert site.admin.call("DELETE", "/api/v1/rooms/shop").status == 204
            site.create("shop")
        # An offline verifier reads the list of revoked passes every two seconds.
        sent = harness.until(lambda: (answer := site.ask("/buy", Cookie=cookie)).status == 303 and answer)
        assert sent.headers["location"] == site.wait_url("/buy")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@pytest.mark.parametrize("on_error", ["hold", "admit"])
def test_gate_that_does_not_answer_does_as_chosen(site, tmp_path, on_error):
    stuck = socket.socket()
    stuck.bind(("127.0.0.1", 0))
    stuck.listen(8)
    for maejin in (f"http://127.0.0.1:{harness.free_port()}", f"http://127.0.0.1:{stuck.getsockname()[1]}"):
        text = site.snippet("--on-gate-error", on_error)
        text = text.replace(f"http://127.0.0.1:{site.maejin.port}", maejin)
        port = harness.free_port()
        with site.front(tmp_path / maejin.rsplit(":", 1)[1], port, text):
            answer = site.ask("/buy", port=port)
        if on_error == "admit":
            assert (answer.status, answer.text) == (200, "shop GET /buy")
        else:
            assert answer.status == 503 and answer.headers["retry-after"] == "5"
    stuck.close()

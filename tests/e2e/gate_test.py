"""One table of visits for every connector of `maejin snippet`: a toy shop behind a gateway that runs the
printed files. nginx, njs and Express always; the others with MAEJIN_ALL. Envoy and Traefik by their
protocol."""
import base64
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import urllib.parse

import gateways
import harness
import pytest

KINDS = gateways.IN_EVERY_RUN + (gateways.ONLY_IN_ALL if os.environ.get("MAEJIN_ALL") else [])
ELSEWHERE = "http://elsewhere.localhost"


class Shop(http.server.BaseHTTPRequestHandler):
    """Answers with what it was asked for; /logout ends the session."""
    protocol_version = "HTTP/1.1"

    def answer(self):
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        body = f"shop {self.command} {self.path} {sent}".strip().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        if self.path == "/logout":
            self.send_header("Maejin-Session", "end")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_OPTIONS = answer

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def shop_server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def patient(text):
    """On a busy machine maejin may answer later than the connectors wait."""
    return re.sub(r"_timeout [125]s;", "_timeout 10s;", text).replace("timeout(2000)", "timeout(10000)")


class Site:
    """A shop behind the gate of the room `shop`, and maejin's admin."""
    FLAGS = ["--room", "shop", "--exempt", "/health,/static/,/robots.txt", "--crawlers", "googlebot,bingbot"]

    def __init__(self, kind, folder, parts):
        self.kind, self.folder = kind, folder
        self.maejin = parts.enter_context(
            harness.Server(folder / "data", "--http-trusted-proxies", "127.0.0.1"))
        self.shop = parts.enter_context(shop_server())
        self.port = harness.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.admin = self.maejin.admin()
        verify = "offline" if kind in gateways.OFFLINE else "online"
        for name in ("shop", "other"):
            body = {"id": name, "returnUrls": [self.url, ELSEWHERE], "tokenTtlSeconds": 600, "verify": verify}
            assert self.admin.post("/api/v1/rooms", body).status == 201
        parts.enter_context(self.front("main", self.port, "hold", *self.FLAGS, change=patient))

    def front(self, name, port, on_error, *flags, maejin=None, change=lambda text: text):
        """The gateway with these rules."""
        maejin = maejin or f"http://127.0.0.1:{self.maejin.port}"
        shop = f"http://127.0.0.1:{self.shop}"
        all_flags = ["--on-gate-error", on_error, "--maejin", maejin, "--shop", shop, *flags]
        return gateways.start(self.kind, self.folder / name, port, all_flags, change)

    def ask(self, path, method="GET", port=None, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=60)
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        answer = harness.Answer(response.status, {k.lower(): v for k, v in response.getheaders()},
                                response.read().decode())
        connection.close()
        return answer

    def code(self, room="shop", target=None):
        """A fresh return code of a new visitor."""
        target = urllib.parse.quote(target or self.url + "/buy?seat=1", safe="")
        sent = self.ask(f"/wait/{room}?return={target}", port=self.maejin.port)
        assert sent.status == 303, sent
        query = urllib.parse.urlsplit(sent.headers["location"]).query
        return urllib.parse.parse_qs(query)["maejin_return"][0]

    def cookie(self):
        """The cookie of a new visitor that came back through the gateway."""
        answer = self.ask(f"/buy?seat=1&maejin_return={self.code()}")
        assert (answer.status, answer.headers["location"]) == (303, "/buy?seat=1"), answer
        return answer.headers["set-cookie"].split(";")[0]

    def wait_url(self, path):
        return f"{self.url}/wait/shop?return={urllib.parse.quote(self.url + path, safe='')}"

    def assert_waits(self, path="/buy?seat=1", **headers):
        answer = self.ask(path, **headers)
        assert (answer.status, answer.headers.get("location")) == (303, self.wait_url(path)), answer
        assert answer.headers["cache-control"] == "no-store"

    def assert_passes(self, path, method="GET", **headers):
        answer = self.ask(path, method, **headers)
        assert answer.status == 200, answer
        assert method == "HEAD" or answer.text == f"shop {method} {path}", answer


@pytest.fixture(scope="module", params=KINDS)
def site(request, tmp_path_factory):
    with contextlib.ExitStack() as parts:
        yield Site(request.param, tmp_path_factory.mktemp(request.param), parts)


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def claims_of(cookie):
    return json.loads(decode(cookie.split("=", 1)[1].split(".")[1]))


# The table. Each case is a function of the site; its name says what happens.
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def waits_with_cookie(name, make):
    """A case: a visitor with the cookie that `make` derives from a good one waits."""
    CASES[name] = lambda site: site.assert_waits(Cookie=make(*site.cookie().split("=", 1)))


def altered(name, good):
    return f"{name}={good[:-3]}{'BBB' if good.endswith('AAA') else 'AAA'}"


waits_with_cookie("empty_cookie_waits", lambda name, good: f"{name}=")
waits_with_cookie("garbage_cookie_waits", lambda name, good: f"{name}=x")
waits_with_cookie("forged_pass_waits", lambda name, good: f"{name}=x.y.z")
waits_with_cookie("altered_signature_waits", altered)
waits_with_cookie("altered_claims_wait", lambda name, good: f"{name}=" + good.replace(".", ".e", 1))
waits_with_cookie("pass_without_signature_waits",
                  lambda name, good: f"{name}=" + good.rsplit(".", 1)[0] + ".")
waits_with_cookie("pass_without_algorithm_waits",
                  lambda name, good: f"{name}=eyJhbGciOiJub25lIn0.{good.split('.')[1]}.")
waits_with_cookie("pass_of_two_parts_waits", lambda name, good: f"{name}=" + good.rsplit(".", 1)[0])
waits_with_cookie("pass_of_four_parts_waits", lambda name, good: f"{name}={good}.x")
waits_with_cookie("cookie_of_another_name_waits", lambda name, good: f"maejin-other={good}")
waits_with_cookie("long_cookie_waits", lambda name, good: f"{name}={'a' * 3000}")
waits_with_cookie("encoded_line_break_waits", lambda name, good: f"{name}=%0d%0a")
waits_with_cookie("queue_token_of_nobody_waits", lambda name, good: "maejin_token=x")


@case
def visitor_without_cookie_waits(site):
    site.assert_waits()


@case
def expired_pass_waits(site):
    room = "/api/v1/rooms/shop"
    before = site.admin.get(room).json
    site.admin.call("PATCH", room, {"sessionLimitSeconds": 2})
    # A pause may end the session before the visitor is back at the shop.
    returned = harness.until(lambda: (answer := site.ask(f"/buy?maejin_return={site.code()}")).headers.get(
        "set-cookie") and answer)
    cookie = returned.headers["set-cookie"].split(";")[0]
    limits = ("sessionLimitSeconds", "tokenTtlSeconds")
    site.admin.call("PATCH", room, {name: before[name] for name in limits})
    waits = harness.until(lambda: (answer := site.ask("/buy", Cookie=cookie)).status == 303 and answer)
    assert waits.headers["location"] == site.wait_url("/buy")


@case
def pass_of_another_room_waits(site):
    path = f"/gate/return?room=other&maejin_return={site.code('other')}&to=/buy"
    given = site.ask(path, port=site.maejin.port, Host=f"127.0.0.1:{site.port}")
    assert given.status == 303, given
    site.assert_waits(Cookie=given.headers["set-cookie"].split(";")[0].replace("other", "shop", 1))


@case
def revoked_pass_waits(site):
    cookie = site.cookie()
    site.assert_passes("/buy", Cookie=cookie)
    user = claims_of(cookie)["sub"]
    assert site.admin.post("/api/v1/rooms/shop/revocations", {"userId": user}).status == 204
    # An offline verifier reads the list of revoked passes every two seconds.
    harness.until(lambda: site.ask("/buy", Cookie=cookie).status == 303)


@case
def visitor_that_left_waits(site):
    cookie = site.cookie()
    left = site.ask("/api/v1/rooms/shop/entries/me", "DELETE", port=site.maejin.port,
                    **{"X-Maejin-Pass": cookie.split("=", 1)[1]})
    assert left.status == 204, left
    harness.until(lambda: site.ask("/buy", Cookie=cookie).status == 303)


@case
def session_that_the_shop_ends_gives_its_slot_back(site):
    if site.kind not in gateways.END_SESSIONS:
        return
    cookie = site.cookie()
    entered = site.admin.get("/api/v1/rooms/shop").json["entered"]
    site.assert_passes("/logout", Cookie=cookie)
    harness.until(lambda: site.admin.get("/api/v1/rooms/shop").json["entered"] == entered - 1)
    harness.until(lambda: site.ask("/buy", Cookie=cookie).status == 303)


def passes(name, path, method="GET", more=""):
    """A case: an admitted visitor reaches the shop."""
    CASES[name] = lambda site: site.assert_passes(path, method, Cookie=site.cookie() + more)


passes("visitor_inside_reaches_the_shop", "/")
passes("visitor_inside_keeps_the_query", "/buy?seat=1&b=%26")
passes("visitor_inside_reaches_a_unicode_path", "/%EA%B3%B5%EC%97%B0")
passes("visitor_inside_reaches_a_path_with_a_space", "/a%20b")
passes("visitor_inside_reaches_a_long_address", "/" + "a" * 3000)
passes("visitor_inside_passes_with_an_empty_code", "/buy?maejin_return=")
passes("head_request_inside_passes", "/buy", "HEAD")
passes("visitor_inside_passes_beside_other_cookies", "/buy", more="; c=d")


@case
def post_inside_keeps_its_body(site):
    answer = site.ask("/buy", "POST", body="seat=1", Cookie=site.cookie())
    assert (answer.status, answer.text) == (200, "shop POST /buy seat=1"), answer


@case
def pass_in_a_header_passes(site):
    site.assert_passes("/buy", **{"X-Maejin-Pass": site.cookie().split("=", 1)[1]})


@case
def refused_unicode_path_is_kept(site):
    site.assert_waits("/%EA%B3%B5%EC%97%B0")


@case
def refused_query_is_kept(site):
    site.assert_waits("/a?b=c&d=%26")


@case
def refused_long_address_is_kept(site):
    site.assert_waits("/" + "a" * 3000)


@case
def refused_post_and_head_are_redirected(site):
    assert [site.ask("/buy", "POST", body="x").status, site.ask("/buy", "HEAD").status] == [303, 303]


def script(name, headers):
    """A case: a script gets JSON, not a redirect."""

    def visit(site):
        answer = site.ask("/buy", **headers)
        assert answer.status == 401 and answer.json["code"] == "wait-required", answer
        assert answer.json["waitUrl"] == site.wait_url("/buy")

    CASES[name] = visit


script("xml_http_request_gets_json", {"X-Requested-With": "XMLHttpRequest"})
script("json_client_gets_json", {"Accept": "application/json"})
script("fetch_of_a_script_gets_json", {"Sec-Fetch-Mode": "cors"})


@case
def browser_that_also_accepts_json_is_redirected(site):
    site.assert_waits("/buy", Accept="text/html,application/json")


@case
def forwarding_headers_of_a_visitor_count_for_nothing(site):
    forged = {"X-Forwarded-Uri": "/evil", "X-Original-URL": "http://evil.example/", "X-User-Id": "eve",
              "X-Forwarded-Host": "evil.example"}
    site.assert_waits("/buy", **forged)


@case
def exempt_paths_pass(site):
    for path in ("/health", "/static/logo.png", "/robots.txt", "/health/x"):
        site.assert_passes(path)


@case
def path_that_only_begins_like_an_exempt_one_waits(site):
    site.assert_waits("/healthy")
    site.assert_waits("/staticx/a")


@case
def dot_segments_lead_to_no_exemption(site):
    for path in ("/static/../buy", "/static/%2e%2e/buy", "/static/..%2fbuy", "/buy/%2e%2e/static/x",
                 "/static/..;/buy", "/static/..;a=1/buy", "/static/..%3b/buy", "/static;/../buy"):
        answer = site.ask(path)
        # A gateway may refuse the path, or read it as another one that waits.
        assert answer.status in (303, 400, 404) or "/static" in answer.text.split(" ")[2][:8], (path, answer)
        assert "buy" not in answer.text, (path, answer)


@case
def exempt_method_passes(site):
    site.assert_passes("/buy", "OPTIONS")


@case
def named_crawler_passes(site):
    site.assert_passes("/buy", **{"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1)"})
    site.assert_waits("/buy", **{"User-Agent": "Mozilla/5.0"})


@case
def return_code_gives_a_session(site):
    first = site.ask(f"/buy?maejin_return={site.code()}&seat=1")
    assert (first.status, first.headers["location"]) == (303, "/buy?seat=1")
    given = first.headers["set-cookie"]
    assert given.startswith("maejin-shop=") and "HttpOnly" in given


def bad_code(name, make):
    """A case: a code that is not good gives no session, and leads back to the site."""

    def visit(site):
        answer = site.ask(f"/buy?maejin_return={make(site)}")
        assert answer.status == 303 and "set-cookie" not in answer.headers, answer
        assert answer.headers["location"] in (site.url + "/", "/buy"), answer

    CASES[name] = visit


def used(site):
    code = site.code()
    assert "set-cookie" in site.ask(f"/buy?maejin_return={code}").headers
    return code


bad_code("replayed_code_gives_no_session", used)
bad_code("garbage_code_gives_no_session", lambda site: "x.y")
bad_code("code_of_another_room_gives_no_session", lambda site: site.code("other"))
bad_code("altered_code_gives_no_session", lambda site: site.code()[:-4] + "AAAA")
bad_code("code_of_another_origin_gives_no_session", lambda site: site.code(target=ELSEWHERE + "/buy"))


@case
def code_is_not_in_the_access_log(site):
    code = site.code()
    site.ask(f"/buy?maejin_return={code}")
    site.ask("/buy/mark-of-the-log")
    log = site.folder / "main" / "access.log"
    if not log.exists():
        return  # this gateway writes none
    # The line of an answer is written after it.
    harness.until(lambda: "mark-of-the-log" in log.read_text(encoding="utf-8"))
    assert code not in log.read_text(encoding="utf-8")


@case
def inner_paths_are_not_reachable(site):
    for path in ("/_maejin/gate", "/_maejin/return", "/_maejin/end", "/_maejin/keys"):
        assert site.ask(path).status in (303, 404), path


@case
def waiting_page_is_reached_through_the_shop_host(site):
    if site.kind not in gateways.SERVE_PAGES:
        return  # the application routes it
    site.admin.call("PATCH", "/api/v1/rooms/other", {"capacity": 0})
    page = site.ask("/wait/other")
    site.admin.call("PATCH", "/api/v1/rooms/other", {"capacity": 800})
    assert page.status == 200 and 'data-room="other"' in page.text


@case
def maintenance_lets_no_visitor_pass(site):
    if site.kind in gateways.OFFLINE:
        return  # such a connector does not ask
    cookie = site.cookie()
    site.assert_passes("/buy", Cookie=cookie)
    assert site.admin.call("PUT", "/api/v1/admin/maintenance").status == 200
    try:
        site.assert_waits("/buy", Cookie=cookie)
        if site.kind == "traefik":
            return  # fails closed only
        port = harness.free_port()
        with site.front("maintenance", port, "admit", "--room", "shop", change=patient):
            answer = site.ask("/buy", port=port, Cookie=cookie)
            assert answer.status == 303 and "/wait/shop?" in answer.headers["location"], answer
    finally:
        site.admin.call("DELETE", "/api/v1/admin/maintenance")


@case
def room_in_standby_admits_a_page_at_once(site):
    room = "/api/v1/rooms/shop"
    assert site.admin.call("PATCH", room, {"standby": {"entered": 500}}).status == 200
    try:
        if site.kind in gateways.OFFLINE:
            site.assert_waits("/buy", Accept="text/html")  # the waiting page sends the visitor back at once
            return
        first = site.ask("/buy", Accept="text/html")
        assert (first.status, first.text) == (200, "shop GET /buy"), first
        cookie = first.headers["set-cookie"].split(";")[0]
        site.assert_passes("/pay", Cookie=cookie)
        # A script keeps no cookie, and takes no slot.
        assert site.ask("/buy", Accept="application/json").status == 401
    finally:
        site.admin.call("PATCH", room, {"standby": None})


@pytest.mark.parametrize("visit", CASES.values(), ids=CASES.keys())
def test_visit(site, visit):
    visit(site)


def test_table_has_at_least_thirty_cases():
    assert len(CASES) >= 30


def test_rules_of_networks_and_protected_paths(site):
    """Two more gateways: one allows the visitor's network, one protects a part of the site."""
    port = harness.free_port()
    flags = ("--room", "shop", "--protect", "/tickets", "--exempt", "/tickets/terms")
    with site.front("part", port, "hold", *flags):
        for path in ("/news", "/ticketshop"):
            assert site.ask(path, port=port).text == f"shop GET {path}"
        assert site.ask("/tickets/terms", port=port).text == "shop GET /tickets/terms"
        for path in ("/tickets", "/tickets/7", "/%74ickets/7"):
            assert site.ask(path, port=port).status == 303, path
        # A Java shop drops ";" with the rest of the segment; Express ignores the case of letters and "#".
        for path in ("/news/../tickets/7", "/news/..%2ftickets/7", "/tickets;a", "/;a/tickets",
                     "/news/..;/tickets", "/Tickets", "/TICKETS/7", "/tickets#", "/tickets%23",
                     "/tickets#/../news"):
            told = site.ask(path, port=port).text
            # Envoy sends on the path that it has read.
            assert "shop" not in told or told == "shop GET /news", (path, told)
    if site.kind in gateways.SERVE_PAGES:
        port = harness.free_port()
        with site.front("api", port, "hold", "--room", "shop", "--protect", "/api"):
            assert site.ask("/api/orders", port=port).status == 303
            # The waiting page's own calls do not wait.
            assert site.ask("/api/v1/rooms/shop/serving", port=port).json["state"] == "open"
    if site.kind == "envoy":
        return  # no route of Envoy matches by address
    port = harness.free_port()
    with site.front("allow", port, "hold", "--room", "shop", "--allow", "127.0.0.0/8"):
        assert site.ask("/buy", port=port).text == "shop GET /buy"
    port = harness.free_port()
    with site.front("deny", port, "hold", "--room", "shop", "--allow", "10.0.0.0/8"):
        assert site.ask("/buy", port=port).status == 303


def test_rehearsal_walks_through_the_gateway(site):
    if site.kind not in gateways.SERVE_PAGES:
        return  # the application routes the waiting page
    room = "/api/v1/rooms/shop"
    before = site.admin.get(room).json
    site.admin.call("PATCH", room, {"capacity": before["entered"] + 2})
    code, out, error = harness.run("rehearse", "--through", site.url + "/buy", "--fans", 6,
                                   "--arrive-within", 0, "--think-ms", 0, "--json")
    site.admin.call("PATCH", room, {"capacity": before["capacity"]})
    assert code == 0, out + error
    report = json.loads(out)
    assert (report["visitors"], report["reached"], report["faults"]) == (6, 6, [])
    assert site.admin.get(room).json["entered"] == before["entered"], "every slot was given back"


def assert_held(site, answer):
    # Traefik answers 500 by itself, Envoy 503; the others also say when to try again.
    assert answer.status == (500 if site.kind == "traefik" else 503), answer
    assert site.kind in ("traefik", "envoy") or answer.headers["retry-after"] == "5"


@pytest.mark.parametrize("on_error", ["hold", "admit"])
@pytest.mark.parametrize("fault", ["stopped", "slow"])
def test_gate_that_does_not_answer_does_as_chosen(site, on_error, fault):
    if (site.kind, on_error) == ("traefik", "admit"):
        code, _, error = harness.run("snippet", "traefik", "--on-gate-error", "admit")
        assert code == 2 and "hold" in error
        return
    with socket.socket() as stuck:
        stuck.bind(("127.0.0.1", 0))
        if fault == "slow":
            stuck.listen(8)
        port = harness.free_port()
        maejin = f"http://127.0.0.1:{stuck.getsockname()[1]}"
        with site.front(f"{on_error}-{fault}", port, on_error, "--room", "shop", maejin=maejin):
            answer = site.ask("/buy", port=port)
    if on_error == "admit":
        assert (answer.status, answer.text) == (200, "shop GET /buy")
    else:
        assert_held(site, answer)


def test_snippet_needs_a_choice_for_errors(site):
    code, _, error = harness.run("snippet", site.kind)
    assert code == 2 and "--on-gate-error is missing" in error


def test_visitor_inside_stays_while_maejin_stands_still_if_the_connector_verifies_offline(site):
    cookie = site.cookie()
    site.assert_passes("/buy", Cookie=cookie)
    site.maejin.process.send_signal(signal.SIGSTOP)
    try:
        stat = pathlib.Path(f"/proc/{site.maejin.process.pid}/stat")
        harness.until(lambda: stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] == "T")
        answer = site.ask("/buy", Cookie=cookie)
        if site.kind in gateways.OFFLINE:
            assert answer.status == 200, answer
            site.assert_waits("/buy", Cookie=altered(*cookie.split("=", 1)))
        else:
            assert_held(site, answer)
    finally:
        site.maejin.process.send_signal(signal.SIGCONT)


def compile_filter(tmp_path):
    for name in ("MaejinFilter.java", "MaejinGate.java"):
        text = gateways.snippet("spring", name, "--on-gate-error", "hold")
        (tmp_path / name).write_text(text, encoding="utf-8")
    names = ("spring3-web", "spring3-core", "spring3-beans", "spring3-context", "servlet-api")
    jars = ":".join(f"/usr/share/java/{name}.jar" for name in names)
    subprocess.run(["javac", "-cp", jars, "-d", tmp_path, *tmp_path.glob("*.java")], check=True)
    assert (tmp_path / "MaejinFilter.class").exists()


if os.environ.get("MAEJIN_ALL"):

    def test_filter_compiles_against_spring_and_the_servlet_api(tmp_path):
        compile_filter(tmp_path)

"""Rooms of the operator's own in front of any site, in all three modes: life of a room, the way there and
back, and the gate in its dialects."""
import base64
import concurrent.futures
import http.client
import json
import time
import urllib.parse

import pytest

import back_ends
import harness
import own_rooms
from harness import until
from own_rooms import SHOP, create, forget_keys


@pytest.fixture(scope="module", params=back_ends.NAMES)
def nodes(request, tmp_path_factory):
    yield from own_rooms.running(request.param, tmp_path_factory)


@pytest.fixture
def admin(nodes):
    return nodes.first.admin()


@pytest.fixture
def client(nodes):
    return nodes.first.client()


class Browser:
    """A client that keeps cookies, as a browser does for one host."""

    def __init__(self, port):
        self.port, self.jar = port, {}

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        cookies = "; ".join(f"{name}={value}" for name, value in self.jar.items())
        connection.request("GET", path, headers={"Cookie": cookies} if cookies else {})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        for line in response.headers.get_all("Set-Cookie", []):
            name, value = line.split(";")[0].split("=", 1)
            self.jar[name] = value
        return harness.Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, text)


def wait_path(room, target=SHOP + "/tickets?seat=1"):
    return f"/wait/{room}?return={urllib.parse.quote(target, safe='')}"


def code_in(answer):
    assert answer.status == 303, answer
    query = urllib.parse.urlsplit(answer.headers["location"]).query
    return urllib.parse.parse_qs(query)["maejin_return"][0]


def exchange(client, room, code, to="/tickets?seat=1", host="shop.example"):
    query = urllib.parse.urlencode({"room": room, "maejin_return": code, "to": to})
    return client.get(f"/gate/return?{query}", Host=host)


def admit(nodes, room):
    """Walks the whole way; returns the name and the value of the site's cookie."""
    code = code_in(Browser(nodes.first.port).get(wait_path(room)))
    answer = exchange(nodes.first.client(), room, code)
    assert answer.status == 303, answer
    return answer.headers["set-cookie"].split(";")[0]


# The life of a room.

def test_own_room_is_created_changed_listed_and_deleted(admin, client):
    room = create(admin, "life", title="Spring sale", capacity=3)
    assert (room["id"], room["state"], room["admission"]) == ("life", "open", "claim")
    assert room["visitors"] == "anonymous"
    assert (room["capacity"], room["tokenTtlSeconds"], room["sessionLimitSeconds"]) == (3, 300, 1800)
    again = admin.post("/api/v1/rooms", {"id": "life"})
    assert (again.status, again.code) == (409, "room-exists")
    changed = admin.call("PATCH", "/api/v1/rooms/life", {"visitors": "users", "returnUrls": [SHOP]}).json
    assert (changed["visitors"], changed["returnUrls"], changed["title"]) == ("users", [SHOP], "Spring sale")
    assert "life" in [each["id"] for each in admin.get("/api/v1/rooms").json["rooms"]]
    assert admin.call("PUT", "/api/v1/rooms/life", changed).status == 200, "what was read can be written"
    assert admin.call("DELETE", "/api/v1/rooms/life").status == 204
    for answer in (admin.call("DELETE", "/api/v1/rooms/life"), admin.get("/api/v1/rooms/life"),
                   client.post("/api/v1/rooms/life/entries", {"userId": "ann"}), client.get("/wait/life")):
        assert (answer.status, answer.code) == (404, "room-not-found")
    assert "life" not in [each["id"] for each in admin.get("/api/v1/rooms").json["rooms"]]
    create(admin, "life")
    assert harness.join(client, "life", "ann")["status"] == "ready"


INVALID = [
    {}, {"id": ""}, {"id": "7"}, {"id": "Shop"}, {"id": "-a"}, {"id": "a_b"}, {"id": "a" * 64},
    {"id": "x", "visitors": "all"}, {"id": "x", "verify": "no"}, {"id": "x", "no": 1},
    {"id": "x", "returnUrls": ["shop.example"]}, {"id": "x", "returnUrls": "*"},
    {"id": "x", "returnUrls": ["https://u@shop.example/"]},
    {"id": "x", "returnUrls": ["https://shop.example/?a=b"]}
]


@pytest.mark.parametrize("body", INVALID)
def test_invalid_room_is_refused_and_not_created(admin, body):
    answer = admin.post("/api/v1/rooms", body)
    assert (answer.status, answer.code) == (400, "invalid-field"), answer
    assert admin.get("/api/v1/rooms/x").status == 404


def test_rooms_of_concerts_and_main_cannot_be_deleted_or_created(admin):
    concert = harness.create_concert(admin)
    for name in (concert["id"], "main"):
        answer = admin.call("DELETE", f"/api/v1/rooms/{name}")
        assert (answer.status, answer.code) == (409, "room-in-use")
    assert admin.post("/api/v1/rooms", {"id": "main"}).code == "room-exists"
    assert admin.call("DELETE", "/api/v1/rooms/987654").status == 404


def test_longest_name_joins_and_enters(admin, client):
    name = "a" + "b" * 62
    create(admin, name)
    assert harness.enter(client, name, "ann")


def test_pre_queue_of_an_own_room_is_drawn(admin, client):
    create(admin, "drawn", state="pre-queue", capacity=0)
    for fan in range(5):
        assert harness.join(client, "drawn", f"fan-{fan}")["rank"] is None
    opened = admin.call("PATCH", "/api/v1/rooms/drawn", {"state": "open", "notice": "soon"})
    assert opened.json["state"] == "open"
    places = [client.get(f"/api/v1/rooms/drawn/entries/me?userId=fan-{fan}").json for fan in range(5)]
    assert sorted(place["rank"] for place in places) == [0, 1, 2, 3, 4]
    assert {place["notice"] for place in places} == {"soon"}
    assert client.get("/api/v1/rooms/drawn/shuffle").json["shuffles"][0]["count"] == 5
    assert 'maejin_room_waiting{room="drawn"} 5' in client.get("/metrics").text


def test_deleting_a_room_ends_its_streams(admin, client, nodes):
    create(admin, "gone", capacity=0)
    token = harness.join(client, "gone", "ann")["token"]
    listener = harness.Listener(nodes.first, "/api/v1/rooms/gone/stream", **{"X-Queue-Token": token})
    assert listener.next()[0] == "position"
    assert admin.call("DELETE", "/api/v1/rooms/gone").status == 204
    assert listener.next()[0] == "gone"
    listener.close()


def test_another_node_knows_a_room_and_forgets_a_deleted_one(admin, nodes):
    create(admin, "shared")
    other = nodes.second.client()
    assert harness.join(other, "shared", "ann")["status"] == "ready"
    assert admin.call("DELETE", "/api/v1/rooms/shared").status == 204
    until(lambda: other.get("/api/v1/rooms/shared/serving").status == 404, 10)
    assert other.post("/api/v1/rooms/shared/entries", {"userId": "bob"}).status == 404


# The way there and back.

def test_opening_the_page_joins_and_the_turn_leads_back_with_a_code(admin, nodes):
    create(admin, "walk", capacity=0, title="<b>Sale</b>")
    browser = Browser(nodes.first.port)
    page = browser.get(wait_path("walk"))
    assert page.status == 200 and "&lt;b&gt;Sale&lt;/b&gt;" in page.text and "<b>Sale" not in page.text
    assert page.headers["referrer-policy"] == "same-origin" and page.headers["cache-control"] == "no-store"
    assert admin.get("/api/v1/rooms/walk").json["waiting"] == 1
    browser.get(wait_path("walk"))
    assert admin.get("/api/v1/rooms/walk").json["waiting"] == 1, "a reload keeps the place"
    admin.call("PATCH", "/api/v1/rooms/walk", {"capacity": 1})
    sent = until(lambda: (answer := browser.get(wait_path("walk"))).status == 303 and answer)
    assert sent.headers["location"].startswith(SHOP + "/tickets?seat=1&maejin_return=")
    assert sent.headers["referrer-policy"] == "no-referrer" and sent.headers["cache-control"] == "no-store"
    assert admin.get("/api/v1/rooms/walk").json["entered"] == 1


def test_code_is_exchanged_once_for_a_session(admin, nodes):
    create(admin, "once")
    code = code_in(Browser(nodes.first.port).get(wait_path("once")))
    client = nodes.second.client()
    for wrong in (exchange(client, "main", code), exchange(client, "once", code, host="other.example"),
                  exchange(client, "once", code[:-2]), exchange(client, "once", "")):
        assert (wrong.status, wrong.code) == (401, "return-code-invalid")
    for to in ("//evil.example", "https://evil.example", "/\\evil.example", "evil", "/a\r\nSet-Cookie: x=y"):
        assert exchange(client, "once", code, to=to).code == "invalid-field"
    answer = exchange(client, "once", code)
    assert (answer.status, answer.headers["location"]) == (303, "/tickets?seat=1")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-maejin-once=") and cookie.endswith("; HttpOnly; SameSite=Lax; Secure")
    assert "; Path=/;" in cookie and "Domain" not in cookie
    again = exchange(nodes.first.client(), "once", code)
    assert (again.status, again.code) == (401, "return-code-invalid")
    assert client.get("/gate?room=once", Cookie=cookie.split(";")[0]).status == 204


def test_cookie_of_plain_http_has_no_prefix(admin, nodes):
    create(admin, "plain", returnUrls=["http://127.0.0.1:8099/"])
    code = code_in(Browser(nodes.first.port).get(wait_path("plain", "http://127.0.0.1:8099/a")))
    cookie = exchange(nodes.first.client(), "plain", code, host="127.0.0.1:8099").headers["set-cookie"]
    assert cookie.startswith("maejin-plain=") and "Secure" not in cookie
    assert nodes.first.client().get("/gate?room=plain", Cookie=cookie.split(";")[0]).status == 204


def test_one_code_presented_1000_times_at_once_gives_one_session(admin, nodes):
    create(admin, "race")
    code = code_in(Browser(nodes.first.port).get(wait_path("race")))

    def present(part):
        client = (nodes.first, nodes.second)[part % 2].client()
        answers = [exchange(client, "race", code).status for _ in range(50)]
        client.close()
        return answers

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = [status for part in pool.map(present, range(20)) for status in part]
    assert len(answers) == 1000 and answers.count(303) == 1 and answers.count(401) == 999
    assert admin.get("/api/v1/rooms/race").json["entered"] == 1
    if nodes.redis_url:
        control_code_is_good_again_without_the_note_of_its_use(admin, nodes)


def control_code_is_good_again_without_the_note_of_its_use(admin, nodes):
    """The race of 1,000 is decided by one note in the store: without it a second presentation succeeds."""
    create(admin, "control")
    code = code_in(Browser(nodes.first.port).get(wait_path("control")))
    assert exchange(nodes.first.client(), "control", code).status == 303
    assert exchange(nodes.second.client(), "control", code).status == 401
    forget_used_codes(nodes)
    assert exchange(nodes.second.client(), "control", code).status == 303
    assert admin.get("/api/v1/rooms/control").json["entered"] == 1, "and still takes no second slot"


def forget_used_codes(nodes):
    assert forget_keys(nodes, "*return:*")


OUTSIDE = [
    "https://evil.example/tickets", "https://shop.example@evil.example/tickets",
    "https://shop.example./tickets", "https://shop.example/tickets/../admin", "https://shop.example/ticketsX",
    "https://shop.example/tickets%2Fa", "http://shop.example/tickets", "//shop.example/tickets",
    "javascript:alert(1)", "https:\\\\shop.example/tickets"
]


@pytest.mark.parametrize("target", OUTSIDE)
def test_return_outside_the_list_is_refused_without_a_link(admin, client, target):
    if admin.get("/api/v1/rooms/listed").status == 404:
        create(admin, "listed")
    answer = client.get(wait_path("listed", target))
    assert (answer.status, answer.code) == (400, "return-refused")
    assert "href" not in answer.text and "evil" not in answer.text
    assert admin.get("/api/v1/rooms/listed").json["lastNumber"] == 0, "nothing joined"


def test_main_returns_where_the_operator_allows(admin, nodes):
    assert nodes.first.client().get(wait_path("main")).code == "return-refused"
    assert nodes.first.client().get("/wait/main").status == 200
    admin.call("PATCH", "/api/v1/rooms/main", {"returnUrls": [SHOP]})
    browser = Browser(nodes.first.port)
    assert until(lambda: (answer := browser.get(wait_path("main"))).status == 303 and answer)
    admin.call("PATCH", "/api/v1/rooms/main", {"returnUrls": []})


def test_enter_answers_with_the_address_to_return_to(admin, client):
    create(admin, "api")
    token = harness.join(client, "api", "ann")["token"]

    def enter(target):
        return client.post("/api/v1/rooms/api/enter", {"return": target}, {"X-Queue-Token": token})

    assert enter("https://evil.example/").code == "return-refused"
    entered = enter(SHOP + "/tickets")
    assert entered.json["returnUrl"].startswith(SHOP + "/tickets?maejin_return=")


def test_anonymous_visitor_is_a_random_id_in_a_cookie(admin, client):
    create(admin, "hidden")
    joined = client.post("/api/v1/rooms/hidden/entries")
    assert joined.status == 201, joined
    cookie = joined.headers["set-cookie"]
    assert cookie.startswith("maejin_visitor=visitor-") and "HttpOnly; SameSite=Lax" in cookie
    again = client.post("/api/v1/rooms/hidden/entries", headers={"Cookie": cookie.split(";")[0]})
    assert (again.status, again.json["number"]) == (200, joined.json["number"])
    assert client.post("/api/v1/rooms/main/entries").status == 401, "a room for users needs one"


def test_room_of_any_name_keeps_its_cookie_apart(admin, client):
    create(admin, "visitor")
    joined = client.post("/api/v1/rooms/visitor/entries")
    names = {cookie.split("=")[0] for cookie in joined.headers["set-cookie"].split(", ")}
    assert names == {"maejin_visitor"}, "the pass of the room is in maejin-visitor"


def test_redirect_is_absolute_for_a_host_with_a_final_dot(admin, client):
    create(admin, "dot")
    for host in ("shop.test.", "shop.test.:8443"):
        sent = client.get("/gate?room=dot&as=forward", Accept="text/html", Host=host)
        assert sent.headers["location"].startswith("http://shop.test"), sent.headers


def test_code_never_reaches_the_access_log(admin, nodes):
    create(admin, "logged")
    code = code_in(Browser(nodes.first.port).get(wait_path("logged")))
    assert exchange(nodes.first.client(), "logged", code).status == 303
    # Each thread of the server writes its lines at its own time.
    expected = "room=logged&maejin_return=***", "/wait/logged?return=***"
    text = until(lambda: all(line in (written := nodes.access_log.read_text(encoding="utf-8"))
                             for line in expected) and written)
    assert code not in text


# The gate.

def test_gate_speaks_each_dialect(admin, nodes, client):
    create(admin, "gate")
    path = "/tickets?a=1&b=2"
    original = {
        "X-Forwarded-Proto": "https", "X-Forwarded-Host": "shop.example", "X-Forwarded-Uri": path
    }
    target = urllib.parse.quote(SHOP + path, safe="")

    def ask(*dialects, **headers):
        return [client.get(f"/gate?room=gate{more}", **headers).status for more in dialects]

    assert ask("", "&as=nginx", "&as=envoy") == [401, 401, 403]
    assert client.get("/gate?room=gate&as=apache").code == "invalid-field"
    sent = client.get("/gate?room=gate&as=forward", Accept="text/html", **original)
    assert (sent.status, sent.headers["location"]) == (303, f"{SHOP}/wait/gate?return={target}")
    assert client.get("/gate?room=gate", **original).headers["x-maejin-wait"] == sent.headers["location"]
    scripts = {"Accept": "application/json", "X-Requested-With": "XMLHttpRequest", "Sec-Fetch-Mode": "cors"}
    for name, value in scripts.items():
        script = {name: value}
        refused = client.get("/gate?room=gate&as=forward", **script, **original)
        assert (refused.status, refused.code) == (401, "wait-required")
        assert refused.json["waitUrl"] == sent.headers["location"]
    cookie = admit(nodes, "gate")
    assert ask("", "&as=forward", "&as=envoy", Cookie=cookie) == [204, 200, 200]
    other = client.get("/gate?room=life", Cookie=cookie.replace("gate", "life", 1))
    assert (other.status, other.headers["x-maejin-gate"]) == (403, "other-room")


def test_gate_ignores_forwarded_addresses_of_strangers(tmp_path):
    with harness.Server(tmp_path / "data", "--public-url", "https://wait.example") as server:
        server.admin().post("/api/v1/rooms", {"id": "shop", "returnUrls": [SHOP]})
        told = {"X-Original-URL": SHOP + "/a", "X-Forwarded-Host": "evil.example", "X-Forwarded-Uri": "/x"}
        sent = server.client().get("/gate?room=shop&as=forward", **told)
        assert (sent.status, sent.headers["location"]) == (303, "https://wait.example/wait/shop")


def test_gate_is_a_sign_of_life_and_the_end_of_a_slot_closes_it(admin, nodes, client):
    create(admin, "alive", tokenTtlSeconds=3)

    def stays():
        """Asks for longer than the slot lives. None: a pause of this test ended the slot."""
        cookie, begin = admit(nodes, "alive"), time.monotonic()
        seen = begin  # the slot was renewed then or later
        while seen < begin + 5:
            time.sleep(0.5)
            asked = time.monotonic()
            if client.get("/gate?room=alive", Cookie=cookie).status != 204:
                assert time.monotonic() - seen > 2, "the gate was asked in time"
                return None
            seen = asked
        return cookie

    cookie = until(stays, 120)
    until(lambda: admin.get("/api/v1/rooms/alive").json["entered"] == 0, 30, 0.5)
    assert client.get("/gate?room=alive", Cookie=cookie).headers["x-maejin-gate"] == "not-inside"


def visit(client, room):
    """A browser without a cookie, at the gate of an nginx."""
    original = {
        "X-Forwarded-Proto": "https", "X-Forwarded-Host": "shop.example", "X-Forwarded-Uri": "/tickets"
    }
    return client.get(f"/gate?room={room}", Accept="text/html", **original)


def test_room_in_standby_admits_at_the_gate_until_a_limit_and_rests_again(admin, nodes, client):
    room = create(admin, "calm", standby={"entered": 5}, capacity=20)
    assert room["standby"] == {"arrivalsPerMinute": None, "entered": 5}
    other = nodes.second.client()
    cookies = []

    def enters():
        answer = visit((client, other)[len(cookies) % 2], "calm")
        if answer.status == 204:
            assert answer.headers["x-maejin-gate"] == "standby"
            cookies.append(answer.headers["set-cookie"].split(";")[0])
        return answer.status == 401

    # The nodes look four times a second, so a few visitors more than the limit may pass.
    until(enters, 60)
    assert 5 < len(cookies) <= 20
    assert admin.get("/api/v1/rooms/calm").json["entered"] == len(cookies)
    assert cookies[0].startswith("__Host-maejin-calm=")
    assert [other.get("/gate?room=calm", Cookie=cookie).status for cookie in cookies] == [204] * len(cookies)
    # At four fifths of the limit it rests again.
    for cookie in cookies[4:]:
        left = client.call("DELETE", "/api/v1/rooms/calm/entries/me", headers={"Cookie": cookie})
        assert left.status == 204, left
    until(lambda: visit(client, "calm").status == 204)
    assert client.get("/gate?room=calm", Cookie=cookies[-1]).headers["x-maejin-gate"] == "not-inside"


def test_capacity_is_kept_by_a_room_in_standby(admin, nodes):
    create(admin, "hard", standby={}, capacity=7)

    def knock(part):
        client = (nodes.first, nodes.second)[part % 2].client()
        answers = [visit(client, "hard").status for _ in range(10)]
        client.close()
        return answers

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = [status for part in pool.map(knock, range(8)) for status in part]
    assert answers.count(204) == 7 and answers.count(401) == 73
    full = admin.get("/api/v1/rooms/hard").json
    assert (full["entered"], full["waiting"]) == (7, 0)


def test_only_pages_take_a_slot_of_a_room_in_standby(admin, client):
    create(admin, "pages", standby={"arrivalsPerMinute": 100})
    for headers in ({}, {"Accept": "application/json"}, {"Accept": "text/html", "Sec-Fetch-Mode": "cors"}):
        assert client.get("/gate?room=pages", **headers).status == 401
    assert admin.get("/api/v1/rooms/pages").json["lastNumber"] == 0
    assert visit(client, "pages").status == 204
    assert admin.call("PATCH", "/api/v1/rooms/pages", {"standby": None}).json["standby"] is None
    until(lambda: visit(client, "pages").status == 401)
    for wrong in (5, {"entered": -1}, {"arrivalsPerMinute": 0}, {"other": 1}):
        assert admin.call("PATCH", "/api/v1/rooms/pages", {"standby": wrong}).code == "invalid-field"


def test_visitor_of_a_site_leaves_by_its_pass(admin, nodes, client):
    create(admin, "leave")
    cookie = admit(nodes, "leave")
    path = "/api/v1/rooms/leave/entries/me"
    for wrong in ("x.y.z", admit(nodes, "leave").split("=", 1)[1][:-4] + "AAAA"):
        assert client.call("DELETE", path, headers={"X-Maejin-Pass": wrong}).code == "token-invalid"
    assert client.call("DELETE", "/api/v1/rooms/main/entries/me",
                       headers={"X-Maejin-Pass": cookie.split("=", 1)[1]}).code == "token-invalid"
    assert admin.get("/api/v1/rooms/leave").json["entered"] == 2
    assert client.call("DELETE", path, headers={"X-Maejin-Pass": cookie.split("=", 1)[1]}).status == 204
    assert admin.get("/api/v1/rooms/leave").json["entered"] == 1
    assert client.get("/gate?room=leave", Cookie=cookie).status == 403


def test_gate_of_envoy_takes_every_method_and_the_appended_path(admin, nodes, client):
    create(admin, "envoy")
    path = "/gate?room=envoy&as=forward&original=/tickets?room=main&as=nginx&token=x"
    target = urllib.parse.quote("https://shop.example/tickets?room=main&as=nginx&token=x", safe="")
    site = {"Host": "shop.example", "X-Forwarded-Proto": "https"}
    cookie = admit(nodes, "envoy")
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        sent = client.call(method, path, headers=site)
        assert sent.status == 303, method
        assert sent.headers["location"] == f"{SHOP}/wait/envoy?return={target}", method
        assert client.call(method, path, headers={**site, "Cookie": cookie}).status == 200, method
    code = code_in(Browser(nodes.first.port).get(wait_path("envoy")))
    back = client.get(f"/gate?room=envoy&as=forward&original=/tickets?maejin_return={code}&seat=1", **site)
    assert (back.status, back.headers["location"]) == (303, "/tickets?seat=1")
    assert back.headers["set-cookie"].startswith("__Host-maejin-envoy=")
    again = client.get(f"/gate?room=envoy&as=forward&original=/tickets?maejin_return={code}&seat=1", **site)
    assert (again.status, again.headers["location"]) == (303, "/tickets?seat=1")
    assert "set-cookie" not in again.headers


def test_code_that_a_connector_presents_must_be_of_its_site(admin, nodes, client):
    create(admin, "sites", returnUrls=[SHOP, "https://other.example"])
    code = code_in(Browser(nodes.first.port).get(wait_path("sites", "https://other.example/")))
    shop = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "shop.example"}
    path = f"/gate/return?room=sites&maejin_return={code}&to=/"
    assert client.get(path, **shop).code == "return-code-invalid"
    assert client.get(path, **{**shop, "X-Forwarded-Host": "other.example"}).status == 303


def test_offline_room_lists_revoked_passes_with_an_etag(admin, client):
    room = create(admin, "off", verify="offline", tokenTtlSeconds=5)
    assert room["tokenTtlSeconds"] == room["sessionLimitSeconds"] == 1800
    passes = {}
    for user in ("ann", "bob", "eve"):
        token = harness.join(client, "off", user)["token"]
        passes[user] = client.post("/api/v1/rooms/off/enter", headers={"X-Queue-Token": token}).json["pass"]
        if user == "bob":
            client.call("DELETE", "/api/v1/rooms/off/entries/me", headers={"X-Queue-Token": token})

    def jti(user):
        claims = passes[user].split(".")[1]
        return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["jti"]

    assert admin.post("/api/v1/rooms/off/revocations", {"userId": "ann"}).status == 204
    listed = until(lambda: (answer := client.get("/api/v1/rooms/off/revocations")).status == 200 and
                   len(answer.json["revoked"]) == 2 and answer)
    assert sorted(listed.json["revoked"]) == sorted([jti("ann"), jti("bob")])
    tag = {"If-None-Match": listed.headers["etag"]}
    assert client.get("/api/v1/rooms/off/revocations", **tag).status == 304
    assert client.get("/api/v1/rooms/nowhere/revocations").status == 404

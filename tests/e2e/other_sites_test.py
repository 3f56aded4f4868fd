"""Pages of other sites make a visitor's browser send requests. Such a request takes no place."""
import harness
import pytest

ROOM = "/api/v1/rooms/shop"
PICTURE = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image", "Sec-Fetch-Site": "cross-site"}
PAGE = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site"}
FRAME = {**PAGE, "Sec-Fetch-Dest": "iframe"}
PREFETCH = {**PAGE, "Sec-Purpose": "prefetch;prerender"}
# A worker that runs on Node sends the mode of its own fetch.
FROM_NODE = {**PAGE, "Sec-Fetch-Mode": "cors"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    flags = ["--http-trusted-proxies", "127.0.0.1", "--http-cors-origins", "https://shop.example"]
    with harness.Server(tmp_path_factory.mktemp("sites") / "data", *flags) as running:
        answer = running.admin().post("/api/v1/rooms", {
            "id": "shop", "returnUrls": ["https://shop.example/"], "capacity": 0,
            "joinsPerAddressPerMinute": 3
        })
        assert answer.status == 201, answer
        yield running


def waiting(server):
    return server.admin().get(ROOM).json["waiting"]


@pytest.mark.parametrize("headers", [PICTURE, FRAME, PREFETCH], ids=["picture", "frame", "prefetch"])
def test_a_waiting_page_that_no_visitor_opened_takes_no_place(server, headers):
    before = waiting(server)
    answer = server.client().get("/wait/shop", **headers)
    assert answer.status == 200 and "set-cookie" not in answer.headers
    assert waiting(server) == before
    for opened in (PAGE, FROM_NODE):
        assert server.client().get("/wait/shop", **opened).status == 200
    assert waiting(server) == before + 2, "a link of another site opens the page"


def test_a_waiting_page_in_a_frame_takes_a_place_where_pages_may_be_framed(tmp_path):
    with harness.Server(tmp_path / "data", "--http-frame-ancestors", "https://shop.example") as server:
        room = {"id": "shop", "returnUrls": ["https://shop.example/"], "capacity": 0}
        assert server.admin().post("/api/v1/rooms", room).status == 201
        assert "set-cookie" in server.client().get("/wait/shop", **FRAME).headers
        assert waiting(server) == 1


def test_a_join_by_a_script_of_another_site_needs_an_allowed_origin(server):
    before = waiting(server)
    script = {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "cross-site"}
    for origin in ("https://evil.example", "null"):
        refused = server.client().call("POST", ROOM + "/entries", None, {**script, "Origin": origin})
        assert (refused.status, refused.code) == (403, "forbidden"), refused
    assert waiting(server) == before
    joined = server.client().call("POST", ROOM + "/entries", None,
                                  {**script, "Origin": "https://shop.example"})
    assert joined.status == 201, joined


def test_a_forged_forwarded_header_does_not_avoid_the_limit_of_an_address(server):
    def join(**more):
        return server.client().call("POST", ROOM + "/entries", None,
                                    {"X-Forwarded-For": "203.0.113.5", **more}).status

    answers = [join(Forwarded=f"for=198.51.100.{i}") for i in range(5)]
    assert answers == [201] * 3 + [429] * 2


def test_cookies_of_a_place_are_secure_where_the_browser_uses_https(server):
    for scheme, secure in (("https", True), ("http", False)):
        answer = server.client().get("/wait/shop", **{"X-Forwarded-Proto": scheme})
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("maejin_place=") and cookie.endswith("; Secure") == secure, cookie


def test_a_concert_has_one_page_address(server):
    concert = harness.create_concert(server.admin())["id"]
    assert server.client().get(f"/events/{concert}").status == 200
    for alias in (f"0{concert}", f"+{concert}", f"00{concert}"):
        assert server.client().get(f"/events/{alias}").status == 404, alias

"""Posters of concerts: checked by their header, stored durably on every back end, served in the width that
fits; and the pages that show them to browsers and to other sites."""
import contextlib

import back_ends
import harness
import pytest

HTML = {"Accept": "text/html,application/xhtml+xml"}


def webp(width, height, filling=""):
    """The head of an extended WebP picture. All bytes are ASCII, as the client expects of answers."""
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF....WEBPVP8X\x0a\0\0\0\0\0\0\0" + sides + filling.encode()


POSTER, NARROW, OTHER = webp(1152, 640, "whole"), webp(576, 320, "half"), webp(640, 640, "other")


class Site:
    """A server that can be restarted."""

    def __init__(self, folder, back_end, parts):
        self.flags = [*back_ends.flags(back_end, folder, parts), "--public-url", "https://tickets.example",
                      "--site-name", "Han & River", "--site-help-url", "https://shop.example/help",
                      "--site-terms-url", "/terms"]
        self.data = folder / "data"
        self.server = harness.Server(self.data, *self.flags)

    def restart(self):
        self.server.stop()
        self.server = harness.Server(self.data, *self.flags)


@pytest.fixture(scope="module", params=["embedded", "mariadb"])
def site(request, tmp_path_factory):
    with contextlib.ExitStack() as parts:
        running = Site(tmp_path_factory.mktemp(f"poster-{request.param}"), request.param, parts)
        yield running
        running.server.stop()


def put(server, concert, picture, **headers):
    return server.admin().call("PUT", f"/api/v1/concerts/{concert}/poster", picture, headers)


def poster_of(server, concert):
    return server.client().get(f"/api/v1/concerts/{concert}").json["poster"]


def test_poster_with_copy_survives_a_restart_and_is_replaced_and_removed_as_a_whole(site):
    concert = harness.create_concert(site.server.admin())["id"]
    path = f"/api/v1/concerts/{concert}/poster"
    assert poster_of(site.server, concert) is None
    assert site.server.client().get(path).status == 404
    stored = put(site.server, concert, POSTER)
    assert stored.status == 204, stored
    version = stored.headers["etag"]
    copied = site.server.admin().call("PUT", path + "?width=576", NARROW, {"If-Match": version})
    assert copied.status == 204, copied
    site.restart()
    client = site.server.client()
    shown = poster_of(site.server, concert)
    assert shown == {"url": f"{path}?v={version[1:-1]}", "width": 1152, "height": 640, "widths": [576, 1152]}
    for query, expected in (("", POSTER), ("?width=577", POSTER), ("?width=9999", POSTER),
                            ("?width=576", NARROW), ("?width=1", NARROW)):
        answer = client.get(path + query)
        assert (answer.status, answer.headers["content-type"]) == (200, "image/webp")
        assert answer.text.encode() == expected, query
    named = client.get(shown["url"])
    assert "immutable" in named.headers["cache-control"]
    assert client.get(shown["url"], **{"If-None-Match": named.headers["etag"]}).status == 304
    replaced = put(site.server, concert, OTHER)
    assert replaced.headers["etag"] != version
    assert poster_of(site.server, concert)["widths"] == [640], "copies of the old poster are gone"
    late = site.server.admin().call("PUT", path + "?width=576", NARROW, {"If-Match": version})
    assert (late.status, late.json["field"]) == (400, "If-Match"), "a copy of the poster before"
    assert site.server.admin().call("DELETE", path).status == 204
    assert poster_of(site.server, concert) is None
    assert site.server.client().get(path).status == 404
    audit = site.server.admin().get("/api/v1/admin/audit?limit=3").json["entries"]
    actions = [each["action"] for each in audit]
    assert actions == ["poster.delete", "poster.put", "poster.put"]


def test_what_is_no_poster_is_refused_and_changes_nothing(site):
    concert = harness.create_concert(site.server.admin())["id"]
    version = put(site.server, concert, POSTER).headers["etag"]
    for picture in (b"", b"GIF89a", b"<svg/>", webp(10_001, 10), b"\xff\xd8\xff"):
        assert put(site.server, concert, picture).json["field"] == "picture"
    assert put(site.server, concert, POSTER + b" " * (5 << 20)).code == "payload-too-large"
    assert put(site.server, 999_999, POSTER).code == "concert-not-found"
    admin, path = site.server.admin(), f"/api/v1/concerts/{concert}/poster"
    for width, copy, match, field in ((576, NARROW, None, "If-Match"), (576, NARROW, '"0000"', "If-Match"),
                                      (575, NARROW, version, "width"), (1152, POSTER, version, "width"),
                                      (640, OTHER, version, "width"), (0, NARROW, version, "width")):
        answer = admin.call("PUT", f"{path}?width={width}", copy, {"If-Match": match} if match else None)
        assert (answer.status, answer.json["field"]) == (400, field), answer
    assert poster_of(site.server, concert)["widths"] == [1152]
    largest = POSTER + b" " * ((5 << 20) - len(POSTER))
    assert put(site.server, concert, largest).status == 204, "exactly 5 MiB"


def test_concert_page_has_title_description_open_graph_tags_and_the_poster(site):
    sections = [{"name": "VIP", "rows": 1, "seatsPerRow": 2, "price": 165000},
                {"name": "S", "rows": 1, "seatsPerRow": 2, "price": 77000}]
    concert = harness.create_concert(site.server.admin(), title="<Winter> & \"Snow\"", artist="Ann",
                                     venue="Hall", price=99000,
                                     schedules=[{"concertDate": "2099-12-24", "sections": sections}])
    assert site.server.client().get(f"/api/v1/concerts/{concert['id']}").json["priceFrom"] == 77000
    page = site.server.client().get(f"/events/{concert['id']}", **HTML, **{"Accept-Language": "en"})
    title = "&lt;Winter&gt; &amp; &quot;Snow&quot;"
    for part in (f"<title>{title} · Han &amp; River</title>", f'property="og:title" content="{title}"',
                 'name="description" content="Ann · Hall · 2099-12-24 · from ₩77,000"',
                 f'property="og:url" content="https://tickets.example/events/{concert["id"]}"',
                 'property="og:site_name" content="Han &amp; River"', f"<h1>{title}</h1>"):
        assert part in page.text, part
    assert "og:image" not in page.text
    version = put(site.server, concert["id"], POSTER).headers["etag"][1:-1]
    path = f"/api/v1/concerts/{concert['id']}/poster?v={version}&amp;width=1152"

    def korean():
        shown = site.server.client().get(f"/events/{concert['id']}?lang=ko", **HTML)
        return f'<img src="{path}"' in shown.text and shown

    page = harness.until(korean)
    assert f'property="og:image" content="https://tickets.example{path}"' in page.text
    assert "Ann · Hall · 77,000원부터" in page.text
    unchanged = {"If-None-Match": page.headers["etag"]}
    assert site.server.client().get(f"/events/{concert['id']}?lang=ko", **unchanged).status == 304


def test_footer_of_fans_has_help_and_terms_and_no_way_to_the_console(site):
    concert = harness.create_concert(site.server.admin())["id"]
    for path in ("/", "/me", "/rankings", f"/events/{concert}", f"/events/{concert}?plain=1",
                 f"/events/{concert}/seats", "/nowhere"):
        footer = site.server.client().get(path, **HTML, **{"Accept-Language": "ko"}).text.split("<footer")[1]
        assert '<a href="https://shop.example/help">고객센터</a><a href="/terms">이용약관</a>' in footer, path
        assert "/console" not in footer and "/docs" not in footer, path


def test_browser_outside_the_api_gets_refusals_as_a_page_and_programs_get_problems(site):
    client = site.server.client()
    for path, status, code in (("/nowhere", 404, "not-found"), ("/events/999999", 404, "concert-not-found"),
                               ("/events/999999?plain=1", 404, "concert-not-found"),
                               ("/docs/problems/none", 404, "not-found"),
                               ("/wait/main?return=https://evil.example/", 400, "return-refused")):
        page = client.get(path, **HTML, **{"Accept-Language": "ko"})
        assert (page.status, page.headers["content-type"]) == (status, "text/html; charset=utf-8"), path
        assert '<html lang="ko">' in page.text and code in page.text and "evil" not in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert client.get(path).code == code, path
    assert client.get("/api/v1/concerts/999999", **HTML).code == "concert-not-found"
    assert client.get("/gate?room=none", **HTML).status in (401, 403, 404)
    assert "<html" not in client.get("/gate?room=none", **HTML).text


def test_only_a_server_that_takes_no_money_announces_a_test_payment(site, tmp_path):
    concert = harness.create_concert(site.server.admin())["id"]
    assert 'id="app" data-test>' in site.server.client().get(f"/events/{concert}/seats").text
    if site.flags[0] == "--redis":
        return
    (tmp_path / "secret").write_text("callback secret of 32 bytes or more\n")
    (tmp_path / "secret").chmod(0o600)
    with harness.Server(tmp_path / "data", "--payment-provider", "callback", "--payment-callback-secret-file",
                        tmp_path / "secret") as shop:
        assert 'id="app">' in shop.client().get("/events/1/seats").text

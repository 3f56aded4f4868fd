"""The organiser's name, logo and colour: on every page for fans, of the server and of one concert, on every
back end; and the settings that the server refuses."""
import contextlib
import subprocess

import back_ends
import harness
import pytest

HTML = {"Accept": "text/html,application/xhtml+xml"}
# The head of an extended WebP picture of 200 x 80 pixels. All bytes are ASCII, as the client expects.
LOGO = b"RIFF....WEBPVP8X\x0a\0\0\0\0\0\0\0" + bytes([99, 0, 0]) + bytes([39, 0, 0])


class Site:
    """A server with a logo and a colour, which can be restarted."""

    def __init__(self, folder, back_end, parts):
        (folder / "logo.webp").write_bytes(LOGO)
        self.flags = [*back_ends.flags(back_end, folder, parts), "--site-name", "Han & River", "--site-logo",
                      str(folder / "logo.webp"), "--site-color", "#123ABC"]
        self.data = folder / "data"
        self.server = harness.Server(self.data, *self.flags)

    def restart(self):
        self.server.stop()
        self.server = harness.Server(self.data, *self.flags)

    def page(self, path):
        answer = self.server.client().get(path, **HTML)
        return answer.text


@pytest.fixture(scope="module", params=["embedded", "mariadb"])
def site(request, tmp_path_factory):
    with contextlib.ExitStack() as parts:
        running = Site(tmp_path_factory.mktemp(f"look-{request.param}"), request.param, parts)
        yield running
        running.server.stop()


def look(color):
    return f'<link rel="stylesheet" href="/assets/look-{color}.css">'


def pages_of(concert):
    return [f"/events/{concert}{rest}" for rest in ("", "/seats", "/draw", "?plain=1", "/bookings")]


def test_logo_and_colour_of_the_server_are_on_pages_for_fans(site):
    concert = harness.create_concert(site.server.admin())["id"]
    for path in ["/", "/rankings", "/me", "/nowhere", "/events/999999/seats", *pages_of(concert)]:
        page = site.page(path)
        assert look("123abc") in page, path
        assert '.webp" width="80" height="32" alt="Han &amp; River"></a>' in page, path
        assert "{{" not in page, path
    for path in ("/console", "/docs"):
        assert "/assets/look" not in site.page(path) and "/assets/logo" not in site.page(path), path
    address = site.page("/").split('<img src="')[1].split('"')[0]
    picture = site.server.client().get(address)
    assert (picture.status, picture.headers["content-type"]) == (200, "image/webp")
    assert picture.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert site.server.client().get(address, **{"If-None-Match": picture.headers["etag"]}).status == 304


def test_stylesheet_of_a_colour_is_served_and_no_other_name(site):
    client = site.server.client()
    style = client.get("/assets/look-123abc.css")
    assert style.status == 200 and style.headers["content-type"].startswith("text/css")
    assert ".primary{background:#123abc;color:#ffffff" in style.text
    assert client.get("/assets/look-123abc.css", **{"If-None-Match": style.headers["etag"]}).status == 304
    for name in ("look-123ABC.css", "look-12.css", "look-123abcd.css", "look-%7Dbody%7B.css"):
        assert client.get(f"/assets/{name}").status == 404, name


def test_colour_of_a_concert_is_kept_shown_on_its_pages_and_removed(site):
    admin = site.server.admin()
    concert = harness.create_concert(admin, color="#FFCC00")
    path = f"/api/v1/concerts/{concert['id']}"
    assert concert["color"] == "#ffcc00"
    assert harness.create_concert(admin)["color"] is None
    for page in pages_of(concert["id"]):
        assert look("ffcc00") in site.page(page) and look("123abc") not in site.page(page), page
    changed = admin.call("PATCH", path, {"color": "#101010"})
    assert (changed.status, changed.json["color"]) == (200, "#101010")
    site.restart()
    assert site.server.client().get(path).json["color"] == "#101010"
    for page in pages_of(concert["id"]):
        assert look("101010") in site.page(page), page
    admin = site.server.admin()
    assert admin.call("PATCH", path, {"title": "Other"}).json["color"] == "#101010", "not named: unchanged"
    assert admin.call("PATCH", path, {"color": None}).json["color"] is None
    details = [row["detail"] for row in admin.get("/api/v1/admin/audit?limit=20").json["entries"]
               if row["action"] == "concert.change"]
    assert [str(detail).count("color") for detail in details][:3] == [1, 0, 1]
    for page in pages_of(concert["id"]):
        harness.until(lambda page=page: look("123abc") in site.page(page))


def test_other_text_is_no_colour_of_a_concert(site):
    admin = site.server.admin()
    concert = harness.create_concert(admin)["id"]
    for color in ("", "red", "#fc0", "ffcc00", "#ffcc0g", "#ffcc00 ", "#ffcc00ff", 16763904, []):
        refused = admin.call("PATCH", f"/api/v1/concerts/{concert}", {"color": color})
        told = refused.status, refused.json["code"], refused.json["field"]
        assert told == (400, "invalid-field", "color"), color
        new = {"title": "T", "artist": "A", "venue": "V", "price": 1, "schedules": [], "color": color}
        assert admin.post("/api/v1/concerts", new).json["field"] == "color", color


def test_organiser_and_logo_of_a_concert_are_kept_shown_on_its_pages_and_removed(site):
    admin = site.server.admin()
    concert = harness.create_concert(admin, organizer="<Moon> & Co")
    path = f"/api/v1/concerts/{concert['id']}"
    assert (concert["organizer"], concert["logo"]) == ("<Moon> & Co", None)
    name = "&lt;Moon&gt; &amp; Co"
    for page in pages_of(concert["id"]):
        shown = site.page(page)
        assert f"매진</span> {name}</a>" in shown and f" · {name}</title>" in shown, page
        assert "/assets/logo" not in shown, f"{page}: the logo is another organiser's"
        assert ("Presented by " + name in shown) == (page.endswith(("/bookings", "=1")) or
                                                     page == f"/events/{concert['id']}"), page
    assert f'property="og:site_name" content="{name}"' in site.page(f"/events/{concert['id']}")
    stored = admin.call("PUT", path + "/logo", LOGO)
    assert stored.status == 204, stored
    site.restart()
    logo = site.server.client().get(path).json["logo"]
    assert logo == {"url": f"{path}/logo?v={stored.headers['etag'][1:-1]}", "width": 100, "height": 40}
    for page in pages_of(concert["id"]):
        assert f'<img src="{logo["url"]}" width="80" height="32" alt="{name}"></a>' in site.page(page), page
    picture = site.server.client().get(logo["url"])
    assert picture.headers["content-type"] == "image/webp" and picture.text.encode() == LOGO
    assert "immutable" in picture.headers["cache-control"]
    assert "<Moon>" not in site.page("/") and logo["url"] not in site.page("/")
    admin = site.server.admin()
    assert admin.call("PATCH", path, {"title": "Other"}).json["organizer"] == "<Moon> & Co"
    assert admin.call("DELETE", path + "/logo").status == 204
    assert admin.call("PATCH", path, {"organizer": None}).json["organizer"] is None
    rows = admin.get("/api/v1/admin/audit?limit=4").json["entries"]
    assert [row["action"] for row in rows] == ["concert.change", "logo.delete", "concert.change", "logo.put"]
    assert "organizer" in str(rows[0]["detail"])
    assert site.server.client().get(path + "/logo").status == 404
    for page in pages_of(concert["id"]):
        harness.until(lambda page=page: 'alt="Han &amp; River"></a>' in site.page(page))


def test_what_is_no_logo_or_name_of_an_organiser_is_refused(site):
    admin = site.server.admin()
    concert = harness.create_concert(admin)["id"]
    path = f"/api/v1/concerts/{concert}"
    for organizer in ("", "x" * 201, 1, []):
        refused = admin.call("PATCH", path, {"organizer": organizer})
        assert (refused.status, refused.json["field"]) == (400, "organizer"), organizer
    for picture in (b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", LOGO[:-3] + bytes([0, 2, 0])):
        refused = admin.call("PUT", path + "/logo", picture)
        assert (refused.status, refused.json["field"]) == (400, "picture"), refused
    assert admin.call("PUT", path + "/logo", LOGO + b" " * (256 << 10)).code == "payload-too-large"
    assert admin.call("PUT", "/api/v1/concerts/999999/logo", LOGO).code == "concert-not-found"
    assert site.server.client().call("PUT", path + "/logo", LOGO).status == 401
    assert site.server.client().get(path).json["logo"] is None


def test_waiting_page_names_the_site_of_the_way_back_and_none_without_one(site):
    shop = "https://shop.example"
    for room, urls in (("named", [shop]), ("nameless", [])):
        made = site.server.admin().post("/api/v1/rooms", {"id": room, "capacity": 0, "returnUrls": urls})
        assert made.status == 201, made
    page = site.page("/wait/named?return=https%3A%2F%2Fshop.example%2F")
    assert 'data-site="shop.example"' in page and '<p class="muted small">shop.example</p>' in page
    assert look("123abc") in page
    assert 'data-site=""' in site.page("/wait/nameless")


def refusal_of(tmp_path, *flags):
    command = [harness.BINARY, "serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", *flags]
    started = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert started.returncode != 0, started
    return started.stderr + started.stdout


def test_server_with_a_setting_that_is_no_colour_or_logo_does_not_start(tmp_path):
    assert "site.color" in refusal_of(tmp_path, "--site-color", "yellow")
    cases = {"vector.svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "it can carry scripts"),
             "large.webp": (LOGO + b" " * (256 << 10), "at most 256 kB"),
             "high.webp": (LOGO[:-3] + bytes([0, 2, 0]), "at most 512 pixels high"),
             "missing.png": (None, "cannot be read")}
    for name, (content, reason) in cases.items():
        if content is not None:
            (tmp_path / name).write_bytes(content)
        said = refusal_of(tmp_path, "--site-logo", tmp_path / name)
        assert "site.logo" in said and reason in said, said

"""From the line to the ticket without JavaScript: pages, forms and cookies, as a browser without scripts uses
them; refusals as states of the pages; and forms of other sites."""
import contextlib
import html
import http.client
import re
import urllib.parse

import back_ends
import harness
import pytest


class Browser:
    """Follows redirects, keeps cookies and their paths, and sends the forms of pages."""

    def __init__(self, port, language="en"):
        self.port, self.language, self.jar, self.page, self.path = port, language, {}, None, "/"

    def ask(self, method, path, body=None, **headers):
        sent = {"Accept": "text/html", "Accept-Language": self.language, **headers}
        cookies = [f"{name}={value}" for (name, at), value in self.jar.items() if path.startswith(at)]
        if cookies:
            sent["Cookie"] = "; ".join(cookies)
        if body is not None:
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body=body, headers=sent)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        for line in response.headers.get_all("Set-Cookie", []):
            pair, *rest = line.split("; ")
            name, value = pair.split("=", 1)
            at = next(each[5:] for each in rest if each.startswith("Path="))
            self.jar[(name, at)] = value
            if value == "":
                del self.jar[(name, at)]
        return harness.Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, text)

    def open(self, path):
        self.page, self.path = self.ask("GET", path), path
        for _ in range(5):
            if self.page.status != 303:
                return self
            self.path = self.page.headers["location"]
            self.page = self.ask("GET", self.path)
        raise AssertionError(f"{path} redirects for ever")

    def forms(self):
        """The page's forms by their verb: action and fields, selects with what the browser preselects."""
        found = {}
        forms = re.findall(r'<form[^>]*action="([^"]+)"[^>]*>(.*?)</form>', self.page.text, re.S)
        for action, inner in forms:
            fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', inner))
            for name, options in re.findall(r'<select[^>]*name="(\w+)"[^>]*>(.*?)</select>', inner, re.S):
                choices = re.findall(r"<option([^>]*)>([^<]*)", options)
                usable = [(marks, text) for marks, text in choices if "disabled" not in marks]
                if usable:
                    marks, text = next((each for each in usable if "selected" in each[0]), usable[0])
                    value = re.search(r'value="(\d+)"', marks)
                    fields[name] = value.group(1) if value else text
            found[fields.get("do", "hold")] = (action, fields)
        return found

    def send(self, verb, origin="own", **changed):
        """Presses the form's button."""
        action, fields = self.forms()[verb]
        origin = f"http://127.0.0.1:{self.port}" if origin == "own" else origin
        body = urllib.parse.urlencode({**fields, **changed})
        answer = self.ask("POST", action, body, **({"Origin": origin} if origin else {}))
        if answer.status == 303:
            return self.open(answer.headers["location"])
        self.page = answer
        return self

    def sees(self, text):
        return text in html.unescape(self.page.text)


class Site:
    def __init__(self, kind, folder, parts):
        self.server = parts.enter_context(
            harness.Server(folder / "data", *back_ends.flags(kind, folder, parts)))
        self.admin = self.server.admin()

    def browser(self, language="en"):
        return Browser(self.server.port, language)

    def concert(self, **fields):
        return harness.create_concert(self.admin, **fields)

    def inside(self, concert, language="en"):
        """A fan with a turn, on the page to choose seats."""
        fan = self.browser(language).open(f"/events/{concert['id']}?plain=1")
        fan.send("join")
        if "enter" in fan.forms():
            fan.send("enter")
        return fan.open(f"/events/{concert['id']}/seats?plain=1")


@pytest.fixture(scope="module", params=back_ends.NAMES)
def site(request, tmp_path_factory):
    with contextlib.ExitStack() as parts:
        yield Site(request.param, tmp_path_factory.mktemp(f"plain-{request.param}"), parts)


def test_fan_goes_from_the_line_to_the_ticket_and_cancels(site):
    concert = site.concert(seats=5, color="#0b5d7a", organizer="Moon & Co")
    fan = site.browser().open(f"/events/{concert['id']}?plain=1")
    assert fan.send("join").sees("your turn"), fan.page
    assert fan.send("enter").sees("You’re in")
    fan.open(f"/events/{concert['id']}/seats?plain=1")
    assert fan.sees("2099-05-01 · 5 left")
    fan.send("hold", count="2")
    assert "/bookings/" in fan.path and fan.sees("₩2,000") and fan.sees("Time left to pay")
    assert fan.sees("Test payment") and "(Asia/Seoul)" in fan.page.text
    assert int(fan.page.headers["refresh"]) <= 20, "the page shows an expired hold as expired"
    booking = fan.path
    assert fan.sees("look-0b5d7a.css") and fan.sees("Presented by Moon & Co"), "the organiser's look"
    fan.send("pay")
    assert fan.sees("Booked") and fan.page.text.count("<svg") == 2, fan.page
    code = re.search(r"Booking code: <strong class=\"num\">([A-Z0-9-]+)", fan.page.text).group(1)
    assert site.admin.get(f"/api/v1/tickets/{code}").json["status"] == "valid"
    # Found again from the concert's page; paying again changes nothing.
    fan.open(f"/events/{concert['id']}/bookings")
    assert booking.split("?")[0] in fan.page.text and fan.sees("Open the ticket")
    fan.open(booking.split("?")[0] + "?cancel=1")
    assert fan.sees("Cancel this booking?")
    fan.send("cancel")
    harness.until(lambda: fan.open(booking).sees("was refunded"))
    assert "<svg" not in fan.page.text
    assert site.admin.get(f"/api/v1/tickets/{code}").json["status"] == "cancelled"
    assert site.admin.get(f"/api/v1/concerts/{concert['id']}").json["availableSeats"] == 5


def test_form_that_is_sent_twice_holds_and_pays_once(site):
    concert = site.concert(seats=5)
    fan = site.inside(concert)
    form = fan.page
    first = fan.send("hold", count="2").path
    fan.page = form
    assert fan.send("hold", count="2").path == first
    held = fan.page
    fan.send("pay")
    fan.page = held
    assert fan.send("pay").sees("Booked")
    # The button of the old page gives no paid seat back.
    fan.page = held
    assert fan.send("release").sees("Booked")
    shown = site.admin.get(f"/api/v1/concerts/{concert['id']}").json
    assert (shown["availableSeats"], shown["heldSeats"]) == (3, 0)


def test_refusals_are_states_of_the_pages_in_the_language_of_the_page(site):
    concert = site.concert(seats=2)
    late = site.inside(concert, "ja")
    quick = site.inside(concert, "ko")
    assert quick.send("hold", count="2").sees("남은 결제 시간")
    # All seats are taken, not paid: the page says so and offers the form.
    assert late.send("hold", count="1").sees("完売しました。"), late.page
    assert "hold" in late.forms() and "schedule" not in late.forms()["hold"][1]
    assert late.send("hold").sees("完売しました。")
    # Given back: the seats are on sale again.
    assert quick.send("release").sees("예매가 취소되었습니다")
    late.open(f"/events/{concert['id']}/seats?plain=1")
    late.send("hold", count="2")
    assert late.sees("お支払いの残り時間") and late.send("pay").sees("購入完了")
    harness.until(lambda: quick.open(f"/events/{concert['id']}/seats?plain=1").sees("모든 좌석이 판매되었습니다"))
    new = site.browser("zh-TW").open(f"/events/{concert['id']}?plain=1")
    assert new.sees("已售完") and "join" not in new.forms()


def test_expired_hold_is_shown_as_expired(site):
    concert = site.concert(seats=2, holdSeconds=1)
    fan = site.inside(concert)
    path = fan.send("hold", count="1").path
    harness.until(lambda: fan.open(path).sees("Time’s up"))
    paid = fan.ask("POST", path.split("?")[0], "do=pay")
    assert paid.headers["location"].endswith("?plain=1&why=hold-expired"), paid
    fan.open(paid.headers["location"])
    assert fan.sees("Time’s up") and fan.sees("The hold on these seats has expired.")


def test_fan_without_a_turn_is_sent_to_the_line(site):
    concert = site.concert(seats=2)
    fan = site.browser().open(f"/events/{concert['id']}/seats?plain=1")
    assert fan.path == f"/events/{concert['id']}?plain=1" and "join" in fan.forms()
    body = f"schedule={concert['schedules'][0]['id']}&count=1"
    answer = fan.ask("POST", f"/events/{concert['id']}/seats/plain", body)
    assert (answer.status, answer.headers["location"]) == (
        303, f"/events/{concert['id']}?plain=1&why=pass-required")
    assert fan.open(answer.headers["location"]).sees("Wait for your turn in the waiting room first.")


def test_page_before_the_opening_has_the_local_time(site):
    concert = site.concert(seats=2, opened=False, bookingOpenAt="2036-05-01T10:00:00Z")
    fan = site.browser().open(f"/events/{concert['id']}?plain=1")
    assert fan.sees("2036-05-01 19:00 (Asia/Seoul)")
    fan.open(f"/events/{concert['id']}/seats?plain=1")
    assert fan.sees("Booking is not open.")


def test_concert_without_a_room_needs_no_turn(site):
    concert = site.concert(seats=2, room="none")
    fan = site.browser().open(f"/events/{concert['id']}?plain=1").send("join")
    assert fan.path == f"/events/{concert['id']}/seats?plain=1"
    assert fan.send("hold", count="1").send("pay").sees("Booked")


def test_booking_is_shown_only_to_its_fan(site):
    concert = site.concert(seats=2)
    fan = site.inside(concert).send("hold", count="1")
    other = site.browser().open(fan.path)
    assert other.page.status == 404 and other.sees("There is no such reservation.")
    stolen = other.ask("POST", fan.path.split("?")[0], "do=release")
    assert stolen.status == 404
    assert fan.open(fan.path).sees("Time left to pay")


@pytest.mark.parametrize("site", ["embedded"], indirect=True)
def test_form_of_another_site_is_refused(site):
    concert = site.concert(seats=4)
    fan = site.inside(concert)
    choose = fan.page
    for foreign in ("https://evil.example", "null"):
        assert fan.send("hold", origin=foreign, count="1").page.status == 403
        fan.page = choose
    cross = fan.ask("POST", f"/events/{concert['id']}/plain", "do=leave", **{"Sec-Fetch-Site": "cross-site"})
    assert cross.status == 403
    fan.send("hold", count="1")
    held = fan.page
    for verb in ("pay", "release"):
        fan.page = held
        assert fan.send(verb, origin="https://evil.example").page.status == 403
    fan.page = held
    # Text browsers send neither header.
    assert fan.send("pay", origin=None).sees("Booked")
    for (name, path), _ in fan.jar.items():
        assert name in ("maejin_fan", "maejin_place") and path.startswith("/events")


@pytest.mark.parametrize("site", ["embedded"], indirect=True)
def test_malformed_forms_are_refused(site):
    concert = site.concert(seats=4)
    fan = site.inside(concert)
    choose = fan.page
    for wrong in ({"count": "0"}, {"count": "7"}, {"count": "x"}, {"schedule": "x"}, {"key": "k" * 65}):
        fan.page = choose
        assert fan.send("hold", **wrong).page.status == 400, wrong
    fan.page = choose
    assert fan.send("hold", schedule="999999999").page.status == 404
    booking = site.inside(concert)
    booking.send("hold", count="1")
    assert booking.ask("POST", booking.path.split("?")[0], "do=anything").status == 400
    shown = booking.open(booking.path.split("?")[0] + "?why=<script>").page.text
    assert "<script>" not in shown

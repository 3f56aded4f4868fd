"""`maejin events mail` against a real SMTP server: every booking has a mail, also after kills of the sender;
repeats have the same Message-ID."""
import collections
import email
import email.policy
import http.server
import json
import os
import queue
import random
import subprocess
import threading
import urllib.parse

import harness
import pytest
from aiosmtpd.controller import Controller

KILLS = 100 if os.environ.get("MAEJIN_ALL") or os.environ.get("MAEJIN_CAMPAIGN") else 12
BOOKINGS = 5 * KILLS
SEED = int(os.environ.get("MAEJIN_SEED", "1"))
FROM = "box-office@shop.example"


class Mailbox:
    """Keeps every message. `on_message(count)` runs after a message was kept and before it is answered."""

    def __init__(self):
        self.kept, self.on_message, self.answers = [], lambda count: None, {}
        self.port = harness.free_port()
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port, ready_timeout=60)
        self.controller.start()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if (answer := self.answers.get(address)) is not None:
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.kept.append((envelope.mail_from, envelope.rcpt_tos, message))
        self.on_message(len(self.kept))
        return "250 OK"

    def ids(self):
        return [message["Message-ID"] for _, _, message in list(self.kept)]

    def close(self):
        self.controller.stop()


@pytest.fixture
def mailbox():
    made = Mailbox()
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("mail") / "data") as started:
        yield started


def flags(server, mailbox, cursor, *more):
    return [harness.BINARY, "events", "mail", "--data", str(server.data), "--url",
            f"http://127.0.0.1:{server.port}", "--mail-smtp-url", f"smtp://127.0.0.1:{mailbox.port}",
            "--mail-from", FROM, "--cursor", str(cursor), *map(str, more)]


def run(server, mailbox, cursor, *more):
    return subprocess.run(flags(server, mailbox, cursor, "--once", *more), capture_output=True, text=True,
                          timeout=120, check=False, env=harness.clean_environment())


def newest(admin):
    after = 0
    while (page := admin.get(f"/api/v1/admin/events?after={after}&limit=1000").json)["events"]:
        after = page["next"]
    return after


def book(server, concert, seat, user, pay=True):
    fan = server.client()
    schedule = concert["schedules"][0]["id"]
    held = fan.post("/api/v1/reservations", {"scheduleId": schedule, "seats": [seat], "userId": user}).json
    if pay:
        path = f"/api/v1/reservations/{held['reservationId']}/payment"
        assert fan.post(path, {"amount": held["amount"], "userId": user}).status == 200
    return held["reservationId"]


def code_of(admin, reservation):
    return admin.get(f"/api/v1/admin/reservations/{reservation}").json["code"]


def addresses(folder, *rows):
    file = folder / "addresses.csv"
    file.write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    return ("--mail-addresses-file", file)


def test_confirmation_refund_and_cancellation_are_mailed_in_the_language_of_the_user(server, admin, mailbox,
                                                                                      tmp_path):
    after = newest(admin)
    concert = harness.create_concert(admin, seats=9, room="none", title="봄밤")
    kept, refunded = book(server, concert, 1, "ann"), book(server, concert, 2, "bo")
    taken, own = book(server, concert, 3, "ann", pay=False), book(server, concert, 4, "ann", pay=False)
    assert server.client().call("DELETE", f"/api/v1/reservations/{own}?userId=ann").status == 200
    for reservation in (refunded, taken):
        assert admin.call("DELETE", f"/api/v1/admin/reservations/{reservation}").status == 200
    book(server, concert, 5, "unknown")
    done = run(server, mailbox, tmp_path / "cursor", "--after", after,
               *addresses(tmp_path, "ann,ann@fan.example,en", "bo,bo@fan.example,ko"))
    assert done.returncode == 0, done
    assert "the user has no address" in done.stderr and "fan.example" not in done.stderr
    told = [(rcpt[0], message["Subject"], message.get_content()) for _, rcpt, message in mailbox.kept]
    codes = {name: code_of(admin, each) for name, each in (("kept", kept), ("refunded", refunded),
                                                            ("taken", taken))}
    assert [(to, subject) for to, subject, _ in told] == [
        ("ann@fan.example", f"Your booking {codes['kept']}: 봄밤"),
        ("bo@fan.example", f"예매 완료 {codes['refunded']}: 봄밤"),
        ("bo@fan.example", f"환불 안내 {codes['refunded']}: 봄밤"),
        ("ann@fan.example", f"Your reservation {codes['taken']} was cancelled: 봄밤"),
    ], "the customer's own cancellation has no mail"
    assert "Paid: ₩1,000\r\n" in told[0][2] and "결제 금액: 1,000원\r\n" in told[1][2]
    assert "환불 금액: 1,000원\r\n" in told[2][2]
    assert "Seats: " in told[0][2] and "{" not in "".join(body for _, _, body in told)
    sender, _, message = mailbox.kept[0]
    assert sender == FROM == message["From"].addresses[0].addr_spec
    assert message["Auto-Submitted"] == "auto-generated"
    again = run(server, mailbox, tmp_path / "cursor", *addresses(tmp_path, "ann,ann@fan.example"))
    assert again.returncode == 0 and len(mailbox.kept) == 4, "it resumes after the last event"


def test_addresses_come_from_the_lookup_url_and_own_templates_are_used(server, admin, mailbox, tmp_path):
    asked = []

    class Lookup(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
            asked.append((query["key"], query["userId"]))
            body = json.dumps({"address": "cy@fan.example", "language": "en"}).encode()
            self.send_response(503 if len(asked) == 1 else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Lookup)
    threading.Thread(target=shop.serve_forever, args=(0.05,), daemon=True).start()
    after = newest(admin)
    book(server, harness.create_concert(admin, seats=1, room="none"), 1, "cy & co")
    (tmp_path / "confirmed.en.txt").write_text("Hello {user}\n\nSee you at {venue}.\n", encoding="utf-8")
    done = run(server, mailbox, tmp_path / "cursor", "--after", after, "--mail-lookup-url",
               f"http://127.0.0.1:{shop.server_address[1]}/who?key=x", "--mail-templates", tmp_path)
    shop.shutdown()
    shop.server_close()
    assert done.returncode == 0 and "the address lookup answers 503; trying again" in done.stderr, done
    assert asked == [(["x"], ["cy & co"])] * 2
    (_, rcpt, message), = mailbox.kept
    assert rcpt == ["cy@fan.example"] and message["Subject"] == "Hello cy & co"
    assert message.get_content().startswith("See you at ")


def test_refused_address_is_passed_over_and_a_busy_server_is_tried_again(server, admin, mailbox, tmp_path):
    after = newest(admin)
    concert = harness.create_concert(admin, seats=3, room="none")
    for seat, user in ((1, "gone"), (2, "busy"), (3, "good")):
        book(server, concert, seat, user)
    answers = iter(["451 4.3.0 try later"])
    mailbox.answers = {"gone@fan.example": "550 5.1.1 no such user"}

    class Busy(dict):
        def get(self, address, default=None):
            return next(answers, None) if address == "busy@fan.example" else super().get(address, default)

    mailbox.answers = Busy(mailbox.answers)
    rows = [f"{user},{user}@fan.example" for user in ("gone", "busy", "good")]
    done = run(server, mailbox, tmp_path / "cursor", "--after", after, *addresses(tmp_path, *rows))
    assert done.returncode == 0, done
    assert "refuses the address" in done.stderr and "trying again" in done.stderr, done.stderr
    assert [rcpt[0] for _, rcpt, _ in mailbox.kept] == ["busy@fan.example", "good@fan.example"]


def test_settings_are_checked_and_one_process_uses_a_cursor(server, mailbox, tmp_path):
    file = addresses(tmp_path, "ann,ann@fan.example")
    assert run(server, mailbox, tmp_path / "c", *file, "--mail-from", "nobody").returncode == 2
    assert run(server, mailbox, tmp_path / "c", *file, "--mail-smtp-url", "http://x").returncode == 2
    assert run(server, mailbox, tmp_path / "c").returncode == 2, "no addresses"
    assert run(server, mailbox, tmp_path / "c", *file, "--types", "nonsense").returncode == 2
    first = subprocess.Popen(flags(server, mailbox, tmp_path / "c", *file), env=harness.clean_environment())
    harness.until(lambda: (tmp_path / "c.lock").exists() and "cannot lock" in run(
        server, mailbox, tmp_path / "c", *file).stderr)
    first.kill()
    first.wait()


def violations(bookings, ids, kills):
    """What the received Message-IDs say against the bookings (Message-ID by booking)."""
    counts = collections.Counter(ids)
    wrong = [f"{booking}: no mail" for booking in bookings if counts[booking] == 0]
    wrong += [f"{each}: of no booking" for each in counts if each not in bookings]
    repeats = sum(counts.values()) - len(counts)
    if repeats > kills:
        wrong.append(f"{repeats} repeats after {kills} kills")
    return wrong


def test_control_auditor_finds_lost_and_repeated_mails():
    assert violations({"a", "b"}, ["a", "b", "b"], 1) == []
    assert violations({"a", "b"}, ["a"], 1) == ["b: no mail"]
    assert violations({"a"}, ["a", "a", "a"], 1) == ["2 repeats after 1 kills"]
    assert violations({"a"}, ["a", "x"], 0) == ["x: of no booking"]


def test_kills_of_the_sender_lose_no_mail_and_repeat_at_most_one_each(server, admin, mailbox, tmp_path):
    after = newest(admin)
    concert = harness.create_concert(admin, seats=BOOKINGS, room="none")
    made = {book(server, concert, seat, "ann") for seat in range(1, BOOKINGS + 1)}
    file = addresses(tmp_path, "ann,ann@fan.example")
    chance, cursor = random.Random(SEED), tmp_path / "cursor"
    cursor.write_text(f"{after}\n", encoding="utf-8")
    killed = []
    for kill in range(KILLS):
        # Half of the kills hit between the arrival of a mail and its answer: that mail comes again.
        wanted = len(mailbox.kept) + chance.randint(1, 3)
        inside = kill % 2 == 0
        started = queue.Queue()  # mails may arrive before this thread has the sender

        def on_message(count, started=started, wanted=wanted):
            if count == wanted:
                started.get().kill()
                killed.append(count)

        mailbox.on_message = on_message if inside else lambda count: None
        sender = subprocess.Popen(flags(server, mailbox, cursor, *file), env=harness.clean_environment())
        started.put(sender)
        if inside:
            harness.until(lambda: sender.poll() is not None)
        else:
            harness.until(lambda: len(mailbox.kept) >= wanted)
            sender.kill()
        sender.wait()
    mailbox.on_message = lambda count: None
    done = run(server, mailbox, cursor, *file)
    assert done.returncode == 0, done
    ids = mailbox.ids()
    # A new connection: a hundred kills take longer than a silent connection is kept.
    confirmed = f"/api/v1/admin/events?after={after}&types=reservation.confirmed&limit=1000"
    page = server.admin().get(confirmed).json
    confirmed = [(event["id"], event["data"]["reservationId"]) for event in page["events"]]
    assert {reservation for _, reservation in confirmed} == made
    bookings = {f"<evt-{event}.{reservation}@shop.example>" for event, reservation in confirmed}
    assert violations(bookings, ids, KILLS) == []
    assert len(ids) - len(bookings) >= len(killed) > 0, "control: kills made repeats"
    bodies = {}
    for _, _, message in mailbox.kept:
        assert bodies.setdefault(message["Message-ID"], message.as_bytes()) == message.as_bytes()

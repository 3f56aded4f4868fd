"""The report of a sale, in all three modes: its figures are recomputed from the rows of the database, and a
changed row is found."""
import contextlib
import csv
import datetime
import hashlib
import io
import json
import re
import sqlite3

import back_ends
import harness
import pytest
import redis_server
from harness import concert_body, enter, hold, join, pay, until

FANS = ["ann", "bob", "cho", "dan"]


def in_an_hour():
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Sale:
    """A stage with its database, on which one sale was held."""

    def __init__(self, name, folder, parts):
        self.name, self.folder, self.flags, self.shared, self.redis = name, folder, [], None, None
        if name != "embedded":
            self.redis = parts.enter_context(redis_server.Redis(folder))
            self.flags += ["--redis", self.redis.patient_url]
        if name == "mariadb":
            self.shared = back_ends.mariadb(folder, parts)
            self.flags += ["--mysql", self.shared.url(parameters=back_ends.PATIENT)]

    def start(self):
        return harness.Server(self.folder / "data", *self.flags)

    def rows(self, query):
        """Rows as lists of text, straight from the database."""
        if self.shared:
            return self.shared.sql(query)
        with contextlib.closing(sqlite3.connect(self.folder / "data" / "maejin.db")) as database:
            return [[str(value) for value in row] for row in database.execute(query)]

    def change(self, statement):
        if self.shared:
            self.shared.sql(statement)
            return
        with contextlib.closing(sqlite3.connect(self.folder / "data" / "maejin.db")) as database:
            database.execute(statement)
            database.commit()

    def paid_rows(self):
        """number, id, schedule, seats, amount, paid at (ms), status, of reservations that were paid."""
        number = "CAST(UNIX_TIMESTAMP(paid_at) * 1000 AS INTEGER)" if self.shared else "paid_at"
        name = "LOWER(HEX(id))" if self.shared else "id"
        return [[int(row[0]), row[1], int(row[2]), json.loads(row[3]), int(row[4]), int(row[5]), row[6]]
                for row in self.rows(f"SELECT number, {name}, schedule_id, seats, amount, {number}, status "
                                     "FROM reservations WHERE paid_at IS NOT NULL ORDER BY number")]

    def counts(self):
        """Refusals by code."""
        return {code: int(count) for code, count in self.rows("SELECT code, count FROM refusals")}

    def waits(self):
        """Fans by the seconds that they waited."""
        if not self.redis:
            return {int(row[0]): int(row[1]) for row in self.rows("SELECT seconds, fans FROM room_waits")}
        words = self.redis.cli("HGETALL", f"room:{self.concert['id']}:tally").split()
        fields = dict(zip(words[::2], words[1::2]))
        return {int(name.split(":")[1]): int(fans)
                for name, fans in fields.items() if name.startswith("waited:")}


def hold_sale(sale, server):
    """Six fans are drawn; four buy, one leaves, one goes on waiting; one booking is refunded."""
    admin, client = server.admin(), server.client()
    body = concert_body(bookingOpenAt=in_an_hour(), preQueueAt="2026-01-01T00:00:00Z")
    body["schedules"] = [{"concertDate": "2099-05-01", "sections": [
        {"name": "VIP", "rows": 1, "seatsPerRow": 3, "price": 5000},
        {"name": "R", "rows": 1, "seatsPerRow": 3, "price": 1000}]}]
    created = admin.post("/api/v1/concerts", body)
    assert created.status == 201, created
    sale.concert = created.json
    room, date = sale.concert["id"], sale.concert["schedules"][0]["id"]
    until(lambda: admin.get(f"/api/v1/rooms/{room}").json["state"] == "pre-queue")
    tokens = {fan: join(client, room, fan)["token"] for fan in [*FANS, "eve", "fay"]}
    assert admin.post(f"/api/v1/concerts/{room}/open").status == 200
    until(lambda: admin.get(f"/api/v1/rooms/{room}").json["state"] == "open")
    gone = client.call("DELETE", f"/api/v1/rooms/{room}/entries/me", None, {"X-Queue-Token": tokens["eve"]})
    assert gone.status == 204
    held = []
    for seats, fan in zip(([1, 2], [3], [4], [5]), FANS):
        assert enter(client, room, fan) == tokens[fan]
        if seats == [3]:
            assert hold(client, date, [1], fan, tokens[fan]).code in ("seat-taken", "seat-held")
        held.append(hold(client, date, seats, fan, tokens[fan]).json)
        assert pay(client, held[-1], fan).status == 200
    refund = admin.call("DELETE", f"/api/v1/admin/reservations/{held[3]['reservationId']}", {"reason": "ill"})
    assert refund.status == 200, refund
    until(lambda: sale.counts())


@pytest.fixture(scope="module", name="sale", params=back_ends.NAMES)
def fixture_sale(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    with contextlib.ExitStack() as parts:
        held = Sale(request.param, folder, parts)
        with held.start() as server:
            hold_sale(held, server)
        # The figures survive a restart. The last test stops this server.
        held.server = parts.enter_context(held.start())
        yield held


@pytest.fixture(name="server")
def fixture_server(sale):
    return sale.server


def report_of(admin, sale):
    answer = admin.get(f"/api/v1/concerts/{sale.concert['id']}/report")
    assert answer.status == 200, answer
    return answer.json


def percentile(waits, percent):
    """Nearest rank."""
    every = sorted(seconds for seconds, fans in waits.items() for _ in range(fans))
    return every[-(-len(every) * percent // 100) - 1]


def millis(text):
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def test_figures_equal_those_of_an_independent_reader(sale, server):
    report = report_of(server.admin(), sale)
    paid = sale.paid_rows()
    assert report["line"] == {"arrivals": 6, "admitted": 4, "waiting": 1, "inside": report["line"]["inside"],
                              "dropOuts": 1, "noShows": 0, "complete": True, "reason": None}
    waits = sale.waits()
    assert sum(waits.values()) == 4
    assert report["waits"] == {f"{name}Seconds": percentile(waits, percent) for name, percent in (
        ("p50", 50), ("p90", 90), ("p99", 99), ("max", 100))}
    confirmed = [row for row in paid if row[6] == "CONFIRMED"]
    assert report["bookings"] == {
        "holds": int(sale.rows("SELECT COUNT(*) FROM reservations")[0][0]), "holders": 4, "paid": len(paid),
        "buyers": 4, "expired": 0, "cancelled": 0, "refunded": 1, "seatsForSale": 6,
        "seatsSold": sum(len(row[3]) for row in confirmed), "revenue": sum(row[4] for row in confirmed),
        "refundedAmount": 1000}
    assert (report["bookings"]["seatsSold"], report["bookings"]["revenue"]) == (4, 16000)
    assert report["conversion"] == {"admittedOfArrivals": 0.6667, "holdersOfAdmitted": 1,
                                    "buyersOfHolders": 1, "buyersOfArrivals": 0.6667}
    opened = millis(report["bookingOpenAt"])
    last = max(row[5] for row in paid if set(row[3]) <= {1, 2, 3})
    assert [(each["section"], each["seats"], each["sold"], each["soldOutSeconds"])
            for each in report["sections"]] == [("VIP", 3, 3, (last - opened) / 1000), ("R", 3, 1, None)]
    assert {each["code"]: each["count"] for each in report["refusals"]} == sale.counts()
    assert sum(sale.counts().values()) == 1


def test_time_line_has_operators_and_sale_in_order(sale, server):
    line = report_of(server.admin(), sale)["timeline"]
    assert [each["at"] for each in line] == sorted(each["at"] for each in line)
    assert [each["what"] for each in line if each["kind"] == "sale"] == [
        "opened", "first-hold", "first-payment", "section-sold"]
    actions = [each for each in line if each["kind"] == "operator"]
    assert [each["what"] for each in actions] == ["concert.create", "concert.open", "reservation.cancel"]
    hashes = dict(sale.rows("SELECT id, hash FROM audit"))
    assert all(hashes[str(each["auditId"])] == each["hash"] for each in actions)


def test_certificate_has_draw_digest_and_chain(sale, server):
    certificate = report_of(server.admin(), sale)["certificate"]
    text = "".join(f"{number} {name} {date} {','.join(map(str, seats))} {amount} {at}\n"
                   for number, name, date, seats, amount, at, _ in sale.paid_rows())
    assert certificate["bookings"] == {"count": 4, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    draw = certificate["shuffles"][0]
    assert hashlib.sha256(bytes.fromhex(draw["seed"])).hexdigest() == draw["commitment"]
    assert (draw["count"], draw["verified"]) == (6, True)
    last = sale.rows("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1")[0]
    assert [str(certificate["audit"]["lastId"]), certificate["audit"]["hash"]] == last
    assert certificate["audit"]["firstBroken"] is None and certificate["intact"]
    assert all(check["ok"] for check in certificate["checks"])


def test_three_formats_have_the_same_figures(sale, server):
    admin, report = server.admin(), report_of(server.admin(), sale)
    path = f"/api/v1/concerts/{sale.concert['id']}/report"
    rows = list(csv.reader(io.StringIO(admin.get(path + "?format=csv").text)))
    figures = {(group, name): value for group, name, value in rows}
    for group in ("line", "waits", "bookings", "conversion"):
        for name, value in report[group].items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                assert float(figures[group, name]) == value, (group, name)
    assert figures["certificate", "bookingsSha256"] == report["certificate"]["bookings"]["sha256"]
    english = admin.get(path + "?format=html", **{"Accept-Language": "en"}).text
    korean = admin.get(path + "?format=html", **{"Accept-Language": "ko"}).text
    assert "Fairness certificate" in english and "공정성 증명" in korean
    for page in (english, korean):
        assert report["certificate"]["shuffles"][0]["seed"] in page and ">16000<" in page
        assert "<script" not in page and not re.search(r"(src|href)=", page)
    assert admin.get(path + "?format=pdf").code == "invalid-field"
    assert admin.get("/api/v1/concerts/987654/report").code == "concert-not-found"
    assert server.client().get(path).status == 401


def verify(sale, file):
    code, out, err = harness.run("report", "verify", file, "--data", sale.folder / "data", *sale.flags)
    assert not err, err
    return code, out


def test_changed_row_is_found(sale):
    """One row at a time, in the database of a stopped server: the amount of a booking, a row of the audit
    log."""
    file, concert = sale.folder / "report.json", str(sale.concert["id"])
    code, _, err = harness.run("report", "write", concert, "--output", file, "--data", sale.server.data,
                               *sale.flags)
    assert code == 0, err
    assert verify(sale, file)[0] == 0, "control: nothing was changed"
    sale.server.stop()
    first = sale.paid_rows()[0][0]
    longer = "CONCAT(actor, 'x')" if sale.shared else "actor || 'x'"
    changes = [
        (f"UPDATE reservations SET amount = amount - 1 WHERE number = {first}", "+ 1",
         ["bookings", "amounts"]),
        (f"UPDATE audit SET actor = {longer} WHERE id = 2", "", ["audit-chain"]),
    ]
    for statement, undo, found in changes:
        sale.change(statement)
        with sale.start() as server:
            code, out = verify(sale, file)
            changed = [line.split()[1].rstrip(":") for line in out.splitlines() if line.startswith("CHANGED")]
            assert (code, changed) == (1, found), out
            assert not report_of(server.admin(), sale)["certificate"]["intact"]
        if undo:
            sale.change(statement.replace("- 1", undo))

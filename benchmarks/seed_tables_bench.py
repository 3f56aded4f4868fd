"""The tables of the requirements (001-9, 004-11), reproduced on a real Redis and a real MariaDB.

First the example of 001: a hundred sell-outs a day for thirty days (a day of 100, a week of 700, a month of
3,000), and 10,000 in all, the older ones a year and more ago. Prints what the boards take in Redis, by key,
and in all (`used_memory`). Then the same 10,000 as a hundred a day for a hundred days, all of them on a
monthly board that is still kept.

Then one request at a time over HTTP, on one connection: registering, the top ten, the rank of one (001), the
top ten of the dates, a fan's position, the check of a token (004). Beside each, the same question asked of
the same MariaDB in SQL, with the best index, on one connection; and the statements that one request cost the
database.

`--small` is the mode that tests run."""
import argparse
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/support"))
import harness  # noqa: E402
import redis_server  # noqa: E402
import cluster as clusters  # noqa: E402  (in deploy/, where harness.py looks)

DAY = 86_400
KINDS = (("concertSoldOutRank", "concertSoldOutRank"),
         ("concert:soldout:ranking:daily", "concert:soldout:ranking:daily:"),
         ("concert:soldout:ranking:weekly", "concert:soldout:ranking:weekly:"),
         ("concert:soldout:ranking:monthly", "concert:soldout:ranking:monthly:"),
         ("concert:soldout:ranking:all", "concert:soldout:ranking:all"),
         ("ranking:soldout-time:{yyyyMM}", r"ranking:soldout-time:\d{6}$"),
         ("ranking:soldout-time, days and weeks", "ranking:soldout-time:"))


def instant(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def history(number, sold_out_at):
    """A sell-out; numbers of ten digits, as the requirement assumes."""
    concert = 1_000_000_000 + number
    return {"concertId": concert, "title": f"2025 전국투어 콘서트 {number}", "artist": f"가수 {number // 50}",
            "venue": f"공연장 {number % 500}",
            "bookingOpenAt": instant(sold_out_at - 1 - number * 7919 % 40_000),
            "soldOutAt": instant(sold_out_at),
            "schedules": [{"id": concert, "concertDate": "2036-12-24", "seats": 5000}]}


def example(rows):
    """100 a day for 30 days; the rest from 400 days ago on, a hundred in five days."""
    now = int(time.time()) - 60
    recent = rows * 3 // 10
    per_day = max(recent // 30, 1)
    for number in range(rows):
        days = number // per_day if number < recent else 400 + (number - recent) // 20
        yield history(number, now - DAY * days)


def hundred_a_day(rows):
    now = int(time.time()) - 60
    per_day = max(rows // 100, 1)
    for number in range(rows):
        yield history(number, now - DAY * (number // per_day))


def import_rows(server, rows):
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    for at in range(0, len(lines), 2000):
        answer = server.admin().post("/api/v1/admin/soldouts", "\n".join(lines[at:at + 2000]))
        assert answer.status == 200 and answer.json["imported"] == len(lines[at:at + 2000]), answer


def used(redis):
    redis.cli("MEMORY", "PURGE")
    return int(re.search(r"used_memory:(\d+)", redis.cli("INFO", "memory")).group(1))


def show_memory(redis, title, rows, before):
    total = used(redis) - before
    keys = redis.cli("KEYS", "*").split()
    sizes = {key: int(redis.cli("MEMORY", "USAGE", key, "SAMPLES", 0) or 0) for key in keys}
    print(f"\n{title}, {rows} sell-outs in all")
    for name, pattern in KINDS:
        mine = [key for key in sizes if re.match(pattern, key)]
        print(f"  {name:<44} {len(mine):>4} keys {sum(sizes.pop(key) for key in mine) / 1000:>9.1f} KB")
    print(f"  {'everything else':<44} {len(sizes):>4} keys {sum(sizes.values()) / 1000:>9.1f} KB")
    print(f"memory of the boards in Redis {total / 1e6:.2f} MB (the requirement's estimate: 0.25 MB)")
    return total


def latency(server, path, seconds, headers=()):
    """Microseconds from request to answer, the median, one request at a time."""
    words = [word for header in headers for word in ("-H", header)]
    url = f"http://127.0.0.1:{server.port}{path}"
    run = subprocess.run(["wrk", "-t1", "-c1", f"-d{seconds}", "--latency", *words, url],
                         capture_output=True, text=True, check=True)
    assert "Non-2xx" not in run.stdout, run.stdout
    value, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", run.stdout).groups()
    count = int(re.search(r"(\d+) requests in", run.stdout).group(1))
    return float(value) * {"us": 1, "ms": 1e3, "s": 1e6}[unit], count


def sql_latency(database, statement, times):
    """Microseconds of one statement on one connection, on average."""
    def run(count):
        began = time.monotonic()
        subprocess.run(database.client("maejin"), input=(statement + ";\n") * count, capture_output=True,
                       text=True, check=True)
        return time.monotonic() - began

    return max(run(times) - run(1), 0) / (times - 1) * 1e6


def statements(database):
    return database.number("SELECT variable_value FROM information_schema.global_status "
                           "WHERE variable_name = 'QUESTIONS'")


class Rows:
    """Prints one row of the table per question."""

    def __init__(self, server, database, seconds, times):
        self.server, self.database, self.seconds, self.times = server, database, seconds, times
        began, at = time.monotonic(), statements(database)
        time.sleep(seconds)
        self.idle = (statements(database) - at) / (time.monotonic() - began)
        print(f"\n{'question':<30} {'over HTTP':>12} {'in SQL':>12} {'ratio':>8} "
              f"{'statements a request':>22}")

    def row(self, name, path, statement, headers=()):
        began, at = time.monotonic(), statements(self.database)
        micros, count = latency(self.server, path, self.seconds, headers)
        asked = statements(self.database) - at - self.idle * (time.monotonic() - began)
        sql = sql_latency(self.database, statement, self.times)
        print(f"{name:<30} {micros:>9.0f} us {sql:>9.0f} us {sql / micros:>6.1f} x "
              f"{max(asked, 0) / count:>22.3f}", flush=True)


def fill_tables(database, fans):
    """The design of requirement 004 in SQL, with the best indexes."""
    database.sql(
        "CREATE TABLE bench_queue (token BIGINT PRIMARY KEY, user_id VARCHAR(40) NOT NULL, "
        "status TINYINT NOT NULL, expires_at DATETIME(3), INDEX by_status (status, token)); "
        "INSERT INTO bench_queue SELECT seq, CONCAT('fan', seq), 0, NOW() + INTERVAL 1 DAY "
        f"FROM seq_1_to_{fans}; "
        "CREATE TABLE bench_dates (concert_date DATE PRIMARY KEY, reserved INT NOT NULL, "
        "INDEX by_count (reserved, concert_date)); "
        "INSERT INTO bench_dates SELECT '2026-01-01' + INTERVAL seq DAY, seq * 37 % 50 FROM seq_1_to_365; "
        "CREATE TABLE bench_soldouts AS SELECT concert_id, title, artist, venue, "
        "TIMESTAMPDIFF(MICROSECOND, booking_open_at, sold_out_at) DIV 1000 AS millis FROM sold_out_concerts; "
        "ALTER TABLE bench_soldouts ADD PRIMARY KEY (concert_id), ADD INDEX by_millis (millis, concert_id)")


def queue_up(server, fans):
    """Fans in the line of `main`, and one inside; returns the token of the last one and of the one inside."""
    client, admin = server.client(), server.admin()
    inside = client.post("/queue/token", {"userId": "inside"}).json["token"]
    settings = {"capacity": 1, "tokenTtlSeconds": 3600, "sessionLimitSeconds": 3600}
    assert admin.call("PUT", "/api/v1/rooms/main", settings).status == 200
    for number in range(fans):
        last = client.post("/queue/token", {"userId": f"fan{number}"}).json["token"]
    return last, inside


def reserve_dates(server, dates):
    """Holds on many dates, for the board of dates."""
    body = harness.concert_body(seats=50, dates=1, room="none")
    body["schedules"] = [{"concertDate": f"2027-{1 + day // 28:02}-{1 + day % 28:02}", "seats": 50}
                         for day in range(dates)]
    created = server.admin().post("/api/v1/concerts", body).json
    assert server.admin().post(f"/api/v1/concerts/{created['id']}/open").status == 200
    for number, schedule in enumerate(created["schedules"]):
        seats = list(range(1, 2 + number % 50))
        held = server.client().post("/api/v1/reservations",
                                    {"scheduleId": schedule["id"], "seats": seats, "userId": "fan"})
        assert held.status == 201, held


def registering(server, redis, count):
    """Microseconds of the script that puts a sell-out on its boards."""
    redis.cli("CONFIG", "RESETSTAT")
    now = int(time.time()) - 30
    for number in range(count):
        import_rows(server, [history(5_000_000 + number, now)])
    stats = redis.cli("INFO", "commandstats")
    calls, micros = map(int, re.search(r"cmdstat_evalsha:calls=(\d+),usec=(\d+)", stats).groups())
    print(f"registering one on all its boards {micros / calls:.0f} us in Redis (the requirement: < 1 ms)")


def measure(small):
    rows, seconds, fans = (1000, 1, 50) if small else (10_000, 3, 2000)
    with contextlib.ExitStack() as parts:
        folder = pathlib.Path(parts.enter_context(tempfile.TemporaryDirectory(prefix="maejin-seeds-")))

        def start(name):
            (folder / name).mkdir()
            redis = parts.enter_context(redis_server.Redis(folder / name / "redis"))
            database = clusters.MariaDb(folder / name)
            parts.callback(database.kill)
            database.start()
            database.create_database()
            flags = ["--redis", redis.patient_url, "--mysql", database.url()]
            server = parts.enter_context(harness.Server(folder / name / "node", *flags))
            time.sleep(1)
            return redis, database, server, used(redis)

        redis, database, server, before = start("days")
        import_rows(server, hundred_a_day(rows))
        show_memory(redis, "a hundred a day for a hundred days", rows, before)
        redis, database, server, before = start("example")
        import_rows(server, example(rows))
        total = show_memory(redis, "the example of 001-9", rows, before)
        registering(server, redis, 20 if small else 200)
        reserve_dates(server, 20 if small else 300)
        last, inside = queue_up(server, fans)
        fill_tables(database, fans)
        # Every row that the reads below show is read from the database once, before.
        server.client().get("/api/v1/rankings/soldout?window=all&topN=100")
        table = Rows(server, database, seconds, 200 if small else 2000)
        concert = 1_000_000_000 + rows // 2
        table.row("top ten of all time", "/api/v1/rankings/soldout?window=all&topN=10",
                  "SELECT concert_id, title, artist, venue, millis FROM bench_soldouts "
                  "ORDER BY millis, concert_id LIMIT 10")
        table.row("rank of one concert", f"/api/v1/rankings/soldout/concerts/{concert}?window=all",
                  "SELECT COUNT(*) FROM bench_soldouts WHERE millis < "
                  f"(SELECT millis FROM bench_soldouts WHERE concert_id = {concert})")
        table.row("top ten of the dates", "/concerts/ranking?topN=10",
                  "SELECT concert_date, reserved FROM bench_dates "
                  "ORDER BY reserved DESC, concert_date LIMIT 10")
        table.row("position of one who waits", "/queue/status",
                  f"SELECT COUNT(*) FROM bench_queue WHERE status = 0 AND token < {fans - 1}",
                  [f"X-Queue-Token: {last}"])
        table.row("check of a token", "/queue/status",
                  "SELECT user_id FROM bench_queue "
                  f"WHERE token = {fans} AND status = 0 AND expires_at > NOW()",
                  [f"X-Queue-Token: {inside}"])
    return total


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--small", action="store_true")
    measure(arguments.parse_args().small)


if __name__ == "__main__":
    main()

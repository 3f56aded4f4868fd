"""An HTTP fuzzer driven by openapi.yaml: requests from the document, with mutations.

No answer may be a 500 or differ from the document, the server may not end, and its memory may not grow.
By hand: `./dev fuzz http 1200`."""
import argparse
import contextlib
import http.client
import json
import pathlib
import random
import sqlite3
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import harness  # pylint: disable=wrong-import-position
import openapi  # pylint: disable=wrong-import-position

USERS = [f"fan-{n}" for n in range(8)]  # few, so that requests meet places and reservations of their user
FRESH_EVERY = 1000  # requests; earlier ones close, cancel and delete what they find
KEYS = [f"key-{n}" for n in range(60)]
# More concerts, dates and sell-outs would be growth that was asked for. Maintenance would hide fans' routes,
# and rehearsals would be load.
MOST_CREATED = {
    "createConcert": 40, "addSchedules": 40, "importSeatPlans": 40, "importSoldOuts": 40, "rotateKeys": 300,
    "beginMaintenance": 0, "startRehearsal": 0
}
TEXTS = [
    "", " ", "a", "매진", "a" * 200, "a" * 5000, "\u0000", "\n", "\ud7ff", "😀" * 40, "'; DROP TABLE seats; --",
    "../../etc/passwd", "{{title}}", "%00", "%2e%2e%2f", "<script>", "null", "0", "-1", "NaN", "1e999",
    "__proto__", "\\", '"', "\x7f", "\u202e"
]
NUMBERS = [
    0, 1, 2, 3, 5, 8, -1, 100, 1000, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, -2**63, 10**30, 1.5,
    -0.0, 1e308
]
OTHERS = [None, True, False, [], {}, [[]], {"a": {}}, [1, 2, 3], "x"]
# The server also holds the rows of these tables in memory: the bytes per row, counted by heaptrack and
# rounded up.
KEPT = {
    "schedules": 6144, "room": 2048, "reservations": 512, "payments": 512, "place": 64, "idempotency": 256,
    "operator_keys": 256
}
# A page of the database in the writer's cache, and the limit of that cache.
PAGE_BYTES, CACHE_BYTES = 4608, 64 << 20
# Growth that is not counted: caches that fill up to their limits, and fragmentation.
UNCOUNTED = 8 << 20
# The allocator gives freed memory back at once, so that the resident memory is what the server keeps.
# Otherwise it would also be what the largest answers took: 14 MiB more after an export of 1 MB.
GIVE_BACK = {"MIMALLOC_DECOMMIT_DELAY": "0", "MIMALLOC_SEGMENT_DECOMMIT_DELAY": "0"}
# These end what the others need: one in four of them is sent.
ENDING = ["cancelConcert", "cancelSchedule", "closeConcert", "eraseUser", "configureRoom"]
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "BREW"]


class Found(Exception):
    """A fault of the server; the text has the request."""


class Fuzzer:
    def __init__(self, server, seed):
        self.server, self.admin_key, self.random = server, server.admin_key, random.Random(seed)
        self.operations = sorted(openapi.operations().items())
        self.known = {
            "id": [1, 2, 3], "eventId": ["main", "1", "2"], "token": [], "reservation": [], "pass": [],
            "paymentId": []
        }
        self.schedule = 1  # of the newest concert on sale
        self.user, self.owned = USERS[0], {}  # the user of this request; what each user was given, by kind
        self.created, self.statuses, self.requests = {}, {}, 0
        self.connection = None

    # --- values

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def text(self, schema):
        kind = schema.get("format")
        if kind == "date":
            return self.random.choice(
                ["2027-05-01", "2027-02-30", "1970-01-01", "9999-12-31", "0000-00-00", "2025-10-31"])
        if kind == "date-time":
            return self.random.choice([
                "2027-05-01T10:00:00Z", "2025-10-31T10:00:00.123Z", "1970-01-01T00:00:00Z",
                "9999-12-31T23:59:59Z", "2027-05-01T10:00:00+14:00", "2027-05-01T25:00:00Z",
                "2016-12-31T23:59:60Z"
            ])
        return self.random.choice(USERS) if self.one_in(2) else self.random.choice(TEXTS)

    def number(self, schema):
        if self.one_in(4):
            return self.random.choice(NUMBERS)
        low = schema.get("minimum", 0)
        return self.random.randint(low, min(schema.get("maximum", low + 60), low + 60))

    def value(self, schema, name=""):
        """A value of the schema; some fields have a value that an earlier answer named."""
        schema = openapi.flat(schema)
        if name == "wait":
            return 0  # a request that waits for events would stop the fuzzer
        if name in ("concertId", "scheduleId", "id", "after", "before", "since") and not self.one_in(3):
            return self.random.choice(self.known["id"])
        if self.owned.get((self.user, name)) and not self.one_in(4):
            return self.random.choice(self.owned[self.user, name])
        if name in self.known and self.known[name] and not self.one_in(3):
            return self.random.choice(self.known[name])
        if name in ("userId", "X-User-Id") and not self.one_in(8):
            return self.user
        if "oneOf" in schema:
            return self.value(self.random.choice(schema["oneOf"]))
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kind = schema.get("type", "string")
        kind = self.random.choice(kind) if isinstance(kind, list) else kind
        if kind == "object":
            return self.object(schema)
        if kind == "array" and name == "seats" and not self.one_in(3):
            return sorted(self.random.sample(range(1, 31), self.random.randint(1, 3)))
        if kind == "array":
            return [self.value(schema.get("items", {})) for _ in range(self.random.randrange(4))]
        if kind in ("integer", "number"):
            return self.number(schema)
        if kind == "boolean":
            return self.one_in(2)
        return None if kind == "null" else self.text(schema)

    def object(self, schema):
        wanted = set(schema.get("required", []))
        fields = {}
        for name, each in schema.get("properties", {}).items():
            if name in wanted or self.one_in(3):
                fields[name] = self.value(each, name)
        # Small halls: the fuzzer looks for faults, not for load.
        for name in ("rows", "seatsPerRow", "seats"):
            if isinstance(fields.get(name), int) and 60 < fields[name] <= 100_000:
                fields[name] = 60
        return fields

    def mutated(self, value):
        """The value with one part changed, dropped, added or replaced by another type."""
        if isinstance(value, dict) and value and not self.one_in(5):
            name = self.random.choice(sorted(value))
            changed = dict(value)
            action = self.random.randrange(4)
            if action == 0:
                del changed[name]
            elif action == 1:
                changed[self.random.choice(TEXTS)] = self.random.choice(OTHERS)
            else:
                changed[name] = self.mutated(value[name])
            return changed
        if isinstance(value, list) and value and not self.one_in(3):
            at = self.random.randrange(len(value))
            return value[:at] + [self.mutated(value[at])] * self.random.choice([0, 1, 2, 50]) + value[at + 1:]
        return self.random.choice(self.random.choice([TEXTS, NUMBERS, OTHERS]))

    def mangled(self, text):
        """Bytes that are no longer the text: cut, doubled, with other bytes, or deep."""
        data = bytearray(text.encode("utf-8", "surrogatepass"))
        action = self.random.randrange(6)
        if action == 0:
            return bytes(data[: self.random.randrange(len(data) + 1)])
        if action == 1:
            return bytes(data * 2)
        if action == 2:
            return b"[" * self.random.choice([16, 17, 1000]) + bytes(data)
        if action == 3:
            return b'{"userId":"a","userId":"b"}'
        for _ in range(self.random.randrange(1, 5)):
            if data:
                data[self.random.randrange(len(data))] = self.random.randrange(256)
        return bytes(data)

    # --- requests

    def target(self, path, parameters):
        for each in (p for p in parameters if p["in"] == "path"):
            name = each["name"]
            kind = "reservation" if "/reservations/" in path else name
            value = self.value(each["schema"], kind)
            if self.one_in(12):
                value = self.random.choice(TEXTS + NUMBERS)
            path = path.replace(
                "{" + name + "}",
                urllib.parse.quote(str(value).encode("utf-8", "replace"), safe="" if self.one_in(2) else "/")
                or "x")
        query = []
        for each in (p for p in parameters if p["in"] == "query"):
            if self.one_in(2):
                value = self.random.choice(TEXTS) if self.one_in(5) else self.value(
                    each["schema"], each["name"])
                query.append((each["name"], str(value).encode("utf-8", "replace")))
        if self.one_in(20):
            query.append((self.random.choice(TEXTS[2:6]).encode("utf-8"), b"x"))
        text = urllib.parse.urlencode(query)
        if text and self.one_in(30):
            text = self.random.choice(["%", "%zz", "&&&", "=", "a" * 3000, "%00=%00"])
        return path + ("?" + text if text else "")

    def headers(self, operation):
        sent = {}
        for each in (p for p in operation["parameters"] if p["in"] == "header"):
            if self.one_in(2):
                known = {"X-Queue-Token": "token", "X-Maejin-Pass": "pass"}.get(each["name"])
                if known and not self.owned.get((self.user, known)) and not self.one_in(8):
                    continue
                value = self.random.choice(KEYS) if each["name"] == "Idempotency-Key" else self.value(
                    each["schema"], known or each["name"])
                sent[each["name"]] = str(value)
        if {"admin": []} in operation.get("security", []) and not self.one_in(15):
            sent["Authorization"] = f"Bearer {self.admin_key}"
        if self.one_in(20):
            sent[self.random.choice([
                "If-None-Match", "Accept-Language", "Cookie", "Forwarded", "X-Forwarded-For", "Origin",
                "Prefer", "Authorization", "Expect", "Accept-Encoding"
            ])] = self.random.choice(TEXTS + ["*", "maejin_token=x; maejin_lang=ko"])
        # What no header can hold is not sent; the libFuzzer targets send such bytes to the parser.
        return {name: "".join(c for c in value if 31 < ord(c) < 127) for name, value in sent.items()}

    def body(self, operation, headers):
        kinds = operation.get("requestBody", {}).get("content", {})
        if not kinds:
            return (b"{}" if self.one_in(20) else None)
        kind = self.random.choice(sorted(kinds))
        headers["Content-Type"] = kind if not self.one_in(30) else self.random.choice(
            ["text/plain", "", "application/json; charset=x"])
        value = self.value(kinds[kind]["schema"])
        for _ in range(self.random.choice([0, 0, 0, 1, 2])):
            value = self.mutated(value)
        text = json.dumps(value, ensure_ascii=self.one_in(2))
        return self.mangled(text) if self.one_in(8) else text.encode("utf-8", "replace")

    def step(self):
        (method, path), operation = self.random.choice(self.operations)
        name = operation.get("operationId")
        if name in ENDING and not self.one_in(4):
            return None
        self.user = self.random.choice(USERS)
        headers = self.headers(operation)
        data = self.body(operation, headers)
        target = self.target(path, operation["parameters"])
        if self.one_in(50):
            method = self.random.choice(METHODS)
        elif self.created.get(name, 0) >= MOST_CREATED.get(name, 10**9):
            headers.pop("Authorization", None)
        return self.send(method, target, data, headers, (path, operation))

    def refresh(self):
        """A concert on sale, and an open room."""
        admin = self.server.admin()
        admin.call("DELETE", "/api/v1/admin/maintenance")
        admin.call("PUT", "/api/v1/rooms/main", {"state": "open", "capacity": 20})
        concert = harness.create_concert(admin, seats=30, room="none")
        self.learn_ids(concert)
        self.schedule = concert["schedules"][0]["id"]
        admin.close()

    def visit(self):
        """Valid requests of one user, so that the others meet a place, a hold or a payment."""
        self.user = self.random.choice(USERS)
        user = {"X-User-Id": self.user}
        self.call("POST", "/api/v1/rooms/{eventId}/entries", "main", {"userId": self.user}, {})
        hold = {"scheduleId": self.schedule, "seats": [self.random.randint(1, 30)], "userId": self.user}
        held = self.call("POST", "/api/v1/reservations", "", hold, user)
        if held and held.status == 201 and self.one_in(2):
            self.call("POST", "/api/v1/reservations/{id}/payment", held.json["reservationId"],
                      {"userId": self.user}, user)

    def call(self, method, path, value, body, headers):
        target = path.replace("{eventId}", value).replace("{id}", value)
        operation = openapi.operations()[method, path]
        headers = {**headers, "Content-Type": "application/json"}
        return self.send(method, target, json.dumps(body).encode(), headers, (path, operation))

    def send(self, method, target, data, headers, described):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        request = f"{method} {target} {headers} {data[:2000] if data else data!r}"
        try:
            self.connection.request(method, target, data, headers)
            response = self.connection.getresponse()
            streams = response.getheader("content-type", "").startswith("text/event-stream")
            text = "" if streams else response.read().decode("utf-8")
        except Exception as problem:
            self.close()
            # The server may close a kept connection at any time; whether it lives is asked for on a new one.
            self.check_alive(request, problem)
            return None
        if streams or response.will_close:
            self.close()
        self.requests += 1
        self.statuses[response.status] = self.statuses.get(response.status, 0) + 1
        answer = harness.Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, text)
        self.judge(method, request, answer, described)
        return answer

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    # --- answers

    def check_alive(self, request, problem=None):
        if self.server.process.poll() is not None:
            log = self.server.log_path.read_text(encoding="utf-8")[-3000:]
            raise Found(f"the server ended after {request}: {problem}\n{log}")
        client = self.server.client()
        try:
            if client.get("/healthz").status != 200:
                raise Found(f"the server is not healthy after {request}")
        finally:
            client.close()

    def judge(self, method, request, answer, described):
        path, operation = described
        if answer.status == 500 or answer.status > 503:
            raise Found(f"{answer.status} for {request}: {answer}")
        self.learn(operation, answer)
        if operation.get("operationId") == "beginMaintenance" and answer.status < 300:
            self.server.admin().call("DELETE", "/api/v1/admin/maintenance")  # else the rest would be 503
        if (method, path) not in openapi.operations() or answer.headers.get(
                "content-type", "").startswith("text/event-stream"):
            return
        # A mutated target may reach another route or none; its own answers are checked where they are a
        # success.
        if answer.status < 300:
            faults = openapi.faults_of_answer((method, path), answer)
            if faults:
                raise Found(f"{request}: {answer.status} differs from the document: {faults[:3]}")

    def learn(self, operation, answer):
        if not 200 <= answer.status < 300:
            return
        name = operation.get("operationId")
        self.created[name] = self.created.get(name, 0) + 1
        if not answer.text or not answer.headers.get("content-type", "").startswith("application/json"):
            return
        found = answer.json
        if not isinstance(found, dict):
            return
        for kind, field in (("token", "token"), ("reservation", "reservationId"), ("pass", "pass"),
                            ("paymentId", "paymentId")):
            if isinstance(found.get(field), str):
                self.known[kind] = self.known[kind][-30:] + [found[field]]
                self.owned[self.user, kind] = self.owned.get((self.user, kind), [])[-3:] + [found[field]]
        if "schedules" in found and "id" in found:
            self.learn_ids(found)

    def learn_ids(self, concert):
        self.known["eventId"] = self.known["eventId"][-30:] + [str(concert["id"])]
        dates = [each["id"] for each in concert["schedules"][:5]]
        self.known["id"] = self.known["id"][-12:] + [concert["id"]] + dates


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def serve(folder):
    """A server whose memory can be compared."""
    return harness.Server(pathlib.Path(folder) / "data", "--log-level", "error", env=GIVE_BACK)


def fuzz(server, seconds, seed, say=lambda line: None):
    """Fuzzes for so long; returns figures. Raises Found."""
    fuzzer = Fuzzer(server, seed)
    for _ in range(3):
        fuzzer.refresh()
    started, shown, early, fresh_at = time.monotonic(), time.monotonic(), None, FRESH_EVERY
    while (spent := time.monotonic() - started) < seconds:
        fuzzer.step()
        if fuzzer.one_in(25):
            fuzzer.visit()
        if fuzzer.requests >= fresh_at:
            fresh_at = fuzzer.requests + FRESH_EVERY
            fuzzer.check_alive(f"{fuzzer.requests} requests")
            fuzzer.refresh()
        if early is None and spent > seconds / 3:
            early = kept_by(server, fuzzer.requests)
        if time.monotonic() - shown > 60:
            shown = time.monotonic()
            mib = resident_bytes(server.process.pid) >> 20
            say(f"{fuzzer.requests} requests, {mib} MiB, {sorted(fuzzer.statuses.items())}")
    fuzzer.check_alive("the end")
    fuzzer.close()
    return {
        "requests": fuzzer.requests, "statuses": dict(sorted(fuzzer.statuses.items())),
        "succeeded": fuzzer.created, "after_a_third": early, "at_the_end": kept_by(server, fuzzer.requests)
    }


def kept_by(server, requests):
    """The server's memory, and how many things it keeps because they were asked for."""
    database = sqlite3.connect(f"file:{server.data / 'maejin.db'}?mode=ro", uri=True)
    with contextlib.closing(database):
        pages, = database.execute("PRAGMA page_count").fetchone()
        rows = {table: database.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in KEPT}
    return {"bytes": resident_bytes(server.process.pid), "requests": requests, "pages": pages, "rows": rows}


def check_growth(figures):
    """Memory grows only by what was asked for. Returns the growth and the counted part of it, in bytes."""
    early, late = figures["after_a_third"], figures["at_the_end"]
    growth = late["bytes"] - early["bytes"]
    counted = min((late["pages"] - early["pages"]) * PAGE_BYTES, CACHE_BYTES)
    counted += sum(max(0, late["rows"][table] - early["rows"][table]) * KEPT[table] for table in KEPT)
    if growth > UNCOUNTED + counted:
        raise Found(f"memory grew by {growth >> 10} KiB in {late['requests'] - early['requests']} requests; "
                    f"things that were asked for take {counted >> 10} KiB")
    return growth, counted


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        with serve(folder) as server:
            figures = fuzz(server, options.seconds, options.seed, lambda line: print(line, flush=True))
            print(json.dumps(figures), flush=True)
            growth, counted = check_growth(figures)
            print(f"growth {growth >> 10} KiB, of which {counted >> 10} KiB were asked for", flush=True)
            code = server.stop()
    if code != 0:
        raise Found(f"the server ended with {code}")


if __name__ == "__main__":
    try:
        main()
    except Found as found:
        sys.exit(f"FOUND: {found}")

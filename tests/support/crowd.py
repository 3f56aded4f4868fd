"""Thousands of concurrent fans over a few hundred connections of one thread, with a ledger of acknowledged
changes."""
import asyncio
import json
import random
import secrets
import time

RETRY = (502, 503, 504)


class Connection:
    """One kept-alive connection; a request that gets no whole answer raises OSError."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def call(self, method, path, body=None, headers=(), timeout=30):
        data = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} {path} HTTP/1.1", "Host: cluster", f"Content-Length: {len(data)}",
            *[f"{k}: {v}" for k, v in headers]
        ]
        if data:
            lines.append("Content-Type: application/json")
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + data
        try:
            if self.writer is not None and (self.reader.at_eof() or self.writer.is_closing()):
                self.close()
            reused = self.writer is not None
            try:
                return await asyncio.wait_for(self._exchange(request), timeout)
            except (ConnectionError, asyncio.IncompleteReadError) as error:
                # The server closed an idle connection: open another one.
                if not reused or getattr(error, "partial", b""):
                    raise
                self.close()
                return await asyncio.wait_for(self._exchange(request), timeout)
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError) as error:
            self.close()
            raise OSError(repr(error)) from error

    async def _exchange(self, request):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(request)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status = int(head.split(" ", 2)[1])
        length = 0
        for line in head.split("\r\n")[1:]:
            if line.startswith("content-length:"):
                length = int(line[15:])
        text = await self.reader.readexactly(length) if length else b""
        if "connection: close" in head:
            self.close()
        if text[:1] in (b"{", b"["):
            return status, json.loads(text)
        return status, {}

    def close(self):
        if self.writer is not None:
            self.writer.close()
            self.reader = self.writer = None


class Ledger:
    """Acknowledged changes. A timeout or a 503 is "unknown", never "failed"."""

    def __init__(self):
        self.held, self.paid, self.refused = {}, {}, {
        }  # reservation → (user, seats); reservation → paidAt; code → count
        self.troubles, self.different, self.unexpected = [], [], []
        self.last_paid = 0.0  # by the monotonic clock
        self.numbers = {}  # user → number in the line


class Crowd:
    """Fans that hold a seat and pay it. Every request has an Idempotency-Key and is repeated until it has an
    answer."""

    def __init__(self, port, concert, ledger=None, connections=64, seed=1, twice=0.0, patience=240,
                 answer_within=10, with_room=False):
        self.port, self.concert, self.ledger = port, concert, ledger or Ledger()
        self.connections, self.chance, self.twice = connections, random.Random(seed), twice
        self.patience, self.answer_within, self.with_room = patience, answer_within, with_room
        self.stopping = False
        self.run_id = secrets.token_hex(4)

    def run(self, fans):
        """`fans`: (user, seat) pairs; returns when all have an answer, or `stopping` is set."""
        return asyncio.run(self._run(list(fans)))

    async def _run(self, fans):
        waiting = iter(fans)

        async def walk():
            first, second = Connection(self.port), Connection(self.port)
            for user, seat in waiting:
                if self.stopping:
                    break
                try:
                    await self.visit(first, second, user, seat)
                except Exception as surprise:  # pylint: disable=broad-except
                    self.ledger.unexpected.append(f"{user}: {surprise!r}")
            first.close()
            second.close()

        await asyncio.gather(*[walk() for _ in range(self.connections)])

    async def repeat_until_answered(self, connection, method, path, body, headers):
        """Repeats the request until it has an answer; raises after the timeout."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                status, answer = await connection.call(method, path, body, headers,
                                                       timeout=self.answer_within)
                if status not in RETRY and answer.get("code") != "idempotency-running":
                    return status, answer
                # The same request is in flight elsewhere: its answer follows.
                if status in RETRY:
                    self.ledger.troubles.append((method, path, status))
            except OSError as error:
                self.ledger.troubles.append((method, path, str(error)))
            if time.monotonic() > deadline:
                raise TimeoutError(f"{method} {path}: no answer within {self.patience} s")
            if self.stopping:
                return 0, {}
            await asyncio.sleep(0.05 + 0.1 * self.chance.random())

    async def once_or_twice(self, first, second, path, body, headers):
        """Sends some requests on two connections at once: one effect, one answer."""
        one = self.repeat_until_answered(first, "POST", path, body, headers)
        if self.chance.random() >= self.twice:
            return await one
        answers = await asyncio.gather(one, self.repeat_until_answered(second, "POST", path, body, headers))
        effects = [answer for answer in answers if 0 < answer[0] < 400]
        if len(effects) == 1:
            # A refusal is not remembered, so the other request may have had its effect afterwards. An effect
            # is final.
            effects.append(await self.repeat_until_answered(first, "POST", path, body, headers))
        if len(effects) == 2 and effects[0] != effects[1] and not self.stopping:
            self.ledger.different.append((path, effects))
        return effects[0] if effects else answers[0]

    async def visit(self, first, second, user, seat):
        token = await self.enter(first, user) if self.with_room else None
        if self.with_room and token is None:
            return
        who = [("X-User-Id", user), *([("X-Queue-Token", token)] if token else [])]
        wish = {"scheduleId": self.concert["schedules"][0]["id"], "seats": [seat], "userId": user}
        status, held = await self.once_or_twice(first, second, "/api/v1/reservations", wish,
                                                [*who, ("Idempotency-Key", f"hold-{self.run_id}-{user}")])
        if status != 201:
            self.refuse(held.get("code"))
            if token:
                await self.repeat_until_answered(first, "DELETE",
                                                 f"/api/v1/rooms/{self.concert['id']}/entries/me", None, who)
            return
        self.ledger.held[held["reservationId"]] = (user, seat)
        await self.pay(first, second, held, who)

    async def pay(self, first, second, held, who):
        identifier = held["reservationId"]
        status, paid = await self.once_or_twice(
            first, second, f"/api/v1/reservations/{identifier}/payment", {"amount": held["amount"]},
            [*who, ("Idempotency-Key", f"pay-{self.run_id}-{identifier}")])
        if status == 200:
            self.ledger.paid[identifier] = paid["paidAt"]
            self.ledger.last_paid = time.monotonic()
        elif status != 0:
            self.ledger.unexpected.append(f"payment of {identifier}: {status} {paid}")

    async def enter(self, connection, user):
        """The token of a fan inside; None if every seat is paid before its turn."""
        room = f"/api/v1/rooms/{self.concert['id']}"
        _, place = await self.repeat_until_answered(connection, "POST", f"{room}/entries", {"userId": user},
                                                    [])
        token = place["token"]
        while not self.stopping:
            status, answer = await self.repeat_until_answered(connection, "POST", f"{room}/enter", None,
                                                              [("X-Queue-Token", token)])
            if status == 200:
                return answer["token"]
            if answer.get("code") == "sold-out" and not answer["mayReturn"]:
                self.refuse("sold-out")
                return None
            await asyncio.sleep(0.05)
        return token

    def refuse(self, code):
        self.ledger.refused[code] = self.ledger.refused.get(code, 0) + 1

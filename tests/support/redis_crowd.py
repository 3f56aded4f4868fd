"""Fans on nodes whose Redis has faults, with a client-side ledger: acknowledged changes must hold. A refusal
or a timeout is "unknown", never "failed"."""
import pathlib
import threading
import time

import harness
import pytest

CAPACITY = 5
BACK_WITHIN_S = 10
NOT_NOW = (502, 503, 504)


def planted_binary(folder, word, other):
    """A copy of the program with one word of its embedded Lua scripts replaced, for controls."""
    program = pathlib.Path(harness.BINARY).read_bytes()
    assert program.count(word) == 1, "the script has changed: plant the fault anew"
    path = folder / "planted-maejin"
    path.write_bytes(program.replace(word, other.ljust(len(word))))
    path.chmod(0o755)
    return path


def deaf_binary(folder):
    """Detects a loss and recovers rooms, but restores no waiter from its token (room_restore.lua)."""
    return planted_binary(folder, b"not too_late", b"false")


class Ledger:
    """Counts a fan as inside only until its slot may have expired: on a busy machine a fan may leave late."""

    def __init__(self, slot_seconds=300):
        self.lock, self.slot_seconds = threading.Lock(), slot_seconds
        self.inside, self.most_inside, self.entries = {}, 0, 0  # inside: until when, by user
        self.last_entry = 0.0
        self.lost = []  # (user, number, the answer instead)

    def entered(self, user, asked_at):
        with self.lock:
            self.last_entry = time.monotonic()
            self.inside[user] = asked_at + self.slot_seconds
            self.most_inside = max(self.most_inside,
                                   sum(end > self.last_entry for end in self.inside.values()))
            self.entries += 1

    def leaving(self, user):
        with self.lock:
            self.inside.pop(user, None)


class Visitor(threading.Thread):
    """A client with a connection to one node, on the host of that node."""

    def __init__(self, host, server, ledger, stop):
        super().__init__()
        self.host, self.client, self.ledger, self.stop_asked = host, server.client(), ledger, stop
        self.client.timeout = 10

    def call(self, method, room, path, body=None, token=None):
        """None: the outcome is unknown."""
        headers = {"X-Queue-Token": token} if token else {}
        try:
            return self.client.call(method, f"/api/v1/rooms/{room}/{path}", body, headers=headers)
        except OSError:
            return None

    def join_room(self, room, user):
        answer = self.call("POST", room, "entries", {"userId": user})
        return answer.json if answer is not None and answer.status in (200, 201) else None

    def run(self):
        with self.host.entered():
            while not self.stop_asked.is_set():
                self.visit()


class Fan(Visitor):
    """Joins, enters, stays for a moment, leaves, and joins again."""

    def __init__(self, name, moment, *where):
        super().__init__(*where)
        self.user, self.moment = name, moment
        self.leaving = set(
        )  # numbers with an unacknowledged leave; it is not executed after the fan's next request

    def visit(self):
        place = self.join_room("main", self.user)
        unknown_since = None  # the first enter without an answer; it may have taken a slot
        while place and not self.stop_asked.is_set():
            asked_at = time.monotonic()
            answer = self.call("POST", "main", "enter", token=place["token"])
            if answer is not None and answer.status == 200:
                self.stay(place, asked_at)
                return
            if answer is None or answer.status in NOT_NOW:
                unknown_since = unknown_since or asked_at
            if answer is not None and answer.status == 404:
                # A slot ends if no request of the fan reaches the room, for example while a disk stalls.
                ended = unknown_since and time.monotonic() - unknown_since > self.ledger.slot_seconds
                if place["number"] not in self.leaving and not ended:
                    self.ledger.lost.append((self.user, place["number"], answer.text))
                return

    def stay(self, place, asked_at):
        self.ledger.entered(self.user, asked_at)
        told = self.call("GET", "main", "entries/me", token=place["token"])
        if told is not None and told.status == 200 and told.json["number"] != place["number"]:
            if told.json["number"] not in self.leaving:
                self.ledger.lost.append((self.user, place["number"], told.text))
        self.stop_asked.wait(self.moment)
        self.ledger.leaving(self.user)
        left = self.call("DELETE", "main", "entries/me", token=place["token"])
        if left is None or left.status != 204:
            self.leaving.add(place["number"])


class Waiters(Visitor):
    """A growing number of waiters of a room without admissions. Each keeps its number, and its rank never
    rises."""

    MOST = 60

    def __init__(self, name, room, *where):
        super().__init__(*where)
        self.name, self.room, self.places, self.ranks, self.asked = name, room, [], {}, 0
        self.silent = set()  # numbers whose last poll returned no rank
        self.pauses = 0  # polls that were answered while Redis was away
        self.ask_at = {}  # number → time of the next poll, by pollAfterMs

    def visit(self):
        if len(self.places) < self.MOST:
            place = self.join_room(self.room, f"{self.name}-{len(self.places)}")
            if place:
                self.places.append(place)
        if self.places:
            self.asked += 1
            self.ask(self.places[self.asked % len(self.places)])
        self.stop_asked.wait(0.02)

    def ask(self, place):
        answer = self.call("GET", self.room, "entries/me", token=place["token"])
        if answer is None or answer.status in NOT_NOW:
            return False
        if answer.status != 200 or answer.json["number"] != place["number"]:
            self.ledger.lost.append((self.name, place["number"], answer.text))
            return True
        rank = answer.json["rank"]
        self.told_when(answer.json)
        best = self.ranks.get(place["number"], rank)
        if rank is not None and rank > best:
            self.ledger.lost.append((self.name, place["number"], f"rank {best} became {rank}"))
        if rank is not None:
            self.ranks[place["number"]] = min(rank, best)
        self.pauses += answer.json["state"] == "paused"
        (self.silent.add if rank is None else self.silent.discard)(place["number"])
        return True

    def told_when(self, told):
        self.ask_at[told["number"]] = time.monotonic() + told["pollAfterMs"] / 1000

    def ask_all(self):
        """After the fault: every waiter gets an answer."""
        with self.host.entered():
            for place in self.places:
                harness.until(lambda: self.ask(place))


class Line(Waiters):
    """Waiters of a room without admissions. The first ones leave one by one until a leave has no answer. The
    others poll at pollAfterMs, on any node: `where` is an address in front of all nodes."""

    def __init__(self, size, *where):
        super().__init__("line", *where, Ledger(), threading.Event())
        self.moves = True
        self.silenced = set()  # numbers that do not poll
        for i in range(size):
            self.places.append(harness.until(lambda user=f"line-{i}": self.join_room(self.room, user)))
            self.told_when(self.places[-1])

    def visit(self):
        for place in list(self.places):
            if place["number"] not in self.silenced and time.monotonic() >= self.ask_at[place["number"]]:
                self.asked += 1
                self.ask(place)
                if self.asked % 5 == 0 and self.moves:
                    self.move()
        self.stop_asked.wait(0.02)

    def last_polls_alone(self):
        """Until `silenced` is cleared. Returns the last number."""
        *others, last = (place["number"] for place in self.places)
        self.silenced = set(others)
        return last

    def move(self):
        first = self.places.pop(0)
        left = self.call("DELETE", self.room, "entries/me", token=first["token"])
        self.moves = left is not None and left.status == 204 and len(self.places) > 10
        self.silent.discard(first["number"])

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop_asked.set()
        self.join()


class Crowd:
    """`nodes`: pairs of a host and its server; fan i uses node i modulo their number, and stays inside for a
    moment. As a context manager: runs until the check."""

    def __init__(self, redis, nodes, fans=24, moment=0, **settings):
        self.redis, self.ledger, self.stop = redis, Ledger(settings.get("tokenTtlSeconds",
                                                                        300)), threading.Event()
        host, server = nodes[0]
        with host.entered():
            admin = harness.RetryingClient(server.port, {"Authorization": f"Bearer {server.admin_key}"})
            still = harness.create_concert(admin)["id"]
            # Within the grace after a loss, a place that only the lost Redis knew returns without a higher
            # rank for any other. On a busy machine a test may take longer than the default of the grace.
            waits = {"capacity": 0, "graceSeconds": 600}
            for room, wanted in (("main", {"capacity": CAPACITY, **settings}), (still, waits)):
                harness.until(lambda: admin.call("PUT", f"/api/v1/rooms/{room}",
                                                 {"admission": "claim", **wanted}).status == 200)
            admin.close()
        self.waiters = [
            Waiters(f"waiter{i}", still, *node, self.ledger, self.stop) for i, node in enumerate(nodes)
        ]
        self.fans = [
            Fan(f"fan{i}", moment, *nodes[i % len(nodes)], self.ledger, self.stop) for i in range(fans)
        ]

    def __enter__(self):
        for thread in [*self.waiters, *self.fans]:
            thread.start()
        self.entries(50)
        return self

    def entries(self, more):
        wanted = self.ledger.entries + more
        harness.until(lambda: self.ledger.entries >= wanted)

    def healed(self):
        """After the fault: a fan is admitted within ten seconds, and admissions continue."""
        over = time.monotonic()
        harness.until(lambda: self.ledger.last_entry > over, BACK_WITHIN_S)
        self.entries(50)

    def finish(self):
        self.stop.set()
        for thread in [*self.waiters, *self.fans]:
            thread.join()

    def judge(self):
        """No place lost, capacity never exceeded."""
        self.finish()
        for each in self.waiters:
            each.ask_all()
        assert not self.ledger.lost, self.ledger.lost[:20]
        assert self.ledger.most_inside <= CAPACITY, self.ledger.most_inside
        slots = "room:{queue}:slots" if "cluster" in self.redis.url else "room:main:slots"
        assert int(self.redis.cli("ZCARD", slots)) <= CAPACITY

    def judge_finds_lost_places(self, *kinds):
        """For controls: the same check finds lost places of each of these kinds."""
        with pytest.raises(AssertionError):
            self.judge()
        found = {user.rstrip("0123456789") for user, *_ in self.ledger.lost}
        assert found.issuperset(kinds), self.ledger.lost[:20]

    def __exit__(self, *_):
        self.finish()

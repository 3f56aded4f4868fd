"""Starts the real program for black-box tests, and sends HTTP requests with the standard library only."""
import contextlib
import ctypes
import http.client
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
from ports import free_port  # pylint: disable=wrong-import-position,unused-import

BINARY = os.environ.get("MAEJIN_BINARY", str(ROOT / "build/release/bin/maejin"))
START_DEADLINE_S = 120


def die_with_parent():
    """For subprocess's preexec_fn: the child is killed when the test process ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def listens(port):
    """Whether a server accepts connections on the port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def clean_environment(**more):
    """The environment without MAEJIN_* settings, so that a developer's shell does not change a test."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAEJIN_")}
    return {**kept, **more}


def run(*arguments, env=None, timeout=180, cwd=None):
    """Runs a verb to its end; returns (exit code, standard output, standard error)."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          cwd=cwd, env=clean_environment(**(env or {})), check=False)
    return done.returncode, done.stdout, done.stderr


class Answer:
    def __init__(self, status, headers, text):
        self.status, self.headers, self.text = status, headers, text

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def code(self):
        """The `code` of a problem; None for anything else."""
        return self.json.get("code") if self.headers.get("content-type",
                                                         "").startswith("application/problem") else None

    def __repr__(self):
        return f"<{self.status} {self.text[:300]}>"


class Client:
    """One connection, opened when needed and kept alive."""

    def __init__(self, port, headers=None, timeout=60):
        self.port, self.headers, self.timeout = port, headers or {}, timeout
        self.connection = None

    def call(self, method, path, body=None, headers=None):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        sent = {**self.headers, **(headers or {})}
        data = None
        if body is not None:
            data = body.encode() if isinstance(body,
                                               str) else body if isinstance(body, bytes) else json.dumps(body)
            sent.setdefault("Content-Type", "application/json")
        try:
            self.connection.request(method, path, body=data, headers=sent)
            response = self.connection.getresponse()
            text = response.read().decode()
        except BaseException:
            self.close()
            raise
        answer = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, text)
        if response.will_close:
            self.close()
        return answer

    def get(self, path, **headers):
        return self.call("GET", path, headers=headers or None)

    def post(self, path, body=None, headers=None):
        return self.call("POST", path, body, headers)

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class RetryingClient(Client):
    """Retries 502, 503, 504 and closed idle connections: for steps before or after a fault, not during it.
    Nodes behind nginx recover at different times, and an idle connection may be closed."""

    def call(self, method, path, body=None, headers=None):
        def ask():
            kept = self.connection is not None
            try:
                answer = super(RetryingClient, self).call(method, path, body, headers)
            except ConnectionError:
                if not kept:
                    raise
                return None
            return answer.status not in (502, 503, 504) and answer

        return until(ask)


class Server:
    """A running `maejin serve` on a free port. Stops only the process that it started."""

    def __init__(self, data, *arguments, env=None, listen="127.0.0.1:0", binary=BINARY):
        self.data = pathlib.Path(data)
        self.log_path = self.data.parent / f"{self.data.name}.log"
        self.log = open(self.log_path, "a", encoding="utf-8")
        self.process = subprocess.Popen(
            [str(binary), "serve", "--listen", listen, "--data",
             str(data), *map(str, arguments)], stdout=subprocess.PIPE, stderr=self.log, text=True,
            env=clean_environment(**(env or {})), cwd=str(self.data.parent), preexec_fn=die_with_parent)
        try:
            self.line = self._first_line()
            self.port = int(re.fullmatch(r"maejin: listening on http://[\d.]+:(\d+)\n", self.line).group(1))
        except BaseException:
            self.kill()
            raise

    def _first_line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], START_DEADLINE_S)
        line = self.process.stdout.readline() if ready else ""
        assert line, f"the server did not start: {self.log_path.read_text(encoding='utf-8')[-2000:]}"
        return line

    @property
    def admin_key(self):
        return (self.data / "admin.key").read_text(encoding="utf-8").strip()

    def client(self, **headers):
        return Client(self.port, headers)

    def admin(self):
        return Client(self.port, {"Authorization": f"Bearer {self.admin_key}"})

    def stop(self, timeout=60):
        """SIGTERM; returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout)
        return self.kill()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Listener:
    """A client of a Server-Sent Events stream."""

    def __init__(self, server, path, **headers):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode())
        self.file = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.head = []
        while (line := self.file.readline().strip()):
            self.head.append(line)

    def next(self):
        """The next event's name, id and data; comments are skipped."""
        event = {}
        while True:
            line = self.file.readline()
            if not line:
                return None
            line = line.rstrip("\n").rstrip("\r")
            if not line and "event" in event:
                return event["event"], event.get("id"), json.loads(event["data"])
            if ": " in line and not line.startswith(":"):
                name, value = line.split(": ", 1)
                event[name] = value

    def close(self):
        self.file.close()
        self.socket.close()


def until(condition, seconds=60, every=0.02):
    """Waits until the condition is true and returns its value. A test that checks a time limit passes its own
    timeout."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(every)
    return value


def metric(client, series):
    """The value of a series of /metrics, named with its labels; 0 if the series is absent."""
    for line in client.get("/metrics").text.splitlines():
        if line.startswith(series + " "):
            return float(line.split(" ")[-1])
    return 0.0


# Steps of a fan's journey, shared by the tests.

# One fan of a test may buy a whole hall and cancel it. default_limits_test.py tests these limits.
NO_LIMITS = {"maxSeatsPerUser": 0, "cooldownSeconds": 0}


def concert_body(seats=5, dates=1, **more):
    return {
        **NO_LIMITS, "title": "매진 라이브", "artist": "첫차", "venue": "올림픽홀", "price": 1000,
        "schedules": [{"concertDate": f"2099-05-{day + 1:02}", "seats": seats} for day in range(dates)],
        **more
    }


def create_concert(admin, opened=True, **fields):
    """Creates a concert and returns its 201 body; opens it by default."""
    created = admin.post("/api/v1/concerts", concert_body(**fields))
    assert created.status == 201, created
    concert = created.json
    if opened:
        assert admin.post(f"/api/v1/concerts/{concert['id']}/open").status == 200
    return concert


def join(client, room, user):
    answer = client.post(f"/api/v1/rooms/{room}/entries", {"userId": user})
    assert answer.status in (200, 201), answer
    return answer.json


def enter(client, room, user):
    """Joins and enters; returns the token. For rooms with a free slot."""
    token = join(client, room, user)["token"]
    answer = client.post(f"/api/v1/rooms/{room}/enter", headers={"X-Queue-Token": token})
    assert answer.status == 200, answer
    return token


def hold(client, schedule, seats, user, token):
    return client.post("/api/v1/reservations", {"scheduleId": schedule, "seats": seats, "userId": user},
                       {"X-Queue-Token": token})


def pay(client, reservation, user):
    return client.post(f"/api/v1/reservations/{reservation['reservationId']}/payment",
                       {"amount": reservation["amount"]}, {"X-User-Id": user})


def _hold_and_pay(client, schedule, seat, user, token):
    held = hold(client, schedule, [seat], user, token)
    assert held.status == 201, held
    paid = pay(client, held.json, user)
    assert paid.status == 200, paid
    return paid.json


def buy(client, concert, seat, user, schedule=None):
    """One fan joins, enters, holds and pays one seat; returns the payment's answer."""
    token = enter(client, concert["id"], user)
    return _hold_and_pay(client, schedule or concert["schedules"][0]["id"], seat, user, token)


def buy_returned(client, concert, seat, user):
    """The same for a seat that was sold and returned: the room learns of it at its next tick."""
    token = join(client, concert["id"], user)["token"]
    path = f"/api/v1/rooms/{concert['id']}/enter"
    until(lambda: client.post(path, headers={"X-Queue-Token": token}).status == 200)
    return _hold_and_pay(client, concert["schedules"][0]["id"], seat, user, token)

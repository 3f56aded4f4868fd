"""Starts `maejin sandbox-pay`, and compares its ledger with maejin's data: no money without a seat or a
refund."""
import contextlib
import json
import re
import select
import signal
import sqlite3
import subprocess

import harness


class Sandbox:
    """A running sandbox on a free port, or on the one it had before."""

    def __init__(self, folder, port=0):
        self.ledger_file = folder / "ledger.ndjson"
        self.process = subprocess.Popen([
            harness.BINARY, "sandbox-pay", "--listen", f"127.0.0.1:{port}", "--ledger",
            str(self.ledger_file)
        ], stdout=subprocess.PIPE, text=True, env=harness.clean_environment())
        ready, _, _ = select.select([self.process.stdout], [], [], harness.START_DEADLINE_S)
        line = self.process.stdout.readline() if ready else ""
        found = re.fullmatch(r"maejin sandbox-pay: listening on http://127\.0\.0\.1:(\d+)\n", line)
        assert found, f"the sandbox did not start: {line!r}"
        self.port = int(found.group(1))

    def client(self):
        return harness.Client(self.port)

    def settings(self, **more):
        """The arguments that make a server use it."""
        given = {
            "payment-provider": "sandbox", "payment-sandbox-url": f"http://127.0.0.1:{self.port}", **more
        }
        return [word for name, value in given.items() for word in (f"--{name}", str(value))]

    def set_faults(self, **faults):
        answer = self.client().post("/faults", faults)
        assert answer.status == 200, answer

    def charges(self):
        return {each["key"]: each for each in self.client().get("/ledger").json["charges"]}

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        finally:
            self.kill()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def read_books(ask, identifier="{}.id"):
    """maejin's rows, read with `ask` (SQL): ({payment key: (reservation id, status)}, {reservation id:
    (status, seats)}); a seat is (schedule, number)."""
    reservation, payment = identifier.format("r"), identifier.format("p")
    reservations = {row[0]: (row[1], [(int(row[3]), seat) for seat in json.loads(row[2])]) for row in
                    ask(f"SELECT {reservation}, r.status, r.seats, r.schedule_id FROM reservations r")}
    rows = ask(f"SELECT {payment}, {reservation}, p.status FROM payments p "
               "JOIN reservations r ON r.number = p.reservation_number")
    payments = {row[0]: (row[1], row[2]) for row in rows}
    return payments, reservations


def audit(sandbox, data):
    with contextlib.closing(sqlite3.connect(f"{data}/maejin.db", timeout=30)) as database:
        return violations(sandbox.charges(), *read_books(database.execute))


def audit_mariadb(sandbox, database):
    return violations(sandbox.charges(), *read_books(database.sql, "LOWER(HEX({}.id))"))


def violations(charges, payments, reservations):
    """Every breach of "money taken: exactly one of seat or refund" and of "no charge without an intent".

    charges: the provider's ledger by key. payments: maejin's rows by key, (reservation, status).
    reservations: id to (status, seats)."""
    wrong = []
    for key, charge in charges.items():
        taken, given_back = charge["captures"], charge["refunds"]
        if taken > 1 or given_back > taken:
            wrong.append(f"{key}: taken {taken} times, given back {given_back} times")
        if key not in payments:
            wrong.append(f"{key}: charged without an intent")
            continue
        reservation, status = payments[key]
        seated = status == "CAPTURED" and reservations[reservation][0] == "CONFIRMED"
        if taken and seated + given_back != 1:
            wrong.append(f"{key}: money taken, seat {seated}, refund {bool(given_back)} ({status})")
    for key, (reservation, status) in payments.items():
        if status == "CAPTURED" and not charges.get(key, {}).get("captures"):
            wrong.append(f"{key}: a seat without money")
        if status in ("PENDING", "REFUND_DUE"):
            wrong.append(f"{key}: still {status}")
    owners = {}
    for reservation, (status, seats) in reservations.items():
        if status == "CONFIRMED":
            if sum(r == reservation and s == "CAPTURED" for r, s in payments.values()) != 1:
                wrong.append(f"{reservation}: confirmed, but not paid once")
            for seat in seats:
                if seat in owners:
                    wrong.append(f"seat {seat} belongs to {reservation} and to {owners[seat]}")
                owners[seat] = reservation
    return wrong

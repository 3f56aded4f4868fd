"""Fans of one room that open a connection for every request, while the server is upgraded."""
import http.client
import threading

import harness

THREADS = 4
SEATS_EACH = 4000


class UpgradeLoad:
    """In turns every fan sends a join, a poll and a hold of one seat. Records answers, failed connections,
    and the seats of acknowledged holds."""

    def __init__(self, port, admin_key):
        self.port, self.ended = port, threading.Event()
        admin = harness.Client(port, {"Authorization": f"Bearer {admin_key}"})
        self.concert = harness.create_concert(admin, seats=THREADS * SEATS_EACH)
        self.schedule = self.concert["schedules"][0]["id"]
        self.tokens = [harness.enter(admin, self.concert["id"], f"fan-{n}") for n in range(THREADS)]
        admin.close()
        self.statuses, self.failures, self.held = [], [], []
        self.threads = [threading.Thread(target=self._run, args=(n,)) for n in range(THREADS)]

    def _run(self, number):
        fan, room = f"fan-{number}", f"/api/v1/rooms/{self.concert['id']}/entries"
        token = {"X-Queue-Token": self.tokens[number]}
        for seat in range(number * SEATS_EACH + 1, (number + 1) * SEATS_EACH + 1):
            if self.ended.wait(0.005):
                return
            self._send("POST", room, {"userId": f"late-{seat}"})
            self._send("GET", f"{room}/me", None, token)
            wish = {"scheduleId": self.schedule, "seats": [seat], "userId": fan}
            if self._send("POST", "/api/v1/reservations", wish, token) == 201:
                self.held.append(seat)

    def _send(self, method, path, body=None, headers=None):
        client = harness.Client(self.port)
        try:
            answer = client.call(method, path, body, headers)
            self.statuses.append((method, answer.status))
            return answer.status
        except (OSError, http.client.HTTPException) as error:
            self.failures.append(f"{method} {path}: {error!r}")
            return None
        finally:
            client.close()

    def await_answers(self, count=60):
        """Waits until so many more requests are answered."""
        seen = len(self.statuses)
        harness.until(lambda: len(self.statuses) >= seen + count, seconds=120)

    def held_seats(self):
        """The number of held seats by the server's count."""
        return harness.Client(self.port).get(f"/api/v1/concerts/{self.concert['id']}").json["heldSeats"]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        self.await_answers()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()

"""The server under a service manager. The test plays systemd: it owns the listening socket (LISTEN_FDS) and
the notification socket (NOTIFY_SOCKET), and restarts the server under load."""
import contextlib
import http.client
import os
import signal
import socket
import subprocess
import threading
import time

import harness
import pytest

PASSED = 3  # the first descriptor that a service manager passes


class Manager:
    """One service, as systemd's unit maejin.service with maejin.socket."""

    def __init__(self, folder, watchdog_us=None):
        self.folder, self.watchdog_us, self.process = folder, watchdog_us, None
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.listening.getsockname()[1]
        self.notify_path = str(folder / "notify")
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(self.notify_path)
        self.notify.settimeout(harness.START_DEADLINE_S)

    def start(self, *, listen=None, wait=True):
        # LISTEN_PID is the server's own process id, which only the child knows.
        command = ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", harness.BINARY, "serve",
                   "--listen", listen or f"127.0.0.1:{self.port}", "--data", str(self.folder / "data")]
        environment = {"LISTEN_FDS": "1", "NOTIFY_SOCKET": self.notify_path}
        if self.watchdog_us:
            environment["WATCHDOG_USEC"] = str(self.watchdog_us)
        descriptor = self.listening.fileno()

        def pass_socket():
            harness.die_with_parent()
            os.dup2(descriptor, PASSED)

        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=pass_socket,
                                            pass_fds=[PASSED], env=harness.clean_environment(**environment))
        if wait:
            self.await_message("READY=1")
        return self

    def await_message(self, line):
        """Reads messages until one has the line; returns that message's lines."""
        while True:
            lines = self.notify.recv(4096).decode().splitlines()
            if line in lines:
                return lines

    def stop(self):
        """As systemctl stop; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.process = None
        return code

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.listening.close()
        self.notify.close()


@pytest.fixture
def manager(tmp_path):
    with contextlib.closing(Manager(tmp_path)) as made:
        yield made


def test_service_reports_ready_signs_of_life_and_stopping(manager):
    manager.watchdog_us = 600_000  # only here: the other tests do not read messages
    manager.start(wait=False)
    ready = manager.await_message("READY=1")
    assert f"MAINPID={manager.process.pid}" in ready
    assert f"STATUS=listening on http://127.0.0.1:{manager.port}" in ready
    assert harness.Client(manager.port).get("/healthz").status == 200, "ready means that requests are served"
    for _ in range(3):
        assert manager.await_message("WATCHDOG=1") == ["WATCHDOG=1"]
    assert manager.stop() == 0
    manager.await_message("STOPPING=1")


def test_passed_socket_on_another_address_than_listen_is_refused(manager):
    manager.start(listen="127.0.0.1:1", wait=False)
    assert manager.process.wait(60) == 1
    manager.process = None
    assert "make them equal" in (manager.folder / "log").read_text()


class Load:
    """Fans that open a connection for every request. Records every answer and every failed connection."""

    def __init__(self, port, room, threads=4):
        self.port, self.room, self.ended = port, room, threading.Event()
        self.statuses, self.failures = [], []
        self.threads = [threading.Thread(target=self.run, args=(n,)) for n in range(threads)]

    def run(self, number):
        count = 0
        while not self.ended.is_set():
            count += 1
            begin, sent = time.monotonic(), None
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                connection.request("POST", f"/api/v1/rooms/{self.room}/entries",
                                   f'{{"userId":"fan-{number}-{count}"}}',
                                   {"Content-Type": "application/json"})
                sent = time.monotonic()
                self.statuses.append(connection.getresponse().status)
            except (OSError, http.client.HTTPException) as error:
                # A draining server waits a second for the request of a new connection.
                if (sent or time.monotonic()) - begin < 1:
                    self.failures.append(repr(error))
            finally:
                connection.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        harness.until(lambda: len(self.statuses) > 20)
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()


def joined(port, room):
    serving = harness.Client(port).get(f"/api/v1/rooms/{room}/serving").json
    return serving["waiting"] + serving["entered"]


def test_restart_under_load_refuses_no_connection_and_loses_no_stream_silently(manager):
    manager.start()
    key = (manager.folder / "data/admin.key").read_text().strip()
    admin = harness.Client(manager.port, {"Authorization": f"Bearer {key}"})
    room = harness.create_concert(admin, seats=50)["id"]
    admin.close()
    with Load(manager.port, room) as load:
        for _ in range(3):
            listener = harness.Listener(manager, "/api/v1/rankings/stream")
            before = len(load.statuses)
            assert manager.stop() == 0
            events = []
            while (event := listener.next()):
                events.append(event[0])
            assert events and events[-1] == "reconnect", events
            listener.close()
            manager.start()
            harness.until(lambda seen=before: len(load.statuses) > seen + 20)
    assert load.failures == []
    assert set(load.statuses) == {201}
    assert joined(manager.port, room) == len(load.statuses), "every answered join is there once"
    assert manager.stop() == 0


def test_control_restart_without_a_passed_socket_refuses_connections(tmp_path):
    port = harness.free_port()
    server = harness.Server(tmp_path / "data", listen=f"127.0.0.1:{port}")
    room = harness.create_concert(server.admin(), seats=50)["id"]
    with Load(port, room) as load:
        assert server.stop() == 0
        harness.until(lambda: any("refused" in failure for failure in load.failures))

"""A receiver of webhooks. `Receiver` runs inside the test and answers as told; `python3 webhook_receiver.py
PORT FILE` is a process that can be killed: it appends each webhook to FILE before it answers 204."""
import contextlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading

HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        received = {**{name: self.headers[name] for name in HEADERS}, "body": body, "path": self.path}
        status, headers = self.server.take(received)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", "2")
        self.end_headers()
        if status != 204:
            self.wfile.write(b"no")

    do_GET = do_POST

    def log_message(self, *_):
        pass


class Listening(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


class Receiver:
    """`answer(received)` returns a status, or a status and headers; it may block."""

    def __init__(self, answer=lambda received: 204, tls=None):
        self.answer, self.received, self.lock = answer, [], threading.Lock()
        self.server = Listening(("127.0.0.1", 0), Handler)
        self.server.take = self.take
        if tls is not None:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.scheme = "http" if tls is None else "https"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def take(self, received):
        with self.lock:
            self.received.append(received)
        answer = self.answer(received)
        return answer if isinstance(answer, tuple) else (answer, {})

    def url(self, path="/hook"):
        return f"{self.scheme}://127.0.0.1:{self.port}{path}"

    def events(self, path="/hook"):
        """The ids and types that arrived at a path, in order."""
        with self.lock:
            return [(int(each["webhook-id"].removeprefix("evt_")), json.loads(each["body"])["type"])
                    for each in self.received if each["path"] == path]

    def at(self, path):
        with self.lock:
            return [each for each in self.received if each["path"] == path]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class ReceiverProcess:
    """The receiver as a process, on a fixed port."""

    def __init__(self, port, ledger):
        self.process = subprocess.Popen([sys.executable, __file__, str(port), str(ledger)],
                                        stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def read_ledger(file):
    """The webhooks that the process wrote; a line cut off by a kill was not acknowledged."""
    found = []
    for line in pathlib.Path(file).read_text(encoding="utf-8").split("\n"):
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


def main():
    port, file = int(sys.argv[1]), os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    server = Listening(("127.0.0.1", port), Handler)

    def take(received):
        # In one write, after a line end: a line that a kill cut off does not spoil the next one.
        os.write(file, ("\n" + json.dumps(received) + "\n").encode())
        return 204, {}

    server.take = take
    print("ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()

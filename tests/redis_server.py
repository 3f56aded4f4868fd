"""A real redis-server for black-box tests: on a free port, in memory, stopped by its own process."""
import os
import signal
import socket
import subprocess

import harness

BINARY = os.environ.get("MAEJIN_REDIS_SERVER", "redis-server")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Redis:
    def __init__(self, folder, *options):
        self.folder, self.options, self.port = folder, options, free_port()
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen(
            [BINARY, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder), *self.options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=harness.die_with_parent)
        harness.until(lambda: self.cli("PING", check=False) == "PONG")

    def cli(self, *words, check=True):
        done = subprocess.run(["redis-cli", "-p", str(self.port), *map(str, words)], capture_output=True, text=True, check=check)
        return done.stdout.strip()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

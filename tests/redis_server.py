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


class Sentinels:
    """A primary "mymaster", a replica, and three sentinels that fail over after half a second."""

    def __init__(self, folder):
        for name in ("primary", "replica"):
            (folder / name).mkdir()
        self.primary = Redis(folder / "primary", "--repl-diskless-sync-delay", "0")
        self.replica = Redis(folder / "replica", "--replicaof", f"127.0.0.1 {self.primary.port}")
        harness.until(lambda: "connected_slaves:1" in self.primary.cli("INFO", "replication"))
        self.ports, self.processes = [], []
        for i in range(3):
            port, file = free_port(), folder / f"sentinel{i}.conf"
            file.write_text(f"port {port}\nbind 127.0.0.1\ndir {folder}\nsentinel monitor mymaster 127.0.0.1 {self.primary.port} 2\n"
                            "sentinel down-after-milliseconds mymaster 500\nsentinel failover-timeout mymaster 3000\n")
            self.ports.append(port)
            self.processes.append(subprocess.Popen([BINARY, str(file), "--sentinel"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for port in self.ports:
            harness.until(lambda: "OK 3 usable" in self.ask(port, "CKQUORUM", "mymaster") and "slave" in self.ask(port, "replicas", "mymaster"))

    @staticmethod
    def ask(port, *words):
        return subprocess.run(["redis-cli", "-p", str(port), "SENTINEL", *words], capture_output=True, text=True).stdout

    @property
    def url(self):
        return "redis+sentinel://" + ",".join(f"127.0.0.1:{port}" for port in self.ports) + "/mymaster"

    def cli(self, *words):
        """Of whoever is the primary now."""
        address = self.ask(self.ports[0], "get-master-addr-by-name", "mymaster").split()
        return subprocess.run(["redis-cli", "-p", address[1], *map(str, words)], capture_output=True, text=True, check=True).stdout.strip()

    def await_failover(self):
        harness.until(lambda: "role:master" in self.replica.cli("INFO", "replication", check=False))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
        self.primary.kill()
        self.replica.kill()

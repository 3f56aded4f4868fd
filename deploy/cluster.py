#!/usr/bin/env python3
"""A cluster on loopback from Debian's packages: MariaDB, Redis with Sentinel, several nodes, and nginx.

`./dev cluster` runs it until Ctrl-C. Tests and benchmarks import it. Its child processes end with it, even
after a crash."""
import argparse
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import string
import subprocess
import sys
import tempfile
import time
import urllib.request

from ports import free_port

HERE = pathlib.Path(__file__).resolve().parent
BINARY = os.path.abspath(os.environ.get("MAEJIN_BINARY", HERE.parent / "build/release/bin/maejin"))
START_DEADLINE_S = 180
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def until(condition, what, seconds=START_DEADLINE_S):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not ready within {seconds} s")
        time.sleep(0.02)
    return value


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


DISCONNECTS = ("Server closed the connection", "Connection reset by peer", "Broken pipe")


def redis_cli(*words, check=True):
    """The output of redis-cli. Retries after a disconnect: a role change by Sentinel closes connections."""
    done = None
    while done is None or any(text in done.stderr for text in DISCONNECTS):
        done = subprocess.run(["redis-cli", *map(str, words)], capture_output=True, text=True, check=False,
                              timeout=60)
    if check:
        done.check_returncode()
    return done.stdout.strip()


class Process:
    """A child process that ends with this one."""

    def __init__(self, command, log):
        self.command, self.log, self.process = [str(word) for word in command], pathlib.Path(log), None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.log.parent,
                start_new_session=True,  # Ctrl-C reaches this process only, which stops the children in order
                preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        return self

    def running(self):
        if self.process is not None and self.process.poll() is not None:
            raise RuntimeError(f"{self.command[0]} ended: {self.log.read_text(errors='replace')[-2000:]}")
        return self.process is not None

    def signal(self, number):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def stop(self, timeout=30):
        """Sends SIGTERM, then SIGKILL after the timeout; returns the exit code."""
        self.signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired, AttributeError):
            self.process.wait(timeout)
        return self.kill()

    def kill(self):
        if self.process is None:
            return None
        self.signal(signal.SIGKILL)
        code = self.process.wait()
        self.process = None
        return code

    def pause(self):
        """Sends SIGSTOP; returns when the process has stopped."""
        self.signal(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

    def resume(self):
        self.signal(signal.SIGCONT)


class MariaDb(Process):
    """A MariaDB server on a copy of a data folder that is prepared once per machine."""

    def __init__(self, folder, *options):
        self.folder, self.port, self.password = pathlib.Path(folder), free_port(), secrets.token_hex(16)
        shutil.copytree(self.template(), self.folder / "mariadb")
        # Its own folder for temporary tables: a starting server deletes those of other servers.
        (self.folder / "mariadb-tmp").mkdir()
        as_root = ["--user=root"] if os.geteuid() == 0 else []
        super().__init__(
            ["/usr/sbin/mariadbd", "--no-defaults", *as_root, f"--datadir={self.folder}/mariadb",
             f"--port={self.port}", "--bind-address=127.0.0.1", f"--socket={self.folder}/mariadb.sock",
             f"--pid-file={self.folder}/mariadb.pid", f"--tmpdir={self.folder}/mariadb-tmp",
             "--skip-name-resolve", "--performance-schema=off", "--innodb-log-file-size=64M",
             "--innodb-buffer-pool-size=256M", "--innodb-flush-log-at-trx-commit=1",
             "--innodb-buffer-pool-dump-at-shutdown=off",
             "--innodb-buffer-pool-load-at-startup=off", "--max-connections=500", *options],
            self.folder / "mariadb.log")

    @staticmethod
    def template():
        folder = pathlib.Path(tempfile.gettempdir()) / f"maejin-mariadb-template-{os.geteuid()}"
        folder.mkdir(exist_ok=True)
        with open(folder / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "data").exists():
                shutil.rmtree(folder / "making", ignore_errors=True)
                as_root = ["--user=root"] if os.geteuid() == 0 else []
                subprocess.run(["/usr/bin/mariadb-install-db", "--no-defaults", *as_root,
                                f"--datadir={folder}/making", "--auth-root-authentication-method=normal",
                                "--skip-test-db", "--skip-name-resolve", "--force",
                                "--innodb-log-file-size=16M"],
                               check=True, capture_output=True)
                (folder / "making").rename(folder / "data")
        return folder / "data"

    def start(self):
        super().start()
        until(lambda: self.running() and self.ready(), "mariadbd")
        return self

    def ready(self):
        return subprocess.run(self.client("-e", "SELECT 1"), capture_output=True, check=False).returncode == 0

    def client(self, *words):
        return ["mariadb", "--no-defaults", "-h127.0.0.1", f"-P{self.port}", "-uroot", "-N", "-B", *words]

    def sql(self, text, database="maejin"):
        """The rows of the result as lists of text."""
        done = subprocess.run(self.client(database, "-e", text), capture_output=True, text=True, check=True,
                              timeout=60)
        return [row.split("\t") for row in done.stdout.splitlines()]

    def number(self, text):
        return int(self.sql(text)[0][0])

    def create_database(self, name="maejin"):
        """Also creates an account with all privileges on this database only."""
        self.sql(f"CREATE DATABASE {name}; "
                 f"CREATE USER IF NOT EXISTS maejin@'%' IDENTIFIED BY '{self.password}'; "
                 f"GRANT ALL PRIVILEGES ON {name}.* TO maejin@'%'", database="mysql")

    def url(self, name="maejin", parameters=""):
        return f"mysql://maejin:{self.password}@127.0.0.1:{self.port}/{name}{parameters}"


class Redis(Process):
    def __init__(self, folder, name="redis", *options):
        self.port = free_port()
        folder = pathlib.Path(folder) / name
        folder.mkdir(exist_ok=True)
        super().__init__(["redis-server", "--port", self.port, "--bind", "127.0.0.1", "--save", "",
                          "--dir", folder, *options], folder.parent / f"{name}.log")

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def start(self):
        super().start()
        until(lambda: self.running() and answers(self.port), "redis-server")
        return self

    def cli(self, *words):
        return redis_cli("-p", self.port, *words)


class RedisWithSentinel:
    """A primary, a replica and three sentinels."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        durable = ("--appendonly", "yes")
        self.primary = Redis(folder, "redis-1", *durable)
        self.replica = Redis(folder, "redis-2", *durable, "--replicaof", "127.0.0.1", self.primary.port)
        self.sentinels = []

    def start(self):
        self.primary.start()
        self.replica.start()
        for number in (1, 2, 3):
            port, settings = free_port(), self.folder / f"sentinel-{number}.conf"
            settings.write_text(f"port {port}\nbind 127.0.0.1\ndir {self.folder}\n"
                             f"sentinel monitor maejin 127.0.0.1 {self.primary.port} 2\n"
                             "sentinel down-after-milliseconds maejin 3000\n"
                             "sentinel failover-timeout maejin 10000\n", encoding="utf-8")
            sentinel = Process(["redis-sentinel", settings], self.folder / f"sentinel-{number}.log").start()
            sentinel.port = port
            self.sentinels.append(sentinel)
            # pylint: disable-next=cell-var-from-loop
            until(lambda: sentinel.running() and answers(port), "redis-sentinel")
        return self

    @property
    def url(self):
        addresses = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{addresses}/maejin"

    def kill(self):
        for process in [*self.sentinels, self.replica, self.primary]:
            process.kill()


class Node(Process):
    def __init__(self, folder, name, *flags, port=None):
        self.port, self.data = port or free_port(), pathlib.Path(folder) / name
        super().__init__([BINARY, "serve", "--listen", f"127.0.0.1:{self.port}", "--data", self.data, *flags],
                         pathlib.Path(folder) / f"{name}.log")

    def start(self, wait=True):
        super().start()
        if wait:
            self.await_ready()
        return self

    def await_ready(self):
        until(lambda: self.running() and self.ready(), "maejin serve")

    def ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False


def nginx_settings(folder, listen, nodes):
    """nginx.conf for nodes named host:port."""
    # max_fails=0: a restarted node gets requests at once.
    servers = "\n".join(f"    server {node} max_fails=0;" for node in nodes)
    return string.Template((HERE / "nginx.conf").read_text(encoding="utf-8")).substitute(
        folder=folder, listen=listen, servers=servers)


class Nginx(Process):
    """The reverse proxy. `route()` changes the upstream nodes without failing a request."""

    def __init__(self, folder, port, nodes):
        self.folder, self.port, self.nodes = pathlib.Path(folder), port, nodes
        super().__init__(["/usr/sbin/nginx", "-p", folder, "-c", self.folder / "nginx.conf"],
                         self.folder / "nginx.log")

    def write(self, nodes):
        text = nginx_settings(self.folder, f"127.0.0.1:{self.port}",
                              [f"127.0.0.1:{node.port}" for node in nodes])
        (self.folder / "nginx.conf").write_text(text, encoding="utf-8")

    def start(self):
        self.write(self.nodes)
        super().start()
        until(lambda: self.running() and answers(self.port), "nginx")
        return self

    def workers(self):
        done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True,
                              text=True, check=False)
        return set(done.stdout.split())

    def route(self, nodes):
        """Sends requests to these nodes only; returns when no request to another node is in flight."""
        before = self.workers()
        self.write(nodes)
        self.signal(signal.SIGHUP)
        until(lambda: self.workers() and not self.workers() & before, "nginx reload")


class Cluster:
    """The whole cluster. `sentinel=False`: one Redis, enough for most tests."""

    def __init__(self, folder, nodes=3, port=None, sentinel=True, node_flags=(), database_options=(),
                 database_parameters="", redis_parameters=""):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.admin_key = secrets.token_urlsafe(32)
        key_file = self.folder / "admin.key"
        key_file.touch(mode=0o600)
        key_file.write_text(self.admin_key + "\n", encoding="utf-8")
        self.database = MariaDb(self.folder, *database_options)
        self.redis = RedisWithSentinel(self.folder) if sentinel else Redis(self.folder)
        self.count, self.port, self.node_flags = nodes, port or free_port(), node_flags
        self.database_parameters, self.redis_parameters = database_parameters, redis_parameters
        self.nodes, self.nginx = [], None

    def start(self):
        try:
            self.database.start().create_database()
            self.redis.start()
            flags = ["--mysql", self.database.url(parameters=self.database_parameters),
                     "--redis", self.redis.url + self.redis_parameters,
                     "--admin-key-file", self.folder / "admin.key", "--http-trusted-proxies", "127.0.0.1",
                     *self.node_flags]
            self.nodes = [self.node(number, flags).start(wait=False) for number in range(1, self.count + 1)]
            for node in self.nodes:
                node.await_ready()
            self.nginx = Nginx(self.folder, self.port, self.nodes).start()
        except BaseException:
            self.stop()
            raise
        return self

    def node(self, number, flags):
        """A node that is not started yet. Tests override it."""
        return Node(self.folder, f"node-{number}", *flags)

    def roll(self, change=lambda node: None):
        """A rolling restart: one node at a time, while requests go to the others."""
        for node in self.nodes:
            self.nginx.route([other for other in self.nodes if other is not node])
            node.stop()
            change(node)
            node.start()
            self.nginx.route(self.nodes)

    def stop(self):
        """Stops nginx and the nodes first, for an orderly shutdown."""
        for process in [self.nginx, *self.nodes]:
            if process is not None:
                process.stop()
        self.redis.kill()
        self.database.stop()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def describe(self):
        return {"url": self.url, "adminKey": self.admin_key, "folder": str(self.folder), "pid": os.getpid(),
                "database": self.database.url(), "databasePid": self.database.process.pid,
                "redis": self.redis.url,
                "nodes": [{"url": f"http://127.0.0.1:{node.port}", "pid": node.process.pid}
                          for node in self.nodes]}


def read_arguments():
    parser = argparse.ArgumentParser(prog="./dev cluster", description=__doc__)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--port", type=int, default=8080, help="port of nginx; 0: a free one")
    parser.add_argument("--folder", help="data and logs, kept; default: a temporary folder, removed")
    parser.add_argument("--one-redis", action="store_true", help="one Redis without sentinels")
    parser.add_argument("--json", action="store_true", help="print the addresses as one line of JSON")
    arguments = parser.parse_args()
    if arguments.nodes < 1:
        parser.error("--nodes: must be at least 1")
    if arguments.port and answers(arguments.port):
        parser.error(f"port 127.0.0.1:{arguments.port} is in use: choose another --port, or 0 for a free one")
    return arguments


def main():
    arguments = read_arguments()
    folder = arguments.folder or tempfile.mkdtemp(prefix="maejin-cluster-")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    if not arguments.json:
        print(f"cluster: starting MariaDB, Redis, {arguments.nodes} nodes and nginx …", flush=True)
    try:
        with Cluster(folder, arguments.nodes, arguments.port or None,
                     sentinel=not arguments.one_redis) as cluster:
            if arguments.json:
                print(json.dumps(cluster.describe()), flush=True)
            else:
                nodes = ", ".join(f"127.0.0.1:{node.port}" for node in cluster.nodes)
                print(f"cluster: {cluster.url} (nginx) → {nodes}")
                print(f"cluster: MariaDB on 127.0.0.1:{cluster.database.port}, {cluster.redis.url}")
                print(f"cluster: pages for fans at {cluster.url}/, operator console at {cluster.url}/console")
                print(f"cluster: admin key in {cluster.folder}/admin.key, logs in {cluster.folder}. "
                      "Ctrl-C stops it.", flush=True)
            while True:
                time.sleep(1)
                for process in [*cluster.nodes, cluster.database, cluster.nginx]:
                    process.running()
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        sys.exit(f"cluster: {error}")
    finally:
        if not arguments.folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

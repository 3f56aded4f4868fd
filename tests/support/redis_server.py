"""Real Redis servers for black-box tests: one, a primary with sentinels, a cluster; on free ports, in memory.
Each stops only its own processes."""
import contextlib
import itertools
import os
import signal
import subprocess
import time

import harness
import network
import cluster  # in deploy/, where harness.py looks

BINARY = os.environ.get("MAEJIN_REDIS_SERVER", "redis-server")
HERE = network.Loopback()
# A sentinel that was not scheduled for two seconds enters TILT mode for thirty.
FAILOVER_S = 120
PATIENT = "?timeout_ms=60000"


def free_port(host=HERE):
    with host.entered():
        return harness.free_port(host.address)


class Redis:
    def __init__(self, folder, *options, host=HERE):
        folder.mkdir(exist_ok=True)
        self.folder, self.options, self.host, self.port = folder, options, host, free_port(host)
        self.start()

    @property
    def address(self):
        return f"{self.host.address}:{self.port}"

    @property
    def url(self):
        return f"redis://{self.address}"

    @property
    def patient_url(self):
        """The address with long timeouts, for tests without a Redis fault on a busy machine."""
        return self.url + PATIENT

    def start(self):
        with self.host.entered():
            self.process = subprocess.Popen([
                BINARY, "--port",
                str(self.port), "--bind", self.host.address, "--protected-mode", "no", "--save", "", "--dir",
                str(self.folder), *map(str, self.options)
            ], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=harness.die_with_parent)
        harness.until(lambda: self.cli("PING", check=False) == "PONG")

    def cli(self, *words, check=True):
        with self.host.entered():
            return cluster.redis_cli("-h", self.host.address, "-p", self.port, *words, check=check)

    def says(self, wanted, *words):
        return wanted in self.cli(*words, check=False)

    @contextlib.contextmanager
    def monitored(self):
        """A function that returns the executed commands that have all these words, in their order."""
        file, marks = self.folder / "commands", itertools.count()

        def commands(*words):
            mark = f"mark{next(marks)}"
            self.cli("ECHO", mark)
            harness.until(lambda: f'"{mark}"' in file.read_text(encoding="utf-8"))
            return [
                line for line in file.read_text(encoding="utf-8").splitlines()
                if all(f'"{word}"' in line for word in words)
            ]

        with self.host.entered(), file.open("w", encoding="utf-8") as out, subprocess.Popen(
            ["redis-cli", "-h", self.host.address, "-p",
             str(self.port), "MONITOR"], stdout=out, preexec_fn=harness.die_with_parent) as monitor:
            try:
                harness.until(lambda: "OK" in file.read_text(encoding="utf-8"))
                yield commands
            finally:
                monitor.kill()

    @property
    def is_primary(self):
        return self.says("role:master", "INFO", "replication")

    def pause(self):
        """Returns when it has stopped: until then its threads may still answer."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

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
    """A primary "mymaster", a replica, and three sentinels that fail over after a second, on the given
    `hosts`."""

    def __init__(self, folder, primary=HERE, replica=HERE, sentinels=HERE):
        self.primary = Redis(folder / "primary", "--repl-diskless-sync-delay", "0", host=primary)
        self.replica = Redis(folder / "replica", "--replicaof", f"{primary.address} {self.primary.port}",
                             host=replica)
        harness.until(lambda: self.primary.says("connected_slaves:1", "INFO", "replication"))
        self.sentinels = [self.sentinel(folder / f"sentinel{number}", sentinels) for number in range(3)]
        for each in self.sentinels:
            harness.until(lambda: each.says("OK 3 usable", "SENTINEL", "CKQUORUM", "mymaster"))
            harness.until(lambda: each.says("slave", "SENTINEL", "replicas", "mymaster"))

    def sentinel(self, folder, host):
        folder.mkdir()
        (folder / "sentinel.conf").write_text(
            f"sentinel monitor mymaster {self.primary.host.address} {self.primary.port} 2\n"
            "sentinel down-after-milliseconds mymaster 1000\nsentinel failover-timeout mymaster 3000\n")
        return Sentinel(folder, host=host)

    @property
    def url(self):
        return "redis+sentinel://" + ",".join(each.address for each in self.sentinels) + "/mymaster"

    def cli(self, *words):
        """Of the current primary."""
        return next(each for each in (self.replica, self.primary) if each.is_primary).cli(*words)

    def await_failover(self):
        """Waits until the replica is the primary for every sentinel."""
        harness.until(lambda: self.replica.is_primary, FAILOVER_S)
        for each in self.sentinels:
            harness.until(
                lambda: each.says(str(self.replica.port), "SENTINEL", "get-master-addr-by-name", "mymaster"),
                FAILOVER_S)

    def await_demotion(self):
        """Waits until the old primary replicates the new one."""
        harness.until(lambda: not self.primary.is_primary, FAILOVER_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in [*self.sentinels, self.primary, self.replica]:
            each.kill()


class Sentinel(Redis):
    def start(self):
        with self.host.entered():
            self.process = subprocess.Popen([
                BINARY,
                str(self.folder / "sentinel.conf"), "--sentinel", "--port",
                str(self.port), "--bind", self.host.address, "--protected-mode", "no", "--dir",
                str(self.folder)
            ], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=harness.die_with_parent)
        harness.until(lambda: self.cli("PING", check=False) == "PONG")


class Cluster:
    """Three primaries with a third of the hash slots each, and a replica of each."""

    RANGES = ((0, 5460), (5461, 10922), (10923, 16383))

    def __init__(self, folder):
        self.nodes = []
        for number in range(6):
            bus = free_port()
            node = Redis(folder / f"node{number}", "--cluster-enabled", "yes", "--cluster-node-timeout", 1000,
                         "--cluster-port", bus, "--cluster-replica-validity-factor", 0,
                         "--repl-diskless-sync-delay", 0)
            node.bus = bus
            self.nodes.append(node)
        self.primaries, self.replicas = self.nodes[:3], self.nodes[3:]
        for number, (node, slots) in enumerate(zip(self.primaries, self.RANGES)):
            node.cli("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            node.cli("CLUSTER", "ADDSLOTSRANGE", *slots)
        harness.until(self.met)
        for primary, replica in zip(self.primaries, self.replicas):
            mine = primary.cli("CLUSTER", "MYID")
            harness.until(lambda: replica.says("OK", "CLUSTER", "REPLICATE", mine))
        for node in self.nodes:
            harness.until(lambda: node.says("cluster_state:ok", "CLUSTER", "INFO"))
        for primary in self.primaries:
            harness.until(lambda: primary.says("state=online", "INFO", "replication"))

    def met(self):
        """Sends CLUSTER MEET from the first node to all; repeats it until all have joined."""
        for node in self.nodes[1:]:
            self.nodes[0].cli("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
        for _ in range(50):
            if all(node.says("cluster_known_nodes:6", "CLUSTER", "INFO") for node in self.nodes):
                return True
            time.sleep(0.1)
        return False

    @property
    def url(self):
        return "redis+cluster://" + ",".join(node.address for node in self.primaries)

    @property
    def patient_url(self):
        return self.url + PATIENT

    def owner(self, key):
        """The primary of a key, and its replica."""
        slot = int(self.nodes[0].cli("CLUSTER", "KEYSLOT", key))
        return next((self.primaries[i], self.replicas[i]) for i, (first, last) in enumerate(self.RANGES)
                    if first <= slot <= last)

    def cli(self, *words):
        """Follows redirects; tries nodes until one answers."""
        for node in self.nodes:
            if node.process.poll() is None:
                return node.cli("-c", *words)
        raise AssertionError("no node is left")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.kill()

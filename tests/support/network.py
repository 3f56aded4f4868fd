"""Hosts in private network namespaces on one switch that can be partitioned. Needs root and iproute2. The
hosts cannot reach other networks. A child process holds each namespace, so that it ends with this process."""
import contextlib
import ctypes
import os
import subprocess

import harness

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000


def into_new_network():
    harness.die_with_parent()
    if LIBC.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


class Loopback:
    """The loopback interface of this machine."""
    address = "127.0.0.1"

    def entered(self):
        return contextlib.nullcontext()


class Host:
    """A network namespace. Processes and sockets of a thread that has entered it belong to it."""

    def __init__(self, address=None):
        self.address = address
        self.holder = subprocess.Popen(["sleep", "infinity"], preexec_fn=into_new_network)
        self.network = os.open(f"/proc/{self.holder.pid}/ns/net", os.O_RDONLY)
        self.ip("link", "set", "lo", "up")

    @contextlib.contextmanager
    def entered(self):
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            self.enter(self.network)
            yield self
        finally:
            self.enter(before)
            os.close(before)

    @staticmethod
    def enter(network):
        if LIBC.setns(network, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def ip(self, *words):
        with self.entered():
            subprocess.run(["ip", *map(str, words)], check=True, capture_output=True)

    def close(self):
        self.holder.kill()
        self.holder.wait()
        os.close(self.network)


class Network:
    """Hosts "10.77.0.1", "10.77.0.2" … on one switch."""

    def __init__(self, hosts):
        self.switch, self.hosts = Host(), []
        for side in ("near", "far"):
            self.switch.ip("link", "add", side, "type", "bridge")
            self.switch.ip("link", "set", side, "up")
        for number in range(1, hosts + 1):
            host = Host(f"10.77.0.{number}")
            self.hosts.append(host)
            self.switch.ip("link", "add", self.port(host), "type", "veth", "peer", "name", "eth0", "netns",
                           host.holder.pid)
            self.switch.ip("link", "set", self.port(host), "master", "near", "up")
            host.ip("address", "add", f"{host.address}/24", "dev", "eth0")
            host.ip("link", "set", "eth0", "up")

    @staticmethod
    def port(host):
        return "port" + host.address.rsplit(".", 1)[1]

    def cut_off(self, *hosts):
        """Partitions these hosts from the others; packets in between are dropped."""
        for host in hosts:
            self.switch.ip("link", "set", self.port(host), "master", "far")

    def heal(self):
        for host in self.hosts:
            self.switch.ip("link", "set", self.port(host), "master", "near")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for host in [*self.hosts, self.switch]:
            host.close()

"""Servers with rooms of the operator's own in front of a shop."""
import contextlib
import subprocess

import back_ends
import harness

SHOP = "https://shop.example"


class Nodes:
    """One server, or two that share their back ends."""

    def __init__(self, kind, folder, parts):
        shared = ["--http-trusted-proxies", "127.0.0.1", "--log-access", folder / "access.log",
                  "--webhooks-allow-private", "true"]
        flags = back_ends.flags(kind, folder, parts) + shared
        self.redis_url = flags[flags.index("--redis") + 1].split("?")[0] if "--redis" in flags else None
        self.kind, self.access_log = kind, folder / "access.log"
        self.first = parts.enter_context(harness.Server(folder / "data", *flags))
        self.second = self.first
        if kind == "mariadb":
            key = ["--admin-key-file", folder / "data" / "admin.key"]
            self.second = parts.enter_context(harness.Server(folder / "second", *flags, *key))


def running(kind, tmp_path_factory):
    """Yields the nodes, for a fixture of a module."""
    folder = tmp_path_factory.mktemp(kind)
    with contextlib.ExitStack() as parts:
        yield Nodes(kind, folder, parts)


def create(admin, name, **settings):
    answer = admin.post("/api/v1/rooms", {"id": name, "returnUrls": [SHOP + "/tickets"], **settings})
    assert answer.status == 201, answer
    return answer.json


def forget_keys(nodes, pattern):
    cli = ["redis-cli", "-u", nodes.redis_url]
    keys = subprocess.run([*cli, "--scan", "--pattern", pattern], capture_output=True, text=True,
                          check=True).stdout.split()
    if keys:
        subprocess.run([*cli, "DEL", *keys], check=True, stdout=subprocess.DEVNULL)
    return keys

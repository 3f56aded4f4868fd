"""Allocates ports round-robin across processes. Another process could take a free port of the kernel before
the server starts, or while it restarts."""
import fcntl
import os
import pathlib
import socket
import tempfile

FIRST, COUNT = 20000, 12000  # below the ephemeral ports of the kernel


def free_port(address="127.0.0.1"):
    """The counter is the length of a file, which tests/support/free_port.h shares."""
    path = pathlib.Path(tempfile.gettempdir()) / f"maejin-ports-{os.geteuid()}"
    with open(path, "ab", buffering=0) as counter:
        fcntl.flock(counter, fcntl.LOCK_EX)
        while True:
            port = FIRST + counter.seek(0, os.SEEK_END) % COUNT
            counter.write(b".")
            with socket.socket() as probe:
                if not taken(probe, address, port):
                    return port


def taken(probe, address, port):
    try:
        probe.bind((address, port))
    except OSError:
        return True
    return False

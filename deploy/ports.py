"""Ports for servers on this machine, in turn over all processes: whoever asks the kernel for a free one and gives it back may find somebody else there
when its server starts, or starts again."""
import fcntl
import os
import pathlib
import socket
import tempfile

FIRST, COUNT = 20000, 12000  # below those that the kernel gives to connections


def free_port(address="127.0.0.1"):
    """The turn is the length of a file, which tests/support/free_port.h lengthens too."""
    with open(pathlib.Path(tempfile.gettempdir()) / f"maejin-ports-{os.geteuid()}", "ab", buffering=0) as turns:
        fcntl.flock(turns, fcntl.LOCK_EX)
        while True:
            port = FIRST + turns.seek(0, os.SEEK_END) % COUNT
            turns.write(b".")
            with socket.socket() as probe:
                if not taken(probe, address, port):
                    return port


def taken(probe, address, port):
    try:
        probe.bind((address, port))
    except OSError:
        return True
    return False

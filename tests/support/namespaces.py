"""The network of another process, for a thread of a test."""
import contextlib
import ctypes
import os

NEW_NETWORK = 0x40000000  # CLONE_NEWNET
LIBC = ctypes.CDLL(None, use_errno=True)


def move_to(network):
    assert LIBC.setns(network.fileno(), NEW_NETWORK) == 0, os.strerror(ctypes.get_errno())


@contextlib.contextmanager
def network_of(process):
    """This thread, and the threads and processes it starts, use the network of the process."""
    with open("/proc/thread-self/ns/net", "rb") as own, open(f"/proc/{process}/ns/net", "rb") as other:
        move_to(other)
        try:
            yield
        finally:
            move_to(own)

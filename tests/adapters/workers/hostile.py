"""What a parser may do to the process it runs in; called inside workers."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
import time
from typing import Any

Ask = Any


def echo(_ask: Ask, value: Any) -> Any:
    """Give back what was sent."""
    return value


def crash(_ask: Ask) -> None:
    """Read where there is no memory."""
    ctypes.string_at(0)


def abort(_ask: Ask) -> None:
    """Give up, as an assertion in native code does."""
    os.abort()


def hold_interpreter(_ask: Ask, seconds: int) -> None:
    """Sleep with the interpreter's lock held, as a native loop would."""
    ctypes.PyDLL(None).sleep(seconds)


def fill_memory(_ask: Ask) -> int:
    """Take more memory than there is."""
    return len(b"x" * (1 << 40))


def read_limits(_ask: Ask) -> list[int]:
    """The soft limits of address space and processor time, and the process that has them."""
    import resource

    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU)
    return [*(resource.getrlimit(kind)[0] for kind in kinds), os.getpid()]


def fill_answer(_ask: Ask) -> bytes:
    """Answer more than a server wants to hold."""
    return bytes(200 << 20)


def print_nonsense(_ask: Ask) -> int:
    """Write where the answers go."""
    print("\0\0\0\0", flush=True)
    os.write(1, b"\xff\xff\xff\xff")
    return 1


def describe(_ask: Ask) -> dict[str, Any]:
    """What this process has been given."""
    return {
        "pid": os.getpid(),
        "environment": sorted(os.environ),
        "descriptors": sorted(os.listdir("/proc/self/fd")),
        "isolated": sys.flags.isolated,
    }


def write_file(_ask: Ask, path: str) -> None:
    """Write a file."""
    with open(path, "w") as file:
        file.write("x" * 100_000)


def open_socket(_ask: Ask) -> None:
    """Reach for the network."""
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def signal_parent(_ask: Ask) -> None:
    """Reach for the server."""
    os.kill(os.getppid(), 0)


def grow(_ask: Ask) -> int:
    """Hold much memory for as long as this process lives."""
    _HELD.append(bytearray(os.urandom(1 << 20) * 450))
    return os.getpid()


def meet(ask: Ask) -> int:
    """Wait until others have been asked too, and say which process this is."""
    ask("meet")
    return os.getpid()


def wait_for_ever(ask: Ask) -> None:
    """Say which process this is, then never answer."""
    ask("started", os.getpid())
    time.sleep(600)


_HELD: list[bytearray] = []


_remembered: list[Any] = []


def remember(_ask: Ask, value: Any) -> list[Any]:
    """Keep *value* in this process, and give back all that was kept."""
    _remembered.append(value)
    return _remembered

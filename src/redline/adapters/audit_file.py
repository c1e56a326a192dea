"""Audit lines in a file that only grows, each bound to the one before it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from redline.adapters.audit_chain import START, ChainReport, link, read_link, verify_chain
from redline.adapters.files.platform import lock, unlock

_TAIL_BYTES = 1 << 20


def open_audit_file(path: str) -> Callable[[dict[str, Any]], None]:
    """A sink that appends one JSON line per event; the file is readable by its owner only.

    Several servers may write one file: the chain goes on from the last whole line that is there.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)

    def write(event: dict[str, Any]) -> None:
        lock(descriptor, exclusive=True, wait=True)
        try:
            torn, before = _last_link(descriptor)
            # What a crash left of a line must not become the beginning of the next one.
            os.write(descriptor, (b"\n" if torn else b"") + link(before, event))
        finally:
            unlock(descriptor)

    return write


def verify_audit_file(path: str, last: str | None = None) -> ChainReport:
    """Check every line of an audit file, and that the one with digest *last* is among them."""
    with open(path, "rb") as file:
        return verify_chain((line.rstrip(b"\n") for line in file), last)


def _last_link(descriptor: int) -> tuple[bool, str]:
    """Return whether the file ends in the middle of a line, and the digest of its last whole line.

    The last line may be far back only where a longer one was written by another program.
    """
    size = os.fstat(descriptor).st_size
    tail = os.pread(descriptor, min(size, _TAIL_BYTES), max(0, size - _TAIL_BYTES))
    torn = bool(tail) and not tail.endswith(b"\n")
    for line in reversed(tail.split(b"\n")[:-1]):
        found = read_link(line)
        if found is not None:
            return torn, found
    return torn, START

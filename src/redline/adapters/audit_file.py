"""Audit lines in a file that only grows, each bound to the one before it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from redline.adapters.files.platform import lock, unlock

START = "0" * 64


class ChainReport(NamedTuple):
    """What a check found; `broken_at` is the first line that does not fit, or None."""

    lines: int
    last: str
    broken_at: int | None = None
    reason: str = ""


def link(before: str, event: Mapping[str, Any]) -> bytes:
    """Return the line of *event* after the line with digest *before*."""
    body = {**event, "before": before}
    return _encode({**body, "digest": _digest(body)}) + b"\n"


def read_link(line: bytes) -> str | None:
    """Return the digest that a line carries; None when it is not a line of a chain."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    value = found.get("digest") if isinstance(found, dict) else None
    return value if isinstance(value, str) else None


def verify_chain(lines: Iterable[bytes], last: str | None = None) -> ChainReport:
    """Check every line, up to the first that does not fit; one must have the digest *last*."""
    before, count, is_found = START, 0, last is None
    for count, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
        except ValueError:
            return ChainReport(count, before, count, "it is not a whole line")
        if not isinstance(event, dict) or "digest" not in event:
            return ChainReport(count, before, count, "it has no digest")
        digest = event.pop("digest")
        if event.get("before") != before:
            return ChainReport(count, before, count, "lines are missing or added before it")
        if digest != _digest(event):
            return ChainReport(count, before, count, "it was changed")
        before = digest
        is_found = is_found or digest == last
    if not is_found:
        return ChainReport(count, before, count + 1, f"the line with digest {last} was cut off")
    return ChainReport(count, before)


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(_encode(body)).hexdigest()


def _encode(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode("utf-8", "surrogatepass")


_TAIL_BYTES = 1 << 20


def open_audit_file(path: str) -> Callable[[dict[str, Any]], None]:
    """Return a sink that appends one JSON line per event; the file is readable by its owner only.

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

"""A chain of audit lines: each holds a digest of itself and of the line before it.

A line that is changed, removed, added or moved breaks the chain from there on. A program that can
write the file could compute a new chain, or cut lines off its end: keep the digest of the last line
elsewhere from time to time (`redline audit verify` prints it).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

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

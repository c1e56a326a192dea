"""Cut a large container between its members into runs, which are parsed one at a time."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from redline.core.errors import DocumentSyntax
from redline.documents.base.possessive import compile_pattern
from redline.documents.json.locate import LIST_OF_RAW
from redline.documents.json.walk import (
    KEY,
    NAME,
    VALUE,
    Mask,
    Run,
    last_mark,
    skip_space,
    value_end,
)

# A larger container is parsed in runs of about this size: views of all its members at once would
# take many times the memory of the text.
PIECE = 32 * 1024
# How far to look for the end of a member that nests deeply, before it gets a run of its own.
_DEEP = 4 * 1024
_GUESSES = 3
_OPENS = b'[{"'
_GAP = re.compile(rb"\s*+,\s*+")


def strict_runs(mask: Mask, start: int, end: int, piece: int = PIECE) -> list[Run]:
    """Return the valid container at [start, end), cut into runs of about *piece* bytes."""
    named = mask[start] == 0x7B
    at, stop = skip_space(mask, start + 1), last_mark(mask, end - 1) + 1
    mark = _separator(mask, at, min(at + piece, stop), named=named)
    runs: list[Run] = []
    while at < stop:
        run = _next_run(mask, at, stop, mark, piece, named=named)
        runs.append(run)
        gap = _GAP.match(mask, run.end)
        at = gap.end() if gap else stop
    return runs


def _next_run(mask: Mask, at: int, stop: int, mark: bytes, piece: int, *, named: bool) -> Run:
    if stop - at <= piece:
        return Run(at, stop, _count(mask, at, stop, named=named) or 0)
    limit = at + piece
    # Most members are separated by the same text as the first two. An occurrence of it is a
    # separator, and not part of a string, if everything before it parses as members.
    for _ in range(_GUESSES if mark else 0):
        limit = mask.rfind(mark, at + 1, limit)
        comma = last_mark(mask, limit + len(mark.rstrip(_OPENS)))
        if limit < 0 or comma <= at:
            break
        cut = last_mark(mask, comma) + 1
        if mask[comma] == 0x2C and (count := _count(mask, at, cut, named=named)) is not None:
            return Run(at, cut, count)
    end = members_end(mask, at, at + piece, named=named)
    if end > at:
        cut = last_mark(mask, end - 1) + 1
        return Run(at, cut, _count(mask, at, cut, named=named) or 0)
    return _large(mask, at, stop, named=named)


def _large(mask: Mask, at: int, stop: int, *, named: bool) -> Run:
    """Return the one member at *at*, which is larger than a run or nests deeply."""
    found = KEY.match(mask, at) if named else None
    value = found.end() if found else at
    try:
        msgspec.json.decode(memoryview(mask)[value:stop], type=msgspec.Raw)
    except msgspec.DecodeError:
        return Run(at, value_end(mask, value), 1)
    return Run(at, stop, 1)


def _separator(mask: Mask, at: int, stop: int, *, named: bool) -> bytes:
    """Return the text between the first two members, from its last line break if it has one."""
    found = KEY.match(mask, at, stop) if named else None
    try:
        end = value_end(mask, found.end() if found else at, stop)
    except DocumentSyntax:
        return b""
    gap = _GAP.match(mask, end)
    if gap is None:
        return b""
    opens = bytes(mask[gap.end() : gap.end() + 1])
    opens = opens if opens in _OPENS else b""
    if b"\n" in gap[0]:
        return gap[0][gap[0].rfind(b"\n") :] + opens
    closed = bytes(mask[max(at, end - 3) : end])
    return closed[len(closed.rstrip(b"]}")) :] + gap[0] + opens


def _count(mask: Mask, start: int, end: int, *, named: bool) -> int | None:
    """Count the list items there (0 for object members); None if the text is not whole members."""
    try:
        if named:
            msgspec.json.decode(b"{" + mask[start:end] + b"}", type=msgspec.Raw)
            return 0
        return len(msgspec.json.decode(b"[" + mask[start:end] + b"]", type=LIST_OF_RAW))
    except msgspec.DecodeError:
        return None


def members_end(mask: Mask, at: int, stop: int, *, named: bool) -> int:
    """Return the end of the last member that ends before *stop*, including its comma."""
    match = _whole_members(named=named).match
    while True:
        found = match(mask, at, stop)
        at = found.end() if found else at
        end = _deep_end(mask, at, min(at + _DEEP, stop), named=named)
        if end is None:
            return at
        at = end


def _deep_end(mask: Mask, at: int, stop: int, *, named: bool) -> int | None:
    """Return the end, including its comma, of a small member too deeply nested for the pattern."""
    found = KEY.match(mask, at, stop) if named else None
    value = found.end() if found else skip_space(mask, at)
    if value >= stop or mask[value : value + 1] not in (b"[", b"{"):
        return None
    try:
        end = value_end(mask, value, stop)
    except DocumentSyntax:
        return None
    place = skip_space(mask, end)
    if mask[place : place + 1] == b",":
        return place + 1
    return end if mask[place : place + 1] in (b"]", b"}") else None


@lru_cache(maxsize=2)
def _whole_members(*, named: bool) -> re.Pattern[bytes]:
    """Return a pattern for members, each followed by a comma or the end of the container."""
    name = NAME if named else rb"\s*+"
    return compile_pattern(
        rb"(?:" + name + rb"(?:" + VALUE + rb")\s*+(?:,|(?=[\]}])))*+", re.DOTALL
    )

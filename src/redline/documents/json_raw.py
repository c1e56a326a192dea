"""Strict JSON located at C speed: msgspec's views into the mask tell where values stand."""

from __future__ import annotations

import ctypes
import re
from functools import lru_cache
from typing import Any

import msgspec

from redline.documents.json_walk import (
    KEY,
    NAME,
    VALUE,
    Mask,
    Run,
    last_mark,
    skip_space,
    value_end,
)
from redline.documents.possessive import compiled

# A container larger than this is looked at in runs of about this size: views of all its members
# would take many times the memory of the text.
PIECE = 32 * 1024
DICT_OF_RAW = dict[str, msgspec.Raw]
LIST_OF_RAW = list[msgspec.Raw]
_GUESSES = 3
_OPENS = b'[{"'
_GAP = re.compile(rb"\s*+,\s*+")
_ABSENT = msgspec.Raw(b"")


def raw_of(mask: Mask, start: int, end: int, key: str) -> msgspec.Raw | None:
    """The value of the last member named *key* of an object; ValueError for a name msgspec
    cannot look for."""
    found = msgspec.json.decode(memoryview(mask)[start:end], type=_holder(key)).value
    return None if found is _ABSENT else found


@lru_cache(maxsize=64)
def _holder(key: str) -> Any:
    """A type with one field, so that all other members are passed over without being kept."""
    return msgspec.defstruct("Holder", [("value", msgspec.Raw, _ABSENT)], rename={"value": key})


def strict_runs(mask: Mask, start: int, end: int, piece: int = PIECE) -> list[Run]:
    """The members of the valid container at [start, end), cut into runs of about *piece* bytes."""
    named = mask[start] == 0x7B
    at, stop = skip_space(mask, start + 1), last_mark(mask, end - 1) + 1
    mark = _separator(mask, at, piece, named=named)
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
    # Between most members stands the same as between the first two. Whether a place where it
    # stands is one between members is known when everything up to there parses as members.
    for _ in range(_GUESSES if mark else 0):
        limit = mask.rfind(mark, at + 1, limit)
        comma = last_mark(mask, limit + len(mark.rstrip(_OPENS)))
        if limit < 0 or comma <= at:
            break
        cut = last_mark(mask, comma) + 1
        if mask[comma] == 0x2C and (count := _count(mask, at, cut, named=named)) is not None:
            return Run(at, cut, count)
    found = whole_members(named=named).match(mask, at, at + piece)
    if found is not None and found.end() > at:
        cut = last_mark(mask, found.end() - 1) + 1
        return Run(at, cut, _count(mask, at, cut, named=named) or 0)
    return _large(mask, at, stop, named=named)


def _large(mask: Mask, at: int, stop: int, *, named: bool) -> Run:
    """The one member at *at*, which is larger than a run or nests deeply."""
    found = KEY.match(mask, at) if named else None
    value = found.end() if found else at
    try:
        msgspec.json.decode(memoryview(mask)[value:stop], type=msgspec.Raw)
    except msgspec.DecodeError:
        return Run(at, value_end(mask, value), 1)
    return Run(at, stop, 1)


def _separator(mask: Mask, at: int, piece: int, *, named: bool) -> bytes:
    """What stands before the second member, from the last line break on or else the comma."""
    found = whole_members(named=named, most=1).match(mask, at, at + piece)
    if found is None or found.end() == at or mask[found.end() - 1] != 0x2C:
        return b""
    comma = found.end() - 1
    second = skip_space(mask, comma + 1)
    gap = bytes(mask[comma:second])
    opens = bytes(mask[second : second + 1])
    return gap[max(gap.rfind(b"\n"), 0) :] + (opens if opens in _OPENS else b"")


def _count(mask: Mask, start: int, end: int, *, named: bool) -> int | None:
    """How many list items stand there (0 for members of an object); None when not only such do."""
    try:
        if named:
            msgspec.json.decode(b"{" + mask[start:end] + b"}", type=msgspec.Raw)
            return 0
        return len(msgspec.json.decode(b"[" + mask[start:end] + b"]", type=LIST_OF_RAW))
    except msgspec.DecodeError:
        return None


@lru_cache(maxsize=4)
def whole_members(*, named: bool, most: int | None = None) -> re.Pattern[bytes]:
    """A pattern for members each of which is followed by a comma or the end of the container."""
    name = NAME if named else rb"\s*+"
    times = b"*+" if most is None else b"{0,%d}+" % most
    return compiled(rb"(?:" + name + rb"(?:" + VALUE + rb")\s*+(?:,|(?=[\]}])))" + times, re.DOTALL)


class _Buffer(ctypes.Structure):
    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


def address(item: Any) -> int:
    """Where an object's buffer lies; two views of one buffer differ by their offset in it."""
    buffer = _Buffer()
    api = ctypes.pythonapi
    api.PyObject_GetBuffer(ctypes.py_object(item), ctypes.byref(buffer), 0)
    place = int(buffer.buf or 0)
    api.PyBuffer_Release(ctypes.byref(buffer))
    return place

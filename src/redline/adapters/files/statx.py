"""Linux: the facts of many names by one `statx` each, written side by side into one buffer.

`os.stat` builds an object of two dozen numbers for every name; a listing of tens of thousands
wants four. No argument types are declared: checking them costs more than the system call.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from itertools import repeat
from typing import Any

from redline.core.ports.tree import FactLists

_NOFOLLOW = 0x100
_TYPE, _MODE, _MTIME, _SIZE = 0x001, 0x002, 0x040, 0x200
# `struct statx` is the same on every architecture: its length, and where the facts stand in it.
_ROW, _MODE_AT, _SIZE_AT, _SECONDS_AT, _NANOS_AT = 256, 28, 40, 112, 120
_ROWS = 512

_statx: Any = getattr(ctypes.CDLL(None), "statx", None)
_flags = repeat(ctypes.c_int.from_param(_NOFOLLOW))
_wanted = repeat(ctypes.c_uint.from_param(_TYPE | _MODE | _MTIME | _SIZE))


def facts_at(base: int, names: Sequence[str]) -> FactLists | None:
    """Mode, size and mtime of each name in *base*, no link followed; None when one was refused."""
    if _statx is None:
        return None
    try:
        answers = _spare.pop()
    except IndexError:
        answers = _Answers()
    facts = FactLists(list(names), [], [], [], [])
    try:
        for start in range(0, len(names), _ROWS):
            some = names[start : start + _ROWS]
            if not answers.ask(base, some):
                return None
            answers.add_to(facts, len(some))
    finally:
        _spare.append(answers)
    return facts


class _Answers:
    """Room for the answers about `_ROWS` names."""

    __slots__ = ("_modes", "_nanos", "_places", "_seconds", "_sizes")

    def __init__(self) -> None:
        room = ctypes.create_string_buffer(_ROW * _ROWS)
        self._places = [ctypes.byref(room, _ROW * row) for row in range(_ROWS)]
        plain = memoryview(room).cast("B")
        # Views of one fact each, from row to row.
        self._modes = plain.cast("H")[_MODE_AT // 2 :: _ROW // 2]
        self._sizes = plain.cast("Q")[_SIZE_AT // 8 :: _ROW // 8]
        self._seconds = plain.cast("q")[_SECONDS_AT // 8 :: _ROW // 8]
        self._nanos = plain.cast("I")[_NANOS_AT // 4 :: _ROW // 4]

    def ask(self, base: int, names: Sequence[str]) -> bool:
        """Have the facts of *names* written here; False as soon as one is refused."""
        spelled = os.fsencode("\0".join(names)).split(b"\0")
        asked = map(_statx, repeat(base), spelled, _flags, _wanted, self._places)
        return not any(asked)

    def add_to(self, facts: FactLists, count: int) -> None:
        """Add what the first *count* rows hold."""
        facts.modes.extend(_often_alike(self._modes[:count]))
        facts.sizes.extend(self._sizes[:count].tolist())
        facts.seconds.extend(_often_alike(self._seconds[:count]))
        facts.nanos.extend(self._nanos[:count].tolist())


def _often_alike(column: memoryview[int]) -> list[int]:
    """The numbers of a column; where all are the same, one object stands for all of them."""
    raw, count = column.tobytes(), len(column)
    return [column[0]] * count if raw == raw[: column.itemsize] * count else column.tolist()


# Each thread takes one while it asks, and puts it back: making one costs as much as 50 names.
_spare: list[_Answers] = []

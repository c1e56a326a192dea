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
    facts: list[list[int]] = [[], [], [], []]
    for start in range(0, len(names), _ROWS):
        some = names[start : start + _ROWS]
        if not answers.ask(base, some):
            return None
        answers.read_into(facts, len(some))
    _spare.append(answers)
    return FactLists(list(names), *facts)


class _Answers:
    """Room for the answers about `_ROWS` names."""

    __slots__ = ("_columns", "_places")

    def __init__(self) -> None:
        room = ctypes.create_string_buffer(_ROW * _ROWS)
        self._places = [ctypes.byref(room, _ROW * row) for row in range(_ROWS)]
        plain = memoryview(room).cast("B")
        # Views of one fact each, from row to row.
        self._columns = (
            plain.cast("H")[_MODE_AT // 2 :: _ROW // 2],
            plain.cast("Q")[_SIZE_AT // 8 :: _ROW // 8],
            plain.cast("q")[_SECONDS_AT // 8 :: _ROW // 8],
            plain.cast("I")[_NANOS_AT // 4 :: _ROW // 4],
        )

    def ask(self, base: int, names: Sequence[str]) -> bool:
        """Have the facts of *names* written here; False as soon as one is refused."""
        spelled = os.fsencode("\0".join(names)).split(b"\0")
        asked = map(_statx, repeat(base), spelled, _flags, _wanted, self._places)
        return not any(asked)

    def read_into(self, facts: list[list[int]], count: int) -> None:
        """Add what the first *count* rows hold."""
        for known, column in zip(facts, self._columns, strict=True):
            known += column[:count].tolist()


# Each thread takes one while it asks, and puts it back: making one costs as much as 50 names.
_spare: list[_Answers] = []

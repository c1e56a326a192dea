"""The entries of an array or an inline table, read where they are asked for.

Only where every 64th of them is looked for is kept: a list of a million numbers takes a few pages,
not a hundred bytes for each of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Generic, TypeVar

from redline.documents.toml.engine.scan import (
    RUN,
    Span,
    Statement,
    read_items,
    read_pairs,
    skip_items,
    skip_pairs,
)

# Its last field says where it ends.
Entry = TypeVar("Entry", Span, Statement)


class Entries(Generic[Entry]):
    """The entries between two offsets, in order."""

    def __init__(
        self,
        source: bytes,
        within: Span,
        read: Callable[[bytes, int, int], Iterator[Entry]],
        skip: Callable[[bytes, int, int], int],
    ) -> None:
        self._source = source
        self._skip = skip
        self.read: Callable[[bytes, int, int], Iterator[Entry]] = read
        start, self.stop = within
        # Where to look for the first entry of every run that is known so far.
        self._marks = array("Q", [start])
        self._count = -1

    def runs(self) -> Iterator[Span]:
        """Yield where runs of entries begin and end."""
        run = 0
        while run < len(self._marks):
            if self._count < 0:
                self._extend()
            at, run = self._marks[run], run + 1
            yield at, self._marks[run] if run < len(self._marks) else self.stop

    def _extend(self) -> None:
        """Find where the next run begins, or how many entries there are."""
        at = self._marks[-1]
        behind = self._skip(self._source, at, self.stop)
        if behind < 0:
            behind, count = at, 0
            for entry in islice(self.read(self._source, at, self.stop), RUN):
                behind, count = entry[-1], count + 1
            if count < RUN:
                self._count = (len(self._marks) - 1) * RUN + count
                return
        self._marks.append(behind)

    def __len__(self) -> int:
        while self._count < 0:
            self._extend()
        return self._count

    def __iter__(self) -> Iterator[Entry]:
        return self.read(self._source, self._marks[0], self.stop)

    def __getitem__(self, position: int) -> Entry:
        run, within = divmod(position + len(self) if position < 0 else position, RUN)
        while run >= len(self._marks) and self._count < 0:
            self._extend()
        if 0 <= run < len(self._marks):
            found = self.read(self._source, self._marks[run], self.stop)
            for entry in islice(found, within, None):
                return entry
        raise IndexError(position)


def items_between(source: bytes, start: int, stop: int) -> Entries[Span]:
    """Return the items of the array whose brackets are the first and the last byte."""
    return Entries(source, (start + 1, stop - 1), read_items, skip_items)


def pairs_between(source: bytes, start: int, stop: int) -> Entries[Statement]:
    """Return the statements of the inline table whose braces are the first and the last byte."""
    return Entries(source, (start + 1, stop - 1), read_pairs, skip_pairs)

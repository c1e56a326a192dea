"""The entries of an array or an inline table, read where they are asked for.

Only where every 64th of them is looked for is kept: a list of a million numbers takes a few pages,
not a hundred bytes for each of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Generic, TypeVar

from redline.documents.toml_scan import (
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
    """What stands between two offsets, in order."""

    def __init__(
        self,
        source: bytes,
        within: Span,
        read: Callable[[bytes, int, int], Iterator[Entry]],
        skip: Callable[[bytes, int, int], int],
    ) -> None:
        self._source = source
        self.read: Callable[[bytes, int, int], Iterator[Entry]] = read
        at, self.stop = within
        # Where to look for the first entry of every run, and behind the last run.
        self.marks = array("Q", [at])
        self._count = 0
        while at >= 0:
            behind = skip(source, at, self.stop)
            at = self._run(at) if behind < 0 else behind
            if behind >= 0:
                self._count += RUN
            if at >= 0:
                self.marks.append(at)

    def _run(self, at: int) -> int:
        """Behind the run that begins at *at*, read one by one; -1 where it is the last."""
        last, count = at, 0
        for entry in islice(self.read(self._source, at, self.stop), RUN):
            last, count = entry[-1], count + 1
        self._count += count
        return last if count == RUN else -1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Entry]:
        return self.read(self._source, self.marks[0], self.stop)

    def __getitem__(self, position: int) -> Entry:
        position += self._count if position < 0 else 0
        run, within = divmod(position, RUN)
        return next(islice(self.read(self._source, self.marks[run], self.stop), within, None))


def items_between(source: bytes, start: int, stop: int) -> Entries[Span]:
    """The items of the array whose brackets are the first and the last byte."""
    return Entries(source, (start + 1, stop - 1), read_items, skip_items)


def pairs_between(source: bytes, start: int, stop: int) -> Entries[Statement]:
    """The statements of the inline table whose braces are the first and the last byte."""
    return Entries(source, (start + 1, stop - 1), read_pairs, skip_pairs)

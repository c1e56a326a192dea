"""Keep answers about values for as long as they are what a fresh search would find.

A search stops after a number of steps, and where it comes back to a name that it is looking for.
What it finds is then less than there is; it is used again only where no more could be found.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from redline.code.python_js.heritage import Value


class _Limit(Enum):
    DEPTH = 0


class _Answer(NamedTuple):
    values: frozenset[Value]
    # How many steps were taken before it, and what cut it off: questions that were open, the limit.
    depth: int
    cut: frozenset[Hashable]


@dataclass(slots=True)
class Answers:
    """What was found out, by question."""

    _known: dict[Hashable, _Answer] = field(default_factory=dict)
    _open: set[Hashable] = field(default_factory=set)
    # What cut off the answer that is being looked for.
    _cut: set[Hashable] = field(default_factory=set)

    def once(
        self, question: Hashable, depth: int, find: Callable[[], set[Value]]
    ) -> frozenset[Value]:
        """Return what *find* finds, or what is known of it."""
        known = self._known.get(question)
        if known is None or not self._is_as_good(known, depth):
            around, self._cut = self._cut, set()
            self._open.add(question)
            try:
                values = frozenset(find())
            finally:
                self._open.discard(question)
                own, self._cut = self._cut, around
            known = _Answer(values, depth, frozenset(own - {question}))
            self._known[question] = known
        self._cut |= known.cut
        return known.values

    def is_open(self, question: Hashable) -> bool:
        """Whether *question* is being answered; what its answer depends on is then cut off."""
        if question in self._open:
            self._cut.add(question)
            return True
        return False

    def stop_at_limit(self) -> None:
        """Note that the search is not followed further."""
        self._cut.add(_Limit.DEPTH)

    def _is_as_good(self, known: _Answer, depth: int) -> bool:
        """Whether what cut off an answer would do so again."""
        return all(
            known.depth <= depth if each is _Limit.DEPTH else each in self._open
            for each in known.cut
        )

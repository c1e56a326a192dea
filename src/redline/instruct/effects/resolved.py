"""The nodes a clause is about, and that a filter leaves none."""

from __future__ import annotations

from dataclasses import dataclass

from redline.instruct.grammar.phrase import Phrase
from redline.instruct.lexicon.tree import Nodes


class Nothing(Exception):
    """A filter that no record passes; the message names what was looked for.

    `many` is false when one thing was named that is not there, which only a removal may ignore.
    `filtered` says that a condition leaves none, `unmet` that it was an `if` which is not so.
    """

    def __init__(
        self, sought: str, *, many: bool = True, filtered: bool = False, unmet: bool = False
    ) -> None:
        super().__init__(sought)
        self.many = many
        self.filtered = filtered
        self.unmet = unmet


@dataclass(frozen=True, slots=True)
class ResolvedNodes:
    """The nodes a clause is about."""

    nodes: Nodes
    many: bool = False
    whole: bool = True
    cost: int = 0
    phrase: Phrase | None = None

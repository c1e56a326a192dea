"""Noun phrases as the chart keeps them: the nodes they denote and how they came by them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from redline.instruct.lexicon.senses import Sort
from redline.instruct.lexicon.tree import Nodes


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a run of tokens denotes.

    `many`: several nodes are meant. `unsure`: a singular restriction fits more than one thing.
    `filtered`: a condition or an ordinal chose the nodes, so that none is an answer too.
    `whole`: false when only a part of a name says what is denoted; `part`: when one only says
    where it is. `owner`: a pronoun whose record the discourse supplies.
    """

    start: int
    end: int
    nodes: Nodes
    sort: Sort = Sort.KEY
    cost: int = 0
    many: bool = False
    quantified: bool = False
    whole: bool = True
    part: bool = False
    weak: bool = False
    unsure: bool = False
    filtered: bool = False
    owner: bool = False
    fields: Nodes = ()
    tested: Nodes = ()  # the fields a condition compares
    top: bool = False  # the members of the document itself, not what they hold
    joined: bool = False  # several names, each of which must count
    parts: tuple[Nodes, ...] = ()  # the nodes of each of them
    doubt: str = ""
    missing: str = ""

    @property
    def meaning(self) -> Hashable:
        """Equal for phrases that are interchangeable in a larger reading."""
        return (
            self.nodes, self.sort, self.many, self.quantified, self.whole, self.part, self.weak,
            self.owner,
            self.unsure, self.filtered, bool(self.doubt), self.fields, self.missing,
            self.joined, self.top,
        )  # fmt: skip

    def dearer(self, cost: int) -> Phrase:
        """Return the phrase at a higher cost."""
        return replace(self, cost=self.cost + cost) if cost else self

"""Which names of a TOML document are taken, compactly, so that its parts can be read one by one.

A part claims every name it defines: a *leaf* (a value, or an array of tables, or whatever dotted
keys make), a *table* (by its header), an *implied* table (a header names something beneath it), a
*dotted* one (in a section that goes on in another part). Parts that are valid alone are valid
together if no two claims meet, except those that TOML lets meet in any order: implied tables with
each other and with a header, dotted ones with each other. Whoever finds others meeting has to read
the document whole.

A claim is the hash of its path; equal hashes of different paths only cost time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

_BUCKETS = 64


@dataclass(slots=True)
class Families:
    """The claims of one part."""

    leaves: set[int] = field(default_factory=set)
    tables: set[int] = field(default_factory=set)
    implied: set[int] = field(default_factory=set)
    dotted: set[int] = field(default_factory=set)

    def count(self, found: int) -> int:
        """How often a path is claimed."""
        families = (self.leaves, self.tables, self.implied, self.dotted)
        return sum(found in family for family in families)

    def without(self, others: Families) -> Families:
        """The claims that *others* does not have."""
        return Families(
            self.leaves - others.leaves,
            self.tables - others.tables,
            self.implied - others.implied,
            self.dotted - others.dotted,
        )


class _Taken:
    """A growing collection of hashes at eight bytes each."""

    def __init__(self) -> None:
        self.buckets = [array("q") for _ in range(_BUCKETS)]

    def add(self, hashes: Iterable[int]) -> None:
        append = [bucket.append for bucket in self.buckets]
        for found in hashes:
            append[found % _BUCKETS](found)

    def count(self, found: int) -> int:
        """How many parts claim it."""
        return self.buckets[found % _BUCKETS].count(found)

    def meets(self, hashes: Iterable[int]) -> bool:
        return any(self.count(found) for found in hashes)


class Claims:
    """The claims of all parts of a document."""

    def __init__(self) -> None:
        self._leaves = _Taken()
        self._tables = _Taken()
        self._implied = _Taken()
        self._dotted = _Taken()

    def add(self, part: Families) -> None:
        """Take the claims of one more part."""
        self._leaves.add(part.leaves)
        self._tables.add(part.tables)
        self._implied.add(part.implied)
        self._dotted.add(part.dotted)

    def are_distinct(self) -> bool:
        """Whether no two claims meet that must not."""
        for leaves, tables, implied, dotted in zip(
            self._leaves.buckets,
            self._tables.buckets,
            self._implied.buckets,
            self._dotted.buckets,
            strict=True,
        ):
            both = {*leaves, *tables}
            if len(both) != len(leaves) + len(tables) or not both.isdisjoint(dotted):
                return False
            if not {*leaves, *dotted}.isdisjoint(implied):
                return False
        return True

    def meets(self, new: Families) -> bool:
        """Whether one of the claims in *new* meets one it must not."""
        leaves, tables, implied = self._leaves, self._tables, self._implied
        dotted = self._dotted
        rules = (
            (new.leaves, (leaves, tables, implied, dotted)),
            (new.tables, (leaves, tables, dotted)),
            (new.implied, (leaves, dotted)),
            (new.dotted, (leaves, tables, implied)),
        )
        return any(taken.meets(hashes) for hashes, others in rules for taken in others)

    def count(self, found: int) -> int:
        """How often a path is claimed."""
        families = (self._leaves, self._tables, self._implied, self._dotted)
        return sum(family.count(found) for family in families)

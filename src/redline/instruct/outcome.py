"""What comes of reading one clause: operations, nothing to do, or the reason for a refusal."""

from __future__ import annotations

from dataclasses import dataclass

from redline.instruct.operations import Operation


@dataclass(frozen=True, slots=True)
class Outcome:
    """Operations, or none and the reason why nothing needs doing.

    `found` are the nodes it spoke of, for pronouns and elided words in what follows.
    """

    operations: tuple[Operation, ...]
    note: str = ""
    found: tuple[int, ...] = ()

    @property
    def signature(self) -> tuple[object, ...]:
        """Equal for outcomes that do the same."""
        return tuple((o.op, o.path, repr(o.value), o.new_path) for o in self.operations)


# From the least to the most telling: the refusal shown is the highest one met.
RANKS = ("words", "clause", "target", "value", "type", "several")


@dataclass(slots=True)
class Unclear(Exception):
    """A refusal; `rank` says how far the reading got, `nodes` are the places in question."""

    rank: str
    message: str
    nodes: tuple[int, ...] = ()
    value: str = ""

    @property
    def weight(self) -> int:
        """Higher is more telling."""
        return RANKS.index(self.rank)

"""What comes of one clause: operations, nothing to do, or the reason why it cannot be meant."""

from __future__ import annotations

from dataclasses import dataclass

from redline.instruct.model.operations import DocumentOperation

# From the least to the most telling: the refusal shown is the highest one met.
RANKS = ("words", "clause", "target", "value", "type", "several")


@dataclass(frozen=True, slots=True)
class EffectOutcome:
    """Operations, or none and the reason why nothing needs doing.

    `found` are the nodes it spoke of, for pronouns and elided words in what follows. `absent`
    says that nothing fits, `doubt` why the reading must be chosen rather than acted on.
    """

    operations: tuple[DocumentOperation, ...]
    note: str = ""
    found: tuple[int, ...] = ()
    absent: bool = False
    doubt: str = ""
    cost: int = 0
    unexplained: tuple[str, ...] = ()


class Unclear(Exception):
    """A reading that cannot be meant; `rank` says how far it got, `nodes` what it was about.

    `missing` says that only the new value is not given.
    """

    def __init__(
        self, rank: str, message: str, nodes: tuple[int, ...] = (), value: str = ""
    ) -> None:
        super().__init__(message)
        self.rank = rank
        self.message = message
        self.nodes = nodes
        self.value = value
        self.missing = False
        self.conflict = False  # it would change what the instruction says must stay

    @property
    def weight(self) -> int:
        """Higher is more telling."""
        return RANKS.index(self.rank)

"""A text with parts left out: its lines keep their numbers, its characters are counted again."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Outline:
    """A text with parts left out, and how many characters are missing before an offset."""

    text: str
    # Offsets of this text behind which something is missing, with the sums up to there.
    offsets: list[int]
    missing: list[int]

    def offset(self, offset: int) -> int:
        """Return the offset in the whole text of a character here."""
        return offset + self.missing[bisect_right(self.offsets, offset)]

    def find(self, offset: int) -> int:
        """Return the offset here of a character of the whole text that was not left out."""
        starts = [at + gone for at, gone in zip(self.offsets, self.missing[1:], strict=True)]
        return offset - self.missing[bisect_right(starts, offset)]

    def is_cut(self, start: int, end: int) -> bool:
        """Return whether something is missing between two offsets."""
        return bisect_right(self.offsets, start) != bisect_right(self.offsets, end)


@dataclass(slots=True)
class OutlineBuilder:
    """Collects what is kept of a text, with a note of each cut."""

    whole: str
    done: int = 0
    kept: list[str] = field(default_factory=list)
    size: int = 0
    # For each cut: the offset behind which it is, and how many characters are missing.
    cuts: list[tuple[int, int]] = field(default_factory=list)

    def leave_out(self, start: int, end: int, filler: str = "") -> None:
        """Leave out the characters from *start* to *end* but their line ends, behind *filler*."""
        lines = self.whole.count("\n", start, end) - filler.count("\n")
        kept = self.whole[self.done : start] + filler + "\n" * lines
        self.kept.append(kept)
        self.size += len(kept)
        self.cuts.append((self.size, end - start - len(filler) - lines))
        self.done = end

    def finish(self) -> Outline:
        """Return the outline."""
        self.kept.append(self.whole[self.done :])
        missing = [0, *accumulate(cut[1] for cut in self.cuts)]
        return Outline("".join(self.kept), [cut[0] for cut in self.cuts], missing)

"""Literal matches that begin after their line's indentation, and the calls that repair them.

A call that leaves out only its first line's indentation matches to the letter, and is written to
the letter. One kind is refused: a line of the old text comes back at another indentation than the
file has it, because the lines of the call do not count from one margin.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from redline.core.error_families.wording import Text, join_texts, naming
from redline.core.errors import UnclearIndentation
from redline.core.textfile import line_body, split_lines
from redline.plan.match.align import opcodes
from redline.plan.match.indent import indent_of
from redline.plan.match.placement import Placement

# A longer call is described and not printed.
_MAX_PRINTED_CHARS = 6_000
_MAX_SHOWN_CHARS = 80
_WORD = re.compile(r"\w")
# A shorter line may be there anyway: `end`, `else:`.
_TELLING = 6


class Repair(NamedTuple):
    """Old and new text of a call that quotes whole lines."""

    old: str
    new: str

    @property
    def is_long(self) -> bool:
        """Return whether it is too long to be printed."""
        return len(self.old) + len(self.new) > _MAX_PRINTED_CHARS

    @property
    def details(self) -> dict[str, str]:
        """Return the two texts as the details of an error."""
        return {} if self.is_long else self._asdict()

    @property
    def hint(self) -> Text:
        """Return how to send it: the edit as JSON, a long one in words."""
        head = "quote whole lines with their indentation, for instance"
        if self.is_long:
            start = naming(f"{head} {{oldText}} from ", repr(indent_of(self.old)))
            return join_texts(start, naming(" on, and all of {newText} like it"))
        old, new = (json.dumps(text, ensure_ascii=False) for text in (self.old, self.new))
        return join_texts(
            naming(f'{head} {{"{{oldText}}": ', old), naming(', "{newText}": ', new, "}")
        )


class _Line(NamedTuple):
    """A line of a call: what it says, and the indentation it has in the file."""

    body: str
    indent: str


def margin_of(text: str, start: int) -> str:
    """Return the indentation before *start* on its line; "" where other text precedes it."""
    margin = text[text.rfind("\n", 0, start) + 1 : start]
    return "" if margin.strip(" \t") else margin


def refuse_moved_lines(text: str, placement: Placement, old: str, new: str) -> None:
    """Refuse new text that brings a line of *old* back at another indentation.

    A line may move together with its block: deeper below a new line that is shallower, or to the
    place of the first line when the line that opened its block is gone.
    """
    margin = margin_of(text, placement.start)
    if not margin:
        return
    moved = _find_moved(margin, old, _lines(margin, new))
    if moved is None:
        return
    best = _repair_of_moved(margin, old, new)
    shown = moved.body if len(moved.body) <= _MAX_SHOWN_CHARS else moved.body[:77] + "..."
    raise UnclearIndentation(
        naming(
            f"The text is at line {placement.line} after an indentation that {{oldText}} leaves"
            " out, and {newText} brings this line of it back at another indentation: ",
            shown,
        ),
        hint=best.hint,
        details={"line": placement.line, **best.details},
    )


def repairs(text: str, placement: Placement, old: str, new: str) -> Iterator[Repair]:
    """Yield the calls that write *new* shifted by one indentation, as whole lines."""
    margin = margin_of(text, placement.start)
    start = text.rfind("\n", 0, placement.start) + 1
    if not margin and start != placement.start:
        return
    literal = margin + new
    for other in dict.fromkeys(_readings(margin, old, new)):
        if other != literal:
            yield Repair(margin + old, other)


def _readings(margin: str, old: str, new: str) -> Iterator[str]:
    """Yield what *new* may mean as whole lines besides what it says to the letter."""
    if margin:
        yield _shift(new, "", margin) if new.strip() else ""
        yield new
    first = next((line for line in split_lines(margin + old) if line.strip()), "")
    mine = next((line for line in split_lines(margin + new) if line.strip()), "")
    have, want = indent_of(mine), indent_of(first)
    if want.startswith(have):
        yield _shift(margin + new, "", want[len(have) :])
    elif have.startswith(want):
        yield _shift(margin + new, have[len(want) :], "")


def _repair_of_moved(margin: str, old: str, new: str) -> Repair:
    """Return the reading of *new* that leaves each line of *old* where the file has it."""
    lines = split_lines(new)
    first = split_lines(old)[0].rstrip()
    back = [j for j, line in enumerate(lines) if line.rstrip() == first]
    head = back[-1] + 1 if back else 1
    hung = _shift("".join(lines[:head]), "", margin) + "".join(lines[head:])
    shifted = _shift(new, "", margin)
    again = "".join(margin + line if j in (0, *back) else line for j, line in enumerate(lines))
    for reading in (new, hung, again, _place_first(margin, old, new), shifted):
        if _find_moved(margin, old, _lines("", reading)) is None:
            return Repair(margin + old, reading)
    return Repair(margin + old, shifted)


def _place_first(margin: str, old: str, new: str) -> str:
    """Return *new* with its first line where the file has that line."""
    body = new.lstrip(" \t")
    first = line_body(body.split("\n", 1)[0]).strip()
    have = (line.indent for line in _lines(margin, old) if line.body == first)
    return next(have, margin) + body


def _shift(text: str, less: str, more: str) -> str:
    """Return *text* with every line that says something moved from *less* to *more*."""
    return "".join(
        more + line.removeprefix(less) if line.strip() else line for line in split_lines(text)
    )


def _lines(margin: str, text: str) -> list[_Line]:
    """Return the lines of *text* that say something, the first of all after *margin*."""
    bodies = [line_body(line) for line in split_lines(margin + text)]
    return [_Line(body.strip(), indent_of(body)) for body in bodies if body.strip()]


def _find_moved(margin: str, old: str, new: Sequence[_Line]) -> _Line | None:
    """Return the first line of *new* that is one of *old* and moved without its block."""
    lines = _lines(margin, old)
    first = _Line(lines[0].body, lines[0].indent.removeprefix(margin)) if lines else None
    if first in new[1:] and first not in lines and len(lines[0].body) >= _TELLING:
        return first
    return next(_Moves(lines, new, _pair(lines, new)).unexplained(), None)


def _pair(old: Sequence[_Line], new: Sequence[_Line]) -> dict[int, int]:
    """Return which line of *new* is which of *old*, lines that changed their order included."""
    before, after = [line.body for line in old], [line.body for line in new]
    pairs = {
        j1 + k: i1 + k
        for tag, i1, i2, j1, _ in opcodes(before, after)
        if tag == "equal"
        for k in range(i2 - i1)
    }
    paired = set(pairs.values())
    left: dict[str, list[int]] = {}
    for i, body in enumerate(before):
        if i not in paired:
            left.setdefault(body, []).append(i)
    for j, body in enumerate(after):
        if j not in pairs and left.get(body):
            pairs[j] = left[body].pop(0)
    return dict(sorted(pairs.items()))


@dataclass(frozen=True, slots=True)
class _Moves:
    """Old and new lines, and which of the new are lines of the old."""

    old: Sequence[_Line]
    new: Sequence[_Line]
    pairs: dict[int, int]

    def unexplained(self) -> Iterator[_Line]:
        """Yield lines that moved without their block, those without a word left out."""
        for j, i in self.pairs.items():
            was, now = self.old[i].indent, self.new[j].indent
            if now == was:
                fine = not self._stays_behind(i, j)
            elif self.new[j] in self.old:
                fine = True  # it is another of the old lines that read alike
            elif now.startswith(was):
                fine = self._is_wrapped(j)
            else:
                fine = self._is_unwrapped(i, j)
            if not fine and _WORD.search(self.new[j].body):
                yield self.new[j]

    def _distance(self, j: int) -> int:
        return len(self.new[j].indent) - len(self.old[self.pairs[j]].indent)

    def _is_wrapped(self, j: int) -> bool:
        """Return whether a new line that is shallower opens the block, at once or before."""
        if j == 0:
            return False
        if j - 1 in self.pairs:
            return self._distance(j) == self._distance(j - 1)
        above, now = self.new[j - 1].indent, self.new[j].indent
        return now.startswith(above) and now != above

    def _is_unwrapped(self, i: int, j: int) -> bool:
        """Return whether a line takes the place of the one that opened its block, or follows it."""
        if j > 0:
            before = [k for k in self.pairs if k < j]
            return bool(before) and self._distance(before[-1]) == self._distance(j)
        first = self.old[0].indent
        gone = i > 0 and i - 1 not in self.pairs.values()
        return gone and self.new[0].indent == first != self.old[i].indent

    def _stays_behind(self, i: int, j: int) -> bool:
        """Return whether a line stays although the line before it, of its own block, moved out."""
        if self.pairs.get(j - 1) != i - 1 or self._distance(j - 1) >= 0:
            return False
        return self.old[i].indent.startswith(self.old[i - 1].indent)

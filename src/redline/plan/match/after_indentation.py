"""Literal matches that begin after their line's indentation, and the calls that repair them.

A call that leaves out only its first line's indentation matches to the letter, and is written to
the letter, always where it begins with blanks. Two kinds are refused. A line of the old text comes
back at another indentation than the file has it. Or a further line of the new text begins at column
0, where the old text has none: the lines of the call do not count from one margin.

The call that a refusal prints is a promise. For a line quoted alone it is the new text shifted as a
whole; for several lines it is printed only where one reading leaves every line in its place.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from redline.core.errors import UnclearIndentation
from redline.core.late_regex import late_regex
from redline.core.records import dataclass
from redline.core.textfile import line_body, split_lines, unify_ends
from redline.core.wording import Text, join_texts, naming
from redline.plan.match.align import opcodes
from redline.plan.match.indent import indent_of
from redline.plan.match.placement import Placement

# A longer call is described and not printed.
_MAX_PRINTED_CHARS = 6_000
_MAX_SHOWN_CHARS = 80
_WORD = late_regex(r"\w")
# A shorter line may be there anyway: `end`, `else:`.
_TELLING = 6
# After a blank line, what such a line defines may belong beside the block as well as into it.
_DEFINES = late_regex(
    r"\n[ \t]*\n(?:@|(?:(?:async|export|default|public|private|protected|static|pub|abstract) )*"
    r"(?:def|class|func|function|fn|interface|struct|enum|impl|trait)\b)"
)


class Repair(NamedTuple):
    """Old and new text of a call that quotes whole lines."""

    old: str
    new: str


def unclear(
    fact: Text, repairs: Mapping[int, tuple[str, str]], line: int | None = None
) -> UnclearIndentation:
    """Return the refusal with the edits that work, by their numbers in the call.

    Without *repairs*, or where they are long, the hint says in words what to send.
    """
    details: dict[str, object] = {} if line is None else {"line": line}
    if repairs:
        number, (old, new) = next(iter(repairs.items()))
        details["edit"] = number
        if not _is_long(repairs):
            details.update(old=old, new=new)
    return UnclearIndentation(fact, hint=repair_hint(repairs), repairs=repairs, details=details)


def repair_hint(repairs: Mapping[int, tuple[str, str]]) -> Text:
    """Return how to send *repairs*: each edit as JSON, with its number where there are several."""
    head = "quote whole lines with their indentation"
    if not repairs:
        return naming(f"{head} in {{oldText}}, and indent every line of {{newText}} as the file is")
    if _is_long(repairs):
        first, _ = next(iter(repairs.values()))
        start = naming(f"{head}: {{oldText}} from ", repr(indent_of(first)))
        return join_texts(start, naming(" on, and all of {newText} like it"))
    calls: list[Text] = []
    for number, repair in repairs.items():
        old, new = (json.dumps(text, ensure_ascii=False) for text in repair)
        which = f"edits[{number}]: " if len(repairs) > 1 else ""
        calls += [
            f"{', and ' if calls else ', for instance '}{which}",
            naming('{"{oldText}": ', old),
            naming(', "{newText}": ', new, "}"),
        ]
    return join_texts(head, *calls)


def _is_long(repairs: Mapping[int, tuple[str, str]]) -> bool:
    return sum(len(old) + len(new) for old, new in repairs.values()) > _MAX_PRINTED_CHARS


class _Line(NamedTuple):
    """A line of a call: what it says, and the indentation it has in the file."""

    body: str
    indent: str


def margin_of(text: str, start: int) -> str:
    """Return the indentation before *start* on its line; "" where other text precedes it."""
    margin = text[text.rfind("\n", 0, start) + 1 : start]
    return "" if margin.strip(" \t") else margin


def refuse_hanging(text: str, placement: Placement, old: str, new: str) -> None:
    """Refuse new text whose lines do not count from the margin of the matched line.

    A line of *old* may move together with its block: deeper below a new line that is shallower, or
    to the place of the first line when the line that opened its block is gone.
    """
    margin = margin_of(text, placement.start)
    if not margin or old[:1].isspace():
        return
    moved = _find_moved(margin, old, _lines(margin, new))
    if moved is not None:
        what = "brings this line of it back at another indentation: "
    else:
        moved = _find_at_column_0(margin, old, new)
        what = "has this line at column 0: "
    if moved is None:
        return
    repair = _repair(margin, old, new)
    shown = moved.body if len(moved.body) <= _MAX_SHOWN_CHARS else moved.body[:77] + "..."
    fact = naming(
        f"The text is at line {placement.line} after an indentation that {{oldText}} leaves"
        f" out, and {{newText}} {what}",
        shown,
    )
    raise unclear(fact, {0: repair} if repair else {}, placement.line)


def _find_at_column_0(margin: str, old: str, new: str) -> _Line | None:
    """Return the first further line of *new* at column 0, if nothing shows that it is meant there.

    Lines of *old* as shallow show it, and further lines of *old* that stay where the file has them.
    Where *old* has several lines, one without a word is evidence only if it is one of them.
    """
    have, lines = _lines(margin, old), _lines("", new)
    if not all(line.indent for line in have) or _shows_margin(have, lines):
        return None
    further = _lines("", "".join(split_lines(new)[1:]))
    before, after = (Counter(line.body for line in lines) for lines in (have, lines))
    return next(
        (
            line
            for line in further
            if not line.indent
            and (len(have) == 1 or _WORD.search(line.body) or before[line.body] == after[line.body])
        ),
        None,
    )


def _shows_margin(have: Sequence[_Line], lines: Sequence[_Line]) -> bool:
    """Return whether a further line of the old text stays, and nothing new at column 0 opens it."""
    pairs = _pair(have, lines)
    for j, i in pairs.items():
        if i and j and have[i].indent == lines[j].indent and _WORD.search(lines[j].body):
            depth = len(lines[j].indent)
            above = (k for k in range(j - 1, -1, -1) if len(lines[k].indent) < depth)
            opener = next(above, None)
            if opener is None or opener in pairs or lines[opener].indent:
                return True
    return False


def repairs_of(text: str, placement: Placement, old: str, new: str) -> Iterator[Repair]:
    """Yield the calls that write *new* shifted by one indentation, as whole lines.

    A shift that tears lines of *old* apart is not what *new* means.
    """
    margin = margin_of(text, placement.start)
    start = text.rfind("\n", 0, placement.start) + 1
    if not margin and start != placement.start:
        return
    literal = margin + new
    for other in dict.fromkeys(_readings(margin, old, new)):
        if other != literal and not _find_moved(margin, old, _lines("", other)):
            yield Repair(margin + old, other)


def _readings(margin: str, old: str, new: str) -> Iterator[str]:
    """Yield what *new* may mean as whole lines, other than its literal text."""
    if margin:
        yield new if new[:1] in (" ", "\t") else _shift(new, "", margin)
    first = next((line for line in split_lines(margin + old) if line.strip()), "")
    mine = next((line for line in split_lines(margin + new) if line.strip()), "")
    have, want = indent_of(mine), indent_of(first)
    if want.startswith(have):
        yield _shift(margin + new, "", want[len(have) :])
    elif have.startswith(want):
        yield _shift(margin + new, have[len(want) :], "")


def _repair(margin: str, old: str, new: str) -> Repair | None:
    """Return the call that writes what *new* means as whole lines; None where that is not certain.

    A line quoted alone shows the margin from which all of *new* counts.
    """
    is_flush = not new[:1].isspace() or not new.split("\n", 1)[0].strip()
    have = _lines(margin, old)
    if len(have) == 1 and is_flush:
        sure = not _DEFINES.search(unify_ends(new))
        return Repair(margin + old, _shift(new, "", margin)) if sure else None
    lines = {reading: _lines("", reading) for reading in _whole_readings(margin, old, new)}
    fitting = [reading for reading in lines if _fits(margin, have, lines[reading], old)]
    still = [reading for reading in fitting if _stays(have, lines[reading])]
    best = still or fitting
    return Repair(margin + old, best[0]) if len(best) == 1 else None


def _whole_readings(margin: str, old: str, new: str) -> Iterator[str]:
    """Yield *new* as whole lines: as it is, shifted as a whole, or only its head shifted."""
    lines = split_lines(new)
    first = split_lines(old)[0].rstrip()
    back = [j for j, line in enumerate(lines) if line.rstrip() == first]
    head = back[-1] + 1 if back else 1
    yield new
    yield _shift(new, "", margin)
    yield _shift("".join(lines[:head]), "", margin) + "".join(lines[head:])
    yield "".join(margin + line if j in (0, *back) else line for j, line in enumerate(lines))


def _fits(margin: str, have: Sequence[_Line], lines: Sequence[_Line], old: str) -> bool:
    """Return whether a reading leaves the lines of *old* in place, and some of them show it.

    None of its lines may be shallower than all lines of *old* are.
    """
    least = min(len(line.indent) for line in have)
    if _find_moved(margin, old, lines) or any(len(line.indent) < least for line in lines):
        return False
    telling = {line for line in have if _WORD.search(line.body)}
    return bool(telling.intersection(lines))


def _stays(have: Sequence[_Line], lines: Sequence[_Line]) -> bool:
    """Return whether no line of the old text moves at all."""
    pairs = _pair(have, lines).items()
    return all(have[i].indent == lines[j].indent for j, i in pairs)


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
    return next(_Moves(margin, lines, new, _pair(lines, new)).unexplained(), None)


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

    margin: str
    old: Sequence[_Line]
    new: Sequence[_Line]
    pairs: dict[int, int]

    def unexplained(self) -> Iterator[_Line]:
        """Yield lines that moved without their block, those without a word left out."""
        torn: set[int] = set()
        for j, i in self.pairs.items():
            was, now = self.old[i].indent, self.new[j].indent
            if now == was:
                fine = not self._stays_behind(i, j)
            elif self.new[j] in self.old or not self._counts_otherwise(j):
                fine = True  # another of the old lines that read alike, or moved on purpose
            elif now.startswith(was):
                fine = self._is_wrapped(j)
            else:
                fine = self._is_unwrapped(i, j, torn)
            if not fine:
                torn.add(j)
                if _WORD.search(self.new[j].body):
                    yield self.new[j]

    def _distance(self, j: int) -> int:
        return len(self.new[j].indent) - len(self.old[self.pairs[j]].indent)

    def _counts_otherwise(self, j: int) -> bool:
        """Return whether a line moved by the margin, or out of all that was quoted."""
        least = min(len(line.indent) for line in self.old)
        return abs(self._distance(j)) == len(self.margin) or len(self.new[j].indent) < least

    def _is_wrapped(self, j: int) -> bool:
        """Return whether a new line that is shallower opens the block, at once or before."""
        now = self.new[j].indent
        for k in range(j - 1, -1, -1):
            if k in self.pairs:
                return self._distance(j) == self._distance(k)
            above = self.new[k].indent
            if now != above and now.startswith(above):
                return True
        return False

    def _is_unwrapped(self, i: int, j: int, torn: set[int]) -> bool:
        """Return whether a line takes the place of the one that opened its block, or follows it.

        To follow a line that moved without its block explains nothing.
        """
        if j > 0:
            above = max((k for k in self.pairs if k < j), default=j)
            return above not in {j, *torn} and self._distance(above) == self._distance(j)
        first = self.old[0].indent
        gone = i > 0 and i - 1 not in self.pairs.values()
        return gone and self.new[0].indent == first != self.old[i].indent

    def _stays_behind(self, i: int, j: int) -> bool:
        """Return whether a line stays although the line before it, of its own block, moved out."""
        if self.pairs.get(j - 1) != i - 1 or self._distance(j - 1) >= 0:
            return False
        return self.old[i].indent.startswith(self.old[i - 1].indent)

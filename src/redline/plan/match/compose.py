"""The text that takes a matched place: kept lines from the file, new lines in the file's manner."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.core.errors import AmbiguousMatch
from redline.core.textfile import line_body, line_end, split_lines
from redline.plan.match.align import Opcode, opcodes

# Takes the body of a new line and the index of the old line it replaces (None for an addition);
# answers the body to write.
Rewrite = Callable[[str, int | None], str]


def as_given(body: str, _old: int | None) -> str:
    """Return the new line exactly as the call has it."""
    return body


def compose(
    found: Sequence[str],
    old: Sequence[str],
    new: Sequence[str],
    end: str,
    rewrite: Rewrite = as_given,
    codes: Sequence[Opcode] | None = None,
    behind: str = "",
) -> str:
    """The replacement for the lines *found*, which the call wrote as *old* and wants as *new*.

    All three hold lines with their ends. A line that *old* and *new* share is the file's own,
    byte for byte. Any other new line ends as the line it replaces or is next to does, and
    with *end* where there is none to look at. *behind* is the line end that follows *found* in
    the file, when it stops short of one.
    """
    if codes is None:
        bodies = [line_body(line) for line in old]
        codes = opcodes(bodies, [line_body(line) for line in new])
        _refuse_either(found, bodies, codes)
    ends = _Ends(found, end, behind)
    pieces: list[str] = []
    for tag, i1, i2, j1, j2 in codes:
        for j in range(j1, j2):
            i = i1 + (j - j1)
            if tag == "equal":
                pieces.append(_keep_line(found[i], old[i], new[j], ends.near(i)))
                continue
            replaces = i if i < i2 else None
            body = rewrite(line_body(new[j]), replaces)
            near = min(i, i2 - 1) if i2 > i1 else i1 - 1
            pieces.append(body + (ends.near(near) if line_end(new[j]) else ""))
    return "".join(pieces)


def _refuse_either(found: Sequence[str], old: Sequence[str], codes: Sequence[Opcode]) -> None:
    """Refuse when the call does not say which of two lines goes and the file's differ."""
    lines = [line_body(line) for line in found]
    for tag, i1, i2, _, _ in codes:
        if tag == "delete" and (_slides(lines, old, i1, i2, 1) or _slides(lines, old, i1, i2, -1)):
            raise AmbiguousMatch(
                "Either of two lines could be the one to keep, and they differ in their blanks",
                count=2,
                hint="quote the lines with their exact indentation and trailing blanks",
            )


def _slides(lines: Sequence[str], old: Sequence[str], i1: int, i2: int, step: int) -> bool:
    """Return whether a removed block could as well lie further on, where other bytes would stay."""
    first, behind = (i1, i2) if step > 0 else (i1 - 1, i2 - 1)
    while first >= 0 and behind < len(old) and old[first] == old[behind]:
        if lines[first] != lines[behind]:
            return True
        first, behind = first + step, behind + step
    return False


def _keep_line(found: str, old: str, new: str, end: str) -> str:
    if bool(line_end(old)) == bool(line_end(new)):
        return found
    return found + end if line_end(new) else line_body(found)


class _Ends:
    """The line end that belongs near a line of the matched place."""

    def __init__(self, found: Sequence[str], default: str, behind: str) -> None:
        ends = [line_end(line) for line in found]
        if ends:
            ends[-1] = ends[-1] or behind
        last = next(filter(None, ends), default)
        self._near: list[str] = []
        for end in ends or [default]:
            last = end or last
            self._near.append(last)

    def near(self, index: int) -> str:
        """Return the end of the line at *index*, of one before it, or of the first that has one."""
        return self._near[min(max(index, 0), len(self._near) - 1)]


def lines_for(text: str, terminated: bool) -> list[str]:
    """Return the lines of *text*, each ended, except the last one when *terminated* is False."""
    lines = [line_body(line) + "\n" for line in split_lines(text)]
    if lines and not terminated:
        lines[-1] = lines[-1][:-1]
    return lines

"""One change of indentation that explains every line of a block, and how to write by it.

A call may quote a block shifted, with tabs for spaces, or in another unit. `explain` finds the one
rule that takes each quoted indentation to the file's; the same rule then indents the new lines.
When rules disagree about what to write, there is no reading to trust and no rule is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Rule = Callable[[str], str | None]
OPENERS = (":", "{", "(", "[", "do", "then", ">")
_WIDTHS = (4, 2, 8, 3, 1, 5, 6, 7)


def indent_of(line: str) -> str:
    """The blanks and tabs a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


@dataclass(frozen=True, slots=True)
class Shift:
    """A reading of the indentation: what it is called, and what it makes of an indent."""

    name: str
    rule: Rule

    def apply(self, line: str) -> str | None:
        """*line* indented by this reading, None when it cannot be."""
        body = line.lstrip(" \t")
        if not body:
            return ""
        indent = self.rule(indent_of(line))
        return None if indent is None else indent + body


def explain(
    called: Sequence[str], found: Sequence[str], new: Sequence[str], written: Sequence[str]
) -> Shift | None:
    """The one reading under which the lines *called* are the lines *found* and *new* fits in.

    All hold bodies of lines; *called* and *found* differ in indentation only; *written* are those
    of *new* that are not kept from the file.
    """
    pairs = {(indent_of(c), indent_of(f)) for c, f in zip(called, found, strict=True) if c.strip()}
    if not pairs or not _same_margin(called, found, new):
        return None
    for family in (_shifts, _tab_widths, _tabs_and_shift, _units):
        readings = [shift for shift in family(pairs) if _holds(shift, pairs)]
        results = {_result(shift, written) for shift in readings} - {None}
        if readings:
            # One reading that writes something, or several that write the same.
            usable = (shift for shift in readings if _result(shift, written) is not None)
            return next(usable, None) if len(results) == 1 else None
    return None


def _same_margin(called: Sequence[str], found: Sequence[str], new: Sequence[str]) -> bool:
    """Whether *new* counts its indentation from where *called* does, not from the file's margin.

    Otherwise only the old text may be shifted, and to shift the new one too would be wrong. The
    first lines tell, then the outermost ones, then what the texts have in common.
    """
    ours, file, theirs = (
        [line.rstrip() for line in lines if line.strip()] for lines in (called, found, new)
    )
    if not theirs:
        return True
    first = _vote(*(indent_of(lines[0]) for lines in (theirs, ours, file)))
    least = _vote(*(min(map(indent_of, lines), key=len) for lines in (theirs, ours, file)))
    quoted, standing = len(set(theirs) & set(ours)), len(set(theirs) & set(file))
    if first < 0:
        # Only kept lines, all spelled as in the quotation, outweigh a first line as in the file.
        return standing == 0 and quoted > 1
    if first > 0 and least >= 0:
        return quoted >= standing or _wraps(theirs, set(ours), set(file))
    undecided = least >= 0 and (first, least) != (0, 0)
    silent = indent_of(theirs[0]) == indent_of(ours[0])
    return quoted > standing or (quoted == standing and (undecided or silent))


def _wraps(new: list[str], called: set[str], found: set[str]) -> bool:
    """Whether *new* opens a block, at once or after lines it keeps, around lines of the file.

    That block is why they are as deep as the file has them.
    """
    inner = next(i for i, line in enumerate(new) if line in found and line not in called)
    return inner > 0 and new[inner - 1].endswith(OPENERS) and (inner == 1 or new[0] in called)


def _vote(new: str, called: str, found: str) -> int:
    """1 when *new* is as *called*, -1 when it is as *found*, 0 when that says nothing."""
    return (new == called) - (new == found)


def _holds(shift: Shift, pairs: set[tuple[str, str]]) -> bool:
    return all(shift.rule(ours) == theirs for ours, theirs in pairs)


def _result(shift: Shift, new: Sequence[str]) -> tuple[str, ...] | None:
    lines = [shift.apply(line) for line in new]
    return None if None in lines else tuple(line for line in lines if line is not None)


def _shifts(pairs: set[tuple[str, str]]) -> Iterator[Shift]:
    ours, theirs = min(pairs, key=lambda pair: len(pair[0]))
    if theirs.endswith(ours):
        yield _added(theirs[: len(theirs) - len(ours)])
    ours, theirs = min(pairs, key=lambda pair: len(pair[1]))
    if ours.endswith(theirs) and ours != theirs:
        yield _removed(ours[: len(ours) - len(theirs)])


def _added(prefix: str) -> Shift:
    return Shift(f"indented by {_spoken(prefix)}", lambda indent: prefix + indent)


def _removed(prefix: str) -> Shift:
    def rule(indent: str) -> str | None:
        return indent[len(prefix) :] if indent.startswith(prefix) else None

    return Shift(f"outdented by {_spoken(prefix)}", rule)


def _tab_widths(_pairs: set[tuple[str, str]]) -> Iterator[Shift]:
    for width in _WIDTHS:
        yield _to_tabs(width, 0)
        yield _to_spaces(width, 0)


def _tabs_and_shift(pairs: set[tuple[str, str]]) -> Iterator[Shift]:
    for width in _WIDTHS[:4]:
        ours, theirs = next(iter(pairs))
        levels = theirs.count("\t") - len(ours.expandtabs(width)) // width
        yield _to_tabs(width, levels)
        yield _to_spaces(width, len(theirs) - len(ours.replace("\t", " " * width)))


def _to_tabs(width: int, levels: int) -> Shift:
    def rule(indent: str) -> str | None:
        if "\t" in indent:
            return None
        tabs, rest = divmod(len(indent), width)
        return "\t" * (tabs + levels) + " " * rest if tabs + levels >= 0 else None

    return Shift(f"tabs for {width} spaces", rule)


def _to_spaces(width: int, extra: int) -> Shift:
    def rule(indent: str) -> str | None:
        columns = len(indent.replace("\t", " " * width)) + extra
        return " " * columns if columns >= 0 and " \t" not in indent else None

    return Shift(f"{width} spaces for a tab", rule)


def _units(pairs: set[tuple[str, str]]) -> Iterator[Shift]:
    """Two spaces for four and the like; two depths are needed to tell a unit from a shift."""
    if len({len(ours) for ours, _ in pairs}) < 2 or any("\t" in a + b for a, b in pairs):
        return
    for ours_unit in (2, 3, 4, 8):
        for theirs_unit in (2, 3, 4, 8):
            if ours_unit != theirs_unit:
                yield _unit(ours_unit, theirs_unit)


def _unit(ours: int, theirs: int) -> Shift:
    def rule(indent: str) -> str | None:
        depth, rest = divmod(len(indent), ours)
        return None if rest or "\t" in indent else " " * (depth * theirs)

    return Shift(f"{theirs} spaces for {ours}", rule)


def _spoken(prefix: str) -> str:
    tabs, spaces = prefix.count("\t"), prefix.count(" ")
    parts = [f"{n} {word}{'s' * (n != 1)}" for n, word in ((tabs, "tab"), (spaces, "space")) if n]
    return " and ".join(parts)

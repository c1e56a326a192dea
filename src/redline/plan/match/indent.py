"""One change of indentation that explains every line of a block, and how to write by it.

A call may quote a block shifted, with tabs for spaces, or in another unit. `explain` finds the one
rule that takes each quoted indentation to the file's; the same rule then indents the new lines.
When rules disagree about what to write, there is no reading to trust and no rule is given.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from redline.core.late_regex import late_regex
from redline.core.records import dataclass

Rule = Callable[[str], str | None]
OPENERS = (":", "{", "(", "[", "do", "then", ">")
_WORD = late_regex(r"\w")
_WIDTHS = (4, 2, 8, 3, 1, 5, 6, 7)


def indent_of(line: str) -> str:
    """Return the blanks and tabs a line begins with."""
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
            # Blanks that indent nothing are not moved: they are as much the call's as its words.
            return line
        indent = self.rule(indent_of(line))
        return None if indent is None else indent + body


AS_GIVEN = Shift("as given", lambda indent: indent)


def explain(
    called: Sequence[str],
    found: Sequence[str],
    new: Sequence[str],
    written: Sequence[str],
    unit: int = 0,
    *,
    strict: bool = False,
) -> Shift | None:
    """The one reading under which the lines *called* are the lines *found* and *new* fits in.

    All hold bodies of lines; *called* and *found* differ in indentation only; *written* are those
    of *new* that are not kept from the file; *unit* is how many spaces the file indents by, 0
    where that is not known. If *strict*, a shift is the reading where another unit would be one.
    """
    pairs = _pairs(called, found)
    if not pairs:
        return None
    if any(line.strip() for line in written) and not _same_margin(called, found, new):
        return None
    if _brings_other_blanks(pairs, written):
        return None
    if not strict and _in_other_unit(pairs, new, written, unit):
        return None
    for family in _FAMILIES:
        readings = [shift for shift in family(pairs) if _holds(shift, pairs)]
        results = {_result(shift, written) for shift in readings} - {None}
        if family is _tab_widths and unit:
            # A tab may represent the file's unit, and the block be shifted besides.
            readings += [shift for shift in _shifted_tabs(pairs, unit) if _holds(shift, pairs)]
            results = {_result(shift, written) for shift in readings} - {None}
        if readings:
            # One reading that writes something, or several that write the same.
            usable = (shift for shift in readings if _result(shift, written) is not None)
            return next(usable, None) if len(results) == 1 else None
    return None


def is_one_change(called: Sequence[str], found: Sequence[str]) -> bool:
    """Return whether there is a reading under which the lines *called* are the lines *found*."""
    pairs = _pairs(called, found)
    return any(_holds(shift, pairs) for family in _FAMILIES for shift in family(pairs))


def _pairs(called: Sequence[str], found: Sequence[str]) -> set[tuple[str, str]]:
    return {(indent_of(c), indent_of(f)) for c, f in zip(called, found, strict=True) if c.strip()}


def _same_margin(called: Sequence[str], found: Sequence[str], new: Sequence[str]) -> bool:
    """Whether *new* counts its indentation from where *called* does, not from the file's margin.

    Otherwise only the old text may be shifted, and to shift the new one too would be wrong. The
    first lines tell, then the outermost ones, then what the texts have in common.
    """
    ours, file, theirs = (
        [line.rstrip() for line in lines if line.strip()] for lines in (called, found, new)
    )
    if not theirs or _matches_blanks(ours, file, theirs):
        return True
    first = _vote(*(indent_of(lines[0]) for lines in (theirs, ours, file)))
    least = _vote(*(min(map(indent_of, lines), key=len) for lines in (theirs, ours, file)))
    quoted, in_file = len(set(theirs) & set(ours)), len(set(theirs) & set(file))
    if first < 0:
        # Only kept lines, all written as in the quotation, outweigh a first line as in the file;
        # not where that opens a block, which may be why they are deeper.
        return in_file == 0 and quoted > 1 and not theirs[0].endswith(OPENERS)
    if first > 0 and least >= 0:
        # One line of several may be as the file has it by chance.
        chance = in_file == 1 and len(ours) > 1
        return quoted >= in_file or chance or _wraps(theirs, set(ours), set(file))
    undecided = least >= 0 and (first, least) != (0, 0)
    silent = indent_of(theirs[0]) == indent_of(ours[0])
    return quoted > in_file or (quoted == in_file and (undecided or silent))


def _matches_blanks(called: list[str], found: list[str], new: list[str]) -> bool:
    """Whether only the call has tabs, or only the file has, and *new* does as the call does."""
    ours, file, theirs = ("".join(map(indent_of, lines)) for lines in (called, found, new))
    if ("\t" in ours) == ("\t" in file) or not theirs:
        return False
    return set(theirs) <= set(ours)


def _brings_other_blanks(pairs: set[tuple[str, str]], written: Sequence[str]) -> bool:
    """Whether *written* is indented by tabs or blanks that neither the quotation nor the file has.

    The quoted lines then do not show how many blanks a tab represents.
    """
    known = "".join(ours + theirs for ours, theirs in pairs)
    deeper = [indent_of(line) for line in written if line.strip()]
    if "\t" not in known:
        return bool(known) and any("\t" in indent for indent in deeper)
    return " " not in known and any("  " in indent for indent in deeper)


def _in_other_unit(
    pairs: set[tuple[str, str]], new: Sequence[str], written: Sequence[str], unit: int
) -> bool:
    """Whether the call may be indented by another unit than the file, and that makes a difference.

    A shift and a change of unit then both explain the quoted lines and write different things.
    """
    indents = [indent_of(line) for line in written if line.strip()]
    if not unit or any("\t" in indent for indent in (*indents, *map("".join, pairs))):
        return False
    ours = unit_of(new) or math.gcd(*map(len, indents), *(len(called) for called, _ in pairs))
    if ours < 2 or ours == unit:
        return False
    shifts = {len(theirs) - len(called) for called, theirs in pairs}
    if len(shifts) > 1 or any(len(theirs) * ours != len(called) * unit for called, theirs in pairs):
        return False
    shift = shifts.pop()
    return any(len(indent) + shift != len(indent) * unit // ours for indent in indents)


def unit_of(bodies: Sequence[str]) -> int:
    """How many spaces lines are indented by, going by most steps inwards; 0 with tabs or none.

    A step of one is no unit: it sets the stars of a comment below each other.
    """
    indents = [indent_of(body) for body in bodies if body.strip()]
    if any("\t" in indent for indent in indents):
        return 0
    steps = Counter(len(b) - len(a) for a, b in pairwise(indents) if len(b) > len(a) + 1)
    return steps.most_common(1)[0][0] if steps else 0


def _wraps(new: list[str], called: set[str], found: set[str]) -> bool:
    """Return whether blocks that *new* opens are why lines of it are as deep as in the file.

    It opens one at once or after lines it keeps; or it has a line as it was quoted, and the nearest
    shallower line above each of the deep ones opens a block or was quoted too.
    """
    deep = [at for at, line in enumerate(new) if line in found and line not in called]
    if deep[0] and new[deep[0] - 1].endswith(OPENERS) and (deep[0] == 1 or new[0] in called):
        return True
    openers = [_opener(new, at) for at in deep]
    has_quoted = any(line in called and line not in found and _WORD.search(line) for line in new)
    return has_quoted and all(
        opener is not None and (opener.endswith(OPENERS) or opener in called) for opener in openers
    )


def _opener(lines: list[str], at: int) -> str | None:
    """Return the nearest line above *at* that is shallower."""
    depth = len(indent_of(lines[at]))
    return next((x for x in reversed(lines[:at]) if len(indent_of(x)) < depth), None)


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
        yield _indent_by(theirs[: len(theirs) - len(ours)])
    ours, theirs = min(pairs, key=lambda pair: len(pair[1]))
    if ours.endswith(theirs) and ours != theirs:
        yield _outdent_by(ours[: len(ours) - len(theirs)])


def _indent_by(prefix: str) -> Shift:
    return Shift(f"indented by {_describe_blanks(prefix)}", lambda indent: prefix + indent)


def _outdent_by(prefix: str) -> Shift:
    def rule(indent: str) -> str | None:
        return indent[len(prefix) :] if indent.startswith(prefix) else None

    return Shift(f"outdented by {_describe_blanks(prefix)}", rule)


def _tab_widths(_pairs: set[tuple[str, str]]) -> Iterator[Shift]:
    for width in _WIDTHS:
        yield _to_tabs(width, 0)
        yield _to_spaces(width, 0)


def _tabs_and_shift(pairs: set[tuple[str, str]]) -> Iterator[Shift]:
    for width in _WIDTHS[:4]:
        yield from _shifted_tabs(pairs, width)


def _shifted_tabs(pairs: set[tuple[str, str]], width: int) -> Iterator[Shift]:
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
    """Two spaces for four and the like.

    Two depths tell a unit from a shift; two besides the margin tell it from a misquoted line.
    """
    if len({ours for ours, _ in pairs if ours}) < 2 or any("\t" in a + b for a, b in pairs):
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


def _describe_blanks(prefix: str) -> str:
    tabs, spaces = prefix.count("\t"), prefix.count(" ")
    parts = [f"{n} {word}{'s' * (n != 1)}" for n, word in ((tabs, "tab"), (spaces, "space")) if n]
    return " and ".join(parts)


_FAMILIES = (_shifts, _tab_widths, _tabs_and_shift, _units)

"""Where an edit belongs: one engine for every tool that finds text and replaces it.

    place(text, old, new)               a substring edit
    place_lines(text, hunk)             a hunk of (" " | "-" | "+", body) lines, whole lines only
    place_range(text, first, last, new) lines by number, optionally with the text expected there
    place_insert(text, line, new)       whole lines put before a line
    apply_placements(text, placements)  the text with all of them in place

*text* is a file's text without its byte order mark, undecodable bytes as surrogate escapes
(`core.textfile.TextFile.text`). Everything is pure. A `Placement` says which characters to replace
by what; all others stay as they are.

Levels go from strict to tolerant: the same text (LF and CRLF count as the same); trailing blanks
differ; one change of indentation explains every line; look-alike quotes, dashes and spaces; both
of these; for a substring edit also another number of blank lines between its lines, and `...` for
lines that old and new text both leave out.
The first level that has any candidate decides: one applies, several raise AmbiguousMatch, and
where no level has one NoMatch names the nearest place. Nothing is matched by similarity.

A text that is there once to the letter, or once as whole lines, is replaced to the letter, whatever
the new text is like; UnclearIndentation is the one refusal (see `hanging`). The same lines at
another indentation are evidence against whole lines. Below that level, lines
that old and new share come from the file; new lines are shifted and written as the old ones were,
and take the file's line end. An edit whose result is already there raises AlreadyApplied, so an
edit sent twice changes nothing the second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter

from redline.core.budget import join_text
from redline.core.call_scope import cancellable
from redline.core.errors import (
    AmbiguousMatch,
    InvalidArgument,
    NoMatch,
    OverlappingEdits,
    UnclearIndentation,
)
from redline.core.textfile import dominant_end, line_body, line_end, split_lines, unify_ends
from redline.core.wording import naming
from redline.plan.match.after_indentation import repair_hint
from redline.plan.match.align import opcodes
from redline.plan.match.already_made import already_applied, line_of_result, refuse_made_before
from redline.plan.match.compose import compose, lines_for
from redline.plan.match.indent import indent_of
from redline.plan.match.lines import hunk_candidates, list_blocks
from redline.plan.match.nearest import nearest, quote_block, tell_apart
from redline.plan.match.normalized import MAX_HITS
from redline.plan.match.placement import MatchLevel, Placement
from redline.plan.match.searched_text import SearchedText, prepare_search
from redline.plan.match.text import candidates

__all__ = [
    "HunkLine",
    "MatchLevel",
    "Placement",
    "already_applied",
    "ambiguous",
    "apply_placements",
    "in_order",
    "place",
    "place_insert",
    "place_lines",
    "place_range",
]

HunkLine = tuple[str, str]
_SHOWN_LINES = 20


def place(
    text: str, old: str, new: str, *, within: range | None = None, strict: bool = False
) -> Placement:
    """Return where *old* occurs in *text* and what replaces it.

    *within* narrows the search to matches that begin on these lines (counted from 0). If *strict*,
    every occurrence counts, and a block that is unique but for its indentation is replaced by
    *new* shifted as a whole.
    """
    if not old:
        raise InvalidArgument("The text to replace is empty", hint="quote the text to change")
    found = candidates(text, old, new, within, strict)
    return _require_change(_only(text, found, old, new), old, new)


def place_lines(
    text: str | SearchedText,
    hunk: Sequence[HunkLine],
    *,
    within: range | None = None,
    at_end: bool = False,
    roles_given: bool = True,
) -> Placement:
    """Return where the kept and removed lines of *hunk* occur, and what replaces them.

    *within* narrows to matches that begin on these lines (from 0) and end inside them; *at_end*
    to a match that ends the file. Roles that we worked out ourselves, and the caller did not
    give, are no evidence which of two lines written alike is the one to keep.
    """
    old = "".join(f"{body}\n" for role, body in hunk if role != "+")
    new = "".join(f"{body}\n" for role, body in hunk if role != "-")
    if not old:
        raise InvalidArgument("The hunk names no line that is in the file", hint="add context")
    file = prepare_search(text)
    found = hunk_candidates(file, hunk, within, at_end, roles_given)
    return _only(file.text, found, old, new, whole_lines=True)


def place_range(
    text: str, first: int, last: int, new: str, *, expected: str | None = None
) -> Placement:
    """Lines *first* to *last* (from 1, inclusive) become *new*; a final newline is no extra line.

    With *expected*, the numbers only point at the text: when it is elsewhere, and only there,
    that is where the edit goes.
    """
    lines = split_lines(text)
    if not 1 <= first <= last <= len(lines):
        raise InvalidArgument(
            f"Lines {first}-{last} are not in the file, it has {len(lines)}",
            hint="give start and end from 1 to the last line, start not after end",
        )
    if expected is None:
        return _replaced_range(lines, first - 1, last, new)
    hunk = _range_hunk(expected, new)
    try:
        placement = place_lines(text, hunk, within=range(first - 1, last), roles_given=False)
    except (NoMatch, AmbiguousMatch):
        placement = place_lines(text, hunk, roles_given=False)
    return _require_change(placement, expected, new)


def place_insert(text: str | SearchedText, before: int, new: str) -> Placement:
    """Put the lines of *new* before line *before* (from 1; one past the last line appends)."""
    file = prepare_search(text)
    lines = file.lines
    if not 1 <= before <= len(lines) + 1:
        raise InvalidArgument(f"Line {before} does not exist; the last line is {len(lines)}")
    offset = file.offsets[before - 1]
    end = _end_near(lines, before - 1) or "\n"
    added = [line_body(line) + end for line in split_lines(new)]
    if before > len(lines) and lines and not line_end(lines[-1]) and added:
        added = [end + added[0], *added[1:]]
        added[-1] = line_body(added[-1])
    return Placement(offset, offset, "".join(added), MatchLevel.LITERAL, before)


def apply_placements(text: str, placements: Iterable[Placement]) -> str:
    """*text* with every placement made; they all refer to *text* and may not overlap."""
    pieces: list[str] = []
    position = 0
    for placement in in_order(placements):
        pieces += (text[position : placement.start], placement.replacement)
        position = placement.end
    pieces.append(text[position:])
    return join_text(pieces)


def in_order(placements: Iterable[Placement]) -> list[Placement]:
    """Return the placements from the first to the last; those that overlap are refused."""
    ordered = sorted(placements, key=attrgetter("start", "end"))
    position = 0
    for placement in cancellable(ordered) if len(ordered) > 1 else ():
        if placement.start < position:
            raise OverlappingEdits(f"Two edits change the same text at line {placement.line}")
        position = placement.end
    return ordered


def _only(
    text: str, found: list[Placement], old: str, new: str, *, whole_lines: bool = False
) -> Placement:
    if len(found) > 1:
        lines = sorted(placement.line for placement in found)
        raise ambiguous(text, lines, old, found[0].level)
    if found:
        refuse_made_before(text, found[0], old, new)
        return found[0]
    line = line_of_result(unify_ends(text), old, unify_ends(new), whole_lines)
    if line is not None:
        raise already_applied(line)
    blocks = [] if whole_lines else list_blocks(text, old)
    if len(blocks) == 1:
        raise _unclear_shift(text, blocks[0], new)
    raise nearest(text, old, in_hunk=whole_lines)


def _unclear_shift(text: str, block: Placement, new: str) -> UnclearIndentation:
    """The refusal of new text that does not count its indentation from where the old one does.

    Where it counts from the file's margin, only the old text is to be quoted otherwise.
    """
    fact = naming(
        f"The text is at line {block.line} with another indentation, and it is not clear how far"
        " {newText} is to be shifted"
    )
    lines = unify_ends(text[block.start : block.end])
    theirs, ours = ([x for x in each.split("\n") if x.strip()] for each in (lines, new))
    least, mine = (min((len(indent_of(x)) for x in each), default=0) for each in (theirs, ours))
    is_as_file = bool(ours) and indent_of(ours[0]) == indent_of(theirs[0]) and mine >= least
    hint = quote_block(text, lines) if is_as_file else repair_hint({})
    return UnclearIndentation(fact, hint=hint, details={"line": block.line})


def _require_change(placement: Placement, old: str, new: str) -> Placement:
    """*placement*, unless old and new are one text that the file only has otherwise.

    A client that sends that means some change, which its quotation lost.
    """
    if placement.level is MatchLevel.LITERAL or unify_ends(old) != unify_ends(new):
        return placement
    raise NoMatch(
        f"Old and new text are the same, and at line {placement.line} the file has it with other"
        f" {placement.level.value}",
        hint="quote the file's own text as the old one",
        details={"line": placement.line},
    )


def ambiguous(
    text: str, lines: Sequence[int], old: str, level: MatchLevel = MatchLevel.LITERAL
) -> AmbiguousMatch:
    """Return the refusal of *old*, which *text* has at several *lines*."""
    places = list(dict.fromkeys(lines))
    shown = ", ".join(map(str, places[:_SHOWN_LINES]))
    more = ", ..." if len(places) > _SHOWN_LINES else ""
    count = f"{MAX_HITS} or more" if len(lines) >= MAX_HITS else str(len(lines))
    at = "at line" if len(places) == 1 else "at lines"
    how = "" if level is MatchLevel.LITERAL else f" when {level.value} may differ"
    apart = tell_apart(text, lines, len(split_lines(old)))
    error = AmbiguousMatch(
        f"The text is not unique{how}: {count} occurrences, {at} {shown}{more}",
        count=len(lines),
        lines=lines,
        hint="quote more of the surrounding lines so that one place fits"
        + (f": {apart}" if apart else ""),
    )
    error.details["level"] = level.value
    return error


def _range_hunk(expected: str, new: str) -> list[HunkLine]:
    before = [line_body(line) for line in split_lines(expected)]
    after = [line_body(line) for line in split_lines(new)]
    hunk: list[HunkLine] = []
    for tag, i1, i2, j1, j2 in opcodes(before, after):
        if tag == "equal":
            hunk += [(" ", body) for body in before[i1:i2]]
            continue
        hunk += [("-", body) for body in before[i1:i2]]
        hunk += [("+", body) for body in after[j1:j2]]
    return hunk


def _replaced_range(lines: list[str], first: int, last: int, new: str) -> Placement:
    start = sum(len(line) for line in lines[:first])
    found = lines[first:last]
    end = dominant_end("".join(found)) or _end_near(lines, first) or "\n"
    wanted = lines_for(new, bool(line_end(found[-1])))
    replacement = compose(found, found, wanted, end)
    stop = start + sum(map(len, found))
    return Placement(start, stop, replacement, MatchLevel.LITERAL, first + 1)


def _end_near(lines: Sequence[str], index: int) -> str:
    near = chain(range(index - 1, -1, -1), range(index, len(lines)))
    for line in map(lines.__getitem__, near):
        if line_end(line):
            return line_end(line)
    return ""

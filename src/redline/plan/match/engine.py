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
the new text is like; UnclearIndentation is the one refusal (see `hanging`). Below that level, lines
that old and new share come from the file; new lines are shifted and written as the old ones were,
and take the file's line end. An edit whose result is already there raises AlreadyApplied, so an
edit sent twice changes nothing the second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from redline.core.budget import join_text
from redline.core.cancellation import cancellable
from redline.core.errors import (
    AlreadyApplied,
    AmbiguousMatch,
    InvalidArgument,
    NoMatch,
    OverlappingEdits,
)
from redline.core.textfile import line_body, line_end, split_lines
from redline.plan.match.align import opcodes
from redline.plan.match.blank_lines import find_twin
from redline.plan.match.compose import compose, dominant_end, lines_for
from redline.plan.match.lines import hunk_candidates
from redline.plan.match.nearest import nearest
from redline.plan.match.placement import MatchLevel, Placement
from redline.plan.match.searched_text import SearchedText, prepare_search
from redline.plan.match.text import candidates
from redline.plan.match.views import is_whole_lines, line_number, occurrences, unify_ends

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
# A shorter text may well occur somewhere by chance.
_TELLING = 12
_NAME = re.compile(r"[^\W\d]\w{2,}")
_IN_WORD = re.compile(r"\w\w")


def place(text: str, old: str, new: str, *, within: range | None = None) -> Placement:
    """Where *old* occurs in *text* and what replaces it.

    *within* narrows the search to matches that begin on these lines (counted from 0).
    """
    if not old:
        raise InvalidArgument("The text to replace is empty", hint="quote the text to change")
    return _require_change(_only(text, candidates(text, old, new, within), old, new), old, new)


def place_lines(
    text: str | SearchedText,
    hunk: Sequence[HunkLine],
    *,
    within: range | None = None,
    at_end: bool = False,
    roles_given: bool = True,
) -> Placement:
    """Where the kept and removed lines of *hunk* occur, and what replaces them.

    *within* narrows to matches that begin on these lines (from 0) and end inside them; *at_end*
    to a match that ends the file. Roles that we worked out ourselves, and the caller did not
    give, are no evidence which of two lines written alike is the one to keep.
    """
    old = "".join(f"{body}\n" for role, body in hunk if role != "+")
    new = "".join(f"{body}\n" for role, body in hunk if role != "-")
    if not old:
        raise InvalidArgument("The hunk names no line that is in the file", hint="add context")
    file = prepare_search(text)
    return _only(file.text, hunk_candidates(file, hunk, within, at_end, roles_given), old, new)


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
        raise InvalidArgument(f"Line {before} is not in the file, it has {len(lines)}")
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
    """The placements from the first to the last; those that overlap are refused."""
    ordered = sorted(placements, key=lambda placement: (placement.start, placement.end))
    position = 0
    for placement in cancellable(ordered):
        if placement.start < position:
            raise OverlappingEdits(f"Two edits change the same text at line {placement.line}")
        position = placement.end
    return ordered


def _only(text: str, found: list[Placement], old: str, new: str) -> Placement:
    if len(found) > 1:
        raise ambiguous([placement.line for placement in found], found[0].level)
    if found:
        _refuse_repetition(text, found[0], new)
        if found[0].level in (MatchLevel.INDENT, MatchLevel.TYPOGRAPHY_INDENT):
            _refuse_made_before(text, old, new)
        return found[0]
    line = _line_of_result(unify_ends(text), old, unify_ends(new))
    raise nearest(text, old) if line is None else already_applied(line)


def _line_of_result(text: str, old: str, new: str) -> int | None:
    """The line where *text* has *new*, once, if that shows that the edit was made before."""
    at = occurrences(text, new, 2) if _is_evidence(old, new) else []
    if "\n" in new.strip("\n"):
        # Several lines match there only from the beginning of the first.
        at = [offset for offset in at if _begins_line(text, offset)]
    if len(at) != 1:
        return None
    line, span = line_number(text, at[0]), (at[0], at[0] + len(new))
    made = range(line - 1, line - 1 + len(split_lines(new)))
    if find_twin(unify_ends(old).split("\n"), text.split("\n"), made) is not None:
        return None  # what is nearly *old*, elsewhere, may be meant
    if len(new.strip()) < _TELLING and not is_whole_lines(text, *span):
        return line if _has_word_of(text, old, span) else None
    return line


def _has_word_of(text: str, old: str, span: tuple[int, int]) -> bool:
    """Whether a *span* of whole words has a word of *old* that *text* has nowhere else.

    Then *old* cannot have been meant for another place.
    """
    start, end = span
    if any(at and _IN_WORD.match(text, at - 1) for at in span):
        return False
    named = set(_NAME.findall(old)).intersection(_NAME.findall(text, start, end))
    return any(len(re.findall(rf"\b{word}\b", text)) == 1 for word in named)


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


def _refuse_made_before(text: str, old: str, new: str) -> None:
    """Refuse a match that only looks like *old* while *new* is elsewhere, line by line.

    The edit may well have been made there, and what looks like *old* never have been meant.
    """
    wanted = unify_ends(new).strip("\n")
    if "\n" not in wanted or not _is_evidence(old, new):
        return
    have = f"\n{unify_ends(text)}\n"
    at = have.find(f"\n{wanted}\n")
    if at >= 0:
        raise already_applied(line_number(have, at))


def _is_evidence(old: str, new: str) -> bool:
    """Whether *new* in the file shows that *old* was replaced by it.

    What is left when lines are cut off the head or the tail of *old* is there anyway.
    """
    before, after = (_stripped_lines(text) for text in (old, new))
    width = len(after)
    return bool(after) and all(
        before[at : at + width] != after for at in cancellable(range(len(before) - width + 1))
    )


def _stripped_lines(text: str) -> list[str]:
    """The lines of *text* without blanks around them, blank lines before and after left out."""
    return [line.strip() for line in text.strip().split("\n")] if text.strip() else []


def ambiguous(lines: Sequence[int], level: MatchLevel = MatchLevel.LITERAL) -> AmbiguousMatch:
    """The refusal of a text that occurs more than once."""
    shown = ", ".join(map(str, lines[:_SHOWN_LINES]))
    more = ", ..." if len(lines) > _SHOWN_LINES else ""
    how = "" if level is MatchLevel.LITERAL else f" when {level.value} may differ"
    error = AmbiguousMatch(
        f"The text is not unique{how}: {len(lines)} occurrences, at lines {shown}{more}",
        count=len(lines),
        lines=lines,
        hint="quote more of the surrounding lines so that one place fits",
    )
    error.details["level"] = level.value
    return error


def already_applied(line: int) -> AlreadyApplied:
    """The refusal of an edit whose result is there already."""
    return AlreadyApplied(
        f"The new text is already in place at line {line}; nothing was changed",
        hint="nothing to do, unless the edit was meant for another place",
        details={"line": line},
    )


def _refuse_repetition(text: str, placement: Placement, new: str) -> None:
    """Refuse when the replacement is there already, around the text it would replace.

    Where the match was found by another indentation, *new* as it was sent may be what is
    there: wrapping lines in a block moves them, and the second time they fit only shifted.
    """
    found = text[placement.start : placement.end]
    if not found or found == placement.replacement or _is_short_word(found, placement.replacement):
        return
    if placement.level in (MatchLevel.INDENT, MatchLevel.TYPOGRAPHY_INDENT) and new.strip():
        start, stop = (
            len(unify_ends(text[:offset])) for offset in (placement.start, placement.end)
        )
        for at in occurrences(unify_ends(text), unify_ends(new)):
            if at <= start and stop <= at + len(unify_ends(new)):
                raise already_applied(line_number(text, placement.start))
    begins_line = _begins_line(text, placement.start)
    for offset in occurrences(placement.replacement, found):
        start = placement.start - offset
        if start < 0 or (begins_line and not _begins_line(text, start)):
            continue
        if text.startswith(placement.replacement, start) or _ends_with(
            text, start, placement.replacement, found
        ):
            raise already_applied(line_number(text, start))


def _is_short_word(found: str, replacement: str) -> bool:
    """Whether few characters inside a line change: what is around them is there by chance."""
    return "\n" not in found + replacement and len(replacement) < _TELLING


def _begins_line(text: str, offset: int) -> bool:
    return offset == 0 or text[offset - 1] == "\n"


def _ends_with(text: str, start: int, wanted: str, found: str) -> bool:
    """Whether the file ends with *wanted* from *start*, except for a newline not added alone."""
    body = line_body(wanted)
    is_end = body not in (wanted, found) and len(text) - start == len(body)
    return is_end and text.startswith(body, start)


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

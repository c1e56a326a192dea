"""Edits that were made before: their result is in the file already."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.core.call_scope import cancellable
from redline.core.errors import AlreadyApplied
from redline.core.late_regex import late_regex
from redline.core.textfile import line_body, split_lines, unify_ends
from redline.plan.match.blank_lines import find_twin
from redline.plan.match.normalized import is_whole_lines, line_number, occurrences
from redline.plan.match.placement import MatchLevel, Placement

_INDENTED = (MatchLevel.INDENT, MatchLevel.TYPOGRAPHY_INDENT)
# A shorter text may well occur somewhere by chance.
_TELLING = 12
_NAME = late_regex(r"\b[^\W\d]\w{2,}")
_IN_WORD = late_regex(r"\w\w")


def refuse_made_before(text: str, placement: Placement, old: str, new: str) -> None:
    """Refuse a match where the result shows that the edit was made before."""
    _refuse_repetition(text, placement, new)
    if placement.level in (*_INDENTED, MatchLevel.BLANK_LINES, MatchLevel.ELIDED):
        _refuse_made_elsewhere(text, old, new)


def line_of_result(text: str, old: str, new: str, whole_lines: bool) -> int | None:
    """Return the line where *text* has *new*, once, if that shows that the edit was made before."""
    at = occurrences(text, new, 2) if _is_evidence(old, new) else []
    if whole_lines or "\n" in new.strip("\n"):
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


def is_certain(text: str, old: str, new: str) -> bool:
    """Return whether *new* in *text* can hardly be there by chance."""
    if len(new.strip()) >= _TELLING:
        return True
    text, new = unify_ends(text), unify_ends(new)
    at = text.find(new)
    return at >= 0 and _has_word_of(text, old, (at, at + len(new)))


def _has_word_of(text: str, old: str, span: tuple[int, int]) -> bool:
    """Return whether a *span* of whole words has a word of *old* that *text* has nowhere else.

    Then *old* cannot have been meant for another place.
    """
    start, end = span
    if any(at and _IN_WORD.match(text, at - 1) for at in span):
        return False
    named = set(_NAME.findall(old)).intersection(_NAME.findall(text, start, end))
    return any(len(re.findall(rf"\b{word}\b", text)) == 1 for word in named)


def has_lines(text: str, lines: Sequence[str]) -> bool:
    """Return whether *text* has these lines somewhere, all of them ended."""
    return "".join(f"\n{line}" for line in (*lines, "")) in f"\n{unify_ends(text)}"


def _refuse_made_elsewhere(text: str, old: str, new: str) -> None:
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
    """Return whether *new* in the file shows that *old* was replaced by it.

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


def already_applied(line: int) -> AlreadyApplied:
    """Return the refusal of an edit whose result is there already."""
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
    if placement.level in _INDENTED and new.strip():
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

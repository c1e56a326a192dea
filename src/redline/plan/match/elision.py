"""Edits that leave lines out of both texts: `...` where the file goes on unchanged."""

from __future__ import annotations

import re
from itertools import pairwise

from redline.core.errors import AlreadyApplied
from redline.core.late_regex import late_regex
from redline.core.textfile import line_body, split_lines, unify_ends
from redline.plan.match.already_made import refuse_made_before
from redline.plan.match.lines import place_block
from redline.plan.match.placement import MatchLevel, Placement

# Dots alone, or with what they represent; before them nothing but the marks of a comment.
_ELISION = late_regex(
    r"""^[^\w"'`]*(?:\.\.\.|\u2026)(?:[^\w"'`]*$|.*\b(?:existing|rest|unchanged|same)\b)"""
)
# A comment in place of code: `// ... existing code ...`; dots alone may be code.
_PLACEHOLDER = late_regex(
    r"^\s*(?://|#|--|/\*|<!--|\{/\*|;|%)\W*?(?:\.\.\.|\u2026).*"
    r"\b(?:existing|rest|unchanged|same|remaining)\b",
    re.IGNORECASE,
)


def find_placeholder(new: str, text: str) -> str | None:
    """Return the first comment in place of code in *new* that *text* does not have."""
    found = (line.strip() for line in split_lines(new) if _PLACEHOLDER.match(line))
    return next((line for line in found if line not in text), None)


def find_elision(lines: list[str]) -> str | None:
    """Return the first line that says that lines are left out."""
    return next((line for line in lines if _ELISION.search(line)), None)


def elided_candidates(text: str, old: str, new: str) -> list[Placement]:
    """Return the edit of every part between elisions, as one placement.

    Old and new text must leave out the same lines, and each part of the old one be whole lines that
    the file has once, in this order. Otherwise there is no candidate.
    """
    before, after = _split(old), _split(new)
    marks = [mark for mark, _ in before]
    if len(before) < 2 or marks != [mark for mark, _ in after]:
        return []
    parts = _place_parts(
        text, [(have, want) for (_, have), (_, want) in zip(before, after, strict=True)]
    )
    if not parts or any(one.end > other.start for one, other in pairwise(parts)):
        return []
    kept = [text[one.end : other.start] for one, other in pairwise(parts)]
    if not after[-1][1] and not old.endswith("\n"):
        # The new text ends with the dots: the last line goes, and with it the end of the one above.
        if new.endswith("\n"):
            return []
        kept[-1] = line_body(kept[-1])
    replacement = "".join(
        part.replacement + rest for part, rest in zip(parts, [*kept, ""], strict=True)
    )
    first, last = parts[0], parts[-1]
    return [Placement(first.start, last.end, replacement, MatchLevel.ELIDED, first.line)]


def _place_parts(text: str, parts: list[tuple[list[str], list[str]]]) -> list[Placement]:
    """Return the placement of each part; none if one has no place, or only some were made before.

    AlreadyApplied if all were.
    """
    found: list[Placement] = []
    made: list[AlreadyApplied] = []
    for have, want in parts:
        part = place_block(text, have, want) if any(line.strip() for line in have) else None
        if part is None:
            return []
        try:
            refuse_made_before(text, part, "".join(have), "".join(want))
        except AlreadyApplied as error:
            made.append(error)
        found.append(part)
    if made and len(made) == sum(have != want for have, want in parts):
        raise made[0]
    return [] if made else found


def _split(text: str) -> list[tuple[str, list[str]]]:
    """Return the lines behind each elision of *text*, and before them those ahead of the first."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in split_lines(unify_ends(text)):
        if _ELISION.search(line_body(line)):
            parts.append((line.strip(), []))
        else:
            parts[-1][1].append(line)
    return parts

"""Hunks find their place by the matching engine; a heading says where to look.

A hunk that has one place goes there, wherever its neighbours are. Where hunks have several, the
patch is read from the top to the end of the file: if only one choice of places keeps that order, it
is taken. A hunk that only quotes lines is a seek: what follows it lies behind it, and of several
places the first one behind it is meant.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

from redline.core import errors
from redline.core.call_scope import cancellable, checkpoint
from redline.core.records import replace
from redline.core.textfile import line_body
from redline.plan.match.already_made import has_lines
from redline.plan.match.engine import (
    MatchLevel,
    Placement,
    ambiguous,
    apply_placements,
    in_order,
    place_insert,
    place_lines,
)
from redline.plan.match.lines import hunk_candidates
from redline.plan.match.searched_text import KeyLines, SearchedText
from redline.plan.patch.model import Hunk

_SHOWN_FAILURES = 3
# A heading that names more lines tells no place apart: the hunk must be unique after the first.
_MAX_REGIONS = 100
# From here on an index of the lines is cheaper than a search through the text for every hunk.
_MANY = 8
# As many hunks without a place refuse the patch at once: each is compared with the whole file.
_MAX_MISSING = 50
# A hunk with more places than this is refused.
_MAX_CHOICES = 200
_MARK = "\ufeff"


class FileBase(NamedTuple):
    """What a file is besides its text, as far as it says where a hunk goes.

    `is_numbered` if the line numbers of the hunks were counted in this very content.
    """

    has_bom: bool = False
    is_numbered: bool = False


UNKNOWN_BASE = FileBase()


def place_hunks(
    text: str, hunks: Sequence[Hunk], shown: str, base: FileBase = UNKNOWN_BASE
) -> tuple[str, list[str]]:
    """*text* with every hunk applied, and what the matches had to overlook."""
    placements, notes = hunk_placements(text, hunks, shown, base)
    return apply_placements(text, placements), notes


def hunk_placements(
    text: str, hunks: Sequence[Hunk], shown: str, base: FileBase = UNKNOWN_BASE
) -> tuple[list[Placement], list[str]]:
    """Return where every hunk goes, in order, and what the matches had to overlook.

    All hunks are found in *text* as it is; one that has no place or several refuses them all.
    """
    file = SearchedText(text, is_indexed=len(hunks) > _MANY)
    places: list[_Places] = []
    failures: list[tuple[int, Hunk, errors.RedlineError]] = []
    missing = 0
    for number, hunk in enumerate(hunks, 1):
        checkpoint()
        try:
            places.append(_places_of(file, hunk, base))
        except errors.MatchError as error:
            failures.append((number, hunk, error))
            missing += not isinstance(error, errors.AlreadyApplied)
        if missing == _MAX_MISSING:
            break
    if not failures:
        places = _order(places)
        failures = [
            (number, hunk, each.doubt)
            for number, (hunk, each) in enumerate(zip(hunks, places, strict=True), 1)
            if each.doubt is not None and not hunk.only_keeps
        ]
    if failures:
        raise _refusal(shown, failures, len(hunks))
    found = [
        _place_chosen(file, hunk, each)
        for hunk, each in zip(hunks, places, strict=True)
        if not hunk.only_keeps
    ]
    try:
        placements = in_order(found)
    except errors.MatchError as error:
        raise errors.PatchError(
            f"{shown}: {error.message}", hint="join the hunks into one"
        ) from None
    notes = [
        f"{shown}: line {placement.line} matched although {placement.level.value} differed"
        for placement in found
        if placement.level is not MatchLevel.LITERAL
    ]
    return placements, notes


class _Places(NamedTuple):
    """Where a hunk may go, as lines from 0: its one placement, or several and why that is."""

    spans: tuple[range, ...]
    is_seek: bool
    placement: Placement | None = None
    doubt: errors.AmbiguousMatch | None = None


def _places_of(file: SearchedText, hunk: Hunk, base: FileBase) -> _Places:
    height = len(hunk.old_lines)
    try:
        placement = _find(file, hunk, base)
    except errors.AmbiguousMatch as doubt:
        if hunk.bare_at is not None or hunk.only_adds or not 1 < len(doubt.lines) <= _MAX_CHOICES:
            return _Places((), hunk.only_keeps, doubt=doubt)
        lines = sorted({line - 1 for line in doubt.lines})
        spans = tuple(range(line, line + height) for line in lines)
        return _Places(spans, hunk.only_keeps, doubt=doubt)
    first = placement.line - 1
    return _Places((range(first, first + height),), hunk.only_keeps, placement)


def _order(places: Sequence[_Places]) -> list[_Places]:
    """Choose for each hunk with several places the one that keeps the order of the patch.

    What has no such place, or several and no seek right before it, keeps its doubt.
    """
    if all(each.doubt is None for each in places):
        return list(places)
    if not all(each.spans for each in places):
        return list(places)
    spans = _choose(places, [each.spans for each in places])
    if not all(spans):  # a hunk may begin with the lines that were sought before it
        spans = _choose(places, [_sought(each) for each in places])
    return [
        each._replace(spans=left, doubt=None) if len(left) == 1 else each
        for each, left in zip(places, spans, strict=True)
    ]


def _sought(places: _Places) -> tuple[range, ...]:
    """Return the spans of a hunk; of one that only quotes lines just where they begin."""
    if not places.is_seek:
        return places.spans
    return tuple(range(span.start, span.start) for span in places.spans)


def _choose(
    places: Sequence[_Places], spans: Sequence[tuple[range, ...]]
) -> list[tuple[range, ...]]:
    """The places of each hunk that keep the order; behind a seek that has one place, the first."""
    kept = _backward(_forward(spans))
    for number in range(1, len(places)):
        anchor = kept[number - 1]
        if len(kept[number]) > 1 and places[number - 1].is_seek and len(anchor) == 1:
            kept[number] = kept[number][:1]
            kept = _backward(_forward(kept))
    return kept


def _forward(spans: Sequence[tuple[range, ...]]) -> list[tuple[range, ...]]:
    """Return the places that lie behind one of the hunk before."""
    kept: list[tuple[range, ...]] = []
    least = 0
    for choices in spans:
        kept.append(tuple(span for span in choices if span.start >= least))
        least = min((span.stop for span in kept[-1]), default=sys.maxsize)
    return kept


def _backward(spans: Sequence[tuple[range, ...]]) -> list[tuple[range, ...]]:
    """Return the places that lie before one of the next hunk."""
    kept: list[tuple[range, ...]] = []
    most = sys.maxsize
    for choices in reversed(spans):
        kept.append(tuple(span for span in choices if span.stop <= most))
        most = max((span.start for span in kept[-1]), default=-1)
    return kept[::-1]


def _place_chosen(file: SearchedText, hunk: Hunk, places: _Places) -> Placement:
    placement = places.placement
    if placement is None:
        placement = place_lines(file, hunk.lines, within=places.spans[0], at_end=hunk.at_end)
    return _set_file_end(file, hunk, placement)


def _find(file: SearchedText, hunk: Hunk, base: FileBase) -> Placement:
    if base.is_numbered and (numbered := _place_by_number(file, hunk)):
        return numbered
    if base.has_bom and any(body.startswith(_MARK) for _, body in hunk.lines):
        begins_file = any(body.startswith(_MARK) for body in hunk.old_lines)
        hunk = _without_mark(hunk)
        if begins_file:
            return place_lines(file, hunk.lines, within=range(len(hunk.old_lines)))
    if hunk.only_adds:
        return _insert(file, hunk)
    if hunk.bare_at is not None:
        return _place_bare(file, hunk)
    return _place_in_file(file, hunk)


def _place_in_file(file: SearchedText, hunk: Hunk) -> Placement:
    """Place a hunk by the lines it quotes; a last blank one may lie after the file's end."""
    try:
        return _place_quoted(file, hunk)
    except errors.NoMatch as error:
        beyond = None if isinstance(error, errors.AlreadyApplied) else _place_beyond_end(file, hunk)
        if beyond is None:
            raise
        return beyond


def _place_by_number(file: SearchedText, hunk: Hunk) -> Placement | None:
    """Place a hunk by its line number, if its lines are there exactly."""
    if hunk.start is None or hunk.start > file.line_count:
        return None
    if hunk.only_adds:
        return place_insert(file, hunk.start + 1, "".join(f"{x}\n" for x in hunk.added_lines))
    within = range(hunk.start - 1, hunk.start - 1 + len(hunk.old_lines))
    found = hunk_candidates(file, hunk.lines, within, hunk.at_end)
    return found[0] if found and found[0].level is MatchLevel.LITERAL else None


def _without_mark(hunk: Hunk) -> Hunk:
    """*hunk* without the byte order mark of the file, which is not part of its text."""
    old = [body.startswith(_MARK) for role, body in hunk.lines if role != "+"]
    new = [body.startswith(_MARK) for role, body in hunk.lines if role != "-"]
    if hunk.start is not None and any(old) and new and not any(new):
        raise errors.NoMatch(
            "A patch cannot remove the file's byte order mark, as this one would",
            hint="put the mark before the first new line as well, or leave it out of both",
        )
    lines = tuple((role, body.removeprefix(_MARK)) for role, body in hunk.lines)
    return replace(hunk, lines=lines, unprefixed=None)


def _place_bare(file: SearchedText, hunk: Hunk) -> Placement:
    """Place a hunk whose context lines lack their leading blank, only where it fits exactly."""
    found: list[Placement] = []
    for lines in (hunk.lines, hunk.unprefixed):
        if lines is None:
            continue
        try:
            placement = _place_quoted(file, replace(hunk, lines=lines))
        except errors.AlreadyApplied:
            raise
        except errors.NoMatch:
            continue
        if placement.level is MatchLevel.LITERAL and placement not in found:
            found.append(placement)
    if len(found) == 1:
        return found[0]
    if found:
        old = "\n".join(hunk.old_lines)
        raise ambiguous(file.text, [placement.line for placement in found], old)
    raise errors.NoMatch(
        f"Line {hunk.bare_at} of the patch begins with none of space, - and +, and as context the"
        " lines are not in the file to the letter",
        hint="context lines begin with one space before the text of the file",
    )


def _place_beyond_end(file: SearchedText, hunk: Hunk) -> Placement | None:
    """Place a hunk that ends with a blank line of context, or removes one, after the file's end.

    Where two do, the call rather quotes the blank lines of another place.
    """
    last = max((at for at, (role, _) in enumerate(hunk.lines) if role != "+"), default=0)
    is_context = hunk.lines[last] == (" ", "") and last == len(hunk.lines) - 1
    lines = hunk.lines[:last] + hunk.lines[last + 1 :]
    if not (is_context or hunk.lines[last] == ("-", "")) or all(role == "+" for role, _ in lines):
        return None
    if has_lines(file.text, [body for role, body in hunk.lines if role != "-"]):
        return None  # the whole hunk may have been applied there
    try:
        return _place_quoted(file, replace(hunk, lines=lines, at_end=True))
    except errors.AlreadyApplied:
        raise
    except errors.NoMatch:
        return None


def _set_file_end(file: SearchedText, hunk: Hunk, placement: Placement) -> Placement:
    """*placement* with or without the newline at the end of the file, as the hunk says."""
    has_lines = any(role != "-" for role, _ in hunk.lines)
    text = file.text
    if hunk.final_newline is None or not has_lines or placement.end != len(text):
        return placement
    # As the text ends, so does the replacement.
    is_ended = not text or text.endswith("\n")
    made = line_body(placement.replacement) if is_ended else placement.replacement
    end = file.line_end if hunk.final_newline else ""
    return replace(placement, replacement=made + end)


def _place_quoted(file: SearchedText, hunk: Hunk) -> Placement:
    if not hunk.headings:
        return place_lines(file, hunk.lines, at_end=hunk.at_end)
    regions = regions_under(file, hunk.headings)
    if not hunk.firm:
        return _place_loosely(file, hunk, regions)
    if not regions:
        # A heading that names no line is a remark; the hunk itself must be unique.
        return place_lines(file, hunk.lines, at_end=hunk.at_end)
    return _place_in(file, hunk, regions)


def _place_loosely(file: SearchedText, hunk: Hunk, regions: list[range]) -> Placement:
    """Place a hunk whose heading a diff program wrote: the last such line somewhere before it."""
    try:
        return place_lines(file, hunk.lines, at_end=hunk.at_end)
    except errors.AmbiguousMatch:
        if not regions:
            raise
        within = range(regions[0].start, file.line_count)
        return place_lines(file, hunk.lines, within=within, at_end=hunk.at_end)


def _place_in(file: SearchedText, hunk: Hunk, regions: list[range]) -> Placement:
    """Return the one place inside the blocks under the heading, else after the heading."""
    last = file.line_count
    if len(regions) > _MAX_REGIONS:  # each would be a search of its own
        after = range(regions[0].start, last)
        return place_lines(file, hunk.lines, within=after, at_end=hunk.at_end)
    found: dict[tuple[int, int], Placement] = {}
    failed: errors.RedlineError | None = None
    for widened in (False, True):
        for region in regions:
            checkpoint()
            within = range(region.start, last) if widened else region
            try:
                placement = place_lines(file, hunk.lines, within=within, at_end=hunk.at_end)
            except errors.NoMatch as error:
                failed = failed or error
                continue
            found[(placement.start, placement.end)] = placement
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            lines = sorted(placement.line for placement in found.values())
            raise errors.AmbiguousMatch(
                f"The hunk fits under several headings, at lines {', '.join(map(str, lines))}",
                count=len(lines),
                lines=lines,
                hint="add context lines, or another @@ line that only one of them has",
            )
    if isinstance(failed, errors.AlreadyApplied):
        raise failed
    raise errors.NoMatch(
        f"The lines of the hunk are not under the heading {hunk.headings[-1]!r}"
        + (f": {failed.message}" if failed else ""),
        hint="read the file again and copy the lines, or correct the @@ line",
        details=failed.details if failed else None,
    )


def _insert(file: SearchedText, hunk: Hunk) -> Placement:
    """Place lines with nothing around them: under their heading, or at the end of the file."""
    if hunk.at_end or not file.text:
        before = file.line_count + 1
    elif hunk.headings and hunk.firm:
        before = _line_under_heading(file, hunk.headings)
    else:
        raise errors.NoMatch(
            "The hunk has only + lines and does not say where they go",
            hint="add a context line from the file before or after them, or write after @@ the"
            " line of the file that they follow; at the end of the file, put *** End of File"
            " after them",
        )
    _refuse_repeated_insert(file.bodies, hunk, before)
    return place_insert(file, before, "".join(f"{body}\n" for body in hunk.added_lines))


def _line_under_heading(file: SearchedText, headings: Sequence[str]) -> int:
    regions = regions_under(file, headings)
    if len(regions) > 1:
        starts = [region.start + 1 for region in regions]
        raise errors.AmbiguousMatch(
            f"The heading {headings[-1]!r} matched {len(starts)} lines",
            count=len(starts),
            lines=starts,
            hint="add context lines to the hunk",
        )
    if not regions:
        raise errors.NoMatch(
            f"No line matches the heading {headings[-1]!r}",
            hint="add context lines to the hunk",
        )
    return regions[0].start + 2


def _refuse_repeated_insert(bodies: Sequence[str], hunk: Hunk, before: int) -> None:
    added = list(hunk.added_lines)
    start = before - 1 - len(added) if hunk.at_end else before - 1
    if start >= 0 and bodies[start : start + len(added)] == added:
        raise errors.AlreadyApplied(
            f"The new lines are already in place at line {start + 1}; nothing was changed",
            hint="nothing to do; to add them once more, give context lines",
            details={"line": start + 1},
        )


def _refusal(
    shown: str, failures: Sequence[tuple[int, Hunk, errors.RedlineError]], count: int
) -> errors.RedlineError:
    """Return one error for all hunks of a file that have no place."""
    applied = [error for _, _, error in failures if isinstance(error, errors.AlreadyApplied)]
    if len(applied) == count:
        return errors.AlreadyApplied(
            f"The patch is already applied to {shown}; nothing was changed",
            hint="nothing to do",
            details={"path": shown, "already_applied": True},
        )
    said = []
    for number, hunk, error in failures[:_SHOWN_FAILURES]:
        said.append(f"hunk {number} of {count} (line {hunk.at} of the patch): {_fact(error)}")
    if len(failures) > _SHOWN_FAILURES:
        more = len(failures) - _SHOWN_FAILURES
        all_looked_for = len(failures) < _MAX_MISSING
        said.append(f"and {'' if all_looked_for else 'at least '}{more} more hunks")
    _, hunk, first = failures[0]
    details = {**first.details, "path": shown, "hunk": failures[0][0], "patch_line": hunk.at}
    return errors.PatchError(f"{shown}: " + "; ".join(said), hint=first.hint, details=details)


def _fact(error: errors.RedlineError) -> str:
    if isinstance(error, errors.AmbiguousMatch):
        return f"matched {error.count} places. {error.message}"
    return error.message


def regions_under(file: SearchedText, headings: Sequence[str]) -> list[range]:
    """The blocks that begin with the headings, each inside a block of the heading before it."""
    regions = [range(len(file.bodies))]
    for heading in headings:
        starts = _heading_lines(file.stripped_lines, regions, heading.strip())
        if not starts:
            return []
        regions = [range(start, _block_end(file.bodies, start)) for start in cancellable(starts)]
    return regions


def _heading_lines(lines: KeyLines, regions: Sequence[range], wanted: str) -> list[int]:
    same = lines.places.get(wanted, ())
    found = [index for region in cancellable(regions) for index in same if index in region]
    if found:
        return found
    within = [index for region in cancellable(regions) for index in region]
    return [index for index in within if lines.keys[index].startswith(wanted)]


def _block_end(lines: Sequence[str], start: int) -> int:
    """Return the first line after *start* that is indented no deeper and opens something else."""
    depth = _depth(lines[start])
    for index in range(start + 1, len(lines)):
        body = lines[index].strip()
        if body and _depth(lines[index]) <= depth and not body.startswith(("}", ")", "]", "end")):
            return index
    return len(lines)


def _depth(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())

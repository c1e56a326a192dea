"""Hunks find their place by the matching engine; a heading says where to look."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.cancellation import cancellable, checkpoint
from redline.core.errors import (
    AlreadyApplied,
    AmbiguousMatch,
    MatchError,
    NoMatch,
    PatchError,
    RedlineError,
)
from redline.core.textfile import line_body, split_lines
from redline.plan.match.engine import (
    MatchLevel,
    Placement,
    apply_placements,
    in_order,
    place_insert,
    place_lines,
)
from redline.plan.patch.envelope import Hunk

_SHOWN_FAILURES = 3
# A heading that names more lines tells no place apart: the hunk must be unique after the first.
_MAX_REGIONS = 100


def place_hunks(text: str, hunks: Sequence[Hunk], shown: str) -> tuple[str, list[str]]:
    """*text* with every hunk applied, and what the matches had to overlook."""
    placements, notes = hunk_placements(text, hunks, shown)
    return apply_placements(text, placements), notes


def hunk_placements(
    text: str, hunks: Sequence[Hunk], shown: str
) -> tuple[list[Placement], list[str]]:
    """Where every hunk goes, in order, and what the matches had to overlook.

    All hunks are found in *text* as it is; one that has no place or several refuses them all.
    """
    found: list[Placement] = []
    failures: list[tuple[int, Hunk, RedlineError]] = []
    for number, hunk in enumerate(hunks, 1):
        checkpoint()
        try:
            found.append(_place(text, hunk))
        except MatchError as error:
            failures.append((number, hunk, error))
    if failures:
        raise _refusal(shown, failures, len(hunks))
    try:
        placements = in_order(found)
    except MatchError as error:
        raise PatchError(f"{shown}: {error.message}", hint="join the hunks into one") from None
    notes = [
        f"{shown}: line {placement.line} matched although {placement.level.value} differed"
        for placement in found
        if placement.level is not MatchLevel.LITERAL
    ]
    return placements, notes


def _place(text: str, hunk: Hunk) -> Placement:
    if hunk.only_adds:
        return _insert(text, hunk)
    if not hunk.headings:
        return place_lines(text, hunk.lines, at_end=hunk.at_end)
    lines = [line_body(line) for line in split_lines(text)]
    regions = _regions(lines, hunk.headings)
    if not hunk.firm:
        return _place_loosely(text, hunk, regions)
    if not regions:
        # A heading that names no line is a remark; the hunk itself must be unique.
        return place_lines(text, hunk.lines, at_end=hunk.at_end)
    return _place_in(text, hunk, regions)


def _place_loosely(text: str, hunk: Hunk, regions: list[range]) -> Placement:
    try:
        return place_lines(text, hunk.lines, at_end=hunk.at_end)
    except AmbiguousMatch:
        if not regions:
            raise
        return _place_in(text, hunk, regions)


def _place_in(text: str, hunk: Hunk, regions: list[range]) -> Placement:
    """The one place inside the blocks under the heading, else after the heading."""
    last = len(split_lines(text))
    if len(regions) > _MAX_REGIONS:  # each would be a search of its own
        after = range(regions[0].start, last)
        return place_lines(text, hunk.lines, within=after, at_end=hunk.at_end)
    found: dict[tuple[int, int], Placement] = {}
    failed: RedlineError | None = None
    for widened in (False, True):
        for region in regions:
            checkpoint()
            within = range(region.start, last) if widened else region
            try:
                placement = place_lines(text, hunk.lines, within=within, at_end=hunk.at_end)
            except NoMatch as error:
                failed = failed or error
                continue
            found[(placement.start, placement.end)] = placement
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            lines = sorted(placement.line for placement in found.values())
            raise AmbiguousMatch(
                f"The hunk fits under several headings, at lines {', '.join(map(str, lines))}",
                count=len(lines),
                lines=lines,
                hint="add context lines, or another @@ line that only one of them has",
            )
    if isinstance(failed, AlreadyApplied):
        raise failed
    raise NoMatch(
        f"The lines of the hunk are not under the heading {hunk.headings[-1]!r}"
        + (f": {failed.message}" if failed else ""),
        hint="read the file again and copy the lines, or correct the @@ line",
        details=failed.details if failed else None,
    )


def _regions(lines: Sequence[str], headings: Sequence[str]) -> list[range]:
    """The blocks that begin with the headings, each inside a block of the heading before it."""
    regions = [range(len(lines))]
    for heading in headings:
        starts = _heading_lines(lines, regions, heading)
        if not starts:
            return []
        regions = [range(start, _block_end(lines, start)) for start in cancellable(starts)]
    return regions


def _heading_lines(lines: Sequence[str], regions: Sequence[range], heading: str) -> list[int]:
    wanted = heading.strip()
    within = [index for region in cancellable(regions) for index in region]
    same = [index for index in within if lines[index].strip() == wanted]
    if same:
        return same
    return [index for index in within if lines[index].lstrip().startswith(wanted)]


def _block_end(lines: Sequence[str], start: int) -> int:
    """The first line after *start* that is indented no deeper and opens something else."""
    depth = _depth(lines[start])
    for index in range(start + 1, len(lines)):
        body = lines[index].strip()
        if body and _depth(lines[index]) <= depth and not body.startswith(("}", ")", "]", "end")):
            return index
    return len(lines)


def _depth(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _insert(text: str, hunk: Hunk) -> Placement:
    """Lines with nothing around them go to the top, under their heading, or to the end."""
    lines = split_lines(text)
    before = 1
    if hunk.at_end:
        before = len(lines) + 1
    elif hunk.headings and hunk.firm:
        regions = _regions([line_body(line) for line in lines], hunk.headings)
        if len(regions) > 1:
            starts = [region.start + 1 for region in regions]
            raise AmbiguousMatch(
                f"The heading {hunk.headings[-1]!r} matched {len(starts)} lines",
                count=len(starts),
                lines=starts,
                hint="add context lines to the hunk",
            )
        if not regions:
            raise NoMatch(
                f"No line matches the heading {hunk.headings[-1]!r}",
                hint="add context lines to the hunk",
            )
        before = regions[0].start + 2
    _refuse_repeated_insert(lines, hunk, before)
    return place_insert(text, before, "".join(f"{body}\n" for body in hunk.added_lines))


def _refuse_repeated_insert(lines: Sequence[str], hunk: Hunk, before: int) -> None:
    added = list(hunk.added_lines)
    start = before - 1 - len(added) if hunk.at_end else before - 1
    if start >= 0 and [line_body(x) for x in lines[start : start + len(added)]] == added:
        raise AlreadyApplied(
            f"The new lines are already in place at line {start + 1}; nothing was changed",
            hint="nothing to do; to add them once more, give context lines",
            details={"line": start + 1},
        )


def _refusal(
    shown: str, failures: Sequence[tuple[int, Hunk, RedlineError]], count: int
) -> RedlineError:
    """One error for all hunks of a file that have no place."""
    applied = [error for _, _, error in failures if isinstance(error, AlreadyApplied)]
    if len(applied) == count:
        return AlreadyApplied(
            f"The patch is already applied to {shown}; nothing was changed",
            hint="nothing to do",
            details={"path": shown, "already_applied": True},
        )
    said = []
    for number, hunk, error in failures[:_SHOWN_FAILURES]:
        said.append(f"hunk {number} of {count} (line {hunk.at} of the patch): {_fact(error)}")
    if len(failures) > _SHOWN_FAILURES:
        said.append(f"and {len(failures) - _SHOWN_FAILURES} more hunks")
    _, hunk, first = failures[0]
    details = {**first.details, "path": shown, "hunk": failures[0][0], "patch_line": hunk.at}
    return PatchError(f"{shown}: " + "; ".join(said), hint=first.hint, details=details)


def _fact(error: RedlineError) -> str:
    if isinstance(error, AmbiguousMatch):
        return f"matched {error.count} places. {error.message}"
    return error.message

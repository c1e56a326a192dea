"""Where the headings of a hunk say it belongs."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.cancellation import cancellable


def regions_under(lines: Sequence[str], headings: Sequence[str]) -> list[range]:
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

"""Where the headings of a hunk say it belongs."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.cancellation import cancellable
from redline.plan.match.searched_text import KeyLines, SearchedText


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

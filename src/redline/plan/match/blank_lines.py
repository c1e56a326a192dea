"""Blocks that a call quotes with another number of blank lines than the file has in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redline.core.textfile import line_body, line_end

_BLANKS = " \t"
_MAX_BETWEEN = 4


def find_blocks(old: Sequence[str], bodies: Sequence[str]) -> Iterator[range]:
    """Yield the lines of the file (from 0) that are *old* but for blank lines between them.

    *old* and *bodies* hold lines without their ends. Blank lines around the quoted ones must be
    there as they were quoted.
    """
    wanted = _filled_lines(old)
    have = _filled_lines(bodies)
    if len(wanted) < 2:
        return
    keys = [bodies[at].rstrip(_BLANKS) for at in have]
    sought = [old[at].rstrip(_BLANKS) for at in wanted]
    before, behind = wanted[0], len(old) - 1 - wanted[-1]
    for at, key in enumerate(keys):
        if key != sought[0] or keys[at : at + len(sought)] != sought:
            continue
        first, last = have[at] - before, have[at + len(sought) - 1] + behind
        around = [*bodies[max(first, 0) : have[at]], *bodies[last - behind + 1 : last + 1]]
        if len(around) == before + behind and not any(body.strip(_BLANKS) for body in around):
            yield range(first, last + 1)


def find_twin(old: Sequence[str], bodies: Sequence[str], block: range) -> int | None:
    """Return another line (from 0) that begins nearly the same lines as *block*, if there is.

    It has all the quoted lines in order, or from three on all but one, and a few others in between:
    the call may mean that place as it was before.
    """
    sought = [old[at].rstrip(_BLANKS) for at in _filled_lines(old)]
    have = [at for at in _filled_lines(bodies) if at not in block]
    keys = [bodies[at].rstrip(_BLANKS) for at in have]
    missing = 1 if len(sought) > 2 else 0
    for at, key in enumerate(keys):
        if key not in sought[: missing + 1]:
            continue
        window = keys[at : at + len(sought) + _MAX_BETWEEN]
        if _count_in_order(sought, window) >= len(sought) - missing:
            return have[at]
    return None


def _count_in_order(wanted: Sequence[str], window: Sequence[str]) -> int:
    """Count the lines that *window* has, in the order in which they are wanted."""
    found = start = 0
    for line in wanted:
        if line in window[start:]:
            start = window.index(line, start) + 1
            found += 1
    return found


def requote(
    old: Sequence[str], new: Sequence[str], kept: dict[int, int], found: Sequence[str]
) -> list[str] | None:
    """Return *new* with the file's blank lines where it keeps those of *old*.

    All hold lines with their ends; *found* is the block in the file, *kept* says which line of
    *new* each line of *old* that stays becomes. None when it is not clear what becomes of blank
    lines that the call has in another number.
    """
    ours, theirs = _filled_lines([line_body(line) for line in old]), _filled_lines(list(found))
    lines: dict[int, list[str]] = {j: [line] for j, line in enumerate(new)}
    for k, i in enumerate(ours):
        if i in kept:
            lines[kept[i]] = [line_body(found[theirs[k]]) + line_end(new[kept[i]])]
    for k in range(len(ours) - 1):
        start, stop = ours[k], ours[k + 1]
        gap = list(found[theirs[k] + 1 : theirs[k + 1]])
        if len(gap) == stop - start - 1 or not any(i in kept for i in range(start, stop + 1)):
            continue
        at = _kept_gap(start, stop, kept, new)
        if at is None:
            return None
        lines.update({j: [] for j in at})
        above = at[0] - 1 if at else kept[start]
        lines[above] = [*lines.get(above, []), *gap]
    return [line for _, part in sorted(lines.items()) for line in part]


def _kept_gap(start: int, stop: int, kept: dict[int, int], new: Sequence[str]) -> list[int] | None:
    """Return the new lines that are the gap between the old lines *start* and *stop*.

    None unless the new text keeps the whole gap and a line beside it; both where the call has no
    blank line there. Where both stay, lines may come between one of them and the gap.
    """
    kept_lines = [kept[i] for i in range(start, stop + 1) if i in kept]
    gap = [kept[i] for i in range(start + 1, stop) if i in kept]
    if len(gap) < stop - start - 1 or len(kept_lines) - len(gap) < (1 if gap else 2):
        return None
    if _is_run(kept_lines):
        return gap
    is_beside = _is_run(kept_lines[:-1]) or _is_run(kept_lines[1:])
    has_one_gap = len(gap) == sum(
        not line.strip() for line in new[kept_lines[0] : kept_lines[-1] + 1]
    )
    has_both = start in kept and stop in kept
    return gap if gap and has_both and is_beside and has_one_gap else None


def _is_run(numbers: Sequence[int]) -> bool:
    return list(numbers) == list(range(numbers[0], numbers[0] + len(numbers)))


def _filled_lines(bodies: Sequence[str]) -> list[int]:
    return [at for at, body in enumerate(bodies) if body.strip()]

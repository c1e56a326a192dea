"""Cut text at whole lines; only LF ends a line."""

from __future__ import annotations

import re

from redline.core.errors import InvalidArgument
from redline.core.records import dataclass
from redline.core.wording import naming

MAX_LINES = 2000
_RANGE = re.compile(r"(\d*)(-?)(\d*)")


@dataclass(frozen=True, slots=True)
class Cut:
    """Text kept from the head: whole lines, or the beginning of a first line that is too long."""

    content: bytes
    by: str | None = None
    in_first_line: bool = False


def line_starts(data: bytes) -> list[int]:
    """Return where each line begins, and the end of the data; only LF ends a line."""
    starts = [0]
    at = data.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = data.find(b"\n", at + 1)
    if starts[-1] != len(data):
        starts.append(len(data))
    return starts


def cut_head(data: bytes, max_bytes: int, max_lines: int = MAX_LINES) -> Cut:
    """The first whole lines of *data* within both limits, without the last line's newline."""
    if len(data) <= max_bytes and data.count(b"\n") <= max_lines:
        return Cut(data)
    kept, by = _first_lines(data, max_lines)
    if len(kept) > max_bytes:
        by = "bytes"
        stop = kept.rfind(b"\n", 0, max_bytes + 1)
        if stop < 0:
            return Cut(kept[: character_start(kept, max_bytes)], by, in_first_line=True)
        kept = kept[:stop]
    return Cut(kept, by)


def _first_lines(data: bytes, max_lines: int) -> tuple[bytes, str]:
    stop = -1
    for _ in range(max_lines):
        stop = data.find(b"\n", stop + 1)
        if stop < 0:
            return data, "bytes"
    return (data[:stop], "lines") if stop + 1 < len(data) else (data, "bytes")


def character_start(data: bytes, offset: int) -> int:
    """Return the start of the character that *offset* lies in."""
    while 0 < offset < len(data) and data[offset] & 0xC0 == 0x80:
        offset -= 1
    return offset


def parse_range(lines: str, total: int) -> tuple[int, int]:
    """Return the first and the last of *total* lines that `10-40`, `10-`, `10` or `-20` names."""
    found = _RANGE.fullmatch(lines.replace(" ", ""))
    if found is None or not (found[1] or found[3]):
        raise InvalidArgument(
            f"Not a range of lines: {lines}", field="lines", hint="10-40, 10-, 10 or -20"
        )
    if not found[1]:
        return max(1, total - int(found[3]) + 1), total
    first = max(1, int(found[1]))
    last = int(found[3]) if found[3] else (max(total, first) if found[2] else first)
    if last < first:
        raise InvalidArgument(f"The last line is before the first: {lines}", field="lines")
    if first > max(total, 1):
        raise InvalidArgument(
            f"There are only {total} lines: {lines}",
            field="lines",
            hint=naming('pass {"{lines}": ', f'"1-{total}"}}'),
        )
    return first, min(last, total)

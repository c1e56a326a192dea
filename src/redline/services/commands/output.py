"""Cut output to what an answer may hold: whole lines from the end, or from both ends."""

from __future__ import annotations

import re

from redline.core.errors import InvalidArgument
from redline.core.ports.commands import Captured
from redline.core.records import dataclass
from redline.services.text_lines import parse_range

MAX_LINES = 2000
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class OutputCut:
    """The end of a stream that fits, and why there is not more."""

    data: bytes
    by: str | None


def keep_ends(head: bytes, tail: bytes, lost: int, max_bytes: int) -> tuple[bytes, int]:
    """Return the beginning and the end of a stream, and how many bytes between them are left out.

    A stream is *head*, *lost* bytes that were not kept, and *tail*. The first error of a compiler
    is at the beginning, what came of it all is at the end.
    """
    whole = head + tail
    if not lost and len(whole) <= max_bytes:
        return whole, 0
    first = whole[: min(len(head) if lost else len(whole), max_bytes // 4)]
    first = first[: first.rfind(b"\n") + 1] or first
    last = keep_tail(whole[len(first) :] if not lost else tail, max_bytes - len(first)).data
    left_out = len(whole) + lost - len(first) - len(last)
    if not left_out:
        return first + last, 0
    between = f"[... {left_out} bytes left out ...]\n".encode()
    return (first if first.endswith(b"\n") else first + b"\n") + between + last, left_out


def pick_lines(got: Captured, lines: str, max_bytes: int) -> tuple[str, bytes]:
    """Return which *lines* of all output these are (`10-40/500`), and the lines.

    InvalidArgument where the range is none, or where it lies in what was not kept.
    """
    if got.lost:  # the lines around the gap are not whole
        head = _LINE.findall(got.head)[: got.head.count(b"\n")]
        tail = _LINE.findall(got.tail)[1:]
        start = len(head) + got.lost_lines + 2
    else:
        head, tail = _LINE.findall(got.head + got.tail), []
        start = len(head) + 1
    total = start + len(tail) - 1
    first, last = parse_range(lines, total)
    if first > len(head) and last < start:
        raise InvalidArgument(
            f"Lines {len(head) + 1}-{start - 1} of the output were not kept",
            field="lines",
            hint=f"1-{len(head)} and {start}-{total} are",
        )
    numbered = [*enumerate(head, 1), *enumerate(tail, start)]
    wanted = [(number, line) for number, line in numbered if first <= number <= last]
    data, shown = b"", first
    for number, line in wanted:
        if len(data) + len(line) > max_bytes and data:
            break
        data, shown = data + line[:max_bytes], number
    return f"{wanted[0][0] if wanted else 0}-{shown if wanted else 0}/{total}", data


def keep_tail(data: bytes, max_bytes: int, max_lines: int = MAX_LINES) -> OutputCut:
    """The last whole lines within both limits; a last line that is too long keeps its end."""
    by = None
    start = _start_of_last_lines(data, max_lines)
    if start:
        data, by = data[start:], "lines"
    if len(data) <= max_bytes:
        return OutputCut(data, by)
    start = len(data) - max_bytes
    if data[start - 1 : start] != b"\n":
        line_end = data.find(b"\n", start)
        if 0 <= line_end < len(data) - 1:
            start = line_end + 1
    while start < len(data) and data[start] & 0xC0 == 0x80:  # not inside a character
        start += 1
    return OutputCut(data[start:], "bytes")


def _start_of_last_lines(data: bytes, count: int) -> int:
    position = len(data) - 1 if data.endswith(b"\n") else len(data)
    for _ in range(count):
        position = data.rfind(b"\n", 0, position)
        if position < 0:
            return 0
    return position + 1

"""Cut output to what an answer may hold: whole lines from the end."""

from __future__ import annotations

from dataclasses import dataclass

MAX_LINES = 2000


@dataclass(frozen=True, slots=True)
class OutputCut:
    """The end of a stream that fits, and why there is not more."""

    data: bytes
    by: str | None


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

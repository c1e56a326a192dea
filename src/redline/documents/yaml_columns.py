"""At which columns the lines of a text begin, window by window: what a search can pass over."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

_WINDOW = 1 << 13
# So much behind a window is looked at for what belongs to a line in it.
SLACK = 1 << 12
_LINE = re.compile(rb"\n( *+)[^ \r\n#]")
_LEAD = re.compile(rb" *+.?", re.DOTALL)
# Columns from here on share a bit.
_LAST = 63


def line_at(column: int) -> bytes:
    """The start of a pattern for a line at *column*: written out, it is found fast."""
    return b"\n" + b" " * column + rb"(?=[^ \n])"


class Columns:
    """One word of bits for each window of a text: bit 2 stands for a line at column 2."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._bits = array("Q")
        for start in range(0, len(source), _WINDOW):
            last = source.rfind(b"\n", start, start + _WINDOW)
            lead = _LEAD.match(source, last + 1) if last >= 0 else None
            text = source[start : lead.end()] if lead else b""
            while b"\n\n" in text:
                text = text.replace(b"\n\n", b"\n")
            leads = set(_LINE.findall(text))
            self._bits.append(sum({1 << min(len(lead), _LAST) for lead in leads}))

    def search(
        self, pattern: re.Pattern[bytes], column: int, at: int, limit: int
    ) -> re.Match[bytes] | None:
        """What *pattern*, a line at *column*, finds first in [at, limit)."""
        for start, stop in self._windows(1 << min(column, _LAST), at, limit):
            found = pattern.search(self._source, start, min(stop + SLACK, limit))
            if found:
                return found
        return None

    def stretches(self, column: int, at: int, limit: int) -> Iterator[tuple[int, int]]:
        """The parts of [at, limit) in which a line may begin at *column*, in order."""
        begin = end = at
        for start, stop in self._windows(1 << min(column, _LAST), at, limit):
            if start > end:
                if end > begin:
                    yield begin, end
                begin = start
            end = stop
        if end > begin:
            yield begin, end

    def is_left(self, column: int, at: int, limit: int) -> bool:
        """Whether a line in [at, limit) stands further left than *column*."""
        pattern = re.compile(rb"\n {0,%d}+[^ \t\r\n#]" % (column - 1))
        left = (1 << min(column, _LAST + 1)) - 1
        windows = self._windows(left, at, limit)
        return any(pattern.search(self._source, start, stop) for start, stop in windows)

    def _windows(self, mask: int, at: int, limit: int) -> Iterator[tuple[int, int]]:
        """The windows in which a line may begin at a column of *mask*."""
        for number in range(at // _WINDOW, (limit + _WINDOW - 1) // _WINDOW):
            if self._bits[number] & mask:
                start = number * _WINDOW
                yield max(start, at), min(start + _WINDOW, limit)

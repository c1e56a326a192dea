"""Where two texts differ: the lines between their common head and tail.

Nothing is split or copied as a whole: a text may be a large file's bytes, and most edits change a
line of it.
"""

from __future__ import annotations

from typing import AnyStr, Generic, Literal

from redline.core.records import dataclass

# What is compared at once: enough to go as fast as memory does, and still in the cache.
_PIECE = 1 << 16
# At most this many bytes are compared as one number.
_SHORT = 1 << 11


@dataclass(frozen=True, slots=True)
class LineSpan(Generic[AnyStr]):
    """The lines [start, end) of one text that differ from the other text."""

    text: AnyStr
    start: int
    end: int
    # Where the text itself starts, after a byte order mark.
    origin: int
    newline: AnyStr

    def line_count(self) -> int:
        """Return how many lines there are."""
        return self.text.count(self.newline, self.start, self.end) + self._is_open()

    def _is_open(self) -> bool:
        last = self.text[self.end - 1 : self.end]
        return self.start < self.end and last != self.newline

    def line_starts(self) -> list[int]:
        """Return where each line starts, and where the last one ends."""
        return _line_starts(self.text, self.start, self.end, self.newline)

    def lines_before(self, count: int) -> list[int]:
        """Return where each of the *count* lines before this starts, fewer at the beginning."""
        found: list[int] = []
        at = self.start
        while len(found) < count and at > self.origin:
            at = self.text.rfind(self.newline, self.origin, at - 1) + 1 or self.origin
            found.append(at)
        return found[::-1]

    def lines_behind(self, count: int) -> list[int]:
        """Return where each of the *count* lines after this ends, fewer at the end."""
        found: list[int] = []
        at = self.end
        while len(found) < count and at < len(self.text):
            at = self.text.find(self.newline, at) + 1 or len(self.text)
            found.append(at)
        return found

    def first_line(self) -> int:
        """Return how many lines precede this."""
        return self.text.count(self.newline, self.origin, self.start)


def differing_spans(
    old: AnyStr, new: AnyStr, newline: AnyStr, origins: tuple[int, int] = (0, 0)
) -> tuple[LineSpan[AnyStr], LineSpan[AnyStr]] | None:
    """The lines between those that both begin with and those that both end with; None if equal."""
    begin, there = origins
    same = common_head(old, begin, new, there)
    if same == len(old) - begin == len(new) - there:
        return None
    whole = (old.rfind(newline, begin, begin + same) + 1 or begin) - begin
    begin, there = begin + whole, there + whole
    same = common_tail(old, begin, new, there)
    end = len(old) - same
    if not (_starts_line(old, end, begin) and _starts_line(new, len(new) - same, there)):
        end = old.find(newline, end) + 1 or len(old)
    left = LineSpan(old, begin, end, origins[0], newline)
    return left, LineSpan(new, there, end - len(old) + len(new), origins[1], newline)


def common_head(old: AnyStr, start: int, new: AnyStr, there: int) -> int:
    """Return how far *old* from *start* on and *new* from *there* on are the same."""
    limit = min(len(old) - start, len(new) - there)
    done, step = 0, _PIECE
    while done < limit:
        size = min(step, limit - done)
        i, j = start + done, there + done
        left, right = old[i : i + size], new[j : j + size]
        if left == right:
            done += size
        elif size == 1:
            break
        elif size <= _SHORT and isinstance(left, bytes) and isinstance(right, bytes):
            return done + size - _differing(left, right, "big")
        else:
            step = size // 2
    return done


def common_tail(
    old: AnyStr, start: int, new: AnyStr, there: int, ends: tuple[int, int] | None = None
) -> int:
    """How much of their ends is the same, nothing before *start* and *there* being looked at.

    They end at *ends*, or where the texts do.
    """
    end, stop = ends or (len(old), len(new))
    limit = min(end - start, stop - there)
    done, step = 0, _PIECE
    while done < limit:
        size = min(step, limit - done)
        i, j = end - done, stop - done
        left, right = old[i - size : i], new[j - size : j]
        if left == right:
            done += size
        elif size == 1:
            break
        elif size <= _SHORT and isinstance(left, bytes) and isinstance(right, bytes):
            return done + size - _differing(left, right, "little")
        else:
            step = size // 2
    return done


def _differing(left: bytes, right: bytes, order: Literal["big", "little"]) -> int:
    """Return how many bytes there are from the first that differs on, or up to the last."""
    apart = int.from_bytes(left, order) ^ int.from_bytes(right, order)
    return (apart.bit_length() + 7) // 8


def _starts_line(text: AnyStr, at: int, begin: int) -> bool:
    """Return whether a line starts at *at*, as one does at *begin*."""
    return at == begin or text[at - 1 : at] in ("\n", b"\n")


def _line_starts(text: AnyStr, start: int, end: int, newline: AnyStr) -> list[int]:
    found = [start]
    while found[-1] < end:
        at = text.find(newline, found[-1], end)
        found.append(end if at < 0 else at + 1)
    return found

"""Where the journal file has the small contents that its lines carry."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from redline.adapters.journal.format.lines import DIGEST, PREFIX

Place = tuple[int, int]
# How much is read at once where many lines are looked at.
WINDOW = 1 << 18
# So many contents are searched for as text, which is quick for one; then every line is looked at.
_MAX_SEARCHES = 4


class InlineContents:
    """Offset and length of each content; lines are looked at when one is asked for.

    Few contents are asked for by most commands, and all of them by some.
    """

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        self._places: dict[str, Place] = {}
        # Lines not looked at yet, the latest last: most never are.
        self._unread: list[Place] = []
        self._window, self._start = b"", 0
        self._searches = 0

    def note(self, offset: int, length: int) -> None:
        """Take in a line with contents."""
        self._unread.append((offset, length))

    def locate(self, digest: str) -> Place | None:
        """Return where a content is, looking at the lines taken in last first."""
        if digest not in self._places and self._unread and self._searches < _MAX_SEARCHES:
            self._searches += 1
            self._search(digest)
            return self._places.get(digest)
        while digest not in self._places and self._unread:
            offset, length = self._unread.pop()
            at = offset - self._start
            if not 0 <= at < len(self._window):
                self._start = max(0, offset + length - max(WINDOW, length))
                self._window = self._read(offset + length - self._start, self._start)
                at = offset - self._start
            self.look_at(self._window[at : at + length], offset)
        if not self._unread:
            self._window = b""
        return self._places.get(digest)

    def _search(self, digest: str) -> None:
        """Find the text of a content in the lines that were not looked at, the latest first."""
        text = digest.encode("latin-1") + b":"
        first, end = self._unread[0][0], sum(self._unread[-1])
        while end - first >= len(text):
            start = max(first, end - WINDOW)
            window = self._read(end - start, start)
            at = window.rfind(text)
            while at >= 0:
                number = bisect_right(self._unread, start + at, key=lambda line: line[0]) - 1
                offset, length = self._unread[number]
                self.look_at(self._read(length, offset), offset)
                if digest in self._places:
                    return
                at = window.rfind(text, 0, at)  # it was in what somebody wrote about a change
            end = start + len(text) - 1

    def look_at(self, raw: bytes, offset: int) -> None:
        """Note the contents of a line that was read for another reason."""
        if raw[PREFIX : PREFIX + 1] not in (b"C", b"K"):
            return
        # No field before the contents has a colon, and no content has a comma or a space.
        colon = raw.find(b":")
        end = raw.find(b" ", colon)
        end = len(raw) - 1 if end < 0 else end
        while colon >= 0:
            comma = raw.find(b",", colon, end)
            stop = end if comma < 0 else comma
            start = colon - DIGEST
            place = offset + start, stop - start
            self._places.setdefault(raw[start:colon].decode("latin-1"), place)
            colon = -1 if comma < 0 else raw.find(b":", comma, end)

"""Where the journal file has the small contents that its lines carry."""

from __future__ import annotations

from collections.abc import Callable

from redline.adapters.journal.format.lines import DIGEST, PREFIX

Place = tuple[int, int]
# How much is read at once where many lines are looked at.
WINDOW = 1 << 18


class InlineContents:
    """Offset and length of each content; lines are looked at when one is asked for."""

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        self._places: dict[str, Place] = {}
        # Lines not looked at yet, the latest last: most never are.
        self._unread: list[Place] = []
        self._window, self._start = b"", 0

    def note(self, offset: int, length: int) -> None:
        """Take in a line with contents."""
        self._unread.append((offset, length))

    def locate(self, digest: str) -> Place | None:
        """Return where a content is, looking at the lines taken in last first."""
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

"""Where the journal file has the small contents that its lines carry."""

from __future__ import annotations

from redline.adapters.journal.format.lines import DIGEST

Place = tuple[int, int]


class InlineContents:
    """Offset and length of each content; lines are looked at when one is asked for."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}
        # Lines not looked at yet, after how many spaces their contents are, and where they are
        # in the file: most are never looked at.
        self._unread: list[tuple[bytes, int, int]] = []

    def note(self, payload: bytes, spaces: int, offset: int) -> None:
        """Take in a line with contents after some *spaces*; in the file it is at *offset*."""
        self._unread.append((payload, spaces, offset))

    def locate(self, digest: str) -> Place | None:
        """Return where a content is, looking at the lines taken in last first."""
        while digest not in self._places and self._unread:
            payload, spaces, offset = self._unread.pop()
            fields = payload.split(b" ", spaces + 1)
            place = offset + sum(map(len, fields[:spaces])) + spaces
            found: dict[str, Place] = {}
            for token in fields[spaces].split(b","):
                found[token[:DIGEST].decode()] = place, len(token)
                place += len(token) + 1
            for name, where in found.items():
                self._places.setdefault(name, where)
        return self._places.get(digest)

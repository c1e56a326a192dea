"""Where the journal file has the small contents that its lines carry."""

from __future__ import annotations

from redline.adapters.journal.format.lines import DIGEST

Place = tuple[int, int]


class InlineContents:
    """Offset and length of each content; lines are looked at when one is asked for."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}
        # Where contents begin and their text, of lines not looked at yet: most never are.
        self._unread: list[tuple[int, bytes]] = []

    def note(self, data: bytes, start: int, end: int, offset: int) -> None:
        """Take in the contents of a line: data[start:end], in the file *offset* further on."""
        stop = data.find(b" ", start, end)
        self._unread.append((offset + start, data[start : stop if stop >= 0 else end]))

    def locate(self, digest: str) -> Place | None:
        """Return where a content is, looking at the lines taken in last first."""
        while digest not in self._places and self._unread:
            offset, text = self._unread.pop()
            found: dict[str, Place] = {}
            for token in text.split(b","):
                found[token[:DIGEST].decode()] = offset, len(token)
                offset += len(token) + 1
            for name, place in found.items():
                self._places.setdefault(name, place)
        return self._places.get(digest)

"""Output kept in bounded memory: the first bytes, the last bytes, and a count of the rest."""

from __future__ import annotations

from collections import deque

from redline.core.ports.commands import Captured

HEAD = 64 << 10
TAIL = 1 << 20


class RollingBuffer:
    """Keeps the unread head and tail of a stream; not thread-safe by itself."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._head_cap = head
        self._tail_cap = tail
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._lost = 0
        self._lost_ever = 0
        self._lost_lines = 0
        self._held = b""
        self.total = 0

    @property
    def has_unread(self) -> bool:
        """Whether something came since the last `take`."""
        return bool(self._head or self._tail_size or self._lost)

    def append(self, data: bytes) -> None:
        """Add *data*, dropping the oldest bytes after the head when over the cap."""
        self.total += len(data)
        data = self._held + data
        self._held = b""
        room = self._head_cap - len(self._head)
        if room > 0 and not self._tail_size and not self._lost:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail.append(data)
            self._tail_size += len(data)
            self._trim()

    def _trim(self) -> None:
        while self._tail_size > self._tail_cap:
            over = self._tail_size - self._tail_cap
            first = self._tail[0]
            if len(first) <= over:
                self._tail.popleft()
                cut = len(first)
            else:
                self._tail[0] = first[over:]
                cut = over
            self._lost_lines += first.count(b"\n", 0, cut)
            self._tail_size -= cut
            self._lost += cut
            self._lost_ever += cut

    def take(self, *, final: bool = True) -> Captured:
        """Everything unread; it counts as read afterwards.

        Unless *final*, the first bytes of a character that is still to come are left for later.
        """
        head, tail = bytes(self._head), b"".join(self._tail)
        if not self._lost:
            head, tail = b"", head + tail
        if final:
            tail, self._held = self._held + tail, b""
        else:
            cut = len(tail) - _started_character(tail)
            tail, self._held = tail[:cut], tail[cut:]
        if not self._lost:
            head, tail = tail, b""
        captured = Captured(head, tail, self._lost, self._lost_ever, self._lost_lines)
        self._head.clear()
        self._tail.clear()
        self._tail_size = self._lost = self._lost_lines = 0
        return captured

    def recall(self) -> Captured:
        """Everything kept, which stays unread."""
        tail = b"".join(self._tail)
        return Captured(bytes(self._head), tail, self._lost, self._lost_ever, self._lost_lines)


def _started_character(data: bytes) -> int:
    """How many bytes at the end begin a UTF-8 character without ending it."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 2 if byte & 0xE0 == 0xC0 else 3 if byte & 0xF0 == 0xE0 else 4
        return back if byte >= 0xC2 and byte < 0xF5 and needed > back else 0
    return 0


class HeadBuffer:
    """Keeps the first bytes of a stream and whether there was more."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.data = bytearray()
        self.is_cut = False

    def append(self, got: Captured) -> None:
        """Add what came; nothing after a gap is kept."""
        room = self._limit - len(self.data)
        piece = got.head if got.lost else got.head + got.tail
        if not self.is_cut:
            self.data += piece[: max(0, room)]
        self.is_cut = self.is_cut or got.lost > 0 or len(piece) > room

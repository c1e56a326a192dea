"""What was read of the journal file: its operations in order, and where their contents are."""

from __future__ import annotations

from redline.adapters.journal.format.lines import FIELDS, FRAME, PREFIX, Head, Line, payloads_of
from redline.adapters.journal.inline_contents import InlineContents

# How long the fixed fields of a line usually are.
_MAX_HEAD = 160
# After how many spaces of a line its contents are: of an operation, and alone.
_CONTENTS, _KEPT = 6, 1
# In the field `reverts`: the operation happened right before the one that is named.
BEFORE = "<"


class LineIndex:
    """The lines of one file, read up to `end`."""

    def __init__(self, file: tuple[int, int]) -> None:
        self.file = file
        self.end = 0
        # Bytes of blobs that these operations added.
        self.added = 0
        self.contents = InlineContents()
        # Lines that fail their checksum: cut off by a crash, or damaged.
        self.unreadable = 0
        self.revoked: set[str] = set()
        self.finished: set[str] = set()
        self._lines: list[Line] = []
        self._numbers: dict[str, int] = {}
        self._before: dict[str, str] = {}
        self._ordered: tuple[object, list[Line]] = ((0, 0), self._lines)

    @property
    def version(self) -> tuple[object, ...]:
        """Differs whenever the operations do."""
        return self.file, len(self._lines), len(self.revoked)

    @property
    def lines(self) -> list[Line]:
        """Operations that were not revoked, in the order in which they happened."""
        if not self.revoked and not self._before:
            return self._lines
        state = len(self._lines), len(self.revoked)
        if self._ordered[0] != state:
            self._ordered = state, self._put_in_order()
        return self._ordered[1]

    def find(self, operation_id: str) -> Line | None:
        """The line of an operation, revoked or not."""
        place = self._numbers.get(operation_id)
        return None if place is None else self._lines[place]

    def follower_of(self, operation_id: str) -> str | None:
        """The operation that happened right after another, or the first of all after "".

        None where nothing happened since, or where that one was pruned.
        """
        follower: str | None = None
        for line in reversed(self.lines):
            if line.head.id == operation_id:
                return follower
            follower = line.head.id
        return None if operation_id else follower

    def take_in(self, data: bytes) -> None:
        """Take in what follows `end`; every command does so with every operation there is."""
        first = self.end
        lines, numbers, file = self._lines, self._numbers, self.file
        for start, payload in payloads_of(data):
            if payload is None:
                self.unreadable += 1
                continue
            # The fixed fields are ASCII; whatever follows them is not looked at.
            fields = payload[:_MAX_HEAD].decode("latin-1").split(" ", FIELDS - 1)
            kind, name = fields[0], fields[1]
            if kind not in ("R", "C"):
                self._take_note(kind, name, payload, first + start)
                continue
            if len(fields) < FIELDS:  # it reverts many operations
                fields = payload.decode("latin-1").split(" ", FIELDS - 1)
            if name not in numbers:
                reverts = None if fields[3] == "-" else fields[3]
                head = Head(name, fields[2], reverts, float(fields[4]), int(fields[5]))
                if reverts is not None and reverts[0] == BEFORE:
                    head = self._take_late(head, reverts[1:])
                self.added += head.added
                numbers[name] = len(lines)
                lines.append(Line(head, first + start, len(payload) + FRAME, file))
            if kind == "C":
                self.contents.note(payload, _CONTENTS, first + start + PREFIX)
        self.end = first + data.rfind(b"\n") + 1

    def _take_late(self, head: Head, follower: str) -> Head:
        """Note that an operation happened before its *follower*, which is in the file already.

        Where it is not, pruning has dropped it or written both in order.
        """
        behind = self.find(follower)
        time = head.time
        if behind is not None:
            self._before[head.id] = follower
            time = min(time, behind.head.time - 1e-6)
        return head._replace(reverts=None, time=time)

    def _take_note(self, kind: str, name: str, payload: bytes, offset: int) -> None:
        """Take in a line that is not an operation."""
        if kind == "K":
            self.contents.note(payload, _KEPT, offset + PREFIX)
        elif kind == "V":
            self.revoked.add(name)
        elif kind == "F":
            self.finished.add(name)

    def _put_in_order(self) -> list[Line]:
        earlier: dict[str, list[Line]] = {}
        for name, follower in self._before.items():
            earlier.setdefault(follower, []).append(self._lines[self._numbers[name]])
        ordered: list[Line] = []
        for line in self._lines:
            if line.head.id not in self._before:
                # Last in, first out: what precedes a line is put down before it.
                waiting = [line]
                while waiting:
                    line = waiting.pop()
                    preceding = earlier.pop(line.head.id, ())
                    if preceding:
                        waiting += [line, *reversed(preceding)]
                    else:
                        ordered.append(line)
        return [line for line in ordered if line.head.id not in self.revoked]

"""What was read of the journal file: its operations in order, and where their contents are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from zlib import crc32

from redline.adapters.journal.records import DIGEST, FRAME, PREFIX, Head, Line, read_session

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


# How many fixed fields an operation has, and how long those of a plain change are at most.
_FIELDS, _MAX_HEAD = 5, 100
# In the field `reverts`: the operation happened right before the one that is named.
BEFORE = "<"
# How long ids are, and what follows that of nearly every operation.
_ID, _PLAIN = 8, b" change - "
# Where an id begins in its line, and the letters of lines that have one: the first carry contents.
_ID_AT, _CARRIES, _REFERS = PREFIX + 2, ord("C"), ord("R")

# The line of an operation and what precedes it in the file, and where that begins; LookupError
# where it was pruned since.
WindowBefore = Callable[[str], tuple[bytes, int]]


class LineIndex:
    """The lines of one file, read up to `end`.

    Every command takes in every operation there is, and most look at few of them: what a line says
    is only read when it is asked for, or when the line is more than a plain change.
    """

    def __init__(self, file: tuple[int, int], read: Callable[[int, int], bytes]) -> None:
        self.file = file
        self.end = 0
        self.contents = InlineContents(read)
        # Lines that fail their checksum: cut off by a crash, or damaged.
        self.unreadable = 0
        self.revoked: set[str] = set()
        self.finished: set[str] = set()
        # Of each operation, in the order of the file: id, offset, length and fixed fields.
        self._ids: list[str] = []
        self._offsets: list[int] = []
        self._lengths: list[int] = []
        self._heads: list[bytes | Head] = []
        self._numbers: dict[str, int] = {}
        # Operations that revert something, or are no change.
        self._special: list[int] = []
        self._before: dict[str, str] = {}
        self._ordered: tuple[object, list[str], dict[str, int]] = ((0, 0), [], {})
        # How many bytes of blobs the first so many operations added.
        self._added = (0, 0)

    @property
    def version(self) -> tuple[object, ...]:
        """Differs whenever the operations do."""
        return self.file, len(self._ids), len(self.revoked)

    @property
    def is_in_file_order(self) -> bool:
        """Whether the operations happened in the order in which they are in the file."""
        return not self.revoked and not self._before

    @property
    def ids(self) -> Sequence[str]:
        """Operations that were not revoked, oldest first.

        One that was recorded late is where it belongs; see `record` of the store.
        """
        return self._ids if self.is_in_file_order else self._in_order()[0]

    @property
    def order(self) -> Mapping[str, int]:
        """Where each of `ids` is in it."""
        return self._numbers if self.is_in_file_order else self._in_order()[1]

    @property
    def special(self) -> list[Line]:
        """Those that revert something, or are no change, in the order in which they happened."""
        names = [self._ids[number] for number in self._special]
        if not self.is_in_file_order:
            names = sorted(set(names) - self.revoked, key=self.order.__getitem__)
        return [self.line(self._numbers[name]) for name in names]

    @property
    def added(self) -> int:
        """How many bytes of blobs these operations added."""
        count, total = self._added
        total += sum(self._head(number).added for number in range(count, len(self._ids)))
        self._added = len(self._ids), total
        return total

    @property
    def lines(self) -> list[Line]:
        """The lines of `ids`."""
        return [self.line(self._numbers[name]) for name in self.ids]

    def find(self, operation_id: str) -> Line | None:
        """Return the line of an operation, revoked or not."""
        number = self._numbers.get(operation_id)
        return None if number is None else self.line(number)

    def line(self, number: int) -> Line:
        """Return a line by its number in the file."""
        head = self._head(number)
        return Line(head, self._offsets[number], self._lengths[number], self.file)

    def span(self, operation_id: str) -> tuple[int, int]:
        """Return where the line of an operation begins, and how long it is."""
        number = self._numbers[operation_id]
        return self._offsets[number], self._lengths[number]

    def find_session_starts(
        self, without: Collection[str], window_before: WindowBefore
    ) -> dict[bytes, str]:
        """Find the first operation of each session, those in *without* left aside.

        Sessions are named as the lines have them.
        """
        found: dict[bytes, str] = {}
        offsets, numbers = self._offsets, self._numbers
        window, start = b"", 0
        origin, session = b"\n", b""  # most lines begin as the one before
        for name in reversed(self.ids):
            at = offsets[numbers[name]] - start
            if not 0 <= at < len(window):
                try:
                    window, start = window_before(name)
                except LookupError:  # the rest was pruned since
                    break
                at = offsets[numbers[name]] - start
            body = window.index(b"{", at)  # no field before it has one
            if not window.startswith(origin, body):
                origin, session = read_session(window, body)
            if name not in without:
                found[session] = name
        return found

    def number_at(self, offset: int) -> int:
        """The last operation of the file that begins at *offset* or before; -1 if there is none."""
        return bisect_right(self._offsets, offset) - 1

    def arrived_since(self, offset: int) -> list[str]:
        """The operations whose lines begin at *offset* or behind it, in the order of the file."""
        names = self._ids[bisect_left(self._offsets, offset) :]
        return [name for name in names if name not in self.revoked]

    def _head(self, number: int) -> Head:
        head = self._heads[number]
        if isinstance(head, bytes):
            self._heads[number] = head = _parse(head)
        return head

    def follower_of(self, operation_id: str) -> str | None:
        """Return the operation that happened right after another, or the first of all after "".

        None where nothing happened since, or where that one was pruned.
        """
        number = self.order.get(operation_id)
        if number is None:
            return None if operation_id else next(iter(self.ids), None)
        return self.ids[number + 1] if number + 1 < len(self.ids) else None

    def take_in(self, data: bytes) -> None:
        """Take in what follows `end`; every command does so with all that there is."""
        first, start = self.end, 0
        find, starts, view = data.find, data.startswith, memoryview(data)
        note = self.contents.note
        # Plain changes that were not added yet: all that follow each other are added as one.
        begins: list[int] = []
        ends: list[int] = []
        while (end := find(b"\n", start)) >= 0:
            begin, start = start, end + 1
            if data[begin : begin + 8] != b"%08x" % crc32(view[begin + PREFIX : end]):
                self.unreadable += end > begin
                continue
            letter = data[begin + PREFIX]
            if letter == _CARRIES:
                note(first + begin, start - begin)
            if starts(_PLAIN, begin + _ID_AT + _ID) and letter in (_CARRIES, _REFERS):
                begins.append(begin)
                ends.append(start)
            else:
                self._add_plain(data, begins, ends)
                begins, ends = [], []
                self._take_other(data[begin + PREFIX : end], begin)
        self._add_plain(data, begins, ends)
        self.end = first + start

    def _add_plain(self, data: bytes, begins: list[int], ends: list[int]) -> None:
        """Add the plain changes whose lines begin and end there."""
        first, count = self.end, len(self._ids)
        heads = [data[at + _ID_AT : at + _ID_AT + _MAX_HEAD] for at in begins]
        ids = [head[:_ID].decode("latin-1") for head in heads]
        numbers = dict(zip(ids, range(count, count + len(ids)), strict=True))
        if len(numbers) < len(ids) or not self._numbers.keys().isdisjoint(numbers):
            for head, begin, end in zip(heads, begins, ends, strict=True):  # one is there twice
                self._add(head[:_ID].decode("latin-1"), head, begin, end - begin)
            return
        self._numbers |= numbers
        self._ids += ids
        self._offsets += [first + begin for begin in begins]
        self._lengths += [end - begin for begin, end in zip(begins, ends, strict=True)]
        self._heads += heads

    def _add(self, name: str, head: bytes | Head, begin: int, length: int) -> bool:
        """Add an operation whose line is so far behind `end`; False if it is there already."""
        if name in self._numbers:
            return False
        self._numbers[name] = len(self._ids)
        self._ids.append(name)
        self._offsets.append(self.end + begin)
        self._lengths.append(length)
        self._heads.append(head)
        return True

    def _take_other(self, payload: bytes, begin: int) -> None:
        """Take in a line that is more than a plain change, or no operation."""
        kind, rest = payload[:2], payload[2:]
        if kind in (b"C ", b"R "):
            name = rest.partition(b" ")[0].decode("latin-1")
            if self._add(name, b"", begin, len(payload) + FRAME):
                self._heads[-1] = self._take_special(rest)
        elif kind == b"K ":
            self.contents.note(self.end + begin, len(payload) + FRAME)
        elif kind == b"V ":
            self.revoked.add(rest.decode("latin-1"))
        elif kind == b"F ":
            self.finished.add(rest.decode("latin-1"))

    def _take_special(self, line: bytes) -> Head:
        """Read an operation that was added last and is more than a plain change."""
        head = _parse(line)
        if head.reverts is None and head.kind == "change":
            return head  # only its id is of another length
        if head.reverts is None or head.reverts[0] != BEFORE:
            self._special.append(len(self._ids) - 1)
            return head
        # It happened before an operation that is in the file already. Where that is not, pruning
        # has dropped it or written both in order.
        follower = self.find(head.reverts[1:])
        time = head.time
        if follower is not None:
            self._before[head.id] = follower.head.id
            time = min(time, follower.head.time - 1e-6)
        return head._replace(reverts=None, time=time)

    def _in_order(self) -> tuple[list[str], dict[str, int]]:
        state = len(self._ids), len(self.revoked)
        if self._ordered[0] != state:
            ids = self._put_in_order()
            self._ordered = state, ids, {name: number for number, name in enumerate(ids)}
        return self._ordered[1:]

    def _put_in_order(self) -> list[str]:
        earlier: dict[str, list[str]] = {}
        for name, follower in self._before.items():
            earlier.setdefault(follower, []).append(name)
        ordered: list[str] = []
        # Backwards: right before an operation is what was recorded late for it, the last of these
        # first, and before each of them what was recorded late for that.
        for name in reversed(self._ids):
            waiting = [] if name in self._before else [name]
            while waiting:
                ordered.append(waiting.pop())
                waiting += earlier.get(ordered[-1], ())
        return [name for name in reversed(ordered) if name not in self.revoked]


def _parse(line: bytes) -> Head:
    """Read the fixed fields of an operation, the id first."""
    # They are ASCII; whatever follows them is not looked at.
    fields = line[:_MAX_HEAD].decode("latin-1").split(" ", _FIELDS)
    if len(fields) <= _FIELDS:  # it reverts many operations
        fields = line.decode("latin-1").split(" ", _FIELDS)
    reverts = None if fields[2] == "-" else fields[2]
    return Head(fields[0], fields[1], reverts, float(fields[3]), int(fields[4]))


def read_backwards(
    index: LineIndex, end: int, having: Sequence[bytes], window_before: WindowBefore
) -> Iterator[tuple[str, bytes]]:
    """Yield the ids before number *end* and their lines; ends where the rest was pruned since.

    Lines that have none of the texts *having* may be left out.
    """
    try:
        if having and index.is_in_file_order:
            yield from _search(index, end - 1, having, window_before)
        else:
            yield from _read_all(index, end, window_before)
    except LookupError:
        return


def _read_all(
    index: LineIndex, end: int, window_before: WindowBefore
) -> Iterator[tuple[str, bytes]]:
    ids, span, window, start = index.ids, index.span, b"", 0
    for position in range(end - 1, -1, -1):
        name = ids[position]
        offset, length = span(name)
        at = offset - start
        if not 0 <= at < len(window):
            window, start = window_before(name)
            at = offset - start
        yield name, window[at : at + length]


def _search(
    index: LineIndex, number: int, having: Sequence[bytes], window_before: WindowBefore
) -> Iterator[tuple[str, bytes]]:
    """Yield the lines up to one *number* that have one of some texts."""
    ids = index.ids
    while number >= 0:
        window, start = window_before(ids[number])
        last = [window.rfind(text) for text in having]
        while (found := max(last)) >= 0:
            at = index.number_at(start + found)
            if at < 0:
                return  # only contents are left, without their operations
            name = ids[at]
            offset, length = index.span(name)
            if offset < start:
                break  # the window has only a part of it
            end = offset + length - start
            if found < end:  # else it is in a line that is no operation
                end = offset - start
                yield name, window[end : end + length]
            for which, text in enumerate(having):
                if last[which] >= end:
                    last[which] = window.rfind(text, 0, end)
        number = index.number_at(start - 1)

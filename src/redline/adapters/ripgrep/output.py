"""Takes ripgrep's output as it comes: exact totals, and the first lines in path order.

With `--heading --null --line-number [--column]` a file is `./path NUL` and then `12:5:text` for a
match or `11-text` for context, with an empty line between files. Every search path is given as
`./...`, so an empty line followed by `./` begins the next file. A notice about a binary file is a
line `./path: binary file matches ...`, alone or after the lines of that file.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_NEXT_FILE = b"\n\n./"
_ROOM = 32 << 20
# A line that begins so tells no line of a file.
_NO_LINE = b"\n./"
_NOTICE = re.compile(
    rb"\n+\./(.*?): (?:binary file matches|WARNING: stopped searching binary file after match)"
    rb' \(found "\\0" byte around offset \d+\)(?=\n|\Z)',
    re.DOTALL,
)
_COUNT = re.compile(rb"\./([^\0]*)\0(\d+)\r?\n")
_DIGITS = b"0123456789"
_MORE = re.compile(rb"\n\d+:")


class Collector:
    """Takes output in pieces; of files that lie after the first *limit* lines only counts stay.

    `total` counts matching lines. `binary` names the files about which there was a notice; their
    lines are left out. So are files that *wanted* refuses and, with *utf8_only*, those of which
    other bytes would be shown, `spoiled` lines in all. *crlf*: ripgrep ran with that flag.
    """

    def __init__(
        self,
        limit: int,
        wanted: Callable[[str], bool] | None = None,
        *,
        utf8_only: bool = False,
        context: bool = False,
        crlf: bool = False,
    ) -> None:
        self._limit = limit
        self._crlf = crlf
        self._wanted = wanted
        self._utf8_only = utf8_only
        self._context = context
        self._tail = b"\n\n"
        self._path: bytes | None = None
        self._open: _Open | None = None
        self._files: list[tuple[str, bytes, bytes, int]] = []
        self._kept = self._size = 0
        self._room = _ROOM
        self._last_key: str | None = None
        self.total = self.spoiled = 0
        self.binary: list[bytes] = []

    def feed(self, piece: bytes) -> None:
        """Take the next piece of output."""
        data = self._tail + piece
        if self._crlf:
            # So it ends the empty lines of a run in path order; no line of a file begins so.
            data = data.replace(b"\n\r\n", b"\n\n")
        stop = data.rfind(b"\n")
        # What follows the last lines is left for later: notices, and a name that may go on after
        # a line break.
        name = data.find(_NO_LINE, data.rfind(b"\0", 0, stop) + 1, stop)
        if name >= 0:
            stop = name
        if data[stop - 1 : stop] == b"\n":
            stop -= 1
        self._take(data[:stop])
        self._tail = data[stop:]

    def close(self, *, complete: bool = True) -> None:
        """There is no more; without *complete* the last line was cut off and is left away."""
        is_binary = complete and self._apart(self._tail.removesuffix(b"\n"), b"")[2]
        self._finish(is_binary=is_binary)

    def files(self) -> list[tuple[str, bytes]]:
        """Paths with what was written about each, in path order."""
        self._prune()
        return [(path.decode("utf-8", "surrogateescape"), body) for _, path, body, _ in self._files]

    def _take(self, text: bytes) -> None:
        """Whole lines. They are taken apart at NUL: each ends the name of the next file."""
        *pieces, last = text.split(b"\0")
        takes_all = self._wanted is None and not self._context
        is_quick = takes_all and (not self._utf8_only or text.isascii())
        for piece in pieces:
            at = piece.rfind(_NEXT_FILE)
            path = self._path
            # There are tens of thousands: a plain file goes the short way.
            if (
                is_quick
                and at > 0
                and path is not None
                and self._open is None
                and piece[piece.rfind(b"\n", 0, at) + 1] in _DIGITS
            ):
                self._keep(path, piece, at, piece.count(b"\n", 0, at) + 1)
                self._path = piece[at + len(_NEXT_FILE) :]
            elif at < 0:
                self._extend(piece + b"\0")  # it is within a line
            else:
                self._turn(piece[:at], piece[at + len(_NEXT_FILE) :])
        if last:
            self._extend(last)

    def _turn(self, body: bytes, name: bytes) -> None:
        """The rest of the present file, and the name of the next."""
        body, name, is_binary = self._apart(body, name)
        if self._open is not None:
            self._extend(body)
            self._finish(is_binary=is_binary)
        elif self._path is not None:
            self._add(self._path, body, self._count(body), is_binary=is_binary)
        self._path = name

    def _apart(self, body: bytes, name: bytes) -> tuple[bytes, bytes, bool]:
        """The lines and the next name, where notices may come between them, or a part of it.

        The last is whether there is a notice about the present file.
        """
        start = body.find(_NO_LINE)
        if start < 0:
            return body, name, False
        is_binary, stop = False, start
        for notice in _NOTICE.finditer(body, start):
            stop = notice.end()
            if notice[1] == self._path:
                is_binary = True
            elif self._is_wanted(notice[1]):
                self.binary.append(notice[1])
        if stop < len(body):  # the name holds what looks like the start of a file
            name = body[stop:].lstrip(b"\n").removeprefix(b"./") + _NEXT_FILE + name
        return body[:start].removesuffix(b"\n"), name, is_binary

    def _extend(self, lines: bytes) -> None:
        """More of the present file; beyond the limit its lines are only counted."""
        file = self._open
        if file is None:
            self._open = _Open(lines, self._count(lines))
            return
        if file.count > self._limit:
            file.spoiled |= self._utf8_only and not _is_utf8(lines)
        else:
            file.body += lines
        file.count += len(_MORE.findall(lines)) if self._context else lines.count(b"\n")

    def _count(self, lines: bytes) -> int:
        """How many of a file's first lines match."""
        if self._context:
            return len(_MORE.findall(b"\n" + lines))
        return lines.count(b"\n") + 1

    def _finish(self, *, is_binary: bool) -> None:
        """The open file is complete."""
        file, self._open = self._open, None
        if file is not None and self._path is not None:
            self._add(self._path, file.body, file.count, is_binary=is_binary, spoiled=file.spoiled)

    def _add(
        self, path: bytes, body: bytes, count: int, *, is_binary: bool, spoiled: bool = False
    ) -> None:
        """One file, and how many of its lines match."""
        if not self._is_wanted(path):
            return
        if is_binary:
            self.binary.append(path)
            return
        if self._utf8_only and (spoiled or not _is_utf8(body)):
            self.spoiled += count
            return
        self._keep(path, body, len(body), count)

    def _keep(self, path: bytes, text: bytes, stop: int, count: int) -> None:
        """A file and its lines, which are *text* up to *stop*, unless enough lie before it."""
        self.total += count
        # As Latin-1 texts compare like bytes, only faster.
        key = path.decode("latin-1").replace("/", "\0")
        if self._last_key is not None and key > self._last_key:
            return
        self._files.append((key, path, text[:stop], count))
        self._kept += count
        self._size += stop
        if self._kept > 8 * self._limit + 1024 or self._size > self._room:
            self._prune()
            self._size = sum(len(body) for _, _, body, _ in self._files)
            self._room = max(_ROOM, 2 * self._size)

    def _is_wanted(self, path: bytes) -> bool:
        return self._wanted is None or self._wanted(path.decode("utf-8", "surrogateescape"))

    def _prune(self) -> None:
        self._files.sort()
        enough = 0
        for index, (key, _, _, count) in enumerate(self._files):
            enough += count
            if enough >= self._limit:
                del self._files[index + 1 :]
                self._kept = enough
                self._last_key = key
                return


class _Open:
    """The file that is being written about, with its first lines."""

    __slots__ = ("body", "count", "spoiled")

    def __init__(self, body: bytes, count: int) -> None:
        self.body = body
        self.count = count
        self.spoiled = False


class Counter:
    """Adds up what `--count --null` writes: `./path NUL 12` for each file."""

    def __init__(self, wanted: Callable[[str], bool] | None) -> None:
        self._wanted = wanted
        self._tail = b""
        self.total = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of output."""
        data = self._tail + piece
        stop = 0
        for found in _COUNT.finditer(data):
            stop = found.end()
            path, count = found.groups()
            if self._wanted is None or self._wanted(path.decode("utf-8", "surrogateescape")):
                self.total += int(count)
        self._tail = data[stop:]


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True

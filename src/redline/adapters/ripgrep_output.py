"""Reads ripgrep's output as it comes: exact totals, and only the first lines in path order kept.

The format is `--heading --null --line-number --column`: `./path NUL` and then lines
`12:5:text` (a match) or `11-text` (context), with an empty line between files. Every search path
is given as `./...`, so an empty line followed by `./` can only be the start of the next file.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_NEXT_FILE = b"\n\n./"
_MATCH_LINE = re.compile(rb"^\d+:", re.MULTILINE)
_LINE = re.compile(rb"(\d+)(?:-|:(\d+):)(.*)", re.DOTALL)
_NOTICE = re.compile(
    rb"^\./[^\0\n]*: (?:WARNING: stopped searching )?binary file .*\n?", re.MULTILINE
)
_LONGEST_BLOCK = 4 << 20
_OMITTED = re.compile(rb" \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long line)\]\Z")


class HitCollector:
    """Takes output in pieces; keeps the first `limit` matching lines in path order."""

    def __init__(
        self,
        limit: int,
        longest_line: int,
        *,
        context: bool,
        utf8_only: bool,
        wanted: Callable[[str], bool] | None,
    ) -> None:
        self._limit = limit
        self._longest_line = longest_line
        self._context = context
        self._utf8_only = utf8_only
        self._wanted = wanted
        self._buffer = b""
        self._path: bytes | None = None
        self._head = b""
        self._partial = 0
        self._kept: list[tuple[bytes, bytes, bytes, int]] = []
        self._kept_matches = 0
        self._last_key: bytes | None = None
        self.total = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of output."""
        pieces = (self._buffer + piece).split(_NEXT_FILE)
        self._buffer = pieces.pop()
        for text in pieces:
            self._close(text + b"\n")
        if len(self._buffer) > _LONGEST_BLOCK:
            self._shorten()

    def finish(self) -> None:
        """No more output will come."""
        if self._buffer:
            self._close(self._buffer)
        self._buffer = b""

    def _shorten(self) -> None:
        """Keep the beginning of a block that grows without end, count the rest."""
        cut = self._buffer.rfind(b"\n", 0, len(self._buffer) - len(_NEXT_FILE)) + 1
        if cut <= 0:
            return
        done, self._buffer = self._buffer[:cut], self._buffer[cut:]
        if self._path is None:
            path, _, self._head = done.partition(b"\0")
            self._path = path
            self._partial = self._count(self._head)
        else:
            self._partial += self._count(done)

    def _close(self, text: bytes) -> None:
        """One file's output is complete."""
        if self._path is None:
            path, _, data = text.partition(b"\0")
            count = self._count(data)
        else:
            path, data = self._path, self._head
            count = self._partial + self._count(text)
            self._path, self._head, self._partial = None, b"", 0
        if b"binary file" in data:
            data, notices = _NOTICE.subn(b"", data)
            count -= notices if not self._context else 0
        if count > 0 and self._passes(path, data):
            self.total += count
            self._keep(path.removeprefix(b"./"), data, count)

    def _passes(self, path: bytes, data: bytes) -> bool:
        if self._utf8_only and not _is_utf8(data):
            return False
        if self._wanted is None:
            return True
        return self._wanted(path.removeprefix(b"./").decode("utf-8", "surrogateescape"))

    def _count(self, data: bytes) -> int:
        if self._context:
            return len(_MATCH_LINE.findall(data))
        return data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)

    def _keep(self, path: bytes, data: bytes, count: int) -> None:
        key = path.replace(b"/", b"\0")
        if self._last_key is not None and key > self._last_key:
            return
        self._kept.append((key, path, data, count))
        self._kept_matches += count
        if self._kept_matches > 4 * self._limit + 64:
            self._prune()

    def _prune(self) -> None:
        """Drop the files that cannot be among the first `limit` lines any more."""
        self._kept.sort()
        enough = 0
        for index, (_, _, _, count) in enumerate(self._kept):
            enough += count
            if enough >= self._limit:
                del self._kept[index + 1 :]
                self._last_key = self._kept[-1][0]
                break
        self._kept_matches = min(enough, self._limit)

    def hits(self) -> list[tuple[str, list[tuple[int, int, str]]]]:
        """Files in path order, each with (line, column or 0 for context, text)."""
        self._prune()
        left = self._limit
        found = []
        for _, path, data, _ in self._kept:
            if left <= 0:
                break
            lines, used = _parse(data, left, self._longest_line)
            left -= used
            if lines:
                found.append((path.decode("utf-8", "surrogateescape"), lines))
        return found


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _parse(data: bytes, limit: int, longest: int) -> tuple[list[tuple[int, int, str]], int]:
    """The lines of one file up to *limit* matches, with the context that belongs to them."""
    lines: list[tuple[int, int, str]] = []
    used = 0
    for raw in data.split(b"\n"):
        found = _LINE.match(raw)
        if not found:
            continue
        number, column, text = found.groups()
        if len(text) > longest:
            text = _OMITTED.sub(b"", text)
        if column is not None:
            if used == limit:
                break
            used += 1
        line = _decode(text)
        where = 0 if column is None else _character(text, int(column))
        lines.append((int(number), where, line))
    return lines, used


def _decode(text: bytes) -> str:
    return text.removesuffix(b"\r").decode("utf-8", "surrogateescape")


def _character(text: bytes, column: int) -> int:
    """A 1-based byte column as a 1-based character column."""
    if text.isascii():
        return column
    before = text[: column - 1]
    return len(before.decode("utf-8", "surrogateescape")) + 1 + max(0, column - 1 - len(before))

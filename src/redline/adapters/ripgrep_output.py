"""Reads ripgrep's output: counts per file as they come, then the lines of the files that matter.

Counts (`--count --null`) are `./path NUL 12`; lines (`--heading --null --line-number --column`) are
`./path NUL` and then `12:5:text` for a match or `11-text` for context, with an empty line between
files. Every search path is given as `./...`, so an empty line followed by `./` can only be the
start of the next file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

_COUNT = re.compile(rb"\./(.*?)\0(\d+)\r?\n", re.DOTALL)
_NEXT_FILE = b"\n\n./"
_LINE = re.compile(rb"(\d+)(?:-|:(\d+):)(.*)", re.DOTALL)
_MATCHES = re.compile(rb"^\d+:", re.MULTILINE)
_NOTICES = (b"binary file matches (found", b"WARNING: stopped searching binary file")
_OMITTED = re.compile(rb" \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long line)\]\Z")

Hit: TypeAlias = tuple[int, int, str]
"""Line number, column (0 for context), text."""


class CountCollector:
    """Takes counts in pieces: an exact total, and the first files in path order.

    Memory is bounded: files that lie behind twice *limit* matching lines are only counted.
    """

    def __init__(self, limit: int, wanted: Callable[[str], bool] | None) -> None:
        self._limit = limit
        self._wanted = wanted
        self._buffer = b""
        self._files: list[tuple[bytes, bytes, int]] = []
        self._kept = 0
        self._last_key: bytes | None = None
        self.total = 0

    def feed(self, piece: bytes) -> None:
        """Take the next piece of output."""
        text = self._buffer + piece
        stop = 0
        for found in _COUNT.finditer(text):
            stop = found.end()
            path, digits = found.groups()
            if self._wanted is None or self._wanted(path.decode("utf-8", "surrogateescape")):
                count = int(digits)
                self.total += count
                self._keep(path, count)
        self._buffer = text[stop:]

    def _keep(self, path: bytes, count: int) -> None:
        key = path.replace(b"/", b"\0")
        if self._last_key is not None and key > self._last_key:
            return
        self._files.append((key, path, count))
        self._kept += count
        if self._kept > 8 * self._limit + 1024:
            self._prune()

    def _prune(self) -> None:
        self._files.sort()
        enough = 0
        for index, (key, _, count) in enumerate(self._files):
            enough += count
            if enough >= 2 * self._limit:
                del self._files[index + 1 :]
                self._kept = enough
                self._last_key = key
                return

    def files(self) -> list[tuple[bytes, int]]:
        """Paths with their counts, in path order."""
        self._prune()
        return [(path, count) for _, path, count in self._files]


def file_blocks(output: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each file's path, and its lines as they were written."""
    for block in output.removeprefix(b"./").split(_NEXT_FILE):
        path, _, data = block.partition(b"\0")
        if data:
            yield path, data


def split_files(
    output: bytes, wanted: Callable[[str], bool] | None, *, text: bool
) -> tuple[dict[bytes, bytes], list[tuple[bytes, int]]] | None:
    """The lines of each file, and counts of matching lines in path order.

    None where a file was named twice or, without *text*, a notice says that one is binary.
    """
    if not text and any(notice in output for notice in _NOTICES):
        return None
    found = list(file_blocks(output))
    blocks = dict(found)
    if len(blocks) < len(found):
        return None
    paths = sorted(blocks, key=lambda path: path.replace(b"/", b"\0"))
    if wanted is not None:
        paths = [path for path in paths if wanted(path.decode("utf-8", "surrogateescape"))]
    return blocks, [(path, len(_MATCHES.findall(blocks[path]))) for path in paths]


def parse_hits(
    blocks: Iterable[tuple[bytes, bytes]], longest_line: int, *, utf8_only: bool
) -> Iterator[tuple[bytes, list[Hit]]]:
    """Each file's lines; files whose lines are not UTF-8 are left out with *utf8_only*."""
    for path, data in blocks:
        if not utf8_only or _is_utf8(data):
            yield path, list(_lines(data, longest_line))


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _lines(data: bytes, longest: int) -> Iterator[Hit]:
    for raw in data.split(b"\n"):
        found = _LINE.match(raw)
        if not found:
            continue  # a notice such as "binary file matches"
        number, column, text = found.groups()
        if len(text) > longest:
            text = _OMITTED.sub(b"", text)
        where = 0 if column is None else _character(text, int(column))
        yield int(number), where, text.removesuffix(b"\r").decode("utf-8", "surrogateescape")


def _character(text: bytes, column: int) -> int:
    """A 1-based byte column as a 1-based character column."""
    if text.isascii():
        return column
    before = text[: column - 1]
    return len(before.decode("utf-8", "surrogateescape")) + 1 + max(0, column - 1 - len(before))

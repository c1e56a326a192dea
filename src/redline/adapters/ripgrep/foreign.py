"""Searching text that is not UTF-8.

ripgrep lists the files that cannot be UTF-8 text, or look like UTF-16 or UTF-32, in one pass that
decodes nothing. Those few are opened as every tool opens them (`core.encodings`); what is text is
searched as UTF-8, many files in one stream. What was found out about a file is kept while its size
and times stay the same.
"""

from __future__ import annotations

import os
import tempfile
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from redline.adapters.ripgrep.lines import LineParser
from redline.adapters.ripgrep.process import RipgrepProcesses, Running
from redline.adapters.ripgrep.search import ALWAYS, Work, line_flags, pattern_flags
from redline.core.encodings.opening import open_file
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.search import GrepLine, GrepQuery
from redline.core.ports.tree import Tree
from redline.core.textfile import TextFile

_MAX_FILE = 32 << 20
_BATCH = 16 << 20
_MAX_KNOWN = 100_000
_CONTINUATION = r"[\x80-\xBF]"
_OTHER = r"(?:[\x20-\x7F\xC0-\xFF\t\r]|$)"
# A line without control characters that holds a byte sequence which UTF-8 does not have.
_NOT_UTF8 = (
    r"^[^\x00-\x08\x0E-\x1A]*?(?:"
    r"[\xC0\xC1\xF5-\xFF]|\xE0[\x80-\x9F]|\xED[\xA0-\xBF]|\xF0[\x80-\x8F]|\xF4[\x90-\xBF]"
    rf"|[\x09-\x7F]{_CONTINUATION}|^{_CONTINUATION}"
    rf"|[\xC2-\xDF]{_CONTINUATION}{{2}}|[\xE0-\xEF]{_CONTINUATION}{{3}}"
    rf"|[\xF0-\xF4]{_CONTINUATION}{{4}}"
    rf"|[\xC2-\xF4]{_OTHER}|[\xE0-\xF4]{_CONTINUATION}{_OTHER}"
    rf"|[\xF0-\xF4]{_CONTINUATION}{{2}}{_OTHER})[^\x00-\x08\x0E-\x1A]*$"
)
# Byte order marks; letters of one script in pairs or fours of bytes; ideographs beside a line end.
_IDEOGRAPHS = r"[\x00\x30\x4E-\x9F\xAC-\xD7\xFF]"
_WIDE = (
    r"^\xFF\xFE|^\xFE\xFF|^\x00\x00\xFE\xFF"
    r"|(?:[\x09\x0D\x20-\x7E\xA0-\xFF]\x00){6}|(?:[^\n\x00]\x00{3}){4}|(?:[^\n\x00]{2}\x00\x00){4}"
    + "".join(rf"|(?:[^\n]\x{high:02X}){{5}}|(?:\x{high:02X}[^\n]){{5}}" for high in range(1, 7))
    + rf"|^\x00(?:[^\n]{_IDEOGRAPHS}){{4}}|(?:{_IDEOGRAPHS}[^\n]){{4}}\x00$"
)
_SUSPECT = f"(?-u)(?:{_NOT_UTF8}|{_WIDE})"


class _Version(NamedTuple):
    """What differs between two versions of a file."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class _Known(NamedTuple):
    """What was found out about one version of a file."""

    version: _Version
    is_text: bool


class ForeignFiles:
    """The files of the roots that are text in other encodings than UTF-8."""

    def __init__(self, tree: Tree, processes: RipgrepProcesses) -> None:
        self._tree = tree
        self._processes = processes
        self._known: dict[WorkspacePath, _Known] = {}

    @contextmanager
    def listing(self, work: Work, scope: Sequence[str]) -> Iterator[Running]:
        """Let ripgrep list where *work* searches what may be such a file."""
        flags = ["--files-with-matches", "--text", "--encoding=none", "--no-mmap", *scope]
        with work.start([*flags, f"--regexp={_SUSPECT}"]) as running:
            yield running

    def find(
        self, work: Work, running: Running, wanted: Callable[[str], bool] | None
    ) -> list[WorkspacePath]:
        """Return such files of a *running* listing, in path order."""
        pieces: list[bytes] = []
        work.finish(running, pieces.append)
        found = [os.fsdecode(name) for name in b"".join(pieces).split(b"\0") if name]
        names = [name.removeprefix("./") for name in found]
        wanted_names = [name for name in names if wanted is None or wanted(name)]
        versions = self._versions(work.root, wanted_names)
        return [
            path
            for name in sorted(versions, key=_order)
            if _has_time(work) and self._is_text(path := _path(work.root, name), versions[name])
        ]

    def is_known_text(self, path: WorkspacePath) -> bool:
        """Whether the last search found text in another encoding at *path*."""
        known = self._known.get(path)
        return known is not None and known.is_text

    def search(
        self, work: Work, paths: Sequence[WorkspacePath], query: GrepQuery
    ) -> tuple[list[GrepLine], int]:
        """Return the lines of *paths* that are wanted, in order, and how many match in all."""
        lines: list[GrepLine] = []
        for batch in self._batches(paths, query.context, work):
            lines += _search_batch(work, batch, query)
        return lines, sum(line.is_match for line in lines)

    def _versions(self, root: int, names: Sequence[str]) -> dict[str, _Version]:
        """Return what tells one version of each file from another; what is gone is left out."""
        directory = self._processes.directories[root]
        guard = self._processes.guard
        if isinstance(directory, int) and guard.confined:
            # There may be thousands, and inside the guard a plain stat leads nowhere else.
            found = guard.run(lambda: {name: _stat_below(directory, name) for name in names})
        else:
            found = {name: self._stat(_path(root, name)) for name in names}
        return {name: version for name, version in found.items() if version is not None}

    def _stat(self, path: WorkspacePath) -> _Version | None:
        entry = self._tree.stat(path)
        if entry is None:
            return None
        return _Version(*entry.identity, entry.size, entry.mtime_ns, entry.ctime_ns)

    def _is_text(self, path: WorkspacePath, version: _Version) -> bool:
        known = self._known.get(path)
        if known is None or known.version != version:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            file = self._open(path) if version.size <= _MAX_FILE else None
            known = self._known[path] = _Known(version, file is not None and file.is_foreign)
        return known.is_text

    def _open(self, path: WorkspacePath) -> TextFile | None:
        try:
            return open_file(self._tree, path, self._tree.read(path, _MAX_FILE))
        except RedlineError:
            return None

    def _batches(
        self, paths: Sequence[WorkspacePath], context: int, work: Work
    ) -> Iterator[_Stream]:
        """Return the texts in streams of some megabytes."""
        stream = _Stream(context)
        for path in paths:
            file = self._open(path) if _has_time(work) else None
            if file is None or not file.is_foreign:
                continue
            stream.add(path, file.view)
            if len(stream.content) >= _BATCH:
                yield stream
                stream = _Stream(context)
        if stream.content:
            yield stream


class _Stream:
    """Several texts one after the other, with lines between them that belong to none."""

    def __init__(self, gap: int) -> None:
        self._gap = b"\n" * gap
        self._starts: list[int] = []
        self._files: list[tuple[WorkspacePath, int]] = []
        self._next = 0
        self.content = bytearray()

    def add(self, path: WorkspacePath, text: bytes) -> None:
        """Append a text."""
        self.content += text
        if not text.endswith(b"\n"):
            self.content += b"\n"
        count = text.count(b"\n") + (not text.endswith(b"\n"))
        self._starts.append(self._next)
        self._files.append((path, count))
        self.content += self._gap
        self._next += count + len(self._gap)

    def locate(self, number: int) -> tuple[WorkspacePath, int] | None:
        """Return the file and line of the stream's line *number*, from 1."""
        at = bisect_right(self._starts, number - 1) - 1
        path, count = self._files[at]
        line = number - self._starts[at]
        return (path, line) if line <= count else None


def _has_time(work: Work) -> bool:
    """Whether *work* may go on; what is left undone then is late. Cancelled."""
    work.cancel.check()
    work.late |= time.monotonic() > work.ends
    return not work.late


def _search_batch(work: Work, stream: _Stream, query: GrepQuery) -> Iterator[GrepLine]:
    output = bytearray()
    flags = [*line_flags(query, columns=query.columns), *pattern_flags(query)]
    last = ("--text", "--encoding=none", "--no-filename", "--no-heading")
    with _as_input(bytes(stream.content)) as source:
        flags = [*ALWAYS, *flags, *last]
        with work.processes.start(work.root, flags, (), ["-"], source) as running:
            work.finish(running, output.extend)
    parser = LineParser(query.longest_line, columns=query.columns, context=query.context > 0)
    for _, number, column, text in parser.hits([("", bytes(output).removesuffix(b"\n"))]):
        found = stream.locate(number)
        if found is not None:
            path, line = found
            relative = "/".join(path.parts)
            yield GrepLine(path.root, relative, line, text, column != 0, column)


@contextmanager
def _as_input(content: bytes) -> Iterator[int]:
    """Yield a descriptor that a process can read *content* from; nothing is left behind."""
    in_memory = hasattr(os, "memfd_create")
    with (
        os.fdopen(os.memfd_create("redline-input"), "w+b")
        if in_memory
        else tempfile.TemporaryFile()
    ) as file:
        file.write(content)
        file.seek(0)
        yield file.fileno()


def _stat_below(directory: int, name: str) -> _Version | None:
    try:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return None
    facts = (found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return _Version(found.st_dev, found.st_ino, *facts)


def _path(root: int, name: str) -> WorkspacePath:
    return WorkspacePath(root, tuple(name.split("/")))


def _order(name: str) -> bytes:
    return os.fsencode(name).replace(b"/", b"\0")


def merge(
    own: Sequence[GrepLine], foreign: Sequence[GrepLine], matches: int
) -> tuple[GrepLine, ...]:
    """Return the lines of both in path order, up to *matches* that match."""
    lines = sorted((*own, *foreign), key=lambda line: (_order(line.path), line.line))
    for index, line in enumerate(lines):
        matches -= line.is_match
        if matches < 0:
            return tuple(lines[:index])
    return tuple(lines)

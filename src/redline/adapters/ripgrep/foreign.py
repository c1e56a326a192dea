"""Searching text that is not UTF-8.

Of the files that may match (`candidates`), those that hold NUL or are not UTF-8 are opened as every
tool opens them (`core.encodings`); what is text is searched as UTF-8, many files in one stream.
What was found out about such a file is kept while its size and times stay the same.
"""

from __future__ import annotations

import os
import tempfile
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from redline.adapters.ripgrep.file_facts import MAX_FILE, FileInspector, FileVersion, UnplainFile
from redline.adapters.ripgrep.flags import ALWAYS, line_flags, pattern_flags, scope_flags
from redline.adapters.ripgrep.lines import LineParser
from redline.adapters.ripgrep.process import Running
from redline.adapters.ripgrep.search import Enough, Work, path_test
from redline.core.encodings.opening import open_file
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.search import GrepLine, GrepQuery
from redline.core.ports.tree import Tree
from redline.core.textfile import TextFile, is_utf8

_BATCH = 16 << 20
_MAX_KNOWN = 100_000
# How many files are read before time and cancellation are looked at again.
_AT_ONCE = 64
# A file that changed less than this ago may change again without a sign of it.
_SETTLED_NS = 100_000_000
# Lists files with a line that holds NUL or is not UTF-8.
_LISTS = (
    *("--files-with-matches", "--text", "--encoding=none", "--no-mmap"),
    *("--invert-match", "--line-regexp", r"--regexp=[^\x00]*"),
)


class Known(NamedTuple):
    """What was found out about one version of a file."""

    version: FileVersion
    is_text: bool
    # It begins with NUL among other bytes, and neither we nor ripgrep read it as text.
    is_binary: bool


class ForeignFiles:
    """The files of the roots that are text in other encodings than UTF-8."""

    def __init__(self, tree: Tree, facts: FileInspector) -> None:
        self._tree = tree
        self._facts = facts
        self._known: dict[tuple[int, str], Known] = {}

    @contextmanager
    def listing(self, work: Work, scope: Sequence[str]) -> Iterator[Running]:
        """Let ripgrep list where *work* searches what may be such a file."""
        with work.start([*_LISTS, *scope]) as running:
            yield running

    def find(
        self, work: Work, running: Running, wanted: Callable[[str], bool] | None
    ) -> list[WorkspacePath]:
        """Return such files of a *running* listing, in path order."""
        pieces: list[bytes] = []
        work.finish(running, pieces.append)
        names = _names_in(b"".join(pieces))
        return self.among(work, [name for name in names if wanted is None or wanted(name)])

    def is_before(self, work: Work, last: str, query: GrepQuery) -> bool:
        """Return whether such a file comes in path order before the file *last* or is that file."""
        listed = b""

        def feed(piece: bytes) -> None:
            nonlocal listed
            listed += piece
            if os.fsencode(f"./{last}") + b"\0" in listed:
                raise Enough

        with (
            suppress(Enough),
            work.start(["--files", "--sort=path", *scope_flags(query)]) as running,
        ):
            work.finish(running, feed)
        names = _names_in(listed)
        wanted = path_test(query, work.root)
        before = names[: names.index(last) + 1] if last in names else names
        return bool(self.among(work, [name for name in before if wanted is None or wanted(name)]))

    def among(self, work: Work, names: Sequence[str]) -> list[WorkspacePath]:
        """Return which of the files *names* are such, in path order."""
        return self.look(work).texts(names)

    def look(self, work: Work) -> FilesSeen:
        """Return what looks into files for one search."""
        return FilesSeen(work, self)

    def look_into(self, work: Work, names: Sequence[str]) -> dict[str, Known]:
        """Return what the files *names* are now, without those that are plain."""
        root = work.root
        known = {name: old for name in names if (old := self._known.get((root, name)))}
        versions = self._facts.versions(root, list(known))
        seen = {name: old for name, old in known.items() if old.version == versions.get(name)}
        new = [name for name in names if name not in seen]
        for start in range(0, len(new), _AT_ONCE):
            if not _has_time(work):
                break
            found = self._facts.not_plain(root, new[start : start + _AT_ONCE])
            for name in new[start : start + _AT_ONCE]:
                self._known.pop((root, name), None)
            for name, facts in found.items():
                seen[name] = self._remember(root, name, facts)
        return seen

    def is_known_text(self, root: int, name: str) -> bool:
        """Whether the last search found text in another encoding there."""
        known = self._known.get((root, name))
        return known is not None and known.is_text

    def search(
        self, work: Work, paths: Sequence[WorkspacePath], query: GrepQuery
    ) -> tuple[list[GrepLine], int]:
        """Return the lines of *paths* that are wanted, in order, and how many match in all."""
        lines: list[GrepLine] = []
        for batch in self._batches(paths, query.context, work):
            lines += _search_batch(work, batch, query)
        return lines, sum(line.is_match for line in lines)

    def _remember(self, root: int, name: str, facts: UnplainFile) -> Known:
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        file = None if facts.is_binary else self._open(_path(root, name))
        version = facts.version
        if time.time_ns() - version.ctime_ns < _SETTLED_NS:
            version = version._replace(ctime_ns=-1)
        is_binary = facts.is_binary or (file is not None and _is_binary(file))
        known = self._known[root, name] = Known(version, _is_foreign_text(file), is_binary)
        return known

    def _open(self, path: WorkspacePath) -> TextFile | None:
        try:
            return open_file(self._tree, path, self._tree.read(path, MAX_FILE))
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


class FilesSeen:
    """What one search has found out about files; it looks into each of them once."""

    def __init__(self, work: Work, files: ForeignFiles) -> None:
        self._work = work
        self._files = files
        # None for what is plain.
        self._seen: dict[str, Known | None] = {}

    def texts(self, names: Sequence[str]) -> list[WorkspacePath]:
        """Return which of the files are text in another encoding, in path order."""
        self._look_into(names)
        texts = (name for name in names if (seen := self._seen[name]) and seen.is_text)
        return [_path(self._work.root, name) for name in sorted(texts, key=path_order)]

    def without_binary(self, names: Sequence[str]) -> list[str]:
        """Return the files that do not begin with NUL, or are text all the same."""
        self._look_into(names)
        return [name for name in names if not ((seen := self._seen[name]) and seen.is_binary)]

    def _look_into(self, names: Sequence[str]) -> None:
        new = [name for name in names if name not in self._seen]
        self._seen |= dict.fromkeys(new) | self._files.look_into(self._work, new)


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


def _names_in(listed: bytes) -> list[str]:
    """Return the paths in a listing of ripgrep's, each with a NUL behind it."""
    found = (os.fsdecode(name) for name in listed.split(b"\0")[:-1])
    return [name.removeprefix("\n").removeprefix("./") for name in found]


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


def _is_foreign_text(file: TextFile | None) -> bool:
    # What declares another encoding and is valid UTF-8 is searched as UTF-8.
    return file is not None and file.is_foreign and (b"\0" in file.raw or not is_utf8(file.raw))


def _is_binary(file: TextFile) -> bool:
    return file.is_binary and not file.raw.startswith((b"\xff\xfe", b"\xfe\xff"))


def _path(root: int, name: str) -> WorkspacePath:
    return WorkspacePath(root, tuple(name.split("/")))


def path_order(name: str) -> bytes:
    """What sorts paths as ripgrep does."""
    return os.fsencode(name).replace(b"/", b"\0")


def merge(
    own: Sequence[GrepLine], foreign: Sequence[GrepLine], matches: int
) -> tuple[GrepLine, ...]:
    """Return the lines of both in path order, up to *matches* that match."""
    lines = sorted((*own, *foreign), key=lambda line: (path_order(line.path), line.line))
    for index, line in enumerate(lines):
        matches -= line.is_match
        if matches < 0:
            return tuple(lines[:index])
    return tuple(lines)

"""Search texts that the tree has read, many of them in one run of ripgrep.

That is text in other encodings, and everything where the kernel does not keep ripgrep in the roots:
it opens by name, and follows a link that another program put there in the meantime. Then it only
lists which files may match, and the tree, which follows no link, reads them.
"""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from redline.adapters.ripgrep.flags import ALWAYS, line_flags, pattern_flags
from redline.adapters.ripgrep.other_encodings import MAX_FILE, has_wide_mark, is_decoded, path_below
from redline.adapters.ripgrep.search import Hit, LineParser, Work
from redline.core.encodings.opening import open_file
from redline.core.errors import RedlineError, TooLarge
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Binary, GrepLine, GrepQuery, GrepResult
from redline.core.ports.tree import Tree
from redline.core.records import dataclass, field, replace
from redline.core.textfile import BOM

# How long a stream may get.
BATCH = 16 << 20
Locate = Callable[[int], tuple[WorkspacePath, int] | None]


class TextStream:
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


def search_stream(work: Work, stream: TextStream, query: GrepQuery) -> Iterator[GrepLine]:
    """Yield the lines of the texts in *stream* that are wanted, in order."""
    with _as_input(bytes(stream.content)) as source:
        return search_input(work, source, query, stream.locate, ["--encoding=none"])


def check_by_ripgrep(work: Work, query: GrepQuery) -> None:
    """Raise InvalidPattern for a pattern that ripgrep refuses."""
    with _as_input(b"") as source:
        flags = [*ALWAYS, *pattern_flags(query)]
        with work.processes.start(work.root, flags, (), ["-"], source) as running:
            work.finish(running, lambda _: None)


def search_input(
    work: Work, source: int, query: GrepQuery, locate: Locate, more: Sequence[str] = ()
) -> Iterator[GrepLine]:
    """Yield the lines of what *source* holds; *locate* names the file and line of each."""
    output = bytearray()
    flags = [*ALWAYS, *line_flags(query, columns=query.columns), *pattern_flags(query)]
    flags += ["--text", "--no-filename", "--no-heading", *more]
    with work.processes.start(work.root, flags, (), ["-"], source) as running:
        work.finish(running, output.extend)
    parser = LineParser(query.longest_line, columns=query.columns, context=query.context > 0)
    hits = parser.hits([("", bytes(output).removesuffix(b"\n"))])
    return _locate_hits(hits, locate)


def _locate_hits(hits: Sequence[Hit], locate: Locate) -> Iterator[GrepLine]:
    for _, number, column, text in hits:
        found = locate(number)
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


_PIECE = 1 << 20


@dataclass(slots=True)
class TreeSearch:
    """The first *limit* lines of files in path order, and how many there are.

    Where nothing is to be counted, more than *much* of them are merely more than the limit.
    """

    tree: Tree
    work: Work
    query: GrepQuery
    limit: int
    much: int
    _lines: list[GrepLine] = field(default_factory=list)
    _binary: list[WorkspacePath] = field(default_factory=list)
    _total: int = 0
    _is_counted: bool = True

    def run(self, names: Sequence[str]) -> GrepResult:
        """Search the files *names*, which are in path order. InvalidPattern, Cancelled."""
        text, binary = TextStream(self.query.context), TextStream(0)
        for name in names:
            if not self.work.has_time() or self._is_much():
                break
            path = path_below(self.work.root, name)
            try:
                self._sort(path, self.tree.read(path, MAX_FILE), text, binary)
            except TooLarge:
                text = self._search(text)
                self._search_large(path)
            except RedlineError:
                continue  # it is gone, or no file any more
            if len(text.content) >= BATCH:
                text = self._search(text)
            if len(binary.content) >= BATCH:
                binary = self._name(binary)
        self._search(text)
        self._name(binary)
        is_much = self._is_much()
        return GrepResult(
            tuple(self._lines),
            self.limit + 1 if is_much else self._total,
            self.work.late,
            tuple(self._binary),
            self._is_counted and not is_much,
        )

    def _is_much(self) -> bool:
        return not self.query.counts and self._total > self.much

    def _sort(self, path: WorkspacePath, raw: bytes, text: TextStream, binary: TextStream) -> None:
        """Add a file, as ripgrep would read it, to what is searched or to what is only named."""
        file, kind = open_file(self.tree, path, raw), self.query.binary
        if not raw:
            return
        if is_decoded(file):
            text.add(path, file.view)
        elif has_wide_mark(raw) and kind is not Binary.NAME:
            text.add(path, raw.decode("utf-16", "replace").encode("utf-8", "replace"))
        elif kind is Binary.TEXT or b"\0" not in raw:
            text.add(path, raw.removeprefix(BOM))
        elif kind is Binary.NAME:
            binary.add(path, raw.replace(b"\0", b"\n"))  # which is how ripgrep splits it

    def _search(self, stream: TextStream) -> TextStream:
        """Search what is gathered; return room for more."""
        if stream.content:
            self._take(search_stream(self.work, stream, self.query))
        return TextStream(self.query.context)

    def _name(self, stream: TextStream) -> TextStream:
        """Name the binary files in *stream* that match; return room for more."""
        if stream.content:
            query = replace(self.query, context=0)
            found = (line.place for line in search_stream(self.work, stream, query))
            self._binary += dict.fromkeys(found)
        return TextStream(0)

    def _search_large(self, path: WorkspacePath) -> None:
        """Search one file on its own, from a copy on disk; no more than *limit* lines count."""
        kind, at = self.query.binary, 0
        is_wide = has_wide_mark(self.tree.read_range(path, 0, 2))
        with tempfile.TemporaryFile() as copy:
            while self.work.has_time() and (piece := self.tree.read_range(path, at, _PIECE)):
                if b"\0" in piece and not is_wide and kind is not Binary.TEXT:
                    self._binary += [path] if kind is Binary.NAME else []
                    return
                at += len(piece)
                copy.write(piece)
            copy.seek(0)
            flags, before = [f"--max-count={self.limit + 1}"], self._total
            source = copy.fileno()
            self._take(search_input(self.work, source, self.query, lambda n: (path, n), flags))
            self._is_counted &= self._total - before <= self.limit

    def _take(self, found: Iterable[GrepLine]) -> None:
        """Keep the first lines, and count the others."""
        for line in self._without_spoiled(list(found)):
            self._total += line.is_match
            if self._total <= self.limit:
                self._lines.append(line)

    def _without_spoiled(self, lines: list[GrepLine]) -> Iterator[GrepLine]:
        spoiled = set()
        if self.query.utf8_only:
            spoiled = {line.path for line in lines if not _is_text(line.text)}
        return (line for line in lines if line.path not in spoiled)


def _is_text(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True

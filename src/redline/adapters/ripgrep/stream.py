"""Searches texts that are in memory, many of them in one run of ripgrep."""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from redline.adapters.ripgrep.flags import ALWAYS, line_flags, pattern_flags
from redline.adapters.ripgrep.lines import Hit, LineParser
from redline.adapters.ripgrep.search import Work
from redline.core.paths import WorkspacePath
from redline.core.ports.search import GrepLine, GrepQuery

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
    """The lines of the texts in *stream* that are wanted, in order."""
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
    """The lines of what *source* holds; *locate* names the file and line of each."""
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

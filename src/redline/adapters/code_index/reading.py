"""Reading files for the code index: their content, and by workers what is in it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from redline.code.analysis import Analysis
from redline.code.index.facts import MAX_FILE_BYTES, FileFacts
from redline.code.syntax.languages import Language
from redline.core.changes import digest_of
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Tree

# Bytes that a worker is given at once: asking for every file by itself costs more than parsing.
_CHUNK = 128 << 10
# At most as many as can all fail within one lease.
_CHUNK_FILES = 8
# From here on a second process to parse in is worth its start.
_MANY = 200
_PARSERS = 2
# Chunks that are read and parsed while others are stored; enough for the time a batch takes.
_AHEAD = 25


@dataclass(frozen=True, slots=True)
class Stale:
    """A file whose index entry is missing or old; `known` is its row id if it has one."""

    path: WorkspacePath
    language: Language
    size: int
    mtime_ns: int
    known: int | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SourceRead:
    """A file as it was read; without facts where only its time changed."""

    file: Stale
    digest: str
    content: bytes
    facts: FileFacts | None = None

    @property
    def needs_facts(self) -> bool:
        """Whether it must be parsed."""
        return self.facts is None and self.digest != self.file.digest


class SourceReader:
    """Reads and parses files; *between* is called from time to time."""

    def __init__(self, tree: Tree, analysis: Analysis, between: Callable[[], None]) -> None:
        self._tree, self._analysis, self._between = tree, analysis, between

    def read(self, stale: list[Stale], ends: float) -> Iterator[tuple[int, list[SourceRead]]]:
        """The files with their facts, in order and a few at a time; see `_chunks`.

        Where there are many, some are parsed while others are stored.
        """
        if len(stale) < _MANY:
            for passed, chunk in self._chunks(stale):
                yield passed, self._with_facts(chunk, ends)
            return
        pool = ThreadPoolExecutor(_PARSERS)
        ahead: deque[tuple[int, Future[list[SourceRead]]]] = deque()
        try:
            for passed, chunk in self._chunks(stale):
                ahead.append((passed, pool.submit(self._with_facts, chunk, ends)))
                if len(ahead) > _AHEAD:
                    yield self._wait(*ahead.popleft())
            while ahead:
                yield self._wait(*ahead.popleft())
        finally:
            pool.shutdown(cancel_futures=True)

    def _wait(self, passed: int, chunk: Future[list[SourceRead]]) -> tuple[int, list[SourceRead]]:
        self._between()
        return passed, chunk.result()

    def _chunks(self, stale: list[Stale]) -> Iterator[tuple[int, list[SourceRead]]]:
        """The files read, a few at a time, each time with how many were passed in all."""
        chunk: list[SourceRead] = []
        for number, item in enumerate(stale, 1):
            self._between()
            found = self._read(item)
            chunk += [found] if found is not None else []
            is_full = (
                sum(len(file.content) for file in chunk) >= _CHUNK or len(chunk) == _CHUNK_FILES
            )
            if is_full or number == len(stale):
                yield number, chunk
                chunk = []

    def _read(self, item: Stale) -> SourceRead | None:
        """The file with its digest; without content where there is nothing to parse."""
        try:
            if item.size > MAX_FILE_BYTES:
                return SourceRead(item, f"size:{item.size}", b"", FileFacts((), {}, 0))
            content = self._tree.read(item.path, MAX_FILE_BYTES)
        except RedlineError:
            return None
        digest = digest_of(content)
        return SourceRead(item, digest, b"" if digest == item.digest else content)

    def _with_facts(self, chunk: list[SourceRead], ends: float) -> list[SourceRead]:
        """The files with their facts; those are left out that there was no time for."""
        read: list[SourceRead] = []
        unparsed = [file for file in chunk if file.needs_facts]
        asked = [(file.content, file.file.language) for file in unparsed]
        facts = dict(zip(map(id, unparsed), self._analysis.facts(asked, ends), strict=True))
        for file in chunk:
            if not file.needs_facts:
                read.append(file)
            elif (found := facts[id(file)]) is not None:
                read.append(SourceRead(file.file, file.digest, b"", found))
        return read

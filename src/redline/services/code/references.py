"""References for an answer, found by a worker that asks the server for files and index rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

from redline.code.references.targets import Certainty, Reference
from redline.core.errors import Busy, LimitReached, ParserFailed, TimeLimit, WorkerDied
from redline.core.paths import WorkspacePath
from redline.core.ports.confined import Budget
from redline.core.ports.tree import Kind
from redline.core.records import dataclass, field
from redline.services.code.lookup import CodeLookup, OpenedSource
from redline.services.code.reference_query import Chosen, Used, resolve_query
from redline.services.code.worker_files import path_from

# Characters that are read by scope, for each token an answer may have.
READ_PER_TOKEN = 12
_BUDGET = Budget(20.0, 1 << 30)
# Seconds after which no further attempt is made without a file that a parser failed on.
_MAX_SECONDS = 30.0
# How many lines that have a name as text are looked at.
_MAX_QUOTED = 200


def finder_of(
    lookup: CodeLookup,
    wanted: str,
    place: WorkspacePath | None,
    max_tokens: int,
    line: int | None = None,
) -> Finder:
    """Return a finder of references to *wanted*, as *line* of *place* means it if given."""
    name, chosen = resolve_query(lookup, wanted, place, line)
    return Finder(lookup, name, chosen, READ_PER_TOKEN * max_tokens)


@dataclass(slots=True)
class Finder:
    """Finds references to definitions of one name, file by file, best first."""

    lookup: CodeLookup
    name: str
    definitions: list[Chosen]
    room: int
    # Files that were not read because enough was.
    unread: int = 0
    # Definitions of the same name were not distinguished: it took too long or broke a worker.
    by_name: bool = False
    # For a rename: the definition's own lines are among the references.
    with_definitions: bool = False
    # Whether every definition was resolved, and whether one is a member of a type.
    resolved: bool = False
    is_member: bool = False
    # For a rename: whether an interface or trait of a library asks for the member.
    for_library: bool = False
    # For a rename: whether members of other types are certainly not joined to it.
    is_apart: bool = False
    _bound: dict[int, Chosen] = field(default_factory=dict)

    def find(self) -> Iterator[Used]:
        """Yield the references of each file that has any."""
        answer = self._search()
        self.unread = answer["unread"]
        self.resolved, self.is_member = answer["resolved"], answer["member"]
        self.for_library, self.is_apart = answer["library"], answer["apart"]
        self._bound = {thing: self.definitions[nth] for thing, nth in answer["bound"]}
        for path, seen, unread, indexed in answer["files"]:
            yield self._as_used(path_from(path), seen, unread, indexed)

    def definition_of(self, reference: Reference) -> Chosen | None:
        """Return which of the definitions a reference is bound to."""
        return (
            self._bound.get(reference.definition) if isinstance(reference.definition, int) else None
        )

    def _search(self) -> dict[str, Any]:
        """Return what a worker finds; a file that breaks one is left out of the next attempt."""
        ends = monotonic() + _MAX_SECONDS
        while True:
            answers = _Answers(self.lookup, self.name if self.with_definitions else "")
            try:
                return self._ask(answers)
            except Busy:
                raise
            except (TimeLimit, WorkerDied, LimitReached) as error:
                if monotonic() > ends or not _is_of_worker(error):
                    raise
                if not answers.blame():
                    if self.by_name:
                        raise
                    self.by_name = True

    def _ask(self, answers: _Answers) -> dict[str, Any]:
        lookup = self.lookup
        chosen = [(item.path, item.line, item.is_definition) for item in self.definitions]
        given = (
            self.name,
            chosen,
            self.room,
            False,
            lookup.state,
            self.by_name,
            self.with_definitions,
        )
        found: dict[str, Any] = lookup.runtime.confined.call(
            "redline.services.code.reference_search:search",
            given,
            answers.by_name(),
            budget=_BUDGET,
        )
        return found

    def _as_used(
        self, path: WorkspacePath, seen: list[Any], unread: bytes, indexed: bool | None
    ) -> Used:
        file: OpenedSource | None = None
        if indexed is not None:
            file = self.lookup.open(path)
            if indexed and file is not None:
                file.trust(lambda: self.lookup.indexed_symbols(path, self.name))
        found = [
            Reference(line, Certainty(known), of, tuple(map(tuple, at)), tuple(rare), tuple(keys))
            for line, known, of, at, rare, keys in seen
        ]
        return Used(path, found, file, unread)


def _is_of_worker(error: LimitReached) -> bool:
    """Return whether the worker failed, not something the server answered it."""
    return isinstance(error, WorkerDied) or type(error) in (LimitReached, TimeLimit)


class _Answers:
    """What the server answers the worker of one search."""

    def __init__(self, lookup: CodeLookup, renamed: str) -> None:
        self._lookup = lookup
        self._renamed = renamed
        self._runtime = lookup.runtime
        self._parsing: WorkspacePath | None = None

    def by_name(self) -> dict[str, Callable[..., Any]]:
        """Return the functions that the worker may call."""
        return {
            "read": self._read,
            "begin": self._begin,
            "end": self._end,
            "users": self._users,
            "definitions": self._definitions,
            "symbols": self._symbols,
            "is_file": self._is_file,
        }

    def blame(self) -> bool:
        """Whether the file that was being parsed breaks a parser; it is left out from now on."""
        file = self._lookup.open(self._parsing) if self._parsing is not None else None
        language = file.grammar() if file is not None else None
        if file is None or language is None:
            return False
        try:
            self._runtime.analysis.symbols(file.text, language)
        except (ParserFailed, Busy) as error:
            self._lookup.failed[file.path] = error.message
            return True
        return False

    def _open(self, raw: Any) -> OpenedSource | None:
        self._lookup.cancel.check()
        return self._lookup.open(path_from(raw))

    def _read(self, raw: Any) -> bytes | None:
        file = self._open(raw)
        return file.content if file is not None else None

    def _begin(self, raw: Any) -> bool:
        """Return whether a file may be parsed; from now on it is to blame if the worker ends."""
        file = self._open(raw)
        if file is None or file.language is None or file.path in self._lookup.failed:
            return False
        reason = self._runtime.analysis.reason(file.digest, file.language)
        if reason is not None:
            self._lookup.failed[file.path] = reason
            return False
        self._parsing = file.path
        return True

    def _end(self) -> None:
        self._parsing = None

    def _users(self, name: str, most: int) -> tuple[list[Any], str]:
        self._lookup.cancel.check()
        is_whole = len(name) == 1 and name == self._renamed
        rows = self._lookup.holders(name) if is_whole else self._lookup.users(name, most)
        return [(row.path, row.packed, row.digest) for row in rows], self._lookup.state

    def _definitions(self, name: str, limit: int, folder: Any) -> list[Any]:
        where = path_from(folder) if folder is not None else None
        rows = self._runtime.code_index.definitions(name, limit, where)
        return [(row.path, row.kind) for row in rows]

    def _symbols(self, raw: Any, name: str) -> list[Any]:
        return [
            (s.name, s.qualified, s.kind, s.line, s.start, s.end, s.signature, s.doc)
            for s in self._lookup.indexed_symbols(path_from(raw), name)
        ]

    def _is_file(self, raw: Any) -> bool:
        entry = self._runtime.tree.stat(path_from(raw))
        return entry is not None and entry.kind is Kind.FILE

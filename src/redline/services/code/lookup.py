"""Look up symbols and uses: in the index, while that grows with ripgrep and fresh parses too."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable

from redline.code.index.facts import MAX_FILE_BYTES, is_minified
from redline.code.syntax.definitions import Symbol, find_symbols, join_overloads
from redline.code.syntax.languages import Language, language_of
from redline.core.changes import digest_of
from redline.core.encodings.names import UTF8
from redline.core.encodings.opening import open_text
from redline.core.errors import Busy, CannotApply, LimitReached, ParserFailed, RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.code import IndexedSymbol, IndexedUses
from redline.core.ports.history import HistoryQuery
from redline.core.ports.search import Cancel, GrepQuery
from redline.core.records import dataclass, field
from redline.services.runtime import Runtime

MAX_FILES = 40
# What stands before a name that is defined, in most languages.
_DEFINES = "(?:class|const|def|enum|fn|func|function|interface|let|struct|trait|type|var)"
MAX_DEFINITIONS = 2000
MAX_USERS = 1000
_MAX_GREPPED = 2000
_MAX_LETTERS = 50_000
_GREP_SECONDS = 5.0
# Files that Redline changed within these seconds are indexed again before every answer.
_RECENT = 120.0


@dataclass(slots=True)
class OpenedSource:
    """A file that was read for an answer; its symbols are found only when asked for."""

    path: WorkspacePath
    content: bytes
    digest: str
    language: Language | None
    text: str
    encoding: str
    find_symbols: Callable[[OpenedSource], list[Symbol]]
    _symbols: list[Symbol] | None = None
    _indexed: Callable[[], list[Symbol]] | None = None
    _lines: list[str] | None = None

    @classmethod
    def of(
        cls,
        path: WorkspacePath,
        content: bytes,
        find_symbols: Callable[[OpenedSource], list[Symbol]],
    ) -> OpenedSource | None:
        """Return the file; None when it is not text."""
        file = open_text(content)
        if file.is_binary:
            return None
        language = language_of(path.name)
        return cls(
            path, content, digest_of(content), language, file.text, file.encoding, find_symbols
        )

    def grammar(self) -> Language | None:
        """The language to parse it in, where there is one and it is neither huge nor minified."""
        if len(self.content) > MAX_FILE_BYTES or is_minified(self.text):
            return None
        return self.language

    def symbols(self) -> list[Symbol]:
        """Return the definitions of the file as it is now."""
        if self._symbols is None and self._indexed is not None:
            self._symbols = self._indexed()
        if self._symbols is None:
            self._symbols = self.find_symbols(self)
        return self._symbols

    @property
    def is_indexed(self) -> bool:
        """Whether its symbols are the index's."""
        return self._indexed is not None

    def trust(self, indexed: Callable[[], list[Symbol]]) -> None:
        """Take symbols, once they are asked for, that are known to be of this very content."""
        self._indexed = indexed

    def lines(self, start: int, end: int) -> str:
        """Return the text of lines *start*..*end*, without the last line end."""
        return "\n".join(line.removesuffix("\r") for line in self._split()[start - 1 : end])

    @property
    def count(self) -> int:
        """How many lines there are."""
        lines = self._split()
        return len(lines) - (not lines[-1])

    def _split(self) -> list[str]:
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines


@dataclass(slots=True)
class CodeLookup:
    """One answer's view of the workspace: every file is read once."""

    runtime: Runtime
    cancel: Cancel
    state: str = "none"
    # Files that a parser failed on for this answer, and why.
    failed: dict[WorkspacePath, str] = field(default_factory=dict)
    # Whether more files hold a word than `files_with` returned.
    has_more_files: bool = False
    _opened: dict[WorkspacePath, OpenedSource | None] = field(default_factory=dict)
    _names: dict[str, WorkspacePath] = field(default_factory=dict)
    _indexed: dict[tuple[WorkspacePath, str], list[Symbol]] = field(default_factory=dict)

    def open(self, path: WorkspacePath) -> OpenedSource | None:
        """Return the file, or None when it cannot be shown as text."""
        if path not in self._opened:
            self._opened[path] = self._read(path)
        return self._opened[path]

    def name_of(self, path: WorkspacePath) -> str:
        """The path as it is shown: relative to the workspace, absolute beneath further roots."""
        name = path.relative if path.root == 0 else self.runtime.workspace.absolute(path)
        self._names[name] = path
        return name

    def note_shown(self, connection: str, names: Iterable[str]) -> None:
        """Remember that the client of *connection* has seen the files of these names."""
        for name in dict.fromkeys(names):
            path = self._names[name]
            file = self._opened.get(path)
            if file is not None:
                self.runtime.reads.note(connection, path, file.content)

    def other_encodings(self, names: Iterable[str]) -> dict[str, str]:
        """Return the encodings of those of the files shown by these names that are not UTF-8."""
        opened = {name: self._opened.get(self._names[name]) for name in dict.fromkeys(names)}
        return {
            name: file.encoding
            for name, file in opened.items()
            if file is not None and file.encoding != UTF8
        }

    def _read(self, path: WorkspacePath) -> OpenedSource | None:
        try:
            content = self.runtime.tree.read(path, 8 * MAX_FILE_BYTES)
        except RedlineError:
            return None
        return OpenedSource.of(path, content, self._symbols_of)

    def _symbols_of(self, file: OpenedSource) -> list[Symbol]:
        language = file.grammar()
        if language is None or file.path in self.failed:
            return []
        try:
            return self.runtime.analysis.symbols(file.text, language)
        except (ParserFailed, Busy) as error:
            self.failed[file.path] = error.message
            return []

    def left_out(self) -> dict[WorkspacePath, str]:
        """Files that this answer knows nothing of because a parser failed on them, and why."""
        indexed = self.runtime.code_index.left_out() if self.state != "none" else ()
        return {**dict(indexed), **self.failed}

    def refresh(self) -> str:
        """Bring the index up to date; `ready` or `building`."""
        since = time.time() - _RECENT
        changes = self.runtime.history.list(HistoryQuery(since=since, limit=20))
        recent = [path for change in changes for path in change.change_set.paths]
        self.state = self.runtime.code_index.refresh(recent)
        return self.state

    def describe_building(self) -> str:
        """Say how far the index is that is being built."""
        done, total = self.runtime.code_index.progress()
        of = f" of {total:,}" if total else ""
        return f"The index is being built: {done:,}{of} files so far"

    def definitions(self, wanted: str) -> list[tuple[OpenedSource, Symbol]]:
        """Return where a symbol is defined, best first; by ripgrep too while the index grows."""
        name = re.split(r"\.|::|#|->|/", wanted.strip())[-1].removesuffix("()")
        if not name:
            return []
        if self.refresh() == "ready":
            found = self.runtime.code_index.definitions(name, 200)
            return self._best(self.current(found), wanted)
        return self._best(self._definitions_so_far(name), wanted)

    def all_definitions(self, name: str) -> list[tuple[OpenedSource, Symbol]]:
        """Every definition of a plain name; LimitReached where there are too many to look at."""
        if self.refresh() != "ready":
            return self.definitions(name)
        found = self.runtime.code_index.definitions(name, MAX_DEFINITIONS + 1)
        if len(found) > MAX_DEFINITIONS:
            raise LimitReached(
                f"More than {MAX_DEFINITIONS} definitions have the name: {name}",
                hint="use rewrite or edit with globs",
            )
        return self.current(found, MAX_DEFINITIONS)

    def _best(
        self, found: list[tuple[OpenedSource, Symbol]], wanted: str
    ) -> list[tuple[OpenedSource, Symbol]]:
        """Those *wanted* names, exactly qualified ones first; all when the scope fits none."""
        named = [pair for pair in found if find_symbols([pair[1]], wanted)]
        return _with_overloads_joined(named or found)

    def current(
        self, rows: list[IndexedSymbol], most: int = MAX_FILES
    ) -> list[tuple[OpenedSource, Symbol]]:
        """Indexed symbols as they are in *most* files now; what has gone is left out."""
        found: list[tuple[OpenedSource, Symbol]] = []
        files: dict[WorkspacePath, None] = {}
        for row in rows:
            if row.path not in files and len(files) >= most:
                continue
            files[row.path] = None
            file = self.open(row.path)
            if file is None:
                continue
            if file.digest == row.digest:
                found.append((file, _as_symbol(row)))
                continue
            found += [(file, s) for s in file.symbols() if s.qualified == row.qualified]
        unique = {
            (file.path, symbol.start, symbol.qualified): (file, symbol) for file, symbol in found
        }
        return list(unique.values())

    def _definitions_so_far(self, name: str) -> list[tuple[OpenedSource, Symbol]]:
        """Definitions in the files that hold *name* most often, and what is indexed of others.

        Files with a line that looks like its definition come first: more may use it than are read.
        """
        found: list[tuple[OpenedSource, Symbol]] = []
        likely = self.grep(rf"\b{_DEFINES}\s+{re.escape(name)}\b")
        parsed = list(dict.fromkeys([*(path for path, _ in likely), *self.files_with(name)]))
        parsed = parsed[:MAX_FILES]
        for path in parsed:
            file = self.open(path)
            if file is not None:
                found += [(file, symbol) for symbol in file.symbols() if symbol.name == name]
        rows = self.runtime.code_index.definitions(name, 200)
        return found + self.current([row for row in rows if row.path not in parsed])

    def files_with(self, name: str) -> list[WorkspacePath]:
        """Files that hold a word, those with a grammar first, at most MAX_FILES."""
        lines = self.grep(rf"\b{re.escape(name)}\b" if name.isidentifier() else re.escape(name))
        counts: dict[WorkspacePath, int] = {}
        for path, _ in lines:
            counts[path] = counts.get(path, 0) + 1
        self.has_more_files = len(counts) > MAX_FILES
        return sorted(counts, key=lambda p: (language_of(p.name) is None, -counts[p]))[:MAX_FILES]

    def grep(self, pattern: str, most: int = _MAX_GREPPED) -> list[tuple[WorkspacePath, int]]:
        """Matching lines of the workspace by ripgrep."""
        query = GrepQuery(
            pattern, max_matches=most, deadline=_GREP_SECONDS, columns=False, counts=False
        )
        roots = range(len(self.runtime.workspace.roots))
        where = [WorkspacePath(root, ()) for root in roots]
        result = self.runtime.grep.search(where, query, self.cancel)
        return [(line.place, line.line) for line in result.lines]

    def users(self, name: str, most: int = MAX_USERS) -> list[IndexedUses]:
        """Files that use *name* as code, best first; without lines where only a parse can tell."""
        if self.refresh() == "ready":
            return self.runtime.code_index.uses(name, most)[0]
        found = self.files_with(name)
        rows = self.runtime.code_index.uses(name, most)[0]
        indexed = [row for row in rows if row.path not in found]
        return [*(IndexedUses(path) for path in found), *indexed][:most]

    def holders(self, letter: str) -> list[IndexedUses]:
        """All files that hold a name of one letter, which is not indexed; refuses too many."""
        query = GrepQuery(rf"\b{letter}\b", max_matches=_MAX_LETTERS, columns=False, counts=False)
        roots = [WorkspacePath(root, ()) for root in range(len(self.runtime.workspace.roots))]
        result = self.runtime.grep.search(roots, query, self.cancel)
        found = dict.fromkeys(line.place for line in result.lines if language_of(line.place.name))
        if result.timed_out or result.total > _MAX_LETTERS or len(found) > MAX_USERS:
            raise CannotApply(
                f"Too much holds this name of one letter: {letter}", hint="use rewrite or edit"
            )
        return [IndexedUses(path) for path in found]

    def indexed_symbols(self, path: WorkspacePath, name: str) -> list[Symbol]:
        """Return the types and functions of a file, and what has *name*, as the index has them."""
        if (path, name) not in self._indexed:  # a worker asks for them, and then the answer
            rows = self.runtime.code_index.symbols(path, name)
            self._indexed[path, name] = [_as_symbol(row) for row in rows]
        return self._indexed[path, name]


def _with_overloads_joined(
    found: list[tuple[OpenedSource, Symbol]],
) -> list[tuple[OpenedSource, Symbol]]:
    """Return definitions in the same order of files, overloads of a function as one."""
    by_file: dict[WorkspacePath, tuple[OpenedSource, list[Symbol]]] = {}
    for file, symbol in found:
        by_file.setdefault(file.path, (file, []))[1].append(symbol)
    return [
        (file, symbol)
        for file, symbols in by_file.values()
        for symbol in (
            join_overloads(symbols, file.text.split("\n")) if len(symbols) > 1 else symbols
        )
    ]


def _as_symbol(row: IndexedSymbol) -> Symbol:
    return Symbol(
        row.name,
        row.qualified,
        row.kind,
        row.line,
        row.start,
        row.end,
        row.signature,
        row.doc,
    )


def enclosing(symbols: list[Symbol], line: int) -> Symbol | None:
    """Return the innermost definition around *line*."""
    around = [symbol for symbol in symbols if symbol.start <= line <= symbol.end]
    return min(around, key=lambda symbol: symbol.end - symbol.start, default=None)

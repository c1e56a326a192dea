"""The workspace as a worker sees it: what the server answers, and syntax trees of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from redline.code.index.packing import unpack
from redline.code.syntax.definitions import Parsed, Symbol, parse, symbols_of
from redline.code.syntax.languages import language_group, language_of
from redline.code.syntax.uses import uses_of
from redline.core.paths import WorkspacePath
from redline.core.ports.code import IndexedUses
from redline.services.code.lookup import MAX_USERS, OpenedSource

Ask = Callable[..., Any]
# Files that are read to see whether they define a name that an answer needs.
_MAX_DEFINING = 50
_MAX_ROWS = 400


class WorkerFiles:
    """One answer's view of the workspace: every file is asked for and parsed once."""

    def __init__(self, ask: Ask, state: str) -> None:
        self._ask = ask
        # Of the index: `ready` or `building`.
        self.state = state
        self._opened: dict[WorkspacePath, OpenedSource | None] = {}
        self._parsed: dict[WorkspacePath, Parsed | None] = {}

    def open(self, path: WorkspacePath) -> OpenedSource | None:
        """Return the file, or None when it cannot be shown as text."""
        if path not in self._opened:
            content = self._ask("read", path)
            file = None if content is None else OpenedSource.of(path, content, self._symbols_of)
            self._opened[path] = file
        return self._opened[path]

    def parse(self, file: OpenedSource) -> Parsed | None:
        """Return the syntax tree; None without a grammar that is safe to run on the file."""
        if file.path not in self._parsed:
            language = file.grammar()
            parsed = None
            if language is not None and self._ask("begin", file.path):
                parsed = parse(file.text, language)
                self._ask("end")
            self._parsed[file.path] = parsed
        return self._parsed[file.path]

    def users(self, name: str, most: int = MAX_USERS) -> list[IndexedUses]:
        """Files that use *name* as code, best first; without lines where only a parse can tell."""
        rows, self.state = self._ask("users", name, most)
        return [IndexedUses(path_from(path), packed, digest) for path, packed, digest in rows]

    def uses_in(self, row: IndexedUses, name: str) -> tuple[OpenedSource, tuple[int, ...]] | None:
        """Return the file of *row* and the lines that use *name* there now."""
        file = self.open(row.path)
        if file is None:
            return None
        if file.digest != row.digest:
            return file, self._fresh_uses(file, name)
        file.trust(partial(self._indexed_symbols, row.path, name))
        return file, unpack(row.packed)

    def definitions(
        self, name: str, limit: int, folder: WorkspacePath | None = None
    ) -> list[tuple[WorkspacePath, str]]:
        """Return where *name* is defined as the index knows, and as what kind."""
        rows = self._ask("definitions", name, limit, folder)
        return [(path_from(path), kind) for path, kind in rows]

    def defining(
        self, group: str, name: str, folder: WorkspacePath | None = None
    ) -> list[WorkspacePath]:
        """Files of one group of languages that define *name*, according to the index."""
        paths = dict.fromkeys(path for path, _ in self.definitions(name, _MAX_ROWS, folder))
        return [path for path in paths if group_of(path) == group][:_MAX_DEFINING]

    def defining_as(self, group: str, name: str, kinds: frozenset[str]) -> list[WorkspacePath]:
        """The same, as one of *kinds*: many structs may have a field of that name."""
        found = self.definitions(name, _MAX_ROWS)
        paths = dict.fromkeys(path for path, kind in found if kind in kinds)
        return [path for path in paths if group_of(path) == group][:_MAX_DEFINING]

    def is_file(self, path: WorkspacePath) -> bool:
        """Return whether the file exists."""
        return bool(self._ask("is_file", path))

    def _symbols_of(self, file: OpenedSource) -> list[Symbol]:
        parsed = self.parse(file)
        return symbols_of(parsed) if parsed is not None else []

    def _indexed_symbols(self, path: WorkspacePath, name: str) -> list[Symbol]:
        return [Symbol(*row) for row in self._ask("symbols", path, name)]

    def _fresh_uses(self, file: OpenedSource, name: str) -> tuple[int, ...]:
        parsed = self.parse(file)
        if parsed is None:
            word = re.compile(rf"\b{re.escape(name)}\b")
            lines = enumerate(file.text.split("\n"), 1)
            return tuple(number for number, line in lines if word.search(line))
        return tuple(sorted({use.line for use in uses_of(parsed, name)}))


def group_of(path: WorkspacePath) -> str:
    """Return the group of languages that a file belongs to by its name; empty for none."""
    language = language_of(path.name)
    return language_group(language.name) if language is not None else ""


def path_from(raw: Any) -> WorkspacePath:
    """The path that came over the pipe as a root and its parts; ValueError if it is not a path."""
    root, parts = raw
    return _checked_path(root, tuple(parts))


@lru_cache(4096)  # one answer has the same thousand paths several times
def _checked_path(root: int, parts: tuple[str, ...]) -> WorkspacePath:
    is_plain = all(part not in ("", ".", "..") and "/" not in part for part in parts)
    if not isinstance(root, int) or not is_plain:
        raise ValueError(f"not a path in the workspace: {[root, parts]}")
    return WorkspacePath(root, parts)

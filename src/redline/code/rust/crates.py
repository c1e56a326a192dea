"""Where the modules of a crate lie, and the crates that a manifest says stand beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from redline.code.references.file_access import Files
from redline.core.paths import WorkspacePath

_ROOTS = {"lib.rs", "main.rs", "build.rs"}
# Modules within modules of one file that lie in folders of their own, at most.
_DEEPEST = 4
# Folders whose files are crates each.
_FOLDERS = {"bin", "tests", "examples", "benches"}
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


@dataclass(slots=True)
class Crates:
    """The files of modules by the rules of the language, no file being read but manifests."""

    files: Files
    _manifests: dict[WorkspacePath, dict[str, Any] | None] = field(default_factory=dict)
    _exists: dict[WorkspacePath, bool] = field(default_factory=dict)

    def below(self, path: WorkspacePath, inline: tuple[str, ...], name: str) -> list[WorkspacePath]:
        """The file of a module that another declares within *inline* modules of a file."""
        home = path.parts[:-1]
        if path.name != "mod.rs" and not self.is_root(path):
            home = (*home, path.name.removesuffix(".rs"))
        home = (*home, *inline)
        tried = [(*home, f"{name}.rs"), (*home, name, "mod.rs")]
        return [p for p in (WorkspacePath(path.root, parts) for parts in tried) if self.is_file(p)]

    def above(self, path: WorkspacePath) -> tuple[tuple[str, ...], list[WorkspacePath]]:
        """The words from a file down to another's module, and the files that may declare it.

        More than one word is a module within modules that stand in the file above.
        """
        home, name = path.parts[:-1], path.name.removesuffix(".rs")
        if name == "mod" and home:
            home, name = home[:-1], home[-1]
        words: tuple[str, ...] = (name,)
        found = self._beginning(path, home)
        while not found and home and home[-1] not in _FOLDERS and len(words) < _DEEPEST:
            home, words = home[:-1], (home[-1], *words)
            found = self._beginning(path, home)
        return words, found

    def _beginning(self, path: WorkspacePath, home: tuple[str, ...]) -> list[WorkspacePath]:
        """The files whose modules lie in a folder."""
        tried = [(*home, "mod.rs"), (*home, "lib.rs"), (*home, "main.rs")]
        if home:
            tried.insert(1, (*home[:-1], f"{home[-1]}.rs"))
        found = (WorkspacePath(path.root, each) for each in tried if each != path.parts)
        return [each for each in found if self.is_file(each)]

    def is_root(self, path: WorkspacePath) -> bool:
        """Whether a file is the first of its crate."""
        if path.name in _ROOTS:
            return True
        is_beside = path.parent.name in _FOLDERS and path.name != "mod.rs"
        return is_beside and not self.above(path)[1]

    def libraries(self, path: WorkspacePath, name: str) -> list[WorkspacePath]:
        """The first file of the crate that a file of another knows by *name*."""
        home = self._home(path)
        if home is None:
            return []
        told = self._manifest(home)
        if told is None:
            return []
        for table in _TABLES:
            for spelled, value in _items(told.get(table)):
                if spelled.replace("-", "_") == name:
                    return self._beside(path.root, home, spelled, value)
        return self._library(path.root, home, told) if name == _own(told) else []

    def is_file(self, path: WorkspacePath) -> bool:
        """Whether there is such a file."""
        if path not in self._exists:
            self._exists[path] = self.files.is_file(path)
        return self._exists[path]

    def _beside(
        self, root: int, home: WorkspacePath, spelled: str, value: Any
    ) -> list[WorkspacePath]:
        if isinstance(value, dict) and value.get("workspace"):
            for above in _upward(home):
                known = (self._manifest(above) or {}).get("workspace", {}).get("dependencies", {})
                if spelled in known:
                    home, value = above, known[spelled]
                    break
        if not isinstance(value, dict) or not isinstance(value.get("path"), str):
            return []
        folder = _joined(home, value["path"])
        told = self._manifest(folder) if folder is not None else None
        return self._library(root, folder, told) if folder is not None and told else []

    def _library(self, root: int, home: WorkspacePath, told: dict[str, Any]) -> list[WorkspacePath]:
        library = told.get("lib")
        given = library.get("path") if isinstance(library, dict) else None
        place = _joined(home, given if isinstance(given, str) else "src/lib.rs")
        return [place] if place is not None and self.is_file(place) and place.root == root else []

    def _home(self, path: WorkspacePath) -> WorkspacePath | None:
        """The folder of the package that a file belongs to."""
        folder = WorkspacePath(path.root, path.parts[:-1])
        return next((each for each in _upward(folder) if self.is_file(_manifest_of(each))), None)

    def _manifest(self, folder: WorkspacePath) -> dict[str, Any] | None:
        path = _manifest_of(folder)
        if path not in self._manifests:
            text = self.files.text(path) if self.is_file(path) else None
            try:
                self._manifests[path] = tomllib.loads(text) if text is not None else None
            except tomllib.TOMLDecodeError:
                self._manifests[path] = None
        return self._manifests[path]


def _manifest_of(folder: WorkspacePath) -> WorkspacePath:
    return WorkspacePath(folder.root, (*folder.parts, "Cargo.toml"))


def _upward(folder: WorkspacePath) -> Iterator[WorkspacePath]:
    for count in range(len(folder.parts), -1, -1):
        yield WorkspacePath(folder.root, folder.parts[:count])


def _joined(folder: WorkspacePath, spelled: str) -> WorkspacePath | None:
    parts = list(folder.parts)
    for part in spelled.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return WorkspacePath(folder.root, tuple(parts))


def _own(told: dict[str, Any]) -> str:
    """The name of a package's library."""
    named = [told.get(table) for table in ("lib", "package")]
    names = [table.get("name") for table in named if isinstance(table, dict)]
    return next((str(name).replace("-", "_") for name in names if name), "")


def _items(table: object) -> list[tuple[str, Any]]:
    return list(table.items()) if isinstance(table, dict) else []

"""Find the files of Rust modules, and the workspace crates that a manifest depends on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from redline.code.references.file_access import SourceFiles
from redline.code.syntax.node import SyntaxNode
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

_ROOTS = {"lib.rs", "main.rs", "build.rs"}
# Inline modules around a module declaration, at most.
_MAX_INLINE = 4
# Folders whose files are separate crates.
_FOLDERS = {"bin", "tests", "examples", "benches"}
# What may be between the attributes of an item and the item.
_BESIDE = {"attribute_item", "line_comment", "block_comment"}
_PATH = re.compile(r"\bpath\s*=\s*\"([^\"]+)\"")
_IS_PATH = re.compile(r"#\s*\[\s*path\b")
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


@dataclass(slots=True)
class Crates:
    """Locates module files by the rules of the language; reads no files but manifests."""

    files: SourceFiles
    _manifests: dict[WorkspacePath, dict[str, Any] | None] = field(default_factory=dict)
    _exists: dict[WorkspacePath, bool] = field(default_factory=dict)

    def below(
        self,
        path: WorkspacePath,
        inline: tuple[str, ...],
        name: str,
        declared: SyntaxNode,
    ) -> list[WorkspacePath]:
        """Return the files of module *name*, *declared* in *path* within *inline* modules.

        Attributes may give it another file, for all builds or for some.
        """
        attributes = list(_attributes_of(declared))
        folder = WorkspacePath(path.root, (*path.parts[:-1], *inline))
        given = [_join(folder, file) for text in attributes for file in _PATH.findall(text)]
        found = [file for file in given if file is not None and self.is_file(file)]
        is_for_all = any(_IS_PATH.match(text) for text in attributes)
        return found if is_for_all else [*found, *self._by_name(path, inline, name)]

    def _by_name(
        self, path: WorkspacePath, inline: tuple[str, ...], name: str
    ) -> list[WorkspacePath]:
        home = path.parts[:-1]
        if path.name != "mod.rs" and not self.is_root(path):
            home = (*home, path.name.removesuffix(".rs"))
        home = (*home, *inline)
        tried = [(*home, f"{name}.rs"), (*home, name, "mod.rs")]
        found = (WorkspacePath(path.root, parts) for parts in tried)
        return [file for file in found if self.is_file(file)][:1]

    def above(self, path: WorkspacePath) -> tuple[tuple[str, ...], list[WorkspacePath]]:
        """Return a file's module path relative to its parent, and the files that may be the parent.

        The path has several words if the file's module is declared within inline modules.
        """
        home, name = path.parts[:-1], path.name.removesuffix(".rs")
        if name == "mod" and home:
            home, name = home[:-1], home[-1]
        words: tuple[str, ...] = (name,)
        found = self._files_declaring_in(path, home)
        while not found and home and home[-1] not in _FOLDERS and len(words) < _MAX_INLINE:
            home, words = home[:-1], (home[-1], *words)
            found = self._files_declaring_in(path, home)
        return words, found

    def _files_declaring_in(
        self, path: WorkspacePath, home: tuple[str, ...]
    ) -> list[WorkspacePath]:
        """Return the files whose submodules lie in a folder."""
        tried = [(*home, "mod.rs"), (*home, "lib.rs"), (*home, "main.rs")]
        if home:
            tried.insert(1, (*home[:-1], f"{home[-1]}.rs"))
        found = (WorkspacePath(path.root, each) for each in tried if each != path.parts)
        return [each for each in found if self.is_file(each)]

    def is_root(self, path: WorkspacePath) -> bool:
        """Return whether a file is the root of a crate."""
        if path.name in _ROOTS:
            return True
        is_beside = path.parent.name in _FOLDERS and path.name != "mod.rs"
        return is_beside and not self.above(path)[1]

    def libraries(self, path: WorkspacePath, name: str) -> list[WorkspacePath]:
        """Return the root file of the workspace crate that a file knows by *name*."""
        home = self._home(path)
        if home is None:
            return []
        manifest = self._manifest(home)
        if manifest is None:
            return []
        for table in _TABLES:
            for written, value in _items(manifest.get(table)):
                if written.replace("-", "_") == name:
                    return self._beside(path.root, home, written, value)
        return self._library(path.root, home, manifest) if name == _library_name(manifest) else []

    def is_file(self, path: WorkspacePath) -> bool:
        """Return whether the file exists."""
        if path not in self._exists:
            self._exists[path] = self.files.is_file(path)
        return self._exists[path]

    def _beside(
        self, root: int, home: WorkspacePath, written: str, value: Any
    ) -> list[WorkspacePath]:
        if isinstance(value, dict) and value.get("workspace"):
            for above in _upward(home):
                known = (self._manifest(above) or {}).get("workspace", {}).get("dependencies", {})
                if written in known:
                    home, value = above, known[written]
                    break
        if not isinstance(value, dict) or not isinstance(value.get("path"), str):
            return []
        folder = _join(home, value["path"])
        manifest = self._manifest(folder) if folder is not None else None
        return self._library(root, folder, manifest) if folder is not None and manifest else []

    def _library(
        self, root: int, home: WorkspacePath, manifest: dict[str, Any]
    ) -> list[WorkspacePath]:
        library = manifest.get("lib")
        given = library.get("path") if isinstance(library, dict) else None
        location = _join(home, given if isinstance(given, str) else "src/lib.rs")
        return (
            [location]
            if location is not None and self.is_file(location) and location.root == root
            else []
        )

    def _home(self, path: WorkspacePath) -> WorkspacePath | None:
        """Return the folder of the package that contains a file."""
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


def _attributes_of(item: SyntaxNode) -> Iterator[str]:
    """Yield the attributes before an item, the nearest first."""
    before = item.prev()
    while before is not None and before.kind() in _BESIDE:
        if before.kind() == "attribute_item":
            yield before.text()
        before = before.prev()


def _manifest_of(folder: WorkspacePath) -> WorkspacePath:
    return WorkspacePath(folder.root, (*folder.parts, "Cargo.toml"))


def _upward(folder: WorkspacePath) -> Iterator[WorkspacePath]:
    for count in range(len(folder.parts), -1, -1):
        yield WorkspacePath(folder.root, folder.parts[:count])


def _join(folder: WorkspacePath, written: str) -> WorkspacePath | None:
    parts = list(folder.parts)
    for part in written.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return WorkspacePath(folder.root, tuple(parts))


def _library_name(manifest: dict[str, Any]) -> str:
    """Return the name of a package's library."""
    named = [manifest.get(table) for table in ("lib", "package")]
    names = [table.get("name") for table in named if isinstance(table, dict)]
    return next((str(name).replace("-", "_") for name in names if name), "")


def _items(table: object) -> list[tuple[str, Any]]:
    return list(table.items()) if isinstance(table, dict) else []

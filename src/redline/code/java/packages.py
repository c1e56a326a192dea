"""Types by the packages they are in: imports, the folders that packages lie in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.code.java.source_file import JavaFile
from redline.code.references.definition import Thing
from redline.code.references.typed.units import Units
from redline.core.paths import WorkspacePath

if TYPE_CHECKING:
    from redline.code.java.classes import Classes


@dataclass(eq=False)
class Packages:
    """Finds types outside of the file that names them; the nearest where there are twins."""

    units: Units
    classes: Classes
    _tops: dict[tuple[str, str, WorkspacePath], Thing | None] = field(default_factory=dict)
    _defining: dict[str, list[WorkspacePath]] = field(default_factory=dict)

    def top(self, name: str, file: JavaFile) -> Thing | None:
        """A type that a file sees without being inside it."""
        if file.is_sketch:
            return None
        if name in file.imports:
            return self.absolute(file.imports[name], file)
        if name in file.types:
            return file.types[name].thing
        for found in self._brought(name, file):
            if found is not None:
                return found
        return None

    def _brought(self, name: str, file: JavaFile) -> Iterator[Thing | None]:
        """What static imports, the file's own package and whole packages bring in."""
        for dotted in file.static_imports.get(name, ()):
            yield self.absolute(f"{dotted}.{name}", file)
        for package in (file.package, *file.on_demand, *file.static_on_demand):
            yield self._in_package(package, name, file)

    def absolute(self, dotted: str, file: JavaFile) -> Thing | None:
        """The type of a full name: a package and the types within it."""
        parts = dotted.split(".")
        for at in range(len(parts) - 1, -1, -1):
            if not parts[at][:1].isupper() and at < len(parts) - 1:
                continue
            found = self._top_level(".".join(parts[:at]), parts[at], file)
            for inner in parts[at + 1 :]:
                found = self.classes.nested(found, inner) if found is not None else None
            if found is not None:
                return found
        return None

    def _in_package(self, package: str, name: str, file: JavaFile) -> Thing | None:
        found = self._top_level(package, name, file)
        if found is None and package.rpartition(".")[2][:1].isupper() and self.defining(name):
            outer = self.absolute(package, file)
            return self.classes.nested(outer, name) if outer is not None else None
        return found

    def _top_level(self, package: str, name: str, file: JavaFile) -> Thing | None:
        key = (package, name, file.path.parent)
        if key not in self._tops:
            self._tops[key] = self._find(package, name, file)
        return self._tops[key]

    def _find(self, package: str, name: str, file: JavaFile) -> Thing | None:
        folder = tuple(package.split(".")) if package else ()
        own = tuple(file.package.split(".")) if file.package else ()
        found: list[WorkspacePath] = []
        if file.path.parent.parts[len(file.path.parent.parts) - len(own) :] == own:
            root = file.path.parent.parts[: len(file.path.parent.parts) - len(own)]
            beside = WorkspacePath(file.path.root, (*root, *folder, f"{name}.java"))
            if self.units.files.is_file(beside):
                return Thing(beside, 0, name)
        for path in self.defining(name):
            at = path.parent.parts
            if at[len(at) - len(folder) :] == folder and self._declares(path, name, package):
                found.append(path)
        if not found:
            return None
        return Thing(max(found, key=lambda path: _shared(path, file.path)), 0, name)

    def _declares(self, path: WorkspacePath, name: str, package: str) -> bool:
        if path.name == f"{name}.java":
            return True
        file = self.classes.file(path)
        return file is not None and name in file.types and file.package == package

    def defining(self, name: str) -> list[WorkspacePath]:
        """Files that define something of that name."""
        if name not in self._defining:
            self._defining[name] = list(self.units.files.defining(name))
        return self._defining[name]


def _shared(path: WorkspacePath, other: WorkspacePath) -> int:
    """How many folders two paths have in common."""
    pairs = zip(path.parts, other.parts, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), len(path.parts))

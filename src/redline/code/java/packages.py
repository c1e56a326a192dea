"""Find Java types by their packages: through imports, and the folders of packages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.code.java.source_file import JavaFile
from redline.code.references.definition import Definition
from redline.code.references.file_access import count_common_folders
from redline.code.references.typed.units import Units
from redline.core.paths import WorkspacePath

if TYPE_CHECKING:
    from redline.code.java.classes import JavaClasses


@dataclass(eq=False)
class JavaPackages:
    """Finds types outside the file that names them; of several, the nearest."""

    units: Units
    classes: JavaClasses
    _tops: dict[tuple[str, str, WorkspacePath], Definition | None] = field(default_factory=dict)
    _defining: dict[str, list[WorkspacePath]] = field(default_factory=dict)

    def find_visible(self, name: str, file: JavaFile) -> Definition | None:
        """Return a type that is visible throughout a file."""
        if file.is_sketch:
            return None
        if name in file.imports:
            return self.resolve_qualified(file.imports[name], file)
        if name in file.types:
            return file.types[name].definition
        for found in self._find_imported(name, file):
            if found is not None:
                return found
        return None

    def _find_imported(self, name: str, file: JavaFile) -> Iterator[Definition | None]:
        """Yield what static imports, the file's own package and on-demand imports provide."""
        for dotted in file.static_imports.get(name, ()):
            yield self.resolve_qualified(f"{dotted}.{name}", file)
        for package in (file.package, *file.on_demand, *file.static_on_demand):
            yield self._in_package(package, name, file)

    def resolve_qualified(self, dotted: str, file: JavaFile) -> Definition | None:
        """Resolve a qualified name: a package and the types within it."""
        parts = dotted.split(".")
        for at in range(len(parts) - 1, -1, -1):
            if not parts[at][:1].isupper() and at < len(parts) - 1:
                continue
            found = self._top_level(".".join(parts[:at]), parts[at], file)
            for inner in parts[at + 1 :]:
                found = self.classes.member_type(found, inner) if found is not None else None
            if found is not None:
                return found
        return None

    def _in_package(self, package: str, name: str, file: JavaFile) -> Definition | None:
        found = self._top_level(package, name, file)
        if found is None and package.rpartition(".")[2][:1].isupper() and self.defining(name):
            outer = self.resolve_qualified(package, file)
            return self.classes.member_type(outer, name) if outer is not None else None
        return found

    def _top_level(self, package: str, name: str, file: JavaFile) -> Definition | None:
        key = (package, name, file.path.parent)
        if key not in self._tops:
            self._tops[key] = self._find(package, name, file)
        return self._tops[key]

    def _find(self, package: str, name: str, file: JavaFile) -> Definition | None:
        folder = tuple(package.split(".")) if package else ()
        own = tuple(file.package.split(".")) if file.package else ()
        found: list[WorkspacePath] = []
        if file.path.parent.parts[len(file.path.parent.parts) - len(own) :] == own:
            root = file.path.parent.parts[: len(file.path.parent.parts) - len(own)]
            candidate = WorkspacePath(file.path.root, (*root, *folder, f"{name}.java"))
            if self.units.files.is_file(candidate):
                return Definition(candidate, 0, name)
        for path in self.defining(name):
            at = path.parent.parts
            if at[len(at) - len(folder) :] == folder and self._declares(path, name, package):
                found.append(path)
        if not found:
            return None
        return Definition(
            max(found, key=lambda path: (path == file.path, count_common_folders(path, file.path))),
            0,
            name,
        )

    def _declares(self, path: WorkspacePath, name: str, package: str) -> bool:
        if path.name == f"{name}.java":
            return True
        file = self.classes.file(path)
        return file is not None and name in file.types and file.package == package

    def defining(self, name: str) -> list[WorkspacePath]:
        """Return the files that define something of that name."""
        if name not in self._defining:
            self._defining[name] = list(self.units.files.defining(name))
        return self._defining[name]

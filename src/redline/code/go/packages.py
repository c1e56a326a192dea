"""Go packages: the folder that an import path refers to, and what is declared there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from redline.code.go.names import GoDeclaration
from redline.code.go.sources import GoImport, GoSource, receiver_of
from redline.code.references.typed.units import Unit, Units
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

_MODULE = re.compile(r'^\s*module\s+["`]?([^\s"`]+)', re.MULTILINE)


class GoModule(NamedTuple):
    """A module: the folder of its `go.mod`, and its name."""

    folder: WorkspacePath
    name: str


@dataclass(slots=True)
class GoPackages:
    """The packages of a workspace, each read only as far as a name requires."""

    units: Units
    _sources: dict[WorkspacePath, GoSource | None] = field(default_factory=dict)
    # Files that were read, by folder: their declarations are known without the index.
    _read: dict[WorkspacePath, list[GoSource]] = field(default_factory=dict)
    _modules: dict[WorkspacePath, GoModule | None] = field(default_factory=dict)
    _tops: dict[tuple[WorkspacePath, str, str], list[GoDeclaration]] = field(default_factory=dict)

    def source(self, unit: Unit) -> GoSource:
        """Return the source of a unit."""
        found = self._at(unit.path)
        assert found is not None  # a unit exists only for a file that was read
        return found

    def register(self, unit: Unit) -> None:
        """Register a file that lies in no folder."""
        self._sources.setdefault(unit.path, GoSource(unit))

    def of_package(self, source: GoSource, name: str) -> list[GoDeclaration]:
        """Return the declarations of *name* in the package that *source* belongs to."""
        return self._find_declared(source.folder, source.package, name)

    def imports_named(self, source: GoSource, name: str) -> list[GoImport]:
        """Return the imports that *name* may refer to, only certain ones if there are any."""
        sure = [each for each in source.imports if each.local_name == name]
        return sure or [each for each in source.imports if not each.name]

    def find_exported(self, source: GoSource, package: str, name: str) -> list[GoDeclaration]:
        """Return the declarations of *name* in the package that *source* calls *package*."""
        found: list[GoDeclaration] = []
        for each in self.imports_named(source, package):
            is_sure = each.local_name == package
            for folder in self._folders(source, each.path, name):
                for other in self._sources_declaring(folder, name):
                    if other.package.endswith("_test"):
                        continue
                    if is_sure or other.package == package:
                        found += other.top_level.get(name, [])
        return found

    def find_dotted(self, source: GoSource, name: str) -> list[GoDeclaration]:
        """Return the declarations of *name* in the packages that *source* imports with a dot."""
        has_any = name[:1].isupper() and any(each.name == "." for each in source.imports)
        return self.find_exported(source, ".", name) if has_any else []

    def methods(self, home: GoSource, kind: str, name: str) -> list[GoDeclaration]:
        """Return the methods *name* of the type *kind* in the package of *home*."""
        return [
            method
            for source in self._sources_declaring(home.folder, name)
            if source.package == home.package
            for method in source.methods.get(name, [])
            if (receiver := receiver_of(method)) is not None and receiver.text() == kind
        ]

    def is_in_module(self, source: GoSource, path: str) -> bool:
        """Return whether an import path lies within the module of *source*."""
        module = self._module(source.folder)
        return module is not None and (path == module.name or path.startswith(f"{module.name}/"))

    def path_of(self, folder: WorkspacePath) -> str | None:
        """Return the path that imports *folder*, if a module states it."""
        if "vendor" in folder.parts:
            last = len(folder.parts) - folder.parts[::-1].index("vendor")
            return "/".join(folder.parts[last:])
        module = self._module(folder)
        if module is None:
            return None
        return "/".join((module.name, *folder.parts[len(module.folder.parts) :]))

    def is_import_of(self, folder: WorkspacePath, path: str) -> bool:
        """Return whether an import path refers to *folder*."""
        known = self.path_of(folder)
        if known is not None:
            return known == path
        shown = "/".join(folder.parts)
        is_end = bool(shown) and f"/{path}".endswith(f"/{shown}")
        return is_end or f"/{shown}".endswith(f"/{path}")

    def _find_declared(self, folder: WorkspacePath, package: str, name: str) -> list[GoDeclaration]:
        key = (folder, package, name)
        if key not in self._tops:
            near = [
                source
                for source in self._sources_declaring(folder, name)
                if source.package == package
            ]
            self._tops[key] = [each for source in near for each in source.top_level.get(name, [])]
        return self._tops[key]

    def _sources_declaring(self, folder: WorkspacePath, name: str) -> Iterator[GoSource]:
        """Yield the files directly in *folder* that may declare *name*."""
        paths = self.units.files.defining_in(name, folder) if folder.root >= 0 else ()
        known = {source.unit.path: source for source in self._read.get(folder, [])}
        yield from known.values()
        yield from self._each(path for path in paths if path not in known)

    def _each(self, paths: Iterable[WorkspacePath]) -> Iterator[GoSource]:
        for path in paths:
            source = self._at(path)
            if source is not None:
                yield source

    def _at(self, path: WorkspacePath) -> GoSource | None:
        if path not in self._sources:
            unit = self.units.at(path)
            self._sources[path] = source = GoSource(unit) if unit is not None else None
            if source is not None:
                self._read.setdefault(source.folder, []).append(source)
        return self._sources[path]

    def _folders(self, source: GoSource, path: str, name: str) -> list[WorkspacePath]:
        """Return the folders an import path refers to; in other modules, if they define *name*."""
        module = self._module(source.folder)
        if module is not None and self.is_in_module(source, path):
            home = module.folder
            rest = path[len(module.name) :].split("/")
            inside = home.child(*(part for part in rest if part))
            return [inside] if self.path_of(inside) == path else []
        folders = dict.fromkeys(found.parent for found in self.units.files.defining(name))
        return [folder for folder in folders if self.is_import_of(folder, path)]

    def _module(self, folder: WorkspacePath) -> GoModule | None:
        """Return the module that *folder* belongs to."""
        if folder not in self._modules:
            self._modules[folder] = self._find_module(folder)
        return self._modules[folder]

    def _find_module(self, folder: WorkspacePath) -> GoModule | None:
        if folder.root < 0:
            return None  # a library has no folder
        manifest = folder.child("go.mod")
        text = self.units.files.text(manifest) if self.units.files.is_file(manifest) else None
        named = _MODULE.search(text) if text is not None else None
        if named is not None:
            return GoModule(folder, named[1])
        return self._module(folder.parent) if folder.parts else None

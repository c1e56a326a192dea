"""Packages of Go: which folder an import path means, and what is declared there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from redline.code.go.names import Declared
from redline.code.go.sources import Import, Source, receiver_of
from redline.code.references.typed.units import Unit, Units
from redline.core.paths import WorkspacePath

_MODULE = re.compile(r'^\s*module\s+["`]?([^\s"`]+)', re.MULTILINE)


@dataclass(slots=True)
class Packages:
    """The packages of a workspace, each looked into as far as a name needs."""

    units: Units
    _sources: dict[WorkspacePath, Source | None] = field(default_factory=dict)
    # Files that were read, by folder: theirs is known without the index.
    _read: dict[WorkspacePath, list[Source]] = field(default_factory=dict)
    _modules: dict[WorkspacePath, tuple[WorkspacePath, str] | None] = field(default_factory=dict)
    _tops: dict[tuple[WorkspacePath, str, str], list[Declared]] = field(default_factory=dict)

    def source(self, unit: Unit) -> Source:
        """The file of a unit."""
        found = self._at(unit.path)
        assert found is not None  # it has been read
        return found

    def adopt(self, unit: Unit) -> None:
        """Take a file that lies in no folder."""
        self._sources.setdefault(unit.path, Source(unit))

    def of_package(self, source: Source, name: str) -> list[Declared]:
        """Who declares *name* for all files of the package *source* belongs to."""
        return self._declared(source.folder, source.package, name)

    def imported(self, source: Source, name: str) -> list[Import]:
        """The packages that *name* may be; those that go by it for sure, if there are any."""
        sure = [each for each in source.imports if each.likely == name]
        return sure or [each for each in source.imports if not each.name]

    def exported(self, source: Source, package: str, name: str) -> list[Declared]:
        """Who declares *name* in the package that *source* calls *package*."""
        found: list[Declared] = []
        for each in self.imported(source, package):
            is_sure = each.likely == package
            for folder in self._folders(source, each.path, name):
                for other in self._near(folder, name):
                    if other.package.endswith("_test"):
                        continue
                    if is_sure or other.package == package:
                        found += other.tops.get(name, [])
        return found

    def methods(self, home: Source, kind: str, name: str) -> list[Declared]:
        """The methods *name* of the type *kind* of a package."""
        return [
            method
            for source in self._near(home.folder, name)
            if source.package == home.package
            for method in source.methods.get(name, [])
            if (receiver := receiver_of(method)) is not None and receiver.text() == kind
        ]

    def is_own(self, source: Source, path: str) -> bool:
        """Whether an import path lies within the module of *source*."""
        module = self._module(source.folder)
        return module is not None and (path == module[1] or path.startswith(f"{module[1]}/"))

    def path_of(self, folder: WorkspacePath) -> str | None:
        """The path by which others import what lies in *folder*, where a module says it."""
        if "vendor" in folder.parts:
            last = len(folder.parts) - folder.parts[::-1].index("vendor")
            return "/".join(folder.parts[last:])
        module = self._module(folder)
        if module is None:
            return None
        home, name = module
        return "/".join((name, *folder.parts[len(home.parts) :]))

    def means(self, folder: WorkspacePath, path: str) -> bool:
        """Whether an import path means *folder*."""
        known = self.path_of(folder)
        if known is not None:
            return known == path
        shown = "/".join(folder.parts)
        is_end = bool(shown) and f"/{path}".endswith(f"/{shown}")
        return is_end or f"/{shown}".endswith(f"/{path}")

    def _declared(self, folder: WorkspacePath, package: str, name: str) -> list[Declared]:
        key = (folder, package, name)
        if key not in self._tops:
            near = [source for source in self._near(folder, name) if source.package == package]
            self._tops[key] = [each for source in near for each in source.tops.get(name, [])]
        return self._tops[key]

    def _near(self, folder: WorkspacePath, name: str) -> Iterator[Source]:
        """Files right in *folder* that may declare *name*."""
        paths = self.units.files.defining_in(name, folder) if folder.root >= 0 else ()
        known = {source.unit.path: source for source in self._read.get(folder, [])}
        yield from known.values()
        yield from self._each(path for path in paths if path not in known)

    def _each(self, paths: Iterable[WorkspacePath]) -> Iterator[Source]:
        for path in paths:
            source = self._at(path)
            if source is not None:
                yield source

    def _at(self, path: WorkspacePath) -> Source | None:
        if path not in self._sources:
            unit = self.units.at(path)
            self._sources[path] = source = Source(unit) if unit is not None else None
            if source is not None:
                self._read.setdefault(source.folder, []).append(source)
        return self._sources[path]

    def _folders(self, source: Source, path: str, name: str) -> list[WorkspacePath]:
        """The folders that an import path means; of other modules, those that define *name*."""
        module = self._module(source.folder)
        if module is not None and self.is_own(source, path):
            home, own = module
            rest = path[len(own) :].split("/")
            inside = WorkspacePath(home.root, (*home.parts, *(part for part in rest if part)))
            return [inside] if self.path_of(inside) == path else []
        folders = dict.fromkeys(found.parent for found in self.units.files.defining(name))
        return [folder for folder in folders if self.means(folder, path)]

    def _module(self, folder: WorkspacePath) -> tuple[WorkspacePath, str] | None:
        """The folder of the module that *folder* belongs to, and what the module is called."""
        if folder not in self._modules:
            self._modules[folder] = self._found_module(folder)
        return self._modules[folder]

    def _found_module(self, folder: WorkspacePath) -> tuple[WorkspacePath, str] | None:
        if folder.root < 0:
            return None  # a library lies in no folder
        manifest = folder.child("go.mod")
        text = self.units.files.text(manifest) if self.units.files.is_file(manifest) else None
        named = _MODULE.search(text) if text is not None else None
        if named is not None:
            return folder, named[1]
        return self._module(folder.parent) if folder.parts else None

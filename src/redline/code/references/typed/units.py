"""Files as units of names: read once, and of function bodies only those that spell the word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.references.file_access import Files
from redline.code.scopes.model import Binding, Names
from redline.code.syntax.definitions import Parsed
from redline.core.paths import WorkspacePath


@dataclass(eq=False, slots=True)
class Unit:
    """A file with its names."""

    path: WorkspacePath
    parsed: Parsed
    names: Names
    _sites: dict[int, Binding] | None = None

    def binding_at(self, start: int) -> Binding | None:
        """What the name that begins at *start* is bound to, if that place binds it."""
        if self._sites is None:
            self._sites = {
                site.start: found for found in self.names.bindings for site in found.sites
            }
        return self._sites.get(start)


# Reads the names of a file: all declarations, and the bodies that hold one of the offsets.
Reader: TypeAlias = Callable[[Parsed, Sequence[int]], Names]


@dataclass(slots=True)
class Units:
    """The units of a workspace by path; None where a file cannot be read for this answer."""

    files: Files
    word: str
    read: Reader
    _units: dict[WorkspacePath, Unit | None] = field(default_factory=dict)

    def at(self, path: WorkspacePath) -> Unit | None:
        """The unit of a file."""
        if path not in self._units:
            parsed = self.files.parse(path)
            self._units[path] = self._unit(path, parsed) if parsed is not None else None
        return self._units[path]

    def defining(self, name: str) -> Iterator[Unit]:
        """Units of the language that define *name* somewhere, as the index knows."""
        for path in self.files.defining(name):
            unit = self.at(path)
            if unit is not None:
                yield unit

    def forget(self) -> None:
        """Let go of everything that was read."""
        for unit in self._units.values():
            if unit is not None:
                unit.names.forget()
        self._units.clear()

    def _unit(self, path: WorkspacePath, parsed: Parsed) -> Unit | None:
        spots = [found.start() for found in re.finditer(re.escape(self.word), parsed.text)]
        try:
            return Unit(path, parsed, self.read(parsed, spots))
        except RecursionError:
            return None  # nested deeper than can be walked: it goes by name

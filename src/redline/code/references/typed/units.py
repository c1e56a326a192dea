"""Files with their names: each read once, and only the function bodies that contain the name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from redline.code.references.file_access import SourceFiles
from redline.code.scopes.model import Names
from redline.code.syntax.definitions import Parsed
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field


@dataclass(eq=False, slots=True)
class Unit:
    """A file with its names."""

    path: WorkspacePath
    parsed: Parsed
    names: Names


# Reads the names of a file: all declarations, and the bodies that contain one of the offsets.
Reader: TypeAlias = Callable[[Parsed, Sequence[int]], Names]


@dataclass(slots=True)
class Units:
    """The units of a workspace by path; None for files that cannot be read in this answer."""

    files: SourceFiles
    word: str
    read: Reader
    _units: dict[WorkspacePath, Unit | None] = field(default_factory=dict)

    def at(self, path: WorkspacePath) -> Unit | None:
        """Return the unit of a file."""
        if path not in self._units:
            parsed = self.files.parse(path)
            self._units[path] = self._unit(path, parsed) if parsed is not None else None
        return self._units[path]

    def defining(self, name: str) -> Iterator[Unit]:
        """Yield the units that define *name* according to the index."""
        for path in self.files.defining(name):
            unit = self.at(path)
            if unit is not None:
                yield unit

    def _unit(self, path: WorkspacePath, parsed: Parsed) -> Unit | None:
        offsets = [found.start() for found in re.finditer(re.escape(self.word), parsed.text)]
        try:
            return Unit(path, parsed, self.read(parsed, offsets))
        except RecursionError:
            return None  # nested too deeply to walk: matched by name only

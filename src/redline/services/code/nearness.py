"""Which files most likely use a definition: those that import its file, then those near to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile

from redline.code.python_js.imports import stem_keys
from redline.core.paths import WorkspacePath
from redline.core.ports.code import IndexedUses


@dataclass(frozen=True, slots=True)
class Nearness:
    """How likely files use what *homes* define."""

    homes: list[WorkspacePath]
    importing: set[WorkspacePath]
    _folders: dict[tuple[str, ...], int] = field(default_factory=dict)

    def of(self, row: IndexedUses) -> tuple[bool, int]:
        """Whether a file imports one of the homes, and how much of its path it shares with one."""
        folder = row.path.parts[:-1]
        if folder not in self._folders:
            self._folders[folder] = max(_count_shared(folder, home) for home in self.homes)
        return row.path in self.importing, self._folders[folder]


def import_keys(home: WorkspacePath) -> list[str]:
    """Return the words that a file which imports *home* has: a key of scripts, a module's name."""
    stem, _, ending = home.name.rpartition(".")
    if ending not in ("py", "pyi", "pyw"):
        return stem_keys(home)
    return [home.parent.name if stem == "__init__" else stem]


def _count_shared(folder: tuple[str, ...], home: WorkspacePath) -> int:
    """Return how many folders two files have in common, most if they are in the same one."""
    if folder == home.parts[:-1]:
        return len(home.parts)
    pairs = zip(folder, home.parts[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

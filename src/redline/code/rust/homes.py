"""Find the files that define a name, judging by the index and by their text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.code.references.typed.units import Unit, Units
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

# Files searched at most for a member other than the wanted one.
_MAX_INTERMEDIATE = 8
# Files that the index lists at most.
_MAX_INDEXED = 50
# Matches files with a trait. A pattern that begins with a plain word is fast.
TRAIT_PATTERN = r"trait\s+\w+[^;{]*\{"


@dataclass(slots=True)
class Homes:
    """Finds the files that define members."""

    units: Units
    _fitting: dict[tuple[WorkspacePath, str], bool] = field(default_factory=dict)
    _homes: dict[str, Sequence[WorkspacePath]] = field(default_factory=dict)

    def defining(self, name: str, pattern: str) -> Iterator[Unit]:
        """Yield the files matching *pattern* that define *name*.

        Only a few are searched unless it is the wanted name.
        """
        paths = self._defining(name)
        for path in paths if name == self.units.word else paths[:_MAX_INTERMEDIATE]:
            unit = self.units.at(path) if self._may_match(path, pattern) else None
            if unit is not None:
                yield unit

    def _may_match(self, path: WorkspacePath, pattern: str) -> bool:
        """Return whether a file is worth parsing, judging by its text."""
        if (path, pattern) not in self._fitting:
            text = self.units.files.text(path)
            self._fitting[path, pattern] = text is None or bool(re.search(pattern, text))
        return self._fitting[path, pattern]

    def is_truncated(self, name: str) -> bool:
        """Return whether some files that define *name* are not searched."""
        most = _MAX_INDEXED if name == self.units.word else _MAX_INTERMEDIATE
        return len(self._defining(name)) >= most

    def _defining(self, name: str) -> Sequence[WorkspacePath]:
        if name not in self._homes:
            self._homes[name] = self.units.files.defining(name)
        return self._homes[name]


def written_by_macro(text: str, trait: str) -> bool:
    """Return whether a macro of a file writes an `impl` of a trait for a type that it is given."""
    return bool(re.search(rf"impl\b[^;{{]*\b{re.escape(trait)}\b[^;{{]*\bfor\s[^;{{]*\$", text))


def impl_pattern(name: str) -> str:
    """Return a pattern for files with an `impl` of a trait or for a type."""
    return rf"impl\b[^;{{]*\b{re.escape(name)}\b"

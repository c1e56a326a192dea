"""The base class of resolvers for languages with declared types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from redline.code.references.definition import UNRESOLVED, Definition
from redline.code.references.file_access import SourceFiles
from redline.code.references.targets import (
    Meaning,
    Reference,
    ReferenceTarget,
    by_line,
    verdicts,
)
from redline.code.references.typed.units import Unit, Units
from redline.code.scopes.model import Member, Names, Occurrence
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath


class TypedResolver(ABC):
    """Finds references to definitions of one name; subclasses resolve each occurrence.

    A definition is identified by where its name is declared. An occurrence resolves to the empty
    set if the language or a library defines it, to UNKNOWN if it cannot be determined.
    """

    # Whether to find what must be renamed together.
    renaming = False

    def __init__(self, name: str, files: SourceFiles) -> None:
        self.name = name
        self.units = Units(files, name, self.read)

    @abstractmethod
    def read(self, parsed: Parsed, offsets: Sequence[int]) -> Names:
        """Read the names of a file; bodies that contain none of *offsets* may be skipped."""

    @abstractmethod
    def of_occurrence(self, unit: Unit, occurrence: Occurrence) -> frozenset[Definition]:
        """Resolve a plain name."""

    @abstractmethod
    def of_member(self, unit: Unit, member: Member) -> frozenset[Definition]:
        """Resolve a member of a value or type."""

    def family(self, definition: Definition) -> set[Definition]:
        """Return all that counts as the same definition: prior declarations, overrides."""
        return {definition}

    def exported_as(self, target: ReferenceTarget, path: WorkspacePath) -> set[str]:  # noqa: ARG002 - for subclasses
        """Return the names under which the file at *path* exports the definition."""
        return set()

    def may_see(self, path: WorkspacePath, text: str) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether a file with this text can refer to another file's definition at all."""
        return True

    def target(self, path: WorkspacePath, start: int) -> ReferenceTarget | None:
        """Return the definition whose name begins at *start*; None if undetermined."""
        unit = self.units.at(path)
        if unit is None:
            return None
        for meaning in self._resolve_names(unit):
            known = sorted(
                meaning.definitions - UNRESOLVED, key=lambda d: (d.path != path, d.start != start)
            )
            if meaning.start == start and known:
                same = {one for definition in known for one in self.family(definition)}
                return ReferenceTarget(known[0], same, meaning.is_member or known[0].is_member)
        return None

    def in_file(
        self, path: WorkspacePath, targets: list[ReferenceTarget]
    ) -> list[Reference] | None:
        """Return the references in one file, in order; None if the file cannot be read."""
        unit = self.units.at(path)
        if unit is None:
            return None
        return by_line(verdicts(self._settle(unit, targets), targets))

    def _settle(self, unit: Unit, targets: list[ReferenceTarget]) -> Iterable[Meaning]:  # noqa: ARG002 - for subclasses
        """Return every occurrence of the name; what one place refers to may join the targets."""
        return self._meanings(unit)

    def _meanings(self, unit: Unit) -> Iterator[Meaning]:
        """Yield every occurrence of the name; one that the reader skipped may mean anything."""
        seen: set[int] = set()
        for meaning in self._resolve_names(unit):
            seen.add(meaning.start)
            yield meaning
        for node in nodes_of(unit.parsed, self.name):
            start = node.range().start
            if start.index not in seen:
                yield Meaning(start.line + 1, UNRESOLVED, False, start.index)

    def _resolve_names(self, unit: Unit) -> Iterator[Meaning]:
        for one in unit.names.occurrences:
            if one.name == self.name:
                yield Meaning(one.line, self.of_occurrence(unit, one), False, one.start)
        for member in unit.names.members:
            if member.name == self.name:
                yield Meaning(member.line, self.of_member(unit, member), True, member.start)

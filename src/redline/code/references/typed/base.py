"""What refers to a definition in a language with declared types, file by file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.file_access import Files
from redline.code.references.targets import Meaning, Reference, Target, by_line, verdicts
from redline.code.references.typed.units import Unit, Units
from redline.code.scopes.model import Binding, Member, Names, Occurrence
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath

# A place that spells the name: its line, what it may mean, whether it is a member, its offset.
Place: TypeAlias = tuple[int, frozenset[Thing], bool, int]


class TypedReferring(ABC):
    """Finds what refers to definitions of one name; a language says what each word means.

    A thing is known by where its name is defined. Nothing at all is the answer for what the
    language or a library defines, UNKNOWN for what cannot be told.
    """

    def __init__(self, name: str, files: Files) -> None:
        self.name = name
        self.units = Units(files, name, self.read)

    @abstractmethod
    def read(self, parsed: Parsed, spots: Sequence[int]) -> Names:
        """The names of a file; bodies that hold none of *spots* may be passed over."""

    @abstractmethod
    def of_spot(self, unit: Unit, spot: Occurrence) -> frozenset[Thing]:
        """What a plain name means."""

    @abstractmethod
    def of_member(self, unit: Unit, member: Member) -> frozenset[Thing]:
        """What a word that belongs to a value or type means."""

    def family(self, thing: Thing) -> set[Thing]:
        """All that counts as the same: declarations apart from their definition, overrides."""
        return {thing}

    def own(self, unit: Unit, binding: Binding) -> Thing:
        """The thing that a binding of this file is."""
        first = binding.sites[0]
        is_member = binding.scope.kind == "class"
        return Thing(unit.path, first.start, binding.name, is_member, binding=binding)

    def exported_as(self, target: Target, path: WorkspacePath) -> set[str]:  # noqa: ARG002 - a language may look
        """Names by which the file at *path* gives the thing away, its own or others."""
        return set()

    def may_see(self, path: WorkspacePath, text: str) -> bool:  # noqa: ARG002 - likewise
        """Whether a file can name a thing of another file at all, by its text alone."""
        return True

    def target(self, path: WorkspacePath, start: int) -> Target | None:
        """The definition whose name begins at *start*; None where that cannot be told."""
        unit = self.units.at(path)
        if unit is None:
            return None
        for _, things, is_member, at in self._places(unit):
            known = sorted(things - {UNKNOWN}, key=lambda t: (t.path != path, t.start != start))
            if at == start and known:
                same = {kin for thing in known for kin in self.family(thing)}
                return Target(known[0], same, is_member or known[0].is_member)
        return None

    def in_file(self, path: WorkspacePath, targets: list[Target]) -> list[Reference] | None:
        """The references of one file, in order; None where that cannot be told."""
        unit = self.units.at(path)
        if unit is None:
            return None
        return by_line(verdicts(self._meanings(unit), targets))

    def forget(self) -> None:
        """Let go of everything that was read for the answer."""
        self.units.forget()

    def _meanings(self, unit: Unit) -> Iterator[Meaning]:
        """Every place that spells the name; what the reader has not noted may mean anything."""
        seen: set[int] = set()
        for line, things, is_member, start in self._places(unit):
            seen.add(start)
            yield line, things, is_member
        for node in nodes_of(unit.parsed, self.name):
            if node.range().start.index not in seen:
                yield node.range().start.line + 1, frozenset({UNKNOWN}), False

    def _places(self, unit: Unit) -> Iterator[Place]:
        for spot in unit.names.occurrences:
            if spot.name == self.name:
                yield spot.line, self.of_spot(unit, spot), False, spot.start
        for member in unit.names.members:
            if member.name == self.name:
                yield member.line, self.of_member(unit, member), True, member.start

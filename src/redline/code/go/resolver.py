"""What refers to a definition in Go."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from redline.code.go.interfaces import Interfaces
from redline.code.go.library import is_of_library
from redline.code.go.literals import has_fields, key_of, type_of
from redline.code.go.members import Members, Selected
from redline.code.go.names import Declared, Locals
from redline.code.go.packages import Packages
from redline.code.go.sources import Source, receiver_of
from redline.code.go.types import Types
from redline.code.go.values import Values
from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.file_access import Files
from redline.code.references.targets import Meaning, Reference, Target
from redline.code.references.typed.base import Place, TypedReferring
from redline.code.references.typed.units import Unit
from redline.code.scopes.model import Member, Names, Occurrence, Scope
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import Node
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath

_UNKNOWN = frozenset({UNKNOWN})
_DOT_IMPORT = r"^\s*(?:import\s+)?\.\s+\""
_DEFINING = {"field_declaration", "method_declaration", "method_elem"}


class GoReferring(TypedReferring):
    """Finds what refers to definitions of one name in Go."""

    def __init__(self, name: str, files: Files) -> None:
        super().__init__(name, files)
        self._begin()
        spelled = re.escape(name)
        self._use = re.compile(rf"\.\s*{spelled}\b|\b{spelled}\s*:|{_DOT_IMPORT}", re.MULTILINE)
        self._homes: set[WorkspacePath] = set()
        self._methods: dict[Thing, Declared] = {}
        self._targets: list[Target] = []
        # Methods that count as a target's where they are called, not where they are declared.
        self._joined: set[Thing] = set()

    def _begin(self) -> None:
        self.packages = Packages(self.units)
        self.types = Types(self.packages, Locals())
        self.members = Members(self.types)
        self.values = Values(self.types, self.members)
        self.interfaces = Interfaces(self.types, self.members)

    def forget(self) -> None:
        """Let go of everything that was read for the answer."""
        super().forget()
        self._begin()
        self._methods.clear()

    def read(self, parsed: Parsed, spots: Sequence[int]) -> Names:
        """The places that spell the name; what they mean is found outward from each."""
        top = Scope("module", None, parsed.root)
        names = Names(top, scopes=[top])
        for node in nodes_of(parsed, self.name) if spots else ():
            above = node.parent()
            if node.kind() == "field_identifier" or key_of(node) is not None:
                names.member(node, top, "access", above)
            else:
                names.refer(node, top)
        return names

    def target(self, path: WorkspacePath, start: int) -> Target | None:
        """The definition whose name begins at *start*; None where that cannot be told."""
        found = super().target(path, start)
        if found is not None:
            self._homes |= {thing.path.parent for thing in found.same}
        return found

    def target_on(self, path: WorkspacePath, line: int) -> Target | None:
        """What a line defines by the name; None where that cannot be told."""
        unit = self.units.at(path)
        if unit is None:
            return None
        starts = [spot.start for spot in unit.names.occurrences if spot.line == line]
        starts += [member.start for member in unit.names.members if member.line == line]
        return self.target(path, min(starts)) if starts else None

    def folder_of(self, target: Target) -> WorkspacePath | None:
        """The folder whose files alone may see it: no other can import a small letter or `main`."""
        unit = self.units.at(target.thing.path) if not is_of_library(target.thing) else None
        if unit is None:
            return None
        package = self.packages.source(unit).package
        is_alone = package == "main" or package.endswith("_test") or not self._is_exported()
        return unit.path.parent if is_alone else None

    def in_file(self, path: WorkspacePath, targets: list[Target]) -> list[Reference] | None:
        """The references of one file, in order; None where that cannot be told."""
        if path.parent not in self._homes and not self._is_used(path):
            return []
        self._targets = targets
        return super().in_file(path, targets)

    def _meanings(self, unit: Unit) -> Iterator[Meaning]:
        return (place[:3] for place in self._places(unit))  # every place that spells it is noted

    def _places(self, unit: Unit) -> Iterator[Place]:
        for line, things, is_member, start in super()._places(unit):
            if any((thing.path, thing.start) == (unit.path, start) for thing in things):
                yield line, things - self._joined, is_member, start
                continue
            met = {self._met(unit, thing) for thing in things}
            yield line, frozenset(thing for thing in met if thing is not None), is_member, start

    def _met(self, unit: Unit, thing: Thing) -> Thing | None:
        """A thing, counted as a target's own where it corresponds to it by an interface.

        Calls of a library's interface are everywhere: of those only the ones in the package of
        the method are taken for it, others may be it; of errors not even that.
        """
        method = self._methods.get(thing)
        is_asked = not self._targets or any(thing in target.same for target in self._targets)
        if method is None or is_asked:
            return thing
        same = [target for target in self._targets if self._corresponds(target, method)]
        if is_of_library(thing):
            near = [target.thing for target in same if _is_near(target, unit)]
            far = UNKNOWN if same and self.name != "Error" else None
            return near[0] if near else far
        for target in same:
            target.same.add(thing)
            self._joined.add(thing)
        return thing

    def _corresponds(self, target: Target, method: Declared) -> bool:
        asked = self._methods.get(target.thing)
        return asked is not None and self.interfaces.correspond(asked, method)

    def _may_satisfy(self, unit: Unit) -> bool:
        """Whether a method of this package is asked for: a library's interface may have it."""
        asked = [target for target in self._targets if target.thing in self._methods]
        return any(_is_near(target, unit) for target in asked)

    def may_see(self, path: WorkspacePath, text: str) -> bool:
        """Whether a file can name a thing of another file at all, by its text alone."""
        if path.parent in self._homes:
            return True
        return self._is_exported() and any(self._is_imported(home, text) for home in self._homes)

    def beside(self, target: Target) -> set[str]:
        """The package that others import, and the type that a member belongs to."""
        unit = self.units.at(target.thing.path) if not is_of_library(target.thing) else None
        if unit is None:
            return set()
        sites = (m.node for m in unit.names.members if m.start == target.thing.start)
        owners = {name for site in sites for name in _owners(unit, site)}
        return {self.packages.source(unit).package, *owners} - {self.name, "main"}

    def _is_used(self, path: WorkspacePath) -> bool:
        """Whether a file of another package may use the name: after a dot or as a key."""
        text = self.units.files.text(path) if self._is_exported() else ""
        if text is None:
            return True
        lines = (
            text[text.rfind("\n", 0, found.start()) + 1 :] for found in self._use.finditer(text)
        )
        return any(not line.lstrip().startswith("//") for line in lines)

    def _is_exported(self) -> bool:
        return self.name[:1].isupper()

    def _is_imported(self, home: WorkspacePath, text: str) -> bool:
        known = self.packages.path_of(home)
        return known is None or f'"{known}"' in text or f"`{known}`" in text

    def of_spot(self, unit: Unit, spot: Occurrence) -> frozenset[Thing]:
        """What a plain name means."""
        try:
            return self._plain(unit, spot.node)
        except RecursionError:  # nested deeper than anything a person writes
            return _UNKNOWN

    def _plain(self, unit: Unit, node: Node) -> frozenset[Thing]:
        above = node.parent()
        kind = above.kind() if above is not None else ""
        if kind == "qualified_type" and node.kind() == "type_identifier":
            return self._of_package(unit, above.field("package").text())
        if node.kind() == "package_identifier":
            return frozenset()
        if kind == "function_declaration" and node.text() == "init":
            return frozenset({Declared(unit, node, "func", above).thing})  # each by itself
        found = self.types.declared(unit, node)
        if not found and any(each.name == "." for each in self._source(unit).imports):
            return _UNKNOWN
        return frozenset(each.thing for each in found)

    def _source(self, unit: Unit) -> Source:
        return self.packages.source(unit)

    def _of_package(self, unit: Unit, package: str) -> frozenset[Thing]:
        found = self.packages.exported(self._source(unit), package, self.name)
        return frozenset(each.thing for each in found)

    def of_member(self, unit: Unit, member: Member) -> frozenset[Thing]:
        """What a word that belongs to a value or type means."""
        try:
            return self._of_member(unit, member.node)
        except RecursionError:  # likewise
            return _UNKNOWN

    def _of_member(self, unit: Unit, node: Node) -> frozenset[Thing]:
        above = node.parent()
        if above.kind() in _DEFINING:
            return self._things([_defined(unit, node, above)])
        if above.kind() == "selector_expression":
            return self._selected(unit, self.values.selected(unit, above))
        return self._of_key(unit, node)

    def _of_key(self, unit: Unit, node: Node) -> frozenset[Thing]:
        """What stands before a colon between the braces of a literal."""
        braces = key_of(node)
        if braces is None:
            return _UNKNOWN
        shape = type_of(self.values, unit, braces)
        is_field = has_fields(self.values, shape)
        if is_field is None:
            return _UNKNOWN
        if not is_field:
            return self._plain(unit, node)
        return self._selected(unit, self.members.find(shape, self.name))

    def _selected(self, unit: Unit, found: Selected) -> frozenset[Thing]:
        if found.declared:
            return self._things(found.declared)
        is_open = found.is_open or (found.is_outside and self._may_satisfy(unit))
        return _UNKNOWN if is_open else frozenset()

    def _things(self, declared: Iterable[Declared]) -> frozenset[Thing]:
        found = {each.thing: each for each in declared}
        self._methods.update((t, each) for t, each in found.items() if each.kind == "method")
        return frozenset(found)


def _owners(unit: Unit, site: Node) -> Iterator[str]:
    """The name of the type that the field or method defined here belongs to."""
    above = site.parent()
    if above.kind() == "method_declaration":
        receiver = receiver_of(_defined(unit, site, above))
        if receiver is not None:
            yield str(receiver.text())
    for outer in above.ancestors():
        if outer.kind() == "type_spec":
            yield str(outer.field("name").text())
            return


def _is_near(target: Target, unit: Unit) -> bool:
    return target.thing.path.parent == unit.path.parent


def _defined(unit: Unit, node: Node, above: Node) -> Declared:
    kind = "field" if above.kind() == "field_declaration" else "method"
    return Declared(unit, node, kind, above)

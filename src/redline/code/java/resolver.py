"""What refers to a definition of Java, overrides included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from redline.code.java.classes import Classes
from redline.code.java.declared import Field, Method, TypeDeclaration, parameters_of
from redline.code.java.members import FoundMethod
from redline.code.java.places import ANYTHING, NOTHING, Means, Places
from redline.code.java.reach import ANYWHERE, FILE, reach, sees
from redline.code.java.skeleton import skeleton
from redline.code.java.source_file import JavaFile
from redline.code.java.typing.calls import arguments_of
from redline.code.java.typing.expressions import Expressions
from redline.code.java.typing.overloads import takes
from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.file_access import Files
from redline.code.references.targets import Meaning, Reference, Target, by_line, verdicts
from redline.code.references.typed.base import TypedReferring
from redline.code.references.typed.units import Unit
from redline.code.scopes.model import Member, Names, Occurrence, Scope
from redline.code.syntax.definitions import Parsed, parse
from redline.code.syntax.languages import language_of
from redline.code.syntax.node import Node
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath

# How much quicker text is left out than parsed.
_SPARED = 5
# What a word that stands as one kind of thing can refer to.
_KINDS = {
    "type": {"type"},
    "made": {"type", "constructor"},
    "method": {"method", "part"},
    "constructor": {"constructor"},
    "field": {"field", "type", "part"},
    "local": {"local"},
    "any": {"type", "field", "method", "part"},
}
_CALLED = ("method", "part")


def _sparse(files: Files, word: str, path: WorkspacePath) -> Parsed | None:
    """The syntax tree of a file without what nobody asks for."""
    text, language = files.text(path), language_of(path.name)
    if text is None or language is None:
        return files.parse(path)
    left, count = skeleton(text, word)
    # To leave things out takes a part of the time that it would take to parse them.
    return parse(left, language) if files.take(count + len(text) // _SPARED) else None


class JavaReferring(TypedReferring):
    """Finds what refers to definitions of one name.

    Calls and declarations of what a method overrides, and of what overrides it, count as its own.
    """

    def __init__(self, name: str, files: Files) -> None:
        super().__init__(name, replace(files, parse=partial(_sparse, files, name)))
        self.classes = Classes(self.units)
        self.expressions = Expressions(self.classes)
        self.places = Places(self.expressions)
        self._related: dict[tuple[Thing, Thing], bool] = {}
        self._reach: dict[Thing, tuple[str, str]] = {}

    def read(self, parsed: Parsed, spots: Sequence[int]) -> Names:
        """Every place that spells the name; what it means is told from where it stands."""
        root = Scope("module", None, parsed.root)
        names = Names(root, scopes=[root])
        for node in nodes_of(parsed, self.name) if spots else ():
            names.refer(node, root)
        return names

    def target_on(self, path: WorkspacePath, line: int) -> Target | None:
        """What a line defines by the name; None where that cannot be told."""
        unit = self.units.at(path)
        spots = unit.names.occurrences if unit is not None else ()
        starts = (spot.start for spot in spots if spot.line == line)
        start = next(starts, None)
        return self.target(path, start) if start is not None else None

    def forget(self) -> None:
        """Let go of everything that was read for the answer."""
        super().forget()
        self.classes.forget()
        self.expressions.forget()

    def of_spot(self, unit: Unit, spot: Occurrence) -> frozenset[Thing]:
        """What the word means."""
        return self._means(unit, spot).things

    def of_member(self, unit: Unit, member: Member) -> frozenset[Thing]:  # noqa: ARG002
        """Words behind a dot are read where they stand, as all others."""
        return ANYTHING

    def in_file(self, path: WorkspacePath, targets: list[Target]) -> list[Reference] | None:
        """The references of one file, in order; None where that cannot be told."""
        targets = [target for target in targets if self._is_seen(path, target.thing)]
        if not targets:
            return []
        unit = self.units.at(path)
        file = self.classes.file(path)
        if unit is None or file is None:
            return None
        return by_line(verdicts(self._aimed(unit, file, targets), targets))

    def beside(self, target: Target) -> set[str]:
        """The type that a member belongs to, and those that declare what it overrides."""
        found = self._definition(target.thing)
        if found is None or isinstance(found, TypeDeclaration):
            return set()
        owners = [found.owner]
        if isinstance(found, Method) and not found.is_fixed:
            above = self.classes.lineage(found.owner)
            owners += [declared for declared in above if found.name in declared.methods]
        names = {owner.qualified.rpartition(".")[2] for owner in owners if not owner.file.is_sketch}
        return {name for name in names if "@" not in name} - {self.name}

    def _is_seen(self, path: WorkspacePath, thing: Thing) -> bool:
        """Whether a file can name a target at all, by where it lies."""
        if thing not in self._reach:
            found = self._definition(thing)
            file = self.classes.file(thing.path)
            width = reach(found) if found is not None else ANYWHERE
            if not thing.is_member and thing.start:
                width = FILE  # a local name
            self._reach[thing] = (width, file.package if file is not None else "")
        width, package = self._reach[thing]
        return sees(path, thing.path, package, width)

    def _definition(self, thing: Thing) -> Method | Field | TypeDeclaration | None:
        file = self.classes.file(thing.path)
        if file is None:
            return None
        if thing.is_member:
            return file.member_at(thing.start)
        return file.by_qualified(thing.name) if not thing.start else None

    def _is_out(self, node: Node, aims: list[tuple[Target, str]]) -> bool:
        """Whether a place cannot be meant by what is seen at once: its kind, how many it takes."""
        parent = node.parent()
        kind = parent.kind() if parent is not None else ""
        if kind not in ("method_invocation", "method_declaration"):
            return False
        name = parent.field("name")
        if name is None or name.range().start.index != node.range().start.index:
            return False
        methods = [self._method(target.thing) for target, what in aims if what in _CALLED]
        if kind == "method_declaration":
            count = len(parameters_of(parent))
            return not any(m is not None and len(m.parameters) == count for m in methods)
        given = len(arguments_of(parent))
        return not any(m is not None and takes(FoundMethod(m, {}), given) for m in methods)

    def _means(self, unit: Unit, spot: Occurrence) -> Means:
        file = self.classes.file(unit.path)
        if file is None:
            return Means(ANYTHING, "any")
        return self.places.means(spot.node, file)

    def _aimed(self, unit: Unit, file: JavaFile, targets: list[Target]) -> Iterator[Meaning]:
        aims = [(target, self._kind(target.thing)) for target in targets]
        for spot in unit.names.occurrences:
            if self._is_out(spot.node, aims):
                continue
            means = self._means(unit, spot)
            yield spot.line, self._as_targets(means, aims), False
        if any(kind == "constructor" for _, kind in aims):
            for node, means in self.places.calls_of_constructors(file):
                yield node.range().start.line + 1, self._as_targets(means, aims), False

    def _as_targets(self, means: Means, aims: list[tuple[Target, str]]) -> frozenset[Thing]:
        """What a word means, as far as one of the targets can be it."""
        found: set[Thing] = set()
        for target, kind in aims:
            if kind not in _KINDS.get(means.kind, {kind}):
                continue
            if target.thing in means.things or self._is_kin(means, target.thing, kind):
                found.add(target.thing)
            elif UNKNOWN in means.things and self._may_be(means, target.thing):
                found.add(UNKNOWN)
        return frozenset(found) or NOTHING

    def _is_kin(self, means: Means, target: Thing, kind: str) -> bool:
        return kind in ("method", "part") and any(
            thing.is_member and self._same(thing, target) for thing in means.things
        )

    def _may_be(self, means: Means, target: Thing) -> bool:
        """Whether a call that cannot be told may mean the target."""
        method = self._method(target)
        if method is None:
            return True
        if means.among:
            return any(
                found.method.thing == target or self._same(found.method.thing, target)
                for found in means.among
            )
        return means.count is None or takes(FoundMethod(method, {}), means.count)

    def _kind(self, thing: Thing) -> str:
        if not thing.is_member:
            return "type" if thing.start == 0 else "local"
        method = self._method(thing)
        if method is None:
            return "field"
        if method.node.kind() == "formal_parameter":
            return "part"  # of a record: a field and a method
        return "constructor" if method.is_constructor else "method"

    def _method(self, thing: Thing) -> Method | None:
        found = self._definition(thing) if thing.is_member else None
        return found if isinstance(found, Method) else None

    def _same(self, one: Thing, other: Thing) -> bool:
        """Whether one of two methods overrides the other."""
        key = (one, other)
        if key not in self._related:
            first, second = self._method(one), self._method(other)
            self._related[key] = (
                first is not None
                and second is not None
                and (self._overrides(first, second) or self._overrides(second, first))
            )
        return self._related[key]

    def _overrides(self, one: Method, other: Method) -> bool:
        if other.owner.file.is_sketch or one.owner.file.is_sketch:
            return False  # the library's own methods are nobody's here
        if one.is_fixed or other.is_fixed or len(one.parameters) != len(other.parameters):
            return False
        members = self.expressions.members
        for declared, given, _ in members.line(members.own_shape(one.owner)):
            if declared is other.owner and declared is not one.owner:
                return members.same_parameters(FoundMethod(one, {}), FoundMethod(other, given))
        return False

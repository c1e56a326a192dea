"""Find references to a definition in Java, overrides included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from redline.code.java.classes import JavaClasses
from redline.code.java.declarations import Field, Method, TypeDeclaration, parameters_of
from redline.code.java.meanings import NOTHING, WordKind, WordMeaning
from redline.code.java.members import FoundMethod
from redline.code.java.reach import Reach, is_within_reach, reach_of
from redline.code.java.skeleton import skeleton
from redline.code.java.source_file import JavaFile
from redline.code.java.typing.calls import arguments_of
from redline.code.java.typing.expressions import Expressions
from redline.code.java.typing.overloads import takes
from redline.code.java.words import WordResolver
from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.file_access import SourceFiles
from redline.code.references.targets import Meaning, Reference, ReferenceTarget, by_line, verdicts
from redline.code.references.typed.base import TypedResolver
from redline.code.references.typed.units import Unit
from redline.code.scopes.model import Member, Names, Occurrence, Scope
from redline.code.syntax.definitions import Parsed, parse
from redline.code.syntax.languages import language_of
from redline.code.syntax.node import SyntaxNode
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath

# How much faster text is blanked out than parsed.
_BLANKING_SPEEDUP = 5
# The kinds of targets that a word of each kind can refer to.
_KINDS = {
    WordKind.TYPE: {WordKind.TYPE},
    WordKind.MADE: {WordKind.TYPE, WordKind.CONSTRUCTOR},
    WordKind.METHOD: {WordKind.METHOD, WordKind.COMPONENT},
    WordKind.CONSTRUCTOR: {WordKind.CONSTRUCTOR},
    WordKind.FIELD: {WordKind.FIELD, WordKind.TYPE, WordKind.COMPONENT},
    WordKind.LOCAL: {WordKind.LOCAL},
    WordKind.ANY: {WordKind.TYPE, WordKind.FIELD, WordKind.METHOD, WordKind.COMPONENT},
}
_CALLED = (WordKind.METHOD, WordKind.COMPONENT)


def _sparse(files: SourceFiles, word: str, path: WorkspacePath) -> Parsed | None:
    """Parse a file without what the answer does not need."""
    text, language = files.text(path), language_of(path.name)
    if text is None or language is None:
        return files.parse(path)
    left, count = skeleton(text, word)
    # Charge a fraction for the text that is blanked out.
    return parse(left, language) if files.take(count + len(text) // _BLANKING_SPEEDUP) else None


class Aim(NamedTuple):
    """A target and its kind."""

    target: ReferenceTarget
    kind: WordKind


class JavaResolver(TypedResolver):
    """Finds references to definitions of one name in Java.

    Calls and declarations of methods that a method overrides, or that override it, count as its
    own.
    """

    def __init__(self, name: str, files: SourceFiles) -> None:
        super().__init__(name, replace(files, parse=partial(_sparse, files, name)))
        self.classes = JavaClasses(self.units)
        self.expressions = Expressions(self.classes)
        self.places = WordResolver(self.expressions)
        self._related: dict[tuple[Definition, Definition], bool] = {}
        self._reach: dict[Definition, tuple[Reach, str]] = {}

    def read(self, parsed: Parsed, offsets: Sequence[int]) -> Names:
        """Note the occurrences of the name; each is resolved in its context."""
        root = Scope("module", None, parsed.root)
        names = Names(root, scopes=[root])
        for node in nodes_of(parsed, self.name) if offsets else ():
            names.refer(node, root)
        return names

    def target_on(self, path: WorkspacePath, line: int) -> ReferenceTarget | None:
        """Return the definition of the name on a line; None if undetermined."""
        unit = self.units.at(path)
        found = unit.names.occurrences if unit is not None else ()
        starts = (one.start for one in found if one.line == line)
        start = next(starts, None)
        return self.target(path, start) if start is not None else None

    def of_occurrence(self, unit: Unit, occurrence: Occurrence) -> frozenset[Definition]:
        """Resolve a word."""
        return self._means(unit, occurrence).definitions

    def of_member(self, unit: Unit, member: Member) -> frozenset[Definition]:  # noqa: ARG002
        """Return UNKNOWN: words after a dot are read as occurrences."""
        return UNRESOLVED

    def in_file(
        self, path: WorkspacePath, targets: list[ReferenceTarget]
    ) -> list[Reference] | None:
        """Return the references in one file, in order; None if the file cannot be read."""
        targets = [target for target in targets if self._is_seen(path, target.definition)]
        if not targets:
            return []
        unit = self.units.at(path)
        file = self.classes.file(path)
        if unit is None or file is None:
            return None
        return by_line(verdicts(self._meanings_for(unit, file, targets), targets))

    def related_names(self, target: ReferenceTarget) -> set[str]:
        """Return the type that a member belongs to, and those that declare what it overrides."""
        found = self._definition(target.definition)
        if found is None or isinstance(found, TypeDeclaration):
            return set()
        owners = [found.owner]
        if isinstance(found, Method) and not found.is_fixed:
            above = self.classes.declared_ancestry(found.owner)
            owners += [declaration for declaration in above if found.name in declaration.methods]
        names = {owner.qualified.rpartition(".")[2] for owner in owners if not owner.file.is_sketch}
        return {name for name in names if "@" not in name} - {self.name}

    def _is_seen(self, path: WorkspacePath, definition: Definition) -> bool:
        """Return whether a file can refer to a target, judging by its path."""
        if definition not in self._reach:
            found = self._definition(definition)
            file = self.classes.file(definition.path)
            width = reach_of(found) if found is not None else Reach.ANYWHERE
            if not definition.is_member and definition.start:
                width = Reach.FILE  # a local name
            self._reach[definition] = (width, file.package if file is not None else "")
        width, package = self._reach[definition]
        return is_within_reach(path, definition.path, package, width)

    def _definition(self, definition: Definition) -> Method | Field | TypeDeclaration | None:
        file = self.classes.file(definition.path)
        if file is None:
            return None
        if definition.is_member:
            return file.member_at(definition.start)
        return file.by_qualified(definition.name) if not definition.start else None

    def _is_ruled_out(self, node: SyntaxNode, aims: list[Aim]) -> bool:
        """Return whether its kind or the number of arguments rule an occurrence out."""
        parent = node.parent()
        if parent is None:
            return False
        kind = parent.kind()
        if kind not in ("method_invocation", "method_declaration"):
            return False
        name = parent.field("name")
        if name is None or name.range().start.index != node.range().start.index:
            return False
        methods = [self._method(target.definition) for target, what in aims if what in _CALLED]
        if kind == "method_declaration":
            count = len(parameters_of(parent))
            return not any(m is not None and len(m.parameters) == count for m in methods)
        given = len(arguments_of(parent))
        return not any(m is not None and takes(FoundMethod(m, {}), given) for m in methods)

    def _means(self, unit: Unit, occurrence: Occurrence) -> WordMeaning:
        file = self.classes.file(unit.path)
        if file is None:
            return WordMeaning(UNRESOLVED, WordKind.ANY)
        return self.places.resolve(occurrence.node, file)

    def _meanings_for(
        self, unit: Unit, file: JavaFile, targets: list[ReferenceTarget]
    ) -> Iterator[Meaning]:
        aims = [Aim(target, self._kind(target.definition)) for target in targets]
        for occurrence in unit.names.occurrences:
            if self._is_ruled_out(occurrence.node, aims):
                continue
            meaning = self._means(unit, occurrence)
            found = self._as_targets(meaning, aims)
            yield Meaning(occurrence.line, found, False, occurrence.start)
        if any(kind is WordKind.CONSTRUCTOR for _, kind in aims):
            for node, meaning in self.places.calls_of_constructors(file):
                start = node.range().start
                found = self._as_targets(meaning, aims)
                yield Meaning(start.line + 1, found, False, start.index)

    def _as_targets(self, meaning: WordMeaning, aims: list[Aim]) -> frozenset[Definition]:
        """Restrict what a word means to the targets that it can refer to."""
        found: set[Definition] = set()
        for target, kind in aims:
            if kind not in _KINDS.get(meaning.kind, {kind}):
                continue
            if target.definition in meaning.definitions or self._is_override(
                meaning, target.definition, kind
            ):
                found.add(target.definition)
            elif UNKNOWN in meaning.definitions and self._may_be(meaning, target.definition):
                found.add(UNKNOWN)
        return frozenset(found) or NOTHING

    def _is_override(self, meaning: WordMeaning, target: Definition, kind: WordKind) -> bool:
        return kind in _CALLED and any(
            definition.is_member and self._same(definition, target)
            for definition in meaning.definitions
        )

    def _may_be(self, meaning: WordMeaning, target: Definition) -> bool:
        """Return whether an undetermined call may mean the target."""
        method = self._method(target)
        if method is None:
            return True
        if meaning.among:
            return any(
                found.method.definition == target or self._same(found.method.definition, target)
                for found in meaning.among
            )
        return meaning.count is None or takes(FoundMethod(method, {}), meaning.count)

    def _kind(self, definition: Definition) -> WordKind:
        if not definition.is_member:
            return WordKind.TYPE if definition.start == 0 else WordKind.LOCAL
        method = self._method(definition)
        if method is None:
            return WordKind.FIELD
        if method.node.kind() == "formal_parameter":
            return WordKind.COMPONENT
        return WordKind.CONSTRUCTOR if method.is_constructor else WordKind.METHOD

    def _method(self, definition: Definition) -> Method | None:
        found = self._definition(definition) if definition.is_member else None
        return found if isinstance(found, Method) else None

    def _same(self, one: Definition, other: Definition) -> bool:
        """Return whether one of two methods overrides the other."""
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
            return False  # the library's own methods are not of interest
        if one.is_fixed or other.is_fixed or len(one.parameters) != len(other.parameters):
            return False
        members = self.expressions.members
        for declaration, given, _ in members.ancestry(members.own_shape(one.owner)):
            if declaration is other.owner and declaration is not one.owner:
                return members.same_parameters(FoundMethod(one, {}), FoundMethod(other, given))
        return False

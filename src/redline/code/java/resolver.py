"""Find references to a definition in Java, overrides included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from redline.code.java.classes import JavaClasses
from redline.code.java.declarations import (
    TYPES,
    Field,
    Method,
    Reach,
    TypeDeclaration,
    first_child,
    is_within_reach,
    parameters_of,
    reach_of,
)
from redline.code.java.expressions import Expressions, JavaLocal, arguments_of, makes, takes
from redline.code.java.members import Choice, FoundMethod, MemberLookup
from redline.code.java.source_file import JavaFile
from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.file_access import SourceFiles
from redline.code.references.targets import Meaning, Reference, ReferenceTarget, by_line, verdicts
from redline.code.references.typed.base import TypedResolver
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.references.typed.units import Unit
from redline.code.scopes.model import Member, Names, Occurrence, Scope
from redline.code.syntax.definitions import Parsed, parse
from redline.code.syntax.languages import language_of
from redline.code.syntax.node import SyntaxNode, required_field, span_of
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, replace

NOTHING: frozenset[Definition] = frozenset()


class WordKind(StrEnum):
    """What a word can refer to in its context, or what a target is."""

    TYPE = "type"
    # The type in `new Type()`, which refers to its constructor as well.
    MADE = "made"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    FIELD = "field"
    # A component of a record: a field and a method.
    COMPONENT = "component"
    LOCAL = "local"
    ANY = "any"
    LABEL = "label"
    PACKAGE = "package"


@dataclass(frozen=True, slots=True)
class WordMeaning:
    """What a word may refer to, which kind it is, and for a call the number of arguments."""

    definitions: frozenset[Definition]
    kind: WordKind
    count: int | None = None
    # The methods that an ambiguous call may mean.
    among: tuple[FoundMethod, ...] = ()


_METHODS = frozenset(
    """
    method_declaration annotation_type_element_declaration constructor_declaration
    compact_constructor_declaration
    """.split()
)
_FIELDS = {"field_declaration", "constant_declaration"}
_LABELLED = {"labeled_statement", "break_statement", "continue_statement"}
_ANNOTATIONS = {"annotation", "marker_annotation"}
_LOCALS = frozenset(
    """
    formal_parameter catch_formal_parameter resource enhanced_for_statement instanceof_expression
    """.split()
)
_WRAPPING = {"generic_type", "scoped_type_identifier", "annotated_type"}


@dataclass(eq=False)
class WordResolver:
    """Resolves words in their context."""

    expressions: Expressions

    def resolve(self, node: SyntaxNode, file: JavaFile) -> WordMeaning:
        """Resolve the word at *node*."""
        parent = node.parent()
        if parent is None:
            return self._plain(node, file)
        kind = parent.kind()
        if _is_field(parent, "name", node) or kind in ("inferred_parameters", "type_parameter"):
            found = self._declared_or_called(node, parent, kind, file)
            if found is not None:
                return found
        if node.kind() == "type_identifier":
            return self._type(node, file)
        known = _CONTEXTS.get(kind)
        if known is not None:
            found = known(self, node, parent, file)
            if found is not None:
                return found
        if kind in _LABELLED:
            return WordMeaning(NOTHING, WordKind.LABEL)
        return self._plain(node, file)

    def _declared_or_called(
        self, node: SyntaxNode, parent: SyntaxNode, kind: str, file: JavaFile
    ) -> WordMeaning | None:
        """Resolve a word that declares something, or calls a method."""
        start = node.range().start.index
        name = node.text()
        if kind == "method_invocation":
            return self._call(parent, file)
        if kind in TYPES:
            return WordMeaning(frozenset({file.declaration_of(parent).definition}), WordKind.TYPE)
        if kind in _METHODS:
            made = WordKind.CONSTRUCTOR if "constructor" in kind else WordKind.METHOD
            self.expressions.enclosing_type(node, file)
            return WordMeaning(
                frozenset({Definition(file.path, start, name, is_member=True)}), made
            )
        if kind == "enum_constant" or (kind == "variable_declarator" and _is_member(parent)):
            return WordMeaning(
                frozenset({Definition(file.path, start, name, is_member=True)}), WordKind.FIELD
            )
        if kind == "formal_parameter" and _is_component(parent):
            return WordMeaning(
                frozenset({Definition(file.path, start, name, is_member=True)}), WordKind.ANY
            )
        if kind in ("variable_declarator", "inferred_parameters", "type_parameter", *_LOCALS):
            return WordMeaning(frozenset({Definition(file.path, start, name)}), WordKind.LOCAL)
        return None

    # Methods

    def _call(self, call: SyntaxNode, file: JavaFile) -> WordMeaning:
        found = self.expressions.calls.choose(call, file)
        given = call.field("arguments")
        count = sum(c.is_named() for c in given.children()) if given is not None else 0
        return self._method(found, WordKind.METHOD, count)

    def _method(self, found: Choice, kind: WordKind, count: int | None) -> WordMeaning:
        methods, whole = found
        if len(methods) == 1:
            return WordMeaning(frozenset({methods[0].method.definition}), kind, count)
        if methods:
            return WordMeaning(UNRESOLVED, kind, count, tuple(methods))
        return WordMeaning(NOTHING if whole else UNRESOLVED, kind, count)

    def _method_name(
        self, node: SyntaxNode, parent: SyntaxNode, file: JavaFile
    ) -> WordMeaning | None:
        last = parent.children()[-1]
        if last.range().start.index == node.range().start.index:
            return self._method(
                self.expressions.calls.find_referenced(parent, file), WordKind.METHOD, None
            )
        if makes(parent):
            return self._construction(node, parent, file)
        return None

    def _element(self, node: SyntaxNode, pair: SyntaxNode, file: JavaFile) -> WordMeaning | None:
        """Resolve the name in `@Annotation(name = ...)`: a method of the annotation."""
        if not _is_field(pair, "key", node):
            return None
        above = next((a for a in node.ancestors() if a.kind() in _ANNOTATIONS), None)
        named = above.field("name") if above is not None else None
        owner = self._annotation(named, file) if named is not None else None
        if owner is None:
            return WordMeaning(NOTHING, WordKind.METHOD, 0)
        found = self.expressions.members.look_up(owner, node.text())
        return self._method(Choice(found.methods, found.is_complete), WordKind.METHOD, 0)

    def _annotation(self, named: SyntaxNode, file: JavaFile) -> Shape | None:
        if named.kind() == "identifier":
            head = self.expressions.classes.resolve_type_name(named.text(), named, file)
            return Shape(head) if head is not None else None
        return self.expressions.type_before_dot(named, file)

    # Constructors

    def _construction(self, node: SyntaxNode, made: SyntaxNode, file: JavaFile) -> WordMeaning:
        """Resolve `new Type()` and `Type::new`: the type and its constructor."""
        shape = self.expressions.type_before_dot(node, file)
        if made.kind() == "method_reference":
            methods, whole = self.expressions.calls.find_referenced(made, file)
        else:
            shape = self.expressions.calls.constructed_type(made, file)
            methods, whole = self.expressions.calls.constructors_called(made, file)
        definitions = (
            {shape.head} if shape is not None and isinstance(shape.head, Definition) else set()
        )
        if len(methods) == 1:
            definitions.add(methods[0].method.definition)
        elif methods or not whole:
            definitions.add(UNKNOWN)
        return WordMeaning(frozenset(definitions), WordKind.MADE, among=tuple(methods))

    def calls_of_constructors(self, file: JavaFile) -> Iterable[tuple[SyntaxNode, WordMeaning]]:
        """Yield implicit constructor calls: `this`, `super`, and constants of enums."""
        kinds = [{"kind": "explicit_constructor_invocation"}, {"kind": "enum_constant"}]
        for node in file.parsed.root.find_all(any=kinds):
            found = self.expressions.calls.constructors_called(node, file)
            meaning = self._method(found, WordKind.CONSTRUCTOR, None)
            if meaning.definitions:
                yield node, meaning

    # Types

    def _type(self, node: SyntaxNode, file: JavaFile) -> WordMeaning:
        whole = node
        parent = node.parent()
        while parent is not None and parent.kind() in _WRAPPING:
            children = [c for c in parent.children() if c.is_named()]
            last = children[0] if parent.kind() == "generic_type" else children[-1]
            if last.range().end.index != whole.range().end.index:
                break
            whole, parent = parent, parent.parent()
        if parent is not None and parent.kind() == "object_creation_expression":
            makes_it = _is_field(parent, "type", whole)
        else:
            makes_it = parent is not None and parent.kind() == "method_reference" and makes(parent)
        if makes_it and parent is not None:
            return self._construction(whole, parent, file)
        above = node.parent()
        if above is not None and above.kind() == "scoped_type_identifier":
            node = above if span_of(above).end == span_of(node).end else node
        return self._heading(self.expressions.classes.type_of(node, file))

    def _heading(self, head: object) -> WordMeaning:
        definitions = frozenset({head}) if isinstance(head, Definition) else NOTHING
        return WordMeaning(definitions, WordKind.TYPE)

    def _annotation_type(
        self, node: SyntaxNode, parent: SyntaxNode, file: JavaFile
    ) -> WordMeaning | None:
        if _is_field(parent, "name", node):
            return self._heading(
                self.expressions.classes.resolve_type_name(node.text(), node, file)
            )
        return None

    # Names with dots

    def _field(self, node: SyntaxNode, access: SyntaxNode, file: JavaFile) -> WordMeaning | None:
        if not _is_field(access, "field", node):
            return None
        owner = self.expressions.type_before_dot(required_field(access, "object"), file)
        return self._within(owner, node, access, file)

    def _within(
        self, owner: Shape | None, node: SyntaxNode, whole: SyntaxNode, file: JavaFile
    ) -> WordMeaning:
        """Resolve a name after a dot: a field, or a type within a type or package."""
        if owner is None:
            dotted = "".join(whole.text().split())
            return self._heading(self.expressions.classes.packages.resolve_qualified(dotted, file))
        if owner == UNKNOWN_TYPE:
            return WordMeaning(UNRESOLVED, WordKind.FIELD)
        found = self.expressions.members.look_up(owner, node.text())
        if found.field is not None:
            return WordMeaning(frozenset({found.field.field.definition}), WordKind.FIELD)
        inner = self.expressions.classes.member_type(owner.head, node.text())
        if inner is not None:
            return WordMeaning(frozenset({inner}), WordKind.TYPE)
        return WordMeaning(NOTHING if found.is_complete else UNRESOLVED, WordKind.FIELD)

    def _qualified_part(
        self, node: SyntaxNode, parent: SyntaxNode, file: JavaFile
    ) -> WordMeaning | None:
        """Resolve a part of the name of a package, an import or an annotation."""
        above = next((a for a in node.ancestors() if a.kind() != "scoped_identifier"), None)
        if above is None or above.kind() == "package_declaration":
            return WordMeaning(NOTHING, WordKind.PACKAGE)
        last = parent.children()[-1]
        if last.range().start.index != node.range().start.index:
            if above.kind() == "import_declaration":
                return WordMeaning(NOTHING, WordKind.PACKAGE)
            return self._plain(node, file)
        if above.kind() != "import_declaration":
            return self._within(
                self.expressions.type_before_dot(first_child(parent), file), node, parent, file
            )
        return self._imported_name(node, parent, above, file)

    def _imported_name(
        self, node: SyntaxNode, dotted: SyntaxNode, above: SyntaxNode, file: JavaFile
    ) -> WordMeaning:
        kinds = {child.kind() for child in above.children()}
        classes = self.expressions.classes
        is_last = dotted.range() == _whole_name(above).range()
        found = classes.packages.resolve_qualified("".join(dotted.text().split()), file)
        if found is not None or not ("static" in kinds and is_last and "asterisk" not in kinds):
            return self._heading(found)
        owner = classes.packages.resolve_qualified(
            "".join(first_child(dotted).text().split()), file
        )
        if owner is None:
            return WordMeaning(NOTHING, WordKind.ANY)
        look = self.expressions.members.look_up(Shape(owner), node.text())
        return WordMeaning(_all_of(look), WordKind.ANY)

    # Plain names

    def _plain(self, node: SyntaxNode, file: JavaFile) -> WordMeaning:
        name = node.text()
        found = self.expressions.variable(name, node, file)
        if isinstance(found, JavaLocal):
            return WordMeaning(
                frozenset({Definition(file.path, found.start, name)}), WordKind.LOCAL
            )
        if found is not None:
            return WordMeaning(frozenset({found.field.definition}), WordKind.FIELD)
        head = self.expressions.classes.resolve_type_name(name, node, file)
        if isinstance(head, Definition):
            return WordMeaning(frozenset({head}), WordKind.TYPE)
        unread = name[:1].islower() and self.expressions.is_partly_unread(node, file)
        return WordMeaning(UNRESOLVED if unread else NOTHING, WordKind.FIELD)

    def _label(self, node: SyntaxNode, _: SyntaxNode, file: JavaFile) -> WordMeaning | None:
        """Resolve `case NAME`: a constant of the enum in the switch, or any constant."""
        switch = next((a for a in node.ancestors() if a.kind().startswith("switch_e")), None)
        switch = switch or next((a for a in node.ancestors() if "switch_st" in a.kind()), None)
        if switch is None:
            return None
        shape = self.expressions.shape(switch.field("condition"), file)
        declaration = self.expressions.classes.declaration(shape.head)
        if declaration is not None and declaration.kind == "enum_declaration":
            found = declaration.fields.get(node.text())
            return WordMeaning(
                frozenset({found.definition}) if found is not None else NOTHING, WordKind.FIELD
            )
        if shape == UNKNOWN_TYPE and self.expressions.variable(node.text(), node, file) is None:
            return WordMeaning(UNRESOLVED, WordKind.FIELD)
        return None


def _all_of(look: MemberLookup) -> frozenset[Definition]:
    definitions = {found.method.definition for found in look.methods}
    if look.field is not None:
        definitions.add(look.field.field.definition)
    return frozenset(definitions) or (NOTHING if look.is_complete else UNRESOLVED)


def _whole_name(node: SyntaxNode) -> SyntaxNode:
    return next(child for child in node.children() if child.kind() == "scoped_identifier")


def _is_field(parent: SyntaxNode | None, name: str, node: SyntaxNode) -> bool:
    found = parent.field(name) if parent is not None else None
    return found is not None and found.range().start.index == node.range().start.index


def _is_member(declarator: SyntaxNode) -> bool:
    above = declarator.parent()
    return above is not None and above.kind() in _FIELDS


def _is_component(parameter: SyntaxNode) -> bool:
    """Return whether it is a component of a record."""
    above = parameter.parent()
    above = above.parent() if above is not None else None
    return above is not None and above.kind() == "record_declaration"


_CONTEXTS = {
    "method_reference": WordResolver._method_name,
    "element_value_pair": WordResolver._element,
    "annotation": WordResolver._annotation_type,
    "marker_annotation": WordResolver._annotation_type,
    "field_access": WordResolver._field,
    "scoped_identifier": WordResolver._qualified_part,
    "switch_label": WordResolver._label,
}


_QUOTED = r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
_COMMENT = r"//[^\n]*|/\*[\s\S]*?\*/"
_OUTSIDE = re.compile(
    rf"[^/\"'{{}}();=]*+(?:({_COMMENT})|(?:{_QUOTED})|([{{}}();]|(?<![=!<>])=(?!=))|[/\"'=])"
)
# Match up to the next brace at once: a body has many words, and few braces.
_INSIDE = re.compile(rf"[^{{}}\"'/]*+(?:(?:{_COMMENT}|{_QUOTED}|[/\"'])[^{{}}\"'/]*+)*+([{{}}])")
_CHAINED = re.compile(r"\b(?:this|super)\s*\(")
_TYPE = re.compile(r"\b(?:class|interface|enum|record)\s+\w")


def skeleton(text: str, word: str) -> tuple[str, int]:
    """Return the text with blanks for what is left out, and the number of characters left."""
    scan = _Scan(text, word)
    scan.run()
    return scan.result()


class _Scan:
    """Scans declarations, skipping bodies as a whole."""

    def __init__(self, text: str, word: str) -> None:
        self.text = text
        self.word = word
        self.blanked: list[tuple[int, int]] = []
        # The start of the current declaration, whether it has a value, the depth of brackets.
        self.declaration_start = 0
        self.has_value = False
        self.depth = 0

    def run(self) -> None:
        """Scan the text from the first declaration to the last."""
        at = 0
        while (found := _OUTSIDE.match(self.text, at)) is not None:
            at = found.end()
            mark = found[2]
            if mark == "{":
                at = self._open_brace(at - 1)
            elif mark is not None:
                self._handle_mark(mark, at)
            elif found[1]:
                self.blanked.append(found.span(1))

    def _handle_mark(self, mark: str, at: int) -> None:
        if mark in "()":
            self.depth += 1 if mark == "(" else -1
        elif self.depth <= 0 and mark == "=":
            self.has_value = True
        elif self.depth <= 0:
            self._end_declaration(at)

    def _end_declaration(self, at: int) -> None:
        self.declaration_start, self.has_value, self.depth = at, False, 0

    def _open_brace(self, at: int) -> int:
        """Enter the body of a type, or skip any other braces."""
        plain = self.depth <= 0 and not self.has_value
        if plain and _TYPE.search(self.text, self.declaration_start, at):
            self._end_declaration(at + 1)
            return at + 1
        end = self._closing(at)
        if plain:
            if not self._is_wanted(at, end):
                self.blanked.append((at + 1, end - 1))
            self._end_declaration(end)
        return end

    def _is_wanted(self, start: int, end: int) -> bool:
        """Return whether a body contains the name, or calls a constructor without naming it."""
        if self.text.find(self.word, start, end) >= 0:
            return True
        return self.word[:1].isupper() and _CHAINED.search(self.text, start, end) is not None

    def _closing(self, at: int) -> int:
        """Return the offset after the matching brace, or the end of a text that lacks it."""
        depth = 0
        for found in _INSIDE.finditer(self.text, at):
            depth += 1 if found[1] == "{" else -1
            if depth == 0:
                return found.end()
        return len(self.text) + 1

    def result(self) -> tuple[str, int]:
        """Return what is left of the text, and its length."""
        parts: list[str] = []
        at = kept = 0
        for start, end in self.blanked:
            if end <= start or end > len(self.text):
                continue
            parts.append(self.text[at:start])
            kept += start - at
            lines = self.text.count("\n", start, end)
            parts.append("\n" * lines + " " * (end - start - lines))
            at = end
        parts.append(self.text[at:])
        return "".join(parts), kept + len(self.text) - at


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
        names = {owner.qualified.rpartition(".")[2] for owner in owners}
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
        if one.is_fixed or other.is_fixed or len(one.parameters) != len(other.parameters):
            return False
        members = self.expressions.members
        for declaration, given, _ in members.ancestry(members.own_shape(one.owner)):
            if declaration is other.owner and declaration is not one.owner:
                return members.same_parameters(FoundMethod(one, {}), FoundMethod(other, given))
        return False

"""Resolve a word of a Java file in its context."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from redline.code.java.declarations import TYPES, first_child
from redline.code.java.meanings import NOTHING, WordKind, WordMeaning
from redline.code.java.members import Choice, MemberLookup
from redline.code.java.source_file import JavaFile
from redline.code.java.typing.expressions import Expressions
from redline.code.java.typing.method_names import makes
from redline.code.java.variables import JavaLocal
from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.syntax.node import SyntaxNode, required_field, span_of

_METHODS = {
    *("method_declaration", "annotation_type_element_declaration"),
    *("constructor_declaration", "compact_constructor_declaration"),
}
_FIELDS = {"field_declaration", "constant_declaration"}
_LABELLED = {"labeled_statement", "break_statement", "continue_statement"}
_ANNOTATIONS = {"annotation", "marker_annotation"}
_LOCALS = {
    *("formal_parameter", "catch_formal_parameter", "resource", "enhanced_for_statement"),
    "instanceof_expression",
}
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
                self.expressions.references.choose(parent, file), WordKind.METHOD, None
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
            methods, whole = self.expressions.references.choose(made, file)
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

"""What a word of a Java file means where it stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from redline.code.java.declared import TYPES
from redline.code.java.members import FoundMethod, Lookup
from redline.code.java.source_file import JavaFile
from redline.code.java.typing.expressions import Expressions
from redline.code.java.typing.method_names import makes
from redline.code.java.variables import Local
from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.syntax.node import Node

NOTHING: frozenset[Thing] = frozenset()
ANYTHING = frozenset({UNKNOWN})
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


@dataclass(frozen=True, slots=True)
class Means:
    """What a word means, and what kind of thing it can be at all; a call says how many it gives."""

    things: frozenset[Thing]
    kind: str
    count: int | None = None
    # What a call may mean when that cannot be told.
    among: tuple[FoundMethod, ...] = ()


@dataclass(eq=False)
class Places:
    """Reads words where they stand."""

    expressions: Expressions

    def means(self, node: Node, file: JavaFile) -> Means:
        """What the word *node* means."""
        parent = node.parent()
        kind = parent.kind() if parent is not None else ""
        if _is_field(parent, "name", node) or kind in ("inferred_parameters", "type_parameter"):
            found = self._named_by(node, parent, kind, file)
            if found is not None:
                return found
        if node.kind() == "type_identifier":
            return self._type(node, file)
        known = _PLACES.get(kind)
        if known is not None:
            found = known(self, node, parent, file)
            if found is not None:
                return found
        if kind in _LABELLED:
            return Means(NOTHING, "label")
        return self._plain(node, file)

    def _named_by(self, node: Node, parent: Node, kind: str, file: JavaFile) -> Means | None:
        """A word that declares something, or calls a method."""
        start = node.range().start.index
        name = node.text()
        if kind == "method_invocation":
            return self._call(parent, file)
        if kind in TYPES:
            return Means(frozenset({file.declared(parent).thing}), "type")
        if kind in _METHODS:
            made = "constructor" if "constructor" in kind else "method"
            self.expressions.around(node, file)
            return Means(frozenset({Thing(file.path, start, name, is_member=True)}), made)
        if kind == "enum_constant" or (kind == "variable_declarator" and _is_member(parent)):
            return Means(frozenset({Thing(file.path, start, name, is_member=True)}), "field")
        if kind == "formal_parameter" and _is_component(parent):
            return Means(frozenset({Thing(file.path, start, name, is_member=True)}), "any")
        if kind in ("variable_declarator", "inferred_parameters", "type_parameter", *_LOCALS):
            return Means(frozenset({Thing(file.path, start, name)}), "local")
        return None

    # Methods

    def _call(self, call: Node, file: JavaFile) -> Means:
        found = self.expressions.calls.chosen(call, file)
        given = call.field("arguments")
        count = sum(c.is_named() for c in given.children()) if given is not None else 0
        return self._method(found, "method", count)

    def _method(self, found: tuple[list[FoundMethod], bool], kind: str, count: int | None) -> Means:
        methods, whole = found
        if len(methods) == 1:
            return Means(frozenset({methods[0].method.thing}), kind, count)
        if methods:
            return Means(ANYTHING, kind, count, tuple(methods))
        return Means(NOTHING if whole else ANYTHING, kind, count)

    def _method_name(self, node: Node, parent: Node, file: JavaFile) -> Means | None:
        last = parent.children()[-1]
        if last.range().start.index == node.range().start.index:
            return self._method(self.expressions.references.chosen(parent, file), "method", None)
        if makes(parent):
            return self._made(node, parent, file)
        return None

    def _element(self, node: Node, pair: Node, file: JavaFile) -> Means | None:
        """`@Annotation(name = ...)`: a method of the annotation."""
        if not _is_field(pair, "key", node):
            return None
        above = next((a for a in node.ancestors() if a.kind() in _ANNOTATIONS), None)
        named = above.field("name") if above is not None else None
        owner = self._annotation(named, file) if named is not None else None
        if owner is None:
            return Means(NOTHING, "method", 0)
        found = self.expressions.members.look(owner, node.text())
        return self._method((found.methods, found.is_whole), "method", 0)

    def _annotation(self, named: Node, file: JavaFile) -> Shape | None:
        if named.kind() == "identifier":
            head = self.expressions.classes.named(named.text(), named, file)
            return Shape(head) if head is not None else None
        return self.expressions.named(named, file)

    # Constructors

    def _made(self, node: Node, made: Node, file: JavaFile) -> Means:
        """`new Type()` and `Type::new`: the type and its constructor."""
        shape = self.expressions.named(node, file)
        if made.kind() == "method_reference":
            methods, whole = self.expressions.references.chosen(made, file)
        else:
            shape = self.expressions.calls.created(made, file)
            methods, whole = self.expressions.calls.made(made, file)
        things = {shape.head} if shape is not None and isinstance(shape.head, Thing) else set()
        if len(methods) == 1:
            things.add(methods[0].method.thing)
        elif methods or not whole:
            things.add(UNKNOWN)
        return Means(frozenset(things), "made", among=tuple(methods))

    def calls_of_constructors(self, file: JavaFile) -> Iterable[tuple[Node, Means]]:
        """Constructors that are called without being named: this, super, constants of enums."""
        kinds = [{"kind": "explicit_constructor_invocation"}, {"kind": "enum_constant"}]
        for node in file.parsed.root.find_all(any=kinds):
            found = self.expressions.calls.made(node, file)
            means = self._method(found, "constructor", None)
            if means.things:
                yield node, means

    # Types

    def _type(self, node: Node, file: JavaFile) -> Means:
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
        if makes_it:
            return self._made(whole, parent, file)
        above = node.parent()
        scoped = above is not None and above.kind() == "scoped_type_identifier"
        is_last = scoped and above.range().end.index == node.range().end.index
        return self._heading(self.expressions.classes.type_of(above if is_last else node, file))

    def _heading(self, head: object) -> Means:
        things = frozenset({head}) if isinstance(head, Thing) else NOTHING
        return Means(things, "type")

    def _annotated(self, node: Node, parent: Node, file: JavaFile) -> Means | None:
        if _is_field(parent, "name", node):
            return self._heading(self.expressions.classes.named(node.text(), node, file))
        return None

    # Names with dots

    def _field(self, node: Node, access: Node, file: JavaFile) -> Means | None:
        if not _is_field(access, "field", node):
            return None
        owner = self.expressions.named(access.field("object"), file)
        return self._within(owner, node, access, file)

    def _within(self, owner: Shape | None, node: Node, whole: Node, file: JavaFile) -> Means:
        """A name behind a dot: a field, or a type within a type or package."""
        if owner is None:
            dotted = "".join(whole.text().split())
            return self._heading(self.expressions.classes.packages.absolute(dotted, file))
        if owner == OPEN:
            return Means(ANYTHING, "field")
        found = self.expressions.members.look(owner, node.text())
        if found.field is not None:
            return Means(frozenset({found.field.field.thing}), "field")
        inner = self.expressions.classes.nested(owner.head, node.text())
        if inner is not None:
            return Means(frozenset({inner}), "type")
        return Means(NOTHING if found.is_whole else ANYTHING, "field")

    def _dotted(self, node: Node, parent: Node, file: JavaFile) -> Means | None:
        """A part of the name of a package, an import or an annotation."""
        above = next((a for a in node.ancestors() if a.kind() != "scoped_identifier"), None)
        if above is None or above.kind() == "package_declaration":
            return Means(NOTHING, "package")
        last = parent.children()[-1]
        if last.range().start.index != node.range().start.index:
            if above.kind() == "import_declaration":
                return Means(NOTHING, "package")
            return self._plain(node, file)
        if above.kind() != "import_declaration":
            return self._within(self.expressions.named(parent.child(0), file), node, parent, file)
        return self._imported(node, parent, above, file)

    def _imported(self, node: Node, dotted: Node, above: Node, file: JavaFile) -> Means:
        kinds = {child.kind() for child in above.children()}
        classes = self.expressions.classes
        is_last = dotted.range() == _whole_name(above).range()
        found = classes.packages.absolute("".join(dotted.text().split()), file)
        if found is not None or not ("static" in kinds and is_last and "asterisk" not in kinds):
            return self._heading(found)
        owner = classes.packages.absolute("".join(dotted.child(0).text().split()), file)
        if owner is None:
            return Means(NOTHING, "any")
        look = self.expressions.members.look(Shape(owner), node.text())
        return Means(_all_of(look), "any")

    # Plain names

    def _plain(self, node: Node, file: JavaFile) -> Means:
        name = node.text()
        found = self.expressions.variable(name, node, file)
        if isinstance(found, Local):
            return Means(frozenset({Thing(file.path, found.start, name)}), "local")
        if found is not None:
            return Means(frozenset({found.field.thing}), "field")
        head = self.expressions.classes.named(name, node, file)
        if isinstance(head, Thing):
            return Means(frozenset({head}), "type")
        unread = name[:1].islower() and self.expressions.is_partly_unread(node, file)
        return Means(ANYTHING if unread else NOTHING, "field")

    def _label(self, node: Node, _: Node, file: JavaFile) -> Means | None:
        """`case NAME`: a constant of the enum that is switched over, or any constant."""
        switch = next((a for a in node.ancestors() if a.kind().startswith("switch_e")), None)
        switch = switch or next((a for a in node.ancestors() if "switch_st" in a.kind()), None)
        if switch is None:
            return None
        shape = self.expressions.shape(switch.field("condition"), file)
        declared = self.expressions.classes.declaration(shape.head)
        if declared is not None and declared.kind == "enum_declaration":
            found = declared.fields.get(node.text())
            return Means(frozenset({found.thing}) if found is not None else NOTHING, "field")
        if shape == OPEN and self.expressions.variable(node.text(), node, file) is None:
            return Means(ANYTHING, "field")
        return None


def _all_of(look: Lookup) -> frozenset[Thing]:
    things = {found.method.thing for found in look.methods}
    if look.field is not None:
        things.add(look.field.field.thing)
    return frozenset(things) or (NOTHING if look.is_whole else ANYTHING)


def _whole_name(node: Node) -> Node:
    return next(child for child in node.children() if child.kind() == "scoped_identifier")


def _is_field(parent: Node | None, name: str, node: Node) -> bool:
    found = parent.field(name) if parent is not None else None
    return found is not None and found.range().start.index == node.range().start.index


def _is_member(declarator: Node) -> bool:
    above = declarator.parent()
    return above is not None and above.kind() in _FIELDS


def _is_component(parameter: Node) -> bool:
    """Whether it is a part of a record."""
    above = parameter.parent()
    above = above.parent() if above is not None else None
    return above is not None and above.kind() == "record_declaration"


_PLACES = {
    "method_reference": Places._method_name,
    "element_value_pair": Places._element,
    "annotation": Places._annotated,
    "marker_annotation": Places._annotated,
    "field_access": Places._field,
    "scoped_identifier": Places._dotted,
    "switch_label": Places._label,
}

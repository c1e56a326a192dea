"""Determine the types of Java expressions, as far as declarations state them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from redline.code.java.calls import CallResolver
from redline.code.java.classes import JavaClasses
from redline.code.java.declarations import TypeDeclaration, declares
from redline.code.java.members import LIBRARY_TYPE, FoundField, JavaMembers
from redline.code.java.source_file import JavaFile
from redline.code.java.variables import JavaLocal, VariableSource, local_in
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.syntax.node import SyntaxNode, required_field
from redline.core.records import dataclass, field

_LITERALS = {
    "string_literal": "String",
    "text_block": "String",
    "true": "boolean",
    "false": "boolean",
    "character_literal": "char",
    "null_literal": "null",
    "instanceof_expression": "boolean",
}
_BODIES = {"class_body", "interface_body", "enum_body", "annotation_type_body"}
# How deep expressions are followed through the declarations of what they refer to.
_MAX_DEPTH = 40


@dataclass(eq=False)
class Expressions:
    """Types expressions, and finds the members they refer to."""

    classes: JavaClasses
    _known: dict[tuple[object, int, int, str], Shape] = field(default_factory=dict)
    _depth: int = 0

    def __post_init__(self) -> None:
        self.members = JavaMembers(self.classes)
        self.calls = CallResolver(self)

    def shape(self, node: SyntaxNode | None, file: JavaFile) -> Shape:
        """Return the type of an expression; UNKNOWN_TYPE if undetermined."""
        if node is None:
            return UNKNOWN_TYPE
        where = node.range()
        key = (file.path, where.start.index, where.end.index, node.kind())
        if key not in self._known:
            self._known[key] = UNKNOWN_TYPE  # the answer within a cycle
            if self._depth > _MAX_DEPTH:
                return UNKNOWN_TYPE
            self._depth += 1
            try:
                self._known[key] = self._inside(self._shape(node, file), node, file)
            finally:
                self._depth -= 1
        return self._known[key]

    def _inside(self, shape: Shape, node: SyntaxNode, file: JavaFile) -> Shape:
        """Erase a type variable outside the scope that declares it."""
        if not isinstance(shape.head, Definition) or not self.classes.is_variable(shape.head):
            return shape
        if shape.head.path == file.path and self.classes.is_seen(shape.head, node):
            return shape
        return self.members.erase(shape.head)

    def _shape(self, node: SyntaxNode, file: JavaFile) -> Shape:
        kind = node.kind()
        if kind in _LITERALS:
            return Shape(_LITERALS[kind])
        known = _SHAPES.get(kind)
        if known is not None:
            return known(self, node, file)
        return Shape("int") if kind.endswith("_literal") else UNKNOWN_TYPE

    # Names

    def variable(
        self, name: str, node: SyntaxNode, file: JavaFile
    ) -> JavaLocal | FoundField | None:
        """Return the variable that a plain name refers to at *node*."""
        for inner, outer in pairwise([node, *node.ancestors()]):
            local = local_in(name, inner, outer)
            if local is not None:
                return local
            if inner.kind() in _BODIES and declares(outer):
                shape = self.members.own_shape(file.declaration_of(outer))
                found = self.members.look_up(shape, name).field
                if found is not None:
                    return found
        return self._imported_field(name, file)

    def _imported_field(self, name: str, file: JavaFile) -> FoundField | None:
        for dotted in [*file.static_imports.get(name, ()), *file.static_on_demand]:
            owner = self.classes.packages.resolve_qualified(dotted, file)
            if owner is not None:
                found = self.members.look_up(Shape(owner), name).field
                if found is not None:
                    return found
        return None

    def of_variable(self, found: JavaLocal | FoundField, file: JavaFile) -> Shape:
        """Return the type of a variable."""
        if isinstance(found, FoundField):
            return self.of_field(found)
        if found.source is VariableSource.VALUE:
            return self.shape(found.value, file)
        if found.source is VariableSource.EACH:
            array = self.shape(found.value, file)
            return array.parts[0] if array.head == "[]" else UNKNOWN_TYPE
        if found.source is VariableSource.LAMBDA:
            return UNKNOWN_TYPE
        return self.classes.shape(found.type, file, found.dimensions)

    def of_field(self, found: FoundField) -> Shape:
        """Return the type of a field for the receiver it was found on."""
        declaration = found.field
        if declaration.type is None:
            return Shape(declaration.owner.head)
        shape = self.classes.shape(declaration.type, declaration.owner.file, declaration.dimensions)
        return substitute(shape, found.given)

    def type_before_dot(self, node: SyntaxNode, file: JavaFile) -> Shape | None:
        """Return the type of what precedes a dot, value or type; None for part of a package."""
        kind = node.kind()
        if kind == "identifier":
            return self._type_of_name(node, file)
        if kind in ("field_access", "scoped_identifier"):
            return self._type_of_dotted(node, file)
        if kind in ("type_identifier", "scoped_type_identifier", "generic_type", "array_type"):
            return self.classes.shape(node, file)
        return self.shape(node, file)

    def _type_of_name(self, node: SyntaxNode, file: JavaFile) -> Shape | None:
        name = node.text()
        found = self.variable(name, node, file)
        if found is not None:
            return self._inside(self.of_variable(found, file), node, file)
        head = self.classes.resolve_type_name(name, node, file)
        if isinstance(head, Definition) or (head is not None and name[:1].isupper()):
            return Shape(head)
        return None if name in file.roots else self._inherited_field_type(node, file)

    def _inherited_field_type(self, node: SyntaxNode, file: JavaFile) -> Shape | None:
        """Return the type of a field that may be inherited from a library; None if it cannot."""
        shapes = [self.members.own_shape(around) for around in self.enclosing_types(node, file)]
        line = [found for shape in shapes for found in self.members.ancestry(shape)]
        if all(declaration is not None for declaration, _, _ in line):
            return None
        return LIBRARY_TYPE if all(map(self.members.is_external, shapes)) else UNKNOWN_TYPE

    def is_partly_unread(self, node: SyntaxNode, file: JavaFile) -> bool:
        """Return whether the enclosing types inherit from a file that could not be read."""
        shapes = (self.members.own_shape(around) for around in self.enclosing_types(node, file))
        return any(not self.members.look_up(shape, "").is_complete for shape in shapes)

    def _type_of_dotted(self, node: SyntaxNode, file: JavaFile) -> Shape | None:
        parts = [child for child in node.children() if child.is_named()]
        if len(parts) < 2:
            return UNKNOWN_TYPE
        if parts[-1].kind() in ("this", "super"):
            return self.shape(node, file)
        name = parts[-1].text()
        owner = self.type_before_dot(parts[0], file)
        if owner is None:
            found = self.classes.packages.resolve_qualified("".join(node.text().split()), file)
            if found is not None:
                return Shape(found)
            return Shape(name) if name[:1].isupper() else None
        member = self.of_member(owner, name, node, file)
        if member != UNKNOWN_TYPE:
            return member
        inner = self.classes.member_type(owner.head, name) if owner != UNKNOWN_TYPE else None
        if inner is not None:
            return Shape(inner)
        if not isinstance(owner.head, str) or not self.members.is_external(owner):
            return UNKNOWN_TYPE
        is_type = name[:1].isupper() and not name.isupper()
        return Shape(name) if is_type else LIBRARY_TYPE

    def of_member(self, owner: Shape, name: str, node: SyntaxNode, file: JavaFile) -> Shape:
        """Return the type of a field of a value or type."""
        if owner.head == "[]":
            return Shape("int") if name == "length" else UNKNOWN_TYPE
        found = self.members.look_up(owner, name).field
        return self._inside(self.of_field(found), node, file) if found is not None else UNKNOWN_TYPE

    def enclosing_type(self, node: SyntaxNode, file: JavaFile) -> TypeDeclaration | None:
        """Return the type whose body contains a node."""
        return next(self.enclosing_types(node, file), None)

    def enclosing_types(self, node: SyntaxNode, file: JavaFile) -> Iterator[TypeDeclaration]:
        """Yield the types whose bodies contain a node, innermost first."""
        for inner, outer in pairwise([node, *node.ancestors()]):
            if inner.kind() in _BODIES and declares(outer):
                yield file.declaration_of(outer)

    # Kinds of expressions

    def _new(self, node: SyntaxNode, file: JavaFile) -> Shape:
        return (
            Shape(file.declaration_of(node).head)
            if declares(node)
            else self.calls.constructed_type(node, file)
        )

    def _identifier(self, node: SyntaxNode, file: JavaFile) -> Shape:
        return self._type_of_name(node, file) or UNKNOWN_TYPE

    def _access(self, node: SyntaxNode, file: JavaFile) -> Shape:
        last = node.field("field")
        if last is not None and last.kind() == "this":
            owner = self.type_before_dot(required_field(node, "object"), file)
            declaration = self.classes.declaration(owner.head) if owner is not None else None
            return self.members.own_shape(declaration) if declaration is not None else UNKNOWN_TYPE
        return self._type_of_dotted(node, file) or UNKNOWN_TYPE

    def _call(self, node: SyntaxNode, file: JavaFile) -> Shape:
        found, whole = self.calls.choose(node, file)
        if not found:
            return LIBRARY_TYPE if whole and self.calls.is_external(node, file) else UNKNOWN_TYPE
        shapes = {self.members.return_type(one) for one in found[:4]}
        return shapes.pop() if len(shapes) == 1 else UNKNOWN_TYPE

    def _this(self, node: SyntaxNode, file: JavaFile) -> Shape:
        own = self.enclosing_type(node, file)
        return self.members.own_shape(own) if own is not None else UNKNOWN_TYPE

    def _super(self, node: SyntaxNode, file: JavaFile) -> Shape:
        return self.calls.superclass(node, file)

    def _inner(self, node: SyntaxNode, file: JavaFile) -> Shape:
        return self.shape(next((c for c in node.children() if c.is_named()), None), file)

    def _stated_type(self, node: SyntaxNode, file: JavaFile) -> Shape:
        return self.classes.shape(node.field("type"), file)

    def _array(self, node: SyntaxNode, file: JavaFile) -> Shape:
        kinds = [child.kind() for child in node.children()]
        many = kinds.count("dimensions_expr")
        for child in node.children():
            if child.kind() == "dimensions":
                many += child.text().count("[")
        return self.classes.shape(node.field("type"), file, many)

    def _element(self, node: SyntaxNode, file: JavaFile) -> Shape:
        array = self.shape(node.field("array"), file)
        return array.parts[0] if array.head == "[]" else UNKNOWN_TYPE

    def _class_literal(self, node: SyntaxNode, file: JavaFile) -> Shape:
        return Shape("Class", (self.classes.shape(node.child(0), file),))

    def _assignment(self, node: SyntaxNode, file: JavaFile) -> Shape:
        return self.shape(node.field("left"), file)

    def _operation(self, node: SyntaxNode, file: JavaFile) -> Shape:  # noqa: ARG002 - one shape
        """Operators give numbers, texts and truth values, never a type of the workspace."""
        return LIBRARY_TYPE

    def _either(self, node: SyntaxNode, file: JavaFile) -> Shape:
        one = self.shape(node.field("consequence"), file)
        other = self.shape(node.field("alternative"), file)
        if one == other or other.head == "null":
            return one
        return other if one.head == "null" else UNKNOWN_TYPE


_SHAPES = {
    "identifier": Expressions._identifier,
    "field_access": Expressions._access,
    "method_invocation": Expressions._call,
    "object_creation_expression": Expressions._new,
    "this": Expressions._this,
    "super": Expressions._super,
    "parenthesized_expression": Expressions._inner,
    "cast_expression": Expressions._stated_type,
    "array_creation_expression": Expressions._array,
    "array_access": Expressions._element,
    "class_literal": Expressions._class_literal,
    "assignment_expression": Expressions._assignment,
    "unary_expression": Expressions._operation,
    "update_expression": Expressions._inner,
    "binary_expression": Expressions._operation,
    "ternary_expression": Expressions._either,
}

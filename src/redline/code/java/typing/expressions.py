"""The types of Java's expressions, as far as declarations say them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from redline.code.java.classes import Classes
from redline.code.java.declared import TypeDeclaration, declares
from redline.code.java.members import SOME, FoundField, Members, substitute
from redline.code.java.source_file import JavaFile
from redline.code.java.typing.calls import Calls
from redline.code.java.typing.inference import Inference
from redline.code.java.typing.method_names import MethodNames
from redline.code.java.typing.numbers import number, promoted
from redline.code.java.typing.overloads import Overloads
from redline.code.java.variables import Local, local_in
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.syntax.node import Node

_LITERALS = {
    "string_literal": "String",
    "text_block": "String",
    "true": "boolean",
    "false": "boolean",
    "character_literal": "char",
    "null_literal": "null",
    "instanceof_expression": "boolean",
}
_COMPARING = {"==", "!=", "<", ">", "<=", ">=", "&&", "||"}
_BODIES = {"class_body", "interface_body", "enum_body", "annotation_type_body"}
# How deep expressions are followed through the declarations of what they name.
_DEEPEST = 40


@dataclass(eq=False)
class Expressions:
    """What each expression is, and which members it names."""

    classes: Classes
    _known: dict[tuple[object, int, int, str], Shape] = field(default_factory=dict)
    _depth: int = 0

    def __post_init__(self) -> None:
        self.members = Members(self.classes)
        self.overloads = Overloads(self.members, self.shape)
        self.inference = Inference(self.members, self)
        self.references = MethodNames(self)
        self.calls = Calls(self)

    def forget(self) -> None:
        """Let go of all that was told."""
        self._known.clear()
        self.calls.forget()

    def shape(self, node: Node | None, file: JavaFile) -> Shape:
        """The type of an expression; OPEN where nothing tells."""
        if node is None:
            return OPEN
        where = node.range()
        key = (file.path, where.start.index, where.end.index, node.kind())
        if key not in self._known:
            self._known[key] = OPEN  # a circle ends here
            if self._depth > _DEEPEST:
                return OPEN
            self._depth += 1
            try:
                self._known[key] = self._inside(self._shape(node, file), node, file)
            finally:
                self._depth -= 1
        return self._known[key]

    def _inside(self, shape: Shape, node: Node, file: JavaFile) -> Shape:
        """A type variable means something only where it is declared."""
        if not isinstance(shape.head, Thing) or not self.classes.is_variable(shape.head):
            return shape
        if shape.head.path == file.path and self.classes.is_seen(shape.head, node):
            return shape
        return self.members.erased(shape.head)

    def _shape(self, node: Node, file: JavaFile) -> Shape:
        kind = node.kind()
        if kind in _LITERALS:
            return Shape(_LITERALS[kind])
        known = _SHAPES.get(kind)
        if known is not None:
            return known(self, node, file)
        if kind.endswith("_literal"):
            return number(node.text().lower(), fraction="floating" in kind)
        return OPEN

    # Names

    def variable(self, name: str, node: Node, file: JavaFile) -> Local | FoundField | None:
        """The variable that a plain name means at *node*."""
        for inner, outer in pairwise([node, *node.ancestors()]):
            local = local_in(name, inner, outer)
            if local is not None:
                return local
            if inner.kind() in _BODIES and declares(outer):
                shape = self.members.own_shape(file.declared(outer))
                found = self.members.look(shape, name).field
                if found is not None:
                    return found
        return self._imported_field(name, file)

    def _imported_field(self, name: str, file: JavaFile) -> FoundField | None:
        for dotted in [*file.static_imports.get(name, ()), *file.static_on_demand]:
            owner = self.classes.packages.absolute(dotted, file)
            if owner is not None:
                found = self.members.look(Shape(owner), name).field
                if found is not None:
                    return found
        return None

    def of_variable(self, found: Local | FoundField, file: JavaFile) -> Shape:
        """The type of a variable."""
        if isinstance(found, FoundField):
            return self.of_field(found)
        if found.source == "value":
            return self.shape(found.value, file)
        if found.source == "each":
            return self.inference.element(self.shape(found.value, file))
        if found.source == "lambda":
            return self.inference.of_lambda(found.value, found.at, file)
        return self.classes.shape(found.type, file, found.dimensions)

    def of_field(self, found: FoundField) -> Shape:
        """The type of a field, for the receiver it was found for."""
        declared = found.field
        if declared.type is None:
            return Shape(declared.owner.head)
        shape = self.classes.shape(declared.type, declared.owner.file, declared.dimensions)
        return substitute(shape, found.given)

    def named(self, node: Node, file: JavaFile) -> Shape | None:
        """What stands before a dot: a value or a type; None for a part of a package's name."""
        kind = node.kind()
        if kind == "identifier":
            return self._named(node, file)
        if kind in ("field_access", "scoped_identifier"):
            return self._named_within(node, file)
        if kind in ("type_identifier", "scoped_type_identifier", "generic_type", "array_type"):
            return self.classes.shape(node, file)
        return self.shape(node, file)

    def _named(self, node: Node, file: JavaFile) -> Shape | None:
        name = node.text()
        found = self.variable(name, node, file)
        if found is not None:
            return self._inside(self.of_variable(found, file), node, file)
        head = self.classes.named(name, node, file)
        if isinstance(head, Thing) or (head is not None and name[:1].isupper()):
            return Shape(head)
        return None if name in file.roots else self._inherited(node, file)

    def _inherited(self, node: Node, file: JavaFile) -> Shape | None:
        """A field that the types around may have from a library; None where they have none."""
        shapes = [self.members.own_shape(around) for around in self.types_around(node, file)]
        line = [found for shape in shapes for found in self.members.line(shape)]
        if all(declared is not None for declared, _, _ in line):
            return None
        return SOME if all(map(self.members.is_foreign, shapes)) else OPEN

    def is_partly_unread(self, node: Node, file: JavaFile) -> bool:
        """Whether the types around inherit from a file that could not be read."""
        shapes = (self.members.own_shape(around) for around in self.types_around(node, file))
        return any(not self.members.look(shape, "").is_whole for shape in shapes)

    def _named_within(self, node: Node, file: JavaFile) -> Shape | None:
        parts = [child for child in node.children() if child.is_named()]
        if len(parts) < 2:
            return OPEN
        if parts[-1].kind() in ("this", "super"):
            return self.shape(node, file)
        name = parts[-1].text()
        owner = self.named(parts[0], file)
        if owner is None:
            found = self.classes.packages.absolute("".join(node.text().split()), file)
            if found is not None:
                return Shape(found)
            return Shape(name) if name[:1].isupper() else None
        member = self.of_member(owner, name, node, file)
        if member != OPEN:
            return member
        inner = self.classes.nested(owner.head, name) if owner != OPEN else None
        if inner is not None:
            return Shape(inner)
        if not isinstance(owner.head, str) or not self.members.is_foreign(owner):
            return OPEN
        is_type = name[:1].isupper() and not name.isupper()
        return Shape(name) if is_type else SOME

    def of_member(self, owner: Shape, name: str, node: Node, file: JavaFile) -> Shape:
        """The type of a field of a value or type."""
        if owner.head == "[]":
            return Shape("int") if name == "length" else OPEN
        found = self.members.look(owner, name).field
        return self._inside(self.of_field(found), node, file) if found is not None else OPEN

    def around(self, node: Node, file: JavaFile) -> TypeDeclaration | None:
        """The type whose body a node stands in."""
        return next(self.types_around(node, file), None)

    def types_around(self, node: Node, file: JavaFile) -> Iterator[TypeDeclaration]:
        """The types whose bodies a node stands in, innermost first."""
        for inner, outer in pairwise([node, *node.ancestors()]):
            if inner.kind() in _BODIES and declares(outer):
                yield file.declared(outer)

    # Kinds of expressions

    def _new(self, node: Node, file: JavaFile) -> Shape:
        return Shape(file.declared(node).head) if declares(node) else self.calls.created(node, file)

    def _identifier(self, node: Node, file: JavaFile) -> Shape:
        return self._named(node, file) or OPEN

    def _access(self, node: Node, file: JavaFile) -> Shape:
        last = node.field("field")
        if last is not None and last.kind() == "this":
            owner = self.named(node.field("object"), file)
            declared = self.classes.declaration(owner.head) if owner is not None else None
            return self.members.own_shape(declared) if declared is not None else OPEN
        return self._named_within(node, file) or OPEN

    def _call(self, node: Node, file: JavaFile) -> Shape:
        found, whole = self.calls.chosen(node, file)
        if not found:
            return SOME if whole and self.calls.is_foreign(node, file) else OPEN
        shapes = {self.inference.returned(one, node, file) for one in found[:4]}
        return shapes.pop() if len(shapes) == 1 else OPEN

    def _this(self, node: Node, file: JavaFile) -> Shape:
        own = self.around(node, file)
        return self.members.own_shape(own) if own is not None else OPEN

    def _super(self, node: Node, file: JavaFile) -> Shape:
        return self.calls.above(node, file)

    def _inner(self, node: Node, file: JavaFile) -> Shape:
        return self.shape(next((c for c in node.children() if c.is_named()), None), file)

    def _spelled(self, node: Node, file: JavaFile) -> Shape:
        return self.classes.shape(node.field("type"), file)

    def _array(self, node: Node, file: JavaFile) -> Shape:
        kinds = [child.kind() for child in node.children()]
        many = kinds.count("dimensions_expr")
        for child in node.children():
            if child.kind() == "dimensions":
                many += child.text().count("[")
        return self.classes.shape(node.field("type"), file, many)

    def _element(self, node: Node, file: JavaFile) -> Shape:
        array = self.shape(node.field("array"), file)
        return array.parts[0] if array.head == "[]" else OPEN

    def _class_literal(self, node: Node, file: JavaFile) -> Shape:
        return Shape("Class", (self.classes.shape(node.child(0), file),))

    def _left(self, node: Node, file: JavaFile) -> Shape:
        return self.shape(node.field("left"), file)

    def _unary(self, node: Node, file: JavaFile) -> Shape:
        operator = node.field("operator")
        if operator is not None and operator.text() == "!":
            return Shape("boolean")
        shape = self.shape(node.field("operand"), file)
        return promoted(shape, shape) if operator is not None else shape

    def _binary(self, node: Node, file: JavaFile) -> Shape:
        operator = node.field("operator")
        if operator is not None and operator.text() in _COMPARING:
            return Shape("boolean")
        left, right = (self.shape(node.field(side), file) for side in ("left", "right"))
        if operator is not None and operator.text() == "+" and Shape("String") in (left, right):
            return Shape("String")
        return promoted(left, right)

    def _either(self, node: Node, file: JavaFile) -> Shape:
        one = self.shape(node.field("consequence"), file)
        other = self.shape(node.field("alternative"), file)
        if one == other or other.head == "null":
            return one
        if one.head == "null":
            return other
        if self.overloads.fits(one, other, loose=False):
            return other
        return one if self.overloads.fits(other, one, loose=False) else OPEN


_SHAPES = {
    "identifier": Expressions._identifier,
    "field_access": Expressions._access,
    "method_invocation": Expressions._call,
    "object_creation_expression": Expressions._new,
    "this": Expressions._this,
    "super": Expressions._super,
    "parenthesized_expression": Expressions._inner,
    "cast_expression": Expressions._spelled,
    "array_creation_expression": Expressions._array,
    "array_access": Expressions._element,
    "class_literal": Expressions._class_literal,
    "assignment_expression": Expressions._left,
    "unary_expression": Expressions._unary,
    "update_expression": Expressions._inner,
    "binary_expression": Expressions._binary,
    "ternary_expression": Expressions._either,
}

"""Determine what Java expressions, variables and calls are, as far as declarations state it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise

from redline.code.java.classes import JavaClasses
from redline.code.java.declarations import (
    Reach,
    TypeDeclaration,
    access,
    declares,
    dimensions_of,
    first_child,
    parameters_of,
)
from redline.code.java.members import (
    LIBRARY_TYPE,
    Choice,
    FoundField,
    FoundMethod,
    JavaMembers,
    MemberLookup,
)
from redline.code.java.source_file import JavaFile
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.syntax.node import SyntaxNode, required_field
from redline.core.records import dataclass, field


@dataclass(eq=False)
class CallResolver:
    """Finds what is called by receiver, name and arguments."""

    expressions: Expressions
    _choices: dict[tuple[object, int], Choice] = field(default_factory=dict)

    def callee(self, node: SyntaxNode, file: JavaFile) -> MemberLookup:
        """Return the methods that a call may refer to, by receiver and name alone."""
        name = required_field(node, "name").text()
        receiver = node.field("object")
        if any(child.kind() == "super" for child in node.children()):
            return self.expressions.members.look_up(self._super(receiver, node, file), name)
        if receiver is None:
            return self._look_up_unqualified(name, node, file)
        shape = self.expressions.type_before_dot(receiver, file)
        if shape is None or shape == UNKNOWN_TYPE:
            return MemberLookup(is_complete=False)
        return self.expressions.members.look_up(shape, name)

    def _super(self, receiver: SyntaxNode | None, node: SyntaxNode, file: JavaFile) -> Shape:
        if receiver is not None and receiver.kind() != "super":
            found = self.expressions.type_before_dot(receiver, file)  # `Interface.super.method()`
            return found if found is not None else UNKNOWN_TYPE
        return self.superclass(node, file)

    def superclass(self, node: SyntaxNode, file: JavaFile) -> Shape:
        """Return the type of `super`: the first supertype of the enclosing type."""
        own = self.expressions.enclosing_type(node, file)
        above = self.expressions.classes.supers(own) if own is not None else []
        given = (
            self.expressions.members.type_arguments(
                own, self.expressions.members.own_shape(own).parts
            )
            if own
            else {}
        )
        return substitute(above[0], given) if above else Shape("Object")

    def _look_up_unqualified(self, name: str, node: SyntaxNode, file: JavaFile) -> MemberLookup:
        whole = True
        for declaration in self.expressions.enclosing_types(node, file):
            shape = self.expressions.members.own_shape(declaration)
            found = self.expressions.members.look_up(shape, name)
            whole = whole and found.is_complete
            if found.methods:
                return found
        found = MemberLookup(is_complete=whole)
        for dotted in [*file.static_imports.get(name, ()), *file.static_on_demand]:
            owner = self.expressions.classes.packages.resolve_qualified(dotted, file)
            if owner is not None:
                more = self.expressions.members.look_up(Shape(owner), name)
                found.methods += more.methods
                found.is_complete = found.is_complete and more.is_complete
        return found

    def choose(self, node: SyntaxNode, file: JavaFile) -> Choice:
        """Return the methods that a call may mean: those that take as many arguments."""
        key = (file.path, required_field(node, "name").range().start.index)
        if key not in self._choices:
            self._choices[key] = Choice([], is_complete=False)
            found = self.callee(node, file)
            seen = [one for one in found.methods if is_accessible(one, file)]
            selected = [one for one in seen if takes(one, len(arguments_of(node)))]
            self._choices[key] = Choice(selected, found.is_complete)
        return self._choices[key]

    def is_external(self, node: SyntaxNode, file: JavaFile) -> bool:
        """Return whether a library method's result involves no workspace types."""
        expressions = self.expressions
        receiver = node.field("object")
        if receiver is None:
            around = expressions.enclosing_types(node, file)
            shapes = [expressions.members.own_shape(declaration) for declaration in around]
            imported = (
                required_field(node, "name").text() in file.static_imports or file.static_on_demand
            )
            if not imported and not any(map(expressions.members.has_library, shapes)):
                return False  # undeclared: it may not be written yet
        else:
            shape = expressions.type_before_dot(receiver, file)
            shapes = [shape if shape is not None else UNKNOWN_TYPE]
        if not all(map(expressions.members.is_external, shapes)):
            return False
        given = [expressions.shape(argument, file) for argument in arguments_of(node)]
        return all(map(expressions.members.is_plain, given))

    def constructors_called(self, node: SyntaxNode, file: JavaFile) -> Choice:
        """Return the constructors that `new`, `this(...)` or `super(...)` may refer to."""
        found = self.expressions.members.constructors(self.maker(node, file))
        seen = [one for one in found.methods if is_accessible(one, file)]
        selected = [one for one in seen if takes(one, len(arguments_of(node)))]
        return Choice(selected, found.is_complete)

    def find_referenced(self, node: SyntaxNode, file: JavaFile) -> Choice:
        """Return the methods that `Type::method` may refer to."""
        owner = self.expressions.type_before_dot(first_child(node), file)
        if owner is None or owner == UNKNOWN_TYPE:
            return Choice([], is_complete=False)
        if makes(node):
            found = self.expressions.members.constructors(owner)
        else:
            found = self.expressions.members.look_up(owner, node.children()[-1].text())
        return Choice(found.methods, found.is_complete)

    def maker(self, node: SyntaxNode, file: JavaFile) -> Shape:
        """Return the class whose constructor is called."""
        if node.kind() == "object_creation_expression":
            return self.constructed_type(node, file)
        own = self.expressions.enclosing_type(node, file)
        if own is None or node.kind() == "enum_constant":
            return Shape(own.head) if own is not None else UNKNOWN_TYPE
        constructor = node.field("constructor")
        if constructor is not None and constructor.kind() == "this":
            return self.expressions.members.own_shape(own)
        return self.superclass(node, file)

    def constructed_type(self, node: SyntaxNode, file: JavaFile) -> Shape:
        """Return the class that `new` names."""
        written = node.field("type")
        first = node.child(0)
        if first is not None and first.kind() != "new" and written is not None:
            owner = self.expressions.type_before_dot(first, file)  # `outer.new Inner()`
            plain = first_child(written) if written.kind() == "generic_type" else written
            inner = (
                self.expressions.classes.member_type(owner.head, plain.text())
                if owner is not None
                else None
            )
            return Shape(inner) if inner is not None else UNKNOWN_TYPE
        return self.expressions.classes.shape(written, file)


def is_accessible(found: FoundMethod, file: JavaFile) -> bool:
    """Return whether code of a file may call a method, by its access modifier."""
    home = found.method.owner.file
    if home.path == file.path:
        return True
    width = access(found.method)
    return width is Reach.ANYWHERE or (width is Reach.PACKAGE and home.package == file.package)


def takes(one: FoundMethod, count: int) -> bool:
    """Return whether a method may be called with that many arguments."""
    wanted = len(one.method.parameters)
    return count == wanted or (one.method.is_variadic and count >= wanted - 1)


def makes(node: SyntaxNode) -> bool:
    """Return whether a method reference is `Type::new`."""
    return node.children()[-1].kind() == "new"


def arguments_of(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the arguments of a call."""
    given = node.field("arguments")
    if given is None:
        return []
    return [c for c in given.children() if c.is_named() and "comment" not in c.kind()]


_BLOCKS = {"block", "constructor_body", "switch_block_statement_group", "program"}
_CONDITIONS = frozenset(
    """
    if_statement while_statement binary_expression ternary_expression parenthesized_expression
    for_statement switch_rule unary_expression
    """.split()
)


class VariableSource(StrEnum):
    """What determines the type of a variable."""

    TYPED = "typed"
    VALUE = "value"
    EACH = "each"
    LAMBDA = "lambda"


@dataclass(eq=False, slots=True)
class JavaLocal:
    """A local variable, whose type is stated in *type* or follows from *value*.

    *source* tells how: it is the value, one of its elements, or nothing states it in a lambda.
    """

    name: SyntaxNode
    type: SyntaxNode | None = None
    dimensions: int = 0
    value: SyntaxNode | None = None
    source: VariableSource = VariableSource.TYPED

    @property
    def start(self) -> int:
        """Return the offset where its name is declared."""
        return self.name.range().start.index


def local_in(name: str, inner: SyntaxNode, outer: SyntaxNode) -> JavaLocal | None:
    """Return the variable *name* that *outer* declares for its part *inner*."""
    kind = outer.kind()
    if kind in _BLOCKS:
        return _in_block(name, inner, outer)
    if kind == "switch_block":
        return _in_groups(name, inner, outer)
    known = _DECLARING.get(kind)
    if known is not None:
        return known(name, outer)
    if kind in _CONDITIONS:
        found = None
        if kind == "for_statement":
            found = _find_declared(name, outer.children())
        return found or _pattern(name, inner, outer)
    if kind == "local_variable_declaration":
        return _find_declared(name, [outer])
    return None


def _in_block(name: str, inner: SyntaxNode, outer: SyntaxNode) -> JavaLocal | None:
    limit = inner.range().start.index
    for child in outer.children():
        if child.range().start.index >= limit:
            return None
        kind = child.kind()
        if kind == "local_variable_declaration":
            found = _find_declared(name, [child])
        elif kind in ("if_statement", "while_statement", "switch_label"):
            condition = child.field("condition") if kind != "switch_label" else child
            found = _in_pattern(name, condition)
        else:
            continue
        if found is not None:
            return found
    return None


def _in_groups(name: str, inner: SyntaxNode, outer: SyntaxNode) -> JavaLocal | None:
    """Find a variable declared in an earlier case of the same switch."""
    limit = inner.range().start.index
    for group in outer.children():
        if group.range().start.index >= limit:
            return None
        if group.kind() == "switch_block_statement_group":
            found = _find_declared(name, group.children())
            if found is not None:
                return found
    return None


def _find_declared(name: str, nodes: Sequence[SyntaxNode]) -> JavaLocal | None:
    for node in nodes:
        if node.kind() != "local_variable_declaration":
            continue
        written = node.field("type")
        for child in node.children():
            named = child.field("name") if child.kind() == "variable_declarator" else None
            if named is not None and named.text() == name:
                return _typed_local(named, written, dimensions_of(child), child.field("value"))
    return None


def _typed_local(
    name: SyntaxNode, written: SyntaxNode | None, dimensions: int, value: SyntaxNode | None
) -> JavaLocal:
    if written is not None and written.text() == "var":
        return JavaLocal(name, value=value, source=VariableSource.VALUE)
    return JavaLocal(name, written, dimensions)


def _parameter(name: str, node: SyntaxNode) -> JavaLocal | None:
    for parameter in parameters_of(node):
        if parameter.name is not None and parameter.name.text() == name:
            return JavaLocal(parameter.name, parameter.type, parameter.dimensions)
    return None


def _of_lambda(name: str, node: SyntaxNode) -> JavaLocal | None:
    given = node.field("parameters")
    if given is None:
        return None
    if given.kind() == "formal_parameters":
        found = _parameter(name, node)
        if found is None or found.type is None or found.type.text() != "var":
            return found
    names = [given] if given.kind() == "identifier" else list(given.find_all(kind="identifier"))
    named = next((each for each in names if each.text() == name), None)
    return JavaLocal(named, value=node, source=VariableSource.LAMBDA) if named else None


def _each(name: str, node: SyntaxNode) -> JavaLocal | None:
    named = node.field("name")
    if named is None or named.text() != name:
        return None
    written = node.field("type")
    if written is not None and written.text() == "var":
        return JavaLocal(named, value=node.field("value"), source=VariableSource.EACH)
    return JavaLocal(named, written, dimensions_of(node))


def _in_try(name: str, node: SyntaxNode) -> JavaLocal | None:
    """Find the variable of a `catch`, or a resource of a `try`."""
    for child in node.children():
        if child.kind() == "catch_formal_parameter":
            named = child.field("name")
            written = next((c for c in child.children() if c.kind() == "catch_type"), None)
            if named is not None and named.text() == name:
                return JavaLocal(named, written)
        elif child.kind() == "resource_specification":
            for part in child.children():
                named = part.field("name") if part.kind() == "resource" else None
                if named is not None and named.text() == name:
                    return _typed_local(named, part.field("type"), 0, part.field("value"))
    return None


def _pattern(name: str, inner: SyntaxNode, outer: SyntaxNode) -> JavaLocal | None:
    """Find the variable of an `instanceof` in a part before *inner*."""
    limit = inner.range().start.index
    for child in outer.children():
        if child.range().start.index >= limit:
            return None
        if child.is_named():
            found = _in_pattern(name, child)
            if found is not None:
                return found
    return None


def _in_pattern(name: str, node: SyntaxNode | None) -> JavaLocal | None:
    if node is None or node.is_leaf():
        return None
    kinds = ("instanceof_expression", "type_pattern", "record_pattern_component")
    for found in node.find_all(any=[{"kind": kind} for kind in kinds]):
        parts = [child for child in found.children() if child.is_named()]
        if len(parts) < 2 or parts[-1].kind() != "identifier" or parts[-1].text() != name:
            continue
        written = [p for p in parts[:-1] if p.kind() != "modifiers"]
        is_test = found.kind() == "instanceof_expression"
        if is_test and len(written) < 2:
            continue  # `a instanceof b` binds nothing
        return JavaLocal(parts[-1], written[-1])
    return None


def _component(name: str, node: SyntaxNode) -> JavaLocal | None:
    """Find a component of a record, as its compact constructor sees it."""
    body = node.parent()
    record = body.parent() if body is not None else None
    return _parameter(name, record) if record is not None else None


_DECLARING = {
    "compact_constructor_declaration": _component,
    "method_declaration": _parameter,
    "constructor_declaration": _parameter,
    "lambda_expression": _of_lambda,
    "enhanced_for_statement": _each,
    "catch_clause": _in_try,
    "try_with_resources_statement": _in_try,
}


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

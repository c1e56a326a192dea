"""Determine the types of Rust expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from redline.code.references.definition import UNKNOWN, Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.references.typed.units import Unit
from redline.code.rust import library
from redline.code.rust.declared_types import DeclaredTypes, Signatures
from redline.code.rust.members import AccessForm, RustMembers, Want
from redline.code.rust.paths import Definitions, names_of
from redline.code.rust.scopes.names import Role
from redline.code.rust.types import RustTypes, path_of
from redline.code.scopes.model import TYPE, VALUE, Binding, Scope
from redline.code.syntax.node import SyntaxNode, required_field
from redline.core.records import dataclass, field

_MAX_DEPTH = 24
_TRANSPARENT = frozenset(
    """
    reference_expression unary_expression parenthesized_expression unsafe_block await_expression
    async_block expression_statement const_block
    """.split()
)


@dataclass(slots=True)
class RustValues:
    """Types expressions."""

    types: RustTypes
    members: RustMembers
    parts: DeclaredTypes
    signatures: Signatures
    # Types a local name by the pattern that binds it.
    of_local: Callable[[Unit, Binding], Shape] = lambda *_: UNKNOWN_TYPE
    _depth: int = 0
    _known: dict[tuple[object, ...], Shape] = field(default_factory=dict)

    def of(self, node: SyntaxNode | None, unit: Unit, scope: Scope) -> Shape:
        """Return the type of an expression."""
        if node is None or self._depth > _MAX_DEPTH:
            return UNKNOWN_TYPE
        where = node.range()
        key = (unit.path, where.start.index, where.end.index, node.kind())
        if key not in self._known:
            self._known[key] = UNKNOWN_TYPE
            self._depth += 1
            self._known[key] = self._read(node, unit, scope)
            self._depth -= 1
        return self._known[key]

    def _read(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        kind = node.kind()
        if kind in library.LITERALS:
            return library.LITERALS[kind]
        if kind in _TRANSPARENT:
            inner = [child for child in node.children() if child.is_named()]
            return self.of(inner[-1], unit, scope) if inner else UNKNOWN_TYPE
        known = _READS.get(kind)
        return known(self, node, unit, scope) if known is not None else UNKNOWN_TYPE

    def self_(self, _: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        return self.types.self_shape(unit, scope)

    def identifier(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        found = unit.names.at(node)
        paths = self.types.paths
        if found is None:
            return self.parts.of_value(paths.lookup(unit, scope, node.text(), VALUE))
        if found.binding is None:
            return self.parts.of_value(paths.lookup(unit, found.scope, node.text(), VALUE))
        if found.binding in names_of(unit).locals:
            return self.of_local(unit, found.binding)
        return self.parts.of_value(paths.of_binding(unit, found.binding, VALUE))

    def path(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        found = self.resolve_path(node, unit, scope)
        return self.parts.of_value(found) if found else library.OUTSIDE

    def resolve_path(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Definitions:
        """Resolve a path in an expression or pattern."""
        if node.kind() == "generic_function":
            return self.resolve_path(required_field(node, "function"), unit, scope)
        if node.kind() in ("scoped_identifier", "scoped_type_identifier"):
            name = required_field(node, "name").text()
            return self.within(node.field("path"), name, unit, scope)
        if node.text() == "Self":
            return frozenset(self.types.definitions_of(self.types.self_shape(unit, scope)))
        path = path_of(node)
        meaning = TYPE if node.kind() == "type_identifier" else VALUE
        known = self.types.paths.resolve(unit, scope, path, meaning) if path else frozenset()
        if not known and path and meaning == TYPE:
            return self.types.paths.resolve(unit, scope, path, VALUE)
        return known

    def within(self, path: SyntaxNode | None, name: str, unit: Unit, scope: Scope) -> Definitions:
        """Resolve the name after a path."""
        paths = self.types.paths
        if path is None:
            return paths.resolve(unit, scope, ("", name), VALUE)
        words = path_of(path)
        if words is not None and words[0] != "Self":
            found = paths.resolve(unit, scope, (*words, name), "any")
            if found or path.kind() != "generic_type":
                return found or self._of_library(path, name, unit, scope)
        shape = self.of_path(path, unit, scope)
        return self.members.of(shape, Want(name, AccessForm.PATH))

    def _of_library(self, path: SyntaxNode, name: str, unit: Unit, scope: Scope) -> Definitions:
        """Resolve a member that a workspace trait adds to a library type."""
        shape = self.of_path(path, unit, scope)
        is_type = isinstance(shape.head, str) and shape.head[:1].isalpha()
        return self.members.of(shape, Want(name, AccessForm.PATH)) if is_type else frozenset()

    def of_path(self, path: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        """Return the type that a path before `::` denotes."""
        if path.kind() == "bracketed_type":
            inner = next((c for c in path.children() if c.is_named()), None)
            if inner is not None and inner.kind() == "qualified_type":
                kind = self.types.evaluate(inner.field("type"), unit, scope)
                trait = self.types.evaluate(inner.field("alias"), unit, scope)
                return Shape("bounds", (kind, trait)) if kind == UNKNOWN_TYPE else kind
            return self.types.evaluate(inner, unit, scope)
        return self.types.evaluate(path, unit, scope)

    def call(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        function = node.field("function")
        arguments = None
        if function is not None and function.kind() == "generic_function":
            arguments = function.field("type_arguments")
            function = function.field("function")
        if function is None:
            return UNKNOWN_TYPE
        if function.kind() == "field_expression":
            return self.method(node, function, unit, scope)
        words = path_of(function) or ("",)
        if library.holds_argument(words):
            return library.holding(words, self.argument(node, unit, scope))
        found = self.resolve_path(function, unit, scope)
        owner = self.receiver(function, unit, scope)
        if found - {UNKNOWN}:
            return self.call_result(found, owner, self._types(arguments, unit, scope))
        if function.kind() == "identifier":
            return library.call_result(self.of(function, unit, scope))
        if not isinstance(owner.head, Definition) and not "".join(words[-2:-1])[:1].isupper():
            return UNKNOWN_TYPE
        made = library.constructed_type(owner, words[-1])
        return made if found else self._or_outside(made, node, owner, unit, scope)

    def _or_outside(
        self, made: Shape, call: SyntaxNode, owner: Shape, unit: Unit, scope: Scope
    ) -> Shape:
        """Return a library's type for an unknown one if a call has nothing of the workspace."""
        if made != UNKNOWN_TYPE or required_field(call, "function").kind() == "generic_function":
            return made
        known = [owner, *(self.of(each, unit, scope) for each in _passed(call))]
        return library.OUTSIDE if all(map(library.is_outside, known)) else UNKNOWN_TYPE

    def _types(self, node: SyntaxNode | None, unit: Unit, scope: Scope) -> list[Shape]:
        """Return the explicit type arguments of a call."""
        given = node.children() if node is not None else ()
        return [
            self.types.evaluate(child, unit, scope)
            for child in given
            if child.is_named() and child.kind() != "lifetime"
        ]

    def receiver(self, function: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        """Return the type before `::` of a callee."""
        path = function.field("path") if function.kind() == "scoped_identifier" else None
        return self.of_path(path, unit, scope) if path is not None else UNKNOWN_TYPE

    def argument(self, call: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        """Return the type of the first argument of a call."""
        return self.of(next(iter(_passed(call)), None), unit, scope)

    def method(self, node: SyntaxNode, function: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        owner = self.of(function.field("value"), unit, scope)
        name = required_field(function, "field").text()
        found = self.members.of(owner, Want(name))
        if found - {UNKNOWN}:
            arguments = required_field(node, "function").field("type_arguments")
            return self.call_result(found, owner, self._types(arguments, unit, scope))
        made = library.method_result(owner, name)
        return (
            made
            if found or isinstance(owner.head, Definition)
            else self._or_outside(made, node, owner, unit, scope)
        )

    def item_type(self, shape: Shape) -> Shape:
        """Return the item type of a loop over a value."""
        if not isinstance(shape.head, Definition):
            return library.item_type(shape)
        unit = self.types.paths.units.at(shape.head.path)
        if unit is None:
            return UNKNOWN_TYPE
        for trait in ("Iterator", "IntoIterator"):
            found = self.members.associated_type(unit, shape.head, trait, "Item")
            if found is not None:
                return found
        return UNKNOWN_TYPE

    def call_result(
        self, definitions: Definitions, owner: Shape, types: Sequence[Shape] = ()
    ) -> Shape:
        """Return the result of calling a function, struct or variant."""
        for definition in sorted(definitions - {UNKNOWN}, key=lambda t: (t.path, t.start)):
            binding = definition.binding
            if binding is None:
                continue
            if Role.FUNCTION in binding.roles:
                return self.signatures.return_type(definition, owner, types)
            if binding.roles & {Role.TYPE, Role.VARIANT}:
                return self.parts.constructed_type(definition)
        return UNKNOWN_TYPE

    def member(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        owner = self.of(node.field("value"), unit, scope)
        name = required_field(node, "field")
        if name.kind() == "integer_literal":
            return self.tuple_field(owner, int(name.text()) if name.text().isdigit() else 0)
        for definition in self.members.of(owner, Want(name.text(), AccessForm.FIELD)) - {UNKNOWN}:
            return self.parts.of_field(definition, owner)
        return UNKNOWN_TYPE

    def tuple_field(self, owner: Shape, nth: int) -> Shape:
        """Return the type of a field with a number."""
        if owner.head == "tuple":
            return library.part(owner, nth)
        if not isinstance(owner.head, Definition):
            return UNKNOWN_TYPE
        return self.parts.of_tuple_field(owner.head, nth, owner)

    def try_(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        return library.unwrap_try(self.of(node.children()[0], unit, scope))

    def cast(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        return self.types.evaluate(node.field("type"), unit, scope)

    def struct(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        definitions = self.resolve_path(required_field(node, "name"), unit, scope)
        return self.parts.of_value(definitions)

    def index(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        parts = [child for child in node.children() if child.is_named()]
        owner = self.of(parts[0], unit, scope)
        if len(parts) > 1 and parts[1].kind() == "range_expression":
            return owner
        return library.element_type(owner)

    def block(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        parts = [child for child in node.children() if child.is_named()]
        while parts and parts[-1].kind().endswith("comment"):
            parts.pop()
        if not parts or parts[-1].kind() == "let_declaration":
            return Shape("()")
        return self.of(parts[-1], unit, scope)

    def array(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        inner = [child for child in node.children() if child.is_named()]
        return Shape("slice", (self.of(inner[0], unit, scope) if inner else UNKNOWN_TYPE,))

    def tuple_(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        inner = [child for child in node.children() if child.is_named()]
        return Shape("tuple", tuple(self.of(child, unit, scope) for child in inner))

    def macro(self, node: SyntaxNode, *_: object) -> Shape:
        return library.MACROS.get(required_field(node, "macro").text(), UNKNOWN_TYPE)


def _passed(call: SyntaxNode) -> list[SyntaxNode]:
    """Return the arguments of a call."""
    given = call.field("arguments")
    return [c for c in given.children() if c.is_named()] if given is not None else []


_Read: TypeAlias = Callable[[RustValues, SyntaxNode, Unit, Scope], Shape]
_READS: dict[str, _Read] = {
    "self": RustValues.self_,
    "identifier": RustValues.identifier,
    "scoped_identifier": RustValues.path,
    "call_expression": RustValues.call,
    "field_expression": RustValues.member,
    "try_expression": RustValues.try_,
    "type_cast_expression": RustValues.cast,
    "struct_expression": RustValues.struct,
    "index_expression": RustValues.index,
    "block": RustValues.block,
    "array_expression": RustValues.array,
    "tuple_expression": RustValues.tuple_,
    "macro_invocation": RustValues.macro,
}

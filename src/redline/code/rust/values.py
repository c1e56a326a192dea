"""The types of values in Rust: what expressions give, and what patterns take apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.references.typed.units import Unit
from redline.code.rust import library
from redline.code.rust.owners import Owners, Want
from redline.code.rust.parts import Parts
from redline.code.rust.paths import TYPE, VALUE, Things, names_of
from redline.code.rust.signatures import Signatures
from redline.code.rust.types import Types, path_of
from redline.code.scopes.model import Binding, Scope
from redline.code.syntax.node import Node

_DEEPEST = 24
_THROUGH = {
    *("reference_expression", "unary_expression", "parenthesized_expression", "unsafe_block"),
    *("await_expression", "async_block", "expression_statement", "const_block"),
}
_WORDS = {
    "string_literal": "str",
    "raw_string_literal": "str",
    "integer_literal": "i32",
    "float_literal": "f64",
    "boolean_literal": "bool",
    "char_literal": "char",
    "binary_expression": "?",
}
# What library types make that are named: `Vec::new()`, `String::from(..)`.
_HOLDING = {"Some": "Option", "Ok": "Result"}
_MADE_OF = {"Box", "Rc", "Arc", "Pin", "Cow", "ManuallyDrop"}


@dataclass(slots=True)
class Values:
    """Tells the type of an expression."""

    types: Types
    owners: Owners
    parts: Parts
    signatures: Signatures
    # The type of a local name, by the pattern that binds it.
    of_local: Callable[[Unit, Binding], Shape] = lambda *_: OPEN
    _depth: int = 0
    _known: dict[tuple[object, ...], Shape] = field(default_factory=dict)

    def of(self, node: Node | None, unit: Unit, scope: Scope) -> Shape:
        """The type of what an expression gives."""
        if node is None or self._depth > _DEEPEST:
            return OPEN
        where = node.range()
        asked = (unit.path, where.start.index, where.end.index, node.kind())
        if asked not in self._known:
            self._known[asked] = OPEN
            self._depth += 1
            self._known[asked] = self._read(node, unit, scope)
            self._depth -= 1
        return self._known[asked]

    def _read(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        kind = node.kind()
        if kind in _WORDS:
            return Shape(_WORDS[kind])
        if kind in _THROUGH:
            inner = [child for child in node.children() if child.is_named()]
            return self.of(inner[-1], unit, scope) if inner else OPEN
        known = _READS.get(kind)
        return known(self, node, unit, scope) if known is not None else OPEN

    def self_(self, _: Node, unit: Unit, scope: Scope) -> Shape:
        return self.types.self_shape(unit, scope)

    def identifier(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        spot = unit.names.at(node)
        paths = self.types.paths
        if spot is None:
            return self.parts.of_value(paths.lookup(unit, scope, node.text(), VALUE))
        if spot.binding is None:
            return self.parts.of_value(paths.lookup(unit, spot.scope, node.text(), VALUE))
        if spot.binding in names_of(unit).locals:
            return self.of_local(unit, spot.binding)
        return self.parts.of_value(paths.of_binding(unit, spot.binding, VALUE))

    def path(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        return self.parts.of_value(self.meant(node, unit, scope))

    def meant(self, node: Node, unit: Unit, scope: Scope) -> Things:
        """What a path in an expression or pattern means."""
        if node.kind() == "generic_function":
            return self.meant(node.field("function"), unit, scope)
        if node.kind() in ("scoped_identifier", "scoped_type_identifier"):
            return self.within(node.field("path"), node.field("name").text(), unit, scope)
        if node.text() == "Self":
            return frozenset(self.types.things_of(self.types.self_shape(unit, scope)))
        path = path_of(node)
        meaning = TYPE if node.kind() == "type_identifier" else VALUE
        known = self.types.paths.resolve(unit, scope, path, meaning) if path else frozenset()
        if not known and path and meaning == TYPE:
            return self.types.paths.resolve(unit, scope, path, VALUE)
        return known

    def within(self, path: Node | None, name: str, unit: Unit, scope: Scope) -> Things:
        """What the word after a path means."""
        paths = self.types.paths
        if path is None:
            return paths.resolve(unit, scope, ("", name), VALUE)
        words = path_of(path)
        if words is not None and words[0] != "Self":
            found = paths.resolve(unit, scope, (*words, name), "any")
            if found or path.kind() != "generic_type":
                return found or self._of_library(path, name, unit, scope)
        shape = self.of_path(path, unit, scope)
        return self.owners.of(shape, Want(name, "::"))

    def _of_library(self, path: Node, name: str, unit: Unit, scope: Scope) -> Things:
        """What a type of a library has by a trait of ours."""
        shape = self.of_path(path, unit, scope)
        is_type = isinstance(shape.head, str) and shape.head[:1].isalpha()
        return self.owners.of(shape, Want(name, "::")) if is_type else frozenset()

    def of_path(self, path: Node, unit: Unit, scope: Scope) -> Shape:
        """The type that a path before `::` means."""
        if path.kind() == "bracketed_type":
            inner = next((c for c in path.children() if c.is_named()), None)
            if inner is not None and inner.kind() == "qualified_type":
                kind = self.types.written(inner.field("type"), unit, scope)
                trait = self.types.written(inner.field("alias"), unit, scope)
                return Shape("bounds", (kind, trait)) if kind == OPEN else kind
            return self.types.written(inner, unit, scope)
        return self.types.written(path, unit, scope)

    def call(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        function = node.field("function")
        arguments = None
        if function is not None and function.kind() == "generic_function":
            arguments = function.field("type_arguments")
            function = function.field("function")
        if function is None:
            return OPEN
        if function.kind() == "field_expression":
            return self.method(node, function, unit, scope)
        words = path_of(function) or ("",)
        if words[0] in _HOLDING:
            return Shape(_HOLDING[words[0]], (self.argument(node, unit, scope), OPEN))
        if len(words) == 2 and words[0] in _MADE_OF:
            return self.argument(node, unit, scope)
        found = self.meant(function, unit, scope)
        owner = self.receiver(function, unit, scope)
        if found - {UNKNOWN}:
            return self.called(found, owner, self._types(arguments, unit, scope))
        if function.kind() == "identifier":
            return library.called(self.of(function, unit, scope))
        is_type = isinstance(owner.head, Thing) or (words[-2:-1] and words[-2][:1].isupper())
        return library.made(owner, words[-1]) if is_type else OPEN

    def _types(self, node: Node | None, unit: Unit, scope: Scope) -> list[Shape]:
        """The types that a call is given."""
        given = node.children() if node is not None else ()
        return [
            self.types.written(child, unit, scope)
            for child in given
            if child.is_named() and child.kind() != "lifetime"
        ]

    def receiver(self, function: Node, unit: Unit, scope: Scope) -> Shape:
        """The type before `::` of what is called."""
        path = function.field("path") if function.kind() == "scoped_identifier" else None
        return self.of_path(path, unit, scope) if path is not None else OPEN

    def argument(self, call: Node, unit: Unit, scope: Scope, nth: int = 0) -> Shape:
        """The type of an argument; of a closure that of its result."""
        given = call.field("arguments")
        passed = [c for c in given.children() if c.is_named()] if given is not None else []
        if nth >= len(passed):
            return OPEN
        node = passed[nth]
        if node.kind() == "closure_expression":
            return self.of(node.field("body"), unit, scope)
        if node.kind() in ("identifier", "scoped_identifier"):
            things = self.meant(node, unit, scope)
            if any(t.binding and "function" in t.binding.roles for t in things):
                return self.called(things, OPEN)
        return self.of(node, unit, scope)

    def method(self, node: Node, function: Node, unit: Unit, scope: Scope) -> Shape:
        owner = self.of(function.field("value"), unit, scope)
        name = function.field("field").text()
        found = self.owners.of(owner, Want(name))
        if found - {UNKNOWN}:
            arguments = node.field("function").field("type_arguments")
            return self.called(found, owner, self._types(arguments, unit, scope))
        if name == "collect":
            return self.collected(node, owner, unit, scope)
        if isinstance(owner.head, Thing):
            return self.of_given(owner, name)
        nth = 1 if name in ("map_or", "map_or_else") else 0
        return library.result(owner, name, self.argument(node, unit, scope, nth))

    def of_given(self, owner: Shape, name: str) -> Shape:
        """What a method of a library's trait gives for a type of ours."""
        if name in ("clone", "to_owned", "as_ref", "as_mut", "borrow", "borrow_mut", "by_ref"):
            return owner
        if name in ("iter", "into_iter", "iter_mut"):
            return library.every(self.iterated(owner))
        item = self.iterated(owner)
        return library.result(library.every(item), name, OPEN) if item != OPEN else OPEN

    def iterated(self, shape: Shape) -> Shape:
        """What a loop over a value goes through."""
        if not isinstance(shape.head, Thing):
            return library.iterated(shape)
        unit = self.types.paths.units.at(shape.head.path)
        if unit is None:
            return OPEN
        for trait in ("Iterator", "IntoIterator"):
            found = self.owners.associated(unit, shape.head, trait, "Item")
            if found is not None:
                return found
        return OPEN

    def collected(self, node: Node, owner: Shape, unit: Unit, scope: Scope) -> Shape:
        given = node.field("function").field("type_arguments")
        first = next((c for c in given.children() if c.is_named()), None) if given else None
        if first is None:
            return OPEN
        made = self.types.written(first, unit, scope)
        item = library.part(owner)
        if made.head == "Result":
            return Shape("Result", (Shape("Vec", (library.part(item),)), OPEN))
        return Shape(made.head, (item,)) if library.part(made) == OPEN else made

    def called(self, things: Things, owner: Shape, types: Sequence[Shape] = ()) -> Shape:
        """What calling a function, or a struct or variant, gives."""
        for thing in sorted(things - {UNKNOWN}, key=lambda t: (t.path, t.start)):
            binding = thing.binding
            if binding is None:
                continue
            if "function" in binding.roles:
                return self.signatures.returned(thing, owner, types)
            if binding.roles & {"type", "variant"}:
                return self.parts.made(thing)
        return OPEN

    def member(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        owner = self.of(node.field("value"), unit, scope)
        name = node.field("field")
        if name.kind() == "integer_literal":
            return self.numbered(owner, int(name.text()) if name.text().isdigit() else 0)
        for thing in self.owners.of(owner, Want(name.text(), "field")) - {UNKNOWN}:
            return self.parts.of_field(thing, owner)
        return OPEN

    def numbered(self, owner: Shape, nth: int) -> Shape:
        """The type of a field that has a number."""
        if owner.head == "tuple":
            return library.part(owner, nth)
        if not isinstance(owner.head, Thing):
            return OPEN
        return self.parts.of_numbered(owner.head, nth, owner)

    def try_(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        return library.tried(self.of(node.children()[0], unit, scope))

    def cast(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        return self.types.written(node.field("type"), unit, scope)

    def struct(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        things = self.meant(node.field("name"), unit, scope)
        return self.parts.of_value(things)

    def index(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        parts = [child for child in node.children() if child.is_named()]
        owner = self.of(parts[0], unit, scope)
        if len(parts) > 1 and parts[1].kind() == "range_expression":
            return owner
        return library.indexed(owner)

    def block(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        parts = [child for child in node.children() if child.is_named()]
        while parts and parts[-1].kind().endswith("comment"):
            parts.pop()
        if not parts or parts[-1].kind() == "let_declaration":
            return Shape("()")
        return self.of(parts[-1], unit, scope)

    def if_(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        first = self.of(node.field("consequence"), unit, scope)
        other = node.field("alternative")
        if first == OPEN and other is not None:
            return self.of(other.children()[-1], unit, scope)
        return first

    def match(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        for arm in node.field("body").children():
            value = arm.field("value") if arm.kind() == "match_arm" else None
            found = self.of(value, unit, scope)
            if found not in (OPEN, Shape("()")):
                return found
        return OPEN

    def array(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        inner = [child for child in node.children() if child.is_named()]
        return Shape("slice", (self.of(inner[0], unit, scope) if inner else OPEN,))

    def tuple_(self, node: Node, unit: Unit, scope: Scope) -> Shape:
        inner = [child for child in node.children() if child.is_named()]
        return Shape("tuple", tuple(self.of(child, unit, scope) for child in inner))

    def macro(self, node: Node, *_: object) -> Shape:
        made = {"vec": Shape("Vec", (OPEN,)), "format": Shape("String")}
        return made.get(node.field("macro").text(), OPEN)


_Read: TypeAlias = Callable[[Values, Node, Unit, Scope], Shape]
_READS: dict[str, _Read] = {
    "self": Values.self_,
    "identifier": Values.identifier,
    "scoped_identifier": Values.path,
    "call_expression": Values.call,
    "field_expression": Values.member,
    "try_expression": Values.try_,
    "type_cast_expression": Values.cast,
    "struct_expression": Values.struct,
    "index_expression": Values.index,
    "block": Values.block,
    "if_expression": Values.if_,
    "match_expression": Values.match,
    "array_expression": Values.array,
    "tuple_expression": Values.tuple_,
    "macro_invocation": Values.macro,
}

"""Evaluate Rust type expressions; references and smart pointers count as what they hold."""

from __future__ import annotations

from collections.abc import Iterator

from redline.code.references.definition import UNKNOWN, Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.references.typed.units import Unit
from redline.code.rust.paths import Definitions, Paths, definition_of, names_of
from redline.code.rust.scopes import Path, Role
from redline.code.scopes.model import TYPE, Binding, Scope
from redline.code.syntax.node import SyntaxNode, parent_of, required_field, span_of
from redline.core.records import dataclass, field

# Smart pointers and guards, which are used like what they hold.
_HOLDERS = frozenset(
    """
    Box Rc Arc Pin Cow Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard ManuallyDrop Reverse
    Lazy LazyLock
    """.split()
)
_ITERATORS = {"Iterator", "IntoIterator", "DoubleEndedIterator", "ExactSizeIterator"}
_MAX_DEPTH = 12
# Type arguments that are not types.
_NO_TYPES = {"lifetime", "type_binding", "block", "integer_literal"}
_NAMES = {"type_identifier", "scoped_type_identifier", "identifier", "scoped_identifier"}
# Node kinds of types that count as one of their parts, and its field.
_HOLDING = {
    "reference_type": "type",
    "pointer_type": "type",
    "dynamic_type": "trait",
    "abstract_type": "trait",
}
# Node kinds of compound types: the head, and the field of the part; None for all parts.
_MADE_OF = {
    "tuple_type": ("tuple", None),
    "array_type": ("slice", "element"),
    "trait_bounds": ("bounds", None),
}


@dataclass(slots=True)
class RustTypes:
    """Evaluates type expressions."""

    paths: Paths
    _depth: int = 0
    _evaluated: dict[tuple[object, ...], Shape] = field(default_factory=dict)

    def evaluate(self, node: SyntaxNode | None, unit: Unit, scope: Scope) -> Shape:
        """Return the type that a node denotes."""
        if node is None or self._depth > _MAX_DEPTH:
            return UNKNOWN_TYPE
        where = node.range()
        key = (unit.path, where.start.index, where.end.index, scope)
        if key not in self._evaluated:
            self._depth += 1
            self._evaluated[key] = self._read(node, unit, scope)
            self._depth -= 1
        return self._evaluated[key]

    def _read(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        kind = node.kind()
        if kind in _NAMES:
            return self.named_type(node, (), unit, scope)
        if kind == "generic_type":
            return self._generic(node, unit, scope)
        if kind == "primitive_type":
            return Shape(node.text())
        if kind in _HOLDING:
            return self.evaluate(node.field(_HOLDING[kind]), unit, scope)
        if kind in _MADE_OF:
            word, part = _MADE_OF[kind]
            held = [node.field(part)] if part is not None else _types(node)
            return Shape(word, tuple(self.evaluate(each, unit, scope) for each in held))
        if kind == "bounded_type":
            return _most_specific([self.evaluate(each, unit, scope) for each in _types(node)])
        if kind == "function_type":
            return self._function(node, unit, scope)
        return Shape("()") if kind == "unit_type" else UNKNOWN_TYPE

    def _function(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        """Return the type of a callable: its result, then its parameters."""
        given = node.field("parameters")
        parts = tuple(self._each(given, unit, scope)) if given is not None else ()
        return Shape("Fn", (self.evaluate(node.field("return_type"), unit, scope), *parts))

    def _each(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Iterator[Shape]:
        return (self.evaluate(child, unit, scope) for child in _types(node))

    def _generic(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        head, given = required_field(node, "type"), node.field("type_arguments")
        parts = tuple(self._each(given, unit, scope)) if given is not None else ()
        if given is not None and head.text().split("::")[-1] in _ITERATORS:
            bound = [c for c in given.children() if c.kind() == "type_binding"]
            if bound:
                return Shape("Iter", (self.evaluate(bound[0].field("type"), unit, scope),))
        return self.named_type(head, parts, unit, scope)

    def named_type(
        self, node: SyntaxNode, parts: tuple[Shape, ...], unit: Unit, scope: Scope
    ) -> Shape:
        """Return the type of a name or path with its arguments."""
        path = path_of(node)
        if path is None:
            return UNKNOWN_TYPE
        if path == ("Self",):
            return self.self_shape(unit, scope)
        if path[0] == "Self" and len(path) == 2:
            definitions = self.paths.members(
                self._head(self.self_shape(unit, scope)), path[1], TYPE
            )
        else:
            definitions = self.paths.resolve(unit, scope, path, TYPE)
        shape = self.of_definitions(definitions, parts, path[-1])
        if len(path) > 1 and has_role(shape, Role.ASSOCIATED):
            before = self.paths.resolve(unit, scope, path[:-1], TYPE)
            return Shape(shape.head, (self.of_definitions(before, (), path[-2]),))
        return shape

    def _head(self, shape: Shape) -> Definition:
        return shape.head if isinstance(shape.head, Definition) else UNKNOWN

    def of_definitions(
        self, definitions: Definitions, parts: tuple[Shape, ...], name: str
    ) -> Shape:
        """Return the type that a resolved name denotes."""
        if not definitions:
            if name in _HOLDERS:
                return parts[-1] if parts else UNKNOWN_TYPE
            return Shape(name, parts)
        known = [definition for definition in definitions if definition != UNKNOWN]
        if not known or known[0].binding is None:
            return UNKNOWN_TYPE
        known.sort(key=lambda t: (t.path, t.start))
        if len(known) > 1 and all(_is_type(each) for each in known):
            # A build chooses one of them by `cfg`.
            return Shape("bounds", tuple(Shape(each, parts) for each in known))
        definition = known[0]
        binding = definition.binding
        assert binding is not None
        if Role.ALIAS in binding.roles:
            return self._alias(definition, binding, parts)
        if binding.roles & {Role.TYPE, Role.TRAIT, Role.TYPE_PARAMETER, Role.ASSOCIATED}:
            return Shape(definition, parts)
        return UNKNOWN_TYPE

    def _alias(self, definition: Definition, binding: Binding, parts: tuple[Shape, ...]) -> Shape:
        unit = self.paths.units.at(definition.path)
        node = parent_of(binding.sites[0].node)
        if unit is None or node is None:
            return UNKNOWN_TYPE
        scope = next(
            (s for s in unit.names.scopes if span_of(s.node) == span_of(node)), binding.scope
        )
        shape = self.evaluate(node.field("type"), unit, scope)
        given = dict(zip(parameters(unit, scope), parts, strict=False))
        return substitute(shape, given)

    def self_shape(self, unit: Unit, scope: Scope) -> Shape:
        """Return the type of `Self` in a scope."""
        names = names_of(unit)
        found = names.impl(scope)
        if found is not None:
            return self.evaluate(found.of, unit, found.outer)
        owner = names.trait(scope)
        return Shape(definition_of(unit, owner)) if owner is not None else UNKNOWN_TYPE

    def bounds(self, definition: Definition) -> list[Shape]:
        """Return the bounds of a type parameter or associated type."""
        unit = self.paths.units.at(definition.path)
        binding = definition.binding
        if unit is None or binding is None:
            return [UNKNOWN_TYPE]
        node = parent_of(binding.sites[0].node)
        found = [
            self.evaluate(child, unit, binding.scope)
            for child in node.children()
            if child.kind() == "trait_bounds"
        ]
        for clause in binding.scope.node.children():
            for said in clause.children() if clause.kind() == "where_clause" else ():
                left = said.field("left") if said.kind() == "where_predicate" else None
                if left is not None and left.text() == binding.name:
                    found.append(self.evaluate(said.field("bounds"), unit, binding.scope))
        return [part for shape in found for part in shape.parts or (shape,)]

    def callable(self, shape: Shape) -> Shape | None:
        """Return the callable type of a value, by its type or bounds; None if there is none."""
        found = [shape]
        if isinstance(shape.head, Definition) and has_role(shape, Role.TYPE_PARAMETER):
            found = self.bounds(shape.head)
        parts = [p for each in found for p in (each.parts if each.head == "bounds" else (each,))]
        return next((part for part in parts if part.head == "Fn"), None)

    def definitions_of(self, shape: Shape) -> list[Definition]:
        """Return the types and traits in which members are looked up."""
        if shape.head == "bounds":
            return [definition for part in shape.parts for definition in self.definitions_of(part)]
        return [shape.head] if isinstance(shape.head, Definition) else []


def _types(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the children of a node that are types."""
    return [c for c in node.children() if c.is_named() and c.kind() not in _NO_TYPES]


def _most_specific(shapes: list[Shape]) -> Shape:
    """Return the bound that tells what a type yields, else all bounds."""
    specific = [shape for shape in shapes if shape.head in ("Iter", "Fn")]
    if specific or len(shapes) == 1:
        return (specific or shapes)[0]
    return Shape("bounds", tuple(shapes))


def _is_type(definition: Definition) -> bool:
    return definition.binding is not None and Role.TYPE in definition.binding.roles


def has_role(shape: Shape, role: str) -> bool:
    """Return whether a type is defined in the workspace in that role."""
    binding = shape.head.binding if isinstance(shape.head, Definition) else None
    return binding is not None and role in binding.roles


def parameters(unit: Unit, scope: Scope) -> list[Definition]:
    """Return the type parameters that a scope binds, in order."""
    found = [b for b in scope.types.values() if Role.TYPE_PARAMETER in b.roles]
    return [definition_of(unit, binding) for binding in found]


def path_of(node: SyntaxNode) -> Path | None:
    """Return the words of a path without type arguments; None if it has other parts."""
    kind = node.kind()
    if kind in ("scoped_identifier", "scoped_type_identifier"):
        path = node.field("path")
        before = path_of(path) if path is not None else ("",)
        return (*before, required_field(node, "name").text()) if before is not None else None
    if kind == "generic_type":
        return path_of(required_field(node, "type"))
    if kind in ("identifier", "type_identifier", "self", "super", "crate", "primitive_type"):
        return (node.text(),)
    return ("crate",) if node.text() == "$crate" else None


def unify(pattern: Shape, real: Shape, given: dict[Definition, Shape]) -> None:
    """Infer the type parameters of *pattern* from *real*."""
    head = pattern.head
    if isinstance(head, Definition) and head.binding and Role.TYPE_PARAMETER in head.binding.roles:
        given.setdefault(head, real)
    elif head == real.head:
        for one, other in zip(pattern.parts, real.parts, strict=False):
            unify(one, other, given)

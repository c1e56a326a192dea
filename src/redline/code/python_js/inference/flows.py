"""Find types that code uses as one another: a class that is passed where an interface is asked for.

TypeScript joins types by their members alone. A place that gives a value of one type to another
needs the same names in both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from redline.code.python_js.heritage import (
    OfClass,
    Value,
    instance_of,
    is_optional,
    member_names,
)
from redline.code.python_js.inference.context import ScriptContext
from redline.code.python_js.inference.shapes import (
    OBJECTS,
    Holder,
    InferredShape,
    TypeParameter,
    keys_in,
    parameters_of,
    type_arguments,
    type_parameters,
)
from redline.code.python_js.project import Module
from redline.code.references.definition import Definition
from redline.code.scopes.model import Scope
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
)

# Expressions whose type another may be asked for; what is written out is typed by its place.
_GIVEN = frozenset(
    {
        *("identifier", "member_expression", "call_expression", "new_expression", "this"),
        *("await_expression", "ternary_expression", "binary_expression", "subscript_expression"),
        *("non_null_expression", "parenthesized_expression", "shorthand_property_identifier"),
        "spread_element",
    }
)
_PLACES = (
    *("arguments", "variable_declarator", "public_field_definition", "required_parameter"),
    *("optional_parameter", "return_statement", "arrow_function", "assignment_expression"),
    *("array", "pair", "object", "satisfies_expression", "yield_expression"),
)
# Functions that are written out, which say by themselves what they take.
_WRITTEN = frozenset({"arrow_function", "function_expression", "method_definition"})
_GENERIC = ("generic_type", "extends_clause")
_IN_OBJECTS = frozenset({"shorthand_property_identifier", "method_definition"})
_FIELD_OF = {
    **dict.fromkeys(("variable_declarator", "public_field_definition", "pair"), "value"),
    **dict.fromkeys(("required_parameter", "optional_parameter"), "value"),
    "assignment_expression": "right",
    "arrow_function": "body",
}
_MAX_DEPTH = 3


@dataclass(slots=True)
class ValueFlows:
    """Find the members of one name that places in code take for one another."""

    name: str
    values: ScriptContext

    def joined_in(self, module: Module) -> Iterator[frozenset[Definition]]:
        """Yield the members that one place of a module needs to have the same name."""
        for place in module.parsed.root.find_all(any=[{"kind": kind} for kind in _PLACES]):
            for node in _given_at(place):
                yield from self._at_expression(module, node)
        for node in module.parsed.root.find_all(any=[{"kind": kind} for kind in _GENERIC]):
            yield from self._at_type_arguments(module, node)
        for scope in module.types.values():
            yield from self._at_bases(module, scope)

    def _at_expression(self, module: Module, node: SyntaxNode) -> Iterator[frozenset[Definition]]:
        scope = module.scope_at(node)
        given = self._given(module, node, scope)
        if self._may_have(given):
            yield from self._pairs(given, self._asked_of(module, node, scope))
            if parent_of(node).kind() == "arguments":
                yield from self._pairs(given, self._limits_of(module, node, scope))
                yield from self._at_callback(module, node, given, scope)

    def _given(self, module: Module, node: SyntaxNode, scope: Scope) -> set[Value]:
        if node.kind() == "shorthand_property_identifier":
            return self.values.declared_in(module, node, scope, 0)
        if node.kind() == "spread_element":
            spread = self.values.of(module, named_children(node)[0], scope)
            return self.values.elements(spread, None, 0)
        return self.values.of(module, node, scope)

    def _asked_of(self, module: Module, node: SyntaxNode, scope: Scope) -> set[Value]:
        """Return the type that the code around an expression asks for."""
        if node.kind() in _WRITTEN:
            return self.values.expected_function(module, node, scope, 0)
        if node.kind() != "shorthand_property_identifier":
            return self.values.context_of(module, node, scope)
        holder = self.values.context_of(module, parent_of(node), scope)
        return self.values.member_types(holder, node.text()) if holder else set()

    def _at_callback(
        self, module: Module, node: SyntaxNode, given: set[Value], scope: Scope
    ) -> Iterator[frozenset[Definition]]:
        """Yield what a function takes that an array or a map calls with what it holds."""
        held = self.values.called_back_with(module, node, scope)
        for function in given if held else ():
            if isinstance(function, InferredShape) and function.is_function:
                yield from self._pairs(held, self.values.parameter_types(function, 0, 0))

    def _limits_of(self, module: Module, node: SyntaxNode, scope: Scope) -> set[Value]:
        """Return what the type parameter that is chosen by an argument is limited to."""
        call = parent_of(parent_of(node))
        callee = call.field("function") or call.field("constructor")
        listed = [each for each in named_children(parent_of(node)) if each.kind() != "comment"]
        index = next(nth for nth, each in enumerate(listed) if begins_at(each, node))
        called = self.values.of(module, callee, scope) if callee is not None else ()
        is_new = call.kind() == "new_expression"
        return {
            value
            for function in self.values.callables(called, 0, new=is_new)
            for value in self.values.parameter_types(function, index, 0)
            if isinstance(value, TypeParameter)
        }

    def _at_type_arguments(
        self, module: Module, node: SyntaxNode
    ) -> Iterator[frozenset[Definition]]:
        """Yield what the types that a generic type is given are limited to."""
        name = node.field("name") or required_field(node, "value")
        scope = module.scope_at(node)
        for home, declared in self.values.declarations(module, name):
            parts = type_parameters(declared.node)
            for part, argument in zip(parts, type_arguments(node), strict=False):
                limit = part.field("constraint")
                if limit is not None:
                    given = self.values.types(module, argument, scope)
                    yield from self._pairs(given, self.values.types(home, limit, declared))

    def _at_bases(self, module: Module, scope: Scope) -> Iterator[frozenset[Definition]]:
        """Yield what the members of a class have in common with those that they override."""
        own = OfClass(module, scope, True)
        for base in self.values.bases(own):
            if not isinstance(base, OfClass):
                continue
            for name in member_names(own):
                if self.values.owners(base, name).classes:
                    given = self.values.member_types([own], name)
                    yield from self._pairs(given, self.values.member_types([base], name))

    def _pairs(
        self, given: Collection[Value], asked: Iterable[Value], depth: int = 0
    ) -> Iterator[frozenset[Definition]]:
        """Yield the members of the name that *given* must have to be *asked*."""
        if depth > _MAX_DEPTH:
            return
        wanted = {v for each in asked for v in self._least(each)}
        for value in given:
            for other in wanted:
                yield from self._inner_pairs(value, other, depth)
        having, needing = self._with_member(given), self._with_member(wanted)
        if set().union(*having.values()) & set().union(*needing.values()):
            return  # it is one of them: a condition may say which of several types it is
        is_only = len(having) == len(needing) == 1
        for value, members in having.items():
            for other, others in needing.items():
                if is_only or self._fits(value, other):
                    yield frozenset(members | others)

    def _with_member(self, values: Iterable[Value]) -> dict[Value, set[Definition]]:
        found = {value: self.values.definitions_in(value, self.name) for value in values}
        return {value: members for value, members in found.items() if members}

    def _inner_pairs(
        self, value: Value, other: Value, depth: int
    ) -> Iterator[frozenset[Definition]]:
        """Yield the same of what values hold, are given as type arguments, return and take."""
        if isinstance(value, Holder) and isinstance(other, Holder) and value.kind == other.kind:
            yield from self._pairs(value.inner, other.inner, depth + 1)
        if isinstance(value, OfClass) and isinstance(other, OfClass) and value.scope is other.scope:
            for inner, wanted in zip(value.given, other.given, strict=False):
                yield from self._pairs(inner, wanted, depth + 1)
        if isinstance(value, OfClass) and not value.is_instance:
            for maker in self.values.callables([other], 0, new=True):
                made = self.values.return_values(maker, depth)
                yield from self._pairs([instance_of(value)], made, depth + 1)
        if isinstance(value, InferredShape) and value.is_function:
            yield from self._function_pairs(value, other, depth)

    def _function_pairs(
        self, value: InferredShape, other: Value, depth: int
    ) -> Iterator[frozenset[Definition]]:
        """Yield the same of what a function returns, and of what is passed to it."""
        for function in self.values.callables([other], 0):
            returned = self.values.return_values(value, depth)
            yield from self._pairs(returned, self.values.return_values(function, depth), depth + 1)
            for nth in range(len(parameters_of(value.node))):
                taken = self.values.parameter_types(value, nth, depth)
                passed = self.values.parameter_types(function, nth, depth)
                yield from self._pairs(passed, taken, depth + 1)

    def _least(self, value: Value) -> set[Value]:
        return self.values.least_types(value) if isinstance(value, TypeParameter) else {value}

    def _may_have(self, values: Iterable[Value]) -> bool:
        """Return whether one of *values*, or what it holds or returns, may have the member."""
        for value in values:
            if isinstance(value, Holder) and self._may_have(value.inner):
                return True
            if isinstance(value, OfClass) and any(self._may_have(each) for each in value.given):
                return True
            if isinstance(value, InferredShape) and value.is_function:
                return True
            if self.values.definitions_in(value, self.name):
                return True
        return False

    def _fits(self, value: Value, asked: Value) -> bool:
        """Return whether a value has all members that a type asks for, as far as they are known."""
        needed, has = self._members(asked), self._members(value)
        return needed is None or has is None or needed <= has

    def _members(self, value: Value, depth: int = 0) -> set[str] | None:
        """Return the names of the members that are not optional; None if they are not known."""
        if isinstance(value, InferredShape) and _is_copy(value.node):
            return None
        if isinstance(value, InferredShape) and value.kind in OBJECTS:
            parts = [(name, part) for name, _, part in keys_in(value.node)]
            return {name for name, part in parts if not is_optional(part)}
        if not isinstance(value, OfClass) or depth > _MAX_DEPTH:
            return None
        found = {name for name, is_needed in member_names(value).items() if is_needed}
        for base in self.values.bases(value):
            above = self._members(base, depth + 1) if isinstance(base, OfClass) else None
            if above is None:
                return None
            found |= above
        return found


def _given_at(place: SyntaxNode) -> list[SyntaxNode]:
    """Return the expressions that a place gives to what asks for a type."""
    kind = place.kind()
    if kind in _FIELD_OF:
        value = place.field(_FIELD_OF[kind])
        parts = [value] if value is not None else []
    else:
        parts = named_children(place)
    if kind == "object":
        parts = [each for each in parts if each.kind() in _IN_OBJECTS]
    parts = parts[:1] if kind == "satisfies_expression" else parts
    return [each for each in parts if each.kind() in _GIVEN or _takes_types(each) or _is_copy(each)]


def _is_copy(node: SyntaxNode) -> bool:
    """Return whether an object has what others have: `{ ...other }`."""
    inside = node.children() if node.kind() == "object" else ()
    return any(each.kind() == "spread_element" for each in inside)


def _takes_types(node: SyntaxNode) -> bool:
    """Return whether a function is written out with types for what it takes."""
    parts = parameters_of(node) if node.kind() in _WRITTEN else []
    return any(each.field("type") is not None for each in parts)

"""Determine the types of fields, constants, and values that structs construct."""

from __future__ import annotations

from collections.abc import Sequence

from redline.code.references.definition import UNKNOWN, Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.references.typed.units import Unit
from redline.code.rust.members import RustMembers
from redline.code.rust.paths import Definitions, definition_of, names_of
from redline.code.rust.scopes.names import Role
from redline.code.rust.types import RustTypes, parameters, unify
from redline.code.scopes.model import Scope
from redline.code.syntax.node import parent_of
from redline.core.records import dataclass


@dataclass(slots=True)
class Signatures:
    """Reads the types of functions."""

    types: RustTypes
    members: RustMembers

    def return_type(self, definition: Definition, owner: Shape, types: Sequence[Shape]) -> Shape:
        """Return the declared return type of a function, type parameters substituted."""
        unit = self.types.paths.units.at(definition.path)
        scope = names_of(unit).functions.get(definition.start) if unit is not None else None
        if unit is None or scope is None:
            return UNKNOWN_TYPE
        written = scope.node.field("return_type")
        if written is None:
            return Shape("()")
        shape = self.types.evaluate(written, unit, scope)
        given = self._find_replacements(unit, scope, owner)
        given.update(zip(parameters(unit, scope), types, strict=False))
        found = substitute(shape, given)
        return self.members.project(found) or found

    def _find_replacements(self, unit: Unit, scope: Scope, owner: Shape) -> dict[Definition, Shape]:
        if owner == UNKNOWN_TYPE:
            return {}
        given: dict[Definition, Shape] = {}
        found = names_of(unit).impl(scope)
        if found is not None:
            unify(self.types.evaluate(found.of, unit, found.outer), owner, given)
        else:
            for trait in self.types.definitions_of(self.types.self_shape(unit, scope)):
                given[trait] = owner
        return given


@dataclass(slots=True)
class DeclaredTypes:
    """Types what declarations name."""

    types: RustTypes
    members: RustMembers

    def of_value(self, definitions: Definitions) -> Shape:
        """Return the type of a constant, or of a unit struct or variant."""
        for definition in definitions - {UNKNOWN}:
            if definition.binding is None:
                continue
            roles = definition.binding.roles
            unit = self.types.paths.units.at(definition.path)
            if unit is None:
                continue
            if Role.CONSTANT in roles:
                node = parent_of(definition.binding.sites[0].node)
                return self.types.evaluate(node.field("type"), unit, definition.binding.scope)
            if roles & {Role.TYPE, Role.VARIANT}:
                return self.constructed_type(definition)
            if Role.FUNCTION in roles:
                return Shape("Fn", (UNKNOWN_TYPE,))
            if Role.ALIAS in roles:
                return self.types.of_definitions(frozenset({definition}), (), definition.name)
        return UNKNOWN_TYPE

    def constructed_type(self, definition: Definition) -> Shape:
        """Return the type that a struct or variant constructs."""
        binding = definition.binding
        assert binding is not None
        if Role.VARIANT in binding.roles:
            owner = binding.scope.owner
            unit = self.types.paths.units.at(definition.path)
            return (
                Shape(definition_of(unit, owner))
                if unit is not None and owner is not None
                else UNKNOWN_TYPE
            )
        return Shape(definition)

    def of_field(self, definition: Definition, owner: Shape) -> Shape:
        """Return the type of a field of a value."""
        unit = self.types.paths.units.at(definition.path)
        binding = definition.binding
        if unit is None or binding is None or Role.FIELD not in binding.roles:
            return UNKNOWN_TYPE
        around = binding.scope.parent or binding.scope
        written = parent_of(binding.sites[0].node).field("type")
        given = dict(zip(parameters(unit, around), owner.parts, strict=False))
        return substitute(self.types.evaluate(written, unit, around), given)

    def of_tuple_field(self, definition: Definition, nth: int, owner: Shape) -> Shape:
        """Return the type of a field of a tuple struct or variant, by position."""
        unit = self.types.paths.units.at(definition.path)
        body = self.members.body(definition)
        fields = body.node.field("body") if body is not None else None
        if unit is None or body is None or fields is None or body.parent is None:
            return UNKNOWN_TYPE
        if fields.kind() != "ordered_field_declaration_list":
            return UNKNOWN_TYPE
        skipped = {"visibility_modifier", "attribute_item", "line_comment", "block_comment"}
        types = [c for c in fields.children() if c.is_named() and c.kind() not in skipped]
        if nth >= len(types):
            return UNKNOWN_TYPE
        given = dict(zip(parameters(unit, body.parent), owner.parts, strict=False))
        return substitute(self.types.evaluate(types[nth], unit, body.parent), given)

"""Read function signatures: what they return, and what they pass to closures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.references.typed.units import Unit
from redline.code.rust.members import RustMembers
from redline.code.rust.paths import names_of
from redline.code.rust.types import RustTypes, parameters, unify
from redline.code.scopes.model import Scope
from redline.code.syntax.node import required_field


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

    def parameter(self, definition: Definition, nth: int, owner: Shape) -> Shape | None:
        """Return the callable type of the parameter at an index; None if it is not callable."""
        unit = self.types.paths.units.at(definition.path)
        scope = names_of(unit).functions.get(definition.start) if unit is not None else None
        if unit is None or scope is None:
            return None
        parts = [
            c
            for c in required_field(scope.node, "parameters").children()
            if c.kind() == "parameter"
        ]
        written = parts[nth].field("type") if nth < len(parts) else None
        taken = self.types.callable(self.types.evaluate(written, unit, scope))
        return (
            substitute(taken, self._find_replacements(unit, scope, owner))
            if taken is not None
            else None
        )

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

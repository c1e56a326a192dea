"""What functions say of themselves: what they give, and what they call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.references.typed.units import Unit
from redline.code.rust.owners import Owners
from redline.code.rust.paths import names_of
from redline.code.rust.types import Types, matched, parameters, replaced
from redline.code.scopes.model import Scope


@dataclass(slots=True)
class Signatures:
    """Reads the types of functions."""

    types: Types
    owners: Owners

    def returned(self, thing: Thing, owner: Shape, types: Sequence[Shape]) -> Shape:
        """What a function gives, by what it says of itself."""
        unit = self.types.paths.units.at(thing.path)
        scope = names_of(unit).functions.get(thing.start) if unit is not None else None
        if unit is None or scope is None:
            return OPEN
        written = scope.node.field("return_type")
        if written is None:
            return Shape("()")
        shape = self.types.written(written, unit, scope)
        given = self._replacing(unit, scope, owner)
        given.update(zip(parameters(unit, scope), types, strict=False))
        found = replaced(shape, given)
        return self.owners.projected(found) or found

    def parameter(self, thing: Thing, nth: int, owner: Shape) -> Shape | None:
        """What a function calls of what it is given at a place; None where it does not say."""
        unit = self.types.paths.units.at(thing.path)
        scope = names_of(unit).functions.get(thing.start) if unit is not None else None
        if unit is None or scope is None:
            return None
        parts = [c for c in scope.node.field("parameters").children() if c.kind() == "parameter"]
        written = parts[nth].field("type") if nth < len(parts) else None
        taken = self.types.callable(self.types.written(written, unit, scope))
        return replaced(taken, self._replacing(unit, scope, owner)) if taken is not None else None

    def _replacing(self, unit: Unit, scope: Scope, owner: Shape) -> dict[Thing, Shape]:
        if owner == OPEN:
            return {}
        given: dict[Thing, Shape] = {}
        found = names_of(unit).impl(scope)
        if found is not None:
            matched(self.types.written(found.of, unit, found.outer), owner, given)
        else:
            for trait in self.types.things_of(self.types.self_shape(unit, scope)):
                given[trait] = owner
        return given

"""What types are made of: the types of fields, of constants, and of what structs make."""

from __future__ import annotations

from dataclasses import dataclass

from redline.code.references.definition import UNKNOWN, Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.rust.owners import Owners
from redline.code.rust.paths import Things, own
from redline.code.rust.types import Types, parameters, replaced


@dataclass(slots=True)
class Parts:
    """Tells the types of what declarations name."""

    types: Types
    owners: Owners

    def of_value(self, things: Things) -> Shape:
        """The type of a constant, or of a value that is a type's only one."""
        for thing in things - {UNKNOWN}:
            if thing.binding is None:
                continue
            roles = thing.binding.roles
            unit = self.types.paths.units.at(thing.path)
            if unit is None:
                continue
            if "constant" in roles:
                node = thing.binding.sites[0].node.parent()
                return self.types.written(node.field("type"), unit, thing.binding.scope)
            if roles & {"type", "variant"}:
                return self.made(thing)
            if "alias" in roles:
                return self.types.of_things(frozenset({thing}), (), thing.name)
        return OPEN

    def made(self, thing: Thing) -> Shape:
        """The type of what a struct or variant makes."""
        binding = thing.binding
        assert binding is not None
        if "variant" in binding.roles:
            owner = binding.scope.owner
            unit = self.types.paths.units.at(thing.path)
            return Shape(own(unit, owner)) if unit is not None and owner is not None else OPEN
        return Shape(thing)

    def of_field(self, thing: Thing, owner: Shape) -> Shape:
        """The type of a field of a value."""
        unit = self.types.paths.units.at(thing.path)
        binding = thing.binding
        if unit is None or binding is None or "field" not in binding.roles:
            return OPEN
        around = binding.scope.parent or binding.scope
        written = binding.sites[0].node.parent().field("type")
        given = dict(zip(parameters(unit, around), owner.parts, strict=False))
        return replaced(self.types.written(written, unit, around), given)

    def of_numbered(self, thing: Thing, nth: int, owner: Shape) -> Shape:
        """The type of what a tuple struct or variant holds at a place."""
        unit = self.types.paths.units.at(thing.path)
        body = self.owners.body(thing)
        fields = body.node.field("body") if body is not None else None
        if unit is None or body is None or fields is None or body.parent is None:
            return OPEN
        if fields.kind() != "ordered_field_declaration_list":
            return OPEN
        skipped = {"visibility_modifier", "attribute_item", "line_comment", "block_comment"}
        types = [c for c in fields.children() if c.is_named() and c.kind() not in skipped]
        if nth >= len(types):
            return OPEN
        given = dict(zip(parameters(unit, body.parent), owner.parts, strict=False))
        return replaced(self.types.written(types[nth], unit, body.parent), given)

"""Tell the types of a union apart by a member that has one constant in each: `kind: "a"`."""

from __future__ import annotations

from typing import TypeAlias

from redline.code.python_js.heritage import OfClass, Value, members_of
from redline.code.python_js.inference.members import ScriptMembers
from redline.code.python_js.inference.shapes import (
    OBJECTS,
    InferredShape,
    alternatives,
    key_name,
    keys_in,
)
from redline.code.python_js.project import Module
from redline.code.scopes.model import Member, Scope
from redline.code.syntax.node import SyntaxNode, named_children, parent_of, required_field

# A text, number or boolean by its kind, or a member of an enum by the scope of that.
Constant: TypeAlias = tuple[object, str]
_PLAIN = {"string", "number", "true", "false"}
_WRAPPED = {"as_expression", "parenthesized_expression", "literal_type", "parenthesized_type"}


class ScriptUnions(ScriptMembers):
    """Choose among the types of a union."""

    __slots__ = ()

    def fitting(
        self, module: Module, values: set[Value], node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return those of several types that an object may be by its constants."""
        for part in node.children() if len(values) > 1 else ():
            if part.kind() == "pair":
                found = self.constant(module, required_field(part, "value"), scope, depth)
                name = key_name(required_field(part, "key"))
                values = self.with_constant(values, name, {found}, depth)
        return values

    def with_constant(
        self, values: set[Value], name: str, constants: set[Constant | None], depth: int
    ) -> set[Value]:
        """Return those of *values* whose member may be one of *constants*; all if none may."""
        if None in constants:
            return values
        left: set[Value] = set()
        for value in values:
            declared = self._constants_of(value, name, depth)
            if not declared or None in declared or declared & constants:
                left.add(value)
        return left or values

    def constant(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> Constant | None:
        """Return the constant that an expression or type is; None for any other."""
        kind = node.kind()
        if kind in _PLAIN:
            return (kind, node.text()[1:-1] if kind == "string" else node.text())
        if kind in _WRAPPED:
            return self.constant(module, named_children(node)[0], scope, depth)
        holder = node.field("object") or node.field("module")
        name = node.field("property") or node.field("name")
        if (
            holder is None
            or name is None
            or holder.kind() not in ("identifier", "member_expression")
        ):
            return None
        found = list(self.of(module, holder, scope, depth + 1))
        only = found[0] if len(found) == 1 else None
        is_enum = isinstance(only, OfClass) and only.scope.node.kind() == "enum_declaration"
        return (only.scope, name.text()) if isinstance(only, OfClass) and is_enum else None

    def _constants_of(self, value: Value, name: str, depth: int) -> set[Constant | None]:
        """Return the constants that a member is declared to be; None among them for any other."""
        parts: list[tuple[Module, SyntaxNode, Scope]] = []
        if isinstance(value, InferredShape) and value.kind in OBJECTS:
            written = [part for key, _, part in keys_in(value.node) if key == name]
            parts = [(value.module, part, value.scope) for part in written]
        elif isinstance(value, OfClass):
            for owner in self.owners(value, name).classes:
                items = [each for each in members_of(owner, name) if isinstance(each, Member)]
                parts += [(owner.module, parent_of(item.node), item.scope) for item in items]
        found: set[Constant | None] = set()
        for module, part, scope in parts:
            declared = part.field("type")
            types = alternatives(named_children(declared)[0]) if declared is not None else []
            found |= {self.constant(module, each, scope, depth) for each in types} or {None}
        return found

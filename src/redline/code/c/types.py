"""The structs that values of C have as their type, as far as declarations say them.

Pointers, arrays and calls do not change which struct it is: a value and what it points to, an
array and its element, a function and what it returns are of one struct.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.c.chunks import Part, Sheet
from redline.code.c.declared import (
    Declared,
    declared_at,
    is_given_tag,
    local,
    local_tag,
    named_by,
    place,
)
from redline.code.c.visible import Visible
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

_DEEPEST = 12
# The part of an expression that has its type.
_INNER = {
    "pointer_expression": "argument",
    "subscript_expression": "argument",
    "call_expression": "function",
    "update_expression": "argument",
    "assignment_expression": "left",
    "conditional_expression": "consequence",
    "comma_expression": "right",
}
_TYPED = {"cast_expression", "compound_literal_expression"}
# `#define NAME(x) ((struct tag *)x)`: what a macro makes is said by the cast it begins with.
_CAST = re.compile(r"^[\s(]*\(\s*(?:const\s+)?(struct\s+|union\s+)?(\w+)\s*\**\s*\)\s*[(&*\w]")
_PLAIN = {"int", "char", "long", "short", "unsigned", "signed", "void", "float", "double"}

Key: TypeAlias = tuple[WorkspacePath, int, int, int]


@dataclass(frozen=True, slots=True)
class Body:
    """A struct or union with its fields, in the part of a file that has it."""

    part: Part
    node: Node

    @property
    def key(self) -> Key:
        """Which it is."""
        return self.part.sheet.path, self.part.start, *place(self.node)


# None where the type cannot be told; empty where it is no struct of the workspace.
Bodies: TypeAlias = list[Body] | None


@dataclass(slots=True)
class Types:
    """Tells the structs of expressions and the fields they have."""

    visible: Visible
    _tables: dict[Key, dict[str, list[Declared]]] = field(default_factory=dict)

    def of_value(self, part: Part, node: Node, depth: int = 0) -> Bodies:
        """The structs that an expression may be of."""
        kind = node.kind()
        if depth > _DEEPEST:
            return None
        if kind in ("identifier", "type_identifier"):
            return self._of_name(part, node, depth)
        if kind == "field_expression":
            return self._of_field(part, node, depth)
        if kind in _TYPED:
            return self.of_descriptor(part, node.field("type"))
        if kind == "parenthesized_expression":
            inner: Node | None = next((c for c in node.children() if c.is_named()), None)
        else:
            inner = node.field(_INNER[kind]) if kind in _INNER else None
        return self.of_value(part, inner, depth + 1) if inner is not None else None

    def of_argument(self, part: Part, node: Node) -> Bodies:
        """The structs that an argument of a macro is of, or names as a type."""
        tag = node.find(kind="identifier") if node.kind() == "ERROR" else None
        if tag is not None:
            given = is_given_tag(tag)
            return self._of_tag(part.sheet, part.sheet, tag.text()) if given else None
        return self.of_value(part, node)

    def of_descriptor(self, part: Part, node: Node | None) -> Bodies:
        """The structs of a type as casts and `offsetof` spell it."""
        kind = node.field("type") if node is not None else None
        return self._of_type(part.sheet, part, kind)

    def of_declared(self, sheet: Sheet, found: Declared, depth: int = 0) -> Bodies:
        """The structs of what is declared, for code in *sheet*."""
        if found.kind == "macro":
            return self._of_macro(sheet, found)
        if found.by.kind() == "parameter_list":
            return None
        return self._of_type(sheet, found.part, found.by.field("type"), depth)

    def forget(self) -> None:
        """Let go of everything that was read."""
        self._tables.clear()

    def of_list(self, part: Part, node: Node, depth: int = 0) -> Bodies:
        """The structs that an initializer list makes."""
        above = node.parent()
        kind = above.kind() if above is not None else ""
        if depth > _DEEPEST:
            return None
        if kind == "init_declarator":
            name = named_by(above)
            found = declared_at(part, name) if name is not None else None
            return self.of_declared(part.sheet, found, depth) if found is not None else None
        if kind == "compound_literal_expression":
            return self.of_descriptor(part, above.field("type"))
        if kind == "initializer_list":
            return self.of_list(part, above, depth + 1)
        return self.of_pair(part, above, None) if kind == "initializer_pair" else None

    def of_pair(self, part: Part, pair: Node, until: Node | None) -> Bodies:
        """The structs that the designators of a pair reach, those before *until*."""
        listed = pair.parent()
        found = self.of_list(part, listed) if listed is not None else None
        for designator in pair.children():
            if designator.kind() not in ("field_designator", "subscript_designator"):
                break
            if until is not None and place(designator) == place(until):
                break
            if designator.kind() == "field_designator":
                name = designator.find(kind="field_identifier")
                known = self.field(found, name.text()) if name is not None else None
                found = self._of_all(part.sheet, known, 0)
        return found

    def field(self, bodies: Bodies, name: str) -> list[Declared] | None:
        """The fields of that name; None where it cannot be told which is meant."""
        if bodies is None:
            return None
        found: list[Declared] = []
        for body in bodies:
            table = self._table(body)
            if name not in table and _is_riddle(body.node):
                return None
            found += table.get(name, ())
        return found

    def _table(self, body: Body) -> dict[str, list[Declared]]:
        """The fields of a struct by name, with those of nameless structs within it."""
        if body.key not in self._tables:
            table: dict[str, list[Declared]] = {}
            for one in _fields(body):
                table.setdefault(one.node.text(), []).append(one)
            self._tables[body.key] = table
        return self._tables[body.key]

    def _of_name(self, part: Part, node: Node, depth: int) -> Bodies:
        name = node.text()
        inside = local(part, node, name)
        if inside is not None:
            return self.of_declared(part.sheet, inside, depth + 1)
        return self._of_all(part.sheet, self.visible.named(part.sheet, name).declared, depth)

    def _of_all(self, sheet: Sheet, found: list[Declared] | None, depth: int) -> Bodies:
        if not found:
            return None
        bodies: dict[Key, Body] = {}
        told = False
        for one in found:
            known = self.of_declared(sheet, one, depth + 1)
            told = told or known is not None
            for body in known or ():
                bodies[body.key] = body
        return list(bodies.values()) if told else None

    def _of_field(self, part: Part, node: Node, depth: int) -> Bodies:
        owner, name = node.field("argument"), node.field("field")
        if owner is None or name is None:
            return None
        found = self.field(self.of_value(part, owner, depth + 1), name.text())
        return self._of_all(part.sheet, found, depth)

    def _of_type(self, user: Sheet, part: Part, node: Node | None, depth: int = 0) -> Bodies:
        """The structs of a type that *part* spells, for code in *user*: it may complete a tag."""
        if node is None or depth > _DEEPEST:
            return None
        kind = node.kind()
        if kind in ("struct_specifier", "union_specifier"):
            if node.field("body") is not None:
                return [Body(part, node)]
            tag = node.field("name")
            inner = local_tag(part, tag) if tag is not None else None
            if inner is not None:
                return [Body(part, inner.by)]
            return self._of_tag(user, part.sheet, tag.text()) if tag is not None else None
        if kind == "type_identifier":
            return self._of_alias(user, part, node, depth)
        return [] if kind in ("primitive_type", "sized_type_specifier", "enum_specifier") else None

    def _of_tag(self, user: Sheet, sheet: Sheet, tag: str) -> Bodies:
        for seen_from in (user, sheet):
            found = self.visible.tagged(seen_from, tag)
            whole = [d for d in found.declared if d.is_whole and d.by.kind() != "enum_specifier"]
            if whole:
                return [Body(d.part, d.by) for d in whole]
        return None

    def _of_alias(self, user: Sheet, part: Part, node: Node, depth: int) -> Bodies:
        name = node.text()
        inside = local(part, node, name)
        found = [inside] if inside is not None else self.visible.named(part.sheet, name).declared
        known = [d for d in found if d.kind == "typedef"]
        bodies: list[Body] = []
        told = False
        for one in known:
            more = self._of_type(user, one.part, one.by.field("type"), depth + 1)
            told = told or more is not None
            bodies += more or ()
        return bodies if told else None

    def _of_macro(self, sheet: Sheet, found: Declared) -> Bodies:
        value = found.by.field("value")
        cast = _CAST.match(value.text()) if value is not None else None
        if cast is None or cast[2] in _PLAIN:
            return None
        if cast[1]:
            return self._of_tag(sheet, found.sheet, cast[2])
        known = [d for d in self.visible.named(sheet, cast[2]).declared if d.kind == "typedef"]
        return self._of_all(sheet, known, _DEEPEST - 2)


def _fields(body: Body) -> Iterator[Declared]:
    listed = body.node.field("body")
    if listed is not None:
        yield from _listed(body.part, listed)


def _listed(part: Part, node: Node) -> Iterator[Declared]:
    for child in node.children():
        kind = child.kind()
        if kind.startswith("preproc_") or kind == "ERROR":
            yield from _listed(part, child)
        if kind != "field_declaration":
            continue
        declarators = child.field_children("declarator")
        for declarator in declarators:
            named = named_by(declarator)
            if named is not None:
                yield Declared(part, "field", named, child)
        inner = child.field("type")
        if not declarators and inner is not None and inner.field("body") is not None:
            yield from _fields(Body(part, inner))


def _is_riddle(node: Node) -> bool:
    """Whether a struct may have fields that cannot be seen: macros make some."""
    return node.find(kind="ERROR") is not None or node.find(kind="macro_type_specifier") is not None

"""Determine which structs the values of C expressions have, as far as declarations state it.

Pointers, arrays and calls do not change which struct it is: a value and what it points to, an
array and its element, a function and what it returns have the same struct.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from redline.code.c.chunks import CFile, Chunk
from redline.code.c.declarations import (
    CDeclaration,
    CKind,
    declaration_at,
    declarator_name,
    find_local,
    find_local_tag,
    is_macro_tag,
)
from redline.code.c.visible import VisibleDeclarations
from redline.code.syntax.node import Span, SyntaxNode, span_of
from redline.core.paths import WorkspacePath

_MAX_DEPTH = 12
# The operand that has the same struct as the expression.
_INNER = {
    "pointer_expression": "argument",
    "subscript_expression": "argument",
    "call_expression": "function",
    "update_expression": "argument",
    "assignment_expression": "left",
    "conditional_expression": "consequence",
    "comma_expression": "right",
}
_WITH_TYPE = {"cast_expression", "compound_literal_expression"}
# `#define NAME(x) ((struct tag *)x)`: the leading cast states the type of the expansion.
_CAST = re.compile(r"^[\s(]*\(\s*(?:const\s+)?(struct\s+|union\s+)?(\w+)\s*\**\s*\)\s*[(&*\w]")
_PLAIN = {"int", "char", "long", "short", "unsigned", "signed", "void", "float", "double"}


class BodyKey(NamedTuple):
    """The identity of a struct: its file, chunk and span in the chunk."""

    path: WorkspacePath
    chunk: int
    span: Span


@dataclass(frozen=True, slots=True)
class StructBody:
    """A struct or union with its fields, and the chunk that contains it."""

    chunk: Chunk
    node: SyntaxNode

    @property
    def key(self) -> BodyKey:
        """Return what identifies it."""
        return BodyKey(self.chunk.file.path, self.chunk.start, span_of(self.node))


# None if the type is undetermined; empty if it is not a struct of the workspace.
StructBodies: TypeAlias = list[StructBody] | None


@dataclass(slots=True)
class StructTypes:
    """Determines the structs of expressions, and their fields."""

    visible: VisibleDeclarations
    _tables: dict[BodyKey, dict[str, list[CDeclaration]]] = field(default_factory=dict)

    def of_value(self, chunk: Chunk, node: SyntaxNode, depth: int = 0) -> StructBodies:
        """Return the structs that an expression may have."""
        kind = node.kind()
        if depth > _MAX_DEPTH:
            return None
        if kind in ("identifier", "type_identifier"):
            return self._of_name(chunk, node, depth)
        if kind == "field_expression":
            return self._of_field(chunk, node, depth)
        if kind in _WITH_TYPE:
            return self.of_descriptor(chunk, node.field("type"))
        if kind == "parenthesized_expression":
            inner = next((c for c in node.children() if c.is_named()), None)
        else:
            inner = node.field(_INNER[kind]) if kind in _INNER else None
        return self.of_value(chunk, inner, depth + 1) if inner is not None else None

    def of_argument(self, chunk: Chunk, node: SyntaxNode) -> StructBodies:
        """Return the structs of a macro's argument: a value, or the name of a type."""
        tag = node.find(kind="identifier") if node.kind() == "ERROR" else None
        if tag is not None:
            given = is_macro_tag(tag)
            return self._of_tag(chunk.file, chunk.file, tag.text()) if given else None
        return self.of_value(chunk, node)

    def of_descriptor(self, chunk: Chunk, node: SyntaxNode | None) -> StructBodies:
        """Return the structs of a type as written in casts and `offsetof`."""
        kind = node.field("type") if node is not None else None
        return self._of_type(chunk.file, chunk, kind)

    def of_declaration(self, file: CFile, found: CDeclaration, depth: int = 0) -> StructBodies:
        """Return the structs of a declaration, as seen from *file*."""
        if found.kind is CKind.MACRO:
            return self._of_macro(file, found)
        if found.declaration_node.kind() == "parameter_list":
            return None
        return self._of_type(file, found.chunk, found.declaration_node.field("type"), depth)

    def of_list(self, chunk: Chunk, node: SyntaxNode, depth: int = 0) -> StructBodies:
        """Return the structs that an initializer list initializes."""
        above = node.parent()
        if above is None or depth > _MAX_DEPTH:
            return None
        kind = above.kind()
        if kind == "init_declarator":
            name = declarator_name(above)
            found = declaration_at(chunk, name) if name is not None else None
            return self.of_declaration(chunk.file, found, depth) if found is not None else None
        if kind == "compound_literal_expression":
            return self.of_descriptor(chunk, above.field("type"))
        if kind == "initializer_list":
            return self.of_list(chunk, above, depth + 1)
        return self.of_pair(chunk, above, None) if kind == "initializer_pair" else None

    def of_pair(self, chunk: Chunk, pair: SyntaxNode, until: SyntaxNode | None) -> StructBodies:
        """Return the structs that the designators of a pair before *until* lead to."""
        listed = pair.parent()
        found = self.of_list(chunk, listed) if listed is not None else None
        for designator in pair.children():
            if designator.kind() not in ("field_designator", "subscript_designator"):
                break
            if until is not None and span_of(designator) == span_of(until):
                break
            if designator.kind() == "field_designator":
                name = designator.find(kind="field_identifier")
                known = self.field(found, name.text()) if name is not None else None
                found = self._of_all(chunk.file, known, 0)
        return found

    def field(self, bodies: StructBodies, name: str) -> list[CDeclaration] | None:
        """Return the fields of that name; None if it is undetermined which one is meant."""
        if bodies is None:
            return None
        found: list[CDeclaration] = []
        for body in bodies:
            table = self._table(body)
            if name not in table and _may_hide_fields(body.node):
                return None
            found += table.get(name, ())
        return found

    def _table(self, body: StructBody) -> dict[str, list[CDeclaration]]:
        """Index the fields of a struct by name, including those of anonymous structs in it."""
        if body.key not in self._tables:
            table: dict[str, list[CDeclaration]] = {}
            for one in _fields(body):
                table.setdefault(one.node.text(), []).append(one)
            self._tables[body.key] = table
        return self._tables[body.key]

    def _of_name(self, chunk: Chunk, node: SyntaxNode, depth: int) -> StructBodies:
        name = node.text()
        inside = find_local(chunk, node, name)
        if inside is not None:
            return self.of_declaration(chunk.file, inside, depth + 1)
        return self._of_all(
            chunk.file, self.visible.find_name(chunk.file, name).declarations, depth
        )

    def _of_all(self, file: CFile, found: list[CDeclaration] | None, depth: int) -> StructBodies:
        if not found:
            return None
        bodies: dict[BodyKey, StructBody] = {}
        is_known = False
        for one in found:
            known = self.of_declaration(file, one, depth + 1)
            is_known = is_known or known is not None
            for body in known or ():
                bodies[body.key] = body
        return list(bodies.values()) if is_known else None

    def _of_field(self, chunk: Chunk, node: SyntaxNode, depth: int) -> StructBodies:
        owner, name = node.field("argument"), node.field("field")
        if owner is None or name is None:
            return None
        found = self.field(self.of_value(chunk, owner, depth + 1), name.text())
        return self._of_all(chunk.file, found, depth)

    def _of_type(
        self, user: CFile, chunk: Chunk, node: SyntaxNode | None, depth: int = 0
    ) -> StructBodies:
        """Return the structs of a type in *chunk* for code in *user*, which may complete a tag."""
        if node is None or depth > _MAX_DEPTH:
            return None
        kind = node.kind()
        if kind in ("struct_specifier", "union_specifier"):
            if node.field("body") is not None:
                return [StructBody(chunk, node)]
            tag = node.field("name")
            inner = find_local_tag(chunk, tag) if tag is not None else None
            if inner is not None:
                return [StructBody(chunk, inner.declaration_node)]
            return self._of_tag(user, chunk.file, tag.text()) if tag is not None else None
        if kind == "type_identifier":
            return self._of_alias(user, chunk, node, depth)
        return [] if kind in ("primitive_type", "sized_type_specifier", "enum_specifier") else None

    def _of_tag(self, user: CFile, file: CFile, tag: str) -> StructBodies:
        for seen_from in (user, file):
            found = self.visible.find_tag(seen_from, tag)
            complete = [
                d
                for d in found.declarations
                if d.is_definition and d.declaration_node.kind() != "enum_specifier"
            ]
            if complete:
                return [StructBody(d.chunk, d.declaration_node) for d in complete]
        return None

    def _of_alias(self, user: CFile, chunk: Chunk, node: SyntaxNode, depth: int) -> StructBodies:
        name = node.text()
        inside = find_local(chunk, node, name)
        found = (
            [inside]
            if inside is not None
            else self.visible.find_name(chunk.file, name).declarations
        )
        known = [d for d in found if d.kind is CKind.TYPEDEF]
        bodies: list[StructBody] = []
        is_known = False
        for one in known:
            more = self._of_type(user, one.chunk, one.declaration_node.field("type"), depth + 1)
            is_known = is_known or more is not None
            bodies += more or ()
        return bodies if is_known else None

    def _of_macro(self, file: CFile, found: CDeclaration) -> StructBodies:
        value = found.declaration_node.field("value")
        cast = _CAST.match(value.text()) if value is not None else None
        if cast is None or cast[2] in _PLAIN:
            return None
        if cast[1]:
            return self._of_tag(file, found.file, cast[2])
        known = [
            d for d in self.visible.find_name(file, cast[2]).declarations if d.kind is CKind.TYPEDEF
        ]
        return self._of_all(file, known, _MAX_DEPTH - 2)


def _fields(body: StructBody) -> Iterator[CDeclaration]:
    listed = body.node.field("body")
    if listed is not None:
        yield from _fields_in(body.chunk, listed)


def _fields_in(chunk: Chunk, node: SyntaxNode) -> Iterator[CDeclaration]:
    for child in node.children():
        kind = child.kind()
        if kind.startswith("preproc_") or kind == "ERROR":
            yield from _fields_in(chunk, child)
        if kind != "field_declaration":
            continue
        declarators = child.field_children("declarator")
        for declarator in declarators:
            name_node = declarator_name(declarator)
            if name_node is not None:
                yield CDeclaration(chunk, CKind.FIELD, name_node, child)
        inner = child.field("type")
        if not declarators and inner is not None and inner.field("body") is not None:
            yield from _fields(StructBody(chunk, inner))


def _may_hide_fields(node: SyntaxNode) -> bool:
    """Return whether a struct may have fields that are not visible, generated by macros."""
    return node.find(kind="ERROR") is not None or node.find(kind="macro_type_specifier") is not None

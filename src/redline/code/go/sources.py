"""A file of Go as its package sees it: what it is called, imports and declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from redline.code.go.names import Declared, children, specs
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

_VERSION = re.compile(r"v\d+")
_DOTTED_VERSION = re.compile(r"\.v\d+$")


@dataclass(frozen=True, slots=True)
class Import:
    """An imported package; *name* is empty where the file gives it none."""

    path: str
    name: str

    @property
    def likely(self) -> str:
        """The name it goes by: the one it is given, else what its path ends with."""
        if self.name:
            return self.name
        parts = self.path.split("/")
        if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
            parts.pop()
        return _DOTTED_VERSION.sub("", parts[-1])


@dataclass(eq=False)
class Source:
    """One file."""

    unit: Unit

    @property
    def folder(self) -> WorkspacePath:
        """The folder that holds its package."""
        return self.unit.path.parent

    @cached_property
    def package(self) -> str:
        """What it says its package is called."""
        clauses = (n for n in self.unit.parsed.root.children() if n.kind() == "package_clause")
        clause = next(clauses, None)
        return str(clause.children()[-1].text()) if clause is not None else ""

    @cached_property
    def imports(self) -> list[Import]:
        """What it imports."""
        tops = (n for n in self.unit.parsed.root.children() if n.kind() == "import_declaration")
        found = [spec for top in tops for spec in top.find_all(kind="import_spec")]
        return [_import(spec) for spec in found if spec.field("path") is not None]

    @cached_property
    def tops(self) -> dict[str, list[Declared]]:
        """What the package may call by name: its functions, types, variables, constants."""
        found: dict[str, list[Declared]] = {}
        for declared in _tops(self.unit):
            found.setdefault(declared.name, []).append(declared)
        return found

    @cached_property
    def methods(self) -> dict[str, list[Declared]]:
        """Its methods by name."""
        found: dict[str, list[Declared]] = {}
        for node in self.unit.parsed.root.children():
            if node.kind() == "method_declaration":
                name = node.field("name")
                if name is not None:
                    declared = Declared(self.unit, name, "method", node)
                    found.setdefault(declared.name, []).append(declared)
        return found


def _import(spec: Node) -> Import:
    name = spec.field("name")
    return Import(spec.field("path").text().strip('"`'), name.text() if name is not None else "")


def _tops(unit: Unit) -> Iterator[Declared]:
    for node in unit.parsed.root.children():
        if node.kind() == "function_declaration":
            name = node.field("name")
            if name is not None:
                yield Declared(unit, name, "func", node)
        else:
            yield from specs(unit, node)


def receiver_of(method: Declared) -> Node | None:
    """The type a method belongs to, without `*` and type arguments."""
    listed = method.node.field("receiver")
    given = listed.find(kind="parameter_declaration") if listed is not None else None
    node = given.field("type") if given is not None else None
    while node is not None and node.kind() in ("pointer_type", "parenthesized_type"):
        inner = [child for child in node.children() if child.is_named()]
        node = inner[0] if inner else None
    if node is not None and node.kind() == "generic_type":
        node = node.field("type")
    return node


def fields_of(unit: Unit, struct: Node) -> Iterator[Declared]:
    """The fields of a struct; one without a name goes by its type's."""
    for listed in struct.children():
        for each in listed.children():
            if each.kind() != "field_declaration":
                continue
            named = children(each, "name")
            for name in named:
                yield Declared(unit, name, "field", each)
            kind = each.field("type")
            if not named and kind is not None:
                yield Declared(unit, last_name(kind), "embedded", each)


def last_name(kind: Node) -> Node:
    """The word that an embedded type goes by."""
    if kind.kind() == "generic_type":
        kind = kind.field("type")
    return kind.field("name") if kind.kind() == "qualified_type" else kind


def methods_of(unit: Unit, interface: Node) -> Iterator[Declared]:
    """The methods that an interface spells out."""
    for each in interface.children():
        name = each.field("name") if each.kind() == "method_elem" else None
        if name is not None:
            yield Declared(unit, name, "method", each)

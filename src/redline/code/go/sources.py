"""A Go file as its package sees it: package name, imports and declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from redline.code.go.names import GoDeclaration, GoKind, children, spec_declarations
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import SyntaxNode, required_field
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass

_VERSION = re.compile(r"v\d+")
_DOTTED_VERSION = re.compile(r"\.v\d+$")


@dataclass(frozen=True, slots=True)
class GoImport:
    """An imported package; *name* is empty if the file does not rename it."""

    path: str
    name: str

    @property
    def local_name(self) -> str:
        """Return the name it is used by: the explicit one, else the end of its path."""
        if self.name:
            return self.name
        parts = self.path.split("/")
        if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
            parts.pop()
        return _DOTTED_VERSION.sub("", parts[-1])


@dataclass(eq=False)
class GoSource:
    """One Go file."""

    unit: Unit

    @property
    def folder(self) -> WorkspacePath:
        """Return the folder that contains its package."""
        return self.unit.path.parent

    @cached_property
    def package(self) -> str:
        """Return the package name it states."""
        clauses = (n for n in self.unit.parsed.root.children() if n.kind() == "package_clause")
        clause = next(clauses, None)
        return clause.children()[-1].text() if clause is not None else ""

    @cached_property
    def imports(self) -> list[GoImport]:
        """Return what it imports."""
        tops = (n for n in self.unit.parsed.root.children() if n.kind() == "import_declaration")
        found = [spec for top in tops for spec in top.find_all(kind="import_spec")]
        return [_import(spec) for spec in found if spec.field("path") is not None]

    @cached_property
    def top_level(self) -> dict[str, list[GoDeclaration]]:
        """Return its package-level functions, types, variables and constants by name."""
        found: dict[str, list[GoDeclaration]] = {}
        for declaration in _tops(self.unit):
            found.setdefault(declaration.name, []).append(declaration)
        return found

    @cached_property
    def methods(self) -> dict[str, list[GoDeclaration]]:
        """Return its methods by name."""
        found: dict[str, list[GoDeclaration]] = {}
        for node in self.unit.parsed.root.children():
            if node.kind() == "method_declaration":
                name = node.field("name")
                if name is not None:
                    declaration = GoDeclaration(self.unit, name, GoKind.METHOD, node)
                    found.setdefault(declaration.name, []).append(declaration)
        return found


def _import(spec: SyntaxNode) -> GoImport:
    name = spec.field("name")
    return GoImport(
        required_field(spec, "path").text().strip('"`'), name.text() if name is not None else ""
    )


def _tops(unit: Unit) -> Iterator[GoDeclaration]:
    for node in unit.parsed.root.children():
        if node.kind() == "function_declaration":
            name = node.field("name")
            if name is not None:
                yield GoDeclaration(unit, name, GoKind.FUNC, node)
        else:
            yield from spec_declarations(unit, node)


def receiver_of(method: GoDeclaration) -> SyntaxNode | None:
    """Return the receiver type of a method, without `*` and type arguments."""
    listed = method.node.field("receiver")
    given = listed.find(kind="parameter_declaration") if listed is not None else None
    node = given.field("type") if given is not None else None
    while node is not None and node.kind() in ("pointer_type", "parenthesized_type"):
        inner = [child for child in node.children() if child.is_named()]
        node = inner[0] if inner else None
    if node is not None and node.kind() == "generic_type":
        node = node.field("type")
    return node


def fields_of(unit: Unit, struct: SyntaxNode) -> Iterator[GoDeclaration]:
    """Yield the fields of a struct; an embedded one is named after its type."""
    for listed in struct.children():
        for each in listed.children():
            if each.kind() != "field_declaration":
                continue
            named = children(each, "name")
            for name in named:
                yield GoDeclaration(unit, name, GoKind.FIELD, each)
            kind = each.field("type")
            if not named and kind is not None:
                yield GoDeclaration(unit, last_name(kind), GoKind.EMBEDDED, each)


def last_name(kind: SyntaxNode) -> SyntaxNode:
    """Return the name that an embedded type is accessed by."""
    if kind.kind() == "generic_type":
        kind = required_field(kind, "type")
    return required_field(kind, "name") if kind.kind() == "qualified_type" else kind


def methods_of(unit: Unit, interface: SyntaxNode) -> Iterator[GoDeclaration]:
    """Yield the methods that an interface lists."""
    for each in interface.children():
        name = each.field("name") if each.kind() == "method_elem" else None
        if name is not None:
            yield GoDeclaration(unit, name, GoKind.METHOD, each)

"""A Java file: its package, its imports, and the types it declares."""

from __future__ import annotations

from functools import cached_property

from redline.code.java.declarations import TYPES, Field, Method, TypeDeclaration, declares
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import SyntaxNode
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field


@dataclass(eq=False)
class JavaFile:
    """A file: its package, its imports, and the types it declares."""

    path: WorkspacePath
    parsed: Parsed
    package: str = ""
    imports: dict[str, str] = field(default_factory=dict)
    on_demand: list[str] = field(default_factory=list)
    static_imports: dict[str, list[str]] = field(default_factory=dict)
    static_on_demand: list[str] = field(default_factory=list)
    types: dict[str, TypeDeclaration] = field(default_factory=dict)
    _declarations: dict[int, TypeDeclaration] = field(default_factory=dict)
    _members: dict[int, Method | Field] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for child in self.parsed.root.children():
            kind = child.kind()
            if kind == "package_declaration":
                self.package = _qualified_name(child)
            elif kind == "import_declaration":
                self._import(child)
            elif kind in TYPES and (name := child.field("name")) is not None:
                self.types.setdefault(name.text(), self.declare(child, name.text(), None))

    @cached_property
    def roots(self) -> set[str]:
        """Return the first words of packages that occur in the file."""
        named = (self.package, *self.imports.values(), *self.on_demand, *self.static_on_demand)
        return {"java", "javax", *(dotted.partition(".")[0] for dotted in named)}

    @cached_property
    def type_names(self) -> set[str]:
        """Return the names of all types that it declares, local ones included."""
        found = self.parsed.root.find_all(any=[{"kind": kind} for kind in sorted(TYPES)])
        names = (node.field("name") for node in found)
        return {name.text() for name in names if name is not None}

    def declare(
        self, node: SyntaxNode, qualified: str, outer: TypeDeclaration | None
    ) -> TypeDeclaration:
        """Return the type that *node* declares, reading it once."""
        start = node.range().start.index
        if start not in self._declarations:
            self._members.clear()
            self._declarations[start] = TypeDeclaration(self, node, qualified, outer)
        return self._declarations[start]

    def declaration_of(self, node: SyntaxNode) -> TypeDeclaration:
        """Return the type that a declaration, or an expression with a class body, declares."""
        start = node.range().start.index
        known = self._declarations.get(start)
        if known is not None and known.kind == node.kind():
            return known
        around = next((a for a in node.ancestors() if declares(a)), None)
        outer = self.declaration_of(around) if around is not None else None
        if start not in self._declarations:  # reading the enclosing type may have declared it
            name = f"{outer.qualified if outer else ''}.@{start}"
            self._members.clear()
            self._declarations[start] = TypeDeclaration(self, node, name, outer)
        return self._declarations[start]

    def by_qualified(self, qualified: str) -> TypeDeclaration | None:
        """Return the type of that name, qualified by the types around it."""
        if "@" in qualified:
            return next((t for t in self._declarations.values() if t.qualified == qualified), None)
        first, *rest = qualified.split(".")
        found = self.types.get(first)
        for part in rest:
            found = found.types.get(part) if found is not None else None
        return found

    def member_at(self, start: int) -> Method | Field | None:
        """Return the method, constructor or field whose name begins at *start*."""
        if not self._members:
            for declaration in self._declarations.values():
                every: list[Method | Field] = [
                    *declaration.constructors,
                    *declaration.fields.values(),
                ]
                every += [method for same in declaration.methods.values() for method in same]
                self._members.update({member.start: member for member in every})
        return self._members.get(start)

    def _import(self, node: SyntaxNode) -> None:
        dotted = _qualified_name(node)
        kinds = {child.kind() for child in node.children()}
        before, _, last = dotted.rpartition(".")
        if "static" in kinds and "asterisk" in kinds:
            self.static_on_demand.append(dotted)
        elif "static" in kinds:
            self.static_imports.setdefault(last, []).append(before)
        elif "asterisk" in kinds:
            self.on_demand.append(dotted)
        else:
            self.imports[last] = dotted


def _qualified_name(node: SyntaxNode) -> str:
    for child in node.children():
        if child.kind() in ("scoped_identifier", "identifier"):
            return "".join(child.text().split())
    return ""

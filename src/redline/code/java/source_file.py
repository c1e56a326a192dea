"""A Java file: its package, where its names come from, and the types it declares."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from redline.code.java.declared import TYPES, Field, Method, TypeDeclaration, declares
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath


@dataclass(eq=False)
class JavaFile:
    """A file: where its names come from, and the types it declares."""

    path: WorkspacePath
    parsed: Parsed
    package: str = ""
    imports: dict[str, str] = field(default_factory=dict)
    on_demand: list[str] = field(default_factory=list)
    static_imports: dict[str, list[str]] = field(default_factory=dict)
    static_on_demand: list[str] = field(default_factory=list)
    types: dict[str, TypeDeclaration] = field(default_factory=dict)
    # A sketch of the language's own library: what it leaves out may exist all the same.
    is_sketch: bool = False
    _declared: dict[int, TypeDeclaration] = field(default_factory=dict)
    _members: dict[int, Method | Field] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for child in self.parsed.root.children():
            kind = child.kind()
            if kind == "package_declaration":
                self.package = _dotted(child)
            elif kind == "import_declaration":
                self._import(child)
            elif kind in TYPES and child.field("name") is not None:
                name = child.field("name").text()
                self.types.setdefault(name, self.declare(child, name, None))

    @cached_property
    def roots(self) -> set[str]:
        """The first words of packages, as far as the file shows."""
        named = (self.package, *self.imports.values(), *self.on_demand, *self.static_on_demand)
        return {"java", "javax", *(dotted.partition(".")[0] for dotted in named)}

    @cached_property
    def type_names(self) -> set[str]:
        """The names of all types that it declares, local ones too."""
        found = self.parsed.root.find_all(any=[{"kind": kind} for kind in sorted(TYPES)])
        names = (node.field("name") for node in found)
        return {name.text() for name in names if name is not None}

    def forget(self) -> None:
        """Let go of what it declares: declarations know their file, and it knows them."""
        for declared in self._declared.values():
            declared.forget()
        self._declared.clear()
        self._members.clear()
        self.types.clear()

    def declare(self, node: Node, qualified: str, outer: TypeDeclaration | None) -> TypeDeclaration:
        """The type that *node* declares, read once."""
        start = node.range().start.index
        if start not in self._declared:
            self._members.clear()
            self._declared[start] = TypeDeclaration(self, node, qualified, outer)
        return self._declared[start]

    def declared(self, node: Node) -> TypeDeclaration:
        """The type that a declaration, or an expression with a class body, declares."""
        start = node.range().start.index
        known = self._declared.get(start)
        if known is not None and known.kind == node.kind():
            return known
        around = next((a for a in node.ancestors() if declares(a)), None)
        outer = self.declared(around) if around is not None else None
        if start not in self._declared:  # what the type around declares has been read with it
            name = f"{outer.qualified if outer else ''}.@{start}"
            self._members.clear()
            self._declared[start] = TypeDeclaration(self, node, name, outer)
        return self._declared[start]

    def by_qualified(self, qualified: str) -> TypeDeclaration | None:
        """The type called so, within the types around it."""
        if "@" in qualified:
            return next((t for t in self._declared.values() if t.qualified == qualified), None)
        first, *rest = qualified.split(".")
        found = self.types.get(first)
        for part in rest:
            found = found.types.get(part) if found is not None else None
        return found

    def member_at(self, start: int) -> Method | Field | None:
        """The method, constructor or field whose name begins at *start*."""
        if not self._members:
            for declared in self._declared.values():
                every: list[Method | Field] = [*declared.constructors, *declared.fields.values()]
                every += [method for same in declared.methods.values() for method in same]
                self._members.update({member.start: member for member in every})
        return self._members.get(start)

    def _import(self, node: Node) -> None:
        dotted = _dotted(node)
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


def _dotted(node: Node) -> str:
    for child in node.children():
        if child.kind() in ("scoped_identifier", "identifier"):
            return "".join(child.text().split())
    return ""

"""Resolve Java types by name: the file's own, imported ones, and those of its package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from redline.code.java.declarations import (
    TYPES,
    TypeDeclaration,
    declares,
    first_child,
    type_parameters,
)
from redline.code.java.packages import JavaPackages
from redline.code.java.source_file import JavaFile
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Head, Shape
from redline.code.references.typed.units import Units
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import language_of
from redline.code.syntax.node import SyntaxNode, span_of
from redline.core.paths import WorkspacePath

_LIBRARY = WorkspacePath(-1, ("library.java",))
_PLAIN = {
    *("integral_type", "floating_point_type", "boolean_type", "void_type"),
}
_MAX_SUPERTYPES = 60


@dataclass(eq=False)
class JavaClasses:
    """Finds the declarations of types; those that no file declares are the library's."""

    units: Units
    _files: dict[WorkspacePath, JavaFile | None] = field(default_factory=dict)
    _variables: dict[Definition, tuple[JavaFile, SyntaxNode]] = field(default_factory=dict)
    _supers: dict[TypeDeclaration, list[Shape]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.packages = JavaPackages(self.units, self)

    def file(self, path: WorkspacePath) -> JavaFile | None:
        """Return a file with its declarations; None if it cannot be read."""
        if path not in self._files:
            if path == _LIBRARY:
                self._files[path] = _library(path)
            else:
                unit = self.units.at(path)
                self._files[path] = JavaFile(path, unit.parsed) if unit is not None else None
        return self._files[path]

    def declaration(self, head: Head) -> TypeDeclaration | None:
        """Return what declares a type; None if it is a library's or cannot be read."""
        if isinstance(head, str):
            library = self.file(_LIBRARY)
            return library.types.get(head) if library is not None else None
        if head in self._variables:
            return None
        file = self.file(head.path)
        return file.by_qualified(head.name) if file is not None else None

    def bound_of(self, head: Head) -> Shape | None:
        """Return the bound of a type variable; None if it is not a type variable."""
        known = self._variables.get(head) if isinstance(head, Definition) else None
        if known is None:
            return None
        file, node = known
        bounds = next((c for c in node.children() if c.kind() == "type_bound"), None)
        first = next((c for c in bounds.children() if c.is_named()), None) if bounds else None
        return self.shape(first, file) if first is not None else Shape("Object")

    def is_variable(self, head: Head) -> bool:
        """Return whether it is a type variable."""
        return isinstance(head, Definition) and head in self._variables

    def is_seen(self, variable: Definition, node: SyntaxNode) -> bool:
        """Return whether *node* is in the scope of a type variable of the same file."""
        home = span_of(self._variables[variable][1].ancestors()[1])
        return home.start <= node.range().start.index < home.end

    def variable(self, file: JavaFile, node: SyntaxNode) -> Definition:
        """Return the type variable that a type parameter declares."""
        name = next(c for c in node.children() if c.kind() in ("type_identifier", "identifier"))
        definition = Definition(file.path, name.range().start.index, name.text())
        self._variables.setdefault(definition, (file, node))
        return definition

    # Types as written

    def shape(self, node: SyntaxNode | None, file: JavaFile, dimensions: int = 0) -> Shape:
        """Return the type that *node* denotes."""
        made = self._shape(node, file) if node is not None else UNKNOWN_TYPE
        for _ in range(dimensions):
            made = Shape("[]", (made,))
        return made

    def _shape(self, node: SyntaxNode, file: JavaFile) -> Shape:
        kind = node.kind()
        if kind in _PLAIN:
            return Shape(node.text())
        if kind in ("type_identifier", "identifier", "scoped_type_identifier"):
            return self._shape_of_head(self.type_of(node, file))
        if kind == "generic_type":
            named = [child for child in node.children() if child.is_named()]
            given = [c for c in named if c.kind() == "type_arguments"]
            parts = tuple(
                self._shape(part, file)
                for arguments in given
                for part in arguments.children()
                if part.is_named()
            )
            head = self._shape(named[0], file).head
            return Shape(head, parts) if head != UNKNOWN_TYPE.head else UNKNOWN_TYPE
        if kind == "array_type":
            dimensions = node.field("dimensions")
            many = dimensions.text().count("[") if dimensions is not None else 1
            return self.shape(node.field("element"), file, many)
        return self._unwrap_type(node, file)

    def _unwrap_type(self, node: SyntaxNode, file: JavaFile) -> Shape:
        kind = node.kind()
        named = [c for c in node.children() if c.is_named() and "annotation" not in c.kind()]
        if kind == "wildcard":
            return self._shape(named[-1], file) if named else Shape("Object")
        if kind in ("annotated_type", "catch_type"):
            plain = [c for c in named if c.kind() != "modifiers"]
            return self._shape(plain[0], file) if len(plain) == 1 else Shape("Throwable")
        return UNKNOWN_TYPE

    def _shape_of_head(self, head: Head | None) -> Shape:
        return Shape(head) if head is not None else UNKNOWN_TYPE

    def type_of(self, node: SyntaxNode, file: JavaFile) -> Head | None:
        """Resolve the name of a type: a definition, or a plain name for a library's."""
        if node.kind() != "scoped_type_identifier":
            return self.resolve_type_name(node.text(), node, file)
        parts = [c for c in node.children() if c.is_named() and "annotation" not in c.kind()]
        outer = parts[0] if parts[0].kind() != "generic_type" else first_child(parts[0])
        last = parts[-1].text()
        above = self.type_of(outer, file)
        if isinstance(above, Definition):
            return self.member_type(above, last)
        return self.packages.resolve_qualified("".join(node.text().split()), file) or last

    def resolve_type_name(self, name: str, node: SyntaxNode, file: JavaFile) -> Head | None:
        """Resolve a plain type name at *node*; a plain name if no file declares it."""
        for inner, outer in pairwise([node, *node.ancestors()]):
            found = self._in_scope(name, inner, outer, file)
            if found is not None:
                return found
        return self.packages.find_visible(name, file) or _library_word(name, file)

    def _in_scope(
        self, name: str, inner: SyntaxNode, outer: SyntaxNode, file: JavaFile
    ) -> Head | None:
        kind = outer.kind()
        if kind in TYPES or kind in ("method_declaration", "constructor_declaration"):
            for parameter in type_parameters(outer):
                variable = self.variable(file, parameter)
                if variable.name == name:
                    return variable
        if kind == "block":
            return self._local(name, outer, file)
        if not declares(outer) or inner.kind() in ("superclass", "super_interfaces", "modifiers"):
            own = outer.field("name") if kind in TYPES else None
            if own is not None and own.text() == name:
                return file.declaration_of(outer).head
            return None
        declaration = file.declaration_of(outer)
        if kind in TYPES and declaration.qualified.rpartition(".")[2] == name:
            return declaration.head
        return self.member_type(declaration.head, name)

    def _local(self, name: str, block: SyntaxNode, file: JavaFile) -> Definition | None:
        if name not in file.type_names:
            return None
        for child in block.children():
            named = child.field("name") if child.kind() in TYPES else None
            if named is not None and named.text() == name:
                return file.declaration_of(child).definition
        return None

    def member_type(self, outer: Head, name: str) -> Definition | None:
        """Return the member type of that name, own or inherited."""
        declaration = self.declaration(outer)
        if declaration is None:
            return None
        if name in declaration.types:
            return declaration.types[name].definition
        if not self.packages.defining(name):
            return None
        for above in self.declared_ancestry(declaration):
            if name in above.types:
                return above.types[name].definition
        return None

    def declared_ancestry(self, declaration: TypeDeclaration) -> Iterator[TypeDeclaration]:
        """Yield a type's declaration and those of its supertypes."""
        queue, seen = [declaration], {declaration}
        while queue and len(seen) < _MAX_SUPERTYPES:
            current = queue.pop(0)
            yield current
            for shape in self.supers(current):
                above = self.declaration(shape.head)
                if above is not None and above not in seen:
                    seen.add(above)
                    queue.append(above)

    def supers(self, declaration: TypeDeclaration) -> list[Shape]:
        """Return the types it extends and implements."""
        known = self._supers.get(declaration)
        if known is None:
            self._supers[declaration] = []  # the answer within a cycle
            if declaration.kind == "enum_constant" and declaration.outer is not None:
                known = [Shape(declaration.outer.definition)]
            else:
                known = [self.shape(node, declaration.file) for node in declaration.supers]
            if declaration.kind == "enum_declaration":
                known.append(Shape("Enum", (Shape(declaration.definition),)))
            self._supers[declaration] = known
        return known


def _library_word(name: str, file: JavaFile) -> str:
    """Return the name of a library type: plain, unless the standard library has the same."""
    dotted = file.imports.get(name, "")
    is_namesake = dotted and not dotted.startswith("java.") and name in _library(_LIBRARY).types
    return dotted if is_namesake else name


@cache
def _library(path: WorkspacePath) -> JavaFile:
    from redline.code.java.library import SKETCH

    language = language_of(path.name)
    assert language is not None
    return JavaFile(path, parse(SKETCH, language), is_sketch=True)

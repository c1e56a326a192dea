"""Resolve Java types by name: the file's own, imported ones, and those of its package."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from redline.code.java.declarations import (
    TYPES,
    TypeDeclaration,
    declares,
    first_child,
    type_parameters,
)
from redline.code.java.source_file import JavaFile
from redline.code.references.definition import Definition
from redline.code.references.file_access import count_common_folders
from redline.code.references.typed.types import UNKNOWN_TYPE, Head, Shape
from redline.code.references.typed.units import Units
from redline.code.syntax.node import SyntaxNode, span_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field


@dataclass(eq=False)
class JavaPackages:
    """Finds types outside the file that names them; of several, the nearest."""

    units: Units
    classes: JavaClasses
    _tops: dict[tuple[str, str, WorkspacePath], Definition | None] = field(default_factory=dict)
    _defining: dict[str, list[WorkspacePath]] = field(default_factory=dict)

    def find_visible(self, name: str, file: JavaFile) -> Definition | None:
        """Return a type that is visible throughout a file."""
        if name in file.imports:
            return self.resolve_qualified(file.imports[name], file)
        if name in file.types:
            return file.types[name].definition
        for found in self._find_imported(name, file):
            if found is not None:
                return found
        return None

    def _find_imported(self, name: str, file: JavaFile) -> Iterator[Definition | None]:
        """Yield what static imports, the file's own package and on-demand imports provide."""
        for dotted in file.static_imports.get(name, ()):
            yield self.resolve_qualified(f"{dotted}.{name}", file)
        for package in (file.package, *file.on_demand, *file.static_on_demand):
            yield self._in_package(package, name, file)

    def resolve_qualified(self, dotted: str, file: JavaFile) -> Definition | None:
        """Resolve a qualified name: a package and the types within it."""
        parts = dotted.split(".")
        for at in range(len(parts) - 1, -1, -1):
            if not parts[at][:1].isupper() and at < len(parts) - 1:
                continue
            found = self._top_level(".".join(parts[:at]), parts[at], file)
            for inner in parts[at + 1 :]:
                found = self.classes.member_type(found, inner) if found is not None else None
            if found is not None:
                return found
        return None

    def _in_package(self, package: str, name: str, file: JavaFile) -> Definition | None:
        found = self._top_level(package, name, file)
        if found is None and package.rpartition(".")[2][:1].isupper() and self.defining(name):
            outer = self.resolve_qualified(package, file)
            return self.classes.member_type(outer, name) if outer is not None else None
        return found

    def _top_level(self, package: str, name: str, file: JavaFile) -> Definition | None:
        key = (package, name, file.path.parent)
        if key not in self._tops:
            self._tops[key] = self._find(package, name, file)
        return self._tops[key]

    def _find(self, package: str, name: str, file: JavaFile) -> Definition | None:
        folder = tuple(package.split(".")) if package else ()
        own = tuple(file.package.split(".")) if file.package else ()
        found: list[WorkspacePath] = []
        if file.path.parent.parts[len(file.path.parent.parts) - len(own) :] == own:
            root = file.path.parent.parts[: len(file.path.parent.parts) - len(own)]
            candidate = WorkspacePath(file.path.root, (*root, *folder, f"{name}.java"))
            if self.units.files.is_file(candidate):
                return Definition(candidate, 0, name)
        for path in self.defining(name):
            at = path.parent.parts
            if at[len(at) - len(folder) :] == folder and self._declares(path, name, package):
                found.append(path)
        if not found:
            return None
        return Definition(
            max(found, key=lambda path: (path == file.path, count_common_folders(path, file.path))),
            0,
            name,
        )

    def _declares(self, path: WorkspacePath, name: str, package: str) -> bool:
        if path.name == f"{name}.java":
            return True
        file = self.classes.file(path)
        return file is not None and name in file.types and file.package == package

    def defining(self, name: str) -> list[WorkspacePath]:
        """Return the files that define something of that name."""
        if name not in self._defining:
            self._defining[name] = list(self.units.files.defining(name))
        return self._defining[name]


_PLAIN = {"integral_type", "floating_point_type", "boolean_type", "void_type"}
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
            unit = self.units.at(path)
            self._files[path] = JavaFile(path, unit.parsed) if unit is not None else None
        return self._files[path]

    def declaration(self, head: Head) -> TypeDeclaration | None:
        """Return what declares a type; None if it is a library's or cannot be read."""
        if isinstance(head, str) or head in self._variables:
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
        return self.packages.find_visible(name, file) or name

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

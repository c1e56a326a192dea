"""Types by name, as a place in a file sees them: its own, imported, of its package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from redline.code.java.declared import TYPES, TypeDeclaration, declares, type_parameters
from redline.code.java.packages import Packages
from redline.code.java.source_file import JavaFile
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Head, Shape
from redline.code.references.typed.units import Units
from redline.code.syntax.definitions import parse
from redline.code.syntax.languages import language_of
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

_LIBRARY = WorkspacePath(-1, ("library.java",))
_PLAIN = {
    *("integral_type", "floating_point_type", "boolean_type", "void_type"),
}
_MOST_SUPERS = 60


@dataclass(eq=False)
class Classes:
    """Finds the declarations of types; what no file declares is the library's, by plain name."""

    units: Units
    _files: dict[WorkspacePath, JavaFile | None] = field(default_factory=dict)
    _variables: dict[Thing, tuple[JavaFile, Node]] = field(default_factory=dict)
    _supers: dict[TypeDeclaration, list[Shape]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.packages = Packages(self.units, self)

    def file(self, path: WorkspacePath) -> JavaFile | None:
        """A file with what it declares; None where it cannot be read."""
        if path not in self._files:
            if path == _LIBRARY:
                self._files[path] = _library(path)
            else:
                unit = self.units.at(path)
                self._files[path] = JavaFile(path, unit.parsed) if unit is not None else None
        return self._files[path]

    def forget(self) -> None:
        """Let go of all that was read, so that nothing waits for the collector."""
        for file in self._files.values():
            if file is not None and not file.is_sketch:
                file.forget()
        self._files.clear()
        self._variables.clear()
        self._supers.clear()

    def declaration(self, head: Head) -> TypeDeclaration | None:
        """What declares a type; None for what is the library's or cannot be read."""
        if isinstance(head, str):
            library = self.file(_LIBRARY)
            return library.types.get(head) if library is not None else None
        if head in self._variables:
            return None
        file = self.file(head.path)
        return file.by_qualified(head.name) if file is not None else None

    def bound_of(self, head: Head) -> Shape | None:
        """What a type variable extends; None for what is none."""
        known = self._variables.get(head) if isinstance(head, Thing) else None
        if known is None:
            return None
        file, node = known
        bounds = next((c for c in node.children() if c.kind() == "type_bound"), None)
        first = next((c for c in bounds.children() if c.is_named()), None) if bounds else None
        return self.shape(first, file) if first is not None else Shape("Object")

    def is_variable(self, head: Head) -> bool:
        """Whether it is a type variable."""
        return isinstance(head, Thing) and head in self._variables

    def is_seen(self, variable: Thing, node: Node) -> bool:
        """Whether a place stands where a type variable of the same file is declared."""
        home = self._variables[variable][1].parent().parent().range()
        start: int = node.range().start.index
        return bool(home.start.index <= start < home.end.index)

    def variable(self, file: JavaFile, node: Node) -> Thing:
        """The type variable that a type parameter declares."""
        name = next(c for c in node.children() if c.kind() in ("type_identifier", "identifier"))
        thing = Thing(file.path, name.range().start.index, name.text())
        self._variables.setdefault(thing, (file, node))
        return thing

    # Types as they are spelled

    def shape(self, node: Node | None, file: JavaFile, dimensions: int = 0) -> Shape:
        """The type that *node* spells."""
        made = self._shape(node, file) if node is not None else OPEN
        for _ in range(dimensions):
            made = Shape("[]", (made,))
        return made

    def _shape(self, node: Node, file: JavaFile) -> Shape:
        kind = node.kind()
        if kind in _PLAIN:
            return Shape(node.text())
        if kind in ("type_identifier", "identifier", "scoped_type_identifier"):
            return self._headed(self.type_of(node, file))
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
            return Shape(head, parts) if head != OPEN.head else OPEN
        if kind == "array_type":
            dimensions = node.field("dimensions")
            many = dimensions.text().count("[") if dimensions is not None else 1
            return self.shape(node.field("element"), file, many)
        return self._wrapped(node, file)

    def _wrapped(self, node: Node, file: JavaFile) -> Shape:
        kind = node.kind()
        named = [c for c in node.children() if c.is_named() and "annotation" not in c.kind()]
        if kind == "wildcard":
            return self._shape(named[-1], file) if named else Shape("Object")
        if kind in ("annotated_type", "catch_type"):
            plain = [c for c in named if c.kind() != "modifiers"]
            return self._shape(plain[0], file) if len(plain) == 1 else Shape("Throwable")
        return OPEN

    def _headed(self, head: Head | None) -> Shape:
        return Shape(head) if head is not None else OPEN

    def type_of(self, node: Node, file: JavaFile) -> Head | None:
        """What a name of a type means: a thing, or a plain word for the library's."""
        if node.kind() != "scoped_type_identifier":
            return self.named(node.text(), node, file)
        parts = [c for c in node.children() if c.is_named() and "annotation" not in c.kind()]
        outer = parts[0] if parts[0].kind() != "generic_type" else parts[0].child(0)
        last = parts[-1].text()
        above = self.type_of(outer, file)
        if isinstance(above, Thing):
            return self.nested(above, last)
        return self.packages.absolute("".join(node.text().split()), file) or last

    def named(self, name: str, node: Node, file: JavaFile) -> Head | None:
        """What a plain name of a type means at *node*; a word where no file declares it."""
        for inner, outer in pairwise([node, *node.ancestors()]):
            found = self._in_scope(name, inner, outer, file)
            if found is not None:
                return found
        return self.packages.top(name, file) or _library_word(name, file)

    def _in_scope(self, name: str, inner: Node, outer: Node, file: JavaFile) -> Head | None:
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
                return file.declared(outer).head
            return None
        declared = file.declared(outer)
        if kind in TYPES and declared.qualified.rpartition(".")[2] == name:
            return declared.head
        return self.nested(declared.head, name)

    def _local(self, name: str, block: Node, file: JavaFile) -> Thing | None:
        if name not in file.type_names:
            return None
        for child in block.children():
            named = child.field("name") if child.kind() in TYPES else None
            if named is not None and named.text() == name:
                return file.declared(child).thing
        return None

    def nested(self, outer: Head, name: str) -> Thing | None:
        """The member type of that name, own or inherited."""
        declared = self.declaration(outer)
        if declared is None:
            return None
        if name in declared.types:
            return declared.types[name].thing
        if not self.packages.defining(name):
            return None
        for above in self.lineage(declared):
            if name in above.types:
                return above.types[name].thing
        return None

    def lineage(self, declared: TypeDeclaration) -> Iterator[TypeDeclaration]:
        """A type's own declaration and those of all it inherits from."""
        queue, seen = [declared], {declared}
        while queue and len(seen) < _MOST_SUPERS:
            current = queue.pop(0)
            yield current
            for shape in self.supers(current):
                above = self.declaration(shape.head)
                if above is not None and above not in seen:
                    seen.add(above)
                    queue.append(above)

    def supers(self, declared: TypeDeclaration) -> list[Shape]:
        """The types it extends and implements."""
        known = self._supers.get(declared)
        if known is None:
            self._supers[declared] = []  # a circle ends here
            if declared.kind == "enum_constant" and declared.outer is not None:
                known = [Shape(declared.outer.thing)]
            else:
                known = [self.shape(node, declared.file) for node in declared.supers]
            if declared.kind == "enum_declaration":
                known.append(Shape("Enum", (Shape(declared.thing),)))
            self._supers[declared] = known
        return known


def _library_word(name: str, file: JavaFile) -> str:
    """What a library's type is called: its plain name, unless the language's own has the same."""
    dotted = file.imports.get(name, "")
    is_namesake = dotted and not dotted.startswith("java.") and name in _library(_LIBRARY).types
    return dotted if is_namesake else name


@cache
def _library(path: WorkspacePath) -> JavaFile:
    from redline.code.java.library import SKETCH

    language = language_of(path.name)
    assert language is not None
    return JavaFile(path, parse(SKETCH, language), is_sketch=True)

"""Find fields and methods of Go types: their own, then those of embedded types."""

from __future__ import annotations

from collections.abc import Iterator

from redline.code.go.library import LIBRARY, is_library, may_be_interface
from redline.code.go.names import GoDeclaration, GoKind
from redline.code.go.sources import fields_of, methods_of
from redline.code.go.types import GoTypes, without_pointer
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.syntax.node import required_field
from redline.core.records import dataclass, field

# Deeper embedding is a cycle.
_MAX_DEPTH = 12


@dataclass(frozen=True, slots=True)
class Selection:
    """The result of looking up a selector: its declarations and its type.

    Without declarations, *is_unknown* means that it is undetermined, *may_be_external* that a
    library may declare it.
    """

    declarations: list[GoDeclaration] = field(default_factory=list)
    shape: Shape = UNKNOWN_TYPE
    is_unknown: bool = False
    may_be_external: bool = False


@dataclass(slots=True)
class GoMembers:
    """Finds members of types."""

    types: GoTypes
    _known: dict[tuple[Shape, str], Selection] = field(default_factory=dict)

    def find(self, shape: Shape, name: str) -> Selection:
        """Look up the member *name* of a value of this type."""
        key = (without_pointer(shape), name)
        if key not in self._known:
            self._known[key] = Selection(is_unknown=True)  # the answer within a cycle
            self._known[key] = self._find(*key)
        return self._known[key]

    def _find(self, shape: Shape, name: str) -> Selection:
        level, seen = [shape], {shape}
        is_unknown, outside = False, []
        for _ in range(_MAX_DEPTH):
            found = [each for shape in level for each in self._direct(shape, name)]
            if found:
                return Selection([each for each, _ in found], found[0][1])
            is_unknown = is_unknown or UNKNOWN_TYPE in level
            outside += [each for each in level if is_library(each)]
            level = [
                each for shape in level for each in self.embedded_types(shape) if each not in seen
            ]
            if not level:
                break
            seen.update(level)
        may_be_external = any(may_be_interface(each) for each in outside)
        return Selection([], LIBRARY if outside else UNKNOWN_TYPE, is_unknown, may_be_external)

    def _direct(self, shape: Shape, name: str) -> Iterator[tuple[GoDeclaration, Shape]]:
        """Yield the members of the type itself, each with its type."""
        home = self.types.declaration_of(shape)
        if home is None:
            return
        if home.kind is GoKind.TYPE:
            yield from self._methods(home, shape, name)
        for declaration, given in self._written_members(shape):
            if declaration.name == name:
                yield declaration, substitute(self._type_of(declaration), given)

    def _methods(
        self, home: GoDeclaration, shape: Shape, name: str
    ) -> Iterator[tuple[GoDeclaration, Shape]]:
        source = self.types.packages.source(home.unit)
        for method in self.types.packages.methods(source, home.name, name):
            made = self.types.function(method.unit, method.node)
            yield method, substitute(made, self._of_receiver(method, shape))

    def _of_receiver(self, method: GoDeclaration, shape: Shape) -> dict[Definition, Shape]:
        """Map the type parameters of a method's receiver to their arguments."""
        if not shape.parts:
            return {}
        generic = required_field(method.node, "receiver").find(kind="generic_type")
        listed = required_field(generic, "type_arguments").children() if generic is not None else ()
        names = [each.children()[0] for each in listed if each.kind() == "type_elem"]
        definitions = [
            GoDeclaration(method.unit, name, GoKind.TYPE_PARAMETER, name).definition
            for name in names
        ]
        return dict(zip(definitions, shape.parts, strict=False))

    def _type_of(self, declaration: GoDeclaration) -> Shape:
        if declaration.kind is GoKind.METHOD:
            return self.types.function(declaration.unit, declaration.node)
        shape = self.types.of(declaration.unit, declaration.node.field("type"))
        is_pointer = any(child.kind() == "*" for child in declaration.node.children())
        return Shape("pointer", (shape,)) if is_pointer else shape

    def _written_members(
        self, shape: Shape
    ) -> Iterator[tuple[GoDeclaration, dict[Definition, Shape]]]:
        """Yield the fields and methods in a type's own text, and its type arguments."""
        home = self.types.declaration_of(shape)
        given = self.types.arguments(home, shape) if home is not None else {}
        if home is not None and home.kind is GoKind.TYPE:
            plain = self.types.underlying(Shape(shape.head))
            home = self.types.declaration_of(plain)
        elif home is not None and home.kind is GoKind.TYPE_PARAMETER:
            yield from self._written_members(self.types.of(home.unit, home.node.field("type")))
            return
        if home is None or home.kind is not GoKind.LITERAL:
            return
        list_of = fields_of if home.node.kind() == "struct_type" else methods_of
        for declaration in list_of(home.unit, home.node):
            yield declaration, given

    def embedded_types(self, shape: Shape) -> list[Shape]:
        """Return the types whose members a type inherits."""
        home = self.types.declaration_of(shape)
        if home is not None and home.kind is GoKind.TYPE_PARAMETER:
            return [self.types.of(home.unit, home.node.field("type"))]
        made = self.types.declaration_of(self.types.underlying(shape))
        if made is None or made.kind is not GoKind.LITERAL:
            return []
        given = self.types.arguments(home, shape) if home is not None else {}
        if made.node.kind() == "interface_type":
            listed = [each for each in made.node.children() if each.kind() == "type_elem"]
            return [
                without_pointer(substitute(self.types.of(made.unit, each), given))
                for each in listed
            ]
        return [
            without_pointer(substitute(self._type_of(declaration), given))
            for declaration in fields_of(made.unit, made.node)
            if declaration.kind is GoKind.EMBEDDED
        ]

    def all_methods(self, shape: Shape) -> list[GoDeclaration] | None:
        """Return all known methods of an interface; None if it is not an interface."""
        level, seen = [shape], {shape}
        found: list[GoDeclaration] = []
        while level:
            if not all(may_be_interface(each) or self._is_interface(each) for each in level):
                return None
            found += [
                declaration for each in level for declaration, _ in self._written_members(each)
            ]
            level = [
                each for shape in level for each in self.embedded_types(shape) if each not in seen
            ]
            seen.update(level)
        return found

    def _is_interface(self, shape: Shape) -> bool:
        made = self.types.declaration_of(self.types.underlying(shape))
        return made is not None and made.node.kind() == "interface_type"

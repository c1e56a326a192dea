"""Fields and methods of Go's types: their own, then those of what they embed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from redline.code.go.library import LIBRARY, is_library, may_be_interface
from redline.code.go.names import Declared
from redline.code.go.sources import fields_of, methods_of
from redline.code.go.types import Types, bare, filled
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Shape

# Embedding deeper than that is a ring.
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Selected:
    """What a word after a dot is: who declares it, and the type it has there.

    Where nobody does, `is_open` says that it cannot be told, `is_outside` that a library may.
    """

    declared: list[Declared] = field(default_factory=list)
    shape: Shape = OPEN
    is_open: bool = False
    is_outside: bool = False


@dataclass(slots=True)
class Members:
    """Finds members of types."""

    types: Types
    _known: dict[tuple[Shape, str], Selected] = field(default_factory=dict)

    def find(self, shape: Shape, name: str) -> Selected:
        """The member *name* of a value of this type."""
        key = (bare(shape), name)
        if key not in self._known:
            self._known[key] = Selected(is_open=True)  # the answer for a ring
            self._known[key] = self._find(*key)
        return self._known[key]

    def _find(self, shape: Shape, name: str) -> Selected:
        level, seen = [shape], {shape}
        is_open, outside = False, []
        for _ in range(_DEEPEST):
            found = [each for shape in level for each in self._direct(shape, name)]
            if found:
                return Selected([each for each, _ in found], found[0][1])
            is_open = is_open or OPEN in level
            outside += [each for each in level if is_library(each)]
            level = [each for shape in level for each in self.embedded(shape) if each not in seen]
            if not level:
                break
            seen.update(level)
        is_outside = any(may_be_interface(each) for each in outside)
        return Selected([], LIBRARY if outside else OPEN, is_open, is_outside)

    def _direct(self, shape: Shape, name: str) -> Iterator[tuple[Declared, Shape]]:
        """Those the type has itself, each with its type."""
        home = self.types.home(shape)
        if home is None:
            return
        if home.kind == "type":
            yield from self._methods(home, shape, name)
        for declared, given in self._spelled(shape):
            if declared.name == name:
                yield declared, filled(self._type_of(declared), given)

    def _methods(self, home: Declared, shape: Shape, name: str) -> Iterator[tuple[Declared, Shape]]:
        source = self.types.packages.source(home.unit)
        for method in self.types.packages.methods(source, home.name, name):
            made = self.types.function(method.unit, method.node)
            yield method, filled(made, self._of_receiver(method, shape))

    def _of_receiver(self, method: Declared, shape: Shape) -> dict[Thing, Shape]:
        """What the type parameters of a method's receiver stand for."""
        if not shape.parts:
            return {}
        generic = method.node.field("receiver").find(kind="generic_type")
        listed = generic.field("type_arguments").children() if generic is not None else ()
        names = [each.children()[0] for each in listed if each.kind() == "type_elem"]
        things = [Declared(method.unit, name, "type_param", name).thing for name in names]
        return dict(zip(things, shape.parts, strict=False))

    def _type_of(self, declared: Declared) -> Shape:
        if declared.kind == "method":
            return self.types.function(declared.unit, declared.node)
        shape = self.types.of(declared.unit, declared.node.field("type"))
        is_pointer = any(child.kind() == "*" for child in declared.node.children())
        return Shape("pointer", (shape,)) if is_pointer else shape

    def _spelled(self, shape: Shape) -> Iterator[tuple[Declared, dict[Thing, Shape]]]:
        """The fields and methods that a type's own text spells, and its arguments there."""
        home = self.types.home(shape)
        given = self.types.arguments(home, shape) if home is not None else {}
        if home is not None and home.kind == "type":
            plain = self.types.underlying(Shape(shape.head))
            home = self.types.home(plain)
        elif home is not None and home.kind == "type_param":
            yield from self._spelled(self.types.of(home.unit, home.node.field("type")))
            return
        if home is None or home.kind != "literal":
            return
        list_of = fields_of if home.node.kind() == "struct_type" else methods_of
        for declared in list_of(home.unit, home.node):
            yield declared, given

    def embedded(self, shape: Shape) -> list[Shape]:
        """The types whose members a type has as well."""
        home = self.types.home(shape)
        if home is not None and home.kind == "type_param":
            return [self.types.of(home.unit, home.node.field("type"))]
        made = self.types.home(self.types.underlying(shape))
        if made is None or made.kind != "literal":
            return []
        given = self.types.arguments(home, shape) if home is not None else {}
        if made.node.kind() == "interface_type":
            listed = [each for each in made.node.children() if each.kind() == "type_elem"]
            return [bare(filled(self.types.of(made.unit, each), given)) for each in listed]
        return [
            bare(filled(self._type_of(declared), given))
            for declared in fields_of(made.unit, made.node)
            if declared.kind == "embedded"
        ]

    def all_methods(self, shape: Shape) -> list[Declared] | None:
        """Every method that an interface is known to have; None where it is none."""
        level, seen = [shape], {shape}
        found: list[Declared] = []
        while level:
            if not all(may_be_interface(each) or self._is_interface(each) for each in level):
                return None
            found += [declared for each in level for declared, _ in self._spelled(each)]
            level = [each for shape in level for each in self.embedded(shape) if each not in seen]
            seen.update(level)
        return found

    def _is_interface(self, shape: Shape) -> bool:
        made = self.types.home(self.types.underlying(shape))
        return made is not None and made.node.kind() == "interface_type"

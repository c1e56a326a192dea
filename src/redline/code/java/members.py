"""Fields and methods of types, own and inherited, with type variables filled in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.java.classes import Classes
from redline.code.java.declared import Field, Method, TypeDeclaration, type_parameters
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Head, Shape
from redline.code.syntax.node import Node

# What type variables stand for.
Given: TypeAlias = dict[Thing, Shape]
OBJECT = Shape("Object")
# A type of a library, whichever.
SOME = Shape("some")
_MOST = 60


@dataclass(eq=False, slots=True)
class FoundField:
    """A field with what the type variables around it stand for."""

    field: Field
    given: Given


@dataclass(eq=False, slots=True)
class FoundMethod:
    """A method with what the type variables of its class stand for."""

    method: Method
    given: Given


@dataclass(eq=False, slots=True)
class Lookup:
    """What a type offers under one name; `is_whole` unless a file of its line could not be read."""

    methods: list[FoundMethod] = field(default_factory=list)
    field: FoundField | None = None
    is_whole: bool = True


@dataclass(eq=False)
class Members:
    """Looks members up along what a type extends."""

    classes: Classes

    def own_shape(self, declared: TypeDeclaration) -> Shape:
        """The type that `this` has."""
        found = [self.classes.variable(declared.file, node) for node in declared.parameters]
        return Shape(declared.head, tuple(Shape(variable) for variable in found))

    def given(self, declared: TypeDeclaration, parts: tuple[Shape, ...]) -> Given:
        """What the type parameters of a class stand for; without arguments, their bounds."""
        found = [self.classes.variable(declared.file, node) for node in declared.parameters]
        if len(parts) == len(found):
            return dict(zip(found, parts, strict=True))
        return {variable: self.erased(variable) for variable in found}

    def erased(self, variable: Thing) -> Shape:
        """What a type variable at least is, where nothing says more."""
        bound = self.classes.bound_of(variable)
        if bound is None or bound == OBJECT or self.classes.is_variable(bound.head):
            return OPEN
        return Shape(bound.head)

    def line(self, shape: Shape) -> Iterator[tuple[TypeDeclaration | None, Given, Shape]]:
        """The type and all it inherits from; None for what no file at hand declares."""
        queue, seen = [shape], set[Head]()
        while queue and len(seen) < _MOST:
            current = queue.pop(0)
            bound = self.classes.bound_of(current.head)
            if bound is not None:
                current = bound
            if current.head in seen:
                continue
            seen.add(current.head)
            declared = self.classes.declaration(current.head)
            if declared is None:
                yield None, {}, current
                continue
            given = self.given(declared, current.parts)
            yield declared, given, current
            queue += [substitute(above, given) for above in self.classes.supers(declared)]

    def look(self, shape: Shape, name: str) -> Lookup:
        """The methods called so, what is overridden left out, and the nearest such field."""
        found = Lookup()
        for declared, given, current in self.line(shape):
            if declared is None:
                unread = isinstance(current.head, Thing) or current == OPEN
                found.is_whole = found.is_whole and not unread
                continue
            if found.field is None and name in declared.fields:
                found.field = FoundField(declared.fields[name], given)
            for method in declared.methods.get(name, ()):
                new = FoundMethod(method, given)
                self._add(new, found.methods)
        return found

    def _add(self, new: FoundMethod, methods: list[FoundMethod]) -> None:
        """Add a method unless it is overridden; one of these files stands before a library's."""
        for at, known in enumerate(methods):
            if self.same_parameters(new, known):
                if known.method.owner.file.is_sketch:
                    methods[at] = new
                return
        methods.append(new)

    def constructors(self, shape: Shape) -> Lookup:
        """How a class is made."""
        declared = self.classes.declaration(shape.head)
        if declared is None:
            return Lookup(is_whole=not isinstance(shape.head, Thing) and shape != OPEN)
        given = self.given(declared, shape.parts)
        return Lookup([FoundMethod(method, given) for method in declared.constructors])

    def same_parameters(self, one: FoundMethod, other: FoundMethod) -> bool:
        """Whether two methods take the same: one overrides the other."""
        if len(one.method.parameters) != len(other.method.parameters):
            return False
        for at in range(len(one.method.parameters)):
            first, second = self.parameter(one, at), self.parameter(other, at)
            # What `new Type<>() { ... }` stands for is not told: anything may fit.
            if OPEN not in (first, second) and self.plain_head(first) != self.plain_head(second):
                return False
        return True

    def plain_head(self, shape: Shape) -> tuple[Head, ...]:
        """What a type is once its variables are erased."""
        for _ in range(5):
            bound = self.classes.bound_of(shape.head)
            if bound is None:
                break
            shape = bound
        if shape.head == "[]":
            return ("[]", *self.plain_head(shape.parts[0]))
        return (OBJECT.head if shape == OPEN else shape.head,)

    def parameter(self, found: FoundMethod, at: int) -> Shape:
        """The type of a parameter, as it is for this receiver; a variadic one is an array."""
        spelled = found.method.parameters[at]
        file = found.method.owner.file
        return substitute(self.classes.shape(spelled.type, file, spelled.dimensions), found.given)

    def as_super(self, shape: Shape, head: Head) -> Shape | None:
        """A type seen as one it inherits from."""
        return next((found for _, _, found in self.line(shape) if found.head == head), None)

    def variables(self, node: Node, owner: TypeDeclaration) -> list[Thing]:
        """The type variables that a method declares."""
        return [self.classes.variable(owner.file, part) for part in type_parameters(node)]

    def has_library(self, shape: Shape) -> bool:
        """Whether it inherits from a type that no file declares."""
        return any(
            declared is None or declared.file.is_sketch for declared, _, _ in self.line(shape)
        )

    def is_foreign(self, shape: Shape) -> bool:
        """Whether what it has from libraries cannot lead back to a type of these files."""
        if shape == OPEN:
            return False
        for declared, _, found in self.line(shape):
            if isinstance(found.head, Thing) and declared is None:
                return False
            own = declared is not None and not declared.file.is_sketch
            if not own and not all(self.is_plain(part) for part in found.parts):
                return False
        return True

    def is_plain(self, shape: Shape) -> bool:
        """Whether a type has nothing to do with those of these files."""
        if isinstance(shape.head, Thing) or shape == OPEN:
            return False
        return all(self.is_plain(part) for part in shape.parts)

    def is_own(self, shape: Shape) -> bool:
        """Whether a file of the workspace declares it."""
        return isinstance(shape.head, Thing) and not self.classes.is_variable(shape.head)

    def is_interface(self, declared: TypeDeclaration) -> bool:
        """Whether a lambda may stand for it."""
        return declared.kind in ("interface_declaration", "annotation_type_declaration")

    def functional(self, shape: Shape) -> FoundMethod | None:
        """The one method that a lambda for this type gives a body."""
        declared = self.classes.declaration(shape.head)
        if declared is None or not self.is_interface(declared):
            return None
        for above, given, _ in self.line(shape):
            if above is None or not self.is_interface(above):
                continue
            open_ones = [m for same in above.methods.values() for m in same if m.is_abstract]
            plain = [m for m in open_ones if m.name not in ("equals", "hashCode", "toString")]
            if len(plain) == 1:
                return FoundMethod(plain[0], given)
            if plain:
                return None
        return None


def substitute(shape: Shape, given: Given) -> Shape:
    """The type with its variables filled in."""
    if isinstance(shape.head, Thing) and shape.head in given:
        return given[shape.head]
    if not shape.parts:
        return shape
    return Shape(shape.head, tuple(substitute(part, given) for part in shape.parts))

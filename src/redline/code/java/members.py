"""Find members of Java types, own and inherited, with type variables substituted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from redline.code.java.classes import JavaClasses
from redline.code.java.declarations import Field, Method, TypeDeclaration, type_parameters
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Head, Shape, substitute
from redline.code.syntax.node import SyntaxNode
from redline.core.records import dataclass, field

# The types that type variables are replaced by.
Given: TypeAlias = dict[Definition, Shape]
OBJECT = Shape("Object")
# An unknown library type.
LIBRARY_TYPE = Shape("some")
_MAX_ANCESTORS = 60


@dataclass(eq=False, slots=True)
class FoundField:
    """A field, with the type arguments of its class."""

    field: Field
    given: Given


@dataclass(eq=False, slots=True)
class FoundMethod:
    """A method, with the type arguments of its class."""

    method: Method
    given: Given


@dataclass(eq=False, slots=True)
class MemberLookup:
    """What a type offers under one name; incomplete if a supertype could not be read."""

    methods: list[FoundMethod] = field(default_factory=list)
    field: FoundField | None = None
    is_complete: bool = True


class Ancestor(NamedTuple):
    """A type or supertype; *declaration* is None if no readable file declares it."""

    declaration: TypeDeclaration | None
    given: Given
    shape: Shape


class Choice(NamedTuple):
    """The methods that a call may mean, and whether all candidates could be read."""

    methods: list[FoundMethod]
    is_complete: bool


@dataclass(eq=False)
class JavaMembers:
    """Looks up members along the supertypes."""

    classes: JavaClasses

    def own_shape(self, declaration: TypeDeclaration) -> Shape:
        """Return the type of `this`."""
        found = [self.classes.variable(declaration.file, node) for node in declaration.parameters]
        return Shape(declaration.head, tuple(Shape(variable) for variable in found))

    def type_arguments(self, declaration: TypeDeclaration, parts: tuple[Shape, ...]) -> Given:
        """Map the type parameters of a class to arguments; without arguments, to their bounds."""
        found = [self.classes.variable(declaration.file, node) for node in declaration.parameters]
        if len(parts) == len(found):
            return dict(zip(found, parts, strict=True))
        return {variable: self.erase(variable) for variable in found}

    def erase(self, variable: Definition) -> Shape:
        """Return the bound of a type variable if it is informative."""
        bound = self.classes.bound_of(variable)
        if bound is None or bound == OBJECT or self.classes.is_variable(bound.head):
            return UNKNOWN_TYPE
        return Shape(bound.head)

    def ancestry(self, shape: Shape) -> Iterator[Ancestor]:
        """Yield the type and its supertypes."""
        queue, seen = [shape], set[Head]()
        while queue and len(seen) < _MAX_ANCESTORS:
            current = queue.pop(0)
            bound = self.classes.bound_of(current.head)
            if bound is not None:
                current = bound
            if current.head in seen:
                continue
            seen.add(current.head)
            declaration = self.classes.declaration(current.head)
            if declaration is None:
                yield Ancestor(None, {}, current)
                continue
            given = self.type_arguments(declaration, current.parts)
            yield Ancestor(declaration, given, current)
            queue += [substitute(above, given) for above in self.classes.supers(declaration)]

    def look_up(self, shape: Shape, name: str) -> MemberLookup:
        """Return the methods of that name, except overridden ones, and the nearest such field."""
        found = MemberLookup()
        for declaration, given, current in self.ancestry(shape):
            if declaration is None:
                unread = isinstance(current.head, Definition) or current == UNKNOWN_TYPE
                found.is_complete = found.is_complete and not unread
                continue
            if found.field is None and name in declaration.fields:
                found.field = FoundField(declaration.fields[name], given)
            for method in declaration.methods.get(name, ()):
                new = FoundMethod(method, given)
                self._add(new, found.methods)
        return found

    def _add(self, new: FoundMethod, methods: list[FoundMethod]) -> None:
        """Add a method unless it is overridden."""
        if not any(self.same_parameters(new, known) for known in methods):
            methods.append(new)

    def constructors(self, shape: Shape) -> MemberLookup:
        """Return the constructors of a class."""
        declaration = self.classes.declaration(shape.head)
        if declaration is None:
            return MemberLookup(
                is_complete=not isinstance(shape.head, Definition) and shape != UNKNOWN_TYPE
            )
        given = self.type_arguments(declaration, shape.parts)
        return MemberLookup([FoundMethod(method, given) for method in declaration.constructors])

    def same_parameters(self, one: FoundMethod, other: FoundMethod) -> bool:
        """Return whether two methods have the same parameters, so one overrides the other."""
        if len(one.method.parameters) != len(other.method.parameters):
            return False
        for at in range(len(one.method.parameters)):
            first, second = self.parameter(one, at), self.parameter(other, at)
            # The arguments of `new Type<>() { ... }` are undetermined: anything may fit.
            if UNKNOWN_TYPE not in (first, second) and self.plain_head(first) != self.plain_head(
                second
            ):
                return False
        return True

    def plain_head(self, shape: Shape) -> tuple[Head, ...]:
        """Return the head of a type after erasure of its variables."""
        for _ in range(5):
            bound = self.classes.bound_of(shape.head)
            if bound is None:
                break
            shape = bound
        if shape.head == "[]":
            return ("[]", *self.plain_head(shape.parts[0]))
        return (OBJECT.head if shape == UNKNOWN_TYPE else shape.head,)

    def parameter(self, found: FoundMethod, at: int) -> Shape:
        """Return the type of a parameter for this receiver; a variadic one is an array."""
        written = found.method.parameters[at]
        file = found.method.owner.file
        return substitute(self.classes.shape(written.type, file, written.dimensions), found.given)

    def return_type(self, found: FoundMethod) -> Shape:
        """Return the declared type of a method's result; unknown if a call decides it."""
        method = found.method
        dimensions = method.node.field("dimensions")
        many = dimensions.text().count("[") if dimensions is not None else 0
        shape = self.classes.shape(method.node.field("type"), method.owner.file, many)
        open_ones = dict.fromkeys(self.variables(method.node, method.owner), UNKNOWN_TYPE)
        return substitute(shape, {**found.given, **open_ones})

    def variables(self, node: SyntaxNode, owner: TypeDeclaration) -> list[Definition]:
        """Return the type variables that a method declares."""
        return [self.classes.variable(owner.file, part) for part in type_parameters(node)]

    def has_library(self, shape: Shape) -> bool:
        """Return whether it inherits from a type that no file declares."""
        return any(declaration is None for declaration, _, _ in self.ancestry(shape))

    def is_external(self, shape: Shape) -> bool:
        """Return whether what it inherits from libraries cannot involve workspace types."""
        if shape == UNKNOWN_TYPE:
            return False
        for declaration, _, found in self.ancestry(shape):
            if isinstance(found.head, Definition) and declaration is None:
                return False
            if declaration is None and not all(self.is_plain(part) for part in found.parts):
                return False
        return True

    def is_plain(self, shape: Shape) -> bool:
        """Return whether a type involves no workspace types."""
        if isinstance(shape.head, Definition) or shape == UNKNOWN_TYPE:
            return False
        return all(self.is_plain(part) for part in shape.parts)

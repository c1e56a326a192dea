"""Which of several methods of one name a call means, by what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from redline.code.java.members import OBJECT, SOME, FoundMethod, Members
from redline.code.java.source_file import JavaFile
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.syntax.node import Node

# What each plain type widens to without a cast.
_WIDER = {
    "byte": {"short", "int", "long", "float", "double"},
    "short": {"int", "long", "float", "double"},
    "char": {"int", "long", "float", "double"},
    "int": {"long", "float", "double"},
    "long": {"float", "double"},
    "float": {"double"},
    "double": set[str](),
    "boolean": set[str](),
}
BOXED = {
    "byte": "Byte",
    "short": "Short",
    "char": "Character",
    "int": "Integer",
    "long": "Long",
    "float": "Float",
    "double": "Double",
    "boolean": "Boolean",
}
UNBOXED = {boxed: plain for plain, boxed in BOXED.items()}
_FUNCTIONS = {"lambda_expression", "method_reference"}
# Types of the library that nothing extends.
_FINAL = {"String", "Class", *UNBOXED}
_EFFECTS = {
    *("method_invocation", "assignment_expression", "update_expression"),
    "object_creation_expression",
}


@dataclass(eq=False)
class Overloads:
    """Chooses as the compiler does: without boxing, with it, with any number of arguments."""

    members: Members
    shape_of: Callable[[Node, JavaFile], Shape]

    def select(
        self, found: list[FoundMethod], arguments: list[Node], file: JavaFile
    ) -> list[FoundMethod]:
        """The method that is meant; several where what is known does not tell them apart."""
        fitting = [one for one in found if takes(one, len(arguments))]
        if len(fitting) < 2:
            return fitting
        shapes = [
            OPEN if node.kind() in _FUNCTIONS else self.shape_of(node, file) for node in arguments
        ]
        exact = [one for one in fitting if self._is_exact(one, fitting, shapes)]
        if len(exact) == 1:
            return exact
        for phase in ("strict", "loose", "variadic"):
            verdicts = [(one, self._fit(one, arguments, shapes, phase)) for one in fitting]
            likely = [one for one, verdict in verdicts if verdict is not False]
            if not likely:
                continue
            unsure = [one for one, verdict in verdicts if verdict is None]
            if not unsure:
                return self._most_specific(likely, len(arguments))
            rest = [one for one in fitting if one not in likely and phase == "strict"]
            return self._agreed(likely, rest, arguments, shapes)
        return []

    def _is_exact(self, one: FoundMethod, fitting: list[FoundMethod], shapes: list[Shape]) -> bool:
        """Whether it takes just the types that are given, wherever another takes other ones."""
        count = len(shapes)
        if any(len(other.method.parameters) != count for other in fitting):
            return False
        for at, shape in enumerate(shapes):
            taken = self.members.parameter(one, at)
            if shape.head == taken.head and shape.head not in ("[]", OPEN.head, SOME.head):
                continue
            plain = self.members.plain_head(taken)
            others = (self.members.parameter(other, at) for other in fitting)
            if any(self.members.plain_head(other) != plain for other in others):
                return False
        return True

    def _agreed(
        self,
        likely: list[FoundMethod],
        rest: list[FoundMethod],
        arguments: list[Node],
        shapes: list[Shape],
    ) -> list[FoundMethod]:
        """What an argument of unknown type cannot change, for all take the same there."""
        count = len(arguments)
        for at in range(count):
            heads = {self.members.plain_head(self._taken(one, at, count)) for one in likely}
            function = arguments[at].kind() in _FUNCTIONS
            if len(heads) > 1 and (shapes[at] == OPEN or function or self._is_vague(shapes[at])):
                loose = [r for r in rest if self._fit(r, arguments, shapes, "loose") is not False]
                more = loose + [
                    r
                    for r in rest
                    if r not in loose and self._fit(r, arguments, shapes, "variadic") is not False
                ]
                return likely + more
        return self._most_specific(likely, count)

    def _is_vague(self, shape: Shape) -> bool:
        """Whether a type of a library says too little about what it inherits from."""
        return any(
            declared is None and found.head not in ("[]", "null") and found.head not in _WIDER
            for declared, _, found in self.members.line(shape)
        )

    def _taken(self, one: FoundMethod, at: int, count: int, *, spread: bool = False) -> Shape:
        """The type of the parameter that argument *at* is given to."""
        last = len(one.method.parameters) - 1
        shape = self.members.parameter(one, min(at, last))
        is_rest = one.method.is_variadic and at >= last
        if is_rest and (spread or count != last + 1) and shape.parts:
            return shape.parts[0]
        return shape

    def _fit(
        self, one: FoundMethod, arguments: list[Node], shapes: list[Shape], phase: str
    ) -> bool | None:
        spread = phase == "variadic"
        count = len(arguments)
        if spread and not one.method.is_variadic:
            return False
        if not spread and count != len(one.method.parameters):
            return False
        sure: bool | None = True
        for at, node in enumerate(arguments):
            taken = self._taken(one, at, count, spread=spread)
            if node.kind() in _FUNCTIONS:
                verdict = self._accepts(taken, node)
            else:
                verdict = self.fits(shapes[at], taken, loose=phase != "strict")
            if verdict is False:
                return False
            sure = sure if verdict else None
        return sure

    def _accepts(self, taken: Shape, node: Node) -> bool | None:
        """Whether a lambda or a method's name may be given."""
        declared = self.members.classes.declaration(taken.head)
        if declared is None:
            plain = taken.head in _WIDER or taken.head in ("[]", "Object", *_FINAL)
            return False if plain else None
        method = self.members.functional(taken)
        if method is None:
            is_open = self.members.is_interface(declared) or declared.file.is_sketch
            return None if is_open and taken.head not in _FINAL | {"Object"} else False
        if node.kind() == "method_reference":
            return None
        if _arity(node) != len(method.method.parameters):
            return False
        gives = method.method.node.field("type")
        is_void = gives is not None and gives.kind() == "void_type"
        return _may_give_nothing(node) if is_void else _may_give_value(node)

    def fits(self, shape: Shape, taken: Shape, *, loose: bool) -> bool | None:
        """Whether a value of one type may be given where another is taken; None if unknown."""
        if OPEN in (shape, taken) or shape == SOME:
            return False if shape == SOME and self.members.is_own(taken) else None
        classes = self.members.classes
        if shape.head == taken.head and not shape.parts:
            return True
        taken = classes.bound_of(taken.head) or taken
        if shape.head == "null":
            return taken.head not in _WIDER
        if shape.head in _WIDER:
            return self._fits_plain(shape, taken, loose)
        if taken.head in _WIDER:
            return loose and self._unboxes(shape, taken)
        return self._fits_reference(shape, taken, loose)

    def _fits_reference(self, shape: Shape, taken: Shape, loose: bool) -> bool | None:
        if taken.head == OBJECT.head:
            return True
        if "[]" in (shape.head, taken.head):
            return self._fits_array(shape, taken, loose)
        return self._inherits(shape, taken)

    def _unboxes(self, shape: Shape, taken: Shape) -> bool:
        plain = UNBOXED.get(str(shape.head))
        return plain is not None and (plain == taken.head or taken.head in _WIDER[plain])

    def _fits_plain(self, shape: Shape, taken: Shape, loose: bool) -> bool:
        plain = str(shape.head)
        if taken.head in _WIDER:
            return taken.head == plain or taken.head in _WIDER[plain]
        if not loose:
            return False
        number = plain not in ("boolean", "char") and taken.head == "Number"
        return number or taken.head in (BOXED[plain], "Object", "Comparable", "Serializable")

    def _fits_array(self, shape: Shape, taken: Shape, loose: bool) -> bool | None:
        if shape.head != taken.head:
            return shape.head == "[]" and taken.head in ("Cloneable", "Serializable")
        one, other = shape.parts[0], taken.parts[0]
        if one.head in _WIDER or other.head in _WIDER:
            return one.head == other.head
        return self.fits(one, other, loose=loose)

    def _inherits(self, shape: Shape, taken: Shape) -> bool | None:
        if taken.head in _FINAL and shape.head != SOME.head:
            return shape.head == taken.head
        unknown = False
        for declared, _, found in self.members.line(shape):
            if found.head == taken.head:
                return True
            if declared is None and found.head not in ("Object", *_FINAL):
                # What a library declares cannot extend a type of these files.
                unknown = unknown or isinstance(found.head, Thing) or found == OPEN
                unknown = unknown or not isinstance(taken.head, Thing)
        return None if unknown else False

    def _most_specific(self, likely: list[FoundMethod], count: int) -> list[FoundMethod]:
        best = [
            one
            for one in likely
            if all(self._is_narrower(one, other, count) for other in likely if other is not one)
        ]
        return best[:1] or likely

    def narrowest(self, found: list[FoundMethod]) -> list[FoundMethod]:
        """The one that takes the narrowest types; all where none does."""
        return self._most_specific(found, min(len(one.method.parameters) for one in found))

    def _is_narrower(self, one: FoundMethod, other: FoundMethod, count: int) -> bool:
        for at in range(count):
            first, second = self._taken(one, at, count), self._taken(other, at, count)
            fitting = self.fits(first, second, loose=False)
            if not fitting and first != second:
                return False
        return True


def takes(one: FoundMethod, count: int) -> bool:
    """Whether a method may be given so many arguments."""
    wanted = len(one.method.parameters)
    return count == wanted or (one.method.is_variadic and count >= wanted - 1)


def _arity(node: Node) -> int:
    given = node.field("parameters")
    if given is None or given.kind() == "identifier":
        return 1
    kinds = ("identifier", "formal_parameter", "spread_parameter")
    return sum(child.kind() in kinds for child in given.children())


def _may_give_nothing(node: Node) -> bool:
    body = node.field("body")
    if body is None or body.kind() != "block":
        return body is None or body.kind() in _EFFECTS
    return not any(len(r.children()) > 2 for r in body.find_all(kind="return_statement"))


def _may_give_value(node: Node) -> bool:
    body = node.field("body")
    if body is None or body.kind() != "block":
        return True
    if any(len(r.children()) > 2 for r in body.find_all(kind="return_statement")):
        return True
    return body.find(kind="throw_statement") is not None

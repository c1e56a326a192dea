"""Choose among overloaded Java methods by the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from redline.code.java.members import LIBRARY_TYPE, OBJECT, FoundMethod, JavaMembers
from redline.code.java.source_file import JavaFile
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.syntax.node import SyntaxNode

# The primitive types that each one widens to without a cast.
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
# Final types of the library.
_FINAL = {"String", "Class", *UNBOXED}
_EFFECTS = {
    *("method_invocation", "assignment_expression", "update_expression"),
    "object_creation_expression",
}


class Phase(StrEnum):
    """The phases of overload resolution, in order."""

    STRICT = "strict"
    LOOSE = "loose"
    VARIADIC = "variadic"


@dataclass(eq=False)
class Overloads:
    """Chooses as the compiler does: strictly, with boxing, then with variable arity."""

    members: JavaMembers
    shape_of: Callable[[SyntaxNode, JavaFile], Shape]

    def select(
        self, found: list[FoundMethod], arguments: list[SyntaxNode], file: JavaFile
    ) -> list[FoundMethod]:
        """Return the method that is meant; several if the known types do not decide."""
        fitting = [one for one in found if takes(one, len(arguments))]
        if len(fitting) < 2:
            return fitting
        shapes = [
            UNKNOWN_TYPE if node.kind() in _FUNCTIONS else self.shape_of(node, file)
            for node in arguments
        ]
        exact = [one for one in fitting if self._is_exact(one, fitting, shapes)]
        if len(exact) == 1:
            return exact
        for phase in Phase:
            verdicts = [(one, self._fit(one, arguments, shapes, phase)) for one in fitting]
            likely = [one for one, verdict in verdicts if verdict is not False]
            if not likely:
                continue
            unsure = [one for one, verdict in verdicts if verdict is None]
            if not unsure:
                return self._most_specific(likely, len(arguments))
            rest = [one for one in fitting if one not in likely and phase is Phase.STRICT]
            return self._keep_ambiguous(likely, rest, arguments, shapes)
        return []

    def _is_exact(self, one: FoundMethod, fitting: list[FoundMethod], shapes: list[Shape]) -> bool:
        """Return whether its parameters equal the argument types wherever the others differ."""
        count = len(shapes)
        if any(len(other.method.parameters) != count for other in fitting):
            return False
        for at, shape in enumerate(shapes):
            taken = self.members.parameter(one, at)
            if shape.head == taken.head and shape.head not in (
                "[]",
                UNKNOWN_TYPE.head,
                LIBRARY_TYPE.head,
            ):
                continue
            plain = self.members.plain_head(taken)
            others = (self.members.parameter(other, at) for other in fitting)
            if any(self.members.plain_head(other) != plain for other in others):
                return False
        return True

    def _keep_ambiguous(
        self,
        likely: list[FoundMethod],
        rest: list[FoundMethod],
        arguments: list[SyntaxNode],
        shapes: list[Shape],
    ) -> list[FoundMethod]:
        """Return all candidates if an argument of unknown type decides, else the most specific."""
        count = len(arguments)
        for at in range(count):
            heads = {
                self.members.plain_head(self._parameter_type(one, at, count)) for one in likely
            }
            function = arguments[at].kind() in _FUNCTIONS
            if len(heads) > 1 and (
                shapes[at] == UNKNOWN_TYPE or function or self._is_vague(shapes[at])
            ):
                loose = [
                    r for r in rest if self._fit(r, arguments, shapes, Phase.LOOSE) is not False
                ]
                more = loose + [
                    r
                    for r in rest
                    if r not in loose
                    and self._fit(r, arguments, shapes, Phase.VARIADIC) is not False
                ]
                return likely + more
        return self._most_specific(likely, count)

    def _is_vague(self, shape: Shape) -> bool:
        """Return whether the supertypes of a library type are not fully known."""
        return any(
            declaration is None and found.head not in ("[]", "null") and found.head not in _WIDER
            for declaration, _, found in self.members.ancestry(shape)
        )

    def _parameter_type(
        self, one: FoundMethod, at: int, count: int, *, spread: bool = False
    ) -> Shape:
        """Return the type of the parameter that argument *at* is passed to."""
        last = len(one.method.parameters) - 1
        shape = self.members.parameter(one, min(at, last))
        is_rest = one.method.is_variadic and at >= last
        if is_rest and (spread or count != last + 1) and shape.parts:
            return shape.parts[0]
        return shape

    def _fit(
        self, one: FoundMethod, arguments: list[SyntaxNode], shapes: list[Shape], phase: Phase
    ) -> bool | None:
        spread = phase is Phase.VARIADIC
        count = len(arguments)
        if spread and not one.method.is_variadic:
            return False
        if not spread and count != len(one.method.parameters):
            return False
        sure: bool | None = True
        for at, node in enumerate(arguments):
            taken = self._parameter_type(one, at, count, spread=spread)
            if node.kind() in _FUNCTIONS:
                verdict = self._accepts(taken, node)
            else:
                verdict = self.fits(shapes[at], taken, loose=phase is not Phase.STRICT)
            if verdict is False:
                return False
            sure = sure if verdict else None
        return sure

    def _accepts(self, taken: Shape, node: SyntaxNode) -> bool | None:
        """Return whether a lambda or method reference may be passed."""
        declaration = self.members.classes.declaration(taken.head)
        if declaration is None:
            plain = taken.head in _WIDER or taken.head in ("[]", "Object", *_FINAL)
            return False if plain else None
        method = self.members.functional_method(taken)
        if method is None:
            is_open = self.members.is_interface(declaration) or declaration.file.is_sketch
            return None if is_open and taken.head not in _FINAL | {"Object"} else False
        if node.kind() == "method_reference":
            return None
        if _arity(node) != len(method.method.parameters):
            return False
        gives = method.method.node.field("type")
        is_void = gives is not None and gives.kind() == "void_type"
        return _may_give_nothing(node) if is_void else _may_give_value(node)

    def fits(self, shape: Shape, taken: Shape, *, loose: bool) -> bool | None:
        """Return whether a value of one type may be passed as another; None if unknown."""
        if UNKNOWN_TYPE in (shape, taken) or shape == LIBRARY_TYPE:
            return (
                False if shape == LIBRARY_TYPE and self.members.is_workspace_type(taken) else None
            )
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
        if taken.head in _FINAL and shape.head != LIBRARY_TYPE.head:
            return shape.head == taken.head
        unknown = False
        for declaration, _, found in self.members.ancestry(shape):
            if found.head == taken.head:
                return True
            if declaration is None and found.head not in ("Object", *_FINAL):
                # A library type cannot extend a workspace type.
                unknown = unknown or isinstance(found.head, Definition) or found == UNKNOWN_TYPE
                unknown = unknown or not isinstance(taken.head, Definition)
        return None if unknown else False

    def _most_specific(self, likely: list[FoundMethod], count: int) -> list[FoundMethod]:
        best = [
            one
            for one in likely
            if all(self._is_narrower(one, other, count) for other in likely if other is not one)
        ]
        return best[:1] or likely

    def narrowest(self, found: list[FoundMethod]) -> list[FoundMethod]:
        """Return the method with the narrowest parameters; all if there is none."""
        return self._most_specific(found, min(len(one.method.parameters) for one in found))

    def _is_narrower(self, one: FoundMethod, other: FoundMethod, count: int) -> bool:
        for at in range(count):
            first, second = (
                self._parameter_type(one, at, count),
                self._parameter_type(other, at, count),
            )
            fitting = self.fits(first, second, loose=False)
            if not fitting and first != second:
                return False
        return True


def takes(one: FoundMethod, count: int) -> bool:
    """Return whether a method may be called with that many arguments."""
    wanted = len(one.method.parameters)
    return count == wanted or (one.method.is_variadic and count >= wanted - 1)


def _arity(node: SyntaxNode) -> int:
    given = node.field("parameters")
    if given is None or given.kind() == "identifier":
        return 1
    kinds = ("identifier", "formal_parameter", "spread_parameter")
    return sum(child.kind() in kinds for child in given.children())


def _may_give_nothing(node: SyntaxNode) -> bool:
    body = node.field("body")
    if body is None or body.kind() != "block":
        return body is None or body.kind() in _EFFECTS
    return not any(len(r.children()) > 2 for r in body.find_all(kind="return_statement"))


def _may_give_value(node: SyntaxNode) -> bool:
    body = node.field("body")
    if body is None or body.kind() != "block":
        return True
    if any(len(r.children()) > 2 for r in body.find_all(kind="return_statement")):
        return True
    return body.find(kind="throw_statement") is not None

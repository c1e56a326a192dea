"""What the type variables of a generic method stand for at a call, and the types of lambdas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.code.java.members import FoundMethod, Given, Members, substitute
from redline.code.java.source_file import JavaFile
from redline.code.java.typing.calls import arguments_of
from redline.code.java.typing.overloads import BOXED
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.syntax.node import Node

if TYPE_CHECKING:
    from redline.code.java.typing.expressions import Expressions

_FUNCTIONS = ("lambda_expression", "method_reference")


@dataclass(eq=False)
class Inference:
    """Reads type arguments off what a call is given."""

    members: Members
    expressions: Expressions

    def element(self, shape: Shape) -> Shape:
        """What one meets in a loop over it."""
        if shape.head == "[]":
            return shape.parts[0]
        found = self.members.as_super(shape, "Iterable")
        return found.parts[0] if found is not None and found.parts else OPEN

    def returned(self, found: FoundMethod, call: Node, file: JavaFile) -> Shape:
        """The type of a call's value."""
        method = found.method
        if method.name == "getClass" and method.owner.file.is_sketch:
            return Shape("Class", (OPEN,))
        spelled = method.node.field("type")
        dimensions = method.node.field("dimensions")
        many = dimensions.text().count("[") if dimensions is not None else 0
        shape = self.members.classes.shape(spelled, method.owner.file, many)
        variables = self.members.variables(method.node, method.owner)
        given = {**found.given}
        if variables:
            given |= self._explicit(variables, call, file) or self.inferred(found, call, file)
            for variable in variables:
                given.setdefault(variable, self.members.erased(variable))
        return substitute(shape, given)

    def _explicit(self, variables: list[Thing], call: Node, file: JavaFile) -> Given:
        """`Type.<Argument>method()`"""
        spelled = call.field("type_arguments")
        if spelled is None:
            return {}
        named = [child for child in spelled.children() if child.is_named()]
        shapes = [self.members.classes.shape(node, file) for node in named]
        return dict(zip(variables, shapes, strict=False))

    def inferred(
        self, found: FoundMethod, call: Node, file: JavaFile, *, lambdas: bool = True
    ) -> Given:
        """What the arguments say; those without lambdas first."""
        given: Given = {}
        count = len(found.method.parameters)
        wanted = set(self.members.variables(found.method.node, found.method.owner))
        pairs = [(min(at, count - 1), node) for at, node in enumerate(arguments_of(call)) if count]
        for at, node in pairs:
            if node.kind() not in _FUNCTIONS:
                taken = self._taken(found, at, node, file)
                self._unify(taken, self.expressions.shape(node, file), wanted, given)
        for at, node in pairs if lambdas else ():
            if node.kind() in _FUNCTIONS:
                self._from_function(self.members.parameter(found, at), node, file, wanted, given)
        return given

    def _taken(self, found: FoundMethod, at: int, node: Node, file: JavaFile) -> Shape:
        taken = self.members.parameter(found, at)
        is_rest = found.method.is_variadic and at == len(found.method.parameters) - 1
        if is_rest and self.expressions.shape(node, file).head != "[]":
            return taken.parts[0]
        return taken

    def _unify(self, taken: Shape, shape: Shape, wanted: set[Thing], given: Given) -> None:
        if shape == OPEN or shape.head == "null":
            return
        if isinstance(taken.head, Thing) and taken.head in wanted:
            boxed = BOXED.get(str(shape.head))
            given.setdefault(taken.head, Shape(boxed) if boxed else shape)
            return
        if not taken.parts:
            return
        same = shape if shape.head == taken.head else self.members.as_super(shape, taken.head)
        if same is not None and len(same.parts) == len(taken.parts):
            for one, other in zip(taken.parts, same.parts, strict=True):
                self._unify(one, other, wanted, given)

    def _from_function(
        self, taken: Shape, node: Node, file: JavaFile, wanted: set[Thing], given: Given
    ) -> None:
        """What the body of a lambda, or the method that is named, gives back."""
        method = self.members.functional(taken)
        if method is None:
            return
        spelled = method.method.node.field("type")
        gives = self.members.classes.shape(spelled, method.method.owner.file)
        gives = substitute(gives, method.given)
        if node.kind() == "method_reference":
            shape = self.expressions.references.value(node, file)
        else:
            body = node.field("body")
            if body is not None and body.kind() == "block":
                back = body.find(kind="return_statement")
                body = back.child(1) if back is not None else None
            shape = self.expressions.shape(body, file)
        self._unify(gives, shape, wanted, given)

    def of_lambda(self, node: Node | None, at: int, file: JavaFile) -> Shape:
        """The type of a lambda's parameter: what the place it is given to says."""
        taken = self.wanted(node, file) if node is not None else OPEN
        method = self.members.functional(taken)
        if method is None or at >= len(method.method.parameters):
            return OPEN
        return self.members.parameter(method, at)

    def wanted(self, node: Node, file: JavaFile) -> Shape:
        """The type that a place asks of the value that is given to it."""
        parent = node.parent()
        kind = parent.kind() if parent is not None else ""
        if kind == "argument_list":
            return self._argument(node, parent.parent(), file)
        if kind == "parenthesized_expression":
            return self.wanted(parent, file)
        if kind == "cast_expression":
            return self.members.classes.shape(parent.field("type"), file)
        if kind == "assignment_expression":
            return self.expressions.shape(parent.field("left"), file)
        if kind == "variable_declarator":
            above = parent.parent()
            return self.members.classes.shape(above.field("type"), file)
        if kind == "return_statement":
            method = next(
                (a for a in node.ancestors() if a.kind() in ("method_declaration", _FUNCTIONS[0])),
                None,
            )
            if method is not None and method.kind() == "method_declaration":
                return self.members.classes.shape(method.field("type"), file)
        return OPEN

    def _argument(self, node: Node, call: Node, file: JavaFile) -> Shape:
        if call.kind() == "method_invocation":
            found, _ = self.expressions.calls.chosen(call, file)
        elif call.kind() in ("object_creation_expression", "explicit_constructor_invocation"):
            found, _ = self.expressions.calls.made(call, file)
        else:
            return OPEN
        if len(found) != 1:
            return OPEN
        one = found[0]
        start = node.range().start.index
        starts = [argument.range().start.index for argument in arguments_of(call)]
        at = starts.index(start) if start in starts else 0
        last = len(one.method.parameters) - 1
        taken = self.members.parameter(one, min(at, last))
        if one.method.is_variadic and at >= last and taken.head == "[]":
            taken = taken.parts[0]
        variables = self.members.variables(one.method.node, one.method.owner)
        if not variables:
            return taken
        given = self._explicit(variables, call, file) if call.kind() == "method_invocation" else {}
        given = given or self.inferred(one, call, file, lambdas=False)
        for variable in variables:
            given.setdefault(variable, self.members.erased(variable))
        return substitute(taken, given)

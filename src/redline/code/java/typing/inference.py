"""Infer the type variables of generic methods at a call, and the types of lambdas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.code.java.members import FoundMethod, Given, JavaMembers
from redline.code.java.source_file import JavaFile
from redline.code.java.typing.calls import arguments_of
from redline.code.java.typing.overloads import BOXED
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.syntax.node import SyntaxNode

if TYPE_CHECKING:
    from redline.code.java.typing.expressions import Expressions

_FUNCTIONS = ("lambda_expression", "method_reference")


@dataclass(eq=False)
class Inference:
    """Infers type arguments from the arguments of a call."""

    members: JavaMembers
    expressions: Expressions

    def element(self, shape: Shape) -> Shape:
        """Return the element type of a loop over a value."""
        if shape.head == "[]":
            return shape.parts[0]
        found = self.members.as_super(shape, "Iterable")
        return found.parts[0] if found is not None and found.parts else UNKNOWN_TYPE

    def return_type(self, found: FoundMethod, call: SyntaxNode, file: JavaFile) -> Shape:
        """Return the type of a call's value."""
        method = found.method
        if method.name == "getClass" and method.owner.file.is_sketch:
            return Shape("Class", (UNKNOWN_TYPE,))
        written = method.node.field("type")
        dimensions = method.node.field("dimensions")
        many = dimensions.text().count("[") if dimensions is not None else 0
        shape = self.members.classes.shape(written, method.owner.file, many)
        variables = self.members.variables(method.node, method.owner)
        given = {**found.given}
        if variables:
            given |= self._explicit(variables, call, file) or self.infer(found, call, file)
            for variable in variables:
                given.setdefault(variable, self.members.erase(variable))
        return substitute(shape, given)

    def _explicit(self, variables: list[Definition], call: SyntaxNode, file: JavaFile) -> Given:
        """Read the type arguments of `Type.<Argument>method()`."""
        written = call.field("type_arguments")
        if written is None:
            return {}
        named = [child for child in written.children() if child.is_named()]
        shapes = [self.members.classes.shape(node, file) for node in named]
        return dict(zip(variables, shapes, strict=False))

    def infer(
        self, found: FoundMethod, call: SyntaxNode, file: JavaFile, *, lambdas: bool = True
    ) -> Given:
        """Infer type variables from the arguments, those without lambdas first."""
        given: Given = {}
        count = len(found.method.parameters)
        wanted = set(self.members.variables(found.method.node, found.method.owner))
        pairs = [(min(at, count - 1), node) for at, node in enumerate(arguments_of(call)) if count]
        for at, node in pairs:
            if node.kind() not in _FUNCTIONS:
                taken = self._parameter_type(found, at, node, file)
                self._unify(taken, self.expressions.shape(node, file), wanted, given)
        for at, node in pairs if lambdas else ():
            if node.kind() in _FUNCTIONS:
                self._from_function(self.members.parameter(found, at), node, file, wanted, given)
        return given

    def _parameter_type(
        self, found: FoundMethod, at: int, node: SyntaxNode, file: JavaFile
    ) -> Shape:
        taken = self.members.parameter(found, at)
        is_rest = found.method.is_variadic and at == len(found.method.parameters) - 1
        if is_rest and self.expressions.shape(node, file).head != "[]":
            return taken.parts[0]
        return taken

    def _unify(self, taken: Shape, shape: Shape, wanted: set[Definition], given: Given) -> None:
        if shape == UNKNOWN_TYPE or shape.head == "null":
            return
        if isinstance(taken.head, Definition) and taken.head in wanted:
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
        self, taken: Shape, node: SyntaxNode, file: JavaFile, wanted: set[Definition], given: Given
    ) -> None:
        """Infer from the result of a lambda, or of the method that is referenced."""
        method = self.members.functional_method(taken)
        if method is None:
            return
        written = method.method.node.field("type")
        gives = self.members.classes.shape(written, method.method.owner.file)
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

    def of_lambda(self, node: SyntaxNode | None, at: int, file: JavaFile) -> Shape:
        """Return the type of a lambda's parameter, as expected by its context."""
        taken = self.expected_type(node, file) if node is not None else UNKNOWN_TYPE
        method = self.members.functional_method(taken)
        if method is None or at >= len(method.method.parameters):
            return UNKNOWN_TYPE
        return self.members.parameter(method, at)

    def expected_type(self, node: SyntaxNode, file: JavaFile) -> Shape:
        """Return the type that the context expects of a value."""
        around = node.ancestors()
        if len(around) < 2:
            return UNKNOWN_TYPE
        parent, above = around[:2]
        kind = parent.kind()
        if kind == "argument_list":
            return self._argument(node, above, file)
        if kind == "parenthesized_expression":
            return self.expected_type(parent, file)
        if kind == "cast_expression":
            return self.members.classes.shape(parent.field("type"), file)
        if kind == "assignment_expression":
            return self.expressions.shape(parent.field("left"), file)
        if kind == "variable_declarator":
            return self.members.classes.shape(above.field("type"), file)
        if kind == "return_statement":
            return self._returned_type(around, file)
        return UNKNOWN_TYPE

    def _returned_type(self, around: Sequence[SyntaxNode], file: JavaFile) -> Shape:
        """Return the declared type of the innermost method; unknown within a lambda."""
        kinds = ("method_declaration", _FUNCTIONS[0])
        method = next((a for a in around if a.kind() in kinds), None)
        if method is None or method.kind() != kinds[0]:
            return UNKNOWN_TYPE
        return self.members.classes.shape(method.field("type"), file)

    def _argument(self, node: SyntaxNode, call: SyntaxNode, file: JavaFile) -> Shape:
        if call.kind() == "method_invocation":
            found, _ = self.expressions.calls.choose(call, file)
        elif call.kind() in ("object_creation_expression", "explicit_constructor_invocation"):
            found, _ = self.expressions.calls.constructors_called(call, file)
        else:
            return UNKNOWN_TYPE
        if len(found) != 1:
            return UNKNOWN_TYPE
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
        given = given or self.infer(one, call, file, lambdas=False)
        for variable in variables:
            given.setdefault(variable, self.members.erase(variable))
        return substitute(taken, given)

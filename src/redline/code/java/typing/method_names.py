"""Resolve method references: `Type::method`, `value::method`, `Type::new`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.code.java.declarations import first_child
from redline.code.java.members import Choice, FoundMethod, MemberLookup
from redline.code.java.source_file import JavaFile
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.syntax.node import SyntaxNode

if TYPE_CHECKING:
    from redline.code.java.typing.expressions import Expressions


@dataclass(eq=False)
class MethodNames:
    """Resolves what `::` refers to."""

    expressions: Expressions

    def choose(self, node: SyntaxNode, file: JavaFile) -> Choice:
        """Return the methods that may be meant."""
        found = self._look(node, file)
        if len(found.methods) > 1:
            return Choice(self._by_arity(found.methods, node, file), found.is_complete)
        return Choice(found.methods, found.is_complete)

    def value(self, node: SyntaxNode, file: JavaFile) -> Shape:
        """Return the type of the method's result."""
        if makes(node):
            return self.expressions.type_before_dot(first_child(node), file) or UNKNOWN_TYPE
        found, _ = self.choose(node, file)
        shapes = {self.expressions.inference.return_type(one, node, file) for one in found[:4]}
        return shapes.pop() if len(shapes) == 1 else UNKNOWN_TYPE

    def _look(self, node: SyntaxNode, file: JavaFile) -> MemberLookup:
        owner = self.expressions.type_before_dot(first_child(node), file)
        if owner is None or owner == UNKNOWN_TYPE:
            return MemberLookup(is_complete=False)
        if makes(node):
            return self.expressions.members.constructors(owner)
        name = node.children()[-1].text()
        return self.expressions.members.look_up(owner, name)

    def _by_arity(
        self, found: list[FoundMethod], node: SyntaxNode, file: JavaFile
    ) -> list[FoundMethod]:
        wanted = self.expressions.inference.expected_type(node, file)
        method = self.expressions.members.functional_method(wanted)
        if method is None:
            return found
        count = len(method.method.parameters)
        fitting = [one for one in found if self._arity(one, node, file) == count]
        exact = fitting or found
        if len(exact) < 2:
            return exact
        return self._by_types(exact, method, node, file)

    def _arity(self, one: FoundMethod, node: SyntaxNode, file: JavaFile) -> int:
        """Return how many values it takes: with the receiver if it is named by its type."""
        count = len(one.method.parameters)
        if one.method.is_constructor or one.method.is_static or not self._by_type(node, file):
            return count
        return count + 1

    def _by_type(self, node: SyntaxNode, file: JavaFile) -> bool:
        first = first_child(node)
        if first.kind() not in ("identifier", "field_access"):
            return "type" in first.kind()
        name = first.text().rpartition(".")[2]
        if first.kind() == "identifier" and self.expressions.variable(name, first, file):
            return False
        return name[:1].isupper()

    def _by_types(
        self, found: list[FoundMethod], method: FoundMethod, node: SyntaxNode, file: JavaFile
    ) -> list[FoundMethod]:
        overloads, members = self.expressions.overloads, self.expressions.members
        taken = [members.parameter(method, at) for at in range(len(method.method.parameters))]
        kept = []
        for one in found:
            skip = self._arity(one, node, file) - len(one.method.parameters)
            own = [members.parameter(one, at) for at in range(len(one.method.parameters))]
            pairs = zip(taken[skip:], own, strict=False)
            verdicts = [overloads.fits(given, wanted, loose=True) for given, wanted in pairs]
            if False not in verdicts:
                kept.append((None not in verdicts, one))
        sure = [one for is_sure, one in kept if is_sure]
        if len(sure) == len(kept) > 1:
            return overloads.narrowest(sure)
        return [one for _, one in kept] or found


def makes(node: SyntaxNode) -> bool:
    """Return whether it is `::new`."""
    last = node.children()[-1]
    return last.kind() == "new"

"""Methods that are named without being called: `Type::method`, `value::method`, `Type::new`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.code.java.members import FoundMethod, Lookup
from redline.code.java.source_file import JavaFile
from redline.code.references.typed.types import OPEN, Shape
from redline.code.syntax.node import Node

if TYPE_CHECKING:
    from redline.code.java.typing.expressions import Expressions


@dataclass(eq=False)
class MethodNames:
    """What `::` names."""

    expressions: Expressions

    def chosen(self, node: Node, file: JavaFile) -> tuple[list[FoundMethod], bool]:
        """The methods that may be meant, and whether all were seen."""
        found = self._look(node, file)
        if len(found.methods) > 1:
            return self._by_arity(found.methods, node, file), found.is_whole
        return found.methods, found.is_whole

    def value(self, node: Node, file: JavaFile) -> Shape:
        """What the method gives back."""
        if makes(node):
            return self.expressions.named(node.child(0), file) or OPEN
        found, _ = self.chosen(node, file)
        shapes = {self.expressions.inference.returned(one, node, file) for one in found[:4]}
        return shapes.pop() if len(shapes) == 1 else OPEN

    def _look(self, node: Node, file: JavaFile) -> Lookup:
        owner = self.expressions.named(node.child(0), file)
        if owner is None or owner == OPEN:
            return Lookup(is_whole=False)
        if makes(node):
            return self.expressions.members.constructors(owner)
        name = node.children()[-1].text()
        return self.expressions.members.look(owner, name)

    def _by_arity(self, found: list[FoundMethod], node: Node, file: JavaFile) -> list[FoundMethod]:
        wanted = self.expressions.inference.wanted(node, file)
        method = self.expressions.members.functional(wanted)
        if method is None:
            return found
        count = len(method.method.parameters)
        fitting = [one for one in found if self._arity(one, node, file) == count]
        exact = fitting or found
        if len(exact) < 2:
            return exact
        return self._by_types(exact, method, node, file)

    def _arity(self, one: FoundMethod, node: Node, file: JavaFile) -> int:
        """How many values it takes when it is named so: with the receiver, if by its type."""
        count = len(one.method.parameters)
        if one.method.is_constructor or one.method.is_static or not self._by_type(node, file):
            return count
        return count + 1

    def _by_type(self, node: Node, file: JavaFile) -> bool:
        first = node.child(0)
        if first.kind() not in ("identifier", "field_access"):
            return "type" in str(first.kind())
        name: str = first.text().rpartition(".")[2]
        if first.kind() == "identifier" and self.expressions.variable(name, first, file):
            return False
        return name[:1].isupper()

    def _by_types(
        self, found: list[FoundMethod], method: FoundMethod, node: Node, file: JavaFile
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


def makes(node: Node) -> bool:
    """Whether `::new` is named."""
    last = node.children()[-1]
    return bool(last.kind() == "new")

"""Which methods and constructors a call means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from redline.code.java.members import FoundMethod, Lookup, substitute
from redline.code.java.reach import ANYWHERE, PACKAGE, access
from redline.code.java.source_file import JavaFile
from redline.code.references.typed.types import OPEN, Shape
from redline.code.syntax.node import Node

if TYPE_CHECKING:
    from redline.code.java.typing.expressions import Expressions


@dataclass(eq=False)
class Calls:
    """Finds what is called, by receiver, name and arguments."""

    expressions: Expressions
    _chosen: dict[tuple[object, int], tuple[list[FoundMethod], bool]] = field(default_factory=dict)

    def forget(self) -> None:
        """Let go of all that was told."""
        self._chosen.clear()

    def callee(self, node: Node, file: JavaFile) -> Lookup:
        """The methods that a call may mean, by receiver and name alone."""
        name = node.field("name").text()
        receiver = node.field("object")
        if any(child.kind() == "super" for child in node.children()):
            return self.expressions.members.look(self._super(receiver, node, file), name)
        if receiver is None:
            return self._unqualified(name, node, file)
        shape = self.expressions.named(receiver, file)
        if shape is None or shape == OPEN:
            return Lookup(is_whole=False)
        return self.expressions.members.look(shape, name)

    def _super(self, receiver: Node | None, node: Node, file: JavaFile) -> Shape:
        if receiver is not None and receiver.kind() != "super":
            found = self.expressions.named(receiver, file)  # `Interface.super.method()`
            return found if found is not None else OPEN
        return self.above(node, file)

    def above(self, node: Node, file: JavaFile) -> Shape:
        """What `super` means: the first type that the type around extends."""
        own = self.expressions.around(node, file)
        above = self.expressions.classes.supers(own) if own is not None else []
        given = (
            self.expressions.members.given(own, self.expressions.members.own_shape(own).parts)
            if own
            else {}
        )
        return substitute(above[0], given) if above else Shape("Object")

    def _unqualified(self, name: str, node: Node, file: JavaFile) -> Lookup:
        whole = True
        for declared in self.expressions.types_around(node, file):
            shape = self.expressions.members.own_shape(declared)
            found = self.expressions.members.look(shape, name)
            whole = whole and found.is_whole
            if found.methods:
                return found
        found = Lookup(is_whole=whole)
        for dotted in [*file.static_imports.get(name, ()), *file.static_on_demand]:
            owner = self.expressions.classes.packages.absolute(dotted, file)
            if owner is not None:
                more = self.expressions.members.look(Shape(owner), name)
                found.methods += more.methods
                found.is_whole = found.is_whole and more.is_whole
        return found

    def chosen(self, node: Node, file: JavaFile) -> tuple[list[FoundMethod], bool]:
        """The methods that a call means (one, if that can be told), and whether all were seen."""
        key = (file.path, node.field("name").range().start.index)
        if key not in self._chosen:
            self._chosen[key] = ([], False)
            found = self.callee(node, file)
            seen = [one for one in found.methods if is_accessible(one, file)]
            selected = self.expressions.overloads.select(seen, arguments_of(node), file)
            self._chosen[key] = (selected, found.is_whole)
        return self._chosen[key]

    def is_foreign(self, node: Node, file: JavaFile) -> bool:
        """Whether a call of a library's method gives back nothing but what is the library's."""
        expressions = self.expressions
        receiver = node.field("object")
        if receiver is None:
            around = expressions.types_around(node, file)
            shapes = [expressions.members.own_shape(declared) for declared in around]
            imported = node.field("name").text() in file.static_imports or file.static_on_demand
            if not imported and not any(map(expressions.members.has_library, shapes)):
                return False  # nobody declares it: perhaps it is yet to be written
        else:
            shape = expressions.named(receiver, file)
            shapes = [shape if shape is not None else OPEN]
        if not all(map(expressions.members.is_foreign, shapes)):
            return False
        given = [expressions.shape(argument, file) for argument in arguments_of(node)]
        return all(map(expressions.members.is_plain, given))

    def made(self, node: Node, file: JavaFile) -> tuple[list[FoundMethod], bool]:
        """The constructors that `new`, `this(...)` or `super(...)` may mean."""
        found = self.expressions.members.constructors(self.maker(node, file))
        seen = [one for one in found.methods if is_accessible(one, file)]
        selected = self.expressions.overloads.select(seen, arguments_of(node), file)
        return selected, found.is_whole

    def maker(self, node: Node, file: JavaFile) -> Shape:
        """The class whose constructor is called."""
        if node.kind() == "object_creation_expression":
            return self.created(node, file)
        own = self.expressions.around(node, file)
        if own is None or node.kind() == "enum_constant":
            return Shape(own.head) if own is not None else OPEN
        if node.field("constructor") is not None and node.field("constructor").kind() == "this":
            return self.expressions.members.own_shape(own)
        return self.above(node, file)

    def created(self, node: Node, file: JavaFile) -> Shape:
        """The class that `new` names."""
        spelled = node.field("type")
        first = node.child(0)
        if first is not None and first.kind() != "new" and spelled is not None:
            owner = self.expressions.named(first, file)  # `outer.new Inner()`
            plain = spelled.child(0) if spelled.kind() == "generic_type" else spelled
            inner = (
                self.expressions.classes.nested(owner.head, plain.text())
                if owner is not None
                else None
            )
            return Shape(inner) if inner is not None else OPEN
        return self.expressions.classes.shape(spelled, file)


def is_accessible(found: FoundMethod, file: JavaFile) -> bool:
    """Whether code of a file may call a method: a private one only where it is declared."""
    home = found.method.owner.file
    if home.path == file.path or home.is_sketch:
        return True
    width = access(found.method)
    return width == ANYWHERE or (width == PACKAGE and home.package == file.package)


def arguments_of(node: Node) -> list[Node]:
    """The arguments of a call."""
    given = node.field("arguments")
    if given is None:
        return []
    return [c for c in given.children() if c.is_named() and "comment" not in c.kind()]

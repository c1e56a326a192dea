"""Find the methods and constructors that a Java call refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.code.java.declarations import first_child
from redline.code.java.members import Choice, FoundMethod, MemberLookup
from redline.code.java.reach import Reach, access
from redline.code.java.source_file import JavaFile
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.syntax.node import SyntaxNode, required_field
from redline.core.records import dataclass, field

if TYPE_CHECKING:
    from redline.code.java.expressions import Expressions


@dataclass(eq=False)
class CallResolver:
    """Finds what is called by receiver, name and arguments."""

    expressions: Expressions
    _choices: dict[tuple[object, int], Choice] = field(default_factory=dict)

    def callee(self, node: SyntaxNode, file: JavaFile) -> MemberLookup:
        """Return the methods that a call may refer to, by receiver and name alone."""
        name = required_field(node, "name").text()
        receiver = node.field("object")
        if any(child.kind() == "super" for child in node.children()):
            return self.expressions.members.look_up(self._super(receiver, node, file), name)
        if receiver is None:
            return self._look_up_unqualified(name, node, file)
        shape = self.expressions.type_before_dot(receiver, file)
        if shape is None or shape == UNKNOWN_TYPE:
            return MemberLookup(is_complete=False)
        return self.expressions.members.look_up(shape, name)

    def _super(self, receiver: SyntaxNode | None, node: SyntaxNode, file: JavaFile) -> Shape:
        if receiver is not None and receiver.kind() != "super":
            found = self.expressions.type_before_dot(receiver, file)  # `Interface.super.method()`
            return found if found is not None else UNKNOWN_TYPE
        return self.superclass(node, file)

    def superclass(self, node: SyntaxNode, file: JavaFile) -> Shape:
        """Return the type of `super`: the first supertype of the enclosing type."""
        own = self.expressions.enclosing_type(node, file)
        above = self.expressions.classes.supers(own) if own is not None else []
        given = (
            self.expressions.members.type_arguments(
                own, self.expressions.members.own_shape(own).parts
            )
            if own
            else {}
        )
        return substitute(above[0], given) if above else Shape("Object")

    def _look_up_unqualified(self, name: str, node: SyntaxNode, file: JavaFile) -> MemberLookup:
        whole = True
        for declaration in self.expressions.enclosing_types(node, file):
            shape = self.expressions.members.own_shape(declaration)
            found = self.expressions.members.look_up(shape, name)
            whole = whole and found.is_complete
            if found.methods:
                return found
        found = MemberLookup(is_complete=whole)
        for dotted in [*file.static_imports.get(name, ()), *file.static_on_demand]:
            owner = self.expressions.classes.packages.resolve_qualified(dotted, file)
            if owner is not None:
                more = self.expressions.members.look_up(Shape(owner), name)
                found.methods += more.methods
                found.is_complete = found.is_complete and more.is_complete
        return found

    def choose(self, node: SyntaxNode, file: JavaFile) -> Choice:
        """Return the methods that a call may mean: those that take as many arguments."""
        key = (file.path, required_field(node, "name").range().start.index)
        if key not in self._choices:
            self._choices[key] = Choice([], is_complete=False)
            found = self.callee(node, file)
            seen = [one for one in found.methods if is_accessible(one, file)]
            selected = [one for one in seen if takes(one, len(arguments_of(node)))]
            self._choices[key] = Choice(selected, found.is_complete)
        return self._choices[key]

    def is_external(self, node: SyntaxNode, file: JavaFile) -> bool:
        """Return whether a library method's result involves no workspace types."""
        expressions = self.expressions
        receiver = node.field("object")
        if receiver is None:
            around = expressions.enclosing_types(node, file)
            shapes = [expressions.members.own_shape(declaration) for declaration in around]
            imported = (
                required_field(node, "name").text() in file.static_imports or file.static_on_demand
            )
            if not imported and not any(map(expressions.members.has_library, shapes)):
                return False  # undeclared: it may not be written yet
        else:
            shape = expressions.type_before_dot(receiver, file)
            shapes = [shape if shape is not None else UNKNOWN_TYPE]
        if not all(map(expressions.members.is_external, shapes)):
            return False
        given = [expressions.shape(argument, file) for argument in arguments_of(node)]
        return all(map(expressions.members.is_plain, given))

    def constructors_called(self, node: SyntaxNode, file: JavaFile) -> Choice:
        """Return the constructors that `new`, `this(...)` or `super(...)` may refer to."""
        found = self.expressions.members.constructors(self.maker(node, file))
        seen = [one for one in found.methods if is_accessible(one, file)]
        selected = [one for one in seen if takes(one, len(arguments_of(node)))]
        return Choice(selected, found.is_complete)

    def find_referenced(self, node: SyntaxNode, file: JavaFile) -> Choice:
        """Return the methods that `Type::method` may refer to."""
        owner = self.expressions.type_before_dot(first_child(node), file)
        if owner is None or owner == UNKNOWN_TYPE:
            return Choice([], is_complete=False)
        if makes(node):
            found = self.expressions.members.constructors(owner)
        else:
            found = self.expressions.members.look_up(owner, node.children()[-1].text())
        return Choice(found.methods, found.is_complete)

    def maker(self, node: SyntaxNode, file: JavaFile) -> Shape:
        """Return the class whose constructor is called."""
        if node.kind() == "object_creation_expression":
            return self.constructed_type(node, file)
        own = self.expressions.enclosing_type(node, file)
        if own is None or node.kind() == "enum_constant":
            return Shape(own.head) if own is not None else UNKNOWN_TYPE
        constructor = node.field("constructor")
        if constructor is not None and constructor.kind() == "this":
            return self.expressions.members.own_shape(own)
        return self.superclass(node, file)

    def constructed_type(self, node: SyntaxNode, file: JavaFile) -> Shape:
        """Return the class that `new` names."""
        written = node.field("type")
        first = node.child(0)
        if first is not None and first.kind() != "new" and written is not None:
            owner = self.expressions.type_before_dot(first, file)  # `outer.new Inner()`
            plain = first_child(written) if written.kind() == "generic_type" else written
            inner = (
                self.expressions.classes.member_type(owner.head, plain.text())
                if owner is not None
                else None
            )
            return Shape(inner) if inner is not None else UNKNOWN_TYPE
        return self.expressions.classes.shape(written, file)


def is_accessible(found: FoundMethod, file: JavaFile) -> bool:
    """Return whether code of a file may call a method, by its access modifier."""
    home = found.method.owner.file
    if home.path == file.path:
        return True
    width = access(found.method)
    return width is Reach.ANYWHERE or (width is Reach.PACKAGE and home.package == file.package)


def takes(one: FoundMethod, count: int) -> bool:
    """Return whether a method may be called with that many arguments."""
    wanted = len(one.method.parameters)
    return count == wanted or (one.method.is_variadic and count >= wanted - 1)


def makes(node: SyntaxNode) -> bool:
    """Return whether a method reference is `Type::new`."""
    return node.children()[-1].kind() == "new"


def arguments_of(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the arguments of a call."""
    given = node.field("arguments")
    if given is None:
        return []
    return [c for c in given.children() if c.is_named() and "comment" not in c.kind()]

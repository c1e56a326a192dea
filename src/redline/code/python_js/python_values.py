"""What Python's containers hold, by their annotations, and what `isinstance` says of a name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from redline.code.python_js.annotations import type_arguments
from redline.code.python_js.heritage import (
    Inferred,
    OfClass,
    Value,
    class_of,
    instance_of,
    members_of,
)
from redline.code.python_js.hierarchy import ClassHierarchy
from redline.code.python_js.members import NoClass
from redline.code.python_js.project import Module
from redline.code.python_js.python_checks import statements_about
from redline.code.scopes.model import Binding, Occurrence, Scope
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
    start_of,
)

_UNKNOWN: frozenset[Value] = frozenset({NoClass.UNKNOWN})
_LISTS = {
    *("list", "List", "Sequence", "MutableSequence", "Iterable", "Iterator", "Collection", "set"),
    *("Set", "frozenset", "FrozenSet", "AbstractSet", "MutableSet", "deque", "Deque", "Generator"),
    *("AsyncIterable", "AsyncIterator", "AsyncGenerator"),
}
_MAPS = {
    *("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"),
}
_TUPLES = {"tuple", "Tuple"}
_CLASS_TYPES = {"type", "Type"}
# Functions that yield what they are given, and methods of containers, with what they return.
_PASSING = {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "next"}
_CASTS = {"cast", "typing.cast", "t.cast"}
_ONE_OF_LIST = {"pop", "popleft"}
_ONE_OF_MAP = {"get", "pop", "setdefault"}
# What takes all further arguments of a call, and the container that has them.
SPLATS = {"list_splat_pattern": "tuple", "dictionary_splat_pattern": "dict"}
_PARAMETERS = {"parameters", "lambda_parameters"}
_ITSELF = {"Self", "Self'", 'Self"'}
_LOOPS = {"for_statement", "for_in_clause"}


@dataclass(frozen=True, slots=True)
class Container(Inferred):
    """A container of Python: `list`, `dict` or `tuple`, and what it holds by type argument."""

    kind: str
    parts: tuple[frozenset[Value], ...]

    def item(self) -> set[Value]:
        """Return what a loop over it yields."""
        held = self.parts if self.kind == "tuple" else self.parts[:1]
        return {value for part in held for value in part} or set(_UNKNOWN)

    def element(self) -> set[Value]:
        """Return what an index gives."""
        return set(self.parts[1]) if self.kind == "dict" and self.parts[1:] else self.item()


class PythonValues(ClassHierarchy):
    """Resolve what comes out of containers, and names that a check narrows."""

    __slots__ = ()

    @abstractmethod
    def _of_annotation(
        self, module: Module, node: SyntaxNode | None, scope: Scope, depth: int
    ) -> set[Value]:
        """Return instances of the classes that an annotation names."""

    def of_container_type(
        self, module: Module, name: SyntaxNode, scope: Scope, depth: int
    ) -> Container | None:
        """Return the container that an annotation names with its type arguments."""
        kind = _container_kind(name.text().rpartition(".")[2])
        holder = name.parent()
        if not kind or holder is None or holder.kind() not in ("generic_type", "subscript"):
            return None
        parts = (
            self._of_annotation(module, each, scope, depth + 1) for each in type_arguments(holder)
        )
        return Container(kind, tuple(map(frozenset, parts)))

    def of_class_type(
        self, module: Module, name: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value] | None:
        """Return the classes that `type[C]` allows, any for `type` alone; None for other types."""
        if name.text().rpartition(".")[2] not in _CLASS_TYPES:
            return None
        holder = parent_of(name)
        if holder.kind() not in ("generic_type", "subscript"):
            return set(_UNKNOWN)
        parts = [self._of_annotation(module, c, scope, depth + 1) for c in type_arguments(holder)]
        return {class_of(value) for part in parts for value in part}

    def of_splat(self, module: Module, pattern: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        """Return what `*args` or `**kwargs` is: a tuple or a dict, with values as annotated."""
        holder = parent_of(pattern)
        written = holder.field("type") if holder.kind() == "typed_parameter" else None
        if written is None and holder.kind() not in _PARAMETERS:
            return set(_UNKNOWN)  # the rest of what an assignment takes apart
        held: set[Value] = {NoClass.ANYTHING}
        if written is not None:
            held = self._of_annotation(module, written, scope, depth + 1)
        kind = SPLATS[pattern.kind()]
        keys = (frozenset({NoClass.OTHER}),) if kind == "dict" else ()
        return {Container(kind, (*keys, frozenset(held)))}

    def of_python(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value] | None:
        """Return the values of an expression that only Python has; None for any other."""
        kind = node.kind()
        if kind in ("conditional_expression", "boolean_operator"):
            ends = (node.children()[0], node.children()[-1])
            return {v for each in ends for v in self.of(module, each, scope, depth + 1)}
        if kind == "subscript":
            held = self.of(module, node.field("value"), scope, depth + 1)
            is_slice = any(c.kind() == "slice" for c in node.children())
            # A class with type arguments is still the class.
            is_class = all(isinstance(v, OfClass) and not v.is_instance for v in held)
            return held if is_slice or is_class else _out_of(held, Container.element)
        if kind in ("list_comprehension", "generator_expression", "set_comprehension"):
            found = frozenset(self.of(module, node.field("body"), scope, depth + 1))
            return {Container("list", (found,))}
        if kind in ("list", "set"):
            items = [self.of(module, each, scope, depth + 1) for each in named_children(node)]
            held = {v for values in items for v in values}
            return {Container("list", (frozenset(held) or _UNKNOWN,))}
        return None

    def of_statement(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return what a statement other than an assignment gives the name at *node*."""
        found = None
        if not module.is_script:
            found = self._of_loop(module, node, scope, depth)
            if found is None:
                found = self._of_context(module, node, scope, depth)
        return set(_UNKNOWN) if found is None else found

    def _of_loop(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value] | None:
        """Return what a loop gives the name at *node*; None if no loop binds it."""
        pattern, nth = node, -1
        if parent_of(node).kind() in ("pattern_list", "tuple_pattern"):
            pattern = parent_of(node)
            nth = [start_of(each) for each in named_children(pattern)].index(start_of(node))
        loop = parent_of(pattern)
        if loop.kind() not in _LOOPS or not begins_at(loop.field("left"), pattern):
            return None
        over = required_field(loop, "right")
        if nth < 0:
            return _out_of(self.of(module, over, scope, depth + 1), Container.item)
        call = over.field("function") if over.kind() == "call" else None
        if call is not None and call.text() == "enumerate" and nth == 1:
            first = next(iter(named_children(required_field(over, "arguments"))), None)
            return _out_of(self.of(module, first, scope, depth + 1), Container.item)
        if call is not None and call.kind() == "attribute" and _attribute(call) == "items":
            owners = self.of(module, call.field("object"), scope, depth + 1)
            return _out_of(owners, Container.element if nth == 1 else Container.item)
        return set(_UNKNOWN)

    def of_container_call(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value] | None:
        """Return what a method of a container returns; None for any other call."""
        callee = required_field(node, "function")
        name = callee.text()
        known = module.names.at(callee)
        is_builtin = name in _PASSING and (known is None or known.binding is None)
        if name in _CASTS or is_builtin:
            first = next(iter(named_children(required_field(node, "arguments"))), None)
            return self._of_passed(module, name, first, scope, depth)
        if callee.kind() != "attribute":
            return None
        owners = self.of(module, callee.field("object"), scope, depth + 1)
        if not owners or not all(isinstance(each, Container) for each in owners):
            return None
        name = _attribute(callee)
        if name == "copy":
            return owners
        if name == "values":
            return {Container("list", (frozenset(_out_of(owners, Container.element)),))}
        is_map = any(isinstance(each, Container) and each.kind == "dict" for each in owners)
        if name in (_ONE_OF_MAP if is_map else _ONE_OF_LIST):
            return _out_of(owners, Container.element)
        return set(_UNKNOWN)

    def _of_passed(
        self, module: Module, name: str, first: SyntaxNode | None, scope: Scope, depth: int
    ) -> set[Value]:
        """Return what a function makes of its first argument: `cast`, `next`, `sorted`."""
        if name in _CASTS:
            return self._of_annotation(module, first, scope, depth + 1)
        found = _out_of(self.of(module, first, scope, depth + 1), Container.item)
        return found if name == "next" else {Container("list", (frozenset(found),))}

    def _of_context(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value] | None:
        """Return what `with ... as` gives the name at *node*; None if none binds it."""
        target = parent_of(node)
        if (
            target.kind() != "as_pattern_target"
            or parent_of(parent_of(target)).kind() != "with_item"
        ):
            return None
        found: set[Value] = set()
        for value in self.of(module, parent_of(target).children()[0], scope, depth + 1):
            entered = self._entered(value, depth) if isinstance(value, OfClass) else None
            found |= {NoClass.UNKNOWN} if entered is None else entered
        return found

    def _entered(self, value: OfClass, depth: int) -> set[Value] | None:
        """Return what `__enter__` of an object returns: itself, or what is written."""
        for owner in self.owners(value, "__enter__").classes:
            for item in members_of(owner, "__enter__"):
                site = item.sites[0].node if isinstance(item, Binding) else item.node
                written = parent_of(site).field("return_type")
                if written is not None and written.text().rpartition(".")[2] in _ITSELF:
                    return {value}
                return self._of_annotation(owner.module, written, owner.scope, depth + 1)
        return None

    def narrowed(self, module: Module, occurrence: Occurrence, depth: int) -> set[Value] | None:
        """Return what is said of a name before it is used, or around; None if nothing is.

        A check or an assignment counts as long as nothing else binds the name until then.
        """
        binding = occurrence.binding
        starts = [site.start for site in binding.sites] if binding is not None else []
        if binding is None or occurrence.start in starts:
            return None
        for said in statements_about(occurrence.node, occurrence.name):
            if any(said.since < at <= said.until and at != said.bound for at in starts):
                return None
            values = [self.of(module, each, occurrence.scope, depth + 1) for each in said.nodes]
            found = {value for each in values for value in each}
            if said.bound < 0:
                found = {instance_of(value) for value in found}
            return found if NoClass.UNKNOWN not in found else None
        return None


def _container_kind(name: str) -> str:
    kinds = (("list", _LISTS), ("dict", _MAPS), ("tuple", _TUPLES))
    return next((kind for kind, names in kinds if name in names), "")


def _out_of(held: set[Value], take: Callable[[Container], set[Value]]) -> set[Value]:
    """Return what containers give; of anything else it is not known, unless all may be anything."""
    if held == {NoClass.ANYTHING}:
        return held
    return {
        value
        for each in held
        for value in (take(each) if isinstance(each, Container) else _UNKNOWN)
    }


def _attribute(access: SyntaxNode) -> str:
    return required_field(access, "attribute").text()

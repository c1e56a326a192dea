"""Read the types that TypeScript writes out: names, unions, generics, objects, functions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator

from redline.code.python_js.heritage import (
    OfClass,
    Value,
    class_around,
)
from redline.code.python_js.inference.shapes import (
    ANYTHING,
    FUNCTIONS,
    GLOBAL,
    MAX_DEPTH,
    OTHER,
    OUTSIDE,
    TUPLE,
    UNKNOWN,
    Holder,
    HolderKind,
    InferredShape,
    KeysOf,
    TypeParameter,
    choose,
    chosen_of,
    take_members,
    type_arguments,
    type_parameters,
    unwrap,
)
from redline.code.python_js.origins import Origins, in_namespace
from redline.code.python_js.project import Module
from redline.code.python_js.values import ValueResolver
from redline.code.references.definition import FOREIGN, Definition
from redline.code.scopes.model import TYPE, BindingRole, Scope
from redline.code.syntax.node import (
    SyntaxNode,
    named_children,
    parent_of,
    required_field,
)

_HOLDERS = {
    HolderKind.LIST: (
        "Array ReadonlyArray ArrayLike Set ReadonlySet WeakSet Iterable IterableIterator "
        "AsyncIterable Iterator ArrayIterator SetIterator Generator AsyncGenerator WeakRef"
    ),
    HolderKind.MAP: "Map ReadonlyMap WeakMap",
    HolderKind.RECORD: "Record",
    HolderKind.PROMISE: "Promise PromiseLike",
}
_HOLDER_OF = {name: kind for kind, names in _HOLDERS.items() for name in names.split()}
_THROUGH = frozenset(
    {
        *("Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit", "Exclude", "Extract"),
        *("NoInfer", "ThisType"),
    }
)
_UNIONS = {
    *("union_type", "intersection_type", "parenthesized_type", "readonly_type", "optional_type"),
    *("type_annotation", "constraint", "default_type", "rest_type"),
}
_PLAIN = {
    *("literal_type", "template_literal_type", "type_predicate", "asserts"),
    *("type_predicate_annotation", "asserts_annotation"),
}
_ANYTHING = {"any", "unknown", "object"}
# What a library's type may be given, and yet hands out nothing of the workspace.
_NOT_OURS = OUTSIDE | {ANYTHING}


class ScriptTypes(ValueResolver):
    """Resolve what is written as a type."""

    __slots__ = ("_busy", "_in_chain")
    max_depth = MAX_DEPTH

    def __init__(self, origins: Origins) -> None:
        ValueResolver.__init__(self, origins)
        self._busy: set[object] = set()
        # What the calls of one chain give, while it is followed.
        self._in_chain: dict[object, frozenset[Value]] | None = None

    @abstractmethod
    def member_types(self, values: Iterable[Value], name: str, depth: int = 0) -> set[Value]:
        """Return the values of a member of *values*."""

    @abstractmethod
    def elements(self, values: Iterable[Value], index: int | None, depth: int) -> set[Value]:
        """Return what is held by *values*, at *index* if it is known."""

    @abstractmethod
    def results(self, values: Iterable[Value], depth: int) -> set[Value]:
        """Return what the functions among *values* return."""

    def types(self, module: Module, node: SyntaxNode, scope: Scope, depth: int = 0) -> set[Value]:
        """Return the values that a type may have."""
        kind = node.kind()
        if self._is_too_deep(depth):
            return {UNKNOWN}
        if kind in _UNIONS:
            inner = [each for each in named_children(node) if each.kind() != "comment"]
            return {v for each in inner for v in self.types(module, each, scope, depth + 1)}
        if kind == "type_identifier":
            return self._named_types(module, node, (), depth)
        if kind == "generic_type":
            return self._generic_types(module, node, scope, depth)
        if kind in ("object_type", "interface_body", TUPLE) or kind in FUNCTIONS:
            return {InferredShape.at(module, node, scope)}
        if kind == "array_type":
            inner_type = self.types(module, named_children(node)[0], scope, depth + 1)
            return {Holder(HolderKind.LIST, frozenset(inner_type))}
        if kind == "predefined_type":
            return {ANYTHING if node.text() in _ANYTHING else GLOBAL}
        return self._other_types(module, node, scope, depth)

    def _other_types(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        kind = node.kind()
        if kind in _PLAIN:
            return {GLOBAL}
        if kind == "lookup_type":
            holder, index = named_children(node)[:2]
            return self._looked_up(self.types(module, holder, scope, depth + 1), index, depth)
        if kind == "index_type_query":
            inner = self.types(module, named_children(node)[0], scope, depth + 1)
            return {KeysOf(frozenset(inner))}
        if kind == "type_query":
            # `typeof import("a")` is the module, and not the promise of it.
            return unwrap(self.of(module, named_children(node)[0], scope, depth + 1))
        if kind == "this_type":
            around = class_around(module, scope)
            return {OfClass(module, around, True)} if around is not None else {UNKNOWN}
        if kind == "nested_type_identifier":
            return self._qualified_types(module, node, (), depth)
        if kind == "conditional_type":
            ways = (node.field("consequence"), node.field("alternative"))
            found = [self.types(module, way, scope, depth + 1) for way in ways if way is not None]
            return {value for values in found for value in values} or {UNKNOWN}
        return {UNKNOWN}

    def _qualified_types(
        self,
        module: Module,
        node: SyntaxNode,
        given: tuple[frozenset[Value], ...],
        depth: int,
    ) -> set[Value]:
        """Return what `Namespace.Type` names."""
        holder, name = required_field(node, "module"), required_field(node, "name").text()
        found = in_namespace(self.origins.of_qualified(module, holder, name), TYPE)
        if found:
            return self._of_types(found, given, depth)
        while holder.kind() == "nested_identifier":
            holder = named_children(holder)[0]
        occurrence = module.names.at(holder)
        if occurrence is None:
            return {UNKNOWN}
        if occurrence.binding is None:
            return {GLOBAL}
        known = self.origins.of_binding(module, occurrence.binding)
        is_ours = any(each.is_module for each in known)
        is_foreign = self.origins.is_foreign(module, occurrence.binding) and not is_ours
        return {OTHER if is_foreign else UNKNOWN}

    def _looked_up(self, holders: set[Value], index: SyntaxNode, depth: int) -> set[Value]:
        """Return the types of `Type["key"]` and `Type[number]`."""
        text = index.text()
        if text[:1] in ("'", '"'):
            return self.member_types(holders, text[1:-1], depth + 1)
        return self.elements(holders, None, depth) if text == "number" else {UNKNOWN}

    def _generic_types(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        name, listed = required_field(node, "name"), type_arguments(node)
        if name.kind() == "type_identifier" and self._is_global(module, name):
            return self._library_type(module, name.text(), listed, scope, depth)
        given = tuple(frozenset(self.types(module, each, scope, depth + 1)) for each in listed)
        if name.kind() == "type_identifier":
            found = self._named_types(module, name, given, depth)
        else:
            found = self._qualified_types(module, name, given, depth)
        # A library's type may hand out what it is given.
        is_ours = any(not each <= _NOT_OURS for each in given)
        return {UNKNOWN} if found == {OTHER} and is_ours else found

    def _library_type(
        self, module: Module, name: str, given: list[SyntaxNode], scope: Scope, depth: int
    ) -> set[Value]:
        if name in _THROUGH and given:
            whole = self.types(module, given[0], scope, depth + 1)
            return take_members(whole, name, given[1]) if len(given) > 1 else whole
        inner = [frozenset(self.types(module, each, scope, depth + 1)) for each in given]
        kind = _HOLDER_OF.get(name)
        if kind is not None and inner:
            is_keyed = kind in (HolderKind.MAP, HolderKind.RECORD)
            return {Holder(kind, inner[-1] if is_keyed else inner[0])}
        if name == "ReturnType" and inner:
            return self.results(inner[0], depth + 1)
        if name == "Awaited" and inner:
            return unwrap(inner[0])
        if kind is not None:
            return {Holder(kind, frozenset({UNKNOWN}))}
        return {UNKNOWN if any(not each <= _NOT_OURS for each in inner) else GLOBAL}

    def _is_global(self, module: Module, node: SyntaxNode) -> bool:
        occurrence = module.names.at(node)
        return occurrence is not None and occurrence.binding is None

    def _named_types(
        self,
        module: Module,
        node: SyntaxNode,
        given: tuple[frozenset[Value], ...],
        depth: int,
    ) -> set[Value]:
        occurrence = module.names.at(node)
        if occurrence is None:
            return {UNKNOWN}
        binding = occurrence.binding
        if binding is None:
            is_bare = node.text() in _HOLDER_OF or node.text() in _THROUGH
            return {UNKNOWN if is_bare else GLOBAL}
        if BindingRole.TYPE in binding.roles:
            return {TypeParameter(module, binding)}
        found = self.origins.of_occurrence(module, occurrence)
        if not found:
            return {OTHER}
        return self._of_types(found, given, depth)

    def declarations(self, module: Module, name: SyntaxNode) -> Iterator[tuple[Module, Scope]]:
        """Yield the classes, interfaces and aliases of the workspace that a name may mean."""
        occurrence = module.names.at(name)
        for each in self.origins.of_occurrence(module, occurrence) if occurrence else ():
            home, binding = each.module, each.binding
            if isinstance(home, Module) and binding is not None and binding in home.types:
                yield home, home.types[binding]

    def _of_types(
        self, found: Iterable[Definition], given: tuple[frozenset[Value], ...], depth: int
    ) -> set[Value]:
        values: set[Value] = set()
        for definition in found:
            home, binding = definition.module, definition.binding
            if not isinstance(home, Module) or binding is None:
                values.add(OTHER if definition == FOREIGN else UNKNOWN)
                continue
            scope = home.types.get(binding)
            if scope is not None:
                whole = self._with_defaults(home, scope, given, depth)
                values |= self._instances_of(home, scope, whole, depth)
            else:
                values.add(OTHER if self.origins.is_foreign(home, binding) else UNKNOWN)
        return values

    def _with_defaults(
        self, home: Module, scope: Scope, given: tuple[frozenset[Value], ...], depth: int
    ) -> tuple[frozenset[Value], ...]:
        """Return what is given for type parameters, with the defaults of the others."""
        for part in type_parameters(scope.node)[len(given) :] if depth < MAX_DEPTH else ():
            default = part.field("value")
            if default is None:
                break
            chosen = chosen_of(OfClass(home, scope, True, given=given))
            found = choose(self.types(home, default, scope, depth + 1), chosen)
            given = (*given, frozenset(found))
        return given

    def _instances_of(
        self, home: Module, scope: Scope, given: tuple[frozenset[Value], ...], depth: int
    ) -> set[Value]:
        """Return instances of a class or interface, or what a type alias is."""
        value = scope.node.field("value")
        if scope.node.kind() != "type_alias_declaration" or value is None:
            return {OfClass(home, scope, True, given=given)}
        if value.kind() == "object_type" and value.find(kind="mapped_type_clause") is None:
            return {OfClass(home, scope, True, given=given)}
        if scope in self._busy:
            return {UNKNOWN}
        self._busy.add(scope)
        try:
            found = self.types(home, value, scope, depth + 1)
        finally:
            self._busy.discard(scope)
        return choose(found, chosen_of(OfClass(home, scope, True, given=given)))

    def least_types(self, value: TypeParameter) -> set[Value]:
        """Return what a type parameter is at least, and none that is a type parameter itself."""
        found: set[Value] = set()
        waiting: list[Value] = [value]
        seen: set[Value] = set()
        while waiting:
            each = waiting.pop()
            if isinstance(each, TypeParameter) and each not in seen:
                seen.add(each)
                waiting += self.constraint(each, 0)
            elif not isinstance(each, TypeParameter):
                found.add(each)
        return found or {UNKNOWN}

    def is_any_key(self, value: TypeParameter) -> bool:
        """Return whether a type parameter is the key of something: `K extends PropertyKey`."""
        written = parent_of(value.binding.sites[0].node).field("constraint")
        return written is not None and written.text().endswith(" PropertyKey")

    def constraint(self, value: TypeParameter, depth: int) -> set[Value]:
        """Return what a type parameter is at least."""
        part = parent_of(value.binding.sites[0].node)
        written = part.field("constraint") if part.kind() == "type_parameter" else None
        if written is None or self._is_too_deep(depth):
            return {UNKNOWN}
        return self.types(value.module, written, value.binding.scope, depth + 1)

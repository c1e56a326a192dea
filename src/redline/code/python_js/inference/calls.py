"""Find what calls give: functions by their types or bodies, and methods of arrays and promises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from redline.code.python_js.heritage import (
    OfClass,
    Value,
)
from redline.code.python_js.inference.shapes import (
    ANYTHING,
    FUNCTIONS,
    OTHER,
    OUTSIDE,
    UNKNOWN,
    Chosen,
    Holder,
    HolderKind,
    InferredShape,
    KeysOf,
    choose,
    holders_among,
    keys_in,
    parameters_of,
    type_arguments,
    type_parameters,
    unwrap,
)
from redline.code.python_js.inference.unions import ScriptUnions
from redline.code.python_js.project import Module
from redline.code.scopes.model import Binding, Scope
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    required_field,
    span_of,
)

# Functions of the language that hand out what they are given, or what nothing says.
_SHOWING = frozenset({"Array.from", "Promise.resolve", "Object.freeze", "Object.values"})
_GIVING = frozenset({"Object", "Array", "Promise", "Reflect", "Proxy", "structuredClone"})
# Methods of the language's own types, by what they give: what is held, or the same again.
_TAKING = frozenset({"find", "findLast", "at", "pop", "shift", "get", "deref"})
_SAME = frozenset(
    {
        *("filter", "slice", "reverse", "sort", "splice", "toSorted", "toReversed", "concat"),
        *("add", "set", "union", "difference", "intersection"),
    }
)
_NONE = frozenset({"forEach", "push", "unshift", "has", "delete", "includes", "indexOf", "join"})


class ScriptCalls(ScriptUnions):
    """Resolve calls."""

    __slots__ = ()

    def _of_call_once(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return the values of a call; each step of `a().b().c()` needs those before it twice."""
        if not module.is_script:
            return super()._of_call_once(module, node, scope, depth)
        if self._in_chain is None:
            self._in_chain = {}
            try:
                return self._of_call(module, node, scope, depth)
            finally:
                self._in_chain = None
        # What it gives depends on what is being followed at the moment, and from how far.
        key = (module, span_of(node), depth, frozenset(self._busy))
        if key not in self._in_chain:
            self._in_chain[key] = frozenset(self._of_call(module, node, scope, depth))
        return set(self._in_chain[key])

    def _of_call(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        callee = node.field("function") or node.field("constructor")
        if not module.is_script or callee is None or callee.text() == "require":
            return super()._of_call(module, node, scope, depth)
        if callee.kind() == "import":
            found = super()._of_call(module, node, scope, depth)
            return {Holder(HolderKind.PROMISE, frozenset(found))}
        known = self._of_library_call(module, node, callee, scope, depth)
        if known is not None:
            return known
        found = set()
        for value in self.of(module, callee, scope, depth + 1):
            if isinstance(value, OfClass) and not value.is_instance:
                given = tuple(
                    frozenset(self.types(module, each, scope, depth + 1))
                    for each in type_arguments(node)
                )
                found.add(OfClass(value.module, value.scope, True, given=given))
                continue
            shapes = self.callables([value], depth, new=node.kind() == "new_expression")
            for shape in shapes:
                chosen = self.chosen_at(module, node, shape, scope, depth)
                found |= choose(choose(self.return_values(shape, depth + 1), chosen), shape.chosen)
            if not shapes:
                found.add(self._of_outside_call(module, node, callee, value, scope, depth))
        return found or {UNKNOWN}

    def _of_outside_call(
        self,
        module: Module,
        node: SyntaxNode,
        callee: SyntaxNode,
        value: Value,
        scope: Scope,
        depth: int,
    ) -> Value:
        """Return what a function gives that is not the workspace's."""
        first = callee.text().partition(".")[0]
        if value == ANYTHING:
            return ANYTHING
        if value not in OUTSIDE or first in _GIVING:
            return UNKNOWN
        return value if self.gives_nothing(module, node, None, scope, depth) else UNKNOWN

    def gives_nothing(
        self,
        module: Module,
        call: SyntaxNode,
        but: SyntaxNode | None,
        scope: Scope,
        depth: int,
    ) -> bool:
        """Return whether a call is given nothing of the workspace, *but* one argument aside."""
        listed = call.field("arguments")
        types = (self.types(module, each, scope, depth + 1) for each in type_arguments(call))
        given = (
            self.of(module, each, scope, depth + 1)
            for each in (named_children(listed) if listed is not None else ())
            if but is None or not begins_at(each, but)
        )
        return all(self._is_outside(values, depth) for values in (*types, *given))

    def _is_outside(self, values: Iterable[Value], depth: int) -> bool:
        """Return whether nothing of *values*, or in them, is the workspace's."""
        for value in values:
            if isinstance(value, Holder):
                if not self._is_outside(value.inner, depth + 1):
                    return False
            elif isinstance(value, InferredShape) and value.kind == "object":
                names = {name for name, _, _ in keys_in(value.node)}
                held = (self.member_types([value], name, depth + 1) for name in names)
                is_cut = self._is_too_deep(depth)
                if is_cut or not all(self._is_outside(each, depth + 1) for each in held):
                    return False
                if value.node.find(kind="spread_element") is not None:
                    return False
            elif value not in OUTSIDE and not isinstance(value, KeysOf):
                return False
        return True

    def _of_library_call(
        self, module: Module, node: SyntaxNode, callee: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value] | None:
        """Return what the language's own functions give; None for other calls."""
        if node.kind() == "new_expression":
            is_known = callee.kind() == "identifier" and self._is_global(module, callee)
            types = type_arguments(node)
            return (
                self._library_type(module, callee.text(), types, scope, depth) if is_known else None
            )
        holder, name = callee.field("object"), callee.field("property")
        if holder is None or name is None:
            return None
        listed = node.field("arguments")
        given = named_children(listed) if listed is not None else []
        if callee.text() == "JSON.parse":
            return {ANYTHING}
        if callee.text() in _SHOWING and len(given) == 1:
            values = self.of(module, given[0], scope, depth + 1)
            return self._convert(callee.text(), values, depth)
        found: set[Value] = set()
        for each in holders_among(self.of(module, holder, scope, depth + 1)):
            found |= self._of_method(module, each, name.text(), given, scope, depth)
        return found or None

    def _convert(self, called: str, values: set[Value], depth: int) -> set[Value]:
        """Return what a function makes of its only argument."""
        if called == "Array.from":
            return {as_list(self.elements(values, None, depth))}
        if called == "Object.values":
            return {as_list(self._values_in(values, depth))}
        if called == "Promise.resolve":
            return {Holder(HolderKind.PROMISE, frozenset(unwrap(values)))}
        return values

    def _values_in(self, values: set[Value], depth: int) -> set[Value]:
        """Return the values of all keys."""
        found: set[Value] = set()
        for value in values:
            if isinstance(value, Holder) and value.kind == HolderKind.RECORD:
                found |= value.inner
            elif isinstance(value, InferredShape) and value.kind == "object":
                names = {name for name, _, _ in keys_in(value.node)}
                found |= {v for name in names for v in self.member_types([value], name, depth + 1)}
            else:
                found.add(UNKNOWN)
        return found

    def _of_method(
        self,
        module: Module,
        holder: Holder,
        name: str,
        given: list[SyntaxNode],
        scope: Scope,
        depth: int,
    ) -> set[Value]:
        if name in _TAKING:
            return set(holder.inner)
        if name == "values":
            return {Holder(HolderKind.LIST, holder.inner)}
        if name == "entries":
            return {Holder(HolderKind.MAP, holder.inner)}
        if name in ("map", "then") and given:
            results = self.results(self.of(module, given[0], scope, depth + 1), depth + 1)
            is_map = name == "map"
            kind = HolderKind.LIST if is_map else HolderKind.PROMISE
            return {Holder(kind, frozenset(results if is_map else unwrap(results)))}
        if name == "concat":
            more = {v for each in given for v in self.of(module, each, scope, depth + 1)}
            lists = [value if isinstance(value, Holder) else as_list({value}) for value in more]
            return {holder, *lists}
        if name in _SAME:
            return {holder}
        return {OTHER if name in _NONE else UNKNOWN}

    def chosen_at(
        self, module: Module, call: SyntaxNode, function: InferredShape, scope: Scope, depth: int
    ) -> Chosen:
        """Return the types that a call gives the type parameters of a function."""
        declared = type_parameters(function.node)
        if not declared:
            return ()
        names = [required_field(part, "name") for part in declared]
        occurrences = [function.module.names.at(name) for name in names]
        bindings = [found.binding if found is not None else None for found in occurrences]
        chosen: dict[Binding, set[Value]] = {}
        for binding, written in zip(bindings, type_arguments(call), strict=False):
            if binding is not None:
                chosen[binding] = self.types(module, written, scope, depth + 1)
        if not chosen:
            listed = call.field("arguments")
            given = named_children(listed) if listed is not None else []
            for part, value in zip(parameters_of(function.node), given, strict=False):
                self._infer(function.module, part, (module, value, scope), bindings, chosen, depth)
        return tuple((binding, frozenset(values)) for binding, values in chosen.items())

    def _infer(
        self,
        home: Module,
        part: SyntaxNode,
        given: tuple[Module, SyntaxNode, Scope],
        bindings: list[Binding | None],
        chosen: dict[Binding, set[Value]],
        depth: int,
    ) -> None:
        """Find what an argument says about the type parameters in its parameter's type."""
        written = part.field("type")
        module, value, scope = given
        is_plain = value.kind() not in FUNCTIONS and value.kind() not in ("object", "string")
        inner = named_children(written)[0] if written is not None and is_plain else None
        if inner is None:
            return
        is_list = inner.kind() == "array_type"
        name = named_children(inner)[0] if is_list else inner
        occurrence = home.names.at(name) if name.kind() == "type_identifier" else None
        binding = occurrence.binding if occurrence is not None else None
        if binding is None or binding not in bindings:
            return
        values = self.of(module, value, scope, depth + 1)
        chosen.setdefault(binding, set()).update(
            self.elements(values, None, depth) if is_list else values
        )

    def return_values(self, function: InferredShape, depth: int) -> set[Value]:
        """Return what a function returns, as it is annotated or by what its body returns."""
        if self._is_too_deep(depth):
            return {UNKNOWN}
        module, node, scope = function.module, function.node, function.scope
        is_maker = node.kind() in ("constructor_type", "construct_signature")
        written = node.field("type" if is_maker else "return_type")
        if written is not None:
            return choose(self.types(module, written, scope, depth + 1), function.chosen)
        body = node.field("body")
        key = (module, function.start, "returned")
        if body is None or "generator" in node.kind() or key in self._busy:
            return {UNKNOWN}
        if any(child.kind() == "*" for child in node.children()):
            return {UNKNOWN}
        self._busy.add(key)
        try:
            inside = [body] if body.kind() != "statement_block" else list(_returns(body))
            found = {v for each in inside for v in self.of(module, each, scope, depth + 1)}
        finally:
            self._busy.discard(key)
        if any(child.kind() == "async" for child in node.children()):
            return {Holder(HolderKind.PROMISE, frozenset(unwrap(found or {OTHER})))}
        return choose(found, function.chosen) or {OTHER}


def _returns(body: SyntaxNode) -> Iterator[SyntaxNode]:
    """Yield what a function's own `return` statements return."""
    for child in body.children():
        if child.kind() == "return_statement":
            yield from named_children(child)[:1]
        elif child.kind() not in FUNCTIONS and not child.is_leaf() and child.kind() != "class_body":
            yield from _returns(child)


def as_list(values: set[Value]) -> Holder:
    """Return an array of *values*."""
    return Holder(HolderKind.LIST, frozenset(values))

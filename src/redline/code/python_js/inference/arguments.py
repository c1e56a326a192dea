"""Find the types of the parameters that the arguments of a script's calls are for."""

from __future__ import annotations

from redline.code.python_js.heritage import OfClass, Value
from redline.code.python_js.inference.shapes import (
    OTHER,
    OUTSIDE,
    UNKNOWN,
    InferredShape,
    KeysOf,
    TypeParameter,
    choose,
    holders_among,
    parameters_of,
)
from redline.code.python_js.inference.values import ScriptValues
from redline.code.python_js.project import Module
from redline.code.scopes.model import Scope
from redline.code.syntax.node import SyntaxNode, begins_at, named_children, parent_of

# Methods that put what they are given into an array, a set or a map: from which argument on.
_HELD_FROM = {
    **dict.fromkeys(("push", "unshift", "add", "includes", "indexOf", "fill"), 0),
    **dict.fromkeys(("set", "with"), 1),
    "splice": 2,
}


class ScriptArguments(ScriptValues):
    """Resolve what calls ask of their arguments."""

    __slots__ = ()

    def argument_types(
        self, module: Module, node: SyntaxNode, parent: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return the type of the parameter that *node* is the argument for."""
        call = parent_of(parent)
        callee = call.field("function") or call.field("constructor")
        given = [each for each in named_children(parent) if each.kind() != "comment"]
        index = next(nth for nth, each in enumerate(given) if begins_at(each, node))
        if any(each.kind() == "spread_element" for each in given[:index]) or callee is None:
            return {UNKNOWN}
        if callee.kind() == "super":
            around = super().of(module, callee, scope, depth + 1)
            above = [
                OfClass(v.module, v.scope, above=True) for v in around if isinstance(v, OfClass)
            ]
            called = self.callables(above, depth, new=True)
        else:
            held = self._of_held(module, callee, index, scope, depth)
            if held is not None:
                return held
            values = self.of(module, callee, scope, depth + 1)
            called = self.callables(values, depth, new=call.kind() == "new_expression")
            if not called and self._is_foreign_call(module, call, node, values, scope, depth):
                return {OTHER}
        found: set[Value] = set() if called else {UNKNOWN}
        for function in called:
            chosen = self.chosen_at(module, call, function, scope, depth)
            types = self.parameter_types(function, index, depth)
            found |= choose(choose(types, chosen), function.chosen)
        return found

    def _of_held(
        self, module: Module, callee: SyntaxNode, index: int, scope: Scope, depth: int
    ) -> set[Value] | None:
        """Return what an array, a set or a map is given to hold; None if it is none."""
        holder, name = callee.field("object"), callee.field("property")
        if holder is None or name is None or _HELD_FROM.get(name.text(), index + 1) > index:
            return None
        held = holders_among(self.of(module, holder, scope, depth + 1))
        return {value for each in held for value in each.inner} or None

    def _is_foreign_call(
        self,
        module: Module,
        call: SyntaxNode,
        node: SyntaxNode,
        called: set[Value],
        scope: Scope,
        depth: int,
    ) -> bool:
        """Return whether the types of a library alone say what an argument is.

        They may be those of other arguments, or of what the call is expected to give.
        """
        if not called or not called <= OUTSIDE:
            return False
        around = self.context_of(module, call, scope, depth + 1)
        return around <= OUTSIDE and self.gives_nothing(module, call, node, scope, depth)

    def parameter_types(self, function: InferredShape, index: int, depth: int) -> set[Value]:
        """Return the type of a parameter of a function."""
        parts = parameters_of(function.node)
        last = parts[-1].field("pattern") if parts else None
        is_rest = last is not None and last.kind() == "rest_pattern" and index >= len(parts) - 1
        if index >= len(parts) and not is_rest:
            return {OTHER}
        part = parts[-1] if is_rest else parts[index]
        written = part.field("type")
        if written is None:
            return {UNKNOWN}
        found = self.types(function.module, written, function.scope, depth + 1)
        if is_rest:
            found = self.elements(found, index - len(parts) + 1, depth)
        return {value for each in found for value in self._with_keys(each, depth)}

    def _with_keys(self, value: Value, depth: int) -> set[Value]:
        """Return a value, or the keys that a type parameter is limited to: `K extends keyof T`."""
        least = self.constraint(value, depth) if isinstance(value, TypeParameter) else set()
        if isinstance(value, TypeParameter) and self.is_any_key(value):
            return {KeysOf(frozenset({UNKNOWN}))}
        return {each for each in least if isinstance(each, KeysOf)} or {value}

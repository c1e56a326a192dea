"""Find the type that the code around an expression of a script asks for."""

from __future__ import annotations

from redline.code.python_js.heritage import (
    OfClass,
    Value,
)
from redline.code.python_js.inference.shapes import (
    FUNCTIONS,
    MAX_DEPTH,
    OTHER,
    PARAMETERS,
    UNKNOWN,
    Holder,
    HolderKind,
    InferredShape,
    TypeParameter,
    choose,
    parameters_of,
    unwrap,
)
from redline.code.python_js.inference.values import ScriptValues
from redline.code.python_js.project import Module
from redline.code.references.definition import UNKNOWN as UNKNOWN_DEFINITION
from redline.code.references.definition import Definition
from redline.code.scopes.model import Scope
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
    span_of,
    start_of,
)

_PASSING = {
    *("parenthesized_expression", "non_null_expression", "spread_element", "ternary_expression"),
    *("await_expression",),
}
_STATEMENTS = {"expression_statement", "export_statement", "member_expression", "for_in_statement"}
# Which parameters of a callback are what an array or a map holds.
_EACH = frozenset(
    {
        *("forEach", "map", "filter", "find", "findIndex", "findLast", "some", "every", "flatMap"),
        *("findLastIndex", "then"),
    }
)


class ScriptContext(ScriptValues):
    """Resolve expressions, also those that only the code around them types."""

    __slots__ = ()

    def context_of(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int = 0
    ) -> set[Value]:
        """Return the type that the code around an expression asks for; empty if it asks none."""
        key = (module, start_of(node), node.kind(), "expected")
        if depth > MAX_DEPTH or key in self._busy:
            return {UNKNOWN}
        self._busy.add(key)
        try:
            return self._find_context(module, node, parent_of(node), scope, depth)
        finally:
            self._busy.discard(key)

    def _find_context(
        self, module: Module, node: SyntaxNode, parent: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        kind = parent.kind()
        if kind in ("variable_declarator", "public_field_definition") or kind in PARAMETERS:
            written = parent.field("type")
            return self.types(module, written, scope, depth + 1) if written is not None else set()
        if kind in _PASSING:
            return self.context_of(module, parent, scope, depth + 1)
        if kind in ("as_expression", "satisfies_expression", "type_assertion"):
            parts = named_children(parent)
            if len(parts) < 2:  # `as const`
                return self.context_of(module, parent, scope, depth + 1)
            written = parts[1] if kind != "type_assertion" else named_children(parts[0])[0]
            return self.types(module, written, scope, depth + 1)
        if kind == "arguments":
            return self._of_argument(module, node, parent, scope, depth)
        if kind == "pair" or (kind == "object" and node.kind() in FUNCTIONS):
            return self._of_key(module, node, parent, scope, depth)
        if kind == "array":
            around = self.context_of(module, parent, scope, depth + 1)
            return self.elements(around, None, depth) if around else set()
        return self._of_statement(module, node, parent, scope, depth)

    def _of_statement(
        self, module: Module, node: SyntaxNode, parent: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        kind = parent.kind()
        if kind in ("return_statement", "arrow_function"):
            return self._of_return(module, parent, scope, depth)
        if kind == "assignment_expression":
            left = required_field(parent, "left")
            return self.of(module, left, scope, depth + 1) if not begins_at(left, node) else set()
        if kind == "binary_expression":
            operator = parent.field("operator")
            is_passed = operator is not None and operator.text() in ("||", "??", "&&")
            return self.context_of(module, parent, scope, depth + 1) if is_passed else set()
        if kind == "object":
            return self.context_of(module, parent, scope, depth + 1)
        return set() if kind in _STATEMENTS else {UNKNOWN}

    def _of_key(
        self, module: Module, node: SyntaxNode, parent: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return the type of the key whose value *node* is."""
        is_pair = parent.kind() == "pair"
        holder = parent_of(parent) if is_pair else parent
        key = required_field(parent, "key") if is_pair else required_field(node, "name")
        around = self.context_of(module, holder, scope, depth + 1)
        if not around or key.kind() == "computed_property_name":
            return around and {UNKNOWN}
        return self.member_types(around, key.text().strip("'\""), depth + 1)

    def _of_return(
        self, module: Module, parent: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        function: SyntaxNode | None = parent
        while function is not None and function.kind() not in FUNCTIONS:
            function = function.parent()
        if function is None:
            return {UNKNOWN}
        written = function.field("return_type")
        found: set[Value] = set()
        if written is not None:
            found = self.types(module, written, scope, depth + 1)
        else:
            around = self.expected_function(module, function, scope, depth + 1)
            for each in self.callables(around, depth):
                found |= choose(self.return_values(each, depth + 1), each.chosen)
            if UNKNOWN in around:
                found.add(UNKNOWN)
        is_async = any(child.kind() == "async" for child in function.children())
        return unwrap(found) if is_async else found

    def expected_function(
        self, module: Module, function: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return the type that is asked of a function; empty for a declaration."""
        parent = parent_of(function)
        is_expression = function.kind() in ("arrow_function", "function_expression")
        is_method = function.kind() == "method_definition" and parent.kind() == "object"
        if not is_expression and not is_method:
            return set()
        return self.context_of(module, function, scope, depth)

    def _of_argument(
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
            values = self.of(module, callee, scope, depth + 1)
            called = self.callables(values, depth, new=call.kind() == "new_expression")
        found: set[Value] = set() if called else {UNKNOWN}
        for function in called:
            chosen = self.chosen_at(module, call, function, scope, depth)
            types = self.parameter_types(function, index, depth)
            found |= choose(choose(types, chosen), function.chosen)
        return found

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
        return self.elements(found, index - len(parts) + 1, depth) if is_rest else found

    def parameter_values(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return what a function without a type for this parameter is called with."""
        function: SyntaxNode | None = node.parent()
        while function is not None and function.kind() not in FUNCTIONS:
            function = function.parent()
        if function is None:
            return {UNKNOWN}
        parts = parameters_of(function)
        index = next((nth for nth, each in enumerate(parts) if begins_at(each, node)), None)
        if index is None or depth > MAX_DEPTH:
            return {UNKNOWN}
        known = self._of_callback(module, function, index, scope, depth)
        if known is not None:
            return known
        found: set[Value] = set()
        for each in self.callables(self.expected_function(module, function, scope, depth), depth):
            found |= choose(self.parameter_types(each, index, depth + 1), each.chosen)
        return found or {UNKNOWN}

    def _of_callback(
        self, module: Module, function: SyntaxNode, index: int, scope: Scope, depth: int
    ) -> set[Value] | None:
        """Return what an array, a map or a promise calls a function with; None if it is none."""
        listed = parent_of(function)
        call = parent_of(listed) if listed.kind() == "arguments" else None
        callee = call.field("function") if call is not None else None
        holder = callee.field("object") if callee is not None else None
        name = callee.field("property") if callee is not None else None
        if holder is None or name is None or not begins_at(named_children(listed)[0], function):
            return None
        holders = self.of(module, holder, scope, depth + 1)
        if not holders or not all(isinstance(each, Holder) for each in holders):
            return None
        at = {"reduce": (1,), "reduceRight": (1,), "sort": (0, 1), "toSorted": (0, 1)}
        wanted = (0,) if name.text() in _EACH else at.get(name.text(), ())
        if index not in wanted:
            return {UNKNOWN}
        found: set[Value] = set()
        for each in holders:
            if isinstance(each, Holder):
                is_entry = each.kind == HolderKind.MAP and name.text() != "forEach"
                found |= {UNKNOWN} if is_entry else set(each.inner)
        return found

    def expects_key(
        self, module: Module, holder: SyntaxNode, name: str, scope: Scope
    ) -> set[Definition]:
        """Return the members that a key of the object at *holder* sets, by what is asked of it."""
        found: set[Definition] = set()
        for value in self.context_of(module, holder, scope):
            if value == UNKNOWN or self._may_hide(value, name):
                found.add(UNKNOWN_DEFINITION)
            found |= self.definitions_in(value, name)
        return found

    def _may_hide(self, value: Value, name: str) -> bool:
        """Return whether a type may have a member that cannot be seen."""
        if isinstance(value, OfClass):
            return self.owners(value, name, all_of=True).is_open
        if isinstance(value, TypeParameter):
            return any(self._may_hide(each, name) for each in self.constraint(value, 1))
        return False

    def named_by_text(self, module: Module, node: SyntaxNode) -> set[Value] | None:
        """Return whose member the text at *node* names: `x["a"]`, `T["a"]`; None for other text."""
        parent = parent_of(node)
        scope = scope_at(module, node)
        if parent.kind() == "subscript_expression" and begins_at(parent.field("index"), node):
            return self.of(module, parent.field("object"), scope)
        if parent.kind() != "literal_type":
            return None
        around = parent_of(parent)
        if around.kind() == "lookup_type" and begins_at(named_children(around)[1], parent):
            return self.types(module, named_children(around)[0], scope)
        while around.kind() == "union_type":
            around = parent_of(around)
        named = parent_of(around) if around.kind() == "type_arguments" else None
        if named is None or (named.field("name") or named).text() != "Pick":
            return None
        return self.types(module, named_children(around)[0], scope)


def scope_at(module: Module, node: SyntaxNode) -> Scope:
    """Return the innermost scope around *node*."""
    start, best = start_of(node), module.names.root
    for scope in module.names.scopes:
        span = span_of(scope.node)
        if span.start <= start < span.end and span.start >= start_of(best.node):
            best = scope
    return best

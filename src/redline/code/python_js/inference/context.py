"""Find the type that the code around an expression of a script asks for."""

from __future__ import annotations

from redline.code.python_js.heritage import (
    OfClass,
    Value,
)
from redline.code.python_js.inference.arguments import ScriptArguments
from redline.code.python_js.inference.shapes import (
    FUNCTIONS,
    GLOBAL,
    OTHER,
    OUTSIDE,
    PARAMETERS,
    UNKNOWN,
    HolderKind,
    TypeParameter,
    choose,
    holders_among,
    parameters_of,
    unwrap,
)
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
# The same, of methods that call back with something else first.
_AT = {"reduce": (1,), "reduceRight": (1,), "sort": (0, 1), "toSorted": (0, 1)}


class ScriptContext(ScriptArguments):
    """Resolve expressions, also those that only the code around them types."""

    __slots__ = ()

    def context_of(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int = 0
    ) -> set[Value]:
        """Return the type that the code around an expression asks for; empty if it asks none."""
        key = (module, start_of(node), node.kind(), "expected")
        if self._is_too_deep(depth) or key in self._busy:
            return {UNKNOWN}
        self._busy.add(key)
        try:
            found = self._find_context(module, node, parent_of(node), scope, depth)
        finally:
            self._busy.discard(key)
        is_object = node.kind() == "object"
        return self.fitting(module, found, node, scope, depth) if is_object else found

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
            return self.argument_types(module, node, parent, scope, depth)
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
        if kind == "yield_expression":
            return self.elements(self._of_return(module, parent, scope, depth), None, depth)
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
            found = self._asked_to_return(module, function, scope, depth)
        is_async = any(child.kind() == "async" for child in function.children())
        return unwrap(found) if is_async else found

    def _asked_to_return(
        self, module: Module, function: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return what a function without a return type is asked to return."""
        call = self._calling_back(module, function, scope, depth)
        if call is not None:
            name = required_field(required_field(call, "function"), "property").text()
            if name not in ("map", "flatMap", "then"):
                return {UNKNOWN} if name in _AT else set()
            around = self.context_of(module, call, scope, depth + 1)
            if name == "then":
                return unwrap(around)
            return self.elements(around, None, depth) if around else set()
        around = self.expected_function(module, function, scope, depth + 1)
        found: set[Value] = {UNKNOWN} if UNKNOWN in around else set()
        for each in self.callables(around, depth):
            found |= choose(self.return_values(each, depth + 1), each.chosen)
        return found

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
        if index is None or self._is_too_deep(depth):
            return {UNKNOWN}
        known = self._of_callback(module, function, index, scope, depth)
        if known is not None:
            return known
        expected = self.expected_function(module, function, scope, depth)
        found: set[Value] = set()
        for each in self.callables(expected, depth):
            found |= choose(self.parameter_types(each, index, depth + 1), each.chosen)
        is_foreign = bool(expected) and expected <= OUTSIDE
        return found or {OTHER if is_foreign else UNKNOWN}

    def _of_callback(
        self, module: Module, function: SyntaxNode, index: int, scope: Scope, depth: int
    ) -> set[Value] | None:
        """Return what an array, a map or a promise calls a function with; None if it is none."""
        call = self._calling_back(module, function, scope, depth)
        if call is None:
            return None
        callee = required_field(call, "function")
        name = required_field(callee, "property").text()
        if index == 1 and name in _EACH:
            return {GLOBAL}
        if index not in ((0,) if name in _EACH else _AT.get(name, ())):
            return {UNKNOWN}
        found: set[Value] = set()
        for each in holders_among(self.of(module, callee.field("object"), scope, depth + 1)):
            is_entry = each.kind == HolderKind.MAP and name != "forEach"
            found |= {UNKNOWN} if is_entry else set(each.inner)
        return found

    def called_back_with(self, module: Module, node: SyntaxNode, scope: Scope) -> set[Value]:
        """Return what an array, a map or a promise calls the function at *node* with first."""
        return self._of_callback(module, node, 0, scope, 0) or set()

    def _calling_back(
        self, module: Module, function: SyntaxNode, scope: Scope, depth: int
    ) -> SyntaxNode | None:
        """Return the call of a method of an array, a map or a promise that *function* is for."""
        listed = parent_of(function)
        call = parent_of(listed) if listed.kind() == "arguments" else None
        callee = call.field("function") if call is not None else None
        holder = callee.field("object") if callee is not None else None
        is_method = callee is not None and callee.kind() == "member_expression"
        if not is_method or not begins_at(named_children(listed)[0], function):
            return None
        return call if holders_among(self.of(module, holder, scope, depth + 1)) else None

    def expects_key(
        self, module: Module, holder: SyntaxNode, name: str, scope: Scope
    ) -> set[Definition]:
        """Return the members that a key of the object at *holder* sets, by what is asked of it."""
        found: set[Definition] = set()
        asked = self.context_of(module, holder, scope)
        if not asked:
            return self._asked_of_name(module, holder, name)
        for value in asked:
            if value == UNKNOWN or self._may_hide(value, name):
                found.add(UNKNOWN_DEFINITION)
            found |= self.definitions_in(value, name)
        return found

    def _asked_of_name(self, module: Module, holder: SyntaxNode, key: str) -> set[Definition]:
        """Return the member that a key of an object sets by the uses of the variable it is kept in.

        Nothing, unless they agree on one member.
        """
        parent = parent_of(holder)
        name = parent.field("name") if parent.kind() == "variable_declarator" else None
        occurrence = module.names.at(name) if name is not None else None
        if occurrence is None or occurrence.binding is None:
            return set()
        found: set[Value] = set()
        for home, binding in self.origins.importing(module, occurrence.binding):
            for use in binding.uses:
                if use.start != binding.sites[0].start:
                    found |= self.context_of(home, use.node, use.scope)
        members = {each for value in found for each in self.definitions_in(value, key)}
        return members if len(members) == 1 else set()

    def _may_hide(self, value: Value, name: str) -> bool:
        """Return whether a type may have a member that cannot be seen."""
        if isinstance(value, OfClass):
            return self.owners(value, name, all_of=True).is_open
        if isinstance(value, TypeParameter):
            return any(self._may_hide(each, name) for each in self.constraint(value, 1))
        return False

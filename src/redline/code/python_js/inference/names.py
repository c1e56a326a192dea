"""Find what names and patterns are bound to, and what conditions say about them."""

from __future__ import annotations

import re
from abc import abstractmethod

from redline.code.python_js.heritage import (
    OfClass,
    Value,
    instance_of,
)
from redline.code.python_js.inference.calls import ScriptCalls
from redline.code.python_js.inference.conditions import (
    classes_tested,
    conditions_about,
    constants_tested,
    side_of,
)
from redline.code.python_js.inference.shapes import (
    ANYTHING,
    FUNCTIONS,
    GLOBAL,
    MAX_DEPTH,
    OTHER,
    PARAMETERS,
    UNKNOWN,
    InferredShape,
    choose,
)
from redline.code.python_js.project import Module
from redline.code.scopes.model import Binding, BindingRole, Scope
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
)

_PATTERNS = {"object_assignment_pattern", "assignment_pattern"}
_NOTHING = {"null", "undefined"}
_ASSIGNING = {"assignment_expression", "augmented_assignment_expression"}
_MAX_NARROWED = 6


class ScriptNames(ScriptCalls):
    """Resolve names."""

    __slots__ = ()

    @abstractmethod
    def parameter_values(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return what a function without a type for this parameter is called with."""

    def _read_binding(self, module: Module, binding: Binding, depth: int) -> set[Value]:
        if module.is_script and binding.roles <= {BindingRole.FUNCTION}:
            plain = super()._read_binding(module, binding, depth)
            if plain != {OTHER}:
                return plain
            sites = [parent_of(site.node) for site in binding.sites]
            scope = binding.scope
            return {
                InferredShape.at(module, node, scope) for node in sites if node.kind() in FUNCTIONS
            }
        return super()._read_binding(module, binding, depth)

    def _of_name(self, module: Module, node: SyntaxNode, depth: int) -> set[Value]:
        occurrence = module.names.at(node)
        is_free = occurrence is not None and occurrence.binding is None
        if module.is_script and is_free and node.text() not in ("exports", "module"):
            return {GLOBAL}
        return super()._of_name(module, node, depth)

    def _of_site(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        if not module.is_script or parent_of(node).kind() == "assignment_expression":
            return super()._of_site(module, node, scope, depth)
        return self.bound_values(module, node, scope, depth)

    def bound_values(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return the values of the name or pattern at *node*, where it is bound."""
        if self._is_too_deep(depth):
            return {UNKNOWN}
        parent = parent_of(node)
        kind = parent.kind()
        if node.kind() == "shorthand_property_identifier_pattern":
            holder = parent if kind == "object_pattern" else parent_of(parent)
            whole = self.bound_values(module, holder, scope, depth + 1)
            return self.member_types(whole, node.text(), depth + 1)
        if kind == "pair_pattern":
            whole = self.bound_values(module, parent_of(parent), scope, depth + 1)
            key = required_field(parent, "key")
            name = key.text().strip("'\"") if key.kind() != "computed_property_name" else ""
            return self.member_types(whole, name, depth + 1) if name else {UNKNOWN}
        if kind in _PATTERNS:
            return self.bound_values(module, parent, scope, depth + 1)
        if kind == "array_pattern":
            before = parent.range().start.index
            index = sum(
                child.kind() == ","
                for child in parent.children()
                if before <= child.range().start.index < node.range().start.index
            )
            whole = self.bound_values(module, parent, scope, depth + 1)
            return self.elements(whole, index, depth)
        if kind == "rest_pattern":
            is_parameter = parent_of(parent).kind() in (*PARAMETERS, "object_pattern")
            outer = parent if parent_of(parent).kind() in PARAMETERS else parent_of(parent)
            return self.bound_values(module, outer, scope, depth + 1) if is_parameter else {UNKNOWN}
        return self._of_declaration(module, node, parent, scope, depth)

    def _of_declaration(
        self, module: Module, node: SyntaxNode, parent: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        kind = parent.kind()
        if kind == "variable_declarator" or kind in PARAMETERS:
            found = self._of_declarator(module, node, parent, scope, depth)
            if found is not None:
                return found
        if kind == "for_in_statement":
            operator = parent.field("operator")
            if operator is None or operator.text() != "of":
                return {GLOBAL}
            whole = self.of(module, parent.field("right"), scope, depth + 1)
            return self.elements(whole, None, depth)
        if kind == "assignment_expression":
            return self.of(module, parent.field("right"), scope, depth + 1)
        if kind in PARAMETERS or kind in ("arrow_function", "formal_parameters"):
            part = parent if kind in PARAMETERS else node
            return self.parameter_values(module, part, scope, depth)
        if kind == "catch_clause":
            return {ANYTHING}
        return {InferredShape.at(module, parent, scope) if kind in FUNCTIONS else UNKNOWN}

    def _of_declarator(
        self, module: Module, node: SyntaxNode, parent: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value] | None:
        written, value = parent.field("type"), parent.field("value")
        if written is not None:
            return self.types(module, written, scope, depth + 1)
        if value is None or value.kind() in _NOTHING or begins_at(value, node):
            return None
        return self.of(module, value, scope, depth + 1)

    def _narrow_name(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return the values of a name, also those that a condition around it says it has."""
        found = super().of(module, node, scope, depth)
        if depth > _MAX_NARROWED:
            return found
        text = node.text()
        for condition in conditions_about(node, text):
            for test in (condition, *condition.find_all(kind="binary_expression")):
                if test.kind() != "binary_expression" or side_of(test, "left") != text:
                    continue
                if side_of(test, "operator") == "instanceof":
                    named = self.of(module, test.field("right"), scope, depth + 1)
                    found |= {instance_of(each) for each in named if isinstance(each, OfClass)}
            for call in condition.find_all(kind="call_expression"):
                found |= self._by_predicate(module, call, text, scope, depth)
        return self._keep_tested(module, node, found, scope, depth)

    def _keep_tested(
        self, module: Module, node: SyntaxNode, found: set[Value], scope: Scope, depth: int
    ) -> set[Value]:
        """Return those of the values that have the classes and constants that are tested for."""
        if len(found) < 2:
            return found
        for name, values in constants_tested(node, node.text()):
            if _is_assigned_again(module, node):
                break
            constants = {self.constant(module, each, scope, depth + 1) for each in values}
            found = self.with_constant(found, name, constants, depth)
        for classes in classes_tested(node, node.text()):
            tested = [v for each in classes for v in self.of(module, each, scope, depth + 1)]
            if all(isinstance(each, OfClass) for each in tested):
                left = {v for v in found if any(self._derives(v, each) for each in tested)}
                found = left or found
        return found

    def _derives(self, value: Value, base: Value, depth: int = 0) -> bool:
        """Return whether a value is an instance of a class, or of one that derives from it."""
        if not isinstance(value, OfClass) or not isinstance(base, OfClass):
            return False
        if value.scope is base.scope:
            return True
        return depth < MAX_DEPTH and any(
            self._derives(each, base, depth + 1) for each in self.bases(value)
        )

    def _by_predicate(
        self, module: Module, call: SyntaxNode, text: str, scope: Scope, depth: int
    ) -> set[Value]:
        """Return what a call says about its argument, by `argument is Type`."""
        listed = call.field("arguments")
        given = [each.text() for each in named_children(listed)] if listed is not None else []
        if text not in given:
            return set()
        found: set[Value] = set()
        for function in self.callables(
            self.of(module, call.field("function"), scope, depth + 1), depth
        ):
            written = function.node.field("return_type")
            predicate = written.find(kind="type_predicate") if written is not None else None
            named = predicate.field("type") if predicate is not None else None
            if named is not None:
                types = self.types(function.module, named, function.scope, depth + 1)
                chosen = self.chosen_at(module, call, function, scope, depth)
                found |= choose(choose(types, chosen), function.chosen)
        return found - {UNKNOWN, ANYTHING}


def _is_assigned_again(module: Module, node: SyntaxNode) -> bool:
    """Return whether a module gives the name or member at *node* another value somewhere."""
    if node.kind() == "member_expression":
        return re.search(rf"{re.escape(node.text())}\s*=(?![=>])", module.parsed.text) is not None
    occurrence = module.names.at(node)
    binding = occurrence.binding if occurrence is not None else None
    around = ((use, parent_of(use.node)) for use in (binding.uses if binding is not None else ()))
    return any(
        parent.kind() in _ASSIGNING and begins_at(parent.field("left"), use.node)
        for use, parent in around
    )

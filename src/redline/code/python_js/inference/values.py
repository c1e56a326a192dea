"""Find what the expressions of a script evaluate to, by written and inferred types."""

from __future__ import annotations

from abc import abstractmethod

from redline.code.python_js.heritage import (
    Value,
)
from redline.code.python_js.inference.names import ScriptNames
from redline.code.python_js.inference.shapes import (
    FUNCTIONS,
    GLOBAL,
    OTHER,
    UNKNOWN,
    Holder,
    HolderKind,
    InferredShape,
    unwrap,
)
from redline.code.python_js.project import Module
from redline.code.scopes.model import Scope
from redline.code.syntax.node import (
    SyntaxNode,
    named_children,
    parent_of,
    required_field,
)

# Values of the language itself.
_PLAIN = {"undefined", "null", "unary_expression", "update_expression"}
_BRANCHING = {
    *("ternary_expression", "binary_expression", "assignment_expression"),
    "augmented_assignment_expression",
}
_INNER = {"parenthesized_expression", "non_null_expression", "satisfies_expression"}


class ScriptValues(ScriptNames):
    """Resolve expressions of scripts; those of Python as before."""

    __slots__ = ()

    @abstractmethod
    def context_of(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        """Return the type that the code around an expression asks for; empty if it asks none."""

    def of(
        self, module: Module, node: SyntaxNode | None, scope: Scope, depth: int = 0
    ) -> set[Value]:
        """Return the values that *node* may have."""
        if node is None or self._is_too_deep(depth):
            return {UNKNOWN}
        if not module.is_script:
            return super().of(module, node, scope, depth)
        kind = node.kind()
        if kind in ("identifier", "member_expression"):
            return self._narrow_name(module, node, scope, depth)
        if kind in FUNCTIONS or kind == "object":
            return {InferredShape.at(module, node, scope)}
        if kind in _PLAIN:
            return {GLOBAL}
        if kind in _INNER:
            inner = named_children(node)[0]
            # The grammar reads `a + b!.c` as `(a + b)!.c`.
            is_misread = kind == "non_null_expression" and inner.kind() == "binary_expression"
            return self.of(module, inner.field("right") if is_misread else inner, scope, depth)
        if kind in ("await", "await_expression"):
            return unwrap(self.of(module, named_children(node)[0], scope, depth + 1))
        return self._of_operation(module, node, scope, depth)

    def _of_operation(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        kind = node.kind()
        if kind in ("as_expression", "type_assertion"):
            return self._of_assertion(module, node, scope, depth)
        if kind in _BRANCHING:
            found = (self.of(module, each, scope, depth + 1) for each in branches(node))
            return {value for values in found for value in values} or {GLOBAL}
        if kind == "subscript_expression":
            return self._of_subscript(module, node, scope, depth)
        if kind == "array":
            return self._of_array(module, node, scope, depth)
        found_plain = super().of(module, node, scope, depth)
        return {GLOBAL} if found_plain == {OTHER} else found_plain

    def _of_assertion(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        parts = named_children(node)
        if node.kind() == "type_assertion":
            written = named_children(parts[0])
            return self.types(module, written[0], scope, depth + 1)
        if len(parts) < 2:  # `as const`
            return self.of(module, parts[0], scope, depth + 1)
        return self.types(module, parts[1], scope, depth + 1)

    def _of_subscript(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        holders = self.of(module, node.field("object"), scope, depth + 1)
        index = required_field(node, "index")
        if index.kind() == "string":
            return self.member_types(holders, index.text()[1:-1], depth + 1)
        number = int(index.text()) if index.text().isdecimal() else None
        return self.elements(holders, number, depth)

    def _of_array(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        held: set[Value] = set()
        for part in named_children(node):
            if part.kind() == "spread_element":
                inner = self.of(module, named_children(part)[0], scope, depth + 1)
                held |= self.elements(inner, None, depth)
            elif part.kind() != "comment":
                held |= self.of(module, part, scope, depth + 1)
        return {Holder(HolderKind.LIST, frozenset(held or {UNKNOWN}))}

    def _of_this(self, module: Module, node: SyntaxNode, scope: Scope) -> set[Value]:
        around = node.parent()
        while around is not None and around.kind() not in FUNCTIONS - {"arrow_function"}:
            around = around.parent()
        written = _type_of_this(around) if around is not None and node.kind() == "this" else None
        if written is not None:
            return self.types(module, written, scope, 1)
        found = super()._of_this(module, node, scope)
        if found == {UNKNOWN} and around is not None and around.kind() == "method_definition":
            holder = parent_of(around)
            if holder.kind() == "object" and not self.context_of(module, holder, scope, 1):
                return {InferredShape.at(module, holder, scope)}
        return found

    def _of_member(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        name = node.field("property")
        is_special = name is None or name.text() in ("prototype", "exports")
        if not module.is_script or is_special or name is None:
            return super()._of_member(module, node, scope, depth)
        holder = node.field("object")
        inner = self.origins.of_namespace(module, holder, name.text()) if holder else ()
        if inner:
            return {v for each in inner for v in self.of_definition(each, depth + 1)}
        return self.member_types(self.of(module, holder, scope, depth + 1), name.text(), depth + 1)


def branches(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the parts of an expression that may be its value."""
    kind = node.kind()
    if kind == "ternary_expression":
        return [required_field(node, "consequence"), required_field(node, "alternative")]
    if kind == "assignment_expression":
        return [required_field(node, "right")]
    # Also `a ??= b`.
    sides = [required_field(node, "left"), required_field(node, "right")]
    operator = node.field("operator")
    text = operator.text().removesuffix("=") if operator is not None else ""
    if text == "&&":
        return sides[1:]
    return sides if text in ("||", "??") else []


def _type_of_this(function: SyntaxNode) -> SyntaxNode | None:
    """Return the type that a function gives `this`."""
    listed = function.field("parameters")
    for part in named_children(listed)[:1] if listed is not None else ():
        pattern = part.field("pattern")
        if pattern is not None and pattern.kind() == "this":
            return part.field("type")
    return None

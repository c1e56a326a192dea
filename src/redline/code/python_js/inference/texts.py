"""Find the members that a script names by text: `x["a"]`, `Pick<T, "a">`, `pluck(x, "a")`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from redline.code.python_js.heritage import OfClass, Value
from redline.code.python_js.inference.context import ScriptContext
from redline.code.python_js.inference.shapes import (
    UNKNOWN,
    KeysOf,
    choose,
    chosen_of,
    type_parameters,
)
from redline.code.python_js.project import Module
from redline.code.scopes.model import Binding, Occurrence, Scope
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
)

_MAPPED = re.compile(r"\bkeyof\b|\[\s*\w+\s+in\s")
# The language's own types whose second argument names members of the first, or among its texts.
_KEYED = frozenset({"Pick", "Omit"})
_CHOOSING = frozenset({"Exclude", "Extract"})
_UNIONS = frozenset({"union_type", "parenthesized_type"})


class ScriptTexts(ScriptContext):
    """Resolve the texts that name members."""

    __slots__ = ()

    def named_by_text(self, module: Module, node: SyntaxNode) -> set[Value] | None:
        """Return whose member the text at *node* names; None for other text.

        As in `x["a"]`, `T["a"]`, `Pick<T, "a">`, or where `keyof T` is asked for; and in `"a" in x`
        if it says which of several types `x` has.
        """
        parent = parent_of(node)
        scope = module.scope_at(node)
        if parent.kind() == "subscript_expression" and begins_at(parent.field("index"), node):
            return self.of(module, parent.field("object"), scope)
        if parent.kind() == "binary_expression" and begins_at(parent.field("left"), node):
            operator, right = parent.field("operator"), parent.field("right")
            is_test = operator is not None and operator.text() == "in"
            tested = self.of(module, right, scope) if is_test else set()
            return tested if len(tested) > 1 else None
        if parent.kind() != "literal_type":
            return _named_by_keys(self.context_of(module, node, scope))
        return self._named_by_type(module, parent, node.text()[1:-1], scope)

    def _named_by_type(
        self, module: Module, node: SyntaxNode, name: str, scope: Scope
    ) -> set[Value] | None:
        """Return whose member a text names that is written as a type."""
        child, around = node, parent_of(node)
        while around.kind() in _UNIONS:
            child, around = around, parent_of(around)
        if around.kind() == "lookup_type" and begins_at(named_children(around)[1], child):
            return self.types(module, named_children(around)[0], scope)
        if around.kind() == "type_arguments":
            given = [each for each in named_children(around) if each.kind() != "comment"]
            index = next(nth for nth, each in enumerate(given) if begins_at(each, child))
            found = self._named_by_argument(module, around, given, index, scope)
            if found is not None:
                return found
            others = [each for nth, each in enumerate(given) if nth != index]
            types = [v for each in others for v in self.types(module, each, scope)]
            if any(self.definitions_in(value, name) for value in types):
                return {UNKNOWN}  # the type may use it as the name of a member
        return {UNKNOWN} if self._may_be_key(module, around, name) else None

    def _named_by_argument(
        self,
        module: Module,
        listed: SyntaxNode,
        given: list[SyntaxNode],
        index: int,
        scope: Scope,
    ) -> set[Value] | None:
        """Return whose member the type argument at *index* names; None if that is not known."""
        holder = parent_of(listed)
        name = holder.field("name") or listed.prev()
        if name is None:
            return None
        is_keyed = index == 1 and name.text() in _KEYED | _CHOOSING
        if is_keyed and self._is_global(module, name):
            whole = self.types(module, given[0], scope)
            return whole if name.text() in _KEYED else _named_by_keys(whole)
        arguments = tuple(frozenset(self.types(module, each, scope)) for each in given)
        if holder.kind() in ("call_expression", "new_expression"):
            return self._named_by_call(module, name, arguments, index, scope)
        found: set[Value] = set()
        for home, declared in self.declarations(module, name):
            chosen = chosen_of(OfClass(home, declared, True, given=arguments))
            limits = self._limits(home, declared.node, index, declared)
            found |= choose(limits, chosen)
        return _named_by_keys(found)

    def _named_by_call(
        self,
        module: Module,
        callee: SyntaxNode,
        given: tuple[frozenset[Value], ...],
        index: int,
        scope: Scope,
    ) -> set[Value] | None:
        """The same, of a type argument that a call is given."""
        found: set[Value] = set()
        for function in self.callables(self.of(module, callee, scope), 0):
            chosen: dict[Binding, frozenset[Value]] = {}
            for part, values in zip(type_parameters(function.node), given, strict=False):
                occurrence = function.module.names.at(required_field(part, "name"))
                if occurrence is not None and occurrence.binding is not None:
                    chosen[occurrence.binding] = values
            limits = self._limits(function.module, function.node, index, function.scope)
            found |= choose(limits, tuple(chosen.items()))
        return _named_by_keys(found)

    def _limits(self, home: Module, node: SyntaxNode, index: int, scope: Scope) -> set[Value]:
        """Return what a declaration limits its type parameter at *index* to."""
        declared = type_parameters(node)[index : index + 1]
        written = declared[0].field("constraint") if declared else None
        return self.types(home, written, scope) if written is not None else set()

    def _may_be_key(self, module: Module, around: SyntaxNode, text: str) -> bool:
        """Return whether the texts in *around* may name members: by its own name, if it has one."""
        if around.kind() != "type_alias_declaration":
            return _MAPPED.search(module.parsed.text) is not None
        occurrence = module.names.at(required_field(around, "name"))
        if occurrence is None or occurrence.binding is None:
            return True
        return any(
            _takes_members_by(home.parsed.text, binding.name)
            or any(self._is_key(home, use, text) for use in _variables_of(home, binding))
            for home, binding in self.origins.importing(module, occurrence.binding)
        )

    def _is_key(self, module: Module, use: Occurrence, text: str) -> bool:
        """Return whether a variable is used as the name of a member, which may be *text*."""
        parent = parent_of(use.node)
        if parent.kind() == "subscript_expression" and begins_at(parent.field("index"), use.node):
            named: set[Value] | None = self.of(module, parent.field("object"), use.scope)
        else:
            named = _named_by_keys(self.context_of(module, use.node, use.scope))
        return any(self.definitions_in(value, text) for value in named or ())


def _variables_of(module: Module, alias: Binding) -> Iterator[Occurrence]:
    """Yield the uses of variables and parameters whose type an alias is."""
    for use in alias.uses:
        part = parent_of(use.node)
        while part.kind() in _UNIONS or part.kind() == "type_annotation":
            part = parent_of(part)
        name = part.field("pattern") or part.field("name")
        typed = module.names.at(name) if name is not None else None
        binding = typed.binding if typed is not None else None
        if binding is not None and binding is not alias:
            yield from binding.uses


def _named_by_keys(values: Iterable[Value]) -> set[Value] | None:
    return {v for each in values if isinstance(each, KeysOf) for v in each.inner} or None


def _takes_members_by(text: str, alias: str) -> bool:
    """Return whether a file may take the texts of a type alias for names of members."""
    name = re.escape(alias)
    ways = (
        rf"\bin\s+{name}\b",
        rf"\[\s*{name}\s*\]",
        rf"\b(?:Pick|Omit|Extract|Exclude)<[^;{{}}]*\b{name}\b",
        rf"\b(?!(?:Readonly|Weak)?Map<)\w+<[^;{{}}]*,\s*\|?\s*{name}\s*[,>|]",
        rf"\btype\b[^;={{}}]*=[^;{{}}=]*\b{name}\b",
    )
    return re.search("|".join(ways), text) is not None

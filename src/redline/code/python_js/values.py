"""Find the class of a value, as far as annotations, constructor calls and imports show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from redline.code.python_js.annotations import class_names, is_anything
from redline.code.python_js.answers import Answers
from redline.code.python_js.heritage import (
    OfClass,
    Value,
    class_around,
    instance_of,
    may_have_members,
    members_of,
)
from redline.code.python_js.imports import ImportedName, required_module
from redline.code.python_js.members import LITERALS, NoClass
from redline.code.python_js.origins import Definitions, Origins
from redline.code.python_js.project import Module
from redline.code.python_js.python_values import SPLATS, Container, PythonValues
from redline.code.references.definition import FOREIGN, UNKNOWN, Definition, whole
from redline.code.scopes.model import ANY, Binding, BindingRole, Member, MemberUse, Scope, ScopeKind
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
    start_of,
)

_WRAPPED = {"parenthesized_expression", "await", "await_expression", "non_null_expression"}
_CALLS = {"call", "call_expression", "new_expression"}
_FUNCTIONS = {BindingRole.FUNCTION}
_ASSIGNING = {"assignment", "assignment_expression", "variable_declarator", "field_definition"}
_TYPED = {
    *("typed_parameter", "typed_default_parameter", "required_parameter"),
    *("optional_parameter", "public_field_definition", "property_signature"),
}


@dataclass(slots=True)
class ValueResolver(PythonValues):
    """Resolve the expressions before a dot."""

    # How many steps an expression is followed for.
    max_depth: ClassVar[int] = 10
    origins: Origins
    _answers: Answers = field(default_factory=Answers)

    def of(
        self, module: Module, node: SyntaxNode | None, scope: Scope, depth: int = 0
    ) -> set[Value]:
        """Return the values that *node* may have."""
        if node is None or self._is_too_deep(depth):
            return {NoClass.UNKNOWN}
        kind = node.kind()
        if kind == "identifier":
            return self._of_name(module, node, depth)
        if kind in ("attribute", "member_expression"):
            return self._of_member(module, node, scope, depth)
        if kind in _CALLS:
            return self._of_call_once(module, node, scope, depth)
        if kind in ("this", "super"):
            return self._of_this(module, node, scope)
        if kind in _WRAPPED:
            inner = next(iter(named_children(node)), None)
            return self.of(module, inner, scope, depth + 1)
        if kind == "as_expression":
            return self._of_annotation(module, node.children()[-1], scope, depth + 1)
        found = self.of_python(module, node, scope, depth) if not module.is_script else None
        return {_of_literal(module, node)} if found is None else found

    def _is_too_deep(self, depth: int) -> bool:
        if depth > self.max_depth:
            self._answers.stop_at_limit()
        return depth > self.max_depth

    def _of_this(self, module: Module, node: SyntaxNode, scope: Scope) -> set[Value]:
        """Return the values of `this` or `super` in a script."""
        above = node.kind() == "super"
        classes = module.classes
        found = class_around(module, scope) if above else classes.class_of_value(node, scope)
        return (
            {OfClass(module, found, True, above)} if isinstance(found, Scope) else {NoClass.UNKNOWN}
        )

    def _of_name(self, module: Module, node: SyntaxNode, depth: int) -> set[Value]:
        occurrence = module.names.at(node)
        if occurrence is None:
            return {NoClass.UNKNOWN}
        is_free = module.is_script and occurrence.binding is None
        if is_free and node.text() in ("exports", "module"):
            return {whole(module.path)}
        found = self.narrowed(module, occurrence, depth) if not module.is_script else None
        if found is not None:
            return found
        return self._of_all(self.origins.of_occurrence(module, occurrence), depth)

    def _of_all(self, definitions: Definitions, depth: int) -> set[Value]:
        found = {v for each in definitions for v in self.of_definition(each, depth + 1)}
        return found or {NoClass.OTHER}

    def of_definition(self, definition: Definition, depth: int = 0) -> set[Value]:
        """Return the values that a definition may have."""
        if definition in (UNKNOWN, FOREIGN):
            return {NoClass.UNKNOWN if definition == UNKNOWN else NoClass.OTHER}
        if definition.is_module:
            return {definition}
        if definition.binding is None or not isinstance(definition.module, Module):
            return {NoClass.UNKNOWN}
        return set(self._of_binding(definition.module, definition.binding, depth))

    def _of_binding(self, module: Module, binding: Binding, depth: int) -> frozenset[Value]:
        if self._answers.is_open(binding):
            return frozenset({NoClass.UNKNOWN})
        read = partial(self._read_binding, module, binding, depth)
        return self._answers.once(binding, depth, read)

    def _read_binding(self, module: Module, binding: Binding, depth: int) -> set[Value]:
        scope = module.types.get(binding)
        if scope is not None:
            return {OfClass(module, scope)}
        if binding.roles <= _FUNCTIONS:
            has_members = may_have_members(module, binding)
            return {NoClass.UNKNOWN if has_members else NoClass.OTHER}
        if self.origins.is_foreign(module, binding):
            return {NoClass.OTHER}
        found: set[Value] = set()
        for site in binding.sites:
            if BindingRole.PARAMETER in binding.roles and not module.is_script:
                own = module.classes.first_parameter(binding)
                if isinstance(own, Scope):
                    return {OfClass(module, own, True)}
            found |= self._of_site(module, site.node, binding.scope, depth)
        return found

    def _of_site(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        """Return the values that one binding site gives a name."""
        parent = parent_of(node)
        kind = parent.kind()
        if kind == "parameters" and not module.is_script:
            return {NoClass.ANYTHING}
        if kind in SPLATS and not module.is_script:
            return self.of_splat(module, parent, scope, depth)
        if kind not in _TYPED and kind not in _ASSIGNING:
            return self.of_statement(module, node, scope, depth)
        annotation = parent.field("type")
        if annotation is None and kind in _ASSIGNING:
            value = parent.field("right") or parent.field("value")
            left = parent.field("left") or parent.field("name") or parent.field("property")
            return self.of(module, value if begins_at(left, node) else None, scope, depth + 1)
        return self._of_annotation(module, annotation, scope, depth + 1)

    def _of_annotation(
        self, module: Module, node: SyntaxNode | None, scope: Scope, depth: int
    ) -> set[Value]:
        """Return instances of the classes that an annotation names."""
        if node is None or self._is_too_deep(depth):
            return {NoClass.UNKNOWN}
        if not module.is_script and is_anything(node):
            return {NoClass.ANYTHING}
        found: set[Value] = set()
        for name in class_names(node):
            if name is None:
                found.add(NoClass.UNKNOWN)
            elif not module.is_script and _is_self(name):
                # The class of the receiver, which may be derived from the one around.
                own = class_around(module, scope)
                found |= {NoClass.UNKNOWN} | ({OfClass(module, own, True)} if own else set())
            elif isinstance(name, str):
                found |= set(map(instance_of, self._of_quoted_type(module, name, scope, depth)))
            else:
                found |= self._of_type_name(module, name, scope, depth)
        return found or {NoClass.OTHER}

    def _of_type_name(
        self, module: Module, name: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return what a value is whose annotation has this name."""
        named = self.of_type(module, name, scope, depth)
        if not module.is_script and not any(isinstance(value, OfClass) for value in named):
            allowed = self.of_class_type(module, name, scope, depth)
            if allowed is not None:
                return allowed
            held = self.of_container_type(module, name, scope, depth)
            if held is not None:
                return {held}
        return set(map(instance_of, named))

    def _of_quoted_type(self, module: Module, name: str, scope: Scope, depth: int) -> set[Value]:
        """Return the classes that a name in a quoted annotation may refer to."""
        for outer in scope.outward():
            binding = outer.binding_of(name, ANY)
            if binding is not None and (outer.kind != ScopeKind.CLASS or outer is scope):
                return self._of_all(self.origins.of_binding(module, binding), depth)
        return {NoClass.UNKNOWN}

    def of_type(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        """Return the classes that the name of a type may refer to."""
        if node.kind() != "type_identifier":
            return self.of(module, node, scope, depth + 1)
        occurrence = module.names.at(node)
        if occurrence is None:
            return {NoClass.UNKNOWN}
        if occurrence.binding is not None and BindingRole.TYPE in occurrence.binding.roles:
            return {NoClass.UNKNOWN}
        return self._of_all(self.origins.of_occurrence(module, occurrence), depth)

    def _of_member(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        """Return the values of `object.name`."""
        name = _member_name(node)
        if module.is_script and node.text() == "module.exports":
            return {whole(module.path)}
        found: set[Value] = set()
        for value in self.of(module, node.field("object"), scope, depth + 1):
            if isinstance(value, Definition):
                for definition in self.origins.of_export(value.path, name):
                    found |= self.of_definition(definition, depth + 1)
            elif isinstance(value, OfClass) and module.is_script and name == "prototype":
                found.add(instance_of(value))
            elif isinstance(value, OfClass):
                found |= self._of_field(value, name, depth)
            else:
                found.add(NoClass.OTHER if isinstance(value, Container) else value)
        return found or {NoClass.UNKNOWN}

    def _of_field(self, value: OfClass, name: str, depth: int) -> set[Value]:
        found: set[Value] = set()
        for owner in self.owners(value, name).classes:
            for item in members_of(owner, name):
                found |= self._of_item(owner.module, item, depth)
        return found or {NoClass.UNKNOWN}

    def _of_item(self, module: Module, item: Member | Binding, depth: int) -> set[Value]:
        if isinstance(item, Binding):
            if item.roles <= {BindingRole.FUNCTION}:
                function = parent_of(item.sites[0].node)
                if parent_of(function).kind() != "decorated_definition":
                    return {NoClass.OTHER}
                return self._of_return_type(module, function, item.scope, depth)
            return set(self._of_binding(module, item, depth))
        # In `self.name = value` the whole access is what is assigned.
        site = parent_of(item.node) if item.form == MemberUse.ACCESS else item.node
        return self._of_site(module, site, item.scope, depth)

    def _of_call_once(
        self, module: Module, node: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return the values of a call; a chain of them would be followed again at each step."""
        if module.is_script:
            return self._of_call(module, node, scope, depth)
        where = node.range()
        call = (module, where.start.index, where.end.index)
        follow = partial(self._of_call, module, node, scope, depth)
        return set(self._answers.once(call, depth, follow))

    def _of_call(self, module: Module, node: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        callee = node.field("function") or node.field("constructor")
        if callee is None:
            return {NoClass.UNKNOWN}
        spec = required_module(node) or required_module(node, by="import")
        if spec is not None and module.is_script:
            return self._of_all(self.origins.of_import(module.path, ImportedName(spec)), depth)
        if callee.kind() == "identifier" and callee.text() == "super" and not module.is_script:
            around = class_around(module, scope)
            if around is None:
                return {NoClass.UNKNOWN}
            return {OfClass(module, around, True, True)}
        held = None if module.is_script else self.of_container_call(module, node, scope, depth)
        if held is not None:
            return held
        called = self.of(module, callee, scope, depth + 1)
        if called == {NoClass.ANYTHING}:
            return called
        made = (v for v in called if isinstance(v, OfClass) and not v.is_instance)
        return {instance_of(v) for v in made} or self._of_result(module, callee, scope, depth)

    def _of_result(
        self, module: Module, callee: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        """Return the values that the called functions of the workspace are annotated to return."""
        found: set[Value] = set()
        for function in self._functions(module, callee, scope, depth):
            home, binding = function.module, function.binding
            if binding is None or not isinstance(home, Module) or not binding.roles <= _FUNCTIONS:
                found.add(NoClass.UNKNOWN)
                continue
            node = parent_of(binding.sites[-1].node)
            found |= self._of_return_type(home, node, binding.scope, depth)
        return found or {NoClass.UNKNOWN}

    def _functions(
        self, module: Module, callee: SyntaxNode, scope: Scope, depth: int
    ) -> Iterator[Definition]:
        if callee.kind() == "identifier":
            occurrence = module.names.at(callee)
            if occurrence is not None:
                yield from self.origins.of_occurrence(module, occurrence)
        elif callee.kind() in ("attribute", "member_expression"):
            name = _member_name(callee)
            for value in self.of(module, callee.field("object"), scope, depth + 1):
                if isinstance(value, Definition):
                    yield from self.origins.of_export(value.path, name)
                elif isinstance(value, OfClass):
                    yield from self._methods(value, name)

    def _methods(self, value: OfClass, name: str) -> Iterator[Definition]:
        for owner in self.owners(value, name).classes:
            for item in members_of(owner, name):
                if isinstance(item, Binding):
                    yield self.origins.own(owner.module, item)

    def _of_return_type(
        self, module: Module, function: SyntaxNode, scope: Scope, depth: int
    ) -> set[Value]:
        annotation = function.field("return_type")
        is_async = any(child.kind() == "async" for child in function.children())
        if annotation is None or is_async:
            return {NoClass.UNKNOWN}
        return self._of_annotation(module, annotation, scope, depth + 1)


def _member_name(access: SyntaxNode) -> str:
    """Return the name after the dot."""
    return (access.field("attribute") or required_field(access, "property")).text()


def _is_self(name: SyntaxNode | str) -> bool:
    """Return whether an annotation of Python is `Self`, whatever it is imported from."""
    return (name if isinstance(name, str) else name.text()).rpartition(".")[2] == "Self"


def _of_literal(module: Module, node: SyntaxNode) -> Value:
    """Return the value of a class expression or a literal."""
    kind = node.kind()
    scope = module.bodies.get(start_of(node)) if kind == "class" else None
    if scope is not None:
        return OfClass(module, scope)
    return NoClass.OTHER if kind in LITERALS and kind != "object" else NoClass.UNKNOWN

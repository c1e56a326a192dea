"""Find the class of a value, as far as annotations, constructor calls and imports show it."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from enum import Enum
from functools import partial
from typing import ClassVar, NamedTuple, TypeAlias

from redline.code.python_js.heritage import (
    OfClass,
    Value,
    base_nodes,
    class_around,
    instance_of,
    may_have_members,
    members_of,
)
from redline.code.python_js.imports import ImportedName, required_module
from redline.code.python_js.members import LITERALS, NoClass
from redline.code.python_js.origins import Definitions, Origins
from redline.code.python_js.project import Module
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
from redline.core.records import dataclass, field

_MAX_DEPTH = 10


class MemberOwners(NamedTuple):
    """The classes that define a member, and whether a base that is unknown might, too."""

    classes: list[OfClass]
    is_open: bool


def _declarations(value: OfClass) -> Iterator[OfClass]:
    """Yield a class, and of its instances the interfaces of the same name: they are one type."""
    scopes = value.module.merged.get(value.scope, []) if value.is_instance else []
    for scope in scopes or [value.scope]:
        yield OfClass(value.module, scope)


def _declares(owner: OfClass, name: str) -> bool:
    return any(isinstance(item, Binding) for item in members_of(owner, name))


# A node that names a class, a name from a quoted annotation, or None if it is unknown.
ClassName: TypeAlias = SyntaxNode | str | None
_THROUGH = {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"}
_ANYTHING = {"any", "unknown", "object", "Any", "typing.Any", "t.Any"}
_NAME = re.compile(r"[^\W\d]\w*")
_NOTHING = {"none", "predefined_type", "literal_type", "array_type", "tuple_type", "null"}
_NAMES = {"identifier", "attribute", "type_identifier"}
_NESTED = frozenset(
    """
    union_type parenthesized_type readonly_type type_annotation type binary_operator union
    """.split()
)


def is_anything(node: SyntaxNode) -> bool:
    """Return whether an annotation says that a value may be anything."""
    return node.text() in _ANYTHING


def class_names(node: SyntaxNode) -> Iterator[ClassName]:
    """Yield the classes that a value with this annotation may be an instance of."""
    kind = node.kind()
    if is_anything(node):
        yield None
    elif kind in _NAMES:
        yield node
    elif kind in _NESTED:
        for child in named_children(node):
            yield from class_names(child)
    elif kind == "string":
        yield from _names_in_string(node.text())
    elif kind in ("subscript", "generic_type"):
        yield from _generic(node)
    elif kind not in _NOTHING:
        yield None


def _names_in_string(text: str) -> Iterator[ClassName]:
    for part in text.strip("\"'").split("|"):
        name = part.strip()
        if name != "None":
            yield name if _NAME.fullmatch(name) else None


def _generic(node: SyntaxNode) -> Iterator[ClassName]:
    base = node.field("value") or node.field("name") or node.children()[0]
    if base.text().split(".")[-1] not in _THROUGH:
        yield base if base.kind() in _NAMES else None
        return
    inner = type_arguments(node)
    for part in inner[:1] if base.text().endswith("Annotated") else inner:
        yield from class_names(part)


def type_arguments(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the types in the brackets of a type."""
    inner = named_children(node)[1:]
    if node.kind() != "generic_type":
        return inner
    return [child for part in inner for child in named_children(part)]


class _Limit(Enum):
    DEPTH = 0


class _Answer(NamedTuple):
    values: frozenset[Value]
    # How many steps were taken before it, and what cut it off: questions that were open, the limit.
    depth: int
    cut: frozenset[Hashable]


@dataclass(slots=True)
class Answers:
    """What was found out, by question."""

    _known: dict[Hashable, _Answer] = field(default_factory=dict)
    _open: set[Hashable] = field(default_factory=set)
    # What cut off the answer that is being looked for.
    _cut: set[Hashable] = field(default_factory=set)

    def once(
        self, question: Hashable, depth: int, find: Callable[[], set[Value]]
    ) -> frozenset[Value]:
        """Return what *find* finds, or what is known of it."""
        known = self._known.get(question)
        if known is None or not self._is_as_good(known, depth):
            around, self._cut = self._cut, set()
            self._open.add(question)
            try:
                values = frozenset(find())
            finally:
                self._open.discard(question)
                own, self._cut = self._cut, around
            known = _Answer(values, depth, frozenset(own - {question}))
            self._known[question] = known
        self._cut |= known.cut
        return known.values

    def is_open(self, question: Hashable) -> bool:
        """Whether *question* is being answered; what its answer depends on is then cut off."""
        if question in self._open:
            self._cut.add(question)
            return True
        return False

    def stop_at_limit(self) -> None:
        """Note that the search is not followed further."""
        self._cut.add(_Limit.DEPTH)

    def _is_as_good(self, known: _Answer, depth: int) -> bool:
        """Whether what cut off an answer would do so again."""
        return all(
            known.depth <= depth if each is _Limit.DEPTH else each in self._open
            for each in known.cut
        )


_WRAPPED = {"parenthesized_expression", "await", "await_expression", "non_null_expression"}
_CALLS = {"call", "call_expression", "new_expression"}
_FUNCTIONS = {BindingRole.FUNCTION}
# Names of Python's type of classes: which class a value of it is, the annotation does not say.
_CLASS_TYPES = {"type", "Type"}
_ASSIGNING = {"assignment", "assignment_expression", "variable_declarator", "field_definition"}
_TYPED = frozenset(
    """
    typed_parameter typed_default_parameter required_parameter optional_parameter
    public_field_definition property_signature
    """.split()
)


@dataclass(slots=True)
class ValueResolver:
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
        return {_of_literal(module, node)}

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
        if kind not in _TYPED and kind not in _ASSIGNING:
            return {NoClass.UNKNOWN}
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
        if not module.is_script and name.text().rpartition(".")[2] in _CLASS_TYPES:
            return {NoClass.UNKNOWN}
        return set(map(instance_of, self.of_type(module, name, scope, depth)))

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
                found.add(value)
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

    # Classes and their bases

    def owners(
        self, value: OfClass, name: str, *, all_of: bool = False, depth: int = 0
    ) -> MemberOwners:
        """Return the nearest class that defines *name* for *value*; with *all_of* all of them."""
        found: list[OfClass] = []
        declared = list(_declarations(value))
        if not value.above:
            found += [each for each in declared if members_of(each, name)]
            if found and not all_of:
                return MemberOwners(found + self._declaring_bases(value, name, depth), False)
        is_open = value.module.is_broken(start_of(value.scope.node))
        bases = (base for each in declared for base in self.bases(each))
        for base in bases if depth < _MAX_DEPTH else ():
            if isinstance(base, OfClass):
                above = self.owners(base, name, all_of=all_of, depth=depth + 1)
                found += above.classes
                is_open = is_open or above.is_open
                if found and not all_of:
                    return MemberOwners(found, False)
            elif base == NoClass.UNKNOWN:
                is_open = True
        return MemberOwners(found, is_open)

    def _declaring_bases(self, value: OfClass, name: str, depth: int) -> list[OfClass]:
        """Return the bases that declare what a Python class only assigns: a property, a field."""
        if value.module.is_script or depth >= _MAX_DEPTH or _declares(value, name):
            return []
        bases = [base for base in self.bases(value) if isinstance(base, OfClass)]
        above = [
            owner for base in bases for owner in self.owners(base, name, depth=depth + 1).classes
        ]
        return [owner for owner in above if _declares(owner, name)]

    def bases(self, value: OfClass) -> Iterator[Value]:
        """Yield the bases of a class, except the language's own classes."""
        module, scope = value.module, value.scope
        for node in base_nodes(scope.node, module.is_script):
            if self._is_builtin(module, node):
                continue
            outer = scope.parent or scope
            kind = node.kind()
            found = (
                self.of_type(module, node, outer, 1)
                if kind == "type_identifier"
                else self.of(module, node, outer, 1)
            )
            yield from (v for v in found if not (isinstance(v, OfClass) and v.scope is scope))

    def exported_by_bases(self, value: OfClass, name: str) -> set[Definition]:
        """Return what a type has by extending whole modules: `extends typeof module`."""
        found: set[Definition] = set()
        for scope in value.module.merged.get(value.scope, [value.scope]):
            for base in self.bases(OfClass(value.module, scope)):
                if isinstance(base, Definition):
                    found |= self.origins.of_export(base.path, name) - {UNKNOWN}
        return found

    def _is_builtin(self, module: Module, node: SyntaxNode) -> bool:
        """Return whether a base of a Python class is one of the language's own."""
        occurrence = module.names.at(node)
        if occurrence is None or occurrence.binding is not None or module.is_script:
            return False
        return not self.origins.of_occurrence(module, occurrence)


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

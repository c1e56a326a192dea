"""Find the references to a definition: occurrences that are bound to it, and possible ones.

The class of a value is known as far as annotations, constructor calls and imports show it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import Enum
from functools import partial
from typing import ClassVar, NamedTuple, TypeAlias

from redline.code.python_js.imports import (
    ImportedName,
    import_renaming,
    key_import,
    required_module,
)
from redline.code.python_js.members import LITERALS, NoClass, has_static, is_assigned
from redline.code.python_js.origins import (
    WHOLE,
    Definitions,
    Origins,
    import_at,
    in_namespace,
    is_exported_key,
)
from redline.code.python_js.project import Module, Project
from redline.code.references.definition import FOREIGN, UNCHECKED, UNKNOWN, Definition, whole
from redline.code.references.file_access import SourceFiles
from redline.code.references.targets import (
    Certainty,
    Meaning,
    Reference,
    ReferenceTarget,
    bound_to,
    by_line,
    verdicts,
)
from redline.code.scopes.model import (
    ANY,
    TYPE,
    VALUE,
    Binding,
    BindingRole,
    Member,
    MemberUse,
    Occurrence,
    Scope,
    ScopeKind,
)
from redline.code.syntax.node import (
    SyntaxNode,
    begins_at,
    named_children,
    parent_of,
    required_field,
    start_of,
)
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

_MAX_DEPTH = 10


class MemberOwners(NamedTuple):
    """The classes that define a member, and whether an unknown base might also define it."""

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
        """Return whether what cut off an answer would do so again."""
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


@dataclass(frozen=True, slots=True)
class OfClass:
    """A class, an instance of it, or (`above`) what it inherits from its bases."""

    module: Module
    scope: Scope
    is_instance: bool = False
    above: bool = False


# What an expression may evaluate to; a definition is a whole module.
Value: TypeAlias = OfClass | Definition | NoClass


def members_of(owner: OfClass, name: str) -> list[Member | Binding]:
    """Return where a class, interface or enum itself defines *name*."""
    module, scope = owner.module, owner.scope
    known = module.classes.defined.get(scope, {}).get(name, ())
    own = [item for item in known if module.is_script or _is_declared(module, item)]
    if own:
        return own
    bound = scope.names.get(name)
    if bound is not None and (not module.is_script or BindingRole.ENUM_MEMBER in bound.roles):
        return [bound]
    if not module.is_script:
        return []
    parameter = module.field_parameters.get(scope, {}).get(name)
    return [*module.keys.get(scope, {}).get(name, ()), *([parameter] if parameter else [])]


def _is_declared(module: Module, item: Member | Binding) -> bool:
    """Return whether a Python class declares it: in its body, or by assigning it to `self`."""
    if isinstance(item, Binding):
        return True
    owner = module.names.at(item.owner) if item.owner is not None else None
    return (
        owner is not None
        and owner.binding is not None
        and BindingRole.PARAMETER in owner.binding.roles
    )


def is_static(item: Member | Binding) -> bool:
    """Return whether a script defines a member as static."""
    if isinstance(item, Binding) or item.form != MemberUse.DEFINE:
        return False
    return has_static(parent_of(item.node))


def says_override(item: Member | Binding) -> bool:
    """Return whether a script defines a member with `override`."""
    if isinstance(item, Binding):
        return False
    words = (child.kind() for child in parent_of(item.node).children())
    return "override_modifier" in words


def base_nodes(node: SyntaxNode, is_script: bool) -> list[SyntaxNode]:
    """Return the expressions that name the bases of a class."""
    if not is_script:
        named = node.field("superclasses")
        bases = named.children() if named is not None else []
        plain = [
            required_field(base, "value") if base.kind() == "subscript" else base for base in bases
        ]
        return [base for base in plain if base.kind() in ("identifier", "attribute", "call")]
    found: list[SyntaxNode] = []
    for child in node.children():
        if child.kind() in ("class_heritage", "extends_type_clause"):
            found += _heritage(child)
    return found


def _heritage(node: SyntaxNode) -> list[SyntaxNode]:
    found: list[SyntaxNode] = []
    for child in node.children():
        kind = child.kind()
        if kind in ("extends_clause", "implements_clause"):
            found += _heritage(child)
        elif kind == "generic_type":
            found.append(child.children()[0])
        elif child.is_named() and kind not in ("type_arguments", "comment"):
            found.append(child)
    return found


def instance_of(value: Value) -> Value:
    """Return an instance of a class; any other value unchanged."""
    if not isinstance(value, OfClass):
        return value
    return OfClass(value.module, value.scope, True)


def class_of(value: Value) -> Value:
    """Return the class of an instance; any other value unchanged."""
    return OfClass(value.module, value.scope) if isinstance(value, OfClass) else value


def class_around(module: Module, scope: Scope) -> Scope | None:
    """Return the innermost class that contains a scope."""
    return next((s for s in scope.outward() if s in module.classes.defined), None)


def may_have_members(module: Module, binding: Binding) -> bool:
    """Return whether a function may have members: assigned in a script, or by a decorator."""
    if not module.is_script:
        holders = (parent_of(site.node).parent() for site in binding.sites)
        return any(node is not None and node.kind() == "decorated_definition" for node in holders)
    accesses = (parent_of(use.node) for use in binding.uses)
    return any(node.kind() == "member_expression" and is_assigned(node) for node in accesses)


@dataclass(slots=True)
class Meanings:
    """Resolve the occurrences of one name."""

    name: str
    origins: Origins
    values: ValueResolver
    # For a rename: members of Python classes count as those of their bases that they override.
    renaming: bool = False

    def of_occurrence(self, module: Module, occurrence: Occurrence) -> Definitions:
        """Return what a name refers to; for an import, both itself and its target."""
        if module.is_broken(occurrence.start):
            return frozenset({UNKNOWN})
        found = self.origins.of_occurrence(module, occurrence)
        if occurrence.binding is None:
            return found
        scope = occurrence.binding.scope
        if self.follows_bases(module) and scope.kind == ScopeKind.CLASS and not module.is_script:
            found |= self.family(OfClass(module, scope))
        if BindingRole.FIELD in occurrence.binding.roles:
            around = next((s for s in scope.outward() if s.kind == ScopeKind.CLASS), None)
            found |= self.family(OfClass(module, around)) if around is not None else set()
        return found | {self.origins.own(module, occurrence.binding)}

    def follows_bases(self, module: Module) -> bool:
        """Return whether a reference to a member also means those that it overrides."""
        return module.is_script or (self.renaming and not self.name.startswith("__"))

    def of_member(self, module: Module, member: Member) -> Definitions:
        """Return what a mention of a member refers to."""
        if module.is_broken(member.start):
            return frozenset({UNKNOWN})
        if member.form in (MemberUse.DEFINE, MemberUse.KEY):
            return self._of_definition(module, member)
        if member.form == MemberUse.LABEL:
            return self._of_label(module, member)
        return self._of_access(module, member)

    def _of_definition(self, module: Module, member: Member) -> Definitions:
        scope = member.scope
        own = OfClass(module, scope)
        if is_static(member) and self._is_mixed(own):
            return frozenset({self.member(own, static=True)})
        if scope.kind == ScopeKind.CLASS and member in members_of(own, member.name):
            family = self.family(own) if module.is_script else set()
            if module.is_script and self.values.owners(own, member.name, all_of=True).is_open:
                family.add(UNKNOWN)  # an unknown base may define it too
            return frozenset({self.member(own), *family})
        if not module.is_script:
            return frozenset({UNKNOWN})
        return self._of_key(module, member) or frozenset({UNKNOWN})

    def _of_key(self, module: Module, member: Member) -> Definitions:
        """Return what a key exports or imports."""
        exported = self.origins.of_export(module.path, member.name)
        if not is_exported_key(member.node):
            exported = frozenset(found for found in exported if found.start == member.start)
        imported = key_import(member.node)
        if imported is not None:
            return exported | self.origins.of_import(module.path, imported)
        if parent_of(member.node).kind() in ("pair_pattern", "object_pattern"):
            return exported | self.origins.of_extraction(module, member.node)
        return exported

    def _of_label(self, module: Module, member: Member) -> Definitions:
        """Return the field that a call of its class sets by name, if there is no constructor."""
        found: set[Definition] = set()
        for value in self.values.of(module, member.owner, member.scope):
            if isinstance(value, OfClass) and not value.is_instance:
                constructors = self.values.owners(value, "__init__").classes
                all_of = self.follows_bases(module)
                owners = self.values.owners(value, member.name, all_of=all_of).classes
                found |= {self.member(owner) for owner in owners if not constructors}
        return frozenset(found)

    def _of_access(self, module: Module, member: Member) -> Definitions:
        meaning = TYPE if member.kind == "type_identifier" else VALUE
        if module.is_script and member.owner is not None:
            inner = self.origins.of_namespace(module, member.owner, member.name)
            if inner:
                return in_namespace(inner, meaning)
        values = self.values.of(module, member.owner, member.scope)
        if not module.is_script and sum(isinstance(value, OfClass) for value in values) > 1:
            return frozenset({UNKNOWN})  # a check or an assignment may say which of them it is
        return self.of_values(module, values, member.name, meaning)

    def of_values(
        self, module: Module, values: Iterable[Value], name: str, meaning: str = VALUE
    ) -> Definitions:
        """Return the members of the name that *values* have."""
        found: set[Definition] = set()
        for value in values:
            if isinstance(value, Definition):
                found |= in_namespace(self.origins.of_export(value.path, name), meaning)
            elif isinstance(value, OfClass):
                all_of = self.follows_bases(module) and (value.is_instance or not module.is_script)
                owners, is_open = self.values.owners(value, name, all_of=all_of)
                found |= {
                    self.member(owner, static=not value.is_instance and self._is_mixed(owner))
                    for owner in owners
                }
                exported = self.values.exported_by_bases(value, name) if not owners else set()
                found |= exported
                if not (owners or exported) or (is_open and module.is_script):
                    found.add(UNKNOWN)
            elif value == NoClass.UNKNOWN:
                found.add(UNKNOWN)
            elif value == NoClass.ANYTHING:
                found |= {UNKNOWN, UNCHECKED}
        return frozenset(found)

    def family(self, value: OfClass) -> set[Definition]:
        """Return the members of the name in a class and all its bases.

        Constructors do not override those of the bases; static members only if marked `override`.
        """
        own = members_of(value, self.name)
        if self.name == "constructor" or all(is_static(i) and not says_override(i) for i in own):
            return {self.member(value)}
        # An interface of the same name may have further bases.
        is_instance = not all(is_static(item) for item in own)
        whole = OfClass(value.module, value.scope, is_instance)
        owners = self.values.owners(whole, self.name, all_of=True).classes
        return {self.member(owner) for owner in owners}

    def overrides_library(self, definition: Definition) -> bool:
        """Return whether Python code says that a member overrides one of a class not known here."""
        module = definition.module
        if not isinstance(module, Module) or module.is_script or not definition.is_member:
            return False
        start = definition.start
        scopes = [scope for scope in module.classes.defined if start_of(scope.node) == start]
        says_so = any(
            _is_decorated(item, "override")
            for scope in scopes
            for item in members_of(OfClass(module, scope), self.name)
        )
        if not says_so:
            return False
        above = (OfClass(module, scope, above=True) for scope in scopes)
        return not any(self.values.owners(each, self.name).classes for each in above)

    def member(self, owner: OfClass, *, static: bool = False) -> Definition:
        """Return the member of the name that a class defines; *static* if it has one of each."""
        name = f"static {self.name}" if static else self.name
        return Definition(owner.module.path, start_of(owner.scope.node), name, True, owner.module)

    def _is_mixed(self, owner: OfClass) -> bool:
        """Return whether a class has both a static and an instance member of the name."""
        return len({is_static(item) for item in members_of(owner, self.name)}) > 1

    def constructing(self, definitions: Definitions) -> Definitions:
        """Return the classes whose constructors run for these; it may be inherited from a base."""
        found: set[Definition] = set()
        for definition in definitions:
            for value in self.values.of_definition(definition):
                if isinstance(value, OfClass) and value.module.is_script:
                    found |= self._classes(self.values.owners(value, "constructor").classes)
        return frozenset(found)

    def bases(self, value: OfClass) -> Definitions:
        """Return the direct bases of a class that have the name."""
        above = [base for base in self.values.bases(value) if isinstance(base, OfClass)]
        return frozenset(self._classes(base for base in above if base.scope.name == self.name))

    def _classes(self, values: Iterable[OfClass]) -> set[Definition]:
        owned = ((value, value.scope.owner) for value in values)
        return {self.origins.own(v.module, owner) for v, owner in owned if owner is not None}


def _is_decorated(item: Member | Binding, name: str) -> bool:
    """Return whether a function of Python has a decorator of that name, from whatever module."""
    site = item.sites[0].node if isinstance(item, Binding) else item.node
    around = parent_of(site).parent()
    if around is None or around.kind() != "decorated_definition":
        return False
    written = (child.text() for child in around.children() if child.kind() == "decorator")
    return any(each.lstrip("@").strip().rpartition(".")[2] == name for each in written)


# A list that is not closed reaches to the end, so that no text is read more than once.
_LISTED = re.compile(
    r"__all__\s*(?::[^=\n]{0,200})?(?:\+?=|\.extend\()\s*[\[(]([^\])]*)(?:[\])]|\Z)"
)
# What follows a name of Python if its value is a type that is told the name.
_MADE = (
    r"[^=\n]{0,200}=\s*(?:\w+\.)?(?:TypeVar|TypeVarTuple|ParamSpec|TypeAliasType|NewType"
    r"|namedtuple|NamedTuple|TypedDict)\(\s*['\"]"
)
_LOADING = re.compile(r"\bimport\s*\(")
_IMPORTING_ROLES = {BindingRole.IMPORT, BindingRole.DOTTED_IMPORT}
_IMPORTING = {BindingRole.IMPORT, BindingRole.VARIABLE, BindingRole.DOTTED_IMPORT}


@dataclass(slots=True)
class PythonJsResolver:
    """Find references to definitions of one name, file by file."""

    name: str
    project: Project
    origins: Origins
    meanings: Meanings
    # Only calls that construct the class of the name: the references of its constructor.
    made_only: bool = False
    # Also what must be renamed with the definition.
    renaming: bool = False

    @classmethod
    def to(
        cls,
        name: str,
        files: SourceFiles,
        *,
        made_only: bool = False,
        renaming: bool = False,
    ) -> PythonJsResolver:
        """Create a resolver of *name* among *files*."""
        project = Project(files, {name})
        origins = Origins(project)
        meanings = Meanings(name, origins, ValueResolver(origins), renaming)
        return cls(name, project, origins, meanings, made_only, renaming)

    def exported_as(self, target: ReferenceTarget, path: WorkspacePath) -> set[str]:
        """Return the names under which the script at *path* exports the definition."""
        module = self.project.module(path)
        if module is None or not module.is_script:
            return set()
        exports = self.origins.exports(module)
        names = {*exports.named, *([WHOLE] if exports.stars else [])}
        return {name for name in names if target.same & self.origins.of_export(path, name)}

    def target(self, path: WorkspacePath, start: int) -> ReferenceTarget | None:
        """Return the definition whose name begins at *start*; None if scopes are unknown."""
        module = self.project.module(path)
        if module is None or module.is_broken(start):
            return None
        for occurrence in module.names.occurrences:
            if occurrence.start == start and occurrence.binding is not None:
                return self._binding_target(module, occurrence.binding)
        for member in module.names.members:
            if member.start == start:
                return self._member_target(module, member)
        return None

    def _binding_target(self, module: Module, binding: Binding) -> ReferenceTarget:
        own = self.origins.own(module, binding)
        same = {own}
        if any(_is_import_of_same_name(module, site) for site in binding.sites):
            same |= self.origins.of_binding(module, binding) - {UNKNOWN, FOREIGN}
        if own.is_member and self.meanings.follows_bases(module):
            scope = next(s for s in module.names.scopes if start_of(s.node) == own.start)
            same |= self.meanings.family(OfClass(module, scope))
        if self.renaming and module.is_script:
            same |= {self.origins.own(module, other) for other in _merged_with(binding)}
        return ReferenceTarget(own, same, own.is_member or binding.scope.shared)

    def _member_target(self, module: Module, member: Member) -> ReferenceTarget:
        found = self.meanings.of_member(module, member) - {UNKNOWN, FOREIGN}
        if found:
            nearest = min(found, key=lambda each: (each.path != module.path, each.start))
            is_loose = nearest.binding is None and not nearest.is_member
            # A member that is assigned here is the target, not the value it is assigned.
            same = {nearest} if nearest.start == member.start else set(found)
            return ReferenceTarget(nearest, same, nearest.is_member or is_loose, is_loose)
        loose = Definition(module.path, member.start, member.name, True, module)
        return ReferenceTarget(loose, {loose}, True, True)

    def implements_library(self, target: ReferenceTarget) -> bool:
        """Return whether a library declares it, or has what it says that it overrides."""
        own, module = target.definition, target.definition.module
        if isinstance(module, Module) and module.is_declared_elsewhere(own.start):
            return True
        return any(self.meanings.overrides_library(each) for each in target.same)

    def is_apart(self, target: ReferenceTarget) -> bool:  # noqa: ARG002 - for other languages
        """Return False: classes and interfaces join members of several types."""
        return False

    def in_file(
        self, path: WorkspacePath, targets: list[ReferenceTarget]
    ) -> list[Reference] | None:
        """Return the references in one file, in order; None if its scopes are unknown."""
        module = self.project.module(path)
        if module is None:
            return None
        found = list(
            self._constructor_calls(module) if self.made_only else self._occurrences(module)
        )
        return by_line([*verdicts(found, targets), *self._aliases(module, targets)])

    def may_see(self, path: WorkspacePath, text: str) -> bool:
        """Return whether a file with this text can refer to another module's definition at all."""
        name = re.escape(self.name)
        if path.name.endswith((".py", ".pyi")):
            seen = (
                rf"\.\s*{name}\b|import\b[^\n(]*\b{name}\b|import\s*\([^)]*\b{name}\b|import\s*\*"
            )
        else:
            seen = r"\b(?:import|require|exports?)\b"
        return re.search(seen, text) is not None

    def _occurrences(self, module: Module) -> Iterator[Meaning]:
        """Yield every occurrence of the name, with what it may refer to."""
        seen: set[int] = set()
        for occurrence in module.names.occurrences:
            if occurrence.name == self.name:
                seen.add(occurrence.start)
                found = self._of_occurrence(module, occurrence)
                yield Meaning(occurrence.line, found, False, occurrence.start)
        is_script = self.renaming and module.is_script
        loads = _LOADING.search(module.parsed.text) if is_script else None
        for member in module.names.members:
            if member.name == self.name:
                seen.add(member.start)
                found = self.meanings.of_member(module, member)
                # What a module that is loaded by a call has may be taken out of it by any name.
                is_loaded = loads is not None and UNKNOWN in found
                is_read = not module.is_broken(member.start) and not is_loaded
                yield Meaning(member.line, found, is_read, member.start)
        for node in nodes_of(module.parsed, self.name):
            others = self._of_other_word(module, node) if start_of(node) not in seen else None
            if others is not None:
                yield Meaning(node.range().start.line + 1, others, False, start_of(node))
        if self.renaming and not module.is_script:
            yield from (each for each in self._find_listed(module) if each.start not in seen)

    def _find_listed(self, module: Module) -> Iterator[Meaning]:
        """Yield the name as text by which a Python module exports it, or a type knows its name."""
        text = module.parsed.text
        binding = module.names.root.names.get(self.name)
        if binding is not None:
            own = frozenset({self.origins.own(module, binding)})
            name = re.escape(self.name)
            for made in re.finditer(rf"^{name}\b{_MADE}({name})['\"]", text, re.MULTILINE):
                start = made.start(1)
                yield Meaning(text.count("\n", 0, start) + 1, own, False, start)
        found = self.origins.of_export(module.path, self.name)
        for listed in _LISTED.finditer(text) if "__all__" in text else ():
            for quoted in re.finditer(rf"(['\"]){re.escape(self.name)}\1", listed[0]):
                start = listed.start() + quoted.start() + 1
                yield Meaning(text.count("\n", 0, start) + 1, found, False, start)

    def _of_occurrence(self, module: Module, occurrence: Occurrence) -> Definitions:
        if self.renaming and (_is_shorthand_of_field(occurrence) or _is_double(occurrence)):
            return frozenset({UNKNOWN})
        return self.meanings.of_occurrence(module, occurrence)

    def _of_other_word(self, module: Module, node: SyntaxNode) -> Definitions | None:
        """Return what a word refers to that is neither a name nor a member of this module."""
        imported = import_renaming(node, script=module.is_script)
        if imported is not None:
            return self.origins.of_import(module.path, imported)
        return frozenset({UNKNOWN}) if module.is_broken(start_of(node)) else None

    def _constructor_calls(self, module: Module) -> Iterator[Meaning]:
        """Yield calls that construct the class of the name, and `super` calls of subclasses."""
        for occurrence in module.names.occurrences:
            if occurrence.name == self.name and _is_called(occurrence.node):
                called = self.meanings.of_occurrence(module, occurrence)
                found = called | self.meanings.constructing(called)
                yield Meaning(occurrence.line, found, False)
        for scope in module.classes.defined if module.is_script else ():
            bases = self.meanings.bases(OfClass(module, scope))
            for node in scope.node.find_all(kind="super") if bases else ():
                if _is_called(node):
                    yield Meaning(node.range().start.line + 1, bases, False, start_of(node))

    def _aliases(self, module: Module, targets: list[ReferenceTarget]) -> Iterator[Reference]:
        """Yield uses of the definition under another name that an import gives it."""
        exported = (self.exported_as(target, target.definition.path) for target in targets)
        known = {self.name, "default"}.union(*exported)
        for binding in module.names.bindings:
            if binding.name == self.name or not _may_import(module, binding, known):
                continue
            bound = bound_to(self.origins.of_binding(module, binding), targets)
            if bound is None:
                continue
            again = self.project.reread(module.path, binding.name) or module
            for other in again.names.bindings:
                if other.name == binding.name and other.sites[0].start == binding.sites[0].start:
                    for use in other.uses:
                        if not self.made_only or _is_called(use.node):
                            yield Reference(use.line, Certainty.BOUND, bound)


def _is_shorthand_of_field(occurrence: Occurrence) -> bool:
    """Return whether one word names a key and a constructor's parameter that is a field."""
    binding = occurrence.binding
    is_field = binding is not None and BindingRole.FIELD in binding.roles
    return is_field and occurrence.kind == "shorthand_property_identifier"


def _is_double(occurrence: Occurrence) -> bool:
    """Return whether a Python function imports a name that is also its parameter."""
    roles = occurrence.binding.roles if occurrence.binding is not None else set()
    return BindingRole.PARAMETER in roles and bool(roles & _IMPORTING_ROLES)


def _merged_with(binding: Binding) -> Iterator[Binding]:
    """Yield the type or value of the same name in a scope: TypeScript has them as one symbol."""
    scope = binding.scope
    for other in (scope.names.get(binding.name), scope.types.get(binding.name)):
        if other is not None and other is not binding and not other.roles & _IMPORTING_ROLES:
            yield other


def _may_import(module: Module, binding: Binding, known: set[str]) -> bool:
    """Return whether a binding may import one of the *known* names, or a whole script."""
    for site in binding.sites if binding.roles & _IMPORTING else ():
        imported = import_at(module, site)
        if imported is None:
            continue
        if imported.name in known or (imported.name is None and module.is_script):
            return True
    return False


def _is_import_of_same_name(module: Module, site: Occurrence) -> bool:
    """Return whether an import binds the definition's own name, not a variable assigned to it."""
    imported = import_at(module, site)
    if imported is None or parent_of(site.node).kind() == "variable_declarator":
        return False
    return imported.name in (site.name, "default")


def _is_called(node: SyntaxNode) -> bool:
    parent = parent_of(node)
    return begins_at(parent.field("function") or parent.field("constructor"), node)

"""Find the members of a script's values: what they are, and where they are defined."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace

from redline.code.python_js.heritage import (
    Inferred,
    OfClass,
    Value,
    base_types,
    members_of,
)
from redline.code.python_js.hierarchy import MemberOwners
from redline.code.python_js.inference.shapes import (
    ANYTHING,
    FUNCTIONS,
    GLOBAL,
    MAX_DEPTH,
    OBJECTS,
    OUTSIDE,
    PARAMETERS,
    TUPLE,
    UNKNOWN,
    Holder,
    HolderKind,
    InferredShape,
    KeysOf,
    TypeParameter,
    choose,
    chosen_of,
    key_definition,
    keys_in,
)
from redline.code.python_js.inference.types import ScriptTypes
from redline.code.python_js.members import NoClass
from redline.code.python_js.project import Module
from redline.code.references.definition import Definition
from redline.code.scopes.model import Binding, Member, MemberUse, Scope
from redline.code.syntax.node import (
    SyntaxNode,
    named_children,
    parent_of,
    required_field,
    start_of,
)

_COUNTS = {"length", "size"}
# Members that libraries have as `any`: messages and events, answers of servers, databases.
_ANY_MEMBERS = {"data", "detail", "state", "json", "response", "result", "reason", "error"}


class ScriptMembers(ScriptTypes):
    """Resolve members of classes, object types and objects."""

    __slots__ = ()

    @abstractmethod
    def return_values(self, function: InferredShape, depth: int) -> set[Value]:
        """Return what a function returns."""

    def member_types(self, values: Iterable[Value], name: str, depth: int = 0) -> set[Value]:
        """Return the values of a member of *values*."""
        found: set[Value] = set()
        for value in values:
            is_cut = self._is_too_deep(depth)
            found |= {UNKNOWN} if is_cut else self._types_in(value, name, depth)
        return found or {UNKNOWN}

    def _types_in(self, value: Value, name: str, depth: int) -> set[Value]:
        if isinstance(value, OfClass):
            return self._types_in_class(value, name, depth)
        if isinstance(value, InferredShape) and value.kind in OBJECTS:
            return self._types_in_object(value, name, depth)
        if isinstance(value, TypeParameter):
            return self.member_types(self.constraint(value, depth), name, depth + 1)
        if isinstance(value, KeysOf):
            return {GLOBAL}
        if isinstance(value, Holder):
            # Its methods hand out what it holds.
            plain: set[Value] = {GLOBAL if name in _COUNTS or value.inner <= OUTSIDE else UNKNOWN}
            return set(value.inner) if value.kind == HolderKind.RECORD else plain
        if isinstance(value, Definition):
            return {
                each
                for definition in self.origins.of_export(value.path, name)
                for each in self.of_definition(definition, depth + 1)
            }
        if value in OUTSIDE and name in _ANY_MEMBERS:
            return {ANYTHING}
        return {value} if isinstance(value, NoClass) else {UNKNOWN}

    def _types_in_class(self, value: OfClass, name: str, depth: int) -> set[Value]:
        owners = self.owners(value, name).classes
        found: set[Value] = set()
        for owner in owners:
            for item in members_of(owner, name):
                values = self._of_item(owner.module, item, depth + 1)
                found |= choose(values, chosen_of(owner))
        body = _body_of(value)
        if not owners and body is not None and value.is_instance:
            exported = self.exported_by_bases(value, name)
            found = {v for each in exported for v in self.of_definition(each, depth + 1)}
            found = found or self._of_index(body, depth)
        return choose(found, chosen_of(value)) or {UNKNOWN}

    def _types_in_object(self, value: InferredShape, name: str, depth: int) -> set[Value]:
        found: set[Value] = set()
        for key, _, part in keys_in(value.node):
            if key == name:
                found |= self.declared_in(value.module, part, value.scope, depth + 1)
        for spread in _spread_over(value.node, name):
            inner = self.of(value.module, spread, value.scope, depth + 1)
            found |= self.member_types(inner, name, depth + 1)
        return choose(found or self._of_index(value, depth), value.chosen)

    def declared_in(self, module: Module, part: SyntaxNode, scope: Scope, depth: int) -> set[Value]:
        """Return the values of a key or member as its declaration shows them."""
        kind = part.kind()
        if kind in FUNCTIONS:
            words = {child.kind() for child in part.children()}
            if "get" in words:
                return self.return_values(InferredShape.at(module, part, scope), depth + 1)
            return {UNKNOWN if "set" in words else InferredShape.at(module, part, scope)}
        written, value = part.field("type"), part.field("value")
        if written is not None:
            return self.types(module, written, scope, depth + 1)
        if kind == "shorthand_property_identifier":
            return self._of_name(module, part, depth + 1)
        if value is not None:
            return self.of(module, value, scope, depth + 1)
        is_field = kind == "public_field_definition"
        return self._of_untyped_field(module, part, depth) if is_field else {UNKNOWN}

    def _of_untyped_field(self, module: Module, part: SyntaxNode, depth: int) -> set[Value]:
        """Return what the constructor assigns to a field that is declared by its name alone."""
        found: set[Value] = set()
        assigned = f"this.{required_field(part, 'name').text()}"
        for method in parent_of(part).children():
            name = method.field("name") if method.kind() == "method_definition" else None
            if name is None or name.text() != "constructor":
                continue
            for node in method.find_all(kind="assignment_expression"):
                if required_field(node, "left").text() == assigned:
                    inner = module.scope_at(node)
                    found |= self.of(module, node.field("right"), inner, depth + 1)
        return found or {UNKNOWN}

    def _of_item(self, module: Module, item: Member | Binding, depth: int) -> set[Value]:
        if not module.is_script or isinstance(item, Binding) or item.form == MemberUse.ACCESS:
            return super()._of_item(module, item, depth)
        return self.declared_in(module, parent_of(item.node), item.scope, depth)

    def elements(self, values: Iterable[Value], index: int | None, depth: int) -> set[Value]:
        """Return what is held by *values*, at *index* if it is known."""
        found: set[Value] = set()
        for value in values:
            if isinstance(value, Holder):
                found |= _take_out(value, index)
            elif isinstance(value, InferredShape) and value.kind == TUPLE:
                found |= choose(self._of_tuple(value, index, depth), value.chosen)
            elif isinstance(value, InferredShape) and value.kind == "object_type":
                found |= choose(self._of_index(value, depth), value.chosen)
            elif isinstance(value, TypeParameter) and depth <= MAX_DEPTH:
                found |= self.elements(self.constraint(value, depth), index, depth + 1)
            elif isinstance(value, OfClass) and depth <= MAX_DEPTH:
                found |= choose(self._of_iterable(value, depth), chosen_of(value))
            else:
                found.add(value if value in (GLOBAL, ANYTHING) else UNKNOWN)
        return found or {UNKNOWN}

    def _of_iterable(self, value: OfClass, depth: int) -> set[Value]:
        """Return what a class or interface holds by a base that is an array or iterable."""
        bases = [base for base in self.bases(value) if isinstance(base, Holder | OfClass)]
        found = self.elements(bases, None, depth + 1)
        return found if len(found) == 1 else found - {UNKNOWN} or {UNKNOWN}

    def _of_index(self, value: InferredShape, depth: int) -> set[Value]:
        """Return the values of an object type whose keys are not named: `{ [key: string]: T }`."""
        found: set[Value] = set()
        for part in value.node.children():
            written = part.field("type") if part.kind() == "index_signature" else None
            if written is not None:
                found |= self.types(value.module, written, value.scope, depth + 1)
        return found or {UNKNOWN}

    def _of_tuple(self, value: InferredShape, index: int | None, depth: int) -> Iterator[Value]:
        parts = named_children(value.node)
        if any(part.kind() == "rest_type" for part in parts):
            yield UNKNOWN
            return
        for part in parts if index is None else parts[index : index + 1]:
            written = part.field("type") if part.kind() in PARAMETERS else part
            if written is not None:
                yield from self.types(value.module, written, value.scope, depth + 1)

    def callables(
        self, values: Iterable[Value], depth: int, *, new: bool = False
    ) -> list[InferredShape]:
        """Return the functions among *values*; with *new* their constructors."""
        found: list[InferredShape] = []
        for value in values:
            if isinstance(value, InferredShape):
                wanted = "construct_signature" if new else "call_signature"
                inside = value.node.children() if value.kind in OBJECTS else ()
                found += [value] if value.is_function else []
                found += [value.part(part) for part in inside if part.kind() == wanted]
            elif isinstance(value, OfClass):
                found += self._callables_in_class(value, new=new)
            elif isinstance(value, TypeParameter) and depth <= MAX_DEPTH:
                found += self.callables(self.constraint(value, depth), depth + 1, new=new)
        return found

    def _callables_in_class(self, value: OfClass, *, new: bool) -> list[InferredShape]:
        if new and not value.is_instance:
            for owner in self.owners(value, "constructor").classes:
                items = members_of(owner, "constructor")
                nodes = [parent_of(item.node) for item in items if isinstance(item, Member)]
                return [InferredShape.at(owner.module, node, owner.scope) for node in nodes]
            return []
        body = _body_of(value)
        return self.callables([body], 0, new=new) if body is not None else []

    def results(self, values: Iterable[Value], depth: int) -> set[Value]:
        """Return what the functions among *values* return."""
        found = {
            v for each in self.callables(values, depth) for v in self.return_values(each, depth)
        }
        return found or {UNKNOWN}

    def bases(self, value: OfClass) -> Iterator[Value]:
        """Yield the bases of a class, with the types that they are given."""
        module, scope = value.module, value.scope
        if not module.is_script:
            yield from super().bases(value)
            return
        outer = scope.parent or scope
        for node in base_types(scope.node):
            is_type = node.kind().endswith(("type", "type_identifier"))
            found = self.types(module, node, scope, 1) if is_type else self.of(module, node, outer)
            for each in found:
                if not isinstance(each, OfClass) or each.scope is not scope:
                    yield UNKNOWN if each == ANYTHING else each

    def member_definitions(self, value: Inferred, name: str, depth: int = 0) -> set[Definition]:
        """Return the keys of the name that a shape has; UNKNOWN is for the caller to add."""
        if isinstance(value, TypeParameter):
            return {
                each
                for inner in self.constraint(value, depth)
                for each in self.definitions_in(inner, name, depth + 1)
            }
        if not isinstance(value, InferredShape) or value.kind not in OBJECTS:
            return set()
        found = {
            key_definition(value.module, node, name)
            for key, node, _ in keys_in(value.node)
            if key == name
        }
        for spread in _spread_over(value.node, name):
            for inner in self.of(value.module, spread, value.scope, depth + 1):
                found |= self.definitions_in(inner, name, depth + 1)
        return found

    def definitions_in(self, value: Value, name: str, depth: int = 0) -> set[Definition]:
        """Return the members of the name that a value has."""
        if self._is_too_deep(depth):
            return set()
        if isinstance(value, Inferred):
            return self.member_definitions(value, name, depth)
        if isinstance(value, OfClass):
            owners: MemberOwners = self.owners(value, name, all_of=value.is_instance)
            return {
                Definition(o.module.path, start_of(o.scope.node), name, True, o.module)
                for o in owners.classes
            }
        return set()


def _body_of(value: OfClass) -> InferredShape | None:
    """Return what a class, interface or object type has inside."""
    node = value.scope.node.field("body") or value.scope.node.field("value")
    if node is None:
        return None
    return replace(InferredShape.at(value.module, node, value.scope), chosen=chosen_of(value))


def _spread_over(node: SyntaxNode, name: str) -> list[SyntaxNode]:
    """Return the objects whose member an object has: those that it spreads after its own key."""
    own = max((start_of(key) for each, key, _ in keys_in(node) if each == name), default=-1)
    spread = (part for part in node.children() if part.kind() == "spread_element")
    return [named_children(part)[0] for part in spread if start_of(part) > own]


def _take_out(value: Holder, index: int | None) -> set[Value]:
    if value.kind == HolderKind.ENTRY:
        return set(value.inner) if index == 1 else {UNKNOWN}
    if value.kind == HolderKind.MAP:
        return {Holder(HolderKind.ENTRY, value.inner)}
    return set(value.inner) if value.kind != HolderKind.PROMISE else {UNKNOWN}

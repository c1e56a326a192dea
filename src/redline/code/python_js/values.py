"""What class a value is of, as far as annotations, constructions and imports say plainly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from redline.code.python_js.annotations import class_words
from redline.code.python_js.heritage import (
    OfClass,
    Value,
    class_around,
    has_members,
    made_by,
    members_of,
)
from redline.code.python_js.imports import Import, required
from redline.code.python_js.lineage import Lineage
from redline.code.python_js.members import LITERALS
from redline.code.python_js.origins import Origins
from redline.code.python_js.project import Module
from redline.code.references.definition import UNKNOWN, Thing
from redline.code.scopes.model import ANY, Binding, Member, Scope
from redline.code.syntax.node import Node

_DEEPEST = 10
_WRAPPED = {"parenthesized_expression", "await", "await_expression", "non_null_expression"}
_CALLS = {"call", "call_expression", "new_expression"}
_FUNCTIONS = {"function", "method"}
_SETTING = {"assignment", "assignment_expression", "variable_declarator", "field_definition"}
_TYPED = {
    *("typed_parameter", "typed_default_parameter", "required_parameter"),
    *("optional_parameter", "public_field_definition", "property_signature"),
}


@dataclass(slots=True)
class Values(Lineage):
    """Answers what stands before a dot."""

    origins: Origins
    _bindings: dict[Binding, frozenset[Value]] = field(default_factory=dict)

    def of(self, module: Module, node: Node | None, scope: Scope, depth: int = 0) -> set[Value]:
        """The values *node* may have."""
        if node is None or depth > _DEEPEST:
            return {"unknown"}
        kind = node.kind()
        if kind == "identifier":
            return self._named(module, node, depth)
        if kind in ("attribute", "member_expression"):
            return self._of_member(module, node, scope, depth)
        if kind in _CALLS:
            return self._called(module, node, scope, depth)
        if kind in ("this", "super"):
            return self._own(module, node, scope)
        if kind in _WRAPPED:
            inner = next((child for child in node.children() if child.is_named()), None)
            return self.of(module, inner, scope, depth + 1)
        if kind == "as_expression":
            return self.annotated(module, node.children()[-1], scope, depth + 1)
        return {_literal(module, node)}

    def _own(self, module: Module, node: Node, scope: Scope) -> set[Value]:
        """`this` and `super` of a script."""
        above = node.kind() == "super"
        found = class_around(module, scope) if above else module.classes.instance(node, scope)
        return {OfClass(module, found, True, above)} if isinstance(found, Scope) else {"unknown"}

    def _named(self, module: Module, node: Node, depth: int) -> set[Value]:
        if module.is_script and node.text() in ("exports", "module"):
            spot = module.names.at(node)
            if spot is not None and spot.binding is None:
                return {Thing(module.path, -1, "")}
        spot = module.names.at(node)
        if spot is None:
            return {"unknown"}
        things = self.origins.of_spot(module, spot)
        found: set[Value] = set()
        for thing in things:
            found |= self.of_thing(thing, depth + 1)
        return found or {"other"}

    def of_thing(self, thing: Thing, depth: int = 0) -> set[Value]:
        """The values of what a name stands for."""
        if thing == UNKNOWN:
            return {"unknown"}
        if thing.is_module:
            return {thing}
        if thing.binding is None or not isinstance(thing.module, Module):
            return {"unknown"}
        return set(self._of_binding(thing.module, thing.binding, depth))

    def _of_binding(self, module: Module, binding: Binding, depth: int) -> frozenset[Value]:
        known = self._bindings.get(binding)
        if known is None:
            self._bindings[binding] = frozenset({"unknown"})
            known = frozenset(self._bound(module, binding, depth))
            self._bindings[binding] = known
        return known

    def _bound(self, module: Module, binding: Binding, depth: int) -> set[Value]:
        scope = module.types.get(binding)
        if scope is not None:
            return {OfClass(module, scope)}
        if binding.roles <= _FUNCTIONS:
            return {"unknown"} if has_members(module, binding) else {"other"}
        if self.origins.is_foreign(module, binding):
            return {"other"}
        found: set[Value] = set()
        for site in binding.sites:
            if "parameter" in binding.roles and not module.is_script:
                own = module.classes.first_parameter(binding)
                if isinstance(own, Scope):
                    return {OfClass(module, own, True)}
            found |= self._written(module, site.node, binding.scope, depth)
        return found

    def _written(self, module: Module, node: Node, scope: Scope, depth: int) -> set[Value]:
        """What one place that binds a name binds it to."""
        parent = node.parent()
        kind = parent.kind()
        if kind in _TYPED:
            noted = parent.field("type")
        elif kind in _SETTING:
            noted = parent.field("type")
            if noted is None:
                value = parent.field("right") or parent.field("value")
                left = parent.field("left") or parent.field("name") or parent.field("property")
                same = left is not None and left.range().start.index == node.range().start.index
                return self.of(module, value if same else None, scope, depth + 1)
        else:
            return {"unknown"}
        return self.annotated(module, noted, scope, depth + 1)

    def annotated(self, module: Module, node: Node | None, scope: Scope, depth: int) -> set[Value]:
        """What an annotation says: one of its classes, made."""
        if node is None or depth > _DEEPEST:
            return {"unknown"}
        found: set[Value] = set()
        for word in class_words(node):
            if word is None:
                found.add("unknown")
            elif isinstance(word, str):
                found |= self._spelled(module, word, scope, depth)
            else:
                found |= self.of_type(module, word, scope, depth)
        return {made_by(value) for value in found} or {"other"}

    def _spelled(self, module: Module, word: str, scope: Scope, depth: int) -> set[Value]:
        """A class that an annotation names within a string."""
        for outer in scope.outward():
            binding = outer.bound(word, ANY)
            if binding is not None and (outer.kind != "class" or outer is scope):
                things = self.origins.of_binding(module, binding)
                return {v for thing in things for v in self.of_thing(thing, depth + 1)} or {"other"}
        return {"unknown"}

    def of_type(self, module: Module, node: Node, scope: Scope, depth: int) -> set[Value]:
        """The classes that a name of a type may mean."""
        if node.kind() != "type_identifier":
            return self.of(module, node, scope, depth + 1)
        spot = module.names.at(node)
        if spot is None:
            return {"unknown"}
        if spot.binding is not None and "type" in spot.binding.roles:
            return {"unknown"}
        things = self.origins.of_spot(module, spot)
        return {v for thing in things for v in self.of_thing(thing, depth + 1)} or {"other"}

    def _of_member(self, module: Module, node: Node, scope: Scope, depth: int) -> set[Value]:
        """The value of `object.name`."""
        name = node.field("attribute") or node.field("property")
        if module.is_script and node.text() == "module.exports":
            return {Thing(module.path, -1, "")}
        found: set[Value] = set()
        for value in self.of(module, node.field("object"), scope, depth + 1):
            if isinstance(value, Thing):
                for thing in self.origins.exported(value.path, name.text()):
                    found |= self.of_thing(thing, depth + 1)
            elif isinstance(value, OfClass) and module.is_script and name.text() == "prototype":
                found.add(made_by(value))
            elif isinstance(value, OfClass):
                found |= self._of_field(value, name.text(), depth)
            else:
                found.add(value)
        return found or {"unknown"}

    def _of_field(self, value: OfClass, name: str, depth: int) -> set[Value]:
        found: set[Value] = set()
        for owner in self.owners(value, name)[0]:
            for item in members_of(owner, name):
                found |= self._of_item(owner.module, item, depth)
        return found or {"unknown"}

    def _of_item(self, module: Module, item: Member | Binding, depth: int) -> set[Value]:
        if isinstance(item, Binding):
            if item.roles <= {"function"}:
                made = item.sites[0].node.parent()
                is_property = made.parent().kind() == "decorated_definition"
                return self._returned(module, made, item.scope, depth) if is_property else {"other"}
            return set(self._of_binding(module, item, depth))
        outer = item.node.parent()
        if item.form == "access":  # self.name = value
            return self._written(module, outer, item.scope, depth)
        return self._written(module, item.node, item.scope, depth)

    def _called(self, module: Module, node: Node, scope: Scope, depth: int) -> set[Value]:
        callee = node.field("function") or node.field("constructor")
        if callee is None:
            return {"unknown"}
        spec = required(node) if module.is_script else None
        if spec is not None:
            things = self.origins.of_import(module.path, Import(spec))
            return {v for thing in things for v in self.of_thing(thing, depth + 1)} or {"other"}
        if callee.kind() == "identifier" and callee.text() == "super" and not module.is_script:
            around = class_around(module, scope)
            return {OfClass(module, around, True, True)} if around is not None else {"unknown"}
        found: set[Value] = set()
        for value in self.of(module, callee, scope, depth + 1):
            if isinstance(value, OfClass) and not value.is_instance:
                found.add(made_by(value))
        return found or self._result(module, callee, scope, depth)

    def _result(self, module: Module, callee: Node, scope: Scope, depth: int) -> set[Value]:
        """What a function of the workspace says it returns."""
        found: set[Value] = set()
        for thing in self._functions(module, callee, scope, depth):
            if thing.binding is None or not isinstance(thing.module, Module):
                found.add("unknown")
                continue
            if not thing.binding.roles <= _FUNCTIONS:
                found.add("unknown")
                continue
            made = thing.binding.sites[-1].node.parent()
            found |= self._returned(thing.module, made, thing.binding.scope, depth)
        return found or {"unknown"}

    def _functions(self, module: Module, callee: Node, scope: Scope, depth: int) -> Iterator[Thing]:
        if callee.kind() == "identifier":
            spot = module.names.at(callee)
            if spot is not None:
                yield from self.origins.of_spot(module, spot)
        elif callee.kind() in ("attribute", "member_expression"):
            name = (callee.field("attribute") or callee.field("property")).text()
            for value in self.of(module, callee.field("object"), scope, depth + 1):
                if isinstance(value, Thing):
                    yield from self.origins.exported(value.path, name)
                elif isinstance(value, OfClass):
                    yield from self._methods(value, name)

    def _methods(self, value: OfClass, name: str) -> Iterator[Thing]:
        for owner in self.owners(value, name)[0]:
            for item in members_of(owner, name):
                if isinstance(item, Binding):
                    yield self.origins.own(owner.module, item)

    def _returned(self, module: Module, made: Node, scope: Scope, depth: int) -> set[Value]:
        noted = made.field("return_type") if made is not None else None
        if noted is None or any(child.kind() == "async" for child in made.children()):
            return {"unknown"}
        return self.annotated(module, noted, scope, depth + 1)


def _literal(module: Module, node: Node) -> Value:
    """What is written down where it stands: a class, or what has no members of the workspace."""
    kind = node.kind()
    made = module.bodies.get(node.range().start.index) if kind == "class" else None
    if made is not None:
        return OfClass(module, made)
    return "other" if kind in LITERALS and kind != "object" else "unknown"

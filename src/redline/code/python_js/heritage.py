"""What a class has of its own, and the expressions it names as what it derives from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from redline.code.python_js.members import is_written
from redline.code.python_js.project import Module
from redline.code.references.definition import Thing
from redline.code.scopes.model import Binding, Member, Scope
from redline.code.syntax.node import Node


@dataclass(frozen=True, slots=True)
class OfClass:
    """A class, what it makes, or (`above`) what its bases give."""

    module: Module
    scope: Scope
    is_instance: bool = False
    above: bool = False


Value: TypeAlias = OfClass | Thing | Literal["other", "unknown"]


def members_of(owner: OfClass, name: str) -> list[Member | Binding]:
    """Where a class, interface or enum defines *name*."""
    module, scope = owner.module, owner.scope
    known = module.classes.defined.get(scope, {}).get(name, ())
    own = [item for item in known if module.is_script or _is_declared(module, item)]
    if own:
        return own
    bound = scope.names.get(name)
    if bound is not None and (not module.is_script or "enum member" in bound.roles):
        return [bound]
    if not module.is_script:
        return []
    keys = module.keys.get(scope, {})
    return list(keys.get(name, ()))


def _is_declared(module: Module, item: Member | Binding) -> bool:
    """Whether Python's class declares it: in its body, or by what its methods write to self."""
    if isinstance(item, Binding):
        return True
    spot = module.names.at(item.owner) if item.owner is not None else None
    return spot is not None and spot.binding is not None and "parameter" in spot.binding.roles


def is_static(item: Member | Binding) -> bool:
    """Whether a script's class keeps it for itself."""
    if isinstance(item, Binding) or item.form != "define":
        return False
    return any(child.kind() == "static" for child in item.node.parent().children())


def base_nodes(node: Node, is_script: bool) -> list[Node]:
    """The expressions a class names as what it derives from."""
    if not is_script:
        named = node.field("superclasses")
        bases = named.children() if named is not None else []
        plain = [base.field("value") if base.kind() == "subscript" else base for base in bases]
        return [base for base in plain if base.kind() in ("identifier", "attribute", "call")]
    found: list[Node] = []
    for child in node.children():
        if child.kind() in ("class_heritage", "extends_type_clause"):
            found += _heritage(child)
    return found


def _heritage(node: Node) -> list[Node]:
    found: list[Node] = []
    for child in node.children():
        kind = child.kind()
        if kind in ("extends_clause", "implements_clause"):
            found += _heritage(child)
        elif kind == "generic_type":
            found.append(child.child(0))
        elif child.is_named() and kind not in ("type_arguments", "comment"):
            found.append(child)
    return found


def made_by(value: Value) -> Value:
    """What a class makes; of what is no class, the same."""
    return OfClass(value.module, value.scope, True) if isinstance(value, OfClass) else value


def class_around(module: Module, scope: Scope) -> Scope | None:
    """The innermost class that a scope stands in."""
    return next((s for s in scope.outward() if s in module.classes.defined), None)


def has_members(module: Module, binding: Binding) -> bool:
    """Whether a function may have members: a script writes them, a decorator makes it a value."""
    if not module.is_script:
        holders = (site.node.parent().parent() for site in binding.sites)
        return any(node is not None and node.kind() == "decorated_definition" for node in holders)
    for use in binding.uses:
        access = use.node.parent()
        if access.kind() == "member_expression" and is_written(access):
            return True
    return False

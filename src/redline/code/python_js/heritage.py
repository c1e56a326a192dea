"""What a class itself defines, and the expressions that name its bases."""

from __future__ import annotations

from typing import TypeAlias

from redline.code.python_js.members import NoClass, has_static, is_assigned
from redline.code.python_js.project import Module
from redline.code.references.definition import Definition
from redline.code.scopes.model import Binding, BindingRole, Member, MemberUse, Scope
from redline.code.syntax.node import SyntaxNode, parent_of, required_field
from redline.core.records import dataclass


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

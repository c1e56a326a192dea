"""Refuse a rename whose uses may refer to something else, and say on which lines."""

from __future__ import annotations

from collections.abc import Iterable

from redline.code.python_js.members import FileClasses
from redline.code.scopes.model import ANY, Binding, BindingRole, Member, MemberUse, Names, Scope
from redline.code.syntax.node import SyntaxNode, parent_of
from redline.core.errors import InvalidArgument

MAX_SHOWN = 8
EVERYWHERE = "replace those lines, or say `everywhere` to rename the word wherever it is code"


def refuse_lines(name: str, found: Iterable[int], old: str = "") -> None:
    """Refuse because the uses on these lines may refer to something else."""
    lines = sorted(found)
    if not lines:
        raise InvalidArgument(
            f"The file does not use the name: {old or name}",
            field="edit_instruction",
            hint="names in strings and comments are not renamed; use a replace for those",
        )
    where = ", ".join(map(str, lines[:MAX_SHOWN])) + (", ..." if len(lines) > MAX_SHOWN else "")
    raise InvalidArgument(
        f"It is not certain whose {name} is used on line {where}",
        field="edit_instruction",
        hint=EVERYWHERE,
        details={"lines": lines},
    )


def refuse_unknown(name: str, members: Iterable[Member], old: str = "") -> None:
    """Refuse because these members may belong to something else."""
    refuse_lines(name, {member.line for member in members}, old)


def refuse_family(classes: FileClasses, owner: Scope, name: str) -> None:
    """Refuse a member that a base or subclass in the file defines too."""
    family = classes.relatives_defining(owner, name)
    if family:
        known = ", ".join(scope.qualified_name for scope in (owner, *family))
        raise InvalidArgument(
            f"Several types here have a member {name}: {known}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )


def refuse_mixed(names: Names, classes: FileClasses, binding: Binding) -> None:
    """Refuse a name with several bindings, of which only running the code selects one."""
    name, scope = binding.name, binding.scope
    twins = {id(found) for found in (scope.names.get(name), scope.types.get(name)) if found}
    both = len(twins) > 1 and any(u.meaning == ANY and u not in binding.sites for u in binding.uses)
    spaces = BindingRole.NAMESPACE in binding.roles and len(binding.roles) > 1
    if both or spaces or scope.shared or _is_import_and_more(binding):
        refuse_lines(name, {site.line for site in binding.sites})
    if classes.script:
        refuse_unresolved(names, name)
    refuse_class_shadow(classes, name)


def _is_import_and_more(binding: Binding) -> bool:
    return BindingRole.IMPORT in binding.roles and bool(
        binding.roles - {BindingRole.IMPORT, BindingRole.REDIRECTED}
    )


def refuse_unresolved(names: Names, name: str) -> None:
    """Refuse if a use has no binding although the name is bound around it: misread syntax."""
    unresolved = [
        use.line
        for use in names.occurrences
        if use.name == name
        and use.binding is None
        and any(scope.binding_of(name, ANY) for scope in use.scope.outward())
    ]
    if unresolved:
        refuse_lines(name, unresolved)


def refuse_class_shadow(classes: FileClasses, name: str) -> None:
    """Refuse `x = x` in a class body: the left is the member, the right may not be."""
    if classes.script:
        return
    for scope in classes.defined:
        found = scope.names.get(name)
        outer = scope.parent is not None and any(name in s.names for s in scope.parent.outward())
        if found is None or not outer:
            continue
        read = [use.line for use in found.uses if use.scope is scope and use not in found.sites]
        if read:
            refuse_lines(name, read)


def refuse_constructor_fields(names: Names, classes: FileClasses, name: str) -> None:
    """Refuse labels in a call of the class, which may be its fields, as in dataclasses."""
    labels = [
        member
        for member in names.members
        if member.name == name
        and member.form == MemberUse.LABEL
        and isinstance(classes.class_of_value(_call_of(member), member.scope), Scope)
    ]
    if labels:
        refuse_unknown(name, labels)
    parameters = [b for b in names.bindings if b.name == name and BindingRole.FIELD in b.roles]
    if parameters:
        raise InvalidArgument(
            f"{name} is made a member by a parameter: line {parameters[0].sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )


def _call_of(label: Member) -> SyntaxNode:
    """Return the call that a label is in: above its argument and the argument list."""
    return parent_of(parent_of(parent_of(label.node)))

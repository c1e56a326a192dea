"""Why a rename is refused: what could mean something else, by its lines."""

from __future__ import annotations

from collections.abc import Iterable

from redline.code.python_js.members import Classes
from redline.code.scopes.model import ANY, Binding, Member, Names, Scope
from redline.code.syntax.node import Node
from redline.core.errors import InvalidArgument

SHOWN = 8
EVERYWHERE = "replace those lines, or say `everywhere` to rename the word wherever it is code"


def refuse_lines(name: str, found: Iterable[int], old: str = "") -> None:
    """Refuse because the uses on these lines may be of something else."""
    lines = sorted(found)
    if not lines:
        raise InvalidArgument(
            f"The file does not use the name: {old or name}",
            field="edit_instruction",
            hint="names in strings and comments are not renamed; use a replace for those",
        )
    where = ", ".join(map(str, lines[:SHOWN])) + (", ..." if len(lines) > SHOWN else "")
    raise InvalidArgument(
        f"It cannot be told whose {name} is used on line {where}",
        field="edit_instruction",
        hint=EVERYWHERE,
        details={"lines": lines},
    )


def refuse_unknown(name: str, members: Iterable[Member], old: str = "") -> None:
    """Refuse because these members may be of something else."""
    refuse_lines(name, {member.line for member in members}, old)


def refuse_family(classes: Classes, owner: Scope, name: str) -> None:
    """Refuse a member that bases or subclasses of the file define too."""
    family = classes.related(owner, name)
    if family:
        known = ", ".join(scope.qualified for scope in (owner, *family))
        raise InvalidArgument(
            f"Several types here have a member {name}: {known}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )


def refuse_mixed(names: Names, classes: Classes, binding: Binding) -> None:
    """Refuse a name that is bound in ways of which only running the code tells the one meant."""
    name, scope = binding.name, binding.scope
    twins = {id(found) for found in (scope.names.get(name), scope.types.get(name)) if found}
    both = len(twins) > 1 and any(u.meaning == ANY and u not in binding.sites for u in binding.uses)
    spaces = "namespace" in binding.roles and len(binding.roles) > 1
    if both or spaces or scope.shared or _is_import_and_more(binding):
        refuse_lines(name, {site.line for site in binding.sites})
    if classes.script:
        refuse_strays(names, name)
    refuse_class_shadow(classes, name)


def _is_import_and_more(binding: Binding) -> bool:
    return "import" in binding.roles and bool(binding.roles - {"import", "moved"})


def refuse_strays(names: Names, name: str) -> None:
    """Refuse when a use found no binding though one of the name is in sight: misread syntax."""
    strays = [
        spot.line
        for spot in names.occurrences
        if spot.name == name
        and spot.binding is None
        and any(scope.bound(name, ANY) for scope in spot.scope.outward())
    ]
    if strays:
        refuse_lines(name, strays)


def refuse_class_shadow(classes: Classes, name: str) -> None:
    """`x = x` in the body of a class: the one is the member, the other may not be."""
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


def refuse_constructor_fields(names: Names, classes: Classes, name: str) -> None:
    """Labels of a call that makes the class may be its fields: dataclasses and the like."""
    labels = [
        member
        for member in names.members
        if member.name == name
        and member.form == "label"
        and isinstance(classes.instance(_as_call(member), member.scope), Scope)
    ]
    if labels:
        refuse_unknown(name, labels)
    made = [b for b in names.bindings if b.name == name and "field" in b.roles]
    if made:
        raise InvalidArgument(
            f"{name} is made a member by a parameter: line {made[0].sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )


def _as_call(member: Member) -> Node:
    """The call that a label stands in."""
    return member.node.parent().parent().parent()

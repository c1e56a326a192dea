"""What a rename touches where scopes are known: all that means the same thing, and no other."""

from __future__ import annotations

from typing import TypeAlias

from redline.code.python_js.members import Classes
from redline.code.rename.labels import labels_of
from redline.code.rename.refusals import (
    EVERYWHERE,
    refuse_class_shadow,
    refuse_constructor_fields,
    refuse_family,
    refuse_lines,
    refuse_mixed,
    refuse_strays,
    refuse_unknown,
)
from redline.code.rename.targets import owner_of, target_of
from redline.code.scopes.model import Binding, Member, Names, Occurrence, Scope
from redline.code.scopes.read import read_names
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.errors import syntax_issues
from redline.core.errors import InvalidArgument

# What the language itself gives a meaning.
_LANGUAGE = {
    *("exports", "module", "require", "arguments", "prototype", "constructor", "undefined"),
    *("__init__", "__name__", "__class__", "__file__", "__all__", "super"),
}
Spot: TypeAlias = Occurrence | Member


def names_of(parsed: Parsed) -> Names:
    """The names of a file whose language has scopes we know; refused when it does not parse."""
    broken = syntax_issues(parsed)
    if broken:
        raise InvalidArgument(
            f"The file does not parse at line {broken[0].line}, so scopes cannot be told",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    return read_names(parsed)


def scoped_spots(parsed: Parsed, old: str, name: str, lines: range | None) -> list[Spot]:
    """Every place to rename; raises InvalidArgument where that cannot be told for sure."""
    names = names_of(parsed)
    classes = Classes.of(names, script=parsed.language.name != "python")
    target = target_of(names, classes, old, name, lines)
    if target is None:
        return _loose(names, old, name)
    if target.owner is not None:
        return _member_spots(names, classes, target.owner, name)
    assert target.binding is not None
    return _binding_spots(names, classes, target.binding)


def _loose(names: Names, old: str, name: str) -> list[Spot]:
    """A name the file does not define: all its plain uses, or all accesses of one value."""
    if name in _LANGUAGE:
        raise InvalidArgument(
            f"A name that the language gives its meaning: {name}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    plain = [spot for spot in names.occurrences if spot.name == name and spot.binding is None]
    if plain:
        refuse_strays(names, name)
        if len({spot.meaning for spot in plain}) > 1:
            refuse_lines(name, {spot.line for spot in plain})
        return list(plain)
    members = [member for member in names.members if member.name == name]
    owners = {m.owner.text() if m.owner is not None else None for m in members}
    kinds = {(m.kind, m.form, m.owner.kind() if m.owner is not None else "") for m in members}
    simple = {(kind, "access", "identifier") for kind, *_ in kinds}
    if len(owners) != 1 or len(kinds) != 1 or kinds != simple:
        refuse_unknown(name, members, old)
    return list(members)


def _member_spots(names: Names, classes: Classes, owner: Scope, name: str) -> list[Spot]:
    refuse_family(classes, owner, name)
    spots: list[Spot] = []
    defined = [d for d in classes.defined[owner].get(name, ()) if isinstance(d, Member)]
    if classes.script and len({member.form for member in defined}) > 1:
        refuse_unknown(name, defined)  # a method that is written over is two things
    unknown: list[Member] = []
    for member in (m for m in names.members if m.name == name):
        found = owner_of(classes, member)
        if found is owner:
            spots.append(member)
        elif found == "unknown" or (member.form == "key" and classes.script):
            unknown.append(member)
    if unknown:
        refuse_unknown(name, unknown)
    if classes.script and len({classes.is_static(m) for m in spots if isinstance(m, Member)}) > 1:
        refuse_lines(name, {spot.line for spot in spots})
    refuse_class_shadow(classes, name)
    if not classes.script:
        spots += owner.names[name].uses if name in owner.names else []
    refuse_constructor_fields(names, classes, name)
    return spots


def _binding_spots(names: Names, classes: Classes, binding: Binding) -> list[Spot]:
    if "dotted import" in binding.roles:
        raise InvalidArgument(
            f"{binding.name} is the first word of a dotted import: line {binding.sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    if binding.roles & {"field", "enum member"}:
        raise InvalidArgument(
            f"{binding.name} is a member as well: line {binding.sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    refuse_mixed(names, classes, binding)
    spots: list[Spot] = list(binding.uses)
    if "parameter" in binding.roles and not classes.script:
        spots += labels_of(names, classes, binding)
    return spots

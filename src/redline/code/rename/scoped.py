"""Find the uses to rename where scopes are known: all uses of one symbol, and no others."""

from __future__ import annotations

from typing import TypeAlias

from redline.code.python_js.members import FileClasses, NoClass
from redline.code.rename.labels import labels_of
from redline.code.rename.refusals import (
    EVERYWHERE,
    refuse_class_shadow,
    refuse_constructor_fields,
    refuse_family,
    refuse_lines,
    refuse_mixed,
    refuse_unknown,
    refuse_unresolved,
)
from redline.code.rename.targets import owner_of, target_of
from redline.code.scopes.model import (
    Binding,
    BindingRole,
    Member,
    MemberUse,
    Names,
    Occurrence,
    Scope,
)
from redline.code.scopes.read import read_names
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.errors import syntax_issues
from redline.core.errors import InvalidArgument

# Names whose meaning the language defines.
_LANGUAGE = {
    *("exports", "module", "require", "arguments", "prototype", "constructor", "undefined"),
    *("__init__", "__name__", "__class__", "__file__", "__all__", "super"),
}
NameUse: TypeAlias = Occurrence | Member


def names_of(parsed: Parsed) -> Names:
    """Return the names of a file in a language with known scopes; refuse one with errors."""
    broken = syntax_issues(parsed)
    if broken:
        raise InvalidArgument(
            f"The file does not parse at line {broken[0].line}, so its scopes are unknown",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    return read_names(parsed)


def scoped_uses(parsed: Parsed, old: str, name: str, lines: range | None) -> list[NameUse]:
    """Return every use to rename; raise InvalidArgument if one is uncertain."""
    names = names_of(parsed)
    classes = FileClasses.of(names, script=parsed.language.name != "python")
    target = target_of(names, classes, old, name, lines)
    if target is None:
        return _undefined_uses(names, old, name)
    if target.owner is not None:
        return _member_uses(names, classes, target.owner, name)
    assert target.binding is not None
    return _binding_uses(names, classes, target.binding)


def _undefined_uses(names: Names, old: str, name: str) -> list[NameUse]:
    """Return the uses of a name that the file does not define: plain ones, or of one value."""
    if name in _LANGUAGE:
        raise InvalidArgument(
            f"A name that the language gives its meaning: {name}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    plain = [use for use in names.occurrences if use.name == name and use.binding is None]
    if plain:
        refuse_unresolved(names, name)
        if len({use.meaning for use in plain}) > 1:
            refuse_lines(name, {use.line for use in plain})
        return list(plain)
    members = [member for member in names.members if member.name == name]
    owners = {m.owner.text() if m.owner is not None else None for m in members}
    kinds = {(m.kind, m.form, m.owner.kind() if m.owner is not None else "") for m in members}
    simple = {(kind, MemberUse.ACCESS, "identifier") for kind, *_ in kinds}
    if len(owners) != 1 or len(kinds) != 1 or kinds != simple:
        refuse_unknown(name, members, old)
    return list(members)


def _member_uses(names: Names, classes: FileClasses, owner: Scope, name: str) -> list[NameUse]:
    refuse_family(classes, owner, name)
    uses: list[NameUse] = []
    defined = [d for d in classes.defined[owner].get(name, ()) if isinstance(d, Member)]
    if classes.script and len({member.form for member in defined}) > 1:
        refuse_unknown(name, defined)  # a method that is reassigned is two symbols
    unknown: list[Member] = []
    for member in (m for m in names.members if m.name == name):
        found = owner_of(classes, member)
        if found is owner:
            uses.append(member)
        elif found == NoClass.UNKNOWN or (member.form == MemberUse.KEY and classes.script):
            unknown.append(member)
    if unknown:
        refuse_unknown(name, unknown)
    if classes.script and len({classes.is_static(m) for m in uses if isinstance(m, Member)}) > 1:
        refuse_lines(name, {use.line for use in uses})
    refuse_class_shadow(classes, name)
    if not classes.script:
        uses += owner.names[name].uses if name in owner.names else []
    refuse_constructor_fields(names, classes, name)
    return uses


def _binding_uses(names: Names, classes: FileClasses, binding: Binding) -> list[NameUse]:
    if BindingRole.DOTTED_IMPORT in binding.roles:
        raise InvalidArgument(
            f"{binding.name} is the first word of a dotted import: line {binding.sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    if binding.roles & {BindingRole.FIELD, BindingRole.ENUM_MEMBER}:
        raise InvalidArgument(
            f"{binding.name} is a member as well: line {binding.sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )
    refuse_mixed(names, classes, binding)
    uses: list[NameUse] = list(binding.uses)
    if BindingRole.PARAMETER in binding.roles and not classes.script:
        uses += labels_of(names, classes, binding)
    return uses

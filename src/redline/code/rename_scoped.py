"""What a rename touches where scopes are known: all that means the same thing, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from redline.code.definitions import Parsed
from redline.code.members import Classes
from redline.code.named import Node
from redline.code.scoped import read_names
from redline.code.scopes import ANY, Binding, Member, Names, Occurrence, Scope
from redline.code.syntax import syntax_issues
from redline.core.errors import InvalidArgument

_SHOWN = 8
# What the language itself gives a meaning.
_LANGUAGE = {
    *("exports", "module", "require", "arguments", "prototype", "constructor", "undefined"),
    *("__init__", "__name__", "__class__", "__file__", "__all__", "super"),
}
WHICH = "say which by its qualified name, or pass start_line of a line that uses it"
EVERYWHERE = "replace those lines, or say `everywhere` to rename the word wherever it is code"


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be renamed: a binding of a scope, or a member of a class."""

    binding: Binding | None = None
    owner: Scope | None = None

    @property
    def title(self) -> str:
        """How it is told apart: qualified name and line."""
        if self.binding is not None and self.owner is None:
            return f"{self.binding.qualified} (line {self.binding.sites[0].line})"
        assert self.owner is not None
        return f"member of {self.owner.qualified}"


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
    target = _target(names, classes, old, name, lines)
    if target is None:
        return _loose(names, old, name)
    if target.owner is not None:
        return _member_spots(names, classes, target.owner, name)
    assert target.binding is not None
    return _binding_spots(names, classes, target.binding)


def _target(
    names: Names, classes: Classes, old: str, name: str, lines: range | None
) -> Target | None:
    found = list(_candidates(names, classes, name))
    if lines is not None:
        return _target_on(names, classes, found, name, lines)
    spelled = re.sub(r"::|->|(?<=.)#", ".", old.strip())
    if "." in spelled:
        exact = [target for target in found if _qualified(target, name) == spelled]
        ending = [t for t in found if _qualified(t, name).endswith("." + spelled)]
        if not exact and not ending and found:
            known = ", ".join(target.title for target in found[:_SHOWN])
            raise InvalidArgument(f"No such symbol: {old}; the file has {known}")
        return _only(exact or ending, name)
    upper = [t for t in found if t.owner is None and t.binding and not t.binding.scope.qualified]
    outermost = [t for t in upper if t.binding and t.binding.scope.kind == "module"]
    return _only(outermost or found, name)


def _candidates(names: Names, classes: Classes, name: str) -> Iterable[Target]:
    for binding in names.bindings:
        if binding.name == name and (classes.script or binding.scope not in classes.defined):
            yield Target(binding)
    for scope, defined in classes.defined.items():
        if name in defined:
            yield Target(owner=scope)


def _qualified(target: Target, name: str) -> str:
    if target.owner is not None:
        return f"{target.owner.qualified}.{name}"
    assert target.binding is not None
    return target.binding.qualified


def _target_on(
    names: Names, classes: Classes, found: list[Target], name: str, lines: range
) -> Target | None:
    """What the name means on *lines*, where it must mean one thing only."""
    spots = [o for o in names.occurrences if o.name == name and o.line in lines]
    members = [m for m in names.members if m.name == name and m.line in lines]
    bound = {id(spot.binding) for spot in spots}
    starts = {spot.start for spot in spots}
    owners = [_owner_of(classes, m) for m in members if m.start not in starts]
    chosen = [t for t in found if t.owner is None and id(t.binding) in bound]
    owned = [t for t in found if t.owner is not None and any(o is t.owner for o in owners)]
    owned += [
        t
        for t in found
        if t.owner is not None and t not in owned and _defined_on(classes, t.owner, name, lines)
    ]
    things = len(chosen) + len(owned) + (id(None) in bound)
    foreign = any(not isinstance(owner, Scope) for owner in owners)
    loose = any(o.name == name and o.binding is None for o in names.occurrences)
    if things + foreign > 1 or (foreign and not things and (found or loose)):
        refuse_lines(name, {s.line for s in spots} | {m.line for m in members})
    if not things and not foreign:
        raise InvalidArgument(
            f"Nothing that can be renamed is called {name} on line {lines[0]}",
            field="start_line",
            hint="pass start_line of a line that uses the name, or leave it out",
        )
    return (chosen + owned)[0] if chosen or owned else None


def _defined_on(classes: Classes, owner: Scope, name: str, lines: range) -> bool:
    return any(
        spot.line in lines
        for item in classes.defined[owner][name]
        for spot in (item.sites if isinstance(item, Binding) else [item])
    )


def _only(found: list[Target], name: str) -> Target | None:
    if len(found) > 1:
        known = "; ".join(target.title for target in found[:_SHOWN])
        raise InvalidArgument(
            f"The name means several things here: {name}: {known}",
            field="edit_instruction",
            hint=WHICH,
            details={"candidates": [target.title for target in found]},
        )
    return found[0] if found else None


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
        _refuse_strays(names, name)
        if len({spot.meaning for spot in plain}) > 1:
            refuse_lines(name, {spot.line for spot in plain})
        return list(plain)
    members = [member for member in names.members if member.name == name]
    owners = {m.owner.text() if m.owner is not None else None for m in members}
    kinds = {(m.kind, m.form, m.owner.kind() if m.owner is not None else "") for m in members}
    simple = {(kind, "access", "identifier") for kind, *_ in kinds}
    if len(owners) != 1 or len(kinds) != 1 or kinds != simple:
        _refuse_unknown(name, members, old)
    return list(members)


def _refuse_unknown(name: str, members: Iterable[Member], old: str = "") -> None:
    refuse_lines(name, {member.line for member in members}, old)


def refuse_lines(name: str, found: Iterable[int], old: str = "") -> None:
    """Refuse because the uses on these lines may be of something else."""
    lines = sorted(found)
    if not lines:
        raise InvalidArgument(
            f"The file does not use the name: {old or name}",
            field="edit_instruction",
            hint="names in strings and comments are not renamed; use a replace for those",
        )
    where = ", ".join(map(str, lines[:_SHOWN])) + (", ..." if len(lines) > _SHOWN else "")
    raise InvalidArgument(
        f"It cannot be told whose {name} is used on line {where}",
        field="edit_instruction",
        hint=EVERYWHERE,
        details={"lines": lines},
    )


def _refuse_family(classes: Classes, owner: Scope, name: str) -> None:
    """Refuse a member that bases or subclasses of the file define too."""
    family = classes.related(owner, name)
    if family:
        known = ", ".join(scope.qualified for scope in (owner, *family))
        raise InvalidArgument(
            f"Several types here have a member {name}: {known}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )


def _member_spots(names: Names, classes: Classes, owner: Scope, name: str) -> list[Spot]:
    _refuse_family(classes, owner, name)
    spots: list[Spot] = []
    defined = [d for d in classes.defined[owner].get(name, ()) if isinstance(d, Member)]
    if classes.script and len({member.form for member in defined}) > 1:
        _refuse_unknown(name, defined)  # a method that is written over is two things
    unknown: list[Member] = []
    for member in (m for m in names.members if m.name == name):
        found = _owner_of(classes, member)
        if found is owner:
            spots.append(member)
        elif found == "unknown" or (member.form == "key" and classes.script):
            unknown.append(member)
    if unknown:
        _refuse_unknown(name, unknown)
    if classes.script and len({classes.is_static(m) for m in spots if isinstance(m, Member)}) > 1:
        refuse_lines(name, {spot.line for spot in spots})
    _refuse_class_shadow(classes, name)
    if not classes.script:
        spots += owner.names[name].uses if name in owner.names else []
    _refuse_constructor_fields(names, classes, name)
    return spots


def _owner_of(classes: Classes, member: Member) -> Scope | str:
    if member.form == "define":
        return member.scope if member.scope in classes.defined else "unknown"
    if member.form == "access":
        found = classes.instance(member.owner, member.scope)
        if isinstance(found, Scope):
            return classes.owner(found, member.name) or "other"
        return found
    return "other"


def _refuse_constructor_fields(names: Names, classes: Classes, name: str) -> None:
    """Labels of a call that makes the class may be its fields: dataclasses and the like."""
    labels = [
        member
        for member in names.members
        if member.name == name
        and member.form == "label"
        and isinstance(classes.instance(_as_call(member), member.scope), Scope)
    ]
    if labels:
        _refuse_unknown(name, labels)
    made = [b for b in names.bindings if b.name == name and "field" in b.roles]
    if made:
        raise InvalidArgument(
            f"{name} is made a member by a parameter: line {made[0].sites[0].line}",
            field="edit_instruction",
            hint=EVERYWHERE,
        )


def _as_call(member: Member) -> Any:
    """The call that a label stands in."""
    return member.node.parent().parent().parent()


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
    _refuse_mixed(names, classes, binding)
    spots: list[Spot] = list(binding.uses)
    if "parameter" in binding.roles and not classes.script:
        spots += _labels(names, classes, binding)
    return spots


def _refuse_mixed(names: Names, classes: Classes, binding: Binding) -> None:
    """Refuse a name that is bound in ways of which only running the code tells the one meant."""
    name, scope = binding.name, binding.scope
    twins = {id(found) for found in (scope.names.get(name), scope.types.get(name)) if found}
    both = len(twins) > 1 and any(u.meaning == ANY and u not in binding.sites for u in binding.uses)
    spaces = "namespace" in binding.roles and len(binding.roles) > 1
    if both or spaces or scope.shared or _is_import_and_more(binding):
        refuse_lines(name, {site.line for site in binding.sites})
    if classes.script:
        _refuse_strays(names, name)
    _refuse_class_shadow(classes, name)


def _is_import_and_more(binding: Binding) -> bool:
    return "import" in binding.roles and bool(binding.roles - {"import", "moved"})


def _refuse_strays(names: Names, name: str) -> None:
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


def _refuse_class_shadow(classes: Classes, name: str) -> None:
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


def _labels(names: Names, classes: Classes, binding: Binding) -> list[Member]:
    """The labels by which calls of its function pass a parameter."""
    function = binding.scope.owner
    called = [m for m in names.members if m.name == binding.name and m.form == "label"]
    if not called:
        return []
    sure: list[Member] = []
    unknown: list[Member] = []
    for member in called:
        verdict = _calls(names, classes, member, binding, function)
        if verdict is None:
            unknown.append(member)
        elif verdict:
            sure.append(member)
    if unknown:
        _refuse_unknown(binding.name, unknown)
    return sure


def _calls(
    names: Names, classes: Classes, label: Member, binding: Binding, function: Binding | None
) -> bool | None:
    """Whether a label's call is of this function; None when that cannot be told."""
    callee = label.owner
    if callee is None:
        return False
    plain = function is not None and len(function.sites) == 1 and not _is_decorated(binding.scope)
    if callee.kind() == "identifier":
        return _calls_name(names, classes, callee, binding, plain)
    if callee.kind() != "attribute":
        return None
    return _calls_member(classes, label, binding, plain)


def _calls_name(
    names: Names, classes: Classes, callee: Node, binding: Binding, plain: bool
) -> bool | None:
    spot = names.at(callee)
    known = spot.binding if spot is not None else None
    if known is None or known.roles <= {"import"}:
        return False
    method = _class_around(classes, binding)
    if known is binding.scope.owner and method is None:
        return True if plain else None
    made = classes.class_of(known)
    if made is None:
        return False if known.roles <= {"function"} else None
    constructor = classes.owner(made, "__init__")
    if binding.scope.name != "__init__" or constructor is not method:
        return False
    return True if plain and constructor is made else None


def _calls_member(classes: Classes, label: Member, binding: Binding, plain: bool) -> bool | None:
    assert label.owner is not None
    word = label.owner.field("attribute").text()
    if word != binding.scope.name:
        return False
    found = classes.instance(label.owner.field("object"), label.scope)
    if not isinstance(found, Scope):
        return False if found == "other" else None
    if classes.owner(found, word) is not _class_around(classes, binding):
        return False
    return True if plain else None


def _class_around(classes: Classes, binding: Binding) -> Scope | None:
    parent = binding.scope.parent
    return parent if parent in classes.defined else None


def _is_decorated(scope: Scope) -> bool:
    parent = scope.node.parent()
    return bool(parent is not None and parent.kind() == "decorated_definition")

"""What a rename means: one binding of a scope or one member of a class, else a refusal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from redline.code.python_js.members import Classes
from redline.code.rename.refusals import SHOWN, refuse_lines
from redline.code.scopes.model import Binding, Member, Names, Scope
from redline.core.errors import InvalidArgument

WHICH = "say which by its qualified name, or pass start_line of a line that uses it"


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


def target_of(
    names: Names, classes: Classes, old: str, name: str, lines: range | None
) -> Target | None:
    """What *old* is to be renamed as: on *lines*, by its qualified name, else the outermost."""
    found = list(_candidates(names, classes, name))
    if lines is not None:
        return _target_on(names, classes, found, name, lines)
    spelled = re.sub(r"::|->|(?<=.)#", ".", old.strip())
    if "." in spelled:
        exact = [target for target in found if _qualified(target, name) == spelled]
        ending = [t for t in found if _qualified(t, name).endswith("." + spelled)]
        if not exact and not ending and found:
            known = ", ".join(target.title for target in found[:SHOWN])
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
    owners = [owner_of(classes, m) for m in members if m.start not in starts]
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
        known = "; ".join(target.title for target in found[:SHOWN])
        raise InvalidArgument(
            f"The name means several things here: {name}: {known}",
            field="edit_instruction",
            hint=WHICH,
            details={"candidates": [target.title for target in found]},
        )
    return found[0] if found else None


def owner_of(classes: Classes, member: Member) -> Scope | str:
    """The class that a member belongs to; `other` or `unknown` where it is none of the file."""
    if member.form == "define":
        return member.scope if member.scope in classes.defined else "unknown"
    if member.form == "access":
        found = classes.instance(member.owner, member.scope)
        if isinstance(found, Scope):
            return classes.owner(found, member.name) or "other"
        return found
    return "other"

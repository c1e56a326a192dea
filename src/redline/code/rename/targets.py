"""Determine what a rename refers to: a binding or a member of a class; refuse if unclear."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.code.python_js.members import ClassOrNot, FileClasses, NoClass
from redline.code.rename.refusals import MAX_SHOWN, refuse_lines
from redline.code.scopes.model import Binding, Member, MemberUse, Names, Scope, ScopeKind
from redline.core.errors import InvalidArgument
from redline.core.records import dataclass

WHICH = "say which by its qualified name, or pass start_line of a line that uses it"


@dataclass(frozen=True, slots=True)
class RenameTarget:
    """The symbol to rename: a binding of a scope, or a member of a class."""

    binding: Binding | None = None
    owner: Scope | None = None

    @property
    def title(self) -> str:
        """Return the text that identifies it for a reader: qualified name and line."""
        if self.binding is not None and self.owner is None:
            return f"{self.binding.qualified_name} (line {self.binding.sites[0].line})"
        assert self.owner is not None
        return f"member of {self.owner.qualified_name}"


def target_of(
    names: Names, classes: FileClasses, old: str, name: str, lines: range | None
) -> RenameTarget | None:
    """Return the symbol *old* refers to: on *lines*, by qualified name, else the outermost."""
    found = list(_candidates(names, classes, name))
    if lines is not None:
        return _target_on(names, classes, found, name, lines)
    dotted = re.sub(r"::|->|(?<=.)#", ".", old.strip())
    if "." in dotted:
        exact = [target for target in found if _qualified_name(target, name) == dotted]
        ending = [t for t in found if _qualified_name(t, name).endswith("." + dotted)]
        if not exact and not ending and found:
            known = ", ".join(target.title for target in found[:MAX_SHOWN])
            raise InvalidArgument(f"No such symbol: {old}; the file has {known}")
        return _only(exact or ending, name)
    upper = [
        t for t in found if t.owner is None and t.binding and not t.binding.scope.qualified_name
    ]
    outermost = [t for t in upper if t.binding and t.binding.scope.kind == ScopeKind.MODULE]
    return _only(outermost or found, name)


def _candidates(names: Names, classes: FileClasses, name: str) -> Iterable[RenameTarget]:
    for binding in names.bindings:
        if binding.name == name and (classes.script or binding.scope not in classes.defined):
            yield RenameTarget(binding)
    for scope, defined in classes.defined.items():
        if name in defined:
            yield RenameTarget(owner=scope)


def _qualified_name(target: RenameTarget, name: str) -> str:
    if target.owner is not None:
        return f"{target.owner.qualified_name}.{name}"
    assert target.binding is not None
    return target.binding.qualified_name


def _target_on(
    names: Names, classes: FileClasses, found: list[RenameTarget], name: str, lines: range
) -> RenameTarget | None:
    """Return what the name refers to on *lines*, where it must be a single symbol."""
    uses = [o for o in names.occurrences if o.name == name and o.line in lines]
    members = [m for m in names.members if m.name == name and m.line in lines]
    bound = {id(use.binding) for use in uses}
    starts = {use.start for use in uses}
    owners = [owner_of(classes, m) for m in members if m.start not in starts]
    chosen = [t for t in found if t.owner is None and id(t.binding) in bound]
    owned = [t for t in found if t.owner is not None and any(o is t.owner for o in owners)]
    owned += [
        t
        for t in found
        if t.owner is not None and t not in owned and _defined_on(classes, t.owner, name, lines)
    ]
    count = len(chosen) + len(owned) + (id(None) in bound)
    foreign = any(not isinstance(owner, Scope) for owner in owners)
    loose = any(o.name == name and o.binding is None for o in names.occurrences)
    if count + foreign > 1 or (foreign and not count and (found or loose)):
        refuse_lines(name, {use.line for use in uses} | {m.line for m in members})
    if not count and not foreign:
        raise InvalidArgument(
            f"Nothing that can be renamed is called {name} on line {lines[0]}",
            field="start_line",
            hint="pass start_line of a line that uses the name, or leave it out",
        )
    return (chosen + owned)[0] if chosen or owned else None


def _defined_on(classes: FileClasses, owner: Scope, name: str, lines: range) -> bool:
    return any(
        site.line in lines
        for item in classes.defined[owner][name]
        for site in (item.sites if isinstance(item, Binding) else [item])
    )


def _only(found: list[RenameTarget], name: str) -> RenameTarget | None:
    if len(found) > 1:
        known = "; ".join(target.title for target in found[:MAX_SHOWN])
        raise InvalidArgument(
            f"The name means several things here: {name}: {known}",
            field="edit_instruction",
            hint=WHICH,
            details={"candidates": [target.title for target in found]},
        )
    return found[0] if found else None


def owner_of(classes: FileClasses, member: Member) -> ClassOrNot:
    """Return the class of the file that a member belongs to, if any."""
    if member.form == MemberUse.DEFINE:
        return member.scope if member.scope in classes.defined else NoClass.UNKNOWN
    if member.form == MemberUse.ACCESS:
        found = classes.class_of_value(member.owner, member.scope)
        if isinstance(found, Scope):
            return classes.owner(found, member.name) or NoClass.OTHER
        return found
    return NoClass.OTHER

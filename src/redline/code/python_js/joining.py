"""Join members of several types that must get a new name together, for a rename in scripts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from redline.code.python_js.inference.context import ScriptContext
from redline.code.python_js.inference.flows import ValueFlows
from redline.code.python_js.project import Module
from redline.code.python_js.values import ValueResolver
from redline.code.references.definition import UNKNOWN, Definition
from redline.code.references.targets import Meaning, ReferenceTarget
from redline.core.paths import WorkspacePath

_PATTERN = "shorthand_property_identifier_pattern"
# If more types have a member of one name, those that are not its own are not looked for by name.
_MAX_TYPES = 50


@dataclass(slots=True)
class MemberJoins:
    """The members of one name that count as the same."""

    name: str
    values: ValueResolver
    # How often members were joined to a target.
    count: int = 0
    # Members of the name in what was read, and those that places in a file join.
    _members: set[Definition] = field(default_factory=set)
    _flows: dict[WorkspacePath, list[frozenset[Definition]]] = field(default_factory=dict)

    def join(self, found: list[Meaning], targets: list[ReferenceTarget]) -> None:
        """Count members as the same that one place refers to: all of them get the new name."""
        places = [each.definitions for each in found]
        self._members |= {d for definitions in places for d in self._named(definitions)}
        self._join(places, targets)

    def _named(self, definitions: Iterable[Definition]) -> set[Definition]:
        return {each for each in definitions if each.is_member and each.name == self.name}

    def _join(
        self, places: Iterable[frozenset[Definition]], targets: list[ReferenceTarget]
    ) -> None:
        for definitions in places:
            for target in (each for each in targets if each.is_member):
                members = self._named(definitions)
                if target.same & definitions and not members <= target.same:
                    target.same |= members
                    self.count += 1

    def join_patterns(
        self, module: Module, found: list[Meaning], targets: list[ReferenceTarget]
    ) -> None:
        """Count variables as the same that take it from its module: `{ a } = await import("b")`."""
        patterns = {
            member.start
            for member in module.names.members
            if member.name == self.name and member.node.kind() == _PATTERN
        }
        for target in (each for each in targets if not each.is_member and patterns):
            bound = (each for each in found if each.is_member and target.same & each.definitions)
            taken = patterns & {each.start for each in bound}
            for variable in (each for each in found if not each.is_member and each.start in taken):
                if not variable.definitions <= target.same:
                    target.same |= variable.definitions - {UNKNOWN}
                    self.count += 1

    def types_to_join(self, targets: list[ReferenceTarget]) -> tuple[set[str], set[WorkspacePath]]:
        """Return the types that have the member, if others than the targets' do; their files."""
        same = {d for target in targets if target.is_member for d in self._named(target.same)}
        others = self._members - same
        if not same or not others:
            return set(), set()
        known = [*same, *(others if len(others) <= _MAX_TYPES else ())]
        scopes = (d.module.bodies.get(d.start) for d in known if isinstance(d.module, Module))
        names = {scope.name for scope in scopes if scope is not None and scope.name}
        return names, {definition.path for definition in same}

    def join_values(self, module: Module, targets: list[ReferenceTarget]) -> None:
        """Count members as the same where a module gives a value of one type to another."""
        if not isinstance(self.values, ScriptContext):
            return
        if module.path not in self._flows:
            found = ValueFlows(self.name, self.values).joined_in(module)
            self._flows[module.path] = list(found)
        self._join(self._flows[module.path], targets)

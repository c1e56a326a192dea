"""Which names of a file are one and the same: scopes, what they bind, and who refers to it.

A language's reader (scopes_python, scopes_script) walks the tree once, opens scopes and notes
every name; `Names.settle` then gives each reference its binding. Members, the words after a dot,
are noted apart: what they belong to is not for scopes to say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from redline.code.syntax.node import Node

ANY, VALUE, TYPE = "any", "value", "type"
_TABLES = {"list", "dictionary", "set", "tuple", "array", "object"}
_LONG_TABLE = 1000


@dataclass(slots=True, eq=False)
class Scope:
    """A stretch of code that binds names; `kind` is module, function, class, block or part."""

    kind: str
    parent: Scope | None
    node: Node
    name: str = ""
    names: dict[str, Binding] = field(default_factory=dict)
    # Names of types that are no values: TypeScript keeps the two apart.
    types: dict[str, Binding] = field(default_factory=dict)
    # Names that Python's `global` and `nonlocal` move elsewhere, by that word.
    moved: dict[str, str] = field(default_factory=dict)
    # The binding of the function or class this is the scope of.
    owner: Binding | None = None
    # Whether its names are seen elsewhere as well: those of a namespace.
    shared: bool = False

    @property
    def qualified(self) -> str:
        """The names of the scopes around and this one's, dotted."""
        above = self.parent.qualified if self.parent else ""
        return ".".join(part for part in (above, self.name) if part)

    def bound(self, name: str, meaning: str) -> Binding | None:
        """What this scope binds the name to, in that meaning."""
        value, kind = self.names.get(name), self.types.get(name)
        if meaning == TYPE and (value is None or value.meaning != ANY):
            return kind
        return value or (kind if meaning == ANY else None)

    def outward(self) -> Iterator[Scope]:
        """This scope and those around it, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def home(self) -> Scope:
        """The nearest scope that a function, class or module makes."""
        return next(s for s in self.outward() if s.kind in ("module", "function", "class"))


@dataclass(slots=True, eq=False)
class Occurrence:
    """One place that spells a name. Lines are 1-based, offsets count characters."""

    name: str
    start: int
    end: int
    line: int
    kind: str
    scope: Scope
    node: Node
    meaning: str = ANY
    binding: Binding | None = None


@dataclass(slots=True, eq=False)
class Binding:
    """A name as one scope binds it: where it is bound, and every place that means it."""

    name: str
    scope: Scope
    sites: list[Occurrence] = field(default_factory=list)
    uses: list[Occurrence] = field(default_factory=list)
    roles: set[str] = field(default_factory=set)
    meaning: str = ""

    @property
    def qualified(self) -> str:
        """The name with its scopes, dotted."""
        above = self.scope.qualified
        return f"{above}.{self.name}" if above else self.name


@dataclass(slots=True, eq=False)
class Member:
    """A word that belongs to a value: `form` is access, define, key or label.

    `owner` is what stands before the dot, or what is called with the label.
    """

    name: str
    start: int
    end: int
    line: int
    kind: str
    form: str
    scope: Scope
    owner: Node | None
    node: Node


@dataclass(slots=True)
class Names:
    """Everything a file names."""

    root: Scope
    bindings: list[Binding] = field(default_factory=list)
    occurrences: list[Occurrence] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    _at: dict[int, Occurrence] = field(default_factory=dict)

    def open(self, kind: str, parent: Scope, node: Node, name: str = "") -> Scope:
        """A new scope within *parent*."""
        scope = Scope(kind, parent, node, name)
        self.scopes.append(scope)
        return scope

    def bind(self, node: Node, scope: Scope, role: str, meaning: str = VALUE) -> Binding:
        """Note that *node* spells a name that *scope* binds."""
        name = node.text()
        binding = scope.bound(name, meaning)
        if binding is None:
            binding = Binding(name, scope)
            self.bindings.append(binding)
        if meaning != TYPE or binding.meaning == ANY:
            scope.names[name] = binding
        else:
            scope.types[name] = binding
        binding.roles.add(role)
        binding.meaning = ANY if ANY in (meaning, binding.meaning) else meaning
        spot = self._occurrence(node, scope, ANY)
        spot.binding = binding
        binding.sites.append(spot)
        return binding

    def refer(self, node: Node, scope: Scope, meaning: str = VALUE) -> None:
        """Note that *node* refers to a name."""
        self._occurrence(node, scope, meaning)

    def member(self, node: Node, scope: Scope, form: str, owner: Node | None = None) -> None:
        """Note a word that belongs to a value."""
        where = node.range()
        start, end, line = where.start.index, where.end.index, where.start.line + 1
        found = Member(node.text(), start, end, line, node.kind(), form, scope, owner, node)
        self.members.append(found)

    def at(self, node: Node) -> Occurrence | None:
        """The name that *node* spells, if it spells one."""
        return self._at.get(node.range().start.index)

    def settle(self, *, through_classes: bool) -> Names:
        """Give every reference its binding; nested code sees a class's names only if so said."""
        for spot in self.occurrences:
            if spot.binding is None:
                spot.binding = _resolved(spot, through_classes)
            if spot.binding is not None:
                spot.binding.uses.append(spot)
        return self

    def forget(self) -> None:
        """Part what refers to each other: the memory is free at once, no later answer pays."""
        for binding in self.bindings:
            binding.sites.clear()
            binding.uses.clear()
        for scope in self.scopes:
            scope.names.clear()
            scope.types.clear()
            scope.owner = None

    def _occurrence(self, node: Node, scope: Scope, meaning: str) -> Occurrence:
        where = node.range()
        start, end, line = where.start.index, where.end.index, where.start.line + 1
        spot = Occurrence(node.text(), start, end, line, node.kind(), scope, node, meaning)
        self.occurrences.append(spot)
        self._at[start] = spot
        return spot


def _resolved(spot: Occurrence, through_classes: bool) -> Binding | None:
    for scope in spot.scope.outward():
        if scope.moved.get(spot.name) == "global":
            return list(scope.outward())[-1].names.get(spot.name)
        if scope.kind == "class" and scope is not spot.scope and not through_classes:
            continue
        binding = scope.bound(spot.name, spot.meaning)
        if binding is not None:
            return binding
    return None


class TreeReader(ABC):
    """Walks a tree with the scope it is in; a language says what each kind of node means.

    With *spots*, the rising offsets of the words that matter, functions and long tables that hold
    none of them are passed over: most of a file, when one name is asked for.
    """

    def __init__(self, names: Names, spots: Sequence[int] | None = None) -> None:
        self.names = names
        self._spots = spots

    def is_worth(self, node: Node) -> bool:
        """Whether the parts of a plain node are to be read."""
        if self._spots is None or node.kind() not in _TABLES:
            return True
        where = node.range()
        return where.end.index - where.start.index < _LONG_TABLE or self.matters(node)

    def matters(self, node: Node) -> bool:
        """Whether a word that is asked for stands within *node*."""
        if self._spots is None:
            return True
        where = node.range()
        at = bisect_left(self._spots, where.start.index)
        return at < len(self._spots) and self._spots[at] < where.end.index

    @abstractmethod
    def visit(self, node: Node, scope: Scope) -> None:
        """Note the names of *node*, which stands in *scope*."""

    def visit_all(self, node: Node, scope: Scope) -> None:
        """Every child of *node*."""
        for child in node.children():
            self.visit(child, scope)

    def field(self, node: Node, name: str, scope: Scope) -> None:
        """The child called *name*, where there is one."""
        found = node.field(name)
        if found is not None:
            self.visit(found, scope)

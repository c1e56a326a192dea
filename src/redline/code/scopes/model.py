"""Scopes of a file, the names they bind, and the references to each binding.

A language's reader (`python`, `javascript`) walks the tree once, opens scopes and records every
name; `Names.settle` then resolves each reference to its binding. Members, the words after a dot,
are recorded separately: scopes do not determine their owner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import StrEnum

from redline.code.syntax.node import SyntaxNode
from redline.core.records import dataclass, field

_TABLES = {"list", "dictionary", "set", "tuple", "array", "object"}
_LONG_TABLE = 1000


class Namespace(StrEnum):
    """Whether a name means a value or a type, which TypeScript and Rust keep apart."""

    ANY = "any"
    VALUE = "value"
    TYPE = "type"


ANY, VALUE, TYPE = Namespace.ANY, Namespace.VALUE, Namespace.TYPE


class ScopeKind(StrEnum):
    """What opens a scope; a part is what binds names within an expression or a definition."""

    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    BLOCK = "block"
    PART = "part"


class BindingRole(StrEnum):
    """How Python, JavaScript or TypeScript binds a name."""

    VARIABLE = "variable"
    PARAMETER = "parameter"
    FUNCTION = "function"
    CLASS = "class"
    TYPE = "type"
    ENUM = "enum"
    ENUM_MEMBER = "enum member"
    NAMESPACE = "namespace"
    # A constructor parameter that TypeScript makes a field of the same name.
    FIELD = "field"
    IMPORT = "import"
    # The first word of Python's `import a.b`.
    DOTTED_IMPORT = "dotted import"
    # Listed by Python's `global` or `nonlocal`.
    REDIRECTED = "redirected"


class MemberUse(StrEnum):
    """How Python, JavaScript or TypeScript mentions a member."""

    ACCESS = "access"
    DEFINE = "define"
    KEY = "key"
    # The name of a keyword argument.
    LABEL = "label"


@dataclass(slots=True, eq=False)
class Scope:
    """A span of code that binds names; `kind` is a `ScopeKind`."""

    kind: str
    parent: Scope | None
    node: SyntaxNode
    name: str = ""
    names: dict[str, Binding] = field(default_factory=dict)
    # Names of types that are not values.
    types: dict[str, Binding] = field(default_factory=dict)
    # Names that Python's `global` and `nonlocal` bind in another scope, by that keyword.
    redirected: dict[str, str] = field(default_factory=dict)
    # The binding of the function or class this is the scope of.
    owner: Binding | None = None
    # Whether its names are visible elsewhere too, as those of a TypeScript namespace are.
    shared: bool = False

    @property
    def qualified_name(self) -> str:
        """Return the names of the enclosing scopes and of this one, dotted."""
        above = self.parent.qualified_name if self.parent else ""
        return ".".join(part for part in (above, self.name) if part)

    def binding_of(self, name: str, meaning: str) -> Binding | None:
        """Return the binding of *name* in this very scope, in the namespace *meaning*."""
        value, kind = self.names.get(name), self.types.get(name)
        if meaning == TYPE and (value is None or value.meaning != ANY):
            return kind
        return value or (kind if meaning == ANY else None)

    def outward(self) -> Iterator[Scope]:
        """Yield this scope and the enclosing ones, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


@dataclass(slots=True, eq=False)
class Occurrence:
    """One occurrence of a name. Lines are 1-based, offsets count characters."""

    name: str
    start: int
    end: int
    line: int
    kind: str
    scope: Scope
    node: SyntaxNode
    meaning: str = ANY
    binding: Binding | None = None


@dataclass(slots=True, eq=False)
class Binding:
    """A name that a scope binds: where it is bound, and every occurrence that refers to it."""

    name: str
    scope: Scope
    sites: list[Occurrence] = field(default_factory=list)
    uses: list[Occurrence] = field(default_factory=list)
    # Values of `BindingRole`, or of another language's own enumeration.
    roles: set[str] = field(default_factory=set)
    meaning: str = ""

    @property
    def qualified_name(self) -> str:
        """Return the name with its scopes, dotted."""
        above = self.scope.qualified_name
        return f"{above}.{self.name}" if above else self.name


@dataclass(slots=True, eq=False)
class Member:
    """One mention of a member of a value; `form` is a `MemberUse` or another language's own.

    `owner` is the expression before the dot, or the function called with the label.
    """

    name: str
    start: int
    end: int
    line: int
    kind: str
    form: str
    scope: Scope
    owner: SyntaxNode | None
    node: SyntaxNode


@dataclass(slots=True)
class Names:
    """All names of a file."""

    root: Scope
    bindings: list[Binding] = field(default_factory=list)
    occurrences: list[Occurrence] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    _at: dict[int, Occurrence] = field(default_factory=dict)

    def open(self, kind: str, parent: Scope, node: SyntaxNode, name: str = "") -> Scope:
        """Open a scope within *parent*."""
        scope = Scope(kind, parent, node, name)
        self.scopes.append(scope)
        return scope

    def bind(self, node: SyntaxNode, scope: Scope, role: str, meaning: str = VALUE) -> Binding:
        """Record that *scope* binds the name at *node*."""
        name = node.text()
        binding = scope.binding_of(name, meaning)
        if binding is None:
            binding = Binding(name, scope)
            self.bindings.append(binding)
        if meaning != TYPE or binding.meaning == ANY:
            scope.names[name] = binding
        else:
            scope.types[name] = binding
        binding.roles.add(role)
        binding.meaning = ANY if ANY in (meaning, binding.meaning) else meaning
        occurrence = self._occurrence(node, scope, ANY)
        occurrence.binding = binding
        binding.sites.append(occurrence)
        return binding

    def refer(self, node: SyntaxNode, scope: Scope, meaning: str = VALUE) -> None:
        """Record that *node* refers to a name."""
        self._occurrence(node, scope, meaning)

    def member(
        self, node: SyntaxNode, scope: Scope, form: str, owner: SyntaxNode | None = None
    ) -> None:
        """Record a mention of a member."""
        where = node.range()
        start, end, line = where.start.index, where.end.index, where.start.line + 1
        name = node.text()
        if node.kind() == "string":
            name, start, end = name[1:-1], start + 1, end - 1
        found = Member(name, start, end, line, node.kind(), form, scope, owner, node)
        self.members.append(found)

    def at(self, node: SyntaxNode) -> Occurrence | None:
        """Return the occurrence that begins at *node*, if there is one."""
        return self._at.get(node.range().start.index)

    def settle(self, *, through_classes: bool) -> Names:
        """Resolve every reference; *through_classes* if nested code sees the names of a class."""
        for occurrence in self.occurrences:
            if occurrence.binding is None:
                occurrence.binding = _resolve(occurrence, through_classes)
            if occurrence.binding is not None:
                occurrence.binding.uses.append(occurrence)
        return self

    def _occurrence(self, node: SyntaxNode, scope: Scope, meaning: str) -> Occurrence:
        where = node.range()
        start, end, line = where.start.index, where.end.index, where.start.line + 1
        found = Occurrence(node.text(), start, end, line, node.kind(), scope, node, meaning)
        self.occurrences.append(found)
        self._at[start] = found
        return found


def _resolve(occurrence: Occurrence, through_classes: bool) -> Binding | None:
    for scope in occurrence.scope.outward():
        if scope.redirected.get(occurrence.name) == "global":
            return list(scope.outward())[-1].names.get(occurrence.name)
        is_outer_class = scope.kind == ScopeKind.CLASS and scope is not occurrence.scope
        if is_outer_class and not through_classes:
            continue
        binding = scope.binding_of(occurrence.name, occurrence.meaning)
        if binding is not None:
            return binding
    return None


class TreeReader(ABC):
    """Walk a tree, tracking the current scope; subclasses handle the node kinds of a language.

    With *offsets*, the sorted positions of the words that matter, functions and long tables that
    contain none of them are skipped: most of a file, when one name is looked up.
    """

    def __init__(self, names: Names, offsets: Sequence[int] | None = None) -> None:
        self.names = names
        self._offsets = offsets

    def is_worth(self, node: SyntaxNode) -> bool:
        """Return whether to read the children of a node without a handler."""
        if self._offsets is None or node.kind() not in _TABLES:
            return True
        where = node.range()
        return where.end.index - where.start.index < _LONG_TABLE or self.matters(node)

    def matters(self, node: SyntaxNode) -> bool:
        """Return whether *node* contains a word that matters."""
        if self._offsets is None:
            return True
        where = node.range()
        at = bisect_left(self._offsets, where.start.index)
        return at < len(self._offsets) and self._offsets[at] < where.end.index

    @abstractmethod
    def visit(self, node: SyntaxNode, scope: Scope) -> None:
        """Record the names of *node*, which is in *scope*."""

    def visit_all(self, node: SyntaxNode, scope: Scope) -> None:
        """Visit every child of *node*."""
        for child in node.children():
            self.visit(child, scope)

    def field(self, node: SyntaxNode, name: str, scope: Scope) -> None:
        """Visit the child in the field *name*, if there is one."""
        found = node.field(name)
        if found is not None:
            self.visit(found, scope)

"""The names of a Rust file: items, what is brought in, and the bodies that matter.

Modules see nothing of what is around them, so the scope of one has no parent. Fields, variants,
methods and what else a type has are bound in scopes of kind `class`, one for each type, trait and
`impl`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from redline.code.rust.scopes.expansions import Expansions
from redline.code.scopes.model import Binding, Names, Scope
from redline.code.syntax.node import Node

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Impl:
    """An `impl`: what it gives members to, the trait it does so for, where its types are read."""

    scope: Scope
    outer: Scope
    of: Node
    trait: Node | None


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """What gives a local name its type: a pattern with a written type or a value."""

    how: str
    pattern: Node
    scope: Scope
    type: Node | None = None
    value: Node | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Glob:
    """All that a path has, brought into a scope; others may see it there if it is passed on."""

    scope: Scope
    path: Path
    is_passed_on: bool


@dataclass(slots=True)
class RustNames(Names):
    """The names of a Rust file."""

    # Of what is brought in: the path, by where the name is bound.
    uses: dict[int, Path] = field(default_factory=dict)
    globs: list[Glob] = field(default_factory=list)
    # Where names are bound that others may see what they bring in by.
    passed_on: set[int] = field(default_factory=set)
    # Crates that the whole crate knows by a name of its own.
    externs: dict[str, Path] = field(default_factory=dict)
    # Of words within a path that is brought in: the path as far as they go.
    prefixes: dict[int, Path] = field(default_factory=dict)
    impls: list[Impl] = field(default_factory=list)
    # Types, traits, variants and inline modules by what names them.
    bodies: dict[Binding, Scope] = field(default_factory=dict)
    # The scope of a function's parameters, by where its name begins.
    functions: dict[int, Scope] = field(default_factory=dict)
    locals: dict[Binding, Local] = field(default_factory=dict)
    # The module around an inline module.
    supers: dict[Scope, Scope] = field(default_factory=dict)
    # What is passed to macros that the language does not bring: from, to, and the macro's name.
    passed: list[tuple[int, int, str]] = field(default_factory=list)
    # The scope that holds macros: their names are apart from all others.
    macros: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.macros = Scope("part", None, self.root.node)

    def forget(self) -> None:
        """Part what refers to each other."""
        super(RustNames, self).forget()
        self.macros.names.clear()
        for held in (self.bodies, self.functions, self.locals, self.supers):
            held.clear()
        for listed in (self.impls, self.globs, self.occurrences, self.members):
            listed.clear()

    def module(self, scope: Scope) -> Scope:
        """The module that a scope lies in."""
        return list(scope.outward())[-1]

    def impl(self, scope: Scope) -> Impl | None:
        """The `impl` that a scope lies in."""
        around = set(scope.outward())
        return next((found for found in reversed(self.impls) if found.scope in around), None)

    def impl_at(self, start: int) -> Impl | None:
        """The innermost `impl` around a place."""
        held = [found for found in self.impls if holds(found.scope.node, start)]
        return max(held, key=lambda found: found.scope.node.range().start.index, default=None)

    def trait(self, scope: Scope) -> Binding | None:
        """The trait, or type, whose body a scope lies in."""
        owners = (s.owner for s in scope.outward() if s.kind == "class")
        return next((owner for owner in owners if owner is not None), None)


def rust_names(root: Node, text: str, spots: Sequence[int]) -> RustNames:
    """Every declaration of a file, and the bodies that hold one of *spots*."""
    from redline.code.rust.scopes.bodies import BodyReader

    module = Scope("module", None, root)
    names = RustNames(module, scopes=[module])
    reader = BodyReader(names, spots, Expansions(root, text, spots))
    reader.visit_all(root, module)
    names.settle(through_classes=False)
    return names


def holds(node: Node, start: int) -> bool:
    """Whether a place lies within a node."""
    where = node.range()
    return bool(where.start.index <= start < where.end.index)

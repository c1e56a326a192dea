"""The names of a Rust file: items, imports, and the bodies that contain the wanted name.

Modules see nothing of what is around them, so the scope of one has no parent. Fields, variants,
methods and other members are bound in scopes of kind `class`, one per type, trait and `impl`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from redline.code.rust.scopes.expansions import Expansions
from redline.code.scopes.model import VALUE, Binding, Names, Scope
from redline.code.syntax.node import SyntaxNode
from redline.core.records import dataclass, field

Path = tuple[str, ...]


class Role(StrEnum):
    """What a name is bound as."""

    MODULE = "module"
    FUNCTION = "function"
    TYPE = "type"
    TYPE_PARAMETER = "type parameter"
    ALIAS = "alias"
    ASSOCIATED = "associated"
    TRAIT = "trait"
    VARIANT = "variant"
    FIELD = "field"
    CONSTANT = "constant"
    LOCAL = "local"
    MACRO = "macro"
    IMPORT = "import"


class MemberForm(StrEnum):
    """How a member is written."""

    # The last word of a path.
    PATH = "path"
    # Another word of a path, resolved by the words before it.
    PREFIX = "prefix"
    FIELD = "field"
    CALLED = "called"
    # A field in a struct literal or pattern.
    KEY = "key"
    # `Item` in `Iterator<Item = T>`.
    BINDING = "binding"
    MACRO = "macro"
    ATTRIBUTE = "attribute"


class LocalOrigin(StrEnum):
    """What the pattern of a local name matches."""

    VALUE = "value"
    # A stated type.
    TYPE = "type"
    # An item of the iterated value.
    EACH = "each"
    # A parameter of the closure.
    CLOSURE = "closure"


class MacroArguments(NamedTuple):
    """The span of a macro's arguments, the macro's name, and the scope that it is called in."""

    start: int
    end: int
    macro: str
    scope: Scope


@dataclass(frozen=True, slots=True, eq=False)
class Impl:
    """An `impl`: *of* is the type it adds members to, *outer* the scope in which types are read."""

    scope: Scope
    outer: Scope
    of: SyntaxNode
    trait: SyntaxNode | None


@dataclass(frozen=True, slots=True, eq=False)
class RustLocal:
    """What determines the type of a local name: a pattern with a stated type or a value."""

    how: LocalOrigin
    pattern: SyntaxNode
    scope: Scope
    type: SyntaxNode | None = None
    value: SyntaxNode | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Glob:
    """A glob import; other modules see its names if it is re-exported."""

    scope: Scope
    path: Path
    is_reexported: bool


@dataclass(slots=True)
class RustNames(Names):
    """The names of a Rust file."""

    # The paths of imports, by the offset of the bound name.
    uses: dict[int, Path] = field(default_factory=dict)
    globs: list[Glob] = field(default_factory=list)
    # Offsets of the names that public imports bind.
    reexported: set[int] = field(default_factory=set)
    # Crates renamed by `extern crate`, for the whole crate.
    externs: dict[str, Path] = field(default_factory=dict)
    # For each word of an imported path, the path up to it, by offset.
    prefixes: dict[int, Path] = field(default_factory=dict)
    impls: list[Impl] = field(default_factory=list)
    # The scopes of types, traits, variants and inline modules.
    bodies: dict[Binding, Scope] = field(default_factory=dict)
    # The scope of a function's parameters, by the offset of its name.
    functions: dict[int, Scope] = field(default_factory=dict)
    locals: dict[Binding, RustLocal] = field(default_factory=dict)
    # The module around an inline module.
    supers: dict[Scope, Scope] = field(default_factory=dict)
    # The arguments of macros other than the standard ones.
    macro_arguments: list[MacroArguments] = field(default_factory=list)
    # Macros by the scope that defines them: they have a namespace of their own.
    macros: dict[Scope, Scope] = field(default_factory=dict)

    def bind_macro(self, node: SyntaxNode, scope: Scope) -> None:
        """Record that *scope* defines the macro named at *node*."""
        own = self.macros.setdefault(scope, Scope("part", None, scope.node))
        self.bind(node, own, Role.MACRO, VALUE)

    def macros_named(self, name: str) -> list[Binding]:
        """Return all macros of a name."""
        return [found for own in self.macros.values() if (found := own.names.get(name))]

    def macro_at(self, scope: Scope, start: int, name: str) -> Binding | None:
        """Return the macro that a name is at an offset: defined before it, the innermost one."""
        module: Scope | None = scope
        while module is not None:
            for around in module.outward():
                own = self.macros.get(around)
                found = own.names.get(name) if own is not None else None
                if found is not None and found.sites[0].start < start:
                    return found
            module = self.supers.get(self.module(module))
        return None

    def module(self, scope: Scope) -> Scope:
        """Return the module that contains a scope."""
        return list(scope.outward())[-1]

    def impl(self, scope: Scope) -> Impl | None:
        """Return the `impl` that contains a scope."""
        around = set(scope.outward())
        return next((found for found in reversed(self.impls) if found.scope in around), None)

    def impl_at(self, start: int) -> Impl | None:
        """Return the innermost `impl` around an offset."""
        held = [found for found in self.impls if contains(found.scope.node, start)]
        return max(held, key=lambda found: found.scope.node.range().start.index, default=None)

    def trait(self, scope: Scope) -> Binding | None:
        """Return the trait or type whose body contains a scope."""
        owners = (s.owner for s in scope.outward() if s.kind == "class")
        return next((owner for owner in owners if owner is not None), None)


def rust_names(root: SyntaxNode, text: str, offsets: Sequence[int]) -> RustNames:
    """Read all declarations of a file, and the bodies that contain one of *offsets*."""
    from redline.code.rust.scopes.reader import RustReader

    module = Scope("module", None, root)
    names = RustNames(module, scopes=[module])
    reader = RustReader(names, offsets, Expansions(root, text, offsets))
    reader.visit_all(root, module)
    names.settle(through_classes=False)
    return names


def contains(node: SyntaxNode, start: int) -> bool:
    """Return whether a node contains an offset."""
    where = node.range()
    return where.start.index <= start < where.end.index

"""Find members of Rust types: fields, variants, and what `impl`s and traits provide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.typed.types import Head, Shape, substitute
from redline.code.references.typed.units import Unit, Units
from redline.code.rust import library
from redline.code.rust.paths import NOTHING, Definitions, definition_of, names_of
from redline.code.rust.scopes import Impl, Role
from redline.code.rust.types import RustTypes, unify
from redline.code.scopes.model import ANY, TYPE, Binding, Scope
from redline.code.syntax.node import parent_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

# Files searched at most for a member other than the wanted one.
_MAX_INTERMEDIATE = 8
# Files that the index lists at most.
_MAX_INDEXED = 50
# Matches files with a trait. A pattern that begins with a plain word is fast.
TRAIT_PATTERN = r"trait\s+\w+[^;{]*\{"


@dataclass(slots=True)
class Homes:
    """Finds the files that define members."""

    units: Units
    _fitting: dict[tuple[WorkspacePath, str], bool] = field(default_factory=dict)
    _homes: dict[str, Sequence[WorkspacePath]] = field(default_factory=dict)

    def defining(self, name: str, pattern: str) -> Iterator[Unit]:
        """Yield the files matching *pattern* that define *name*.

        Only a few are searched unless it is the wanted name.
        """
        paths = self._defining(name)
        for path in paths if name == self.units.word else paths[:_MAX_INTERMEDIATE]:
            unit = self.units.at(path) if self._may_match(path, pattern) else None
            if unit is not None:
                yield unit

    def _may_match(self, path: WorkspacePath, pattern: str) -> bool:
        """Return whether a file is worth parsing, judging by its text."""
        if (path, pattern) not in self._fitting:
            text = self.units.files.text(path)
            self._fitting[path, pattern] = text is None or bool(re.search(pattern, text))
        return self._fitting[path, pattern]

    def is_truncated(self, name: str) -> bool:
        """Return whether some files that define *name* are not searched."""
        most = _MAX_INDEXED if name == self.units.word else _MAX_INTERMEDIATE
        return len(self._defining(name)) >= most

    def _defining(self, name: str) -> Sequence[WorkspacePath]:
        if name not in self._homes:
            self._homes[name] = self.units.files.defining(name)
        return self._homes[name]


def written_by_macro(text: str, trait: str) -> bool:
    """Return whether a macro of a file writes an `impl` of a trait for a type that it is given."""
    return bool(re.search(rf"impl\b[^;{{]*\b{re.escape(trait)}\b[^;{{]*\bfor\s[^;{{]*\$", text))


def impl_pattern(name: str) -> str:
    """Return a pattern for files with an `impl` of a trait or for a type."""
    return rf"impl\b[^;{{]*\b{re.escape(name)}\b"


class AccessForm(StrEnum):
    """How a member is accessed."""

    PATH = "::"
    CALLED = "called"
    FIELD = "field"


# Traits of the standard library with associated types.
STANDARD_TRAITS = frozenset(
    """
    Iterator IntoIterator Deref Index TryFrom TryInto FromStr Future Add Sub Mul Div Rem Neg Not
    BitAnd BitOr BitXor Shl Shr FnOnce ToOwned
    """.split()
)
# Roles of members in the body of a type itself, by how they are accessed.
_OWN: dict[AccessForm, set[str]] = {
    AccessForm.PATH: {Role.VARIANT},
    AccessForm.CALLED: set(),
    AccessForm.FIELD: {Role.FIELD},
}


@dataclass(frozen=True, slots=True)
class Want:
    """A member to look up: its name, and how it is accessed."""

    name: str
    how: AccessForm = AccessForm.CALLED
    meaning: str = ANY


@dataclass(slots=True)
class RustMembers:
    """Finds the members of types."""

    types: RustTypes
    homes: Homes
    _impls: dict[tuple[object, ...], bool] = field(default_factory=dict)
    _in_progress: set[tuple[object, ...]] = field(default_factory=set)

    def of(self, shape: Shape, want: Want) -> Definitions:
        """Resolve a member of a value or type.

        Empty if a library or the language defines it, UNKNOWN if undetermined.
        """
        if shape.head == "?":
            return UNRESOLVED
        key = (shape, want)
        if key in self._in_progress:
            return NOTHING
        self._in_progress.add(key)
        found = self._of(shape, want)
        self._in_progress.discard(key)
        return found

    def of_definition(self, definition: Definition, name: str, meaning: str) -> Definitions:
        """Resolve `Type::name`."""
        if definition == UNKNOWN or definition.binding is None:
            return UNRESOLVED
        roles = definition.binding.roles
        if Role.ALIAS in roles:
            shape = self.types.of_definitions(frozenset({definition}), (), definition.name)
            return self.of(shape, Want(name, AccessForm.PATH, meaning))
        if roles & {Role.TYPE, Role.TRAIT, Role.TYPE_PARAMETER, Role.ASSOCIATED}:
            return self.of(Shape(definition), Want(name, AccessForm.PATH, meaning))
        return NOTHING

    def _of(self, shape: Shape, want: Want) -> Definitions:
        if isinstance(shape.head, str):
            if shape.head == "bounds":
                return self._of_any(list(shape.parts), want)
            return self._of_library(shape, want)
        definition = shape.head
        assert definition.binding is not None
        roles = definition.binding.roles
        if Role.ASSOCIATED in roles:
            real = self.project(shape)
            if real is not None:
                return self.of(real, want)
            return self._of_any(self.types.bounds(definition), want) or UNRESOLVED
        if Role.TYPE_PARAMETER in roles:
            bounds = self.types.bounds(definition)
            return self._of_any(bounds, want) or self._by_trait(want.name, definition)
        if Role.TRAIT in roles:
            return self._of_trait(definition, want)
        return self._of_type(shape, definition, want)

    def project(self, shape: Shape) -> Shape | None:
        """Return the concrete type of an associated type for its owner, if known."""
        definition, owner = shape.head, shape.parts[0].head if shape.parts else None
        if not isinstance(definition, Definition) or not isinstance(owner, Definition):
            return None
        for found in self.of(Shape(owner), Want(definition.name, AccessForm.PATH, TYPE)):
            binding = found.binding
            if binding is not None and Role.ALIAS in binding.roles:
                return self.types.of_definitions(frozenset({found}), (), found.name)
        return None

    def _of_any(self, shapes: list[Shape], want: Want) -> Definitions:
        found: set[Definition] = set()
        for shape in shapes:
            found |= self.of(shape, want)
        return frozenset(found - {UNKNOWN}) or frozenset(found)

    def _of_library(self, shape: Shape, want: Want) -> Definitions:
        """Resolve a member of a library type: a workspace trait's, or one of its type argument."""
        if library.has_own(shape.head, want.name):
            return NOTHING
        for unit in self.homes.defining(want.name, impl_pattern(str(shape.head))):
            for found in names_of(unit).impls:
                binding = found.scope.binding_of(want.name, ANY)
                if binding is not None and self._head(found, unit) == shape.head:
                    return frozenset({definition_of(unit, binding)})
        if (
            shape.head in STANDARD_TRAITS
            and want.how is AccessForm.PATH
            and want.name[:1].isupper()
        ):
            return frozenset({library_definition(str(shape.head), want.name)})
        # A type that is not known may be used like what it holds.
        held = () if shape.head in library.KNOWN else shape.parts
        if any(self.of(part, want) for part in held if isinstance(part.head, Definition)):
            return UNRESOLVED
        return self._by_trait(want.name, shape.head)

    def _by_trait(self, name: str, head: Head) -> Definitions:
        """Return UNKNOWN if a workspace trait may provide the member for a type of that head."""
        for unit in self.homes.defining(name, TRAIT_PATTERN):
            for binding, scope in names_of(unit).bodies.items():
                if (
                    Role.TRAIT in binding.roles
                    and scope.binding_of(name, ANY) is not None
                    and self._may_be_for(unit, binding, scope, head)
                ):
                    return UNRESOLVED
        return NOTHING

    def _may_be_for(self, home: Unit, trait: Binding, body: Scope, head: Head) -> bool:
        """Return whether an `impl` of a trait may be for a type that is not of the workspace.

        What every `impl` must define shows where they are; a macro may write some.
        """
        required = next((item for item in body.names.values() if _is_required(item)), None)
        if required is None or written_by_macro(home.parsed.text, trait.name):
            return True
        wanted = definition_of(home, trait)
        for unit in self.homes.defining(required.name, impl_pattern(trait.name)):
            for found in names_of(unit).impls:
                if wanted in self.trait_of(unit, found):
                    own = self._head(found, unit)
                    if self._is_for_all(found, unit) or library.may_reach(head, own):
                        return True
        return self.homes.is_truncated(required.name)

    def _of_trait(self, definition: Definition, want: Want) -> Definitions:
        unit = self.types.paths.units.at(definition.path)
        body = self.body(definition)
        if unit is None or body is None:
            return UNRESOLVED
        binding = body.binding_of(want.name, want.meaning)
        if binding is not None:
            return frozenset({definition_of(unit, binding)})
        node = body.node.field("bounds")
        if node is None:
            return NOTHING
        above = self.types.evaluate(node, unit, body.parent or body)
        return self._of_any(list(above.parts), want)

    def _of_type(self, shape: Shape, definition: Definition, want: Want) -> Definitions:
        unit = self.types.paths.units.at(definition.path)
        body = self.body(definition)
        if unit is None or body is None:
            return UNRESOLVED
        binding = body.binding_of(want.name, want.meaning)
        if binding is not None and _OWN[want.how] & binding.roles:
            return frozenset({definition_of(unit, binding)})
        if want.how is AccessForm.FIELD:
            return self._of_deref_target(unit, shape, definition, want) or NOTHING
        return (
            self._of_own_impl(unit, definition, want)
            or self._of_trait_impl(unit, definition, want)
            or self._of_default(unit, shape, definition, want)
        )

    def _of_own_impl(self, unit: Unit, definition: Definition, want: Want) -> Definitions:
        """Resolve a member that `impl`s of the type itself provide."""
        found: dict[Definition, Impl] = {}
        for home in (unit, *self.homes.defining(want.name, impl_pattern(definition.name))):
            for impl, binding in self._find_implemented(home, definition, want, inherent=True):
                found[definition_of(home, binding)] = impl
            if found and want.name != self.types.paths.units.word:
                break  # only of the wanted name all are needed
        # Several of a plain type are variants for different builds; of a generic one, it may be
        # any: each is for other arguments.
        is_generic = any(impl.of.kind() == "generic_type" for impl in found.values())
        return UNRESOLVED if len(found) > 1 and is_generic else frozenset(found)

    def _of_trait_impl(self, unit: Unit, definition: Definition, want: Want) -> Definitions:
        """Resolve a member that an `impl` of a trait provides for the type."""
        for home in (unit, *self.homes.defining(want.name, impl_pattern(definition.name))):
            found = self._find_implemented(home, definition, want, inherent=False)
            if found:
                # Several `impl`s of a generic trait: it may be any.
                (_, first), *more = found
                return UNRESOLVED if more else frozenset({definition_of(home, first)})
        return NOTHING

    def _find_implemented(
        self, unit: Unit, definition: Definition, want: Want, *, inherent: bool
    ) -> list[tuple[Impl, Binding]]:
        """Return the `impl`s of a file that provide a member of that name for a type."""
        impls = [found for found in names_of(unit).impls if (found.trait is None) is inherent]
        named = [(found, found.scope.binding_of(want.name, want.meaning)) for found in impls]
        return [
            (found, binding)
            for found, binding in named
            if binding is not None and self._is_of(found, unit, definition)
        ]

    def _of_default(
        self, unit: Unit, shape: Shape, definition: Definition, want: Want
    ) -> Definitions:
        """Resolve a trait's default member, or one of the type that it dereferences to."""
        may_be = False
        for home in self.homes.defining(want.name, TRAIT_PATTERN):
            for trait, scope in names_of(home).bodies.items():
                is_trait = Role.TRAIT in trait.roles
                binding = scope.binding_of(want.name, want.meaning) if is_trait else None
                if binding is None:
                    continue
                may_be = True
                if any(
                    self._has(each, definition, definition_of(home, trait)) for each in (unit, home)
                ):
                    return frozenset({definition_of(home, binding)})
        found = self._of_deref_target(unit, shape, definition, want)
        if found is not None:
            return found
        return UNRESOLVED if may_be or self.homes.is_truncated(want.name) else NOTHING

    def _of_deref_target(
        self, unit: Unit, shape: Shape, definition: Definition, want: Want
    ) -> Definitions | None:
        """Resolve a member through `Deref`; None if the type does not implement it."""
        for found in self.impls(unit, definition):
            if found.trait is not None and found.trait.text().split("::")[-1] == "Deref":
                target = found.scope.binding_of("Target", TYPE)
                if target is not None:
                    given: dict[Definition, Shape] = {}
                    unify(self.types.evaluate(found.of, unit, found.outer), shape, given)
                    return self.of(substitute(self._alias_type(unit, found, target), given), want)
        return None

    def _has(self, unit: Unit, definition: Definition, trait: Definition) -> bool:
        """Return whether a file implements a trait for a type."""
        for found in names_of(unit).impls:
            if found.trait is None or trait.name not in found.trait.text():
                continue
            if trait not in self.trait_of(unit, found):
                continue
            if self._is_of(found, unit, definition) or self._is_for_all(found, unit):
                return True
        return False

    def trait_of(self, unit: Unit, found: Impl) -> list[Definition]:
        """Return the trait of an `impl`."""
        if found.trait is None:
            return []
        return self.types.definitions_of(self.types.evaluate(found.trait, unit, found.outer))

    def impls(self, unit: Unit, definition: Definition) -> Iterator[Impl]:
        """Yield the `impl`s for a type in a file."""
        return (found for found in names_of(unit).impls if self._is_of(found, unit, definition))

    def associated_type(
        self, unit: Unit, definition: Definition, trait: str, name: str
    ) -> Shape | None:
        """Return an associated type that an `impl` of a library trait states, such as `Item`."""
        for found in self.impls(unit, definition):
            if found.trait is not None and found.trait.text().split("<")[0].endswith(trait):
                target = found.scope.binding_of(name, TYPE)
                if target is not None:
                    return self._alias_type(unit, found, target)
        return None

    def _alias_type(self, unit: Unit, found: Impl, binding: Binding) -> Shape:
        node = parent_of(binding.sites[0].node)
        return self.types.evaluate(node.field("type"), unit, found.outer)

    def _is_of(self, found: Impl, unit: Unit, definition: Definition) -> bool:
        key = (unit.path, found.scope, definition)
        if key not in self._impls:
            shape = self.types.evaluate(found.of, unit, found.outer)
            self._impls[key] = definition in self.types.definitions_of(shape)
        return self._impls[key]

    def _is_for_all(self, found: Impl, unit: Unit) -> bool:
        head = self._head(found, unit)
        binding = head.binding if isinstance(head, Definition) else None
        return binding is not None and Role.TYPE_PARAMETER in binding.roles

    def _head(self, found: Impl, unit: Unit) -> Definition | str:
        return self.types.evaluate(found.of, unit, found.outer).head

    def body(self, definition: Definition) -> Scope | None:
        """Return the scope of a type's or trait's own members."""
        unit = self.types.paths.units.at(definition.path)
        if unit is None or definition.binding is None:
            return None
        return names_of(unit).bodies.get(definition.binding)


def _is_required(item: Binding) -> bool:
    """Return whether every `impl` of a trait must define this function."""
    return parent_of(item.sites[0].node).kind() == "function_signature_item"


def library_definition(trait: str, name: str) -> Definition:
    """Return the definition of an associated type of a library trait."""
    return Definition(WorkspacePath(-1, (trait,)), 0, name, is_member=True)

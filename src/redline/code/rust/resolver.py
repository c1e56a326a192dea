"""Find references to a definition in Rust.

The implementations of a trait's method and their calls count as references to it; of an
implementation, only the calls known to reach it do. `Self` refers to the type it denotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.file_access import SourceFiles
from redline.code.references.targets import Meaning, ReferenceTarget
from redline.code.references.typed.base import TypedResolver
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape
from redline.code.references.typed.units import Unit
from redline.code.rust import library
from redline.code.rust.crates import Crates
from redline.code.rust.declared_types import DeclaredTypes, Signatures
from redline.code.rust.homes import Homes, impl_pattern
from redline.code.rust.members import (
    STANDARD_TRAITS,
    AccessForm,
    RustMembers,
    Want,
    library_definition,
)
from redline.code.rust.paths import NOTHING, Definitions, Paths, definition_of, names_of
from redline.code.rust.scopes.names import (
    LocalOrigin,
    MacroArguments,
    MemberForm,
    Path,
    Role,
    RustLocal,
    RustNames,
    contains,
    rust_names,
)
from redline.code.rust.scopes.tokens import leaves_of
from redline.code.rust.types import RustTypes
from redline.code.rust.values import RustValues
from redline.code.scopes.model import ANY, TYPE, Binding, Member, Occurrence, Scope
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import Span, SyntaxNode, parent_of, required_field, start_of
from redline.code.syntax.uses import nodes_of
from redline.core.records import dataclass, field


@dataclass(slots=True)
class Patterns:
    """Types the names that patterns bind."""

    values: RustValues
    _known: dict[tuple[object, ...], Shape] = field(default_factory=dict)

    def local(self, unit: Unit, binding: Binding) -> Shape:
        """Return the type of a local name."""
        local = names_of(unit).locals[binding]
        key = (unit.path, "local", binding.sites[0].start)
        if key not in self._known:
            self._known[key] = UNKNOWN_TYPE
            whole = self.origin(local, unit)
            start = binding.sites[0].start
            self._known[key] = self.bound_type(local.pattern, whole, start, unit, local.scope)
        return self._known[key]

    def origin(self, local: RustLocal, unit: Unit) -> Shape:
        """Return the type of the value that a pattern matches."""
        if local.type is not None:
            return self.values.types.evaluate(local.type, unit, local.scope)
        if local.how is LocalOrigin.EACH:
            return self.values.item_type(self.values.of(local.value, unit, local.scope))
        if local.how is LocalOrigin.CLOSURE:
            return UNKNOWN_TYPE
        return library.settled(self.values.of(local.value, unit, local.scope))

    def bound_type(
        self, node: SyntaxNode, shape: Shape, start: int, unit: Unit, scope: Scope
    ) -> Shape:
        """Return the type of the name at *start* in a pattern that matches *shape*."""
        kind = node.kind()
        if kind in ("identifier", "shorthand_field_identifier"):
            return shape
        if kind == "tuple_struct_pattern":
            return self._bound_in_tuple_struct(node, shape, start, unit, scope)
        if kind == "struct_pattern":
            return self._bound_in_struct(node, shape, start, unit, scope)
        for nth, part in enumerate(_parts(node)):
            if contains(part, start):
                return self.bound_type(part, _inner(kind, shape, nth), start, unit, scope)
        return UNKNOWN_TYPE

    def _bound_in_tuple_struct(
        self, node: SyntaxNode, shape: Shape, start: int, unit: Unit, scope: Scope
    ) -> Shape:
        of = required_field(node, "type")
        parts = _parts(node)[1:]
        nth = next((n for n, p in enumerate(parts) if p.range().end.index > start), 0)
        name = of.text().split("::")[-1]
        if name in ("Some", "Ok", "Err") and isinstance(shape.head, str):
            inner = library.part(shape, int(name == "Err"))
            return self.bound_type(parts[nth], inner, start, unit, scope)
        for definition in self.values.resolve_path(of, unit, scope) - {UNKNOWN}:
            inner = self.values.parts.of_tuple_field(definition, nth, shape)
            return self.bound_type(parts[nth], inner, start, unit, scope)
        return UNKNOWN_TYPE

    def _bound_in_struct(
        self, node: SyntaxNode, shape: Shape, start: int, unit: Unit, scope: Scope
    ) -> Shape:
        for part in node.children():
            if part.kind() != "field_pattern" or not contains(part, start):
                continue
            name, pattern = required_field(part, "name"), part.field("pattern")
            for definition in self.key(required_field(node, "type"), name.text(), unit, scope) - {
                UNKNOWN
            }:
                inner = self.values.parts.of_field(definition, shape)
                return (
                    inner
                    if pattern is None
                    else self.bound_type(pattern, inner, start, unit, scope)
                )
        return UNKNOWN_TYPE

    def key(self, of: SyntaxNode, name: str, unit: Unit, scope: Scope) -> Definitions:
        """Resolve a field in the literal or pattern of a struct or variant."""
        found = self.values.resolve_path(of, unit, scope)
        for definition in found - {UNKNOWN}:
            if definition.binding is not None and Role.ALIAS in definition.binding.roles:
                found = frozenset(
                    self.values.types.definitions_of(self.values.parts.of_value(found))
                )
        fields: set[Definition] = set()
        for definition in found - {UNKNOWN}:
            home = self.values.types.paths.units.at(definition.path)
            body = self.values.members.body(definition)
            binding = body.names.get(name) if body is not None else None
            if home is not None and binding is not None:
                fields.add(definition_of(home, binding))
        return frozenset(fields) or (UNRESOLVED if found else found)


def _inner(kind: str, shape: Shape, nth: int) -> Shape:
    """Return the type that a part of a pattern matches."""
    if kind == "tuple_pattern":
        return library.part(shape, nth) if shape.head == "tuple" else UNKNOWN_TYPE
    return library.element_type(shape) if kind == "slice_pattern" else shape


def _parts(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the parts of a pattern; `_` counts."""
    return [c for c in node.children() if c.kind() == "_" or c.is_named()]


_OPENING, _CLOSING = "([{", ")]}"


def paths_from_macro(
    macro: SyntaxNode, text: str, first: int, last: int, start: int
) -> Iterator[Path]:
    """Yield the paths built from the word at *start* in the arguments at *first* to *last*."""
    spans = list(_arguments(text, first + 1, last - 1))
    nth = next((n for n, (at, end) in enumerate(spans) if at <= start < end), None)
    if nth is None or not text[slice(*spans[nth])].strip().isidentifier():
        return
    given = [text[slice(*span)].strip() for span in spans]
    for rule in macro.children():
        if rule.kind() != "macro_rule":
            continue
        left, right = rule.field("left"), rule.field("right")
        if left is None or right is None:
            continue
        words = [c.children()[0].text() for c in left.children() if _is_parameter(c)]
        if len(words) == len(given):
            yield from _paths(
                list(leaves_of(right)), dict(zip(words, given, strict=True)), words[nth]
            )


def takes_fields_of_self(macro: SyntaxNode) -> bool:
    """Return whether a macro accesses what it is given as a field of `self`."""
    return re.search(r"\bself\s*\.\s*\$", macro.text()) is not None


def _paths(leaves: list[SyntaxNode], given: dict[str, str], wanted: str) -> Iterator[Path]:
    """Yield the paths in a macro body that end with a parameter, parameters substituted."""
    for nth, leaf in enumerate(leaves):
        if leaf.text() != wanted or nth < 2 or leaves[nth - 1].text() != "::":
            continue
        words = [given[wanted]]
        at = nth
        while at >= 2 and leaves[at - 1].text() == "::":
            at -= 2
            written = leaves[at].text()
            words.insert(0, "crate" if written == "$crate" else given.get(written, written))
        if all(word.isidentifier() for word in words):
            yield tuple(words)


def _is_parameter(node: SyntaxNode) -> bool:
    return node.kind() == "token_binding_pattern"


def _arguments(text: str, first: int, last: int) -> Iterator[Span]:
    """Yield the spans of the comma-separated arguments."""
    depth, begin = 0, first
    for at in range(first, last):
        char = text[at]
        depth += (char in _OPENING) - (char in _CLOSING)
        if char == "," and not depth:
            yield Span(begin, at)
            begin = at + 1
    if text[begin:last].strip():
        yield Span(begin, last)


# What is before a word that belongs to a value or type, or is declared.
_MAX_BEFORE = 200
_AFTER = re.compile(r"(?:[.:]|\bfn)\s*\Z")
_TYPED_FORMS = {MemberForm.FIELD, MemberForm.CALLED, MemberForm.KEY}


class RustResolver(TypedResolver):
    """Finds references to definitions of one name in Rust."""

    # How often definitions were joined to a target since it was chosen.
    joins = 0

    def __init__(self, name: str, files: SourceFiles) -> None:
        super().__init__(name, files)
        self.paths = Paths(self.units, Crates(self.units.files))
        self.types = RustTypes(self.paths)
        self.members = RustMembers(self.types, Homes(self.units))
        self.values = RustValues(
            self.types,
            self.members,
            DeclaredTypes(self.types, self.members),
            Signatures(self.types, self.members),
        )
        self.patterns = Patterns(self.values)
        self.values.of_local = self.patterns.local
        self.paths.members = self.members.of_definition
        self.paths.self_type = self._self_type

    def read(self, parsed: Parsed, offsets: Sequence[int]) -> RustNames:
        """Read the names of a file."""
        return rust_names(parsed.root, parsed.text, offsets)

    def of_occurrence(self, unit: Unit, occurrence: Occurrence) -> Definitions:
        """Resolve a plain name."""
        if occurrence.binding is None:
            found = self.paths.lookup(unit, occurrence.scope, occurrence.name, occurrence.meaning)
        else:
            found = self.paths.of_binding(unit, occurrence.binding, occurrence.meaning)
            if Role.IMPORT in occurrence.binding.roles:
                path = names_of(unit).uses[occurrence.binding.sites[0].start]
                home = occurrence.scope if len(path) == 1 else unit.names.root
                found = found or self._macro(unit, path[-1], home, occurrence.start)
        return self._resolve_in_macro(unit, occurrence.start, found, is_plain=True)

    def of_member(self, unit: Unit, member: Member) -> Definitions:
        """Resolve a word of a path, a field, a method or a macro."""
        return self._resolve_in_macro(unit, member.start, self._of_member(unit, member))

    def _of_member(self, unit: Unit, member: Member) -> Definitions:
        if member.form == MemberForm.PREFIX:
            path = names_of(unit).prefixes[member.start]
            found = self.paths.resolve(unit, member.scope, path, ANY)
            return found or self._macro(unit, member.name, unit.names.root, member.start)
        if member.form == MemberForm.PATH:
            return self.values.within(member.owner, member.name, unit, member.scope)
        if member.form == MemberForm.KEY and member.owner is not None:
            return self.patterns.key(member.owner, member.name, unit, member.scope)
        if member.form in (MemberForm.FIELD, MemberForm.CALLED):
            shape = self.values.of(member.owner, unit, member.scope)
            return self.members.of(shape, Want(member.name, AccessForm(member.form)))
        if member.form == MemberForm.MACRO:
            return self._macro(unit, member.name, member.scope, member.start)
        return self._bound_type(unit, member) if member.form == MemberForm.BINDING else NOTHING

    def _bound_type(self, unit: Unit, member: Member) -> Definitions:
        """Resolve an associated type named among type arguments, such as `Item`."""
        shape = self.types.evaluate(member.owner, unit, member.scope)
        if isinstance(shape.head, str):
            return frozenset({library_definition(_last_word(member.owner), member.name)})
        return self.members.of(shape, Want(member.name, AccessForm.PATH, TYPE)) or UNRESOLVED

    def _resolve_in_macro(
        self, unit: Unit, start: int, found: Definitions, *, is_plain: bool = False
    ) -> Definitions:
        """Account for macros around a word, which may turn it into something else."""
        spans = [span for span in names_of(unit).macro_arguments if span.start <= start < span.end]
        if not spans:
            return found
        macros = [self._macro_of(unit, span) - {UNKNOWN} for span in spans]
        if not all(macros):
            is_local = found and all(_is_local(definition) for definition in found)
            return found if is_local else UNRESOLVED
        if is_plain:
            found |= self._resolve_pasted(unit, start, spans[-1], macros[-1])
        return found | UNRESOLVED if is_plain or not found else found

    def _resolve_pasted(
        self, unit: Unit, start: int, span: MacroArguments, macros: Definitions
    ) -> Definitions:
        """Resolve the paths that workspace macros build from an argument."""
        found: set[Definition] = set()
        for macro in macros:
            assert macro.binding is not None
            node = parent_of(macro.binding.sites[0].node)
            if takes_fields_of_self(node):
                found |= self._field_of_self(unit, start)
            for path in paths_from_macro(node, unit.parsed.text, span.start, span.end, start):
                found |= self.paths.resolve(unit, unit.names.root, path, ANY)
        return frozenset(found)

    def _field_of_self(self, unit: Unit, start: int) -> Definitions:
        """Resolve the name as a field of the type whose `impl` is around an offset."""
        around = names_of(unit).impl_at(start)
        if around is None:
            return NOTHING
        shape = self.types.evaluate(around.of, unit, around.outer)
        return self.members.of(shape, Want(self.name, AccessForm.FIELD)) - {UNKNOWN}

    def _settle(self, unit: Unit, targets: list[ReferenceTarget]) -> list[Meaning]:
        """Return every occurrence; for a rename, join what one place may refer to."""
        found = list(self._meanings(unit))
        if all(_is_method(target.definition) for target in targets):
            found = [each for each in found if not self._is_for_library_macro(unit, each)]
        for target in targets if self.renaming else ():
            for meaning in found:
                if target.same & meaning.definitions:
                    self._join(target, meaning.definitions)
        return found

    def _is_for_library_macro(self, unit: Unit, meaning: Meaning) -> bool:
        """Return whether a word that means nothing here is given to a macro of a library.

        It calls no method then: that would need what comes before it.
        """
        start = meaning.start
        before = unit.parsed.text[max(0, start - _MAX_BEFORE) : start]
        if meaning.definitions != UNRESOLVED or _AFTER.search(before):
            return False
        around = [span for span in names_of(unit).macro_arguments if span.start <= start < span.end]
        return bool(around) and not any(self._macro_of(unit, span) for span in around)

    def _join(self, target: ReferenceTarget, definitions: Definitions) -> None:
        """Count as the same what a build chooses instead by `cfg`: all get the new name."""
        joined = {
            one
            for each in definitions - target.same
            if _may_replace(each, target.definition)
            for one in self.family(each)
        }
        if joined:
            target.same |= joined
            self.joins += 1

    def family(self, definition: Definition) -> set[Definition]:
        """Return a trait's member with its implementations, or a module with its file.

        For an associated type, all that it is defined as count as the same.
        """
        same = self.paths.same_module(definition) | self._standard_trait_types(definition)
        for trait, home in self._traits(definition):
            body = names_of(home).bodies[trait]
            above = body.binding_of(definition.name, ANY)
            same |= {definition_of(home, above)} if above is not None else set()
            for unit in self.members.homes.defining(definition.name, impl_pattern(trait.name)):
                for found in names_of(unit).impls:
                    binding = found.scope.binding_of(definition.name, ANY)
                    if binding is not None and definition_of(home, trait) in self.members.trait_of(
                        unit, found
                    ):
                        same.add(definition_of(unit, binding))
        return same

    def _standard_trait_types(self, definition: Definition) -> set[Definition]:
        """Return all definitions of a standard trait's associated type."""
        home = self.units.at(definition.path)
        if definition.binding is None or Role.ALIAS not in definition.binding.roles or home is None:
            return set()
        own_impl = names_of(home).impl(definition.binding.scope) if definition.is_member else None
        trait = _last_word(own_impl.trait) if own_impl is not None else ""
        if trait not in STANDARD_TRAITS:
            return set()
        same = {
            definition_of(unit, binding)
            for unit in self.members.homes.defining(definition.name, impl_pattern(trait))
            for found in names_of(unit).impls
            if _last_word(found.trait) == trait
            and (binding := found.scope.binding_of(definition.name, ANY)) is not None
        }
        return {*same, library_definition(trait, definition.name)}

    def _traits(self, definition: Definition) -> list[tuple[Binding, Unit]]:
        """Return the trait that declares a member, or whose `impl` defines an associated type."""
        home = self.units.at(definition.path)
        if definition.binding is None or not definition.is_member or home is None:
            return []
        owner = definition.binding.scope.owner
        if owner is not None:
            return [(owner, home)] if Role.TRAIT in owner.roles else []
        found = names_of(home).impl(definition.binding.scope)
        is_shared = self.renaming or Role.ALIAS in definition.binding.roles
        if found is None or not is_shared:
            return []
        traits = [(t.binding, self.units.at(t.path)) for t in self.members.trait_of(home, found)]
        return [(trait, unit) for trait, unit in traits if trait is not None and unit is not None]

    def implements_library(self, target: ReferenceTarget) -> bool:
        """Return whether a member belongs to an `impl` of a trait outside the workspace."""
        definition = target.definition
        home = self.units.at(definition.path)
        if definition.binding is None or home is None:
            return False
        scope = definition.binding.scope
        found = next((each for each in names_of(home).impls if each.scope is scope), None)
        if found is None or found.trait is None:
            return False
        return not set(self.members.trait_of(home, found)) - {UNKNOWN}

    def is_apart(self, target: ReferenceTarget) -> bool:
        """Return whether no trait has it: a field, or a member that a type's own `impl` defines."""
        for definition in target.same:
            home = self.units.at(definition.path)
            if definition.binding is None or home is None:
                return False
            scope = definition.binding.scope
            found = next((each for each in names_of(home).impls if each.scope is scope), None)
            owner = scope.owner
            is_trait = owner is not None and Role.TRAIT in owner.roles
            if is_trait or (found is not None and found.trait is not None):
                return False
        return True

    def _meanings(self, unit: Unit) -> Iterator[Meaning]:
        # What a macro's pattern has to the letter is a word of that macro.
        words = {start_of(node) for node in nodes_of(unit.parsed, self.name) if _is_matched(node)}
        yield from (each for each in super()._meanings(unit) if each.start not in words)
        names = names_of(unit)
        if not any(self.name in found.of.text() for found in names.impls):
            return
        for node in unit.parsed.root.find_all(regex="^Self$"):
            found = names.impl_at(node.range().start.index)
            # In an `impl` for a reference, `Self` is the reference.
            is_plain = found is not None and found.of.kind() != "reference_type"
            if found is not None and is_plain and self.name in found.of.text():
                shape = self.types.evaluate(found.of, unit, found.outer)
                definitions = frozenset(
                    t for t in self.types.definitions_of(shape) if t.name == self.name
                )
                start = node.range().start
                yield Meaning(start.line + 1, definitions, False, start.index)

    def _resolve_names(self, unit: Unit) -> Iterator[Meaning]:
        """Resolve every occurrence; words of paths need not be members."""
        starts = {m.start for m in unit.names.members if m.form in _TYPED_FORMS}
        for meaning in super()._resolve_names(unit):
            yield meaning._replace(is_member=meaning.is_member and meaning.start in starts)

    def _macro_of(self, unit: Unit, given: MacroArguments) -> Definitions:
        return self._macro(unit, given.macro, given.scope, given.start)

    def _macro(self, unit: Unit, name: str, scope: Scope, start: int) -> Definitions:
        """Resolve a macro: by what is before it, in this file, else the only one of that name."""
        seen = names_of(unit).macro_at(scope, start, name)
        own = names_of(unit).macros_named(name) if seen is None else [seen]
        if own:
            return frozenset(definition_of(unit, each) for each in own)
        found = [
            definition_of(home, known)
            for home in self.members.homes.defining(name, "macro_rules")
            for known in names_of(home).macros_named(name)
        ]
        if len(found) > 1:
            roots = self.paths.root(unit)
            found = [definition for definition in found if self._root(definition) == roots] or found
        return frozenset(found) if len(found) == 1 else UNRESOLVED if found else NOTHING

    def _root(self, definition: Definition) -> Definitions:
        unit = self.units.at(definition.path)
        return self.paths.root(unit) if unit is not None else NOTHING

    def _self_type(self, unit: Unit, scope: Scope) -> Definitions:
        definitions = self.types.definitions_of(self.types.self_shape(unit, scope))
        return frozenset(definitions) or UNRESOLVED


def _last_word(trait: SyntaxNode | None) -> str:
    """Return the name of a trait in an `impl`."""
    return trait.text().split("<")[0].split("::")[-1].strip() if trait is not None else ""


def _may_replace(one: Definition, other: Definition) -> bool:
    """Return whether two definitions of one name can only be variants for different builds."""
    bindings = [each.binding for each in (one, other) if each.name == other.name]
    if None in bindings or len(bindings) < 2:
        return False
    meanings = {binding.meaning for binding in bindings if binding is not None}
    return one.is_member == other.is_member and (len(meanings) == 1 or ANY in meanings)


def _is_matched(node: SyntaxNode) -> bool:
    return parent_of(node).kind() == "token_tree_pattern"


def _is_method(definition: Definition) -> bool:
    binding = definition.binding
    return definition.is_member and binding is not None and Role.FUNCTION in binding.roles


def _is_local(definition: Definition) -> bool:
    return definition.binding is not None and Role.LOCAL in definition.binding.roles

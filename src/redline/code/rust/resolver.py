"""Find references to a definition in Rust.

References to a trait's method include its implementations and their calls. References to an
implementation are only the calls known to reach it. `Self` refers to the type it denotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.file_access import SourceFiles
from redline.code.references.targets import Meaning, ReferenceTarget
from redline.code.references.typed.base import TypedResolver
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.references.typed.units import Unit
from redline.code.rust import library
from redline.code.rust.crates import Crates
from redline.code.rust.members import (
    STANDARD_TRAITS,
    AccessForm,
    Homes,
    RustMembers,
    Want,
    impl_pattern,
    library_definition,
)
from redline.code.rust.paths import NOTHING, Definitions, Paths, definition_of, names_of
from redline.code.rust.scopes import (
    LocalOrigin,
    MacroArguments,
    MemberForm,
    Path,
    Role,
    RustLocal,
    RustNames,
    contains,
    leaves_of,
    rust_names,
)
from redline.code.rust.types import RustTypes, parameters, path_of, unify
from redline.code.scopes.model import ANY, TYPE, VALUE, Binding, Member, Occurrence, Scope
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import Span, SyntaxNode, parent_of, required_field, start_of
from redline.code.syntax.uses import nodes_of
from redline.core.records import dataclass, field

_MAX_DEPTH = 24
_TRANSPARENT = frozenset(
    """
    reference_expression unary_expression parenthesized_expression unsafe_block await_expression
    async_block expression_statement const_block
    """.split()
)


@dataclass(slots=True)
class RustValues:
    """Infer the types of expressions."""

    types: RustTypes
    members: RustMembers
    parts: DeclaredTypes
    signatures: Signatures
    # Returns the type of a local name, by the pattern that binds it.
    of_local: Callable[[Unit, Binding], Shape] = lambda *_: UNKNOWN_TYPE
    _depth: int = 0
    _known: dict[tuple[object, ...], Shape] = field(default_factory=dict)

    def of(self, node: SyntaxNode | None, unit: Unit, scope: Scope) -> Shape:
        """Return the type of an expression."""
        if node is None or self._depth > _MAX_DEPTH:
            return UNKNOWN_TYPE
        where = node.range()
        key = (unit.path, where.start.index, where.end.index, node.kind())
        if key not in self._known:
            self._known[key] = UNKNOWN_TYPE
            self._depth += 1
            self._known[key] = self._read(node, unit, scope)
            self._depth -= 1
        return self._known[key]

    def _read(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        kind = node.kind()
        if kind in library.LITERALS:
            return library.LITERALS[kind]
        if kind in _TRANSPARENT:
            inner = [child for child in node.children() if child.is_named()]
            return self.of(inner[-1], unit, scope) if inner else UNKNOWN_TYPE
        known = _READS.get(kind)
        return known(self, node, unit, scope) if known is not None else UNKNOWN_TYPE

    def self_(self, _: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        return self.types.self_shape(unit, scope)

    def identifier(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        found = unit.names.at(node)
        paths = self.types.paths
        if found is None:
            return self.parts.of_value(paths.lookup(unit, scope, node.text(), VALUE))
        if found.binding is None:
            return self.parts.of_value(paths.lookup(unit, found.scope, node.text(), VALUE))
        if found.binding in names_of(unit).locals:
            return self.of_local(unit, found.binding)
        return self.parts.of_value(paths.of_binding(unit, found.binding, VALUE))

    def path(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        found = self.resolve_path(node, unit, scope)
        return self.parts.of_value(found) if found else library.OUTSIDE

    def resolve_path(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Definitions:
        """Resolve a path in an expression or pattern."""
        if node.kind() == "generic_function":
            return self.resolve_path(required_field(node, "function"), unit, scope)
        if node.kind() in ("scoped_identifier", "scoped_type_identifier"):
            name = required_field(node, "name").text()
            return self.within(node.field("path"), name, unit, scope)
        if node.text() == "Self":
            return frozenset(self.types.definitions_of(self.types.self_shape(unit, scope)))
        path = path_of(node)
        meaning = TYPE if node.kind() == "type_identifier" else VALUE
        known = self.types.paths.resolve(unit, scope, path, meaning) if path else frozenset()
        if not known and path and meaning == TYPE:
            return self.types.paths.resolve(unit, scope, path, VALUE)
        return known

    def within(self, path: SyntaxNode | None, name: str, unit: Unit, scope: Scope) -> Definitions:
        """Resolve the name after a path."""
        paths = self.types.paths
        if path is None:
            return paths.resolve(unit, scope, ("", name), VALUE)
        words = path_of(path)
        if words is not None and words[0] != "Self":
            found = paths.resolve(unit, scope, (*words, name), "any")
            if found or path.kind() != "generic_type":
                return found or self._of_library(path, name, unit, scope)
        shape = self.of_path(path, unit, scope)
        return self.members.of(shape, Want(name, AccessForm.PATH))

    def _of_library(self, path: SyntaxNode, name: str, unit: Unit, scope: Scope) -> Definitions:
        """Resolve a member that a workspace trait adds to a library type."""
        shape = self.of_path(path, unit, scope)
        is_type = isinstance(shape.head, str) and shape.head[:1].isalpha()
        return self.members.of(shape, Want(name, AccessForm.PATH)) if is_type else frozenset()

    def of_path(self, path: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        """Return the type that a path before `::` denotes."""
        if path.kind() == "bracketed_type":
            inner = next((c for c in path.children() if c.is_named()), None)
            if inner is not None and inner.kind() == "qualified_type":
                kind = self.types.evaluate(inner.field("type"), unit, scope)
                trait = self.types.evaluate(inner.field("alias"), unit, scope)
                return Shape("bounds", (kind, trait)) if kind == UNKNOWN_TYPE else kind
            return self.types.evaluate(inner, unit, scope)
        return self.types.evaluate(path, unit, scope)

    def call(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        function = node.field("function")
        arguments = None
        if function is not None and function.kind() == "generic_function":
            arguments = function.field("type_arguments")
            function = function.field("function")
        if function is None:
            return UNKNOWN_TYPE
        if function.kind() == "field_expression":
            return self.method(node, function, unit, scope)
        words = path_of(function) or ("",)
        if library.holds_argument(words):
            return library.holding(words, self.argument(node, unit, scope))
        found = self.resolve_path(function, unit, scope)
        owner = self.receiver(function, unit, scope)
        if found - {UNKNOWN}:
            return self.call_result(found, owner, self._types(arguments, unit, scope))
        if function.kind() == "identifier":
            return library.call_result(self.of(function, unit, scope))
        if not isinstance(owner.head, Definition) and not "".join(words[-2:-1])[:1].isupper():
            return UNKNOWN_TYPE
        made = library.constructed_type(owner, words[-1])
        return made if found else self._or_outside(made, node, owner, unit, scope)

    def _or_outside(
        self, made: Shape, call: SyntaxNode, owner: Shape, unit: Unit, scope: Scope
    ) -> Shape:
        """Return *made*, or OUTSIDE if it is unknown and the call has no type of the workspace."""
        if made != UNKNOWN_TYPE or required_field(call, "function").kind() == "generic_function":
            return made
        known = [owner, *(self.of(each, unit, scope) for each in _call_arguments(call))]
        return library.OUTSIDE if all(map(library.is_outside, known)) else UNKNOWN_TYPE

    def _types(self, node: SyntaxNode | None, unit: Unit, scope: Scope) -> list[Shape]:
        """Return the explicit type arguments of a call."""
        given = node.children() if node is not None else ()
        return [
            self.types.evaluate(child, unit, scope)
            for child in given
            if child.is_named() and child.kind() != "lifetime"
        ]

    def receiver(self, function: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        """Return the type before `::` of a callee."""
        path = function.field("path") if function.kind() == "scoped_identifier" else None
        return self.of_path(path, unit, scope) if path is not None else UNKNOWN_TYPE

    def argument(self, call: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        """Return the type of the first argument of a call."""
        return self.of(next(iter(_call_arguments(call)), None), unit, scope)

    def method(self, node: SyntaxNode, function: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        owner = self.of(function.field("value"), unit, scope)
        name = required_field(function, "field").text()
        found = self.members.of(owner, Want(name))
        if found - {UNKNOWN}:
            arguments = required_field(node, "function").field("type_arguments")
            return self.call_result(found, owner, self._types(arguments, unit, scope))
        made = library.method_result(owner, name)
        return (
            made
            if found or isinstance(owner.head, Definition)
            else self._or_outside(made, node, owner, unit, scope)
        )

    def item_type(self, shape: Shape) -> Shape:
        """Return the item type of a loop over a value."""
        if not isinstance(shape.head, Definition):
            return library.item_type(shape)
        unit = self.types.paths.units.at(shape.head.path)
        if unit is None:
            return UNKNOWN_TYPE
        for trait in ("Iterator", "IntoIterator"):
            found = self.members.associated_type(unit, shape.head, trait, "Item")
            if found is not None:
                return found
        return UNKNOWN_TYPE

    def call_result(
        self, definitions: Definitions, owner: Shape, types: Sequence[Shape] = ()
    ) -> Shape:
        """Return the result of calling a function, struct or variant."""
        for definition in sorted(definitions - {UNKNOWN}, key=lambda t: (t.path, t.start)):
            binding = definition.binding
            if binding is None:
                continue
            if Role.FUNCTION in binding.roles:
                return self.signatures.return_type(definition, owner, types)
            if binding.roles & {Role.TYPE, Role.VARIANT}:
                return self.parts.constructed_type(definition)
        return UNKNOWN_TYPE

    def member(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        owner = self.of(node.field("value"), unit, scope)
        name = required_field(node, "field")
        if name.kind() == "integer_literal":
            return self.tuple_field(owner, int(name.text()) if name.text().isdigit() else 0)
        for definition in self.members.of(owner, Want(name.text(), AccessForm.FIELD)) - {UNKNOWN}:
            return self.parts.of_field(definition, owner)
        return UNKNOWN_TYPE

    def tuple_field(self, owner: Shape, nth: int) -> Shape:
        """Return the type of a numbered field, such as `value.0`."""
        if owner.head == "tuple":
            return library.part(owner, nth)
        if not isinstance(owner.head, Definition):
            return UNKNOWN_TYPE
        return self.parts.of_tuple_field(owner.head, nth, owner)

    def try_(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        return library.unwrap_try(self.of(node.children()[0], unit, scope))

    def cast(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        return self.types.evaluate(node.field("type"), unit, scope)

    def struct(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        definitions = self.resolve_path(required_field(node, "name"), unit, scope)
        return self.parts.of_value(definitions)

    def index(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        parts = [child for child in node.children() if child.is_named()]
        owner = self.of(parts[0], unit, scope)
        if len(parts) > 1 and parts[1].kind() == "range_expression":
            return owner
        return library.element_type(owner)

    def block(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        parts = [child for child in node.children() if child.is_named()]
        while parts and parts[-1].kind().endswith("comment"):
            parts.pop()
        if not parts or parts[-1].kind() == "let_declaration":
            return Shape("()")
        return self.of(parts[-1], unit, scope)

    def array(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        inner = [child for child in node.children() if child.is_named()]
        return Shape("slice", (self.of(inner[0], unit, scope) if inner else UNKNOWN_TYPE,))

    def tuple_(self, node: SyntaxNode, unit: Unit, scope: Scope) -> Shape:
        inner = [child for child in node.children() if child.is_named()]
        return Shape("tuple", tuple(self.of(child, unit, scope) for child in inner))

    def macro(self, node: SyntaxNode, *_: object) -> Shape:
        return library.MACROS.get(required_field(node, "macro").text(), UNKNOWN_TYPE)


def _call_arguments(call: SyntaxNode) -> list[SyntaxNode]:
    """Return the arguments of a call."""
    given = call.field("arguments")
    return [c for c in given.children() if c.is_named()] if given is not None else []


_Read: TypeAlias = Callable[[RustValues, SyntaxNode, Unit, Scope], Shape]
_READS: dict[str, _Read] = {
    "self": RustValues.self_,
    "identifier": RustValues.identifier,
    "scoped_identifier": RustValues.path,
    "call_expression": RustValues.call,
    "field_expression": RustValues.member,
    "try_expression": RustValues.try_,
    "type_cast_expression": RustValues.cast,
    "struct_expression": RustValues.struct,
    "index_expression": RustValues.index,
    "block": RustValues.block,
    "array_expression": RustValues.array,
    "tuple_expression": RustValues.tuple_,
    "macro_invocation": RustValues.macro,
}


@dataclass(slots=True)
class Signatures:
    """Evaluate the declared types of functions."""

    types: RustTypes
    members: RustMembers

    def return_type(self, definition: Definition, owner: Shape, types: Sequence[Shape]) -> Shape:
        """Return the declared return type of a function, type parameters substituted."""
        unit = self.types.paths.units.at(definition.path)
        scope = names_of(unit).functions.get(definition.start) if unit is not None else None
        if unit is None or scope is None:
            return UNKNOWN_TYPE
        written = scope.node.field("return_type")
        if written is None:
            return Shape("()")
        shape = self.types.evaluate(written, unit, scope)
        given = self._find_replacements(unit, scope, owner)
        given.update(zip(parameters(unit, scope), types, strict=False))
        found = substitute(shape, given)
        return self.members.project(found) or found

    def _find_replacements(self, unit: Unit, scope: Scope, owner: Shape) -> dict[Definition, Shape]:
        if owner == UNKNOWN_TYPE:
            return {}
        given: dict[Definition, Shape] = {}
        found = names_of(unit).impl(scope)
        if found is not None:
            unify(self.types.evaluate(found.of, unit, found.outer), owner, given)
        else:
            for trait in self.types.definitions_of(self.types.self_shape(unit, scope)):
                given[trait] = owner
        return given


@dataclass(slots=True)
class DeclaredTypes:
    """Evaluate the types of declared constants, structs, variants and fields."""

    types: RustTypes
    members: RustMembers

    def of_value(self, definitions: Definitions) -> Shape:
        """Return the type of a constant, or of a unit struct or variant."""
        for definition in definitions - {UNKNOWN}:
            if definition.binding is None:
                continue
            roles = definition.binding.roles
            unit = self.types.paths.units.at(definition.path)
            if unit is None:
                continue
            if Role.CONSTANT in roles:
                node = parent_of(definition.binding.sites[0].node)
                return self.types.evaluate(node.field("type"), unit, definition.binding.scope)
            if roles & {Role.TYPE, Role.VARIANT}:
                return self.constructed_type(definition)
            if Role.FUNCTION in roles:
                return Shape("Fn", (UNKNOWN_TYPE,))
            if Role.ALIAS in roles:
                return self.types.of_definitions(frozenset({definition}), (), definition.name)
        return UNKNOWN_TYPE

    def constructed_type(self, definition: Definition) -> Shape:
        """Return the type that a struct or variant constructs."""
        binding = definition.binding
        assert binding is not None
        if Role.VARIANT in binding.roles:
            owner = binding.scope.owner
            unit = self.types.paths.units.at(definition.path)
            return (
                Shape(definition_of(unit, owner))
                if unit is not None and owner is not None
                else UNKNOWN_TYPE
            )
        return Shape(definition)

    def of_field(self, definition: Definition, owner: Shape) -> Shape:
        """Return the type of a field of a value."""
        unit = self.types.paths.units.at(definition.path)
        binding = definition.binding
        if unit is None or binding is None or Role.FIELD not in binding.roles:
            return UNKNOWN_TYPE
        around = binding.scope.parent or binding.scope
        written = parent_of(binding.sites[0].node).field("type")
        given = dict(zip(parameters(unit, around), owner.parts, strict=False))
        return substitute(self.types.evaluate(written, unit, around), given)

    def of_tuple_field(self, definition: Definition, nth: int, owner: Shape) -> Shape:
        """Return the type of a field of a tuple struct or variant, by position."""
        unit = self.types.paths.units.at(definition.path)
        body = self.members.body(definition)
        fields = body.node.field("body") if body is not None else None
        if unit is None or body is None or fields is None or body.parent is None:
            return UNKNOWN_TYPE
        if fields.kind() != "ordered_field_declaration_list":
            return UNKNOWN_TYPE
        skipped = {"visibility_modifier", "attribute_item", "line_comment", "block_comment"}
        types = [c for c in fields.children() if c.is_named() and c.kind() not in skipped]
        if nth >= len(types):
            return UNKNOWN_TYPE
        given = dict(zip(parameters(unit, body.parent), owner.parts, strict=False))
        return substitute(self.types.evaluate(types[nth], unit, body.parent), given)


@dataclass(slots=True)
class Patterns:
    """Infer the types of the names that patterns bind."""

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
            fields = self.struct_field(required_field(node, "type"), name.text(), unit, scope)
            for definition in fields - {UNKNOWN}:
                inner = self.values.parts.of_field(definition, shape)
                return (
                    inner
                    if pattern is None
                    else self.bound_type(pattern, inner, start, unit, scope)
                )
        return UNKNOWN_TYPE

    def struct_field(self, of: SyntaxNode, name: str, unit: Unit, scope: Scope) -> Definitions:
        """Resolve a field name in a literal or pattern of the struct or variant *of*."""
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
    """Return the parts of a pattern, including `_`."""
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
    """Return whether a macro's body uses a parameter as a field name of `self`."""
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


_MAX_BEFORE = 200
# Text before a word that is a member of a value or type, or that a function declares.
_MEMBER_OR_DECLARATION = re.compile(r"(?:[.:]|\bfn)\s*\Z")
_TYPED_FORMS = {MemberForm.FIELD, MemberForm.CALLED, MemberForm.KEY}


class RustResolver(TypedResolver):
    """Finds references to definitions of one name in Rust."""

    # How many times `_join` has added definitions to a target.
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
            return self.patterns.struct_field(member.owner, member.name, unit, member.scope)
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
        """Return *found*, extended by what the macros around the word may make of it."""
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
        """Return every occurrence; for a rename, join the definitions that share an occurrence."""
        found = list(self._meanings(unit))
        if all(_is_method(target.definition) for target in targets):
            found = [each for each in found if not self._is_for_library_macro(unit, each)]
        for target in targets if self.renaming else ():
            for meaning in found:
                if target.same & meaning.definitions:
                    self._join(target, meaning.definitions)
        return found

    def _is_for_library_macro(self, unit: Unit, meaning: Meaning) -> bool:
        """Return whether an unresolved word is an argument of a library's macro.

        Such a word is no method call, because nothing before it is a receiver.
        """
        start = meaning.start
        before = unit.parsed.text[max(0, start - _MAX_BEFORE) : start]
        if meaning.definitions != UNRESOLVED or _MEMBER_OR_DECLARATION.search(before):
            return False
        around = [span for span in names_of(unit).macro_arguments if span.start <= start < span.end]
        return bool(around) and not any(self._macro_of(unit, span) for span in around)

    def _join(self, target: ReferenceTarget, definitions: Definitions) -> None:
        """Add to *target* the definitions that replace it in builds with another `cfg`.

        A rename gives all of them the new name.
        """
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

        For an associated type, include every definition of it.
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
        """Return whether no trait declares it: a field, or a member of a type's own `impl`."""
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
        # A literal word in a macro's pattern belongs to that macro and refers to nothing.
        words = {
            start_of(node)
            for node in nodes_of(unit.parsed, self.name)
            if _is_in_macro_pattern(node)
        }
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
        """Resolve every occurrence; mark as members only words that follow a value or a struct."""
        starts = {m.start for m in unit.names.members if m.form in _TYPED_FORMS}
        for meaning in super()._resolve_names(unit):
            yield meaning._replace(is_member=meaning.is_member and meaning.start in starts)

    def _macro_of(self, unit: Unit, given: MacroArguments) -> Definitions:
        return self._macro(unit, given.macro, given.scope, given.start)

    def _macro(self, unit: Unit, name: str, scope: Scope, start: int) -> Definitions:
        """Resolve a macro to the definition before it in this file, else to the only one."""
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
    """Return the last word of a trait's path, without type arguments."""
    return trait.text().split("<")[0].split("::")[-1].strip() if trait is not None else ""


def _may_replace(one: Definition, other: Definition) -> bool:
    """Return whether two definitions can be variants of one name for different builds."""
    bindings = [each.binding for each in (one, other) if each.name == other.name]
    if None in bindings or len(bindings) < 2:
        return False
    meanings = {binding.meaning for binding in bindings if binding is not None}
    return one.is_member == other.is_member and (len(meanings) == 1 or ANY in meanings)


def _is_in_macro_pattern(node: SyntaxNode) -> bool:
    return parent_of(node).kind() == "token_tree_pattern"


def _is_method(definition: Definition) -> bool:
    binding = definition.binding
    return definition.is_member and binding is not None and Role.FUNCTION in binding.roles


def _is_local(definition: Definition) -> bool:
    return definition.binding is not None and Role.LOCAL in definition.binding.roles

"""What a script's value may be if no named class describes it: its shape, or what it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from redline.code.python_js.heritage import Inferred, OfClass, Value
from redline.code.python_js.members import NoClass
from redline.code.python_js.project import Module
from redline.code.references.definition import Definition
from redline.code.scopes.model import Binding, BindingRole, Occurrence, Scope
from redline.code.syntax.node import SyntaxNode, named_children, parent_of, required_field, start_of

FUNCTIONS = frozenset(
    {
        *("function_declaration", "generator_function_declaration", "function_expression"),
        *("generator_function", "arrow_function", "method_definition", "function_signature"),
        *("method_signature", "abstract_method_signature", "call_signature"),
        *("construct_signature", "function_type", "constructor_type"),
    }
)
OBJECTS = frozenset({"object", "object_type", "interface_body"})
TUPLE = "tuple_type"
MAX_DEPTH = 30
UNKNOWN, OTHER = NoClass.UNKNOWN, NoClass.OTHER
ANYTHING, GLOBAL = NoClass.ANYTHING, NoClass.GLOBAL
# What is certainly not of the workspace, nor hands out what is.
OUTSIDE = frozenset({OTHER, GLOBAL})
PARAMETERS = frozenset({"required_parameter", "optional_parameter"})
_KEYS = {
    *("property_signature", "method_signature", "method_definition", "public_field_definition"),
    *("abstract_method_signature",),
}


class HolderKind(StrEnum):
    """How a value of the language's own types holds others."""

    LIST = "list"
    MAP = "map"
    RECORD = "record"
    # A pair of a key, which is not known, and a value.
    ENTRY = "entry"
    PROMISE = "promise"


@dataclass(frozen=True, slots=True)
class Holder(Inferred):
    """An array, a map, a promise: what is taken out of it is one of *inner*."""

    kind: HolderKind
    inner: frozenset[Value]


@dataclass(frozen=True, slots=True)
class KeysOf(Inferred):
    """A text that names a member of one of *inner*: `keyof T`."""

    inner: frozenset[Value]


@dataclass(frozen=True, slots=True)
class TypeParameter(Inferred):
    """A value of a type that the caller chooses."""

    module: Module
    binding: Binding


@dataclass(frozen=True, slots=True)
class InferredShape(Inferred):
    """An object type, an object that is written out, or a function: what its *node* shows.

    *chosen* has the types that are given for its type parameters.
    """

    module: Module
    start: int
    kind: str
    node: SyntaxNode = field(compare=False)
    scope: Scope = field(compare=False)
    chosen: Chosen = ()

    @classmethod
    def at(cls, module: Module, node: SyntaxNode, scope: Scope) -> InferredShape:
        """Return the shape that *node* writes out."""
        return cls(module, start_of(node), node.kind(), node, scope)

    def part(self, node: SyntaxNode) -> InferredShape:
        """Return the shape that *node* inside of it writes out."""
        return replace(InferredShape.at(self.module, node, self.scope), chosen=self.chosen)

    @property
    def is_function(self) -> bool:
        """Return whether it can be called."""
        return self.kind in FUNCTIONS


Chosen: TypeAlias = tuple[tuple[Binding, frozenset[Value]], ...]


def choose(values: Iterable[Value], chosen: Chosen) -> set[Value]:
    """Return *values* with the types that were chosen for type parameters."""
    if not chosen:
        return set(values)
    known = dict(chosen)
    found: set[Value] = set()
    for value in values:
        if isinstance(value, TypeParameter):
            found |= known.get(value.binding, {value})
        elif isinstance(value, Holder):
            found.add(Holder(value.kind, frozenset(choose(value.inner, chosen))))
        elif isinstance(value, KeysOf):
            found.add(KeysOf(frozenset(choose(value.inner, chosen))))
        elif isinstance(value, OfClass) and value.given:
            given = tuple(frozenset(choose(each, chosen)) for each in value.given)
            found.add(replace(value, given=given))
        elif isinstance(value, InferredShape):
            own = tuple((key, frozenset(choose(each, chosen))) for key, each in value.chosen)
            more = tuple(item for item in chosen if item[0] not in dict(value.chosen))
            found.add(replace(value, chosen=(*own, *more)))
        else:
            found.add(value)
    return found


def type_parameters(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the type parameters that a class, type or function declares."""
    found = node.field("type_parameters")
    return [
        part
        for part in (named_children(found) if found is not None else ())
        if part.kind() == "type_parameter"
    ]


def type_arguments(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the types that are given to a generic type or function."""
    found = node.field("type_arguments")
    return named_children(found) if found is not None else []


def parameters_of(function: SyntaxNode) -> list[SyntaxNode]:
    """Return the parameters of a function, without `this`."""
    single = function.field("parameter")
    if single is not None:
        return [single]
    listed = function.field("parameters")
    found = named_children(listed) if listed is not None else []
    found = [each for each in found if each.kind() not in ("comment", "decorator")]
    return [each for each in found if (each.field("pattern") or each).kind() != "this"]


def keys_in(node: SyntaxNode) -> Iterator[tuple[str, SyntaxNode, SyntaxNode]]:
    """Yield the keys that an object or object type writes out: name, its node, and what has it."""
    for part in node.children():
        kind = part.kind()
        if kind == "shorthand_property_identifier":
            yield part.text(), part, part
        elif kind == "pair":
            key = required_field(part, "key")
            yield key_name(key), key, part
        elif kind in _KEYS:
            key = required_field(part, "name")
            yield key_name(key), key, part


def key_name(key: SyntaxNode) -> str:
    """Return the name that a key writes out, also in quotes."""
    text = key.text()
    return text[1:-1] if key.kind() == "string" else text


def is_object_key(node: SyntaxNode) -> bool:
    """Return whether *node* is a key of an object that a script writes out."""
    parent = parent_of(node)
    return parent.kind() == "object" or parent_of(parent).kind() == "object"


def is_shorthand_of_field(occurrence: Occurrence) -> bool:
    """Return whether one word names a key and a constructor's parameter that is a field."""
    binding = occurrence.binding
    is_field = binding is not None and BindingRole.FIELD in binding.roles
    return is_field and occurrence.kind == "shorthand_property_identifier"


def key_definition(module: Module, node: SyntaxNode, name: str) -> Definition:
    """Return the definition that a key of an object or an object type is."""
    is_quoted = node.kind() == "string"
    return Definition(module.path, start_of(node) + is_quoted, name, True, module)


def chosen_of(value: OfClass) -> Chosen:
    """Return the types that are given for the type parameters of a class."""
    found = []
    for part, given in zip(type_parameters(value.scope.node), value.given, strict=False):
        binding = value.scope.types.get(required_field(part, "name").text())
        if binding is not None:
            found.append((binding, given))
    return tuple(found)


def holders_among(values: Iterable[Value]) -> list[Holder]:
    """Return *values* if all are holders, whatever else is only absent; nothing if not."""
    found = [value for value in values if value != GLOBAL]
    held = [value for value in found if isinstance(value, Holder)]
    return held if len(held) == len(found) else []


def unwrap(values: Iterable[Value]) -> set[Value]:
    """Return what `await` makes of *values*."""
    found: set[Value] = set()
    for value in values:
        is_promise = isinstance(value, Holder) and value.kind == HolderKind.PROMISE
        found |= value.inner if isinstance(value, Holder) and is_promise else {value}
    return found


def alternatives(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the types that a written type is one of: itself, or the parts of a union."""
    if node.kind() != "union_type":
        return [node] if node.kind() != "comment" else []
    return [inner for each in named_children(node) for inner in alternatives(each)]


def take_members(values: set[Value], how: str, names: SyntaxNode) -> set[Value]:
    """Return types without the members that `Omit` names, or with those alone that `Pick` does."""
    written = [each.text() for each in alternatives(names)]
    if how not in ("Omit", "Pick") or any(each[:1] not in ("'", '"') for each in written):
        return values
    named = frozenset(each[1:-1] for each in written)
    found: set[Value] = set()
    for value in values:
        if isinstance(value, OfClass) and how == "Omit":
            found.add(replace(value, without=value.without | named))
        else:
            found.add(replace(value, only=named) if isinstance(value, OfClass) else value)
    return found

"""What calls of Go give: results, conversions, what is built in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.code.go.library import is_library
from redline.code.go.names import Declared
from redline.code.go.types import BASIC, filled
from redline.code.references.definition import Thing
from redline.code.references.typed.types import OPEN, Shape
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import Node

if TYPE_CHECKING:
    from redline.code.go.values import Values

_BUILT_IN = {"len": "int", "cap": "int", "copy": "int", "real": "float64", "imag": "float64"}
_INSTANTIATED = {"index_expression", "type_instantiation_expression"}
TYPES = frozenset(
    {"slice_type", "array_type", "map_type", "channel_type", "pointer_type", "function_type"}
    | {"struct_type", "interface_type", "generic_type", "qualified_type", "type_identifier"}
)


def result_of(values: Values, unit: Unit, call: Node) -> Shape:
    """The type of what a call gives: one type, or a tuple."""
    called, listed = call.field("function"), call.field("arguments")
    given = [each for each in listed.children() if each.is_named()] if listed else []
    if called.kind() == "identifier" and not values.types.declared(unit, called):
        return _built_in(values, unit, called.text(), given)
    kind = _converted(values, unit, called)
    if kind is not None:
        return kind
    made = values.types.underlying(values.of(unit, called))
    if made.head != "func":
        return made if is_library(made) else OPEN
    base = called.field("operand") if called.kind() in _INSTANTIATED else called
    spelled = [values.types.of(unit, each) for each in _indices(called)]
    home = _function(_spelled(values, unit, base)) if base is not None else None
    return _joined(_inferred(values, unit, home, spelled, given, made))


def conversion_of(values: Values, unit: Unit, node: Node) -> Shape:
    """The type of `T(x)`; `F[T](x)` reads like it and is a call all the same."""
    kind = node.field("type")
    if kind is not None and kind.kind() == "generic_type":
        home = _function(_named(values, unit, kind.field("type")))
        if home is not None:
            listed = kind.field("type_arguments").children()
            spelled = [values.types.of(unit, each) for each in listed if each.is_named()]
            made = values.of_declared(home)
            given = [node.field("operand")]
            return _joined(_inferred(values, unit, home, spelled, given, made))
    return values.types.of(unit, kind)


def _joined(results: tuple[Shape, ...]) -> Shape:
    return results[0] if len(results) == 1 else Shape("tuple", results)


def _inferred(
    values: Values,
    unit: Unit,
    home: Declared | None,
    spelled: list[Shape],
    given: list[Node],
    made: Shape,
) -> tuple[Shape, ...]:
    """The results of a function, its type parameters taken from what it is given."""
    asked = values.types.parameters(home) if home is not None else []
    if not asked:
        return made.parts[1].parts
    known = dict(zip(asked, spelled, strict=False))
    for part, node in zip(made.parts[0].parts, given, strict=False):
        _unify(part, values.of(unit, node), set(asked), known)
    full = {each: known.get(each, OPEN) for each in asked}
    return filled(made.parts[1], full).parts


def _function(found: list[Declared]) -> Declared | None:
    return found[0] if found and found[0].kind == "func" else None


def _spelled(values: Values, unit: Unit, node: Node) -> list[Declared]:
    """Who declares what is called by its own name."""
    if node.kind() == "identifier":
        return values.types.declared(unit, node)
    if node.kind() == "selector_expression" and values.package_of(unit, node.field("operand")):
        return values.selected(unit, node).declared
    return []


def _named(values: Values, unit: Unit, node: Node) -> list[Declared]:
    """The same, where it stands like a type."""
    if node.kind() == "qualified_type":
        source = values.types.packages.source(unit)
        package, name = node.field("package").text(), node.field("name").text()
        return values.types.packages.exported(source, package, name)
    return values.types.declared(unit, node)


def _converted(values: Values, unit: Unit, called: Node) -> Shape | None:
    """The type that a value is converted to, where a type is called."""
    node = called
    while node is not None and node.kind() == "parenthesized_expression":
        node = next((child for child in node.children() if child.is_named()), None)
    if node is None or node.kind() in TYPES:
        return values.types.of(unit, node)
    if node.kind() == "unary_expression" and node.children()[0].kind() == "*":
        inner = _converted(values, unit, node.field("operand"))
        return Shape("pointer", (inner,)) if inner is not None else None
    base = node.field("operand") if node.kind() == "index_expression" else node
    found = _spelled(values, unit, base)
    if not found or found[0].kind not in ("type", "type_param"):
        return None
    made = values.types.named(found)
    if base is node:
        return made
    return Shape(made.head, tuple(values.types.of(unit, each) for each in _indices(node)))


def _built_in(values: Values, unit: Unit, name: str, given: list[Node]) -> Shape:
    if name in _BUILT_IN:
        return Shape(_BUILT_IN[name])
    if name in ("make", "new") and given:
        made = values.types.of(unit, given[0])
        return made if name == "make" else Shape("pointer", (made,))
    if name in ("append", "min", "max") and given:
        return values.of(unit, given[0])
    return Shape(name) if name in BASIC else OPEN


def _indices(node: Node) -> list[Node]:
    """What stands between the brackets."""
    if node.kind() not in _INSTANTIATED:
        return []
    listed = [child for child in node.children() if child.is_named()][1:]
    tops = [each for top in listed for each in _arguments(top)]
    return [each for each in tops if each.is_named()]


def _arguments(node: Node) -> list[Node]:
    return list(node.children()) if node.kind() == "type_arguments" else [node]


def _unify(part: Shape, given: Shape, asked: set[Thing], known: dict[Thing, Shape]) -> None:
    """Learn from a parameter and what is given for it what type parameters stand for."""
    if isinstance(part.head, Thing) and part.head in asked:
        if given != OPEN:
            known.setdefault(part.head, given)
        return
    if part.head == "variadic":
        _unify(part.parts[0], given, asked, known)
    elif part.head == given.head:
        for mine, theirs in zip(part.parts, given.parts, strict=False):
            _unify(mine, theirs, asked, known)

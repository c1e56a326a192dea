"""Determine the types of Go calls: results, conversions, built-in functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.code.go.library import is_library
from redline.code.go.names import GoDeclaration, GoKind
from redline.code.go.types import BASIC
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import SyntaxNode, required_field

if TYPE_CHECKING:
    from redline.code.go.values import GoValues

_BUILT_IN = {"len": "int", "cap": "int", "copy": "int", "real": "float64", "imag": "float64"}
_INSTANTIATED = {"index_expression", "type_instantiation_expression"}
TYPES = frozenset(
    {"slice_type", "array_type", "map_type", "channel_type", "pointer_type", "function_type"}
    | {"struct_type", "interface_type", "generic_type", "qualified_type", "type_identifier"}
)


def result_of(values: GoValues, unit: Unit, call: SyntaxNode) -> Shape:
    """Return the type of a call: one type, or a tuple."""
    called, listed = required_field(call, "function"), call.field("arguments")
    given = [each for each in listed.children() if each.is_named()] if listed else []
    if called.kind() == "identifier" and not values.types.declarations(unit, called):
        return _built_in(values, unit, called.text(), given)
    kind = _conversion_type(values, unit, called)
    if kind is not None:
        return kind
    made = values.types.underlying(values.of(unit, called))
    if made.head != "func":
        return made if is_library(made) else UNKNOWN_TYPE
    base = called.field("operand") if called.kind() in _INSTANTIATED else called
    written = [values.types.of(unit, each) for each in _indices(called)]
    home = _function(_callee_declarations(values, unit, base)) if base is not None else None
    return _join_results(_infer_results(values, unit, home, written, given, made))


def conversion_of(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    """Return the type of `T(x)`, or the result of `F[T](x)`, which parses the same."""
    kind = node.field("type")
    if kind is not None and kind.kind() == "generic_type":
        home = _function(_callee_as_type(values, unit, required_field(kind, "type")))
        if home is not None:
            listed = required_field(kind, "type_arguments").children()
            written = [values.types.of(unit, each) for each in listed if each.is_named()]
            made = values.of_declaration(home)
            given = [required_field(node, "operand")]
            return _join_results(_infer_results(values, unit, home, written, given, made))
    return values.types.of(unit, kind)


def _join_results(results: tuple[Shape, ...]) -> Shape:
    return results[0] if len(results) == 1 else Shape("tuple", results)


def _infer_results(
    values: GoValues,
    unit: Unit,
    home: GoDeclaration | None,
    written: list[Shape],
    given: list[SyntaxNode],
    made: Shape,
) -> tuple[Shape, ...]:
    """Return a function's results, its type parameters inferred from the arguments."""
    asked = values.types.parameters(home) if home is not None else []
    if not asked:
        return made.parts[1].parts
    known = dict(zip(asked, written, strict=False))
    for part, node in zip(made.parts[0].parts, given, strict=False):
        _unify(part, values.of(unit, node), set(asked), known)
    full = {each: known.get(each, UNKNOWN_TYPE) for each in asked}
    return substitute(made.parts[1], full).parts


def _function(found: list[GoDeclaration]) -> GoDeclaration | None:
    return found[0] if found and found[0].kind is GoKind.FUNC else None


def _callee_declarations(values: GoValues, unit: Unit, node: SyntaxNode) -> list[GoDeclaration]:
    """Return the declarations of a callee that is a plain or qualified name."""
    if node.kind() == "identifier":
        return values.types.declarations(unit, node)
    if node.kind() == "selector_expression" and values.package_of(
        unit, required_field(node, "operand")
    ):
        return values.select(unit, node).declarations
    return []


def _callee_as_type(values: GoValues, unit: Unit, node: SyntaxNode) -> list[GoDeclaration]:
    """Return the same for a callee that parses as a type."""
    if node.kind() == "qualified_type":
        source = values.types.packages.source(unit)
        package, name = required_field(node, "package"), required_field(node, "name")
        return values.types.packages.find_exported(source, package.text(), name.text())
    return values.types.declarations(unit, node)


def _conversion_type(values: GoValues, unit: Unit, called: SyntaxNode) -> Shape | None:
    """Return the type converted to if the callee is a type; None otherwise."""
    node: SyntaxNode | None = called
    while node is not None and node.kind() == "parenthesized_expression":
        node = next((child for child in node.children() if child.is_named()), None)
    if node is None or node.kind() in TYPES:
        return values.types.of(unit, node)
    if node.kind() == "unary_expression" and node.children()[0].kind() == "*":
        inner = _conversion_type(values, unit, required_field(node, "operand"))
        return Shape("pointer", (inner,)) if inner is not None else None
    base = required_field(node, "operand") if node.kind() == "index_expression" else node
    found = _callee_declarations(values, unit, base)
    if not found or found[0].kind not in (GoKind.TYPE, GoKind.TYPE_PARAMETER):
        return None
    made = values.types.declared_type(found)
    if base is node:
        return made
    return Shape(made.head, tuple(values.types.of(unit, each) for each in _indices(node)))


def _built_in(values: GoValues, unit: Unit, name: str, given: list[SyntaxNode]) -> Shape:
    if name in _BUILT_IN:
        return Shape(_BUILT_IN[name])
    if name in ("make", "new") and given:
        made = values.types.of(unit, given[0])
        return made if name == "make" else Shape("pointer", (made,))
    if name in ("append", "min", "max") and given:
        return values.of(unit, given[0])
    return Shape(name) if name in BASIC else UNKNOWN_TYPE


def _indices(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the nodes between the brackets."""
    if node.kind() not in _INSTANTIATED:
        return []
    listed = [child for child in node.children() if child.is_named()][1:]
    tops = [each for top in listed for each in _arguments(top)]
    return [each for each in tops if each.is_named()]


def _arguments(node: SyntaxNode) -> list[SyntaxNode]:
    return list(node.children()) if node.kind() == "type_arguments" else [node]


def _unify(
    part: Shape, given: Shape, asked: set[Definition], known: dict[Definition, Shape]
) -> None:
    """Infer type parameters from a parameter's type and its argument's type."""
    if isinstance(part.head, Definition) and part.head in asked:
        if given != UNKNOWN_TYPE:
            known.setdefault(part.head, given)
        return
    if part.head == "variadic":
        _unify(part.parts[0], given, asked, known)
    elif part.head == given.head:
        for mine, theirs in zip(part.parts, given.parts, strict=False):
            _unify(mine, theirs, asked, known)

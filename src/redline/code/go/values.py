"""Determine the types of Go expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from redline.code.go.library import LIBRARY, is_library
from redline.code.go.members import GoMembers, Selection
from redline.code.go.names import GoDeclaration, GoKind, children, node_key
from redline.code.go.types import BASIC, GoTypes, without_pointer
from redline.code.references.definition import Definition
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.references.typed.units import Unit
from redline.code.syntax.node import SyntaxNode, required_field
from redline.core.records import dataclass, field

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


def _of_spec(values: GoValues, declaration: GoDeclaration) -> Shape:
    """Type a `var` or `const`; a constant without type and value repeats the one above."""
    unit = declaration.unit
    node: SyntaxNode | None = declaration.node
    index = [name.range().start.index for name in children(declaration.node, "name")].index(
        declaration.start
    )
    while node is not None and node.kind() in ("var_spec", "const_spec", ",", "comment", "\n"):
        if node.kind() in ("var_spec", "const_spec"):
            if node.field("type") is not None:
                return values.types.of(unit, node.field("type"))
            if node.field("value") is not None:
                return _of_list(values, unit, node.field("value"), index)
        node = node.prev()
    return UNKNOWN_TYPE


def _of_short(values: GoValues, declaration: GoDeclaration) -> Shape:
    left = required_field(declaration.node, "left")
    names = [each.range().start.index for each in left.children() if each.is_named()]
    return _of_list(
        values, declaration.unit, declaration.node.field("right"), names.index(declaration.start)
    )


def _of_list(values: GoValues, unit: Unit, right: SyntaxNode | None, index: int) -> Shape:
    """Return the type of the right-hand value at *index*."""
    if right is None:
        return UNKNOWN_TYPE
    listed = [right]
    if right.kind() == "expression_list":
        listed = [each for each in right.children() if each.is_named()]
    if len(listed) > 1:
        return values.of(unit, listed[index]) if index < len(listed) else UNKNOWN_TYPE
    made = values.of(unit, listed[0]) if listed else UNKNOWN_TYPE
    if made.head == "tuple":
        return made.parts[index] if index < len(made.parts) else UNKNOWN_TYPE
    if index == 0 or is_library(made):
        return made
    return Shape("bool") if listed[0].kind() != "call_expression" else UNKNOWN_TYPE


def _of_range(values: GoValues, declaration: GoDeclaration) -> Shape:
    left = required_field(declaration.node, "left")
    names = [each.range().start.index for each in left.children() if each.is_named()]
    ranged = values.of(declaration.unit, declaration.node.field("right"))
    is_first = names.index(declaration.start) == 0
    if values.types.underlying(ranged).head == "chan":
        return values.element(ranged)
    return values.element(ranged, key=is_first)


def _of_parameter(values: GoValues, declaration: GoDeclaration) -> Shape:
    made = values.types.of(declaration.unit, declaration.node.field("type"))
    is_many = declaration.node.kind() == "variadic_parameter_declaration"
    return Shape("slice", (made,)) if is_many else made


def _of_function(values: GoValues, declaration: GoDeclaration) -> Shape:
    return values.types.function(declaration.unit, declaration.node)


BY_KIND: dict[str, Callable[[GoValues, GoDeclaration], Shape]] = {
    GoKind.VAR: _of_spec,
    GoKind.CONST: _of_spec,
    GoKind.SHORT: _of_short,
    GoKind.RANGE: _of_range,
    GoKind.PARAMETER: _of_parameter,
    GoKind.FUNC: _of_function,
}


_COMPARING = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"}
_LITERALS = {
    "int_literal": "int",
    "float_literal": "float64",
    "rune_literal": "rune",
    "interpreted_string_literal": "string",
    "raw_string_literal": "string",
    "true": "bool",
    "false": "bool",
    "iota": "int",
}
_Of: TypeAlias = Callable[["GoValues", Unit, SyntaxNode], Shape]


@dataclass(slots=True)
class GoValues:
    """Types expressions; UNKNOWN_TYPE if no declaration states the type."""

    types: GoTypes
    members: GoMembers
    _known: dict[tuple[Unit, int, int, str], Shape] = field(default_factory=dict)
    _in_progress: set[Definition] = field(default_factory=set)

    def of(self, unit: Unit, node: SyntaxNode | None) -> Shape:
        """Return the type of an expression."""
        if node is None:
            return UNKNOWN_TYPE
        key = (unit, *node_key(node))
        if key not in self._known:
            self._known[key] = UNKNOWN_TYPE  # the answer within a cycle
            self._known[key] = self._of(unit, node)
        return self._known[key]

    def _of(self, unit: Unit, node: SyntaxNode) -> Shape:
        kind = node.kind()
        if kind in _LITERALS:
            return Shape(_LITERALS[kind])
        if kind in _EXPRESSIONS:
            return _EXPRESSIONS[kind](self, unit, node)
        return self.types.of(unit, node) if kind in TYPES else UNKNOWN_TYPE

    def select(self, unit: Unit, node: SyntaxNode) -> Selection:
        """Look up the name after the dot of a selector."""
        operand, name = required_field(node, "operand"), required_field(node, "field")
        package = self.package_of(unit, operand)
        if package is None:
            return self.members.find(self.of(unit, operand), name.text())
        source = self.types.packages.source(unit)
        found = self.types.packages.find_exported(source, package, name.text())
        if found and found[0].kind is GoKind.TYPE:
            return Selection(found, self.types.declared_type(found))
        if found:
            return Selection(found, self.of_declaration(found[0]))
        return Selection(shape=LIBRARY)

    def package_of(self, unit: Unit, operand: SyntaxNode) -> str | None:
        """Return the name of the package before a dot; None if it is not a package."""
        if operand.kind() != "identifier" or self.types.declarations(unit, operand):
            return None
        name = operand.text()
        return (
            name
            if self.types.packages.imports_named(self.types.packages.source(unit), name)
            else None
        )

    def of_declaration(self, declaration: GoDeclaration, within: SyntaxNode | None = None) -> Shape:
        """Return the type of a declaration, *within* this case if it is of a type switch."""
        if declaration.kind is GoKind.SWITCH:
            return self._of_switch(declaration, within)
        definition = declaration.definition
        if definition in self._in_progress or declaration.kind not in BY_KIND:
            return UNKNOWN_TYPE
        self._in_progress.add(definition)
        try:
            return BY_KIND[declaration.kind](self, declaration)
        finally:
            self._in_progress.discard(definition)

    def _of_switch(self, declaration: GoDeclaration, within: SyntaxNode | None) -> Shape:
        if within is not None and within.kind() == "type_case":
            listed = children(within, "type")
            if len(listed) == 1:
                return self.types.of(declaration.unit, listed[0])
        return self.of(declaration.unit, declaration.node.field("value"))

    def element(self, shape: Shape, *, key: bool = False) -> Shape:
        """Return the element type of a slice, map or channel, or its key type."""
        made = self.types.underlying(without_pointer(self.types.underlying(shape)))
        if made.head == "map":
            return made.parts[0 if key else 1]
        if made.head in ("slice", "chan", "variadic"):
            return Shape("int") if key and made.head == "slice" else made.parts[0]
        if made.head == "string":
            return Shape("int" if key else "rune")
        return made if made.head == "int" and key else UNKNOWN_TYPE


# Expressions


def _name(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    local = values.types.locals.find(unit, node, node.text())
    if local is not None and local.declaration.kind is not GoKind.TYPE:
        return values.of_declaration(*local)
    found = values.types.declarations(unit, node)
    if found and found[0].kind is GoKind.TYPE:
        return values.types.declared_type(found)  # as in `T.Method`
    return values.of_declaration(found[0]) if found else UNKNOWN_TYPE


def _selector(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    return values.select(unit, node).shape


def _unary(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    sign = node.children()[0].kind()
    inner = values.of(unit, node.field("operand"))
    if sign == "&":
        return Shape("pointer", (inner,))
    if sign == "*":
        made = values.types.underlying(inner)
        return without_pointer(
            made if made.head == "pointer" else inner
        )  # `*T` may be the type itself
    if sign == "<-":
        return values.element(inner)
    return Shape("bool") if sign == "!" else inner


def _binary(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    if required_field(node, "operator").kind() in _COMPARING:
        return Shape("bool")
    operand = required_field(node, "left")
    while operand.kind() == "binary_expression":  # a long sum: the innermost operand
        node, operand = operand, required_field(operand, "left")
    left = values.of(unit, operand)
    is_plain = operand.kind() in _LITERALS or left == UNKNOWN_TYPE
    return values.of(unit, node.field("right")) if is_plain else left


def _index(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    base = values.of(unit, node.field("operand"))
    if base.head == "func" or is_library(base):
        return base
    return values.element(base)


def _inner(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    inner = [child for child in node.children() if child.is_named()]
    return values.of(unit, inner[0]) if inner else UNKNOWN_TYPE


def _stated_type(values: GoValues, unit: Unit, node: SyntaxNode) -> Shape:
    return values.types.of(unit, node.field("type"))


_EXPRESSIONS: dict[str, _Of] = {
    "identifier": _name,
    "selector_expression": _selector,
    "call_expression": result_of,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "index_expression": _index,
    "type_instantiation_expression": _inner,
    "slice_expression": lambda values, unit, node: values.of(unit, node.field("operand")),
    "parenthesized_expression": _inner,
    "type_assertion_expression": _stated_type,
    "type_conversion_expression": conversion_of,
    "composite_literal": _stated_type,
    "func_literal": lambda values, unit, node: values.types.function(unit, node),
}

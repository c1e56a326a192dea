"""Find references to a definition in Go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from redline.code.go.library import LIBRARY, is_library, is_library_definition
from redline.code.go.members import GoMembers, Selection
from redline.code.go.names import GoDeclaration, GoKind, Locals, children, node_key
from redline.code.go.packages import GoPackages
from redline.code.go.sources import GoSource, receiver_of
from redline.code.go.standard import INTERFACES
from redline.code.go.types import BASIC, GoTypes, without_pointer
from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.file_access import SourceFiles
from redline.code.references.targets import Meaning, Reference, ReferenceTarget
from redline.code.references.typed.base import TypedResolver
from redline.code.references.typed.types import UNKNOWN_TYPE, Shape, substitute
from redline.code.references.typed.units import Unit
from redline.code.scopes.model import Member, Names, Occurrence, Scope
from redline.code.syntax.definitions import Parsed
from redline.code.syntax.node import SyntaxNode, required_field, start_of
from redline.code.syntax.uses import nodes_of
from redline.core.paths import WorkspacePath
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


@dataclass(slots=True)
class Interfaces:
    """Determines whether two methods correspond."""

    types: GoTypes
    members: GoMembers
    _known: dict[tuple[Definition, Definition], bool] = field(default_factory=dict)

    def correspond(self, one: GoDeclaration, other: GoDeclaration) -> bool:
        """Return whether one belongs to an interface that the other's type satisfies."""
        key = (one.definition, other.definition)
        if key not in self._known:
            pair = (one, other) if _is_abstract(one) else (other, one)
            apart = _is_abstract(one) != _is_abstract(other)
            self._known[key] = apart and self._satisfies(*pair)
        return self._known[key]

    def _satisfies(self, asked: GoDeclaration, given: GoDeclaration) -> bool:
        if not self._have_same_signature(asked, given):
            return False
        interface = self._interface(asked)
        receiver = receiver_of(given)
        kind = self.types.of(given.unit, receiver) if receiver is not None else UNKNOWN_TYPE
        wanted = self.members.all_methods(interface)
        if kind == UNKNOWN_TYPE or wanted is None:
            return False
        return all(self._has(kind, method) for method in wanted)

    def _has(self, kind: Shape, method: GoDeclaration) -> bool:
        found = self.members.find(kind, method.name)
        if not found.declarations:
            return found.may_be_external or found.is_unknown
        return self._have_same_signature(method, found.declarations[0])

    def _have_same_signature(self, one: GoDeclaration, other: GoDeclaration) -> bool:
        """Return whether two methods have the same signature."""
        if one.definition == other.definition:
            return True
        if other.kind is not GoKind.METHOD:
            return False
        mine = self.types.function(one.unit, one.node)
        theirs = self.types.function(other.unit, other.node)
        return _are_same(mine, theirs)

    def _interface(self, method: GoDeclaration) -> Shape:
        """Return the interface that lists a method."""
        above = method.node.parent()
        assert above is not None
        spec = above.parent()
        if spec is not None and spec.kind() == "type_spec":
            return self.types.declared_type(
                [GoDeclaration(method.unit, required_field(spec, "name"), GoKind.TYPE, spec)]
            )
        return self.types.literal(method.unit, above)


def _is_abstract(method: GoDeclaration) -> bool:
    return method.node.kind() == "method_elem"


def _are_same(one: Shape, other: Shape) -> bool:
    """Return whether two types are the same as far as they are known."""
    if UNKNOWN_TYPE in (one, other) or LIBRARY in (one, other):
        return True
    if _is_anonymous(one) and _is_anonymous(other):
        return True  # anonymous structs or interfaces: their text may differ
    if one.head != other.head or len(one.parts) != len(other.parts):
        return False
    return all(_are_same(mine, theirs) for mine, theirs in zip(one.parts, other.parts, strict=True))


def _is_anonymous(shape: Shape) -> bool:
    return isinstance(shape.head, Definition) and not shape.head.name


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_COLLECTIONS = {"slice_type", "array_type", "implicit_length_array_type", "map_type"}


def key_of(node: SyntaxNode) -> SyntaxNode | None:
    """Return the literal whose key *node* is; None if it is not a key."""
    element = node.parent()
    pair = element.parent() if element is not None and element.kind() == "literal_element" else None
    if pair is None or pair.kind() != "keyed_element":
        return None
    key = pair.field("key")
    is_key = key is not None and key.range().start.index == node.range().start.index
    return pair.parent() if is_key else None


def type_of(values: GoValues, unit: Unit, braces: SyntaxNode) -> Shape:
    """Return the type of a literal; if omitted, the element type of the enclosing one."""
    above = braces.parent()
    if above is None:
        return UNKNOWN_TYPE
    if above.kind() == "composite_literal":
        return values.types.of(unit, above.field("type"))
    if above.kind() != "literal_element":
        return UNKNOWN_TYPE
    outer, is_key = above.parent(), False
    if outer is not None and outer.kind() == "keyed_element":
        key = outer.field("key")
        is_key = key is not None and key.range().start.index == above.range().start.index
        outer = outer.parent()
    if outer is None or outer.kind() != "literal_value":
        return UNKNOWN_TYPE
    around = type_of(values, unit, outer)
    if is_library(around):
        return around
    return without_pointer(values.element(around, key=is_key))


def has_fields(values: GoValues, shape: Shape) -> bool | None:
    """Return whether the keys of such a literal are fields; None if undetermined."""
    made = values.types.underlying(shape)
    if is_library(made):
        return True
    if made.head in ("slice", "map"):
        return False
    return None if made == UNKNOWN_TYPE else True


def struct_around(site: SyntaxNode) -> SyntaxNode | None:
    """Return the struct that declares the field at *site*."""
    return next((each for each in site.ancestors() if each.kind() == "struct_type"), None)


def are_identical(one: SyntaxNode, other: SyntaxNode) -> bool:
    """Return whether two structs may be one type: written alike, and one of them without a name.

    The elements of literals, as tests list their cases, are assigned to nothing else.
    """
    if _written(one) != _written(other):
        return False
    return not (_is_kept_apart(one) and _is_kept_apart(other))


def _written(struct: SyntaxNode) -> list[str]:
    return _COMMENT.sub("", struct.text()).split()


def _is_kept_apart(struct: SyntaxNode) -> bool:
    above = struct.parent()
    while above is not None and above.kind() in _COLLECTIONS:
        above = above.parent()
        if above is not None and above.kind() == "composite_literal":
            return True
    return above is not None and above.kind() == "type_spec"


_DOT_IMPORT = r"^\s*(?:import\s+)?\.\s+\""
# Files that the index names for a definition; where there are more, they are not all known.
_MAX_HOMES = 50
_DEFINING = {"field_declaration", "method_declaration", "method_elem"}


class GoResolver(TypedResolver):
    """Finds references to definitions of one name in Go."""

    def __init__(self, name: str, files: SourceFiles) -> None:
        super().__init__(name, files)
        self.packages = GoPackages(self.units)
        self.types = GoTypes(self.packages, Locals())
        self.members = GoMembers(self.types)
        self.values = GoValues(self.types, self.members)
        self.interfaces = Interfaces(self.types, self.members)
        written = re.escape(name)
        self._use = re.compile(rf"\.\s*{written}\b|\b{written}\s*:|{_DOT_IMPORT}", re.MULTILINE)
        self._homes: set[WorkspacePath] = set()
        self._methods: dict[Definition, GoDeclaration] = {}
        self._fields: dict[Definition, GoDeclaration] = {}
        self._targets: list[ReferenceTarget] = []
        # Methods that count as a target's where they are called but not where they are declared.
        self._corresponding: set[Definition] = set()

    def read(self, parsed: Parsed, offsets: Sequence[int]) -> Names:
        """Note the occurrences of the name; each is resolved outward from where it is."""
        top = Scope("module", None, parsed.root)
        names = Names(top, scopes=[top])
        for node in nodes_of(parsed, self.name) if offsets else ():
            above = node.parent()
            if node.kind() == "field_identifier" or key_of(node) is not None:
                names.member(node, top, "access", above)
            else:
                names.refer(node, top)
        return names

    def target(self, path: WorkspacePath, start: int) -> ReferenceTarget | None:
        """Return the definition whose name begins at *start*; None if undetermined."""
        found = super().target(path, start)
        if found is not None:
            self._homes |= {definition.path.parent for definition in found.same}
        return found

    def target_on(self, path: WorkspacePath, line: int) -> ReferenceTarget | None:
        """Return the definition of the name on a line; None if undetermined."""
        unit = self.units.at(path)
        if unit is None:
            return None
        starts = [one.start for one in unit.names.occurrences if one.line == line]
        starts += [member.start for member in unit.names.members if member.line == line]
        return self.target(path, min(starts)) if starts else None

    def implements_library(self, target: ReferenceTarget) -> bool:
        """Return whether a method's type satisfies a standard interface that has the method."""
        method = self._methods.get(target.definition)
        if method is None or method.node.kind() == "method_elem":
            return False
        wanted = re.compile(rf"(?:^|[:;] ?){re.escape(self.name)}\(")
        for name, listed in INTERFACES.items():
            found = self.members.find(Shape(name), self.name) if wanted.search(listed) else None
            for asked in found.declarations if found is not None else ():
                if self.interfaces.correspond(asked, method):
                    return True
        return False

    def is_apart(self, target: ReferenceTarget) -> bool:
        """Return whether no other type has it: a struct written alike, or an interface."""
        method = self._methods.get(target.definition)
        if method is None:
            field = self._fields.get(target.definition)
            return field is not None and not self._has_twin(field)
        homes = self.units.files.defining(self.name)
        if method.node.kind() == "method_elem" or len(homes) >= _MAX_HOMES:
            return False
        for unit in self.units.defining(self.name):
            for each in unit.parsed.root.find_all(kind="method_elem"):
                named = required_field(each, "name")
                asked = GoDeclaration(unit, named, GoKind.METHOD, each)
                if named.text() == self.name and self.interfaces.correspond(asked, method):
                    return False
        return True

    def _has_twin(self, field: GoDeclaration) -> bool:
        """Return whether another struct may be the type of a field's: it would be so no longer."""
        own = struct_around(field.site)
        return own is not None and any(
            are_identical(own, each)
            for unit in self.units.defining(self.name)
            for each in unit.parsed.root.find_all(kind="struct_type")
            if (unit.path, start_of(each)) != (field.unit.path, start_of(own))
        )

    def folder_of(self, target: ReferenceTarget) -> WorkspacePath | None:
        """Return the only folder that may see it: of a lower-case name or package `main`."""
        unit = self._unit_of(target.definition)
        if unit is None:
            return None
        package = self.packages.source(unit).package
        is_alone = package == "main" or package.endswith("_test") or not self._is_exported()
        return unit.path.parent if is_alone else None

    def in_file(
        self, path: WorkspacePath, targets: list[ReferenceTarget]
    ) -> list[Reference] | None:
        """Return the references in one file, in order; None if the file cannot be read."""
        if path.parent not in self._homes and not self._is_used(path):
            return []
        self._targets = targets
        return super().in_file(path, targets)

    def _meanings(self, unit: Unit) -> Iterator[Meaning]:
        return self._resolve_names(unit)  # `read` notes every occurrence

    def _resolve_names(self, unit: Unit) -> Iterator[Meaning]:
        for meaning in super()._resolve_names(unit):
            found = meaning.definitions
            if any((one.path, one.start) == (unit.path, meaning.start) for one in found):
                yield meaning._replace(definitions=found - self._corresponding)
                continue
            merged = {self._merge_corresponding(unit, definition) for definition in found}
            yield meaning._replace(definitions=frozenset(one for one in merged if one is not None))

    def _merge_corresponding(self, unit: Unit, definition: Definition) -> Definition | None:
        """Merge a method into a target that it corresponds to by an interface.

        Calls through a library's interface are everywhere: those in the package of the target
        are bound to it, others are possible, and calls of `Error` are neither.
        """
        method = self._methods.get(definition)
        is_asked = not self._targets or any(definition in target.same for target in self._targets)
        if method is None or is_asked:
            return definition
        same = [target for target in self._targets if self._corresponds(target, method)]
        if is_library_definition(definition):
            near = [target.definition for target in same if _is_near(target, unit)]
            far = UNKNOWN if same and self.name != "Error" else None
            return near[0] if near else far
        for target in same:
            target.same.add(definition)
            self._corresponding.add(definition)
        return definition

    def _corresponds(self, target: ReferenceTarget, method: GoDeclaration) -> bool:
        asked = self._methods.get(target.definition)
        return asked is not None and self.interfaces.correspond(asked, method)

    def _may_satisfy(self, unit: Unit) -> bool:
        """Return whether a target is a method of this package, callable via a library interface."""
        asked = [target for target in self._targets if target.definition in self._methods]
        return any(_is_near(target, unit) for target in asked)

    def may_see(self, path: WorkspacePath, text: str) -> bool:
        """Return whether a file with this text can refer to another file's definition at all."""
        if path.parent in self._homes:
            return True
        return self._is_exported() and any(self._is_imported(home, text) for home in self._homes)

    def related_names(self, target: ReferenceTarget) -> set[str]:
        """Return the package that others import, and the type that a member belongs to."""
        unit = self._unit_of(target.definition)
        if unit is None:
            return set()
        sites = (m.node for m in unit.names.members if m.start == target.definition.start)
        owners = {name for site in sites for name in _owners(unit, site)}
        return {self.packages.source(unit).package, *owners} - {self.name, "main"}

    def _unit_of(self, definition: Definition) -> Unit | None:
        is_library = is_library_definition(definition)
        return None if is_library else self.units.at(definition.path)

    def _is_used(self, path: WorkspacePath) -> bool:
        """Return whether a file of another package may use the name: after a dot or as a key."""
        text = self.units.files.text(path) if self._is_exported() else ""
        if text is None:
            return True
        lines = (
            text[text.rfind("\n", 0, found.start()) + 1 :] for found in self._use.finditer(text)
        )
        return any(not line.lstrip().startswith("//") for line in lines)

    def _is_exported(self) -> bool:
        return self.name[:1].isupper()

    def _is_imported(self, home: WorkspacePath, text: str) -> bool:
        known = self.packages.path_of(home)
        return known is None or f'"{known}"' in text or f"`{known}`" in text

    def of_occurrence(self, unit: Unit, occurrence: Occurrence) -> frozenset[Definition]:
        """Resolve a plain name."""
        try:
            return self._resolve_plain(unit, occurrence.node)
        except RecursionError:  # nested deeper than people write code
            return UNRESOLVED

    def _resolve_plain(self, unit: Unit, node: SyntaxNode) -> frozenset[Definition]:
        above = node.parent()
        if above is None:
            return UNRESOLVED
        kind = above.kind()
        if kind == "qualified_type" and node.kind() == "type_identifier":
            return self._of_qualified(unit, above)
        if node.kind() == "package_identifier" and kind != "qualified_type":
            return frozenset()
        if kind == "function_declaration" and node.text() == "init":
            return frozenset(
                {GoDeclaration(unit, node, GoKind.FUNC, above).definition}
            )  # every `init` is distinct
        found = self.types.declarations(unit, node)
        if not found and self._may_be_of_library(unit):
            return UNRESOLVED
        return frozenset(each.definition for each in found)

    def _may_be_of_library(self, unit: Unit) -> bool:
        """Return whether a file imports a package with a dot that is not in its module."""
        source = self._source(unit)
        dotted = (each.path for each in source.imports if each.name == ".")
        return not all(self.packages.is_in_module(source, path) for path in dotted)

    def _source(self, unit: Unit) -> GoSource:
        return self.packages.source(unit)

    def _of_qualified(self, unit: Unit, node: SyntaxNode) -> frozenset[Definition]:
        """Resolve the name after a dot where the grammar reads a type, as in `f.rows[i][g[i]]`."""
        before = required_field(node, "package")
        variables = self.types.declarations(unit, before)
        if not variables:
            return self._of_package(unit, before.text())
        shape = self.values.of_declaration(variables[0], node)
        found = self.values.members.find(shape, self.name).declarations
        return frozenset(each.definition for each in found)

    def _of_package(self, unit: Unit, package: str) -> frozenset[Definition]:
        found = self.packages.find_exported(self._source(unit), package, self.name)
        return frozenset(each.definition for each in found)

    def of_member(self, unit: Unit, member: Member) -> frozenset[Definition]:
        """Resolve a member of a value or type."""
        try:
            return self._of_member(unit, member.node)
        except RecursionError:  # as above
            return UNRESOLVED

    def _of_member(self, unit: Unit, node: SyntaxNode) -> frozenset[Definition]:
        above = node.parent()
        if above is None:
            return UNRESOLVED
        if above.kind() in _DEFINING:
            return self._record_definitions([_member_declaration(unit, node, above)])
        if above.kind() == "selector_expression":
            return self._resolve_selection(unit, self.values.select(unit, above))
        return self._of_key(unit, node)

    def _of_key(self, unit: Unit, node: SyntaxNode) -> frozenset[Definition]:
        """Resolve a key of a composite literal."""
        braces = key_of(node)
        if braces is None:
            return UNRESOLVED
        shape = type_of(self.values, unit, braces)
        is_field = has_fields(self.values, shape)
        if is_field is None:
            return UNRESOLVED
        if not is_field:
            return self._resolve_plain(unit, node)
        return self._resolve_selection(unit, self.members.find(shape, self.name))

    def _resolve_selection(self, unit: Unit, found: Selection) -> frozenset[Definition]:
        if found.declarations:
            return self._record_definitions(found.declarations)
        is_unknown = found.is_unknown or (found.may_be_external and self._may_satisfy(unit))
        return UNRESOLVED if is_unknown else frozenset()

    def _record_definitions(self, declarations: Iterable[GoDeclaration]) -> frozenset[Definition]:
        found = {each.definition: each for each in declarations}
        self._methods.update((t, each) for t, each in found.items() if each.kind is GoKind.METHOD)
        self._fields.update((t, each) for t, each in found.items() if each.kind is GoKind.FIELD)
        embedded = [each for each in found.values() if each.kind is GoKind.EMBEDDED]
        # An embedded field has the name of its type, and a new one with it.
        types = [self._resolve_plain(each.unit, each.site) for each in embedded if self.renaming]
        return frozenset(found).union(*types)


def _owners(unit: Unit, site: SyntaxNode) -> Iterator[str]:
    """Yield the name of the type that the field or method declared here belongs to."""
    above = site.parent()
    if above is None:
        return
    if above.kind() == "method_declaration":
        receiver = receiver_of(_member_declaration(unit, site, above))
        if receiver is not None:
            yield receiver.text()
    for outer in above.ancestors():
        if outer.kind() == "type_spec":
            yield required_field(outer, "name").text()
            return


def _is_near(target: ReferenceTarget, unit: Unit) -> bool:
    return target.definition.path.parent == unit.path.parent


def _member_declaration(unit: Unit, node: SyntaxNode, above: SyntaxNode) -> GoDeclaration:
    kind = GoKind.FIELD if above.kind() == "field_declaration" else GoKind.METHOD
    return GoDeclaration(unit, node, kind, above)

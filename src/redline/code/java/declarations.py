"""The types that a Java file declares, and their members."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from redline.code.references.definition import Definition
from redline.code.syntax.node import SyntaxNode
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

if TYPE_CHECKING:
    from redline.code.java.source_file import JavaFile
from enum import StrEnum

TYPES = frozenset(
    """
    class_declaration interface_declaration enum_declaration record_declaration
    annotation_type_declaration
    """.split()
)
_METHODS = {"method_declaration", "annotation_type_element_declaration"}
_CONSTRUCTORS = {"constructor_declaration", "compact_constructor_declaration"}
_FIELDS = {"field_declaration", "constant_declaration"}
_BODIES = frozenset(
    """
    class_body interface_body enum_body annotation_type_body enum_body_declarations
    """.split()
)
_SUPERS = {"superclass", "super_interfaces", "extends_interfaces"}


@dataclass(eq=False, slots=True)
class Parameter:
    """A parameter of a method: its type as written, and its name."""

    type: SyntaxNode | None
    name: SyntaxNode | None
    dimensions: int = 0


@dataclass(eq=False)
class Method:
    """A method or constructor; a constructor has the name of its class."""

    owner: TypeDeclaration
    name: str
    start: int
    node: SyntaxNode
    is_constructor: bool = False

    @cached_property
    def parameters(self) -> list[Parameter]:
        """Return its parameters."""
        if self.node.kind() == "compact_constructor_declaration":
            return parameters_of(self.owner.node)
        return parameters_of(self.node)

    @cached_property
    def is_variadic(self) -> bool:
        """Return whether the last parameter takes any number of values."""
        found = self.node.field("parameters")
        return found is not None and found.find(kind="spread_parameter") is not None

    @cached_property
    def is_static(self) -> bool:
        """Return whether it belongs to the type itself."""
        return "static" in modifiers_of(self.node)

    @cached_property
    def is_fixed(self) -> bool:
        """Return whether it cannot be overridden."""
        return self.is_static or self.is_constructor or "private" in modifiers_of(self.node)

    @property
    def definition(self) -> Definition:
        """Return the definition that identifies it."""
        return Definition(self.owner.path, self.start, self.name, is_member=True)


@dataclass(eq=False, slots=True)
class Field:
    """A field, or a constant of an enum, whose *type* is None: it is the owner's."""

    owner: TypeDeclaration
    name: str
    start: int
    type: SyntaxNode | None
    dimensions: int
    node: SyntaxNode

    @property
    def definition(self) -> Definition:
        """Return the definition that identifies it."""
        return Definition(self.owner.path, self.start, self.name, is_member=True)


@dataclass(eq=False)
class TypeDeclaration:
    """A class, interface, enum, record, annotation or anonymous class."""

    file: JavaFile
    node: SyntaxNode
    qualified: str
    outer: TypeDeclaration | None = None
    fields: dict[str, Field] = field(default_factory=dict)
    methods: dict[str, list[Method]] = field(default_factory=dict)
    constructors: list[Method] = field(default_factory=list)
    types: dict[str, TypeDeclaration] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._read(self.node.field("body") or _body(self.node))
        if self.node.kind() == "record_declaration":
            self._components()

    @property
    def path(self) -> WorkspacePath:
        """Return the file it is declared in."""
        return self.file.path

    @property
    def definition(self) -> Definition:
        """Return the definition that identifies it: its file and qualified name."""
        return Definition(self.path, 0, self.qualified)

    @property
    def head(self) -> Definition:
        """Return the head of its type."""
        return self.definition

    @property
    def kind(self) -> str:
        """Return the kind of its node."""
        return self.node.kind()

    @cached_property
    def supers(self) -> list[SyntaxNode]:
        """Return the types it extends and implements, as written."""
        if self.kind in ("object_creation_expression", "enum_constant"):
            made = self.node.field("type")
            return [made] if made is not None else []
        found: list[SyntaxNode] = []
        for child in self.node.children():
            if child.kind() in _SUPERS:
                named = [part for part in child.children() if part.is_named()]
                for part in named:
                    found += _named_children(part) if part.kind() == "type_list" else [part]
        return found

    @cached_property
    def parameters(self) -> list[SyntaxNode]:
        """Return its type parameters."""
        return type_parameters(self.node)

    def _read(self, body: SyntaxNode | None) -> None:
        for child in body.children() if body is not None else ():
            kind = child.kind()
            if kind in _METHODS:
                self._method(child)
            elif kind in _FIELDS:
                self._fields(child)
            elif kind in _CONSTRUCTORS:
                self._constructor(child)
            elif kind in TYPES:
                self._type(child)
            elif kind == "enum_constant":
                self._constant(child)
            elif kind == "enum_body_declarations":
                self._read(child)

    def _method(self, node: SyntaxNode) -> None:
        name = node.field("name")
        if name is not None:
            made = Method(self, name.text(), name.range().start.index, node)
            self.methods.setdefault(made.name, []).append(made)

    def _constructor(self, node: SyntaxNode) -> None:
        name = node.field("name")
        if name is not None:
            at = name.range().start.index
            self.constructors.append(Method(self, name.text(), at, node, is_constructor=True))

    def _fields(self, node: SyntaxNode) -> None:
        written = node.field("type")
        for child in node.children():
            name = child.field("name") if child.kind() == "variable_declarator" else None
            if name is not None:
                at = name.range().start.index
                made = Field(self, name.text(), at, written, dimensions_of(child), child)
                self.fields.setdefault(made.name, made)

    def _constant(self, node: SyntaxNode) -> None:
        name = node.field("name")
        if name is not None:
            made = Field(self, name.text(), name.range().start.index, None, 0, node)
            self.fields.setdefault(made.name, made)

    def _type(self, node: SyntaxNode) -> None:
        name = node.field("name")
        if name is not None:
            inner = self.file.declare(node, f"{self.qualified}.{name.text()}", self)
            self.types.setdefault(name.text(), inner)

    def _components(self) -> None:
        """Add the components of a record: each is a field and an accessor method."""
        parts = self.node.field("parameters")
        for child in parts.children() if parts is not None else ():
            name = child.field("name") if child.kind() == "formal_parameter" else None
            if name is None:
                continue
            text, at = name.text(), name.range().start.index
            self.fields.setdefault(text, Field(self, text, at, child.field("type"), 0, child))
            if not any(not method.parameters for method in self.methods.get(text, ())):
                self.methods.setdefault(text, []).append(Method(self, text, at, child))


def modifiers_of(node: SyntaxNode) -> set[str]:
    """Return the modifiers of a declaration, such as `static`."""
    first = first_child(node)
    return {c.kind() for c in first.children()} if first.kind() == "modifiers" else set()


def first_child(node: SyntaxNode) -> SyntaxNode:
    """Return the first child of a node that has children."""
    return node.children()[0]


def declares(node: SyntaxNode) -> bool:
    """Return whether a node declares a type: by its kind, or by a class body after `new`."""
    kind = node.kind()
    if kind in ("object_creation_expression", "enum_constant"):
        return _body(node) is not None
    return kind in TYPES


def parameters_of(node: SyntaxNode) -> list[Parameter]:
    """Return the parameters of a method, constructor, record or lambda."""
    found = node.field("parameters")
    made: list[Parameter] = []
    for child in found.children() if found is not None else ():
        if child.kind() == "formal_parameter":
            made.append(Parameter(child.field("type"), child.field("name"), dimensions_of(child)))
        elif child.kind() == "spread_parameter":
            named = child.find(kind="variable_declarator")
            name = named.field("name") if named is not None else None
            written = (c for c in child.children() if c.is_named() and c.kind() != "modifiers")
            made.append(Parameter(next(written, None), name, 1))
    return made


def type_parameters(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the type parameters that a class or method declares."""
    for child in node.children():
        if child.kind() == "type_parameters":
            return [part for part in child.children() if part.kind() == "type_parameter"]
    return []


def dimensions_of(node: SyntaxNode) -> int:
    """Count the `[]` after the name."""
    found = node.field("dimensions")
    return found.text().count("[") if found is not None else 0


def _body(node: SyntaxNode) -> SyntaxNode | None:
    return next((child for child in node.children() if child.kind() in _BODIES), None)


def _named_children(node: SyntaxNode) -> Iterator[SyntaxNode]:
    return (child for child in node.children() if child.is_named())


_OPEN_BODIES = {"interface_declaration", "annotation_type_declaration"}


class Reach(StrEnum):
    """From where a definition can be referred to, narrowest first."""

    FILE = "file"
    PACKAGE = "package"
    ANYWHERE = "anywhere"


_WIDTHS = list(Reach)


def reach_of(found: Method | Field | TypeDeclaration) -> Reach:
    """Return from where a definition can be referred to.

    A method may be called through what it overrides, from wherever that is visible; others are
    limited by the types around them as well.
    """
    if isinstance(found, TypeDeclaration):
        around = _around(found)
    elif isinstance(found, Method) and not found.is_static and not found.is_constructor:
        return Reach.FILE if access(found) == Reach.FILE else Reach.ANYWHERE
    else:
        around = [access(found), *_around(found.owner)]
    return min(around, key=_WIDTHS.index)


def is_within_reach(path: WorkspacePath, home: WorkspacePath, package: str, width: Reach) -> bool:
    """Return whether a file is within reach of what another one defines."""
    if path == home or width == Reach.ANYWHERE:
        return True
    if width == Reach.FILE:
        return False
    parts = tuple(package.split(".")) if package else ()
    if not parts or home.parent.parts[-len(parts) :] != parts:
        return True  # folders that do not follow packages are no evidence
    return path.parent.parts[-len(parts) :] == parts


def _around(declaration: TypeDeclaration | None) -> list[Reach]:
    found = []
    while declaration is not None:
        outer = declaration.outer
        if "@" in declaration.qualified:
            return [Reach.FILE]
        found.append(
            _stated_access(
                declaration.node, is_open=outer is not None and outer.kind in _OPEN_BODIES
            )
        )
        declaration = outer
    return found


def access(member: Method | Field) -> Reach:
    """Return from where a member can be referred to by its own modifiers."""
    if member.node.kind() == "enum_constant":
        return Reach.ANYWHERE
    if member.node.kind() == "formal_parameter":  # a component of a record
        return Reach.FILE if isinstance(member, Field) else Reach.ANYWHERE
    is_open = member.owner.kind in _OPEN_BODIES
    if isinstance(member, Field):
        return _stated_access(member.node.parent(), is_open=is_open)
    if member.is_constructor and member.owner.kind == "enum_declaration":
        return Reach.FILE
    return _stated_access(member.node, is_open=is_open)


def _stated_access(node: SyntaxNode | None, *, is_open: bool) -> Reach:
    modifiers = modifiers_of(node) if node is not None else set()
    if "private" in modifiers:
        return Reach.FILE
    return Reach.ANYWHERE if is_open or modifiers & {"public", "protected"} else Reach.PACKAGE

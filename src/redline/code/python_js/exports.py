"""Read the exports of JavaScript and TypeScript modules, both ES modules and CommonJS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from redline.code.python_js.imports import (
    ImportedName,
    MemberOf,
    required_module,
    string_content,
)
from redline.code.syntax.node import SyntaxNode, named_children, parent_of, required_field
from redline.core.records import dataclass, field

# The node that names or is the exported value, or what is re-exported.
Exported: TypeAlias = SyntaxNode | ImportedName | MemberOf
# The name under which `Exports` has what `module.exports` is assigned.
WHOLE = "="
_DECLARATIONS = frozenset(
    """
    function_declaration generator_function_declaration class_declaration
    abstract_class_declaration interface_declaration type_alias_declaration enum_declaration
    internal_module function_signature class function_expression generator_function
    """.split()
)
_VARIABLES = {"lexical_declaration", "variable_declaration"}
_OBJECTS = {"exports", "module.exports"}


@dataclass(slots=True)
class Exports:
    """Exports by name, the value of `module.exports` (`WHOLE`), and modules re-exported whole."""

    named: dict[str, list[Exported]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def add(self, name: str, exported: Exported) -> None:
        """Record one export."""
        self.named.setdefault(name, []).append(exported)


def exports_of(root: SyntaxNode) -> Exports:
    """Return the exports of a module."""
    found = Exports()
    for node in root.children():
        if node.kind() == "export_statement":
            _export(node, found)
        elif node.kind() == "expression_statement":
            _read_assignment(node.child(0), found)
        elif node.kind() in _VARIABLES:
            for part in node.children():
                if part.kind() == "variable_declarator":
                    _read_assignment(_without_parentheses(part.field("value")), found)
    return found


def _export(node: SyntaxNode, found: Exports) -> None:
    source = node.field("source")
    spec = string_content(source) if source is not None else None
    kinds = {child.kind() for child in node.children()}
    if spec is not None and "*" in kinds:
        found.stars.append(spec)
    for child in node.children():
        kind = child.kind()
        if kind == "namespace_export" and spec is not None:
            found.add(child.children()[-1].text(), ImportedName(spec))
        elif kind == "export_clause":
            _clause(child, spec, found)
        elif "default" in kinds and child.is_named():
            found.add("default", _name_or_self(child))
        elif kind == "ambient_declaration":
            _export(child, found)
        else:
            for name in _declared_names(child):
                found.add(name.text(), name)


def _clause(clause: SyntaxNode, spec: str | None, found: Exports) -> None:
    for part in clause.children():
        if part.kind() == "export_specifier":
            name = required_field(part, "name")
            public = (part.field("alias") or name).text()
            found.add(public, ImportedName(spec, name.text()) if spec is not None else name)


def _name_or_self(node: SyntaxNode) -> SyntaxNode:
    """Return the name of a declaration, or the node itself if it is none."""
    name = node.field("name") if node.kind() in _DECLARATIONS else None
    return name if name is not None else node


def _declared_names(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """Yield the names that a declaration declares."""
    if node.kind() in _DECLARATIONS:
        yield from node.field_children("name")
    for part in node.children() if node.kind() in _VARIABLES else ():
        name = part.field("name") if part.kind() == "variable_declarator" else None
        if name is not None and name.kind() == "identifier":
            yield name
        elif name is not None:
            kinds = [{"kind": "identifier"}, {"kind": "shorthand_property_identifier_pattern"}]
            yield from name.find_all(any=kinds)


def _read_assignment(node: SyntaxNode | None, found: Exports) -> None:
    """Read `module.exports = ...` and `exports.name = ...`, also in a chain."""
    names: list[SyntaxNode] = []
    whole = False
    while node is not None and node.kind() == "assignment_expression":
        left = required_field(node, "left")
        if left.kind() == "member_expression":
            if left.text() == "module.exports":
                whole = True
            elif required_field(left, "object").text() in _OBJECTS:
                names.append(required_field(left, "property"))
        node = _without_parentheses(node.field("right"))
    if node is None:
        return
    for name in names:
        _export_value(name, node, found)
    if whole:
        _export_whole(node, found)


def _without_parentheses(node: SyntaxNode | None) -> SyntaxNode | None:
    while node is not None and node.kind() == "parenthesized_expression":
        node = next(iter(named_children(node)), None)
    return node


def _export_value(name: SyntaxNode, value: SyntaxNode, found: Exports) -> None:
    """Record the export of *value* as *name*: what it re-exports, and otherwise *name* itself."""
    public = name.text()
    if value.kind() == "identifier":
        found.add(public, value)
        return
    found.add(public, name)
    member = value.field("property") if value.kind() == "member_expression" else None
    holder = required_field(value, "object") if member is not None else value
    spec = required_module(holder)
    if spec is not None:
        found.add(public, ImportedName(spec, member.text() if member is not None else None))
    elif member is not None and holder.kind() == "identifier":
        found.add(public, MemberOf(holder, member.text()))


def _export_whole(node: SyntaxNode, found: Exports) -> None:
    """Record what `module.exports` is assigned."""
    spec = required_module(node)
    if spec is not None:
        found.stars.append(spec)
    elif node.kind() == "object":
        for part in node.children():
            _export_key(part, found)
    else:
        found.add(WHOLE, _name_or_self(node))


def _export_key(part: SyntaxNode, found: Exports) -> None:
    kind = part.kind()
    if kind == "shorthand_property_identifier":
        found.add(part.text(), part)
    elif kind == "pair":
        _export_value(required_field(part, "key"), required_field(part, "value"), found)
    elif kind == "method_definition":
        name = required_field(part, "name")
        found.add(name.text(), name)
    elif kind == "spread_element":
        spec = required_module(part.children()[-1])
        if spec is not None:
            found.stars.append(spec)


def is_exported_key(node: SyntaxNode) -> bool:
    """Return whether *node* is a key of the object that `module.exports` is assigned."""
    pair = parent_of(node)
    holder = pair.parent() if pair.kind() == "pair" else None
    around = holder.parent() if holder is not None and holder.kind() == "object" else None
    while around is not None and around.kind() == "assignment_expression":
        if required_field(around, "left").text() == "module.exports":
            return True
        around = around.parent()
    return False


def object_values(node: SyntaxNode) -> dict[str, SyntaxNode]:
    """Return the nodes that name or are the values of an object, by key."""
    found = Exports()
    for part in node.children():
        _export_key(part, found)
    return {
        name: exported[0]
        for name, exported in found.named.items()
        if not isinstance(exported[0], ImportedName | MemberOf)
    }

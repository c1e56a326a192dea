"""What a JavaScript or TypeScript module gives to others, in either way of modules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from redline.code.python_js.imports import Import, required, unquoted
from redline.code.syntax.node import Node


@dataclass(frozen=True, slots=True)
class Taken:
    """`holder.name`, given away."""

    holder: Node
    name: str


# A node that spells or makes what is exported, or what is passed on from elsewhere.
Given: TypeAlias = Node | Import | Taken
_DECLARATIONS = {
    *("function_declaration", "generator_function_declaration", "class_declaration"),
    *("abstract_class_declaration", "interface_declaration", "type_alias_declaration"),
    *("enum_declaration", "internal_module", "function_signature", "class", "function_expression"),
    *("generator_function",),
}
_VARIABLES = {"lexical_declaration", "variable_declaration"}
_OBJECTS = {"exports", "module.exports"}


@dataclass(slots=True)
class Exports:
    """Exports by name, modules passed on as a whole, and what `module.exports` is set to."""

    named: dict[str, list[Given]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def add(self, name: str, given: Given) -> None:
        """Note one export."""
        self.named.setdefault(name, []).append(given)


def exports_of(root: Node) -> Exports:
    """What the module gives away."""
    found = Exports()
    for node in root.children():
        if node.kind() == "export_statement":
            _export(node, found)
        elif node.kind() == "expression_statement":
            _assigned(node.child(0), found)
        elif node.kind() in _VARIABLES:
            for part in node.children():
                if part.kind() == "variable_declarator":
                    _assigned(_bare(part.field("value")), found)
    return found


def _export(node: Node, found: Exports) -> None:
    source = node.field("source")
    spec = unquoted(source) if source is not None else None
    kinds = {child.kind() for child in node.children()}
    if spec is not None and "*" in kinds:
        found.stars.append(spec)
    for child in node.children():
        kind = child.kind()
        if kind == "namespace_export" and spec is not None:
            found.add(child.children()[-1].text(), Import(spec))
        elif kind == "export_clause":
            _clause(child, spec, found)
        elif "default" in kinds and child.is_named():
            found.add("default", _named(child))
        elif kind == "ambient_declaration":
            _export(child, found)
        else:
            for name in _declared(child):
                found.add(name.text(), name)


def _clause(clause: Node, spec: str | None, found: Exports) -> None:
    for part in clause.children():
        if part.kind() == "export_specifier":
            name = part.field("name")
            shown = (part.field("alias") or name).text()
            found.add(shown, Import(spec, name.text()) if spec is not None else name)


def _named(node: Node) -> Node:
    """What names a declaration, or the node itself."""
    name = node.field("name") if node.kind() in _DECLARATIONS else None
    return name if name is not None else node


def _declared(node: Node) -> Iterator[Node]:
    """The names that a declaration declares."""
    if node.kind() in _DECLARATIONS and node.field("name") is not None:
        yield node.field("name")
    for part in node.children() if node.kind() in _VARIABLES else ():
        name = part.field("name") if part.kind() == "variable_declarator" else None
        if name is not None and name.kind() == "identifier":
            yield name
        elif name is not None:
            kinds = [{"kind": "identifier"}, {"kind": "shorthand_property_identifier_pattern"}]
            yield from name.find_all(any=kinds)


def _assigned(node: Node | None, found: Exports) -> None:
    """`module.exports = ...`, `exports.name = ...`, also in a chain."""
    names: list[Node] = []
    whole = False
    while node is not None and node.kind() == "assignment_expression":
        left = node.field("left")
        if left.kind() == "member_expression":
            if left.text() == "module.exports":
                whole = True
            elif left.field("object").text() in _OBJECTS:
                names.append(left.field("property"))
        node = _bare(node.field("right"))
    if node is None:
        return
    for name in names:
        _give(name, node, found)
    if whole:
        _whole(node, found)


def _bare(node: Node | None) -> Node | None:
    """What stands in parentheses."""
    while node is not None and node.kind() == "parenthesized_expression":
        node = next((child for child in node.children() if child.is_named()), None)
    return node


def _give(place: Node, value: Node, found: Exports) -> None:
    """Note what the name at *place* gives away: what is passed on, and else the place itself."""
    name = place.text()
    if value.kind() == "identifier":
        found.add(name, value)
        return
    found.add(name, place)
    part = value.field("property") if value.kind() == "member_expression" else None
    holder = value.field("object") if part is not None else value
    spec = required(holder)
    if spec is not None:
        found.add(name, Import(spec, part.text() if part is not None else None))
    elif part is not None and holder.kind() == "identifier":
        found.add(name, Taken(holder, part.text()))


def _whole(node: Node, found: Exports) -> None:
    spec = required(node)
    if spec is not None:
        found.stars.append(spec)
    elif node.kind() == "object":
        for part in node.children():
            _part(part, found)
    else:
        found.add("=", _named(node))


def _part(part: Node, found: Exports) -> None:
    kind = part.kind()
    if kind == "shorthand_property_identifier":
        found.add(part.text(), part)
    elif kind == "pair":
        _give(part.field("key"), part.field("value"), found)
    elif kind == "method_definition":
        found.add(part.field("name").text(), part.field("name"))
    elif kind == "spread_element":
        spec = required(part.children()[-1])
        if spec is not None:
            found.stars.append(spec)


def is_given_key(node: Node) -> bool:
    """Whether *node* is a key of what `module.exports` is set to."""
    holder = node.parent().parent() if node.parent().kind() == "pair" else None
    around = holder.parent() if holder is not None and holder.kind() == "object" else None
    while around is not None and around.kind() == "assignment_expression":
        if around.field("left").text() == "module.exports":
            return True
        around = around.parent()
    return False


def exported_keys(node: Node) -> dict[str, Node]:
    """The keys of an object with the nodes that spell or are their values."""
    found = Exports()
    for part in node.children():
        _part(part, found)
    return {
        name: given[0]
        for name, given in found.named.items()
        if not isinstance(given[0], Import | Taken)
    }

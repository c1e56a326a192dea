"""What declares a name in C: the role of a word, and what blocks and parameters declare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from redline.code.c.chunks import Part, Sheet
from redline.code.syntax.node import Node
from redline.core.paths import WorkspacePath

_DECLARATORS = {
    *("pointer_declarator", "array_declarator", "function_declarator", "init_declarator"),
    *("parenthesized_declarator", "attributed_declarator"),
}
DECLARING = {
    *("declaration", "parameter_declaration", "field_declaration", "type_definition"),
    *("function_definition", "optional_parameter_declaration"),
}
TAGGED = {"struct_specifier", "union_specifier", "enum_specifier"}
# What stands between a declaration and its block without making one.
_THROUGH = {
    *("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef"),
    *("case_statement", "labeled_statement", "ERROR", "attributed_statement"),
}
MACROS = {"preproc_def", "preproc_function_def"}


@dataclass(frozen=True, slots=True)
class Declared:
    """A name that is declared: `kind` is macro, constant, typedef, tag, value, field or label.

    `node` spells the name; `by` declares it.
    """

    part: Part
    kind: str
    node: Node
    by: Node
    # Seen in its file or block alone.
    is_static: bool = False
    # A body or a value stands with it: not a mere announcement.
    is_whole: bool = True

    @property
    def sheet(self) -> Sheet:
        """The file."""
        return self.part.sheet

    @property
    def path(self) -> WorkspacePath:
        """Where the file lies."""
        return self.part.sheet.path

    @property
    def start(self) -> int:
        """Where in the file the name begins."""
        return int(self.part.start + self.node.range().start.index)


def place(node: Node) -> tuple[int, int]:
    """Where a node begins and ends."""
    where = node.range()
    return where.start.index, where.end.index


def holds(outer: Node | None, node: Node) -> bool:
    """Whether *node* stands within *outer*."""
    if outer is None:
        return False
    first, last = place(outer)
    start, end = place(node)
    return bool(first <= start and end <= last)


def declaring(node: Node) -> Node | None:
    """The declaration whose declarator spells its name at *node*, if that is what it does."""
    above = node.parent()
    while above is not None and above.kind() in _DECLARATORS:
        inner = above.field("declarator")
        if inner is not None and not holds(inner, node):
            return None
        above = above.parent()
    if above is None or above.kind() not in DECLARING:
        return None
    named = any(holds(child, node) for child in above.field_children("declarator"))
    return above if named else None


def named_by(declarator: Node) -> Node | None:
    """The name that a declarator gives."""
    node = declarator
    while node is not None and node.kind() in _DECLARATORS:
        inner = node.field("declarator")
        if inner is None:
            inner = next((c for c in node.children() if c.is_named()), None)
        node = inner
    is_name = node is not None and node.kind() in ("identifier", "field_identifier")
    return node if is_name or (node is not None and node.kind() == "type_identifier") else None


def at_file_level(sheet: Sheet, name: str) -> Iterator[Declared]:
    """Everything that a file declares by that name outside functions and structs."""
    for part, node in sheet.nodes(name):
        found = declared_at(part, node)
        if found is not None and is_outer(found.by):
            yield found


def is_outer(node: Node) -> bool:
    """Whether a declaration stands outside of functions; constants and tags wherever they are."""
    for above in node.ancestors():
        kind = above.kind()
        if kind in ("compound_statement", "parameter_list", "preproc_params"):
            return False
        if _is_broken_body(above):
            return False
        if kind == "translation_unit":
            return True
    return True


def _is_broken_body(node: Node) -> bool:
    """Whether a function did not parse: what it declares must not pass for the file's."""
    return bool(node.kind() == "ERROR" and "{" in node.text())


def in_doubt(part: Part, node: Node) -> bool:
    """Whether a function that did not parse may declare the word at *node* for itself."""
    broken = next((above for above in node.ancestors() if _is_broken_body(above)), None)
    if broken is None:
        return False
    same = part.words.get(node.text(), ())
    return any(holds(broken, one) and declaring(one) is not None for one in same)


def declared_at(part: Part, node: Node) -> Declared | None:
    """What the word at *node* declares, if it does."""
    above = node.parent()
    kind = above.kind() if above is not None else ""
    if kind in MACROS:
        is_it = holds(above.field("name"), node)
        return Declared(part, "macro", node, above) if is_it else None
    if kind == "enumerator":
        is_it = holds(above.field("name"), node)
        return Declared(part, "constant", node, above) if is_it else None
    if kind in TAGGED:
        whole = above.field("body") is not None
        is_it = holds(above.field("name"), node)
        return Declared(part, "tag", node, above, is_whole=whole) if is_it else None
    if kind == "labeled_statement" and node.kind() == "statement_identifier":
        return Declared(part, "label", node, above, is_static=True)
    if kind == "parameter_list":
        return Declared(part, "value", node, above, is_static=True)
    by = declaring(node)
    return _declared(part, node, by) if by is not None else None


def _declared(part: Part, node: Node, by: Node) -> Declared:
    kind = by.kind()
    if kind == "type_definition":
        return Declared(part, "typedef", node, by)
    if kind == "field_declaration":
        return Declared(part, "field", node, by)
    storage = {c.text() for c in by.children() if c.kind() == "storage_class_specifier"}
    whole = kind == "function_definition" or not ("extern" in storage or is_function(node, by))
    static = "static" in storage or kind.endswith("parameter_declaration")
    return Declared(part, "value", node, by, static, whole)


def is_given_tag(node: Node) -> bool:
    """Whether a macro is given the word as a tag: `CONTAINER_OF(p, struct node, field)`."""
    above = node.parent()
    before = above.prev() if above is not None and above.kind() == "ERROR" else None
    return before is not None and before.text() in ("struct", "union", "enum")


def is_function(node: Node, by: Node) -> bool:
    """Whether the name at *node* is that of a function: its declarator takes parameters."""
    above = node.parent()
    pointed = False
    while above is not None and place(above) != place(by):
        kind = above.kind()
        if kind == "function_declarator":
            return not pointed
        pointed = pointed or kind in ("pointer_declarator", "array_declarator")
        above = above.parent()
    return False


def local(part: Part, node: Node, name: str) -> Declared | None:
    """What *name* means at *node* by the blocks and functions around it."""
    start = node.range().start.index
    for above in node.ancestors():
        kind = above.kind()
        if kind == "compound_statement":
            found = [n for n in _block(part, above).get(name, ()) if place(n)[0] <= start]
        elif kind in ("for_statement", "function_definition"):
            found = _block(part, above).get(name, [])
        elif kind == "function_declarator" and holds(above.field("parameters"), node):
            found = [n for n in _parameters(above) if n.text() == name]
        else:
            continue
        if found:
            return _inner(declared_at(part, found[-1]))
    return None


def local_tag(part: Part, node: Node) -> Declared | None:
    """The struct of that tag that a block around *node* declares, if one does."""
    blocks = [above for above in node.ancestors() if above.kind() == "compound_statement"]
    if not blocks:
        return None
    same = [declared_at(part, one) for one in part.words.get(node.text(), ())]
    inner = [d for d in same if d is not None and d.kind == "tag" and d.is_whole]
    for block in blocks:
        for one in inner:
            above = next((a for a in one.by.ancestors() if a.kind() == "compound_statement"), None)
            if above is not None and place(above) == place(block):
                return one
    return None


def _inner(found: Declared | None) -> Declared | None:
    """What a block declares is its own, but for what it announces from outside."""
    is_own = found is not None and (found.is_whole or found.kind != "value")
    return replace(found, is_static=True) if found is not None and is_own else found


def _block(part: Part, node: Node) -> dict[str, list[Node]]:
    """The names that a block, a loop or a function declares for what stands in it."""
    key = place(node)
    if key not in part.blocks:
        table: dict[str, list[Node]] = {}
        for name in _names_of(node):
            table.setdefault(name.text(), []).append(name)
        part.blocks[key] = table
    return part.blocks[key]


def _names_of(node: Node) -> Iterator[Node]:
    if node.kind() == "function_definition":
        function = _function_of(node)
        if function is not None:
            yield from _parameters(function)
        for child in node.children():
            if child.kind() == "declaration":
                yield from _declarators(child)
        return
    yield from _in_statements(node)


def _in_statements(node: Node) -> Iterator[Node]:
    for child in node.children():
        kind = child.kind()
        if kind in ("declaration", "type_definition"):
            yield from _declarators(child)
            yield from _constants(child.field("type"))
        elif kind in _THROUGH:
            yield from _in_statements(child)
        elif kind == "enum_specifier":
            yield from _constants(child)


def _constants(node: Node | None) -> Iterator[Node]:
    body = node.field("body") if node is not None and node.kind() == "enum_specifier" else None
    if body is not None:
        for child in body.children():
            if child.kind() == "enumerator":
                yield child.field("name")


def _declarators(node: Node) -> Iterator[Node]:
    for child in node.field_children("declarator"):
        name = named_by(child)
        if name is not None:
            yield name


def _function_of(node: Node) -> Node | None:
    """The declarator with the parameters of a function."""
    found = node.field("declarator")
    while found is not None and found.kind() != "function_declarator":
        found = found.field("declarator")
    inner = found.field("declarator") if found is not None else None
    # A function that returns a pointer to one: the inner parameters are its own.
    nested = inner.find(kind="function_declarator") if inner is not None else None
    return nested or found


def _parameters(function: Node) -> Iterator[Node]:
    parameters = function.field("parameters")
    for child in parameters.children() if parameters is not None else ():
        if child.kind() == "parameter_declaration":
            yield from _declarators(child)
        elif child.kind() == "identifier":
            yield child  # as C was written before prototypes

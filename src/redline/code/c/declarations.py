"""What declares a name in C: the role of a word, and what blocks and parameters declare."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from redline.code.c.chunks import CFile, Chunk
from redline.code.syntax.node import SyntaxNode, required_field, span_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, replace

_DECLARATORS = frozenset(
    """
    pointer_declarator array_declarator function_declarator init_declarator
    parenthesized_declarator attributed_declarator
    """.split()
)
DECLARING = frozenset(
    """
    declaration parameter_declaration field_declaration type_definition function_definition
    optional_parameter_declaration
    """.split()
)
TAGGED = {"struct_specifier", "union_specifier", "enum_specifier"}
# Nodes between a declaration and its block that open no scope.
_THROUGH = frozenset(
    """
    preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef case_statement
    labeled_statement ERROR attributed_statement
    """.split()
)
_IDENTIFIERS = {"identifier", "field_identifier", "type_identifier"}
MACROS = {"preproc_def", "preproc_function_def"}


class CKind(StrEnum):
    """What a declared name is."""

    MACRO = "macro"
    CONSTANT = "constant"
    TYPEDEF = "typedef"
    TAG = "tag"
    VALUE = "value"
    FIELD = "field"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class CDeclaration:
    """A declared name: *node* is the name itself, *declaration_node* declares it."""

    chunk: Chunk
    kind: CKind
    node: SyntaxNode
    declaration_node: SyntaxNode
    # Visible only in its file or block.
    is_static: bool = False
    # It has a body or a value: a definition, not merely a declaration.
    is_definition: bool = True

    @property
    def file(self) -> CFile:
        """Return the file."""
        return self.chunk.file

    @property
    def path(self) -> WorkspacePath:
        """Return the path of the file."""
        return self.chunk.file.path

    @property
    def start(self) -> int:
        """Return the offset in the file where the name begins."""
        return self.chunk.start + self.node.range().start.index


def holds(outer: SyntaxNode | None, node: SyntaxNode) -> bool:
    """Return whether *node* lies within *outer*."""
    if outer is None:
        return False
    first, last = span_of(outer)
    start, end = span_of(node)
    return first <= start and end <= last


def declaration_of(node: SyntaxNode) -> SyntaxNode | None:
    """Return the declaration whose declarator names *node*; None if *node* is only used."""
    above = node.parent()
    while above is not None and above.kind() in _DECLARATORS:
        inner = above.field("declarator")
        if inner is not None and not holds(inner, node):
            return None
        above = above.parent()
    if above is None or above.kind() not in DECLARING:
        return None
    is_name = any(holds(child, node) for child in above.field_children("declarator"))
    return above if is_name else None


def declarator_name(declarator: SyntaxNode) -> SyntaxNode | None:
    """Return the name that a declarator declares."""
    node: SyntaxNode | None = declarator
    while node is not None and node.kind() in _DECLARATORS:
        inner = node.field("declarator")
        if inner is None:
            inner = next((c for c in node.children() if c.is_named()), None)
        node = inner
    return node if node is not None and node.kind() in _IDENTIFIERS else None


def file_level_declarations(file: CFile, name: str) -> Iterator[CDeclaration]:
    """Yield all declarations of *name* outside functions and structs."""
    for chunk, node in file.nodes(name):
        found = declaration_at(chunk, node)
        if found is not None and is_outside_functions(found.declaration_node):
            yield found


def is_outside_functions(node: SyntaxNode) -> bool:
    """Return whether a declaration is outside functions."""
    for above in node.ancestors():
        kind = above.kind()
        if kind in ("compound_statement", "parameter_list", "preproc_params"):
            return False
        if _is_broken_body(above):
            return False
        if kind == "translation_unit":
            return True
    return True


def _is_broken_body(node: SyntaxNode) -> bool:
    """Return whether this is an unparsable function, whose declarations are not the file's."""
    return node.kind() == "ERROR" and "{" in node.text()


def may_be_shadowed(chunk: Chunk, node: SyntaxNode) -> bool:
    """Return whether an unparsable function may declare a local of the same name as *node*."""
    broken = next((above for above in node.ancestors() if _is_broken_body(above)), None)
    if broken is None:
        return False
    same = chunk.words.get(node.text(), ())
    return any(holds(broken, one) and declaration_of(one) is not None for one in same)


_NAMED_BY_FIELD = {
    **dict.fromkeys(MACROS, CKind.MACRO),
    **dict.fromkeys(TAGGED, CKind.TAG),
    "enumerator": CKind.CONSTANT,
}


def declaration_at(chunk: Chunk, node: SyntaxNode) -> CDeclaration | None:
    """Return the declaration made by the word at *node*; None if it declares nothing."""
    above = node.parent()
    if above is None:
        return None
    kind = above.kind()
    named_kind = _NAMED_BY_FIELD.get(kind)
    if named_kind is not None:
        is_definition = kind not in TAGGED or above.field("body") is not None
        is_name = holds(above.field("name"), node)
        return (
            CDeclaration(chunk, named_kind, node, above, is_definition=is_definition)
            if is_name
            else None
        )
    if kind == "labeled_statement" and node.kind() == "statement_identifier":
        return CDeclaration(chunk, CKind.LABEL, node, above, is_static=True)
    if kind == "parameter_list":
        return CDeclaration(chunk, CKind.VALUE, node, above, is_static=True)
    outer = declaration_of(node)
    return _build_declaration(chunk, node, outer) if outer is not None else None


def _build_declaration(chunk: Chunk, node: SyntaxNode, outer: SyntaxNode) -> CDeclaration:
    kind = outer.kind()
    if kind == "type_definition":
        return CDeclaration(chunk, CKind.TYPEDEF, node, outer)
    if kind == "field_declaration":
        return CDeclaration(chunk, CKind.FIELD, node, outer)
    storage = {c.text() for c in outer.children() if c.kind() == "storage_class_specifier"}
    is_definition = kind == "function_definition" or not (
        "extern" in storage or is_function(node, outer)
    )
    static = "static" in storage or kind.endswith("parameter_declaration")
    return CDeclaration(chunk, CKind.VALUE, node, outer, static, is_definition)


def is_macro_tag(node: SyntaxNode) -> bool:
    """Return whether a macro takes the word as a tag: `CONTAINER_OF(p, struct node, field)`."""
    above = node.parent()
    before = above.prev() if above is not None and above.kind() == "ERROR" else None
    return before is not None and before.text() in ("struct", "union", "enum")


def is_function(node: SyntaxNode, outer: SyntaxNode) -> bool:
    """Return whether *node* names a function: its declarator takes parameters."""
    above = node.parent()
    pointed = False
    while above is not None and span_of(above) != span_of(outer):
        kind = above.kind()
        if kind == "function_declarator":
            return not pointed
        pointed = pointed or kind in ("pointer_declarator", "array_declarator")
        above = above.parent()
    return False


def find_local(chunk: Chunk, node: SyntaxNode, name: str) -> CDeclaration | None:
    """Resolve *name* at *node* in the blocks and functions around it."""
    start = node.range().start.index
    for above in node.ancestors():
        kind = above.kind()
        if kind == "compound_statement":
            found = [n for n in _block_names(chunk, above).get(name, ()) if span_of(n)[0] <= start]
        elif kind in ("for_statement", "function_definition"):
            found = _block_names(chunk, above).get(name, [])
        elif kind == "function_declarator" and holds(above.field("parameters"), node):
            found = [n for n in _parameters(above) if n.text() == name]
        else:
            continue
        if found:
            return _mark_local(declaration_at(chunk, found[-1]))
    return None


def find_local_tag(chunk: Chunk, node: SyntaxNode) -> CDeclaration | None:
    """Return the struct of that tag that a block around *node* declares, if any."""
    blocks = [above for above in node.ancestors() if above.kind() == "compound_statement"]
    if not blocks:
        return None
    same = [declaration_at(chunk, one) for one in chunk.words.get(node.text(), ())]
    inner = [d for d in same if d is not None and d.kind is CKind.TAG and d.is_definition]
    for block in blocks:
        for one in inner:
            above = next(
                (a for a in one.declaration_node.ancestors() if a.kind() == "compound_statement"),
                None,
            )
            if above is not None and span_of(above) == span_of(block):
                return one
    return None


def _mark_local(found: CDeclaration | None) -> CDeclaration | None:
    """Mark a block's declaration as private to it, unless it announces an external one."""
    is_own = found is not None and (found.is_definition or found.kind is not CKind.VALUE)
    return replace(found, is_static=True) if found is not None and is_own else found


def _block_names(chunk: Chunk, node: SyntaxNode) -> dict[str, list[SyntaxNode]]:
    """Index the names that a block, loop or function declares for its statements."""
    key = span_of(node)
    if key not in chunk.blocks:
        table: dict[str, list[SyntaxNode]] = {}
        for name in _names_of(node):
            table.setdefault(name.text(), []).append(name)
        chunk.blocks[key] = table
    return chunk.blocks[key]


def _names_of(node: SyntaxNode) -> Iterator[SyntaxNode]:
    if node.kind() == "function_definition":
        function = _function_of(node)
        if function is not None:
            yield from _parameters(function)
        for child in node.children():
            if child.kind() == "declaration":
                yield from _declarators(child)
        return
    yield from _in_statements(node)


def _in_statements(node: SyntaxNode) -> Iterator[SyntaxNode]:
    for child in node.children():
        kind = child.kind()
        if kind in ("declaration", "type_definition"):
            yield from _declarators(child)
            yield from _constants(child.field("type"))
        elif kind in _THROUGH:
            yield from _in_statements(child)
        elif kind == "enum_specifier":
            yield from _constants(child)


def _constants(node: SyntaxNode | None) -> Iterator[SyntaxNode]:
    body = node.field("body") if node is not None and node.kind() == "enum_specifier" else None
    if body is not None:
        for child in body.children():
            if child.kind() == "enumerator":
                yield required_field(child, "name")


def _declarators(node: SyntaxNode) -> Iterator[SyntaxNode]:
    for child in node.field_children("declarator"):
        name = declarator_name(child)
        if name is not None:
            yield name


def _function_of(node: SyntaxNode) -> SyntaxNode | None:
    """Return the declarator that has the parameters of a function."""
    found = node.field("declarator")
    while found is not None and found.kind() != "function_declarator":
        found = found.field("declarator")
    inner = found.field("declarator") if found is not None else None
    # A function that returns a pointer to one: the inner parameters are its own.
    nested = inner.find(kind="function_declarator") if inner is not None else None
    return nested or found


def _parameters(function: SyntaxNode) -> Iterator[SyntaxNode]:
    parameters = function.field("parameters")
    for child in parameters.children() if parameters is not None else ():
        if child.kind() == "parameter_declaration":
            yield from _declarators(child)
        elif child.kind() == "identifier":
            yield child  # as C was written before prototypes

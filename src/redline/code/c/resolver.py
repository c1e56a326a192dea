"""Find references to a definition in C."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from redline.code.c.chunks import CFile, Chunk, find_word
from redline.code.references.definition import UNKNOWN, UNRESOLVED, Definition
from redline.code.references.file_access import SourceFiles, count_common_folders
from redline.code.references.resolver import ReferenceResolver
from redline.code.references.targets import Meaning, Reference, ReferenceTarget, by_line, verdicts
from redline.code.syntax.languages import language_of
from redline.code.syntax.macros import without_texts, words_in_macros
from redline.code.syntax.node import Span, SyntaxNode, required_field, span_of
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field, replace

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


# Symbol kinds of the index that are declared outside structs.
_OUTER = frozenset(
    {"function", "prototype", "variable", "macro", "type", "struct", "union", "enum"}
    | {"enum_member"}
)
_NAMED = {CKind.MACRO, CKind.CONSTANT, CKind.TYPEDEF, CKind.VALUE}
_MAX_INDEXED = 50


@dataclass(frozen=True, slots=True)
class CLookup:
    """What a name may refer to in a file; not sure if several files that it may see declare it."""

    declarations: list[CDeclaration]
    is_sure: bool = True


@dataclass(slots=True)
class VisibleDeclarations:
    """Finds declarations by name as each file sees them."""

    files: SourceFiles
    # The name whose references are wanted: looked for in every file that contains it.
    word: str
    # Files known to define it, even if the index has not read them yet.
    homes: list[WorkspacePath] = field(default_factory=list)
    _files: dict[WorkspacePath, CFile | None] = field(default_factory=dict)
    _paths: dict[str, Sequence[WorkspacePath]] = field(default_factory=dict)
    _includes: dict[tuple[int, tuple[str, ...], str], WorkspacePath | None] = field(
        default_factory=dict
    )
    _declared_in: dict[tuple[WorkspacePath, str], list[CDeclaration]] = field(default_factory=dict)
    _seen: dict[tuple[WorkspacePath, str, bool], CLookup] = field(default_factory=dict)

    def file(self, path: WorkspacePath) -> CFile | None:
        """Return the file at *path*; None if it is not C."""
        if path not in self._files:
            language = language_of(path.name)
            is_c = language is not None and language.name == "c"
            text = self.files.text(path) if is_c else None
            linked = CFile(path, text, self.files.take) if text is not None else None
            self._files[path] = linked
        return self._files[path]

    def find_name(self, file: CFile, name: str) -> CLookup:
        """Resolve a plain name at file level."""
        return self._of(file, name, tags=False)

    def find_tag(self, file: CFile, name: str) -> CLookup:
        """Resolve the tag of a struct, union or enum, preferring complete ones."""
        return self._of(file, name, tags=True)

    def declared_in(self, file: CFile, name: str) -> list[CDeclaration]:
        """Return what a file itself declares under that name."""
        key = file.path, name
        if key not in self._declared_in:
            paths = self._paths_defining(name)
            # A list of maximum length may be truncated.
            is_there = name == self.word or file.path in paths or len(paths) >= _MAX_INDEXED
            self._declared_in[key] = list(file_level_declarations(file, name)) if is_there else []
        return self._declared_in[key]

    def find_everywhere(self, name: str) -> Iterator[CDeclaration]:
        """Yield all declarations of a name in the files that the index reports."""
        for path in self._paths_defining(name):
            file = self.file(path)
            if file is not None:
                yield from self.declared_in(file, name)

    def _paths_defining(self, name: str) -> Sequence[WorkspacePath]:
        if name not in self._paths:
            self._paths[name] = self.files.defining_as(name, _OUTER)
        if name != self.word:
            return self._paths[name]
        return list(dict.fromkeys([*self._paths[name], *self.homes]))

    def _of(self, file: CFile, name: str, *, tags: bool) -> CLookup:
        key = file.path, name, tags
        if key not in self._seen:
            self._seen[key] = self._tag(file, name) if tags else self._name(file, name)
        return self._seen[key]

    def _tag(self, file: CFile, name: str) -> CLookup:
        own = [d for d in self.declared_in(file, name) if d.kind is CKind.TAG]
        if any(d.is_definition for d in own):
            return CLookup(own)
        found = [
            d for d in self.find_everywhere(name) if d.kind is CKind.TAG and d.path != file.path
        ]
        seen = [d for d in found if self._is_seen(file, d)]
        # A tag without a body is opaque: it refers to the file that completes it.
        complete = [d for d in seen if d.is_definition] or [d for d in found if d.is_definition]
        return self._narrow_to_one_file(file, complete or own + seen)

    def _name(self, file: CFile, name: str) -> CLookup:
        # An apparent declaration of a macro's name expands the macro.
        kinds = {CKind.MACRO} if self.is_macro(file, name) else _NAMED
        own = [d for d in self.declared_in(file, name) if d.kind in kinds]
        if any(d.is_definition or d.is_static for d in own):
            return CLookup(own)
        found = [d for d in self.find_everywhere(name) if d.kind in kinds and d.path != file.path]
        if own:
            return CLookup(own + [d for d in found if is_linked(d)])
        seen = [d for d in found if self._is_seen(file, d)]
        fixed = [d for d in seen if not is_linked(d)]
        if not fixed:
            return CLookup(_linker_visible(found, seen))
        macros = [d for d in fixed if d.kind is CKind.MACRO and self.includes(file, d.path)]
        if macros:
            return CLookup(macros)  # an included macro hides what the linker sees
        return self._narrow_to_one_file(file, [d for d in seen if is_linked(d)] + fixed)

    def _is_seen(self, file: CFile, one: CDeclaration) -> bool:
        return one.file.is_header or self.includes(file, one.path)

    def linked_definitions(self, name: str) -> list[CDeclaration]:
        """Return the definitions that the linker sees, one per program or platform."""
        return [d for d in self.find_everywhere(name) if is_linked(d) and d.is_definition]

    def is_macro(self, file: CFile, name: str) -> bool:
        """Return whether an upper-case name is a macro: its apparent declarations expand it."""
        return name.isupper() and any(
            d.kind is CKind.MACRO and (d.file.is_header or d.path == file.path)
            for d in self.find_everywhere(name)
        )

    def includes(self, file: CFile, path: WorkspacePath) -> bool:
        """Return whether a file includes *path*, rather than a nearer file of the same name."""
        shown = f"/{path.relative}"
        meant = (self._resolve_include(file, s) for s in file.includes if shown.endswith(f"/{s}"))
        return any(found in (None, path) for found in meant)

    def _resolve_include(self, file: CFile, written: str) -> WorkspacePath | None:
        """Find the included file: beside the file, in a folder above, or in its `include`."""
        home, words = file.path.parts[:-1], tuple(written.split("/"))
        key = file.path.root, home, written
        if key not in self._includes:
            above = [home[:depth] for depth in range(len(home), -1, -1)]
            tries = [(*up, *words) for up in above] + [(*up, "include", *words) for up in above]
            found = (WorkspacePath(file.path.root, parts) for parts in tries)
            self._includes[key] = next((one for one in found if self.files.is_file(one)), None)
        return self._includes[key]

    def _narrow_to_one_file(self, file: CFile, found: list[CDeclaration]) -> CLookup:
        """Keep the declarations of one file: the only one, the included one, or the nearest."""
        paths = {d.path for d in found}
        if len(paths) <= 1:
            return CLookup(found)
        name_node = {path for path in paths if self.includes(file, path)}
        shared = {path: count_common_folders(path, file.path) for path in name_node or paths}
        best = max(shared.values())
        nearest = [path for path in shared if shared[path] == best]
        meant = [d for d in found if len(nearest) == 1 and d.path == nearest[0]]
        return CLookup(meant, is_sure=bool(meant and name_node))


def is_linked(one: CDeclaration) -> bool:
    """Return whether it has external linkage: one definition shared with like-named ones."""
    return one.kind is CKind.VALUE and not one.is_static


def _linker_visible(found: list[CDeclaration], seen: list[CDeclaration]) -> list[CDeclaration]:
    """Return what the linker sees: any function, and variables that a header declares."""
    announced = any(is_linked(d) for d in seen)
    return [
        d for d in found if is_linked(d) and (announced or is_function(d.node, d.declaration_node))
    ]


_MAX_DEPTH = 12
# The operand that has the same struct as the expression.
_INNER = {
    "pointer_expression": "argument",
    "subscript_expression": "argument",
    "call_expression": "function",
    "update_expression": "argument",
    "assignment_expression": "left",
    "conditional_expression": "consequence",
    "comma_expression": "right",
}
_WITH_TYPE = {"cast_expression", "compound_literal_expression"}
# `#define NAME(x) ((struct tag *)x)`: the leading cast states the type of the expansion.
_CAST = re.compile(r"^[\s(]*\(\s*(?:const\s+)?(struct\s+|union\s+)?(\w+)\s*\**\s*\)\s*[(&*\w]")
_PLAIN = {"int", "char", "long", "short", "unsigned", "signed", "void", "float", "double"}


class BodyKey(NamedTuple):
    """The identity of a struct: its file, chunk and span in the chunk."""

    path: WorkspacePath
    chunk: int
    span: Span


@dataclass(frozen=True, slots=True)
class StructBody:
    """A struct or union with its fields, and the chunk that contains it."""

    chunk: Chunk
    node: SyntaxNode

    @property
    def key(self) -> BodyKey:
        """Return what identifies it."""
        return BodyKey(self.chunk.file.path, self.chunk.start, span_of(self.node))


# None if the type is undetermined; empty if it is not a struct of the workspace.
StructBodies: TypeAlias = list[StructBody] | None


@dataclass(slots=True)
class StructTypes:
    """Determines the structs of expressions, and their fields."""

    visible: VisibleDeclarations
    _tables: dict[BodyKey, dict[str, list[CDeclaration]]] = field(default_factory=dict)

    def of_value(self, chunk: Chunk, node: SyntaxNode, depth: int = 0) -> StructBodies:
        """Return the structs that an expression may have."""
        kind = node.kind()
        if depth > _MAX_DEPTH:
            return None
        if kind in ("identifier", "type_identifier"):
            return self._of_name(chunk, node, depth)
        if kind == "field_expression":
            return self._of_field(chunk, node, depth)
        if kind in _WITH_TYPE:
            return self.of_descriptor(chunk, node.field("type"))
        if kind == "parenthesized_expression":
            inner = next((c for c in node.children() if c.is_named()), None)
        else:
            inner = node.field(_INNER[kind]) if kind in _INNER else None
        return self.of_value(chunk, inner, depth + 1) if inner is not None else None

    def of_argument(self, chunk: Chunk, node: SyntaxNode) -> StructBodies:
        """Return the structs of a macro's argument: a value, or the name of a type."""
        tag = node.find(kind="identifier") if node.kind() == "ERROR" else None
        if tag is not None:
            given = is_macro_tag(tag)
            return self._of_tag(chunk.file, chunk.file, tag.text()) if given else None
        return self.of_value(chunk, node)

    def of_descriptor(self, chunk: Chunk, node: SyntaxNode | None) -> StructBodies:
        """Return the structs of a type as written in casts and `offsetof`."""
        kind = node.field("type") if node is not None else None
        return self._of_type(chunk.file, chunk, kind)

    def of_declaration(self, file: CFile, found: CDeclaration, depth: int = 0) -> StructBodies:
        """Return the structs of a declaration, as seen from *file*."""
        if found.kind is CKind.MACRO:
            return self._of_macro(file, found)
        if found.declaration_node.kind() == "parameter_list":
            return None
        return self._of_type(file, found.chunk, found.declaration_node.field("type"), depth)

    def of_list(self, chunk: Chunk, node: SyntaxNode, depth: int = 0) -> StructBodies:
        """Return the structs that an initializer list initializes."""
        above = node.parent()
        if above is None or depth > _MAX_DEPTH:
            return None
        kind = above.kind()
        if kind == "init_declarator":
            name = declarator_name(above)
            found = declaration_at(chunk, name) if name is not None else None
            return self.of_declaration(chunk.file, found, depth) if found is not None else None
        if kind == "compound_literal_expression":
            return self.of_descriptor(chunk, above.field("type"))
        if kind == "initializer_list":
            return self.of_list(chunk, above, depth + 1)
        return self.of_pair(chunk, above, None) if kind == "initializer_pair" else None

    def of_pair(self, chunk: Chunk, pair: SyntaxNode, until: SyntaxNode | None) -> StructBodies:
        """Return the structs that the designators of a pair before *until* lead to."""
        listed = pair.parent()
        found = self.of_list(chunk, listed) if listed is not None else None
        for designator in pair.children():
            if designator.kind() not in ("field_designator", "subscript_designator"):
                break
            if until is not None and span_of(designator) == span_of(until):
                break
            if designator.kind() == "field_designator":
                name = designator.find(kind="field_identifier")
                known = self.field(found, name.text()) if name is not None else None
                found = self._of_all(chunk.file, known, 0)
        return found

    def field(self, bodies: StructBodies, name: str) -> list[CDeclaration] | None:
        """Return the fields of that name; None if it is undetermined which one is meant."""
        if bodies is None:
            return None
        found: list[CDeclaration] = []
        for body in bodies:
            table = self._table(body)
            if name not in table and _may_hide_fields(body.node):
                return None
            found += table.get(name, ())
        return found

    def _table(self, body: StructBody) -> dict[str, list[CDeclaration]]:
        """Index the fields of a struct by name, including those of anonymous structs in it."""
        if body.key not in self._tables:
            table: dict[str, list[CDeclaration]] = {}
            for one in _fields(body):
                table.setdefault(one.node.text(), []).append(one)
            self._tables[body.key] = table
        return self._tables[body.key]

    def _of_name(self, chunk: Chunk, node: SyntaxNode, depth: int) -> StructBodies:
        name = node.text()
        inside = find_local(chunk, node, name)
        if inside is not None:
            return self.of_declaration(chunk.file, inside, depth + 1)
        return self._of_all(
            chunk.file, self.visible.find_name(chunk.file, name).declarations, depth
        )

    def _of_all(self, file: CFile, found: list[CDeclaration] | None, depth: int) -> StructBodies:
        if not found:
            return None
        bodies: dict[BodyKey, StructBody] = {}
        is_known = False
        for one in found:
            known = self.of_declaration(file, one, depth + 1)
            is_known = is_known or known is not None
            for body in known or ():
                bodies[body.key] = body
        return list(bodies.values()) if is_known else None

    def _of_field(self, chunk: Chunk, node: SyntaxNode, depth: int) -> StructBodies:
        owner, name = node.field("argument"), node.field("field")
        if owner is None or name is None:
            return None
        found = self.field(self.of_value(chunk, owner, depth + 1), name.text())
        return self._of_all(chunk.file, found, depth)

    def _of_type(
        self, user: CFile, chunk: Chunk, node: SyntaxNode | None, depth: int = 0
    ) -> StructBodies:
        """Return the structs of a type in *chunk* for code in *user*, which may complete a tag."""
        if node is None or depth > _MAX_DEPTH:
            return None
        kind = node.kind()
        if kind in ("struct_specifier", "union_specifier"):
            if node.field("body") is not None:
                return [StructBody(chunk, node)]
            tag = node.field("name")
            inner = find_local_tag(chunk, tag) if tag is not None else None
            if inner is not None:
                return [StructBody(chunk, inner.declaration_node)]
            return self._of_tag(user, chunk.file, tag.text()) if tag is not None else None
        if kind == "type_identifier":
            return self._of_alias(user, chunk, node, depth)
        return [] if kind in ("primitive_type", "sized_type_specifier", "enum_specifier") else None

    def _of_tag(self, user: CFile, file: CFile, tag: str) -> StructBodies:
        for seen_from in (user, file):
            found = self.visible.find_tag(seen_from, tag)
            complete = [
                d
                for d in found.declarations
                if d.is_definition and d.declaration_node.kind() != "enum_specifier"
            ]
            if complete:
                return [StructBody(d.chunk, d.declaration_node) for d in complete]
        return None

    def _of_alias(self, user: CFile, chunk: Chunk, node: SyntaxNode, depth: int) -> StructBodies:
        name = node.text()
        inside = find_local(chunk, node, name)
        found = (
            [inside]
            if inside is not None
            else self.visible.find_name(chunk.file, name).declarations
        )
        known = [d for d in found if d.kind is CKind.TYPEDEF]
        bodies: list[StructBody] = []
        is_known = False
        for one in known:
            more = self._of_type(user, one.chunk, one.declaration_node.field("type"), depth + 1)
            is_known = is_known or more is not None
            bodies += more or ()
        return bodies if is_known else None

    def _of_macro(self, file: CFile, found: CDeclaration) -> StructBodies:
        value = found.declaration_node.field("value")
        cast = _CAST.match(value.text()) if value is not None else None
        if cast is None or cast[2] in _PLAIN:
            return None
        if cast[1]:
            return self._of_tag(file, found.file, cast[2])
        known = [
            d for d in self.visible.find_name(file, cast[2]).declarations if d.kind is CKind.TYPEDEF
        ]
        return self._of_all(file, known, _MAX_DEPTH - 2)


def _fields(body: StructBody) -> Iterator[CDeclaration]:
    listed = body.node.field("body")
    if listed is not None:
        yield from _fields_in(body.chunk, listed)


def _fields_in(chunk: Chunk, node: SyntaxNode) -> Iterator[CDeclaration]:
    for child in node.children():
        kind = child.kind()
        if kind.startswith("preproc_") or kind == "ERROR":
            yield from _fields_in(chunk, child)
        if kind != "field_declaration":
            continue
        declarators = child.field_children("declarator")
        for declarator in declarators:
            name_node = declarator_name(declarator)
            if name_node is not None:
                yield CDeclaration(chunk, CKind.FIELD, name_node, child)
        inner = child.field("type")
        if not declarators and inner is not None and inner.field("body") is not None:
            yield from _fields(StructBody(chunk, inner))


def _may_hide_fields(node: SyntaxNode) -> bool:
    """Return whether a struct may have fields that are not visible, generated by macros."""
    return node.find(kind="ERROR") is not None or node.find(kind="macro_type_specifier") is not None


# A pseudo path for definitions with external linkage, which all files share by name.
_LINKED = WorkspacePath(-2, ())


class CResolver(ReferenceResolver):
    """Finds references to definitions of one name in C files.

    Only chunks of files that contain a name are parsed: it is resolved from each occurrence
    outward through blocks, the file, and the headers that declare it.
    """

    def __init__(self, name: str, files: SourceFiles) -> None:
        self.name = name
        self._visible = VisibleDeclarations(files, name)
        self._types = StructTypes(self._visible)
        # Tags that were resolved: other files may know a struct by its tag alone.
        self._tags: set[Definition] = set()

    def target_on(self, path: WorkspacePath, line: int) -> ReferenceTarget | None:
        """Return what a line defines or refers to by the name; None if undetermined."""
        file = self._visible.file(path)
        found = [] if file is None else list(self._nodes_on_line(file, line))
        found.sort(key=lambda pair: not _defines(declaration_at(*pair)))
        self._visible.homes.append(path)
        for chunk, node in found:
            definitions, is_member = self._meaning(chunk, node)
            known = definitions - {UNKNOWN}
            if known:
                start = chunk.start + node.range().start.index
                first = min(
                    known,
                    key=lambda definition: (definition.path != path, definition.start != start),
                )
                return ReferenceTarget(
                    first, self._equivalents(known), is_member or first.is_member
                )
        return None

    def _equivalents(self, definitions: frozenset[Definition]) -> set[Definition]:
        """Return equivalent definitions: a mere declaration may mean any definition that links."""
        if any(definition.path == _LINKED for definition in definitions):
            return {
                *definitions,
                *map(_program_definition, self._visible.linked_definitions(self.name)),
            }
        is_made = any(definition.name == f"{self.name}()" for definition in definitions)
        return {*definitions, Definition(_LINKED, 0, self.name)} if is_made else set(definitions)

    def target(self, path: WorkspacePath, start: int) -> ReferenceTarget | None:
        """Return the same for the offset where the name begins."""
        file = self._visible.file(path)
        return None if file is None else self.target_on(path, file.line_at(start))

    def in_file(
        self, path: WorkspacePath, targets: list[ReferenceTarget]
    ) -> list[Reference] | None:
        """Return the references in one file; None for C++, which is matched by name."""
        file = self._visible.file(path)
        if file is None:
            return None
        near = [target for target in targets if self._may_refer(file, target)]
        return by_line(verdicts(self._meanings(file), near)) if near else []

    def folder_of(self, target: ReferenceTarget) -> WorkspacePath | None:
        """Return the only folder whose files may see it; None if all may."""
        homes = self._private_files(target)
        folders = {home.parent for home in homes}
        return folders.pop() if len(folders) == 1 else None

    def _private_files(self, target: ReferenceTarget) -> set[WorkspacePath]:
        """Return the source files that alone see the target; empty if others may."""
        paths = {definition.path for definition in target.same - self._tags}
        is_own = len(target.same & self._tags) == 0 and all(p.name.endswith(".c") for p in paths)
        return paths if is_own else set()

    def _may_refer(self, file: CFile, target: ReferenceTarget) -> bool:
        homes = self._private_files(target)
        return (
            not homes
            or file.path in homes
            or any(self._visible.includes(file, home) for home in homes)
        )

    def exported_as(self, target: ReferenceTarget, path: WorkspacePath) -> set[str]:  # noqa: ARG002
        """Return no other names: C has no renaming imports."""
        return set()

    def may_see(self, path: WorkspacePath, text: str) -> bool:  # noqa: ARG002 - names are shared
        """Return True: C names are shared by all files."""
        return True

    def _nodes_on_line(self, file: CFile, line: int) -> Iterator[tuple[Chunk, SyntaxNode]]:
        for chunk, node in file.nodes(self.name):
            if chunk.line_of(node) == line:
                yield chunk, node

    def _meanings(self, file: CFile) -> Iterator[Meaning]:
        """Yield every occurrence of the name in code."""
        for span, chunk in file.chunks_with(self.name):
            if chunk is None:
                yield from self._meanings_unparsed(file, *span)
                continue
            for node in chunk.words.get(self.name, ()):
                yield Meaning(chunk.line_of(node), *self._meaning(chunk, node))
            for node in chunk.hidden_nodes(self.name):
                yield Meaning(chunk.line_of(node), UNRESOLVED, is_member=False)
            for word, body in words_in_macros(chunk.root, self.name):
                line = chunk.line + word.start.line + 1
                before = chunk.text[: word.start.index].rstrip()
                if before.endswith((".", "->")):
                    yield Meaning(line, UNRESOLVED, is_member=True)
                else:
                    yield Meaning(line, self._in_macro(chunk.file, body), is_member=False)

    def _meanings_unparsed(self, file: CFile, start: int, end: int) -> Iterator[Meaning]:
        plain = without_texts(file.text[start:end])
        for found in find_word(plain, self.name):
            yield Meaning(file.line_at(start + found), UNRESOLVED, is_member=False)

    def _meaning(self, chunk: Chunk, node: SyntaxNode) -> tuple[frozenset[Definition], bool]:
        """Resolve a word; also return whether it is a field."""
        own = declaration_at(chunk, node)
        is_macro = own is not None and self._visible.is_macro(chunk.file, self.name)
        if own is not None and own.kind is CKind.FIELD and not is_macro:
            return frozenset({_to_definition(own)}), True
        if node.kind() == "field_identifier" and not is_macro:
            return _to_definitions(self._types.field(self._owner(chunk, node), self.name)), True
        if self._may_be_field(chunk, node):
            return self._field_given_to_macro(chunk, node), True
        return self._resolve_plain(chunk, node, own), False

    def _resolve_plain(
        self, chunk: Chunk, node: SyntaxNode, own: CDeclaration | None
    ) -> frozenset[Definition]:
        above = node.parent()
        if node.kind() == "statement_identifier":
            return self._of_label(chunk, node)
        if (own is not None and own.kind is CKind.TAG) or is_macro_tag(node):
            return self._of_tag(chunk, node)
        if above is not None and above.kind() == "preproc_params":
            return frozenset()
        if _is_guard(node, self.name):
            return UNRESOLVED
        inside = find_local(chunk, node, self.name)
        if inside is not None and not (is_linked(inside) and not inside.is_definition):
            return frozenset({_to_definition(inside)})
        if may_be_shadowed(chunk, node):
            return UNRESOLVED
        found = self._visible.find_name(chunk.file, self.name)
        rivals = self._rivals(chunk.file, found)
        return (
            frozenset({UNKNOWN, *map(_program_definition, rivals)})
            if rivals
            else _to_meaning(found)
        )

    def _rivals(self, file: CFile, found: CLookup) -> list[CDeclaration]:
        """Return the file's own linkable definitions if another file defines the name too."""
        own = [
            d
            for d in found.declarations
            if d.path == file.path and is_linked(d) and d.is_definition
        ]
        paths = {d.path for d in self._visible.linked_definitions(self.name)} if own else set()
        return own if len(paths) > 1 else []

    def _may_be_field(self, chunk: Chunk, node: SyntaxNode) -> bool:
        """Return whether an undeclared word is a macro argument, which may be a field."""
        above = node.parent()
        if above is None or above.kind() != "argument_list" or node.kind() != "identifier":
            return False
        found = self._visible.find_name(chunk.file, self.name)
        return (
            not found.declarations and found.is_sure and find_local(chunk, node, self.name) is None
        )

    def _field_given_to_macro(self, chunk: Chunk, node: SyntaxNode) -> frozenset[Definition]:
        """Return the field passed to a macro along with the only value or type that has it."""
        found: set[frozenset[Definition]] = set()
        above = node.parent()
        siblings = above.children() if above is not None else ()
        for other in siblings:
            if other.is_named() and span_of(other) != span_of(node):
                bodies = self._types.of_argument(chunk, other)
                found.add(_to_definitions(self._types.field(bodies, self.name) or []))
        found.discard(frozenset())
        return found.pop() if len(found) == 1 else UNRESOLVED

    def _in_macro(self, file: CFile, body: SyntaxNode) -> frozenset[Definition]:
        """Resolve a word in a macro body: surely if a macro, otherwise it depends on the use."""
        macro = body.parent()
        given = macro.field("parameters") if macro is not None else None
        if given is not None and any(c.text() == self.name for c in given.children()):
            return frozenset()
        found = self._visible.find_name(file, self.name)
        is_macro = found.declarations and all(one.kind is CKind.MACRO for one in found.declarations)
        return _to_meaning(found) if is_macro else UNRESOLVED

    def _of_tag(self, chunk: Chunk, node: SyntaxNode) -> frozenset[Definition]:
        inner = find_local_tag(chunk, node)
        if inner is not None:
            return frozenset({_to_definition(inner)})
        found = _to_meaning(self._visible.find_tag(chunk.file, self.name))
        self._tags |= found
        return found

    def _of_label(self, chunk: Chunk, node: SyntaxNode) -> frozenset[Definition]:
        home = next((a for a in node.ancestors() if a.kind() == "function_definition"), None)
        start = chunk.start + (home.range().start.index if home is not None else 0)
        return frozenset({Definition(chunk.file.path, start, f"{self.name}:")})

    def _owner(self, chunk: Chunk, node: SyntaxNode) -> StructBodies:
        """Return the structs that a field is accessed on."""
        above = node.parent()
        if above is None:
            return None
        kind = above.kind()
        if kind == "field_expression":
            owner = above.field("argument")
            return self._types.of_value(chunk, owner) if owner is not None else None
        if kind == "offsetof_expression":
            return self._types.of_descriptor(chunk, above.field("type"))
        pair = above.parent() if kind == "field_designator" else None
        if pair is not None and pair.kind() == "initializer_pair":
            return self._types.of_pair(chunk, pair, above)
        return None


def _defines(one: CDeclaration | None) -> bool:
    return one is not None and (one.is_definition or one.kind is not CKind.TAG)


def _is_guard(node: SyntaxNode, name: str) -> bool:
    """Return whether `#ifndef NAME` or `!defined(NAME)` guards lines that define the name."""
    for above in node.ancestors():
        kind = above.kind()
        if kind in ("preproc_ifdef", "preproc_if"):
            head = above.text().split("\n", 1)[0].replace(" ", "")
            absent = (f"#ifndef{name}", f"!defined({name})", f"!defined{name}")
            inside = [c for c in above.children() if c.kind() in MACROS]
            is_set = any(required_field(c, "name").text() == name for c in inside)
            return is_set and any(condition in head for condition in absent)
        if kind not in ("preproc_defined", "unary_expression", "binary_expression"):
            return False
    return False


def _to_meaning(found: CLookup) -> frozenset[Definition]:
    definitions = _to_definitions(found.declarations)
    return definitions if found.is_sure else definitions | UNRESOLVED


def _to_definitions(found: list[CDeclaration] | None) -> frozenset[Definition]:
    return UNRESOLVED if found is None else frozenset(_to_definition(one) for one in found)


def _program_definition(one: CDeclaration) -> Definition:
    return Definition(one.path, 0, f"{one.node.text()}()")


def _to_definition(one: CDeclaration) -> Definition:
    if is_linked(one):
        return Definition(_LINKED, 0, one.node.text())
    is_member = one.kind is CKind.FIELD
    return Definition(one.path, one.start, one.node.text(), is_member)

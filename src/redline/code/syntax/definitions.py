"""List the definitions of a file: qualified names, line ranges, signatures, first doc lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, cast

from redline.code.syntax.c_preprocessor import resolve_conditionals
from redline.code.syntax.doc_comments import doc_head, doc_line
from redline.code.syntax.language_rules import DefinitionRule
from redline.code.syntax.languages import Language
from redline.code.syntax.node import (
    LeafSlice,
    Named,
    NameFinder,
    Span,
    SyntaxNode,
    named_children,
    parent_of,
    plain_scope,
    required_field,
    span_of,
    start_of,
)
from redline.core.records import dataclass

_FUNCTIONS = {"arrow_function", "function_expression", "generator_function", "function"}
_NAMING = {"variable_declarator", "assignment_expression", "pair"}
_COMPUTED = {"identifier", "member_expression", "string", "number"}
# Blocks that do not limit the scope of a `var`.
_BLOCKS = frozenset(
    """
    statement_block if_statement else_clause try_statement catch_clause finally_clause
    switch_statement switch_body switch_case switch_default for_statement for_in_statement
    while_statement do_statement
    """.split()
)
_DOC_TYPE = re.compile(r"@(?:typedef|callback)\b")
_DOC_NAME = re.compile(r"[\s*]*([A-Za-z_$][\w$]*)")
_DOC_IMPORT = re.compile(r"\s*\{\s*(?:typeof\s+)?import\(")


def _js_value_kind(value: SyntaxNode | None) -> str | None:
    if value is None:
        return None
    if value.kind() in _FUNCTIONS:
        return "function"
    return "class" if value.kind() == "class" else None


def _js_variable(node: SyntaxNode, _: str) -> Iterator[Named]:
    name, value = node.field("name"), node.field("value")
    kind = _js_value_kind(value)
    if name is None or not (kind or _at_top(node)):
        return
    if kind is None and _is_required(value):
        kind = "alias"
    elif kind is None and parent_of(node).text().startswith("const"):
        kind = "constant"
    for found in [name] if name.kind() == "identifier" else _js_bound(name):
        yield Named(found, kind=kind)


def _at_top(declarator: SyntaxNode) -> bool:
    """Return whether a declarator belongs to a module or namespace; `var` in its blocks does."""
    declaration = parent_of(declarator)
    holder = declaration.parent()
    # The variable of a loop head is not worth looking up.
    if declaration.kind() == "variable_declaration" and (
        holder is not None and holder.kind() != "for_statement"
    ):
        while holder.kind() in _BLOCKS and not _is_namespace(holder.parent()):
            holder = parent_of(holder)
    return holder is not None and (
        holder.kind() in ("program", "export_statement", "ambient_declaration")
        or (holder.kind() == "statement_block" and _is_namespace(holder.parent()))
        or (holder.kind() == "ERROR" and _is_outermost(holder))
    )


def _is_outermost(node: SyntaxNode) -> bool:
    """Return whether an ERROR node is the root or a child of the root."""
    parent = node.parent()
    return parent is None or parent.kind() == "program"


def _js_bound(pattern: SyntaxNode) -> Iterator[SyntaxNode]:
    """Yield the names that a destructuring pattern binds."""
    for child in pattern.children():
        kind = child.kind()
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            yield child
        elif kind == "pair_pattern":
            value = required_field(child, "value")
            yield from [value] if value.kind() == "identifier" else _js_bound(value)
        elif kind in ("object_assignment_pattern", "assignment_pattern"):
            left = required_field(child, "left")
            leaf = left.kind() in ("identifier", "shorthand_property_identifier_pattern")
            yield from [left] if leaf else _js_bound(left)
        elif kind in ("rest_pattern", "object_pattern", "array_pattern"):
            yield from _js_bound(child)


def _is_required(value: SyntaxNode | None) -> bool:
    """Return whether a value is `require(...)` or a member of it."""
    while value is not None and value.kind() == "member_expression":
        value = value.field("object")
    if value is None or value.kind() != "call_expression":
        return False
    return required_field(value, "function").text() == "require"


def _is_namespace(node: SyntaxNode | None) -> bool:
    return node is not None and node.kind() in ("internal_module", "module")


def _js_assignment(node: SyntaxNode, _: str) -> Iterator[Named]:
    left, right = node.field("left"), node.field("right")
    if left is None or right is None:
        return
    kind = _js_value_kind(right)
    member = left.field("property") if left.kind() == "member_expression" else None
    if kind is None:
        # A plain name on the right was defined before and is only exported here.
        if member is not None and right.kind() != "identifier" and _is_export(left):
            yield Named(member, kind="variable")
    elif left.kind() == "identifier":
        yield Named(left, kind=kind)
    elif left.text() == "module.exports":
        name = right.field("name")
        if name is not None and kind == "function":
            yield Named(name)
    elif member is not None:
        scope = plain_scope(required_field(left, "object").text())
        words = [w for w in scope.split(".") if w not in ("exports", "module", "prototype", "this")]
        owner = ".".join(words) if all(w.isidentifier() for w in words) else ""
        yield Named(member, owner, "method" if "prototype" in scope else kind)


def _is_export(left: SyntaxNode) -> bool:
    """Return whether a member expression is `exports.name` in a statement of the module."""
    if required_field(left, "object").text() not in ("exports", "module.exports"):
        return False
    around = parent_of(left)
    while around.kind() == "assignment_expression":
        around = parent_of(around)
    return around.kind() == "expression_statement" and parent_of(around).kind() == "program"


def _js_pair(node: SyntaxNode, _: str) -> Iterator[Named]:
    key = node.field("key")
    if key is not None and _js_value_kind(node.field("value")) == "function":
        yield Named(key)


def _js_class(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the own name of a class expression, unless it is assigned to a variable."""
    name = node.field("name")
    if name is not None and parent_of(node).kind() != "variable_declarator":
        yield Named(name)


def _js_member(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the name of a method; a computed one only if it is a single word or string."""
    name = node.field("name")
    if name is not None and name.kind() == "computed_property_name":
        inner = named_children(name)
        if not inner or inner[0].kind() not in _COMPUTED:
            return
    if name is not None:
        yield Named(name)


def _js_doc(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the types that a JSDoc comment defines; those it imports are aliases."""
    text = node.text()
    if not text.startswith("/**") or "@" not in text:
        return
    for match in _DOC_TYPE.finditer(text):
        start = _after_braces(text, match.end())
        name = _DOC_NAME.match(text, start)
        if name is not None:
            imported = _DOC_IMPORT.match(text, match.end())
            word = LeafSlice.within(node, text, name.start(1), name.end(1))
            yield Named(word, kind="alias" if imported else None)


def _after_braces(text: str, start: int) -> int:
    """Return the offset after the type in braces that begins at *start*, if there is one."""
    position = start + len(text[start:]) - len(text[start:].lstrip())
    if not text.startswith("{", position):
        return position
    depth = 0
    for index in range(position, len(text)):
        depth += (text[index] == "{") - (text[index] == "}")
        if depth == 0:
            return index + 1
    return len(text)


def _js_expression(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the own name of a function expression, unless it is assigned to another name."""
    name = node.field("name")
    if name is not None and parent_of(node).kind() not in _NAMING:
        yield Named(name)


def _ts_enum(node: SyntaxNode, _: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == "property_identifier":
            yield Named(child)
        elif child.kind() == "enum_assignment":
            yield from (Named(name) for name in child.field_children("name"))


SCRIPT_FINDERS: dict[str, NameFinder] = {
    "js_variable": _js_variable,
    "js_assignment": _js_assignment,
    "js_pair": _js_pair,
    "js_expression": _js_expression,
    "js_class": _js_class,
    "js_member": _js_member,
    "js_doc": _js_doc,
    "ts_enum": _ts_enum,
}


# Words that the parser mistakes for function names where macros break up a statement.
_STATEMENTS = frozenset(
    """
    if for while switch return else do sizeof int void char long short unsigned signed float
    double struct union enum const static inline extern
    """.split()
)
_DECLARATOR_LEAVES = frozenset(
    """
    identifier field_identifier type_identifier primitive_type destructor_name operator_name
    operator_cast
    """.split()
)
_EX_KINDS = {
    "def": "function",
    "defp": "function",
    "defmacro": "macro",
    "defmacrop": "macro",
    "defmodule": "module",
    "defprotocol": "interface",
    "defimpl": "module",
}


def names_in(node: SyntaxNode, finder: str) -> Iterator[Named]:
    """Return the names that *node* defines, according to "finder" or "finder:argument"."""
    find, argument = _finder(finder)
    return find(node, argument)


@cache
def _finder(finder: str) -> tuple[NameFinder, str]:
    name, _, argument = finder.partition(":")
    return _FINDERS[name], argument


def _field(node: SyntaxNode, argument: str) -> Iterator[Named]:
    found = node.field(argument)
    if found is not None:
        yield Named(found)


def _fields(node: SyntaxNode, argument: str) -> Iterator[Named]:
    for found in node.field_children(argument):
        if found.is_named() and found.text() != "_":
            yield Named(found)


def _kinds(node: SyntaxNode, argument: str) -> Iterator[Named]:
    kinds = argument.split("|")
    for child in node.children():
        if child.kind() in kinds:
            yield Named(child)
            return


def _all(node: SyntaxNode, argument: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == argument:
            yield Named(child)


def _last(node: SyntaxNode, argument: str) -> Iterator[Named]:
    yield from list(_all(node, argument))[-1:]


def _with_body(node: SyntaxNode, _: str) -> Iterator[Named]:
    name = node.field("name")
    if name is not None and node.field("body") is not None:
        yield _split_scope(name)


def _expression_with_body(node: SyntaxNode, _: str) -> Iterator[Named]:
    """Yield the type that an expression with a class body makes an anonymous subtype of."""
    if any(child.kind() == "class_body" for child in node.children()):
        yield from _field(node, "type")


def _with_scope(node: SyntaxNode, _: str) -> Iterator[Named]:
    name = node.field("name")
    if name is not None:
        yield _split_scope(name)


def _split_scope(name: SyntaxNode, kind: str | None = None) -> Named:
    """Split `A::B`, `M.g` or `M:h` into its last word, the name, and the scope before it."""
    if name.is_leaf():
        return Named(name, kind=kind)
    parts = named_children(name)
    if len(parts) < 2:
        return Named(name, kind=kind)
    last = parts[-1]
    scope = name.text()[: start_of(last) - start_of(name)]
    inner = _split_scope(last, kind)
    return Named(inner.node, plain_scope(scope + inner.scope), kind)


def _declarators(node: SyntaxNode, _: str) -> Iterator[Named]:
    for declarator in node.field_children("declarator"):
        if declarator.is_named():
            yield from _declarator_name(declarator, node.kind())


def _declarator_name(declarator: SyntaxNode, outer: str) -> Iterator[Named]:
    is_function = False
    pointers = 0
    current: SyntaxNode | None = declarator
    while current is not None and current.kind() not in _DECLARATOR_LEAVES:
        kind = current.kind()
        if kind == "qualified_identifier":
            yield _split_scope(current)
            return
        if kind == "function_declarator":
            is_function, pointers = True, 0
        elif kind in ("pointer_declarator", "parenthesized_declarator"):
            pointers += kind == "pointer_declarator"
        current = _inner_declarator(current)
    if current is not None and (outer == "type_definition" or current.text() not in _STATEMENTS):
        prototype = is_function and not pointers and outer in ("declaration", "field_declaration")
        yield Named(current, kind="prototype" if prototype else None)


def _inner_declarator(node: SyntaxNode) -> SyntaxNode | None:
    inner = node.field("declarator")
    if inner is not None:
        return inner
    named = [c for c in node.children() if c.is_named() and not c.kind().startswith("ms_")]
    return named[-1] if named else None


def _py_targets(node: SyntaxNode, _: str) -> Iterator[Named]:
    if parent_of(node).kind() in ("expression_statement", "assignment"):
        yield from _py_target(node.field("left"))


def _py_target(left: SyntaxNode | None) -> Iterator[Named]:
    if left is None:
        return
    if left.kind() == "identifier":
        yield Named(left, kind="constant" if left.text().isupper() else None)
    elif left.kind() in ("pattern_list", "tuple_pattern", "list_pattern"):
        for child in left.children():
            yield from _py_target(child)


def _py_alias(node: SyntaxNode, _: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == "type":
            identifier = child.find(kind="identifier")
            if identifier is not None:
                yield Named(identifier)
            return


def _go_method(node: SyntaxNode, _: str) -> Iterator[Named]:
    name, receiver = node.field("name"), node.field("receiver")
    if name is None:
        return
    owner = receiver.find(kind="type_identifier") if receiver is not None else None
    yield Named(name, owner.text() if owner is not None else "")


def _go_type(node: SyntaxNode, _: str) -> Iterator[Named]:
    kinds = {"struct_type": "struct", "interface_type": "interface"}
    body = node.field("type")
    name = node.field("name")
    if name is not None:
        yield Named(name, kind=kinds.get(body.kind()) if body is not None else None)


def _rb_constant(node: SyntaxNode, _: str) -> Iterator[Named]:
    left = node.field("left")
    if left is not None and left.kind() == "constant":
        yield Named(left)


def _php_property(node: SyntaxNode, _: str) -> Iterator[Named]:
    name = node.find(kind="name")
    if name is not None:
        yield Named(name)


def _kt_property(node: SyntaxNode, _: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == "variable_declaration":
            yield from _kinds(child, "simple_identifier")


def _swift_property(node: SyntaxNode, _: str) -> Iterator[Named]:
    for child in node.children():
        if child.kind() == "pattern":
            yield from _kinds(child, "simple_identifier")


def _lua_assignment(node: SyntaxNode, _: str) -> Iterator[Named]:
    children = node.children()
    if not children or node.find(kind="function_definition") is None:
        return
    targets, values = children[0].children(), children[-1].children()
    if targets and values and values[0].kind() == "function_definition":
        yield _split_scope(targets[0])


def _ex_call(node: SyntaxNode, _: str) -> Iterator[Named]:
    children = node.children()
    kind = _EX_KINDS.get(children[0].text()) if children else None
    if kind is None or len(children) < 2:
        return
    head = next(iter(named_children(children[1])), None)
    while head is not None and head.kind() in ("binary_operator", "call"):
        head = head.children()[0]
    if head is not None and head.kind() in ("identifier", "alias"):
        yield Named(head, kind=kind)


def _hcl_block(node: SyntaxNode, _: str) -> Iterator[Named]:
    words = [c for c in node.children() if c.kind() in ("identifier", "string_lit")]
    if not words:
        return
    scope = ".".join(word.text().strip('"') for word in words[:-1])
    last = words[-1].find(kind="template_literal") or words[-1]
    yield Named(last, scope)


def _nix_binding(node: SyntaxNode, _: str) -> Iterator[Named]:
    path = node.field("attrpath")
    if path is not None:
        yield _split_scope(path)


_FINDERS: dict[str, NameFinder] = {
    **SCRIPT_FINDERS,
    "field": _field,
    "fields": _fields,
    "kinds": _kinds,
    "all": _all,
    "last": _last,
    "bodied": _with_body,
    "bodied_expression": _expression_with_body,
    "scoped": _with_scope,
    "declarators": _declarators,
    "py_targets": _py_targets,
    "py_alias": _py_alias,
    "go_method": _go_method,
    "go_type": _go_type,
    "rb_constant": _rb_constant,
    "php_property": _php_property,
    "kt_property": _kt_property,
    "swift_property": _swift_property,
    "lua_assignment": _lua_assignment,
    "ex_call": _ex_call,
    "hcl_block": _hcl_block,
    "nix_binding": _nix_binding,
}


Parse = Callable[[str], SyntaxNode]
_TYPED = frozenset({"typescript", "tsx"})
# A type parameter may itself be called `out`.
_MODIFIERS = re.compile(
    r"(?<=[<,\s])(?P<word>in\s+out|in|out)(?=\s+(?!extends\b)[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))"
)
_USING = re.compile(
    r"^[ \t]*(?:for\s+(?:await\s*)?\(\s*)?(?P<word>await\s+using|using)"
    r"(?=\s+(?!of\b)[A-Za-z_$][\w$]*\s*(?:=|of\b))",
    re.MULTILINE,
)
_EXPORTED = re.compile(r"\bexport\s+(?P<word>type)(?=\s*\*)")
# A bracket that begins a line, after the end of a type.
_SIGNATURE = re.compile(r"(?<=[\w$>\])}])(?<!=>)[ \t]*\n\s*(?<=[ \t])(?=[<(\[])")
_ESCAPED = re.compile(r"\\[^ux\d\s]")
_SUSPECTS = (_MODIFIERS, _EXPORTED, re.compile(r"\n[ \t]+(?:/\*.*\*/[ \t]*)?[<(\[]|\\`"))
_BRACKETS = re.compile(r"[()\[\]{}]")
_MASKS = {"comment": " ", "string": "x", "template_string": "x", "regex": "x", "jsx_text": "x"}
_VISIBLE = re.compile(r"\S")
_BODIES = [{"kind": "interface_body"}, {"kind": "object_type"}]
# Without a semicolon that was wrong, others may turn out to be.
_MAX_READINGS = 4
# Behind an escape that was not read there may be more.
_MAX_MASKINGS = 20


@dataclass(frozen=True, slots=True)
class _Reading:
    """A text of the same length as the one to read, and its tree."""

    text: str
    root: SyntaxNode

    def unread(self) -> int:
        """Return how many characters the errors have, more than none if there is one."""
        return sum(1 + len(error.text()) for error in self.root.find_all(kind="ERROR"))

    def code(self) -> str:
        """Return the text with comments as blanks and strings as words, at the same offsets."""
        found = self.root.find_all(any=[{"kind": kind} for kind in _MASKS])
        masks = ((span_of(node), _MASKS[node.kind()], node.text()) for node in found)
        return _splice(self.text, ((span, _VISIBLE.sub(mask, text)) for span, mask, text in masks))

    def replace(self, spans: Iterable[Span], word: str, parse: Parse) -> _Reading:
        """Return what is read with *word* instead of each of *spans*, after blanks."""
        text = _splice(self.text, ((span, word.rjust(span.end - span.start)) for span in spans))
        return self if text == self.text else _Reading(text, parse(text))


def _splice(text: str, replacements: Iterable[tuple[Span, str]]) -> str:
    """Replace each span, but those inside of another one."""
    pieces, end = [], 0
    for span, new in sorted(replacements):
        if span.start >= end:
            pieces += [text[end : span.start], new]
            end = span.end
    return "".join([*pieces, text[end:]])


def read_script(text: str, language: Language, parse: Parse) -> SyntaxNode:
    """Return the tree of *text*; nothing is replaced in comments and strings."""
    plain = _Reading(text, parse(text))
    if language.name not in _TYPED or not _is_suspect(text, plain):
        return plain.root
    plain = plain.replace(_words(_USING, plain), "const", parse)
    if not plain.unread():
        return plain.root
    varying = _words(_MODIFIERS, plain)
    found = _read_without(varying, plain, parse)
    parameters = [span_of(node) for node in found.root.find_all(kind="type_parameters")]
    inside = [word for word in varying if any(p.start < word.start < p.end for p in parameters)]
    if inside != varying:
        found = _read_without(inside, plain, parse)
    return min(found, plain, key=_Reading.unread).root


def _read_without(words: list[Span], reading: _Reading, parse: Parse) -> _Reading:
    found = reading.replace([*words, *_words(_EXPORTED, reading)], "", parse)
    return _mask_escapes(_end_signatures(found, parse), parse)


def _is_suspect(text: str, reading: _Reading) -> bool:
    """Return whether something may have to be replaced; most files cost no more than this."""
    if _USING.search(text):
        return True
    return any(each.search(text) for each in _SUSPECTS) and reading.unread() > 0


def _words(pattern: re.Pattern[str], reading: _Reading) -> list[Span]:
    return [Span(*each.span("word")) for each in pattern.finditer(reading.code())]


def _end_signatures(reading: _Reading, parse: Parse) -> _Reading:
    """Write semicolons before what may be signatures; the tree says which of them are."""
    code = reading.code()
    starts = [each.end() - 1 for each in _SIGNATURE.finditer(code)]
    wanted = {at for at in _in_braces(code, starts) if reading.text[at] in " \t"}
    for _ in range(_MAX_READINGS):
        found = reading.replace([Span(at, at + 1) for at in wanted], ";", parse)
        bodies = found.root.find_all(any=_BODIES)
        ending = {start_of(child) for body in bodies for child in body.children()}
        if wanted <= ending:
            return found
        wanted &= ending
    return reading


def _in_braces(code: str, offsets: Iterable[int]) -> Iterator[int]:
    """Yield those of *offsets*, in order, whose innermost bracket is a brace."""
    brackets = [*_BRACKETS.finditer(code)][::-1]
    opened: list[str] = []
    for at in offsets:
        while brackets and brackets[-1].start() < at:
            bracket = brackets.pop()[0]
            if bracket in "([{":
                opened.append(bracket)
            elif opened:
                opened.pop()
        if opened[-1:] == ["{"]:
            yield at


def _mask_escapes(reading: _Reading, parse: Parse) -> _Reading:
    """Replace escapes that were not read: those in types that are templates."""
    for _ in range(_MAX_MASKINGS):
        found = reading.root.find_all(kind="escape_sequence", inside={"kind": "ERROR"})
        spans = [span_of(each) for each in found if _ESCAPED.fullmatch(each.text())]
        masked = reading.replace(spans, "__", parse)
        if masked.unread() >= reading.unread():
            break
        reading = masked
    return reading


_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_OVERLOAD = re.compile(r"\s*@(?:\w+\.)*overload\b")
MAX_SIGNATURE = 200
_MAX_NAME = 120
_TYPES = frozenset(
    {"class", "interface", "struct", "trait", "enum", "union", "impl", "type", "variable"}
    | {"field", "constant"}
)
_CALLABLE = frozenset({"function", "method"})
# Definitions whose braces are part of a value that is worth showing.
_VALUES = {"variable_declarator", "declaration", "type_alias_declaration", "pair", "enum_body"}
_DECLARATIONS = {"lexical_declaration", "variable_declaration"}
# Data files repeat keys endlessly; only the upper ones help a reader.
_MAX_KEY_DEPTH = 2


class Symbol(NamedTuple):
    """One definition. Lines are 1-based and inclusive; offsets are in characters.

    `start`..`end` is the whole definition with its decorators and `export`; `line` has the name.
    """

    name: str
    qualified: str
    kind: str
    line: int
    start: int
    end: int
    signature: str = ""
    doc: str = ""
    offset: int = 0
    span: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A syntax tree with its text; the text is valid Unicode with the same offsets."""

    language: Language
    text: str
    root: SyntaxNode
    # Whether the tree is of what the preprocessor leaves, so that definitions can be found in it.
    is_readable: bool = False


class _Enclosing(NamedTuple):
    end: int
    qualified: str
    kind: str
    # Whether it or something around it has no name.
    is_nameless: bool


def parse(text: str, language: Language) -> Parsed:
    """Parse *text*."""
    from ast_grep_py import SgRoot

    clean = without_surrogates(text)

    def tree(source: str) -> SyntaxNode:
        # The stubs of SgNode give its search rules types of their own.
        return cast(SyntaxNode, SgRoot(source, language.grammar).root())

    return Parsed(language, clean, read_script(clean, language, tree))


def parse_readable(text: str, language: Language) -> Parsed:
    """Parse *text* to find definitions in it alone."""
    if not language.preprocessed:
        return parse(text, language)
    clean = without_surrogates(text)
    return Parsed(language, clean, parse(resolve_conditionals(clean), language).root, True)


def without_surrogates(text: str) -> str:
    """Return *text* as valid Unicode with the same offsets."""
    return text if text.isascii() else _SURROGATE.sub("?", text)


def symbols_of(parsed: Parsed, wanted: str | None = None) -> list[Symbol]:
    """Return every definition in *parsed* in the order of the file, or those *wanted* may name."""
    return [symbol for symbol, _ in definitions_of(parsed, wanted)]


def symbols_at(parsed: Parsed, nodes: Iterable[SyntaxNode]) -> list[Symbol]:
    """Return what *nodes* define: in order, every node whose kind has a rule."""
    return [symbol for symbol, _ in _definitions(parsed, nodes)]


def definitions_of(
    parsed: Parsed, wanted: str | None = None
) -> Iterator[tuple[Symbol, SyntaxNode]]:
    """Return the same, each with its node."""
    if wanted is None:
        return _definitions(parsed, _nodes(parsed))
    spots = find_occurrences(parsed.text, wanted)
    nodes = (node for node in _nodes(parsed) if _has_spot(spots, *span_of(node)))
    return _definitions(parsed, nodes, _as_dotted(wanted))


def symbols_around(parsed: Parsed, text: str) -> list[Symbol]:
    """Return every definition that has *text* in it, decorators and prefixes included."""
    spots = [match.start() for match in re.finditer(re.escape(text), parsed.text)]
    language = parsed.language
    is_wider = language.wrappers or language.prefixes or "variable_declarator" in language.rules
    nodes = (
        node
        for node in _nodes(parsed)
        if _has_spot(spots, *(_outer_span(node, language) if is_wider else span_of(node)))
    )
    return symbols_at(parsed, nodes)


def qualified_matches(symbol: Symbol, wanted: str) -> bool:
    """Return whether *wanted* is the qualified name of *symbol* or its last parts."""
    return _ends_with(symbol.qualified, _as_dotted(wanted))


def _ends_with(qualified: str, dotted: str) -> bool:
    return qualified == dotted or qualified.endswith("." + dotted)


def find_symbols(symbols: list[Symbol], wanted: str) -> list[Symbol]:
    """Return the symbols that *wanted* names; an exact qualified name beats a suffix."""
    dotted = _as_dotted(wanted)
    exact = [symbol for symbol in symbols if symbol.qualified == dotted]
    return exact or [symbol for symbol in symbols if qualified_matches(symbol, wanted)]


def join_overloads(symbols: Sequence[Symbol], lines: Sequence[str]) -> list[Symbol]:
    """Return *symbols* with the overloads of a function and what implements them as one.

    Overloads are decorated so in Python, and are signatures without a body in TypeScript.
    """
    found: list[Symbol] = []
    last: Symbol | None = None
    for symbol in sorted(symbols, key=lambda each: each.start):
        if last is not None and _is_overload_of(last, symbol, lines):
            found[-1] = symbol._replace(start=found[-1].start)
        else:
            found.append(symbol)
        last = symbol
    return found


def _is_overload_of(first: Symbol, second: Symbol, lines: Sequence[str]) -> bool:
    """Return whether *first* is an overload that *second*, right below it, goes on with."""
    names = {(each.qualified, each.kind) for each in (first, second)}
    if len(names) > 1 or first.kind not in _CALLABLE:
        return False
    if "".join(lines[first.end : second.start - 1]).strip():
        return False
    text = "\n".join(lines[first.start - 1 : first.end])
    is_decorated = any(map(_OVERLOAD.match, lines[first.start - 1 : first.line]))
    return is_decorated or (text.rstrip().endswith(";") and "{" not in text)


def _as_dotted(name: str) -> str:
    return plain_scope(name.replace("#", ".").replace("/", "."))


def _definitions(
    parsed: Parsed, nodes: Iterable[SyntaxNode], wanted: str | None = None
) -> Iterator[tuple[Symbol, SyntaxNode]]:
    """Return what *nodes* define; they hold whatever is around one of them."""
    rules = parsed.language.rules
    lines = parsed.text.split("\n")
    scopes: list[_Enclosing] = []
    for node in nodes:
        kind = node.kind()
        rule = rules[kind]
        where = node.range()
        start = where.start.index
        while scopes and start >= scopes[-1].end:
            scopes.pop()
        if _is_excluded(node, rule, scopes):
            continue
        outside = scopes[-1] if scopes else None
        for nth, named in enumerate(names_in(node, rule.name)):
            identity = _identify(rule, named, outside)
            if nth == 0:
                is_nameless = identity.kind == "nameless" or (
                    outside is not None and outside.is_nameless
                )
                end = where.end.index
                scopes.append(_Enclosing(end, identity.qualified, identity.kind, is_nameless))
            if not rule.scope_only and (wanted is None or _ends_with(identity.qualified, wanted)):
                yield _symbol(parsed, lines, node, kind, named, identity), node


def _nodes(parsed: Parsed) -> Sequence[SyntaxNode]:
    """Return the nodes that may define something."""
    rules = parsed.language.rules
    return readable(parsed).root.find_all(any=[{"kind": kind} for kind in rules]) if rules else []


def _has_spot(spots: list[int], start: int, end: int) -> bool:
    nearest = bisect_left(spots, start)
    return nearest < len(spots) and spots[nearest] < end


def find_occurrences(text: str, wanted: str) -> list[int]:
    """Return where a definition that *wanted* names may have its name in *text*, in order."""
    words = _as_dotted(wanted).rpartition(".")[2].split()[:1]
    if not words:
        return []
    word = words[0]
    found = (match.start() for match in re.finditer(re.escape(word), text))
    if not _WORD.fullmatch(word):
        return list(found)
    return [at for at in found if not _is_inside_word(text, at, at + len(word))]


def _is_inside_word(text: str, start: int, end: int) -> bool:
    return bool(_WORD.match(text[start - 1 : start]) or _WORD.match(text[end : end + 1]))


def readable(parsed: Parsed) -> Parsed:
    """Return the tree to find definitions in; of C, after resolving its conditionals."""
    if parsed.language.preprocessed and not parsed.is_readable:
        plain = resolve_conditionals(parsed.text)
        if plain != parsed.text:
            return parse(plain, parsed.language)
    return parsed


def _is_excluded(node: SyntaxNode, rule: DefinitionRule, scopes: list[_Enclosing]) -> bool:
    if rule.parents and parent_of(node).kind() not in rule.parents:
        return True
    if rule.kind == "key":
        return len(scopes) >= _MAX_KEY_DEPTH
    if not scopes:
        return False
    return scopes[-1].is_nameless or (not rule.local and scopes[-1].kind in _CALLABLE)


class _Identity(NamedTuple):
    name: str
    qualified: str
    kind: str


def _identify(rule: DefinitionRule, named: Named, outside: _Enclosing | None) -> _Identity:
    """Return what a definition is called and what it is."""
    name = _clean_name(named.node.text())
    scope = outside.qualified if outside is not None else ""
    if named.scope:
        scope = f"{scope}.{named.scope}" if scope else named.scope
    inside_type = (bool(named.scope) and rule.kind in _CALLABLE) or (
        outside is not None and outside.kind in _TYPES
    )
    kind = _kind(named.kind or rule.kind, inside_type)
    return _Identity(name, f"{scope}.{name}" if scope else name, kind)


def _symbol(
    parsed: Parsed, lines: list[str], node: SyntaxNode, kind: str, named: Named, identity: _Identity
) -> Symbol:
    language = parsed.language
    outer = _whole(node, kind, language)
    where = outer.range()
    first, last = _first_of(outer, language), where.end
    begin = where.start if first is outer else first.range().start
    start, end = begin.line, last.line
    if last.column or end == where.start.line:
        end += 1
    position = named.node.range().start
    if kind == "comment" and end > start + 1:
        start, end = position.line, position.line + 1  # a comment may define a type on each line
    body = node.field("body")
    if language.name == "python":
        doc = doc_line(body) if body is not None else ""
    else:
        doc = doc_head(lines, start, language.comment)
    return Symbol(
        name=identity.name,
        qualified=identity.qualified,
        kind=identity.kind,
        line=position.line + 1,
        start=start + 1,
        end=end,
        signature=_signature(node, kind, body, parsed.text),
        doc=doc,
        offset=position.index,
        span=(begin.index, last.index),
    )


def _clean_name(text: str) -> str:
    if text.isidentifier():
        return text[:_MAX_NAME]
    quoted = text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
    scoped = "<" in quoted or "::" in quoted
    plain = plain_scope(quoted) if scoped and not quoted.startswith("operator") else quoted
    return (plain if plain.isidentifier() else _BLANKS.sub(" ", plain))[:_MAX_NAME] or text[
        :_MAX_NAME
    ]


def _kind(kind: str, inside_type: bool) -> str:
    if not inside_type:
        return kind
    if kind in ("function", "prototype"):
        return "method"
    return "field" if kind == "variable" else kind


def _whole(node: SyntaxNode, kind: str, language: Language) -> SyntaxNode:
    """Return the outermost node that wraps *node* alone: decorators, export, template<>."""
    outer = node
    parent = node.parent()
    if kind == "variable_declarator" and parent is not None and _only_one(parent, language):
        outer, parent = parent, parent.parent()
    while parent is not None and parent.kind() in language.wrappers and _only_one(parent, language):
        outer, parent = parent, parent.parent()
    return outer


def _only_one(parent: SyntaxNode, language: Language) -> bool:
    """Return whether *parent* holds a single definition or a single wrapper of one."""
    kinds = language.rules.keys() | language.wrappers | _DECLARATIONS
    return sum(child.kind() in kinds for child in parent.children()) == 1


def _first_of(outer: SyntaxNode, language: Language) -> SyntaxNode:
    """Return the node that a definition begins with: its first prefix, if any."""
    first = outer
    if language.prefixes:
        before = outer.prev()
        while before is not None and before.kind() in language.prefixes:
            first, before = before, before.prev()
    return first


def _outer_span(node: SyntaxNode, language: Language) -> tuple[int, int]:
    outer = _whole(node, node.kind(), language)
    return start_of(_first_of(outer, language)), outer.range().end.index


def _signature(node: SyntaxNode, kind: str, body: SyntaxNode | None, text: str) -> str:
    if kind == "comment":
        return ""
    where = node.range()
    if body is None and (value := node.field("value")) is not None:
        body = value.field("body")
    if body is not None:
        head = text[where.start.index : start_of(body)]
    else:
        head = text[where.start.index : where.end.index].split("\n", 1)[0]
        head = head if kind in _VALUES else head.split(" {", 1)[0]
    plain = " ".join(head[: 4 * MAX_SIGNATURE].split())
    return plain.removesuffix("=>").rstrip("{:= ")[:MAX_SIGNATURE]

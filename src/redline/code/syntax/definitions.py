"""Symbols of a file from its syntax tree: qualified names, line ranges, signatures, doc heads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from redline.code.syntax.c_preprocessor import without_riddles
from redline.code.syntax.language_rules import Rule
from redline.code.syntax.languages import Language
from redline.code.syntax.naming import names_in
from redline.code.syntax.node import Named, Node, plain_scope

_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")
_TAG = re.compile(r"</?\w+>")
SIGNATURE_LIMIT = 200
DOC_LIMIT = 120
_TYPES = frozenset(
    {"class", "interface", "struct", "trait", "enum", "union", "impl", "type", "variable"}
    | {"field", "constant"}
)
_CALLABLE = frozenset({"function", "method"})
# What these define is their value: the braces are worth showing.
_VALUES = {"variable_declarator", "declaration", "type_alias_declaration", "pair", "enum_body"}
_DECLARATIONS = {"lexical_declaration", "variable_declaration"}
# Data files repeat keys without end; only the upper ones help a reader.
_KEY_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition. Lines are 1-based and inclusive; offsets are in characters.

    `start`..`end` is the whole definition with its decorators and `export`; `line` is where the
    name stands.
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
    root: Node


@dataclass(slots=True)
class _Scope:
    end: int
    qualified: str
    kind: str


def parse(text: str, language: Language) -> Parsed:
    """The syntax tree of *text*."""
    from ast_grep_py import SgRoot

    clean = without_surrogates(text)
    return Parsed(language, clean, SgRoot(clean, language.grammar).root())


def without_surrogates(text: str) -> str:
    """*text* as valid Unicode with the same offsets."""
    return _SURROGATE.sub("?", text)


def symbols_of(parsed: Parsed) -> list[Symbol]:
    """Every definition in *parsed*, in the order of the file."""
    return list(_symbols(parsed))


def qualified_matches(symbol: Symbol, wanted: str) -> bool:
    """Whether *wanted* names *symbol*: the whole qualified name or its last parts."""
    spelled = plain_scope(wanted.replace("#", ".").replace("/", "."))
    return symbol.qualified == spelled or symbol.qualified.endswith("." + spelled)


def find_symbols(symbols: list[Symbol], wanted: str) -> list[Symbol]:
    """The symbols *wanted* names; an exactly qualified one beats a mere suffix."""
    spelled = plain_scope(wanted.replace("#", ".").replace("/", "."))
    exact = [symbol for symbol in symbols if symbol.qualified == spelled]
    return exact or [symbol for symbol in symbols if qualified_matches(symbol, wanted)]


def _symbols(parsed: Parsed) -> Iterator[Symbol]:
    rules = parsed.language.rules
    if not rules:
        return
    lines = parsed.text.split("\n")
    scopes: list[_Scope] = []
    for node in _readable(parsed).find_all(any=[{"kind": kind} for kind in rules]):
        rule = rules[node.kind()]
        where = node.range()
        while scopes and where.start.index >= scopes[-1].end:
            scopes.pop()
        if _unwanted(node, rule, scopes):
            continue
        outside = scopes[-1] if scopes else None
        for nth, named in enumerate(names_in(node, rule.name)):
            symbol = _symbol(parsed, lines, node, rule, named, outside)
            if nth == 0:
                scopes.append(_Scope(where.end.index, symbol.qualified, symbol.kind))
            if not rule.scope_only:
                yield symbol


def _readable(parsed: Parsed) -> Node:
    """The tree to find definitions in: of C, with what a preprocessor would settle settled."""
    if parsed.language.preprocessed:
        plain = without_riddles(parsed.text)
        if plain != parsed.text:
            return parse(plain, parsed.language).root
    return parsed.root


def _unwanted(node: Node, rule: Rule, scopes: list[_Scope]) -> bool:
    if rule.parents and node.parent().kind() not in rule.parents:
        return True
    if rule.kind == "key":
        return len(scopes) >= _KEY_DEPTH
    if any(scope.kind == "nameless" for scope in scopes):
        return True
    return not rule.local and bool(scopes) and scopes[-1].kind in _CALLABLE


def _symbol(
    parsed: Parsed,
    lines: list[str],
    node: Node,
    rule: Rule,
    named: Named,
    outside: _Scope | None,
) -> Symbol:
    name = _spelled(named.node.text())
    scope = ".".join(filter(None, (outside.qualified if outside else "", named.scope)))
    inside_type = (bool(named.scope) and rule.kind in _CALLABLE) or (
        outside is not None and outside.kind in _TYPES
    )
    kind = _kind(named.kind or rule.kind, inside_type)
    outer = _whole(node, parsed.language)
    first, last = outer.range().start, outer.range().end
    end = last.line + (0 if last.column == 0 and last.line > first.line else 1)
    start, begin = _with_prefixes(outer, first.line, first.index, parsed.language)
    spot = named.node.range().start
    if node.kind() == "comment" and end > start + 1:
        start, end = spot.line, spot.line + 1  # a comment may define several types, a line each
    return Symbol(
        name=name,
        qualified=f"{scope}.{name}" if scope else name,
        kind=kind,
        line=spot.line + 1,
        start=start + 1,
        end=end,
        signature=_signature(node, parsed.text),
        doc=_docstring(node)
        if parsed.language.name == "python"
        else doc_head(lines, start, parsed.language.comment),
        offset=spot.index,
        span=(begin, last.index),
    )


def _spelled(text: str) -> str:
    quoted = text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
    scoped = "<" in quoted or "::" in quoted
    plain = plain_scope(quoted) if scoped and not quoted.startswith("operator") else quoted
    return _BLANKS.sub(" ", plain)[:120] or text[:120]


def _kind(kind: str, inside_type: bool) -> str:
    if not inside_type:
        return kind
    if kind in ("function", "prototype"):
        return "method"
    return "field" if kind == "variable" else kind


def _whole(node: Node, language: Language) -> Node:
    """*node* with what wraps it alone: decorators, export, template<>, one-spec declarations."""
    outer = node
    parent = node.parent()
    if node.kind() == "variable_declarator" and parent is not None and _only_one(parent, language):
        outer, parent = parent, parent.parent()
    while parent is not None and parent.kind() in language.wrappers and _only_one(parent, language):
        outer, parent = parent, parent.parent()
    return outer


def _only_one(parent: Node, language: Language) -> bool:
    """Whether *parent* holds a single definition (or a single wrapper of one)."""
    kinds = language.rules.keys() | language.wrappers | _DECLARATIONS
    return sum(child.kind() in kinds for child in parent.children()) == 1


def _with_prefixes(outer: Node, line: int, index: int, language: Language) -> tuple[int, int]:
    if language.prefixes:
        before = outer.prev()
        while before is not None and before.kind() in language.prefixes:
            line, index = before.range().start.line, before.range().start.index
            before = before.prev()
    return line, index


def _signature(node: Node, text: str) -> str:
    where = node.range()
    if node.kind() == "comment":
        return ""
    body = node.field("body")
    if body is None and node.field("value") is not None:
        body = node.field("value").field("body")
    if body is not None:
        head = text[where.start.index : body.range().start.index]
    else:
        head = text[where.start.index : where.end.index].split("\n", 1)[0]
        head = head if node.kind() in _VALUES else head.split(" {", 1)[0]
    plain = _BLANKS.sub(" ", head[: 4 * SIGNATURE_LIMIT]).strip()
    return plain.removesuffix("=>").rstrip("{:= ")[:SIGNATURE_LIMIT]


def _docstring(node: Node) -> str:
    body = node.field("body")
    first = body.child(0) if body is not None else None
    if first is None or first.kind() != "expression_statement":
        return ""
    string = first.child(0)
    if string is None or string.kind() != "string":
        return ""
    content: str = string.text().lstrip("rRuUbBfF").strip("\"'").strip()
    return content.split("\n", 1)[0].strip()[:DOC_LIMIT]


def doc_head(lines: list[str], start: int, comment: str) -> str:
    """The first words of the comment that ends right above 0-based line *start*."""
    for line in lines[doc_start(lines, start, comment) : start]:
        words = line.strip().lstrip("/*#-!|; ").removesuffix("*/").removesuffix("-->")
        words = _TAG.sub("", words).strip()
        if words:
            return words[:DOC_LIMIT]
    return ""


def doc_start(lines: list[str], start: int, comment: str) -> int:
    """The 0-based line where the comment right above 0-based line *start* begins, else *start*."""
    line = start - 1
    if line < 0 or not comment:
        return start
    above = lines[line].strip()
    if above.endswith("*/"):
        while line >= 0 and "/*" not in lines[line]:
            line -= 1
        opened = line >= 0 and lines[line].lstrip().startswith("/*")
        return line if opened else start
    first = start
    while line >= 0 and lines[line].lstrip().startswith(comment):
        if lines[line].startswith("#!"):
            break
        first = line
        line -= 1
    return first

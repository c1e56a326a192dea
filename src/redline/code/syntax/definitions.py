"""List the definitions of a file: qualified names, line ranges, signatures, first doc lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

from redline.code.syntax.c_preprocessor import resolve_conditionals
from redline.code.syntax.language_rules import DefinitionRule
from redline.code.syntax.languages import Language
from redline.code.syntax.naming import names_in
from redline.code.syntax.node import Named, SyntaxNode, parent_of, plain_scope

_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_TAG = re.compile(r"</?\w+>")
MAX_SIGNATURE = 200
MAX_DOC = 120
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


@dataclass(frozen=True, slots=True)
class Symbol:
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


@dataclass(slots=True)
class _Enclosing:
    end: int
    qualified: str
    kind: str


def parse(text: str, language: Language) -> Parsed:
    """Parse *text*."""
    from ast_grep_py import SgRoot

    clean = without_surrogates(text)
    # The stubs of SgNode give its search rules types of their own.
    root = cast(SyntaxNode, SgRoot(clean, language.grammar).root())
    return Parsed(language, clean, root)


def parse_readable(text: str, language: Language) -> Parsed:
    """Parse *text* to find definitions in it alone."""
    if not language.preprocessed:
        return parse(text, language)
    clean = without_surrogates(text)
    return Parsed(language, clean, parse(resolve_conditionals(clean), language).root, True)


def without_surrogates(text: str) -> str:
    """Return *text* as valid Unicode with the same offsets."""
    return _SURROGATE.sub("?", text)


def symbols_of(parsed: Parsed, wanted: str | None = None) -> list[Symbol]:
    """Return every definition in *parsed* in the order of the file, or those *wanted* may name."""
    return list(_symbols(parsed, None if wanted is None else _as_dotted(wanted)))


def find_definition(parsed: Parsed, offset: int) -> SyntaxNode | None:
    """Return the node of the definition whose name is at *offset*."""
    rules = parsed.language.rules
    for node in readable(parsed).root.find_all(any=[{"kind": kind} for kind in rules]):
        where = node.range()
        if where.start.index <= offset < where.end.index:
            for named in names_in(node, rules[node.kind()].name):
                if named.node.range().start.index == offset:
                    return node
    return None


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


def _as_dotted(name: str) -> str:
    return plain_scope(name.replace("#", ".").replace("/", "."))


def _symbols(parsed: Parsed, wanted: str | None) -> Iterator[Symbol]:
    rules = parsed.language.rules
    if not rules:
        return
    lines = parsed.text.split("\n")
    scopes: list[_Enclosing] = []
    for node in _nodes(parsed, wanted):
        rule = rules[node.kind()]
        where = node.range()
        while scopes and where.start.index >= scopes[-1].end:
            scopes.pop()
        if _is_excluded(node, rule, scopes):
            continue
        outside = scopes[-1] if scopes else None
        for nth, named in enumerate(names_in(node, rule.name)):
            identity = _identify(rule, named, outside)
            if nth == 0:
                scopes.append(_Enclosing(where.end.index, identity.qualified, identity.kind))
            if not rule.scope_only and (wanted is None or _ends_with(identity.qualified, wanted)):
                yield _symbol(parsed, lines, node, named, identity)


def _nodes(parsed: Parsed, wanted: str | None) -> Iterator[SyntaxNode]:
    """Return the nodes that may define something, or that may hold what *wanted* names."""
    nodes = readable(parsed).root.find_all(any=[{"kind": kind} for kind in parsed.language.rules])
    if wanted is None:
        yield from nodes
        return
    spots = find_occurrences(parsed.text, wanted)
    for node in nodes:
        where = node.range()
        nearest = bisect_left(spots, where.start.index)
        if nearest < len(spots) and spots[nearest] < where.end.index:
            yield node


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
    if any(scope.kind == "nameless" for scope in scopes):
        return True
    return not rule.local and bool(scopes) and scopes[-1].kind in _CALLABLE


class _Identity(NamedTuple):
    name: str
    qualified: str
    kind: str


def _identify(rule: DefinitionRule, named: Named, outside: _Enclosing | None) -> _Identity:
    """Return what a definition is called and what it is."""
    name = _clean_name(named.node.text())
    scope = ".".join(filter(None, (outside.qualified if outside else "", named.scope)))
    inside_type = (bool(named.scope) and rule.kind in _CALLABLE) or (
        outside is not None and outside.kind in _TYPES
    )
    kind = _kind(named.kind or rule.kind, inside_type)
    return _Identity(name, f"{scope}.{name}" if scope else name, kind)


def _symbol(
    parsed: Parsed, lines: list[str], node: SyntaxNode, named: Named, identity: _Identity
) -> Symbol:
    outer = _whole(node, parsed.language)
    first, last = outer.range().start, outer.range().end
    end = last.line + (0 if last.column == 0 and last.line > first.line else 1)
    start, begin = _with_prefixes(outer, first.line, first.index, parsed.language)
    position = named.node.range().start
    if node.kind() == "comment" and end > start + 1:
        start, end = position.line, position.line + 1  # a comment may define a type on each line
    return Symbol(
        name=identity.name,
        qualified=identity.qualified,
        kind=identity.kind,
        line=position.line + 1,
        start=start + 1,
        end=end,
        signature=_signature(node, parsed.text),
        doc=_docstring(node)
        if parsed.language.name == "python"
        else doc_head(lines, start, parsed.language.comment),
        offset=position.index,
        span=(begin, last.index),
    )


def _clean_name(text: str) -> str:
    quoted = text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
    scoped = "<" in quoted or "::" in quoted
    plain = plain_scope(quoted) if scoped and not quoted.startswith("operator") else quoted
    return _BLANKS.sub(" ", plain)[:_MAX_NAME] or text[:_MAX_NAME]


def _kind(kind: str, inside_type: bool) -> str:
    if not inside_type:
        return kind
    if kind in ("function", "prototype"):
        return "method"
    return "field" if kind == "variable" else kind


def _whole(node: SyntaxNode, language: Language) -> SyntaxNode:
    """Return the outermost node that wraps *node* alone: decorators, export, template<>."""
    outer = node
    parent = node.parent()
    if node.kind() == "variable_declarator" and parent is not None and _only_one(parent, language):
        outer, parent = parent, parent.parent()
    while parent is not None and parent.kind() in language.wrappers and _only_one(parent, language):
        outer, parent = parent, parent.parent()
    return outer


def _only_one(parent: SyntaxNode, language: Language) -> bool:
    """Return whether *parent* holds a single definition or a single wrapper of one."""
    kinds = language.rules.keys() | language.wrappers | _DECLARATIONS
    return sum(child.kind() in kinds for child in parent.children()) == 1


def _with_prefixes(outer: SyntaxNode, line: int, index: int, language: Language) -> tuple[int, int]:
    if language.prefixes:
        before = outer.prev()
        while before is not None and before.kind() in language.prefixes:
            line, index = before.range().start.line, before.range().start.index
            before = before.prev()
    return line, index


def _signature(node: SyntaxNode, text: str) -> str:
    where = node.range()
    if node.kind() == "comment":
        return ""
    body, value = node.field("body"), node.field("value")
    if body is None and value is not None:
        body = value.field("body")
    if body is not None:
        head = text[where.start.index : body.range().start.index]
    else:
        head = text[where.start.index : where.end.index].split("\n", 1)[0]
        head = head if node.kind() in _VALUES else head.split(" {", 1)[0]
    plain = _BLANKS.sub(" ", head[: 4 * MAX_SIGNATURE]).strip()
    return plain.removesuffix("=>").rstrip("{:= ")[:MAX_SIGNATURE]


def _docstring(node: SyntaxNode) -> str:
    body = node.field("body")
    first = body.child(0) if body is not None else None
    if first is None or first.kind() != "expression_statement":
        return ""
    string = first.child(0)
    if string is None or string.kind() != "string":
        return ""
    content = string.text().lstrip("rRuUbBfF").strip("\"'").strip()
    return content.split("\n", 1)[0].strip()[:MAX_DOC]


def doc_head(lines: list[str], start: int, comment: str) -> str:
    """Return the first text line of the comment that ends right above 0-based line *start*."""
    for line in lines[doc_start(lines, start, comment) : start]:
        words = line.strip().lstrip("/*#-!|; ").removesuffix("*/").removesuffix("-->")
        words = _TAG.sub("", words).strip()
        if words:
            return words[:MAX_DOC]
    return ""


def doc_start(lines: list[str], start: int, comment: str) -> int:
    """Return the 0-based line where the comment right above *start* begins, else *start*."""
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

"""List the definitions of a file: qualified names, line ranges, signatures, first doc lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from redline.code.syntax.c_preprocessor import resolve_conditionals
from redline.code.syntax.doc_comments import doc_head, doc_line
from redline.code.syntax.language_rules import DefinitionRule
from redline.code.syntax.languages import Language
from redline.code.syntax.naming import names_in
from redline.code.syntax.node import (
    Named,
    Span,
    SyntaxNode,
    parent_of,
    plain_scope,
    span_of,
    start_of,
)
from redline.core.records import dataclass

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

"""Find the places that a rule matches, and build what replaces them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from redline.code.syntax.definitions import Parsed, parse
from redline.code.syntax.errors import MAX_EXCERPT, SyntaxIssue, syntax_issues
from redline.code.syntax.languages import Language
from redline.core.errors import InvalidPattern
from redline.core.records import replace

_METAVARIABLE = re.compile(r"\$(?:\$\$[A-Z_0-9]*|\$?[A-Z_][A-Z_0-9]*)")
# What may be where a metavariable is: a name, a value where names are none, an entry of a block.
_FILLINGS = ("x", "0", "x: x")
# ast-grep matches a statement also without the end that the grammar misses.
_OPTIONAL = ";"


def find_incomplete(pattern: str, language: Language) -> SyntaxIssue | None:
    """Return a syntax error of *pattern*; None if it matches code that has none.

    ast-grep takes any text for a pattern and may match what has errors of its own; so the pattern
    is held against itself with its metavariables filled in.
    """
    found: list[SyntaxIssue] = []
    for filling in _FILLINGS:
        parsed = parse(_METAVARIABLE.sub(filling, pattern), language)
        issues = list(_match_issues(parsed, pattern))
        if any(not issue for issue in issues):
            return None
        found = found or [*(issues[0] if issues else syntax_issues(parsed))]
    return _quote(pattern, found[0]) if found else None


def _match_issues(parsed: Parsed, pattern: str) -> Iterator[list[SyntaxIssue]]:
    """Yield the syntax errors of each place in *parsed* that the pattern matches."""
    for node in find_nodes(parsed.root, {"rule": {"pattern": pattern}}):
        yield [each for each in syntax_issues(parsed, node) if each.missing != _OPTIONAL]


def _quote(pattern: str, issue: SyntaxIssue) -> SyntaxIssue:
    """Return *issue* with the line as the pattern has it."""
    line = pattern.split("\n")[issue.line - 1].strip()
    return replace(issue, excerpt=line[:MAX_EXCERPT])


# `$_`, `$_NAME`, `$$$` and `$$$_NAME` match without being captured.
_HOLE = re.compile(r"(?<![\w$])(\$\$\$|\$\$?(?=[A-Z_]))([A-Z_0-9]*)(?![\w$])")
# A line that goes on after a backslash is blank there.
_TOKEN = re.compile(r"\w+|(?!\\\r?\n)[^\w\s]")
# Narrows what is asked for its kind, which costs more.
_COMMENT = {"rule": {"regex": r"^(//|/\*|#|--|<!--|=begin)"}}
_SEPARATORS = (",", ";")
_CLOSING = ")]}"
# The last bracket of a replacement that has something before it.
_LAST_BRACKET = re.compile(r"[^(\[{\s]\s*[)\]}][;\s]*$")
_MAX_COMPARED = 1_000_000
_MAX_SHOWN = 40


class _Hole(NamedTuple):
    name: str
    is_many: bool


_Template = list[str | _Hole]


class _Token(NamedTuple):
    start: int
    end: int
    text: str
    is_comment: bool = False


class _Leftover(NamedTuple):
    """A token that the pattern does not account for, the hole before it and the token after."""

    token: _Token
    after: str
    before: str


class Cover(NamedTuple):
    """How a place may be replaced: not at all if `surplus` is text, else up to `end`.

    `ends` says where captures end that take a separator with them. `closing` is a separator for
    the last bracket of the replacement, `kept` is what stays behind `end`.
    """

    end: int
    surplus: str = ""
    ends: Mapping[str, int] = {}
    closing: str = ""
    kept: str = ""


class Pattern:
    """The patterns that a rule has for the whole node, with every hole named."""

    def __init__(self, rule: Mapping[str, Any]) -> None:
        self._templates: list[_Template] = []
        self.rule = {**rule, "rule": self._name_holes(rule.get("rule"))}

    def cover(self, text: str, node: Any, fix: str) -> Cover:
        """Return how *node* of *text* may be replaced by what *fix* makes of it."""
        found: list[Cover] = []
        for template in self._templates:
            found.append(_keep(text, node, fix, list(_leftovers(text, node, template))))
            if not found[-1].surplus:
                return found[-1]
        if not found:
            return Cover(node.range().end.index)
        return min(found, key=lambda each: len(each.surplus))

    def _name_holes(self, part: Any) -> Any:
        """Return a part of the rule in which each hole of its pattern has a name."""
        if not isinstance(part, Mapping):
            return part
        named = dict(part)
        pattern = part.get("pattern")
        if isinstance(pattern, str):
            named["pattern"] = self._add(pattern)
        elif isinstance(pattern, Mapping) and isinstance(pattern.get("context"), str):
            named["pattern"] = {**pattern, "context": self._add(pattern["context"])}
        for key in ("all", "any"):
            if isinstance(part.get(key), list):
                named[key] = [self._name_holes(each) for each in part[key]]
        return named

    def _add(self, pattern: str) -> str:
        """Note the template of *pattern*, and return it with its holes named."""
        template: _Template = []
        named: list[str] = []
        end = 0
        for found in _HOLE.finditer(pattern):
            name = found[2]
            if not name or name.startswith("_"):
                name = f"REDLINE_{len(self._templates)}_{len(template)}"
            literal = pattern[end : found.start()]
            template += [literal, _Hole(name, found[1] == "$$$")]
            named += [literal, found[1], name]
            end = found.end()
        self._templates.append([*template, pattern[end:]])
        return "".join((*named, pattern[end:]))


def capture(node: Any, name: str, is_many: bool) -> list[Any]:
    """Return the nodes that a metavariable matched."""
    if is_many:
        return list(node.get_multiple_matches(name))
    found = node.get_match(name)
    return [] if found is None else [found]


def span_of(nodes: Sequence[Any]) -> tuple[int, int]:
    """Return the range of consecutive *nodes*."""
    return nodes[0].range().start.index, nodes[-1].range().end.index


def comments_in(node: Any) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the comments in *node*, in order."""
    return (span_of([each]) for each in node.find_all(_COMMENT) if "comment" in each.kind())


def _leftovers(text: str, node: Any, template: _Template) -> Iterator[_Leftover]:
    """Yield the tokens of *node* that neither a capture nor the literal text accounts for."""
    span = node.range()
    at, hole = span.start.index, ""
    names = [each.name for each in template if isinstance(each, _Hole)]
    literal: list[str] = []
    for part in template:
        if isinstance(part, str):
            literal += _TOKEN.findall(part)
            continue
        nodes = capture(node, *part)
        if not nodes:
            continue
        found = span_of(nodes)
        if names.count(part.name) > 1 or not at <= found[0] <= found[1] <= span.end.index:
            # Of equal captures ast-grep names one, so all of them are compared by their tokens.
            literal += _TOKEN.findall(text[slice(*found)])
            continue
        yield from _compare(text, node, range(at, found[0]), literal, hole)
        (_, at), hole, literal = found, part.name, []
    yield from _compare(text, node, range(at, span.end.index), literal, hole)


def _compare(
    text: str, node: Any, gap: range, literal: Sequence[str], hole: str
) -> Iterator[_Leftover]:
    """Yield the tokens in a *gap* between captures that *literal* does not have."""
    if "".join(text[gap.start : gap.stop].split()) == "".join(literal):
        return
    tokens = _tokens(text, node, gap)
    for number in _find_unmatched([each.text for each in tokens], literal):
        following = (each.text for each in tokens[number + 1 :] if not each.is_comment)
        yield _Leftover(tokens[number], "" if number else hole, next(following, ""))


def _tokens(text: str, node: Any, gap: range) -> list[_Token]:
    found: list[_Token] = []
    at = gap.start
    for start, end in comments_in(node):
        if at <= start and end <= gap.stop:
            found += [*_split(text, at, start), _Token(start, end, text[start:end], True)]
            at = end
    return found + _split(text, at, gap.stop)


def _split(text: str, start: int, end: int) -> list[_Token]:
    return [_Token(*each.span(), each[0]) for each in _TOKEN.finditer(text, start, end)]


def _find_unmatched(found: Sequence[str], literal: Sequence[str]) -> list[int]:
    """Return which of *found* are not in the longest common subsequence with *literal*."""
    first = sum(1 for _ in takewhile(_are_equal, zip(found, literal, strict=False)))
    found, literal = found[first:], literal[first:]
    last = sum(1 for _ in takewhile(_are_equal, zip(found[::-1], literal[::-1], strict=False)))
    found, literal = found[: len(found) - last], literal[: len(literal) - last]
    if len(found) * len(literal) > _MAX_COMPARED:
        literal = []
    lengths = [[0] * (len(literal) + 1) for _ in range(len(found) + 1)]
    for x in range(len(found) - 1, -1, -1):
        for y in range(len(literal) - 1, -1, -1):
            if found[x] == literal[y]:
                lengths[x][y] = lengths[x + 1][y + 1] + 1
            else:
                lengths[x][y] = max(lengths[x + 1][y], lengths[x][y + 1])
    unmatched: list[int] = []
    y = 0
    for x, token in enumerate(found):
        while y < len(literal) and token != literal[y] and lengths[x][y] == lengths[x][y + 1]:
            y += 1
        if y < len(literal) and token == literal[y]:
            y += 1
        else:
            unmatched.append(first + x)
    return unmatched


def _are_equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _keep(text: str, node: Any, fix: str, leftovers: list[_Leftover]) -> Cover:
    """Return how the place is replaced with everything kept; a surplus if that is not possible."""
    last = node.range().end.index
    end = last
    inner = list(leftovers)
    while inner and not text[inner[-1].token.end : end].strip() and _is_kept(inner[-1].token):
        end = len(text[: inner.pop().token.start].rstrip())
    ends: dict[str, int] = {}
    closing = ""
    for token, hole, bracket in inner:
        is_separator = token.text in _SEPARATORS and not token.is_comment
        if is_separator and hole and bracket and bracket in _CLOSING:
            if _is_before(fix, hole, bracket):
                ends[hole] = token.end
                continue
            if text[token.end : end].strip() == bracket and _LAST_BRACKET.search(fix):
                closing = token.text
                continue
        return Cover(last, _show(text, leftovers))
    return Cover(end, "", ends, closing, text[end:last])


def _is_kept(token: _Token) -> bool:
    return token.is_comment or token.text in _SEPARATORS


def _is_before(fix: str, hole: str, bracket: str) -> bool:
    """Return whether *fix* has the metavariable once, and right before *bracket*."""
    found = re.findall(rf"\$+{hole}(?![A-Z_0-9])\s*(.?)", fix)
    return found == [bracket]


def _show(text: str, leftovers: Sequence[_Leftover]) -> str:
    """Return the first leftover tokens that belong together, as the file has them."""
    start = end = leftovers[0].token.start
    for each in leftovers:
        if text[end : each.token.start].strip():
            break
        end = each.token.end
    shown = " ".join(text[start:end].split())
    return shown if len(shown) <= _MAX_SHOWN else shown[: _MAX_SHOWN - 3] + "..."


# How far back the beginning of a line is looked for.
_MAX_LOOK_BACK = 512
_VARIABLE = re.compile(r"\$(?:\$\$([A-Z_0-9]+)|\$?([A-Z_0-9]+))")


# Stands for a line feed inside a string, which is not indented anew. No decoded text has it.
HELD = "\ud800"


class Extract(NamedTuple):
    """What a metavariable matched: its text, and the indentation of its first line.

    One that ends in a line comment is open: a line feed has to follow.
    """

    text: str
    indent: int
    is_open: bool = False


Lookup = Callable[[str, bool], Extract | None]
"""Returns what a metavariable matched; the flag says that it is one of several nodes ($$$)."""


def expand(template: str, lookup: Lookup, indent: int, following: str = "") -> str:
    """Return *template* with its metavariables filled in, for a place with *indent*.

    *following* is the character after that place.
    """
    parts: list[str] = []
    end = 0
    for found in _VARIABLE.finditer(template):
        parts.append(template[end : found.start()])
        end = found.end()
        extract = lookup(found[1] or found[2], found[1] is not None)
        if extract is not None:
            column = indent_at(template, found.start())
            parts.append(shift(extract.text, extract.indent, column))
            rest = (template[end:] + following).lstrip(" \t")
            if extract.is_open and rest and rest[0] not in "\r\n":
                parts.append("\n" + " " * column)
    parts.append(template[end:])
    return shift("".join(parts), 0, indent).replace(HELD, "\n")


def indent_at(text: str, offset: int) -> int:
    """Return the number of spaces that begin the line of *offset*; 0 if other text does."""
    behind = text[max(0, offset - _MAX_LOOK_BACK) : offset].encode("utf-8", "replace")
    is_start = offset <= _MAX_LOOK_BACK and len(behind) <= _MAX_LOOK_BACK
    behind = behind[-_MAX_LOOK_BACK:]
    head, newline, line = behind.rpartition(b"\n")
    del head
    if not newline and not is_start:
        return 0
    return len(line) - len(line.lstrip(b" "))


def shift(text: str, old: int, new: int) -> str:
    """Return *text*, which was indented by *old*, for a place indented by *new*.

    The first line stays: what precedes it is already there.
    """
    if old == new or "\n" not in text:
        return text
    if old < new:
        return text.replace("\n", "\n" + " " * (new - old))
    leading = " " * (old - new)
    return "\n".join(line.removeprefix(leading) for line in text.split("\n"))


Rule = Mapping[str, Any]
_MAX_MATCHES = 20_000


class StructuralMatch(NamedTuple):
    """A place in str offsets, its line from 1, and its replacement (None in a search).

    A place that holds more than the pattern is not replaced; `surplus` shows what it is.
    """

    start: int
    end: int
    line: int
    replacement: str | None
    surplus: str = ""


def find_matches(text: str, grammar: str, rule: Rule, fix: str | None) -> list[StructuralMatch]:
    """Return the places that *rule* matches, in order, outer ones before those inside.

    With *fix* those inside a place that is replaced are left out. *rule* is an ast-grep rule with
    `rule` and `constraints`; InvalidPattern if it is malformed.
    """
    pattern = Pattern(rule)
    nodes = _nodes(text, grammar, pattern.rule if fix is not None else rule)
    if fix is None:
        return [_place(node) for node in nodes]
    found: list[StructuralMatch] = []
    end = 0
    for node in nodes:
        if node.range().start.index >= end:
            found.append(_replace(text, node, fix, pattern))
            end = end if found[-1].replacement is None else node.range().end.index
    return found


def _place(node: Any) -> StructuralMatch:
    span = node.range()
    return StructuralMatch(span.start.index, span.end.index, span.start.line + 1, None)


def _replace(text: str, node: Any, fix: str, pattern: Pattern) -> StructuralMatch:
    """Return what *fix* makes of *node*, with everything kept that the pattern does not name."""
    place = _place(node)
    cover = pattern.cover(text, node, fix)
    if cover.surplus:
        return place._replace(surplus=cover.surplus)

    def lookup(name: str, is_many: bool) -> Extract | None:
        nodes = capture(node, name, is_many)
        return _extract(text, nodes, cover.ends.get(name)) if nodes else None

    new = expand(fix, lookup, indent_at(text, place.start), text[cover.end : cover.end + 1])
    if not fix.strip() and cover.kept.strip() in (";", ","):
        return place._replace(replacement=new)  # the statement goes with its end
    if cover.closing:
        new = _close(new, cover.closing)
    if ";" in cover.kept:
        new = new.removesuffix(";")
    return place._replace(end=cover.end, replacement=new)


def _close(new: str, separator: str) -> str:
    """Return *new* with *separator* before its last bracket."""
    at = max(map(new.rfind, ")]}"))
    head = new[:at].rstrip()
    is_there = head.endswith((separator, "(", "[", "{"))
    return new if is_there else head + separator + new[len(head) :]


def _nodes(text: str, grammar: str, rule: Rule) -> list[Any]:
    from ast_grep_py import SgRoot

    found = find_nodes(SgRoot(text, grammar).root(), rule)
    if len(found) > _MAX_MATCHES:
        raise InvalidPattern(f"The pattern matches more than {_MAX_MATCHES} places of a file")
    return found


def find_nodes(root: Any, rule: Rule) -> list[Any]:
    """Return the nodes beneath *root* that *rule* matches; InvalidPattern if it is malformed."""
    try:
        found: list[Any] = root.find_all(dict(rule))
    except MemoryError:
        raise
    except Exception as error:  # ast-grep raises plain exceptions for a malformed rule
        raise InvalidPattern(
            f"ast-grep cannot use this rule: {_reason(str(error))}",
            hint="a pattern is code with $A for one node and $$$ARGS for several",
        ) from None
    return found


def _reason(message: str) -> str:
    """Return the last cause that ast-grep gives, without its stack."""
    causes = message.partition("\n\nStack backtrace")[0].splitlines()
    reasons = [line.strip().lstrip("0123456789: ") for line in causes if line.strip()]
    return "; ".join(reasons[-3:])


def _extract(text: str, nodes: Sequence[Any], end: int | None) -> Extract:
    """Return the text of *nodes*, up to *end* if it takes a separator with it."""
    start, last = span_of(nodes)
    found = text[start : end or last]
    if "\n" in found:
        for node in nodes:
            for first, stop in _strings_in(node):
                held = text[first:stop].replace("\n", HELD)
                found = found[: first - start] + held + found[stop - start :]
    is_open = any(
        stop == last and not text.startswith(("/*", "<!--"), first)
        for first, stop in comments_in(nodes[-1])
    )
    return Extract(found, indent_at(text, start), is_open)


def _strings_in(node: Any) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the strings in *node* that go over several lines."""
    for each in node.find_all({"rule": {"regex": "\n"}}):
        if "string" in each.kind() or "heredoc" in each.kind():
            yield span_of([each])

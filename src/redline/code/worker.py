"""Functions that analyse syntax inside a worker process and return plain data."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from redline.code.index.facts import facts_of
from redline.code.rename.in_file import plan_rename
from redline.code.structural import find_incomplete, find_matches
from redline.code.syntax.bodies import bodies_of
from redline.code.syntax.colours import colour_lines
from redline.code.syntax.definitions import parse, parse_readable, symbols_of
from redline.code.syntax.errors import check_syntax
from redline.code.syntax.languages import BY_NAME
from redline.code.syntax.uses import nodes_of

Ask = Callable[..., Any]
Row = tuple[Any, ...]

_BODY = attrgetter("start", "end", "doc_end")
_ISSUE = attrgetter("line", "excerpt", "missing")
_REPLACEMENT = attrgetter("start", "end", "text")


def symbols(_ask: Ask, text: str, language: str) -> list[Row]:
    """Return every definition in *text*."""
    return [*symbols_of(parse_readable(text, BY_NAME[language]))]


def bodies(_ask: Ask, text: str, language: str, wanted: str) -> list[Row]:
    """Return the definitions that *wanted* may name, each with its body."""
    found = bodies_of(parse_readable(text, BY_NAME[language]), wanted)
    return [(symbol, None if body is None else _BODY(body)) for symbol, body in found.items()]


def colours(_ask: Ask, text: str, language: str, ranges: list[tuple[int, int]]) -> list[Row]:
    """Return the coloured spans of some lines."""
    return [tuple(span) for span in colour_lines(parse(text, BY_NAME[language]), ranges)]


def facts(_ask: Ask, files: list[tuple[bytes, str]]) -> list[Row]:
    """Return what the index stores of each file: symbols, uses, lines."""
    read = (facts_of(content, BY_NAME[language]) for content, language in files)
    return [(found.symbols, found.uses, found.lines) for found in read]


def check(_ask: Ask, text: str, language: str) -> Row:
    """Return the syntax errors of *text*, and Python's own error."""
    found = check_syntax(text, BY_NAME[language])
    error = found.python_error
    return [_ISSUE(issue) for issue in found.issues], None if error is None else _ISSUE(error)


def rename(
    _ask: Ask,
    text: str,
    language: str,
    old: str,
    new: str,
    span: tuple[int, int] | None,
    everywhere: bool,
) -> list[Row]:
    """Plan a rename as `plan_rename` does; *span* is a range of lines."""
    lines = None if span is None else range(*span)
    parsed = parse(text, BY_NAME[language])
    found = plan_rename(parsed, old, new, lines=lines, everywhere=everywhere)
    return [_REPLACEMENT(replacement) for replacement in found]


def word_uses(_ask: Ask, text: str, language: str, name: str) -> list[Row]:
    """Return every use of *name* as code: offset, line, its node's kind and that of its parent."""
    rows: list[Row] = []
    grammar = BY_NAME[language]
    kinds = (*grammar.words, "shorthand_field_identifier") if language == "rust" else None
    for node in nodes_of(parse(text, grammar), name, kinds):
        start, parent = node.range().start, node.parent()
        rows.append(
            (start.index, start.line + 1, node.kind(), parent.kind() if parent is not None else "")
        )
    return rows


def structural(
    _ask: Ask, text: str, language: str, rule: dict[str, Any], fix: str | None
) -> list[Row]:
    """Return the places that *rule* matches as `find_matches` does."""
    return [tuple(found) for found in find_matches(text, BY_NAME[language].grammar, rule, fix)]


def incomplete(_ask: Ask, pattern: str, language: str) -> Row | None:
    """Return what keeps *pattern* from being code as `find_incomplete` does."""
    issue = find_incomplete(pattern, BY_NAME[language])
    return None if issue is None else _ISSUE(issue)

"""Say what keeps a pattern from being code of its language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from redline.code.structural.matches import find_nodes
from redline.code.syntax.definitions import Parsed, parse
from redline.code.syntax.errors import MAX_EXCERPT, SyntaxIssue, syntax_issues
from redline.code.syntax.languages import Language

_VARIABLE = re.compile(r"\$(?:\$\$[A-Z_0-9]*|\$?[A-Z_][A-Z_0-9]*)")
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
        parsed = parse(_VARIABLE.sub(filling, pattern), language)
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

"""Syntax errors of a text, and which of them an edit brought in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from redline.code.syntax.definitions import Parsed, parse
from redline.code.syntax.languages import Language
from redline.code.syntax.node import Node

EXCERPT = 80


@dataclass(frozen=True, slots=True)
class SyntaxIssue:
    """One place that does not parse; `line` is 1-based."""

    line: int
    excerpt: str
    missing: str = ""

    @property
    def text(self) -> str:
        """The issue as one line for a reader."""
        what = f"missing {self.missing!r}" if self.missing else "syntax error"
        return f"line {self.line}: {what}: {self.excerpt}"


def syntax_issues(parsed: Parsed) -> list[SyntaxIssue]:
    """Every place of *parsed* that the grammar cannot read, in order."""
    lines = parsed.text.split("\n")
    found = parsed.root.find_all(any=[{"kind": "ERROR"}, {"regex": "^$"}])
    return list(_issues(parsed, found, lines))


def _issues(parsed: Parsed, found: list[Node], lines: list[str]) -> Iterator[SyntaxIssue]:
    for node in found:
        where = node.range().start
        excerpt = lines[where.line].strip()[:EXCERPT] if where.line < len(lines) else ""
        if node.kind() == "ERROR":
            yield SyntaxIssue(where.line + 1, excerpt)
        elif node.is_leaf() and (not node.is_named() or _needs_body(parsed, node)):
            yield SyntaxIssue(where.line + 1, excerpt, node.kind())


def _needs_body(parsed: Parsed, node: Node) -> bool:
    """Whether a zero-width named leaf is a hole: a Python block that nobody wrote."""
    return parsed.language.name == "python" and node.kind() in ("block", "identifier")


@dataclass(frozen=True, slots=True)
class Checked:
    """What does not parse in a text, and of Python the interpreter's own complaint."""

    issues: tuple[SyntaxIssue, ...]
    python_error: SyntaxIssue | None = None


def check_syntax(text: str, language: Language) -> Checked:
    """Parse *text* and list what does not parse."""
    issues = tuple(syntax_issues(parse(text, language)))
    return Checked(issues, _python_error(text) if language.name == "python" else None)


def introduced(old: str, new: str, language: Language) -> list[SyntaxIssue]:
    """The issues of *new* that *old* did not have; moved ones do not count."""
    return newly_broken(check_syntax(new, language), lambda: check_syntax(old, language))


def newly_broken(after: Checked, before: Callable[[], Checked]) -> list[SyntaxIssue]:
    """The issues of *after* that *before* did not have; *before* is asked only when needed."""
    if not after.issues:
        # Indentation that the grammar forgives counts where Python could read the text before.
        error = after.python_error
        return [] if error is None or before().python_error is not None else [error]
    known = Counter((issue.excerpt, issue.missing) for issue in before().issues)
    fresh: list[SyntaxIssue] = []
    for issue in after.issues:
        key = (issue.excerpt, issue.missing)
        if known[key]:
            known[key] -= 1
        else:
            fresh.append(issue)
    return fresh


def _python_error(text: str) -> SyntaxIssue | None:
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        line = error.lineno or 1
        lines = text.split("\n")
        excerpt = lines[line - 1].strip()[:EXCERPT] if line <= len(lines) else ""
        return SyntaxIssue(line, f"{excerpt} ({error.msg})" if excerpt else error.msg)
    except (ValueError, RecursionError, MemoryError):
        return None
    return None

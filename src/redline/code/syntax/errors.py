"""Find the syntax errors of a text, and those that an edit introduces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from redline.code.syntax.definitions import Parsed, parse
from redline.code.syntax.languages import Language
from redline.code.syntax.node import SyntaxNode, parent_of
from redline.core.records import dataclass

MAX_EXCERPT = 80


@dataclass(frozen=True, slots=True)
class SyntaxIssue:
    """One syntax error; `line` is 1-based."""

    line: int
    excerpt: str
    missing: str = ""

    @property
    def text(self) -> str:
        """Return the issue as one line for a reader."""
        what = f"missing {self.missing!r}" if self.missing else "syntax error"
        return f"line {self.line}: {what}: {self.excerpt}"


def syntax_issues(parsed: Parsed, within: SyntaxNode | None = None) -> list[SyntaxIssue]:
    """Return every syntax error of *parsed*, or of its node *within*, in order."""
    lines = parsed.text.split("\n")
    found = (within or parsed.root).find_all(any=[{"kind": "ERROR"}, {"regex": "^$"}])
    return list(_issues(parsed, found, lines))


def _issues(parsed: Parsed, found: Sequence[SyntaxNode], lines: list[str]) -> Iterator[SyntaxIssue]:
    for node in found:
        where = node.range().start
        excerpt = lines[where.line].strip()[:MAX_EXCERPT] if where.line < len(lines) else ""
        if node.kind() == "ERROR":
            yield SyntaxIssue(where.line + 1, excerpt)
        elif node.is_leaf() and _is_missing(parsed, node):
            yield SyntaxIssue(where.line + 1, excerpt, node.kind())


def _is_missing(parsed: Parsed, node: SyntaxNode) -> bool:
    """Return whether an empty leaf marks what is missing: a token, or a Python block or name."""
    if node.is_named():
        return parsed.language.name == "python" and node.kind() in ("block", "identifier")
    # The grammar of TypeScript reads a template after type arguments as if a `!` were between.
    before, after = node.prev(), parent_of(node).next()
    is_tagged = after is not None and after.kind() == "template_string"
    return not (is_tagged and before is not None and before.kind() == "instantiation_expression")


@dataclass(frozen=True, slots=True)
class SyntaxCheck:
    """The syntax errors of a text; for Python also the interpreter's own error."""

    issues: tuple[SyntaxIssue, ...]
    python_error: SyntaxIssue | None = None

    @property
    def found(self) -> list[SyntaxIssue]:
        """Return the errors of the grammar, or else the interpreter's own."""
        own = [] if self.python_error is None else [self.python_error]
        return list(self.issues) or own


def check_syntax(text: str, language: Language) -> SyntaxCheck:
    """Parse *text* and list its syntax errors."""
    issues = tuple(syntax_issues(parse(text, language)))
    return SyntaxCheck(issues, _python_error(text) if language.name == "python" else None)


def introduced_issues(old: str, new: str, language: Language) -> list[SyntaxIssue]:
    """Return the issues of *new* that *old* does not have; moved ones do not count."""
    return new_issues(check_syntax(new, language), lambda: check_syntax(old, language))


def new_issues(after: SyntaxCheck, before: Callable[[], SyntaxCheck]) -> list[SyntaxIssue]:
    """Return the issues of *after* that *before* does not have; call *before* only if needed."""
    if not after.issues:
        # The grammar accepts bad indentation; it counts if Python could read the text before.
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
        excerpt = lines[line - 1].strip()[:MAX_EXCERPT] if line <= len(lines) else ""
        return SyntaxIssue(line, f"{excerpt} ({error.msg})" if excerpt else error.msg)
    except (ValueError, RecursionError, MemoryError):
        return None
    return None

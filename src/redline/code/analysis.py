"""Syntax analysis for the server, computed in a worker process.

The server itself parses nothing: a grammar can crash or hang on a few hundred bytes. Content that
killed a worker is remembered and not parsed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, NamedTuple, Protocol

from redline.code.index.facts import FileFacts, count_lines
from redline.code.rename.in_file import Replacement
from redline.code.structural import Rule, StructuralMatch
from redline.code.syntax.bodies import Body
from redline.code.syntax.colours import ColourSpan
from redline.code.syntax.definitions import Symbol, without_surrogates
from redline.code.syntax.errors import SyntaxCheck, SyntaxIssue, new_issues
from redline.code.syntax.languages import Language
from redline.core.changes import digest_of
from redline.core.errors import Busy, LimitReached, ParserFailed, TimeLimit, WorkerDied
from redline.core.ports.confined import Budget, Confined, Failures

# Files up to this size are parsed as a whole within a moment.
MAX_LINES = 20_000
BUDGET = Budget(20.0, 1 << 30, 8)
# Many files are indexed before an answer, so a single one must not take long.
FACTS_BUDGET = Budget(10.0, 1 << 30, 3)
# Colours are for the eye: a page does not wait long for them.
COLOUR_BUDGET = Budget(2.0, 1 << 30, 2)
# CPU seconds after which a timeout is blamed on the parser rather than on a busy machine.
_MIN_BLAMED = 2.0
_WORKER = "redline.code.worker"


class WordUse(NamedTuple):
    """One use of a word as code: its offset, its line from 1, its node's kind and its parent's."""

    start: int
    line: int
    kind: str
    parent: str


class Analysis(Protocol):
    """Syntax analysis of texts; methods raise ParserFailed for content the parser cannot handle."""

    def symbols(self, text: str, language: Language, wanted: str | None = None) -> list[Symbol]:
        """Return every definition in *text* in order, or only those that *wanted* may name."""

    def bodies(self, text: str, language: Language, wanted: str) -> dict[Symbol, Body | None]:
        """Return the definitions that *wanted* may name in order, each with its body if any."""

    def colours(
        self, text: str, language: Language, ranges: Sequence[tuple[int, int]]
    ) -> list[ColourSpan]:
        """Return what to colour in the lines of *ranges* (from 0, the end excluded), in order."""

    def facts(
        self, files: Sequence[tuple[bytes, Language]], ends: float = float("inf")
    ) -> list[FileFacts | None]:
        """Return what the index stores of each file; None for files there was no time to parse.

        After the moment *ends* (see `time.monotonic`) no further file is parsed.
        """

    def rename(
        self,
        text: str,
        language: Language,
        names: tuple[str, str],
        *,
        lines: range | None,
        everywhere: bool,
    ) -> list[Replacement]:
        """Plan a rename as `plan_rename` does; *names* are the old and the new name."""

    def word_uses(self, text: str, language: Language, name: str) -> list[WordUse]:
        """Return every use of *name* as code, in order."""

    def structural(
        self, text: str, language: Language, rule: Rule, fix: str | None
    ) -> list[StructuralMatch]:
        """Return the places that an ast-grep *rule* matches, with what *fix* makes of each."""

    def incomplete(self, pattern: str, language: Language) -> SyntaxIssue | None:
        """Return what keeps an ast-grep *pattern* from being code; None if nothing does."""

    def introduced_issues(
        self, old: str, new: str, language: Language, *, at_any_cost: bool = True
    ) -> list[SyntaxIssue]:
        """Return the syntax errors of *new* that *old* does not have; ParserFailed."""

    def first_issue(self, text: str, language: Language) -> SyntaxIssue | None:
        """Return the first syntax error of *text*; None if it parses."""

    def reason(self, digest: str, language: Language) -> str | None:
        """Return why that content is not parsed; None if it may be."""


class IsolatedAnalysis:
    """Implement `Analysis` with worker processes."""

    def __init__(self, confined: Confined, failures: Failures) -> None:
        self._confined = confined
        self._failures = failures

    def symbols(self, text: str, language: Language, wanted: str | None = None) -> list[Symbol]:
        """Return every definition in *text* in order, or only those that *wanted* may name."""
        if wanted is not None:
            return list(self.bodies(text, language, wanted))
        return [_symbol(row) for row in self._parse("symbols", text, language)]

    def bodies(self, text: str, language: Language, wanted: str) -> dict[Symbol, Body | None]:
        """Return the definitions that *wanted* may name in order, each with its body if any."""
        _refuse_large(text)
        rows = self._parse("bodies", text, language, wanted)
        return {_symbol(row): None if body is None else Body(*body) for row, body in rows}

    def colours(
        self, text: str, language: Language, ranges: Sequence[tuple[int, int]]
    ) -> list[ColourSpan]:
        """Return what to colour in the lines of *ranges* (from 0, the end excluded), in order."""
        rows = self._parse("colours", text, language, list(ranges), budget=COLOUR_BUDGET)
        return [ColourSpan(*row) for row in rows]

    def facts(
        self, files: Sequence[tuple[bytes, Language]], ends: float = float("inf")
    ) -> list[FileFacts | None]:
        """Return what the index stores of each file; None for files there was no time to parse.

        After the moment *ends* (see `time.monotonic`) no further file is parsed.
        """
        known = [self.reason(digest_of(content), language) for content, language in files]
        if not any(known):
            try:
                return [_facts(found) for found in self._read_facts(files)]
            except LimitReached:  # one file is to blame: parse each separately
                pass
        return [
            self._facts_of(content, language) if monotonic() < ends else None
            for content, language in files
        ]

    def _facts_of(self, content: bytes, language: Language) -> FileFacts | None:
        call = lambda: self._read_facts([(content, language)])[0]  # noqa: E731
        try:
            return _facts(self._guard(self._key(digest_of(content), language), call))
        except ParserFailed as error:
            lines = count_lines(content.decode("utf-8", "replace"))
            return FileFacts((), {}, lines, error.message)
        except Busy:
            return None

    def _read_facts(self, files: Sequence[tuple[bytes, Language]]) -> list[Any]:
        given = [(content, language.name) for content, language in files]
        found: list[Any] = self._confined.call(f"{_WORKER}:facts", (given,), budget=FACTS_BUDGET)
        return found

    def rename(
        self,
        text: str,
        language: Language,
        names: tuple[str, str],
        *,
        lines: range | None,
        everywhere: bool,
    ) -> list[Replacement]:
        """Plan a rename as `plan_rename` does; *names* are the old and the new name."""
        _refuse_large(text)
        span = None if lines is None else (lines.start, lines.stop)
        rows = self._parse("rename", text, language, *names, span, everywhere)
        return [Replacement(*row) for row in rows]

    def word_uses(self, text: str, language: Language, name: str) -> list[WordUse]:
        """Return every use of *name* as code, in order."""
        return [WordUse(*row) for row in self._parse("word_uses", text, language, name)]

    def structural(
        self, text: str, language: Language, rule: Rule, fix: str | None
    ) -> list[StructuralMatch]:
        """Return the places that an ast-grep *rule* matches, with what *fix* makes of each."""
        rows = self._parse("structural", text, language, dict(rule), fix)
        return [StructuralMatch(*row) for row in rows]

    def incomplete(self, pattern: str, language: Language) -> SyntaxIssue | None:
        """Return what keeps an ast-grep *pattern* from being code; None if nothing does."""
        row = self._parse("incomplete", pattern, language)
        return None if row is None else SyntaxIssue(*row)

    def introduced_issues(
        self, old: str, new: str, language: Language, *, at_any_cost: bool = True
    ) -> list[SyntaxIssue]:
        """Return the syntax errors of *new* that *old* does not have.

        ParserFailed for a file over the limit of lines, unless it is checked *at_any_cost*.
        """
        if not at_any_cost and new.count("\n") > MAX_LINES:
            raise ParserFailed(f"the file is too large: over {MAX_LINES:,} lines")
        return new_issues(self._check(new, language), lambda: self._check(old, language))

    def first_issue(self, text: str, language: Language) -> SyntaxIssue | None:
        """Return the first syntax error of *text*; None if it parses."""
        found = self._check(text, language, FACTS_BUDGET)
        # The interpreter names the line; the grammar may find the whole file to be one error.
        return found.python_error or next(iter(found.issues), None)

    def _check(self, text: str, language: Language, budget: Budget | None = None) -> SyntaxCheck:
        issues, error = self._parse("check", text, language, budget=budget)
        found = tuple(SyntaxIssue(*issue) for issue in issues)
        return SyntaxCheck(found, None if error is None else SyntaxIssue(*error))

    def _parse(
        self,
        function: str,
        text: str,
        language: Language,
        *more: Any,
        budget: Budget | None = None,
    ) -> Any:
        clean = without_surrogates(text)
        call = lambda: self._confined.call(  # noqa: E731
            f"{_WORKER}:{function}", (clean, language.name, *more), budget=budget or BUDGET
        )
        return self._guard(self._key(digest_of(clean.encode()), language), call)

    @staticmethod
    def _key(digest: str, language: Language) -> str:
        """Return the key of content for a grammar: another grammar may be able to parse it."""
        return f"{language.grammar}:{digest}"

    def reason(self, digest: str, language: Language) -> str | None:
        """Return why that content is not parsed; None if it may be."""
        return self._failures.reason(self._key(digest, language))

    def _guard(self, key: str, call: Callable[[], Any]) -> Any:
        """Return the result of *call*; raise ParserFailed if it fails now or failed before."""
        known = self._failures.reason(key)
        if known is not None:
            raise ParserFailed(known)
        try:
            return _twice(call)
        except Busy:
            raise
        except (TimeLimit, WorkerDied) as error:
            reason = _reason(error)
            if reason is None:
                raise Busy("The parser did not get enough time", hint="try again") from None
            self._failures.remember(key, reason)
            raise ParserFailed(reason) from None
        except LimitReached as error:
            if type(error) is not LimitReached:  # raised by the called function itself
                raise
            self._failures.remember(key, "the parser ran out of memory")
            raise ParserFailed("the parser ran out of memory") from None


def _facts(found: list[Any]) -> FileFacts:
    rows, uses, lines = found
    return FileFacts(tuple(_symbol(row) for row in rows), uses, lines)


def _symbol(row: list[Any]) -> Symbol:
    row[-1] = tuple(row[-1])
    return Symbol(*row)


def _refuse_large(text: str) -> None:
    count = text.count("\n")
    if count > MAX_LINES:
        raise LimitReached(
            f"Symbols are found in files of at most {MAX_LINES:,} lines; this one has {count:,}",
            hint="edit it by its text or by its lines",
        )


def _twice(call: Callable[[], Any]) -> Any:
    """Call again if the worker died: the cause may have been elsewhere."""
    try:
        return call()
    except WorkerDied:
        return call()


def _reason(error: LimitReached) -> str | None:
    """Return why content must not be parsed again; None if the machine was merely busy."""
    if isinstance(error, TimeLimit):
        used = float(error.details.get("cpu_seconds", 0.0))
        return "the parser took too long" if used >= _MIN_BLAMED else None
    return "the parser crashed"

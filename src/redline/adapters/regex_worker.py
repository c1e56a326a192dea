"""ECMAScript regular expressions in worker processes that can be killed.

A pattern can take exponential time, and the engine holds the interpreter's lock while it does; in
a process of its own it costs nobody else anything, and when its budget is over it is killed.
"""

from __future__ import annotations

import marshal
import os
import sys
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from time import monotonic
from typing import Any

from redline.adapters.killable import Idle, Killable
from redline.core.errors import InvalidPattern, LimitReached, TimeLimit, Unavailable
from redline.core.ports.search import RegexMatch
from redline.search.es_regex import check_pattern

BUDGET = 2.0
MEMORY = 512 << 20
_MOST_IDLE = 2
_MOST_BUSY = 8
_CHILD = os.path.join(os.path.dirname(__file__), "regex_child.py")
# Undecodable bytes travel as private characters: one for one, so offsets stay, and no pattern
# that a person writes means them.
_PRIVATE = {0xDC00 + byte: 0x10FF00 + byte for byte in range(0x80, 0x100)}


class RegexWorkers:
    """Answers `ports.Regex`; each call has a process of its own while it runs."""

    def __init__(self, budget: float = BUDGET, memory: int = MEMORY) -> None:
        self._budget = budget
        self._idle = Idle(lambda: _Worker(memory), _MOST_IDLE)
        self._busy = threading.BoundedSemaphore(_MOST_BUSY)

    def check(self, pattern: str, flags: str = "m") -> None:
        """Raise InvalidPattern unless *pattern* compiles."""
        self._ask("check", pattern, flags)

    def find(
        self, pattern: str, text: str, *, flags: str = "m", limit: int = 0, groups: int = 0
    ) -> list[RegexMatch]:
        """Matches from the left, at most *limit* (0 = all), with the first *groups* groups."""
        found = self._ask("find", pattern, flags, _encoded(text), groups, limit)
        return [_match(numbers) for numbers in found]

    def matching_lines(
        self, pattern: str, texts: Sequence[bytes], *, flags: str = "", limit: int = 0
    ) -> list[list[int]]:
        """For each text the numbers (from 0) of its lines that match, at most *limit* in all."""
        # Without assertions, a text that matches nowhere as a whole has no line that does.
        whole_first = not any(mark in pattern.replace("(?:", "") for mark in ("(?", "^", "$"))
        data = [_encoded(text.decode("utf-8", "surrogateescape")) for text in texts]
        answer: list[list[int]] = self._ask(
            "lines", pattern, flags, data, whole_first, limit or sys.maxsize
        )
        return answer

    def close(self) -> None:
        """End the idle workers."""
        self._idle.close()

    def _ask(self, operation: str, pattern: str, flags: str, *rest: Any) -> Any:
        check_pattern(pattern)
        pattern = pattern.translate(_PRIVATE)
        request = marshal.dumps((operation, pattern, _flags(pattern, flags), self._budget, *rest))
        ends = monotonic() + self._budget
        if not self._busy.acquire(timeout=self._budget):
            raise TimeLimit("Too many regular expressions are running", hint="try again")
        try:
            worker = self._idle.take()
            verdict, answer = worker.ask(request, self._budget, ends)
            self._idle.give_back(worker)
        finally:
            self._busy.release()
        if verdict == "bad":
            raise InvalidPattern(
                f"Invalid regular expression: {answer}: {pattern[:200]}",
                hint="ECMAScript (JavaScript) syntax; escape metacharacters with a backslash",
            )
        if verdict == "memory":
            raise _too_much_memory()
        return answer


class _Worker(Killable):
    """A process with the engine in it."""

    def __init__(self, memory: int) -> None:
        spec = find_spec("regress")
        if spec is None or not spec.submodule_search_locations:
            raise Unavailable("The regress package is not installed", hint="pip install regress")
        beside = os.path.dirname(next(iter(spec.submodule_search_locations)))
        super().__init__(_CHILD, beside, str(memory))

    def ask(self, request: bytes, budget: float, ends: float) -> tuple[str, Any]:
        """The answer, or TimeLimit (at the moment *ends*) or LimitReached with the process gone."""
        with self.until(ends) as late:
            body = self.exchange(request)
        if body is not None:
            answer: tuple[str, Any] = marshal.loads(body)  # noqa: S302 - our own child
            return answer
        self.kill()
        if late.is_set():
            raise TimeLimit(
                f"The regular expression took longer than {budget:g} s and was stopped",
                hint="avoid nested repetition such as (a+)+, or anchor the pattern",
            )
        raise _too_much_memory()


def _too_much_memory() -> LimitReached:
    return LimitReached(
        "The regular expression needed too much memory and was stopped",
        hint="bound its repetitions or search a smaller text",
    )


def _flags(pattern: str, flags: str) -> str:
    """The `u` flag where the pattern uses what only exists with it; otherwise the lax syntax."""
    needs = any(mark in pattern for mark in (r"\p{", r"\P{", r"\u{"))
    return flags + "u" if needs and "u" not in flags else flags


def _encoded(text: str) -> bytes:
    if text.isascii():
        return text.encode("ascii")
    return text.translate(_PRIVATE).encode("utf-8", "replace")


def _match(numbers: Sequence[int]) -> RegexMatch:
    groups = tuple(
        (numbers[at], numbers[at + 1]) if numbers[at] >= 0 else None
        for at in range(2, len(numbers), 2)
    )
    return RegexMatch(numbers[0], numbers[1], groups)

"""ECMAScript regular expressions in worker processes that can be killed.

A pattern can take exponential time, and the engine holds the interpreter's lock while it does; in
a process of its own it slows down no other call, and is killed when its budget is used up.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from redline.core.errors import Busy, LimitReached, TimeLimit
from redline.core.once import built_once
from redline.core.ports.search import RegexMatch

if TYPE_CHECKING:
    from redline.adapters.process_templates.template import Template
    from redline.adapters.workers.isolated_calls import IsolatedCalls

BUDGET = 2.0
MEMORY = 512 << 20
_MAX_IDLE = 2
_MAX_BUSY = 8
# Undecodable bytes travel as private characters: one for one, so offsets stay, and no pattern
# that a person writes means them.
_PRIVATE = {0xDC00 + byte: 0x10FF00 + byte for byte in range(0x80, 0x100)}


class RegexWorkers:
    """Answers `ports.Regex`; each call has a process of its own while it runs."""

    def __init__(
        self, budget: float = BUDGET, memory: int = MEMORY, template: Template | None = None
    ) -> None:
        self._budget = budget
        self._memory = memory
        self._template = template

    @built_once
    def _workers(self) -> IsolatedCalls:
        # An edit of plain text is given this port too, and need not load what starts processes.
        from redline.adapters.workers.isolated_calls import IsolatedCalls
        from redline.core.ports.confined import Budget

        return IsolatedCalls(
            Budget(self._budget, self._memory),
            busy=_MAX_BUSY,
            idle=_MAX_IDLE,
            template=self._template,
        )

    def check(self, pattern: str, flags: str = "m") -> None:
        """Raise InvalidPattern unless *pattern* compiles."""
        self._ask("check", pattern, flags)

    def find(
        self, pattern: str, text: str, *, flags: str = "m", limit: int = 0, groups: int = 0
    ) -> list[RegexMatch]:
        """Matches from the left, at most *limit* (0 = all), with the first *groups* groups."""
        found = self._ask("find", pattern, flags, _encode(text), groups, limit)
        return [_match(numbers) for numbers in found]

    def matching_lines(
        self, pattern: str, texts: Sequence[bytes], *, flags: str = "", limit: int = 0
    ) -> list[list[int]]:
        """For each text the numbers (from 0) of its lines that match, at most *limit* in all."""
        # Without assertions, a text that matches nowhere as a whole has no line that does.
        whole_first = not any(mark in pattern.replace("(?:", "") for mark in ("(?", "^", "$"))
        data = [_encode(text.decode("utf-8", "surrogateescape")) for text in texts]
        answer: list[list[int]] = self._ask(
            "lines", pattern, flags, data, whole_first, limit or sys.maxsize
        )
        return answer

    def rest(self) -> None:
        """End the workers that wait for a call; the next call starts one again."""
        if "_workers" in vars(self):
            self._workers.rest()

    def close(self) -> None:
        """End the workers."""
        if "_workers" in vars(self):
            self._workers.close()

    def _ask(self, operation: str, pattern: str, flags: str, *rest: Any) -> Any:
        from redline.search.es_regex import check_pattern

        check_pattern(pattern)
        pattern = pattern.translate(_PRIVATE)
        function = f"redline.adapters.workers.regex_child:{operation}"
        try:
            return self._workers.call(function, (pattern, _flags(pattern, flags), *rest))
        except Busy:
            raise Busy("Too many regular expressions are running", hint="try again") from None
        except TimeLimit:
            raise TimeLimit(
                f"The regular expression took longer than {self._budget:g} s and was stopped",
                hint="avoid nested repetition such as (a+)+, or anchor the pattern",
            ) from None
        except LimitReached:
            raise LimitReached(
                "The regular expression needed too much memory and was stopped",
                hint="bound its repetitions or search a smaller text",
            ) from None


def _flags(pattern: str, flags: str) -> str:
    """The `u` flag where the pattern uses what only exists with it; otherwise the lax syntax."""
    needs = any(mark in pattern for mark in (r"\p{", r"\P{", r"\u{"))
    return flags + "u" if needs and "u" not in flags else flags


def _encode(text: str) -> bytes:
    if text.isascii():
        return text.encode("ascii")
    return text.translate(_PRIVATE).encode("utf-8", "replace")


def _match(numbers: Sequence[int]) -> RegexMatch:
    groups = tuple(
        (numbers[at], numbers[at + 1]) if numbers[at] >= 0 else None
        for at in range(2, len(numbers), 2)
    )
    return RegexMatch(numbers[0], numbers[1], groups)

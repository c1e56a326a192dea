"""Regular expressions inside a worker."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from redline.core.errors import InvalidPattern, Unavailable


@lru_cache(64)
def _compile(pattern: str, flags: str) -> Any:
    try:
        import regress
    except ImportError:
        raise Unavailable(
            "The regress package is not installed", hint="pip install regress"
        ) from None
    try:
        return regress.Regex(pattern, flags)
    except regress.RegressError as error:
        raise InvalidPattern(
            f"Invalid regular expression: {error}: {pattern[:200]}",
            hint="ECMAScript (JavaScript) syntax; escape metacharacters with a backslash",
        ) from None


def check(_ask: Any, pattern: str, flags: str) -> None:
    """Raise InvalidPattern unless *pattern* compiles."""
    _compile(pattern, flags)


def find(
    _ask: Any, pattern: str, flags: str, data: bytes, groups: int, limit: int
) -> list[tuple[int, ...]]:
    """Matches as (start, end, start of group 1, ...) in characters; -1 where it took no part."""
    regex = _compile(pattern, flags)
    text = data.decode("utf-8")
    if limit == 1:
        first = regex.find(text)
        found = [first] if first is not None else []
    else:
        found = regex.find_iter(text)
        if limit:
            found = found[:limit]
    flat = [_numbers(match, groups) for match in found]
    return flat if len(text) == len(data) else _in_characters(flat, data)


def _numbers(match: Any, groups: int) -> tuple[int, ...]:
    whole = match.range()
    numbers = [whole.start, whole.stop]
    for index in range(1, groups + 1):
        span = match.group(index)
        numbers += (-1, -1) if span is None else (span.start, span.stop)
    return tuple(numbers)


def _in_characters(flat: list[tuple[int, ...]], data: bytes) -> list[tuple[int, ...]]:
    where = {-1: -1}
    position = count = 0
    for offset in sorted({number for numbers in flat for number in numbers if number >= 0}):
        count += len(data[position:offset].decode("utf-8"))
        position = offset
        where[offset] = count
    return [tuple(where[number] for number in numbers) for numbers in flat]


def lines(
    _ask: Any, pattern: str, flags: str, files: list[bytes], whole_first: bool, limit: int
) -> list[list[int]]:
    """For each text, the numbers (from 0) of the lines that match, at most *limit* in all."""
    regex = _compile(pattern, flags)
    answer = []
    for data in files:
        text = data.decode("utf-8")
        numbers: list[int] = []
        if limit > 0 and not (whole_first and regex.find(text) is None):
            split = text.split("\n")
            if not split[-1]:
                split.pop()
            for number, line in enumerate(split):
                if regex.find(line.removesuffix("\r")) is not None:
                    numbers.append(number)
                    limit -= 1
                    if limit <= 0:
                        break
        answer.append(numbers)
    return answer

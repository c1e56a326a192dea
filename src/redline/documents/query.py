"""RFC 9535 JSONPath over any format, answered with the matches' own source."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

from redline.core.errors import InvalidArgument, NodeNotFound
from redline.core.records import dataclass
from redline.documents.base.depth import too_deep
from redline.documents.base.model import MAX_DEPTH, Document, Slice
from redline.documents.base.path import Path

# Every step is a level of the evaluation.
MAX_EXPRESSION = 10_000

# A name after a dot, or a text in quotes, which is left as it is.
_DASHED = re.compile(
    r"""(?P<dots>\.{1,2})(?P<name>[^\W\d][\w-]*)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
)

# (pattern, text, whole) -> whether it matches; expressions come from outside, so they run
# wherever the caller can stop them.
RegexTest = Callable[[str, str, bool], bool]


def refuse_regex(pattern: str, _text: str, _whole: bool) -> bool:
    """Refuse an expression where nothing can stop it."""
    raise InvalidArgument(f"match() and search() cannot be used here: {pattern}", field="path")


@dataclass(frozen=True, slots=True)
class Match:
    """One node an expression selects; `slice` is None where the source has none of its own."""

    path: Path
    slice: Slice | None


def select(
    document: Document, expression: str, regex: RegexTest, limit: int
) -> tuple[list[Match], int]:
    """Return the first *limit* matches in document order, and how many there are."""
    from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathError

    if len(expression) > MAX_EXPRESSION:
        raise InvalidArgument(
            f"The expression is longer than {MAX_EXPRESSION} characters", field="expression"
        )
    environment = JSONPathEnvironment()
    environment.function_extensions["match"] = _function(regex, whole=True)
    environment.function_extensions["search"] = _function(regex, whole=False)
    data = plain_data(document)
    try:
        found = environment.find(quote_dashed_names(expression), data)
    except (JSONPathError, OverflowError, ValueError) as error:  # ValueError: endless digits
        raise InvalidArgument(
            f"Not a JSONPath expression: {error}",
            field="expression",
            hint="RFC 9535, for example $.services.*.image or $..[?@.name == 'web']",
        ) from None
    except RecursionError:
        raise InvalidArgument("The expression nests too deeply", field="expression") from None
    places = [tuple(node.location) for node in found]
    return [Match(path, _slice(document, path)) for path in places[:limit]], len(places)


def quote_dashed_names(expression: str) -> str:
    """Return a JSONPath with `.runs-on` as `['runs-on']`: RFC 9535 has no dashes in such names."""
    return _DASHED.sub(_quote_dashed, expression)


def _quote_dashed(match: re.Match[str]) -> str:
    dots, name = match["dots"], match["name"]
    if name is None or "-" not in name:
        return match[0]
    return f"{'..' if dots == '..' else ''}['{name}']"


def _slice(document: Document, path: Path) -> Slice | None:
    try:
        return document.get(path)
    except NodeNotFound:
        return None


def _function(regex: RegexTest, *, whole: bool) -> Any:
    from jsonpath_rfc9535.function_extensions import ExpressionType, FilterFunction

    class Guarded(FilterFunction):
        arg_types = [ExpressionType.VALUE, ExpressionType.VALUE]  # noqa: RUF012
        return_type = ExpressionType.LOGICAL

        def __call__(self, text: Any, pattern: Any) -> bool:
            if not isinstance(text, str) or not isinstance(pattern, str):
                return False
            return regex(pattern, text, whole)

    return Guarded()


def plain_data(document: Document) -> Any:
    """Return the document as values JSON has types for."""
    data = document.data()
    # What came from JSON is not copied.
    return data if document.format in ("json", "jsonc", "json5") else plain(data)


def plain(value: Any, depth: int = 0) -> Any:
    """*value* with dates and times as text, which JSON has no type for."""
    if depth > MAX_DEPTH:
        raise too_deep()
    if isinstance(value, dict):
        return {str(key): plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return value

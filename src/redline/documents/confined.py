"""Queries and checks run at a distance: what others wrote may ask for work without end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

from redline.core.ports.confined import Confined
from redline.documents.formats import open_document
from redline.documents.model import Slice
from redline.documents.query import Match, RegexTest, select
from redline.documents.schema import Problem, check

Ask = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Source:
    """A document that is not parsed yet."""

    data: bytes
    form: str
    index: int = 0


def query(
    confined: Confined, source: Source, expression: str, regex: RegexTest, limit: int
) -> tuple[list[Match], int]:
    """As `query.select`, with TimeLimit and LimitReached."""
    given = (source.data, source.form, source.index, expression, limit)
    found, total = confined.call("redline.documents.confined:selected", given, {"regex": regex})
    return [Match(tuple(path), place and Slice(*place)) for path, place in found], total


def validate(
    confined: Confined, source: Source, schema: str, read: Callable[[str], bytes]
) -> tuple[list[Problem], int]:
    """As `schema.check`, with TimeLimit and LimitReached."""
    given = (source.data, source.form, source.index, schema)
    found, total = confined.call("redline.documents.confined:checked", given, {"read": read})
    return [Problem(*problem) for problem in found], total


def selected(
    ask: Ask, data: bytes, form: str, index: int, expression: str, limit: int
) -> tuple[list[Any], int]:
    """The worker's part of `query`, in plain data."""
    document = open_document(data, form, index)
    test = lambda pattern, text, whole: bool(ask("regex", pattern, text, whole))  # noqa: E731
    found, total = select(document, expression, test, limit)
    return [(match.path, match.slice and astuple(match.slice)) for match in found], total


def checked(ask: Ask, data: bytes, form: str, index: int, schema: str) -> tuple[list[Any], int]:
    """The worker's part of `validate`, in plain data."""
    document = open_document(data, form, index)
    found, total = check(document, schema, lambda name: bytes(ask("read", name)))
    return [astuple(problem) for problem in found], total

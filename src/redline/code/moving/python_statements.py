"""Read the import statements of Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from redline.core.records import dataclass

STATEMENT_RULE: Mapping[str, Any] = {
    "rule": {"any": [{"kind": "import_statement"}, {"kind": "import_from_statement"}]}
}
_GAP = r"(?:[ \t\f]|\\\r?\n)*"
_FROM = re.compile(rf"from{_GAP}(?P<module>[.\w \t\f\\\r\n]+?){_GAP}\bimport\b{_GAP}")
_NAME = re.compile(r"#[^\n]*|(?P<name>\w+)(?:\s+as\s+(?P<alias>\w+))?")
_DOTTED = re.compile(rf"(?P<name>\w+(?:{_GAP}\.{_GAP}\w+)*)(?:\s+as\s+(?P<alias>\w+))?")


class ImportedAs(NamedTuple):
    """One name of a statement: its place, the name and what it is bound as (empty: itself)."""

    start: int
    end: int
    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class FromStatement:
    """`from module import names`; the module's place is `start` to `end`."""

    first: int
    last: int
    start: int
    end: int
    module: str
    names: tuple[ImportedAs, ...]


@dataclass(frozen=True, slots=True)
class PlainStatement:
    """`import names`."""

    first: int
    last: int
    names: tuple[ImportedAs, ...]


Statement = FromStatement | PlainStatement


def read_statement(text: str, start: int, end: int) -> Statement:
    """Read the import statement at *start* to *end*."""
    found = _FROM.match(text, start, end)
    if found is None:
        at = start + len("import")
        names = [
            ImportedAs(*item.span(), _plain(item["name"]), item["alias"] or "")
            for item in _DOTTED.finditer(text, at, end)
        ]
        return PlainStatement(start, end, tuple(names))
    names = [
        ImportedAs(*item.span(), item["name"], item["alias"] or "")
        for item in _NAME.finditer(text, found.end(), end)
        if item["name"]
    ]
    place = found.span("module")
    return FromStatement(start, end, *place, _plain(found["module"]), tuple(names))


def _plain(module: str) -> str:
    return "".join(module.replace("\\", "").split())

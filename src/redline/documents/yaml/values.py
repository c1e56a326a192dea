"""YAML text from plain values, and plain values from what the strict parser read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Protocol

from redline.core.errors import CannotApply, DocumentSyntax
from redline.documents.base.depth import value_too_deep
from redline.documents.base.path import Path
from redline.documents.yaml import strict

# What JSON leaves as it is and YAML parsers refuse, or take for the end of a line.
_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_/.+-]*(?: [A-Za-z0-9_/.+-]+)*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
# Integers from here on are floats to the parser.
_FIRST_FLOAT = 2.0**63
_TABBED = re.compile(r":( ?)\t")
_INTEGER = re.compile(r"[-+]?[0-9]{1,400}")
# What may begin a text without quotes: no reader takes it for a number or a date.
_WORDLIKE = re.compile(r"[^\W\d]|/|[0-9]+(?:\.[0-9]+){2}")
# Words that YAML 1.1 readers take for booleans: quoted when we write them.
_AMBIGUOUS = frozenset(("yes", "no", "on", "off", "y", "n", "true", "false", "null"))


class SourceTexts(Protocol):
    """Finds keys and scalars as the file writes them."""

    def key_texts(self, path: Path) -> list[str] | None:
        """Return the keys of the mapping at *path*, in order; None where they cannot be found."""

    def scalar_text(self, path: Path) -> str:
        """Return the scalar at *path*; empty where it cannot be found."""


def plain(value: Any, source: SourceTexts, path: Path = ()) -> Any:
    """*value* as JSON has it: keys as their text, aliases as their own text, no tags.

    Keys such as `3.10` are numbers to the parser, and integers of many digits are floats to it:
    their text is taken from the source.
    """
    name = strict.alias_name(value)
    if name is not None:
        return "*" + name
    value = strict.without_tag(value)
    if isinstance(value, dict):
        keys = _keys(value, source, path)
        return {
            key: plain(inner, source, (*path, key))
            for key, inner in zip(keys, value.values(), strict=True)
        }
    if isinstance(value, list):
        return [plain(item, source, (*path, index)) for index, item in enumerate(value)]
    if isinstance(value, float) and abs(value) >= _FIRST_FLOAT:
        text = source.scalar_text(path)
        return int(text) if _INTEGER.fullmatch(text) else value
    if not isinstance(value, str):
        return value
    return _with_own_tabs(strict.original_text(value), source, path)


def _with_own_tabs(text: str, source: SourceTexts, path: Path) -> str:
    """*text* without the spaces that `strict` puts between a colon and a tab."""
    if ": \t" not in text:
        return text
    gaps = _TABBED.findall(source.scalar_text(path))
    if len(gaps) != text.count(": \t"):
        return text
    first, *rest = text.split(": \t")
    return first + "".join(f":{gap}\t{part}" for gap, part in zip(gaps, rest, strict=True))


def _keys(mapping: dict[Any, Any], source: SourceTexts, path: Path) -> list[str]:
    if all(isinstance(key, str) for key in mapping):
        return [strict.original_text(key) for key in mapping]
    texts = source.key_texts(path)
    if texts is not None and len(texts) == len(mapping):
        return texts
    if texts is not None and len(set(texts)) > len(mapping):
        raise CannotApply(  # the parser has dropped one: 1 and true are one key to it
            f"Keys that are equal numbers cannot be read apart: {', '.join(texts)}",
            hint="quote one of them",
        )
    return [key if isinstance(key, str) else str(strict.without_tag(key)) for key in mapping]


def render(value: Any) -> str:
    """Return a plain value as one line of YAML."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else (".inf" if value > 0 else "-.inf")
    try:
        return _printable(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError) as error:
        raise CannotApply(f"Value cannot be written as YAML: {error}") from None


def render_literal(value: str, step: int = 2) -> str | None:
    """Text of several lines as a literal block; None if only quotes can hold it."""
    lines = value.removesuffix("\n").split("\n")
    if "\n" not in value or _CONTROL.search(value) or _UNPRINTABLE.search(value):
        return None
    # The first line says how far a block is indented, and empty lines at its end are not kept.
    if not lines[0].strip() or lines[0][0] in " \t" or not lines[-1]:
        return None
    if any(line and not line.strip() for line in lines):
        return None
    head = "|" if value.endswith("\n") else "|-"
    pad = " " * step
    return "\n".join([head, *(f"{pad}{line}" if line else "" for line in lines), ""])


def render_block(value: Any, step: int, *, literal: bool = False) -> str:
    """Return a plain value as YAML: collections as blocks, *step* columns deeper for each mapping.

    With *literal* texts of several lines are blocks as well.
    """
    if not _is_filled(value):
        return render(value)
    try:
        lines = list(_block_lines(value, step, literal=literal))
    except RecursionError:
        raise value_too_deep() from None
    # A block of text at the end needs its line break.
    ends_in_block = literal and "\n" in str(_last_leaf(value))
    return "\n".join(lines) + ("\n" if ends_in_block else "")


def _last_leaf(value: Any) -> Any:
    while _is_filled(value):
        value = list(value.values())[-1] if isinstance(value, dict) else value[-1]
    return value


def _block_lines(value: Any, step: int, *, literal: bool) -> Iterator[str]:
    entries = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for key, inner in entries:
        head = "-" if key is None else f"{_text(key)}:"
        block = render_literal(inner, step) if literal and isinstance(inner, str) else None
        if block is not None:
            first, *rest = block.removesuffix("\n").split("\n")
            yield f"{head} {first}"
            yield from rest
        elif not _is_filled(inner):
            yield f"{head} {render(inner)}"
        elif key is None:
            first, *rest = _block_lines(inner, step, literal=literal)
            yield f"- {first}"
            yield from (f"  {line}" if line else "" for line in rest)
        else:
            yield head
            inside = _block_lines(inner, step, literal=literal)
            yield from (" " * step + line if line else "" for line in inside)


def _is_filled(value: Any) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _text(value: str) -> str:
    if _PLAIN.fullmatch(value) and value.lower() not in _AMBIGUOUS:
        return value
    return quote(value)


def render_as(value: str, style: str) -> str:
    """Return text for a place whose scalar has *style*, in that style if it can be."""
    if style in ("literal", "folded"):
        block = render_literal(value)
        return _text(value) if block is None else block
    if style == "double":
        return quote(value)
    is_printable = not (_CONTROL.search(value) or _UNPRINTABLE.search(value) or "\n" in value)
    if style == "single" and is_printable:
        return "'" + value.replace("'", "''") + "'"
    if style == "plain" and is_printable and _can_be_plain(value):
        return value
    return quote(value) if style == "single" else _text(value)


def _can_be_plain(value: str) -> bool:
    """Return whether every reader takes *value* for the same text when it has no quotes."""
    if value.lower() in _AMBIGUOUS or not _WORDLIKE.match(value) or value != value.strip():
        return False
    if ": " in value or " #" in value or value.endswith(":") or "\t" in value:
        return False
    try:
        return strict.parse(value.encode("utf-8")) == [value]
    except DocumentSyntax:
        return False


def quote(value: str) -> str:
    """*value* in double quotes, on one line, in printable characters."""
    return _printable(json.dumps(value, ensure_ascii=False))


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"

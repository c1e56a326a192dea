"""Texts of errors in which names are data, and values quoted so that nothing in them is unseen.

Each surface calls arguments and tools its own way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from redline.core.late_regex import late_regex

Text: TypeAlias = str | Sequence[str]
"""A plain text; or one in pieces, in which every second piece, from the second on, is a name."""

_NAME = late_regex(r"\{([^{}]*)\}")


def naming(template: str, *values: str) -> list[str]:
    """Return *template* as a text in which what is in braces is a name, with *values* behind it.

    Values are not looked into: what a caller or a file brings goes there.
    """
    pieces = _NAME.split(template)
    pieces[-1] += "".join(values)
    return pieces


def join_texts(*texts: Text) -> Text:
    """Return texts one after the other, with their names."""
    joined = [""]
    for text in texts:
        first, *rest = [text] if isinstance(text, str) else text
        joined[-1] += first
        joined += rest
    return joined if len(joined) > 1 else joined[0]


def plain_text(text: Text, words: Mapping[str, str] | None = None) -> str:
    """Return *text* with its names as they are, or as *words* has them."""
    if isinstance(text, str):
        return text
    words = words or {}
    return "".join(
        words.get(piece, piece) if number % 2 else piece for number, piece in enumerate(text)
    )


def quote(value: Any) -> str:
    """Return *value* as JSON on one line in which every character can be seen."""
    return escape_unseen(json.dumps(value, ensure_ascii=False))


def escape_unseen(text: str) -> str:
    """Return *text* with line ends, control, direction and zero-width characters as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

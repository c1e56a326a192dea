"""Texts of errors in which names are data: each surface calls arguments and tools its own way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

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

"""Texts of errors in which names are data, and values quoted so that nothing in them is unseen.

Each surface calls arguments and tools its own way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from redline.core.late_regex import late_regex

# Characters that a reader does not see, or that change the order of others. What chooses between
# the forms of a symbol is none of them where it follows one.
HIDDEN = late_regex(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\udc80-\udcff]"
    "|(?<![#*0-9\xa9\xae\u2000-\u3300\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
)

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
    """Return *text* with every character that a reader could not see or tell as an escape."""
    if text.isascii() and text.isprintable():
        return text
    shown = visible(text)[0]
    return "".join(char if char.isprintable() else escape_character(char) for char in shown)


def visible(text: str) -> tuple[str, int]:
    """Return *text* with hidden characters escaped for a reader, and how many there were."""
    return HIDDEN.subn(lambda found: escape_character(found[0]), text)


def escape_character(char: str) -> str:
    """Return the escape of a character, which every reader sees."""
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

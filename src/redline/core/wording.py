"""Error texts whose argument and tool names can be translated, and escapes for hidden characters.

Each toolset has its own names for arguments and tools, so an error marks the names in its text
and the toolset that answers replaces them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from redline.core.late_regex import late_regex

# Characters that are invisible or that reorder the text around them. A variation selector counts
# only where it does not follow a symbol that has variants.
HIDDEN = late_regex(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\udc80-\udcff]"
    "|(?<![#*0-9\xa9\xae\u2000-\u3300\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
)

Text: TypeAlias = str | Sequence[str]
"""A plain string, or a list of pieces in which every piece with an odd index is a name."""

_NAME = late_regex(r"\{([^{}]*)\}")


def naming(template: str, *values: str) -> list[str]:
    """Return *template* as pieces, each `{word}` in it a name, and append *values*.

    Braces in *values* mean nothing: input from a caller or a file belongs there.
    """
    pieces = _NAME.split(template)
    pieces[-1] += "".join(values)
    return pieces


def join_texts(*texts: Text) -> Text:
    """Concatenate texts and keep which of their pieces are names."""
    joined = [""]
    for text in texts:
        first, *rest = [text] if isinstance(text, str) else text
        joined[-1] += first
        joined += rest
    return joined if len(joined) > 1 else joined[0]


def plain_text(text: Text, words: Mapping[str, str] | None = None) -> str:
    """Return *text* as one string; *words* maps names to what the reader calls them."""
    if isinstance(text, str):
        return text
    words = words or {}
    return "".join(
        words.get(piece, piece) if number % 2 else piece for number, piece in enumerate(text)
    )


def quote(value: Any) -> str:
    """Return *value* as JSON on one line with every invisible character escaped."""
    return escape_unseen(json.dumps(value, ensure_ascii=False))


def escape_unseen(text: str) -> str:
    """Return *text* with every invisible or unprintable character escaped."""
    if text.isascii() and text.isprintable():
        return text
    shown = visible(text)[0]
    return "".join(char if char.isprintable() else escape_character(char) for char in shown)


def visible(text: str) -> tuple[str, int]:
    """Return *text* with hidden characters escaped, and how many were escaped."""
    return HIDDEN.subn(lambda found: escape_character(found[0]), text)


def escape_character(char: str) -> str:
    r"""Return the `\uXXXX` or `\UXXXXXXXX` escape of a character."""
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

"""Compile patterns with possessive groups, even where `re` has them wrong.

Before Python 3.11.5 a group such as `(?:a++|"b")*+` may fail to match when something inside it
backtracks. The same group with its content made atomic, `(?:(?>a++|"b"))*+`, means the same and is
matched rightly there; it costs a little, so it is used only where it is needed.
"""

from __future__ import annotations

import re

from redline.core.late_regex import late_regex

_PIECE = late_regex(rb"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:>]|\(|\)[*+?]\+|\)|.", re.DOTALL)
_PROBE = rb'(?:[^"/]++|"[^"]*+(?:x)*+"|/(?![/*]))*+(//)'


def compile_pattern(pattern: bytes, flags: int = 0) -> re.Pattern[bytes]:
    """*pattern* as a regular expression that this interpreter matches correctly."""
    return re.compile(pattern if SOUND else with_atomic_groups(pattern), flags)


def with_atomic_groups(pattern: bytes) -> bytes:
    """*pattern* with the content of every group that has a possessive quantifier made atomic."""
    pieces: list[bytes] = []
    opened: list[int] = []
    for found in _PIECE.finditer(pattern):
        piece = found[0]
        if piece.startswith(b"("):
            opened.append(len(pieces))
        elif piece.startswith(b")"):
            start = opened.pop()
            if len(piece) == 3:
                captures = pieces[start] == b"("
                pieces[start] = b"(?:(?>(" if captures else b"(?:(?>"
                piece = (b"))" if captures else b")") + piece
        pieces.append(piece)
    return b"".join(pieces)


def is_sound() -> bool:
    """Return whether this interpreter matches a possessive group as it should."""
    return re.match(_PROBE, b"{\n //") is not None


SOUND = is_sound()

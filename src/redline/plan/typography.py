"""Look-alike characters: which ASCII character a quote, dash or space stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.plan.align import opcodes

_SINGLE = "\u2018\u2019\u201a\u201b\u2032"
_DOUBLE = "\u201c\u201d\u201e\u201f\u2033"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SPACES = (
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)

# One character for one, so that offsets stay what they are. An ellipsis is not in here: it stands
# for text that was left out, and guessing that text is how edits go wrong.
_FOLD = {
    **dict.fromkeys(_SINGLE, "'"),
    **dict.fromkeys(_DOUBLE, '"'),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_SPACES, " "),
}
_FOLDED = frozenset(_FOLD)
_TYPOGRAPHIC = re.compile(f"[{_SINGLE}{_DOUBLE}{_DASHES}{_SPACES}]")
_PLAIN = frozenset("'\"-")
_TOKEN = re.compile(r"\w+|\s|[^\w\s]")


def fold(text: str) -> str:
    """*text* with typographic quotes, dashes and spaces as their ASCII look-alikes."""
    return text if text.isascii() else _TYPOGRAPHIC.sub(lambda found: _FOLD[found[0]], text)


class Spelling:
    """How the characters of a call are spelled in the file, learned from the text both share."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._seen: dict[str, set[str]] = {}
        for called, found in pairs:
            for ours, theirs in zip(called, found, strict=False):
                if ours in _FOLDED or ours in _PLAIN or ours != theirs:
                    self._seen.setdefault(ours, set()).add(theirs)

    def respell(self, line: str, called: str, found: str) -> str | None:
        """*line* as the file would spell it; None when there are two ways to.

        *called* is the old line it replaces and *found* that line in the file: characters that
        are kept from the old line keep the file's spelling.
        """
        width = min(len(called), len(found))
        called, found = called[:width], found[:width]
        ours, theirs = _TOKEN.findall(line), _TOKEN.findall(called)
        spans = _spans(theirs)
        pieces: list[str] = []
        for tag, i1, i2, j1, j2 in opcodes(theirs, ours):
            if tag == "equal":
                pieces.append(found[spans[i1] : spans[i2]])
                continue
            for token in ours[j1:j2]:
                spelled = self._spell(token)
                if spelled is None:
                    return None
                pieces.append(spelled)
        return "".join(pieces)

    def _spell(self, token: str) -> str | None:
        seen = self._seen.get(token)
        if token in _FOLDED:
            return self._spell_folded(token, seen)
        if token in _PLAIN and seen is not None and seen != {token}:
            return None
        return token

    def _spell_folded(self, token: str, seen: set[str] | None) -> str | None:
        plain = fold(token)
        if seen == {plain} or (seen is None and self._plain_in_file()):
            return plain
        return token if seen is None or seen == {token} else None

    def _plain_in_file(self) -> bool:
        """Whether everything typographic in the call is plain in the file."""
        folded = [found for called, found in self._seen.items() if called in _FOLDED]
        return bool(folded) and all(len(f) == 1 and not f & _FOLDED for f in folded)


def _spans(tokens: list[str]) -> list[int]:
    spans = [0]
    for token in tokens:
        spans.append(spans[-1] + len(token))
    return spans

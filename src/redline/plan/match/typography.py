"""Look-alike characters: which ASCII character a quote, dash or space represents."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from redline.core.late_regex import late_regex
from redline.plan.match.align import opcodes

_SINGLE = "\u2018\u2019\u201a\u201b\u2032"
_DOUBLE = "\u201c\u201d\u201e\u201f\u2033"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SPACES = (
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)

# One character for one, so that offsets stay what they are. An ellipsis is not in here: it
# represents text that was left out, and guessing that text is how edits go wrong.
_FOLD = {
    **dict.fromkeys(_SINGLE, "'"),
    **dict.fromkeys(_DOUBLE, '"'),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_SPACES, " "),
}
_FOLDED = frozenset(_FOLD)
_TYPOGRAPHIC = late_regex(f"[{_SINGLE}{_DOUBLE}{_DASHES}{_SPACES}]")
_PLAIN = frozenset("'\"-")
_TOKEN = late_regex(r"\w+|\s|[^\w\s]")


def fold(text: str) -> str:
    """*text* with typographic quotes, dashes and spaces as their ASCII look-alikes."""
    return text if text.isascii() else _TYPOGRAPHIC.sub(lambda found: _FOLD[found[0]], text)


class FileTypography:
    """How the file writes the characters of a call, learned from the text both share.

    *text* is the file's: a plain character that it has may be written as the call does; one that
    it only has in another form may not, as that form may be what is meant.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], text: str) -> None:
        self._text = text
        self._seen: dict[str, set[str]] = {}
        for called, found in pairs:
            for ours, theirs in zip(called, found, strict=False):
                if ours in _FOLDED or ours in _PLAIN or ours != theirs:
                    self._seen.setdefault(ours, set()).add(theirs)

    def rewrite(self, line: str, called: str, found: str) -> str | None:
        """*line* as the file would write it; None when there are two ways to.

        *called* is the old line it replaces and *found* that line in the file: characters that
        are kept from the old line keep the file's characters.
        """
        width = min(len(called), len(found))
        called, found = called[:width], found[:width]
        ours, theirs = _TOKEN.findall(line), _TOKEN.findall(called)
        spans = list(accumulate(map(len, theirs), initial=0))
        pieces: list[str] = []
        for tag, i1, i2, j1, j2 in opcodes(theirs, ours):
            if tag == "equal":
                if self._is_chance(theirs[i1:i2], found[spans[i1] : spans[i2]]):
                    return None
                pieces.append(found[spans[i1] : spans[i2]])
                continue
            for token in ours[j1:j2]:
                rewritten = self._rewrite_token(token)
                if rewritten is None:
                    return None
                pieces.append(rewritten)
        return "".join(pieces)

    def _is_chance(self, tokens: list[str], rewritten: str) -> bool:
        """Whether marks without a word among them were paired, and the file has them both ways."""
        if any(token[0].isalnum() or token[0] == "_" for token in tokens):
            return False
        both_ways = (len({char in _FOLDED for char in self._seen.get(t, ())}) > 1 for t in tokens)
        return "".join(tokens) != rewritten and any(both_ways)

    def _rewrite_token(self, token: str) -> str | None:
        seen = self._seen.get(token)
        if token in _FOLDED:
            return self._spell_folded(token, seen)
        if token in _PLAIN and seen is not None and seen != {token} and token not in self._text:
            return None
        return token

    def _spell_folded(self, token: str, seen: set[str] | None) -> str | None:
        plain = fold(token)
        if seen is None:
            seen = self._seen_alike(plain)
        if seen is None:
            return token if not self._plain_in_file(plain.isspace()) else None
        if seen == {plain}:
            return plain
        return token if seen == {token} else None

    def _seen_alike(self, plain: str) -> set[str] | None:
        """Return how the file writes what the call writes with other look-alikes of *plain*."""
        alike = [found for called, found in self._seen.items() if called in _FOLDED]
        kinds = [found for found in alike if {fold(char) for char in found} == {plain}]
        return set().union(*kinds) if kinds else None

    def _plain_in_file(self, spaces: bool) -> bool:
        """Whether something typographic in the call, spaces or else marks, is plain in the file."""
        return any(
            called in _FOLDED and called not in found and fold(called).isspace() == spaces
            for called, found in self._seen.items()
        )

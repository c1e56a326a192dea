"""Tags and anchors standing as rapidyaml cannot take them: refused before it sees them.

It has room for two tags and two anchors that wait for their node, and writes past it at the third.
They wait until some content comes; blanks, comments, the ends of flow collections and of documents
are none. When a document starts with a tag and the next line with a tab, or when the tag belongs to
a quoted key of several lines, what it does is undefined. All of this is invalid or as good as never
written, so a little more is refused than what does harm.
"""

from __future__ import annotations

import re

from redline.core.errors import DocumentSyntax
from redline.documents.possessive import compiled

_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_FLAGS = re.MULTILINE | re.DOTALL
# As the parser cuts them, which in a flow collection is before a bracket and elsewhere is not; one
# in angle brackets may hold blanks, or be followed by the next.
_WORD = rb"(?:[^ ,\]}\t\n]++|[\]}](?![&!]))*+"
_TAG = rb"!(?>(?=<)[^>\n]*+>?+|%b)" % _WORD
_ANCHOR = rb"&%b" % _WORD
_GAP = rb"(?:[ \t\n,\]}]++|#[^\n]*+|^\.\.\.(?=[ \t\n]|\Z)|^%[^\n]*+)*+"
_BOUNDARY = re.compile(rb"\n---(?=[ \t\n]|\Z)")
_END = re.compile(rb"^\.\.\.(?=[ \t\n]|\Z)", re.MULTILINE)
_BOM = b"\xef\xbb\xbf"


def _without_heaps(gap: bytes) -> re.Pattern[bytes]:
    """Matches up to the first three tags, or three anchors, with nothing but gaps between them."""
    tags, anchors = _TAG + gap, _ANCHOR + gap
    heap = rb"(?:(?:%b)*+%b){3}|(?:(?:%b)*+%b){3}" % (anchors, tags, tags, anchors)
    return compiled(rb"(?:[^&!]++|(?!%b)(?:%b|%b)++)*+" % (heap, tags, anchors), _FLAGS)


def _without_pairs(gap: bytes) -> re.Pattern[bytes]:
    """Matches up to the first two in a row; most texts have none, and this is quick to say so."""
    return compiled(rb"(?:[^&!]++|(?:%b|%b)%b(?![&!]))*+" % (_TAG, _ANCHOR, gap), _FLAGS)


# Once a document was ended by its marker, the start of the next one is not taken for content.
_LONG_GAP = _GAP.replace(rb"\.\.\.", rb"(?:\.\.\.|---)")
_ALONE, _ALONE_BEHIND_ENDS = _without_pairs(_GAP), _without_pairs(_LONG_GAP)
_SAFE, _SAFE_BEHIND_ENDS = _without_heaps(_GAP), _without_heaps(_LONG_GAP)
# A mark unlike the most usual ones: a word, a blank or a line break, and then content. It comes
# first in either pattern: one byte is found fast, one of two is not.
_NAME = rb"[^ ,\]}\t\n<&!]*+"
_UNUSUAL = tuple(
    compiled(rb"%b(?!\w++ [\w\"'])(?!%b(?: ++|\n ++)[^ \t\n,\]}#&!])" % (mark, name))
    for mark, name in ((b"&", _NAME), (b"!", rb"(?:[\w-]*+!?+%b|<[^>\n&!]*+>)" % _NAME))
)

# As the gap above, but it ends before a line that a tab leads.
_SHORT_GAP = _GAP.replace(rb"[ \t\n,\]}]++", rb"[ \t,\]}]++|\n(?! *+\t[ \t]*+[^ \t\n#])")
_WAITING = rb"(?:(?:%b|%b)%b)++" % (_TAG, _ANCHOR, _SHORT_GAP)
_FIRST = compiled(rb"(?:---)?+%b(%b)?+" % (_GAP, _WAITING), _FLAGS)
_ANY = compiled(rb"(?:[^&!]++)?+(%b)?+" % _WAITING, _FLAGS)
_BEFORE_KEY = compiled(rb"(?:%b|%b)%b\?(?=[ \t\n,]|\Z)" % (_TAG, _ANCHOR, _GAP), _FLAGS)
_LONG_KEY = compiled(
    rb'"(?=(?:[^"\\\n]++|\\[^\n])*+\\?+\n)(?:[^"\\]++|\\.)*+"[ \t]*+:'
    rb"|'(?=(?:[^'\n]++|'')*+\n)(?:[^']++|'')*+'[ \t]*+:",
    _FLAGS,
)


def refuse_heaps(text: bytes) -> None:
    """Refuse more than two tags, or two anchors, in a row (one is the collection's, one its first
    key's), and at the start of a document what must not follow one. Lines end in LF."""
    if b"!" not in text and b"&" not in text:
        return
    if _BOM in text:
        raise _refusal(text, text.index(_BOM), "a byte order mark in the midst of tags or anchors")
    has_ends = b"..." in text and _END.search(text) is not None
    pair = _end(_ALONE_BEHIND_ENDS if has_ends else _ALONE, text, _unusual(text))
    heap = _end(_SAFE_BEHIND_ENDS if has_ends else _SAFE, text, pair)
    if heap < len(text):
        raise _refusal(text, heap, "too many tags or anchors before one node")
    _check_keys(text, has_pairs=pair < len(text))
    if has_ends:
        _check_all(text)
    else:
        _check_starts(text)


def _unusual(text: bytes) -> int:
    """Where the first mark stands of which more than a look is needed to see that it is alone."""
    found = (mark.search(text) for mark in _UNUSUAL)
    return min((mark.start() for mark in found if mark), default=len(text))


def _end(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _check_keys(text: bytes, *, has_pairs: bool) -> None:
    """Before `?` a tag may stand only in block style, on a line above: in a flow collection it
    waits on, for ever. What may be in one is let through once, and where no two wait elsewhere.
    """
    if b"?" not in text:
        return
    flow, waiting = _Flow(text), 0
    for found in _BEFORE_KEY.finditer(text):
        waiting += flow.may_hold(found.start())
        is_full = waiting + has_pairs > 1
        if is_full or b"\n" not in found[0]:
            raise _refusal(text, found.start(), "a tag or an anchor before ?")


class _Flow:
    """Brackets counted from left to right, believed only until something could hide one."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._done = min((at for at in map(text.find, (b"[", b"{")) if at >= 0), default=len(text))
        self._depth = 0
        self._is_unsure = False

    def may_hold(self, at: int) -> bool:
        """Whether a flow collection may be open at *at*; asked in rising order."""
        part = self._text[self._done : at]
        self._done = max(self._done, at)
        self._is_unsure = self._is_unsure or any(mark in part for mark in (b'"', b"'", b"#", b"<"))
        for byte in b"" if self._is_unsure else part.translate(None, _NOT_BRACKETS):
            self._depth = max(0, self._depth + (1 if byte in b"[{" else -1))
        return self._is_unsure or self._depth > 0


def _check_all(text: bytes) -> None:
    """Behind the end of a document, a line within a document may be taken for a start."""
    at = 0
    while at < len(text):
        found = _ANY.match(text, at)
        at = max(found.end(), at + 1) if found else at + 1
        if found and found[1] is not None:
            _check_behind(text, found.end())


def _check_starts(text: bytes) -> None:
    seen = -1
    for at in (0, *(found.start() + 1 for found in _BOUNDARY.finditer(text))):
        if at <= seen:
            continue
        first = _FIRST.match(text, at)
        seen = first.end() if first else at
        if first and first[1] is not None:
            _check_behind(text, seen)


def _check_behind(text: bytes, at: int) -> None:
    if text.startswith(b"\n", at):
        raise _refusal(text, at + 1, "a tab indents what follows a tag or an anchor")
    if _LONG_KEY.match(text, at):
        raise _refusal(text, at, "a key with a tag or an anchor spans several lines")


def _refusal(text: bytes, at: int, reason: str) -> DocumentSyntax:
    line = text.count(b"\n", 0, at) + 1
    return DocumentSyntax(f"Invalid YAML at line {line}: {reason}", line=line)

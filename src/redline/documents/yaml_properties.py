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

_FLAGS = re.MULTILINE | re.DOTALL
# As the parser cuts them: one in angle brackets may hold blanks, or be followed by the next.
_TAG = rb"!(?>(?=<)[^>\n]*+>?+|[^ ,\]}\t\n]*+)"
_ANCHOR = rb"&[^ ,\]}\t\n]*+"
_GAP = rb"(?:[ \t\n,\]}]++|#[^\n]*+|^\.\.\.(?=[ \t\n]|\Z)|^%[^\n]*+)*+"
_TAGS, _ANCHORS = _TAG + _GAP, _ANCHOR + _GAP
_HEAP = rb"(?:(?:%b)*+%b){3}|(?:(?:%b)*+%b){3}" % (_ANCHORS, _TAGS, _TAGS, _ANCHORS)
# Most texts have no two in a row.
_PAIR = compiled(rb"(?:%b|%b)[&!]" % (_TAGS, _ANCHORS), _FLAGS)
_SAFE = compiled(rb"(?:[^&!]++|(?!%b)(?:%b|%b)++)*+" % (_HEAP, _TAGS, _ANCHORS), _FLAGS)

_BOUNDARY = re.compile(rb"^(?:---|\.\.\.)(?=[ \t\n]|\Z)", re.MULTILINE)
# As the gap above, but it ends before a line that a tab leads.
_SHORT_GAP = _GAP.replace(rb"[ \t\n,\]}]++", rb"[ \t,\]}]++|\n(?! *+\t[ \t]*+[^ \t\n#])")
_FIRST = compiled(rb"(?:---)?+%b((?:(?:%b|%b)%b)++)?+" % (_GAP, _TAG, _ANCHOR, _SHORT_GAP), _FLAGS)
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
    safe = _SAFE.match(text) if _PAIR.search(text) else None
    at = safe.end() if safe else len(text)
    if at < len(text):
        raise _refusal(text, at, "too many tags or anchors before one node")
    _check_starts(text)


def _check_starts(text: bytes) -> None:
    seen = -1
    for at in (0, *(found.start() for found in _BOUNDARY.finditer(text))):
        if at <= seen:
            continue
        first = _FIRST.match(text, at)
        seen = first.end() if first else at
        if first is None or first[1] is None:
            continue
        if text.startswith(b"\n", seen):
            raise _refusal(text, seen + 1, "a tab indents what follows a tag or an anchor")
        if _LONG_KEY.match(text, seen):
            raise _refusal(text, seen, "a key with a tag or an anchor spans several lines")


def _refusal(text: bytes, at: int, reason: str) -> DocumentSyntax:
    line = text.count(b"\n", 0, at) + 1
    return DocumentSyntax(f"Invalid YAML at line {line}: {reason}", line=line)

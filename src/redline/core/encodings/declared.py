"""The encoding that a file declares in its first lines."""

from __future__ import annotations

import re

from redline.core.encodings.names import find_codec

_HEAD = 1024
_NAME = rb"([A-Za-z0-9][-\w.:]*)"
# PEP 263, and the same words of Emacs and Vim after other comment signs.
_COOKIE = re.compile(
    rb"\A(?:[^\n]*\n)?[ \t\f]*(?:#|//|/\*|;|%|--|<!--|\"|\.\.)[^\n]*?coding[:=][ \t]*" + _NAME
)
_XML = re.compile(rb"\A<\?xml[^>]{0,200}?encoding\s*=\s*[\"']" + _NAME)
_CSS = re.compile(rb"\A@charset \"" + _NAME)
# Comments are skipped without going back: there is one way to read them.
_MARKUP = re.compile(
    rb"\A\s*+(?:<!--.*?-->\s*+)*+<(?:!doctype\s+html|html|head|meta)",
    re.IGNORECASE | re.DOTALL,
)
_META = re.compile(rb"<meta\b[^>]{0,300}?charset\s*=\s*[\"']?\s*" + _NAME, re.IGNORECASE)


def declared_encoding(raw: bytes) -> str | None:
    """Return the codec that a file names for itself, None if it names none that exists."""
    head = raw[:_HEAD]
    found = _COOKIE.match(head) or _XML.match(head) or _CSS.match(head)
    if found is not None:
        return find_codec(found[1].decode("latin-1"))
    found = _META.search(head) if _MARKUP.match(head) else None
    if found is None:
        return None
    name = find_codec(found[1].decode("latin-1"))
    # Browsers read both names as Windows-1252.
    return "cp1252" if name in ("iso8859-1", "ascii") else name

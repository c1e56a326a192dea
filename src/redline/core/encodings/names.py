"""Encoding names as Python's codecs know them."""

from __future__ import annotations

import codecs

from redline.core.errors import InvalidArgument

UTF8 = "utf-8"
# A codec that shifts between states, or reads escapes, changes bytes far from an edit.
_UNFIT = ("iso2022", "hz", "utf-7", "idna", "punycode", "unicode-escape", "raw-unicode-escape")
# Encodings that a declared name often means, each a superset of the one before.
_SUPERSETS = (
    ("gb2312", "gbk", "gb18030"),
    ("big5", "cp950", "big5hkscs"),
    ("shift_jis", "cp932"),
    ("euc_kr", "cp949"),
)


def find_codec(name: str) -> str | None:
    """Return Python's name for an encoding of text; None if there is no such codec."""
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    plain = info.name.replace("_", "-")
    if not getattr(info, "_is_text_encoding", True) or plain.startswith(_UNFIT):
        return None
    return UTF8 if plain == "utf-8-sig" else info.name


def require_codec(name: str) -> str:
    """Return Python's name for the encoding that a caller asks for; InvalidArgument."""
    found = find_codec(name)
    if found is None:
        raise InvalidArgument(
            f"Unknown encoding: {name}",
            field="encoding",
            hint="name one as Python does: gbk, big5, shift_jis, euc_kr, cp1251, cp1252, utf-16",
        )
    return found


def with_supersets(name: str) -> tuple[str, ...]:
    """Return the codec and the larger ones that its name is commonly used for."""
    for family in _SUPERSETS:
        if name in family:
            return family[family.index(name) :]
    return (name,)

"""UTF-16 and UTF-32: by their byte order mark, or by what only such text looks like."""

from __future__ import annotations

import codecs
import unicodedata
from collections import Counter

# The longer marks first: that of UTF-32-LE begins as that of UTF-16-LE.
_MARKS = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# Called by themselves: by name, a codec would be imported, which a guarded thread may not do.
_DECODERS = {
    "utf-32-le": codecs.utf_32_le_decode,
    "utf-32-be": codecs.utf_32_be_decode,
    "utf-16-le": codecs.utf_16_le_decode,
    "utf-16-be": codecs.utf_16_be_decode,
}
# How much of a file decides whether it may be such text.
SAMPLE = 1 << 14
_ALLOWED_CONTROLS = frozenset("\t\n\r\f\x1b")
# What nearly every text holds in any script: blanks, line ends, digits, punctuation.
_COMMON = frozenset("\t\n\r 0123456789.,:;!?-()\"'=/\u3000\u3001\u3002\uff0c\uff1a\uff01\uff1f")
_SCRIPT_ENDS = (0x250, 0x370, 0x400, 0x530, 0x590, 0x700, 0xE80, 0x1E00, 0x2000, 0x3000, 0x3100)
_MIN_COMMON = 0.02
# Less is too little to tell text from chance, unless it is mostly blanks and digits or ASCII.
_MIN_CHARACTERS = 12
_MIN_COHERENT = 0.9


def marked_encoding(raw: bytes) -> str | None:
    """Return the codec that a byte order mark names, UTF-8's aside, if all bytes are such text."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            text = _decode(raw[len(mark) :], encoding)
            if text is not None and "\0" not in text:
                return encoding
    return None


def mark_length(raw: bytes, encoding: str) -> int:
    """Return how many bytes the byte order mark of a file in *encoding* takes."""
    return next(
        (len(mark) for mark, name in _MARKS if name == encoding and raw.startswith(mark)), 0
    )


def unmarked_encoding(raw: bytes) -> str | None:
    """Return the codec of UTF-16 or UTF-32 text without a mark; None for anything else."""
    found = [(score, encoding) for encoding in _DECODERS if (score := _score(raw, encoding)) > 0]
    return max(found)[1] if found else None


def may_be_wide(head: bytes) -> bool:
    """Whether a file that begins with *head*, or is that, may be text in UTF-16 or UTF-32."""
    if head.startswith(tuple(mark for mark, _ in _MARKS)):
        return True
    return any(_score_sample(head[:SAMPLE], encoding) > 0 for encoding in _DECODERS)


def _score(raw: bytes, encoding: str) -> float:
    """Return how much *raw* looks like text in *encoding*; 0 when it does not."""
    # The beginning decides for nearly all binary data; only text is decoded as a whole.
    score = 0.0 if len(raw) % _unit(encoding) else _score_sample(raw[:SAMPLE], encoding)
    whole = _decode(raw, encoding) if score else None
    return 0.0 if whole is None or "\0" in whole else score


def _score_sample(raw: bytes, encoding: str) -> float:
    unit = _unit(encoding)
    if len(raw) % unit or len(raw) < 2 * unit:
        return 0.0
    sample = _decode(_whole_characters(raw, encoding), encoding)
    if not sample or "\0" in sample or not _is_printable(sample):
        return 0.0
    common = sum(map(sample.count, _COMMON)) / len(sample)
    is_short = len(sample) < _MIN_CHARACTERS and sum(map(str.isascii, sample)) * 2 < len(sample)
    if is_short or common < _MIN_COMMON or not _is_coherent(sample):
        return 0.0
    return common + (unit == 4)


def _unit(encoding: str) -> int:
    return 4 if "32" in encoding else 2


def _whole_characters(sample: bytes, encoding: str) -> bytes:
    """Return *sample* without the first half of a surrogate pair at its end."""
    if len(sample) < SAMPLE or "16" not in encoding:
        return sample
    high = sample[-1] if encoding.endswith("le") else sample[-2]
    return sample[:-2] if 0xD8 <= high <= 0xDB else sample


def _decode(raw: bytes, encoding: str) -> str | None:
    try:
        return _DECODERS[encoding](raw, "strict", True)[0]
    except UnicodeDecodeError:
        return None


def _is_printable(sample: str) -> bool:
    """Return whether every character is assigned and none is a control or private one."""
    return all(
        unicodedata.category(character) not in ("Cc", "Cn", "Co", "Cs")
        for character in set(sample) - _ALLOWED_CONTROLS
    )


def _is_coherent(sample: str) -> bool:
    """Return whether two scripts make up nearly all of the text, as in what people write."""
    scripts = Counter(_script(ord(c)) for c in sample if c not in _COMMON)
    total = sum(scripts.values())
    return sum(count for _, count in scripts.most_common(2)) >= _MIN_COHERENT * total


def _script(code: int) -> int:
    for number, end in enumerate(_SCRIPT_ENDS):
        if code < end:
            return number
    if code < 0xA000:
        return 20  # ideographs
    return 21 if 0xAC00 <= code < 0xD7B0 else 22 + (code >> 12)

"""Guessing the encoding of text that is neither UTF-8 nor declared.

`chardet` (Python, compiled from Python where a wheel is) is loaded for the first such file. It sees
at most 64 KB, and what it says is believed only above a confidence, for bytes that look like text,
and if every byte decodes and encodes back.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from redline.core.encodings.names import find_codec

MAX_SAMPLE = 1 << 16
# Sure by itself; or, for a short text, by its distance to every other reading.
MIN_CONFIDENCE = 0.12
_MIN_SHORT_CONFIDENCE = 0.06
_MAX_OTHER = 0.75
_MIN_BYTES = 16
# A candidate that scores within this factor of the best is as likely.
_AS_LIKELY = 0.97
_SINGLE_BYTE = tuple(
    """
    cp1250 cp1251 cp1252 cp1253 cp1254 cp1257 cp866 koi8-r koi8-u iso8859-2 iso8859-5 iso8859-7
    iso8859-9 iso8859-15
    """.split()
)
# As the detector names them, with the codecs to try, the smallest repertoire first.
_MULTI_BYTE = {
    "gb18030": ("gbk", "gb18030"),
    "big5hkscs": ("big5", "cp950", "big5hkscs"),
    "cp932": ("shift_jis", "cp932"),
    "cp949": ("euc_kr", "cp949"),
    "euc_jis_2004": ("euc_jp", "euc_jis_2004"),
}
_SIBLINGS = {"cp1250": "iso8859-2", "cp1253": "iso8859-7", "cp1254": "iso8859-9"}
# Encodings of Latin letters, the commonest first.
_LATIN = ("cp1252", "iso8859-15", "iso8859-2", "cp1250", "cp1254", "iso8859-9", "cp1257")
# A short text of which more is not ASCII may be anything.
_SHORT = 36
_MIN_WORD = 6
_LETTERS = re.compile(r"[^\W\d_]+")
_SIGNS = "\u00a0\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u2026\u2039\u203a«»¿¡€£°§©®·ºª"
# Signs of Windows-1252 that are no letters in the encodings beside it, where they stand alone.
_LONE_SIGN = re.compile(
    r"[\u00a0\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u2020-\u2022\u2026\u2030\u2039\u203a"
    r"\u20ac\u2122°§²©®]|(?<![^\W\d_])[¡¢£¥ª«¬¯±³µ¶·¹º»¼½¾¿×÷](?![^\W\d_])"
)
# So many ASCII letters show for each of them that it stands in text.
_LETTERS_FOR_SIGN = 5
_ESCAPES = b"\f\x1b"
_ALPHABETS = {"LATIN", "CYRILLIC", "GREEK"}
_WORD = re.compile(r"\S+")
# A sign of these encodings between two letters, and a capital behind a small letter.
_SIGN_INSIDE = re.compile(
    r"[^\W\d_][\u00a1-\u00a9\u00ac\u00ae-\u00b4\u00b6\u00b8\u00b9\u00bc-\u00bf\u00d7\u00f7"
    r"\u02c6-\u02dd\u2020-\u2022\u2030\u2100-\u259f][^\W\d_]"
)
_RAISED = re.compile(
    r"[a-z\u00df-\u00f6\u00f8-\u00ff][\u00c0-\u00d6\u00d8-\u00de\u0160\u0178\u017d]"
    r"|[\u00df-\u00f6\u00f8-\u00ff][A-Z]"
)
_CANDIDATES = (*_SINGLE_BYTE, *_MULTI_BYTE)
_HIGH_PAIR = re.compile(rb"[\x80-\xff]{2}")
_HIGH = re.compile(rb"[\x80-\xff]")
_MAX_LINE = 4096
_CONTROLS = bytes(sorted({*range(0x20), 0x7F} - set(b"\t\n\r\f\x1b")))
_C1 = bytes(range(0x80, 0xA0))
_C1_CHARACTERS = frozenset(map(chr, range(0x80, 0xA0)))


class _Candidate(NamedTuple):
    """One encoding that the detector holds possible."""

    encoding: str
    confidence: float


def detect_encoding(raw: bytes) -> str | None:
    """Return the codec of text whose encoding nothing states; None when it is not sure enough."""
    sample = _sample(raw)
    if not _looks_like_text(sample):
        return None
    if _has_lone_signs(sample):
        return "cp1252" if fits(raw, "cp1252") else None
    ranked = _plausible(sample, _rank(sample))
    if len(sample) < _MIN_BYTES or not ranked or not _is_sure(sample, ranked):
        return _find_agreement(raw, sample, ranked)
    likely = [each for each in ranked if each.confidence >= _AS_LIKELY * ranked[0].confidence]
    for candidate in sorted(likely, key=lambda each: _is_odd(each.encoding, raw)):
        for encoding in _MULTI_BYTE.get(candidate.encoding, (candidate.encoding,)):
            if fits(raw, encoding):
                return _sibling(raw, encoding)
    return None


def _has_lone_signs(sample: bytes) -> bool:
    """Return whether all that is not ASCII are signs, one at a time, among ASCII letters."""
    if _HIGH_PAIR.search(sample) or not _reads(sample, "cp1252", None):
        return False
    rest, signs = _LONE_SIGN.subn("", sample.decode("cp1252"))
    letters = sum(map(str.isalpha, rest))
    return rest.isascii() and letters >= _LETTERS_FOR_SIGN * signs


def _plausible(sample: bytes, ranked: tuple[_Candidate, ...]) -> tuple[_Candidate, ...]:
    """Return the candidates with the fewest words that no language has."""
    odd = [_count_odd_words(sample.decode(each.encoding, "replace")) for each in ranked]
    return tuple(each for each, count in zip(ranked, odd, strict=True) if count == min(odd))


def _count_odd_words(text: str) -> int:
    """Count words of two scripts, with a sign inside, or with a capital behind a small letter."""
    return sum(_is_odd_word(word) for word in _WORD.findall(text))


def _is_odd_word(word: str) -> bool:
    if word.isascii():
        return False
    if "\u00a4" in word or _SIGN_INSIDE.search(word) or _RAISED.search(word):
        return True
    return len({_script(letter) for letter in word if letter.isalpha()} & _ALPHABETS) > 1


def _script(letter: str) -> str:
    return "LATIN" if letter.isascii() else unicodedata.name(letter, "").partition(" ")[0]


def _find_agreement(raw: bytes, sample: bytes, ranked: tuple[_Candidate, ...]) -> str | None:
    """Return an encoding of Latin letters that is likely by what the others read alike.

    Windows-1252 and its neighbours have most letters at the same bytes: which one it is hardly
    matters then. Their shares count together. No word may be odd, and those with letters beyond
    ASCII have to be ASCII for the most part, as they are in these languages.
    """
    shares: dict[str, float] = {}
    first: dict[str, str] = {}
    for each in ranked:
        if each.encoding in _LATIN and fits(raw, each.encoding):
            text = sample.decode(each.encoding)
            shares[text] = shares.get(text, 0.0) + each.confidence
            first.setdefault(text, each.encoding)
    if not shares:
        return None
    best = max(shares, key=lambda text: (shares[text], -_LATIN.index(first[text])))
    is_read = _is_written(best) and not _count_odd_words(best)
    if not is_read or len(sample) < _MIN_WORD or sample.translate(None, _ESCAPES) != sample:
        return None
    return next(name for name in _LATIN if _reads(raw, name, raw.decode(first[best])))


def _is_written(text: str) -> bool:
    """Whether *text* is as people write with Latin letters: cases, signs, and mostly ASCII."""
    foreign = [letter for letter in text if not letter.isascii()]
    if len(text) < _SHORT and 5 * len(foreign) > 2 * len(text):
        return False
    if any(not letter.isalpha() and letter not in _SIGNS for letter in foreign):
        return False
    words = [word for word in _LETTERS.findall(text) if not word.isascii()]
    if any(not (word.islower() or word.istitle() or word.isupper()) for word in words):
        return False
    around = "".join(word for word in _WORD.findall(text) if not word.isascii())
    return sum(each.isascii() and each.isalpha() for each in around) >= len(foreign)


def _is_sure(sample: bytes, ranked: tuple[_Candidate, ...]) -> bool:
    best = ranked[0]
    if best.confidence >= MIN_CONFIDENCE:
        return True
    if best.confidence < _MIN_SHORT_CONFIDENCE:
        return False
    text = sample.decode(best.encoding, "replace")
    others = (each for each in ranked[1:] if sample.decode(each.encoding, "replace") != text)
    other = next(others, None)
    return other is None or other.confidence <= _MAX_OTHER * best.confidence


def _sibling(raw: bytes, encoding: str) -> str:
    """Return the ISO encoding of a Windows page that means the same without the page's extras."""
    iso = _SIBLINGS.get(encoding)
    if iso is None or raw.translate(None, _C1) != raw or not fits(raw, iso):
        return encoding
    return iso if raw.decode(iso) == raw.decode(encoding) else encoding


def rival_encodings(raw: bytes, chosen: str) -> list[str]:
    """Return the other encodings that *raw*, detected as *chosen*, could equally be in."""
    text = raw.decode(chosen)
    sample = _sample(raw)
    ranked = _plausible(sample, _rank(sample))
    enough = _AS_LIKELY * ranked[0].confidence if ranked else 1.0
    likely = {each.encoding for each in ranked if each.confidence >= enough}
    own = {chosen, *(name for name, codecs in _MULTI_BYTE.items() if chosen in codecs)}
    return [
        name
        for name in (*_SINGLE_BYTE, *(likely & _MULTI_BYTE.keys()))
        if name not in own and _reads(raw, name, None if name in likely else text)
    ]


def fits(raw: bytes, encoding: str) -> bool:
    """Return whether all bytes are text in *encoding* and come back the same."""
    try:
        text = raw.decode(encoding)
        return text.encode(encoding) == raw and _C1_CHARACTERS.isdisjoint(text)
    except UnicodeError:
        return False


def _reads(raw: bytes, encoding: str, text: str | None) -> bool:
    """Return whether *raw* reads in *encoding*, and as *text* if one is given."""
    try:
        found = raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return text is None or found == text


def _is_odd(encoding: str, raw: bytes) -> bool:
    """Whether a Windows code page is likely although the bytes that only it has are unused."""
    return encoding == "cp1250" and raw.translate(None, _C1) == raw


def _sample(raw: bytes) -> bytes:
    """Return the lines that are not ASCII, up to a limit: the others say nothing."""
    lines: list[bytes] = []
    size = position = 0
    while size < MAX_SAMPLE and (found := _HIGH.search(raw, position)) is not None:
        start = raw.rfind(b"\n", position, found.start()) + 1 or position
        if found.start() - start > _MAX_LINE:
            start = found.start()  # the first byte of a character, as ASCII is before it
        position = raw.find(b"\n", found.start()) + 1 or len(raw)
        lines.append(raw[start : min(position, start + MAX_SAMPLE)])
        size += len(lines[-1])
    return b"".join(lines)


def _looks_like_text(sample: bytes) -> bool:
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return controls <= len(sample) // 1000


@lru_cache(maxsize=16)
def _rank(sample: bytes) -> tuple[_Candidate, ...]:
    import chardet

    found = chardet.detect_all(
        sample,
        ignore_threshold=True,
        max_bytes=2 * MAX_SAMPLE,
        compat_names=False,
        include_encodings=_CANDIDATES,
    )
    return tuple(
        _Candidate(_own_name(each["encoding"]), each["confidence"])
        for each in found
        if each["encoding"] is not None
    )


def _own_name(name: str) -> str:
    return name if name in _CANDIDATES else find_codec(name) or name

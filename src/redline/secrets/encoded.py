"""Secrets in output that is encoded: base64, hexadecimal, and dumps of `xxd` and `hexdump -C`.

A run of encoded text is decoded, secrets are looked for in what it says, and the characters that
encode them are the ones to mask. What was found comes back as places in the given text.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error, unhexlify
from collections.abc import Callable, Iterator, Sequence

from redline.core.late_regex import late_regex
from redline.secrets.find import FoundSecret

Finder = Callable[[str], list[FoundSecret]]
_BASE64 = late_regex(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}(?:\r?\n[A-Za-z0-9+/_-]{4,}={0,2}(?=\s|\Z))*"
)
_HEX = late_regex(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{24,}(?:\r?\n[0-9A-Fa-f]{2,}(?=\s|\Z))*")
_DUMP_LINE = late_regex(
    r"(?m)^[0-9a-f]{4,16}:?[ ]{1,2}(?P<hex>(?:[0-9a-f]{2}(?: {1,2}|(?=[0-9a-f])|$)){1,32}) {0,60}"
    r"(?:\|?(?P<shown>[^\n]{1,34}?)\|?)?$"
)
_MAX_CHARS = 4 << 20


def find_encoded(text: str, find: Finder) -> list[FoundSecret]:
    """Return the places of *text* that encode a secret which *find* finds once decoded."""
    if len(text) > _MAX_CHARS:
        return []
    found: list[FoundSecret] = []
    for match in _BASE64.finditer(text):
        found += _in_base64(text, match.start(), match.end(), find)
    for match in _HEX.finditer(text):
        places = [at for at in range(match.start(), match.end()) if not text[at].isspace()]
        data = _from_hex(text, places)
        found += _spans(data, [places[i : i + 2] for i in range(0, len(places) - 1, 2)], find)
    return found + _in_dumps(text, find)


def _in_base64(text: str, start: int, end: int, find: Finder) -> list[FoundSecret]:
    places = [at for at in range(start, end) if text[at] not in "\r\n="]
    # A run may begin within a group of four, where a dump was cut.
    chars = "".join(text[at] for at in places).replace("-", "+").replace("_", "/")
    for skipped in range(4):
        usable = (len(chars) - skipped) // 4 * 4
        rest = len(chars) - skipped - usable
        piece = chars[skipped : skipped + usable + (rest if rest > 1 else 0)]
        try:
            data = b64decode(piece + "=" * (-len(piece) % 4))
        except (Error, ValueError):
            continue
        groups = [
            places[skipped + byte * 4 // 3 : skipped + byte * 4 // 3 + 2]
            for byte in range(len(data))
        ]
        found = _spans(data, groups, find)
        if found:
            return found
    return []


def _from_hex(text: str, places: Sequence[int]) -> bytes:
    digits = "".join(text[at] for at in places)
    return unhexlify(digits[: len(digits) // 2 * 2])


def _in_dumps(text: str, find: Finder) -> list[FoundSecret]:
    """Look through blocks of lines as `xxd` and `hexdump -C` print them."""
    found: list[FoundSecret] = []
    for lines in _blocks(text):
        data = b""
        groups: list[list[int]] = []
        for line in lines:
            digits = [at for at in range(*line.span("hex")) if text[at] != " "]
            data += _from_hex(text, digits)
            shown = line.start("shown") if line["shown"] else -1
            if shown >= 0 and text[shown] == "|":
                shown += 1
            for number in range(len(digits) // 2):
                pair = digits[number * 2 : number * 2 + 2]
                groups.append([*pair, *([shown + number] if shown >= 0 else [])])
        found += _spans(data, groups, find)
    return found


def _blocks(text: str) -> Iterator[list[re.Match[str]]]:
    block: list[re.Match[str]] = []
    for match in _DUMP_LINE.finditer(text):
        if block and match.start() - block[-1].end() > 2:
            yield block
            block = []
        block.append(match)
    if block:
        yield block


def _spans(data: bytes, groups: Sequence[Sequence[int]], find: Finder) -> list[FoundSecret]:
    """Return places in the text for the secrets in *data*, whose bytes are at *groups*."""
    # Nothing to find in what is no text.
    if len(data) < 8 or data.count(0) * 4 > len(data) * 3:
        return []
    text = data.decode("latin-1")
    if "\0" in text:  # UTF-16 as a dump shows it
        kept = [at for at, char in enumerate(text) if char != "\0"]
        text, groups = "".join(text[at] for at in kept), [groups[at] for at in kept]
    found: list[FoundSecret] = []
    for each in find(text):
        places = sorted({at for group in groups[each.start : each.end] for at in group})
        first = 0
        for number in range(1, len(places) + 1):
            if number == len(places) or places[number] - places[number - 1] > 2:
                start, end = places[first], places[number - 1] + 1
                found.append(FoundSecret(start, end, each.kind, each.name))
                first = number
    return found

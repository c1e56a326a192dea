"""What a text file is besides its words: encoding, byte order mark, line ends, final newline.

Only LF and CRLF end a line (a lone CR, form feed or U+2028 does not). Text is decoded as UTF-8 with
surrogate escapes, so a file in any encoding goes through `text` and back byte for byte.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from dataclasses import dataclass

from redline.core.budget import check_decoded

BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r?\n")
SNIFFED = 4096
_PIECE = 1 << 16
# ASCII, and bytes that mean themselves.
_LETTER = re.compile("[\x00-\x7f\udc80-\udcff]+")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's bytes with the facts that edits keep."""

    raw: bytes

    @property
    def has_bom(self) -> bool:
        """Whether the file opens with a UTF-8 byte order mark."""
        return self.raw.startswith(BOM)

    @property
    def is_binary(self) -> bool:
        """Whether there is a NUL in the first 4096 bytes."""
        return b"\0" in self.raw[:SNIFFED]

    @property
    def is_utf8(self) -> bool:
        """Whether the whole file is valid UTF-8."""
        return undecodable_at(self.raw) is None

    @property
    def text(self) -> str:
        """The content without the BOM; undecodable bytes are surrogate escapes."""
        check_decoded(self.raw)
        # A view, as the rest of a large file is no small copy.
        return str(memoryview(self.raw)[text_start(self.raw) :], "utf-8", "surrogateescape")

    @property
    def newline(self) -> str:
        """The line end most lines have (the first one's on a tie); LF for a file without any."""
        crlf = self.raw.count(b"\r\n")
        lone = self.raw.count(b"\n") - crlf
        if crlf == lone:
            first = _LINE_END.search(self.raw)
            return first[0].decode() if first else "\n"
        return "\r\n" if crlf > lone else "\n"

    def with_text(self, text: str) -> bytes:
        """The bytes of *text* in this file's encoding, BOM kept.

        In a file that is not UTF-8 it is unknown how to encode a letter that it does not hold yet.
        """
        if not text.isascii() and not self.is_utf8:
            self._refuse_two_encodings(text)
        return (BOM if self.has_bom else b"") + encode(text)

    def _refuse_two_encodings(self, text: str) -> None:
        from redline.core.errors import InvalidArgument

        strange = _LETTER.sub("", text)
        added = set(strange) - set(_LETTER.sub("", self.text))
        if added:
            raise InvalidArgument(
                "The file is not UTF-8, and the new text holds a character that would be written"
                f" in another encoding than the rest: {min(added)}",
                hint="write the new text in ASCII, or convert the file to UTF-8 first",
            )


def undecodable_at(raw: bytes) -> int | None:
    """The first byte that is not UTF-8, None if all are."""
    if raw.isascii():
        return None
    # In pieces: the text of a large file would take up to four times its size.
    decoder = getincrementaldecoder("utf-8")()
    for start in range(0, len(raw), _PIECE):
        carried = len(decoder.getstate()[0])
        try:
            decoder.decode(raw[start : start + _PIECE], final=start + _PIECE >= len(raw))
        except UnicodeDecodeError as error:
            return start - carried + error.start
    return None


def text_start(raw: bytes) -> int:
    """Where the text of a file starts: behind the BOM."""
    return len(BOM) if raw.startswith(BOM) else 0


def encode(text: str) -> bytes:
    """*text* as bytes; surrogate escapes become the bytes they represent."""
    return text.encode("utf-8", "surrogateescape")


def encoded_length(text: str, start: int, end: int) -> int:
    """How many bytes characters [start, end) of *text* become."""
    if text.isascii():
        return end - start
    pieces = range(start, end, _PIECE)
    return sum(len(encode(text[at : min(at + _PIECE, end)])) for at in pieces)


def split_lines(text: str) -> list[str]:
    """Lines with their ends kept; only LF (and so CRLF) ends a line; no empty last piece."""
    lines = text.split("\n")
    last = lines.pop()
    kept = [line + "\n" for line in lines]
    if last:
        kept.append(last)
    return kept


def line_body(line: str) -> str:
    """*line* without its line end."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line.removesuffix("\n")


def line_end(line: str) -> str:
    """The line end of *line*: CRLF, LF or nothing."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""

"""What a text file is besides its words: encoding, byte order mark, line ends, final newline.

Only LF and CRLF end a line (a lone CR, form feed or U+2028 does not). Text is decoded as UTF-8 with
surrogate escapes, so a file in any encoding goes through `text` and back byte for byte; a file that
`core.encodings.opening` opened in another encoding is decoded and encoded strictly in that one.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable

from redline.core.budget import check_decoded
from redline.core.errors import InvalidArgument
from redline.core.late_regex import late_regex
from redline.core.records import dataclass, field

_CONVERT = "write it in other letters, or convert the file to UTF-8 first"


def encode_in(text: str, encoding: str) -> bytes:
    """Return *text* in *encoding*; InvalidArgument names the first character it cannot hold."""
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        if "\ud800" <= text[error.start] <= "\udfff":
            raise
        raise _unencodable(text, error.start, encoding) from None
    if data.decode(encoding) != text:
        raise _unencodable(text, _first_altered(text, encoding), encoding)
    return data


def check_round_trip(body: bytes, text: str, encoding: str) -> None:
    """Refuse to edit a file whose text would not come back as the same bytes."""
    if text.encode(encoding, "replace") != body:
        raise InvalidArgument(
            "An edit would change other bytes of the file too: it does not encode back to the"
            f" same bytes from {encoding}",
            field="encoding",
            hint="pass the encoding that the file was written in",
        )


def check_unambiguous(old: str, new: str, encoding: str, rivals: list[str]) -> None:
    """Refuse a new letter that the encodings a file may be in would write differently."""
    letters = set(new) - set(old)
    for letter in sorted(letters, key=new.index):
        if letter.isascii():
            continue
        data = letter.encode(encoding)
        rival = next((each for each in rivals if _encode_or_none(letter, each) != data), None)
        if rival is not None:
            raise InvalidArgument(
                f"The file may be in {encoding} or {rival}, which write the new text"
                f" differently, line {_describe(new, new.index(letter))}",
                field="encoding",
                hint=f"pass encoding {encoding} or {rival}",
            )


def _encode_or_none(letter: str, encoding: str) -> bytes | None:
    try:
        return letter.encode(encoding)
    except UnicodeEncodeError:
        return None


def _unencodable(text: str, at: int, encoding: str) -> InvalidArgument:
    return InvalidArgument(
        f"The file is in {encoding}, which has no way to write line {_describe(text, at)}",
        hint=_CONVERT,
    )


def _describe(text: str, at: int) -> str:
    """Return the line and the character at an offset: `3: é (U+00E9)`."""
    return f"{text.count(chr(10), 0, at) + 1}: {text[at]} (U+{ord(text[at]):04X})"


def _first_altered(text: str, encoding: str) -> int:
    """Return where the first character is that the codec replaces by another."""
    return next(
        (
            at
            for at, letter in enumerate(text)
            if not letter.isascii() and letter.encode(encoding).decode(encoding) != letter
        ),
        0,
    )


BOM = b"\xef\xbb\xbf"
_LINE_END = late_regex(rb"\r?\n")
SNIFFED = 4096
_PIECE = 1 << 16
# ASCII, and bytes that mean themselves.
_LETTER = late_regex("[\x00-\x7f\udc80-\udcff]+")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's bytes with the facts that edits keep.

    `is_guess`: the encoding was detected; `rivals`: others that are as likely. `declared` finds
    what an ASCII file says about letters that it does not hold yet.
    """

    raw: bytes
    encoding: str = "utf-8"
    is_guess: bool = False
    rivals: tuple[str, ...] = ()
    declared: Callable[[], str | None] | None = field(default=None, compare=False, repr=False)

    @property
    def is_foreign(self) -> bool:
        """Whether the file is text in another encoding than UTF-8."""
        return self.encoding != "utf-8"

    @property
    def has_bom(self) -> bool:
        """Whether the file opens with a byte order mark."""
        return self._text_start() > 0

    @property
    def is_binary(self) -> bool:
        """Whether there is a NUL in the first 4096 bytes, and it is not UTF-16 or UTF-32."""
        return self.encoding == "utf-8" and b"\0" in self.raw[:SNIFFED]

    @property
    def is_utf8(self) -> bool:
        """Whether the whole file is valid UTF-8."""
        return not self.is_foreign and is_utf8(self.raw)

    @property
    def text(self) -> str:
        """The content without the BOM; undecodable bytes are surrogate escapes."""
        check_decoded(self.raw)
        # A view, as the rest of a large file is no small copy.
        body = memoryview(self.raw)[self._text_start() :]
        is_utf8 = self.encoding == "utf-8"
        return str(body, self.encoding, "surrogateescape" if is_utf8 else "strict")

    @property
    def view(self) -> bytes:
        """The content as UTF-8: the bytes themselves, except in a file of another encoding."""
        return self.text.encode("utf-8", "surrogatepass") if self.is_foreign else self.raw

    @property
    def takes_utf8(self) -> bool:
        """Whether any letter can be added to the bytes as UTF-8."""
        return self.is_utf8 and self._added_encoding() == "utf-8"

    @property
    def newline(self) -> str:
        """The line end most lines have (the first one's on a tie); LF for a file without any."""
        view = self.view
        crlf = view.count(b"\r\n")
        lone = view.count(b"\n") - crlf
        if crlf == lone:
            first = _LINE_END.search(view)
            return first[0].decode() if first else "\n"
        return "\r\n" if crlf > lone else "\n"

    def with_text(self, text: str) -> bytes:
        """Return the bytes of *text* in this file's encoding, BOM kept.

        In a file whose encoding is unknown nothing says how to encode a letter that it does not
        hold yet.
        """
        encoding = self.encoding if text.isascii() else self._added_encoding()
        if encoding != "utf-8":
            return self._encode(text, encoding)
        if not text.isascii() and not self.is_utf8:
            self._refuse_two_encodings(text)
        return self.raw[: self._text_start()] + encode(text)

    def _encode(self, text: str, encoding: str) -> bytes:
        start, old = self._text_start(), self.text
        check_round_trip(self.raw[start:], old, encoding)
        data = encode_in(text, encoding)
        if not text.isascii() and (self.is_guess or self.rivals):
            check_unambiguous(old, text, encoding, self._rivals())
        return self.raw[:start] + data

    def _rivals(self) -> list[str]:
        from redline.core.encodings.detect import rival_encodings

        found = rival_encodings(self.raw, self.encoding) if self.is_guess else []
        return [*self.rivals, *found]

    def _added_encoding(self) -> str:
        """The encoding of letters that are added: what the file declares while it is ASCII."""
        if self.is_foreign or self.declared is None or not self.raw.isascii():
            return self.encoding
        return self.declared() or "utf-8"

    def _text_start(self) -> int:
        if self.encoding == "utf-8":
            return text_start(self.raw)
        from redline.core.encodings.wide import mark_length

        return mark_length(self.raw, self.encoding)

    def _refuse_two_encodings(self, text: str) -> None:
        strange = _LETTER.sub("", text)
        added = set(strange) - set(_LETTER.sub("", self.text))
        if added:
            raise InvalidArgument(
                "The file is not UTF-8, and the new text holds a character that would be written"
                f" in another encoding than the rest: {min(added)}",
                hint="write the new text in ASCII, or convert the file to UTF-8 first",
            )


def is_utf8(raw: bytes) -> bool:
    """Return whether all bytes are valid UTF-8."""
    if len(raw) > _PIECE or raw.isascii():
        return undecodable_at(raw) is None
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def undecodable_at(raw: bytes) -> int | None:
    """Return the first byte that is not UTF-8, None if all are."""
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
    """Return where the text of a file starts: after the BOM."""
    return len(BOM) if raw.startswith(BOM) else 0


def unify_ends(text: str) -> str:
    """*text* with LF for every CRLF."""
    return text.replace("\r\n", "\n") if "\r\n" in text else text


def dominant_end(text: str) -> str:
    """The line end most lines of *text* have, the first one's on a tie, "" when there is none."""
    crlf = text.count("\r\n")
    lone = text.count("\n") - crlf
    if crlf == lone:
        at = text.find("\n")
        return "" if at < 0 else "\r\n" if text[at - 1 : at] == "\r" else "\n"
    return "\r\n" if crlf > lone else "\n"


def encode(text: str) -> bytes:
    """*text* as bytes; surrogate escapes become the bytes they represent."""
    return text.encode("utf-8", "surrogateescape")


def encoded_length(text: str, start: int, end: int) -> int:
    """Return how many bytes characters [start, end) of *text* become."""
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
    """Return the line end of *line*: CRLF, LF or nothing."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""

"""New text in a file's own encoding: every letter as the file's encoding has it, or refused.

The codecs in use encode each character by itself, and a file's old text must encode back to its
bytes: so encoding the new text as a whole keeps every byte outside the edit.
"""

from __future__ import annotations

from redline.core.errors import InvalidArgument

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
                hint=f"pass encoding, as {encoding} or {rival}",
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

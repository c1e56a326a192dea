"""ECMAScript patterns in ripgrep's syntax, where they mean the same there.

Only patterns are translated whose every part selects the same lines in both engines; for anything
else (assertions, references, odd escapes) the answer is None and the ECMAScript engine does it.
Which lines match is all that counts, so groups lose their numbers and laziness its meaning.
"""

from __future__ import annotations

import re

from redline.core.errors import InvalidPattern
from redline.core.records import dataclass

# A byte that is not UTF-8 is one character to the ECMAScript engine. This may also match part of a
# longer character, so lines that are not ASCII are looked at again.
_UNPAIRED = r"(?-u:[\x80-\xff])"
_DOT = rf"(?:[^\n\r\x{{2028}}\x{{2029}}]|{_UNPAIRED})"
_SPACE = (
    r"\t\x0b\x0c\r \x{a0}\x{1680}\x{2000}-\x{200a}"
    r"\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
)
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACE}
_QUANTIFIER = re.compile(r"(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})\??")
_BOUNDED = re.compile(r"\{(\d+),(\d+)\}")
_CONTROLS = {"t": "\t", "v": "\v", "f": "\f"}
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")


@dataclass(frozen=True, slots=True)
class Translation:
    """A pattern for ripgrep, and which of the lines it finds must be looked at again.

    With `returns` a carriage return may have matched where none counts, on any line; with `loose`
    a part of a character may have, on lines that are not ASCII.
    """

    pattern: str
    returns: bool
    loose: bool

    @property
    def is_plain(self) -> bool:
        """Whether neither a NUL nor a mark at the start of a file can be part of a match.

        Only what matches characters that are not named can: negated classes and dots, which
        are loose, white space, which may be a carriage return too, and the start of a line.
        """
        return not (self.returns or self.loose or "^" in self.pattern) and self.pattern.isascii()


# A pattern is one argument of a program, which Linux limits to 128 KiB.
MAX_PATTERN = 64 << 10


def check_pattern(pattern: str) -> None:
    """Refuse a pattern that is too long to be searched for."""
    if len(pattern) > MAX_PATTERN or len(pattern.encode("utf-8", "replace")) > MAX_PATTERN:
        raise InvalidPattern(
            f"The pattern has {len(pattern)} characters, {MAX_PATTERN} bytes are allowed",
            hint="search for a shorter part of it",
        )


class _Foreign(Exception):
    """The pattern has a part without an equivalent in ripgrep's syntax."""


def translate(pattern: str, *, ignore_case: bool) -> Translation | None:
    """*pattern* for ripgrep, or None when it must go to the ECMAScript engine."""
    if "\n" in pattern or "\r" in pattern:
        return None
    try:
        return _Translator(pattern, ignore_case).run()
    except _Foreign:
        return None


class _Translator:
    """One pass over the pattern."""

    def __init__(self, pattern: str, ignore_case: bool) -> None:
        self._pattern = pattern
        self._ignore_case = ignore_case
        self._at = 0
        self._out: list[str] = []
        self._open = 0
        self._returns = False
        self._loose = False
        # Whether a quantifier may follow here.
        self._atom = False

    def run(self) -> Translation:
        """Translate all of it."""
        while self._at < len(self._pattern):
            self._step(self._pattern[self._at])
        if self._open:
            raise _Foreign
        return Translation("".join(self._out), self._returns, self._loose)

    def _step(self, char: str) -> None:
        quantifier = _QUANTIFIER.match(self._pattern, self._at)
        if quantifier and (char != "{" or self._atom):
            self._quantify(quantifier[0])
        elif char in "()|":
            self._structure(char)
        elif char in "^$.":
            piece = {"^": "^", "$": r"\r?$", ".": _DOT}[char]
            self._loose |= char == "."
            self._emit(piece, 1, atom=char == ".")
        elif char == "[":
            self._class()
        elif char == "\\":
            self._escape()
        elif char in "]}{":
            raise _Foreign  # legal in some positions only; the other engine decides
        else:
            self._emit(self._literal(char), 1)

    def _emit(self, piece: str, width: int, *, atom: bool = True) -> None:
        self._out.append(piece)
        self._at += width
        self._atom = atom

    def _quantify(self, text: str) -> None:
        bounds = _BOUNDED.search(text)
        if not self._atom or (bounds and int(bounds[1]) > int(bounds[2])):
            raise _Foreign
        self._emit(text, len(text), atom=False)

    def _structure(self, char: str) -> None:
        if char == "(":
            plain = self._pattern.startswith("(?:", self._at)
            if not plain and self._pattern.startswith("(?", self._at):
                raise _Foreign
            self._open += 1
            self._emit("(?:", 3 if plain else 1, atom=False)
            return
        if char == ")":
            self._open -= 1
            if self._open < 0:
                raise _Foreign
        self._emit(char, 1, atom=char == ")")

    def _escape(self) -> None:
        char = self._pattern[self._at + 1 : self._at + 2]
        if char == "b":
            self._emit(r"(?-u:\b)", 2, atom=False)
            return
        if char.lower() in _CLASSES and char:
            self._returns |= char in "sWD"
            self._emit(self._set(self._named_class(char.lower()), negated=char.isupper()), 2)
            return
        self._emit(self._literal(self._read_escape()), 0)

    def _read_escape(self) -> str:
        """Return the one character that the escape here represents; moves past it."""
        found = _HEX.match(self._pattern, self._at + 1)
        if found:
            self._at += 1 + len(found[0])
            char = chr(int(found[1] or found[2], 16))
            if char in "\n\r\0" or "\ud800" <= char <= "\udfff":
                raise _Foreign
            return char
        char = self._pattern[self._at + 1 : self._at + 2]
        self._at += 2
        if char in _CONTROLS and char:
            return _CONTROLS[char]
        if not char or char.isalnum() or not char.isascii() or char == "_":
            raise _Foreign
        return char

    def _literal(self, char: str) -> str:
        if not self._ignore_case or char.isascii():
            return self._cases(char) if self._ignore_case and char.isalpha() else quote(char)
        raise _Foreign

    def _named_class(self, name: str) -> str:
        return _CLASSES[name] + ("\u017f\u212a" if self._ignore_case and name == "w" else "")

    def _cases(self, char: str) -> str:
        # The ECMAScript engine folds the long s to s without the u flag.
        long_s = "\u017f" if char in "sS" else ""
        return f"[{char.lower()}{char.upper()}{long_s}]"

    def _class(self) -> None:
        self._at += 1
        negated = self._pattern.startswith("^", self._at)
        self._at += negated
        self._returns |= negated
        items: list[str] = []
        while not self._pattern.startswith("]", self._at):
            items.append(self._item())
        if not items:
            raise _Foreign
        self._emit(self._set("".join(items), negated=negated), 1)

    def _set(self, inside: str, *, negated: bool) -> str:
        self._loose |= negated
        return f"(?:[^{inside}]|{_UNPAIRED})" if negated else f"[{inside}]"

    def _item(self) -> str:
        """Return one member of a class: a named class, a character or a range."""
        escaped = self._pattern[self._at : self._at + 2]
        if len(escaped) == 2 and escaped[0] == "\\" and escaped[1] in _CLASSES:
            self._at += 2
            self._returns |= escaped[1] == "s"
            dash = self._pattern.startswith("-", self._at)
            if dash and not self._pattern.startswith("-]", self._at):
                raise _Foreign
            return self._named_class(escaped[1])
        first = self._member()
        dash = self._pattern.startswith("-", self._at)
        if not dash or self._pattern.startswith("-]", self._at):
            return self._range(first, first)
        self._at += 1
        last = self._member()
        if last < first:
            raise _Foreign
        return self._range(first, last)

    def _member(self) -> str:
        char = self._pattern[self._at : self._at + 1]
        if not char:
            raise _Foreign
        if char == "\\":
            if self._pattern[self._at + 1 : self._at + 2] in ("b", "-"):
                raise _Foreign
            return self._read_escape()
        self._at += 1
        return char

    def _range(self, first: str, last: str) -> str:
        text = quote(first) if first == last else f"{quote(first)}-{quote(last)}"
        if not self._ignore_case:
            return text
        if not last.isascii():
            raise _Foreign
        letters = [chr(c) for c in range(ord(first), ord(last) + 1) if chr(c).isalpha()]
        folded = "".join(letter.swapcase() for letter in letters)
        # In classes the ECMAScript engine also takes the kelvin sign for k, the long s for s.
        kelvin = "\u212a" if {"k", "K"} & set(letters) else ""
        return text + folded + kelvin + ("\u017f" if {"s", "S"} & set(letters) else "")


def quote(char: str) -> str:
    """*char* as itself in ripgrep's syntax, inside and outside of classes."""
    if char.isalnum() or char in "_ " or not char.isascii():
        return char
    return rf"\x{ord(char):02x}"

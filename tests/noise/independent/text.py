"""Files as lines that remember how each one ended, and the forms in which lines look alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

LF, CRLF, NONE, ANY = "\n", "\r\n", "", "any"
BOM = b"\xef\xbb\xbf"

QUOTES = {"'": "\u2018\u2019", '"': "\u201c\u201d"}
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
SPACES = "\u00a0\u202f"

_FOLD = {ord(mark): plain for plain, marks in QUOTES.items() for mark in marks}
_FOLD |= {ord(dash): "-" for dash in DASHES} | {ord(space): " " for space in SPACES}


def fold(line: str) -> str:
    """The loosest form in which two lines may still be called the same."""
    return line.translate(_FOLD).strip(" \t\f\v\r")


def plain(line: str) -> str:
    """*line* with plain characters for typographic ones."""
    return line.translate(_FOLD)


def indent_of(line: str) -> str:
    """The blanks and tabs a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def is_blank(line: str) -> bool:
    """Whether there is nothing to see on the line."""
    return not fold(line)


def is_elision(line: str) -> bool:
    """Whether a line says that lines were left out."""
    return "..." in line.replace("\u2026", "...") and not re.search(
        r"\w", line.replace("existing code", "")
    )


@dataclass(frozen=True, slots=True)
class Doc:
    """A text file: its lines, the end of each, and whether a byte order mark stands in front."""

    lines: tuple[str, ...]
    ends: tuple[str, ...]
    bom: bool = False
    loose: frozenset[int] = frozenset()

    @classmethod
    def of(cls, text: str) -> Doc:
        """Only LF and CRLF end a line."""
        pieces = text.split("\n")
        rows = [(p[:-1], CRLF) if p.endswith("\r") else (p, LF) for p in pieces[:-1]]
        if pieces[-1]:
            rows.append((pieces[-1], NONE))
        return cls(tuple(line for line, _ in rows), tuple(end for _, end in rows))

    def encode(self, encoding: str = "utf-8") -> bytes:
        """The bytes on disk; no line may still have an open end."""
        text = "".join(line + end for line, end in zip(self.lines, self.ends, strict=True))
        return (BOM if self.bom else b"") + text.encode(encoding)

    def fits(self, content: bytes) -> bool:
        """Whether *content* is this file.

        An end marked ANY may be LF or CRLF; a loose line may be spelled typographically.
        """
        if ANY not in self.ends and not self.loose:
            return content == self.encode()
        if content.startswith(BOM) != self.bom:
            return False
        try:
            other = Doc.of(content.decode()[int(self.bom) :])
        except UnicodeDecodeError:
            return False
        pairs = zip(self.ends, other.ends, strict=False)
        ends = all(mine == its or (mine == ANY and its in (LF, CRLF)) for mine, its in pairs)
        return ends and self._spelled(self.lines) == self._spelled(other.lines)

    def _spelled(self, lines: tuple[str, ...]) -> list[str]:
        return [plain(line) if i in self.loose else line for i, line in enumerate(lines)]

    def style(self, start: int = 0, stop: int | None = None) -> str:
        """How lines end in a range; ANY where they do not agree."""
        found = set(self.ends[start:stop]) - {NONE} or set(self.ends) - {NONE} or {LF}
        return found.pop() if len(found) == 1 else ANY

    def with_lines(self, start: int, stop: int, new: Sequence[str], style: str) -> Doc:
        """Lines start..stop replaced; a missing final newline stays missing."""
        lines = (*self.lines[:start], *new, *self.lines[stop:])
        ends = [*self.ends[:start], *(style for _ in new), *self.ends[stop:]]
        if self.ends[-1] == NONE and stop == len(self.lines):
            ends = [style if end == NONE else end for end in ends[:-1]] + [NONE]
        return replace(self, lines=lines, ends=tuple(ends))

    def literal_count(self, old: str) -> int:
        """How often *old* stands in the text, line ends aside; overlapping ones counted."""
        return overlapping(joined(self.lines), old.replace(CRLF, LF))

    def loose_count(self, old: Sequence[str]) -> int:
        """How often *old* stands in the text when everything that may be forgiven is."""
        return overlapping(
            joined([fold(line) for line in self.lines]), "\n".join(fold(line) for line in old)
        )

    def filled_count(self, old: Sequence[str]) -> int:
        """How often *old* stands as whole lines, exactly, when blank lines are left out of both."""
        lines = [line for line in self.lines if not is_blank(line)]
        wanted = [line for line in old if not is_blank(line)]
        n = len(wanted)
        return sum(lines[i : i + n] == wanted for i in range(len(lines) - n + 1)) if n else 0

    def block_count(self, old: Sequence[str], first: int = 0) -> int:
        """How often *old* stands as whole lines, exactly, from a line on."""
        n, wanted = len(old), tuple(old)
        starts = range(first, len(self.lines) - n + 1)
        return sum(self.lines[i : i + n] == wanted for i in starts)


def joined(lines: Sequence[str]) -> str:
    """Lines as one text, each closed."""
    return "".join(line + "\n" for line in lines)


def overlapping(text: str, wanted: str) -> int:
    """Occurrences of *wanted*, overlapping ones included."""
    if not wanted:
        return 0
    return sum(1 for _ in re.finditer(f"(?={re.escape(wanted)})", text))

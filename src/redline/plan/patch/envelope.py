"""The patch envelope as data: add, update, delete and move, any number of them.

    *** Begin Patch
    *** Add File: path            then + lines
    *** Delete File: path
    *** Update File: path         then hunks, with *** Move to: path before them or alone
    @@ heading                    opens a hunk; the heading narrows where it may match
     context / -removed / +added_lines
    *** End of File               the hunk ends the file
    *** End Patch

An empty line inside a hunk is blank context (its space was lost on the way). Blank lines between
operations and around the envelope mean nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from redline.core.cancellation import checkpoint
from redline.core.errors import PatchError
from redline.core.text_limits import shorten

BEGIN, END, END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE = "*** Move to: "
_MAX_LINE_CHARS = 80
_NUMBERED = re.compile(r"-\d+(?:,\d+)? \+\d+(?:,\d+)? ?(?:@@+)?(.*)")
_NO_NEWLINE = "\\ No newline at end of file"

HunkLine: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines as (" " | "-" | "+", body); `at` is the line of the patch it opens on.

    `firm` headings were written to say where the hunk belongs; the heading behind line numbers is
    decoration that diff programs add, and only helps to choose.
    """

    lines: tuple[HunkLine, ...]
    headings: tuple[str, ...]
    firm: bool
    at_end: bool
    at: int

    @property
    def added_lines(self) -> tuple[str, ...]:
        """Return the bodies of the added lines."""
        return tuple(body for role, body in self.lines if role == "+")

    @property
    def only_adds(self) -> bool:
        """Whether it names no line that is in the file."""
        return all(role == "+" for role, _ in self.lines)


@dataclass(frozen=True, slots=True)
class AddFile:
    """Create a file that is not there."""

    path: str
    lines: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """Remove a file."""

    path: str
    at: int


@dataclass(frozen=True, slots=True)
class UpdateFile:
    """Change a file, move it, or both."""

    path: str
    move_to: str | None
    hunks: tuple[Hunk, ...]
    at: int


PatchOperation: TypeAlias = AddFile | DeleteFile | UpdateFile


def parse_patch(text: str) -> tuple[PatchOperation, ...]:
    """The operations of an envelope in order; PatchError names the line that is wrong."""
    reader = _Reader(text)
    operations: list[PatchOperation] = []
    while (operation := reader.operation()) is not None:
        checkpoint()
        operations.append(operation)
    if not operations:
        raise PatchError(
            "The patch holds no operation",
            hint="put *** Add File:, *** Update File: or *** Delete File: between the markers",
        )
    return tuple(operations)


class _Reader:
    """Walks the lines between the markers; line numbers count from 1 in the patch as sent."""

    def __init__(self, text: str) -> None:
        lines = [line.removesuffix("\r") for line in text.split("\n")]
        first, stop = 0, len(lines)
        while first < stop and not lines[first].strip():
            first += 1
        while stop > first and not lines[stop - 1].strip():
            stop -= 1
        if first == stop or lines[first].strip() != BEGIN:
            raise PatchError(
                f"The first line of a patch must be {BEGIN!r}", hint=f"begin with {BEGIN}"
            )
        if stop - first < 2 or lines[stop - 1].strip() != END:
            raise PatchError(f"The last line of a patch must be {END!r}", hint=f"end with {END}")
        self._lines = lines
        self._at = first + 1
        self._stop = stop - 1

    def operation(self) -> PatchOperation | None:
        """The next operation, or None at the end."""
        self._skip_blank()
        if self._at >= self._stop:
            return None
        line, at = self._lines[self._at], self._at + 1
        self._at += 1
        if line.startswith(_ADD):
            return AddFile(self._path(line, _ADD, at), self._added_lines(), at)
        if line.startswith(_DELETE):
            return DeleteFile(self._path(line, _DELETE, at), at)
        if line.startswith(_UPDATE):
            path = self._path(line, _UPDATE, at)
            target = self._move_target()
            return UpdateFile(path, target, self._hunks(), at)
        raise PatchError(
            f"Line {at} of the patch is not an operation: {_quote(line)}",
            hint="an operation begins with *** Add File: , *** Update File: or *** Delete File: ",
            details={"line": at},
        )

    def _skip_blank(self) -> None:
        while self._at < self._stop and not self._lines[self._at].strip():
            self._at += 1

    def _path(self, line: str, header: str, at: int) -> str:
        path = line[len(header) :].strip()
        if not path:
            raise PatchError(f"Line {at} of the patch names no file", details={"line": at})
        return path

    def _added_lines(self) -> tuple[str, ...]:
        added_lines: list[str] = []
        while self._at < self._stop and not self._lines[self._at].startswith("*** "):
            line = self._lines[self._at]
            if line.startswith("+"):
                added_lines.append(line[1:])
            elif line.strip() or not self._only_blank_until_header():
                raise PatchError(
                    f"Line {self._at + 1} of the patch must begin with +: {_quote(line)}",
                    hint="every line of an added file begins with +, also empty ones",
                    details={"line": self._at + 1},
                )
            self._at += 1
        return tuple(added_lines)

    def _only_blank_until_header(self) -> bool:
        for line in self._lines[self._at : self._stop]:
            if line.strip():
                return line.startswith("*** ")
        return True

    def _move_target(self) -> str | None:
        if self._at < self._stop and self._lines[self._at].startswith(_MOVE):
            self._at += 1
            return self._path(self._lines[self._at - 1], _MOVE, self._at)
        return None

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        while (hunk := self._hunk(first=not hunks)) is not None:
            checkpoint()
            hunks.append(hunk)
        return tuple(hunks)

    def _hunk(self, *, first: bool) -> Hunk | None:
        self._skip_blank()
        at = self._at + 1
        headings: list[str] = []
        firm = True
        while self._at < self._stop and self._lines[self._at].startswith("@@"):
            heading, numbered = _heading(self._lines[self._at])
            firm = firm and not numbered
            headings += [heading] if heading else []
            self._at += 1
        opened = self._at + 1 > at
        if not opened and not (first and self._at < self._stop and self._is_hunk_line()):
            self._expect_header()
            return None
        lines, at_end = self._hunk_lines()
        if not lines:
            raise PatchError(
                f"The hunk at line {at} of the patch is empty",
                hint="put context, - and + lines after @@",
                details={"line": at},
            )
        return Hunk(tuple(lines), tuple(headings), firm, at_end, at)

    def _is_hunk_line(self) -> bool:
        return self._lines[self._at][:1] in (" ", "-", "+")

    def _expect_header(self) -> None:
        if self._at < self._stop and not self._lines[self._at].startswith("*** "):
            raise PatchError(
                f"Line {self._at + 1} of the patch is outside a hunk:"
                f" {_quote(self._lines[self._at])}",
                hint="a hunk opens with a line that begins with @@",
                details={"line": self._at + 1},
            )

    def _hunk_lines(self) -> tuple[list[HunkLine], bool]:
        lines: list[HunkLine] = []
        while self._at < self._stop:
            line = self._lines[self._at]
            if line.strip() == END_OF_FILE:
                self._at += 1
                return lines, True
            if line.startswith(("@@", "*** ")):
                break
            lines += self._hunk_line(line)
            self._at += 1
        while lines and lines[-1] == _LOST_BLANK:
            lines.pop()
        return [(" ", "") if line == _LOST_BLANK else line for line in lines], False

    def _hunk_line(self, line: str) -> list[HunkLine]:
        if line[:1] in (" ", "-", "+"):
            return [(line[0], line[1:])]
        if not line.strip():
            return [_LOST_BLANK]
        if line.startswith(_NO_NEWLINE):
            return []
        raise PatchError(
            f"Line {self._at + 1} of the patch must begin with a space, - or +: {_quote(line)}",
            hint="context lines begin with one space before the text of the file",
            details={"line": self._at + 1},
        )


# An empty line: blank context, unless nothing but the next operation follows it.
_LOST_BLANK: HunkLine = ("", "")


def _heading(line: str) -> tuple[str, bool]:
    """The heading of an @@ line and whether line numbers preceded it."""
    text = line[2:].strip()
    numbered = _NUMBERED.fullmatch(text)
    if numbered:
        return numbered[1].strip(), True
    return text.removesuffix("@@").strip(), False


def _quote(line: str) -> str:
    return shorten(line, _MAX_LINE_CHARS)

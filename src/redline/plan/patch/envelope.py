"""The patch envelope: add, update, delete and move, any number of them.

    *** Begin Patch
    *** Add File: path            then + lines
    *** Delete File: path
    *** Update File: path         then hunks, with *** Move to: path before them or alone
    @@ heading                    opens a hunk; the heading narrows where it may match
     context / -removed / +added
    *** End of File               the hunk ends the file
    *** End Patch

An empty line inside a hunk is blank context (its space was lost on the way), and an @@ line with
nothing after it says nothing. Blank lines between operations and around the envelope mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.core.call_scope import checkpoint
from redline.core.errors import PatchError
from redline.plan.patch import model
from redline.plan.patch.hunk_lines import Opening, quote_line, read_hunk, read_opening

BEGIN, END, END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
_MARKER = re.compile(r"\*\*\* ?(Begin|End) Patch(?: ?\*\*\*)?")
_HEADER = re.compile(r"\*\*\* (Add|Delete|Update) File:(.*)")
_MOVE = "*** Move to:"
# Lines that are headers if the blanks before them, or what is around the path, are overlooked.
_LOOSE = re.compile(
    r"[ \t]*(?P<header>\*\*\* (?:(?:Add|Delete|Update) File|Move to): *)"
    r"(?P<quote>[`'\"]?)(?P<path>.*?)(?P=quote)(?: \*\*\*)?[ \t]*"
)
_INDENTED = re.compile(r"[ \t]+(?:@@|\*\*\* End of File[ \t]*$)")
_OLD_NAME, _NEW_NAME = "--- ", "+++ "


def is_envelope(lines: Sequence[str]) -> bool:
    """Return whether *lines* begin as an envelope."""
    found = _MARKER.fullmatch(lines[0].strip()) if lines else None
    return found is not None and found[1] == "Begin"


def envelope_readings(lines: Sequence[str], first: int) -> list[Sequence[str]]:
    """Return the ways to read the lines of an envelope: strictly, and with loose headers.

    Which of them is meant, the files decide: see `plan.patch.apply`.
    """
    while not lines[-1].strip():
        lines = lines[:-1]
    stop = _MARKER.fullmatch(lines[-1].strip())
    if stop is None or stop[1] != "End":
        raise PatchError(
            f"The last line of a patch must be {END!r}",
            hint=f"end with {END}; if the patch was cut off, send it again whole",
            details={"line": first + len(lines) - 1},
        )
    inner = list(lines[1:-1])
    loose = _tighten_headers(inner)
    return [inner] if loose == inner else [inner, loose]


def _tighten_headers(lines: list[str]) -> list[str]:
    """*lines* with every header at the margin, and its path without quotes or stars."""
    tight: list[str] = []
    for at, line in enumerate(lines):
        header = _LOOSE.fullmatch(line)
        if header is not None:
            tight.append(header["header"].rstrip() + " " + header["path"])
        elif _INDENTED.match(line):
            tight.append(line.lstrip(" \t"))
        elif _is_file_name_pair(lines, at) or _is_file_name_pair(lines, at - 1):
            tight.append("")
        else:
            tight.append(line)
    return tight


def _is_file_name_pair(lines: Sequence[str], at: int) -> bool:
    """Return whether the names of a unified diff begin at *at*, right under an Update header."""
    return (
        at > 0
        and at + 2 < len(lines)
        and lines[at - 1].lstrip().startswith("*** Update File:")
        and lines[at].startswith(_OLD_NAME)
        and lines[at + 1].startswith(_NEW_NAME)
        and lines[at + 2].startswith("@@")
    )


def read_envelope(lines: Sequence[str], first: int) -> model.PatchReading:
    """Return the operations between the markers; *first* is the number of the first line."""
    reader = _Reader(lines, first)
    operations: list[model.PatchOperation] = []
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
    """Walks the lines between the markers; line numbers count in the patch as sent."""

    def __init__(self, lines: Sequence[str], first: int) -> None:
        self._lines = lines
        self._first = first
        self._at = 0

    @property
    def _number(self) -> int:
        return self._first + self._at

    def _line(self) -> str | None:
        return self._lines[self._at] if self._at < len(self._lines) else None

    def operation(self) -> model.PatchOperation | None:
        """Return the next operation, or None at the end."""
        self._skip_blank()
        line, at = self._line(), self._number
        if line is None:
            return None
        header = _HEADER.fullmatch(line)
        if header is None:
            raise PatchError(
                f"Line {at} of the patch is not an operation: {quote_line(line)}",
                hint="an operation begins with *** Add File: , *** Update File: or"
                " *** Delete File: ",
                details={"line": at},
            )
        self._at += 1
        path = _check_path(header[2], at)
        if header[1] == "Add":
            return model.AddFile(path, self._added_lines(), at)
        if header[1] == "Delete":
            return model.DeleteFile(path, at)
        target = self._move_target()
        return model.UpdateFile(path, target, self._hunks(), at)

    def _skip_blank(self) -> None:
        while (line := self._line()) is not None and not line.strip():
            self._at += 1

    def _added_lines(self) -> tuple[str, ...]:
        added_lines: list[str] = []
        while (line := self._line()) is not None and not line.startswith("*** "):
            if line.startswith("+"):
                added_lines.append(line[1:])
            elif line.strip() or not self._only_blank_until_header():
                raise PatchError(
                    f"Line {self._number} of the patch must begin with +: {quote_line(line)}",
                    hint="every line of an added file begins with +, also empty ones",
                    details={"line": self._number},
                )
            self._at += 1
        return tuple(added_lines)

    def _only_blank_until_header(self) -> bool:
        for line in self._lines[self._at :]:
            if line.strip():
                return line.startswith("*** ")
        return True

    def _move_target(self) -> str | None:
        line = self._line()
        if line is None or not line.startswith(_MOVE):
            return None
        self._at += 1
        return _check_path(line[len(_MOVE) :], self._number - 1)

    def _hunks(self) -> tuple[model.Hunk, ...]:
        hunks: list[model.Hunk] = []
        is_first = True
        while self._opens_hunk(is_first=is_first):
            checkpoint()
            hunk = self._hunk()
            hunks += [hunk] if hunk else []
            is_first = False
        return tuple(hunks)

    def _opens_hunk(self, *, is_first: bool) -> bool:
        """Return whether a hunk comes next: after @@, or the first one without."""
        self._skip_blank()
        line = self._line()
        if line is None or line.startswith("*** "):
            return False
        if line.startswith("@@") or is_first:
            return True
        raise PatchError(
            f"Line {self._number} of the patch is outside a hunk: {quote_line(line)}",
            hint="a hunk opens with a line that begins with @@",
            details={"line": self._number},
        )

    def _hunk(self) -> model.Hunk | None:
        at = self._number
        openings: list[Opening] = []
        while (line := self._line()) is not None and line.startswith("@@"):
            openings.append(read_opening(line))
            self._at += 1
        start = self._at
        while (line := self._line()) is not None and not line.startswith(("@@", "*** ")):
            self._at += 1
        raw = self._lines[start : self._at]
        at_end = line is not None and line.rstrip() == END_OF_FILE
        if at_end:
            self._at += 1
        return read_hunk(raw, openings, at, self._first + start, at_end=at_end)


def _check_path(raw: str, at: int) -> str:
    if not raw.strip():
        raise PatchError(f"Line {at} of the patch names no file", details={"line": at})
    return raw.strip()

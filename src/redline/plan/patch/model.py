"""A patch as data: operations on files, and hunks of lines. Every format is read into these."""

from __future__ import annotations

from typing import TypeAlias

from redline.core.records import dataclass

HunkLine: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines as (" " | "-" | "+", body); `at` is the line of the patch it opens on.

    `firm` headings were written to say where the hunk belongs; the heading after line numbers is
    decoration that diff programs add, and only helps to choose.
    """

    lines: tuple[HunkLine, ...]
    headings: tuple[str, ...]
    firm: bool
    at_end: bool
    at: int
    # The line of the patch where a context line first lacked its blank: such a hunk must match
    # exactly, as `lines` or as `unprefixed`, where every context line lacks it.
    bare_at: int | None = None
    unprefixed: tuple[HunkLine, ...] | None = None
    # Whether the file ends with a newline afterwards; None keeps what it has.
    final_newline: bool | None = None
    # The first line of the old side, as the numbers of a diff have it.
    start: int | None = None

    @property
    def added_lines(self) -> tuple[str, ...]:
        """Return the bodies of the added lines."""
        return tuple(body for role, body in self.lines if role == "+")

    @property
    def old_lines(self) -> tuple[str, ...]:
        """Return the bodies of the lines that the file has."""
        return tuple(body for role, body in self.lines if role != "+")

    @property
    def only_adds(self) -> bool:
        """Whether it names no line that is in the file."""
        return all(role == "+" for role, _ in self.lines)

    @property
    def only_keeps(self) -> bool:
        """Whether it neither adds nor removes a line."""
        return all(role == " " for role, _ in self.lines) and self.final_newline is None


@dataclass(frozen=True, slots=True)
class AddFile:
    """Create a file that is not there."""

    path: str
    lines: tuple[str, ...]
    at: int
    final_newline: bool = True
    executable: bool = False


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """Remove a file; `lines` is what it must hold, None if the patch does not say."""

    path: str
    at: int
    lines: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class UpdateFile:
    """Change a file, move it, or both.

    `base` is the abbreviated git hash of the content that the line numbers count in.
    """

    path: str
    move_to: str | None
    hunks: tuple[Hunk, ...]
    at: int
    base: str | None = None


PatchOperation: TypeAlias = AddFile | DeleteFile | UpdateFile
PatchReading: TypeAlias = tuple[PatchOperation, ...]

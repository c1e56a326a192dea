"""A file that moves, and what its move means for the text of a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from redline.code.python_js.path_aliases import PathAliases
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field


class ImportSplice(NamedTuple):
    """Text that replaces the part of a file from `start` to `end`."""

    start: int
    end: int
    text: str


class Obstacle(NamedTuple):
    """A place that prevents the move."""

    offset: int
    reason: str


@dataclass(frozen=True, slots=True)
class MovedFile:
    """A file or a directory goes from `old` to `new`; `is_file` is about the time before.

    `source` is the directory that absolute imports of Python begin at, if one is known.
    """

    old: WorkspacePath
    new: WorkspacePath
    is_file: Callable[[WorkspacePath], bool]
    source: tuple[str, ...] | None = None
    # Import paths of scripts that a configuration defines.
    aliases: PathAliases = field(default_factory=lambda: PathAliases(lambda _: None))
    is_directory: bool = False

    def moves(self, path: WorkspacePath | None) -> bool:
        """Return whether a file is what moves, or in it."""
        return path is not None and path.is_beneath(self.old)

    def has(self, parts: tuple[str, ...]) -> bool:
        """Return whether the directory that moves is, or has in it, what is at *parts*."""
        return self.is_directory and parts[: len(self.old.parts)] == self.old.parts

    def is_file_after(self, path: WorkspacePath) -> bool:
        """Return whether there is a file at *path* after the move."""
        if path.is_beneath(self.new):
            inside = path.parts[len(self.new.parts) :]
            return self.is_file(WorkspacePath(self.old.root, (*self.old.parts, *inside)))
        return not self.moves(path) and self.is_file(path)

    def after(self, path: WorkspacePath) -> WorkspacePath:
        """Return where a file is after the move."""
        if not self.moves(path):
            return path
        return WorkspacePath(self.new.root, (*self.new.parts, *path.parts[len(self.old.parts) :]))

    @property
    def changes_folder(self) -> bool:
        """Whether it moves to another directory."""
        return self.old.parent != self.new.parent


@dataclass(slots=True)
class ImportUpdate:
    """What changes in one file, and the places that prevent the move."""

    splices: list[ImportSplice] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)

    def apply(self, text: str) -> str:
        """Return *text* with the new imports."""
        parts: list[str] = []
        end = 0
        for splice in sorted(set(self.splices)):
            parts += [text[end : splice.start], splice.text]
            end = splice.end
        return "".join((*parts, text[end:]))


def common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the leading parts that two paths have in common."""
    pairs = zip(first, second, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))

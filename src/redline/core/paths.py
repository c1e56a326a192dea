"""Paths proven to lie beneath a root."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from redline.core.late_regex import late_regex

_UNDECODABLE = late_regex("[\udc80-\udcff]")
_ESCAPED = late_regex(r"\\x([0-9a-f]{2})")


class Access(Enum):
    """What a path is wanted for."""

    READ = "read"
    WRITE = "write"


class WorkspacePath(NamedTuple):
    """A place beneath root number `root`; only `PathResolver.resolve` makes one from outside text.

    `parts` are plain names (no "", ".", ".."); the root itself has none. Undecodable bytes in a
    name are carried as surrogate escapes, as `os.fsdecode` gives them.
    """

    root: int
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """The last part, empty for a root."""
        return self.parts[-1] if self.parts else ""

    @property
    def parent(self) -> WorkspacePath:
        """The directory this lies in; a root is its own parent."""
        # Past the constructor's own frame: this is asked for many times in every change.
        return tuple.__new__(WorkspacePath, (self.root, self.parts[:-1]))

    @property
    def relative(self) -> str:
        """The path below the root with forward slashes, `.` for the root."""
        return "/".join(self.parts) or "."

    def child(self, *names: str) -> WorkspacePath:
        """Return what *names* lead to from this directory."""
        return WorkspacePath(self.root, self.parts + names)

    def is_beneath(self, other: WorkspacePath) -> bool:
        """Return whether this is *other* or lies anywhere below it."""
        return self.root == other.root and self.parts[: len(other.parts)] == other.parts


def outermost(paths: Iterable[WorkspacePath]) -> list[WorkspacePath]:
    """Return the *paths* without those that lie in another one."""
    outer: list[WorkspacePath] = []
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not any(path.is_beneath(other) for other in outer):
            outer.append(path)
    return outer


def show_name(name: str) -> str:
    """Return a name that fits JSON: undecodable bytes become \\xNN, everything else stays."""
    if name.isascii():
        return name
    return _UNDECODABLE.sub(lambda m: f"\\x{ord(m[0]) - 0xDC00:02x}", name)


def read_name(shown: str) -> str:
    """Read what `show_name` returned for a name that holds undecodable bytes."""
    return _ESCAPED.sub(
        lambda m: chr(0xDC00 + int(m[1], 16)) if int(m[1], 16) >= 0x80 else m[0], shown
    )

"""Searching contents: regular expressions and ripgrep, both to be cancelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from redline.core.paths import WorkspacePath
from redline.core.records import dataclass


class Cancel(Protocol):
    """Asked often by anything that takes long."""

    def check(self) -> None:
        """Raise Cancelled when the caller gave up."""

    def on_cancel(self, action: Callable[[], None]) -> None:
        """Run *action* (from another thread) when the caller gives up; at once if it has."""


class Regex(Protocol):
    """ECMAScript regular expressions in a killable worker with a time and memory budget.

    Flags are `m` and `i`; undecodable bytes (surrogate escapes) in a text count as one character.
    Every method raises InvalidPattern, TimeLimit and LimitReached.
    """

    def check(self, pattern: str, flags: str = "m") -> None:
        """Raise InvalidPattern unless *pattern* compiles."""

    def find(
        self, pattern: str, text: str, *, flags: str = "m", limit: int = 0, groups: int = 0
    ) -> list[RegexMatch]:
        """Matches from the left, at most *limit* (0 = all), with the first *groups* groups."""

    def matching_lines(
        self, pattern: str, texts: Sequence[bytes], *, flags: str = "", limit: int = 0
    ) -> list[list[int]]:
        """For each text the numbers (from 0) of its lines that match, at most *limit* in all."""


@dataclass(frozen=True, slots=True)
class RegexMatch:
    """One match in str offsets; groups that took no part are None."""

    start: int
    end: int
    groups: tuple[tuple[int, int] | None, ...] = ()


class Binary(Enum):
    """What becomes of files with NUL bytes: left out, searched like any other, or only named."""

    SKIP = "skip"
    TEXT = "text"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class GrepQuery:
    """What to look for in contents; a pattern is ripgrep's default (Rust) syntax.

    `include` and `exclude` are globs over root-relative paths: one without a slash is tried on
    names at any depth. `hidden` also searches names with a leading dot, `ignored` also what git
    ignores.
    """

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    context: int = 0
    max_matches: int = 1000
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    ignored: bool = False
    deadline: float = 30.0
    # Lines longer than this many bytes are cut there; files with invalid UTF-8 in a line that
    # would be shown are left out with utf8_only.
    longest_line: int = 8192
    utf8_only: bool = False
    # Where in the line the match begins; without it every match is at column 1.
    columns: bool = True
    # Count all matching lines, instead of only whether there are more than `max_matches`.
    counts: bool = True
    binary: Binary = Binary.SKIP
    # Asked, with the number of the root and the path below it, whether a file that matches counts.
    wanted: Callable[[int, str], bool] | None = None


class GrepLine(NamedTuple):
    """One line of the file `path` below root number `root`; `is_match` is False for context.

    `column` is 1-based in characters. A named tuple: there are thousands of these in one answer.
    """

    root: int
    path: str
    line: int
    text: str
    is_match: bool
    column: int = 0

    @property
    def place(self) -> WorkspacePath:
        """The file."""
        return WorkspacePath(self.root, tuple(self.path.split("/")))


@dataclass(frozen=True, slots=True)
class GrepResult:
    """Lines in path and line order, and how many matching lines there are in all, if asked for.

    `binary`: with `Binary.NAME`, the files with NUL bytes that may match, though not all of those
    that begin with it; none of their lines are here or counted. `counted`: the total is exact, and
    not merely more than was wanted. `undecoded`: files that may match, in an encoding that
    is not certain; only their ASCII was searched, so they are named for a pattern beyond ASCII.
    """

    lines: tuple[GrepLine, ...]
    total: int
    timed_out: bool = False
    binary: tuple[WorkspacePath, ...] = ()
    counted: bool = True
    undecoded: tuple[WorkspacePath, ...] = ()


class Grep(Protocol):
    """Content search with ripgrep."""

    def search(
        self, where: Sequence[WorkspacePath], query: GrepQuery, cancel: Cancel
    ) -> GrepResult:
        """Search files and directories; InvalidPattern, TimeLimit."""

    def files(
        self, where: WorkspacePath, globs: Sequence[str], *, hidden: bool, ignored: bool
    ) -> Iterator[WorkspacePath]:
        """Files beneath *where* by ripgrep's walker."""

    def binary_among(self, root: int, names: Sequence[str]) -> set[str]:
        """Those of the files *names* below a root that hold NUL where they begin."""

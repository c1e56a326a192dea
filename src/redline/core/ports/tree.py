"""Reading the workspace: its roots, its paths and what is at each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from redline.core.changes import SpecialKind, State
from redline.core.paths import Access, WorkspacePath
from redline.core.records import dataclass


class Kind(Enum):
    """What is at a path."""

    FILE = "file"
    DIRECTORY = "directory"
    SYMLINK = "symlink"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """What one `stat` says of a place; links are not followed."""

    path: WorkspacePath
    kind: Kind
    size: int
    mode: int
    mtime_ns: int
    ctime_ns: int = 0
    identity: tuple[int, int] = (0, 0)
    special: SpecialKind | None = None


class FactLists(NamedTuple):
    """Parallel lists, an item per name; modes hold the kind too, the mtime is in two parts."""

    names: list[str]
    modes: list[int]
    sizes: list[int]
    seconds: list[int]
    nanos: list[int]


class Folder(NamedTuple):
    """One directory of a walk: names by kind, each list sorted; `prefix` is "" or "a/b/"."""

    prefix: str
    directories: list[str]
    files: list[str]
    links: list[str]
    others: list[str]


@dataclass(frozen=True, slots=True)
class Root:
    """A directory the server may touch."""

    path: str
    writable: bool


class PathResolver(Protocol):
    """The roots, and the only way from outside text to a WorkspacePath."""

    @property
    def roots(self) -> Sequence[Root]:
        """Every root; the first is the workspace."""

    def resolve(
        self,
        raw: str,
        access: Access,
        *,
        relative_only: bool = False,
        follow: bool = True,
        must_exist: bool = False,
    ) -> WorkspacePath:
        """Return the canonical place *raw* names, proven beneath a root that allows *access*.

        Links on the way are followed as long as they stay beneath a root; the last part is
        followed only with *follow*. Missing parts at the end are allowed unless *must_exist*.
        Relative text is taken from the first root; *relative_only* refuses absolute text and `..`.
        Raises InvalidArgument, NotFound and the kinds of PathDenied.
        """

    def absolute(self, path: WorkspacePath) -> str:
        """Return the path as people write it, for display; never for opening."""


class FileReader(Protocol):
    """Reading single files."""

    def stat(self, path: WorkspacePath) -> Entry | None:
        """Return what is there, or None."""

    def read(self, path: WorkspacePath, limit: int | None = None) -> bytes:
        """Return the bytes of a regular file; at most *limit*, else TooLarge.

        Raises NotFound, IsADirectory, NotARegularFile, SymlinkEscape, TooLarge, PathDenied.
        """


class Tree(FileReader, Protocol):
    """Reading, by descriptor, never outside a root; links are never followed: resolve first."""

    def created_ns(self, path: WorkspacePath) -> int | None:
        """When the file or directory was created; None where the file system does not keep it."""

    def read_range(self, path: WorkspacePath, offset: int, length: int) -> bytes:
        """Return up to *length* bytes from *offset*."""

    def scan(self, path: WorkspacePath) -> list[Entry]:
        """Return the entries of a directory, sorted by name bytes."""

    def facts(self, path: WorkspacePath) -> FactLists:
        """Return all names of a directory, sorted, with the facts of each; no link is followed.

        For listings of many thousands; an entry that vanished is left out.
        """

    def facts_of_some(
        self, path: WorkspacePath, selects: Callable[[list[str]], list[str]]
    ) -> tuple[Folder, FactLists]:
        """What is in a directory by kind, and the facts of those files and links *selects* picks.

        The folder's prefix is empty; both are sorted by name.
        """

    def walk(
        self,
        path: WorkspacePath,
        *,
        depth: int | None = None,
        enter: Callable[[str], bool] | None = None,
    ) -> Iterator[Folder]:
        """Yield every directory from *path* down, parents first, prefixes relative to *path*.

        Nothing is stat'ed, links are not entered; *depth* 0 yields *path* alone; *enter* is asked
        for each directory by its relative path. What cannot be read is left out. Raises NotFound
        and NotADirectory for *path* itself.
        """

    def read_link(self, path: WorkspacePath) -> str:
        """Return the target text of a symbolic link."""

    def may_write(self, path: WorkspacePath) -> bool:
        """False when the system lets this process read the file, but not write in it."""

    def state(self, path: WorkspacePath) -> State:
        """Return the state of a place with a file's content included: what a plan starts from."""

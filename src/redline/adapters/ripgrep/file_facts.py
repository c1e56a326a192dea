"""Facts about many files of a root, read inside the guard of ripgrep where there is one.

There a plain open leads nowhere else; elsewhere the tree opens each file, which takes longer.
"""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from redline.adapters.ripgrep.process import RipgrepProcesses
from redline.core.encodings.wide import may_be_wide
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Tree
from redline.core.textfile import SNIFFED, is_utf8

# What is longer is never decoded.
MAX_FILE = 32 << 20
_PIECE = 1 << 16
_SAFE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_T = TypeVar("_T")


class FileVersion(NamedTuple):
    """What differs between two versions of a file."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class UnplainFile(NamedTuple):
    """A version of a file that is not plain: it holds NUL or is not UTF-8."""

    version: FileVersion
    # There is NUL where it begins, and that is not the beginning of UTF-16 or UTF-32.
    is_binary: bool


class FileInspector:
    """Asked about files by their paths below a root; a file that cannot be read has no facts."""

    def __init__(
        self, tree: Tree, processes: RipgrepProcesses, is_held: Callable[[int], bool]
    ) -> None:
        """*is_held* says of a root whether the guard keeps everything else from being read."""
        self._tree = tree
        self._processes = processes
        self._is_held = is_held

    def versions(self, root: int, names: Sequence[str]) -> dict[str, FileVersion]:
        """Return what tells one version of each file from another."""
        found = self._of_each(root, names, _stat_below, self._stat)
        return {name: version for name, version in found.items() if version is not None}

    def binary(self, root: int, names: Sequence[str]) -> set[str]:
        """Return the files that hold NUL where they begin."""
        found = self._of_each(root, names, _begins_binary, self._begins_binary)
        return {name for name, is_binary in found.items() if is_binary}

    def not_plain(self, root: int, names: Sequence[str]) -> dict[str, UnplainFile]:
        """Return what the files are that are not plain, read no further than that takes."""
        found = self._of_each(root, names, _facts_below, self._facts_by_tree)
        return {name: facts for name, facts in found.items() if facts is not None}

    def _of_each(
        self,
        root: int,
        names: Sequence[str],
        inside: Callable[[str, int], _T],
        by_tree: Callable[[WorkspacePath], _T],
    ) -> dict[str, _T]:
        directory = self._processes.directories[root]
        guard = self._processes.guard
        if isinstance(directory, int) and self._is_held(root):
            return guard.run(lambda: {name: inside(name, directory) for name in names})
        return {name: by_tree(WorkspacePath(root, tuple(name.split("/")))) for name in names}

    def _stat(self, path: WorkspacePath) -> FileVersion | None:
        entry = self._tree.stat(path)
        if entry is None:
            return None
        return FileVersion(*entry.identity, entry.size, entry.mtime_ns, entry.ctime_ns)

    def _begins_binary(self, path: WorkspacePath) -> bool:
        try:
            return b"\0" in self._tree.read_range(path, 0, SNIFFED)
        except RedlineError:
            return False

    def _facts_by_tree(self, path: WorkspacePath) -> UnplainFile | None:
        try:
            version = self._stat(path)
            head = self._tree.read_range(path, 0, _PIECE)
            is_binary = _begins_as_binary(head)
            if version is None or (not is_binary and _is_plain(self._tree.read(path, MAX_FILE))):
                return None
            return UnplainFile(version, is_binary)
        except RedlineError:
            return None


def _stat_below(name: str, directory: int) -> FileVersion | None:
    try:
        return _version(os.stat(name, dir_fd=directory, follow_symlinks=False))
    except OSError:
        return None


def _version(found: os.stat_result) -> FileVersion:
    facts = (found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return FileVersion(found.st_dev, found.st_ino, *facts)


def _begins_binary(name: str, directory: int) -> bool:
    try:
        fd = os.open(name, _SAFE_FLAGS, dir_fd=directory)
    except OSError:
        return False
    try:
        return b"\0" in os.read(fd, SNIFFED)
    except OSError:
        return False
    finally:
        os.close(fd)


def _facts_below(name: str, directory: int) -> UnplainFile | None:
    """Return the facts about a file; None for what is plain, unreadable or too long to decode."""
    try:
        fd = os.open(name, _SAFE_FLAGS, dir_fd=directory)
    except OSError:
        return None
    try:
        # Before it is read: what changes afterwards is another version.
        found = os.fstat(fd)
        head = os.read(fd, _PIECE)
        is_binary = _begins_as_binary(head)
        if not is_binary and (
            _is_plain(head)
            if len(head) < _PIECE
            else found.st_size > MAX_FILE or _is_rest_plain(fd, head)
        ):
            return None
        return UnplainFile(_version(found), is_binary)
    except OSError:
        return None
    finally:
        os.close(fd)


def _begins_as_binary(head: bytes) -> bool:
    return b"\0" in head[:SNIFFED] and not may_be_wide(head)


def _is_plain(raw: bytes) -> bool:
    return b"\0" not in raw and is_utf8(raw)


def _is_rest_plain(fd: int, piece: bytes) -> bool:
    """Whether *piece* and all that follows is UTF-8 without NUL; little of it is held at once."""
    decode = getincrementaldecoder("utf-8")().decode
    try:
        while piece:
            if b"\0" in piece:
                return False
            decode(piece)
            piece = os.read(fd, _PIECE)
        decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True

"""Facts about many files of a root, read inside the guard of ripgrep where there is one.

There a plain open leads nowhere else; elsewhere the tree opens each file, which takes longer.
"""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from redline.adapters.ripgrep.process import RipgrepProcesses
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

    def not_plain(self, root: int, names: Sequence[str]) -> set[str]:
        """Return the files, not too long to be decoded, that hold NUL or are not UTF-8."""
        found = self._of_each(root, names, _is_plain, self._is_plain)
        return {name for name, is_plain in found.items() if not is_plain}

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

    def _is_plain(self, path: WorkspacePath) -> bool:
        try:
            raw = self._tree.read(path, MAX_FILE)
        except RedlineError:
            return True
        return b"\0" not in raw and is_utf8(raw)


def _stat_below(name: str, directory: int) -> FileVersion | None:
    try:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return None
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


def _is_plain(name: str, directory: int) -> bool:
    try:
        fd = os.open(name, _SAFE_FLAGS, dir_fd=directory)
    except OSError:
        return True
    try:
        piece = os.read(fd, _PIECE)
        if len(piece) < _PIECE:
            return b"\0" not in piece and is_utf8(piece)
        return os.fstat(fd).st_size > MAX_FILE or _is_rest_plain(fd, piece)
    except OSError:
        return True
    finally:
        os.close(fd)


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

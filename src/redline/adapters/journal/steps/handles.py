"""Handles of directories, and what is at a path of the workspace: state, lock bucket, mark."""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Iterable
from typing import NamedTuple

from redline.adapters.files.disk import Dir, Disk, special_kind
from redline.adapters.files.locks import bucket_of
from redline.adapters.files.workspace import DiskWorkspace
from redline.core.budget import MAX_FILE_BYTES
from redline.core.changes import (
    ABSENT,
    DirState,
    FileState,
    LinkState,
    SpecialState,
    State,
    digest_of,
)
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass

_MAX_HANDLES = 200
# A larger file is not read a second time into memory just to see that it is still the same.
_LARGE = 1 << 20


class Observed(NamedTuple):
    """What is at a path, with the facts that show whether it changed again."""

    state: State
    mark: tuple[int, ...] = ()
    links: int = 1
    # A file's owner and group, and whether it has extended attributes.
    owner: tuple[int, int] = (-1, -1)
    is_plain: bool = False

    @property
    def content(self) -> bytes | None:
        """A file's bytes."""
        return self.state.content if isinstance(self.state, FileState) else None


@dataclass(slots=True)
class OpenFile:
    """A file that a change keeps open, with its facts and whether it was read through this."""

    fd: int
    facts: os.stat_result
    was_read: bool = False


class DirectoryHandles:
    """Handles of directories, opened beneath the roots and kept while one change runs."""

    def __init__(self, disk: Disk, workspace: DiskWorkspace) -> None:
        self._disk = disk
        self._workspace = workspace
        self._handles: dict[WorkspacePath, Dir] = {}
        # Device and inode of directories that were asked for.
        self.identities: dict[WorkspacePath, tuple[int, int]] = {}
        # Files that are open already: the next `observe` of each reads it through its descriptor.
        self.open_files: dict[WorkspacePath, OpenFile] = {}

    def directory(self, path: WorkspacePath) -> Dir:
        """Return the handle of a directory; OSError when there is none."""
        if not path.parts:
            return self._workspace.handles[path.root]
        handle = self._handles.get(path)
        if handle is None:
            if len(self._handles) >= _MAX_HANDLES:
                self.close()
            handle = self._open(path)
            self._handles[path] = handle
        return handle

    def _open(self, path: WorkspacePath) -> Dir:
        try:
            return self._disk.open_dir(self._workspace.handles[path.root], path.parts)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            # A link is on the way. It is never followed, so there is no such directory.
            code = errno.ENOTDIR
            raise NotADirectoryError(code, os.strerror(code), error.filename) from None

    def parent(self, path: WorkspacePath) -> Dir:
        """Return the handle of the directory *path* lies in."""
        root, parts = path
        if len(parts) < 2:
            return self._workspace.handles[root]
        handle = self._handles.get(WorkspacePath(root, parts[:-1]))
        return self.directory(path.parent) if handle is None else handle

    def close(self) -> None:
        """Close every handle, as after a directory got another name."""
        for handle in self._handles.values():
            self._disk.close_dir(handle)
        self._handles.clear()
        self.identities.clear()
        self.open_files.clear()

    def observe(self, path: WorkspacePath, known: State | None = None) -> Observed:
        """Return what is at *path*; a file is read.

        A content that is the one *known* need not be hashed again.
        """
        try:
            if isinstance(known, FileState):
                seen = self._observe_file(path, known)
                if seen is not None:
                    return seen
            found = self._stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return Observed(ABSENT)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return Observed(ABSENT)  # nothing can have this name
            raise
        if modes.S_ISDIR(found.st_mode):
            return Observed(DirState(modes.S_IMODE(found.st_mode)), _mark(found))
        if modes.S_ISLNK(found.st_mode):
            target = self._disk.readlink(self.parent(path), path.name)
            return Observed(LinkState(target), _mark(found))
        seen = self._observe_file(path, None) if modes.S_ISREG(found.st_mode) else None
        return seen or Observed(SpecialState(special_kind(found.st_mode)), _mark(found))

    def _observe_file(self, path: WorkspacePath, known: FileState | None) -> Observed | None:
        """Return a regular file; None when it is something else. With *known* one is expected.

        One that is larger than any file a change may hold is not read; its digest is empty.
        """
        file = self.open_files.pop(path, None)
        if file is not None:
            file.was_read = True
            return self._observe_open(file.fd, file.facts, known)
        try:
            fd = self._disk.open_read(self.parent(path), (path.name,))
        except FileNotFoundError:
            raise
        except OSError:
            if known is None:
                raise
            return None
        try:
            found = self._disk.fstat(fd)
            if not modes.S_ISREG(found.st_mode):
                return None
            return self._observe_open(fd, found, known)
        finally:
            self._disk.close_fd(fd)

    def _observe_open(self, fd: int, found: os.stat_result, known: FileState | None) -> Observed:
        is_plain = not self._disk.has_attributes(fd)
        content = self._content(fd, found.st_size, known)
        mode = modes.S_IMODE(found.st_mode)
        if content is None:
            state = FileState("", found.st_size, mode)
        elif known is not None and content is known.content:
            state = FileState(known.digest, len(content), mode, content)
        else:
            state = FileState(digest_of(content), len(content), mode, content)
        owner = found.st_uid, found.st_gid
        return Observed(state, _mark(found), found.st_nlink, owner, is_plain)

    def _content(self, fd: int, size: int, known: FileState | None) -> bytes | None:
        """Return the bytes of an open file: the very object that is known, if they are the same.

        None for a file that is too large to be read.
        """
        if size > MAX_FILE_BYTES:
            return None
        expected = known.content if known is not None else None
        if expected is not None and size == len(expected) > _LARGE:
            if self._disk.holds(fd, expected):
                return expected
            content = self._disk.pread(fd, MAX_FILE_BYTES + 1, 0)
            return content if len(content) <= MAX_FILE_BYTES else None
        content = self._disk.read(fd, size, MAX_FILE_BYTES)
        if len(content) > MAX_FILE_BYTES:
            return None
        return expected if expected is not None and content == expected else content

    def mark(self, path: WorkspacePath) -> tuple[int, ...]:
        """Return the facts that change whenever the path does; empty when nothing is there."""
        try:
            return _mark(self._stat(path))
        except (FileNotFoundError, NotADirectoryError):
            return ()

    def names(self, path: WorkspacePath) -> list[str]:
        """Return the names in a directory."""
        return self._disk.names(self.directory(path))

    def device(self, path: WorkspacePath) -> int | None:
        """Return the file system a directory is on, None when it is missing."""
        try:
            return self._identity(path)[0]
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _stat(self, path: WorkspacePath) -> os.stat_result:
        if not path.parts or path in self._handles:
            # A directory that is open is looked up by its whole name: that shows it moved, too.
            return self._disk.stat(self._workspace.handles[path.root], "/".join(path.parts))
        return self._disk.stat(self.parent(path), path.parts[-1])

    def buckets(self, paths: Iterable[WorkspacePath]) -> frozenset[int]:
        """The lock files of *paths*; one below a missing directory counts by what exists above."""
        found: set[int] = set()
        for path in paths:
            above = path.parent
            while above.parts and not self._exists(above):
                above = above.parent
            rest = "/".join(path.parts[len(above.parts) :])
            found.add(bucket_of(self._identity(above), rest))
        return frozenset(found)

    def all_buckets(self, paths: Iterable[WorkspacePath]) -> frozenset[int]:
        """Return the lock files that *paths* had since any directory above them was missing."""
        found: set[int] = set()
        for path in paths:
            for length in range(len(path.parts)):
                above = WorkspacePath(path.root, path.parts[:length])
                if length and not self._exists(above):
                    break
                found.add(bucket_of(self._identity(above), "/".join(path.parts[length:])))
        return frozenset(found)

    def _identity(self, path: WorkspacePath) -> tuple[int, int]:
        identity = self.identities.get(path)
        if identity is None:
            top = self._disk.stat(self.directory(path), "")
            identity = self.identities[path] = top.st_dev, top.st_ino
        return identity

    def _exists(self, path: WorkspacePath) -> bool:
        try:
            self.directory(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True


def _mark(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode)

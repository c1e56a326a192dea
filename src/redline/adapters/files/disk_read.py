"""Looking at the file system by directory handle and plain names: opens, facts, bytes."""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Sequence
from typing import TypeAlias

from redline.core.changes import SpecialKind
from redline.core.ports.tree import FactLists

Dir: TypeAlias = int | str

O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_O_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_O_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_O_BINARY = getattr(os, "O_BINARY", 0)
# Never block on a FIFO, never adopt a terminal.
O_SAFE_OPEN = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | _O_CLOEXEC | _O_BINARY
# What is compared at once of a file that is large.
_PIECE = 1 << 18
# O_PATH needs no read permission on directories; where it is missing, reading must do.
_O_WALK = getattr(os, "O_PATH", os.O_RDONLY) | _O_DIRECTORY | O_NOFOLLOW | _O_CLOEXEC


def special_kind(mode: int) -> SpecialKind:
    """Which kind of special file a mode denotes."""
    if modes.S_ISFIFO(mode):
        return SpecialKind.FIFO
    return SpecialKind.SOCKET if modes.S_ISSOCK(mode) else SpecialKind.DEVICE


class DiskReading:
    """POSIX: every open walks component by component with O_NOFOLLOW on descriptors."""

    def open_root(self, path: str) -> Dir:
        """A handle on a directory named by its absolute path; links on the way are followed."""
        return os.open(path, os.O_RDONLY | _O_DIRECTORY | _O_CLOEXEC)

    def open_dir(self, base: Dir, parts: Sequence[str]) -> Dir:
        """A handle on the directory *parts* beneath *base*; a link anywhere is ELOOP."""
        flags = os.O_RDONLY | _O_DIRECTORY | _O_CLOEXEC
        if not parts:
            # Not a duplicate: that would share its position with every other listing of *base*.
            return os.open(".", flags, dir_fd=fd_of(base))
        return self._beneath(fd_of(base), parts, flags, 0)

    def close_dir(self, handle: Dir) -> None:
        """Close a directory handle."""
        os.close(fd_of(handle))

    def open_read(self, base: Dir, parts: Sequence[str]) -> int:
        """A descriptor for reading; a link anywhere is ELOOP. The caller checks the kind."""
        return self._beneath(fd_of(base), parts, os.O_RDONLY | O_SAFE_OPEN, 0)

    def exists_plainly(self, base: Dir, parts: Sequence[str], *, follow: bool) -> bool | None:
        """Whether *parts* is there without a link on the way; None where only a walk can decide."""
        del base, parts, follow
        return None

    def _beneath(self, base: int, parts: Sequence[str], flags: int, mode: int) -> int:
        current, name = base, parts[0]
        try:
            for index, name in enumerate(parts):
                if index == len(parts) - 1:
                    return os.open(name, flags | O_NOFOLLOW, mode, dir_fd=current)
                following = os.open(name, _O_WALK, dir_fd=current)
                if current != base:
                    os.close(current)
                current = following
        except OSError as error:
            raise _link_or(error, current, name) from None
        finally:
            if current != base:
                os.close(current)
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    # -- looking ------------------------------------------------------------------------------

    def stat(self, base: Dir, name: str) -> os.stat_result:
        """What is at *name*; a link is not followed. An empty name is *base* itself."""
        if not name:
            return os.fstat(fd_of(base))
        return os.stat(name, dir_fd=fd_of(base), follow_symlinks=False)

    def has(self, base: Dir, name: str) -> bool:
        """Whether *base* has an entry *name*, links not followed; False where it cannot be seen."""
        try:
            self.stat(base, name)
        except OSError:
            return False
        return True

    def may_write(self, base: Dir, name: str) -> bool:
        """Whether this process may write in the file *name*, or there is none."""
        is_effective = os.access in os.supports_effective_ids
        allowed = os.access(name, os.W_OK, dir_fd=fd_of(base), effective_ids=is_effective)
        return allowed or not self.has(base, name)

    def created_ns(self, base: Dir, name: str) -> int | None:
        """When *name* was created, or *base* itself; None where no system call says so."""
        seconds = getattr(self.stat(base, name), "st_birthtime", None)
        return None if seconds is None else int(seconds * 1_000_000_000)

    def fstat(self, fd: int) -> os.stat_result:
        """What is open."""
        return os.fstat(fd)

    def names(self, base: Dir) -> list[str]:
        """The names in a directory, unsorted."""
        if not isinstance(base, int):
            return os.listdir(base)
        handle = self.open_dir(base, ())  # listings of one handle at once would miss names
        try:
            return os.listdir(handle)
        finally:
            self.close_dir(handle)

    def facts(self, base: Dir, names: Sequence[str]) -> FactLists:
        """Mode, size and mtime of each name that is there."""
        try:
            stats = self._stats(base, names)
        except FileNotFoundError:
            names = [name for name in names if self._is_there(base, name)]
            stats = self._stats(base, names)
        times = [divmod(found.st_mtime_ns, 1_000_000_000) for found in stats]
        return FactLists(
            list(names),
            [found.st_mode for found in stats],
            [found.st_size for found in stats],
            [seconds for seconds, _ in times],
            [nanos for _, nanos in times],
        )

    def _stats(self, base: Dir, names: Sequence[str]) -> list[os.stat_result]:
        if not isinstance(base, int):
            return [self.stat(base, name) for name in names]
        look = os.stat
        return [look(name, dir_fd=base, follow_symlinks=False) for name in names]

    def _is_there(self, base: Dir, name: str) -> bool:
        try:
            self.stat(base, name)
        except FileNotFoundError:
            return False
        return True

    def open_child(self, base: Dir, name: str) -> Dir:
        """A handle on one directory of *base*; a link is ELOOP."""
        flags = os.O_RDONLY | _O_DIRECTORY | O_NOFOLLOW | _O_CLOEXEC
        return os.open(name, flags, dir_fd=fd_of(base))

    def split(self, base: Dir) -> tuple[list[str], list[str], list[str], list[str]]:
        """The names of directories, files, links and others, separated without a stat."""
        directories: list[str] = []
        files: list[str] = []
        links: list[str] = []
        others: list[str] = []
        with os.scandir(base) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    directories.append(entry.name)
                else:
                    (links if entry.is_symlink() else others).append(entry.name)
        return directories, files, links, others

    def readlink(self, base: Dir, name: str) -> str:
        """The target text of a link."""
        return os.readlink(name, dir_fd=fd_of(base))

    def read(self, fd: int, size: int, limit: int) -> bytes:
        """The bytes of an open file, *size* being what fstat promised.

        A file that grows while it is read gives little more than *limit*.
        """
        first = os.read(fd, min(size, limit) + 1)
        if len(first) == size:
            return first
        chunks, total = [first], len(first)
        while total <= limit and (chunk := os.read(fd, 1 << 20)):
            chunks.append(chunk)
            total += len(chunk)
        return b"".join(chunks)

    def pread(self, fd: int, length: int, offset: int) -> bytes:
        """Up to *length* bytes from *offset*, fewer only at the end."""
        chunks: list[bytes] = []
        while length > 0 and (chunk := os.pread(fd, length, offset)):
            chunks.append(chunk)
            length -= len(chunk)
            offset += len(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def holds(self, fd: int, content: bytes) -> bool:
        """Whether the bytes of an open file are *content*, looked at piece by piece."""
        for start in range(0, len(content), _PIECE):
            piece = content[start : start + _PIECE]
            if self.pread(fd, len(piece), start) != piece:
                return False
        return not self.pread(fd, 1, len(content))

    def close_fd(self, fd: int) -> None:
        """Close a descriptor."""
        os.close(fd)


def _link_or(error: OSError, current: int, name: str) -> OSError:
    """ELOOP when a link is where a directory was expected (the kernel reports ENOTDIR there)."""
    if error.errno not in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
        return error
    try:
        found = os.stat(name, dir_fd=current, follow_symlinks=False)
    except OSError:
        return error
    if modes.S_ISLNK(found.st_mode):
        return OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    return OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)


def fd_of(handle: Dir) -> int:
    assert isinstance(handle, int), handle
    return handle

"""Every touch of the file system, one small method each, by directory handle and plain names.

All reading and changing of workspaces and of the journal goes through a `Disk`, so the fault
harness can stop, fail or forget at every operation. A directory handle (`Dir`) is a descriptor;
on platforms without `dir_fd` it is a path (see `portable.py`). `platform.choose_disk` picks.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Callable, Sequence
from typing import TypeAlias

from redline.core.ports.tree import FactLists

try:
    import fcntl
except ImportError:  # Windows
    _FULL_SYNC = None
else:
    # macOS: a plain fsync stops at the drive's cache.
    _FULL_SYNC = getattr(fcntl, "F_FULLFSYNC", None)

Dir: TypeAlias = int | str

# The operations that change something or make a change last, for the fault harness.
MUTATIONS = (
    "create",
    "append",
    "pwrite",
    "truncate",
    "sync",
    "sync_data",
    "sync_dir",
    "rename",
    "rename_new",
    "unlink",
    "mkdir",
    "rmdir",
    "symlink",
    "chmod",
    "fchmod",
    "sync_entry",
)

_O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_O_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_O_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_O_BINARY = getattr(os, "O_BINARY", 0)
# Never block on a FIFO, never adopt a terminal.
_O_CALM = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | _O_CLOEXEC | _O_BINARY
# What is compared at once of a file that is large.
_PIECE = 1 << 18
# O_PATH needs no read permission on directories; where it is missing, reading must do.
_O_WALK = getattr(os, "O_PATH", os.O_RDONLY) | _O_DIRECTORY | _O_NOFOLLOW | _O_CLOEXEC


class Disk:
    """POSIX: every open walks component by component with O_NOFOLLOW on descriptors."""

    # Whether `sync_dir` makes entries last.
    syncs_directories = True

    # -- opening ------------------------------------------------------------------------------

    def open_root(self, path: str) -> Dir:
        """A handle on a directory named by its absolute path; links on the way are followed."""
        return os.open(path, os.O_RDONLY | _O_DIRECTORY | _O_CLOEXEC)

    def open_dir(self, base: Dir, parts: Sequence[str]) -> Dir:
        """A handle on the directory *parts* beneath *base*; a link anywhere is ELOOP."""
        if not parts:
            return os.dup(_fd(base))
        return self._beneath(_fd(base), parts, os.O_RDONLY | _O_DIRECTORY | _O_CLOEXEC, 0)

    def close_dir(self, handle: Dir) -> None:
        """Give a handle back."""
        os.close(_fd(handle))

    def open_read(self, base: Dir, parts: Sequence[str]) -> int:
        """A descriptor for reading; a link anywhere is ELOOP. The caller checks the kind."""
        return self._beneath(_fd(base), parts, os.O_RDONLY | _O_CALM, 0)

    def exists_plainly(self, base: Dir, parts: Sequence[str], *, follow: bool) -> bool | None:
        """Whether *parts* is there without any link on the way; None where a walk must tell."""
        del base, parts, follow
        return None

    def _beneath(self, base: int, parts: Sequence[str], flags: int, mode: int) -> int:
        current, name = base, parts[0]
        try:
            for index, name in enumerate(parts):
                if index == len(parts) - 1:
                    return os.open(name, flags | _O_NOFOLLOW, mode, dir_fd=current)
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
        """What stands at *name*; a link is not followed. An empty name is *base* itself."""
        if not name:
            return os.fstat(_fd(base))
        return os.stat(name, dir_fd=_fd(base), follow_symlinks=False)

    def fstat(self, fd: int) -> os.stat_result:
        """What is open."""
        return os.fstat(fd)

    def names(self, base: Dir) -> list[str]:
        """The names in a directory, unsorted."""
        return os.listdir(base)

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
        flags = os.O_RDONLY | _O_DIRECTORY | _O_NOFOLLOW | _O_CLOEXEC
        return os.open(name, flags, dir_fd=_fd(base))

    def split(self, base: Dir) -> tuple[list[str], list[str], list[str], list[str]]:
        """The names of directories, files, links and others, told apart without a stat."""
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
        return os.readlink(name, dir_fd=_fd(base))

    def read(self, fd: int, size: int) -> bytes:
        """The bytes of an open file, *size* being what fstat promised."""
        first = os.read(fd, size + 1)
        if len(first) == size:
            return first
        chunks = [first]
        while chunk := os.read(fd, 1 << 20):
            chunks.append(chunk)
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
        """Give a descriptor back."""
        os.close(fd)

    # -- changing -----------------------------------------------------------------------------

    def create(self, base: Dir, name: str, mode: int = 0o600) -> int:
        """A new file for writing; EEXIST when anything is there."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _O_NOFOLLOW | _O_CALM
        return os.open(name, flags, mode, dir_fd=_fd(base))

    def open_own(self, base: Dir, name: str) -> int:
        """One of Redline's own files for reading and writing, made if missing."""
        flags = os.O_RDWR | os.O_CREAT | _O_NOFOLLOW | _O_CALM
        return os.open(name, flags, 0o600, dir_fd=_fd(base))

    def append(self, fd: int, data: bytes) -> None:
        """Write all of *data* at the descriptor's place."""
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]

    def pwrite(self, fd: int, data: bytes, offset: int) -> None:
        """Write all of *data* from *offset*."""
        view = memoryview(data)
        while view:
            written = os.pwrite(fd, view, offset)
            view, offset = view[written:], offset + written

    def truncate(self, fd: int, size: int) -> None:
        """Cut or grow an open file."""
        os.ftruncate(fd, size)

    def sync(self, fd: int) -> None:
        """Make a file's content and facts last."""
        _sync(fd)

    def sync_data(self, fd: int) -> None:
        """Make a file's bytes last; its times and mode may not."""
        _sync_data(fd)

    def sync_dir(self, base: Dir) -> None:
        """Make a directory's entries last."""
        _sync(_fd(base))

    def rename(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Give an entry another name, replacing what is there."""
        os.replace(name, new, src_dir_fd=_fd(base), dst_dir_fd=_fd(to))

    def rename_new(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Give an entry another name; EEXIST when anything is there.

        Without renameat2, links make this atomic for files; a directory is checked, then renamed.
        """
        source, target = _fd(base), _fd(to)
        if modes.S_ISREG(os.stat(name, dir_fd=source, follow_symlinks=False).st_mode):
            os.link(name, new, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
            os.unlink(name, dir_fd=source)
            return
        try:
            os.stat(new, dir_fd=target, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(name, new, src_dir_fd=source, dst_dir_fd=target)
            return
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)

    def unlink(self, base: Dir, name: str) -> None:
        """Remove a file or link."""
        os.unlink(name, dir_fd=_fd(base))

    def mkdir(self, base: Dir, name: str, mode: int = 0o777) -> None:
        """Make a directory."""
        os.mkdir(name, mode, dir_fd=_fd(base))

    def rmdir(self, base: Dir, name: str) -> None:
        """Remove an empty directory."""
        os.rmdir(name, dir_fd=_fd(base))

    def symlink(self, base: Dir, name: str, target: str) -> None:
        """Make a symbolic link."""
        os.symlink(target, name, dir_fd=_fd(base))

    def chmod(self, base: Dir, name: str, mode: int) -> None:
        """Set the permission bits of a file or directory, never through a link."""
        fd = os.open(name, os.O_RDONLY | _O_NOFOLLOW | _O_CALM, dir_fd=_fd(base))
        try:
            os.fchmod(fd, mode)
        finally:
            os.close(fd)

    def sync_entry(self, base: Dir, name: str) -> None:
        """Make a file's or directory's own facts last, where it may be opened."""
        try:
            fd = os.open(name, os.O_RDONLY | _O_NOFOLLOW | _O_CALM, dir_fd=_fd(base))
        except PermissionError:
            return
        try:
            _sync(fd)
        finally:
            os.close(fd)

    def fchmod(self, fd: int, mode: int) -> None:
        """Set the permission bits of an open file."""
        os.fchmod(fd, mode)

    def has_attributes(self, fd: int) -> bool:
        """Whether an open file may have extended attributes."""
        try:
            return bool(os.listxattr(fd))
        except AttributeError:  # macOS: not by the standard library
            return False
        except OSError:
            return True

    def fchown(self, fd: int, owner: tuple[int, int]) -> None:
        """Set owner and group of an open file."""
        os.fchown(fd, *owner)

    def copy_attributes(self, source: int, target: int) -> tuple[str, ...]:
        """Give an open file the extended attributes of another; says what was refused."""
        return _copy_xattrs(source, target)


def _sync(fd: int) -> None:
    if _FULL_SYNC is None:
        os.fsync(fd)
        return
    try:
        fcntl.fcntl(fd, _FULL_SYNC)
    except OSError:  # not every file system knows it
        os.fsync(fd)


_sync_data: Callable[[int], None] = getattr(os, "fdatasync", _sync)


def _copy_xattrs(source: int, target: int) -> tuple[str, ...]:
    if not hasattr(os, "listxattr"):
        return ()
    refused = []
    try:
        names = os.listxattr(source)
    except OSError:
        return ()
    for name in names:
        try:
            os.setxattr(target, name, os.getxattr(source, name))
        except OSError:
            refused.append(f"extended attribute not kept: {name}")
    return tuple(refused)


def _link_or(error: OSError, current: int, name: str) -> OSError:
    """ELOOP when a link stands where a directory was expected (the kernel says ENOTDIR there)."""
    if error.errno not in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
        return error
    try:
        found = os.stat(name, dir_fd=current, follow_symlinks=False)
    except OSError:
        return error
    if modes.S_ISLNK(found.st_mode):
        return OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    return OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)


def _fd(handle: Dir) -> int:
    assert isinstance(handle, int), handle
    return handle

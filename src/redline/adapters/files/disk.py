"""Every touch of the file system, one small method each, by directory handle and plain names.

All reading and changing of workspaces and of the journal goes through a `Disk`, so the fault
harness can stop, fail or lose every operation. A directory handle (`Dir`) is a descriptor;
on platforms without `dir_fd` it is a path (see `portable.py`). `platform.choose_disk` picks.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Callable

from redline.adapters.files.disk_read import O_NOFOLLOW, O_SAFE_OPEN, Dir, DiskReading, fd_of

try:
    import fcntl
except ImportError:  # Windows
    _FULL_SYNC = None
else:
    # macOS: a plain fsync stops at the drive's cache.
    _FULL_SYNC = getattr(fcntl, "F_FULLFSYNC", None)

# The operations that change or sync something, for the fault harness.
MUTATIONS = tuple(
    """
    create append pwrite truncate sync sync_data sync_dir rename rename_new exchange unlink mkdir
    rmdir symlink chmod fchmod sync_entry
    """.split()
)


class Disk(DiskReading):
    """Looking and changing."""

    # Whether `sync_dir` makes entries durable.
    syncs_directories = True
    # Whether a file may be held open and locked while it is replaced.
    locks_files = True

    def create(self, base: Dir, name: str, mode: int = 0o600) -> int:
        """A new file for writing; EEXIST when anything is there."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | O_NOFOLLOW | O_SAFE_OPEN
        return os.open(name, flags, mode, dir_fd=fd_of(base))

    def open_own(self, base: Dir, name: str) -> int:
        """One of Redline's own files for reading and writing, made if missing."""
        flags = os.O_RDWR | os.O_CREAT | O_NOFOLLOW | O_SAFE_OPEN
        return os.open(name, flags, 0o600, dir_fd=fd_of(base))

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
        """Sync a file: data and metadata."""
        _sync(fd)

    def sync_data(self, fd: int) -> None:
        """Sync a file's data; its times and mode may be lost."""
        _sync_data(fd)

    def sync_dir(self, base: Dir) -> None:
        """Sync a directory's entries."""
        _sync(fd_of(base))

    def rename(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Give an entry another name, replacing what is there."""
        os.replace(name, new, src_dir_fd=fd_of(base), dst_dir_fd=fd_of(to))

    def rename_new(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Give an entry another name; EEXIST when anything is there.

        Without renameat2, links make this atomic for files; a directory is checked, then renamed.
        """
        source, target = fd_of(base), fd_of(to)
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

    def exchange(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Swap two entries in one step; ENOTSUP where system or file system cannot."""
        del base, to
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP), name, None, new)

    def unlink(self, base: Dir, name: str) -> None:
        """Remove a file or link."""
        os.unlink(name, dir_fd=fd_of(base))

    def mkdir(self, base: Dir, name: str, mode: int = 0o777) -> None:
        """Make a directory."""
        os.mkdir(name, mode, dir_fd=fd_of(base))

    def rmdir(self, base: Dir, name: str) -> None:
        """Remove an empty directory."""
        os.rmdir(name, dir_fd=fd_of(base))

    def symlink(self, base: Dir, name: str, target: str) -> None:
        """Make a symbolic link."""
        os.symlink(target, name, dir_fd=fd_of(base))

    def chmod(self, base: Dir, name: str, mode: int) -> None:
        """Set the permission bits of a file or directory, never through a link."""
        fd = os.open(name, os.O_RDONLY | O_NOFOLLOW | O_SAFE_OPEN, dir_fd=fd_of(base))
        try:
            os.fchmod(fd, mode)
        finally:
            os.close(fd)

    def sync_entry(self, base: Dir, name: str) -> None:
        """Sync the metadata of a file or directory, if it may be opened."""
        try:
            fd = os.open(name, os.O_RDONLY | O_NOFOLLOW | O_SAFE_OPEN, dir_fd=fd_of(base))
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

    def makes_files_of(self, owner: tuple[int, int]) -> bool:
        """Whether a file this process makes has *owner* anyway."""
        return owner == (os.geteuid(), os.getegid())

    def may_give_to(self, owner: tuple[int, int]) -> bool:
        """Whether this process may give a file that it makes to *owner*."""
        user, group = owner
        groups = {os.getegid(), *os.getgroups()}
        return os.geteuid() == 0 or (user == os.geteuid() and group in groups)

    def fchown(self, fd: int, owner: tuple[int, int]) -> None:
        """Set owner and group of an open file."""
        os.fchown(fd, *owner)

    def read_attributes(self, fd: int) -> tuple[tuple[tuple[str, bytes], ...], tuple[str, ...]]:
        """The extended attributes of an open file, and the names of those that were refused."""
        found, refused = [], []
        try:
            names = os.listxattr(fd) if hasattr(os, "listxattr") else []
        except OSError:
            return (), ()
        for name in names:
            try:
                found.append((name, os.getxattr(fd, name)))
            except OSError:
                refused.append(name)
        return tuple(found), tuple(refused)

    def set_attributes(self, fd: int, extended: tuple[tuple[str, bytes], ...]) -> tuple[str, ...]:
        """Give an open file extended attributes; the names of those that were refused."""
        refused = []
        for name, value in extended:
            try:
                os.setxattr(fd, name, value)
            except (OSError, AttributeError):  # the latter: recorded on another system
                refused.append(name)
        return tuple(refused)


def _sync(fd: int) -> None:
    if _FULL_SYNC is None:
        os.fsync(fd)
        return
    try:
        fcntl.fcntl(fd, _FULL_SYNC)
    except OSError:  # not every file system knows it
        os.fsync(fd)


_sync_data: Callable[[int], None] = getattr(os, "fdatasync", _sync)

"""Every touch of the file system, one small method each, by directory handle and plain names.

All reading and changing of workspaces and of the journal goes through a `Disk`, so the fault
harness can stop, fail or lose every operation. A directory handle (`Dir`) is a descriptor;
on platforms without `dir_fd` it is a path (see `portable.py`). `platform.choose_disk` picks.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from redline.core.changes import SpecialKind
from redline.core.ports.tree import FactLists

try:
    import fcntl
except ImportError:  # Windows
    _FULL_SYNC = None
else:
    # macOS: a plain fsync stops at the drive's cache.
    _FULL_SYNC = getattr(fcntl, "F_FULLFSYNC", None)

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
# The operations that change or sync something, for the fault harness.
MUTATIONS = tuple(
    """
    create append pwrite truncate sync sync_data sync_dir rename rename_new exchange unlink mkdir
    rmdir symlink chmod fchmod sync_entry
    """.split()
)


def special_kind(mode: int) -> SpecialKind:
    """Return which kind of special file a mode denotes."""
    if modes.S_ISFIFO(mode):
        return SpecialKind.FIFO
    return SpecialKind.SOCKET if modes.S_ISSOCK(mode) else SpecialKind.DEVICE


class Disk:
    """Looking and changing; POSIX: every open walks by component with O_NOFOLLOW."""

    # Whether `sync_dir` makes entries durable.
    syncs_directories = True
    # Whether a file may be held open and locked while it is replaced.
    locks_files = True

    def create(self, base: Dir, name: str, mode: int = 0o600) -> int:
        """Return a new file for writing; EEXIST when anything is there."""
        assert isinstance(base, int)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | O_NOFOLLOW | O_SAFE_OPEN
        return os.open(name, flags, mode, dir_fd=base)

    def open_own(self, base: Dir, name: str) -> int:
        """Return one of Redline's own files for reading and writing, made if missing."""
        assert isinstance(base, int)
        flags = os.O_RDWR | os.O_CREAT | O_NOFOLLOW | O_SAFE_OPEN
        return os.open(name, flags, 0o600, dir_fd=base)

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
        assert isinstance(base, int)
        _sync(base)

    def rename(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Give an entry another name, replacing what is there."""
        assert isinstance(base, int)
        assert isinstance(to, int)
        os.replace(name, new, src_dir_fd=base, dst_dir_fd=to)

    def rename_new(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Give an entry another name; EEXIST when anything is there.

        Without renameat2, links make this atomic for files; a directory is checked, then renamed.
        """
        assert isinstance(base, int)
        assert isinstance(to, int)
        if modes.S_ISREG(os.stat(name, dir_fd=base, follow_symlinks=False).st_mode):
            os.link(name, new, src_dir_fd=base, dst_dir_fd=to, follow_symlinks=False)
            os.unlink(name, dir_fd=base)
            return
        try:
            os.stat(new, dir_fd=to, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(name, new, src_dir_fd=base, dst_dir_fd=to)
            return
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)

    def exchange(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Swap two entries in one step; ENOTSUP where system or file system cannot."""
        del base, to
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP), name, None, new)

    def unlink(self, base: Dir, name: str) -> None:
        """Remove a file or link."""
        assert isinstance(base, int)
        os.unlink(name, dir_fd=base)

    def mkdir(self, base: Dir, name: str, mode: int = 0o777) -> None:
        """Make a directory."""
        assert isinstance(base, int)
        os.mkdir(name, mode, dir_fd=base)

    def rmdir(self, base: Dir, name: str) -> None:
        """Remove an empty directory."""
        assert isinstance(base, int)
        os.rmdir(name, dir_fd=base)

    def symlink(self, base: Dir, name: str, target: str) -> None:
        """Make a symbolic link."""
        assert isinstance(base, int)
        os.symlink(target, name, dir_fd=base)

    def chmod(self, base: Dir, name: str, mode: int) -> None:
        """Set the permission bits of a file or directory, never through a link."""
        assert isinstance(base, int)
        fd = os.open(name, os.O_RDONLY | O_NOFOLLOW | O_SAFE_OPEN, dir_fd=base)
        try:
            os.fchmod(fd, mode)
        finally:
            os.close(fd)

    def sync_entry(self, base: Dir, name: str) -> None:
        """Sync the metadata of a file or directory, if it may be opened."""
        assert isinstance(base, int)
        try:
            fd = os.open(name, os.O_RDONLY | O_NOFOLLOW | O_SAFE_OPEN, dir_fd=base)
        except PermissionError:
            return
        try:
            _sync(fd)
        finally:
            os.close(fd)

    def fchmod(self, fd: int, mode: int) -> None:
        """Set the permission bits of an open file."""
        os.fchmod(fd, mode)

    def set_modified(self, fd: int, time_ns: int) -> None:
        """Set when an open file was changed last."""
        os.utime(fd, ns=(time_ns, time_ns))

    def has_attributes(self, fd: int) -> bool:
        """Return whether an open file may have extended attributes."""
        try:
            return bool(os.listxattr(fd))
        except AttributeError:  # macOS: not by the standard library
            return False
        except OSError:
            return True

    def makes_files_of(self, owner: tuple[int, int]) -> bool:
        """Return whether a file this process makes has *owner* anyway."""
        return owner == (os.geteuid(), os.getegid())

    def may_give_to(self, owner: tuple[int, int]) -> bool:
        """Return whether this process may give a file that it makes to *owner*."""
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

    # --- looking ------------------------------------------------------------------------------

    def open_root(self, path: str) -> Dir:
        """A handle on a directory named by its absolute path; links on the way are followed."""
        return os.open(path, os.O_RDONLY | _O_DIRECTORY | _O_CLOEXEC)

    def open_dir(self, base: Dir, parts: Sequence[str]) -> Dir:
        """Return a handle on the directory *parts* beneath *base*; a link anywhere is ELOOP."""
        assert isinstance(base, int)
        flags = os.O_RDONLY | _O_DIRECTORY | _O_CLOEXEC
        if not parts:
            # Not a duplicate: that would share its position with every other listing of *base*.
            return os.open(".", flags, dir_fd=base)
        return self._beneath(base, parts, flags, 0)

    def close_dir(self, handle: Dir) -> None:
        """Close a directory handle."""
        assert isinstance(handle, int)
        os.close(handle)

    def open_read(self, base: Dir, parts: Sequence[str]) -> int:
        """Return a descriptor for reading; a link anywhere is ELOOP. The caller checks the kind."""
        assert isinstance(base, int)
        return self._beneath(base, parts, os.O_RDONLY | O_SAFE_OPEN, 0)

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
        """Return what is at *name*; a link is not followed. An empty name is *base* itself."""
        assert isinstance(base, int)
        if not name:
            return os.fstat(base)
        return os.stat(name, dir_fd=base, follow_symlinks=False)

    def has(self, base: Dir, name: str) -> bool:
        """Whether *base* has an entry *name*, links not followed; False where it cannot be seen."""
        try:
            self.stat(base, name)
        except OSError:
            return False
        return True

    def present(self, base: Dir, names: Iterable[str]) -> list[str]:
        """Return which of *names* are entries of *base*, as `has` looks for each."""
        return [name for name in names if self.has(base, name)]

    def may_write(self, base: Dir, name: str) -> bool:
        """Return whether this process may write in the file *name*, or there is none."""
        assert isinstance(base, int)
        is_effective = os.access in os.supports_effective_ids
        allowed = os.access(name, os.W_OK, dir_fd=base, effective_ids=is_effective)
        return allowed or not self.has(base, name)

    def created_ns(self, base: Dir, name: str) -> int | None:
        """Return when *name* was created, or *base* itself; None where no system call says so."""
        seconds = getattr(self.stat(base, name), "st_birthtime", None)
        return None if seconds is None else int(seconds * 1_000_000_000)

    def fstat(self, fd: int) -> os.stat_result:
        """Return the stat of an open file."""
        return os.fstat(fd)

    def names(self, base: Dir) -> list[str]:
        """Return the names in a directory, unsorted."""
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
        """Return a handle on one directory of *base*; a link is ELOOP."""
        assert isinstance(base, int)
        flags = os.O_RDONLY | _O_DIRECTORY | O_NOFOLLOW | _O_CLOEXEC
        return os.open(name, flags, dir_fd=base)

    def split(self, base: Dir) -> tuple[list[str], list[str], list[str], list[str]]:
        """Return the names of directories, files, links and others, separated without a stat."""
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
        """Return the target text of a link."""
        assert isinstance(base, int)
        return os.readlink(name, dir_fd=base)

    def read(self, fd: int, size: int, limit: int) -> bytes:
        """Return the bytes of an open file, *size* being what fstat promised.

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
        """Return up to *length* bytes from *offset*, fewer only at the end."""
        chunks: list[bytes] = []
        while length > 0 and (chunk := os.pread(fd, length, offset)):
            chunks.append(chunk)
            length -= len(chunk)
            offset += len(chunk)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def holds(self, fd: int, content: bytes) -> bool:
        """Return whether the bytes of an open file are *content*, looked at piece by piece."""
        for start in range(0, len(content), _PIECE):
            piece = content[start : start + _PIECE]
            if self.pread(fd, len(piece), start) != piece:
                return False
        return not self.pread(fd, 1, len(content))

    def close_fd(self, fd: int) -> None:
        """Close a descriptor."""
        os.close(fd)


def _sync(fd: int) -> None:
    if _FULL_SYNC is None:
        os.fsync(fd)
        return
    try:
        fcntl.fcntl(fd, _FULL_SYNC)
    except OSError:  # not every file system knows it
        os.fsync(fd)


_sync_data: Callable[[int], None] = getattr(os, "fdatasync", _sync)


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

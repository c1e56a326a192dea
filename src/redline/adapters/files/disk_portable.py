"""Windows and other places without `dir_fd`: handles are paths, checked before each use.

Weaker by nature: between the check and the use a racing process could swap a directory for a
link. docs/platforms.md says so.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from redline.adapters.files.disk import Dir, Disk

_O_BINARY = getattr(os, "O_BINARY", 0)
_O_NOINHERIT = getattr(os, "O_NOINHERIT", 0)


class PortableDisk(Disk):
    """Directory handles are absolute paths whose every part is checked to be no link."""

    syncs_directories = False
    locks_files = False

    def open_root(self, path: str) -> Dir:
        """Return the canonical path of an existing directory."""
        real = os.path.realpath(path)
        os.scandir(real).close()
        return real

    def open_dir(self, base: Dir, parts: Sequence[str]) -> Dir:
        """Return the path of a directory beneath *base*; a link anywhere is ELOOP."""
        path = self._plain(base, parts)
        os.scandir(path).close()
        return path

    def close_dir(self, handle: Dir) -> None:
        """Paths need no closing."""

    def open_read(self, base: Dir, parts: Sequence[str]) -> int:
        """Return a descriptor for reading; a link anywhere is ELOOP."""
        return os.open(self._plain(base, parts), os.O_RDONLY | _O_BINARY | _O_NOINHERIT)

    def _plain(self, base: Dir, parts: Sequence[str]) -> str:
        path = str(base)
        for name in parts:
            path = os.path.join(path, name)
            if os.path.islink(path):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        return path

    def open_child(self, base: Dir, name: str) -> Dir:
        """Return the path of one directory of *base*; a link is ELOOP."""
        return self.open_dir(base, (name,))

    def stat(self, base: Dir, name: str) -> os.stat_result:
        """Return what is at *name*; a link is not followed."""
        return os.lstat(os.path.join(str(base), name) if name else str(base))

    def may_write(self, base: Dir, name: str) -> bool:
        """Return whether this process may write in the file *name*, or there is none."""
        return os.access(os.path.join(str(base), name), os.W_OK) or not self.has(base, name)

    def readlink(self, base: Dir, name: str) -> str:
        """Return the target text of a link."""
        return os.readlink(os.path.join(str(base), name))

    def pread(self, fd: int, length: int, offset: int) -> bytes:
        """Return up to *length* bytes from *offset*."""
        os.lseek(fd, offset, os.SEEK_SET)
        chunks: list[bytes] = []
        while length > 0 and (chunk := os.read(fd, length)):
            chunks.append(chunk)
            length -= len(chunk)
        return b"".join(chunks)

    def create(self, base: Dir, name: str, mode: int = 0o600) -> int:
        """Return a new file for writing; EEXIST when anything is there."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _O_BINARY | _O_NOINHERIT
        return os.open(os.path.join(str(base), name), flags, mode)

    def open_own(self, base: Dir, name: str) -> int:
        """Return one of Redline's own files for reading and writing, made if missing."""
        flags = os.O_RDWR | os.O_CREAT | _O_BINARY | _O_NOINHERIT
        return os.open(os.path.join(str(base), name), flags, 0o600)

    def pwrite(self, fd: int, data: bytes, offset: int) -> None:
        """Write all of *data* from *offset*."""
        os.lseek(fd, offset, os.SEEK_SET)
        self.append(fd, data)

    def sync_dir(self, base: Dir) -> None:
        """Directories cannot be synced here; the file system's own journal must do."""

    def rename(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Give an entry another name, replacing what is there."""
        os.replace(os.path.join(str(base), name), os.path.join(str(to), new))

    def rename_new(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """Give an entry another name; EEXIST when anything is there."""
        target = os.path.join(str(to), new)
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
        os.rename(os.path.join(str(base), name), target)

    def unlink(self, base: Dir, name: str) -> None:
        """Remove a file or link."""
        os.unlink(os.path.join(str(base), name))

    def mkdir(self, base: Dir, name: str, mode: int = 0o777) -> None:
        """Make a directory."""
        os.mkdir(os.path.join(str(base), name), mode)

    def rmdir(self, base: Dir, name: str) -> None:
        """Remove an empty directory."""
        os.rmdir(os.path.join(str(base), name))

    def symlink(self, base: Dir, name: str, target: str) -> None:
        """Make a symbolic link."""
        os.symlink(target, os.path.join(str(base), name))

    def chmod(self, base: Dir, name: str, mode: int) -> None:
        """Set the permission bits; only the read-only bit means anything on Windows."""
        os.chmod(os.path.join(str(base), name), mode)

    def sync_entry(self, base: Dir, name: str) -> None:
        """Facts of a file cannot be synced here."""

    def fchmod(self, fd: int, mode: int) -> None:
        """Where the system has no such call, a file keeps the mode it was made with."""
        if hasattr(os, "fchmod"):
            os.fchmod(fd, mode)

    def has_attributes(self, fd: int) -> bool:
        """Attributes are inherited from the directory here."""
        del fd
        return False

    def makes_files_of(self, owner: tuple[int, int]) -> bool:
        """Owners are inherited from the directory here."""
        del owner
        return True

    def fchown(self, fd: int, owner: tuple[int, int]) -> None:
        """Owners are inherited from the directory here."""

"""Linux by ctypes: `openat2` proves a whole path, `renameat2` never replaces, `statx`."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from redline.adapters.files.disk import Dir, Disk

_OPENAT2 = 437  # the same number on every architecture
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "armv7l": 382, "ppc64le": 357}
_STATX = {"x86_64": 332, "aarch64": 291, "riscv64": 291, "armv7l": 397, "ppc64le": 383}
_AT_SYMLINK_NOFOLLOW, _AT_EMPTY_PATH, _STATX_BTIME = 0x100, 0x1000, 0x800
# Where the kernel's struct statx has its mask and the time of creation, and how large it is.
_STATX_SIZE, _BTIME_AT = 256, 80
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_RESOLVE = _NO_MAGICLINKS | _NO_SYMLINKS | _BENEATH
_NOREPLACE, _EXCHANGE = 1, 2
_RETRIES = 100

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


_HOW_SIZE = ctypes.c_size_t(ctypes.sizeof(_OpenHow))


@lru_cache(maxsize=64)
def _how(flags: int, mode: int) -> Any:
    """Return a pointer to what the kernel only reads, so one may serve many calls at once."""
    return ctypes.pointer(_OpenHow(flags, mode, _RESOLVE))


def openat2(base: int, path: bytes, flags: int, mode: int = 0) -> int:
    """Open *path* beneath *base* through no link at all."""
    how = _how(flags, mode)
    for _ in range(_RETRIES):
        fd = _syscall(_OPENAT2, base, path, how, _HOW_SIZE)
        if fd >= 0:
            return int(fd)
        code = ctypes.get_errno()
        if code not in (errno.EAGAIN, errno.EINTR):
            break
    if code == errno.EXDEV:  # the kernel's word for "would leave": one error for one fact
        code = errno.ELOOP
    raise OSError(code, os.strerror(code), os.fsdecode(path))


def openat2_works() -> bool:
    """Return whether kernel and seccomp filter let us use openat2."""
    top = os.open("/", os.O_PATH | os.O_CLOEXEC)
    try:
        os.close(openat2(top, b".", os.O_PATH | os.O_CLOEXEC))
    except OSError:
        return False
    finally:
        os.close(top)
    return True


class LinuxDisk(Disk):
    """Opens by openat2 beneath the root; renames by renameat2."""

    def __init__(self) -> None:
        self._renameat2 = _RENAMEAT2.get(os.uname().machine)
        self._statx = _STATX.get(os.uname().machine)
        # Some C libraries and filters refuse this kind of access(); then every answer would be no.
        self._may_ask_access = os.access("/", os.F_OK, follow_symlinks=False)

    def created_ns(self, base: Dir, name: str) -> int | None:
        """Return the birth time that statx gives; None where kernel or file system has none."""
        if self._statx is None:
            return None
        found = ctypes.create_string_buffer(_STATX_SIZE)
        flags = _AT_SYMLINK_NOFOLLOW | _AT_EMPTY_PATH
        if _syscall(self._statx, base, os.fsencode(name), flags, _STATX_BTIME, found):
            return None
        (mask,) = struct.unpack_from("=I", found, 0)
        seconds, nanos = struct.unpack_from("=qI", found, _BTIME_AT)
        return int(seconds * 1_000_000_000 + nanos) if mask & _STATX_BTIME else None

    def has(self, base: Dir, name: str) -> bool:
        """By access(), where that works: an entry that is missing costs no exception."""
        if not self._may_ask_access:
            return super().has(base, name)
        assert isinstance(base, int)
        return os.access(name, os.F_OK, dir_fd=base, follow_symlinks=False)

    def present(self, base: Dir, names: Iterable[str]) -> list[str]:
        """By access(), where that works."""
        if not self._may_ask_access:
            return super().present(base, names)
        assert isinstance(base, int)
        there = os.access
        return [n for n in names if there(n, os.F_OK, dir_fd=base, follow_symlinks=False)]

    def exists_plainly(self, base: Dir, parts: Sequence[str], *, follow: bool) -> bool | None:
        """Try one openat2: True, False when only the last part is missing, None when unsure."""
        assert isinstance(base, int)
        flags = os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
        try:
            os.close(openat2(base, os.fsencode("/".join(parts)), flags))
        except FileNotFoundError:
            return False if self._parent_is_plain(base, parts) else None
        except OSError:
            return None
        return True

    def _parent_is_plain(self, base: int, parts: Sequence[str]) -> bool:
        if len(parts) == 1:
            return self._is_missing(base, parts[0])
        try:
            parent = openat2(
                base,
                os.fsencode("/".join(parts[:-1])),
                os.O_PATH | os.O_CLOEXEC | os.O_DIRECTORY,
            )
        except OSError:
            return False
        try:
            return self._is_missing(parent, parts[-1])
        finally:
            os.close(parent)

    def _is_missing(self, base: int, name: str) -> bool:
        try:
            os.stat(name, dir_fd=base, follow_symlinks=False)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return False

    def _beneath(self, base: int, parts: Sequence[str], flags: int, mode: int) -> int:
        if len(parts) == 1 and not flags & os.O_DIRECTORY:  # nothing on the way to be proven
            return os.open(parts[0], flags | os.O_NOFOLLOW, mode, dir_fd=base)
        return openat2(base, os.fsencode("/".join(parts)), flags, mode)

    def rename_new(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """One renameat2 with NOREPLACE; file systems without it get the portable way."""
        if self._renameat2 is None:
            super().rename_new(base, name, to, new)
            return
        code = self._rename_with(_NOREPLACE, base, name, to, new)
        if code in (errno.EINVAL, errno.ENOSYS):
            super().rename_new(base, name, to, new)
        elif code:
            raise OSError(code, os.strerror(code), name, None, new)

    def exchange(self, base: Dir, name: str, to: Dir, new: str) -> None:
        """One renameat2 with EXCHANGE; ENOTSUP where the file system has none."""
        if self._renameat2 is None:
            super().exchange(base, name, to, new)
        code = self._rename_with(_EXCHANGE, base, name, to, new)
        if code in (errno.EINVAL, errno.ENOSYS):
            super().exchange(base, name, to, new)
        elif code:
            raise OSError(code, os.strerror(code), name, None, new)

    def _rename_with(self, flag: int, base: Dir, name: str, to: Dir, new: str) -> int:
        source, target = os.fsencode(name), os.fsencode(new)
        failed = _syscall(self._renameat2, base, source, to, target, flag)
        return ctypes.get_errno() if failed else 0

    def chmod(self, base: Dir, name: str, mode: int) -> None:
        """Through an O_PATH descriptor, so that an unreadable file can be changed too."""
        assert isinstance(base, int)
        fd = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=base)
        try:
            if stat.S_ISLNK(os.fstat(fd).st_mode):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
            os.chmod(f"/proc/self/fd/{fd}", mode)
        finally:
            os.close(fd)

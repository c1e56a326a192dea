"""Landlock: which directories a command may read, run and write."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Sequence

from redline.adapters.sandbox import syscalls

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_MAKE_AND_REMOVE = 0b1_1111_1111_0000  # bits 4..12: remove, make of every kind
READ = EXECUTE | READ_FILE | READ_DIR
WRITE = WRITE_FILE | _MAKE_AND_REMOVE | REFER | TRUNCATE
_ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
NET_TCP = 0b11
SCOPE_ABSTRACT_SOCKETS, SCOPE_SIGNALS = 1, 2


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("fs", ctypes.c_uint64),
        ("net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def abi() -> int:
    """Return the version the kernel offers, 0 where there is none."""
    if not syscalls.IS_LINUX:
        return 0
    try:
        return syscalls.syscall(
            syscalls.LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1)
        )
    except OSError:
        return 0


def handled_rights(version: int) -> int:
    """Return every file right that version knows."""
    rights = READ | WRITE_FILE | _MAKE_AND_REMOVE
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        if version >= since:
            rights |= right
    return rights


def ruleset(
    rules: Sequence[tuple[int | str, int]],
    *,
    version: int,
    block_tcp: bool = False,
    handled: int | None = None,
) -> int:
    """Return a descriptor of *rules*, by directories or their names; only *handled* rights count.

    Missing paths are skipped: a rule for nothing grants nothing.
    """
    everything = handled_rights(version) if handled is None else handled
    attributes = _Ruleset(
        everything,
        NET_TCP if block_tcp and version >= 4 else 0,
        SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS if version >= 6 else 0,
    )
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    made = syscalls.syscall(
        syscalls.LANDLOCK_CREATE,
        ctypes.byref(attributes),
        ctypes.c_size_t(size),
        ctypes.c_uint32(0),
        what="landlock_create_ruleset",
    )
    for place, rights in rules:
        _allow(made, place, rights & everything)
    return made


def restrict(made: int) -> None:
    """Hold this process and all it starts to a ruleset; needs no_new_privs."""
    syscalls.syscall(
        syscalls.LANDLOCK_RESTRICT, made, ctypes.c_uint32(0), what="landlock_restrict_self"
    )
    os.close(made)


def _allow(made: int, place: int | str, rights: int) -> None:
    try:
        descriptor = place if isinstance(place, int) else os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        rights &= _ON_FILES
    rule = _PathBeneath(rights, descriptor)
    syscalls.syscall(
        syscalls.LANDLOCK_ADD,
        made,
        1,
        ctypes.byref(rule),
        ctypes.c_uint32(0),
        what=f"landlock_add_rule {place}",
    )
    if descriptor != place:
        os.close(descriptor)

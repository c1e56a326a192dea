"""The few system calls the standard library does not offer, by number; Linux only.

Light on purpose: the warm helper imports this, and nothing here runs at import on other systems.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from functools import cache

ARCH = platform.machine()
IS_LINUX = sys.platform.startswith("linux")

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
SECCOMP = {"x86_64": 317, "aarch64": 277}.get(ARCH, -1)
CAPSET = {"x86_64": 126, "aarch64": 91}.get(ARCH, -1)

PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(ARCH, -1)
OPEN_TREE, MOVE_MOUNT, PIDFD_GETFD, MOUNT_SETATTR = 428, 429, 438, 442

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV = 1, 2, 4
AT_EMPTY_PATH, AT_RECURSIVE, OPEN_TREE_CLONE, MNT_DETACH = 0x1000, 0x8000, 1, 2
MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_EMPTY_PATH = 4, 0x40
MSG_NOSIGNAL = 0x4000
CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS = 0x00020000, 0x02000000, 0x04000000
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x08000000, 0x10000000, 0x20000000
CLONE_NEWNET = 0x40000000
PR_SET_DUMPABLE = 4


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def syscall(number: int, *arguments: object, what: str = "syscall") -> int:
    """A raw system call; OSError on failure."""
    return _checked(int(libc().syscall(ctypes.c_long(number), *arguments)), what)


def prctl(option: int, *arguments: int) -> int:
    """prctl(2); OSError on failure."""
    padded = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)][:4]
    return _checked(libc().prctl(option, *padded), "prctl")


def unshare(flags: int) -> None:
    """unshare(2); OSError on failure."""
    _checked(libc().unshare(flags), "unshare")


def setns(descriptor: int, flags: int) -> None:
    """setns(2); OSError on failure."""
    _checked(libc().setns(descriptor, flags), "setns")


def umount(target: str, flags: int) -> None:
    """umount2(2); OSError on failure."""
    _checked(libc().umount2(os.fsencode(target), flags), f"umount {target}")


def take_descriptor(process: int, number: int) -> int:
    """A duplicate of descriptor *number* of the process behind the pidfd *process*."""
    return syscall(PIDFD_GETFD, process, number, ctypes.c_uint(0), what="pidfd_getfd")


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """mount(2); OSError on failure."""
    result = libc().mount(
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        os.fsencode(data) if data else None,
    )
    _checked(result, f"mount {target}")


def become_subreaper() -> None:
    """Orphans of our descendants come to us instead of to init."""
    if IS_LINUX:
        prctl(PR_SET_CHILD_SUBREAPER, 1)


def drop_capabilities() -> None:
    """Leave no capability to what is executed next; with no_new_privs not even root gets one."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    syscall(CAPSET, header, nothing, what="capset")

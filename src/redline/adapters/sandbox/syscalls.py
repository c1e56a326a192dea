"""The few system calls the standard library does not offer, by number; Linux only.

Light on purpose: the warm helper imports this, and nothing here runs at import on other systems.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

ARCH = os.uname().machine if hasattr(os, "uname") else ""
IS_LINUX = sys.platform.startswith("linux")

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
SECCOMP = {"x86_64": 317, "aarch64": 277}.get(ARCH, -1)
CAPSET = {"x86_64": 126, "aarch64": 91}.get(ARCH, -1)

PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(ARCH, -1)
OPEN_TREE, MOVE_MOUNT, CLOSE_RANGE, PIDFD_GETFD, MOUNT_SETATTR = 428, 429, 436, 438, 442

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV = 1, 2, 4
AT_EMPTY_PATH, AT_RECURSIVE, OPEN_TREE_CLONE = 0x1000, 0x8000, 1
MNT_DETACH, UMOUNT_NOFOLLOW = 2, 8
MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_EMPTY_PATH = 4, 0x40
MSG_NOSIGNAL = 0x4000
CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS = 0x00020000, 0x02000000, 0x04000000
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x08000000, 0x10000000, 0x20000000
CLONE_NEWNET = 0x40000000
PR_SET_DUMPABLE = 4


@cache
def libc() -> ctypes.CDLL:
    """Return the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def syscall(number: int, *arguments: object, what: str = "syscall") -> int:
    """Make a raw system call; OSError on failure."""
    return _check(int(libc().syscall(ctypes.c_long(number), *arguments)), what)


def prctl(option: int, *arguments: int) -> int:
    """prctl(2); OSError on failure."""
    padded = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)][:4]
    return _check(libc().prctl(option, *padded), "prctl")


def unshare(flags: int) -> None:
    """unshare(2); OSError on failure."""
    _check(libc().unshare(flags), "unshare")


def setns(descriptor: int, flags: int) -> None:
    """setns(2); OSError on failure."""
    _check(libc().setns(descriptor, flags), "setns")


def umount(target: str, flags: int) -> None:
    """umount2(2); OSError on failure."""
    _check(libc().umount2(os.fsencode(target), flags), f"umount {target}")


def close_from(first: int) -> None:
    """Close every descriptor from *first* on, however many this process may have."""
    try:
        syscall(CLOSE_RANGE, first, ctypes.c_uint(0xFFFFFFFF), ctypes.c_uint(0), what="close_range")
    except OSError:  # before Linux 5.9
        os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def take_descriptor(process: int, number: int) -> int:
    """Return a duplicate of descriptor *number* of the process behind the pidfd *process*."""
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
    _check(result, f"mount {target}")


def become_subreaper() -> None:
    """Orphans of our descendants come to us instead of to init."""
    if IS_LINUX:
        prctl(PR_SET_CHILD_SUBREAPER, 1)


_CapabilityHeader = ctypes.c_uint32 * 2
_CapabilitySets = ctypes.c_uint32 * 6


def drop_capabilities() -> None:
    """Leave no capability to what is executed next; with no_new_privs not even root gets one."""
    syscall(CAPSET, _CapabilityHeader(0x20080522, 0), _CapabilitySets(), what="capset")


# name: (x86_64, aarch64); -1 where the architecture has no such call.
NUMBERS: dict[str, tuple[int, int]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "setns": (308, 268),
    "unshare": (272, 97),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "ioperm": (173, -1),
    "iopl": (172, -1),
    "vhangup": (153, 58),
    "clone": (56, 220),
    "clone3": (435, 435),
    "ioctl": (16, 29),
    "socket": (41, 198),
    "chmod": (90, -1),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, -1),
    "fchown": (93, 55),
    "lchown": (94, -1),
    "fchownat": (260, 54),
    "utime": (132, -1),
    "utimes": (235, -1),
    "futimesat": (261, -1),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "prlimit64": (302, 261),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "process_mrelease": (448, 448),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "open": (2, -1),
    "openat": (257, 56),
    "creat": (85, -1),
    "openat2": (437, 437),
    "mknod": (133, -1),
    "mknodat": (259, 33),
}

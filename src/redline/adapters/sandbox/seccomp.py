"""seccomp: which system calls a command may not make, as a classic BPF program."""

from __future__ import annotations

import ctypes
import struct
import sys
from dataclasses import dataclass
from typing import NamedTuple

from redline.adapters.sandbox import syscalls

ALLOW, KILL = 0x7FFF0000, 0x80000000
NOTIFY = 0x7FC00000
EPERM, ENOSYS, EAFNOSUPPORT, EOPNOTSUPP = 1, 38, 97, 95

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000

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

# Nothing a developer's command needs, and each a way around the other limits: all up to vhangup.
NEVER = tuple(NUMBERS)[: tuple(NUMBERS).index("vhangup") + 1]
XATTR = (
    "setxattr",
    "lsetxattr",
    "fsetxattr",
    "removexattr",
    "lremovexattr",
    "fremovexattr",
    "setxattrat",
    "removexattrat",
    "file_setattr",
)
METADATA = (
    "chmod",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "fchown",
    "lchown",
    "fchownat",
    "utime",
    "utimes",
    "futimesat",
    "utimensat",
)
SIGNALS = ("kill", "tkill", "tgkill")
OTHER_SIGNALS = ("rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal")
# With a process as their argument; 0 is the caller itself.
ON_PROCESSES = (
    "prlimit64",
    "sched_setparam",
    "sched_setscheduler",
    "sched_setaffinity",
    "sched_setattr",
    "migrate_pages",
    "move_pages",
)
SYSTEM_V_IPC = ("shmget", "msgget", "semget", "mq_open")
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK, _NETLINK_ROUTE = 1, 2, 10, 16, 0
_SOCKET_TYPE, _SOCK_STREAM, _SOCK_SEQPACKET = 0xF, 1, 5
_MSG_FASTOPEN = 0x20000000
_SET_ID = 0o6000
_O_CREAT, _O_TMPFILE = 0o100, 0o20000000
_NAMESPACES = 0x7E020000 | 0x00000080  # every CLONE_NEW* flag
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C

_LD, _JEQ, _JGE, _JSET, _RET, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54


class Test(NamedTuple):
    """A condition on the low half of one argument of a call."""

    argument: int
    value: int
    mask: int = 0xFFFFFFFF
    is_not: bool = False
    any_bit: bool = False  # some bit of *value* is set, instead of equal to it


def number(name: str) -> int:
    """The number of that call here, -1 if there is none."""
    column = {"x86_64": 0, "aarch64": 1}.get(syscalls.ARCH)
    return -1 if column is None else NUMBERS[name][column]


def errno_action(code: int) -> int:
    """Fail the call with that errno."""
    return 0x00050000 | code


class Program:
    """A filter under construction: rules are tried in order, the default is to allow."""

    def __init__(self) -> None:
        self._code: list[tuple[int, int, int, int]] = [
            (_LD, 0, 0, 4),
            (_JEQ, 1, 0, AUDIT[syscalls.ARCH]),
            (_RET, 0, 0, KILL),
            (_LD, 0, 0, 0),
        ]
        if syscalls.ARCH == "x86_64":
            self._code += [(_JGE, 0, 1, _X32), (_RET, 0, 0, errno_action(ENOSYS))]

    def when(self, name: str, action: int) -> None:
        """Answer every such call with *action*."""
        nr = number(name)
        if nr >= 0:
            self._code += [(_JEQ, 0, 1, nr), (_RET, 0, 0, action)]

    def when_all(self, name: str, tests: list[Test], action: int) -> None:
        """Answer such a call with *action* if every one of *tests* holds."""
        nr = number(name)
        if nr < 0:
            return
        block: list[tuple[int, int, int, int]] = [(_RET, 0, 0, action)]
        for test in reversed(tests):
            jump, skip = _JSET if test.any_bit else _JEQ, len(block)
            low = 16 + 8 * test.argument + (0 if sys.byteorder == "little" else 4)
            head = [(_LD, 0, 0, low), (_AND, 0, 0, test.mask)]
            step = (jump, skip, 0, test.value) if test.is_not else (jump, 0, skip, test.value)
            block = [*head, step, *block]
        block.append((_LD, 0, 0, 0))
        self._code += [(_JEQ, 0, len(block), nr), *block]

    def assemble(self) -> bytes:
        """The program as the kernel and bubblewrap take it."""
        code = [*self._code, (_RET, 0, 0, ALLOW)]
        return b"".join(struct.pack("=HBBI", *step) for step in code)


def is_supported() -> bool:
    """Whether filters can be written for this machine."""
    return syscalls.IS_LINUX and syscalls.ARCH in AUDIT


@dataclass(frozen=True, slots=True)
class Rules:
    """What else holds a command, and so what is left to the filter.

    *sockets*: any at all (False where no network namespace separates the command and none is
    granted). *own_processes*, *own_ipc*: it has such a namespace. *own_files*: its mounts decide
    what it may change; else the supervisor is asked about chmod, chown and times. *own_signals*:
    Landlock or a namespace keep its signals in. *memory_group*: a control group counts its memory.
    """

    sockets: bool = True
    own_processes: bool = False
    own_ipc: bool = False
    own_files: bool = False
    own_signals: bool = False
    memory_group: bool = False


def build(rules: Rules) -> bytes:
    """The filter for commands.

    What the supervisor is to judge fails with ENOSYS where nobody listens.
    """
    program = Program()
    _each(program, NEVER, errno_action(EPERM))
    program.when("clone3", errno_action(ENOSYS))  # its flags cannot be seen; libc falls back
    program.when_all("clone", [Test(0, _NAMESPACES, any_bit=True)], errno_action(EPERM))
    for request in (_TIOCSTI, _TIOCLINUX):
        program.when_all("ioctl", [Test(1, request)], errno_action(EPERM))
    _judge_sockets(program, rules.sockets)
    _refuse_set_id(program)
    if not rules.own_files:
        _each(program, METADATA, NOTIFY)
        _each(program, XATTR, errno_action(EOPNOTSUPP))
    if not rules.own_signals:
        _each(program, SIGNALS, NOTIFY)
        _each(program, OTHER_SIGNALS, errno_action(EPERM))
    if not rules.own_processes:
        _only_itself(program)
    if not rules.own_ipc:
        _each(program, SYSTEM_V_IPC, errno_action(EPERM))
    if not rules.memory_group:
        _each(program, ("memfd_create", "memfd_secret", "shmget"), errno_action(ENOSYS))
    return program.assemble()


def _judge_sockets(program: Program, allowed: bool) -> None:
    """Refuse unneeded families; leave to the supervisor whom a socket connects to."""
    refuse = errno_action(EAFNOSUPPORT)
    streams = [
        [Test(0, _AF_UNIX), Test(1, kind, _SOCKET_TYPE)] for kind in (_SOCK_STREAM, _SOCK_SEQPACKET)
    ]
    # A datagram socket could name another socket with every message: those are not judged.
    for tests in streams:
        program.when_all("socketpair", tests, ALLOW)
    program.when("socketpair", refuse)
    if allowed:
        for tests in streams:
            program.when_all("socket", tests, ALLOW)
        for family in (_AF_INET, _AF_INET6):
            program.when_all("socket", [Test(0, family)], ALLOW)
        program.when_all("socket", [Test(0, _AF_NETLINK), Test(2, _NETLINK_ROUTE)], ALLOW)
    program.when("socket", refuse)
    program.when("connect", NOTIFY)
    for name, flags in (("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)):  # connect by sending
        program.when_all(name, [Test(flags, _MSG_FASTOPEN, any_bit=True)], errno_action(EOPNOTSUPP))


def _refuse_set_id(program: Program) -> None:
    """Nothing a command creates or changes runs as its owner: no setuid, no setgid."""
    for name, mode in (("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2)):
        program.when_all(name, [Test(mode, _SET_ID, any_bit=True)], NOTIFY)  # directories may
    for name, mode in (("creat", 1), ("mknod", 1), ("mknodat", 2)):
        program.when_all(name, [Test(mode, _SET_ID, any_bit=True)], errno_action(EPERM))
    for name, flags in (("open", 1), ("openat", 2)):
        creates = Test(flags, _O_CREAT | _O_TMPFILE, any_bit=True)
        tests = [creates, Test(flags + 1, _SET_ID, any_bit=True)]
        program.when_all(name, tests, errno_action(EPERM))
    program.when("openat2", errno_action(ENOSYS))  # its mode cannot be seen; callers fall back


def _only_itself(program: Program) -> None:
    """Priorities, limits and the like: of the calling process, never of another."""
    for name in ON_PROCESSES:
        program.when_all(name, [Test(0, 0, is_not=True)], errno_action(EPERM))
    for name, process in (("setpriority", 0), ("ioprio_set", 1)):
        program.when_all(name, [Test(0, process, is_not=True)], errno_action(EPERM))
        program.when_all(name, [Test(1, 0, is_not=True)], errno_action(EPERM))
    program.when("process_mrelease", errno_action(EPERM))


def _each(program: Program, names: tuple[str, ...], action: int) -> None:
    for name in names:
        program.when(name, action)


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def install(code: bytes, *, listen: bool) -> int:
    """Put the filter in force for this process; with *listen* the notification descriptor."""
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _FilterProgram(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    return syscalls.syscall(
        syscalls.SECCOMP,
        1,
        ctypes.c_uint(8 if listen else 0),
        ctypes.byref(program),
        what="seccomp",
    )

"""seccomp: which system calls a command may not make, as a classic BPF program."""

from __future__ import annotations

import ctypes
import struct
import sys

from redline.adapters.sandbox import linux

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
_NAMESPACES = 0x7E020000 | 0x00000080  # every CLONE_NEW* flag
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C

_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06


def number(name: str) -> int:
    """The number of that call here, -1 if there is none."""
    column = {"x86_64": 0, "aarch64": 1}.get(linux.ARCH)
    return -1 if column is None else NUMBERS[name][column]


def errno_action(code: int) -> int:
    """Fail the call with that errno."""
    return 0x00050000 | code


class Program:
    """A filter under construction: rules are tried in order, the default is to allow."""

    def __init__(self) -> None:
        self._code: list[tuple[int, int, int, int]] = [
            (_LD, 0, 0, 4),
            (_JEQ, 1, 0, AUDIT[linux.ARCH]),
            (_RET, 0, 0, KILL),
            (_LD, 0, 0, 0),
        ]
        if linux.ARCH == "x86_64":
            self._code += [(_JGE, 0, 1, _X32), (_RET, 0, 0, errno_action(ENOSYS))]

    def when(self, name: str, action: int) -> None:
        """Answer every such call with *action*."""
        nr = number(name)
        if nr >= 0:
            self._code += [(_JEQ, 0, 1, nr), (_RET, 0, 0, action)]

    def when_flags(self, name: str, argument: int, mask: int, action: int) -> None:
        """Answer such a call with *action* if any bit of *mask* is set in that argument."""
        self._guarded(name, argument, [(_JSET, 0, 1, mask), (_RET, 0, 0, action)])

    def when_equal(self, name: str, argument: int, value: int, action: int) -> None:
        """Answer such a call with *action* if the low half of that argument is *value*."""
        self._guarded(name, argument, [(_JEQ, 0, 1, value), (_RET, 0, 0, action)])

    def _guarded(self, name: str, argument: int, body: list[tuple[int, int, int, int]]) -> None:
        nr = number(name)
        if nr < 0:
            return
        low = 16 + 8 * argument + (0 if sys.byteorder == "little" else 4)
        block = [(_LD, 0, 0, low), *body, (_LD, 0, 0, 0)]
        self._code += [(_JEQ, 0, len(block), nr), *block]

    def assemble(self) -> bytes:
        """The program as the kernel and bubblewrap take it."""
        code = [*self._code, (_RET, 0, 0, ALLOW)]
        return b"".join(struct.pack("=HBBI", *step) for step in code)


def is_supported() -> bool:
    """Whether filters can be written for this machine."""
    return linux.IS_LINUX and linux.ARCH in AUDIT


def build(*, block_sockets: bool, guard_metadata: bool, guard_signals: bool) -> bytes:
    """The filter for commands.

    *block_sockets* where no network namespace does it; *guard_metadata* asks the supervisor about
    chmod, chown and times (Landlock does not cover them); *guard_signals* about kill.
    """
    program = Program()
    _each(program, NEVER, errno_action(EPERM))
    program.when("clone3", errno_action(ENOSYS))  # its flags cannot be seen; libc falls back
    program.when_flags("clone", 0, _NAMESPACES, errno_action(EPERM))
    program.when_equal("ioctl", 1, _TIOCSTI, errno_action(EPERM))
    program.when_equal("ioctl", 1, _TIOCLINUX, errno_action(EPERM))
    if block_sockets:
        program.when("socket", errno_action(EAFNOSUPPORT))
    if guard_metadata:
        _each(program, METADATA, NOTIFY)
        _each(program, XATTR, errno_action(EOPNOTSUPP))
    if guard_signals:
        _each(program, SIGNALS, NOTIFY)
        _each(program, OTHER_SIGNALS, errno_action(EPERM))
    return program.assemble()


def _each(program: Program, names: tuple[str, ...], action: int) -> None:
    for name in names:
        program.when(name, action)


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def install(code: bytes, *, listen: bool) -> int:
    """Put the filter in force for this process; with *listen* the notification descriptor."""
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _FilterProgram(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    return linux.syscall(
        linux.SECCOMP, 1, ctypes.c_uint(8 if listen else 0), ctypes.byref(program), what="seccomp"
    )

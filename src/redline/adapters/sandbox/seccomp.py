"""seccomp: which system calls a command may not make, as a classic BPF program."""

from __future__ import annotations

import ctypes
import struct
import sys
from typing import NamedTuple

from redline.adapters.sandbox import syscalls
from redline.adapters.sandbox.syscalls import NUMBERS

ALLOW, KILL = 0x7FFF0000, 0x80000000
NOTIFY = 0x7FC00000
EPERM, ENOSYS, EAFNOSUPPORT, EOPNOTSUPP = 1, 38, 97, 95

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000

# Nothing a developer's command needs, and each a way around the other limits: all up to vhangup.
NEVER = tuple(NUMBERS)[: tuple(NUMBERS).index("vhangup") + 1]
XATTR = tuple(
    """
    setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat
    file_setattr
    """.split()
)
METADATA = tuple(
    """
    chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat
    """.split()
)
SIGNALS = ("kill", "tkill", "tgkill")
OTHER_SIGNALS = ("rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal")
# With a process as their argument; 0 is the caller itself.
ON_PROCESSES = tuple(
    """
    prlimit64 sched_setparam sched_setscheduler sched_setaffinity sched_setattr migrate_pages
    move_pages
    """.split()
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


class ArgumentTest(NamedTuple):
    """A condition on the low half of one argument of a call."""

    argument: int
    value: int
    mask: int = 0xFFFFFFFF
    is_not: bool = False
    any_bit: bool = False  # some bit of *value* is set, instead of equal to it


def number(name: str) -> int:
    """Return the number of a system call on this machine; -1 if it has none."""
    column = {"x86_64": 0, "aarch64": 1}.get(syscalls.ARCH)
    return -1 if column is None else NUMBERS[name][column]


def errno_action(code: int) -> int:
    """Fail the call with that errno."""
    return 0x00050000 | code


class CallFilter:
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

    def when_all(self, name: str, tests: list[ArgumentTest], action: int) -> None:
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
        """Return the program as the kernel and bubblewrap take it."""
        code = [*self._code, (_RET, 0, 0, ALLOW)]
        return b"".join(struct.pack("=HBBI", *step) for step in code)


def is_supported() -> bool:
    """Return whether filters can be written for this machine."""
    return syscalls.IS_LINUX and syscalls.ARCH in AUDIT


class Rules(NamedTuple):
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
    """Return the filter for commands.

    Calls that the supervisor must judge fail with ENOSYS where no supervisor listens.
    """
    program = CallFilter()
    _each(program, NEVER, errno_action(EPERM))
    program.when("clone3", errno_action(ENOSYS))  # its flags cannot be seen; libc falls back
    program.when_all("clone", [ArgumentTest(0, _NAMESPACES, any_bit=True)], errno_action(EPERM))
    for request in (_TIOCSTI, _TIOCLINUX):
        program.when_all("ioctl", [ArgumentTest(1, request)], errno_action(EPERM))
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


def _judge_sockets(program: CallFilter, allowed: bool) -> None:
    """Refuse unneeded families; leave to the supervisor whom a socket connects to."""
    refuse = errno_action(EAFNOSUPPORT)
    streams = [
        [ArgumentTest(0, _AF_UNIX), ArgumentTest(1, kind, _SOCKET_TYPE)]
        for kind in (_SOCK_STREAM, _SOCK_SEQPACKET)
    ]
    # A datagram socket could name another socket with every message: those are not judged.
    for tests in streams:
        program.when_all("socketpair", tests, ALLOW)
    program.when("socketpair", refuse)
    if allowed:
        for tests in streams:
            program.when_all("socket", tests, ALLOW)
        for family in (_AF_INET, _AF_INET6):
            program.when_all("socket", [ArgumentTest(0, family)], ALLOW)
        program.when_all(
            "socket", [ArgumentTest(0, _AF_NETLINK), ArgumentTest(2, _NETLINK_ROUTE)], ALLOW
        )
    program.when("socket", refuse)
    program.when("connect", NOTIFY)
    for name, flags in (("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)):  # connect by sending
        program.when_all(
            name, [ArgumentTest(flags, _MSG_FASTOPEN, any_bit=True)], errno_action(EOPNOTSUPP)
        )


def _refuse_set_id(program: CallFilter) -> None:
    """Nothing a command creates or changes runs as its owner: no setuid, no setgid."""
    for name, mode in (("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2)):
        program.when_all(
            name, [ArgumentTest(mode, _SET_ID, any_bit=True)], NOTIFY
        )  # directories may
    for name, mode in (("creat", 1), ("mknod", 1), ("mknodat", 2)):
        program.when_all(name, [ArgumentTest(mode, _SET_ID, any_bit=True)], errno_action(EPERM))
    for name, flags in (("open", 1), ("openat", 2)):
        creates = ArgumentTest(flags, _O_CREAT | _O_TMPFILE, any_bit=True)
        tests = [creates, ArgumentTest(flags + 1, _SET_ID, any_bit=True)]
        program.when_all(name, tests, errno_action(EPERM))
    program.when("openat2", errno_action(ENOSYS))  # its mode cannot be seen; callers fall back


def _only_itself(program: CallFilter) -> None:
    """Priorities, limits and the like: of the calling process, never of another."""
    for name in ON_PROCESSES:
        program.when_all(name, [ArgumentTest(0, 0, is_not=True)], errno_action(EPERM))
    for name, process in (("setpriority", 0), ("ioprio_set", 1)):
        program.when_all(name, [ArgumentTest(0, process, is_not=True)], errno_action(EPERM))
        program.when_all(name, [ArgumentTest(1, 0, is_not=True)], errno_action(EPERM))
    program.when("process_mrelease", errno_action(EPERM))


def _each(program: CallFilter, names: tuple[str, ...], action: int) -> None:
    for name in names:
        program.when(name, action)


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def install(code: bytes, *, listen: bool) -> int:
    """Put the filter in force for this process; with *listen* the notification descriptor."""
    program = _FilterProgram(len(code) // 8, code)
    return syscalls.syscall(
        syscalls.SECCOMP,
        1,
        ctypes.c_uint(8 if listen else 0),
        ctypes.byref(program),
        what="seccomp",
    )

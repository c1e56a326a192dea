"""Answers for the calls no rule can judge: connect, set-id bits, and where there are no namespaces
chmod, chown, file times and kill.

The command's call waits in the kernel; the supervisor reads its arguments once, opens the target
itself and acts on that descriptor, so nothing the command does in between changes what is touched.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import socket
import stat
import struct
import time
from collections.abc import Callable
from threading import Thread
from types import TracebackType
from typing import Any

from redline.adapters.sandbox import process_tree, seccomp, syscalls

_LISTENING = "0A"
_LOOPBACK, _MAPPED = b"\0" * 15 + b"\1", b"\0" * 10 + b"\xff\xff"
_NAME_SERVICE = 53
# Every server of a history leaves a file of this name and its process id there.
_SERVER_NOTE = "server-"
_RESOLVE_IN_ROOT, _OPENAT2 = 0x10, 437


class SandboxConnection:
    """One connect that may happen: the socket, and the address as bytes."""

    def __init__(self, socket_: int, address: bytes, target: int = -1) -> None:
        self._socket = socket_
        self._address = address
        self._target = target
        self.may_wait = target < 0

    def __enter__(self) -> SandboxConnection:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        for descriptor in (self._socket, self._target):
            if descriptor >= 0:
                os.close(descriptor)

    def connect(self) -> None:
        """Do it; OSError with what the kernel says."""
        if syscalls.libc().connect(self._socket, self._address, len(self._address)) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))


class SandboxConnections:
    """The rule for one job."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._private: list[str] = plan["private"]
        self._roots: list[str] = plan["roots"]
        self._is_open = plan["network"] == "open"
        self._server = int(plan["server"])
        self._histories: list[str] = plan["histories"]
        # Whether the command asked for another machine, and has no network to reach it.
        self.lacked_network = False

    def prepare(self, pid: int, number: int, address: bytes) -> SandboxConnection:
        """Judge a connect of descriptor *number* of *pid*; OSError if it may not be."""
        process = _open_process(pid)
        try:
            taken = syscalls.take_descriptor(process, number)
        finally:
            os.close(process)
        try:
            return self._judge(pid, taken, address)
        except BaseException:
            os.close(taken)
            raise

    def _judge(self, pid: int, taken: int, address: bytes) -> SandboxConnection:
        if len(address) < 2:
            raise OSError(errno.EINVAL, "address")
        family = struct.unpack("=H", address[:2])[0]
        if family == socket.AF_UNIX:
            return self._judge_file(pid, taken, address[2:])
        if family in (socket.AF_INET, socket.AF_INET6):
            if self._is_open and self._is_own(family, address):
                raise OSError(errno.EACCES, "a socket of the server itself")
            self.lacked_network |= not self._is_open and _is_elsewhere(family, address)
        elif family not in (socket.AF_UNSPEC, socket.AF_NETLINK):
            raise OSError(errno.EAFNOSUPPORT, "family")
        return SandboxConnection(taken, address)

    def _judge_file(self, pid: int, taken: int, name: bytes) -> SandboxConnection:
        if name[:1] == b"\0" or not name:
            if self._is_open:  # abstract names are the machine's then
                raise OSError(errno.EACCES, "abstract socket")
            return SandboxConnection(taken, struct.pack("=H", socket.AF_UNIX) + name)
        target = _open_in(pid, name.partition(b"\0")[0])
        try:
            path = os.readlink(f"/proc/self/fd/{target}")
            if not _is_in(path, self._private) or _is_in(path, self._roots):
                raise OSError(errno.EACCES, "a socket outside the private directories")
        except BaseException:
            os.close(target)
            raise
        exact = struct.pack("=H", socket.AF_UNIX) + f"/proc/self/fd/{target}".encode() + b"\0"
        return SandboxConnection(taken, exact, target)

    def _is_own(self, family: int, address: bytes) -> bool:
        """Return whether that is where the server listens, by whatever name of this machine."""
        if len(address) < 16:
            return False
        port = struct.unpack("!H", address[2:4])[0]
        raw = address[4:8] if family == socket.AF_INET else address[8:24]
        if len(raw) not in (4, 16) or not _is_local(raw):
            return False
        return any(port in _listening_ports(server) for server in self._servers())

    def _servers(self) -> set[int]:
        """Return the server of this command, and those of the same history such as the page's."""
        found = {self._server}
        for home in self._histories:
            try:
                names = os.listdir(home)
            except OSError:
                continue
            notes = (name for name in names if name.startswith(_SERVER_NOTE))
            # The number of the process, then what tells its notes apart.
            pids = (name.removeprefix(_SERVER_NOTE).partition("-")[0] for name in notes)
            found |= {int(pid) for pid in pids if pid.isascii() and pid.isdigit()}
        return found


def _open_process(thread: int) -> int:
    """Return a pidfd of the process that *thread* is in: its threads share their descriptors."""
    try:
        return os.pidfd_open(thread)
    except OSError:  # it is not the first thread of its process
        with open(f"/proc/{thread}/status") as file:
            (leader,) = (line for line in file if line.startswith("Tgid:"))
        return os.pidfd_open(int(leader.partition(":")[2]))


def _is_in(path: str, places: list[str]) -> bool:
    return any(path.startswith(f"{place}/") for place in places)


def _is_elsewhere(family: int, address: bytes) -> bool:
    """Return whether that is another machine, or a server that knows the names of such."""
    start, size = (4, 4) if family == socket.AF_INET else (8, 16)
    raw = address[start : start + size].removeprefix(_MAPPED)
    here = raw[:1] == b"\x7f" if len(raw) == 4 else raw == _LOOPBACK
    port = int.from_bytes(address[2:4], "big")
    return len(raw) in (4, 16) and any(raw) and (not here or port == _NAME_SERVICE)


def _is_local(raw: bytes) -> bool:
    import ipaddress  # not before: what is loaded is copied by every fork

    host = ipaddress.ip_address(raw)
    if isinstance(host, ipaddress.IPv6Address) and host.ipv4_mapped:
        host = host.ipv4_mapped
    if host.is_loopback or host.is_unspecified:
        return True
    family = socket.AF_INET if host.version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as attempt:
        try:
            attempt.bind((str(host), 0))
        except OSError as problem:
            return problem.errno != errno.EADDRNOTAVAIL
    return True


def _listening_ports(server: int) -> set[int]:
    """Return the TCP ports on which the process listens now."""
    held: set[str] = set()
    try:
        names = os.listdir(f"/proc/{server}/fd")
    except OSError:
        names = []  # it has ended, and its note is left
    for name in names:
        try:
            held.add(os.readlink(f"/proc/{server}/fd/{name}"))
        except OSError:
            continue
    ports: set[int] = set()
    for table in ("tcp", "tcp6"):
        try:
            with open(f"/proc/{server}/net/{table}") as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except OSError:
            continue
        ports.update(
            int(row[1].rpartition(":")[2], 16)
            for row in rows
            if row[3] == _LISTENING and f"socket:[{row[9]}]" in held
        )
    return ports


def _open_in(pid: int, path: bytes) -> int:
    """An O_PATH descriptor of what *path* is to the process, links resolved in its own root."""
    root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_CLOEXEC)
    try:
        if not path.startswith(b"/"):
            start = os.readlink(os.fsencode(f"/proc/{pid}/cwd"))
            path = start + b"/" + path
        how = struct.pack("=QQQ", os.O_PATH | os.O_CLOEXEC, 0, _RESOLVE_IN_ROOT)
        return syscalls.syscall(
            _OPENAT2, root, path, how, ctypes.c_size_t(len(how)), what="openat2"
        )
    finally:
        os.close(root)


_RECV, _SEND, _ID_VALID = 0xC0502100, 0xC0182101, 0x40082102
_CONTINUE = 1
_MAX_ADDRESS = 128
_AT_FDCWD, _NOFOLLOW, _EMPTY_PATH = -100, 0x100, 0x1000
_NOW, _OMIT = (1 << 30) - 1, (1 << 30) - 2
_NAMES = {seccomp.number(n): n for n in (*seccomp.METADATA, *seccomp.SIGNALS, "connect")}


class _Denied(Exception):
    """The call fails with this errno."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def _int(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _fail(code: int) -> int:
    raise _Denied(code)


class Referee:
    """Judges the held calls of one job by where their targets lie."""

    def __init__(self, listener: int, plan: dict[str, Any]) -> None:
        self.listener = listener
        self._writable: list[str] = plan["writable"]
        self._protected: list[str] = plan["protected"]
        self._connections = SandboxConnections(plan)
        self._supervisor = os.getpid()

    @property
    def lacked_network(self) -> bool:
        """Whether a process of the job asked for another machine that it cannot reach."""
        return self._connections.lacked_network

    def answer(self) -> bool:
        """Answer one waiting call; False when no process is left to ask."""
        buffer = bytearray(80)
        try:
            fcntl.ioctl(self.listener, _RECV, buffer)
        except InterruptedError:
            return True
        except OSError as problem:
            return problem.errno == errno.ENOENT  # the caller has died
        identity, pid, _flags, number, _arch, _ip, *arguments = struct.unpack("=QIIiIQ6Q", buffer)
        name = _NAMES.get(number, "")
        if name == "connect":
            self._connect(identity, pid, arguments)
        else:
            self._reply(identity, lambda: self._judge(name, identity, pid, arguments))
        return True

    def _connect(self, identity: int, pid: int, a: list[int]) -> None:
        """Connect the caller's own socket to the address as we read it, and to no other."""
        wanted: list[SandboxConnection] = []

        def prepare() -> int:
            address = memory(pid, a[1], min(a[2], _MAX_ADDRESS))
            made = self._connections.prepare(pid, _int(a[0]), address)
            fcntl.ioctl(self.listener, _ID_VALID, struct.pack("=Q", identity))
            wanted.append(made)
            return 0

        def act() -> int:
            with wanted[0] as connection:
                connection.connect()
            return 0

        try:
            prepare()
        except OSError as problem:
            code = problem.errno or errno.EPERM
            self._reply(identity, lambda: _fail(code))
            return
        if wanted[0].may_wait:  # for the other side: others must not wait for that
            Thread(target=self._reply, args=(identity, act), daemon=True).start()
        else:
            self._reply(identity, act)

    def _reply(self, identity: int, act: Callable[[], int]) -> None:
        code, flags = 0, 0
        try:
            flags = act()
        except _Denied as denied:
            code = -denied.code
        except OSError as problem:
            code = -(problem.errno or errno.EPERM)
        try:
            fcntl.ioctl(self.listener, _SEND, struct.pack("=QqiI", identity, 0, code, flags))
        except OSError:
            pass

    def _judge(self, name: str, identity: int, pid: int, a: list[int]) -> int:
        if name in seccomp.SIGNALS:
            self._judge_signal(name, pid, a)
            return _CONTINUE  # its arguments are in registers: no thread can change them now
        descriptor = self._open(name, identity, pid, a)
        try:
            self._act(name, pid, a, descriptor)
        finally:
            os.close(descriptor)
        return 0

    def _judge_signal(self, name: str, pid: int, a: list[int]) -> None:
        target = _int(a[0])
        if target == 0 or (name != "kill" and target == pid):
            return
        if target == -1 or not process_tree.is_descendant(abs(target), self._supervisor):
            raise _Denied(errno.EPERM)

    def _open(self, name: str, identity: int, pid: int, a: list[int]) -> int:
        """Return an O_PATH descriptor of the target, proven to lie where the command may write."""
        if name in ("fchmod", "fchown"):
            place, follow = f"/proc/{pid}/fd/{_int(a[0])}", True
        else:
            place, follow = self._place(name, pid, a)
        fcntl.ioctl(self.listener, _ID_VALID, struct.pack("=Q", identity))
        flags = os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
        descriptor = os.open(place, flags)
        try:
            self._require_writable(os.readlink(f"/proc/self/fd/{descriptor}"))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _place(self, name: str, pid: int, a: list[int]) -> tuple[str, bool]:
        relative = name.endswith(("at", "at2"))
        base = _int(a[0]) if relative else _AT_FDCWD
        address = a[1] if relative else a[0]
        flags = {"fchmodat2": a[3], "fchownat": a[4], "utimensat": a[3]}.get(name, 0)
        start = f"/proc/{pid}/cwd" if base == _AT_FDCWD else f"/proc/{pid}/fd/{base}"
        text = _text(pid, address) if address else ""
        if not text:
            if address and not flags & _EMPTY_PATH:
                raise _Denied(errno.ENOENT)
            return start, True
        follow = name != "lchown" and not flags & _NOFOLLOW
        for own in ("/proc/self/", "/proc/thread-self/"):
            if text.startswith(own):
                return f"/proc/{pid}/{text[len(own) :]}", follow
        return (f"/proc/{pid}/root{text}" if text[0] == "/" else f"{start}/{text}"), follow

    def _require_writable(self, target: str) -> None:
        def beneath(roots: list[str]) -> bool:
            return any(target == root or target.startswith(root + "/") for root in roots)

        if not beneath(self._writable) or beneath(self._protected):
            raise _Denied(errno.EPERM)

    def _act(self, name: str, pid: int, a: list[int], descriptor: int) -> None:
        place = f"/proc/self/fd/{descriptor}"
        shift = 1 if name.endswith(("at", "at2")) else 0
        if "chmod" in name:
            mode = a[1 + shift] & 0o7777
            is_directory = stat.S_ISDIR(os.stat(place).st_mode)
            if mode & 0o4000 or (mode & 0o2000 and not is_directory):
                raise _Denied(errno.EPERM)
            os.chmod(place, mode)
        elif "chown" in name:
            there = os.stat(place)
            for wanted, actual in ((a[1 + shift], there.st_uid), (a[2 + shift], there.st_gid)):
                if _int(wanted) not in (-1, actual):
                    raise _Denied(errno.EPERM)
        else:
            _set_times(name, pid, a[1 + shift], place)


def _set_times(name: str, pid: int, address: int, place: str) -> None:
    if not address:
        os.utime(place)
        return
    if name == "utime":
        access, change = struct.unpack("=qq", memory(pid, address, 16))
        os.utime(place, (access, change))
        return
    values = struct.unpack("=4q", memory(pid, address, 32))
    scale = 1 if name == "utimensat" else 1000
    there = os.stat(place)

    def moment(seconds: int, fraction: int, old: int) -> int:
        if name == "utimensat" and fraction == _OMIT:
            return old
        if name == "utimensat" and fraction == _NOW:
            return time.time_ns()
        return seconds * 1_000_000_000 + fraction * scale

    atime = moment(values[0], values[1], there.st_atime_ns)
    mtime = moment(values[2], values[3], there.st_mtime_ns)
    os.utime(place, ns=(atime, mtime))


def memory(pid: int, address: int, size: int) -> bytes:
    """Bytes of the memory of *pid*."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        return memory.read(size)


def _text(pid: int, address: int) -> str:
    """Return the zero-terminated string there, at most a path long."""
    found = b""
    while len(found) < 4096:
        step = 4096 - (address + len(found)) % 4096  # never across into a page that may be absent
        found += memory(pid, address + len(found), step)
        if b"\0" in found:
            return os.fsdecode(found[: found.index(b"\0")])
    raise _Denied(errno.ENAMETOOLONG)

"""Whom a command's sockets may connect to, decided and done on its behalf.

The supervisor holds a duplicate of the command's socket and a copy of the address: nothing the
command changes afterwards matters. Sockets that are files are reached only in the private
directories, where no service of the machine listens; the ports of Redline's servers never.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct
from types import TracebackType
from typing import Any

from redline.adapters.sandbox import syscalls

_LISTENING = "0A"
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

    def prepare(self, pid: int, number: int, address: bytes) -> SandboxConnection:
        """Judge a connect of descriptor *number* of *pid*; OSError if it may not be."""
        process = os.pidfd_open(pid)
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
        """Whether that is where the server listens, by whatever name of this machine."""
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


def _is_in(path: str, places: list[str]) -> bool:
    return any(path.startswith(f"{place}/") for place in places)


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
    """The TCP ports on which the process listens now."""
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

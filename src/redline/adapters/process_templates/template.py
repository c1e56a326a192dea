"""The server's side of a template: started at the first copy, started again if it died."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from threading import Lock
from typing import NamedTuple, Protocol

from redline.adapters.process_templates.forking import MAX_PACKET

_ENDING = 5.0
# A template that does not answer for so long is started again; loading takes about a second.
_PATIENCE = 60.0


class ChildProcess(Protocol):
    """What a server does with a process it started; a `subprocess.Popen` is one."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """Return the exit status; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status, once it has ended; subprocess.TimeoutExpired."""

    def kill(self) -> None:
        """End it now."""


class TemplateEnded(OSError):
    """A template ended instead of making a copy; `status` is how."""

    def __init__(self, status: int | None) -> None:
        super().__init__("The template process has ended")
        self.status = status


class Template:
    """Copies one process again and again, from any thread.

    *start* gets the descriptor of a socket and starts a process that calls
    `forking.fork_on_request` with it.
    """

    def __init__(self, start: Callable[[int], ChildProcess]) -> None:
        self._start = start
        self._lock = Lock()
        self._process: ChildProcess | None = None
        self._socket: socket.socket | None = None

    def fork(self, arguments: Sequence[str], descriptors: Sequence[int]) -> ForkedProcess:
        """Start a copy; the descriptors stay the caller's to close. TemplateEnded, OSError."""
        request = json.dumps({"fork": list(arguments)}).encode()
        with self._lock:
            for is_last in (False, True):
                try:
                    number, handle = self._ask(request, descriptors)
                    assert self._socket is not None
                    return ForkedProcess(self, self._socket, number, handle)
                except OSError as failure:
                    status = self._drop()
                    if is_last:
                        raise TemplateEnded(status) from failure
        raise AssertionError("unreachable")

    def _ask(self, request: bytes, descriptors: Sequence[int]) -> tuple[int, int]:
        if self._socket is None:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.settimeout(_PATIENCE)
            self._socket = ours
            with theirs:
                self._process = self._start(theirs.fileno())
        socket.send_fds(self._socket, [request], list(descriptors))
        said, handles, _flags, _address = socket.recv_fds(self._socket, MAX_PACKET, 1)
        if not said or not handles:
            raise OSError("The template process has ended")
        return int(said), handles[0]

    def collect(self, source: socket.socket, number: int) -> int:
        """The exit status of a copy that has ended; *source* is the socket it was asked for on."""
        with self._lock:
            if source is not self._socket:
                return -signal.SIGKILL  # its template is gone, and its status with it
            try:
                source.sendall(json.dumps({"wait": number}).encode())
                return int(source.recv(MAX_PACKET))
            except (OSError, ValueError):
                self._drop()
                return -signal.SIGKILL

    def close(self) -> None:
        """End the template."""
        with self._lock:
            self._drop()

    def _drop(self) -> int | None:
        """End the template; return how it ended, None if it never ran."""
        status = None
        if self._socket is not None:
            self._socket.close()  # it ends when it sees that
        self._socket = None
        if self._process is not None:
            try:
                status = self._process.wait(_ENDING)
            except subprocess.TimeoutExpired:
                self._process.kill()
                status = self._process.wait()
            self._process = None
        return status


class ProcessTemplates(NamedTuple):
    """What the processes of many workspaces are copied from.

    Each copy serves one workspace; the templates never see anything of any.
    """

    workers: Template
    commands: Template


class ForkedProcess:
    """A copy of a template; see `ChildProcess`."""

    def __init__(self, template: Template, source: socket.socket, pid: int, handle: int) -> None:
        self._template = template
        self._source = source
        self._handle = handle
        self._lock = Lock()
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status; None while it runs."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status, once it has ended; subprocess.TimeoutExpired."""
        status = self._look(None if timeout is None else timeout * 1000)
        if status is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        return status

    def kill(self) -> None:
        """End it now."""
        with self._lock:
            if self._handle >= 0:
                try:
                    signal.pidfd_send_signal(self._handle, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def _look(self, milliseconds: float | None) -> int | None:
        with self._lock:
            if self._handle < 0:
                return self.returncode
            # Others may kill the process while this waits for its end.
            handle = os.dup(self._handle)
        try:
            poller = select.poll()
            poller.register(handle, select.POLLIN)
            if not poller.poll(milliseconds):
                return None
        finally:
            os.close(handle)
        with self._lock:
            if self._handle >= 0:
                self.returncode = self._template.collect(self._source, self.pid)
                os.close(self._handle)
                self._handle = -1
            return self.returncode

    def __del__(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)


def is_possible() -> bool:
    """Return whether this system can hand over a process by a descriptor (Linux 5.3)."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True

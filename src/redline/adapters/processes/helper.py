"""The server's side of the warm helper: started at the first command, started again if it died."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from redline.adapters.process_templates.template import ChildProcess, Template
from redline.adapters.sandbox import limits
from redline.adapters.sandbox.program import Program, capture_helper
from redline.core.errors import SandboxUnavailable

_PATIENCE = 20.0
_CLOSING = 5.0
MAX_PACKET = 64 << 10
# How many supervisors wait for a command. Each takes 4 MB and saves 15 ms: not where workspaces
# are many.
_READY_ALONE, _READY_AMONG_MANY = "4", "0"
_NOTHING = {"spaces": False, "memory": 0, "pids": 0}


def start_template(program: Program) -> Callable[[int], ChildProcess]:
    """Return what starts the process that helpers of many workspaces are copied from."""
    copied = program._replace(entry="redline.adapters.processes.spawner:be_template")
    return lambda descriptor: _start_alone(copied, [str(descriptor)], descriptor)


def _start_alone(
    program: Program, arguments: Sequence[str], descriptor: int
) -> subprocess.Popen[bytes]:
    return program.start(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[descriptor],
        start_new_session=True,
    )


class Helper:
    """Sends jobs to the helper process and owns the private directory of this server."""

    def __init__(
        self,
        tree: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        program: Program | None = None,
        template: Template | None = None,
    ) -> None:
        self._program = program or (None if template else capture_helper())
        self._template = template
        self._tree = tree or (lambda _offer: {"kind": "none", "ahead": _NOTHING})
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._process: ChildProcess | None = None
        self._offer: dict[str, Any] = {}
        # Only this server's commands use it: home and tmp lie there. Known after `offer`.
        self.directory = ""
        self.cgroups = limits.cgroups()

    @property
    def controllers(self) -> list[str]:
        """What the control groups of a command count."""
        return [name for group in self.cgroups for name in group["for"]]

    def offer(self) -> dict[str, Any]:
        """Return what the kernel offers: abi (Landlock), seccomp, namespaces."""
        with self._lock:
            if self._socket is None:
                self._start()
            return self._offer

    def start(self, job: dict[str, Any], descriptors: Sequence[int]) -> None:
        """Hand over *job*; the descriptors stay the caller's to close."""
        body = json.dumps(job).encode()
        if len(body) < MAX_PACKET:
            self._start_with(body, descriptors)
            return
        with tempfile.TemporaryFile() as file:
            file.write(body)
            file.flush()
            file.seek(0)
            self._start_with(b'{"elsewhere":true}', [*descriptors, file.fileno()])

    def _start_with(self, body: bytes, descriptors: Sequence[int]) -> None:
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self._drop()  # what waited for jobs there has ended with it
            for last in (False, True):
                if self._socket is None:
                    self._start()
                try:
                    self._send(body, descriptors)
                    return
                except OSError:
                    self._drop()
                    if last:
                        raise SandboxUnavailable("The command helper does not answer") from None

    def _send(self, body: bytes, descriptors: Sequence[int]) -> None:
        if self._socket is None:
            raise OSError("not connected")
        socket.send_fds(self._socket, [body], list(descriptors))

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="redline-"))
        for name in ("home", "tmp", "root", "dry"):
            os.mkdir(os.path.join(self.directory, name), 0o700)
        with theirs:
            self._process = self._start_process(theirs.fileno())
        ours.settimeout(_PATIENCE)
        said = ours.recv(4096)
        if not said:
            ours.close()
            raise SandboxUnavailable("The command helper did not start")
        ours.settimeout(None)
        self._offer = json.loads(said)
        ours.sendall(json.dumps(self._tree(self._offer)).encode())
        self._socket = ours

    def _start_process(self, descriptor: int) -> ChildProcess:
        arguments = [self.directory, json.dumps(self.cgroups)]
        if self._template is not None:
            try:
                return self._template.fork([*arguments, _READY_AMONG_MANY], [descriptor])
            except OSError:
                raise SandboxUnavailable("The command helper did not start") from None
        assert self._program is not None
        return _start_alone(self._program, [str(descriptor), *arguments, _READY_ALONE], descriptor)

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        if self._process is not None:
            try:
                self._process.wait(_CLOSING)
            except subprocess.TimeoutExpired:
                self._process.kill()  # its supervisors end their jobs on their own
                self._process.wait()
            self._process = None

    def close(self) -> None:
        """End the helper; it ends every job and removes the private directory first."""
        with self._lock:
            self._drop()

"""The proxy process: one for all commands of a server, and it ends with the server.

It is handed, over the control socket to the server, one channel per command. On the channel the
command's own namespace sends a listening socket: a socket stays in the namespace that made it, so
what is accepted there comes from that command and from nothing else. The channel's end is the
command's end. The process writes no file, starts no program and logs nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
from collections.abc import Coroutine, Sequence
from http import HTTPStatus
from typing import Any

from redline.adapters.egress.connection import IDLE_SECONDS, MAX_HEAD, Connection
from redline.adapters.egress.dialing import Dialer, is_outside
from redline.adapters.sandbox import landlock, syscalls
from redline.core.access.domains import parse_domains

MAX_PACKET = 64 << 10
MAX_CONNECTIONS = 256
MAX_OF_ONE_COMMAND = 64
MAX_REPORTS = 8  # of one command
_LIMITS = {
    resource.RLIMIT_NOFILE: 4 * MAX_CONNECTIONS,
    resource.RLIMIT_DATA: 512 << 20,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_CORE: 0,
}


def serve(descriptor: str) -> None:
    """Serve until the server has gone; *descriptor* is the control socket to it."""
    control = socket.socket(fileno=int(descriptor))
    terms = json.loads(control.recv(MAX_PACKET))
    _give_up_rights()
    try:
        asyncio.run(_Proxy(control, _build_dialer(terms)).run())
    finally:
        os._exit(0)  # not waiting for lookups in threads


def _give_up_rights() -> None:
    """Read files at most (the resolver's settings), and gain no rights."""
    for limit, value in _LIMITS.items():
        _soft, hard = resource.getrlimit(limit)
        most = value if hard == resource.RLIM_INFINITY else min(hard, value)
        resource.setrlimit(limit, (most, most))
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    version = landlock.abi()
    if version:
        readable = [("/", landlock.READ_FILE | landlock.READ_DIR)]
        landlock.restrict(landlock.ruleset(readable, version=version))
    syscalls.drop_capabilities()


def _build_dialer(terms: dict[str, Any]) -> Dialer:
    """The dialer for *terms*; only tests give `answers` (of lookups) and `permitted` addresses."""
    domains = parse_domains(terms["domains"])
    trial = terms.get("trial")
    if trial is None:
        return Dialer(domains)
    answers: dict[str, list[list[str]]] = trial["answers"]

    async def look_up(name: str, _port: int) -> Sequence[str]:
        each = answers.get(name, [[]])
        return each.pop(0) if len(each) > 1 else each[0]

    def may_dial(address: str, port: int) -> bool:
        return f"{address}:{port}" in trial["permitted"] or is_outside(address, port)

    return Dialer(domains, lookup=look_up, may_dial=may_dial)


class _Proxy:
    """The commands that have a way out now."""

    def __init__(self, control: socket.socket, dialer: Dialer) -> None:
        self._control = control
        self._dialer = dialer
        self._commands: set[_Command] = set()
        self._is_over = asyncio.Event()

    async def run(self) -> None:
        """Until the server has gone."""
        self._control.setblocking(False)
        asyncio.get_running_loop().add_reader(self._control.fileno(), self._hear)
        await self._is_over.wait()

    def _hear(self) -> None:
        try:
            data, descriptors, _flags, _from = socket.recv_fds(self._control, MAX_PACKET, 1)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        if not data:
            self._is_over.set()
            return
        job = json.loads(data)["job"]
        for descriptor in descriptors:
            self._commands.add(_Command(self, job, socket.socket(fileno=descriptor)))

    @property
    def dialer(self) -> Dialer:
        """What decides where connections go."""
        return self._dialer

    def count(self) -> int:
        """Return how many connections are open."""
        return sum(len(command.connections) for command in self._commands)

    def report(self, job: str, text: str) -> None:
        """Tell the server what was refused; where it does not listen, it need not know."""
        try:
            self._control.send(json.dumps({"job": job, "refused": text}).encode())
        except OSError:
            pass

    def drop(self, command: _Command) -> None:
        """Release what was kept for a command that has ended."""
        self._commands.discard(command)


class _Command:
    """One command: its channel, its listening socket, its connections."""

    def __init__(self, proxy: _Proxy, job: str, channel: socket.socket) -> None:
        self._proxy = proxy
        self._job = job
        self._channel = channel
        self._reported: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.connections: set[asyncio.StreamWriter] = set()
        channel.setblocking(False)
        asyncio.get_running_loop().add_reader(channel.fileno(), self._hear)

    def _hear(self) -> None:
        try:
            data, descriptors, _flags, _from = socket.recv_fds(self._channel, 1, 1)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        for descriptor in descriptors:
            self._start(self._listen(socket.socket(fileno=descriptor)))
        if not data:
            self._end()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _listen(self, listener: socket.socket) -> None:
        # Known before it serves: the command may end while it starts.
        self._server = await asyncio.start_server(
            self._accept, sock=listener, limit=MAX_HEAD, start_serving=False
        )
        await self._server.start_serving()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        share = max(
            len(self.connections) / MAX_OF_ONE_COMMAND, self._proxy.count() / MAX_CONNECTIONS
        )
        if share >= 2:  # beyond the number worth reporting
            writer.transport.abort()
            return
        self.connections.add(writer)
        self._start(self._serve(reader, writer, is_full=share >= 1))

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_full: bool
    ) -> None:
        connection = Connection(reader, writer, self._proxy.dialer, self._report)
        try:
            if is_full:
                status = HTTPStatus.SERVICE_UNAVAILABLE
                await connection.answer(status, "Too many connections at once")
            else:
                await connection.serve()
            writer.close()
            async with asyncio.timeout(IDLE_SECONDS):
                await writer.wait_closed()
        except Exception:  # noqa: S110
            pass  # whatever ends one connection ends no other
        finally:
            self.connections.discard(writer)
            writer.transport.abort()

    def _report(self, text: str) -> None:
        if text not in self._reported and len(self._reported) < MAX_REPORTS:
            self._reported.add(text)
            self._proxy.report(self._job, text)

    def _end(self) -> None:
        """Close everything: a namespace lives as long as one of its sockets."""
        asyncio.get_running_loop().remove_reader(self._channel.fileno())
        self._channel.close()
        if self._server is not None:
            self._server.close()
        for writer in list(self.connections):
            writer.transport.abort()
        for task in list(self._tasks):
            task.cancel()
        self._proxy.drop(self)

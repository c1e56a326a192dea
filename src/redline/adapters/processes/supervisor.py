"""One process per job that outlives nothing: it starts the command, watches, and ends the tree.

It speaks with the server over the job's control socket. In: one letter per signal (T, I, K), end
of file means the server is gone. Out: one JSON line, `failed` or `status`.

Everything that does not depend on the job is done while it waits for one, and the forked child
stays away from slow corners of the standard library: that is most of what starting costs.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from typing import Any, NoReturn

from redline.adapters.processes import command_space
from redline.adapters.processes.command_space import CommandSpace
from redline.adapters.processes.command_start import CommandRequest, become, read_request, rehearse
from redline.adapters.sandbox import confine, syscalls
from redline.adapters.sandbox import process_tree as tree
from redline.adapters.sandbox.notify import Referee

_SIGNALS = {b"T": signal.SIGTERM, b"I": signal.SIGINT}
_LOOK_AT_MEMORY = 0.5
_LOOK_WITHOUT_PIDFD = 0.02
_OWN_PROCESSES = 2  # the supervisor, and the first process of a command's namespaces
_OWN_MEMORY = 64 << 20


class Supervisor:
    """Made before there is a job; `supervise` runs one and exits."""

    def __init__(self, groups: dict[str, str], tree: confine.MountTree) -> None:
        self._groups = groups  # by controller
        self._tree = tree
        for number in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)  # what the command is to inherit
        syscalls.become_subreaper()
        if syscalls.IS_LINUX:
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, int(signal.SIGKILL))  # until there is a job
        self._job: dict[str, Any] = {}
        self._control: socket.socket
        self._channel: socket.socket  # to the command until it runs
        self._main = 0
        self._status: int | None = None
        self._left = 0
        self._why = ""
        self._reports = -1
        self._referee: Referee | None = None
        self._lacked_network = False
        self._space: CommandSpace | None = None
        self._limited = (0, 0)
        self._limit(tree.ahead)
        self._memory_facts = self._open_memory_facts()
        if tree.ahead["spaces"]:
            try:
                self._space = self._make_space(tree.ahead["network"] == "open")
            except OSError:
                pass  # the job tries again and says what went wrong
        rehearse()

    def supervise(self, body: bytes, control: socket.socket, descriptors: list[int]) -> NoReturn:
        """Run the job that *body* and *descriptors* are to its end and exit.

        A channel to the proxy stays open here, so that the proxy sees when the job has ended.
        """
        self._control = control
        try:
            request = read_request(body, descriptors)
            self._job = request.job
            if syscalls.IS_LINUX:
                syscalls.prctl(syscalls.PR_SET_PDEATHSIG, 0)  # a running job ends in its own time
            self._limit(self._job)
            if self._job["confine"]["spaces"]:
                self._run_inside(body, descriptors)
            else:
                self._run_here(request)
            for descriptor in descriptors:
                if descriptor != request.proxy:
                    os.close(descriptor)
            self._see_through()
        except BaseException as problem:
            self._say({"failed": f"{type(problem).__name__}: {problem}"})
            tree.end_all(os.getpid())
        finally:
            os._exit(0)

    def _say(self, message: dict[str, Any]) -> None:
        try:
            self._control.send(json.dumps(message).encode() + b"\n", syscalls.MSG_NOSIGNAL)
        except OSError:
            pass

    def _make_space(self, is_network_open: bool) -> CommandSpace:
        return command_space.make(self._tree, is_network_open)

    def _run_inside(self, body: bytes, descriptors: list[int]) -> None:
        """Give the job to the process that waits for it in namespaces of its own."""
        is_network_open = self._job["confine"]["network"] == "open"
        if self._space:
            try:
                if self._space.is_network_open == is_network_open:
                    self._hand_over(self._space, body, descriptors)
                    return
            except OSError:
                pass  # what waited there was killed
            self._space.discard()
        self._hand_over(self._make_space(is_network_open), body, descriptors)

    def _hand_over(self, space: CommandSpace, body: bytes, descriptors: list[int]) -> None:
        socket.send_fds(space.channel, [body], descriptors)
        self._main, self._channel, self._reports = space.first, space.channel, space.reports

    def _run_here(self, request: CommandRequest) -> None:
        """Fork the process that becomes the command."""
        if self._space:
            self._space.discard()
        self._channel, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._main = os.fork()
        if self._main == 0:
            become(request, there)
        there.close()

    def _see_through(self) -> None:
        """Watch the command until its end, and tell the server how it ended."""
        problem = self._hear_child()
        if problem:
            self._say({"failed": problem})
            return
        server_lives = self._watch()
        left = self._end()
        if self._was_out_of_memory():
            self._why = "memory"
        if server_lives:
            report = {"status": self._status or 0, "left": left, "why": self._why}
            self._say({**report, "lacked_network": self._lacked_network})

    def _limit(self, wanted: dict[str, Any]) -> None:
        """Let the kernel count the job's processes and memory; we are one of them ourselves."""
        memory, pids = int(wanted["memory"]), int(wanted["pids"])
        if self._limited == (memory, pids):
            return
        self._limited = memory, pids
        files: list[tuple[str, str, int]] = []
        if pids:
            files.append(("pids", "pids.max", pids + _OWN_PROCESSES))
        if memory:
            names = ("memory.max", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
            files += [("memory", name, memory + _OWN_MEMORY) for name in names]
            files.append(("memory", "memory.swap.max", 0))
        for controller, name, value in files:
            group = self._groups.get(controller)
            if group and os.path.exists(f"{group}/{name}"):
                with open(f"{group}/{name}", "w") as file:
                    file.write(str(value))

    def _open_memory_facts(self) -> int:
        """The file in which our control group counts processes that ran out of memory, or -1."""
        for name in ("memory.events", "memory.oom_control"):
            try:
                return os.open(f"{self._groups['memory']}/{name}", os.O_RDONLY | os.O_CLOEXEC)
            except (KeyError, OSError):
                continue
        return -1

    def _was_out_of_memory(self) -> bool:
        if self._memory_facts < 0 or not self._job["memory"]:
            return False
        lines = os.pread(self._memory_facts, 4096, 0).splitlines()
        return any(line.split()[0] == b"oom_kill" and line.split()[1] != b"0" for line in lines)

    def _end(self) -> int:
        """Leave nothing running; how many processes the command had left behind."""
        spaces = self._job["confine"]["spaces"]
        if spaces and self._status is not None and not self._left:
            return 0  # the first process was alone when it said so; it ends by itself
        for _ in range(25 if spaces and self._status is not None else 1):
            if self._reap():
                return self._left  # looking through /proc costs milliseconds; nothing to find
            time.sleep(0.0002 if spaces else 0)
        left = tree.end_all(os.getpid())
        return self._left if spaces else left

    def _hear_child(self) -> str:
        """Return what went wrong before the command ran; collects the listener on the way."""
        text = b""
        while True:
            data, descriptors, _flags, _address = socket.recv_fds(self._channel, 4096, 1)
            if descriptors:
                self._referee = Referee(descriptors[0], self._job["confine"])
            elif not data:
                return text.decode(errors="replace")
            else:
                text += data

    def _watch(self) -> bool:
        """Until the command has ended; False when the server has gone."""
        limit = int(self._job["memory"])
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        pause = _LOOK_AT_MEMORY if limit else None
        try:
            poller.register(os.pidfd_open(self._main), select.POLLIN)
        except (AttributeError, OSError):
            pause = _LOOK_WITHOUT_PIDFD
        if self._referee:
            poller.register(self._referee.listener, select.POLLIN)
        if self._reports >= 0:
            poller.register(self._reports, select.POLLIN)
        self._reap()
        look_at = time.monotonic() + _LOOK_AT_MEMORY
        while self._status is None:
            ready = dict(poller.poll(None if pause is None else pause * 1000))
            self._reap(ready.get(self._reports, 0))
            if self._referee and not self._judge(ready.get(self._referee.listener, 0)):
                poller.unregister(self._referee.listener)
                self._referee = None
            if self._control.fileno() in ready and not self._obey():
                return False
            if limit and time.monotonic() >= look_at:  # also while the command keeps us busy
                self._hold_memory(limit)
                look_at = time.monotonic() + _LOOK_AT_MEMORY
        return True

    def _judge(self, events: int) -> bool:
        """Answer a call that waits for the referee; False when no process is left to make one."""
        assert self._referee is not None
        if events & select.POLLIN:
            is_waiting = self._referee.answer()
            self._lacked_network = self._referee.lacked_network
            return is_waiting
        return not events

    def _hold_memory(self, limit: int) -> None:
        """End the command when its processes together use more than *limit*.

        The kernel ends one process of a group that does, and the others might wait for it forever.
        """
        if "memory" in self._groups:
            is_over = self._was_out_of_memory()
        else:
            is_over = tree.memory(tree.descendants(os.getpid()), limit) > limit
        if is_over:
            self._why = "memory"
            tree.end_all(os.getpid(), reap=False)

    def _obey(self) -> bool:
        orders = self._control.recv(64)
        if not orders:
            return False
        for order in (orders[i : i + 1] for i in range(len(orders))):
            if order in _SIGNALS:
                self._signal(_SIGNALS[order])
            else:
                tree.end_all(os.getpid(), reap=False)
        return True

    def _signal(self, number: int) -> None:
        below = tree.descendants(os.getpid())
        if self._job["confine"]["spaces"]:
            # The first process there does not belong to the command.
            below = [pid for pid in below if pid != self._main]
        tree.send(below, number)
        tree.send(below, signal.SIGCONT)

    def _reap(self, reported: int = 0) -> bool:
        """Collect who has ended, by *reported* events too; whether no child is left."""
        if reported & select.POLLIN:
            self._status = self._read_report()
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if pid == self._main and self._status is None:
                has_spaces = self._job["confine"]["spaces"]
                self._status = self._read_report() if has_spaces else status

    def _read_report(self) -> int:
        """How the command ended, and what it left, from the first process of its namespaces."""
        text = os.read(self._reports, 64).split()
        if len(text) != 2:
            return int(signal.SIGKILL)  # it ended together with its namespaces
        self._left = int(text[1])
        return int(text[0])

"""One process per job that outlives nothing: it starts the command, watches, and ends the tree.

It speaks with the server over the job's control socket. In: one letter per signal (T, I, K), end
of file means the server is gone. Out: one JSON line, `failed` or `status`.

Everything that does not depend on the job is done while it waits for one, and the forked child
stays away from slow corners of the standard library: that is most of what starting costs.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import socket
import termios
import time
from typing import Any, NamedTuple, NoReturn

from redline.adapters.sandbox import confine, syscalls
from redline.adapters.sandbox import process_tree as tree
from redline.adapters.sandbox.notify import Referee

_SIGNALS = {b"T": signal.SIGTERM, b"I": signal.SIGINT}
_LOOK_AT_MEMORY = 0.5
_LOOK_WITHOUT_PIDFD = 0.02
_CHANNEL = 3
_OWN_PROCESSES = 3  # the supervisor, and two around a command in namespaces
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
        self._here, self._there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._job: dict[str, Any] = {}
        self._control = self._here
        self._proxy = -1
        self._main = 0
        self._status: int | None = None
        self._left = 0
        self._why = ""
        self._reports = -1
        self._referee: Referee | None = None

    def supervise(
        self, job: dict[str, Any], control: socket.socket, streams: list[int], proxy: int
    ) -> NoReturn:
        """Run *job* to its end and exit.

        *proxy* is the channel on which the proxy gets the command's listening socket, or -1; it
        stays open here so that the proxy sees when the job has ended.
        """
        self._job, self._control, self._proxy = job, control, proxy
        try:
            if syscalls.IS_LINUX:
                syscalls.prctl(syscalls.PR_SET_PDEATHSIG, 0)  # a running job ends in its own time
            self._run(streams)
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

    def _run(self, streams: list[int]) -> None:
        self._limit()
        self._reports, report = os.pipe()
        self._main = os.fork()
        if self._main == 0:
            outer = _Outer(self._there.fileno(), report, self._proxy, self._tree)
            _become(self._job, streams, outer)
        self._there.close()
        for descriptor in (*streams, report):
            os.close(descriptor)
        problem = self._hear_child()
        if problem:
            self._say({"failed": problem})
            return
        if self._job["confine"]["spaces"]:
            self._keep_mounts()
        server_lives = self._watch()
        left = self._end()
        if self._was_out_of_memory():
            self._why = "memory"
        if server_lives:
            self._say({"status": self._status or 0, "left": left, "why": self._why})

    def _keep_mounts(self) -> None:
        """Hold the command's mounts until we end: unmounting takes long, and the last process
        to leave waits for it."""
        try:
            os.open(f"/proc/{self._main}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            pass

    def _limit(self) -> None:
        """Let the kernel count the job's processes and memory; we are one of them ourselves."""
        memory = self._job["memory"]
        wanted: list[tuple[str, str, int]] = []
        if self._job["pids"]:
            wanted.append(("pids", "pids.max", self._job["pids"] + _OWN_PROCESSES))
        if memory:
            names = ("memory.max", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
            wanted += [("memory", name, memory + _OWN_MEMORY) for name in names]
            wanted.append(("memory", "memory.swap.max", 0))
        for controller, name, value in wanted:
            group = self._groups.get(controller)
            if group and os.path.exists(f"{group}/{name}"):
                with open(f"{group}/{name}", "w") as file:
                    file.write(str(value))

    def _was_out_of_memory(self) -> bool:
        group = self._groups.get("memory")
        if not group or not self._job["memory"]:
            return False
        for name in ("memory.events", "memory.oom_control"):
            try:
                with open(f"{group}/{name}") as file:
                    facts = dict(line.split() for line in file)
            except (OSError, ValueError):
                continue
            return int(facts.get("oom_kill", 0)) > 0
        return False

    def _end(self) -> int:
        """Leave nothing running; how many processes the command had left behind."""
        spaces = self._job["confine"]["spaces"]
        for _ in range(25 if spaces and self._status is not None else 1):
            if self._reap():
                return self._left  # looking through /proc costs milliseconds; nothing to find
            time.sleep(0.0002 if spaces else 0)
        left = tree.end_all(os.getpid())
        return self._left if spaces else left

    def _hear_child(self) -> str:
        """What went wrong before the command ran; collects the listener on the way."""
        text = b""
        while True:
            data, descriptors, _flags, _address = socket.recv_fds(self._here, 4096, 1)
            if descriptors:
                self._referee = Referee(descriptors[0], self._job["confine"])
            elif not data:
                return text.decode(errors="replace")
            else:
                text += data

    def _watch(self) -> bool:
        """Until the command has ended; False when the server has gone."""
        limit = 0 if "memory" in self._groups else int(self._job["memory"])
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        pause = _LOOK_AT_MEMORY if limit else None
        try:
            poller.register(os.pidfd_open(self._main), select.POLLIN)
        except (AttributeError, OSError):
            pause = _LOOK_WITHOUT_PIDFD
        if self._referee:
            poller.register(self._referee.listener, select.POLLIN)
        self._reap()
        while self._status is None:
            ready = dict(poller.poll(None if pause is None else pause * 1000))
            self._reap()
            if self._referee and self._referee.listener in ready and not self._referee.answer():
                poller.unregister(self._referee.listener)
                self._referee = None
            if self._control.fileno() in ready and not self._obey():
                return False
            if not ready and limit and self._memory() > limit:
                self._why = "memory"
                tree.end_all(os.getpid(), reap=False)
        return True

    def _memory(self) -> int:
        pages = 0
        for pid in tree.descendants(os.getpid()):
            try:
                with open(f"/proc/{pid}/statm", "rb", buffering=0) as file:
                    pages += int(file.read(100).split()[1])
            except (OSError, IndexError):
                continue
        return pages * os.sysconf("SC_PAGE_SIZE")

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
            below.remove(self._main)  # its child, the first process there, hears no signal
        tree.send(below, number)
        tree.send(below, signal.SIGCONT)

    def _reap(self) -> bool:
        """Collect who has ended; whether no child is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == self._main:
                self._status = self._exit_status(status)
            elif pid == 0:
                return False

    def _exit_status(self, status: int) -> int:
        """How the command ended, from the first process of its namespace if it has one."""
        if not self._job["confine"]["spaces"]:
            return status
        text = os.read(self._reports, 64).split()
        if len(text) != 2:
            return int(signal.SIGKILL)  # ended together with its namespace
        self._left = int(text[1])
        return int(text[0])


class _Outer(NamedTuple):
    """What the forked child has of the processes outside: descriptors, and the mount tree."""

    channel: int
    report: int
    proxy: int
    held: confine.MountTree


def _become(job: dict[str, Any], streams: list[int], outer: _Outer) -> NoReturn:
    """In the forked child: become the command, or the processes around it."""
    try:
        if job["confine"]["spaces"]:
            _enter(job, outer)
        _prepare(job, streams, outer.channel)
    except BaseException as problem:
        text = str(problem).encode(errors="replace")
        try:
            os.write(outer.channel, text)
        except OSError:
            os.write(_CHANNEL, text)
    os._exit(127)


def _enter(job: dict[str, Any], outer: _Outer) -> None:
    """Return in the process that becomes the command, in namespaces of its own.

    Two processes stay: this one, outside the process namespace, and the first one in it. Each
    ends when its parent does, and with the first one the kernel ends all that live there.
    """
    plan = job["confine"]
    confine.enter(plan, outer.held)
    if outer.proxy >= 0:
        confine.hand_out_listener(int(plan["proxy_port"]), outer.proxy)
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, int(signal.SIGKILL))
    first = os.fork()
    if first:
        _close_all_but(-1)
        os.waitpid(first, 0)
        os._exit(0)
    confine.become_first(plan)
    command = os.fork()
    if command == 0:
        return
    _close_all_but(outer.report)
    confine.rest(plan)
    while True:
        pid, status = os.wait()
        if pid == command:
            left = sum(name.isdigit() for name in os.listdir("/proc")) - 1
            os.write(outer.report, f"{status} {left}".encode())
            os._exit(0)


def _close_all_but(kept: int) -> None:
    if kept >= 0:
        os.closerange(0, kept)
    os.closerange(kept + 1, 1024)


def _prepare(job: dict[str, Any], streams: list[int], channel: int) -> None:
    plan = job["confine"]
    if job["tty"] or plan["spaces"]:
        os.setsid()
    else:
        os.setpgid(0, 0)  # a session of its own costs a scheduling group on desktop kernels
    if job["tty"]:
        fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
    kept = os.dup(channel)
    for target, descriptor in enumerate(streams * 3 if job["tty"] else streams):
        os.dup2(descriptor, target)
    os.dup2(kept, _CHANNEL, inheritable=False)
    os.closerange(_CHANNEL + 1, 1024)
    os.umask(0o022)
    confine.apply_limits(job["limits"])
    if plan["kind"] == "guarded":
        confine.submit(plan, _CHANNEL)
    else:
        os.chdir(plan["cwd"])
    argv = list(job["argv"])
    os.execve(argv[0], argv, job["env"])  # noqa: S606

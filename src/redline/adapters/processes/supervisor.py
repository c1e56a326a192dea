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
from typing import Any, NoReturn

from redline.adapters.processes import tree
from redline.adapters.processes.program import FIXED_ENVIRONMENT
from redline.adapters.sandbox import confine, linux
from redline.adapters.sandbox.notify import Referee

_SIGNALS = {b"T": signal.SIGTERM, b"I": signal.SIGINT}
_LOOK_AT_MEMORY = 0.5
_LOOK_WITHOUT_PIDFD = 0.02
_CHANNEL = 3


class Supervisor:
    """Made before there is a job; `supervise` runs one and exits."""

    def __init__(self) -> None:
        for number in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)  # what the command is to inherit
        linux.become_subreaper()
        self._here, self._there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._job: dict[str, Any] = {}
        self._control = self._here
        self._main = 0
        self._status: int | None = None
        self._why = ""
        self._referee: Referee | None = None

    def supervise(
        self, job: dict[str, Any], control: socket.socket, streams: list[int]
    ) -> NoReturn:
        """Run *job* to its end and exit."""
        self._job, self._control = job, control
        try:
            self._run(streams)
        except BaseException as problem:
            self._say({"failed": f"{type(problem).__name__}: {problem}"})
            tree.end_all(os.getpid())
        finally:
            os._exit(0)

    def _say(self, message: dict[str, Any]) -> None:
        try:
            self._control.send(json.dumps(message).encode() + b"\n", linux.MSG_NOSIGNAL)
        except OSError:
            pass

    def _run(self, streams: list[int]) -> None:
        if self._job["group"] and self._job["pids"]:
            self._limit(self._job["group"])
        self._main = os.fork()
        if self._main == 0:
            _become(self._job, streams, self._there.fileno())
        self._there.close()
        for descriptor in streams:
            os.close(descriptor)
        problem = self._hear_child()
        if problem:
            self._say({"failed": problem})
            return
        if self._job["confine"].get("mounts"):
            self._keep_mounts()
        server_lives = self._watch()
        left = self._end()
        if server_lives:
            self._say({"status": self._status or 0, "left": left, "why": self._why})

    def _keep_mounts(self) -> None:
        """Hold the command's mounts until we end: taking them down takes long, and whoever leaves
        last has to wait for it."""
        try:
            os.open(f"/proc/{self._main}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            pass

    def _limit(self, group: str) -> None:
        """How many processes the job may have; we are one of them ourselves."""
        with open(os.path.join(group, "pids.max"), "w") as file:
            file.write(str(self._job["pids"] + 1))

    def _end(self) -> int:
        """Leave nothing running; how many processes the command had left behind."""
        wrapped = self._job["confine"]["kind"] == "bwrap"
        for _ in range(25 if wrapped and self._status is not None else 1):
            if self._reap():
                return 0  # looking through /proc costs milliseconds; no child, nothing to find
            time.sleep(0.0002 if wrapped else 0)
        left = tree.end_all(os.getpid())
        return 0 if wrapped else left

    def _hear_child(self) -> str:
        """What went wrong before the command ran; collects the listener on the way."""
        text = b""
        while True:
            data, descriptors, _flags, _address = socket.recv_fds(self._here, 4096, 1)
            if descriptors:
                rules = self._job["confine"]
                self._referee = Referee(descriptors[0], rules["writable"], rules["protected"])
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
        if self._job["confine"]["kind"] == "bwrap":
            own = {self._main, *(p for p, (up, _) in tree.parents().items() if up == self._main)}
            below = [pid for pid in below if pid not in own]
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
                self._status = status
            elif pid == 0:
                return False


def _become(job: dict[str, Any], streams: list[int], channel: int) -> NoReturn:
    try:
        _prepare(job, streams, channel)
    except BaseException as problem:
        text = str(problem).encode(errors="replace")
        try:
            os.write(_CHANNEL, text)
        except OSError:
            os.write(channel, text)
    os._exit(127)


def _prepare(job: dict[str, Any], streams: list[int], channel: int) -> None:
    if job["tty"]:
        os.setsid()
        fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
    else:
        os.setpgid(0, 0)  # a session of its own costs a scheduling group on desktop kernels
    for target, descriptor in enumerate(streams * 3 if job["tty"] else streams):
        os.dup2(descriptor, target)
    kept = os.dup(channel)
    os.dup2(kept, _CHANNEL, inheritable=False)
    plan = job["confine"]
    ruleset = confine.keep_ruleset(plan, _CHANNEL + 1)
    os.closerange(_CHANNEL + 1 + (ruleset is not None), 1024)
    os.umask(0o022)
    confine.apply_limits(job["limits"])
    argv, env = list(job["argv"]), job["env"]
    if plan["kind"] == "bwrap":
        argv, env = confine.bubblewrap_argv(plan, argv, env), FIXED_ENVIRONMENT
    elif plan["kind"] == "landlock":
        confine.apply_landlock(plan, _CHANNEL, ruleset)
    else:
        os.chdir(plan["cwd"])
    os.execve(argv[0], argv, env)  # noqa: S606

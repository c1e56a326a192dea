"""One process per job that outlives nothing: it starts the command, watches, and ends the tree.

It speaks with the server over the job's control socket. In: one letter per signal (T, I, K), end
of file means the server is gone. Out: one JSON line, `failed` or `status`.
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
from redline.adapters.sandbox import confine, linux

_SIGNALS = {b"T": signal.SIGTERM, b"I": signal.SIGINT}
_LOOK_AT_MEMORY = 0.5
_CHANNEL = 3


def supervise(job: dict[str, Any], control: socket.socket, streams: list[int]) -> NoReturn:
    """Run *job* to its end and exit."""
    try:
        os.setsid()
        linux.become_subreaper()
        _Supervisor(job, control).run(streams)
    except BaseException as problem:
        _say(control, {"failed": f"{type(problem).__name__}: {problem}"})
        tree.end_all(os.getpid())
    finally:
        os._exit(0)


def _say(control: socket.socket, message: dict[str, Any]) -> None:
    try:
        control.sendall(json.dumps(message).encode() + b"\n")
    except OSError:
        pass


class _Supervisor:
    def __init__(self, job: dict[str, Any], control: socket.socket) -> None:
        self._job = job
        self._control = control
        self._main = 0
        self._status: int | None = None
        self._why = ""
        self._referee: Any = None
        self._wake, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._cgroup: str | None = job.get("cgroup")

    def run(self, streams: list[int]) -> None:
        """Start, watch, end, report."""
        if self._cgroup:
            self._make_cgroup(self._cgroup)
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._main = os.fork()
        if self._main == 0:
            _become(self._job, streams, there)
        there.close()
        for descriptor in streams:
            os.close(descriptor)
        problem = self._hear_child(here)
        if problem:
            _say(self._control, {"failed": problem})
            return
        server_lives = self._watch()
        left = self._end()
        if self._cgroup:
            self._remove_cgroup(self._cgroup)
        if server_lives:
            report = {"status": self._status or 0, "left": left, "why": self._why}
            _say(self._control, report)

    def _end(self) -> int:
        """Leave nothing running; how many processes the command had left behind."""
        wrapped = self._job["confine"]["kind"] == "bwrap"
        for _ in range(25 if wrapped and self._status is not None else 1):
            if self._reap():
                return 0  # looking through /proc costs milliseconds; no child, nothing to find
            time.sleep(0.0002 if wrapped else 0)
        left = tree.end_all(os.getpid())
        return 0 if wrapped else left

    def _make_cgroup(self, path: str) -> None:
        try:
            os.mkdir(path)
            with open(os.path.join(path, "pids.max"), "w") as file:
                file.write(str(self._job["pids"]))
        except OSError:
            self._cgroup = self._job["cgroup"] = None

    def _remove_cgroup(self, path: str) -> None:
        try:
            os.rmdir(path)
        except OSError:
            pass

    def _hear_child(self, channel: socket.socket) -> str:
        """What went wrong before the command ran; collects the listener on the way."""
        text = b""
        while True:
            data, descriptors, _flags, _address = socket.recv_fds(channel, 4096, 1)
            if descriptors:
                from redline.adapters.sandbox.notify import Referee

                rules = self._job["confine"]
                self._referee = Referee(descriptors[0], rules["writable"], rules["protected"])
                continue
            if not data:
                channel.close()
                return text.decode(errors="replace")
            text += data

    def _watch(self) -> bool:
        """Until the command has ended; False when the server has gone."""
        limit = int(self._job.get("memory") or 0)
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        poller.register(self._wake, select.POLLIN)
        if self._referee:
            poller.register(self._referee.listener, select.POLLIN)
        self._reap()
        while self._status is None:
            ready = dict(poller.poll(_LOOK_AT_MEMORY * 1000 if limit else None))
            if self._wake in ready:
                os.read(self._wake, 4096)
                self._reap()
            if self._referee and self._referee.listener in ready and not self._referee.answer():
                poller.unregister(self._referee.listener)
                self._referee = None
            if self._control.fileno() in ready and not self._obey():
                return False
            if not ready and self._memory() > limit:
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


def _become(job: dict[str, Any], streams: list[int], channel: socket.socket) -> NoReturn:
    try:
        _prepare(job, streams, channel)
    except BaseException as problem:
        text = str(problem).encode(errors="replace")
        try:
            channel.sendall(text)
        except OSError:
            os.write(_CHANNEL, text)
    os._exit(127)


def _prepare(job: dict[str, Any], streams: list[int], channel: socket.socket) -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()
    if job["tty"]:
        fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
    for target, descriptor in enumerate(streams * 3 if job["tty"] else streams):
        os.dup2(descriptor, target)
    keep = os.dup(channel.fileno())
    os.dup2(keep, _CHANNEL, inheritable=False)
    os.closerange(4, 1024)
    channel = socket.socket(fileno=_CHANNEL)
    os.umask(0o022)
    plan = job["confine"]
    if job.get("cgroup"):
        confine.join_cgroup(job["cgroup"])
    confine.apply_limits(job["limits"])
    argv = list(job["argv"])
    if plan["kind"] == "bwrap":
        argv = confine.bubblewrap_argv(plan, argv)
    elif plan["kind"] == "landlock":
        confine.apply_landlock(plan, channel)
    else:
        os.chdir(plan["cwd"])
    os.execve(argv[0], argv, job["env"])  # noqa: S606

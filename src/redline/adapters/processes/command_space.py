"""The namespaces of one command and their first process, made before there is a command.

Making them takes longer than starting most commands, so a supervisor does it while it waits for
its job. They serve one command and end with it:

    supervisor
      first process    process 1 of the namespace: when it ends, the kernel ends all that live there
        command        started by the first process, which is held to all that the command is
"""

from __future__ import annotations

import os
import select
import signal
import socket
from typing import NamedTuple, NoReturn

from redline.adapters.processes.command_start import start_inside
from redline.adapters.sandbox import confine, syscalls

_READY, _FAILED = b"ready", b"!"


class CommandSpace(NamedTuple):
    """What the supervisor holds of them."""

    first: int  # the process id
    channel: socket.socket  # to the first process; closed when the command runs
    reports: int  # where the first process writes how the command ended
    # Taking the mounts down takes long, and the last process that holds them waits for it: with
    # this descriptor it is the supervisor, after its answer.
    mounts: int
    lifeline: int  # the first process ends when this is closed before it started the command
    is_network_open: bool

    def discard(self) -> None:
        """End the first process; only before there is a job."""
        self.channel.close()
        for descriptor in (self.reports, self.mounts, self.lifeline):
            os.close(descriptor)


class _Ends(NamedTuple):
    """What the first process holds of the supervisor."""

    channel: socket.socket
    report: int
    lifeline: int


def make(tree: confine.MountTree, is_network_open: bool) -> CommandSpace:
    """Make the namespaces, and the process in them that waits for a job. OSError where it fails.

    The caller must be a subreaper.
    """
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    reports, report = os.pipe()
    waiting, lifeline = os.pipe()
    outer = os.fork()
    if outer == 0:
        here.close()
        os.close(lifeline)
        _enter(tree, is_network_open, _Ends(there, report, waiting))
    there.close()
    os.close(report)
    os.close(waiting)
    try:
        first, mounts = _hear(here)
    except OSError:
        here.close()
        os.close(reports)
        os.close(lifeline)
        raise
    finally:
        os.waitpid(outer, 0)  # from now on the first process is a child of ours
    os.write(lifeline, b"x")
    return CommandSpace(first, here, reports, mounts, lifeline, is_network_open)


def _hear(here: socket.socket) -> tuple[int, int]:
    """Wait for the id of the first process and for a descriptor of its mounts."""
    first, mounts = 0, -1
    while not first or mounts < 0:
        said, descriptors, _flags, _address = socket.recv_fds(here, 4096, 1)
        if said.isdigit():
            first = int(said)
        elif said == _READY and descriptors:
            mounts = descriptors[0]
        else:
            problem = said.removeprefix(_FAILED).decode(errors="replace")
            raise OSError(problem or "The namespaces of the command could not be made")
    return first, mounts


def _enter(tree: confine.MountTree, is_network_open: bool, ends: _Ends) -> NoReturn:
    """Between supervisor and namespace for a moment: enter it, leave a child there, and end."""
    try:
        confine.enter(tree, is_network_open)
        first = os.fork()
        if first == 0:
            _be_first(tree, ends)
        ends.channel.send(str(first).encode())
    except BaseException as problem:
        ends.channel.send(_FAILED + str(problem).encode(errors="replace"))
    finally:
        os._exit(0)


def _be_first(tree: confine.MountTree, ends: _Ends) -> None:
    """Be process 1: finish the tree, start the command, wait for its end and report it."""
    confine.finish_tree(tree)
    mounts = os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    socket.send_fds(ends.channel, [_READY], [mounts])
    if not os.read(ends.lifeline, 1):
        return
    # The process that forked us is gone by now: this is about the supervisor.
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if _is_hung_up(ends.lifeline):
        return
    _close_all_but(ends.channel.fileno(), ends.report)
    os.setsid()
    command = start_inside(ends.channel)
    if not command:
        return
    status = _wait_for(command)
    left = _count_others()
    os.write(ends.report, f"{status} {left}".encode())
    if not left:
        _is_hung_up(ends.report, None)  # ending takes a while in which no answer could be read


def _wait_for(command: int) -> int:
    """Return how the command ended; collects orphans on the way."""
    while True:
        pid, status = os.wait()
        if pid == command:
            return status


def _count_others() -> int:
    """How many processes are left in the namespace; all are descendants of this first one."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return 0
    return sum(name.isdigit() for name in os.listdir("/proc")) - 1


def _is_hung_up(pipe: int, milliseconds: int | None = 0) -> bool:
    poller = select.poll()
    poller.register(pipe, 0)
    return bool(poller.poll(milliseconds))


def _close_all_but(*kept: int) -> None:
    """Close every descriptor but the standard streams and *kept*."""
    start = 3
    for descriptor in sorted(kept):
        os.closerange(start, descriptor)
        start = descriptor + 1
    syscalls.close_from(start)

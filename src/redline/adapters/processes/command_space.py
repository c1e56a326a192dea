"""The namespaces of one command and the processes in them, made before there is a command.

Making them takes longer than starting most commands, so a supervisor does it while it waits for
its job. They serve one command and end with it:

    supervisor
      first process    process 1 of the namespace: when it ends, the kernel ends all that live there
        command        waits for its job, finishes its own mounts, and becomes the command
"""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from redline.adapters.sandbox import confine, syscalls

_READY, _FAILED = b"ready", b"!"


class CommandSpace(NamedTuple):
    """What the supervisor holds of them."""

    first: int  # the process id
    channel: socket.socket  # to the command-to-be; closed when it has become the command
    reports: int  # where the first process writes how the command ended
    # Taking the mounts down takes long, and the last process that holds them waits for it: with
    # this descriptor it is the supervisor, after its answer.
    mounts: int
    lifeline: int  # the first process ends when this is closed before it started the command
    is_network_open: bool

    def discard(self) -> None:
        """End the processes; only before there is a job."""
        self.channel.close()  # the command-to-be ends, and the first process with it
        for descriptor in (self.reports, self.mounts, self.lifeline):
            os.close(descriptor)


class _Ends(NamedTuple):
    """What the processes inside hold of the supervisor."""

    channel: socket.socket
    report: int
    lifeline: int


def make(
    tree: confine.MountTree, is_network_open: bool, become: Callable[[socket.socket], NoReturn]
) -> CommandSpace:
    """Make the namespaces; the command-to-be calls *become* in them. OSError where it fails.

    The caller must be a subreaper.
    """
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    reports, report = os.pipe()
    waiting, lifeline = os.pipe()
    outer = os.fork()
    if outer == 0:
        here.close()
        os.close(lifeline)
        _enter(tree, is_network_open, _Ends(there, report, waiting), become)
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


def _enter(
    tree: confine.MountTree, is_network_open: bool, ends: _Ends, become: Callable[..., NoReturn]
) -> NoReturn:
    """Between supervisor and namespace for a moment: enter it, leave a child there, and end."""
    try:
        confine.enter(tree, is_network_open)
        first = os.fork()
        if first == 0:
            _become_first(tree, ends, become)
        ends.channel.send(str(first).encode())
    except BaseException as problem:
        ends.channel.send(_FAILED + str(problem).encode(errors="replace"))
    finally:
        os._exit(0)


def _become_first(tree: confine.MountTree, ends: _Ends, become: Callable[..., NoReturn]) -> None:
    """Be process 1: finish the tree, start the command-to-be, wait for its end and report it."""
    confine.finish_tree(tree)
    mounts = os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    socket.send_fds(ends.channel, [_READY], [mounts])
    if not os.read(ends.lifeline, 1):
        return
    # The process that forked us is gone by now: this is about the supervisor.
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if _is_hung_up(ends.lifeline):
        return
    command = os.fork()
    if command == 0:
        _close_all_but(ends.channel.fileno(), first=3)  # the job's own descriptors come after these
        become(ends.channel)
    _close_all_but(ends.report)
    confine.rest(tree)
    while True:
        pid, status = os.wait()
        if pid == command:
            left = sum(name.isdigit() for name in os.listdir("/proc")) - 1
            os.write(ends.report, f"{status} {left}".encode())
            return


def _is_hung_up(pipe: int) -> bool:
    poller = select.poll()
    poller.register(pipe, 0)
    return bool(poller.poll(0))


def _close_all_but(kept: int, first: int = 0) -> None:
    os.closerange(first, kept)
    os.closerange(kept + 1, 1024)

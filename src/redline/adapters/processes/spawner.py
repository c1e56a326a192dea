"""The warm helper: a small process without threads that keeps supervisors ready for the next jobs.

The helper first sends the server what the kernel supports. The first packet it receives describes
the mount tree that commands start from, which it makes once. Every other packet is a request: JSON
with descriptors (the control socket, then stdin, stdout, stderr or the terminal, then the channel
to the proxy if there is one, then a file with the JSON if it is too long for a packet).

One of the waiting supervisors receives the request and writes a byte to its pipe; the helper forks
another a moment later. When the server has gone, the helper waits for its jobs, removes the
private directory and ends.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import time
from itertools import count
from typing import Any

from redline.adapters.process_templates.forking import fork_on_request
from redline.adapters.processes.command_start import MAX_PACKET, receive
from redline.adapters.processes.supervisor import Supervisor
from redline.adapters.sandbox import confine, landlock, mounts, seccomp

# After a job was taken nothing is forked for so long, while others are ready: the command starts
# undisturbed.
_QUIET_MS = 30
_REMOVAL_SECONDS = 2.0
_TAKEN = b"x"
# Once so many supervisors in a row have ended before they had a job, none is kept ready. Each
# request then gets a supervisor forked for it, and fails if that one ends too.
_MAX_LOST = 10
_AFTER_A_LOSS = 0.05
_numbers = count()


def be_template(descriptor: str) -> None:
    """Fork a helper for each request on the socket *descriptor*: one for each workspace."""

    def start(arguments: list[str], given: list[int]) -> None:
        os.setsid()
        serve(str(given[0]), *arguments)

    fork_on_request(int(descriptor), start)


def serve(descriptor: str, private: str, groups_of: str, wanted: str) -> None:
    """Start commands until the server has gone, keeping *wanted* supervisors ready.

    *descriptor* is the number of the socket to the server. *groups_of* is JSON: the cgroups in
    which each supervisor gets a group, and the controllers of each.
    """
    requests = socket.socket(fileno=int(descriptor))
    offer = {
        "abi": landlock.abi(),
        "seccomp": seccomp.is_supported(),
        "namespaces": mounts.is_possible(os.path.join(private, "root")),
    }
    requests.sendall(json.dumps(offer).encode())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # commands inherit this and expect the default
    tree = confine.MountTree(json.loads(requests.recv(MAX_PACKET)), os.path.join(private, "root"))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps supervisors
    gc.disable()
    gc.freeze()  # so that forks share the memory of imported modules
    cgroups: list[dict[str, Any]] = json.loads(groups_of)
    for parent in cgroups:
        _remove_stale_groups(parent["at"])
    groups: list[str] = []
    reserve = _Reserve(requests, int(wanted))
    while reserve.wait():
        if reserve.needs_one:
            groups = [group for group in groups if not _remove_group(group)]
            tree = tree.renew()
            given = receive(requests) if reserve.is_failing else None
            pipe, more = _fork_supervisor(requests, given, cgroups, tree)
            groups += more
            reserve.add(pipe)
    requests.close()
    tree.release()
    _wait_for_all()
    _remove_all(groups)
    import shutil  # only now: every fork would pay for a module loaded earlier

    shutil.rmtree(private, ignore_errors=True)


class _Reserve:
    """The supervisors that have no job yet, one pipe to each."""

    def __init__(self, requests: socket.socket, wanted: int) -> None:
        self._requests = requests
        self._wanted = wanted
        self._pipes: set[int] = set()
        self._lost = 0  # supervisors in a row that ended without a job
        self._poller = select.poll()
        self._poller.register(requests, 0)
        self.needs_one = False

    @property
    def is_failing(self) -> bool:
        """Whether supervisors keep ending without a job, so that none is kept ready."""
        return self._lost >= _MAX_LOST

    @property
    def _most(self) -> int:
        return 0 if self.is_failing else self._wanted

    def add(self, pipe: int) -> None:
        self._pipes.add(pipe)
        self._poller.register(pipe, 0)

    def wait(self) -> bool:
        """Wait for an event and set `needs_one`; return False when the server has gone."""
        if self._pipes:
            patience = _QUIET_MS if len(self._pipes) < self._most else None
        else:
            patience = 0 if self._most else None
        # While none is ready, the helper itself waits for a request to fork a supervisor for.
        self._poller.modify(self._requests, 0 if self._pipes else select.POLLIN)
        events = dict(self._poller.poll(patience))
        asked = events.get(self._requests.fileno(), 0)
        self._unregister(self._pipes.intersection(events))
        is_quiet = not self._pipes or not events
        self.needs_one = bool(asked) or (is_quiet and len(self._pipes) < self._most)
        return not asked & ~select.POLLIN

    def _unregister(self, pipes: set[int]) -> None:
        """Drop the pipes of supervisors that have taken a job or have ended."""
        for pipe in pipes:
            self._pipes.remove(pipe)
            self._poller.unregister(pipe)
            self._lost = 0 if os.read(pipe, 1) == _TAKEN else self._lost + 1
            os.close(pipe)
        if pipes and self._lost:
            time.sleep(_AFTER_A_LOSS)


def _wait_for_all() -> None:
    try:
        os.waitpid(-1, 0)  # returns when the last supervisor has ended
    except ChildProcessError:
        pass


def _remove_all(groups: list[str]) -> None:
    """Remove the groups; retry for a moment, while the last processes in them are exiting."""
    until = time.monotonic() + _REMOVAL_SECONDS
    while groups and time.monotonic() < until:
        groups = [group for group in groups if not _remove_group(group)]
        time.sleep(0.01 if groups else 0)


def _remove_stale_groups(cgroups: str) -> None:
    """Remove the groups that servers which have ended left beside *cgroups*."""
    base, own = os.path.split(cgroups)
    start = own.partition("-")[0] + "-"
    for name in os.listdir(base):
        server = name.removeprefix(start).partition("-")[0]
        if name.startswith(start) and server.isdigit() and not os.path.exists(f"/proc/{server}"):
            _remove_group(os.path.join(base, name))


def _fork_supervisor(
    requests: socket.socket,
    given: tuple[bytes, list[int]] | None,
    cgroups: list[dict[str, Any]],
    tree: confine.MountTree,
) -> tuple[int, list[str]]:
    """Fork a supervisor for the request *given*, or one that waits for a request.

    Return a pipe and the supervisor's control groups. The pipe reports a hang-up when the
    supervisor stops waiting, including when it was killed.
    """
    groups = _new_groups(cgroups)
    pipe, taken = os.pipe()
    if os.fork() == 0:
        try:
            _run_one_job(requests, given, taken, Supervisor(_join(groups), tree))
        finally:
            os._exit(0)
    for descriptor in [taken, *(given[1] if given else ())]:
        os.close(descriptor)
    return pipe, list(groups)


def _new_groups(cgroups: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Create a group beside each of *cgroups*; return the controllers of each by its path."""
    # Created before the fork: the helper would take a group that the child has yet to create for
    # one that was removed.
    made: dict[str, list[str]] = {}
    number = next(_numbers)
    for parent in cgroups:
        group = f"{parent['at']}-{os.getpid()}-{number}"
        try:
            os.mkdir(group)
        except OSError:
            continue
        made[group] = parent["for"]
    return made


def _join(groups: dict[str, list[str]]) -> dict[str, str]:
    """Move this process into *groups*, before it has a job, because it is slow.

    Return the group that applies to each controller.
    """
    joined: dict[str, str] = {}
    for group, controllers in groups.items():
        try:
            with open(f"{group}/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))
        except OSError:
            continue
        joined.update(dict.fromkeys(controllers, group))
    return joined


def _remove_group(group: str) -> bool:
    """Remove a control group; return False while processes are in it."""
    try:
        os.rmdir(group)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _run_one_job(
    requests: socket.socket,
    given: tuple[bytes, list[int]] | None,
    taken: int,
    supervisor: Supervisor,
) -> None:
    """In the forked child: take the request *given*, or the next one, and supervise its job."""
    body, descriptors = given or receive(requests)
    if not body:
        return
    os.write(taken, _TAKEN)
    os.close(taken)
    requests.close()
    control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptors[0])
    supervisor.supervise(body, control, descriptors[1:])

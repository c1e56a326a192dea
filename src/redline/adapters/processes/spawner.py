"""The warm helper: a small process without threads that keeps a supervisor ready for the next job.

The first thing the helper says is what the kernel offers; the first packet it gets is the mount
tree that commands start from, which it has made once. Every other packet is a request: JSON,
together with the descriptors (control socket, then stdin, stdout, stderr or the terminal; with a
proxy the channel to it; last a file with the JSON when it is too long for a packet). The
supervisor that was waiting takes it and says so; the helper forks the next one a moment later.
When the server has gone it waits for its jobs, removes the private directory, and ends.
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

_LET_START = 30  # milliseconds in which a command starts undisturbed, while others are ready
_PATIENCE = 2.0
_TAKEN = b"x"
# After so many supervisors in a row that ended before they had a job, none is kept ready, and the
# next one is forked with its request, which fails if that one ends too.
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
    """Start commands until the server has gone, and keep *wanted* supervisors ready for them.

    *descriptor* is the socket to the server.
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
        signal.signal(number, signal.SIG_DFL)  # as commands expect it
    tree = confine.MountTree(json.loads(requests.recv(MAX_PACKET)), os.path.join(private, "root"))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps supervisors
    gc.disable()
    gc.freeze()  # so that a fork shares what was imported
    cgroups: list[dict[str, Any]] = json.loads(groups_of)
    for parent in cgroups:
        _sweep(parent["at"])
    groups: list[str] = []
    reserve = _Reserve(requests, int(wanted))
    while reserve.wait():
        if reserve.needs_one:
            groups = [group for group in groups if not _remove_group(group)]
            tree = tree.renew()
            given = receive(requests) if reserve.is_failing else None
            pipe, more = _stand_by(requests, given, cgroups, tree)
            groups += more
            reserve.add(pipe)
    requests.close()
    tree.release()
    _wait_for_all()
    _remove_all(groups)
    import shutil  # not before: what is loaded is copied by every fork

    shutil.rmtree(private, ignore_errors=True)


class _Reserve:
    """The supervisors that have no job yet, by a pipe to each."""

    def __init__(self, requests: socket.socket, wanted: int) -> None:
        self._requests = requests
        self._wanted = wanted
        self._pipes: set[int] = set()
        self._lost = 0  # in a row
        self._poller = select.poll()
        self._poller.register(requests, 0)
        self.needs_one = False

    @property
    def is_failing(self) -> bool:
        """Whether supervisors end before they have a job, one after the other."""
        return self._lost >= _MAX_LOST

    @property
    def _most(self) -> int:
        return 0 if self.is_failing else self._wanted

    def add(self, pipe: int) -> None:
        self._pipes.add(pipe)
        self._poller.register(pipe, 0)

    def wait(self) -> bool:
        """Wait until one may be needed, which `needs_one` says; False when the server has gone."""
        if self._pipes:
            patience = _LET_START if len(self._pipes) < self._most else None
        else:
            patience = 0 if self._most else None
        # Where none is kept ready, a request is what one is forked for.
        self._poller.modify(self._requests, 0 if self._pipes else select.POLLIN)
        events = dict(self._poller.poll(patience))
        asked = events.get(self._requests.fileno(), 0)
        self._let_go(self._pipes.intersection(events))
        is_quiet = not self._pipes or not events
        self.needs_one = bool(asked) or (is_quiet and len(self._pipes) < self._most)
        return not asked & ~select.POLLIN

    def _let_go(self, pipes: set[int]) -> None:
        """Forget supervisors that have a job or were killed."""
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
    """The last processes of a group may still be on their way out."""
    until = time.monotonic() + _PATIENCE
    while groups and time.monotonic() < until:
        groups = [group for group in groups if not _remove_group(group)]
        time.sleep(0.01 if groups else 0)


def _sweep(cgroups: str) -> None:
    """Remove the groups left by servers that have ended."""
    base, own = os.path.split(cgroups)
    start = own.partition("-")[0] + "-"
    for name in os.listdir(base):
        server = name.removeprefix(start).partition("-")[0]
        if name.startswith(start) and server.isdigit() and not os.path.exists(f"/proc/{server}"):
            _remove_group(os.path.join(base, name))


def _stand_by(
    requests: socket.socket,
    given: tuple[bytes, list[int]] | None,
    cgroups: list[dict[str, Any]],
    tree: confine.MountTree,
) -> tuple[int, list[str]]:
    """Fork a supervisor for the request *given*, or one that waits for a request.

    Return a pipe to it and the control groups it is in.

    The pipe is hung up when it waits no more, also if it was killed.
    """
    groups = _new_groups(cgroups)
    pipe, took = os.pipe()
    if os.fork() == 0:
        try:
            _take(requests, given, took, Supervisor(_join(groups), tree))
        finally:
            os._exit(0)
    for descriptor in [took, *(given[1] if given else ())]:
        os.close(descriptor)
    return pipe, list(groups)


def _new_groups(cgroups: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Fresh groups and what each counts."""
    # Made here and not by the child: what is not there yet would be taken for removed already.
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
    """Move into groups of our own: slow, which is why it happens before there is a job."""
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
    try:
        os.rmdir(group)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _take(
    requests: socket.socket,
    given: tuple[bytes, list[int]] | None,
    took: int,
    supervisor: Supervisor,
) -> None:
    body, descriptors = given or receive(requests)
    if not body:
        return
    os.write(took, _TAKEN)
    os.close(took)
    requests.close()
    control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptors[0])
    supervisor.supervise(body, control, descriptors[1:])

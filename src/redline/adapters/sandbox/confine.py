"""What a process does to itself, in order, before it becomes the command or starts it."""

from __future__ import annotations

import array
import base64
import json
import os
import resource
import select
import signal
import socket
from contextlib import suppress
from typing import Any

from redline.adapters.sandbox import landlock, mounts, seccomp, syscalls
from redline.adapters.sandbox.program import FIXED_ENVIRONMENT

_LIMITS = {
    "data": resource.RLIMIT_DATA,
    "fsize": resource.RLIMIT_FSIZE,
    "core": resource.RLIMIT_CORE,
    "nproc": getattr(resource, "RLIMIT_NPROC", -1),
}
_BACKLOG = 64
_KILLED_FIRST = b"500"  # when memory runs out: before the process that watches


class MountTree:
    """The mount tree of all commands, held by a process; made once in the helper.

    Only the helper's children can name that process; it ends with the helper.
    """

    def __init__(self, plan: dict[str, Any], base: str) -> None:
        self._made_from = plan, base
        self.problem = ""
        self.holder = -1
        self.ahead: dict[str, Any] = plan["ahead"]  # what supervisors do before there is a job
        try:
            if plan["kind"] == "bubblewrap":
                self.holder = os.pidfd_open(_start_bubblewrap(plan["args"]))
            elif plan["kind"] == "own":
                self.holder = os.pidfd_open(mounts.hold(plan["steps"], base))
        except OSError as problem:
            self.problem = f"The file system of commands could not be made: {problem}"

    def renew(self) -> MountTree:
        """Return this tree, or the same made again where the process that held it was killed."""
        if self.holder < 0 or not select.select([self.holder], [], [], 0)[0]:
            return self
        os.close(self.holder)
        return MountTree(*self._made_from)

    def release(self) -> None:
        """End the process that holds it."""
        if self.holder >= 0:
            signal.pidfd_send_signal(self.holder, signal.SIGKILL)


def _start_bubblewrap(args: list[str]) -> int:
    """Run bubblewrap until its tree is ready; the pid of a process in it."""
    asleep, awake = os.pipe()  # never written: it ends with us
    ready, telling = os.pipe()
    known, info = os.pipe()
    os.set_inheritable(info, True)
    if os.fork() == 0:
        try:
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, int(signal.SIGKILL))
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # it waits for its child by that
            for target, descriptor in enumerate((asleep, telling, telling)):
                os.dup2(descriptor, target)
            os.chdir("/")
            line = [args[0], "--info-fd", str(info), *args[1:]]
            os.execve(line[0], line, FIXED_ENVIRONMENT)  # noqa: S606
        finally:
            os._exit(127)
    for descriptor in (asleep, telling, info):
        os.close(descriptor)
    said = os.read(ready, 4096)
    text = os.read(known, 4096)
    os.close(ready)
    os.close(known)
    if said != b"\n" or not text:
        raise OSError(said.decode(errors="replace").strip() or "bubblewrap ended")
    os.set_inheritable(awake, False)
    return int(json.loads(text)["child-pid"])


def apply_limits(limits: dict[str, int]) -> None:
    """Lower the soft and hard limits; a limit already lower stays."""
    for name, value in limits.items():
        which = _LIMITS[name]
        if which < 0:
            continue
        _soft, hard = resource.getrlimit(which)
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(which, (value, value))


def enter(tree: MountTree, is_network_open: bool) -> None:
    """Enter namespaces of our own; the next child is the first process there."""
    if tree.holder < 0:
        raise OSError(tree.problem or "The file system of commands was not made")
    mounts.join(tree.holder, is_network_open)


def hand_out_listener(port: int, channel: int) -> None:
    """Listen on loopback of the namespace we are in, and give the socket to the proxy.

    A socket stays in the namespace where it was made, wherever its descriptor goes: the proxy
    accepts what is connected here, and nothing else in this namespace leads out of it.
    """
    with (
        socket.create_server(("127.0.0.1", port), backlog=_BACKLOG) as listener,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(channel)) as own,
    ):
        socket.send_fds(own, [b"L"], [listener.fileno()])


def hand_out_network(channel: int) -> None:
    """Give the network namespace we are in to the server, for later commands of this client."""
    network = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, os.dup(channel)) as own:
        socket.send_fds(own, [b"N"], [network])
    os.close(network)


def finish_tree(tree: MountTree) -> None:
    """Mount what every command has to itself; run this as the first process of the namespaces."""
    mounts.add(tree.ahead["steps"])


def rehearse() -> None:
    """Do without effect what `submit` does, before there is a job.

    A forked process pays for its first use of every page, which is a tenth of what starting a
    command costs.
    """
    with suppress(OSError):  # the job tries in earnest, and says what went wrong
        mounts.rehearse()
        version = landlock.abi()
        if version:
            rules = [("/", landlock.READ)]
            os.close(landlock.ruleset(rules, version=version))
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with here, there:
            _send_descriptor(here.fileno(), there.fileno())


def submit(plan: dict[str, Any], channel: int) -> None:
    """Be held to everything the plan says; the supervisor gets the calls it is to judge."""
    if plan["spaces"]:
        mounts.add(plan["steps"])
    else:
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, int(signal.SIGKILL))
    os.chdir(plan["cwd"])
    score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(score, _KILLED_FIRST)
    os.close(score)
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    rules = plan.get("landlock")
    if rules:
        paths = [(str(path), int(rights)) for path, rights in rules["rules"]]
        made = landlock.ruleset(paths, version=rules["abi"], block_tcp=rules["block_tcp"])
        landlock.restrict(made)
    syscalls.drop_capabilities()
    listener = seccomp.install(base64.b64decode(plan["filter"]), listen=True)
    _send_descriptor(channel, listener)
    os.close(listener)


def _send_descriptor(channel: int, descriptor: int) -> None:
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, os.dup(channel))
    own.sendmsg([b"L"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))])
    own.close()

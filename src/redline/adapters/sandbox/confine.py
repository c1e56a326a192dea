"""What a forked child does to itself, in order, before it becomes the command."""

from __future__ import annotations

import base64
import os
import resource
import socket
from typing import Any

from redline.adapters.sandbox import landlock, linux, seccomp

_LIMITS = {
    "data": resource.RLIMIT_DATA,
    "fsize": resource.RLIMIT_FSIZE,
    "core": resource.RLIMIT_CORE,
    "nproc": getattr(resource, "RLIMIT_NPROC", -1),
}


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


def join_cgroup(path: str) -> None:
    """Count this process against that group."""
    with open(os.path.join(path, "cgroup.procs"), "w") as file:
        file.write(str(os.getpid()))


def apply_landlock(plan: dict[str, Any], channel: socket.socket) -> None:
    """Namespaces for what Landlock cannot say, then Landlock, no capabilities, then the filter."""
    if plan.get("mounts"):
        from redline.adapters.sandbox.mounts import enter

        enter(plan["mounts"])
    os.chdir(plan["cwd"])
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    rules = [(str(path), int(rights)) for path, rights in plan["rules"]]
    landlock.restrict(rules, version=plan["abi"], block_tcp=plan["block_tcp"])
    linux.drop_capabilities()
    listener = seccomp.install(base64.b64decode(plan["filter"]), listen=plan["listen"])
    if plan["listen"]:
        socket.send_fds(channel, [b"L"], [listener])
        os.close(listener)


def bubblewrap_argv(plan: dict[str, Any], argv: list[str]) -> list[str]:
    """The command behind bubblewrap, which reads its filter from a descriptor we leave open."""
    extra: list[str] = []
    if plan.get("filter"):
        program = os.memfd_create("filter", 0)
        os.write(program, base64.b64decode(plan["filter"]))
        os.lseek(program, 0, os.SEEK_SET)
        os.set_inheritable(program, True)
        extra = ["--seccomp", str(program)]
    return [*plan["args"], *extra, "--", *argv]

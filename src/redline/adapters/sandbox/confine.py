"""What a forked child does to itself, in order, before it becomes the command."""

from __future__ import annotations

import array
import base64
import os
import resource
import signal
import socket
from typing import Any

from redline.adapters.sandbox import landlock, linux, mounts, seccomp

_LIMITS = {
    "data": resource.RLIMIT_DATA,
    "fsize": resource.RLIMIT_FSIZE,
    "core": resource.RLIMIT_CORE,
    "nproc": getattr(resource, "RLIMIT_NPROC", -1),
}

_OUT_OF_THE_WAY = 200


class _Usual:
    """The Landlock rules most commands get, made once in the helper and inherited by its forks."""

    plan: tuple[object, ...] = ()
    descriptor = -1


def prepare(plan: dict[str, Any]) -> None:
    """Make the rules of *plan* ready before there is a command."""
    if plan["kind"] == "landlock":
        made = _ruleset(plan)
        _Usual.descriptor = os.dup2(made, _OUT_OF_THE_WAY, inheritable=False)
        os.close(made)
        _Usual.plan = _key(plan)


def _key(plan: dict[str, Any]) -> tuple[object, ...]:
    return plan["abi"], plan["block_tcp"], plan["rules"]


def _ruleset(plan: dict[str, Any]) -> int:
    rules = [(str(path), int(rights)) for path, rights in plan["rules"]]
    return landlock.ruleset(rules, version=plan["abi"], block_tcp=plan["block_tcp"])


def keep_ruleset(plan: dict[str, Any], at: int) -> int | None:
    """Move the prepared rules to descriptor *at* if they are those of *plan*."""
    covered = (plan.get("mounts") or {}).get("overlays")
    if plan["kind"] != "landlock" or covered or _key(plan) != _Usual.plan:
        return None  # rules for what an overlay covers must be made when it is there
    return os.dup2(_Usual.descriptor, at, inheritable=False)


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


def apply_landlock(plan: dict[str, Any], channel: int, prepared: int | None) -> None:
    """Namespaces for what Landlock cannot say, then Landlock, no capabilities, then the filter."""
    linux.prctl(linux.PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if plan.get("mounts"):
        mounts.enter(plan["mounts"])
    os.chdir(plan["cwd"])
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    landlock.restrict(_ruleset(plan) if prepared is None else prepared)
    linux.drop_capabilities()
    listener = seccomp.install(base64.b64decode(plan["filter"]), listen=plan["listen"])
    if plan["listen"]:
        own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, os.dup(channel))
        own.sendmsg([b"L"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))])
        own.close()
        os.close(listener)


def bubblewrap_argv(plan: dict[str, Any], argv: list[str], env: dict[str, str]) -> list[str]:
    """Return the command line of bubblewrap that runs *argv* with just the variables *env*.

    bubblewrap itself starts with a fixed environment: a loader variable must not act before the
    namespaces exist. It reads its filter and the variables from descriptors that stay open.
    """
    variables = ["--clearenv"]
    for name, value in env.items():
        variables += ["--setenv", name, value]
    extra = ["--args", str(_memory_file(b"".join(os.fsencode(v) + b"\0" for v in variables)))]
    if plan.get("filter"):
        extra += ["--seccomp", str(_memory_file(base64.b64decode(plan["filter"])))]
    return [*_still_there(plan["args"]), *extra, "--", *argv]


def _memory_file(content: bytes) -> int:
    """Return an inheritable descriptor from which *content* can be read."""
    descriptor = os.memfd_create("plan", 0)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.set_inheritable(descriptor, True)
    return descriptor


def _still_there(args: list[str]) -> list[str]:
    """Without blinds for sockets that have gone since: bubblewrap would refuse to start."""
    kept: list[str] = []
    rest = iter(args)
    for part in rest:
        if part == "--ro-bind":
            source, target = next(rest), next(rest)
            if source != "/dev/null" or os.path.exists(target):
                kept += [part, source, target]
        else:
            kept.append(part)
    return kept

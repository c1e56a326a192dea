"""Which guard holds a command, by mode and by what this kernel offers; and the words for it."""

from __future__ import annotations

import base64
import os
from functools import cache
from typing import Any

from redline.adapters.sandbox import bubblewrap, landlock, limits, places, seccomp
from redline.adapters.sandbox.bubblewrap import View
from redline.adapters.sandbox.overlay import Layer
from redline.core.errors import SandboxUnavailable
from redline.core.ports.commands import SandboxFacts

MODES = ("safe", "trusted", "dangerous")
_OLDEST_ABI = 3  # before it a file could be truncated anywhere


@cache
def _filter(sockets: bool, metadata: bool, signals: bool) -> str:
    code = seccomp.build(block_sockets=sockets, guard_metadata=metadata, guard_signals=signals)
    return base64.b64encode(code).decode()


def choose(mode: str, offer: dict[str, Any], backend: str = "auto") -> str:
    """`bubblewrap`, `landlock` or `none`; SandboxUnavailable where safe mode has no guard."""
    if mode == "dangerous":
        return "none"
    if backend in ("auto", "bubblewrap") and bubblewrap.executable():
        return "bubblewrap"
    if backend in ("auto", "landlock") and offer["seccomp"] and offer["abi"] >= _OLDEST_ABI:
        return "landlock"
    raise SandboxUnavailable(
        "No sandbox is available here: bubblewrap is not usable and the kernel offers Landlock"
        f" version {offer['abi']}",
        hint="install bubblewrap, or start the server with --sandbox dangerous",
    )


def confine_dry(view: View, offer: dict[str, Any], layers: list[Layer]) -> dict[str, Any]:
    """The same for a command on a copy-on-write view; SandboxUnavailable where there is none."""
    if not (offer["namespaces"] and offer["seccomp"] and offer["abi"] >= _OLDEST_ABI):
        raise SandboxUnavailable(
            "dry_run is not possible here: it needs user namespaces, overlayfs and Landlock",
            hint="run the command without dry_run; undo_change takes back what it changed",
        )
    plan = _landlock(view, offer)
    overlays = [[layer.lower, layer.upper, layer.work] for layer in layers]
    plan["mounts"] = {"overlays": overlays, "readonly": list(view.protected)}
    return plan


def confine(backend: str, view: View, offer: dict[str, Any]) -> dict[str, Any]:
    """What the helper does to the child, as data."""
    if backend == "bubblewrap":
        program = bubblewrap.executable() or "bwrap"
        code = _filter(False, False, False) if seccomp.is_supported() else None
        return {"kind": "bwrap", "args": bubblewrap.arguments(program, view), "filter": code}
    if backend == "landlock":
        return _landlock(view, offer)
    return {"kind": "none", "cwd": view.cwd}


def _landlock(view: View, offer: dict[str, Any]) -> dict[str, Any]:
    writable = [*view.writable, *(os.path.join(view.private, name) for name in ("home", "tmp"))]
    read = ["/"] if view.wide else [*places.SYSTEM, *places.ETC, *view.readable]
    if not view.wide:
        read += places.toolchains(view.search_path)
        read += places.installations_on_path(view.search_path)
    rules = [[path, landlock.READ] for path in read]
    rules += [[path, landlock.READ | landlock.WRITE] for path in writable]
    device = landlock.READ_FILE | landlock.READ_DIR | landlock.WRITE_FILE | landlock.IOCTL_DEV
    rules += [[path, device] for path in places.DEVICES]
    mounts = {"readonly": list(view.protected)} if offer["namespaces"] and view.protected else None
    return {
        "kind": "landlock",
        "abi": offer["abi"],
        "cwd": view.cwd,
        "rules": rules,
        "block_tcp": not view.network,
        "filter": _filter(not view.network, True, offer["abi"] < 6),
        "listen": True,
        "writable": writable,
        "protected": list(view.protected),
        "mounts": mounts,
    }


def facts(mode: str, backend: str, view: View, offer: dict[str, Any], group: bool) -> SandboxFacts:
    """What is in force, in words."""
    if backend == "none":
        open_words = "as the server's user"
        return SandboxFacts(mode, open_words, "open", "not limited", "not limited", "none")
    reads = "whole system readable" if view.wide else "homes and secrets hidden"
    git, warnings = "", []
    if view.protected:
        held = backend == "bubblewrap" or offer["namespaces"]
        git = ", .git read-only" if held else ", .git writable"
        if not held:
            warnings.append("This kernel cannot keep .git read-only for commands")
    net = "open" if view.network else "none"
    pids = f"at most {limits.PROCESSES}" + ("" if group else " more per user")
    if not group and _is_root():
        pids = "not limited"
        warnings.append("The number of processes is not limited: no cgroup for root here")
    return SandboxFacts(
        mode,
        f"{backend}: writes only in the workspace and a private tmp{git}, {reads}",
        net,
        pids,
        f"{limits.MEMORY >> 30} GiB per process and in all",
        backend,
        tuple(warnings),
    )


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0

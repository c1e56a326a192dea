"""Which guard holds a command, by mode and by what this kernel offers; and the words for it."""

from __future__ import annotations

import base64
import os
from functools import cache
from typing import Any

from redline.adapters.sandbox import bubblewrap, landlock, limits, seccomp, visible_paths
from redline.adapters.sandbox.overlay import Layer
from redline.adapters.sandbox.visible_paths import PROXY_PORT, Network, SandboxView
from redline.core.errors import SandboxUnavailable
from redline.core.ports.commands import SandboxFacts
from redline.core.wording import naming

_MAX_NAMED = 5
_OLDEST_ABI = 3  # before it a file could be truncated anywhere


@cache
def _filter(rules: seccomp.Rules) -> str:
    return base64.b64encode(seccomp.build(rules)).decode()


def choose(mode: str, offer: dict[str, Any], backend: str = "auto") -> str:
    """`bubblewrap`, `landlock` or `none`; SandboxUnavailable where safe mode has no guard."""
    if mode == "dangerous":
        return "none"
    if backend in ("auto", "bubblewrap") and offer["seccomp"] and bubblewrap.executable():
        return "bubblewrap"
    if backend in ("auto", "landlock") and offer["seccomp"] and offer["abi"] >= _OLDEST_ABI:
        return "landlock"
    raise SandboxUnavailable(
        "No sandbox is available here: bubblewrap is not usable and the kernel offers Landlock"
        f" version {offer['abi']}",
        hint="install bubblewrap, or start the server with --sandbox dangerous",
    )


def has_namespaces(backend: str, offer: dict[str, Any]) -> bool:
    """Return whether a command gets processes, mounts, IPC and network of its own."""
    return backend == "bubblewrap" or (backend == "landlock" and bool(offer["namespaces"]))


def require_view(backend: str, offer: dict[str, Any], *, is_dry: bool) -> None:
    """SandboxUnavailable where no command can run on a copy-on-write view."""
    if has_namespaces(backend, offer):
        return
    if is_dry:
        raise SandboxUnavailable(
            "dry_run is not possible here: it needs user namespaces and overlayfs",
            hint=naming(
                "run the command without dry_run; {undo_change} takes back what it changed"
            ),
        )
    raise SandboxUnavailable(
        "No command runs here while a policy is in force: to judge what a command changes takes"
        " user namespaces and overlayfs",
        hint="install bubblewrap, or allow user namespaces; the file tools work without them",
    )


def tree(
    backend: str, view: SandboxView, offer: dict[str, Any], usual: dict[str, Any]
) -> dict[str, Any]:
    """Return the mount tree all commands of a server start from, as data for the helper.

    `ahead` is what supervisors do before there is a command, for the *usual* one.
    """
    if not has_namespaces(backend, offer):
        return {"kind": "none", "ahead": {**usual, "spaces": False}}
    for path in (*visible_paths.pinned_directories(view), view.layers):
        os.makedirs(path, 0o755, exist_ok=True)
    ahead = {
        **usual,
        "network": str(view.network),
        "steps": visible_paths.mounts_of_every_command(view.layers),
    }
    if backend == "bubblewrap":
        program = bubblewrap.executable() or "bwrap"
        args = bubblewrap.arguments(program, view)
        return {"kind": "bubblewrap", "args": args, "ahead": ahead}
    return {"kind": "own", "steps": visible_paths.mount_tree(view), "ahead": ahead}


def confine(
    backend: str,
    view: SandboxView,
    offer: dict[str, Any],
    *,
    memory_group: bool,
    layers: list[Layer] | None = None,
) -> dict[str, Any]:
    """Return what the helper does to the child, as data; with *layers* on a copy-on-write view."""
    if backend == "none":
        return {"kind": "none", "cwd": view.cwd, "spaces": False}
    spaces = has_namespaces(backend, offer)
    if not spaces:
        _require_open_or_none(view)
        _require_no_nesting(view)
    overlays = {layer.lower: (layer.upper, layer.work) for layer in layers or ()}
    writable = [*view.writable, view.home, view.scratch]
    if spaces:
        writable += ["/tmp", "/var/tmp"]  # noqa: S108 - private ones
    rules = seccomp.Rules(
        sockets=spaces or view.network is not Network.NONE,
        own_processes=spaces,
        own_ipc=spaces,
        own_files=spaces,
        own_signals=spaces or offer["abi"] >= 6,
        memory_group=memory_group,
    )
    return {
        "kind": "guarded",
        "cwd": view.cwd,
        "spaces": spaces,
        "network": str(view.network),
        "proxy_port": PROXY_PORT,
        "steps": visible_paths.own_mounts(view, overlays),
        "landlock": _landlock(view, offer, spaces, writable) if backend == "landlock" else None,
        "filter": _filter(rules),
        "writable": writable,
        "protected": [*view.protected, *view.program, *view.sealed],
        "server": os.getpid(),
        "histories": list(view.hidden),
        "roots": [*view.writable, *view.readable],
        "private": [view.home, view.scratch, "/tmp", "/var/tmp"] if spaces else [],  # noqa: S108
    }


def _require_open_or_none(view: SandboxView) -> None:
    """Without a network namespace a command could pass by the proxy."""
    if view.network is Network.NAMED:
        raise SandboxUnavailable(
            "--allow-domain is not possible here: this kernel gives commands no network namespace"
            " of their own",
            hint="install bubblewrap or allow user namespaces, or start without --allow-domain",
        )


def _require_no_nesting(view: SandboxView) -> None:
    """Rules of Landlock alone cannot take back beneath a directory what they gave above it."""
    kept = [path for path in (*view.readable, *view.program) if _is_inside(path, view.writable)]
    kept += visible_paths.hidden_directories(view, in_writable=True)
    if kept:
        raise SandboxUnavailable(
            f"This kernel cannot keep a directory inside the workspace from commands: {kept[0]}",
            hint="install bubblewrap, or allow user namespaces",
        )


def _is_inside(path: str, roots: tuple[str, ...]) -> bool:
    return any(visible_paths.is_beneath(path, root) for root in roots)


def _landlock(
    view: SandboxView, offer: dict[str, Any], spaces: bool, writable: list[str]
) -> dict[str, Any]:
    if spaces:
        read, devices = ["/"], ["/dev", "/proc"]  # the tree holds no more than a command may see
    else:
        read = ["/"] if view.wide else [*visible_paths.readable(view.search_path), *view.readable]
        read, devices = [*read, "/proc"], list(visible_paths.DEVICES)
    device = landlock.READ_FILE | landlock.READ_DIR | landlock.WRITE_FILE | landlock.IOCTL_DEV
    rules = [[path, landlock.READ] for path in read]
    rules += [[path, landlock.READ | landlock.WRITE] for path in writable]
    rules += [[path, device] for path in devices]
    if spaces:
        rules.append(["/dev/shm", landlock.READ | landlock.WRITE])  # noqa: S108 - a private one
    block_tcp = view.network is Network.NONE and not spaces
    return {"abi": offer["abi"], "rules": rules, "block_tcp": block_tcp}


def facts(
    mode: str,
    backend: str,
    view: SandboxView,
    offer: dict[str, Any],
    groups: list[str],
    *,
    where: str = "the workspace",
    keeps_git_data: bool = False,
) -> SandboxFacts:
    """Return what is in force, in words; *groups* are the control groups' controllers.

    *where* says what the command writes in, *keeps_git_data* that what it leaves in git
    directories is kept as far as it is data.
    """
    if backend == "none":
        open_words = "as the server's user"
        return SandboxFacts(mode, open_words, "open", "not limited", "not limited", "none")
    reads = "whole system readable" if view.wide else "homes and secrets hidden"
    git = ", of .git its data" if keeps_git_data else ""
    warnings = []
    if view.protected:
        held = has_namespaces(backend, offer)
        git = ", .git read-only" if held else ", .git writable"
        if not held:
            warnings.append("This kernel cannot keep .git read-only for commands")
    sealed = _describe_sealed(view) if has_namespaces(backend, offer) else ""
    pids = f"at most {limits.PROCESSES}" + ("" if "pids" in groups else " more per user")
    if "pids" not in groups and _is_root():
        pids = "not limited"
        warnings.append("The number of processes is not limited: no cgroup for root here")
    size = f"{limits.MEMORY >> 30} GiB"
    counted = "memory" in groups
    return SandboxFacts(
        mode,
        f"{backend}: writes only in {_written_places(view, where)}{git}{sealed}, {reads}",
        _network(view),
        pids,
        f"{size} in all" if counted else f"{size} per process, in all checked twice a second",
        backend,
        tuple(warnings),
    )


def _written_places(view: SandboxView, where: str) -> str:
    return f"{where} and a private tmp" if view.writable else "a private tmp"


def _describe_sealed(view: SandboxView) -> str:
    if not view.sealed:
        return ""
    names = [
        path[len(root) :].lstrip("/")
        for path in view.sealed
        for root in view.writable
        if visible_paths.is_beneath(path, root)
    ]
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return f", read-only by the policy: {', '.join(names[:_MAX_NAMED])}{more}"


def _network(view: SandboxView) -> str:
    if view.network is Network.NAMED:
        return f"only {', '.join(view.domains)}"
    return str(view.network)


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0

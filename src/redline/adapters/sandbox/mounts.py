"""A private view of the file system: read-only places, and copy-on-write over whole roots."""

from __future__ import annotations

import os
from typing import Any

from redline.adapters.sandbox import linux


def enter(plan: dict[str, Any]) -> None:
    """Leave for a user and mount namespace of our own and arrange it as *plan* says."""
    user, group = os.geteuid(), os.getegid()
    try:
        linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWNS)
    except OSError:
        linux.unshare(linux.CLONE_NEWNS)  # root may where user namespaces are switched off
    else:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    linux.mount("none", "/", None, linux.MS_REC | linux.MS_PRIVATE)
    for lower, upper, work in plan.get("overlays", ()):
        options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
        linux.mount("overlay", lower, "overlay", 0, options)
    for path in plan.get("readonly", ()):
        linux.mount(path, path, None, linux.MS_BIND | linux.MS_REC)
        flags = linux.MS_BIND | linux.MS_REMOUNT | linux.MS_RDONLY | _kept_flags(path)
        linux.mount(path, path, None, flags)


def _kept_flags(path: str) -> int:
    """What a user namespace may not clear of the mount there: nosuid, nodev, noexec, times."""
    present = os.statvfs(path).f_flag
    kept = present & (os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME)
    return kept | (linux.MS_RELATIME if present & os.ST_RELATIME else 0)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def is_possible() -> bool:
    """Whether this kernel lets us have such a view; tried in a child, so only the helper asks."""
    if not linux.IS_LINUX:
        return False
    child = os.fork()
    if child == 0:
        try:
            enter({})
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0

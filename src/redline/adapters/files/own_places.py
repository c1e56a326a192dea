"""Where Redline keeps its own files, and which names the system looks up to get to one.

A server asks this at its start, so nothing here loads what only calls need.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence

MAX_LINKS = 40


def state_home() -> str:
    """Return where Redline keeps its own files: never inside a workspace."""
    home = os.path.expanduser("~")
    chosen = os.environ.get("XDG_STATE_HOME")
    if chosen and os.path.isabs(chosen):
        return os.path.join(chosen, "redline")
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(local, "redline")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "redline")
    return os.path.join(home, ".local", "state", "redline")


def state_homes() -> list[str]:
    """Return every directory where a Redline of this user keeps its own files by default."""
    usual = os.path.join(os.path.expanduser("~"), ".local", "state", "redline")
    return list(dict.fromkeys((state_home(), usual)))


def split_path(path: str) -> tuple[str, ...]:
    """Return the parts of an absolute path; a drive goes first."""
    drive, rest = os.path.splitdrive(path)
    parts = tuple(part for part in rest.split(os.sep) if part not in ("", "."))
    return (drive + os.sep, *parts) if drive else parts


def names_on_the_way(path: str) -> Iterator[str]:
    """Yield the canonical place of each name that the system looks up to open *path*.

    These are also the names of links, and those on the way to what a link leads to.
    """
    # Not `abspath`: that drops the name before a `..`, which may be a link.
    todo = list(split_path(os.path.join(os.getcwd(), path)))
    here, links = os.path.abspath(os.sep), 0
    while todo:
        name = todo.pop(0)
        if name == "..":
            here = os.path.dirname(here)
            continue
        above, here = here, os.path.join(here, name)
        yield here
        try:
            target = os.readlink(here)
        except OSError:  # no link, or nothing
            continue
        links += 1
        if links > MAX_LINKS:
            return
        here = os.path.abspath(os.sep) if os.path.isabs(target) else above
        todo = [*split_path(target), *todo]


def has_other_names(file: str) -> bool:
    """Return whether *file* has several hard links: another one may lie in a workspace."""
    try:
        facts = os.stat(file)
    except OSError:
        return False
    return stat.S_ISREG(facts.st_mode) and facts.st_nlink > 1


def may_be_reached(path: str, roots: Sequence[str]) -> bool:
    """Whether a name on the way to *path* lies beneath one of *roots*, or may have another name."""
    outer = [split_path(os.path.realpath(root)) for root in roots]
    ways = (split_path(place) for place in names_on_the_way(path))
    return has_other_names(path) or any(
        own[: len(parts)] == parts for own in ways for parts in outer
    )

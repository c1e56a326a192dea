"""What stays read-only for commands although it lies where they may write."""

from __future__ import annotations

import os
import sys
import time
from functools import cache

from redline.adapters.sandbox.program import PACKAGE_DIRECTORY
from redline.adapters.sandbox.visible_paths import is_beneath

MAX_DIRECTORIES = 50_000
_TICK = 1_000_000_000
_POINTER = b"gitdir:"


@cache
def program_files(writable: tuple[str, ...]) -> tuple[str, ...]:
    """Redline's own package, interpreter and libraries, as far as they lie in *writable* roots.

    The server runs them unconfined, now or at its next start.
    """
    wanted = [PACKAGE_DIRECTORY, sys.prefix, sys.base_prefix, os.path.dirname(sys.executable)]
    wanted += [path for path in sys.path if path and os.path.exists(path)]
    found: list[str] = []
    for path in sorted({os.path.realpath(each) for each in wanted}, key=len):
        inside = any(is_beneath(path, root) and path != root for root in writable)
        if inside and not any(is_beneath(path, other) for other in found):
            found.append(path)
    return tuple(found)


class GitDirectories:
    """Finds what git keeps in the roots: at any depth, also behind links and `gitdir:` files.

    Directories that have not changed since the last look are not read again.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, list[str], bool]] = {}

    def directories(self, roots: tuple[str, ...]) -> list[str]:
        """Every such file or directory in *roots*, outer ones first, none inside another."""
        found: set[str] = set()
        seen: dict[str, tuple[int, list[str], bool]] = {}
        waiting = list(roots)
        while waiting and len(seen) < MAX_DIRECTORIES:
            here = waiting.pop()
            look = self._look(here)
            if look is None:
                continue
            seen[here] = look
            waiting += [os.path.join(here, name) for name in look[1]]
            if look[2]:
                found.update(_targets(os.path.join(here, ".git")))
        self._seen = seen
        inside = {path for path in found if any(is_beneath(path, root) for root in roots)}
        kept: list[str] = []
        for path in sorted(inside - set(roots), key=lambda each: (each.count("/"), each)):
            if not any(is_beneath(path, other) for other in kept):
                kept.append(path)
        return kept

    def _look(self, path: str) -> tuple[int, list[str], bool] | None:
        """When the directory last changed, its directories, and whether it has a `.git`."""
        try:
            changed = os.stat(path, follow_symlinks=False).st_mtime_ns
            known = self._seen.get(path)
            if known and known[0] == changed:
                return known
            with os.scandir(path) as entries:
                names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:
            return None
        inner = [name for name, is_directory in names if is_directory and name != ".git"]
        if time.time_ns() - changed < _TICK:
            changed = -1  # a change right after this look might leave the same time
        return changed, inner, any(name == ".git" for name, _ in names)


def _targets(path: str) -> list[str]:
    """What a `.git` entry is and names: itself, the directory, the common directory.

    All are canonical but the entry, which may be a link.
    """
    real = os.path.realpath(path)
    found = [path] if os.path.islink(path) else []
    if not os.path.exists(real):
        return found
    found.append(real)
    if os.path.isfile(real):
        named = _named_in(real, _POINTER)
        found += [named] if named else []
    common = _named_in(os.path.join(found[-1], "commondir"), b"")
    return [*found, common] if common else found


def _named_in(path: str, start: bytes) -> str | None:
    """The existing directory that the small file at *path* names after *start*."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            text = file.read(4096)
    except OSError:
        return None
    if not text.startswith(start):
        return None
    name = os.fsdecode(text[len(start) :].strip().split(b"\n")[0])
    target = os.path.realpath(os.path.join(os.path.dirname(path), name))
    return target if name and "\0" not in name and os.path.isdir(target) else None

"""The roots: which directories are open, the paths that name each, and a handle on each."""

from __future__ import annotations

import os
from collections.abc import Sequence

from redline.adapters.files.disk import Dir, Disk
from redline.adapters.files.os_errors import reading_failed
from redline.core.errors import InvalidArgument
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import Root


class Roots:
    """Directories this process may touch, in order; one that is given twice counts once."""

    def __init__(
        self, disk: Disk, given: Sequence[tuple[str, bool]], *, allow_any_root: bool
    ) -> None:
        self.disk = disk
        self.handles: list[Dir] = []
        self._aliases: list[tuple[tuple[str, ...], int]] = []
        roots: list[Root] = []
        known: dict[tuple[int, int], int] = {}
        for path, is_writable in given:
            real, handle, identity = self._open(path, allow_any_root)
            if identity in known:
                disk.close_dir(handle)
                number = known[identity]
                merged = roots[number].writable or is_writable
                roots[number] = Root(roots[number].path, merged)
            else:
                number = known[identity] = len(roots)
                roots.append(Root(real, is_writable))
                self.handles.append(handle)
            for alias in (real, os.path.abspath(path)):
                self._aliases.append((split_path(alias), number))
        self._aliases.sort(key=lambda alias: -len(alias[0]))
        self.listed = tuple(roots)
        # For each root the roots that lie within it, by their way from there.
        self.inner = _inner_roots([split_path(root.path) for root in roots])

    def _open(self, path: str, allow_any_root: bool) -> tuple[str, Dir, tuple[int, int]]:
        if not path or "\0" in path:
            raise InvalidArgument(f"Not a directory name: {path!r}", field="workspace")
        real = os.path.realpath(path)
        try:
            handle = self.disk.open_root(real)
        except OSError as error:
            raise reading_failed(error, path) from None
        found = self.disk.stat(handle, "")
        if not allow_any_root:
            for wide in (os.path.abspath(os.sep), os.path.expanduser("~")):
                if _is_same(wide, found):
                    self.disk.close_dir(handle)
                    raise InvalidArgument(
                        f"Too wide to be a workspace: {show_name(real)}",
                        field="workspace",
                        hint="name a project directory, or pass --allow-any-root",
                    )
        return real, handle, (found.st_dev, found.st_ino)

    def enter(self, parts: Sequence[str]) -> tuple[int, int] | None:
        """The root whose path *parts* begin with, and how many parts that path has."""
        for alias, number in self._aliases:
            if tuple(parts[: len(alias)]) == alias:
                return number, len(alias)
        return None

    def innermost(self, root: int, parts: tuple[str, ...]) -> WorkspacePath:
        """The place *parts* beneath a root, named from the innermost root it lies in."""
        for prefix, inner in self.inner[root]:
            if parts[: len(prefix)] == prefix:
                return self.innermost(inner, parts[len(prefix) :])
        return WorkspacePath(root, parts)

    def close(self) -> None:
        """Close the roots."""
        while self.handles:
            self.disk.close_dir(self.handles.pop())


def split_path(path: str) -> tuple[str, ...]:
    """The parts of an absolute path; a drive goes first."""
    drive, rest = os.path.splitdrive(path)
    parts = tuple(part for part in rest.split(os.sep) if part not in ("", "."))
    return (drive + os.sep, *parts) if drive else parts


def _is_same(path: str, found: os.stat_result) -> bool:
    try:
        other = os.stat(path)
    except OSError:
        return False
    return (other.st_dev, other.st_ino) == (found.st_dev, found.st_ino)


def _inner_roots(roots: list[tuple[str, ...]]) -> list[list[tuple[tuple[str, ...], int]]]:
    """For each root the roots that lie within it, the longest way first."""
    inner: list[list[tuple[tuple[str, ...], int]]] = []
    for outer in roots:
        within = [
            (parts[len(outer) :], number)
            for number, parts in enumerate(roots)
            if len(parts) > len(outer) and parts[: len(outer)] == outer
        ]
        inner.append(sorted(within, key=lambda pair: -len(pair[0])))
    return inner

"""The roots, held open for life, and the walk from outside text to a proven WorkspacePath.

Strings only choose at which root to begin. What proves that a place lies beneath it is the walk by
directory handles: each part is looked at from its parent's handle, links are read and followed
by us, and whatever leaves every root is refused.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence

from redline.adapters.files.disk import Dir, Disk
from redline.adapters.files.os_errors import name_too_long
from redline.adapters.files.resolve_path import Raced, Walk
from redline.adapters.files.roots import Roots, split_path
from redline.core.errors import (
    AbsolutePathDenied,
    InvalidArgument,
    NotFound,
    OutsideRoots,
    PathDenied,
    ReadOnlyRoot,
)
from redline.core.paths import Access, WorkspacePath, read_name, show_name
from redline.core.ports.tree import Root

_RACES = 50
# The largest name on common file systems; a longer one is refused before anything is made.
_MAX_NAME_BYTES = 255
FOREIGN = 1_000_000
_WINDOWS_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


class DiskWorkspace:
    """Directories this process may touch; see `core.ports.tree.PathResolver`."""

    def __init__(
        self,
        disk: Disk,
        writable: Sequence[str],
        readable: Sequence[str] = (),
        *,
        in_order: Sequence[tuple[str, bool]] = (),
        allow_any_root: bool = False,
    ) -> None:
        given = [*in_order, *((p, True) for p in writable), *((p, False) for p in readable)]
        self._all = Roots(disk, given, allow_any_root=allow_any_root)
        self._roots = self._all.listed
        self._foreign: list[str] = []
        self._former: set[str] = set()
        self._sealed: list[list[tuple[str, ...]]] = [[] for _ in self._roots]

    # -- what the port promises ---------------------------------------------------------------

    @property
    def roots(self) -> Sequence[Root]:
        """Every root; the first is the workspace."""
        return self._roots

    def resolve(
        self,
        raw: str,
        access: Access,
        *,
        relative_only: bool = False,
        follow: bool = True,
        must_exist: bool = False,
    ) -> WorkspacePath:
        """The canonical place *raw* names, proven beneath a root that allows *access*."""
        absolute, parts = self._parts_of(raw, relative_only)
        path, exists = self._place(raw, absolute, parts, follow)
        if not exists and "\\x" in raw:
            # The way names with undecodable bytes are shown; a literal name goes first.
            real = [read_name(part) for part in parts]
            other, found = self._place(raw, absolute, real, follow)
            if found or other.parts[:-1] != path.parts[:-1]:
                path, exists = other, found
        if must_exist and not exists:
            raise NotFound(show_name(raw))
        if not exists and max(map(_size_of, path.parts), default=0) > _MAX_NAME_BYTES:
            raise name_too_long(raw)
        if self.is_sealed(path):
            raise PathDenied(
                show_name(raw), f"Redline's own files are out of reach: {show_name(raw)}"
            )
        if access is Access.WRITE and not self._roots[path.root].writable:
            raise ReadOnlyRoot(show_name(raw))
        return path

    def absolute(self, path: WorkspacePath) -> str:
        """The path as people write it, for display; never for opening."""
        if path.root >= FOREIGN:
            top = self._foreign[path.root - FOREIGN]
        else:
            top = self._roots[path.root].path
        if not path.parts:
            return top
        return (top if top.endswith(os.sep) else top + os.sep) + os.sep.join(path.parts)

    # -- what other adapters need -------------------------------------------------------------

    def handle(self, root: int) -> Dir:
        """The handle of a root, open for life; OutsideRoots for a root of another session."""
        if root >= FOREIGN:
            raise OutsideRoots(show_name(self._foreign[root - FOREIGN]))
        return self._all.handles[root]

    def root_number(self, path: str) -> int:
        """The number of the root at *path*; one that is not open now gets a number for display."""
        for number, root in enumerate(self._roots):
            if root.path == path:
                return number
        if path in self._former:
            return 0
        if path not in self._foreign:
            self._foreign.append(path)
        return FOREIGN + self._foreign.index(path)

    def add_former_path(self, path: str) -> None:
        """Take *path* in the history for the first root: the workspace was there once."""
        self._former.add(path)

    def root_path(self, number: int) -> str:
        """The canonical path of root *number*."""
        return self._roots[number].path if number < FOREIGN else self._foreign[number - FOREIGN]

    def seal(self, directory: str) -> bool:
        """Put a directory of Redline's own files out of reach; whether it lies in a root at all.

        A root within it is out of reach as a whole.
        """
        own = split_path(os.path.realpath(directory))
        within = False
        for number, root in enumerate(self._roots):
            outer = split_path(root.path)
            if own[: len(outer)] == outer:
                self._sealed[number].append(own[len(outer) :])
                within = True
            elif outer[: len(own)] == own:
                self._sealed[number].append(())
        return within

    def is_exposed(self, file: str) -> bool:
        """Whether an agent may come by *file*: in a root, or by another name of a hard link."""
        if has_other_names(file):
            return True
        own = split_path(os.path.realpath(file))
        for number, root in enumerate(self._roots):
            outer = split_path(root.path)
            if own[: len(outer)] == outer:
                sealed = self._sealed[number]
                rest = own[len(outer) :]
                if not any(rest[: len(inner)] == inner for inner in sealed):
                    return True
        return False

    def sealed_in(self, root: int) -> Sequence[tuple[str, ...]]:
        """The directories beneath root number *root* that are out of reach."""
        return self._sealed[root]

    def is_sealed(self, path: WorkspacePath) -> bool:
        """Whether *path* lies in a sealed directory."""
        if path.root >= FOREIGN:
            return False
        sealed = self._sealed[path.root]
        return bool(sealed) and any(path.parts[: len(own)] == own for own in sealed)

    def holds_root(self, path: WorkspacePath) -> bool:
        """Whether a root or the journal lies at or beneath *path*: that is not moved or removed."""
        if not path.parts or self.is_sealed(path):
            return True
        if path.root >= FOREIGN:
            return False
        below = [prefix for prefix, _ in self._all.inner[path.root]] + self._sealed[path.root]
        return any(prefix[: len(path.parts)] == path.parts for prefix in below)

    def close(self) -> None:
        """Close the roots."""
        self._all.close()

    # -- the walk -----------------------------------------------------------------------------

    def _parts_of(self, raw: str, relative_only: bool) -> tuple[bool, list[str]]:
        if not raw or "\0" in raw:
            fact = "Path is empty" if not raw else "Path holds a NUL character"
            raise InvalidArgument(fact, field="path", hint="pass the path of a file or directory")
        drive = ""
        if os.sep == "/":
            absolute, rest = raw.startswith("/"), raw
        else:
            absolute = os.path.isabs(raw)
            drive, rest = os.path.splitdrive(raw)
            rest = rest.replace("/", os.sep)
        parts = [part for part in rest.split(os.sep) if part not in ("", ".")]
        if relative_only and (absolute or drive or _WINDOWS_DRIVE.match(raw)):
            raise AbsolutePathDenied(show_name(raw), hint="pass a path relative to the workspace")
        if relative_only and ".." in parts:
            raise OutsideRoots(show_name(raw), f"Path may not contain '..': {show_name(raw)}")
        return absolute, [drive + os.sep, *parts] if drive else parts

    def _place(
        self, raw: str, absolute: bool, parts: list[str], follow: bool
    ) -> tuple[WorkspacePath, bool]:
        plain = self._plainly(absolute, parts, follow)
        if plain is not None:
            return plain
        for _ in range(_RACES):
            walk = Walk(self._all, raw, list(parts), follow)
            try:
                return walk.run(absolute)
            except Raced:
                continue
            finally:
                walk.close()
        raise PathDenied(show_name(raw), f"Path keeps changing: {show_name(raw)}")

    def _plainly(
        self, absolute: bool, parts: list[str], follow: bool
    ) -> tuple[WorkspacePath, bool] | None:
        """The fast way: one system call when no link and no `..` is on the path."""
        roots = self._all
        if ".." in parts or not roots.handles:
            return None
        root, used = (0, 0) if not absolute else roots.enter(parts) or (0, len(parts))
        rest = parts[used:]
        if not rest:
            return None
        found = roots.disk.exists_plainly(roots.handles[root], rest, follow=follow)
        return None if found is None else (roots.innermost(root, tuple(rest)), found)


def _size_of(name: str) -> int:
    return len(os.fsencode(name))


def has_other_names(file: str) -> bool:
    """Whether *file* has several hard links: another one may lie in a workspace."""
    try:
        facts = os.stat(file)
    except OSError:
        return False
    return stat.S_ISREG(facts.st_mode) and facts.st_nlink > 1

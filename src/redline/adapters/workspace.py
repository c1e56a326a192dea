"""The roots, held open for life, and the walk from outside text to a proven WorkspacePath.

Strings only choose at which root to begin. What proves that a place lies beneath it is the walk by
directory handles: each part is looked at from its parent's handle, links are read and followed
by us, and whatever leaves every root is refused.
"""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Sequence
from dataclasses import dataclass, field

from redline.adapters.disk import Dir, Disk
from redline.adapters.failures import reading_failed
from redline.core.errors import (
    AbsolutePathDenied,
    InvalidArgument,
    NotADirectory,
    NotFound,
    OutsideRoots,
    PathDenied,
    ReadOnlyRoot,
    SymlinkEscape,
)
from redline.core.paths import Access, WorkspacePath, read_name, show_name
from redline.core.ports.tree import Root

_MAX_LINKS = 40
_RACES = 50
FOREIGN = 1_000_000


class DiskWorkspace:
    """Directories this process may touch; see `core.ports.tree.Workspace`."""

    def __init__(
        self,
        disk: Disk,
        writable: Sequence[str],
        readable: Sequence[str] = (),
        *,
        in_order: Sequence[tuple[str, bool]] = (),
        allow_any_root: bool = False,
    ) -> None:
        self._disk = disk
        self._handles: list[Dir] = []
        self._aliases: list[tuple[tuple[str, ...], int]] = []
        self._foreign: list[str] = []
        roots: list[Root] = []
        known: dict[tuple[int, int], int] = {}
        given = [*in_order, *((p, True) for p in writable), *((p, False) for p in readable)]
        for path, is_writable in given:
            real, handle, identity = self._open_root(path, allow_any_root)
            if identity in known:
                disk.close_dir(handle)
                number = known[identity]
                merged = roots[number].writable or is_writable
                roots[number] = Root(roots[number].path, merged)
            else:
                number = known[identity] = len(roots)
                roots.append(Root(real, is_writable))
                self._handles.append(handle)
            for spelling in (real, os.path.abspath(path)):
                self._aliases.append((_split(spelling), number))
        self._aliases.sort(key=lambda alias: -len(alias[0]))
        self._roots = tuple(roots)
        self._inner = _inner_roots([_split(root.path) for root in roots])
        self._sealed: list[list[tuple[str, ...]]] = [[] for _ in roots]

    def _open_root(self, path: str, allow_any_root: bool) -> tuple[str, Dir, tuple[int, int]]:
        if not path or "\0" in path:
            raise InvalidArgument(f"Not a directory name: {path!r}", field="workspace")
        real = os.path.realpath(path)
        try:
            handle = self._disk.open_root(real)
        except OSError as error:
            raise reading_failed(error, path) from None
        found = self._disk.stat(handle, "")
        if not allow_any_root:
            for wide in (os.path.abspath(os.sep), os.path.expanduser("~")):
                if _is_same(wide, found):
                    self._disk.close_dir(handle)
                    raise InvalidArgument(
                        f"Too wide to be a workspace: {show_name(real)}",
                        field="workspace",
                        hint="name a project directory, or pass --allow-any-root",
                    )
        return real, handle, (found.st_dev, found.st_ino)

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
        return self._handles[root]

    def root_number(self, path: str) -> int:
        """The number of the root at *path*; a root that is not open now gets a number for show."""
        for number, root in enumerate(self._roots):
            if root.path == path:
                return number
        if path not in self._foreign:
            self._foreign.append(path)
        return FOREIGN + self._foreign.index(path)

    def root_path(self, number: int) -> str:
        """The canonical path of root *number*."""
        return self.absolute(WorkspacePath(number, ()))

    def seal(self, directory: str) -> bool:
        """Put a directory (the journal) out of reach; whether it lies in a root at all."""
        own = _split(os.path.realpath(directory))
        within = False
        for number, root in enumerate(self._roots):
            outer = _split(root.path)
            if own[: len(outer)] == outer:
                self._sealed[number].append(own[len(outer) :])
                within = True
        return within

    def is_sealed(self, path: WorkspacePath) -> bool:
        """Whether *path* lies in a sealed directory."""
        if path.root >= FOREIGN:
            return False
        return any(path.parts[: len(own)] == own for own in self._sealed[path.root])

    def holds_root(self, path: WorkspacePath) -> bool:
        """Whether a root or the journal lies at or beneath *path*: that is not moved or removed."""
        if not path.parts or self.is_sealed(path):
            return True
        if path.root >= FOREIGN:
            return False
        below = [prefix for prefix, _ in self._inner[path.root]] + self._sealed[path.root]
        return any(prefix[: len(path.parts)] == path.parts for prefix in below)

    def close(self) -> None:
        """Give the roots back."""
        while self._handles:
            self._disk.close_dir(self._handles.pop())

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
        if relative_only and (absolute or drive):
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
            walk = _Walk(self, raw, list(parts), follow)
            try:
                return walk.run(absolute)
            except _Raced:
                continue
            finally:
                walk.close()
        raise PathDenied(show_name(raw), f"Path keeps changing: {show_name(raw)}")

    def _plainly(
        self, absolute: bool, parts: list[str], follow: bool
    ) -> tuple[WorkspacePath, bool] | None:
        """The fast way: one system call when no link and no `..` is on the path."""
        if ".." in parts or not self._handles:
            return None
        root, used = (0, 0) if not absolute else self._enter(parts) or (0, len(parts))
        rest = parts[used:]
        if not rest:
            return None
        found = self._disk.exists_plainly(self._handles[root], rest, follow=follow)
        return None if found is None else (self._innermost(root, tuple(rest)), found)

    def _enter(self, parts: Sequence[str]) -> tuple[int, int] | None:
        """The root whose spelling begins *parts*, and how long that spelling is."""
        for alias, number in self._aliases:
            if tuple(parts[: len(alias)]) == alias:
                return number, len(alias)
        return None

    def _innermost(self, root: int, parts: tuple[str, ...]) -> WorkspacePath:
        for prefix, inner in self._inner[root]:
            if parts[: len(prefix)] == prefix:
                return self._innermost(inner, parts[len(prefix) :])
        return WorkspacePath(root, parts)


class _Raced(Exception):
    """The tree changed under the walk; begin again."""


@dataclass(slots=True)
class _Walk:
    """One resolution: where we are (inside a root by handle, or outside by name), what is left."""

    workspace: DiskWorkspace
    raw: str
    todo: list[str]
    follow: bool
    root: int | None = 0
    names: list[str] = field(default_factory=list)
    handles: list[Dir] = field(default_factory=list)
    outside: str = ""
    links: int = 0

    def run(self, absolute: bool) -> tuple[WorkspacePath, bool]:
        """The canonical place and whether something is there."""
        if absolute:
            self._leave(os.path.abspath(os.sep))
        done: bool | None = None
        while done is None and self.todo:
            if self.root is None:
                self._step_outside()
            else:
                done = self._step_inside()
        if self.root is None:
            self._refuse()
        exists = True if done is None else done
        return self.workspace._innermost(self.root or 0, tuple(self.names)), exists

    def close(self) -> None:
        """Give the handles back."""
        for handle in self.handles:
            self.workspace._disk.close_dir(handle)
        self.handles.clear()

    def _step_inside(self) -> bool | None:
        name = self.todo.pop(0)
        disk = self.workspace._disk
        if name == "..":
            self._up()
            return None
        here = self._here()
        try:
            mode = disk.stat(here, name).st_mode
            if modes.S_ISLNK(mode) and (self.todo or self.follow):
                self._follow(disk.readlink(here, name))
            elif modes.S_ISDIR(mode):
                self.handles.append(disk.open_dir(here, (name,)))
                self.names.append(name)
            elif self.todo:
                raise NotADirectory(show_name(self.raw))
            else:
                self.names.append(name)
        except FileNotFoundError:
            return self._missing(name)
        except OSError as error:
            raise self._failed(error) from None
        return None

    def _missing(self, name: str) -> bool:
        if ".." in self.todo:
            raise NotFound(show_name(self.raw), hint="'..' behind a missing directory")
        self.names += [name, *self.todo]
        self.todo = []
        return False

    def _failed(self, error: OSError) -> Exception:
        import errno

        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EINVAL):
            return _Raced()
        return reading_failed(error, self.raw)

    def _here(self) -> Dir:
        assert self.root is not None
        return self.handles[-1] if self.handles else self.workspace._handles[self.root]

    def _up(self) -> None:
        if self.names:
            self.names.pop()
            self.workspace._disk.close_dir(self.handles.pop())
            return
        assert self.root is not None
        self._leave(os.path.dirname(self.workspace._roots[self.root].path))

    def _follow(self, target: str) -> None:
        self.links += 1
        if self.links > _MAX_LINKS:
            raise PathDenied(show_name(self.raw), f"Too many symbolic links: {show_name(self.raw)}")
        if os.path.isabs(target):
            self.todo = [*_split(target), *self.todo]
            self._leave(os.path.abspath(os.sep))
        else:
            self.todo = [part for part in target.split(os.sep) if part not in ("", ".")] + self.todo

    def _leave(self, outside: str) -> None:
        """Go on from an absolute directory, which may well lie in a root."""
        self.close()
        self.names.clear()
        self.root, self.outside = None, outside
        self._enter_if_possible()

    def _enter_if_possible(self) -> None:
        before = list(_split(self.outside))
        spelled = before + self.todo
        if ".." in spelled:
            spelled = spelled[: spelled.index("..")]
        entered = self.workspace._enter(spelled)
        if entered is None or entered[1] < len(before):
            entered = self.workspace._enter(before)
        if entered is None:
            return
        self.root, used = entered
        self.todo = (before + self.todo)[used:]

    def _step_outside(self) -> None:
        name = self.todo.pop(0)
        if name == "..":
            self._leave(os.path.dirname(self.outside))
            return
        place = os.path.join(self.outside, name)
        try:
            mode = os.lstat(place).st_mode
            target = os.readlink(place) if modes.S_ISLNK(mode) else None
        except OSError:
            self._refuse()
        if target is not None:
            self._follow(target)
            if self.root is None:
                self._enter_if_possible()
        elif modes.S_ISDIR(mode):
            self._leave(place)
        else:
            self._refuse()

    def _refuse(self) -> None:
        kind = SymlinkEscape if self.links else OutsideRoots
        raise kind(show_name(self.raw))


def _split(path: str) -> tuple[str, ...]:
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

"""The roots, held open for life, and the walk from outside text to a proven WorkspacePath.

Strings only choose at which root to begin. What proves that a place lies beneath it is the walk by
directory handles: each part is looked at from its parent's handle, links are read and followed
by us, and whatever leaves every root is refused.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from collections.abc import Mapping, Sequence

from redline.adapters.files.disk import Dir, Disk
from redline.adapters.files.os_errors import name_too_long, reading_failed
from redline.adapters.files.own_places import (
    MAX_LINKS,
    has_other_names,
    names_on_the_way,
    split_path,
)
from redline.core import errors
from redline.core.errors import InvalidArgument
from redline.core.late_regex import late_regex
from redline.core.paths import Access, WorkspacePath, read_name, show_name
from redline.core.ports.tree import Root
from redline.core.records import dataclass, field


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
        """Return the root whose path *parts* begin with, and how many parts that path has."""
        for alias, number in self._aliases:
            if tuple(parts[: len(alias)]) == alias:
                return number, len(alias)
        return None

    def innermost(self, root: int, parts: tuple[str, ...]) -> WorkspacePath:
        """Return the place *parts* beneath a root, named from the innermost root it lies in."""
        for prefix, inner in self.inner[root]:
            if parts[: len(prefix)] == prefix:
                return self.innermost(inner, parts[len(prefix) :])
        return WorkspacePath(root, parts)

    def close(self) -> None:
        """Close the roots."""
        while self.handles:
            self.disk.close_dir(self.handles.pop())


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


class Raced(Exception):
    """The tree changed under the walk; begin again."""


@dataclass(slots=True)
class Walk:
    """One resolution: where we are (inside a root by handle, or outside by name), what is left.

    *is_link* says whether what the path names is a link itself.
    """

    roots: Roots
    raw: str
    todo: list[str]
    follow: bool
    root: int | None = 0
    names: list[str] = field(default_factory=list)
    handles: list[Dir] = field(default_factory=list)
    outside: str = ""
    links: int = 0
    is_link: bool = False

    def run(self, absolute: bool) -> tuple[WorkspacePath, bool]:
        """Return the canonical place and whether something is there."""
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
        return self.roots.innermost(self.root or 0, tuple(self.names)), exists

    def close(self) -> None:
        """Close the handles."""
        for handle in self.handles:
            self.roots.disk.close_dir(handle)
        self.handles.clear()

    def _step_inside(self) -> bool | None:
        name = self.todo.pop(0)
        disk = self.roots.disk
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
                raise errors.NotADirectory(show_name(self.raw))
            else:
                self.names.append(name)
        except FileNotFoundError:
            return self._missing(name)
        except OSError as error:
            raise self._read_error(error) from None
        return None

    def _missing(self, name: str) -> bool:
        if ".." in self.todo:
            # What the missing directory will be, and so where `..` leads, is not known.
            shown = show_name(self.raw)
            raise errors.PathDenied(
                shown,
                f"'..' after a directory that does not exist: {shown}",
                hint="create the directory first, or write the path without '..'",
            )
        self.names += [name, *self.todo]
        self.todo = []
        return False

    def _read_error(self, error: OSError) -> Exception:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EINVAL):
            return Raced()
        return reading_failed(error, self.raw)

    def _here(self) -> Dir:
        assert self.root is not None
        return self.handles[-1] if self.handles else self.roots.handles[self.root]

    def _up(self) -> None:
        if self.names:
            self.names.pop()
            self.roots.disk.close_dir(self.handles.pop())
            return
        assert self.root is not None
        self._leave(os.path.dirname(self.roots.listed[self.root].path))

    def _follow(self, target: str) -> None:
        self.links += 1
        self.is_link = self.is_link or not self.todo
        if self.links > MAX_LINKS:
            raise errors.PathDenied(
                show_name(self.raw), f"Too many symbolic links: {show_name(self.raw)}"
            )
        if os.path.isabs(target):
            self.todo = [*split_path(target), *self.todo]
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
        before = list(split_path(self.outside))
        written = before + self.todo
        if ".." in written:
            written = written[: written.index("..")]
        entered = self.roots.enter(written)
        if entered is None or entered[1] < len(before):
            entered = self.roots.enter(before)
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
        shown = show_name(self.raw)
        if not self.links:
            raise errors.OutsideRoots(shown)
        if self.is_link:
            raise errors.SymlinkEscape(shown)
        raise errors.OutsideRoots(shown, f"A symbolic link on the way leads outside: {shown}")


_RACES = 50
# The largest name on common file systems; a longer one is refused before anything is made.
_MAX_NAME_BYTES = 255
FOREIGN = 1_000_000
_WINDOWS_DRIVE = late_regex(r"[A-Za-z]:[\\/]")


class _Handles(dict[int, Dir]):
    def __init__(self, handles: Sequence[Dir], foreign: Sequence[str]) -> None:
        super().__init__(enumerate(handles))
        self._foreign = foreign

    def __missing__(self, root: int) -> Dir:
        raise errors.OutsideRoots(show_name(self._foreign[root - FOREIGN]))


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
        # Every root; the first is the workspace.
        self.roots: Sequence[Root] = self._all.listed
        self._foreign: list[str] = []
        # By the number of a root, open for life; OutsideRoots for a root of another session.
        self.handles: Mapping[int, Dir] = _Handles(self._all.handles, self._foreign)
        self._former: set[str] = set()
        self._sealed: list[list[tuple[str, ...]]] = [[] for _ in self.roots]

    # -- what the port promises ---------------------------------------------------------------

    def resolve(
        self,
        raw: str,
        access: Access,
        *,
        relative_only: bool = False,
        follow: bool = True,
        must_exist: bool = False,
    ) -> WorkspacePath:
        """Return the canonical place *raw* names, proven beneath a root that allows *access*."""
        absolute, parts = self._parts_of(raw, relative_only)
        path, exists = self._place(raw, absolute, parts, follow)
        if not exists and "\\x" in raw:
            # The way names with undecodable bytes are shown; a literal name goes first.
            real = [read_name(part) for part in parts]
            other, found = self._place(raw, absolute, real, follow)
            if found or other.parts[:-1] != path.parts[:-1]:
                path, exists = other, found
        if must_exist and not exists:
            raise errors.NotFound(show_name(raw))
        if not exists and max(map(_size_of, path.parts), default=0) > _MAX_NAME_BYTES:
            raise name_too_long(raw)
        if self.is_sealed(path):
            raise errors.PathDenied(
                show_name(raw), f"Redline's own files are out of reach: {show_name(raw)}"
            )
        if access is Access.WRITE and not self.roots[path.root].writable:
            raise errors.ReadOnlyRoot(show_name(raw))
        return path

    def absolute(self, path: WorkspacePath) -> str:
        """Return the path as people write it, for display; never for opening."""
        if path.root >= FOREIGN:
            top = self._foreign[path.root - FOREIGN]
        else:
            top = self.roots[path.root].path
        if not path.parts:
            return top
        return (top if top.endswith(os.sep) else top + os.sep) + os.sep.join(path.parts)

    # -- what other adapters need -------------------------------------------------------------

    def root_number(self, path: str) -> int:
        """The number of the root at *path*; one that is not open now gets a number for display."""
        for number, root in enumerate(self.roots):
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
        """Return the canonical path of root *number*."""
        return self.roots[number].path if number < FOREIGN else self._foreign[number - FOREIGN]

    def seal(self, directory: str) -> bool:
        """Put a directory of Redline's own files out of reach; whether its path enters a root.

        A root within it is out of reach as a whole.
        """
        own = split_path(os.path.realpath(directory))
        within = any(self._inside(place) for place in names_on_the_way(directory))
        for number, root in enumerate(self.roots):
            outer = split_path(root.path)
            if own[: len(outer)] == outer:
                self._sealed[number].append(own[len(outer) :])
                within = True
            elif outer[: len(own)] == own:
                self._sealed[number].append(())
        return within

    def is_exposed(self, path: str) -> bool:
        """Return whether an agent may change what *path* leads to.

        Any name on the way may lie in a root, or the file may have another name by a hard link. A
        directory that holds a sealed one is no such name: it cannot be moved away.
        """
        if has_other_names(path):
            return True
        for place in names_on_the_way(path):
            for number, rest in self._inside(place):
                sealed = self._sealed[number]
                is_out_of_reach = any(rest[: len(inner)] == inner for inner in sealed)
                is_above = any(inner[: len(rest)] == rest for inner in sealed)
                if not is_out_of_reach and not (is_above and not os.path.islink(place)):
                    return True
        return False

    def _inside(self, place: str) -> list[tuple[int, tuple[str, ...]]]:
        """Return each root that *place* lies beneath, and its way from there."""
        own = split_path(place)
        return [
            (number, own[len(outer) :])
            for number, outer in enumerate(split_path(root.path) for root in self.roots)
            if len(own) > len(outer) and own[: len(outer)] == outer
        ]

    def sealed_in(self, root: int) -> Sequence[tuple[str, ...]]:
        """Return the directories beneath root number *root* that are out of reach."""
        return self._sealed[root]

    def is_sealed(self, path: WorkspacePath) -> bool:
        """Return whether *path* lies in a sealed directory."""
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
        for below in (*dict(self._all.inner[path.root]), *self._sealed[path.root]):
            if below[: len(path.parts)] == path.parts:
                return True
        return False

    def close(self) -> None:
        """Close the roots."""
        self._all.close()

    # -- the walk -----------------------------------------------------------------------------

    def _parts_of(self, raw: str, relative_only: bool) -> tuple[bool, list[str]]:
        if not raw or "\0" in raw:
            fact = "Path is empty" if not raw else "Path holds a NUL character"
            raise errors.InvalidArgument(
                fact, field="path", hint="pass the path of a file or directory"
            )
        drive = ""
        if os.sep == "/":
            absolute, rest = raw.startswith("/"), raw
        else:
            absolute = os.path.isabs(raw)
            drive, rest = os.path.splitdrive(raw)
            rest = rest.replace("/", os.sep)
        parts = [part for part in rest.split(os.sep) if part not in ("", ".")]
        if relative_only and (absolute or drive or _WINDOWS_DRIVE.match(raw)):
            raise errors.AbsolutePathDenied(
                show_name(raw), hint="pass a path relative to the workspace"
            )
        if relative_only and ".." in parts:
            raise errors.OutsideRoots(
                show_name(raw), f"Path may not contain '..': {show_name(raw)}"
            )
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
        raise errors.PathDenied(show_name(raw), f"Path keeps changing: {show_name(raw)}")

    def _plainly(
        self, absolute: bool, parts: list[str], follow: bool
    ) -> tuple[WorkspacePath, bool] | None:
        """Resolve with one system call, which works when no link and no `..` is on the path."""
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

"""The walk from a path, part by part, to a place beneath a root.

Each part is looked at from its parent's handle, links are read and followed by us, and whatever
leaves every root is refused.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from dataclasses import dataclass, field

from redline.adapters.files.disk import Dir
from redline.adapters.files.os_errors import reading_failed
from redline.adapters.files.roots import Roots, split_path
from redline.core.errors import NotADirectory, OutsideRoots, PathDenied, SymlinkEscape
from redline.core.paths import WorkspacePath, show_name

_MAX_LINKS = 40


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
                raise NotADirectory(show_name(self.raw))
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
            raise PathDenied(
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
        if self.links > _MAX_LINKS:
            raise PathDenied(show_name(self.raw), f"Too many symbolic links: {show_name(self.raw)}")
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
            raise OutsideRoots(shown)
        if self.is_link:
            raise SymlinkEscape(shown)
        raise OutsideRoots(shown, f"A symbolic link on the way leads outside: {shown}")

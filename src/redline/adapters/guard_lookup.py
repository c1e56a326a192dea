"""What a write guard looks up on disk: where guarded names lead, and what is a repository."""

from __future__ import annotations

import os
import re
import stat as modes
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from redline.adapters.disk import Disk
from redline.adapters.places import Places
from redline.adapters.tree_walk import walk_down
from redline.adapters.workspace import DiskWorkspace
from redline.core.errors import RedlineError
from redline.core.guarded import PathRules, Permission, fold_name, is_git_name
from redline.core.paths import Access, WorkspacePath

_HOOKS_PATH = re.compile(rb'^\s*hookspath\s*=\s*"?([^"#;\r\n]*)', re.IGNORECASE | re.MULTILINE)
_GITDIR = re.compile(rb"gitdir:\s*([^\r\n]+)")
_MAX_CONFIG = 1 << 16
_NOTHING_STAGED = "\0"
_IS_HOOK = "git runs what is in core.hooksPath"

IN_GIT = "git reads this directory and runs what it names: hooks, filters, fsmonitor"
# Git takes a directory for a repository that holds HEAD and either both others or `commondir`.
MARKERS = frozenset({"head", "objects", "refs", "commondir"})


class Alias(NamedTuple):
    """A place that a guarded name leads to: by a link, a `gitdir:` file, or core.hooksPath."""

    path: WorkspacePath
    permission: Permission
    reason: str
    pattern: str = ""


class MovedEntry(NamedTuple):
    """An entry of a directory that is moved, by its names from there."""

    names: tuple[str, ...]
    is_link: bool = False
    is_repository: bool = False


def is_repository(has: Callable[[str], bool]) -> bool:
    """Whether git takes a directory with these entries for a repository."""
    return has("head") and (has("commondir") or (has("objects") and has("refs")))


class GuardLookup:
    """Answers from handles beneath the roots; what cannot be looked at is not there."""

    def __init__(
        self, disk: Disk, workspace: DiskWorkspace, rules: PathRules, *, git_writes: bool
    ) -> None:
        self._disk = disk
        self._workspace = workspace
        self._rules = rules
        self._git_writes = git_writes

    def aliases(self, places: Places) -> list[Alias]:
        """Where the guarded names at the top of each root lead, if that is somewhere else."""
        found: list[Alias] = []
        for number in range(len(self._workspace.roots)):
            top = WorkspacePath(number, ())
            for names in self._rules.literal_paths():
                reason = f"{'/'.join(names)} leads here and can run programs by itself"
                found += self._followed(places, top, names, reason)
            if not self._git_writes:
                found += self._git_aliases(places, top)
        return found

    def _followed(
        self, places: Places, top: WorkspacePath, names: Sequence[str], reason: str
    ) -> Iterator[Alias]:
        path = top
        for name in names:
            path = path.child(name)
            kind = self.kind(places, path)
            if kind is None:
                return
            if modes.S_ISLNK(kind):
                raw = os.path.join(self._workspace.root_path(top.root), *names)
                for alias in self._alias(raw, Permission.GUARDED, reason):
                    yield alias._replace(pattern="/".join(names))
                return

    def _git_aliases(self, places: Places, top: WorkspacePath) -> Iterator[Alias]:
        git = top.child(".git")
        kind = self.kind(places, git)
        if kind is None:
            return
        base = self._workspace.root_path(top.root)
        directory: WorkspacePath | None = git
        if not modes.S_ISDIR(kind):
            raw = os.path.join(base, ".git")
            if modes.S_ISREG(kind):
                named = _GITDIR.match(self._start_of(places, git))
                raw = os.path.join(base, os.fsdecode(named[1].strip())) if named else raw
            found = list(self._alias(raw, Permission.GIT, IN_GIT))
            yield from found
            directory = found[0].path if found else None
        if directory is not None:
            for match in _HOOKS_PATH.finditer(self._start_of(places, directory.child("config"))):
                raw = os.path.join(base, os.fsdecode(match[1].strip()))
                yield from self._alias(raw, Permission.GIT, _IS_HOOK)

    def _alias(self, raw: str, permission: Permission, reason: str) -> Iterator[Alias]:
        try:
            path = self._workspace.resolve(raw, Access.READ)
        except RedlineError:
            return  # it leads out of every root, where no tool writes
        if path.parts:
            yield Alias(path, permission, reason)

    def kind(self, places: Places, path: WorkspacePath) -> int | None:
        """The mode of what is at *path*, links not followed; None when nothing is."""
        try:
            return self._disk.stat(places.parent(path), path.name).st_mode
        except OSError:
            return None

    def _start_of(self, places: Places, path: WorkspacePath) -> bytes:
        try:
            fd = self._disk.open_read(places.parent(path), (path.name,))
        except OSError:
            return b""
        try:
            if not modes.S_ISREG(self._disk.fstat(fd).st_mode):
                return b""
            return self._disk.pread(fd, _MAX_CONFIG, 0)
        finally:
            self._disk.close_fd(fd)

    # -- repositories by what they hold -------------------------------------------------------

    def holds_repository(self, places: Places, path: WorkspacePath, added: set[str]) -> bool:
        """Whether a directory is a repository's, with the *added* markers in it."""
        if self._git_writes:
            return False
        try:
            handle = places.directory(path)
        except OSError:
            return is_repository(added.__contains__)

        def has(name: str) -> bool:
            if name in added:
                return True
            try:
                self._disk.stat(handle, "HEAD" if name == "head" else name)
            except OSError:
                return False
            return True

        return is_repository(has)

    def moved_tree(self, source: WorkspacePath) -> Iterator[MovedEntry]:
        """The entries beneath *source* that may be guarded where their directory is not."""
        try:
            top = self._disk.open_dir(self._workspace.handle(source.root), source.parts)
        except OSError:
            return  # no directory: there is nothing beneath
        for folder in walk_down(self._disk, top, _NOTHING_STAGED, None, None):
            here = tuple(name for name in folder.prefix.split("/") if name)
            names = {fold_name(n) for n in (*folder.directories, *folder.files, *folder.links)}
            if not self._git_writes and is_repository(names.__contains__):
                yield MovedEntry(here, is_repository=True)
            for name in (*folder.directories, *folder.files, *folder.others):
                if is_git_name(name) or self._rules.may_end_with(name):
                    yield MovedEntry((*here, name))
            for name in folder.links:
                yield MovedEntry((*here, name), is_link=True)

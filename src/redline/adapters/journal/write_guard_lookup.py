"""What a write guard looks up on disk: where guarded names lead, and what is a repository."""

from __future__ import annotations

import os
import re
import stat as modes
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from redline.adapters.files.disk import Disk
from redline.adapters.files.tree_walk import walk_down
from redline.adapters.files.workspace import DiskWorkspace
from redline.core.errors import RedlineError
from redline.core.guarded import GIT_NAMES, PathRules, Permission, fold_name
from redline.core.paths import Access, WorkspacePath

_HOOKS_PATH = re.compile(rb'^\s*hookspath\s*=\s*"?([^"#;\r\n]*)', re.IGNORECASE | re.MULTILINE)
_GITDIR = re.compile(rb"gitdir:\s*([^\r\n]+)")
_MAX_CONFIG = 1 << 16
# Repositories whose configuration is remembered.
_MAX_REPOSITORIES = 64
_NOTHING_STAGED = "\0"
# Nanoseconds after which no file system gives two changes the same time.
_RESTING = 3_000_000_000
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
    """Answers from the handles of the roots; what cannot be looked at is not there.

    Looking goes by one call from the root's handle. A link on the way cannot mislead it: the
    transaction opens the same names one by one and takes none.
    """

    def __init__(
        self, disk: Disk, workspace: DiskWorkspace, rules: PathRules, *, git_writes: bool
    ) -> None:
        self._disk = disk
        self._workspace = workspace
        self._rules = rules
        self._git_writes = git_writes
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for names in rules.literal_paths():
            self._by_first.setdefault(names[0], []).append(names)
        self._tops: dict[int, tuple[tuple[int, int], list[str]]] = {}
        # What a git configuration says of hooks, by the facts that change with the file.
        self._hooks: dict[tuple[WorkspacePath, int, int, int], list[str]] = {}

    def aliases(self, directories: Iterable[WorkspacePath]) -> list[Alias]:
        """Where the guarded names at the top of each root lead, if that is somewhere else.

        Of *directories*, which lie deeper, only what git runs there is looked up.
        """
        found: list[Alias] = []
        if not self._git_writes:
            for directory in directories:
                if self._has(directory, ".git"):
                    found += self._git_aliases(directory)
        for number in range(len(self._workspace.roots)):
            top = WorkspacePath(number, ())
            for first in self._present(top):
                for names in self._by_first[first]:
                    found += self._follow_names(top, names)
            if not self._git_writes and self._has(top, ".git"):
                found += self._git_aliases(top)
        return found

    def _present(self, top: WorkspacePath) -> list[str]:
        """Which first names of the rules are at the top of a root; cached while it is unchanged."""
        handle = self._workspace.handle(top.root)
        facts = self._disk.stat(handle, "")
        known = self._tops.get(top.root)
        if known is not None and known[0] == (facts.st_mtime_ns, facts.st_ctime_ns):
            return known[1]
        found = [first for first in self._by_first if self._disk.has(handle, first)]
        # A change in the same instant as the last one would leave the time as it is.
        if time.time_ns() - facts.st_mtime_ns > _RESTING:
            self._tops[top.root] = (facts.st_mtime_ns, facts.st_ctime_ns), found
        return found

    def _follow_names(self, top: WorkspacePath, names: Sequence[str]) -> Iterator[Alias]:
        path = top
        for name in names:
            path = path.child(name)
            kind = self.kind(path)
            if kind is None:
                return
            if modes.S_ISLNK(kind):
                raw = os.path.join(self._workspace.root_path(top.root), *names)
                pattern = "/".join(names)
                reason = f"{pattern} leads here and can run programs by itself"
                yield from self._alias(raw, Permission.GUARDED, reason, pattern)
                return

    def _git_aliases(self, top: WorkspacePath) -> Iterator[Alias]:
        git = top.child(".git")
        kind = self.kind(git)
        if kind is None:
            return
        base = self._workspace.absolute(top)
        directory: WorkspacePath | None = git
        if not modes.S_ISDIR(kind):
            raw = os.path.join(base, ".git")
            if modes.S_ISREG(kind):
                named = _GITDIR.match(self._start_of(git))
                raw = os.path.join(base, os.fsdecode(named[1].strip())) if named else raw
            found = list(self._alias(raw, Permission.GIT, IN_GIT))
            yield from found
            directory = found[0].path if found else None
        for named_path in self._hook_paths(directory.child("config")) if directory else ():
            yield from self._alias(os.path.join(base, named_path), Permission.GIT, _IS_HOOK)

    def _hook_paths(self, config: WorkspacePath) -> list[str]:
        facts = self._stat(config)
        if facts is None:
            return []
        key = config, facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns
        if key not in self._hooks:
            named = _HOOKS_PATH.findall(self._start_of(config))
            if len(self._hooks) == _MAX_REPOSITORIES:
                self._hooks.clear()
            self._hooks[key] = [os.fsdecode(path.strip()) for path in named]
        return self._hooks[key]

    def _alias(
        self, raw: str, permission: Permission, reason: str, pattern: str = ""
    ) -> Iterator[Alias]:
        try:
            path = self._workspace.resolve(raw, Access.READ)
        except RedlineError:
            return  # it leads out of every root, where no tool writes
        if path.parts:
            yield Alias(path, permission, reason, pattern)

    def kind(self, path: WorkspacePath) -> int | None:
        """The mode of what is at *path*, links not followed; None when nothing is."""
        found = self._stat(path)
        return None if found is None else found.st_mode

    def _has(self, directory: WorkspacePath, name: str) -> bool:
        """Whether a directory has an entry; asked often for every edited file."""
        parts = directory.parts
        path = f"{'/'.join(parts)}/{name}" if parts else name
        return self._disk.has(self._workspace.handle(directory.root), path)

    def _stat(self, path: WorkspacePath) -> os.stat_result | None:
        try:
            return self._disk.stat(self._workspace.handle(path.root), "/".join(path.parts))
        except OSError:
            return None

    def _start_of(self, path: WorkspacePath) -> bytes:
        try:
            fd = self._disk.open_read(self._workspace.handle(path.root), path.parts)
        except OSError:
            return b""
        try:
            if not modes.S_ISREG(self._disk.fstat(fd).st_mode):
                return b""
            return self._disk.pread(fd, _MAX_CONFIG, 0)
        finally:
            self._disk.close_fd(fd)

    # -- repositories by what they hold -------------------------------------------------------

    def holds_repository(self, path: WorkspacePath, added: Collection[str]) -> bool:
        """Whether a directory is a repository's, with the *added* markers in it."""
        if self._git_writes or ("head" not in added and not self._has(path, "HEAD")):
            return False
        return is_repository(
            lambda name: name in added or self._has(path, "HEAD" if name == "head" else name)
        )

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
                if fold_name(name) in GIT_NAMES or self._rules.may_end_with(name):
                    yield MovedEntry((*here, name))
            for name in folder.links:
                yield MovedEntry((*here, name), is_link=True)

"""Judge a change set, beneath its locks, by where it really writes: what needs a person's consent.

Every component of a path in a change set is a real directory entry, since no directory on the way
is opened through a link. Git directories are recognised by name at any depth and by what they
hold, so a bare repository or a directory that a `gitdir:` file names is one too.
"""

from __future__ import annotations

import os
import re
import stat as modes
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from redline.adapters.files.disk import Disk
from redline.adapters.files.own_places import split_path
from redline.adapters.files.tree_walk import walk_down
from redline.adapters.files.workspace import FOREIGN, DiskWorkspace
from redline.core.changes import Absent, ChangeSet, LinkState, Rename
from redline.core.errors import GuardedWrite, RedlineError
from redline.core.guarded import GIT_NAMES, GuardedPath, PathRules, Permission, fold_name
from redline.core.late_regex import late_regex
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports.history import ChangePermits, Origin

_HOOKS_PATH = late_regex(rb'^\s*hookspath\s*=\s*"?([^"#;\r\n]*)', re.IGNORECASE | re.MULTILINE)
_GITDIR = late_regex(rb"gitdir:\s*([^\r\n]+)")
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
    """Return whether git takes a directory with these entries for a repository."""
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
        """Return where the guarded names at the top of each root lead, if that is somewhere else.

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
        handle = self._workspace.handles[top.root]
        facts = self._disk.stat(handle, "")
        known = self._tops.get(top.root)
        if known is not None and known[0] == (facts.st_mtime_ns, facts.st_ctime_ns):
            return known[1]
        found = self._disk.present(handle, self._by_first)
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
                reason = f"other programs run what this file says; {pattern} leads here"
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
        """Return the mode of what is at *path*, links not followed; None when nothing is."""
        found = self._stat(path)
        return None if found is None else found.st_mode

    def _has(self, directory: WorkspacePath, name: str) -> bool:
        """Return whether a directory has an entry; asked often for every edited file."""
        parts = directory.parts
        path = f"{'/'.join(parts)}/{name}" if parts else name
        return self._disk.has(self._workspace.handles[directory.root], path)

    def _stat(self, path: WorkspacePath) -> os.stat_result | None:
        try:
            return self._disk.stat(self._workspace.handles[path.root], "/".join(path.parts))
        except OSError:
            return None

    def _start_of(self, path: WorkspacePath) -> bytes:
        try:
            fd = self._disk.open_read(self._workspace.handles[path.root], path.parts)
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
        """Return whether a directory is a repository's, with the *added* markers in it."""
        if self._git_writes or ("head" not in added and not self._has(path, "HEAD")):
            return False
        return is_repository(
            lambda name: name in added or self._has(path, "HEAD" if name == "head" else name)
        )

    def moved_tree(self, source: WorkspacePath) -> Iterator[MovedEntry]:
        """Yield the entries beneath *source* that may be guarded where their directory is not."""
        try:
            top = self._disk.open_dir(self._workspace.handles[source.root], source.parts)
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


_MAX_NAMED = 5
# Paths whose judgement by name is remembered.
_MAX_NAMES = 1024
_IS_PROGRAM = "Redline itself runs from here"
_HINTS = {
    Permission.GIT: "set git_writes = true in Redline's config file (REDLINE_GIT_WRITES=1)",
    Permission.GUARDED: 'add "!PATTERN" to guarded_paths in Redline\'s config file',
    Permission.PROGRAM: 'add "!@redline" to guarded_paths in Redline\'s config file',
}


class _Touched(NamedTuple):
    path: WorkspacePath
    is_created: bool
    is_link: bool = False


class WriteGuard:
    """Says which paths of a change set are guarded; `check` refuses those without consent."""

    def __init__(
        self,
        disk: Disk,
        workspace: DiskWorkspace,
        rules: PathRules,
        *,
        git_writes: bool = False,
        program: Sequence[str] = (),
    ) -> None:
        self.lookup = GuardLookup(disk, workspace, rules, git_writes=git_writes)
        self._workspace = workspace
        self._rules = rules
        self._git_writes = git_writes
        self._roots = [split_path(root.path) for root in workspace.roots]
        self._folded = [tuple(map(fold_name, parts)) for parts in self._roots]
        files = program if rules.guards_program else ()
        self._program = [split_path(os.path.realpath(path)) for path in files]
        self.by_name = lru_cache(_MAX_NAMES)(self._judge_name)

    def check(
        self, change_set: ChangeSet, _origin: Origin, permits: ChangePermits, _load: object, /
    ) -> None:
        """Raise GuardedWrite for a change set that touches a guarded path without consent."""
        found = self.find(change_set)
        if not permits.consented.issuperset(found):
            raise self._refusal(found)

    def find(self, change_set: ChangeSet) -> list[GuardedPath]:
        """Return every guarded path that *change_set* touches."""
        return _Judgement(self, change_set).run()

    def find_by_name(self, change_set: ChangeSet) -> list[GuardedPath]:
        """Return the paths of *change_set* that are guarded by their names alone."""
        found = (self.by_name(path) for path in change_set.paths)
        return [each for each in found if each is not None]

    def _refusal(self, found: Sequence[GuardedPath]) -> GuardedWrite:
        paths = [show_name(self._workspace.absolute(each.path)) for each in found]
        more = f" and {len(paths) - _MAX_NAMED} more" if len(paths) > _MAX_NAMED else ""
        named = ", ".join(paths[:_MAX_NAMED]) + more
        first = found[0]
        setting = _HINTS[first.permission].replace("PATTERN", first.pattern)
        return GuardedWrite(
            f"Permission required, {first.permission} ({first.reason}): {named}",
            found,
            paths,
            hint=f"a person must allow this: in a client that can ask (elicitation), or {setting};"
            " or leave this file to the person",
        )

    # -- what one path is ---------------------------------------------------------------------

    def _judge_name(self, path: WorkspacePath, is_link: bool = False) -> GuardedPath | None:
        """Return what the name alone says; always the same for the same path."""
        folded = self._folded[path.root] + tuple(map(fold_name, path.parts))
        if not self._git_writes and not GIT_NAMES.isdisjoint(folded):
            return GuardedPath(path, Permission.GIT, IN_GIT)
        parts = self._roots[path.root] + path.parts
        if any(parts[: len(own)] == own for own in self._program):
            return GuardedPath(path, Permission.PROGRAM, _IS_PROGRAM)
        pattern = self._rules.match(folded, is_link=is_link)
        if pattern is None:
            return None
        reason = f"other programs run what this file says; on the list of guarded paths: {pattern}"
        return GuardedPath(path, Permission.GUARDED, reason, pattern)

    def holds_program(self, path: WorkspacePath) -> bool:
        """Return whether program files lie beneath *path*."""
        parts = self._roots[path.root] + path.parts
        return any(own[: len(parts)] == parts for own in self._program)


class _Judgement:
    """One change set as it is judged."""

    def __init__(self, guard: WriteGuard, change_set: ChangeSet) -> None:
        self._guard = guard
        self._steps = [
            step
            for step in change_set.steps
            if isinstance(step, Rename) or step.before != step.after
        ]
        self._touched: list[_Touched] = []
        self._aliases: list[Alias] = []
        self._found: dict[WorkspacePath, GuardedPath] = {}
        self._repositories: dict[WorkspacePath, bool] = {}
        self._markers: dict[WorkspacePath, set[str]] = {}

    def run(self) -> list[GuardedPath]:
        """Return every guarded path, each once, in the order of the steps."""
        above: set[WorkspacePath] = set()
        for step in self._steps:
            for root, parts in step.paths:
                if root >= FOREIGN:
                    return []  # a root that is not open here: the change is refused for that
                above.update([WorkspacePath(root, parts[:n]) for n in range(1, len(parts))])
        self._aliases = self._guard.lookup.aliases(above)
        for step in self._steps:
            if isinstance(step, Rename):
                self._follow_rename(step)
            else:
                is_created = not isinstance(step.after, Absent)
                is_link = isinstance(step.after, LinkState)
                self._touch(_Touched(step.path, is_created, is_link))
        for touched in self._touched:
            self._judge(touched)
        return list(self._found.values())

    def _follow_rename(self, step: Rename) -> None:
        """A moved directory touches what it holds, at both ends; report one path for all of it."""
        source, target = step.source, step.target
        mode = self._guard.lookup.kind(source)
        created = [
            MovedEntry(touched.path.parts[len(source.parts) :], touched.is_link)
            for touched in self._touched
            if touched.is_created and touched.path.is_beneath(source)
        ]
        self._touch(_Touched(source, False))
        self._touch(_Touched(target, True, mode is not None and modes.S_ISLNK(mode)))
        if self._guard.holds_program(source):
            self._add(GuardedPath(source, Permission.PROGRAM, _IS_PROGRAM))
        for alias in self._aliases:
            for end in (source, target):
                if alias.path.is_beneath(end):
                    self._add(GuardedPath(end, *alias[1:]))
        for entry in (*created, *self._guard.lookup.moved_tree(source)):
            self._judge_moved(entry, source, target)
        for entry in created:
            self._touch(_Touched(target.child(*entry.names), True, entry.is_link))

    def _judge_moved(self, entry: MovedEntry, source: WorkspacePath, target: WorkspacePath) -> None:
        if entry.is_repository:
            self._add(GuardedPath(source, Permission.GIT, IN_GIT))
        for end in (source, target):
            found = self._guard.by_name(end.child(*entry.names), is_link=entry.is_link)
            if found is not None:
                reason = f"it holds {show_name('/'.join(entry.names))}: {found.reason}"
                self._add(GuardedPath(end, found.permission, reason, found.pattern))

    def _touch(self, touched: _Touched) -> None:
        self._touched.append(touched)
        name = fold_name(touched.path.name)
        if touched.is_created and name in MARKERS:
            self._markers.setdefault(touched.path.parent, set()).add(name)

    def _judge(self, touched: _Touched) -> None:
        path = touched.path
        found = self._guard.by_name(path, is_link=touched.is_link)
        if found is None and self._is_in_repository(path):
            found = GuardedPath(path, Permission.GIT, IN_GIT)
        for alias in self._aliases if found is None else ():
            if path.is_beneath(alias.path) or (touched.is_link and alias.path.is_beneath(path)):
                found = GuardedPath(path, *alias[1:])
                break
        if found is not None:
            self._add(found)

    def _is_in_repository(self, path: WorkspacePath) -> bool:
        while path.parts:
            path = path.parent
            known = self._repositories.get(path)
            if known is None:
                added = self._markers.get(path, ())
                known = self._guard.lookup.holds_repository(path, added)
                self._repositories[path] = known
            if known:
                return True
        return False

    def _add(self, found: GuardedPath) -> None:
        self._found.setdefault(found.path, found)

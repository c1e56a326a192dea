"""Judge a change set, beneath its locks, by where it really writes: what needs a person's consent.

Every component of a path in a change set is a real directory entry, since no directory on the way
is opened through a link. Git directories are recognised by name at any depth and by what they
hold, so a bare repository or a directory that a `gitdir:` file names is one too.
"""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from redline.adapters.files.disk import Disk
from redline.adapters.files.roots import split_path
from redline.adapters.files.workspace import FOREIGN, DiskWorkspace
from redline.adapters.journal.write_guard_lookup import (
    IN_GIT,
    MARKERS,
    Alias,
    GuardLookup,
    MovedEntry,
)
from redline.core.changes import Absent, ChangeSet, LinkState, Rename
from redline.core.errors import GuardedWrite
from redline.core.guarded import GIT_NAMES, GuardedPath, PathRules, Permission, fold_name
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import ChangePermits, Origin

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
        found = _Judgement(self, change_set).run()
        missing = [each for each in found if each not in permits.consented]
        if missing:
            raise self._refusal(found)

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
        reason = f"{pattern} can run programs by itself"
        return GuardedPath(path, Permission.GUARDED, reason, pattern)

    def holds_program(self, path: WorkspacePath) -> bool:
        """Whether program files lie beneath *path*."""
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
        """Every guarded path, each once, in the order of the steps."""
        if any(path.root >= FOREIGN for step in self._steps for path in step.paths):
            return []  # a root that is not open here: the change is refused for that
        above = {each for step in self._steps for end in step.paths for each in _directories(end)}
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
        if found is None:
            leads = (
                alias
                for alias in self._aliases
                if path.is_beneath(alias.path) or (touched.is_link and alias.path.is_beneath(path))
            )
            alias = next(leads, None)
            found = alias and GuardedPath(path, *alias[1:])
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


def _directories(path: WorkspacePath) -> Iterator[WorkspacePath]:
    """The directories that *path* is in, but for its root."""
    for length in range(1, len(path.parts)):
        yield WorkspacePath(path.root, path.parts[:length])

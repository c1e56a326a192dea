"""Read git repositories through libgit2, which runs no filter, hook or text conversion.

Reading happens in a worker process with a time budget: libgit2 blocks forever on a `.gitignore`
that is a pipe, and a hostile repository controls what it parses.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from redline.adapters.workers.isolated_calls import IsolatedCalls
from redline.core.errors import GitFailed, LimitReached, NotFound, RedlineError, TimeLimit
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.confined import Budget
from redline.core.ports.git import GitEntry, GitFileDiff, GitStatus, HeadFile
from redline.core.ports.tree import Kind, PathResolver, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping


_WORKER = "redline.adapters.git_worker"
# The second attempt has time for a large repository. One that used little CPU in the first was
# blocked, not busy.
_FIRST = Budget(4.0)
_SECOND = Budget(60.0)
_IDLE_SHARE = 0.5
_SEARCH_SECONDS = 5.0
# libgit2 opens files of these names in every directory.
_OPENED = {".gitignore", ".gitattributes", ".gitmodules"}


class LibGit:
    """See `core.ports.git.Git`."""

    def __init__(
        self,
        workspace: PathResolver,
        tree: Tree,
        roots: Sequence[int | str] | None = None,
        budget: Budget = _FIRST,
    ) -> None:
        self._workspace = workspace
        self._tree = tree
        self._roots = [root.path for root in workspace.roots]
        self._places = list(roots or self._roots)
        self._budget = budget
        held = [place for place in self._places if isinstance(place, int)]
        self._workers = IsolatedCalls(idle=1, descriptors=held)

    def close(self) -> None:
        """End the workers."""
        self._workers.close()

    def status(self, at: WorkspacePath, *, untracked: bool) -> GitStatus | None:
        """Return the status of the repository around *at*; None outside any repository."""
        top = self._top(at)
        if top is None:
            return None
        found = self._ask("status", top, untracked)
        found[-1] = tuple(GitEntry(*entry) for entry in found[-1])
        return GitStatus(*found)

    def diff(
        self,
        at: WorkspacePath,
        *,
        staged: bool,
        context: int,
        paths: Sequence[WorkspacePath] = (),
        limit: int = 1 << 20,
    ) -> Sequence[GitFileDiff] | None:
        """Compare the index with the work tree, or HEAD with the index when *staged*."""
        top = self._top(at)
        if top is None:
            return None
        wanted = [
            os.fsencode("/".join(path.parts[len(top.parts) :]))
            for path in paths
            if path.is_beneath(top)
        ]
        if paths and not wanted:
            return ()
        found = self._ask("diff", top, staged, context, wanted, limit)
        return [GitFileDiff(*file) for file in found]

    def holds(self, at: WorkspacePath, names: Sequence[str]) -> Sequence[bool]:
        """Return, for each object, whether the repository around *at* has it."""
        top = self._top(at)
        if top is None:
            return [False] * len(names)
        return list(self._ask("holds", top, list(names)))

    def blob(self, at: WorkspacePath, name: str) -> bytes | None:
        """Return the content of an object; None when the repository does not have it."""
        top = self._top(at)
        found = None if top is None else self._ask("blob", top, name)
        return None if found is None else bytes(found)

    def _top(self, at: WorkspacePath) -> WorkspacePath | None:
        """Return the nearest directory, from *at* up to its root, that contains `.git`."""
        for depth in range(len(at.parts), -1, -1):
            here = WorkspacePath(at.root, at.parts[:depth])
            found = self._tree.stat(here.child(".git"))
            if found is not None and found.kind in (Kind.DIRECTORY, Kind.FILE):
                return here
        return None

    def _ask(self, function: str, top: WorkspacePath, *asked: Any) -> Any:
        given = (self._places, self._roots, self._workspace.absolute(top), *asked)
        try:
            try:
                return self._workers.call(f"{_WORKER}:{function}", given, budget=self._budget)
            except TimeLimit as error:
                if error.details.get("cpu_seconds", 0.0) < _IDLE_SHARE * self._budget.seconds:
                    self._refuse_special_files(top)
                return self._workers.call(f"{_WORKER}:{function}", given, budget=_SECOND)
        except (GitFailed, LimitReached) as error:
            shown = show_name(top.relative)
            raise GitFailed(
                f"Git data cannot be read in {shown}: {error.message}",
                hint=error.hint or "the git directory must lie inside the workspace",
                details={"path": shown},
            ) from None

    def _refuse_special_files(self, top: WorkspacePath) -> None:
        """Raise GitFailed that names the pipe or device libgit2 blocks on, if there is one."""
        ends = monotonic() + _SEARCH_SECONDS
        waiting = [top]
        while waiting and monotonic() < ends:
            here = waiting.pop()
            try:
                entries = self._tree.scan(here)
            except RedlineError:
                continue
            for entry in entries:
                path = entry.path
                if entry.kind is Kind.DIRECTORY:
                    waiting.append(path)
                elif entry.kind is Kind.OTHER and (path.name in _OPENED or ".git" in path.parts):
                    raise GitFailed(
                        f"it is not a regular file and never ends: {show_name(path.relative)}",
                        hint="remove it, then repeat the call",
                    )


_PLAIN, _EXECUTABLE, _LINK = 0o100644, 0o100755, 0o120000


class GitCommitter:
    """See `core.ports.git.Committer`."""

    def __init__(self, start: str) -> None:
        import pygit2

        found = pygit2.discover_repository(start)
        if found is None:
            raise NotFound(start, f"Not in a git repository: {start}")
        self._repository: Any = pygit2.Repository(found)
        if self._repository.is_bare or self._repository.head_is_unborn:
            raise GitFailed("The repository has no commit yet", hint="make a first commit")
        self._top = os.path.realpath(self._repository.workdir)
        self._head: Any = self._repository.head.peel(pygit2.Commit)

    def head_file(self, path: str) -> HeadFile | None:
        """Return the file at an absolute path as HEAD has it; None if HEAD does not have it."""
        try:
            entry = self._head.tree[self._relative(path)]
        except KeyError:
            return None
        if entry.type_str != "blob":
            return None
        mode = entry.filemode
        return HeadFile(bytes(entry.data), mode == _EXECUTABLE, mode == _LINK)

    def list_below(self, directory: str) -> Sequence[str]:
        """Return the absolute paths of the files that HEAD has below a directory."""
        import pygit2

        index = pygit2.Index()
        index.read_tree(self._head.tree)
        start = self._relative(directory) + "/"
        names = (entry.path for entry in index)
        return [os.path.join(self._top, name) for name in names if name.startswith(start)]

    def commit(self, files: Mapping[str, HeadFile | None], message: str) -> str:
        """Commit *files*, keyed by absolute path, on top of HEAD and return the commit's id.

        A value of None removes the file.
        """
        import pygit2

        index = pygit2.Index()
        index.read_tree(self._head.tree)
        for path, file in files.items():
            name = self._relative(path)
            if file is None:
                index.remove(name)
                continue
            mode = _LINK if file.is_link else _EXECUTABLE if file.is_executable else _PLAIN
            blob = self._repository.create_blob(file.content)
            index.add(pygit2.IndexEntry(name, blob, pygit2.enums.FileMode(mode)))
        tree = index.write_tree(self._repository)
        if tree == self._head.tree.id:
            raise GitFailed("HEAD already has these changes")
        try:
            author = self._repository.default_signature
        except (KeyError, pygit2.GitError):
            raise GitFailed(
                "git does not know who you are", hint="set user.name and user.email first"
            ) from None
        made = self._repository.create_commit(
            "HEAD", author, author, message, tree, [self._head.id]
        )
        return str(made)

    def _relative(self, path: str) -> str:
        name = os.path.relpath(path, self._top)
        if name.startswith(".."):
            raise NotFound(path, f"Not in this repository: {path}")
        return name.replace(os.sep, "/")

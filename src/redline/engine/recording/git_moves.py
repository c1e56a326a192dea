"""What git did to the work tree, from the logs that git keeps itself."""

from __future__ import annotations

from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import Kind, PathResolver, Tree

_HEAD = (".git", "logs", "HEAD")
_STASH = (".git", "logs", "refs", "stash")
_RUNNING = (".git", "index.lock")
_MAX_NEW = 64 << 10
_MAX_SHOWN = 120


class GitMoves:
    """Notices checkouts, commits, pulls, rebases and stashes of the repositories at the roots."""

    def __init__(self, tree: Tree, workspace: PathResolver) -> None:
        self._tree = tree
        self._roots = range(len(workspace.roots))
        self._sizes = {path: self._size(path) for path in self._logs()}

    def is_running(self) -> bool:
        """Return whether git is changing a work tree right now."""
        return any(self._size(WorkspacePath(root, _RUNNING)) >= 0 for root in self._roots)

    def take(self) -> str:
        """Return what git did since this was asked last, or an empty text."""
        found = ""
        for path in self._logs():
            before, now = self._sizes.get(path, -1), self._size(path)
            self._sizes[path] = now
            if now == before:
                continue
            if path.parts == _STASH:
                found = "git stash"
            elif now > max(before, 0) and not found:
                found = self._message(path, max(before, 0, now - _MAX_NEW))
        return found

    def _logs(self) -> list[WorkspacePath]:
        return [WorkspacePath(root, log) for root in self._roots for log in (_STASH, _HEAD)]

    def _size(self, path: WorkspacePath) -> int:
        try:
            found = self._tree.stat(path)
        except RedlineError:
            return -1
        return found.size if found is not None and found.kind is Kind.FILE else -1

    def _message(self, path: WorkspacePath, start: int) -> str:
        """Return what the last new line of a log says."""
        try:
            text = self._tree.read_range(path, start, _MAX_NEW).decode("utf-8", "replace")
        except RedlineError:
            return "git"
        lines = [line for line in text.splitlines() if "\t" in line]
        said = lines[-1].partition("\t")[2] if lines else ""
        return f"git {show_name(said)[:_MAX_SHOWN]}" if said else "git"

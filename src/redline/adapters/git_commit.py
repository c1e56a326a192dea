"""Write a commit from contents, leaving the index and the work tree as they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from redline.core.errors import GitFailed, NotFound
from redline.core.ports.git import HeadFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
        """A file as HEAD has it, by its absolute path; None if it has none."""
        try:
            entry = self._head.tree[self._relative(path)]
        except KeyError:
            return None
        if entry.type_str != "blob":
            return None
        mode = entry.filemode
        return HeadFile(bytes(entry.data), mode == _EXECUTABLE, mode == _LINK)

    def list_below(self, directory: str) -> Sequence[str]:
        """The absolute paths of the files that HEAD has below a directory."""
        import pygit2

        index = pygit2.Index()
        index.read_tree(self._head.tree)
        start = self._relative(directory) + "/"
        names = (entry.path for entry in index)
        return [os.path.join(self._top, name) for name in names if name.startswith(start)]

    def commit(self, files: Mapping[str, HeadFile | None], message: str) -> str:
        """Commit *files* by absolute path (None removes one) on top of HEAD; the commit's id."""
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

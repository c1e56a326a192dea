"""Reading repositories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from redline.core.paths import WorkspacePath
from redline.core.records import dataclass


@dataclass(frozen=True, slots=True)
class GitEntry:
    """One line of a status: git's two letters; paths from the repository's top."""

    path: str
    index: str
    worktree: str
    original: str | None = None


@dataclass(frozen=True, slots=True)
class GitStatus:
    """A repository's head, how far it is from its upstream, and what differs."""

    branch: str
    head: str
    upstream: str = ""
    ahead: int = 0
    behind: int = 0
    detached: bool = False
    entries: tuple[GitEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class GitFileDiff:
    """One file's part of a diff in git's format."""

    path: str
    status: str
    binary: bool
    text: bytes
    old_path: str | None = None


class Git(Protocol):
    """Reading repositories beneath the roots; nothing the repository names is ever run."""

    def status(self, at: WorkspacePath, *, untracked: bool) -> GitStatus | None:
        """The status of the repository *at* lies in; None when it lies in none. GitFailed."""

    def diff(
        self,
        at: WorkspacePath,
        *,
        staged: bool,
        context: int,
        paths: Sequence[WorkspacePath] = (),
        limit: int = 1 << 20,
    ) -> Sequence[GitFileDiff] | None:
        """Index against work tree, or head against index; *paths* select files and directories.

        Stops after the file that takes the text over *limit* bytes. GitFailed.
        """

    def holds(self, at: WorkspacePath, names: Sequence[str]) -> Sequence[bool]:
        """Whether the repository around *at* has each object; all False without a repository."""

    def blob(self, at: WorkspacePath, name: str) -> bytes | None:
        """Return the content of an object, None when the repository does not have it."""


@dataclass(frozen=True, slots=True)
class HeadFile:
    """A file in a commit."""

    content: bytes  # of a link: where it leads
    is_executable: bool = False
    is_link: bool = False


class Committer(Protocol):
    """Writes commits to one repository; its index and work tree stay as they are."""

    def head_file(self, path: str) -> HeadFile | None:
        """Return a file as HEAD has it, by its absolute path; None if it has none."""

    def list_below(self, directory: str) -> Sequence[str]:
        """Return the absolute paths of the files that HEAD has below a directory."""

    def commit(self, files: Mapping[str, HeadFile | None], message: str) -> str:
        """Commit *files* by absolute path (None removes one) on top of HEAD; the commit's id.

        GitFailed when there is nothing to commit, or git knows no author.
        """

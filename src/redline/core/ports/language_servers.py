"""Language servers: what a type checker knows about a symbol, and about a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from redline.core.paths import WorkspacePath
from redline.core.ports.search import Cancel
from redline.core.records import dataclass


class ServerEdit(NamedTuple):
    """A span of one file, as offsets, and the text that a rename puts there."""

    path: WorkspacePath
    start: int
    end: int
    text: str


# Stands for the places outside of the workspace where a symbol is defined.
OUTSIDE = ServerEdit(WorkspacePath(-1, ()), 0, 0, "")


class CheckerProblem(NamedTuple):
    """A problem that a checker reports: its span as offsets, and its code and message."""

    path: WorkspacePath
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ServerChoice:
    """The server of a language: its name, where it was found, how to install it if nowhere."""

    name: str
    found: str
    install: str


@dataclass(frozen=True, slots=True)
class ServerMemory:
    """A running server: its name, its process, and the memory of its process tree in bytes."""

    name: str
    pid: int
    resident: int
    limit: int


class ServerConversation(Protocol):
    """One server, asked about texts that it may not find on disk.

    Every method raises CannotApply if the server stops, does not answer in time, or answers what
    cannot be true.
    """

    @property
    def name(self) -> str:
        """The name of the server."""

    def show(self, texts: Mapping[WorkspacePath, str]) -> None:
        """Show the server these files with these texts, whatever is on disk."""

    def rename(self, path: WorkspacePath, start: int, new_name: str) -> list[ServerEdit]:
        """Return the edits that rename the symbol at an offset; CannotApply if it declines."""

    def find(self, path: WorkspacePath, start: int, what: str) -> list[ServerEdit]:
        """Return spans in the workspace: the `references` of a symbol, or its `definition`.

        Definitions may end with OUTSIDE.
        """

    def problems(self, paths: Sequence[WorkspacePath]) -> list[CheckerProblem] | None:
        """Return what the checker reports for files that it was shown; None if it reports none."""


class LanguageServers(Protocol):
    """The language servers of a workspace, each started when it is first asked."""

    def choose(self, language: str) -> ServerChoice | None:
        """Return the server for a language; None if no server is known for it."""

    def ask(
        self,
        language: str,
        read: Callable[[WorkspacePath], str | None],
        waiting: Callable[[str], None],
        cancel: Cancel,
    ) -> AbstractContextManager[ServerConversation]:
        """Have a server to oneself; *waiting* takes what the call waits for.

        *read* returns the text of a file that the server names by itself. Raises CannotApply.
        """

    def list_found(self) -> list[ServerChoice]:
        """Return every known server, installed or not."""

"""What the recorder needs: a memory of known files, a watcher, and what clients announce."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from redline.core.changes import FileState, State
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass

# Kind and permissions, identity, size, time of the last write, time of the last change.
Mark = tuple[int, tuple[int, int], int, int, int]


class KnownEntry(NamedTuple):
    """What was at a path when it was last looked at; a `mark` of None must be looked at again.

    The state has no content: `KnownFiles.content` has it. A `state` of None means that something
    is there that cannot be recorded: too large, of another kind, or not to be read.
    """

    mark: Mark | None
    state: State | None


class SavedPosition(NamedTuple):
    """How far in the journal what is known was brought up to date.

    `own` are operations after `operation` that the recorder made itself.
    """

    operation: str = ""
    own: frozenset[str] = frozenset()


class KnownFiles(Protocol):
    """What is known of the workspace's files, kept over restarts."""

    def load(self, put: Callable[[WorkspacePath, KnownEntry], None]) -> SavedPosition | None:
        """Give *put* every entry that was saved, directory by directory.

        None, and nothing is given, when nothing was saved, or not for these roots.
        """

    def content(self, state: FileState) -> bytes | None:
        """The content of a file that is known in that state; None when it is not available."""

    def save(
        self,
        changed: Mapping[WorkspacePath, KnownEntry | None],
        contents: Sequence[bytes],
        position: SavedPosition,
        *,
        is_whole: bool = True,
    ) -> None:
        """Keep what changed, all of it or nothing; None for what is gone. WriteFailed.

        Until a save says that what is known is whole, `load` gives nothing.
        """


class Noticed(NamedTuple):
    """Paths that changed, as text; None when everything must be looked at, for a `reason`."""

    paths: frozenset[str] | None
    reason: str = ""


class Watcher(Protocol):
    """Notices changes beneath the roots."""

    @property
    def limits(self) -> str:
        """What it cannot do here, for people; empty when it can do everything."""

    def wait(self) -> Noticed | None:
        """Wait until something changed and has been quiet for a moment; None when closed."""

    def renew(self) -> None:
        """Watch also the directories that could not be read before."""

    def close(self) -> None:
        """Stop; `wait` returns."""


class Moment(StrEnum):
    """When a client speaks: with a prompt, and idle, none of its session's tools runs.

    CALL is what a server says when a client calls a tool of Redline's.
    """

    START = "start"
    PROMPT = "prompt"
    BEFORE = "before"
    CALL = "call"
    AFTER = "after"
    IDLE = "idle"
    END = "end"


@dataclass(frozen=True, slots=True)
class HookEvent:
    """What a client said; `files` are absolute paths, empty when the tool names none.

    `prompt` is the id that the client gives a prompt, `words` are the first words of a new one.
    `given` is a digest of the arguments of a tool of Redline's.
    """

    client: str
    moment: Moment
    time_ns: int
    session: str = ""
    tool: str = ""
    call: str = ""
    prompt: str = ""
    command: str = ""
    files: frozenset[str] = frozenset()
    words: str = ""
    given: str = ""

    def is_same_call(self, other: HookEvent) -> bool:
        """Return whether both speak of one run of one tool."""
        if self.call or other.call:
            return self.call == other.call
        return (self.tool, self.command, self.files) == (other.tool, other.command, other.files)

    def is_same_session(self, other: HookEvent) -> bool:
        """Return whether both come from one session of one client."""
        return (self.client, self.session) == (other.client, other.session)

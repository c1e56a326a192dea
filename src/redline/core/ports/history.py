"""Changing the workspace, and the journal of what was changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from redline.core.changes import ChangeSet, FileState
from redline.core.errors import PermissionRequired
from redline.core.guarded import GuardedPath
from redline.core.paths import WorkspacePath
from redline.core.records import dataclass, field

if TYPE_CHECKING:
    from redline.core.ports.review import HeldChange


# The kinds of the records of a prompt and of what git did, and all kinds that change nothing.
PROMPT = "prompt"
GIT = "git"
SILENT_KINDS = ("grant", "checkpoint", PROMPT, GIT)
# A note of what git did begins so; an operation that changed files as well has it, too.
GIT_DID = "git: "


class Consent(Protocol):
    """Asks the person at the client."""

    def __call__(self, refused: PermissionRequired, change_set: ChangeSet, /) -> bool | None:
        """Return whether the person allows *change_set* despite *refused*; None if unanswered."""


# The tool of operations that no tool of Redline made and no client spoke of.
OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asked for a change and how; `consent`, `wait` and `as_owner` are not in the journal.

    `session` is one connection of one client, or a name that the client gave. `hook_session` is
    the session that the client's hook named when it made this call. `consent` asks the
    person for a change that touches guarded paths; None where no person can be asked, and then
    such a change is refused. `wait` is how many seconds the client lets a call wait for a person
    who must approve its change. `as_owner` is True for what the owner of the machine does: the
    policy is not about that.
    """

    tool: str
    client: str = ""
    principal: str = ""
    summary: str = ""
    session: str = ""
    consent: Consent | None = field(default=None, compare=False, repr=False)
    wait: float = field(default=0.0, compare=False, repr=False)
    as_owner: bool = field(default=False, compare=False, repr=False)
    hook_session: str = ""

    @property
    def who(self) -> str:
        """The client and, where one is known, the principal it worked for."""
        if self.client and self.principal:
            return f"{self.client} for {self.principal}"
        return self.client or self.principal


class ChangePermits(NamedTuple):
    """A person's permission for one change: guarded paths, and changes a rule asks about."""

    consented: frozenset[GuardedPath] = frozenset()
    is_approved: bool = False


NO_PERMITS = ChangePermits()


class Author(NamedTuple):
    """Whose operations are meant; None matches everyone.

    With `unsigned`, operations that name no session (of older versions) match any session.
    """

    session: str | None = None
    client: str | None = None
    principal: str | None = None
    unsigned: bool = False

    def matches(self, origin: Origin) -> bool:
        """Return whether *origin* matches; a client may be named with or without its version."""
        if self.client is not None:
            name = origin.client
            if name != self.client and not name.startswith(f"{self.client} "):
                return False
        if self.session not in (None, origin.session) and (origin.session or not self.unsigned):
            return False
        return self.principal is None or origin.principal == self.principal


@dataclass(frozen=True, slots=True)
class Operation:
    """A committed ChangeSet with its place in the journal.

    `kind` is change, undo, redo, or one that changes nothing: grant, a permission a person gave,
    checkpoint, a point to go back to, prompt, what a person asked an agent, and git, what git did
    in a command that changed no file. `reverts` is the id of the operation this one takes back
    (several joined by commas; `+` before one that it does again, `~` after one of which it takes
    back a part), `reverted_by` the one that took this one back. `notes` carry facts such as
    atomic: false. `left_out` counts the steps at the end of `change_set` that were not asked for.
    `merged` is True right after an undo or redo that kept later changes of the same files.
    """

    id: str
    time: float
    origin: Origin
    change_set: ChangeSet
    kind: str = "change"
    reverts: str | None = None
    reverted_by: str | None = None
    notes: tuple[str, ...] = ()
    left_out: int = 0
    merged: bool = False

    def __repr__(self) -> str:
        summary = f" {self.origin.summary!r}" if self.origin.summary else ""
        count = f"{self.step_count} step{'' if self.step_count == 1 else 's'}"
        return f"<{self.kind} {self.id}{summary}, {count}>"

    @property
    def git(self) -> str:
        """What git did in this operation, in one line; empty where unknown."""
        if self.kind == GIT:
            return self.origin.summary
        return next((note for note in self.notes if note.startswith(GIT_DID)), "")

    @property
    def step_count(self) -> int:
        """How many steps the operation has, including those that were not read."""
        return len(self.change_set.steps) + self.left_out


class ChangeApproval(Protocol):
    """Checks whether a change would be refused; a dry run calls it instead of committing."""

    def check(self, change_set: ChangeSet, origin: Origin) -> None:
        """Raise the error with which `ChangeEditor.commit` would refuse *change_set*.

        Raises ReadOnlyMode, PathDenied, NotWritable, PolicyUnreadable, RuleDenied; RuleAsks and
        GuardedWrite where a person would be asked. No question is put, nothing is held.
        """


class ChangeEditor(Protocol):
    """The only way to change the workspace."""

    def commit(self, change_set: ChangeSet, origin: Origin) -> Operation:
        """Make *change_set* real, all of it or nothing.

        Raises StaleBase, Locked, ReadOnlyMode, PathError, WriteFailed; GuardedWrite where no
        person can be asked for consent, PermissionDenied where it was not given. An empty
        ChangeSet is answered with an Operation whose id is "" and is not journalled.
        """

    def commit_approved(self, held: HeldChange, by: str) -> Operation:
        """Make a held change that the person *by* approved, all of it or nothing.

        The rules that held it are not asked again; what else `commit` raises is raised here too.
        """

    def commit_judged(
        self, change_set: ChangeSet, origin: Origin, consented: Iterable[GuardedPath]
    ) -> Operation:
        """Make the part of a command's changes that the policy allows, all of it or nothing.

        StaleBase, Locked or a PathError for what another program changed; WriteFailed.
        """

    def record(
        self,
        change_set: ChangeSet,
        origin: Origin,
        *,
        before: str | None = None,
        since: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> Operation:
        """Journal changes that already happened, as durably as a commit; WriteFailed.

        Nothing is checked or written in the workspace: the caller saw both states. With *before*
        they happened right before that operation, with *since* before everything that was
        journalled behind that one, and the history lists them there.
        """

    def note_grant(self, origin: Origin) -> Operation:
        """Journal that a person gave a permission, which cannot be undone. WriteFailed."""

    def note_checkpoint(self, origin: Origin) -> Operation:
        """Journal a checkpoint, named by the origin's summary. WriteFailed."""

    def note_prompt(self, origin: Origin) -> Operation:
        """Journal a person's prompt to an agent: the origin's summary. WriteFailed."""

    def note_git(self, origin: Origin) -> Operation:
        """Journal what git did: the origin's summary. It cannot be undone. WriteFailed."""

    def undo(self, operation_id: str | None, origin: Origin) -> Operation:
        """Undo an operation; None means the latest that is not undone."""

    def redo(self, operation_id: str | None, origin: Origin) -> Operation:
        """Redo what an undo reverted; None means the latest undo."""

    def revert(self, request: Revert, origin: Origin) -> Operation:
        """Undo operations as one operation, keeping later changes around them.

        UndoBlocked, and nothing is changed, when a later change touches what they changed.
        """

    def plan_revert(self, request: Revert) -> Operation:
        """Return what `revert` would do, with contents, after the same checks; its id is ""."""


class Direction(StrEnum):
    """The direction of a revert; REWIND undoes what is done and redoes what is undone."""

    UNDO = "undo"
    REDO = "redo"
    REWIND = "rewind"


class Revert(NamedTuple):
    """Which operations to undo or redo; without ids the latest one that `by` matches.

    `paths` and `hunks` (numbered from 1 as the operation's diff shows them) choose a part of one.
    """

    direction: Direction
    ids: tuple[str, ...] = ()
    by: Author | None = None
    paths: tuple[WorkspacePath, ...] = ()
    hunks: frozenset[int] = frozenset()


class HistoryQuery(NamedTuple):
    """Which operations to list, newest first, each with at least *steps* steps; None means all.

    The records of prompts are left out unless *prompts* asks for them.
    """

    path: str | None = None
    tool: str | None = None
    since: float | None = None
    until: float | None = None
    before_id: str | None = None
    limit: int = 50
    steps: int | None = None
    by: Author | None = None
    prompts: bool = False


class Overlap(NamedTuple):
    """A file, and the latest change of another session there."""

    path: WorkspacePath
    operation: Operation


class History(Protocol):
    """The journal, for reading."""

    def list(self, query: HistoryQuery) -> Sequence[Operation]:
        """Return the matching operations, newest first, without contents."""

    def get(self, operation_id: str, steps: int | None = None) -> Operation:
        """Return one operation with the contents of its ChangeSet, or of its first *steps*.

        UnknownOperation if there is none.
        """

    def find(self, prefix: str) -> str:
        """Return the one operation whose id starts with *prefix*; UnknownOperation."""

    def changed_since(self, operation_id: str | None, by: Author | None) -> Sequence[str]:
        """Return the changes made, undone or redone after an operation (None: ever), newest first.

        Only those that are not in the state they were in then. *by* chooses by who made the change
        or, of an older one, who undid or redid it last.
        """

    def take_arrivals(self, session: str) -> Sequence[Operation]:
        """Return the latest operations of other sessions since the last call for *session*.

        They are in the order in which they were journalled, contents not loaded; none the first
        time. Asking costs a look at the size of the journal where nothing is new.
        """

    def take_overlaps(self, session: str) -> Sequence[Overlap]:
        """Return recent changes by others to the files *session* changed since the last call.

        Each change of another session is returned once.
        """

    def recent_of_others(self, session: str) -> Sequence[Overlap]:
        """Return the changes of other sessions in the last minutes, the newest first."""

    def marks(self) -> Sequence[Operation]:
        """Return the checkpoints and the first operation of each session, newest first."""

    def touching(self, path: WorkspacePath, before_id: str | None) -> Iterator[Operation]:
        """Yield the operations that touch or move *path*, newest first, without contents."""

    def fill(self, change_set: ChangeSet) -> ChangeSet:
        """Return a change set with contents, up to a limit; larger ones are left where they are."""

    def load_content(self, state: FileState) -> FileState:
        """Return a file's state with its content; HistoryError if the history has lost it."""

"""Changing the workspace, and the journal of what was changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from redline.core.changes import ChangeSet
from redline.core.errors import GuardedWrite
from redline.core.guarded import GuardedPath
from redline.core.paths import WorkspacePath


class Consent(Protocol):
    """Asks the person at the client."""

    def __call__(self, refused: GuardedWrite, change_set: ChangeSet, /) -> bool:
        """Whether the person allows *change_set* although it was *refused*."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asked for a change and how; kept in the journal, but for `consent`.

    `consent` asks the person for a change that touches guarded paths; None where no person can
    be asked, and then such a change is refused.
    """

    tool: str
    client: str = ""
    principal: str = ""
    summary: str = ""
    consent: Consent | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """A committed ChangeSet with its place in the journal.

    `kind` is change, undo, redo, or grant: a permission a person gave, which changes nothing.
    `reverts` is the id of the operation this one takes back,
    `reverted_by` the one that took this one back. `notes` carry facts such as atomic: false.
    `left_out` counts the steps at the end of `change_set` that were not asked for.
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

    @property
    def step_count(self) -> int:
        """How many steps this has, read or not."""
        return len(self.change_set.steps) + self.left_out


class ChangeEditor(Protocol):
    """The only way to change the workspace."""

    def commit(self, change_set: ChangeSet, origin: Origin) -> Operation:
        """Make *change_set* real, all of it or nothing.

        Raises StaleBase, Locked, ReadOnlyMode, PathError, WriteFailed; GuardedWrite where no
        person can be asked for consent, PermissionDenied where it was not given. An empty
        ChangeSet is answered with an Operation whose id is "" and is not journalled.
        """

    def record(self, change_set: ChangeSet, origin: Origin) -> Operation:
        """Journal changes that already happened, as durably as a commit; WriteFailed.

        Nothing is checked or written in the workspace: the caller saw both states.
        """

    def note_grant(self, origin: Origin) -> Operation:
        """Journal that a person gave a permission; there is nothing to undo in it. WriteFailed."""

    def undo(self, operation_id: str | None, origin: Origin) -> Operation:
        """Take an operation back; None means the latest that is not undone."""

    def redo(self, operation_id: str | None, origin: Origin) -> Operation:
        """Take an undo back; None means the latest undo."""

    def plan_undo(self, operation_id: str | None) -> ChangeSet:
        """What `undo` would do, with contents, after the same checks."""

    def plan_redo(self, operation_id: str | None) -> ChangeSet:
        """What `redo` would do, with contents, after the same checks."""


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """Which operations to list, newest first; of each at least the first *steps*, None for all."""

    path: str | None = None
    tool: str | None = None
    since: float | None = None
    until: float | None = None
    before_id: str | None = None
    limit: int = 50
    steps: int | None = None


class History(Protocol):
    """The journal, for reading."""

    def list(self, query: HistoryQuery) -> Sequence[Operation]:
        """Matching operations, newest first, contents not loaded."""

    def get(self, operation_id: str, steps: int | None = None) -> Operation:
        """One operation with the contents of its ChangeSet, or of its first *steps*.

        UnknownOperation if there is none.
        """


class Transaction(Protocol):
    """A change set staged and checked under its locks; nothing is visible yet."""

    def swap(self) -> CommittedTransaction:
        """Commit and make the change visible; on failure, durably restore what was there."""


class CommittedTransaction(Protocol):
    """A change set that is in the journal and visible; its locks are still held."""

    def finish(self) -> Operation:
        """Release the locks and return the operation."""


@dataclass(frozen=True, slots=True)
class Chained:
    """An operation in its chain: `root` is the change that it makes, undoes or redoes.

    `last` is the latest operation on that change; the change is undone when that is an undo.
    """

    id: str
    kind: str
    root: str
    last: str
    is_undone: bool


class Store(Protocol):
    """The journal and the disk behind an ChangeEditor."""

    def begin(
        self,
        change_set: ChangeSet,
        origin: Origin,
        kind: str = "change",
        reverts: str | None = None,
        consented: frozenset[GuardedPath] = frozenset(),
    ) -> Transaction:
        """Lock, check every base and stage. StaleBase, Locked, PathError, WriteFailed.

        GuardedWrite when it touches a guarded path that is not among the *consented* ones.
        """

    def record(self, change_set: ChangeSet, origin: Origin, kind: str = "change") -> Operation:
        """Journal what already happened, contents included. WriteFailed."""

    def load(self, operation_id: str, steps: int | None = None) -> Operation:
        """An operation with contents, all of it or its first *steps*; UnknownOperation."""

    def chain(self, operation_id: str) -> Chained:
        """Which change an operation belongs to, and the latest one on it; UnknownOperation."""

    def latest(self, *, undone: bool) -> str | None:
        """The id of the latest operation that can be undone (or, with *undone*, redone)."""

    def newest_first(
        self,
        before_id: str | None = None,
        *,
        naming: str = "",
        beneath: WorkspacePath | None = None,
        steps: int | None = None,
    ) -> Iterator[Operation]:
        """Every operation, contents not loaded, from the newest or from behind *before_id*.

        With *naming*, those may be left out in which no path has that part; with *beneath*, those
        are that touch nothing there. With *steps*, at most that many of each are read.
        """

    def prune(self, *, days: float, size: int) -> int:
        """Drop the oldest operations over either limit; how many."""

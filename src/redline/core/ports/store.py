"""The journal and the disk behind an editor: one durable change, and what history needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from redline.core.changes import ChangeSet, FileState
from redline.core.paths import WorkspacePath
from redline.core.ports.history import NO_PERMITS, Author, ChangePermits, Operation, Origin


class Transaction(Protocol):
    """A change set staged and checked under its locks; nothing is visible yet."""

    def swap(self) -> CommittedTransaction:
        """Commit and make the change visible; on failure, durably restore what was there."""


class CommittedTransaction(Protocol):
    """A change set that is in the journal and visible; its locks are still held."""

    def finish(self) -> Operation:
        """Release the locks and return the operation."""


class ChangeStatus(NamedTuple):
    """Whether a change is undone now, and the latest operation on it.

    A part of a change that was taken back is a change of its own, which starts undone. Of several,
    the one with the greatest `moment` was made or taken back last.
    """

    root: str
    last: str
    is_undone: bool
    moment: tuple[int, int]


class Chained(NamedTuple):
    """An operation, and the changes that it makes, undoes or redoes.

    `is_whole` says that it is the latest operation on all of these.
    """

    id: str
    kind: str
    changes: tuple[ChangeStatus, ...]

    @property
    def is_whole(self) -> bool:
        """Whether no later operation touched any of the changes."""
        return all(change.last == self.id for change in self.changes)


Position: TypeAlias = tuple[tuple[int, int], int]
"""How far a reader has read the journal: the file's identity and a size."""


class Store(Protocol):
    """The journal and the disk behind a ChangeEditor."""

    def begin(
        self,
        change_set: ChangeSet,
        origin: Origin,
        kind: str = "change",
        reverts: str | None = None,
        permits: ChangePermits = NO_PERMITS,
    ) -> Transaction:
        """Lock, check every base and stage. StaleBase, Locked, PathError, WriteFailed.

        RuleDenied; RuleAsks and GuardedWrite where *permits* do not cover what a person must allow.
        """

    def check(self, change_set: ChangeSet, origin: Origin) -> None:
        """Raise the errors of `begin` for rules and guarded paths, without locking or staging."""

    def record(
        self,
        change_set: ChangeSet,
        origin: Origin,
        kind: str = "change",
        reverts: str | None = None,
        before: str | None = None,
        since: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> Operation:
        """Journal what already happened, contents included. WriteFailed.

        With *before* it happened right before that operation; with *since*, before everything that
        was journalled behind that operation, where "" means before everything.
        """

    def wait_for(self, paths: Iterable[WorkspacePath]) -> None:
        """Wait until every journalled change of *paths* is visible or revoked. Locked."""

    def load(self, operation_id: str, steps: int | None = None) -> Operation:
        """Return an operation with contents, all of it or its first *steps*; UnknownOperation."""

    def peek(self, operation_id: str) -> Operation:
        """Return an operation, contents not loaded; UnknownOperation."""

    def load_content(self, state: FileState) -> FileState:
        """Return a file's state with its content; HistoryError if the history has lost it."""

    def fill(self, change_set: ChangeSet) -> ChangeSet:
        """Return a change set with contents, up to a limit; larger ones are left where they are."""

    def chain(self, operation_id: str) -> Chained:
        """Return which changes an operation is about, and the state of each; UnknownOperation."""

    def latest(self, *, undone: bool, by: Author | None = None) -> str | None:
        """Return the latest operation of *by* that can be undone or, with *undone*, redone."""

    def find(self, prefix: str) -> str:
        """Return the one operation whose id starts with *prefix*; UnknownOperation."""

    def changed_since(self, operation_id: str | None, by: Author | None) -> Sequence[str]:
        """See `History.changed_since`."""

    def arrivals(
        self, since: Position | None, session: str
    ) -> tuple[Position, Sequence[Operation]]:
        """Return the journal's end, and the latest operations of other sessions after *since*.

        They are in the order of their arrival, contents not loaded, of long ones only the first
        steps. There are none where *since* is None, or where pruning has replaced the journal.
        """

    def marks(self) -> Sequence[Operation]:
        """See `History.marks`."""

    def newest_first(
        self,
        before_id: str | None = None,
        *,
        naming: str = "",
        beneath: WorkspacePath | None = None,
        around: WorkspacePath | None = None,
        steps: int | None = None,
    ) -> Iterator[Operation]:
        """Yield every operation, contents not loaded, from the newest or from after *before_id*.

        With *naming*, those may be left out in which no path has that part; with *beneath*, those
        are that touch nothing there; with *around*, those that neither touch that path nor rename
        anything. With *steps*, at most that many of each are read.
        """

    def prune(self, *, days: float, size: int) -> int:
        """Drop the oldest operations over either limit; return how many."""

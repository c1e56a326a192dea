"""The journal and the disk behind the editor: begins transactions, records, prunes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from redline.adapters.files.disk import Disk
from redline.adapters.files.locks import Held, LockFiles, PlaceLocks, bucket_of
from redline.adapters.files.os_errors import writing_failed
from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal.blobs import MIN_DELTA, Blobs, bases_of
from redline.adapters.journal.content_store import MAX_INLINE, ContentStore
from redline.adapters.journal.format import records
from redline.adapters.journal.format.records import Head, format_operation
from redline.adapters.journal.format.slots import new_ids
from redline.adapters.journal.intent_slots import Slots
from redline.adapters.journal.line_index import BEFORE
from redline.adapters.journal.log import CommitFence, Journal
from redline.adapters.journal.store_read import MAX_HELD, StoreReading
from redline.adapters.journal.undecided import Undecided
from redline.core.changes import Change, ChangeSet, DirState, FileState, Rename
from redline.core.errors import LeaseLost, Locked, PathDenied, WriteFailed
from redline.core.once import built_once
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import NO_PERMITS, ChangePermits, Operation, Origin

if TYPE_CHECKING:
    # Imported where a change is made: commands that only read are spared a fifth of their time.
    from redline.adapters.journal.recovery import Recovery
    from redline.adapters.journal.steps.handles import DirectoryHandles
    from redline.adapters.journal.transaction import StagedChange

from redline.adapters.journal.format.records import Line

_TRIES = 50
_BLOB_LOCK = "blobs.lock"


class Guard(Protocol):
    """Looks at a change under its locks and refuses what no person allowed."""

    def check(
        self,
        change_set: ChangeSet,
        origin: Origin,
        permits: ChangePermits,
        load: Callable[[FileState], FileState],
        /,
    ) -> None:
        """Raise a Refused; *load* gives the contents of a state that the history has."""


class DiskStore(StoreReading):
    """See `core.ports.history.Store`."""

    def __init__(
        self,
        disk: Disk,
        workspace: DiskWorkspace,
        state_dir: str,
        lock_dir: str,
        *,
        guards: Callable[[], Sequence[Guard]] = tuple,
        recover: bool = True,
        fence: CommitFence | None = None,
        max_inline: int = MAX_INLINE,
        min_delta: int = MIN_DELTA,
        max_held: int = MAX_HELD,
    ) -> None:
        self.disk = disk
        self._guards = guards
        # The directories of the last change.
        self._seen: dict[WorkspacePath, tuple[int, int]] = {}
        try:
            for part in ("", "blobs", "slots"):
                _make_durably(disk, os.path.join(state_dir, part))
            self._directory = disk.open_root(state_dir)
            self.locks = PlaceLocks(lock_dir)
            self._blob_locks = LockFiles(partial(disk.open_own, self._directory))
            blobs = disk.open_root(os.path.join(state_dir, "blobs"))
            self.blobs = Blobs(disk, blobs, min_delta)
            self.slots = Slots(disk, disk.open_root(os.path.join(state_dir, "slots")))
            journal = Journal(disk, self._directory, fence)
        except OSError as error:
            raise writing_failed(error, state_dir) from error
        super().__init__(
            workspace, journal, ContentStore(journal, self.blobs, max_inline), max_held
        )
        try:  # before anything is read for a client
            if recover:
                journal.raise_fence()
        except BaseException:
            self.close()
            raise
        orphans = self.slots.orphans() if recover else []
        if orphans:
            self.recovery.settle(orphans)

    @built_once
    def recovery(self) -> Recovery:
        """Settles changes that dead processes left behind."""
        from redline.adapters.journal.recovery import Recovery

        return Recovery(self)

    def notices(self) -> list[str]:
        """What an operator should know: what was settled when this was opened, and damage."""
        settled = self.recovery.notices() if "recovery" in vars(self) else []
        damage = self.damage()
        return [*settled, damage] if damage else settled

    # -- changing -----------------------------------------------------------------------------

    def begin(
        self,
        change_set: ChangeSet,
        origin: Origin,
        kind: str = "change",
        reverts: str | None = None,
        permits: ChangePermits = NO_PERMITS,
    ) -> StagedChange:
        """Lock, have every guard look at it, check every base and stage."""
        from redline.adapters.journal.transaction import ChangeRequest, hold, stage_change

        self._refuse_roots(change_set)
        for _ in range(_TRIES):
            handles, held = self.lock(change_set)
            if not self._is_unfinished(held, handles):
                break
            self.recovery.run()
        else:
            raise Locked("An unfinished change holds these files and cannot be settled yet")
        locked = hold(self, held, handles)
        try:
            self._ask_guards(change_set, origin, permits)
        except BaseException:
            locked.release()
            raise
        return stage_change(change_set, ChangeRequest(origin, kind, reverts), locked)

    def check(self, change_set: ChangeSet, origin: Origin) -> None:
        """Have every guard look at it, as `begin` does."""
        self._refuse_roots(change_set)
        self._ask_guards(change_set, origin, NO_PERMITS)

    def _ask_guards(self, change_set: ChangeSet, origin: Origin, permits: ChangePermits) -> None:
        for guard in self._guards():
            guard.check(change_set, origin, permits, self.load_content)

    def _is_unfinished(self, held: Held, handles: DirectoryHandles) -> bool:
        """Whether a dead process left a change of these paths; then release them for recovery."""
        waits = True
        try:
            waits = self.slots.unfinished_over(held.buckets)
        except OSError as error:
            raise writing_failed(error) from error
        finally:
            if waits:
                handles.close()
                held.release()
        return waits

    def wait_for(self, paths: Iterable[WorkspacePath]) -> None:
        """Wait until every journalled change of *paths* is visible or revoked."""
        from redline.adapters.journal.steps.handles import DirectoryHandles

        here = [path for path in paths if path.root < len(self.workspace.roots)]
        for _ in range(_TRIES):
            handles = DirectoryHandles(self.disk, self.workspace)
            try:
                held = self.locks.acquire(handles.all_buckets(here), directories=False)
            except OSError as error:
                raise writing_failed(error) from error
            finally:
                handles.close()
            if not self._is_unfinished(held, handles):
                held.release()
                return
            self.recovery.run()
        raise Locked("An unfinished change holds these files and cannot be settled yet")

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
        """Journal changes that already happened; contents first, so that the line never lies."""
        (operation_id,) = new_ids(1)
        body = records.encode_body(change_set, origin, notes, self.workspace.root_path)
        held = self.hold_blobs()
        try:
            bases = bases_of(change_set.steps)
            inline, added = self.contents.save(change_set.contents(), operation_id, bases)
            head = Head(operation_id, kind, reverts, time.time(), added)

            def format_before(follower: str | None) -> bytes:
                named = head._replace(reverts=f"{BEFORE}{follower}") if follower else head
                return format_operation(named, body, inline)

            if since is None:
                self.journal.commit(format_before(before), inline, added)
            else:
                self.journal.commit_after(since, format_before, inline, added)
        except OSError as error:
            raise writing_failed(error) from error
        except Undecided as error:
            raise WriteFailed("The change may not have been recorded") from error
        finally:
            self.release_blobs(held)
        return Operation(operation_id, head.time, origin, change_set, kind, reverts, notes=notes)

    def lock(self, change_set: ChangeSet) -> tuple[DirectoryHandles, Held]:
        """Lock every path that a change set touches."""
        from redline.adapters.journal.steps.handles import DirectoryHandles

        handles = DirectoryHandles(self.disk, self.workspace)
        paths = change_set.paths
        alone = _moves_directories(change_set)
        guess = self._guess(paths)
        held: Held | None = None
        try:
            for _ in range(_TRIES):
                buckets = guess or handles.buckets(paths)
                guess = None
                held = self.locks.acquire(buckets, directories=alone)
                # While this process waited, directories may have come and gone.
                handles.close()
                if handles.buckets(paths) == buckets:
                    self._seen = dict(handles.identities)
                    return handles, held
                held.release()
                handles.close()
        except BaseException as error:
            if held is not None:
                held.release()
            handles.close()
            if isinstance(error, OSError):
                raise writing_failed(error) from error
            raise
        raise Locked("Directories on the way keep changing", hint="repeat the call")

    def _guess(self, paths: Sequence[WorkspacePath]) -> frozenset[int] | None:
        """The lock files of *paths* if no directory has changed since the last change."""
        seen = self._seen
        found: set[int] = set()
        for path in paths:
            identity = seen.get(path.parent)
            if identity is None:
                return None
            found.add(bucket_of(identity, path.name))
        return frozenset(found)

    def _refuse_roots(self, change_set: ChangeSet) -> None:
        for step in change_set.steps:
            if isinstance(step, Change) and type(step.before) is type(step.after) is DirState:
                continue
            for path in step.paths:
                if self.workspace.holds_root(path):
                    shown = self.show(path)
                    raise PathDenied(shown, f"An allowed directory cannot be replaced: {shown}")

    def show(self, path: WorkspacePath) -> str:
        """A path as messages show it."""
        return show_name(self.workspace.absolute(path))

    def hold_blobs(self) -> int:
        """Keep pruning away while contents are stored that no record names yet."""
        fd = self._blob_locks.take(_BLOB_LOCK, exclusive=False, wait=True)
        assert fd is not None
        return fd

    def release_blobs(self, fd: int | None) -> None:
        """Allow pruning again."""
        if fd is not None:
            self._blob_locks.release(_BLOB_LOCK, fd)

    def close(self) -> None:
        """Close slots, files and handles."""
        self.slots.close()
        self.journal.close()
        self.blobs.close()
        self._blob_locks.close()
        self.locks.close()
        self.disk.close_dir(self._directory)

    # -- retention ----------------------------------------------------------------------------

    def prune(self, *, days: float, size: int) -> int:
        """Drop the oldest operations over either limit; how many."""
        if not may_exceed(self.journal, days=days, size=size) or self.recovery.run():
            return 0
        with self._guard:
            lock = self._blob_locks.take(_BLOB_LOCK, exclusive=True, wait=False)
            if lock is None:
                return 0  # a change is under way; a later one prunes
            try:
                self.journal.read_again()
                keep, wanted = what_stays(self.journal, self.blobs, days=days, size=size)
                dropped = len(self.journal.ids) - len(keep)
                if dropped:
                    self.journal.replace(keep, wanted)
                    self.blobs.keep_only(wanted)
                return dropped
            except (OSError, LeaseLost):
                return 0  # history may be longer than asked for; a change never fails over that
            finally:
                self._blob_locks.release(_BLOB_LOCK, lock)


def _make_durably(disk: Disk, path: str) -> None:
    """Make a private directory and its parents, and sync each so that it survives a power cut."""
    path = os.path.abspath(path)
    if os.path.isdir(path):
        return
    parent, name = os.path.split(path)
    _make_durably(disk, parent)
    above = disk.open_root(parent)
    try:
        try:
            disk.mkdir(above, name, 0o700)
        except FileExistsError:
            return
        disk.sync_dir(above)
    finally:
        disk.close_dir(above)


def _moves_directories(change_set: ChangeSet) -> bool:
    """Whether a set may move or remove a directory: then nothing else may run at the same time."""
    return any(
        isinstance(step, Rename)
        or (isinstance(step.before, DirState) and not isinstance(step.after, DirState))
        for step in change_set.steps
    )


def may_exceed(journal: Journal, *, days: float, size: int) -> bool:
    """False when no operation exceeds either limit; much cheaper than finding out which do."""
    total, oldest = journal.weight()
    return total > size or oldest < time.time() - days * 86400


def what_stays(
    journal: Journal, blobs: Blobs, *, days: float, size: int
) -> tuple[list[Line], set[str]]:
    """The newest operations within both limits, and every content they need."""
    oldest = time.time() - days * 86400
    keep: list[Line] = []
    wanted: set[str] = set()
    # Contents that are in an older line, which must be kept when that line is pruned.
    carried: dict[str, tuple[int, int]] = {}
    used = 0
    for line in reversed(journal.lines):
        new = blobs.with_bases(records.digests_in(journal.body(line))) - wanted
        used += line.length + sum(blobs.stored_size(digest) for digest in new)
        found = {digest: journal.location(digest) for digest in new} | carried
        carried = {d: where for d, where in found.items() if where and where[0] < line.offset}
        inherited = sum(length for _, length in carried.values())
        if keep and (line.head.time < oldest or used + inherited > size):
            break  # the newest always stays
        keep.append(line)
        wanted |= new
    return keep[::-1], wanted

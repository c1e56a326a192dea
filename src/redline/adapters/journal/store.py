"""The journal and the disk behind the editor: begin transactions, record, read, prune."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from redline.adapters.files.disk import Disk
from redline.adapters.files.locks import Held, LockFiles, PlaceLocks, bucket_of
from redline.adapters.files.os_errors import writing_failed
from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal import records
from redline.adapters.journal.blobs import MIN_DELTA, Blobs
from redline.adapters.journal.content_store import MAX_INLINE, ContentStore, bases_of
from redline.adapters.journal.intent_slots import Slots, new_ids
from redline.adapters.journal.line_index import BEFORE
from redline.adapters.journal.log import CommitFence, Journal, Undecided
from redline.adapters.journal.records import Head, Line, body_of, format_operation
from redline.adapters.journal.undo_chains import UndoChains
from redline.core import errors
from redline.core.changes import Change, ChangeSet, DirState, FileState, Rename, State
from redline.core.once import built_once
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import NO_PERMITS, PROMPT, Author, ChangePermits, Operation, Origin
from redline.core.ports.store import Chained, ChangeStatus, Position
from redline.core.records import replace
from redline.core.wording import naming

if TYPE_CHECKING:
    # Imported where a change is made: commands that only read are spared a fifth of their time.
    from redline.adapters.journal.recovery import Recovery
    from redline.adapters.journal.steps.handles import DirectoryHandles
    from redline.adapters.journal.transaction import StagedChange

_TRIES = 50
# How many bytes of contents one change keeps in memory.
MAX_HELD = 64 << 20
# What is read of the end of the journal to see whether others have written there.
_MAX_TAIL = 1 << 16
# How many operations one look at what arrived reads, and how many steps of each.
MAX_ARRIVALS, MAX_ARRIVED_STEPS = 50, 1000
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


class DiskStore:
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
        self.workspace = workspace
        self.journal = journal
        self.contents = ContentStore(journal, self.blobs, max_inline)
        self.max_held = max_held
        self._guard = threading.RLock()
        self._known: tuple[object, UndoChains] | None = None
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

    def damage(self) -> str:
        """Return what cannot be read of the history, in words; empty when all of it can."""
        self.journal.refresh()
        count = self.journal.index.unreadable
        if not count:
            return ""
        lines = "1 line" if count == 1 else f"{count} lines"
        return (
            f"{lines} of the history cannot be read (damaged, or cut off by a crash):"
            " changes recorded there cannot be listed or undone"
        )

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
            raise errors.Locked("An unfinished change holds these files and cannot be settled yet")
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
        raise errors.Locked("An unfinished change holds these files and cannot be settled yet")

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
            raise errors.WriteFailed("The change may not have been recorded") from error
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
        raise errors.Locked("Directories on the way keep changing", hint="repeat the call")

    def _guess(self, paths: Sequence[WorkspacePath]) -> frozenset[int] | None:
        """Return the lock files of *paths* if no directory has changed since the last change."""
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
                    raise errors.PathDenied(
                        shown, f"An allowed directory cannot be replaced: {shown}"
                    )

    def show(self, path: WorkspacePath) -> str:
        """Return a path as messages show it."""
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
                dropped = len(self.journal.index.ids) - len(keep)
                if dropped:
                    self.journal.replace(keep, wanted)
                    self.blobs.keep_only(wanted)
                return dropped
            except (OSError, errors.LeaseLost):
                return 0  # history may be longer than asked for; a change never fails over that
            finally:
                self._blob_locks.release(_BLOB_LOCK, lock)

    # -- reading ------------------------------------------------------------------------------

    def load(self, operation_id: str, steps: int | None = None) -> Operation:
        """Return an operation with contents, up to a limit; larger ones are left where they are."""
        line = self._line(operation_id)
        operation = self._operation(line, self.journal.body(line), steps)
        return replace(operation, change_set=self.fill(operation.change_set))

    def peek(self, operation_id: str) -> Operation:
        """Return an operation, contents not loaded."""
        line = self._line(operation_id)
        return self._operation(line, self.journal.body(line))

    def fill(self, change_set: ChangeSet) -> ChangeSet:
        """Return a change set with contents, up to a limit; larger ones are left where they are."""
        budget = self.max_held
        filled: list[Change | Rename] = []
        for step in change_set.steps:
            if isinstance(step, Change):
                sizes = [s.size for s in (step.before, step.after) if isinstance(s, FileState)]
                budget -= sum(sizes)
                if budget >= 0:
                    step = Change(
                        step.path, self._load_content(step.before), self._load_content(step.after)
                    )
            filled.append(step)
        return ChangeSet(tuple(filled))

    def load_content(self, state: FileState) -> FileState:
        """Return a file's state with its content."""
        loaded = self._load_content(state)
        assert isinstance(loaded, FileState)
        return loaded

    def _load_content(self, state: State) -> State:
        if not isinstance(state, FileState) or state.content is not None:
            return state
        try:
            content = self.contents.get(state.digest)
        except OSError as error:
            raise errors.HistoryError(
                f"History is damaged ({error.strerror}): {state.digest}"
            ) from None
        return replace(state, content=content)

    def newest_first(
        self,
        before_id: str | None = None,
        *,
        naming: str = "",
        beneath: WorkspacePath | None = None,
        around: WorkspacePath | None = None,
        steps: int | None = None,
    ) -> Iterator[Operation]:
        """Yield every operation, contents not loaded; see `core.ports.history.Store`."""
        with self._guard:
            self.journal.refresh()
            end = len(self.journal.index.ids)
            if before_id is not None:
                end = self.journal.index.order[self._line(before_id).head.id]
        name = records.plain_part(naming)
        near = records.plain_part("" if beneath is None else beneath.name)
        there = records.plain_part("" if around is None else around.name)
        having = [text for text in (name, near) if text][:1]
        if there and not having:
            having = [there, records.RENAME]
        for found, raw in self.journal.raw_newest_first(end, having):
            if name not in raw or near not in raw:
                continue
            if there not in raw and not records.renames(raw):
                continue
            body = body_of(raw)
            place = beneath if around is None or records.renames(raw) else around
            if self._touches(body, place):
                line = self.journal.index.find(found)
                if line is None:
                    return  # it was pruned since
                self.journal.note_contents(line, raw)
                yield self._operation(line, body, steps)

    def _touches(self, body: bytes, place: WorkspacePath | None) -> bool:
        return place is None or records.touches(body, place, self.workspace.root_number)

    def _operation(self, line: Line, body: bytes, steps: int | None = None) -> Operation:
        body, left_out = records.shorten(body, steps)
        change_set, origin, notes = records.decode_body(body, self.workspace.root_number)
        head = line.head
        return Operation(
            head.id,
            head.time,
            origin,
            change_set,
            head.kind,
            head.reverts,
            self._chains().reverters.get(head.id),
            notes,
            left_out,
        )

    def _line(self, operation_id: str) -> Line:
        with self._guard:
            self.journal.refresh()
            line = self.journal.index.find(operation_id)
            if line is None or operation_id in self.journal.index.revoked:
                raise errors.UnknownOperation(
                    f"No operation has this id: {show_name(operation_id)[:64]}",
                    hint=naming("{list_changes} lists the ids"),
                )
            return line

    # -- chains of undo and redo --------------------------------------------------------------

    def chain(self, operation_id: str) -> Chained:
        """Return which changes an operation is about, and the state of each."""
        line = self._line(operation_id)
        chains = self._chains()
        changes = tuple(
            ChangeStatus(root, chains.last(root), chains.is_undone(root), chains.moment(root))
            for root in chains.effects_of(operation_id)
        )
        return Chained(operation_id, line.head.kind, changes)

    def latest(self, *, undone: bool, by: Author | None = None) -> str | None:
        """The latest operation that can be undone (or, with *undone*, redone), of *by* alone."""
        self.journal.refresh()
        for name in self._chains().newest_first(undone=undone):
            if by is None or by.matches(self._origin(name)):
                return name
        return None

    def find(self, prefix: str) -> str:
        """Return the one operation whose id starts with *prefix*."""
        self.journal.refresh()
        if self.journal.index.find(prefix) is not None:
            return prefix
        found = [name for name in self.journal.index.ids if name.startswith(prefix)]
        if len(found) == 1:
            return found[0]
        shown = show_name(prefix)[:64]
        if found:
            some = ", ".join(found[-3:])
            raise errors.UnknownOperation(
                f"Several operations start with this: {shown}", hint=f"for example {some}"
            )
        raise errors.UnknownOperation(
            f"No operation has this id: {shown}", hint=naming("{list_changes} lists the ids")
        )

    def changed_since(self, operation_id: str | None, by: Author | None) -> list[str]:
        """See `core.ports.history.History.changed_since`."""
        with self._guard:
            self.journal.refresh()
            chains, start = self._chains(), 0
            if operation_id is not None:
                start = chains.order[self._line(operation_id).head.id] + 1
            found = chains.differing(start)
            if by is None:
                return found
            return [root for root in found if by.matches(self._maker(root, start, chains))]

    def arrivals(self, since: Position | None, session: str) -> tuple[Position, list[Operation]]:
        """See `core.ports.store.Store.arrivals`."""
        journal = self.journal
        now = journal.position()
        if since is None or since == now:
            return now, []
        lines = journal.read_since(since, _MAX_TAIL)
        if lines is not None and records.is_all_of(lines, session):
            return now, []  # nearly always: what the session has just done itself
        found: list[Operation] = []
        with self._guard:
            for name in journal.arrived_since(since)[-MAX_ARRIVALS:]:
                line = journal.index.find(name)
                body = b"" if line is None else journal.body(line)
                if line is not None and records.decode_origin(body).session != session:
                    found.append(self._operation(line, body, MAX_ARRIVED_STEPS))
            return (now[0], max(now[1], journal.index.end)), found

    def marks(self) -> list[Operation]:
        """See `core.ports.history.History.marks`."""
        self.journal.refresh()
        special = [line.head for line in self.journal.index.special]
        checkpoints = {head.id for head in special if head.kind == "checkpoint"}
        prompts = {head.id for head in special if head.kind == PROMPT}
        first = self.journal.session_starts(checkpoints | prompts)
        first.pop(b"", None)
        first.pop(b'""', None)
        marks = [*checkpoints, *first.values()]
        marks.sort(key=self.journal.index.order.__getitem__, reverse=True)
        lines = [self._line(name) for name in marks]
        return [self._operation(line, self.journal.body(line), 0) for line in lines]

    def _maker(self, root: str, start: int, chains: UndoChains) -> Origin:
        """Who made a change or, if that was before number *start*, who undid or redid it last."""
        is_older = chains.order.get(root, -1) < start
        return self._origin(chains.last(root) if is_older else root)

    def _origin(self, name: str) -> Origin:
        return records.decode_origin(self.journal.body(self._line(name)))

    def _chains(self) -> UndoChains:
        with self._guard:
            version = self.journal.index.version
            if self._known is None or self._known[0] != version:
                journal = self.journal
                chains = UndoChains(
                    journal.index.special,
                    journal.index.ids,
                    journal.index.order,
                    journal.index.find,
                )
                self._known = version, chains
            return self._known[1]


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
    for step in change_set.steps:
        if isinstance(step, Rename):
            return True
        if isinstance(step.before, DirState) and not isinstance(step.after, DirState):
            return True
    return False


def may_exceed(journal: Journal, *, days: float, size: int) -> bool:
    """False when no operation exceeds either limit; much cheaper than finding out which do."""
    total, oldest = journal.weight()
    return total > size or oldest < time.time() - days * 86400


def what_stays(
    journal: Journal, blobs: Blobs, *, days: float, size: int
) -> tuple[list[Line], set[str]]:
    """Return the newest operations within both limits, and every content they need."""
    oldest = time.time() - days * 86400
    keep: list[Line] = []
    wanted: set[str] = set()
    # Contents that are in an older line, which must be kept when that line is pruned.
    carried: dict[str, tuple[int, int]] = {}
    used = 0
    for line in reversed(journal.index.lines):
        new = blobs.with_bases(records.digests_in(journal.body(line))) - wanted
        used += line.length + sum(blobs.stored_size(digest) for digest in new)
        found = {digest: journal.index.contents.locate(digest) for digest in new} | carried
        carried = {d: where for d, where in found.items() if where and where[0] < line.offset}
        inherited = sum(length for _, length in carried.values())
        if keep and (line.head.time < oldest or used + inherited > size):
            break  # the newest always stays
        keep.append(line)
        wanted |= new
    return keep[::-1], wanted

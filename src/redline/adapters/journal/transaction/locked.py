"""The first phase: the paths of a change are locked, nothing has been read or written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from redline.adapters.files.locks import Held
from redline.adapters.journal.steps.file_guards import FileGuards
from redline.adapters.journal.steps.handles import DirectoryHandles
from redline.core.ports.history import Origin

if TYPE_CHECKING:
    from redline.adapters.journal.store import DiskStore


class ChangeRequest(NamedTuple):
    """Who asked for a change, and what kind of operation it becomes."""

    origin: Origin
    kind: str
    reverts: str | None


@dataclass(slots=True)
class LockedPaths:
    """Everything one change holds on to, from its first lock to `release`."""

    store: DiskStore
    path_locks: Held
    handles: DirectoryHandles
    guards: FileGuards
    blob_lock: int | None = None

    def hold_blobs(self) -> None:
        """Keep pruning from removing contents that no journal line names yet."""
        self.blob_lock = self.store.hold_blobs()

    def release(self) -> None:
        """Release every lock and close every handle; harmless when called twice."""
        self.store.release_blobs(self.blob_lock)
        self.blob_lock = None
        self.handles.close()
        self.guards.release()
        self.path_locks.release()


def hold(store: DiskStore, path_locks: Held, handles: DirectoryHandles) -> LockedPaths:
    """Everything that a change of *store* with these locks holds on to."""
    return LockedPaths(store, path_locks, handles, FileGuards(store.disk, store.show))

"""Park a workspace and wake it: all of it or nothing, whenever it is interrupted.

The workspace is at its path, or beside it under a name that says how far a move came:

- `parking`: no longer in use, not yet in the store. It is moved back.
- `removing`: in the store. The rest of it is removed.
- `waking`: not yet complete. It is removed and fetched again.

The history in its state directory follows; where the files are decides.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from redline.adapters.files.registry import FORMER, read_former_paths
from redline.core.errors import CannotApply, InvalidArgument, StoreUnavailable
from redline.teams.adapters.parked.chunks import ChunkPlace, ChunkReader, ChunkWriter
from redline.teams.adapters.parked.manifest import (
    Manifest,
    ParkedState,
    delete_unused,
    load_manifest,
    load_state,
    save_manifest,
    save_state,
)
from redline.teams.adapters.parked.signing import ParkKeys
from redline.teams.adapters.parked.snapshot import TreeEntry, read_tree, write_tree
from redline.teams.ports import ObjectStore, Progress

# Caches, notices of running processes and secrets beside a history: neither parked nor woken.
_LEFT_OUT = ("index", "parsers", "server-", "review-", "hooks", "group-", "park-")


class MovedWorkspace(NamedTuple):
    """A workspace's name, its directory, and that of its history; the owner is machine and path."""

    name: str
    root: str
    state_dir: str
    owner: str


class MoveReport(NamedTuple):
    """How many files a workspace has, and how many bytes went over the network."""

    files: int
    moved_bytes: int


def park(
    moved: MovedWorkspace, store: ObjectStore, keys: ParkKeys, *, again: bool = False
) -> MoveReport:
    """Put a workspace that is not in use into *store*, signed, and remove it here.

    InvalidArgument where another workspace rests or is awake; *again* overrides that.
    """
    if _finish_removal(moved):
        return MoveReport(0, 0)
    _move_back(moved)
    before = load_state(store)
    if not os.path.isdir(moved.root):
        return _keep_parked(moved, store, before, keys)
    if before is not None and not again:
        _check_owner(moved, before)
    writer = ChunkWriter(store, _known_chunks(store, before, keys))
    files, history = _read(moved.root, moved.state_dir, writer, [], [])
    with _set_aside(moved):
        root, state = _beside(moved.root, "parking"), _beside(moved.state_dir, "parking")
        # What was written meanwhile; from here on no program finds it by its path.
        writer.used.clear()
        files, history = _read(root, state, writer, files, history)
        chunks = {digest: writer.places[digest] for digest in sorted(writer.used)}
        manifest = Manifest(moved.root, files, history, chunks)
        name = save_manifest(store, manifest)
        writer.verify(chunks.values())
        load_manifest(store, name)  # what cannot be read back is not in the store
        save_state(store, ParkedState(moved.name, name, moved.owner).sign(keys))
    os.rename(_beside(moved.root, "parking"), _beside(moved.root, "removing"))
    _finish_removal(moved)
    with suppress(StoreUnavailable):  # the next time removes it
        delete_unused(store, name, manifest)
    return MoveReport(sum(entry.kind == "file" for entry in files), writer.stored_bytes)


def _known_chunks(
    store: ObjectStore, before: ParkedState | None, keys: ParkKeys
) -> dict[str, ChunkPlace]:
    """Return where chunks are that need not be sent again: those of a server that is trusted."""
    if before is None or not before.is_signed or not keys.trusts(before.key):
        return {}
    return load_manifest(store, before.manifest).chunks


def _keep_parked(
    moved: MovedWorkspace, store: ObjectStore, before: ParkedState | None, keys: ParkKeys
) -> MoveReport:
    """Go on after a move that was interrupted when everything was in the store."""
    if before is None or moved.owner not in (before.awake_at, before.parked_by):
        raise InvalidArgument(f"There is no directory to park: {moved.root}", field="name")
    if before.awake_at:
        before.check(keys)
        save_state(store, before._replace(awake_at="", parked_by=moved.owner).sign(keys))
    return MoveReport(0, 0)


def wake(
    moved: MovedWorkspace,
    store: ObjectStore,
    keys: ParkKeys,
    *,
    again: bool = False,
    progress: Progress = lambda _done, _all: None,
) -> MoveReport:
    """Bring a workspace back from *store*, with its history.

    InvalidArgument when it is awake elsewhere; *again* overrides that. InvalidArgument when it is
    another workspace, or a server parked it that *keys* do not trust.
    """
    _finish_removal(moved)
    _move_back(moved)
    found = load_state(store)
    if os.path.lexists(moved.root):  # it never left, or is back already
        if found is not None and (found.parked_by, found.awake_at) == (moved.owner, ""):
            save_state(store, found._replace(awake_at=moved.owner))
        return MoveReport(0, 0)
    if found is None:
        raise InvalidArgument("No workspace is parked there", field="url")
    found.check(keys)
    if found.name != moved.name:
        raise InvalidArgument(
            f"Another workspace is parked there: {found.name}",
            field="name",
            hint="wake it under its own name",
        )
    if found.awake_at not in ("", moved.owner) and not again:
        raise InvalidArgument(
            f"The workspace is awake elsewhere: {found.awake_at}",
            field="name",
            hint="park it there first, or pass --again if that copy is lost",
        )
    manifest = load_manifest(store, found.manifest)
    _check_fits(moved, manifest)
    save_state(store, found._replace(awake_at=moved.owner))
    _fetch(moved, manifest, ChunkReader(store, manifest.chunks, progress))
    files = [entry for entry in manifest.files if entry.kind == "file"]
    return MoveReport(len(files), sum(place.length for place in manifest.chunks.values()))


def _check_fits(moved: MovedWorkspace, manifest: Manifest) -> None:
    """Refuse a history with names that are never parked, and what the disk has no room for."""
    private = [entry.path for entry in manifest.history if _is_left_out(entry.path)]
    if private:
        raise StoreUnavailable(
            f"What is parked there brings a file that is never parked: {private[0][:100]}"
        )
    needed = sum(
        manifest.chunks[digest].length
        for entry in (*manifest.files, *manifest.history)
        for digest in entry.chunks
    )
    folder = os.path.dirname(moved.root)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise CannotApply(
            f"The workspace needs {needed} bytes, and {free} are free", hint="make room for it"
        )


def _fetch(moved: MovedWorkspace, manifest: Manifest, reader: ChunkReader) -> None:
    """Write everything beside its place, then move it there."""
    root, state = _beside(moved.root, "waking"), _beside(moved.state_dir, "waking")
    for half, entries in ((state, manifest.history), (root, manifest.files)):
        _remove(half)
        os.makedirs(os.path.dirname(half), mode=0o700, exist_ok=True)
        if entries:
            write_tree(half, entries, reader)
    if os.path.lexists(moved.state_dir):  # of an interrupted move, or of another workspace
        os.rename(moved.state_dir, _beside(moved.state_dir, f"old-{time.time_ns()}"))
    if manifest.history:
        if manifest.root != moved.root:
            _note_former_path(state, manifest.root)
        os.rename(state, moved.state_dir)
    os.rename(root, moved.root)


def _note_former_path(state: str, path: str) -> None:
    """Let the history, which names files by their paths, be about the workspace at its new one."""
    known = read_former_paths(state)
    if path not in known:
        with open(os.path.join(state, FORMER), "w", encoding="utf-8") as stream:
            json.dump([*known, path], stream)


def is_half_parked(moved: MovedWorkspace) -> bool:
    """Return whether something of a workspace that is marked as parked is still here."""
    halves = (_beside(moved.root, "parking"), _beside(moved.root, "removing"))
    return any(os.path.isdir(path) for path in (moved.root, *halves))


def _check_owner(moved: MovedWorkspace, before: ParkedState) -> None:
    """Refuse to replace another workspace, or a newer copy of this one."""
    last = before.awake_at or before.parked_by
    if before.name == moved.name and last == moved.owner:
        return
    what = "is awake" if before.awake_at else "rests"
    raise InvalidArgument(
        f"The workspace {before.name} of {last} {what} at this address",
        field="url",
        hint="choose another address, or pass --again to replace it",
    )


def _read(
    root: str,
    state: str,
    writer: ChunkWriter,
    files: list[TreeEntry],
    history: list[TreeEntry],
) -> tuple[list[TreeEntry], list[TreeEntry]]:
    known = ({entry.path: entry for entry in each} for each in (files, history))
    found = read_tree(root, writer, next(known))
    kept = read_tree(state, writer, next(known), _is_left_out) if os.path.isdir(state) else []
    writer.flush()
    return found, kept


def _is_left_out(path: str) -> bool:
    return "/" not in path and path.startswith(_LEFT_OUT)


@contextmanager
def _set_aside(moved: MovedWorkspace) -> Iterator[None]:
    """Move a workspace out of reach; back again if the block fails."""
    os.rename(moved.root, _beside(moved.root, "parking"))
    try:
        if os.path.isdir(moved.state_dir):
            os.rename(moved.state_dir, _beside(moved.state_dir, "parking"))
        yield
    except BaseException:
        _move_back(moved)
        raise


def _move_back(moved: MovedWorkspace) -> None:
    """Undo `_set_aside`: nothing was removed yet."""
    half = _beside(moved.root, "parking")
    if os.path.isdir(half):
        kept = _beside(moved.state_dir, "parking")
        if os.path.isdir(kept):
            os.rename(kept, moved.state_dir)
        os.rename(half, moved.root)


def _finish_removal(moved: MovedWorkspace) -> bool:
    """Remove what is in the store already; return whether there was something."""
    half = _beside(moved.root, "removing")
    if not os.path.isdir(half):
        return False
    _remove(_beside(moved.state_dir, "parking"))
    _remove(half)
    return True


def _remove(path: str) -> None:
    if os.path.isdir(path):
        _make_writable(path)
        shutil.rmtree(path)


def _make_writable(top: str) -> None:
    os.chmod(top, 0o700)
    for folder, names, _ in os.walk(top):
        for name in names:
            whole = os.path.join(folder, name)
            if not os.path.islink(whole):
                os.chmod(whole, 0o700)


def _beside(path: str, what: str) -> str:
    folder, name = os.path.split(path.rstrip(os.sep))
    return os.path.join(folder, f".{name}.redline-{what}")

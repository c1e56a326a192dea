"""What is parked at an address: one small object says which manifest counts."""

from __future__ import annotations

import gzip
import hashlib
import json
from typing import Any, NamedTuple

from redline.adapters.workspaces.parked.chunks import PACKS, ChunkPlace
from redline.adapters.workspaces.parked.snapshot import TreeEntry, decode_entry
from redline.core.errors import StoreUnavailable
from redline.core.ports.many.objects import ObjectStore

_CURRENT, _MANIFESTS = "current.json", "manifests/"


class ParkedState(NamedTuple):
    """Which manifest counts, for which workspace; `parked_by` and `awake_at` name machine and path.

    `awake_at` is "" while the workspace rests.
    """

    name: str
    manifest: str
    parked_by: str
    awake_at: str = ""


class Manifest(NamedTuple):
    """Where a workspace was, its files, its history, and where every chunk of them is."""

    root: str
    files: list[TreeEntry]
    history: list[TreeEntry]
    chunks: dict[str, ChunkPlace]


def load_state(store: ObjectStore) -> ParkedState | None:
    """Return what is parked there."""
    found = store.get(_CURRENT)
    return None if found is None else ParkedState(**_parse(found))


def save_state(store: ObjectStore, state: ParkedState) -> None:
    """Say what is parked there: the one step that counts."""
    store.put(_CURRENT, json.dumps(state._asdict(), indent=1).encode())


def load_manifest(store: ObjectStore, name: str) -> Manifest:
    """Return a manifest; StoreUnavailable when it is gone or changed."""
    found = store.get(name)
    if found is None or _MANIFESTS + hashlib.sha256(found).hexdigest() != name:
        raise StoreUnavailable(f"The object store lost or changed a manifest: {name}")
    body = _parse(gzip.decompress(found))
    return Manifest(
        body["root"],
        [decode_entry(entry) for entry in body["files"]],
        [decode_entry(entry) for entry in body["history"]],
        {digest: ChunkPlace(*place) for digest, place in body["chunks"].items()},
    )


def save_manifest(store: ObjectStore, manifest: Manifest) -> str:
    """Store a manifest; return its name."""
    body = {
        "version": 1,
        "root": manifest.root,
        "files": [entry.encode() for entry in manifest.files],
        "history": [entry.encode() for entry in manifest.history],
        "chunks": manifest.chunks,
    }
    data = gzip.compress(json.dumps(body).encode(), mtime=0)
    name = _MANIFESTS + hashlib.sha256(data).hexdigest()
    store.put(name, data)
    return name


def delete_unused(store: ObjectStore, name: str, manifest: Manifest) -> None:
    """Remove what only earlier manifests, or an interrupted move, needed."""
    used = {name, *(place.pack for place in manifest.chunks.values())}
    for prefix in (_MANIFESTS, PACKS):
        for each in store.list(prefix):
            if each not in used:
                store.delete(each)


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        raise StoreUnavailable("The object store holds something else than a workspace") from None

"""What is parked at an address: one small object says which manifest counts.

A writer to the store can put anything there. So nothing is used before it was checked:
the object is signed by a server that this one trusts, the manifest has the digest that was signed,
and every entry of it stays beneath its top (see `snapshot.check_entries`).
"""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any, NamedTuple

from redline.core.errors import InvalidArgument, StoreUnavailable
from redline.teams.adapters.parked.chunks import CHUNK_BYTES, PACKS, ChunkPlace
from redline.teams.adapters.parked.signing import ParkKeys, is_signed
from redline.teams.adapters.parked.snapshot import LINK, TreeEntry, decode_entries
from redline.teams.ports import ObjectStore

_CURRENT, _MANIFESTS = "current.json", "manifests/"
_MAX_STATE = 64 << 10
# Enough for half a million files.
_MAX_MANIFEST, _MAX_COMPRESSED = 256 << 20, 64 << 20
# Short values take many times their text once they are read.
_MAX_LISTS, _MAX_VALUES = 2 << 20, 12 << 20


class ParkedState(NamedTuple):
    """Which manifest counts, for which workspace; `parked_by` and `awake_at` name machine and path.

    `awake_at` is "" while the workspace rests. `signature` is that of the server that parked it,
    which `key` belongs to; it does not cover `awake_at`, which another server writes.
    """

    name: str
    manifest: str
    parked_by: str
    awake_at: str = ""
    key: str = ""
    signature: str = ""

    def sign(self, keys: ParkKeys) -> ParkedState:
        """Return it with the signature of this server."""
        return self._replace(key=keys.own, signature=keys.sign(self[:3]))

    @property
    def is_signed(self) -> bool:
        """Whether `key` signed it."""
        return is_signed(self[:3], self.key, self.signature)

    def check(self, keys: ParkKeys) -> None:
        """Refuse what no trusted server parked: StoreUnavailable, InvalidArgument."""
        if not self.is_signed:
            raise StoreUnavailable(
                "What is parked there is not signed by the server that parked it, or was changed"
            )
        if not keys.trusts(self.key):
            raise InvalidArgument(
                f"Another server parked this workspace; its key is {self.key}",
                field="trust",
                hint="if `redline workspace key` prints the same there, pass it with --trust",
            )


class Manifest(NamedTuple):
    """Where a workspace was, its files, its history, and where every chunk of them is."""

    root: str
    files: list[TreeEntry]
    history: list[TreeEntry]
    chunks: dict[str, ChunkPlace]


def load_state(store: ObjectStore) -> ParkedState | None:
    """Return the record of what is parked; None without one. Only its form is checked."""
    found = store.get(_CURRENT, _MAX_STATE)
    if found is None:
        return None
    body = _parse(found)
    if not isinstance(body, dict) or not all(isinstance(each, str) for each in body.values()):
        raise _wrong("current.json is no record of texts")
    try:
        return ParkedState(**body)
    except TypeError:
        raise _wrong("current.json has other fields") from None


def save_state(store: ObjectStore, state: ParkedState) -> None:
    """Say what is parked there: the one step that counts."""
    store.put(_CURRENT, json.dumps(state._asdict(), indent=1).encode())


def load_manifest(store: ObjectStore, name: str) -> Manifest:
    """Return a manifest; StoreUnavailable when it is gone, changed or not one."""
    found = store.get(name, _MAX_COMPRESSED) if name.startswith(_MANIFESTS) else None
    if found is None or _MANIFESTS + hashlib.sha256(found).hexdigest() != name:
        raise StoreUnavailable(f"The object store lost or changed a manifest: {name[:100]}")
    body = _parse(_decompress(found))
    try:
        chunks = {digest: _read_place(place) for digest, place in body["chunks"].items()}
        root, lists = body["root"], (body["files"], body["history"])
        if not isinstance(root, str):
            raise TypeError
        files, history = (decode_entries(entries, chunks) for entries in lists)
        if any(entry.kind == LINK for entry in history):
            raise ValueError("what is written to its history would follow a link")
    except (AttributeError, KeyError, TypeError):
        raise _wrong("the manifest has other fields") from None
    except ValueError as failure:
        raise _wrong(str(failure)) from None
    return Manifest(root, files, history, chunks)


def _read_place(place: object) -> ChunkPlace:
    """Return where a chunk is; TypeError, ValueError."""
    if not isinstance(place, list) or [type(each) for each in place] != [str, int, int]:
        raise TypeError
    found = ChunkPlace(*place)
    if not found.pack.startswith(PACKS) or found.start < 0 or not 0 < found.length <= CHUNK_BYTES:
        raise ValueError("a chunk is at no place of a pack")
    return found


def save_manifest(store: ObjectStore, manifest: Manifest) -> str:
    """Store a manifest; return its name."""
    body = {
        "version": 1,
        "root": manifest.root,
        "files": [entry.encode() for entry in manifest.files],
        "history": [entry.encode() for entry in manifest.history],
        "chunks": manifest.chunks,
    }
    packer = zlib.compressobj(wbits=31)  # gzip without a time: equal manifests have equal names
    data = packer.compress(json.dumps(body).encode()) + packer.flush()
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


def _decompress(data: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(data, _MAX_MANIFEST + 1)
    except zlib.error:
        raise _wrong("the manifest is not compressed") from None
    if len(found) > _MAX_MANIFEST or not unpacker.eof:
        raise _wrong("the manifest is too long or cut off")
    if found.count(b"[") + found.count(b"{") > _MAX_LISTS or found.count(b",") > _MAX_VALUES:
        raise _wrong("the manifest has too many entries")
    return found


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise _wrong("no JSON") from None


def _wrong(why: str) -> StoreUnavailable:
    return StoreUnavailable(f"The object store holds something else than a workspace: {why}")

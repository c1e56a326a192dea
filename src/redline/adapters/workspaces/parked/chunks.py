"""Contents in packs: each chunk is stored once, under the digest of what it holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO, NamedTuple

from redline.core.errors import StoreUnavailable
from redline.core.ports.teams import ObjectStore, Progress

# Large files are cut, so that one that grows at its end is mostly known already.
CHUNK_BYTES = 4 << 20
PACK_BYTES = 16 << 20
PACKS = "packs/"
# A pack is stored when it is full: its last chunk may reach beyond.
_MAX_PACK = PACK_BYTES + CHUNK_BYTES


class ChunkPlace(NamedTuple):
    """Where a chunk is: the name of its pack and the bytes of it."""

    pack: str
    start: int
    length: int


class ChunkWriter:
    """Puts chunks that *known* does not have into packs; `flush` stores what is left."""

    def __init__(self, store: ObjectStore, known: Mapping[str, ChunkPlace]) -> None:
        self._store = store
        self.places = dict(known)
        self.used: set[str] = set()
        self.stored_bytes = 0
        self._new: set[str] = set()
        self._waiting: list[tuple[str, bytes]] = []
        self._size = 0

    def add(self, stream: BinaryIO) -> list[str]:
        """Store what *stream* holds; return the digests of its chunks, in order."""
        return [self._add(chunk) for chunk in _cut(stream)]

    def _add(self, chunk: bytes) -> str:
        digest = hashlib.sha256(chunk).hexdigest()
        if digest not in self.places and digest not in self.used:
            self._waiting.append((digest, chunk))
            self._size += len(chunk)
        self.used.add(digest)
        if self._size >= PACK_BYTES:
            self.flush()
        return digest

    def flush(self) -> None:
        """Store the pack that is being filled."""
        if not self._waiting:
            return
        body = b"".join(chunk for _, chunk in self._waiting)
        # Named by content: after an interruption the same pack is found, and not sent again.
        name = _name_of(body)
        if not self._store.has(name):
            self._store.put(name, body)
            self._new.add(name)
            self.stored_bytes += len(body)
        start = 0
        for digest, chunk in self._waiting:
            self.places[digest] = ChunkPlace(name, start, len(chunk))
            start += len(chunk)
        self._waiting, self._size = [], 0

    def verify(self, places: Iterable[ChunkPlace]) -> None:
        """Read back the packs that were stored now, and look for the others; StoreUnavailable."""
        for name in sorted({place.pack for place in places}):
            if name in self._new:
                body = self._store.get(name, _MAX_PACK)
                is_there = body is not None and name == _name_of(body)
            else:
                is_there = self._store.has(name)
            if not is_there:
                raise StoreUnavailable(f"The object store lost or changed a pack: {name}")


class ChunkReader:
    """Reads chunks and checks them; packs that were just read are kept."""

    def __init__(
        self,
        store: ObjectStore,
        places: Mapping[str, ChunkPlace],
        progress: Progress = lambda _done, _all: None,
    ) -> None:
        self._store = store
        self._places = places
        self._progress = progress
        self._done, self._all = 0, sum(place.length for place in places.values())
        self._packs: dict[str, bytes] = {}

    def read(self, digest: str) -> bytes:
        """Return a chunk; StoreUnavailable when it is not what was stored."""
        place = self._places.get(digest)
        body = self._load(place.pack) if place is not None else None
        if place is not None and body is not None:
            chunk = body[place.start : place.start + place.length]
            if hashlib.sha256(chunk).hexdigest() == digest:
                self._done += len(chunk)
                self._progress(min(self._done, self._all), self._all)
                return chunk
        raise StoreUnavailable(f"The object store lost or changed a part of a file: {digest}")

    def _load(self, pack: str) -> bytes | None:
        if pack not in self._packs:
            body = self._store.get(pack, _MAX_PACK)
            if body is None:
                return None
            while len(self._packs) >= 4:
                self._packs.pop(next(iter(self._packs)))
            self._packs[pack] = body
        return self._packs[pack]


def _name_of(pack: bytes) -> str:
    return PACKS + hashlib.sha256(pack).hexdigest()


def _cut(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK_BYTES):
        yield chunk

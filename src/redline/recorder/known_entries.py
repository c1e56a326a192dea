"""Everything that is known of the workspace's entries, packed so that a million fit in memory."""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping
from typing import Any

from redline.core.changes import DirState, FileState, LinkState, State
from redline.core.paths import WorkspacePath
from redline.recorder.ports import KnownEntry

# As objects an entry takes about 1,000 bytes, packed about 130.
_Packed = tuple[Any, ...]


class KnownEntries:
    """Entries by directory and name: each directory packed, but for the one used last."""

    def __init__(self) -> None:
        self._packed: dict[WorkspacePath, bytes] = {}
        self._directory: WorkspacePath | None = None
        self._here: dict[str, KnownEntry] = {}
        self._is_changed = False

    def __contains__(self, directory: object) -> bool:
        """Return whether something is or was known in *directory*."""
        return directory in self._packed

    def beneath(self, path: WorkspacePath) -> list[WorkspacePath]:
        """Return the directories with known entries that are *path* or beneath it."""
        return [directory for directory in self._packed if directory.is_beneath(path)]

    def of(self, directory: WorkspacePath) -> Mapping[str, KnownEntry]:
        """Return the entries of a directory by name, as they are until the next change."""
        if directory != self._directory:
            packed = self._packed.get(directory)
            if packed is None:
                return {}
            self._pack()
            self._directory, self._here = directory, dict(_unpack(packed))
        return self._here

    def at(self, path: WorkspacePath) -> KnownEntry | None:
        """Return what is known at *path*."""
        return self.of(path.parent).get(path.name)

    def put(self, path: WorkspacePath, entry: KnownEntry) -> None:
        """Know *entry* at *path* from now on."""
        directory = path.parent
        if directory not in self._packed:
            self._pack()
            self._packed[directory] = b""
            self._directory, self._here = directory, {}
        self.of(directory)
        self._here[path.name] = entry
        self._is_changed = True

    def remove(self, path: WorkspacePath) -> KnownEntry | None:
        """Know nothing at *path* from now on; return what was known."""
        if path.name not in self.of(path.parent):
            return None
        self._is_changed = True
        return self._here.pop(path.name)

    def remove_all(self, directory: WorkspacePath) -> Mapping[str, KnownEntry]:
        """Know nothing in *directory* from now on; return what was known."""
        entries = self.of(directory)
        if directory == self._directory:
            self._directory, self._here, self._is_changed = None, {}, False
        self._packed.pop(directory, None)
        return entries

    def _pack(self) -> None:
        if self._directory is not None and self._is_changed:
            rows = {name: (entry.mark, *_plain(entry.state)) for name, entry in self._here.items()}
            self._packed[self._directory] = marshal.dumps(rows)
        self._is_changed = False


def _unpack(packed: bytes) -> Iterator[tuple[str, KnownEntry]]:
    # Only ever what `_pack` packed in this process.
    rows: dict[str, _Packed] = marshal.loads(packed)  # noqa: S302
    for name, (mark, *state) in rows.items():
        yield name, KnownEntry(mark, _state(*state))


def _plain(state: State | None) -> _Packed:
    if isinstance(state, FileState):
        return (bytes.fromhex(state.digest), state.size, state.mode)
    if isinstance(state, DirState):
        return (state.mode,)
    if isinstance(state, LinkState):
        return ("link", state.target)
    return ()


def _state(*plain: Any) -> State | None:
    match plain:
        case (digest, size, mode):
            return FileState(digest.hex(), size, mode)
        case ("link", target):
            return LinkState(target)
        case (mode,):
            return DirState(mode)
    return None

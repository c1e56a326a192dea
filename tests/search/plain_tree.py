"""A Tree over one plain directory, for tests that need no guard."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from redline.core.changes import ABSENT, DirState, FileState, LinkState, State
from redline.core.errors import NotFound
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Entry, Folder, Kind

_KINDS = {stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.DIRECTORY, stat.S_IFLNK: Kind.SYMLINK}


class PlainTree:
    """Reads below `base`; enough of ports.Tree for walking and planning."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def _at(self, path: WorkspacePath) -> Path:
        return self.base.joinpath(*path.parts)

    def stat(self, path: WorkspacePath) -> Entry | None:
        try:
            facts = os.lstat(self._at(path))
        except (FileNotFoundError, NotADirectoryError):
            return None
        kind = _KINDS.get(stat.S_IFMT(facts.st_mode), Kind.OTHER)
        mode = stat.S_IMODE(facts.st_mode)
        return Entry(path, kind, facts.st_size, mode, facts.st_mtime_ns)

    def read(self, path: WorkspacePath, limit: int | None = None) -> bytes:
        try:
            return self._at(path).read_bytes()
        except FileNotFoundError:
            raise NotFound(path.relative) from None

    def read_range(self, path: WorkspacePath, offset: int, length: int) -> bytes:
        return self.read(path)[offset : offset + length]

    def scan(self, path: WorkspacePath) -> list[Entry]:
        names = sorted(os.listdir(os.fsencode(self._at(path))))
        entries = [self.stat(path.child(os.fsdecode(name))) for name in names]
        return [entry for entry in entries if entry]

    def walk(
        self,
        path: WorkspacePath,
        *,
        depth: int | None = None,
        enter: Callable[[str], bool] | None = None,
    ) -> Iterator[Folder]:
        """Ripgrep asks for it when a search takes long, as on a busy machine."""
        assert depth is None
        base = self._at(path)
        for directory, folders, names in os.walk(base):
            inside = os.path.relpath(directory, base)
            prefix = "" if inside == "." else f"{inside}/"
            folders[:] = sorted(n for n in folders if enter is None or enter(prefix + n))
            places = {name: Path(directory, name) for name in sorted(names)}
            links = [name for name, place in places.items() if place.is_symlink()]
            files = [n for n, place in places.items() if n not in links and place.is_file()]
            others = [name for name in places if name not in links and name not in files]
            yield Folder(prefix, list(folders), files, links, others)

    def read_link(self, path: WorkspacePath) -> str:
        return os.readlink(self._at(path))

    def state(self, path: WorkspacePath) -> State:
        entry = self.stat(path)
        if entry is None:
            return ABSENT
        if entry.kind is Kind.DIRECTORY:
            return DirState(entry.mode)
        if entry.kind is Kind.SYMLINK:
            return LinkState(self.read_link(path))
        return FileState.of(self.read(path), entry.mode)

"""A disk that forgets at a power cut what was not synced.

The real file system carries out every operation; beside it this model keeps what a disk would
still hold if the power went now: a file's bytes and a directory's entries as of the last sync of
each. At the cut, each operation and each write that was not synced is kept or lost as a
policy says, and the directories are rebuilt from what is left.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from redline.adapters.files.disk import Dir
from redline.adapters.files.platform import choose_disk
from tests.support import LONG

CUT = 9
# Whether an unsynced (entry, content) survives.
Policy = Callable[[str], bool]
POLICIES: dict[str, Callable[[], Policy]] = {
    "everything lost": lambda: lambda _: False,
    "entries kept, contents lost": lambda: lambda what: what == "entry",
    "contents kept, entries lost": lambda: lambda what: what == "content",
    "everything kept": lambda: lambda _: True,
    "luck 1": lambda: _luck(1),
    "luck 2": lambda: _luck(2),
    "luck 3": lambda: _luck(3),
    "luck 4": lambda: _luck(4),
}
# One of each kind; more luck takes more time.
CHOSEN = list(POLICIES) if LONG else list(POLICIES)[:5]


def _luck(seed: int) -> Policy:
    chance = random.Random(seed)
    return lambda _: chance.random() < 0.5


@dataclass(slots=True)
class Node:
    """A file, directory or link as the disk holds it."""

    kind: str
    mode: int = 0o644
    data: bytes = b""
    target: str = ""
    entries: dict[str, Node] = field(default_factory=dict)
    # What programs see; `data` and `mode` are what lasts.
    seen: bytes = b""
    seen_mode: int = 0o644


@dataclass(slots=True)
class Pending:
    """An operation on entries that is not on disk yet."""

    touched: tuple[Node, ...]
    apply: Callable[[], None]


class PowerDisk(type(choose_disk())):  # type: ignore[misc]
    """A real disk with the model beside it; cuts the power before operation *cut*.

    *forgets* names a place in the code whose syncs do nothing: a harness that does not notice that
    would prove nothing.
    """

    def __init__(self, tops: list[Path], policy: Policy, cut: int, forgets: str = "") -> None:
        super().__init__()
        self.tops = tops
        self.policy = policy
        self.cut = cut
        self.forgets = forgets
        # The number of an operation that fails because the disk is full.
        self.full = 0
        self.count = 0
        self.sites: set[str] = set()
        self.nodes: dict[tuple[int, int], Node] = {}
        self.pending: list[Pending] = []
        # Entries whose move lasts although their making did not yet: they do not come back.
        self.departed: set[tuple[int, str, int]] = set()
        self.trees = [self._take_in(top) for top in tops]

    def _take_in(self, path: Path) -> Node:
        info = os.lstat(path)
        mode = stat.S_IMODE(info.st_mode)
        if stat.S_ISLNK(info.st_mode):
            node = Node("link", target=os.readlink(path))
        elif stat.S_ISDIR(info.st_mode):
            node = Node("directory", mode, seen_mode=mode)
            node.entries = {child.name: self._take_in(child) for child in path.iterdir()}
        else:
            data = path.read_bytes()
            node = Node("file", mode, data, seen=data, seen_mode=mode)
        self.nodes[info.st_dev, info.st_ino] = node
        return node

    # -- the cut ------------------------------------------------------------------------------

    def _before(self) -> None:
        self.count += 1
        if self.count == self.cut:
            self.power_off()
        if self.count == self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def power_off(self) -> None:
        """Leave on the real file system only what would have survived, and die."""
        for operation in self.pending:
            if self.policy("entry"):
                operation.apply()
        for top, node in zip(self.tops, self.trees, strict=True):
            for child in top.iterdir():
                if child.is_dir() and not child.is_symlink():
                    shutil.rmtree(child)
                else:
                    child.unlink()
            self._rebuild(top, node)
        os._exit(CUT)

    def person_writes(self, path: Path, content: bytes) -> None:
        """Somebody saves a file with an editor that syncs."""
        path.write_bytes(content)
        node = self._node_of(os.stat(path))
        node.data = node.seen = content

    def _rebuild(self, place: Path, directory: Node) -> None:
        for name, node in directory.entries.items():
            path = place / name
            if node.kind == "link":
                path.symlink_to(node.target)
            elif node.kind == "directory":
                path.mkdir()
                self._rebuild(path, node)
                path.chmod(node.mode)
            else:
                kept = node.seen != node.data and self.policy("content")
                path.write_bytes(node.seen if kept else node.data)
                path.chmod(node.seen_mode if kept else node.mode)

    # -- the model ----------------------------------------------------------------------------

    def _node_of(self, info: os.stat_result) -> Node:
        return self.nodes[info.st_dev, info.st_ino]

    def _dir(self, base: Dir) -> Node:
        return self._node_of(os.fstat(int(base)))

    def _at(self, base: Dir, name: str) -> Node:
        return self._node_of(os.stat(name, dir_fd=int(base), follow_symlinks=False))

    def _later(self, *touched: Node, apply: Callable[[], None]) -> None:
        self.pending.append(Pending(touched, apply))

    def _born(self, base: Dir, name: str, node: Node) -> None:
        info = os.stat(name, dir_fd=int(base), follow_symlinks=False)
        node.seen_mode = stat.S_IMODE(info.st_mode)
        if node.kind == "directory":
            node.mode = node.seen_mode
        self.nodes[info.st_dev, info.st_ino] = node
        parent = self._dir(base)

        def apply() -> None:
            if (id(parent), name, id(node)) not in self.departed:
                parent.entries[name] = node

        self._later(parent, apply=apply)

    def _gone(self, base: Dir, name: str, node: Node) -> None:
        parent = self._dir(base)

        def apply() -> None:
            if parent.entries.get(name) is node:
                del parent.entries[name]

        self._later(parent, apply=apply)

    def _moved(self, base: Dir, name: str, to: Dir, new: str, node: Node) -> None:
        source, target = self._dir(base), self._dir(to)

        def apply() -> None:
            if source.entries.get(name) is node:
                del source.entries[name]
            else:
                self.departed.add((id(source), name, id(node)))
            target.entries[new] = node

        self._later(source, target, apply=apply)

    def _written(self, fd: int) -> None:
        node = self._node_of(os.fstat(fd))
        size = os.fstat(fd).st_size
        node.seen = os.pread(fd, size, 0)

    def _remembered(self) -> bool:
        site = sys._getframe(2).f_code.co_qualname
        self.sites.add(site)
        return site != self.forgets

    # -- operations ---------------------------------------------------------------------------

    def create(self, base: Dir, name: str, mode: int = 0o600) -> int:
        self._before()
        fd: int = super().create(base, name, mode)
        self._born(base, name, Node("file", mode))
        return fd

    def open_own(self, base: Dir, name: str) -> int:
        is_new = name not in os.listdir(int(base))
        fd: int = super().open_own(base, name)
        if is_new:
            self._born(base, name, Node("file", 0o600))
        return fd

    def append(self, fd: int, data: bytes) -> None:
        self._before()
        super().append(fd, data)
        self._written(fd)

    def pwrite(self, fd: int, data: bytes, offset: int) -> None:
        self._before()
        super().pwrite(fd, data, offset)
        self._written(fd)

    def truncate(self, fd: int, size: int) -> None:
        self._before()
        super().truncate(fd, size)
        self._written(fd)

    def fchmod(self, fd: int, mode: int) -> None:
        self._before()
        super().fchmod(fd, mode)
        self._node_of(os.fstat(fd)).seen_mode = mode

    def chmod(self, base: Dir, name: str, mode: int) -> None:
        self._before()
        super().chmod(base, name, mode)
        self._at(base, name).seen_mode = mode

    def sync(self, fd: int) -> None:
        self._before()
        if self._remembered():
            node = self._node_of(os.fstat(fd))
            node.data, node.mode = node.seen, node.seen_mode

    def sync_data(self, fd: int) -> None:
        self._before()
        if self._remembered():
            node = self._node_of(os.fstat(fd))
            node.data = node.seen

    def sync_entry(self, base: Dir, name: str) -> None:
        self._before()
        if self._remembered():
            node = self._at(base, name)
            node.data, node.mode = node.seen, node.seen_mode

    def sync_dir(self, base: Dir) -> None:
        self._before()
        if not self._remembered():
            return
        directory = self._dir(base)
        left = []
        for operation in self.pending:
            if any(node is directory for node in operation.touched):
                operation.apply()
            else:
                left.append(operation)
        self.pending = left

    def rename(self, base: Dir, name: str, to: Dir, new: str) -> None:
        self._before()
        node = self._at(base, name)
        super().rename(base, name, to, new)
        self._moved(base, name, to, new, node)

    def rename_new(self, base: Dir, name: str, to: Dir, new: str) -> None:
        self._before()
        node = self._at(base, name)
        super().rename_new(base, name, to, new)
        self._moved(base, name, to, new, node)

    def exchange(self, base: Dir, name: str, to: Dir, new: str) -> None:
        self._before()
        one, other = self._at(base, name), self._at(to, new)
        super().exchange(base, name, to, new)
        source, target = self._dir(base), self._dir(to)

        def apply() -> None:
            if target.entries.get(new) is other:
                self.departed.add((id(source), name, id(one)))
                source.entries[name], target.entries[new] = other, one

        self._later(source, target, apply=apply)

    def unlink(self, base: Dir, name: str) -> None:
        self._before()
        node = self._at(base, name)
        super().unlink(base, name)
        self._gone(base, name, node)

    def mkdir(self, base: Dir, name: str, mode: int = 0o777) -> None:
        self._before()
        super().mkdir(base, name, mode)
        self._born(base, name, Node("directory"))

    def rmdir(self, base: Dir, name: str) -> None:
        self._before()
        node = self._at(base, name)
        super().rmdir(base, name)
        self._gone(base, name, node)

    def symlink(self, base: Dir, name: str, target: str) -> None:
        self._before()
        super().symlink(base, name, target)
        self._born(base, name, Node("link", target=target))

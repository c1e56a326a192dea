"""A process swaps a directory for a link to the outside, over and over, while we work in it.

    python -m tests.faults.race [opens] [mutations]

Counts escapes: a read that saw the outside, a change that reached it. Prints one line per
way of opening; the naive way (check the real path, then open it) is there for comparison.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from redline.adapters.files.disk import Dir, Disk
from redline.adapters.files.platform import choose_disk

_EXCHANGE = 2
_AT_FDCWD = -100
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}[os.uname().machine]
INSIDE, OUTSIDE = b"inside", b"outside: never to be seen"
VICTIMS = ("f", "victim", "source", "kept", "directory")


@dataclass(slots=True)
class Report:
    """What happened: how many tries got through, were refused, and escaped."""

    passed: int = 0
    refused: int = 0
    escapes: dict[str, int] = field(default_factory=dict)

    def escaped(self, what: str) -> None:
        self.escapes[what] = self.escapes.get(what, 0) + 1


@contextmanager
def swapping(
    top: Path,
    pause: float | tuple[float, float] = 0.0,
    prepare: Callable[[Path], None] | None = None,
) -> Iterator[Path]:
    """A workspace whose directory `d` is, at any moment, itself or a link to the outside.

    *pause* may differ for the two. *prepare* gets the workspace before anything moves.
    """
    root, outside = top / "ws", top / "outside"
    for place, content in ((root / "d", INSIDE), (outside, OUTSIDE)):
        place.mkdir(parents=True)
        for name in VICTIMS[:-1]:
            (place / name).write_bytes(content)
        (place / "directory").mkdir()
    (outside / "only-outside").write_bytes(OUTSIDE)
    (root / "trap").symlink_to(outside)
    if prepare is not None:
        prepare(root)
    child = os.fork()
    if child == 0:
        _swap_for_ever(os.fsencode(root / "d"), os.fsencode(root / "trap"), pause)
    try:
        yield root
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _swap_for_ever(one: bytes, other: bytes, pause: float | tuple[float, float]) -> None:
    syscall = ctypes.CDLL(None).syscall
    parent = os.getppid()
    inside, outside = pause if isinstance(pause, tuple) else (pause, pause)
    while os.getppid() == parent:
        for _ in range(1 if outside else 1000):
            syscall(_RENAMEAT2, _AT_FDCWD, one, _AT_FDCWD, other, _EXCHANGE)
        if outside:
            time.sleep(outside)
            syscall(_RENAMEAT2, _AT_FDCWD, one, _AT_FDCWD, other, _EXCHANGE)
            time.sleep(inside)
    os._exit(0)


def outside_now(root: Path) -> dict[str, bytes]:
    """The outside, to compare."""
    outside = root.parent / "outside"
    return {
        str(path.relative_to(outside)): path.read_bytes() if path.is_file() else b"/"
        for path in outside.rglob("*")
    }


def race_opens(disk: Disk, root: Path, count: int) -> Report:
    """Read `d/f` *count* times."""
    report = Report()
    handle = disk.open_root(str(root))
    for _ in range(count):
        try:
            fd = disk.open_read(handle, ("d", "f"))
        except OSError:
            report.refused += 1
            continue
        if os.read(fd, 100) != INSIDE:
            report.escaped("open")
        os.close(fd)
        report.passed += 1
    disk.close_dir(handle)
    return report


def race_mutations(disk: Disk, root: Path, count: int) -> Report:
    """Change things in `d` *count* times in each way."""
    report = Report()
    handle = disk.open_root(str(root))
    for what, work in _MUTATIONS.items():
        before = outside_now(root)
        for number in range(count):
            try:
                parent = disk.open_dir(handle, ("d",))
            except OSError:
                report.refused += 1
                continue
            try:
                work(disk, parent, number)
                report.passed += 1
            except AssertionError:
                report.escaped(what)
            finally:
                disk.close_dir(parent)
        if outside_now(root) != before:
            report.escaped(what)
    disk.close_dir(handle)
    return report


def _create(disk: Disk, parent: Dir, number: int) -> None:
    name = f"new-{number}"
    os.close(disk.create(parent, name))
    disk.unlink(parent, name)


def _mkdir(disk: Disk, parent: Dir, number: int) -> None:
    name = f"dir-{number}"
    disk.mkdir(parent, name)
    disk.rmdir(parent, name)


def _rename(disk: Disk, parent: Dir, number: int) -> None:
    disk.rename(parent, "source", parent, "elsewhere")
    disk.rename_new(parent, "elsewhere", parent, "source")


def _unlink(disk: Disk, parent: Dir, number: int) -> None:
    disk.unlink(parent, "victim")
    fd = disk.create(parent, "victim")
    os.write(fd, INSIDE)
    os.close(fd)


def _symlink(disk: Disk, parent: Dir, number: int) -> None:
    disk.symlink(parent, f"link-{number}", "nowhere")
    disk.unlink(parent, f"link-{number}")


def _chmod(disk: Disk, parent: Dir, number: int) -> None:
    disk.chmod(parent, "kept", 0o600 + number % 2)


def _list(disk: Disk, parent: Dir, number: int) -> None:
    assert "only-outside" not in disk.names(parent)


_MUTATIONS: dict[str, Callable[[Disk, Dir, int], None]] = {
    "create": _create,
    "mkdir": _mkdir,
    "rename": _rename,
    "unlink": _unlink,
    "symlink": _symlink,
    "chmod": _chmod,
    "list": _list,
}


class NaiveDisk(Disk):
    """What many servers do: check where the path leads, then open it by name."""

    def open_root(self, path: str) -> Dir:
        self.top = os.path.realpath(path)
        return super().open_root(path)

    def _beneath(self, base: int, parts: object, flags: int, mode: int) -> int:
        assert isinstance(parts, tuple)
        path = os.path.join(self.top, *parts)
        real = os.path.realpath(path)
        if os.path.commonpath([real, self.top]) != self.top:
            raise PermissionError(path)
        return os.open(path, flags, mode)


WAYS: dict[str, Callable[[], Disk]] = {"chosen": choose_disk, "walk": Disk, "naive": NaiveDisk}


def main() -> None:
    """Race every way and print what escaped."""
    opens = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    mutations = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    for name, way in WAYS.items():
        with tempfile.TemporaryDirectory() as top, swapping(Path(top)) as root:
            reads = race_opens(way(), root, opens)
            changes = Report()
            if name != "naive":
                changes = race_mutations(way(), root, mutations)
        print(
            f"{name:<8} opens: {reads.passed} inside, {reads.refused} refused, "
            f"escapes {reads.escapes or 0}; changes: {changes.passed} inside, "
            f"{changes.refused} refused, escapes {changes.escapes or 0}"
        )


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()

"""Reading beneath a root: regular files only, never through a link, never blocking."""

from __future__ import annotations

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from redline.adapters.files.disk import Disk
from redline.adapters.files.platform import choose_disk
from redline.adapters.files.tree import STAGED, DiskTree
from redline.adapters.files.workspace import DiskWorkspace
from redline.core.changes import ABSENT, DirState, FileState, LinkState
from redline.core.errors import (
    IsADirectory,
    NotADirectory,
    NotARegularFile,
    NotFound,
    SymlinkEscape,
    TooLarge,
)
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import FactLists, Kind
from tests.support import open_below


@pytest.fixture(params=["chosen", "walk"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> DiskTree:
    disk = choose_disk() if request.param == "chosen" else Disk()
    return DiskTree(disk, DiskWorkspace(disk, [str(tmp_path)]))


def _at(*parts: str) -> WorkspacePath:
    return WorkspacePath(0, parts)


def test_a_file_is_read_whole_or_in_part(tree: DiskTree, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"0123456789")
    assert tree.read(_at("f")) == b"0123456789"
    assert tree.read_range(_at("f"), 2, 3) == b"234"
    assert tree.read_range(_at("f"), 8, 30) == b"89"
    assert tree.read(_at("f"), limit=10) == b"0123456789"


def test_the_size_is_checked_before_reading(tree: DiskTree, tmp_path: Path) -> None:
    with open(tmp_path / "big", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TooLarge) as caught:
        tree.read(_at("big"), limit=100)
    assert caught.value.details["size"] == 1 << 40


def test_what_is_no_regular_file_is_never_read(tree: DiskTree, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "sock"))
        for name in ("fifo", "sock"):
            with pytest.raises(NotARegularFile):
                tree.read(_at(name))
            with pytest.raises(NotARegularFile):
                tree.state(_at(name))
    entry = tree.stat(_at("fifo"))
    assert entry is not None
    assert entry.kind is Kind.OTHER


def test_links_are_never_followed(tree: DiskTree, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_text("x")
    (tmp_path / "file").symlink_to("d/f")
    (tmp_path / "dir").symlink_to("d")
    for path in (_at("file"), _at("dir", "f")):
        with pytest.raises(SymlinkEscape):
            tree.read(path)
    with pytest.raises(SymlinkEscape):
        tree.scan(_at("dir"))
    assert tree.read_link(_at("file")) == "d/f"


def test_every_error_is_typed(tree: DiskTree, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    with pytest.raises(NotFound):
        tree.read(_at("none"))
    with pytest.raises(IsADirectory):
        tree.read(_at())
    with pytest.raises(NotADirectory):
        tree.read(_at("f", "x"))
    with pytest.raises(NotADirectory):
        tree.scan(_at("f"))
    assert tree.stat(_at("none")) is None
    assert tree.stat(_at("f", "x")) is None


def test_states_hold_what_a_plan_needs(tree: DiskTree, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    (tmp_path / "f").chmod(0o640)
    (tmp_path / "d").mkdir(mode=0o700)
    (tmp_path / "l").symlink_to("nowhere")
    assert tree.state(_at("f")) == FileState.of(b"x", 0o640)
    assert tree.state(_at("d")) == DirState(0o700)
    assert tree.state(_at("l")) == LinkState("nowhere")
    assert tree.state(_at("none")) == ABSENT


def test_a_scan_is_sorted_by_bytes_and_hides_what_is_staged(tree: DiskTree, tmp_path: Path) -> None:
    for name in ("b", "a", "é", ".hidden", ".redline-abcdefgh-0"):
        (tmp_path / name).write_text("x")
    assert [e.path.name for e in tree.scan(_at())] == [".hidden", "a", "b", "é"]


def test_reading_leaves_no_descriptor_open(tree: DiskTree, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_text("x")
    before = open_below(tmp_path)
    for _ in range(20):
        tree.read(_at("d", "f"))
        tree.scan(_at("d"))
        tree.state(_at("d", "f"))
        tree.stat(_at("d", "f"))
        with pytest.raises(NotFound):
            tree.read(_at("d", "none"))
    assert open_below(tmp_path) == before


def _shown(facts: FactLists) -> dict[str, tuple[int, int, int]]:
    return {
        name: (mode, size, second * 1_000_000_000 + nano)
        for name, mode, size, second, nano in zip(*facts, strict=True)
    }


def test_facts_are_what_stat_says_of_every_kind_and_time(tree: DiskTree, tmp_path: Path) -> None:
    for number, time_ns in enumerate((0, 1, -1, -1_500_000_000, 10**18 + 7, 5 * 10**18)):
        file = tmp_path / f"f{number}"
        file.write_bytes(b"x" * number)
        os.utime(file, ns=(time_ns, time_ns))
    os.truncate(tmp_path / "f1", 1 << 40)
    (tmp_path / "f2").chmod(0o4751)
    (tmp_path / "directory").mkdir()
    (tmp_path / "link").symlink_to("/nowhere")
    os.mkfifo(tmp_path / "fifo")
    for name in (b"not\xff\xfeutf-8", b"line\nbreak", b"caf\xc3\xa9", b' "\\'):
        (tmp_path / os.fsdecode(name)).touch()
    expected = {
        name: (found.st_mode, found.st_size, found.st_mtime_ns)
        for name in os.listdir(tmp_path)
        for found in [os.lstat(tmp_path / name)]
    }
    facts = tree.facts(_at())
    assert _shown(facts) == expected
    assert facts.names == sorted(expected)
    folder, some = tree.facts_of_some(_at(), lambda names: [n for n in names if n[0] in "fl"])
    assert folder.directories == ["directory"]
    assert folder.others == ["fifo"]
    assert _shown(some) == {n: f for n, f in expected.items() if n[0] in "fl" and n != "fifo"}


def test_facts_of_thousands_stay_with_their_names(tree: DiskTree, tmp_path: Path) -> None:
    for number in range(1100):
        (tmp_path / f"{number:04}").write_bytes(b"x" * number)
    assert tree.facts(_at()).sizes == list(range(1100))


def test_facts_leave_out_what_vanished_meanwhile_and_what_is_staged(
    tree: DiskTree, tmp_path: Path
) -> None:
    for name in ("a", "b", f"{STAGED}1"):
        (tmp_path / name).touch()

    def selects(names: list[str]) -> list[str]:
        (tmp_path / "a").unlink()
        return names

    folder, facts = tree.facts_of_some(_at(), selects)
    assert folder.files == ["a", "b"]
    assert facts.names == ["b"]
    assert tree.facts(_at()).names == ["b"]


def test_many_threads_ask_for_facts_at_once(tree: DiskTree, tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"d{number}").mkdir()
        for size in range(50):
            (tmp_path / f"d{number}/{size:02}").write_bytes(b"x" * size * number)

    def sizes(number: int) -> list[int]:
        return tree.facts(_at(f"d{number}")).sizes

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(sizes, [*range(8)] * 50))
    assert found == [[size * number for size in range(50)] for number in range(8)] * 50


def test_listings_of_a_root_at_the_same_time_miss_nothing(tree: DiskTree, tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"{number}").touch()

    def count(_: int) -> tuple[int, int]:
        walked = next(iter(tree.walk(_at())))
        return len(walked.files), len(list(tree.scan(_at())))

    with ThreadPoolExecutor(8) as threads:
        counts = set(threads.map(count, range(40)))
    assert counts == {(3000, 3000)}

"""The code index: built lazily, kept up to date, ranked, never inside the workspace."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.adapters.code_index.database import SqliteIndex
from redline.adapters.code_index.schema import parts_of
from redline.code.index.packing import count_packed, pack, unpack
from redline.core.paths import WorkspacePath
from redline.settings import Settings
from redline.wiring.workspace import Redline


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    (root / "core.py").write_text("class Engine:\n    def start(self): pass\n\ndef idle(): pass\n")
    for name in ("a", "b", "c"):
        (root / f"{name}.py").write_text("from core import Engine\nEngine().start()\n")
    return root


@pytest.fixture
def redline(root: Path, tmp_path: Path) -> Iterator[Redline]:
    state = str(tmp_path / "state")
    with Redline(Settings(workspace=str(root), state_dir=state, read_only=True)) as redline:
        yield redline


def _index(redline: Redline, home: Path) -> SqliteIndex:
    """An index that does everything in this process."""
    return SqliteIndex(str(home), redline.tree, redline.grep, 1, redline.analysis)


@pytest.fixture
def index(redline: Redline, tmp_path: Path) -> SqliteIndex:
    return _index(redline, tmp_path / "index")


def test_definitions_and_uses_are_found(index: SqliteIndex) -> None:
    assert index.refresh() == "ready"
    (found,) = index.definitions("start")
    assert (found.path.relative, found.qualified, found.line) == ("core.py", "Engine.start", 2)
    uses, total = index.uses("Engine")
    assert {use.path.relative: unpack(use.packed) for use in uses}["a.py"] == (1, 2)
    assert total == 7


def test_definitions_right_in_a_folder_leave_out_those_of_other_folders(
    root: Path, index: SqliteIndex
) -> None:
    for name in ("pkg/one.py", "pkg/deeper/two.py", "pkgs/three.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("def shared(): pass\n")
    index.refresh()
    found = index.definitions("shared", folder=WorkspacePath(0, ("pkg",)))
    assert [symbol.path.relative for symbol in found] == ["pkg/one.py"]
    assert index.definitions("shared", folder=WorkspacePath(0, ())) == []


def test_the_most_used_comes_first(index: SqliteIndex) -> None:
    index.refresh()
    files, total = index.structure()
    assert total == 4
    assert files[0][0].path.relative == "core.py"
    assert [symbol.name for symbol in files[0][1]][:2] == ["Engine", "start"]


def test_a_map_of_one_directory_leaves_the_others_out(index: SqliteIndex, root: Path) -> None:
    (root / "lib").mkdir()
    (root / "lib" / "x.py").write_text("def x(): pass\n")
    (root / "library.py").write_text("def y(): pass\n")
    index.refresh()
    files, total = index.structure(WorkspacePath(0, ("lib",)))
    assert total == 1
    assert [file.path.relative for file, _ in files] == ["lib/x.py"]


def test_words_find_names_by_their_parts(index: SqliteIndex, root: Path) -> None:
    (root / "names.py").write_text("def parse_http_header(): pass\nclass HeaderParser: pass\n")
    index.refresh()
    found = [symbol.name for symbol in index.matching(["header", "parsers"])]
    assert set(found) == {"parse_http_header", "HeaderParser"}


def test_a_changed_file_replaces_what_was_known_of_it(index: SqliteIndex, root: Path) -> None:
    index.refresh()
    (root / "a.py").write_text("def fresh(): pass\n")
    index.refresh()
    assert [s.path.relative for s in index.definitions("fresh")] == ["a.py"]
    uses, _ = index.uses("Engine")
    assert "a.py" not in {use.path.relative for use in uses}


def test_a_removed_file_is_forgotten(index: SqliteIndex, root: Path) -> None:
    index.refresh()
    os.remove(root / "core.py")
    index.refresh()
    assert index.definitions("Engine") == []
    assert index.structure()[1] == 3


def test_a_file_that_was_only_touched_is_not_parsed_again(
    index: SqliteIndex, root: Path, tmp_path: Path
) -> None:
    index.refresh()
    with sqlite3.connect(tmp_path / "index" / "index.sqlite") as db:
        before = db.execute("SELECT id FROM symbols ORDER BY id").fetchall()
    os.utime(root / "core.py", ns=(1, 1))
    index.refresh()
    with sqlite3.connect(tmp_path / "index" / "index.sqlite") as db:
        assert db.execute("SELECT id FROM symbols ORDER BY id").fetchall() == before


def test_what_git_ignores_is_not_indexed(index: SqliteIndex, root: Path) -> None:
    (root / ".gitignore").write_text("secret.py\n")
    (root / "secret.py").write_text("def hidden(): pass\n")
    index.refresh()
    assert index.definitions("hidden") == []


def test_the_index_survives_the_process(
    redline: Redline, index: SqliteIndex, tmp_path: Path
) -> None:
    index.refresh()
    index.close()
    again = _index(redline, tmp_path / "index")
    assert again.build() == 0
    assert again.definitions("idle")


def test_a_damaged_index_is_built_again(redline: Redline, tmp_path: Path) -> None:
    home = tmp_path / "index"
    home.mkdir()
    (home / "index.sqlite").write_bytes(b"not a database at all" * 100)
    index = _index(redline, home)
    index.refresh()
    assert index.definitions("Engine")


def test_only_one_process_builds_at_a_time(redline: Redline, tmp_path: Path) -> None:
    one, two = (_index(redline, tmp_path / "index") for _ in range(2))
    assert one._builder.take_lease()
    assert not two._builder.take_lease()
    one._builder.release_lease()
    assert two._builder.take_lease()


def test_a_large_workspace_is_built_in_the_background(
    redline: Redline, root: Path, tmp_path: Path
) -> None:
    for number in range(200):
        (root / f"m{number}.py").write_text(f"def function_{number}(): pass\n")
    index = redline.code_index
    assert isinstance(index, SqliteIndex)
    assert index.refresh() == "building"
    assert index._process is not None
    assert index._process.wait(60) == 0
    assert index.refresh() == "ready"
    assert index.definitions("function_199")


def _large(redline: Redline, home: Path) -> SqliteIndex:
    """An index that takes its workspace for large, and compares nothing by itself."""
    return SqliteIndex(
        str(home), redline.tree, redline.grep, 1, redline.analysis,
        worker=("true",), watched_files=2, recheck=1e9,
    )  # fmt: skip


def test_a_file_that_changed_twice_of_late_is_stored_once(
    redline: Redline, root: Path, tmp_path: Path
) -> None:
    index = _large(redline, tmp_path / "index")
    index.refresh()
    (root / "a.py").write_text("def fresh(): pass\n")
    (root / "new.py").write_text("def newest(): pass\n")
    index.refresh([WorkspacePath(0, (name,)) for name in ("a.py", "new.py", "a.py", "new.py")])
    assert [s.path.relative for s in index.definitions("fresh")] == ["a.py"]
    with sqlite3.connect(tmp_path / "index" / "index.sqlite") as db:
        orphans = "SELECT count(*) FROM symbols WHERE file NOT IN (SELECT id FROM files)"
        assert db.execute(orphans).fetchone() == (0,)


def test_a_recent_change_is_seen_at_once_in_a_large_workspace(
    redline: Redline, root: Path, tmp_path: Path
) -> None:
    index = _large(redline, tmp_path / "index")
    assert index.refresh() == "ready"
    (root / "a.py").write_text("def fresh(): pass\n")
    os.remove(root / "b.py")
    assert index.refresh() == "ready"
    assert index.definitions("fresh") == []
    recent = [WorkspacePath(0, (name,)) for name in ("a.py", "b.py", "gone.py", "notes.txt")]
    assert index.refresh(recent) == "ready"
    assert [s.path.relative for s in index.definitions("fresh")] == ["a.py"]
    assert "b.py" not in {use.path.relative for use in index.uses("Engine")[0]}


def test_huge_and_minified_files_are_not_parsed(index: SqliteIndex, root: Path) -> None:
    (root / "big.py").write_text("def big(): pass\n" + "x = 1\n" * 200_000)
    (root / "min.js").write_text("function packed(){}" + ";f()" * 10_000)
    index.refresh()
    assert index.definitions("big") == []
    assert index.definitions("packed") == []


@pytest.mark.parametrize(
    "numbers", [(), (1,), (300, 301, 428), (1, 2, 130), (1, 2, 300), (5, 1_000_000)]
)
def test_packed_numbers_come_back(numbers: tuple[int, ...]) -> None:
    assert unpack(pack(numbers)) == numbers
    assert count_packed(pack(numbers)) == len(numbers)


def test_names_are_split_where_people_would() -> None:
    assert parts_of("parseHTTPHeader2") == {"parse", "http", "header", "parsehttpheader2"}

"""0 escapes while a directory and a link change places all the time, by openat2 and by the walk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from redline.adapters.files.tree import DiskTree
from redline.adapters.files.workspace import DiskWorkspace
from redline.adapters.journal.store import DiskStore
from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.engine.editor import JournalEditor
from tests.engine.quick import QuickDisk
from tests.faults import race
from tests.support import LONG

OPENS = 1_000_000 if LONG else 100_000
MUTATIONS = 100_000 if LONG else 10_000
EDITS = 20_000 if LONG else 400

pytestmark = pytest.mark.skipif(os.uname().sysname != "Linux", reason="swaps by renameat2")
SAFE = ("chosen", "walk")


@pytest.mark.requirement("engine-no-escape")
@pytest.mark.parametrize("way", SAFE)
def test_no_open_escapes(tmp_path: Path, way: str) -> None:
    with race.swapping(tmp_path) as root:
        report = race.race_opens(race.WAYS[way](), root, OPENS)
    assert report.escapes == {}
    assert report.passed > OPENS // 100
    assert report.refused > OPENS // 100


@pytest.mark.requirement("engine-no-escape")
@pytest.mark.parametrize("way", SAFE)
def test_no_mutation_escapes(tmp_path: Path, way: str) -> None:
    with race.swapping(tmp_path) as root:
        report = race.race_mutations(race.WAYS[way](), root, MUTATIONS)
    assert report.escapes == {}
    assert report.passed > MUTATIONS // 100
    assert report.refused > MUTATIONS // 100


@pytest.mark.requirement("engine-no-escape")
@pytest.mark.parametrize("way", SAFE)
def test_no_edit_through_the_whole_pipeline_escapes(tmp_path: Path, way: str) -> None:
    disk = QuickDisk() if way == "chosen" else race.WAYS[way]()
    with race.swapping(tmp_path, pause=0.0007) as root:
        before = race.outside_now(root)
        workspace = DiskWorkspace(disk, [str(root)])
        tree = DiskTree(disk, workspace)
        store = DiskStore(disk, workspace, str(tmp_path / "j"), str(tmp_path / "locks"))
        editor = JournalEditor(workspace, tree, store)
        done = 0
        for number in range(EDITS):
            try:
                for name in ("d/f", f"d/made-{number}"):
                    path = workspace.resolve(name, Access.WRITE)
                    state = tree.state(path)
                    assert getattr(state, "content", None) != race.OUTSIDE
                    after = ABSENT if number % 2 and state != ABSENT else FileState.of(b"new")
                    editor.commit(ChangeSet((Change(path, state, after),)), Origin("race"))
                    done += 1
            except RedlineError:
                continue
        assert race.outside_now(root) == before
    assert done > 0


def test_a_checked_path_that_is_opened_by_name_does_escape(tmp_path: Path) -> None:
    """The harness is worth something: without the guard it sees escapes."""
    with race.swapping(tmp_path) as root:
        for _ in range(100):
            if race.race_opens(race.NaiveDisk(), root, 5_000).escapes:
                return
    pytest.fail("500,000 naive opens and no escape seen")

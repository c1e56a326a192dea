"""What the recorder may not read is unknown to it, not gone."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import watchfiles  # noqa: F401  the other user may not be able to read it

from redline.core.paths import WorkspacePath
from redline.core.ports.history import HistoryQuery, Operation, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.recorder.desk import Desk
from tests.support import need, ordinary_user

pytestmark = pytest.mark.requirement("recorder-unreadable")
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def _own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(os.geteuid() == 0, "root, to go on as another user")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A workspace of a user whom permissions bind."""
    with ordinary_user(tmp_path):
        made = Desk(tmp_path)
        made.write("a.txt", b"a\n")
        made.write("d/b.txt", b"b\n")
        made.write("d/e/c.txt", b"c\n")
        made.start()
        yield made
        os.chmod(made.root / "d", 0o755)
        made.close()


def _touched(operations: list[Operation]) -> list[str]:
    return [path.relative for each in operations for path in each.change_set.paths]


@pytest.mark.parametrize("mode", [0o000, 0o200, 0o400, 0o100])
@pytest.mark.parametrize("names", [(), ("d",), ("d/b.txt", "d/e/c.txt"), ("d/e",)])
def test_a_directory_that_may_not_be_read_removes_nothing(
    desk: Desk, mode: int, names: tuple[str, ...]
) -> None:
    before = desk.picture()
    os.chmod(desk.root / "d", mode)
    paths = [WorkspacePath(0, tuple(name.split("/"))) for name in names]
    desk.recorder.settle(paths or None, desk.now())
    desk.settle()
    assert _touched(desk.history()) == ["d"]  # its permissions
    assert desk.recorder.unreadable
    os.chmod(desk.root / "d", 0o755)
    desk.settle("d")
    assert _touched(desk.history()) == ["d", "d"]
    assert desk.recorder.unreadable == frozenset()
    assert desk.picture() == before


def test_what_changed_in_between_is_recorded_when_it_can_be_read_again(desk: Desk) -> None:
    os.chmod(desk.root / "d", 0)
    desk.settle()
    os.chmod(desk.root / "d", 0o755)
    desk.write("d/b.txt", b"changed\n")
    os.unlink(desk.root / "d" / "e" / "c.txt")
    desk.write("d/new.txt", b"new\n")
    [operation] = desk.settle()
    assert sorted(_touched([operation])) == ["d", "d/b.txt", "d/e/c.txt", "d/new.txt"]
    desk.undo(operation)
    desk.undo(desk.history()[-1])
    assert (desk.root / "d" / "b.txt").read_bytes() == b"b\n"
    assert (desk.root / "d" / "e" / "c.txt").read_bytes() == b"c\n"
    assert not (desk.root / "d" / "new.txt").exists()


def test_a_file_that_may_not_be_read_keeps_what_is_known_of_it(desk: Desk) -> None:
    os.chmod(desk.root / "d" / "b.txt", 0)
    assert desk.settle() == []
    assert [path.relative for path in desk.recorder.unreadable] == ["d/b.txt"]
    desk.restart()
    os.chmod(desk.root / "d" / "b.txt", 0o644)
    desk.write("d/b.txt", b"changed\n")
    [operation] = desk.settle()
    desk.undo(operation)
    assert (desk.root / "d" / "b.txt").read_bytes() == b"b\n"
    assert desk.recorder.unreadable == frozenset()


def test_one_that_is_removed_is_gone(desk: Desk) -> None:
    os.chmod(desk.root / "d" / "b.txt", 0)
    desk.settle()
    os.unlink(desk.root / "d" / "b.txt")
    [operation] = desk.settle()
    assert _touched([operation]) == ["d/b.txt"]
    assert desk.recorder.unreadable == frozenset()


def test_a_directory_that_can_be_read_again_is_watched_again(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    (root / "d" / "e").mkdir(parents=True)
    (root / "d" / "e" / "f.txt").write_text("one\n")
    (root / "d").chmod(0)
    with ordinary_user(tmp_path):
        settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"))
        with Redline(settings) as redline:
            reports: list[object] = []
            session = redline.recording.open(reports.append)
            assert session is not None
            session.start()
            _until(lambda: reports)
            assert session.limits == ["not recorded while it may not be read: d"]
            looks = len(reports)
            (root / "d").chmod(0o755)
            # It is learned when the look that found it readable is over, and the one after that.
            _until(lambda: not session.limits and len(reports) >= looks + 2)
            # What was there all the time is not new, and undoing something must not remove it.
            assert _touched(list(redline.history.list(HistoryQuery()))) == []
            (root / "d" / "e" / "f.txt").write_text("two\n")
            _until(lambda: redline.history.list(HistoryQuery()))
            [operation] = redline.history.list(HistoryQuery())
            assert _touched([operation]) == ["d/e/f.txt"]
            redline.editor.undo(operation.id, Origin("undo_change"))
            assert (root / "d" / "e" / "f.txt").read_text() == "one\n"


def _until(holds: Callable[[], object]) -> None:
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)

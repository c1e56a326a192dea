"""Which workspaces are parked by themselves, and when."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from redline.core.errors import Busy, InvalidArgument, StoreUnavailable
from redline.settings import Settings
from redline.teams.adapters.folder import FolderOfWorkspaces
from redline.teams.adapters.parked import moving
from redline.teams.idle import IdleWorkspaces
from redline.teams.wiring.moving import IdleStore, wake_workspace
from tests.support import need

try:
    import obstore  # noqa: F401

    has_obstore = True
except ImportError:
    has_obstore = False

DAY = 86_400.0


class Ground:
    """A folder of workspaces, a store, and a clock that tests set."""

    def __init__(self, base: Path, name: str, store: Path) -> None:
        self.folder = base / name / "ws"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.state = base / name / "state"
        self.directory = FolderOfWorkspaces(str(self.folder), str(self.state))
        settings = Settings(workspace="", workspaces=str(self.folder), record=False)
        self.place = IdleStore(self.directory, f"file://{store}", settings)
        self.now = os.stat(self.folder).st_ctime
        self.idle = IdleWorkspaces(self.directory, self.place, 3 * DAY, lambda: self.now)

    def make(self, name: str) -> Path:
        path = self.folder / name
        path.mkdir()
        (path / "a.txt").write_text("a\n")
        return path

    def due(self) -> list[str]:
        return [entry.name for entry in self.idle.find_due()]

    def wake(self, name: str, note: Callable[[int, int], None] = lambda *_: None) -> None:
        entry = self.directory.find(name) or self.place.find(name)
        assert entry is not None
        self.place.wake(entry, note)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    need(has_obstore, "obstore")
    return Ground(tmp_path, "here", tmp_path / "store")


@pytest.mark.requirement("moving-by-itself")
def test_what_had_no_call_for_long_is_due_and_nothing_else(ground: Ground) -> None:
    ground.make("old")
    ground.make("called")
    assert ground.due() == [], "seen for the first time"
    ground.now += 2 * DAY
    entry = ground.directory.find("called")
    assert entry is not None
    ground.idle.note_use(entry)
    assert ground.due() == []
    ground.now += 1.5 * DAY
    assert ground.due() == ["old"]
    ground.now += 2 * DAY
    assert ground.due() == ["called", "old"]


@pytest.mark.requirement("moving-by-itself")
def test_what_other_programs_change_is_in_use(ground: Ground) -> None:
    path = ground.make("site")
    assert ground.due() == []
    changed = (path / "a.txt").stat().st_ctime
    ground.now = changed + 3 * DAY + 10
    ground.place.note_use(ground.directory.place("site"), changed - DAY)
    assert ground.due() == ["site"]
    ground.now = changed + 3 * DAY - 10
    assert ground.due() == []


@pytest.mark.requirement("moving-by-itself", "moving-woken-by-a-call")
def test_an_idle_workspace_rests_in_the_store_until_it_is_woken(ground: Ground) -> None:
    path = ground.make("site")
    assert ground.due() == []
    ground.now += 4 * DAY
    ground.idle.park("site")
    assert not path.exists()
    entry = ground.directory.find("site")
    assert entry is not None
    assert ground.place.rests_here(entry)
    assert ground.due() == [], "parked is parked"
    seen: list[tuple[int, int]] = []
    ground.wake("site", lambda done, whole: seen.append((done, whole)))
    assert (path / "a.txt").read_text() == "a\n"
    assert seen[-1][0] == seen[-1][1] > 0
    ground.now = os.stat(path).st_ctime + DAY
    assert ground.due() == [], "waking is a use"


@pytest.mark.requirement("moving-woken-by-a-call")
def test_another_server_wakes_what_rests_and_the_first_learns_of_it(
    ground: Ground, tmp_path: Path
) -> None:
    ground.make("site")
    assert ground.due() == []
    ground.now += 4 * DAY
    ground.idle.park("site")
    there = Ground(tmp_path, "there", tmp_path / "store")
    assert there.place.find("other") is None
    assert there.place.find("../site") is None
    there.wake("site")
    assert (there.folder / "site" / "a.txt").read_text() == "a\n"
    assert there.place.find("site") is None, "it is awake"
    with pytest.raises(InvalidArgument, match="awake elsewhere"):
        ground.wake("site")


class Killed(BaseException):
    """The process ends here: nothing is put back."""


def end(*_: object) -> None:
    raise Killed


@pytest.mark.requirement("moving-by-itself", "moving-interrupted")
@pytest.mark.parametrize(
    ("step", "half"), [("_remove", "removing"), ("save_state", "parking")], ids=["late", "early"]
)
def test_a_park_that_was_interrupted_is_finished(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, step: str, half: str
) -> None:
    path = ground.make("site")
    assert ground.due() == []
    ground.now += 4 * DAY
    with monkeypatch.context() as patched:
        patched.setattr(moving, step, end)
        patched.setattr(moving, "_move_back", lambda _: None)
        with pytest.raises(Killed):
            ground.idle.park("site")
    assert [each.name for each in ground.folder.glob(".site*")] == [f".site.redline-{half}"]
    assert ground.due() == ["site"]
    ground.idle.park("site")
    assert ground.due() == []
    assert [each.name for each in ground.folder.iterdir()] == [".redline"]
    ground.wake("site")
    assert (path / "a.txt").read_text() == "a\n"


@pytest.mark.requirement("moving-woken-by-a-call", "moving-interrupted")
def test_a_call_takes_back_a_park_that_was_interrupted(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ground.make("site")
    assert ground.due() == []
    ground.now += 4 * DAY
    with monkeypatch.context() as patched:
        patched.setattr(moving, "save_state", end)
        patched.setattr(moving, "_move_back", lambda _: None)
        with pytest.raises(Killed):
            ground.idle.park("site")
    assert not path.exists()
    ground.wake("site")
    assert (path / "a.txt").read_text() == "a\n"
    assert not ground.directory.place("site").parked_at


@pytest.mark.requirement("moving-by-itself")
def test_a_workspace_that_a_server_has_open_is_left_alone(ground: Ground) -> None:
    from redline.adapters.files.registry import announce_server

    path = ground.make("site")
    assert ground.due() == []
    ground.now += 4 * DAY
    withdraw = announce_server(str(ground.state / "site"), "http://127.0.0.1:1/w/site/mcp")
    with pytest.raises(Busy, match="has the workspace open"):
        ground.idle.park("site")
    assert path.exists()
    assert not ground.directory.place("site").parked_at
    withdraw()
    ground.idle.park("site")
    assert not path.exists()


def test_a_store_that_fails_leaves_the_workspace_as_it_is(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ground.make("site")
    assert ground.due() == []
    ground.now += 4 * DAY

    def fail(*_: object) -> None:
        raise StoreUnavailable("injected")

    monkeypatch.setattr(moving, "save_state", fail)
    with pytest.raises(StoreUnavailable):
        ground.idle.park("site")
    assert (path / "a.txt").read_text() == "a\n"
    assert not ground.directory.place("site").parked_at


def test_what_an_operator_parked_elsewhere_is_not_woken_by_a_call(ground: Ground) -> None:
    from redline.teams.wiring.moving import park_workspace

    ground.make("site")
    address = f"file://{ground.folder.parent}/by-hand"
    settings = Settings(workspace="", record=False)
    park_workspace(ground.directory, "site", address, settings)
    assert not ground.place.rests_here(ground.directory.place("site"))
    wake_workspace(ground.directory, "site", "", settings)
    assert (ground.folder / "site" / "a.txt").exists()

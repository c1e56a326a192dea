"""Committing a plan while other writers change the same file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from redline.core.call_scope import UNCANCELLABLE
from redline.core.errors import Cancelled, NotFound, StaleBase
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.plan.file_ops import plan_write
from redline.services.commit import MAX_ATTEMPTS, Planned, commit_plan
from redline.settings import Settings
from redline.wiring.workspace import Redline

ORIGIN = Origin("test")


@pytest.fixture
def redline(tmp_path: Path) -> Iterator[Redline]:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a").write_text("0")
    settings = Settings(workspace=str(tmp_path / "ws"), state_dir=str(tmp_path / "state"))
    with Redline(settings) as opened:
        yield opened


class Planner:
    """Plans to append a letter to the file; another writer changes it after the first *races*."""

    def __init__(self, redline: Redline, root: Path, races: int) -> None:
        self._redline = redline
        self._file = root / "ws" / "a"
        self._races = races
        self.calls = 0

    def __call__(self) -> Planned[int]:
        self.calls += 1
        place = self._redline.workspace.resolve("a", Access.WRITE, must_exist=True)
        content = self._redline.tree.read(place)
        planned = plan_write(self._redline.tree, place, "a", content + b"x")
        if self.calls <= self._races:
            self._file.write_text(f"{self.calls}")
        return Planned(planned, self.calls, (f"plan {self.calls}",))


class GivesUp:
    """A client that cancelled its request."""

    def check(self) -> None:
        raise Cancelled("The caller cancelled the request")

    def on_cancel(self, action: Callable[[], None]) -> None:
        action()


def test_a_plan_that_was_overtaken_is_made_again_on_what_the_other_writer_left(
    redline: Redline, tmp_path: Path
) -> None:
    planner = Planner(redline, tmp_path, races=3)
    made = commit_plan(redline.editor, planner, ORIGIN, UNCANCELLABLE)
    assert made.operation.id
    assert planner.calls == 4
    assert made.detail == 4
    assert made.notes == ("plan 4",), "not what the plans said that came to nothing"
    assert (tmp_path / "ws" / "a").read_text() == "3x"


def test_a_plan_made_before_is_tried_first(redline: Redline, tmp_path: Path) -> None:
    planner = Planner(redline, tmp_path, races=0)
    commit_plan(redline.editor, planner, ORIGIN, UNCANCELLABLE, planned=planner())
    assert planner.calls == 1
    assert (tmp_path / "ws" / "a").read_text() == "0x"


def test_a_file_that_never_rests_is_given_up_with_the_reason(
    redline: Redline, tmp_path: Path
) -> None:
    planner = Planner(redline, tmp_path, races=MAX_ATTEMPTS)
    with pytest.raises(StaleBase):
        commit_plan(redline.editor, planner, ORIGIN, UNCANCELLABLE)
    assert planner.calls == MAX_ATTEMPTS


def test_an_error_of_the_plan_is_final(redline: Redline) -> None:
    calls = []

    def plan() -> Planned[None]:
        calls.append(1)
        raise NotFound("a")

    with pytest.raises(NotFound):
        commit_plan(redline.editor, plan, ORIGIN, UNCANCELLABLE)
    assert len(calls) == 1


def test_a_client_that_gave_up_ends_the_attempts(redline: Redline, tmp_path: Path) -> None:
    planner = Planner(redline, tmp_path, races=MAX_ATTEMPTS)
    with pytest.raises(Cancelled):
        commit_plan(redline.editor, planner, ORIGIN, GivesUp())
    assert planner.calls == 1

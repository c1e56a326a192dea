"""Killed before every I/O operation of a commit, and of the recovery that follows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from redline.adapters.journal.log import Journal
from tests.faults.children import in_child
from tests.faults.gates import dies_before
from tests.faults.scene import Scene, Snapshot
from tests.support import LONG

KILLED = 9


def _commit_dying_before(scene: Scene, number: int, *, torn: bool) -> int:
    def work() -> None:
        _, editor = scene.open(dies_before(number, torn=torn))
        scene.change(editor)

    return in_child(work)


def _check(scene: Scene, before: Snapshot, after: Snapshot, where: object) -> Snapshot:
    found = scene.snapshot()
    assert found in (before, after), (where, found)
    assert scene.litter() == [], where
    return found


def _each_file_is_whole(scene: Scene, before: Snapshot, after: Snapshot, where: object) -> None:
    if scene.tangled:
        return  # a place that is changed twice shows what stands between for a moment
    for name, found in scene.snapshot().items():
        if ".redline-" not in name:
            assert found in (before.get(name), after.get(name)), (where, name)


@pytest.mark.requirement("engine-no-torn-state")
@pytest.mark.parametrize("torn", [False, True])
def test_a_commit_killed_before_any_operation_is_all_or_nothing(scene: Scene, torn: bool) -> None:
    before, after = scene.both()
    outcomes = set()
    number = 0
    while True:
        number += 1
        scene.lay_out()
        status = _commit_dying_before(scene, number, torn=torn)
        if status == 0:
            break
        assert status == KILLED
        _each_file_is_whole(scene, before, after, number)
        scene.recover()
        outcomes.add(_check(scene, before, after, number) == after)
    assert scene.snapshot() == after
    assert outcomes == {True, False}
    assert number > 30


@pytest.mark.requirement("engine-no-torn-state")
def test_a_recovery_killed_before_any_operation_is_finished_by_the_next(scene: Scene) -> None:
    before, after = scene.both()
    recoveries = 0
    number = 0
    stride = 1 if LONG else 4 if scene.tangled else 3
    while True:
        number += stride
        scene.lay_out()
        if _commit_dying_before(scene, number, torn=False) == 0:
            break
        scene.keep()
        for step in range(1, 1000):
            scene.bring_back()
            status = in_child(lambda step=step: scene.open(dies_before(step)))  # type: ignore[misc]
            _each_file_is_whole(scene, before, after, (number, step))
            scene.recover()
            _check(scene, before, after, (number, step))
            if status == 0:
                break
            recoveries += 1
    assert recoveries > 100


def test_another_process_settles_a_dead_change_before_it_edits_the_same_file(scene: Scene) -> None:
    before, after = scene.both()
    number = 0
    seen = set()
    while True:
        number += 1
        scene.lay_out()
        store, editor = scene.open()
        if _commit_dying_before(scene, number, torn=False) == 0:
            break
        # This store was open all the time, so only the commit itself can notice.
        plan = scene.plan() if scene.snapshot().get("a") == before["a"] else None
        if plan is None or "gone" not in scene.snapshot():
            store.close()
            continue
        try:
            scene.change(editor)
            seen.add("done")
            assert scene.snapshot() == after, number
        except Exception as error:
            seen.add(type(error).__name__)
            assert scene.snapshot() in (before, after), number
        store.close()
    assert "done" in seen


class _NoJournal(Journal):
    """What Redline would be without its journal."""

    def commit(self, line: bytes, brought: Iterable[str] = (), added: int = 0) -> None:
        del line, brought, added


def test_without_the_journal_the_harness_finds_torn_states(top: Path) -> None:
    scene = Scene(top / "scene")
    before, after = scene.both()

    def commit_without_journal(number: int) -> int:
        def work() -> None:
            store, editor = scene.open(dies_before(number))
            store.journal = _NoJournal(store.disk, store.disk.open_root(str(scene.state / "j")))
            scene.change(editor)

        return in_child(work)

    torn = 0
    for number in range(1, 1000):
        scene.lay_out()
        if commit_without_journal(number) == 0:
            break
        scene.recover()
        torn += scene.snapshot() not in (before, after)
    assert torn > 3

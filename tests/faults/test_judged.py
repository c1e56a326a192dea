"""Killed before every I/O operation in which a judged command's changes are made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Written
from redline.core.ports.history import Origin
from redline.core.ports.review import Action, Ruling
from redline.policy.command_rules import CommandRules
from tests.faults.children import in_child
from tests.faults.gates import dies_before
from tests.faults.scene import ORIGIN, Scene

KILLED = 9


class AllAllowed:
    """A policy that lets everything be made."""

    def judge_steps(self, change_set: ChangeSet, *_: object, **__: object) -> list[Ruling]:
        return [Ruling(Action.ALLOW, "", "default")] * len(change_set.steps)


class WrittenView:
    """What a command wrote, in memory."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._changes = tuple(changes)

    def read(self) -> Written:
        return Written(self._changes)

    def load(self, state: FileState) -> FileState:
        return state

    def complete(self, change: Change) -> Change:
        return change

    def place(self, step: Change) -> str:
        raise AssertionError(f"made without the history: {step}")


def _settle(scene: Scene, number: int) -> None:
    store, editor = scene.open(dies_before(number))
    steps = [step for step in scene.plan().steps if isinstance(step, Change)]
    rules = CommandRules(
        AllAllowed(),  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]  # nothing is held
        editor,
        lambda _: (),
        store.show,
    )
    command = Command("true", WorkspacePath(0, ()))
    change, _ = rules.settle(WrittenView(steps), command, Origin("exec_command"))
    assert change is not None


@pytest.mark.requirement("policy-commands-whole")
def test_a_command_whose_changes_are_cut_short_is_in_the_history_whole_or_made_not_at_all(
    tmp_path: Path,
) -> None:
    scene = Scene(tmp_path / "scene")
    outcomes: dict[bool, int] = {}
    scene.lay_out()
    before = scene.snapshot()
    for number in range(1, 2_000):
        scene.lay_out()
        status = in_child(lambda number=number: _settle(scene, number))  # type: ignore[misc]
        if status == 0:
            break
        assert status == KILLED
        scene.recover()
        store, editor = scene.open()
        newest = next(iter(store.newest_first()))
        is_made = newest.origin.tool == "exec_command"
        assert (scene.snapshot() != before) == is_made, number
        assert scene.litter() == [], number
        if is_made:
            editor.undo(newest.id, ORIGIN)
            assert scene.snapshot() == before, number
        store.close()
        outcomes[is_made] = outcomes.get(is_made, 0) + 1
    assert scene.snapshot() != before
    assert outcomes.keys() == {True, False}

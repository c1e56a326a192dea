"""Errors at every operation: what is answered is what is, now and after the next start."""

from __future__ import annotations

import errno

import pytest

from redline.core.errors import RedlineError
from tests.faults.gates import fails_at
from tests.faults.scene import Scene


@pytest.mark.requirement("engine-answers-are-true")
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("for_good", [False, True])
def test_an_answer_is_true_whatever_fails(scene: Scene, code: int, for_good: bool) -> None:
    before, after = scene.both()
    scene.lay_out()
    scene.keep()
    answers = set()
    for number in range(1, 1000):
        scene.bring_back()
        disk, reached = fails_at(number, code, for_good=for_good)
        store, editor = scene.open(disk)
        if reached():
            store.close()
            continue
        try:
            operation = scene.change(editor)
            answer = "done"
        except RedlineError:
            operation = None
            answer = "failed"
        if not reached():
            break
        answers.add(answer)
        expected = after if operation is not None else before
        if not for_good and (operation is None or not operation.notes):
            assert scene.snapshot() == expected, (number, answer)
        store.close()
        store.workspace.close()
        scene.recover()
        assert scene.snapshot() == expected, (number, answer)
        assert scene.litter() == [], (number, answer)
    assert "failed" in answers
    assert number > 30


def test_a_failed_change_is_not_in_the_history_and_the_next_one_works(scene: Scene) -> None:
    _, after = scene.both()
    for number in range(1, 1000):
        scene.lay_out()
        disk, reached = fails_at(number, errno.EIO)
        store, editor = scene.open(disk)
        try:
            operation = scene.change(editor)
        except RedlineError:
            assert len(list(store.newest_first())) == 1, number
            again = scene.change(editor)
            assert scene.snapshot() == after, number
            assert next(o.id for o in store.newest_first()) == again.id
        else:
            assert next(o.id for o in store.newest_first()) == operation.id
        store.close()
        store.workspace.close()
        if not reached():
            break
    assert number > 30

"""Pruning stopped before every operation: whatever is still listed can still be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.core.changes import ABSENT, Change, ChangeSet, FileState, State
from tests.faults.children import in_child
from tests.faults.gates import dies_before
from tests.faults.power import CHOSEN, CUT, POLICIES, PowerDisk
from tests.faults.scene import ORIGIN, Scene, at

KILLED = 9
APART = [b"content %d\n" % number * 20 for number in range(6)]
ALIKE = [b"content %d\n" % number + b"the same\n" * 20 for number in range(6)]
COUNT = len(APART)
NEWEST = {"days": -1.0, "size": 1 << 30}


class Written(Scene):
    """A file written six times."""

    contents: list[bytes]


@pytest.fixture(params=["in the journal", "as blobs", "as deltas"])
def written(top: Path, request: pytest.FixtureRequest) -> Written:
    """Its contents in the journal, as blobs, or as what changed in them."""
    scene = Written(top / "scene", blobs=request.param != "in the journal")
    scene.contents = ALIKE if request.param == "as deltas" else APART
    scene.root.mkdir(parents=True)
    store, editor = scene.open()
    before: State = ABSENT
    for content in scene.contents:
        operation = editor.commit(
            ChangeSet((Change(at("f"), before, FileState.of(content)),)), ORIGIN
        )
        step = operation.change_set.steps[0]
        assert isinstance(step, Change)
        before = step.after
    store.close()
    scene.keep()
    return scene


def _listed_can_be_undone(scene: Written) -> int:
    """How many operations are listed, after taking every one of them back."""
    store, editor = scene.open()
    count = len(list(store.newest_first()))
    assert count in (1, COUNT)
    for left in range(COUNT - 2, COUNT - 2 - count, -1):
        editor.undo(None, ORIGIN)
        if left >= 0:
            assert (scene.root / "f").read_bytes() == scene.contents[left]
    store.close()
    return count


@pytest.mark.parametrize("torn", [False, True])
def test_pruning_killed_before_any_operation_loses_nothing_that_is_listed(
    written: Written, torn: bool
) -> None:
    counts = []
    for number in range(1, 100):
        written.bring_back()

        def work(number: int = number) -> None:
            store, _ = written.open(dies_before(number, torn=torn))
            assert store.prune(**NEWEST) == COUNT - 1

        status = in_child(work)
        counts.append(_listed_can_be_undone(written))
        if status == 0:
            break
        assert status == KILLED
    assert counts[0] == COUNT
    assert counts[-1] == 1
    assert len(counts) > 4


def test_pruning_without_power_loses_nothing_that_is_listed(written: Written) -> None:
    for policy in CHOSEN:
        for cut in range(1, 20):
            written.bring_back()

            def work(policy: str = policy, cut: int = cut) -> None:
                disk = PowerDisk([written.root, written.state], POLICIES[policy](), cut)
                store, _ = written.open(disk)
                store.prune(**NEWEST)
                disk.power_off()

            assert in_child(work) == CUT
            _listed_can_be_undone(written)

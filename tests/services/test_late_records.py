"""A change that was recorded after the edit that followed it counts as the earlier one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.core.paths import Access
from redline.core.ports.history import OUTSIDE, Direction, HistoryQuery, Origin, Revert
from redline.services.history.lines import blame, difference
from redline.services.history.references import find_point
from tests.recorder.desk import Desk

BASE = b"".join(b"line %d\n" % number for number in range(9))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A person saves, an agent edits the same file, and only then the recorder looks."""
    made = Desk(tmp_path)
    made.write("a.txt", BASE)
    made.start()
    made.write("a.txt", BASE + b"a person's line\n")
    made.edit("a.txt", BASE.replace(b"line 2\n", b"two\n") + b"a person's line\n")
    made.redline.editor.note_checkpoint(Origin("checkpoint", summary="then"))
    made.settle("a.txt")
    yield made
    made.close()


def _tools(desk: Desk) -> list[str]:
    return [each.origin.tool for each in desk.redline.history.list(HistoryQuery())]


@pytest.mark.requirement("history-late-records")
def test_it_is_listed_before_the_edit_also_after_a_restart_and_pruning(desk: Desk) -> None:
    expected = ["checkpoint", "edit_file", OUTSIDE]
    assert _tools(desk) == expected
    times = [each.time for each in desk.redline.history.list(HistoryQuery())]
    assert times == sorted(times, reverse=True)
    desk.restart()
    assert _tools(desk) == expected
    desk.redline._store.prune(days=1, size=1 << 20)
    desk.restart()
    assert _tools(desk) == expected


@pytest.mark.requirement("history-late-records")
def test_nothing_differs_since_a_checkpoint_after_both_and_every_line_has_its_maker(
    desk: Desk,
) -> None:
    history = desk.redline.history
    point = find_point(history, "then", inclusive=False)
    assert difference(desk.redline, point).is_empty
    assert history.changed_since(point.last, None) == []
    path = desk.redline.workspace.resolve("a.txt", Access.READ)
    makers = [line.operation and line.operation.origin.tool for line in blame(desk.redline, path)]
    assert makers == [None, None, "edit_file", *[None] * 6, OUTSIDE]


@pytest.mark.requirement("history-late-records")
def test_everything_is_taken_back_in_the_order_in_which_it_happened(desk: Desk) -> None:
    desk.edit("a.txt", BASE.replace(b"line 2\n", b"two\n") + b"an agent's line\n")
    ids = tuple(desk.redline.history.changed_since(None, None))
    desk.redline.editor.revert(Revert(Direction.REWIND, ids), Origin("rewind"))
    assert (desk.root / "a.txt").read_bytes() == BASE


@pytest.mark.requirement("history-late-records")
def test_one_that_precedes_another_late_one_is_listed_before_it(desk: Desk) -> None:
    [_, _, late] = desk.redline.history.list(HistoryQuery())
    record = desk.redline.editor.record
    change_set = desk.redline.history.get(late.id).change_set
    second = record(change_set, Origin("second"), before=late.id)
    record(change_set, Origin("third"), before=second.id)
    record(change_set, Origin("fourth"), before=second.id)
    record(change_set, Origin("fifth"), since=late.id)
    record(change_set, Origin("sixth"), since="")
    expected = ["checkpoint", "edit_file", "fifth", OUTSIDE, "second", "fourth", "third", "sixth"]
    assert _tools(desk) == expected
    desk.restart()
    assert _tools(desk) == expected
    desk.redline._store.prune(days=1, size=1 << 20)
    desk.restart()
    assert _tools(desk) == expected
    latest = desk.redline.history.list(HistoryQuery())[0].id
    desk.redline.editor.record(change_set, Origin("seventh"), since=latest)
    assert _tools(desk) == ["seventh", *expected]

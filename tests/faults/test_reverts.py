"""Kills and power cuts during an undo that merges and one that takes a group back."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState, Rename
from redline.core.ports.history import Direction, HistoryQuery, Operation, Revert
from redline.engine.editor import JournalEditor
from redline.engine.history import JournalHistory
from tests.faults.children import in_child
from tests.faults.gates import dies_before
from tests.faults.power import CHOSEN, CUT, POLICIES, PowerDisk
from tests.faults.scene import ORIGIN, Scene, Snapshot, at
from tests.support import LONG

KILLED = 9
LINES = [b"line %d\n" % number for number in range(30)]


def _text(*changed: int) -> bytes:
    return b"".join(b"new\n" if n in changed else line for n, line in enumerate(LINES))


class RevertScene(Scene):
    """Three changes of several files, with a person's work in between; `change` takes them back."""

    def __init__(self, top: Path, *, group: bool) -> None:
        super().__init__(top)
        self.group = group

    def lay_out(self) -> None:
        super().lay_out()
        (self.root / "a").write_bytes(_text())
        (self.root / "d/b").write_bytes(_text())
        store, editor = self.open()
        self._edit(editor, "a", _text(2))
        self._edit(editor, "a", _text(2, 20), "d/b", _text(5))
        moved = (
            Change(at("made"), ABSENT, DirState()),
            Rename(at("old-name"), at("made/new-name")),
        )
        editor.commit(ChangeSet(moved), ORIGIN)
        store.close()
        store.workspace.close()
        for name in ("a", "d/b"):
            with (self.root / name).open("ab") as file:
                file.write(b"a person's line\n")

    def _edit(self, editor: JournalEditor, *pairs: str | bytes) -> None:
        steps = []
        for name, new in zip(pairs[::2], pairs[1::2], strict=True):
            assert isinstance(name, str)
            assert isinstance(new, bytes)
            before = FileState.of((self.root / name).read_bytes())
            steps.append(Change(at(name), before, FileState.of(new)))
        editor.commit(ChangeSet(tuple(steps)), ORIGIN)

    def change(self, editor: JournalEditor) -> Operation:
        store = editor._store
        history = JournalHistory(store.workspace, store)  # type: ignore[attr-defined]
        ids = [each.id for each in history.list(HistoryQuery(limit=3))]
        if self.group:
            return editor.revert(Revert(Direction.REWIND, tuple(ids)), ORIGIN)
        return editor.revert(Revert(Direction.UNDO, (ids[1],)), ORIGIN)


@pytest.fixture(params=["merged", "group"])
def scene(top: Path, request: pytest.FixtureRequest) -> RevertScene:
    """A workspace in which an undo has to merge."""
    return RevertScene(top / "scene", group=request.param == "group")


def _check(scene: Scene, before: Snapshot, after: Snapshot, where: object) -> bool:
    """Whether the undo happened, after recovery: files and history agree, nothing is left over."""
    store, editor = scene.open()
    try:
        found = scene.snapshot()
        assert found in (before, after), where
        assert scene.litter() == [], where
        newest = next(store.newest_first())
        assert (newest.kind == "undo") == (found == after), where
        if found == after:
            editor.redo(None, ORIGIN)
            assert scene.snapshot() == before, where
    finally:
        store.close()
        store.workspace.close()
    return found == after


@pytest.mark.requirement("history-undo-crash")
def test_a_merged_or_grouped_undo_killed_anywhere_is_all_or_nothing(scene: RevertScene) -> None:
    before, after = scene.both()
    assert before != after
    scene.lay_out()
    scene.keep()
    outcomes = set()
    for number in range(1, 1000):
        scene.bring_back()

        def work(number: int = number) -> None:
            _, editor = scene.open(dies_before(number))
            scene.change(editor)

        status = in_child(work)
        if status == 0:
            break
        assert status == KILLED
        outcomes.add(_check(scene, before, after, number))
    assert number > 15
    assert outcomes == {True, False}


@pytest.mark.requirement("history-undo-crash")
def test_a_power_cut_during_a_merged_or_grouped_undo_leaves_all_or_nothing(
    scene: RevertScene,
) -> None:
    before, after = scene.both()
    scene.lay_out()
    scene.keep()
    outcomes = set()
    for policy in CHOSEN if LONG else CHOSEN[:3]:
        for cut in range(1, 1000):
            scene.bring_back()

            def work(policy: str = policy, cut: int = cut) -> None:
                disk = PowerDisk([scene.root, scene.state], POLICIES[policy](), cut)
                _, editor = scene.open(disk)
                scene.change(editor)
                (scene.top / "answered").write_text("")
                disk.power_off()

            assert in_child(work) == CUT
            is_answered = (scene.top / "answered").exists()
            happened = _check(scene, before, after, (policy, cut))
            outcomes.add(happened)
            if is_answered:
                assert happened, (policy, cut)
                break
    assert outcomes == {True, False}

"""Edits of Redline's own at any moment of the recorder's work: the history keeps the true order."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.adapters.journal.steps.apply import Swap
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.core.ports.history import OUTSIDE, Operation, Origin
from redline.recorder.entries import EntryReader
from redline.recorder.ports import HookEvent, Moment
from tests.recorder.desk import Desk

PATIENCE = 60.0


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


def _once_before(monkeypatch: pytest.MonkeyPatch, where: object, name: str, do: Any) -> None:
    """Do something right before the first call of a method."""
    real, calls = getattr(where, name), []

    def instead(*given: Any, **named: Any) -> Any:
        if not calls:
            calls.append(name)
            do()
        return real(*given, **named)

    monkeypatch.setattr(where, name, instead)


def _once_after(monkeypatch: pytest.MonkeyPatch, where: object, name: str, do: Any) -> None:
    """Do something right after the first call of a method."""
    real, calls = getattr(where, name), []

    def instead(*given: Any, **named: Any) -> Any:
        result = real(*given, **named)
        if not calls:
            calls.append(name)
            do()
        return result

    monkeypatch.setattr(where, name, instead)


def _way(desk: Desk, name: str) -> list[tuple[str, str]]:
    """The contents through which a file went, each with the tool that made it, without a gap."""
    found: list[tuple[str, str]] = []
    last = ""
    for operation in reversed(desk.history()):
        for step in desk.redline.history.get(operation.id).change_set.steps:
            if isinstance(step, Change) and step.path.relative == name:
                before, after = _text(step.before), _text(step.after)
                assert not found or before == last
                last = after
                found.append((operation.origin.tool, after))
    return found


def _text(state: object) -> str:
    return (state.content or b"").decode() if isinstance(state, FileState) else ""


def _take_all_back(desk: Desk) -> None:
    for operation in desk.history():
        desk.undo(operation)


@pytest.mark.requirement("recorder-order")
def test_an_edit_that_commits_while_a_burst_is_recorded_comes_after_all_of_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    first = desk.picture()
    desk.write("a.txt", b"person\n")
    desk.write("new/b.txt", b"person\n")
    _once_before(monkeypatch, desk.redline.editor, "record", lambda: desk.edit("a.txt", b"agent\n"))
    desk.settle()
    assert _way(desk, "a.txt") == [(OUTSIDE, "person\n"), ("edit_file", "agent\n")]
    assert [each.origin.tool for each in desk.history()] == ["edit_file", OUTSIDE]
    assert desk.settle() == []
    _take_all_back(desk)
    assert desk.picture() == first


@pytest.mark.requirement("recorder-order")
def test_parts_of_a_burst_stay_in_order_around_an_edit_that_commits_between_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redline.recorder.recording.MAX_CHANGES", 2)
    desk.write("z.txt", b"one\n")
    desk.start()
    first = desk.picture()
    for name in "abcd":
        desk.write(f"new/{name}.txt", b"person\n")
    desk.write("z.txt", b"person\n")
    _once_after(monkeypatch, desk.redline.editor, "record", lambda: desk.edit("z.txt", b"agent\n"))
    made = [each.id for each in desk.settle()]
    assert [each.id for each in reversed(desk.history())][:-1] == made
    assert _way(desk, "z.txt") == [(OUTSIDE, "person\n"), ("edit_file", "agent\n")]
    _take_all_back(desk)
    assert desk.picture() == first


@pytest.mark.requirement("recorder-order")
def test_what_was_read_just_before_an_edit_is_read_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    desk.write("a.txt", b"half a save\n")

    def save_and_edit() -> None:
        desk.write("a.txt", b"person\n")
        desk.edit("a.txt", b"agent\n")

    _once_after(monkeypatch, EntryReader, "read", save_and_edit)
    desk.settle("a.txt")
    assert _way(desk, "a.txt") == [(OUTSIDE, "person\n"), ("edit_file", "agent\n")]


@pytest.mark.requirement("recorder-order")
def test_an_edit_while_it_learns_is_no_change_of_another_program(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.txt", b"one\n")
    desk.write("b.txt", b"one\n")
    _once_before(monkeypatch, EntryReader, "everywhere", lambda: desk.edit("a.txt", b"agent\n"))
    _once_after(monkeypatch, EntryReader, "state", lambda: desk.edit("b.txt", b"agent\n"))
    desk.start()
    assert desk.settle() == []
    desk.write("a.txt", b"person\n")
    desk.settle()
    assert _way(desk, "a.txt") == [("edit_file", "agent\n"), (OUTSIDE, "person\n")]
    assert _way(desk, "b.txt") == [("edit_file", "agent\n")]


class _HeldUp:
    """An edit whose line is in the journal and whose files are not in place yet."""

    def __init__(self, desk: Desk, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
        self.is_committed, self.go_on = threading.Event(), threading.Event()
        self.failure: OSError | None = None
        monkeypatch.setattr(Swap, "carry_out", self._instead_of(Swap.carry_out))
        path = desk.redline.workspace.resolve("a.txt", Access.WRITE)
        change = Change(path, desk.redline.tree.state(path), FileState.of(content))
        self.edit = threading.Thread(target=self._commit, args=(desk, ChangeSet((change,))))
        self.edit.start()
        assert self.is_committed.wait(PATIENCE)

    def _commit(self, desk: Desk, change_set: ChangeSet) -> None:
        try:
            desk.redline.editor.commit(change_set, Origin("edit_file"))
        except RedlineError:
            assert self.failure

    def _instead_of(self, real: Callable[..., None]) -> Callable[..., None]:
        def carry_out(swap: Swap, *given: Any) -> None:
            is_first = not self.is_committed.is_set()
            self.is_committed.set()
            assert self.go_on.wait(PATIENCE)
            if self.failure and is_first:
                raise self.failure
            real(swap, *given)

        return carry_out

    def settle(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> list[Operation]:
        """Record while the edit is held up; it goes on once the recorder has met it."""
        _once_before(monkeypatch, desk.redline._store, "wait_for", self.go_on.set)
        found = desk.settle("a.txt")
        self.edit.join(PATIENCE)
        return found


@pytest.mark.requirement("recorder-order")
def test_an_edit_that_is_journalled_but_not_in_place_yet_is_waited_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    edit = _HeldUp(desk, monkeypatch, b"agent\n")
    assert edit.settle(desk, monkeypatch) == []
    assert _way(desk, "a.txt") == [("edit_file", "agent\n")]


@pytest.mark.requirement("recorder-order")
def test_an_edit_that_the_journal_takes_back_again_was_none(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.txt", b"one\n")
    desk.start()
    desk.edit("b.txt", b"agent\n")
    desk.settle()
    edit = _HeldUp(desk, monkeypatch, b"agent\n")
    edit.failure = OSError(errno.EIO, os.strerror(errno.EIO))
    assert edit.settle(desk, monkeypatch) == []
    monkeypatch.undo()
    assert desk.settle() == []
    desk.write("a.txt", b"person\n")
    desk.settle()
    assert _way(desk, "a.txt") == [(OUTSIDE, "person\n")]
    assert _way(desk, "b.txt") == [("edit_file", "agent\n")]


@pytest.mark.requirement("recorder-order")
def test_what_an_agent_changed_right_before_an_edit_is_the_agents(desk: Desk) -> None:
    desk.write("a.txt", b"one\n")
    desk.write("b.txt", b"one\n")
    desk.start()
    files = frozenset({str(desk.root / "a.txt")})
    said = {"client": "codex", "session": "s1", "tool": "apply_patch", "call": "1"}
    desk.claims.note(HookEvent(moment=Moment.BEFORE, time_ns=desk.now(), files=files, **said))
    desk.write("a.txt", b"by the agent\n")
    desk.claims.note(HookEvent(moment=Moment.AFTER, time_ns=desk.now(), files=files, **said))
    desk.write("b.txt", b"by the person\n")
    desk.edit("a.txt", b"edited\n")
    desk.edit("b.txt", b"edited\n")
    desk.settle()
    assert _way(desk, "a.txt") == [("apply_patch", "by the agent\n"), ("edit_file", "edited\n")]
    assert _way(desk, "b.txt") == [(OUTSIDE, "by the person\n"), ("edit_file", "edited\n")]


@pytest.mark.requirement("hooks-origins")
def test_a_hook_that_was_sent_and_not_heard_yet_is_heard_before_its_change_is_recorded(
    desk: Desk,
) -> None:
    desk.start()
    said = HookEvent(
        "claude-code", Moment.BEFORE, desk.now(), session="s", tool="Edit",
        files=frozenset({str(desk.root / "a.txt")}),
    )  # fmt: skip
    desk.write("a.txt", b"by the agent\n")
    desk.hear_hooks = lambda: desk.claims.note(said)
    (made,) = desk.settle("a.txt", cause="git stash")
    assert (made.origin.client, made.origin.tool) == ("claude-code", "Edit")

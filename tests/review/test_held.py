"""Held changes: kept durably, decided once, applied only where they still fit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from redline.core.errors import HeldDecided, HeldStale, InvalidArgument, UnknownHeld
from redline.core.paths import Access
from redline.core.ports.history import HistoryQuery, Origin
from redline.core.ports.review import Action, HeldChange, HeldState, Ruling
from redline.plan.file_ops import plan_write
from redline.review.held import approve_held, list_held, refuse_held, show_held
from redline.settings import Settings
from redline.wiring.workspace import Redline

HELD = "aabbccdd"


def settings(tmp_path: Path) -> Settings:
    return Settings(workspace=str(tmp_path / "ws"), state_dir=str(tmp_path / "state"))


@pytest.fixture
def redline(tmp_path: Path) -> Iterator[Redline]:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a").write_text("one\n")
    with Redline(settings(tmp_path)) as opened:
        yield opened


def hold(redline: Redline, *, held_id: str = HELD, expires: float | None = None) -> HeldChange:
    place = redline.workspace.resolve("a", Access.WRITE)
    change_set = plan_write(redline.tree, place, "a", b"two\n")
    now = time.time()
    origin = Origin("write_file", "agent 1", "", "write a", "s1")
    rulings = (Ruling(Action.ASK, "a", "look first", 3, "it is important"),)
    until = now + 60 if expires is None else expires
    return redline.held.hold(HeldChange(held_id, now, until, origin, change_set, rulings))


@pytest.mark.requirement("policy-held-durable")
def test_a_held_change_survives_a_restart_and_is_approved(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a").write_text("one\n")
    with Redline(settings(tmp_path)) as first:
        hold(first)
    with Redline(settings(tmp_path)) as later:
        (waiting,) = list_held(later)
        assert waiting.rulings[0].reason == "it is important"
        view = show_held(later, HELD[:4])
        assert view.files[0].text == "two\n"
        assert "+two" in view.files[0].diff
        operation = approve_held(later, HELD, "Ada")
        assert (tmp_path / "ws" / "a").read_text() == "two\n"
        assert operation.origin.session == "s1"
        assert not list_held(later)
        assert show_held(later, HELD).state is HeldState.APPROVED


@pytest.mark.requirement("policy-held-journal")
def test_every_decision_is_in_the_journal_with_its_person(redline: Redline) -> None:
    hold(redline)
    refuse_held(redline, HELD, "Ada", "not on a Friday")
    hold(redline, held_id="ffee")
    approve_held(redline, "ffee", "Bob")
    grants = [op for op in redline.history.list(HistoryQuery()) if op.kind == "grant"]
    assert [op.origin.principal for op in grants] == ["Bob", "Ada"]
    assert "not on a Friday" in grants[1].origin.summary


@pytest.mark.requirement("policy-held-stale")
def test_a_held_change_whose_base_moved_on_is_stale_and_changes_nothing(
    redline: Redline, tmp_path: Path
) -> None:
    hold(redline)
    (tmp_path / "ws" / "a").write_text("another\n")
    assert show_held(redline, HELD).stale == ("a",)
    with pytest.raises(HeldStale, match=r"a$"):
        approve_held(redline, HELD, "Ada")
    assert (tmp_path / "ws" / "a").read_text() == "another\n"
    assert list_held(redline)


@pytest.mark.requirement("policy-held-edited")
def test_an_approval_may_edit_the_contents(redline: Redline, tmp_path: Path) -> None:
    hold(redline)
    with pytest.raises(InvalidArgument, match="no content: b"):
        approve_held(redline, HELD, "Ada", {"b": "x"})
    approve_held(redline, HELD, "Ada", {"a": "three\n"})
    assert (tmp_path / "ws" / "a").read_text() == "three\n"
    decision = show_held(redline, HELD).change.decision
    assert decision is not None
    assert decision.is_edited


@pytest.mark.requirement("policy-held-expires")
def test_an_expired_change_cannot_be_approved(redline: Redline, tmp_path: Path) -> None:
    hold(redline, expires=time.time() - 1)
    assert not list_held(redline)
    with pytest.raises(HeldDecided, match="expired"):
        approve_held(redline, HELD, "Ada")
    assert (tmp_path / "ws" / "a").read_text() == "one\n"


@pytest.mark.requirement("policy-held-once")
def test_of_many_deciders_at_once_one_decides(redline: Redline) -> None:
    hold(redline)
    outcomes: list[str] = []

    def decide(number: int) -> None:
        try:
            if number % 2:
                approve_held(redline, HELD, f"P{number}")
            else:
                refuse_held(redline, HELD, f"P{number}", "no")
            outcomes.append("decided")
        except HeldDecided:
            outcomes.append("late")

    threads = [Thread(target=decide, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["decided", *["late"] * 7]


@pytest.mark.requirement("policy-held-reason")
def test_a_session_is_informed_of_a_decision_once(redline: Redline) -> None:
    hold(redline)
    assert not redline.held.take_decisions("s1")
    refuse_held(redline, HELD, "Ada", "no")
    assert not redline.held.take_decisions("s2")
    (informed,) = redline.held.take_decisions("s1")
    assert informed.decision is not None
    assert informed.decision.reason == "no"
    assert not redline.held.take_decisions("s1")


@pytest.mark.requirement("policy-held-journal")
def test_an_unknown_id_and_an_unnamed_person_are_refused(redline: Redline) -> None:
    with pytest.raises(UnknownHeld):
        show_held(redline, "nope")
    hold(redline)
    with pytest.raises(InvalidArgument, match="Who decides"):
        approve_held(redline, HELD, " ")

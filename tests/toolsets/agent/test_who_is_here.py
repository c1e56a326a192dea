"""Who is at work: an edit beside another session says so, and git waits for a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.noise.seat import Seat
from bench.programs import who_is_here
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.services.history.news import describe_news, describe_work_of_others
from tests.support import LONG


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    found = Seat(tmp_path)
    found.write({"a.txt": "one\ntwo\nthree\nfour\nfive\n", "b.txt": "b\n"})
    yield found
    found.close()


def edit(seat: Seat, name: str, old: str, new: str, by: str) -> str:
    text, failed = seat.call("edit", {"path": name, "edits": [{"old": old, "new": new}]}, by)
    assert not failed, text
    return text


@pytest.mark.requirement("agent-who-is-here")
def test_an_edit_beside_another_session_says_so_once(seat: Seat) -> None:
    assert "is at work" not in edit(seat, "a.txt", "one", "1", "first")
    assert "is at work" not in edit(seat, "a.txt", "1", "one", "first")
    said = edit(seat, "a.txt", "five", "5", "second")
    assert said.count("is at work in a.txt, too") == 1
    assert "is at work" not in edit(seat, "a.txt", "5", "five", "second")
    assert "is at work" in edit(seat, "a.txt", "one", "1", "first")
    assert "is at work" not in edit(seat, "b.txt", "b", "c", "second")


@pytest.mark.requirement("agent-who-is-here")
def test_the_shell_of_the_same_client_is_oneself(seat: Seat) -> None:
    path = seat.redline.workspace.resolve("a.txt", Access.WRITE)
    change = Change(path, seat.redline.tree.state(path), FileState.of(b"one\ntwo\n"))
    recorded = Origin("Bash", "claude-code", session="hook")
    seat.write({"a.txt": "one\ntwo\n"})
    seat.redline.editor.record(ChangeSet((change,)), recorded)
    again = Change(path, seat.redline.tree.state(path), FileState.of(b"one\n2\n"))
    own = Origin("edit", "claude-code 2.1", session="connection")
    seat.redline.editor.commit(ChangeSet((again,)), own)
    assert describe_news(seat.redline, "connection", "x") == ""
    assert describe_work_of_others(seat.redline, own) == ""
    other = Origin("edit", "codex 1", session="third")
    assert "claude-code" not in describe_work_of_others(seat.redline, other)
    assert "Claude Code (session connection) changed a.txt" in describe_work_of_others(
        seat.redline, other
    )


@pytest.mark.requirement("agent-git-beside-others")
@pytest.mark.parametrize(
    ("line", "is_refused"),
    [
        ("git checkout .", True),
        ("git -c core.x=1 stash", True),
        ("true && git reset --hard", True),
        ("git rebase main", True),
        ("git stash list", False),
        ("git status", False),
        ("echo git checkout", False),
    ],
)
def test_git_does_not_take_away_anothers_work_unasked(
    seat: Seat, line: str, is_refused: bool
) -> None:
    edit(seat, "a.txt", "one", "1", "first")
    mine, _ = seat.call("run", {"command": line}, "first")
    assert "unfinished work" not in mine
    text, failed = seat.call("run", {"command": line}, "second")
    assert ("unfinished work" in text) is is_refused
    if is_refused:
        assert failed
        assert "agent (session" in text


@pytest.mark.requirement("agent-who-is-here")
def test_twenty_agents_hear_of_every_overlap_and_lose_nothing(seat: Seat) -> None:
    found = who_is_here.work(seat, who_is_here.SECONDS if LONG else who_is_here.SHORT)
    assert found.problems == []
    assert found.lost == []
    assert found.said > 0


@pytest.mark.requirement("agent-who-is-here")
def test_knowing_who_is_here_takes_a_tenth_of_a_millisecond(seat: Seat) -> None:
    assert who_is_here.measure_added(seat) < 0.1

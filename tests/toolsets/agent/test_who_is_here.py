"""Who is at work: an edit beside another session says so, and git waits for a person."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.noise.seat import Seat
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.engine.history import RecentWork
from redline.services.history.news import describe_news, describe_work_of_others
from redline.toolsets.call import session_of
from redline.toolsets.tool import Client
from tests.support import LONG

AGENTS = 20
SECONDS = 600.0 if LONG else 4.0
FILES = 12
OVERLAP = re.compile(r"note: agent \(session (\w+)\) is at work in ([^,]+)")


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
    names = [f"f{number}.txt" for number in range(FILES)]
    lines = "".join(f"line of {number}: 0\nbetween\nbetween\n" for number in range(AGENTS))
    seat.write(dict.fromkeys(names, lines))
    guard = threading.Lock()
    # What each wrote last, and who has changed each file, beside what Redline knows.
    wrote: dict[tuple[int, str], int] = {}
    changed: dict[str, set[int]] = {name: set() for name in names}
    heard: dict[tuple[int, str], int] = {}
    problems: list[str] = []
    ends = time.monotonic() + SECONDS

    def work(agent: int) -> None:
        chance, by = random.Random(agent), f"agent{agent}"
        while time.monotonic() < ends:
            name = chance.choice(names)
            was = wrote.get((agent, name), 0)
            with guard:
                others = changed[name] - {agent}
            edits = [{"old": f"line of {agent}: {was}\n", "new": f"line of {agent}: {was + 1}\n"}]
            text, failed = seat.call("edit", {"path": name, "edits": edits}, by)
            if failed:
                problems.append(text) if "STALE" not in text and "LOCKED" not in text else None
                continue
            with guard:
                wrote[agent, name] = was + 1
                changed[name].add(agent)
            said = [each for _, files in OVERLAP.findall(text) for each in files.split()]
            more = "more of the kind" in text
            if was == 0 and others and name not in said and not more:
                problems.append(f"{by} was not told of {others} in {name}: {text}")
            own = session_of(Client("agent", connection=by))
            if any(session == own for session, _ in OVERLAP.findall(text)):
                problems.append(f"{by} was warned of itself: {text}")
            heard[agent, name] = heard.get((agent, name), 0) + len(said)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(AGENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert sum(heard.values()) > 0
    files = seat.read()
    lost = [
        (agent, name)
        for (agent, name), number in wrote.items()
        if f"line of {agent}: {number}\n" not in files[name]
    ]
    assert lost == []


@pytest.mark.requirement("agent-who-is-here")
def test_knowing_who_is_here_takes_a_tenth_of_a_millisecond(seat: Seat) -> None:
    recent = RecentWork(seat.redline._store)
    recent.take_overlaps("me")
    taken = []
    for number in range(40):
        edit(
            seat, "a.txt", "one" if number % 2 == 0 else "1", "1" if number % 2 == 0 else "one", "x"
        )
        begun = time.thread_time_ns()
        recent.take_overlaps("me")
        taken.append(time.thread_time_ns() - begun)
        begun = time.thread_time_ns()
        recent.take_overlaps("me")
        taken.append(time.thread_time_ns() - begun)
    # The median of a call after a change and of one where nothing is new.
    assert sorted(taken)[len(taken) // 2] < 100_000, sorted(taken)

"""Which run of a tool a change belongs to, from what clients said of their tools."""

from __future__ import annotations

from typing import Any

import pytest

from redline.core.changes import ABSENT, Change, DirState, FileState
from redline.core.paths import WorkspacePath
from redline.recorder.claims import MAX_CLAIMS, ChangeTime, Claim, Claims
from redline.recorder.ports import HookEvent, Moment
from redline.recorder.recording import split

pytestmark = pytest.mark.requirement("hooks-claims")

SECOND = 1_000_000_000
START = 1_000 * SECOND


def event(moment: Moment, seconds: float, **fields: Any) -> HookEvent:
    given = {"client": "claude-code", "session": "s", "tool": "Bash", **fields}
    return HookEvent(moment=moment, time_ns=START + int(seconds * SECOND), **given)


def at(seconds: float) -> ChangeTime:
    when = START + int(seconds * SECOND)
    return ChangeTime(when, when)


def owners(claims: Claims, path: str, when: ChangeTime) -> list[tuple[str, str]]:
    return [(c.event.client, c.event.tool) for c in claims.matching(path, when)]


def test_a_change_belongs_to_the_run_in_whose_time_it_was_made() -> None:
    claims = Claims()
    claims.note(event(Moment.BEFORE, 10, call="1"))
    assert owners(claims, "/w/a", at(9.9)) == []
    assert owners(claims, "/w/a", at(11)) == [("claude-code", "Bash")]
    claims.note(event(Moment.AFTER, 12, call="1"))
    assert owners(claims, "/w/a", at(11)) == [("claude-code", "Bash")]
    assert owners(claims, "/w/a", at(12.1)) == []


def test_a_tool_that_names_its_files_made_no_other_change() -> None:
    claims = Claims()
    claims.note(event(Moment.BEFORE, 10, tool="Edit", files=frozenset({"/w/a"})))
    assert owners(claims, "/w/a", at(11)) == [("claude-code", "Edit")]
    assert owners(claims, "/w/b", at(11)) == []


def test_the_run_that_named_the_file_comes_before_one_that_named_none() -> None:
    claims = Claims()
    claims.note(event(Moment.BEFORE, 10, tool="Edit", files=frozenset({"/w/a"})))
    claims.note(event(Moment.BEFORE, 11, client="codex"))
    assert owners(claims, "/w/a", at(12)) == [("claude-code", "Edit")]
    assert owners(claims, "/w/b", at(12)) == [("codex", "Bash")]


def test_of_several_runs_of_one_session_the_newest_counts() -> None:
    claims = Claims()
    claims.note(event(Moment.BEFORE, 10, call="1"))
    claims.note(event(Moment.BEFORE, 11, call="2", tool="PowerShell"))
    assert owners(claims, "/w/a", at(12)) == [("claude-code", "PowerShell")]


@pytest.mark.parametrize("other", [{"client": "codex"}, {"session": "t"}])
def test_two_sessions_that_fit_equally_are_both_named(other: dict[str, str]) -> None:
    claims = Claims()
    claims.note(event(Moment.BEFORE, 10))
    claims.note(event(Moment.BEFORE, 11, **other))
    assert len(owners(claims, "/w/a", at(12))) == 2
    assert len(owners(claims, "/w/a", at(10.5))) == 1


@pytest.mark.parametrize("moment", [Moment.IDLE, Moment.END, Moment.START])
def test_a_session_at_rest_runs_nothing(moment: Moment) -> None:
    claims = Claims()
    claims.note(event(Moment.BEFORE, 10, call="1"))
    claims.note(event(Moment.BEFORE, 10, client="codex"))
    claims.note(event(moment, 12))
    assert owners(claims, "/w/a", at(13)) == [("codex", "Bash")]


@pytest.mark.parametrize("tool", ["Read", "Task", "mcp__redline__edit_file", "mcp_redline_undo"])
def test_tools_that_only_read_and_those_of_redline_claim_nothing(tool: str) -> None:
    claims = Claims()
    claims.note(event(Moment.BEFORE, 10, tool=tool))
    assert owners(claims, "/w/a", at(11)) == []


def test_an_edit_of_which_a_client_speaks_afterwards_is_claimed() -> None:
    claims = Claims()
    claims.note(event(Moment.AFTER, 10, tool="Edit", files=frozenset({"/w/a"})))
    claims.note(event(Moment.AFTER, 10, tool="Shell"))
    assert owners(claims, "/w/a", at(9)) == [("claude-code", "Edit")]
    assert owners(claims, "/w/b", at(9)) == []


def test_what_is_gone_belongs_to_the_run_that_named_it_though_its_time_is_not_known() -> None:
    claims = Claims()
    claims.note(event(Moment.BEFORE, 10, call="1", files=frozenset({"/w/a"})))
    claims.note(event(Moment.AFTER, 11, call="1"))
    gone = ChangeTime(START + 9 * SECOND, START + 13 * SECOND)
    assert owners(claims, "/w/a", gone) == [("claude-code", "Bash")]
    assert owners(claims, "/w/b", gone) == []


def test_memory_is_bounded_and_a_run_that_never_ends_is_forgotten() -> None:
    claims = Claims()
    for number in range(2 * MAX_CLAIMS):
        claims.note(event(Moment.BEFORE, 10, call=str(number), session=str(number)))
    assert len(owners(claims, "/w/a", at(11))) == MAX_CLAIMS
    claims.note(event(Moment.BEFORE, 2 * 3600, session="new"))
    assert len(owners(claims, "/w/a", at(2 * 3600 + 1))) == 1


def test_a_directory_that_two_filled_is_made_first_and_one_that_two_emptied_removed_last() -> None:
    mine = (Claim(event(Moment.BEFORE, 1, session="mine"), START),)
    yours = (Claim(event(Moment.BEFORE, 1, session="yours"), START),)
    file = FileState.of(b"")
    made = [
        Change(WorkspacePath(0, ("d", "x")), ABSENT, file),
        Change(WorkspacePath(0, ("d",)), ABSENT, DirState()),
        Change(WorkspacePath(0, ("d", "y")), ABSENT, file),
        Change(WorkspacePath(0, ("e", "x")), file, ABSENT),
        Change(WorkspacePath(0, ("e",)), DirState(), ABSENT),
        Change(WorkspacePath(0, ("e", "y")), file, ABSENT),
    ]
    parts = split(made, lambda change: yours if change.path.name == "y" else mine)
    names = [sorted("/".join(c.path.parts) for c in part.changes) for part in parts]
    assert names == [["d"], ["d/x", "e/x"], ["d/y", "e/y"], ["e"]]

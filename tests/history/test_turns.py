"""Turns: a prompt opens one, and its words lead back to before it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import NothingToUndo, UndoBlocked
from redline.core.paths import Access
from redline.core.ports.history import PROMPT, Direction, HistoryQuery, Operation, Origin
from redline.recorder.claims import Claims
from redline.recorder.ports import HookEvent, Moment
from redline.recorder.recording import OUTSIDE
from redline.server.calls.catalog import Catalog
from redline.server.calls.dispatch import Context
from redline.server.calls.tool_server import ToolServer
from redline.services.history.references import find_operation, find_point
from redline.services.history.revert import Wish, revert
from redline.services.history.turns import PAUSE, find_turn, group_turns, list_turns, name_actor
from redline.toolsets.files.tools import TOOLSET
from redline.toolsets.tool import Client
from tests.cli.shell import Shell
from tests.history.sessions import judge
from tests.recorder.adapters.hook_runs import CLIENTS, payloads, run_hook
from tests.recorder.desk import Desk
from tests.recorder.test_session import Recorded
from tests.support import LONG

pytestmark = pytest.mark.requirement("history-turns")

BY_HAND = Origin("undo", "command line", session="terminal")


def operation(number: int, at: float, origin: Origin, kind: str = "change") -> Operation:
    return Operation(f"id{number}", at, origin, ChangeSet(), kind)


def test_generated_sessions_agree_with_the_reference_tree() -> None:
    found = judge(500 if LONG else 12, seed=1)
    assert found.wrong == []
    assert found.prompts > found.sessions
    assert found.rewinds


def test_without_prompts_a_pause_opens_a_turn() -> None:
    mine, other = Origin("edit", "an-agent 1", session="a"), Origin("edit", "b", session="b")
    made = [operation(0, 0.0, mine), operation(1, 5.0, other), operation(2, PAUSE, mine)]
    made.append(operation(3, 3 * PAUSE, mine))
    turns = group_turns(made)
    assert [[op.id for op in turn.operations] for turn in turns] == [
        ["id0", "id2"],
        ["id1"],
        ["id3"],
    ]
    assert not any(turn.prompt for turn in turns)


def test_a_call_belongs_to_the_session_whose_hook_told_of_it_and_to_no_other() -> None:
    hook = Origin(PROMPT, "claude-code", summary="fix it", session="s1")
    call = Origin("edit", "claude-code 2.1", session="connection", hook_session="s1")
    beside = Origin("edit", "claude-code 2.1", session="without hooks")
    made = [operation(0, 0.0, hook, PROMPT), operation(1, 1.0, call), operation(2, 2.0, beside)]
    assert [(turn.session, [op.id for op in turn.operations]) for turn in group_turns(made)] == [
        ("s1", ["id1"]),
        ("without hooks", ["id2"]),
    ]


def test_everybody_has_one_name() -> None:
    names = [
        name_actor(Origin("edit", client, "ana", session=session))
        for client, session in (
            ("command line", "terminal"),
            ("claude-code 2.1", "s"),
            ("codex-mcp-client 0.1", "s"),
            ("my-agent", "s"),
        )
    ]
    assert names == ["You", "Claude Code", "Codex", "my-agent"]
    assert name_actor(Origin("outside", principal="ana")) == "Other programs"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(tmp_path)
    found.start()
    yield found
    found.close()


def prompt(desk: Desk, words: str, session: str = "s1") -> None:
    desk.redline.editor.note_prompt(Origin(PROMPT, "claude-code", summary=words, session=session))


def edit(
    desk: Desk, name: str, text: str, session: str = "s1", client: str = "claude-code 2.1"
) -> None:
    path = desk.redline.workspace.resolve(name, Access.WRITE)
    change = Change(path, desk.redline.tree.state(path), FileState.of(text.encode()))
    origin = Origin("edit", client, session=session)
    desk.redline.editor.commit(ChangeSet((change,)), origin)


def test_prompts_are_not_listed_among_changes(desk: Desk) -> None:
    edit(desk, "a.txt", "one\n")
    prompt(desk, "go on")
    history = desk.redline.history
    (only,) = history.list(HistoryQuery())
    assert find_operation(history, "@") == only.id
    assert [each.kind for each in history.list(HistoryQuery(prompts=True))] == [PROMPT, "change"]
    assert {mark.kind for mark in history.marks()} == {"change"}


def test_rewinding_to_a_prompt_keeps_other_sessions(desk: Desk) -> None:
    prompt(desk, "first")
    edit(desk, "a.txt", "one\n")
    prompt(desk, "second")
    edit(desk, "a.txt", "two\n")
    edit(desk, "b.txt", "other\n", "s9", "codex-mcp-client 0.1")
    revert(desk.redline, Wish(Direction.UNDO, to="@prompt"), BY_HAND)
    assert (desk.root / "a.txt").read_text() == "one\n"
    assert (desk.root / "b.txt").read_text() == "other\n"
    revert(desk.redline, Wish(Direction.UNDO, to="@prompt-1"), BY_HAND)
    assert not (desk.root / "a.txt").exists()
    assert find_turn(desk.redline.history, "@turn")[0].session == "s9"
    with pytest.raises(NothingToUndo):
        find_point(desk.redline.history, "@prompt-9", inclusive=False)


def test_undo_of_a_turn_that_a_later_one_built_on_is_refused(desk: Desk) -> None:
    prompt(desk, "first")
    edit(desk, "a.txt", "one\n")
    prompt(desk, "second")
    edit(desk, "a.txt", "two\n")
    with pytest.raises(UndoBlocked):
        revert(desk.redline, Wish(Direction.UNDO, turn="@prompt-1"), BY_HAND)
    assert (desk.root / "a.txt").read_text() == "two\n"
    revert(desk.redline, Wish(Direction.UNDO, turn="@prompt"), BY_HAND)
    assert (desk.root / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize("client", CLIENTS)
def test_the_hook_returns_when_the_prompt_and_what_came_before_are_recorded(
    client: str, tmp_path: Path
) -> None:
    recorded = Recorded(tmp_path)
    try:
        (recorded.root / "by-hand.txt").write_text("mine\n")
        event = payloads(client, recorded.root)["prompt"] | {"prompt": "Fix the test.\nThen rest."}
        said = json.dumps(event).encode()
        done = run_hook(client, said, state=tmp_path / "state", cwd=recorded.root)
        assert (done.returncode, done.stderr) == (0, b"")
        listed = recorded.redline.history.list(HistoryQuery(prompts=True))
        assert [each.kind for each in listed] == [PROMPT, "change"]
        (turn,) = list_turns(recorded.redline.history)
        assert (turn.client, turn.words) == (client, "Fix the test.")
    finally:
        recorded.redline.close()


# How each client names itself to servers, and what it puts beside the arguments of a call.
CONNECTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "claude-code": ("claude-code", {"claudecode/toolUseId": "ID"}),
    "codex": ("codex-mcp-client", {"threadId": "first"}),
    "cursor": ("cursor-vscode", {}),
    "gemini": ("gemini-cli-mcp-client-redline", {}),
}


@pytest.mark.requirement("history-joins-by-evidence")
@pytest.mark.parametrize("client", CLIENTS)
def test_only_a_call_that_a_hook_told_of_is_of_its_session(client: str, tmp_path: Path) -> None:
    recorded = Recorded(tmp_path)
    name, meta = CONNECTIONS[client]
    sent = payloads(client, recorded.root)
    dispatch = ToolServer(Catalog([TOOLSET]), recorded.redline).dispatch

    def tell(event: str, session: str, **more: object) -> None:
        said = sent[event] | more
        said |= {key: session for key in ("session_id", "conversation_id") if key in said}
        run_hook(client, json.dumps(said).encode(), state=tmp_path / "state", cwd=recorded.root)

    def call(file: str, connection: str, given: dict[str, str]) -> None:
        arguments = {"path": file, "edits": [{"oldText": "one", "newText": "two"}]}
        params = {"name": "edit_file", "arguments": arguments, "_meta": given}
        answer = dispatch.call(params, Context(Client(name, "2.1", connection=connection)))
        assert isinstance(answer, dict)
        assert not answer["isError"]

    try:
        for file in ("own.txt", "b.txt", "c.txt"):
            (recorded.root / file).write_text("one\n")
        tell("prompt", "first", prompt="Fix it.")
        given: object = {"edits": [{"newText": "two", "oldText": "one"}], "path": "own.txt"}
        given = json.dumps(given) if client == "cursor" else given
        tell("before_own", "first", tool_input=given)
        ours = {key: sent["before_own"].get("tool_use_id", "") for key in meta if "Use" in key}
        # Two connections of the same client without hooks: one with the same id or thread as
        # nobody, one at the same moment with other arguments.
        call("own.txt", "hooked", meta | ours)
        call("b.txt", "beside", dict.fromkeys(meta, "another"))
        tell("prompt", "second", prompt="Another thing.")
        call("c.txt", "beside", dict.fromkeys(meta, "another"))
        turns = {turn.session: turn for turn in list_turns(recorded.redline.history)}
        assert [len(turn.operations) for turn in turns.values()] == [1, 2, 0]
        assert list(turns)[::2] == ["first", "second"]
        revert(recorded.redline, Wish(Direction.UNDO, to="@prompt-1"), BY_HAND)
        left = [(recorded.root / file).read_text() for file in ("own.txt", "b.txt", "c.txt")]
        assert left == ["one\n", "two\n", "two\n"]
    finally:
        recorded.redline.close()


@pytest.mark.requirement("history-joins-by-evidence")
def test_two_sessions_that_call_alike_at_one_moment_are_not_told_apart() -> None:
    claims = Claims()
    call = HookEvent("gemini", Moment.CALL, 2, tool="edit", given="d")
    for number, session in enumerate(("a", "b")):
        claims.note(HookEvent("gemini", Moment.BEFORE, 1, session, "mcp_redline_edit", given="d"))
        assert claims.session_of(call) == ("" if number else "a")
    claims.note(HookEvent("gemini", Moment.AFTER, 3, "b", "mcp_redline_edit", given="d"))
    assert claims.session_of(call) == "a"
    assert claims.session_of(replace(call, given="e")) == ""


@pytest.mark.requirement("history-edits-apart")
@pytest.mark.parametrize("client", ["claude-code", "gemini"])
def test_a_save_right_before_or_after_an_agents_edit_stays_the_persons(
    client: str, tmp_path: Path
) -> None:
    recorded = Recorded(tmp_path)
    target = recorded.root / "a.txt"
    # The watcher alone would see all three writes as one.
    recorded.session._watcher.close()

    def tell(name: str) -> None:
        said = payloads(client, recorded.root)[name]
        said["tool_input"]["file_path"] = str(target)
        run_hook(client, json.dumps(said).encode(), state=tmp_path / "state", cwd=recorded.root)

    try:
        target.write_text("by hand\n")
        time.sleep(0.03)  # longer than the slack of a claim
        tell("before_edit")
        target.write_text("by hand\nby the agent\n")
        tell("after_edit")
        recorded.until(lambda: len(recorded.seen) == 2)
        time.sleep(0.03)
        target.write_text("by hand\nby the agent\nby hand\n")
        recorded.session._look(None)
        tools = [each.origin.tool for each in recorded.seen]
        assert [tool == OUTSIDE for tool in tools] == [True, False, True]
    finally:
        recorded.redline.close()


def test_log_and_rewind_show_prompts_and_lead_back(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    desk = Desk.__new__(Desk)
    desk.base, desk.root = tmp_path, shell.folder
    desk.hear_hooks = lambda: None
    desk.open()
    prompt(desk, "Make it three")
    edit(desk, "a.txt", "three\n")
    prompt(desk, "Make it four")
    edit(desk, "a.txt", "four\n")
    desk.close()
    log = shell("log")[1].decode()
    assert "Claude Code  “Make it four”  session s1" in log
    row = json.loads(shell("log", "--json")[1])[0]
    assert row["prompt"] == "Make it four"
    listed = shell("rewind")[1].decode().splitlines()
    assert "@turn " in listed[0]
    assert "“Make it four”  a.txt" in listed[0]
    assert "@turn-1" in listed[1]
    assert shell("rewind", "@prompt")[0] == 0
    assert (shell.folder / "a.txt").read_text() == "three\n"
    assert "undone" in shell("rewind")[1].decode().splitlines()[0]
    assert shell("undo", "--turn", "@prompt-1", "--dry-run")[0] == 0

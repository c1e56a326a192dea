"""Who runs a command: a person at a terminal, or the agent whose shell it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from redline.services.history.turns import name_agent
from tests.cli.shell import Shell


@pytest.mark.requirement("agent-shell-named")
@pytest.mark.parametrize(
    ("variables", "agent", "session"),
    [
        ({"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}, "Claude Code", "s1"),
        ({"CLAUDECODE": "1"}, "Claude Code", "claude-code shell"),
        (
            {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "\x1b[1m"},
            "Claude Code",
            "claude-code shell",
        ),
        ({"CODEX_SANDBOX": "seatbelt"}, "Codex", "codex shell"),
        ({"CLAUDECODE": "1", "CODEX_THREAD_ID": "t-7"}, "Codex", "t-7"),
        ({"GEMINI_CLI": "1"}, "Gemini", "gemini shell"),
        ({"CURSOR_AGENT": "1"}, "Cursor", "cursor shell"),
        ({"AI_AGENT": "goose"}, "goose", "goose shell"),
        ({"CODEX_HOME": "/home/me/.codex", "CURSOR_TRACE_ID": "1"}, "command line", "terminal"),
    ],
)
def test_commands_of_an_agents_shell_read_as_the_agents(
    tmp_path: Path, variables: dict[str, str], agent: str, session: str
) -> None:
    shell = Shell(tmp_path)
    (shell.folder / "a.json").write_text('{"a": 1}\n')
    shell("set", "a.json", "a", "2")
    shell.env.update(variables)
    for command in (
        ("edit", "a.json", "--old", "2", "--new", "3"),
        ("set", "a.json", "a", "4"),
        ("undo", "@"),
    ):
        code, _, error = shell(*command)
        assert code == 0, error
    *rows, first = json.loads(shell("log", "--json")[1])
    assert (first["client"], first["session"]) == ("command line", "terminal")
    assert {name_agent(row["client"]) for row in rows} == {agent}
    assert {row["session"] for row in rows} == {session}
    mine = len(json.loads(shell("log", "--mine", "--json")[1]))
    assert mine == (4 if session == "terminal" else 3)

"""What agents change with their own tools is recorded as theirs, by what their hooks say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.core.ports.history import OUTSIDE, Operation, Origin
from tests.recorder.adapters.hook_runs import CLIENTS, payloads, run_hook
from tests.recorder.test_session import Recorded

pytestmark = pytest.mark.requirement("hooks-origins")

SHELLS = {
    "claude-code": "Bash",
    "codex": "Bash",
    "cursor": "Shell",
    "gemini": "run_shell_command",
}
EDITS = {"claude-code": "Edit", "codex": "apply_patch", "cursor": "Edit", "gemini": "replace"}


class Agents(Recorded):
    """A workspace that is recorded, and agents who change it."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.state = base / "state"

    def say(self, client: str, name: str) -> None:
        """Run a client's hook with one of its events."""
        event = payloads(client, self.root)[name]
        done = run_hook(client, json.dumps(event).encode(), state=self.state, cwd=self.root)
        assert (done.returncode, done.stderr) == (0, b"")

    def recorded_at(self, name: str) -> Operation:
        """Return the operation that changed a file, once it is recorded."""
        self.until(lambda: self._at(name))
        return self._at(name)[-1]

    def _at(self, name: str) -> list[Operation]:
        return [
            operation
            for operation in self.seen
            if any(step.path.relative == name for step in operation.change_set.steps)  # type: ignore[union-attr]
        ]


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[Agents]:
    found = Agents(tmp_path)
    yield found
    found.redline.close()


@pytest.mark.parametrize("client", CLIENTS)
def test_what_a_shell_command_changes_carries_client_tool_session_and_command(
    agents: Agents, client: str
) -> None:
    agents.say(client, "before_shell")
    (agents.root / "a.txt").write_text("two\n")
    agents.say(client, "after_shell")
    origin = agents.recorded_at("a.txt").origin
    assert (origin.client, origin.tool) == (client, SHELLS[client])
    assert origin.summary.startswith("sed -i s/one/two/ a.txt")
    assert origin.session


@pytest.mark.parametrize("client", CLIENTS)
def test_what_an_edit_tool_changes_carries_the_file(agents: Agents, client: str) -> None:
    if client != "cursor":
        agents.say(client, "before_edit")
    # Cursor speaks only afterwards, and on a loaded machine its hook takes long to start: while a
    # command of Redline runs, the recorder waits.
    end_command = agents.redline.recording.activity.begin()
    (agents.root / "b.txt").write_text("two\n")
    (agents.root / "c.txt").write_text("a person's\n")
    agents.say(client, "after_edit")
    end_command()
    origin = agents.recorded_at("b.txt").origin
    assert (origin.client, origin.tool) == (client, EDITS[client])
    assert origin.summary.startswith(str(agents.root / "b.txt"))
    other = agents.recorded_at("c.txt").origin
    assert (other.client, other.tool) == ("", OUTSIDE)


def test_a_change_after_the_tool_ended_is_a_persons(agents: Agents) -> None:
    agents.say("claude-code", "before_failing")
    (agents.root / "a.txt").write_text("the agent's\n")
    agents.say("claude-code", "after_failing")
    agents.recorded_at("a.txt")
    (agents.root / "d.txt").write_text("a person's\n")
    origin = agents.recorded_at("d.txt").origin
    assert (origin.client, origin.tool) == ("", OUTSIDE)


def test_what_a_command_removes_is_its_own_and_comes_back_by_undo(agents: Agents) -> None:
    agents.say("codex", "before_shell")
    (agents.root / "a.txt").unlink()
    agents.say("codex", "after_shell")
    operation = agents.recorded_at("a.txt")
    assert operation.origin.client == "codex"
    agents.redline.editor.undo(operation.id, Origin("undo_change"))
    assert (agents.root / "a.txt").read_text() == "one\n"


def test_two_agents_at_once_are_both_named_and_neither_is_blamed(agents: Agents) -> None:
    agents.say("claude-code", "before_shell")
    agents.say("gemini", "before_shell")
    (agents.root / "a.txt").write_text("by one of them\n")
    origin = agents.recorded_at("a.txt").origin
    assert (origin.client, origin.tool) == ("", OUTSIDE)
    assert "claude-code session" in origin.summary
    assert "gemini session" in origin.summary


@pytest.mark.parametrize("client", ["claude-code", "cursor"])
def test_a_persons_edit_while_redlines_own_tool_runs_stays_the_persons(
    agents: Agents, client: str
) -> None:
    agents.say(client, "before_own")
    (agents.root / "a.txt").write_text("a person's\n")
    assert agents.recorded_at("a.txt").origin.tool == OUTSIDE


def test_a_checkout_by_an_agent_names_the_agent_and_what_git_did(agents: Agents) -> None:
    agents.git("checkout", "-qb", "other")
    (agents.root / "new.txt").write_text("new\n")
    agents.git("add", ".")
    agents.git("commit", "-qm", "second")
    agents.recorded_at("new.txt")
    agents.seen.clear()
    agents.say("claude-code", "before_shell")
    agents.git("checkout", "-q", "main")
    agents.say("claude-code", "after_shell")
    origin = agents.recorded_at("new.txt").origin
    assert origin.client == "claude-code"
    assert "git checkout: moving from other to main" in origin.summary

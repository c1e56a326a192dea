"""A dry run says beforehand that the real call would be denied, held or need a permission."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.core.changes import ChangeSet
from redline.core.errors import PermissionRequired
from redline.core.paths import Access
from redline.core.ports.history import Origin
from redline.plan.file_ops import plan_write
from redline.review.held import list_held
from redline.services.commit import foresee
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.cli.shell import Shell
from tests.support import need
from tests.toolsets.agent.conftest import Desk, text_of
from tests.toolsets.agent.test_rules import CHANGING
from tests.wire.client import Client, connect
from tests.wire.test_dry_run_names import contents, prepare

DENY = "[[rule]]\nname = 'frozen'\npaths = ['**']\naction = 'deny'\nreason = 'release'\n"
ASK = DENY.replace("deny", "ask")
COMMANDS = {"execute_command", "exec_command", "run"}


class Place:
    """A server whose policy a test can change."""

    def __init__(self, client: Client, folder: Path, policy: Path) -> None:
        self.client = client
        self.folder = folder
        self.policy = policy

    def dry(self, tool: str, **arguments: Any) -> str:
        """All that the answer of a dry run says."""
        reply = self.client.call(tool, {**arguments, "dry_run": True})
        if "error" in reply and tool in COMMANDS:
            need(False, f"a copy-on-write view: {reply['error']['message']}")
        result = reply["result"]
        if result["isError"] and tool in COMMANDS:
            need(False, f"a copy-on-write view: {text_of(result)}")
        assert not result["isError"], text_of(result)
        return text_of(result)


@pytest.fixture
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    folder, policy = tmp_path / "work", tmp_path / "policy.toml"
    folder.mkdir()
    policy.write_text("")
    flags = ["--rate-limit", "0", "--policy", str(policy), *getattr(request, "param", ())]
    with connect("stdio", flags, cwd=folder) as client:
        yield Place(client, folder, policy)


@pytest.mark.requirement("policy-dry-run")
def test_every_tool_says_in_a_dry_run_that_a_rule_denies_or_holds_the_change(place: Place) -> None:
    calls = prepare(place.client, place.folder)
    del calls["create_checkpoint"]  # changes no file
    before = contents(place.folder)
    for tool, arguments in calls.items():
        place.policy.write_text("")
        assert "made for real" not in place.dry(tool, **arguments), tool
        place.policy.write_text(DENY)
        said = place.dry(tool, **arguments)
        assert "made for real: a rule denies this change, by frozen (line 1), release: " in said
        assert said.count("made for real") == 1, tool
        place.policy.write_text(ASK)
        assert "made for real: a person must approve this change, by " in place.dry(
            tool, **arguments
        ), tool
    assert contents(place.folder) == before


@pytest.mark.requirement("policy-dry-run")
@pytest.mark.parametrize("place", [("--tools", "agent", "--structured")], indirect=True)
def test_every_agent_tool_says_it_too_in_its_text_and_its_notes(place: Place) -> None:
    desk = Desk(place.client, place.folder)
    desk.reset()
    desk.text("write", path="made.txt", content="x")
    for tool, arguments in CHANGING.items():
        place.policy.write_text("")
        assert "made for real" not in place.dry(tool, **arguments), tool
        place.policy.write_text(DENY)
        assert "\nnote: made for real: a rule denies this change, by frozen" in place.dry(
            tool, **arguments
        ), tool
        result = desk.call(tool, **arguments, dry_run=True)
        assert any("made for real" in note for note in result["structuredContent"]["notes"]), tool


@pytest.mark.requirement("policy-dry-run")
def test_a_preview_of_an_instruction_says_it_too(place: Place) -> None:
    (place.folder / "a.json").write_text('{"port": 80}\n')
    call = {"document_path": "a.json", "instruction": "set port to 81"}

    def message(**more: Any) -> str:
        reply = place.client.call("json_editor_preview", {**call, **more})
        said: str = reply["result"]["structuredContent"]["message"]
        return said

    plain = message()
    assert "made for real" not in plain
    place.policy.write_text(DENY.replace("paths", "tools = ['json_editor_apply']\npaths"))
    assert message() == (
        f"{plain}; made for real: a rule denies this change, by frozen (line 1), release: a.json"
    )
    place.policy.write_text(ASK)
    assert "made for real: a person must approve this change, by " in message()
    assert "made for real" not in message(instruction="set port to 80")
    inline = {"document": {"port": 80}, "instruction": "set port to 81"}
    reply = place.client.call("json_editor_preview", inline)
    assert "made for real" not in reply["result"]["structuredContent"]["message"]


@pytest.mark.requirement("policy-dry-run")
@pytest.mark.parametrize("place", [("--tools", "agent")], indirect=True)
def test_a_dry_run_on_a_guarded_file_names_the_permission(place: Place) -> None:
    said = place.dry("write", path=".envrc", content="x")
    assert "made for real: permission required, guarded_writes (other programs run what" in said
    assert "made for real" not in place.dry("write", path="plain.txt", content="x")


@pytest.mark.requirement("policy-dry-run")
@pytest.mark.parametrize("place", [("--tools", "agent")], indirect=True)
def test_a_dry_run_is_judged_as_the_tool_that_would_make_the_change(place: Place) -> None:
    place.policy.write_text("[[rule]]\ntools = ['write']\naction = 'deny'\n")
    (place.folder / "a.txt").write_text("one\n")
    assert "made for real" in place.dry("write", path="b.txt", content="x")
    assert "made for real" not in place.dry("delete", path="a.txt")


@pytest.mark.requirement("policy-dry-run")
@pytest.mark.parametrize("place", [("--tools", "agent")], indirect=True)
def test_a_policy_that_cannot_be_read_is_said_in_a_dry_run(place: Place) -> None:
    place.policy.write_text("defautl = 'ask'")
    said = place.dry("write", path="b.txt", content="x")
    assert "made for real: the policy cannot be used, so nothing may be changed" in said


@pytest.mark.requirement("policy-dry-run")
@pytest.mark.parametrize(("rules", "name"), [(ASK, "a.txt"), ("", ".envrc")])
def test_nobody_is_asked_and_nothing_is_held(tmp_path: Path, rules: str, name: str) -> None:
    asked: list[PermissionRequired] = []

    def consent(refused: PermissionRequired, _: ChangeSet, /) -> bool:
        asked.append(refused)
        return True

    origin = Origin("write_file", consent=consent)
    (tmp_path / "work").mkdir()
    (tmp_path / "policy.toml").write_text(rules)
    settings = Settings(
        workspace=str(tmp_path / "work"),
        state_dir=str(tmp_path / "state"),
        policy=str(tmp_path / "policy.toml"),
    )
    with Redline(settings) as redline:
        path = redline.workspace.resolve(name, Access.WRITE)
        planned = plan_write(redline.tree, path, name, b"x")
        assert foresee(redline.approval, planned, origin) != []
        assert list_held(redline) == []
        assert asked == []


@pytest.mark.requirement("policy-dry-run")
def test_a_dry_run_on_the_command_line_says_it(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    policy = tmp_path / "policy.toml"
    shell.env["REDLINE_POLICY"] = str(policy)
    policy.write_text("")
    (shell.folder / "a.yaml").write_text("n: 1\n")
    (shell.folder / "a.py").write_text("def old() -> None: ...\n")
    assert shell("set", "a.yaml", "n", "2")[0] == 0

    def both(*args: str) -> tuple[int, str]:
        code, printed, errors = shell(*args)
        return code, printed.decode() + errors

    for command in (
        ("set", "a.yaml", "n", "3"),
        ("insert", "a.yaml", "m", "3"),
        ("delete", "a.yaml", "n"),
        ("instruct", "a.yaml", "set n to 3"),
        ("rewrite", "old", "new", "--file", "a.py"),
        ("undo",),
        ("restore", "a.yaml", "--at", "1h"),
    ):
        policy.write_text("")
        code, said = both(*command, "--dry-run")
        assert (code, "made for real" in said) == (0, False), (command, said)
        policy.write_text(DENY)
        code, said = both(*command, "--dry-run")
        assert code == 0
        assert "note: made for real: a rule denies this change, by frozen" in said, command
        assert "made for real" not in both(*command, "--dry-run", "--as-owner")[1], command


@pytest.mark.requirement("policy-dry-run")
def test_consent_given_by_a_flag_counts_in_a_dry_run(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (shell.folder / ".vscode").mkdir()
    (shell.folder / ".vscode" / "tasks.json").write_text('{"n": 1}\n')
    command = ("set", ".vscode/tasks.json", "n", "2", "--dry-run")
    assert "note: made for real: permission required, guarded_writes" in shell(*command)[2]
    assert shell(*command, "--allow-guarded")[2] == ""


@pytest.mark.requirement("policy-dry-run")
def test_nobody_is_asked_to_apply_what_is_refused_anyway(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    policy = tmp_path / "policy.toml"
    shell.env["REDLINE_POLICY"] = str(policy)
    (shell.folder / "a.yaml").write_text("n: 1\n")
    command = ("instruct", "a.yaml", "set n to 3")
    policy.write_text("")
    _, printed, said = shell(*command)
    assert b"Nothing was changed" in printed  # the answer to a question without a terminal
    assert "--yes applies it" in said
    policy.write_text(DENY)
    code, printed, said = shell(*command)
    assert code == 1
    assert said.startswith("redline: A rule denies this change, by frozen")
    assert b"Nothing was changed" not in printed
    assert b"Nothing was changed" in shell(*command, "--as-owner")[1]
    policy.write_text(ASK)
    _, printed, said = shell(*command)
    assert "note: made for real: a person must approve this change" in said
    assert b"Nothing was changed" in printed
    policy.write_text("")
    (shell.folder / ".vscode").mkdir()
    (shell.folder / ".vscode" / "tasks.json").write_text('{"n": 1}\n')
    guarded = ("instruct", ".vscode/tasks.json", "set n to 3")
    assert "hint: pass --allow-guarded to change it anyway" in shell(*guarded)[2]
    assert b"Nothing was changed" in shell(*guarded, "--allow-guarded")[1]

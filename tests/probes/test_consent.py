"""Consent for guarded paths: asked in the call, shown wholly, good for that change alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from redline import Workspace
from redline.core.errors import GuardedWrite
from redline.core.guarded import DEFAULT_PATTERNS, PathRules, fold_name
from tests.support import need
from tests.wire.client import ROOT, Client, connect

Json = dict[str, Any]
AGREE = {"action": "accept", "content": {"decision": "allow"}}
DENY = {"action": "accept", "content": {"decision": "deny"}}
HOOK = {"path": ".git/hooks/pre-commit", "content": "#!/bin/sh\n\u202eexit\n"}
ASKING: Json = {"capabilities": {"elicitation": {"form": {}}}}


def _server(transport: str, base: Path, **more: Any) -> Client:
    args = ["--tools", "files,coding,history", "--errors", "result"]
    return connect(transport, args, cwd=base, **more)


def _repository(base: Path) -> Path:
    (base / ".git" / "hooks").mkdir(parents=True)
    return base / HOOK["path"]


@pytest.mark.requirement("engine-guarded-consent")
def test_a_person_who_agrees_lets_this_one_change_through(tmp_path: Path) -> None:
    hook, asked = _repository(tmp_path), []

    def reply(message: Json) -> Json:
        asked.append(message["params"]["message"])
        return AGREE

    with _server("stdio", tmp_path, **ASKING) as client:
        client.on_request = reply
        assert not client.call("write_file", HOOK)["result"]["isError"]
        assert hook.read_text() == HOOK["content"]
        client.call("write_file", {**HOOK, "content": "other"})
        assert len(asked) == 2
        listed = client.call("list_changes")["result"]["structuredContent"]["changes"]
    assert [each["kind"] for each in listed] == ["change", "grant", "change", "grant"]
    assert "git_writes" in listed[1]["summary"]
    lines = asked[0].split("\n")
    assert "pre-commit" in lines[1]
    assert "| +\\u202eexit" in lines
    assert all(line.isprintable() for line in lines)


@pytest.mark.requirement("engine-guarded-consent")
@pytest.mark.parametrize("answer", [DENY, {"action": "decline"}, {"action": "cancel"}])
def test_a_person_who_does_not_agree_changes_nothing(tmp_path: Path, answer: Json) -> None:
    hook = _repository(tmp_path)
    with _server("stdio", tmp_path, **ASKING) as client:
        client.on_request = lambda _: answer
        result = client.call("write_file", HOOK)["result"]
        assert result["isError"]
        assert "did not allow" in result["content"][0]["text"]
        patch = "*** Begin Patch\n*** Add File: .envrc\n+true\n*** End Patch"
        refused = client.call("apply_patch", {"patch": patch})["result"]["structuredContent"]
        assert refused["error"]["code"] == "PERMISSION_DENIED"
    assert not hook.exists()


@pytest.mark.requirement("engine-guarded-consent")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_stateless_client_is_asked_in_the_call(transport: str, tmp_path: Path) -> None:
    hook = _repository(tmp_path)
    with _server(transport, tmp_path, protocol="2026-07-28", **ASKING) as client:
        needed = client.call("write_file", HOOK)["result"]
        assert needed["resultType"] == "input_required"
        [key] = needed["inputRequests"]
        state = {"requestState": needed["requestState"], "inputResponses": {key: AGREE}}
        assert "error" in client.call("write_file", {**HOOK, "content": "other"}, **state)
        assert not hook.exists()
        assert not client.call("write_file", HOOK, **state)["result"]["isError"]
        assert hook.read_text() == HOOK["content"]
        again = client.call("write_file", {**HOOK, "content": "again"})["result"]
        assert again["resultType"] == "input_required"


@pytest.mark.requirement("engine-guarded-consent")
def test_consent_to_what_the_file_was_does_not_cover_what_it_became(tmp_path: Path) -> None:
    """The answer is bound to the diff that was shown, not to the arguments alone."""
    (tmp_path / ".envrc").write_text("one\n")
    edit = {"path": ".envrc", "edits": [{"oldText": "one", "newText": "two"}]}
    with _server("stdio", tmp_path, protocol="2026-07-28", **ASKING) as client:
        needed = client.call("edit_file", edit)["result"]
        [key] = needed["inputRequests"]
        (tmp_path / ".envrc").write_text("rm -rf ~\none\n")
        state = {"requestState": needed["requestState"], "inputResponses": {key: AGREE}}
        assert client.call("edit_file", edit, **state)["result"]["resultType"] == "input_required"
    assert "one" in (tmp_path / ".envrc").read_text()


@pytest.mark.requirement("engine-guarded-consent")
def test_a_change_too_long_to_be_shown_is_refused_without_a_question(tmp_path: Path) -> None:
    _repository(tmp_path)
    with _server("stdio", tmp_path, **ASKING) as client:
        client.on_request = lambda _: pytest.fail("asked")
        result = client.call("write_file", {**HOOK, "content": "x\n" * 20_000})["result"]
    assert "Too long to show to a person" in result["content"][0]["text"]


@pytest.mark.requirement("engine-guarded-writes")
def test_undo_and_redo_of_a_guarded_change_need_consent_too(tmp_path: Path) -> None:
    hook = _repository(tmp_path)
    state = {"REDLINE_STATE_DIR": str(tmp_path.parent / f"{tmp_path.name}-state")}
    with _server("stdio", tmp_path, env=state, **ASKING) as client:
        client.on_request = lambda _: AGREE
        client.call("write_file", HOOK)
    with _server("stdio", tmp_path, env=state) as client:
        written = client.call("list_changes")["result"]["structuredContent"]["changes"][0]
        refused = client.call("undo_change", {"id": written["id"]})["result"]["_meta"]
        assert refused["redline/failure"]["error"]["code"] == "PERMISSION_REQUIRED"
        assert hook.exists()
    with _server("stdio", tmp_path, env=state, **ASKING) as client:
        client.on_request = lambda _: AGREE
        client.call("undo_change", {"id": written["id"]})
        assert not hook.exists()
    with _server("stdio", tmp_path, env=state) as client:
        refused = client.call("redo_change", {"id": written["id"]})["result"]["_meta"]
        assert refused["redline/failure"]["error"]["code"] == "PERMISSION_REQUIRED"
        assert not hook.exists()


@pytest.mark.requirement("engine-guarded-writes")
def test_applying_the_dry_run_of_a_command_needs_consent_too(tmp_path: Path) -> None:
    line = {"cmd": "mkdir .vscode && echo x > .vscode/tasks.json", "yield_time_ms": 20000}
    with _server("stdio", tmp_path) as client:
        tried = client.call("exec_command", {**line, "dry_run": True})["result"]
        need("session_id" in tried["structuredContent"], "a copy-on-write view")
        apply = {**line, "apply": tried["structuredContent"]["session_id"]}
        refused = client.call("exec_command", apply)["result"]["structuredContent"]
    assert refused["error"]["code"] == "PERMISSION_REQUIRED"
    assert refused["permission_request"]["permission"] == "guarded_writes"
    assert not (tmp_path / ".vscode").exists()


@pytest.mark.requirement("engine-guarded-rules")
def test_people_change_the_rules_in_their_own_settings(tmp_path: Path) -> None:
    with Workspace.open(str(tmp_path), state_dir=f"{tmp_path}-state") as plain:
        for name in (".envrc", ".git/config", ".vscode/tasks.json"):
            with pytest.raises(GuardedWrite):
                plain.write(name, "x")
    rules = ["!.envrc", "deploy/*.sh"]
    with Workspace.open(
        str(tmp_path), state_dir=f"{tmp_path}-state", git_writes=True, guarded_paths=rules
    ) as opened:
        opened.write(".envrc", "x")
        opened.write(".git/config", "x")
        for name in (".vscode/tasks.json", "a/deploy/now.sh"):
            with pytest.raises(GuardedWrite) as refused:
                opened.write(name, "x")
        assert '"!deploy/*.sh"' in (refused.value.hint or "")


@pytest.mark.requirement("engine-guarded-rules")
@pytest.mark.parametrize(
    ("name", "is_guarded"),
    [
        ("home/me/.bashrc", True),
        ("home/me/.ssh/config", True),
        ("home/me/project/.bashrc", False),
        ("project/site-packages/x.pth", True),
        ("project/weights/model.pth", False),
        ("project/.cursor/mcp.json", True),
        ("project/.claude/commands/x.md", False),
        ("project/.VSCODE/Tasks.json", True),
        ("project/.github/workflows/ci.yml", False),
        ("project/.idea/workspace.xml", True),
    ],
)
def test_the_default_rules(name: str, is_guarded: bool) -> None:
    rules = PathRules(home=("home", "me"))
    folded = tuple(map(fold_name, name.split("/")))
    assert (rules.match(folded) is not None) is is_guarded


@pytest.mark.requirement("engine-guarded-writes")
def test_a_link_that_would_put_files_where_a_rule_looks_is_guarded() -> None:
    rules = PathRules()
    assert rules.match(("p", ".vscode")) is None
    assert rules.match(("p", ".vscode"), is_link=True) is not None


@pytest.mark.requirement("engine-sealed-state")
def test_state_in_a_home_that_is_a_root_is_out_of_reach(tmp_path: Path) -> None:
    home = tmp_path / "home"
    secret = home / ".local" / "state" / "redline" / "other-123" / "journal"
    secret.parent.mkdir(parents=True)
    secret.write_text("needle")
    (home / "notes.txt").write_text("needle")
    (home / "link").symlink_to(secret.parent)
    env = {"HOME": str(home), "XDG_STATE_HOME": ""}
    args = ["--tools", "files", "--errors", "result", "--allow-any-root"]
    with connect("stdio", args, cwd=home, env=env) as client:
        tries: list[tuple[str, Json]] = [
            ("read_file", {"path": str(secret)}),
            ("read_file", {"path": "link/journal"}),
            ("list_directory", {"path": str(secret.parent)}),
            ("directory_tree", {"path": "."}),
            ("search_files", {"path": ".", "pattern": "*journal*"}),
            ("grep_files", {"path": ".", "regex": "needle", "includeIgnored": True}),
            ("write_file", {"path": str(secret), "content": "x"}),
            ("move_file", {"source": ".local", "destination": "moved"}),
            ("delete_file", {"path": str(secret)}),
        ]
        known = {tool["name"]: tool["inputSchema"]["properties"] for tool in client.list_tools()}
        for tool, given in tries:
            fitting = {key: value for key, value in given.items() if key in known[tool]}
            said = json.dumps(client.call(tool, fitting))
            assert "journal:" not in said, (tool, said)
            assert '"name": "journal"' not in said.replace("\\", ""), (tool, said)
    assert secret.read_text() == "needle"


@pytest.mark.requirement("engine-sealed-state")
def test_a_root_within_the_state_is_out_of_reach(tmp_path: Path) -> None:
    inside = tmp_path / "redline" / "other-123"
    inside.mkdir(parents=True)
    (inside / "journal").write_text("secret")
    env = {"XDG_STATE_HOME": str(tmp_path)}
    with connect(
        "stdio", ["--tools", "files", "--errors", "result"], cwd=inside, env=env
    ) as client:
        for tool, given in (("read_file", {"path": "journal"}), ("list_directory", {"path": "."})):
            result = client.call(tool, given)["result"]
            assert result["isError"], result


@pytest.mark.requirement("engine-guarded-rules")
def test_every_default_pattern_has_its_reason_in_the_docs() -> None:
    page = (ROOT / "docs" / "safety.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    listed = {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert set(DEFAULT_PATTERNS) <= listed

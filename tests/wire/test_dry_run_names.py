"""A call that asks for a dry run, under whatever name, changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import ON_CI
from tests.wire.client import Client, connect

NAMES = (
    *("dryRun", "dry_run", "dry-run", "DryRun", "DRY_RUN", "dryrun", "DRYRUN", "Dry-Run"),
    *("preview", "previewOnly", "simulate", "check_only", "checkOnly", "what_if", "whatIf"),
    *("test_run", "no_op", "pretend", "dry_mode", "only_preview", "noCommit", "is-dry-run"),
)
NEARLY = ("dryrn", "dr_run", "dyrRun")
DOUBTFUL = ("check", "verify", "plan")
# Two act on a running process, which has no copy to act on; one answers a person's comment.
WITHOUT_DRY_RUN = {"write_stdin", "kill_session", "review_comments"}
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch"


def calls(folder: Path, session_id: str, change_id: str, undo_id: str) -> dict[str, dict[str, Any]]:
    """Every changing tool with arguments that would change *folder*."""
    file = str(folder / "a.txt")
    return {
        "write_file": {"path": file, "content": "new"},
        "create_directory": {"path": str(folder / "new")},
        "move_file": {"source": file, "destination": str(folder / "b.txt")},
        "delete_file": {"path": file},
        "edit_file": {"path": file, "edits": [{"oldText": "one", "newText": "two"}]},
        "edit_files": {"paths": [file], "edits": [{"oldText": "one", "newText": "two"}]},
        "execute_command": {"command": "echo two > a.txt"},
        "apply_patch": {"patch": PATCH},
        "exec_command": {"cmd": "echo two > a.txt"},
        "ai_code_editing.edit_file": {
            "target_file": "a.txt",
            "edit_instruction": "replace the line",
            "start_line": 1,
            "end_line": 1,
            "code_block": "two",
        },
        "json_editor_apply": {"session_id": session_id},
        "noyalib_set": {"file": "a.yaml", "path": "a", "value": "2"},
        "doc_set": {"file": "a.yaml", "path": "a", "value": "2"},
        "doc_insert": {"file": "a.yaml", "path": "b", "value": "2"},
        "doc_delete": {"file": "a.yaml", "path": "a"},
        "undo_change": {"id": change_id},
        "redo_change": {"id": undo_id},
        "create_checkpoint": {"name": "here"},
    }


def state(client: Client, folder: Path) -> tuple[dict[str, bytes | None], Any]:
    """What a dry run must leave alone: the files and the history."""
    return contents(folder), client.call("list_changes", {})["result"]["structuredContent"]


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every path below *folder* with its bytes; None for a directory."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture(params=["stdio", "http"], scope="module")
def scene(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Client, Path, dict[str, dict[str, Any]]]]:
    folder = tmp_path_factory.mktemp("dry")
    with connect(request.param, ["--rate-limit", "0"], cwd=folder) as client:
        yield client, folder, prepare(client, folder)


def prepare(client: Client, folder: Path) -> dict[str, dict[str, Any]]:
    """Make the files, the preview and the changes that the calls are about."""
    for made in folder.iterdir():
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    (folder / "a.txt").write_text("one\n")
    (folder / "a.yaml").write_text("a: 1\n")
    (folder / "a.json").write_text('{"a": 1}\n')
    asked = {"document_path": "a.json", "instruction": "a = 2"}
    preview = client.call("json_editor_preview", asked)["result"]["structuredContent"]
    client.call("write_file", {"path": str(folder / "gone.txt"), "content": "x"})
    undone = client.call("undo_change", {})["result"]["structuredContent"]
    client.call("write_file", {"path": str(folder / "made.txt"), "content": "x"})
    listed = client.call("list_changes", {})["result"]["structuredContent"]["changes"]
    return calls(folder, preview["session_id"], listed[0]["id"], undone["id"])


@pytest.mark.requirement("server-dry-run-names")
def test_every_name_for_a_dry_run_leaves_the_workspace_alone(
    scene: tuple[Client, Path, dict[str, dict[str, Any]]],
) -> None:
    client, folder, tools = scene
    before = state(client, folder)
    tried = 0
    for tool, arguments in tools.items():
        for name in (*NAMES, *NEARLY, *DOUBTFUL):
            client.call(tool, {**arguments, name: True})
            tried += 1
            assert contents(folder) == before[0], f"{tool} wrote although {name} was true"
        assert state(client, folder) == before, f"{tool} is in the history"
    assert tried >= 336


@pytest.mark.requirement("server-dry-run-names")
def test_every_tool_that_changes_anything_was_tried_with_a_call_that_does(tmp_path: Path) -> None:
    with connect("stdio", ["--rate-limit", "0"], cwd=tmp_path) as client:
        listed = {each["name"]: each for each in client.list_tools()}
        changing = {name for name in listed if not listed[name]["annotations"]["readOnlyHint"]}
        for tool in sorted(changing - WITHOUT_DRY_RUN):
            known = listed[tool]["inputSchema"]["properties"]
            assert known.keys() & {"dryRun", "dry_run"}, f"{tool} has no dry run"
            arguments = prepare(client, tmp_path).get(tool)
            assert arguments is not None, f"add a call that changes something to calls(): {tool}"
            before = state(client, tmp_path)
            client.call(tool, arguments)
            assert state(client, tmp_path) != before, f"{tool} did nothing without a dry run"


@pytest.mark.requirement("server-dry-run-names")
def test_a_dry_run_is_answered_with_what_would_happen(
    scene: tuple[Client, Path, dict[str, dict[str, Any]]],
) -> None:
    client, _, tools = scene
    for tool in ("write_file", "move_file", "delete_file", "create_directory", "edit_file"):
        for name in ("dry_run", "dryRun", "preview"):
            result = client.call(tool, {**tools[tool], name: True})["result"]
            assert not result["isError"]
            assert "Successfully" not in result["content"][0]["text"]
    shown = client.call("write_file", {**tools["write_file"], "dry_run": True})["result"]
    assert "-one" in shown["content"][0]["text"]
    assert "+new" in shown["content"][0]["text"]


@pytest.mark.requirement("server-dry-run-names")
def test_execute_command_shows_what_a_dry_run_would_change(
    scene: tuple[Client, Path, dict[str, dict[str, Any]]],
) -> None:
    client, folder, tools = scene
    reply = client.call("execute_command", {**tools["execute_command"], "dryRun": True})
    if "error" in reply and not ON_CI:
        pytest.skip(f"no copy-on-write view here: {reply['error']['message']}")
    text = "".join(block.get("text", "") for block in reply["result"]["content"])
    assert "+two" in text
    assert (folder / "a.txt").read_text() == "one\n"


@pytest.mark.requirement("server-dry-run-names")
@pytest.mark.parametrize("value", ["true", 1, "yes", {}, []])
def test_a_dry_run_that_is_no_boolean_is_refused(
    scene: tuple[Client, Path, dict[str, dict[str, Any]]], value: Any
) -> None:
    client, folder, tools = scene
    before = contents(folder)
    for name in ("dryRun", "dry_run", "preview"):
        reply = client.call("write_file", {**tools["write_file"], name: value})
        assert name in reply["error"]["message"] or "dryRun" in reply["error"]["message"]
    assert contents(folder) == before


@pytest.mark.requirement("server-unknown-arguments")
def test_a_name_that_is_nearly_right_is_refused_with_the_right_one(
    scene: tuple[Client, Path, dict[str, dict[str, Any]]],
) -> None:
    client, folder, tools = scene
    before = contents(folder)
    reply = client.call("move_file", {**tools["move_file"], "over_write": True})
    assert "overwrite" in reply["error"]["message"]
    for name in (*NEARLY, *DOUBTFUL):
        reply = client.call("write_file", {**tools["write_file"], name: True})
        assert "did you mean dryRun?" in reply["error"]["message"]
    edits = [{"oldText": "one", "new_text": "two"}]
    reply = client.call("edit_file", {"path": str(folder / "a.txt"), "edits": edits})
    assert "edits[0].newText" in reply["error"]["message"]
    edits = [{"oldText": "one", "newText": "two", "dryRun": True}]
    reply = client.call("edit_file", {"path": str(folder / "a.txt"), "edits": edits})
    assert "dryRun" in reply["error"]["message"]
    assert contents(folder) == before


@pytest.mark.requirement("server-unknown-arguments")
def test_an_argument_nobody_reads_is_named_in_the_answer(
    scene: tuple[Client, Path, dict[str, dict[str, Any]]],
) -> None:
    client, folder, _ = scene
    asked = {"path": str(folder), "explanation": "to look around"}
    result = client.call("list_directory", asked)["result"]
    assert "ignored: explanation" in result["content"][-1]["text"]
    edits = [{"oldText": "one", "newText": "one", "global": True}]
    result = client.call("edit_file", {"path": str(folder / "a.txt"), "edits": edits * 2})["result"]
    assert result["content"][-1]["text"].endswith("ignored: edits[0].global")
    assert "ignored" not in result["content"][0]["text"]


@pytest.mark.requirement("server-null-arguments")
def test_null_for_an_optional_argument_means_absent(
    scene: tuple[Client, Path, dict[str, dict[str, Any]]],
) -> None:
    client, folder, _ = scene
    for tool, asked in {
        "read_file": {"path": "a.txt", "start_line": None, "end_line": None, "max_bytes": None},
        "list_dir": {"path": None, "recursive": None},
        "directory_tree": {"path": str(folder), "depth": None},
        "doc_get": {"file": "a.yaml", "path": "a", "doc_index": None},
        "list_changes": {"limit": None, "path": None},
    }.items():
        reply = client.call(tool, asked)
        assert not reply["result"]["isError"], reply
    reply = client.call("read_file", {"path": None})
    assert "error" in reply or reply["result"]["isError"]

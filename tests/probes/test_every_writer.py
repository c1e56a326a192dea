"""Every writing tool against every form of a guarded path: refused, and nothing changes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.probes.test_guarded_probes import contents
from tests.wire.client import Client, connect

Json = dict[str, Any]
BODY = '{"a": 1}\n'
# Where the guarded file is, as a tool may name it.
FORMS = (
    ".git/config",
    ".git/hooks/pre-commit",
    "sub/.git/config",
    ".GIT/config",
    ".git ./config",
    "git~1/config",
    ".git/modules/lib/config",
    "bare/config",
    "worktree/config.json",
    "elsewhere/config",
    "link/config",
    "hooks/pre-commit",
    ".vscode/tasks.json",
    "sub/.vscode/settings.json",
    ".husky/pre-commit",
    ".envrc",
    ".mcp.json",
    ".claude/settings.json",
    "team.code-workspace",
    "tools/tasks.json",
)


def _lay_out(base: Path) -> None:
    for name in FORMS:
        if name != "link/config":
            (base / name).parent.mkdir(parents=True, exist_ok=True)
            (base / name).write_text(BODY)
    for name in ("bare/HEAD", "bare/objects/x", "bare/refs/x", "worktree/HEAD"):
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text("")
    (base / "worktree" / "commondir").write_text("..\n")
    (base / "sub" / "repo").mkdir()
    os.symlink(".git", base / "link")
    # `.git` of a second root is a file, and its `.zed` leads to a directory of the first; the
    # repository of a third has its hooks there.
    other, third = base.parent / "other", base.parent / "third"
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {base / 'elsewhere'}\n")
    (other / ".zed").symlink_to(base / "tools")
    (third / ".git").mkdir(parents=True)
    (third / ".git" / "config").write_text(f"[core]\n\thooksPath = {base / 'hooks'}\n")
    (base / "ready.txt").write_text(BODY)


def _edit(client: Client, path: str) -> Json:
    edits = [{"oldText": '"a": 1', "newText": '"a": 2'}]
    return client.call("edit_file", {"path": path, "edits": edits})


def _edit_many(client: Client, path: str) -> Json:
    edits = [{"oldText": '"a": 1', "newText": '"a": 2'}]
    return client.call("edit_files", {"paths": ["ready.txt", path], "edits": edits})


def _patch(client: Client, path: str) -> Json:
    lines = ["*** Begin Patch", f"*** Update File: {path}", "@@", f"-{BODY[:-1]}", '+{"a": 2}']
    return client.call("apply_patch", {"patch": "\n".join([*lines, "*** End Patch"])})


def _patch_add(client: Client, path: str) -> Json:
    lines = ["*** Begin Patch", f"*** Delete File: {path}", "*** End Patch"]
    return client.call("apply_patch", {"patch": "\n".join(lines)})


def _code_edit(client: Client, path: str) -> Json:
    given = {"edit_instruction": "replace", "start_line": 1, "end_line": 1, "code_block": "{}"}
    return client.call("ai_code_editing.edit_file", {"target_file": path, **given})


def _json_editor(client: Client, path: str) -> Json:
    asked = {"document_path": path, "instruction": "/a = 2"}
    shown = client.call("json_editor_preview", asked)["result"]["structuredContent"]
    if "session_id" not in shown:
        pytest.skip("the preview takes no file of that name")
    return client.call("json_editor_apply", {"session_id": shown["session_id"]})


def _doc(tool: str, **given: Any) -> Callable[[Client, str], Json]:
    return lambda client, path: client.call(tool, {"file": path, "format": "json", **given})


WRITERS: dict[str, Callable[[Client, str], Json]] = {
    "write_file": lambda c, p: c.call("write_file", {"path": p, "content": "x"}),
    "edit_file": _edit,
    "edit_files": _edit_many,
    "delete_file": lambda c, p: c.call("delete_file", {"path": p}),
    "move_file from": lambda c, p: c.call("move_file", {"source": p, "destination": "o.txt"}),
    "move_file to": lambda c, p: c.call(
        "move_file", {"source": "ready.txt", "destination": p, "overwrite": True}
    ),
    "create_directory": lambda c, p: c.call("create_directory", {"path": f"{p}.d/.git"}),
    "apply_patch": _patch,
    "apply_patch delete": _patch_add,
    "ai_code_editing.edit_file": _code_edit,
    "doc_set": _doc("doc_set", path="a", value="2"),
    "doc_insert": _doc("doc_insert", path="b", value="2"),
    "doc_delete": _doc("doc_delete", path="a"),
    "noyalib_set": lambda c, p: c.call("noyalib_set", {"file": p, "path": "a", "value": "2"}),
    "json_editor_apply": _json_editor,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    base = tmp_path_factory.mktemp("every") / "workspace"
    base.mkdir()
    _lay_out(base)
    args = ["--errors", "result", "--workspace", str(base), "--tool-names", "original"]
    for name in ("other", "third"):
        args += ["--allow-write", str(base.parent / name)]
    with connect("stdio", args, cwd=base) as client:
        yield client, base


@pytest.mark.requirement("engine-guarded-writes")
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("form", FORMS)
def test_no_tool_writes_a_guarded_path(server: tuple[Client, Path], writer: str, form: str) -> None:
    client, base = server
    before = contents(base)
    reply = WRITERS[writer](client, form)
    said = json.dumps(reply)
    assert "Permission required" in said, said
    assert contents(base) == before


@pytest.mark.requirement("engine-guarded-writes")
def test_every_writing_tool_is_tried(server: tuple[Client, Path]) -> None:
    client, _ = server
    listed = {
        tool["name"]
        for tool in client.list_tools()
        if not tool.get("annotations", {}).get("readOnlyHint")
    }
    # Commands are held by the sandbox, undo and redo have tests of their own.
    commands = {"exec_command", "write_stdin", "kill_session", "execute_command"}
    others = {"undo_change", "redo_change", "json_editor_preview", "create_checkpoint"}
    others |= {"review_comments"}
    tried = {name.split(" ")[0] for name in WRITERS}
    assert listed - commands - others == tried, "add a call of the new tool to WRITERS"

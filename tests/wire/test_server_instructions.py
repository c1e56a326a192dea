"""The instructions of a running server, in both eras, over both transports."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.client import MODERN, connect

TOOLS = "files,coding,code,json,docs,history"


def _instructions(transport: str, protocol: str, args: list[str], where: Path, name: str) -> str:
    info = {"name": name, "version": "1"}
    with connect(transport, args, protocol=protocol, cwd=where, info=info) as client:
        if protocol == MODERN:
            return str(client.request("server/discover")["result"]["instructions"])
        return str(client.initialize_result["instructions"])


@pytest.mark.requirement("server-instructions")
@pytest.mark.parametrize("protocol", ["2025-11-25", MODERN])
def test_names_are_those_of_the_clients_list(tmp_path: Path, transport: str, protocol: str) -> None:
    args = ["--tools", TOOLS, "--workspace", str(tmp_path)]
    text = _instructions(transport, protocol, args, tmp_path, "some-client")
    assert "ai_code_editing.edit_file changes code" in text
    assert "apply_patch" in text
    text = _instructions(transport, protocol, args, tmp_path, "claude-code")
    assert "ai_code_editing_edit_file changes code" in text
    text = _instructions(transport, protocol, [*args, "--read-only"], tmp_path, "some-client")
    assert "ai_code_editing.get_code_context" in text
    for missing in ("edit_file", "apply_patch", "exec_command", "undo", "json_editor_apply"):
        assert missing not in text


@pytest.mark.requirement("server-instructions")
def test_relative_paths_are_taken_by_the_tools_of_every_toolset(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"x": 1}\n')
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")
    (tmp_path / "a.yaml").write_text("x: 1\n")
    calls = {
        "read_file": {"path": "a.py"},
        "get_file_info": {"path": "a.py"},
        "list_dir": {"path": "."},
        "ai_code_editing.get_code_context": {"file_path": "a.py", "query": "f"},
        "json_editor_preview": {"document_path": "a.json", "instruction": "set x to 2"},
    }
    with connect("stdio", ["--tools", "all", "--workspace", str(tmp_path)], cwd=tmp_path) as client:
        assert "Paths are relative" in client.initialize_result["instructions"]
        for tool, arguments in calls.items():
            reply = client.call(tool, arguments)
            assert "result" in reply, (tool, reply)
            assert not reply["result"].get("isError"), (tool, reply)

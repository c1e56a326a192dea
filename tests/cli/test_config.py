"""Entries for clients are printed, and merged into files without touching the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from redline.cli.commands.server.clients import known_clients
from redline.cli.main import main

# How the entries of these clients name the project that is open.
VARIABLES = {
    "claude-code": "${CLAUDE_PROJECT_DIR:-.}",
    "cursor": "${workspaceFolder}",
    "vscode": "${workspaceFolder}",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of its own for every test."""
    for name in ("CODEX_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.mark.parametrize("client", sorted(known_clients(".")))
def test_every_client_has_an_entry(
    client: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", client, "--workspace", str(home / "project")]) == 0
    shown = capsys.readouterr().out
    body = "\n".join(line for line in shown.splitlines() if not line.startswith("#"))
    entry = tomllib.loads(body) if client == "codex" else json.loads(body)
    (servers,) = entry.values()
    assert servers["redline"]["args"][-6:] == [
        "serve",
        "--stdio",
        "--workspace",
        VARIABLES.get(client, str(home / "project")),
        "--tools",
        "agent",
    ]


@pytest.mark.parametrize("indent", [None, 2, 4, "\t"])
@pytest.mark.parametrize("settings", [{"theme": "x"}, {"mcpServers": {}}, {"mcpServers": {"a": 1}}])
def test_an_entry_is_written_in_the_layout_of_the_file(
    settings: dict[str, object], indent: int | str | None, home: Path
) -> None:
    file = home / "project/.gemini/settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps(settings, indent=indent))
    assert main(["config", "gemini", "--write", "--workspace", str(home / "project")]) == 0
    after = json.loads(file.read_text())
    assert "redline" in after["mcpServers"]
    assert file.read_text() == json.dumps(after, indent=indent)


@pytest.mark.parametrize("client", sorted(VARIABLES))
def test_a_portable_entry_names_the_program_alone_if_that_starts_it(
    client: str,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    program = home / "bin" / "redline"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(program)])
    for path, command in ((program.parent, "redline"), ("/nowhere", str(program))):
        monkeypatch.setenv("PATH", str(path))
        assert main(["config", client, "--workspace", str(home / "project")]) == 0
        (servers,) = json.loads("\n".join(_without_notes(capsys.readouterr().out))).values()
        assert servers["redline"]["command"] == command


def test_a_json_file_keeps_its_comments_and_other_servers(home: Path) -> None:
    target = home / "project" / ".vscode" / "mcp.json"
    target.parent.mkdir()
    target.write_text('{\n  // mine\n  "servers": {\n    "other": {"command": "x"}\n  }\n}\n')
    assert main(["config", "vscode", "--write", "--workspace", str(home / "project")]) == 0
    text = target.read_text()
    assert text.startswith('{\n  // mine\n  "servers": {\n    "other": {"command": "x"}')
    assert '"redline"' in text
    workspace = ["--workspace", str(home / "project")]
    assert main(["undo", *workspace]) == 1
    assert main(["undo", "--allow-guarded", *workspace]) == 0
    assert '"redline"' not in target.read_text()


def test_a_toml_file_gets_one_more_table(home: Path) -> None:
    target = home / "project" / ".codex" / "config.toml"
    target.parent.mkdir()
    target.write_text('model = "x" # mine\n')
    flags = ["config", "codex", "--write", "--workspace", str(home / "project")]
    assert main(flags) == 0
    text = target.read_text()
    assert text.startswith('model = "x" # mine\n')
    assert tomllib.loads(text)["mcp_servers"]["redline"]["args"][-3] == str(home / "project")
    assert main(flags) == 0
    assert target.read_text() == text


def test_a_client_that_is_not_there_is_said_to_be_so(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "windsurf", "--write", "--workspace", str(home / "project")]) == 1
    assert "not set up here" in capsys.readouterr().err


def test_missing_folders_of_the_workspace_are_made(home: Path) -> None:
    assert main(["config", "cursor", "--write", "--workspace", str(home / "project")]) == 0
    written = json.loads((home / "project" / ".cursor" / "mcp.json").read_text())
    assert "redline" in written["mcpServers"]


def test_a_file_that_was_created_for_the_entry_goes_with_it(home: Path) -> None:
    project = home / "project"
    where = ["--workspace", str(project)]
    for client, file in (("cursor", ".cursor/mcp.json"), ("codex", ".codex/config.toml")):
        assert main(["config", client, "--write", *where]) == 0
        assert main(["config", client, "--remove", *where]) == 0
        assert list(project.iterdir()) == []
        assert main(["config", client, "--remove", *where]) == 3
        # What a person added stays.
        assert main(["config", client, "--write", *where]) == 0
        written = (project / file).read_text()
        kept = "// mine\n" if file.endswith("json") else "[mine]\nx = 1\n"
        (project / file).write_text(written + kept)
        assert main(["config", client, "--remove", *where]) == 0
        assert kept in (project / file).read_text()
        assert "redline" not in (project / file).read_text()
        (project / file).unlink()
        (project / file).parent.rmdir()


def test_a_link_out_of_the_workspace_is_not_written_through(home: Path) -> None:
    outside = home / "outside"
    outside.mkdir()
    (outside / "mcp.json").write_text("{}")
    (home / "project" / ".vscode").symlink_to(outside)
    (home / "project" / ".mcp.json").symlink_to(outside / "mcp.json")
    for client in ("vscode", "claude-code"):
        assert main(["config", client, "--write", "--workspace", str(home / "project")]) == 1
    assert (outside / "mcp.json").read_text() == "{}"


def test_an_entry_that_starts_python_imports_nothing_of_the_workspace(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [str(home / "__main__.py")])
    assert main(["config", "claude-code", "--workspace", str(home / "project")]) == 0
    args = json.loads("\n".join(_without_notes(capsys.readouterr().out)))["mcpServers"]["redline"]
    start = [args["command"], *args["args"][:3], "--version"]
    (home / "project" / "redline.py").write_text("raise SystemExit('the workspace was imported')")
    done = subprocess.run(start, cwd=home / "project", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_started_by_hand_it_imports_no_library_of_the_workspace(tmp_path: Path) -> None:
    project = tmp_path / "repository"
    project.mkdir()
    for name in ("orjson", "msgspec", "ctypes", "getpass"):
        (project / f"{name}.py").write_text("raise SystemExit('the workspace was imported')")
    start = [sys.executable, "-m", "redline", "log"]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    done = subprocess.run(
        start, cwd=project, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 3, done.stderr  # nothing has changed yet
    assert "was imported" not in done.stderr


def _without_notes(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_a_server_over_http_gets_the_token_where_each_client_looks_for_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = ["--http", "http://127.0.0.1:1/mcp", "--token", "abc"]
    for client in ("claude-code", "cursor", "vscode", "gemini"):
        flags = ["--workspace", str(home / "project"), *address]
        assert main(["config", client, *flags]) == 0
        shown = capsys.readouterr().out
        body = "\n".join(line for line in shown.splitlines() if not line.startswith("#"))
        (servers,) = json.loads(body).values()
        assert servers["redline"]["headers"] == {"Authorization": "Bearer abc"}
    assert main(["config", "codex", "--workspace", str(home / "project"), *address, "--write"]) == 0
    entry = tomllib.loads((home / "project/.codex/config.toml").read_text())
    assert entry["mcp_servers"]["redline"] == {
        "url": "http://127.0.0.1:1/mcp",
        "http_headers": {"Authorization": "Bearer abc"},
    }
    assert main(["config", "codex", "--token", "abc"]) == 2

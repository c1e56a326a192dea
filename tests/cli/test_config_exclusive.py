"""Entries by name, by address, removed again; and clients whose own edit tools are off."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from redline.cli.commands.server.clients import known_clients
from redline.cli.commands.server.exclusive import edit_tools_of
from redline.cli.main import main

pytestmark = pytest.mark.requirement("hooks-exclusive")

URL = "http://127.0.0.1:8000/mcp"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a home directory of its own, where every client was started once."""
    for name in ("CODEX_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "REDLINE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    found = tmp_path / "project"
    found.mkdir()
    for client in known_clients(str(found)).values():
        if not client.file.startswith(str(found)):
            Path(client.file).parent.mkdir(parents=True, exist_ok=True)
    return found


def config(client: str, project: Path, *flags: str) -> int:
    return main(["config", client, "--workspace", str(project), *flags])


def file_of(client: str, project: Path) -> Path:
    return Path(known_clients(str(project))[client].file)


def servers(client: str, project: Path) -> dict[str, Any]:
    text = file_of(client, project).read_text().replace("// mine", "")
    data = tomllib.loads(text) if client == "codex" else json.loads(text)
    found: dict[str, Any] = data.get(known_clients(".")[client].key, {})
    return found


@pytest.mark.parametrize(
    ("client", "entry"),
    [
        ("claude-code", {"type": "http", "url": URL, "alwaysLoad": True}),
        ("codex", {"url": URL}),
        ("cursor", {"url": URL}),
        ("gemini", {"httpUrl": URL}),
        ("vscode", {"type": "http", "url": URL}),
        ("windsurf", {"serverUrl": URL}),
    ],
)
def test_a_server_that_runs_already_is_named_by_its_address(
    client: str, entry: dict[str, Any], project: Path
) -> None:
    assert config(client, project, "--http", URL, "--name", "far", "--write") == 0
    assert servers(client, project) == {"far": entry}


@pytest.mark.parametrize("client", sorted(known_clients(".")))
def test_what_was_written_is_removed_and_the_rest_keeps_its_bytes(
    client: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert config(client, project, "--write", "--name", "other") == 0
    before = file_of(client, project).read_bytes()
    assert config(client, project, "--write") == 0
    assert set(servers(client, project)) == {"other", "redline"}
    assert config(client, project, "--remove") == 0
    assert file_of(client, project).read_bytes() == before
    capsys.readouterr()
    assert config(client, project, "--remove") == 3
    assert "nothing to remove" in capsys.readouterr().out


@pytest.mark.parametrize("client", ["claude-code", "codex", "cursor", "gemini", "vscode"])
def test_two_projects_have_entries_of_their_own(client: str, project: Path) -> None:
    other = project.parent / "other"
    other.mkdir()
    assert config(client, project, "--write") == 0
    before = file_of(client, project).read_bytes()
    assert config(client, other, "--write") == 0
    assert file_of(client, project).read_bytes() == before
    assert set(servers(client, other)) == {"redline"}


@pytest.mark.parametrize("client", ["claude-desktop", "windsurf"])
def test_an_entry_of_another_workspace_is_not_pointed_here(
    client: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert config(client, project, "--write") == 0
    before = servers(client, project)
    other = project.parent / "other"
    other.mkdir()
    assert config(client, other, "--write") == 1
    assert "--name" in capsys.readouterr().err
    assert servers(client, project) == before
    assert config(client, other, "--write", "--name", "redline-other") == 0
    assert set(servers(client, project)) == {"redline", "redline-other"}


def test_an_entry_of_this_workspace_is_renewed(project: Path) -> None:
    entry = {"command": "redline", "args": ["serve", "--stdio", "--workspace", str(project)]}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"redline": entry}}))
    for client in ("claude-code", "codex", "gemini"):
        assert config(client, project, "--write", "--tools", "files") == 0
        assert config(client, project, "--write", "--tools", "files,history") == 0
        assert servers(client, project)["redline"]["args"][-1] == "files,history"


@pytest.mark.parametrize(
    "flags",
    [
        ("--tools", "file"),
        ("--tools", ","),
        ("--name", "two words"),
        ("--name", "a.b"),
        ("--http", "127.0.0.1:8000"),
        ("--http", "http://[1"),
    ],
)
def test_flags_that_could_not_work_are_refused(flags: tuple[str, str], project: Path) -> None:
    assert config("codex", project, *flags, "--write") == 2
    assert not file_of("codex", project).exists()


def test_claude_desktop_is_not_given_an_address(project: Path) -> None:
    assert config("claude-desktop", project, "--http", URL) == 2


DENIED = {
    "claude-code": ["Edit", "Write", "MultiEdit", "NotebookEdit"],
    "cursor": ["Write(**)"],
    "gemini": ["write_file", "replace"],
}


@pytest.mark.parametrize("client", sorted(DENIED))
@pytest.mark.parametrize(
    "mine", [None, '{"mine": 1} // mine\n', '{"permissions": {"deny": ["X"]}, "tools": {"a": 1}}']
)
def test_a_clients_own_edit_tools_are_turned_off_and_on_again(
    client: str, mine: str | None, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = edit_tools_of(client, str(project))
    assert tools is not None
    file = Path(tools.file)
    if mine is not None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(mine)
    assert config(client, project, "--write") == 0
    before = file.read_text() if file.exists() else None
    capsys.readouterr()
    assert config(client, project, "--write", "--exclusive") == 0
    shown = capsys.readouterr().out
    data = json.loads(file.read_text().replace("// mine", ""))
    assert f"config {client} --exclusive --remove" in shown
    group, key = tools.place
    assert data[group][key][-len(DENIED[client]) :] == DENIED[client]
    assert config(client, project, "--exclusive", "--remove") == 0
    assert (file.read_text() if file.exists() else None) == before
    assert "redline" in servers(client, project)


@pytest.mark.parametrize("client", ["claude-desktop", "codex", "vscode", "windsurf"])
def test_a_client_that_cannot_says_so(
    client: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert config(client, project, "--write", "--exclusive") == 2
    assert "no setting" in capsys.readouterr().err
    assert not file_of(client, project).exists()

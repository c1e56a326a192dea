"""`redline setup` connects what is there, and `--remove` gives every byte back."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from redline.cli.commands.server.clients import known_clients
from redline.cli.main import main
from tests.support import REPO

pytestmark = pytest.mark.requirement("hooks-setup-gives-back")

# What people have in their files before, in layouts of their own.
FILES = {
    ".mcp.json": '{"mcpServers": {"other": {"command": "x"}}}',
    ".claude/settings.local.json": '{ "permissions": {"allow": ["Bash(ls)"]} }\r\n',
    ".claude/settings.json": "{}",
    ".codex/config.toml": 'model = "m"  # mine\n\n[mcp_servers.other]\ncommand = "x"',
    ".cursor/mcp.json": "",
    ".gemini/settings.json": '{\n\t"theme": "x" // kept\n}\n',
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of a person who has four clients, and files of theirs."""
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "REDLINE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in (".claude", ".codex", ".cursor", ".gemini", ".codeium/windsurf"):
        (tmp_path / name).mkdir(parents=True)
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


def _write(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
        (folder / name).chmod(0o600)


def _tree(folder: Path) -> dict[str, tuple[bytes | None, int]]:
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else None,
            path.stat().st_mode,
        )
        for path in sorted(folder.rglob("*"))
    }


def _setup(folder: Path, *flags: str) -> int:
    return main(["setup", "--workspace", str(folder), *flags])


@pytest.mark.parametrize("with_files", [False, True])
@pytest.mark.parametrize("flags", [(), ("--exclusive",), ("--no-hooks",)])
def test_every_file_is_given_back_as_it_was(
    project: Path, with_files: bool, flags: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    if with_files:
        _write(project)
    before = _tree(project)
    assert _setup(project, "--dry-run", *flags) == 0
    assert _tree(project) == before
    assert _setup(project, "--yes", *flags) == 0
    said = capsys.readouterr().out
    for title in ("Claude Code", "Codex", "Cursor", "Gemini CLI"):
        assert f"{title}: connects, 17 tools" in said
    for client in ("claude-code", "codex", "cursor", "gemini"):
        assert "redline" in Path(known_clients(str(project))[client].file).read_text()
    assert main(["log", "--workspace", str(project), "--json"]) == 0
    (operation,) = json.loads(capsys.readouterr().out)
    assert operation["tool"] == "setup"
    written = _tree(project)
    assert _setup(project, "--yes", *flags) == 0
    assert _tree(project) == written
    assert _setup(project, "--remove") == 0
    assert _tree(project) == before
    assert _setup(project, "--remove") == 3


def test_an_undo_that_reaches_the_setup_names_the_command_that_takes_it_back(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _setup(project, "--yes") == 0
    assert main(["undo", "--workspace", str(project)]) == 1
    assert "hint: to disconnect your agents: redline setup --remove" in capsys.readouterr().err


def test_what_a_person_changed_since_stays(project: Path) -> None:
    _write(project)
    before = _tree(project)
    assert _setup(project, "--yes") == 0
    (project / ".mcp.json").write_text((project / ".mcp.json").read_text() + "\n")
    assert _setup(project, "--remove") == 0
    after = _tree(project)
    assert json.loads(after.pop(".mcp.json")[0] or b"") == json.loads(FILES[".mcp.json"])
    del before[".mcp.json"]
    assert after == before


def test_nothing_is_written_without_a_yes_or_for_all_projects(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    before = _tree(project.parent / ".codeium")
    assert _setup(project) == 1
    assert not (project / ".mcp.json").exists()
    assert _setup(project, "--yes") == 0
    assert _tree(project.parent / ".codeium") == before
    assert "Windsurf: not set up; its one file is for all projects" in capsys.readouterr().out


def test_files_that_git_takes_and_that_name_this_machine_are_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _setup(project, "codex", "--yes") == 0
    assert ".codex/config.toml names paths of this machine" in capsys.readouterr().err
    assert not (project / ".mcp.json").exists()
    assert _setup(project, "nothing") == 2
    assert main(["config", "gemini", "--write", "--workspace", str(project)]) == 0
    assert ".gemini/settings.json names paths of this machine" in capsys.readouterr().err


def test_the_skill_of_the_plugin_is_the_one_that_setup_writes() -> None:
    skill = (REPO / "src/redline/skill.md").read_text()
    assert (REPO / "packaging/claude-plugin/skills/redline/SKILL.md").read_text() == skill
    described = skill.split("---")[1]
    assert len(described) < 500  # about a hundred tokens until it is opened
    assert len(skill.splitlines()) <= 50

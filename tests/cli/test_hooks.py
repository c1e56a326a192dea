"""Hooks are added to clients' settings, and removed, without touching another byte."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.cli.main import main
from redline.recorder.adapters.hook_program import MOMENTS
from redline.recorder.commands.hook_settings import (
    hook_clients,
    install,
    installed_events,
    remove,
)
from redline.recorder.commands.hooks import hook_command
from tests.recorder.adapters.hook_runs import payloads

pytestmark = pytest.mark.requirement("hooks-install")

CLIENTS = sorted(hook_clients("."))
COMMAND = "python hook_program.py"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of its own for every test."""
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_STATE_HOME", "REDLINE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "project").mkdir()
    return tmp_path


def run(action: str, client: str, home: Path, *flags: str) -> int:
    return main(["hooks", action, client, "--workspace", str(home / "project"), *flags])


def settings_of(client: str, home: Path) -> Path:
    return Path(hook_clients(str(home / "project"))[client].file)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_event_that_the_hook_knows_is_installed(client: str, home: Path) -> None:
    assert run("install", client, home) == 0
    written = json.loads(settings_of(client, home).read_text())
    assert set(written["hooks"]) == set(MOMENTS[client])
    assert installed_events(settings_of(client, home).read_bytes()) == set(MOMENTS[client])


def test_the_written_forms_are_those_of_the_documentation(home: Path) -> None:
    found = {}
    for client in CLIENTS:
        assert run("install", client, home) == 0
        found[client] = json.loads(settings_of(client, home).read_text())
    command = hook_command("claude-code", None)
    hook: dict[str, Any] = {"type": "command", "command": command, "timeout": 3}
    claude = found["claude-code"]["hooks"]
    assert claude["PreToolUse"] == [{"matcher": "*", "hooks": [hook]}]
    assert claude["SessionEnd"] == [{"hooks": [hook]}]
    (codex,) = found["codex"]["hooks"]["PostToolUse"]
    assert (codex["matcher"], codex["hooks"][0]["timeout"]) == ("*", 3)
    assert found["cursor"]["version"] == 1
    plain = {"command": hook_command("cursor", None), "timeout": 3}
    assert found["cursor"]["hooks"]["afterFileEdit"] == [plain]
    (gemini,) = found["gemini"]["hooks"]["BeforeTool"]
    assert gemini["hooks"][0]["timeout"] == 3000
    assert gemini["hooks"][0]["name"] == "redline"


@pytest.mark.parametrize("client", CLIENTS)
def test_a_second_install_changes_nothing_and_remove_leaves_nothing(
    client: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("install", client, home) == 0
    once = settings_of(client, home).read_bytes()
    assert run("install", client, home) == 0
    assert settings_of(client, home).read_bytes() == once
    assert run("remove", client, home) == 0
    assert list((home / "project").iterdir()) == []
    capsys.readouterr()
    assert run("remove", client, home) == 3
    assert "no hooks" in capsys.readouterr().out


OTHERS = st.lists(
    st.fixed_dictionaries(
        {"matcher": st.sampled_from(["Bash", "*"])},
        optional={
            "hooks": st.lists(
                st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=5)}),
                max_size=2,
            )
        },
    ),
    max_size=2,
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "permissions": st.dictionaries(st.text(max_size=4), st.lists(st.text(max_size=4))),
        "hooks": st.dictionaries(
            st.sampled_from(["PreToolUse", "Stop", "BeforeTool", "stop", "other"]), OTHERS
        ),
        "model": st.text(max_size=4),
    },
)
LAYOUTS = st.sampled_from([None, 2, 4, "\t"])


@settings(max_examples=12)
@given(data=SETTINGS, indent=LAYOUTS, client=st.sampled_from(CLIENTS), end=st.booleans())
def test_install_then_remove_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    data: dict[str, Any],
    indent: int | str | None,
    client: str,
    end: bool,
) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / "project").mkdir()
    target = settings_of(client, home)
    target.parent.mkdir()
    before = (json.dumps(data, indent=indent) + "\n" * end).encode()
    target.write_bytes(before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        assert run("install", client, home) == 0
        assert installed_events(target.read_bytes()) == set(MOMENTS[client])
        assert run("remove", client, home) == 0
    assert target.read_bytes() == before


@pytest.mark.requirement("hooks-install")
@settings(max_examples=80)
@given(data=SETTINGS, indent=LAYOUTS, client=st.sampled_from(CLIENTS))
@example(data={"model": "x"}, indent=4, client="gemini")
@example(data={"model": "x", "hooks": {}}, indent="\t", client="gemini")
def test_hooks_are_written_in_the_layout_of_the_file(
    data: dict[str, Any], indent: int | str | None, client: str
) -> None:
    before = json.dumps(data, indent=indent).encode()
    after = install(hook_clients(".")[client], before, COMMAND).decode()
    if data:  # an empty file has no layout yet
        assert after == json.dumps(json.loads(after), indent=indent)


@settings(max_examples=80)
@given(data=SETTINGS, indent=LAYOUTS, client=st.sampled_from(CLIENTS))
def test_without_a_history_everything_else_keeps_its_bytes_too(
    data: dict[str, Any], indent: int | str | None, client: str
) -> None:
    before = json.dumps(data, indent=indent).encode()
    after = install(hook_clients(".")[client], before, COMMAND)
    assert installed_events(after) == set(MOMENTS[client])
    left = json.loads(remove(after))
    if client == "cursor":
        assert left.pop("version") == 1
    # A list or mapping that was there, but empty, may be gone.
    expected = {k: v for k, v in data.items() if k != "hooks"}
    assert {k: v for k, v in left.items() if k != "hooks"} == expected
    for event, entries in data.get("hooks", {}).items():
        assert left.get("hooks", {}).get(event, []) == entries


def test_comments_and_layout_stay_when_the_file_changed_in_between(home: Path) -> None:
    target = settings_of("claude-code", home)
    target.parent.mkdir()
    text = '{\n  // mine\n  "model": "x",\n  "hooks": {\n    "Stop": [{"hooks": []}]\n  }\n}\n'
    target.write_text(text)
    assert run("install", "claude-code", home) == 0
    target.write_text(target.read_text().replace('"x"', '"y"'))
    assert run("remove", "claude-code", home) == 0
    assert target.read_text() == text.replace('"x"', '"y"')


def test_installing_is_undone_like_any_change(home: Path) -> None:
    target = settings_of("gemini", home)
    target.parent.mkdir()
    target.write_text('{"theme": "dark"}')
    assert run("install", "gemini", home) == 0
    workspace = ["--workspace", str(home / "project")]
    assert main(["undo", "--allow-guarded", *workspace]) == 0
    assert target.read_text() == '{"theme": "dark"}'


def test_hooks_of_another_installation_are_replaced(home: Path) -> None:
    old = install(hook_clients(".")["codex"], b"", "/old/python /old/hook_program.py codex")
    target = settings_of("codex", home)
    target.parent.mkdir()
    target.write_bytes(old)
    assert run("install", "codex", home) == 0
    assert "/old/" not in target.read_text()
    assert installed_events(target.read_bytes()) == set(MOMENTS["codex"])


def test_the_persons_own_settings_are_changed_when_asked(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("install", "gemini", home, "--user") == 1
    assert "not set up here" in capsys.readouterr().err
    (home / ".gemini").mkdir()
    assert run("install", "gemini", home, "--user") == 0
    assert main(["hooks", "status", "--workspace", str(home / "project")]) == 0
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert f"gemini installed {home}/.gemini/settings.json" in shown
    assert f"gemini not installed {home}/project/.gemini/settings.json" in shown


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"Stop": {}}}', "[]", "{"])
def test_settings_of_another_shape_are_left_alone(text: str, home: Path) -> None:
    target = settings_of("claude-code", home)
    target.parent.mkdir()
    target.write_text(text)
    assert run("install", "claude-code", home) == 1
    assert target.read_text() == text


def test_the_command_succeeds_even_when_redline_is_gone(home: Path) -> None:
    event = json.dumps(payloads("claude-code", home)["before_shell"]).encode()
    command = hook_command("claude-code", None)
    gone = {"hook_program.py": "gone.py", shlex.quote(sys.executable): "/gone/python"}
    assert all(name in command for name in gone)
    for broken in (command, *(command.replace(name, other) for name, other in gone.items())):
        done = subprocess.run(["sh", "-c", broken], input=event, capture_output=True, timeout=30)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), broken
    assert shlex.split(command)[-2:] == ["||", "true"]

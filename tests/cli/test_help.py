"""What a person meets first: the overview, versions, near misses and filters by time."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline._version import __version__
from redline.cli.main import COMMANDS, GROUPS, main
from tests.cli.shell import Shell

pytestmark = pytest.mark.requirement("meta-first-hour")


@pytest.mark.parametrize("flag", ["help", "--help", "-h"])
def test_the_overview_groups_every_command(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    shown = capsys.readouterr().out
    assert list(GROUPS) == ["Work", "History", "Review", "Agents", "Team"]
    for name in COMMANDS.keys() - {"json"}:
        assert f"\n  {name} " in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert main([]) == 2


def test_help_and_version_are_commands_too(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["help", "edit"], ["version"], ["-V"]):
        with pytest.raises(SystemExit) as ended:
            main(argv)
        assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert "usage: redline edit" in shown
    assert shown.count(f"redline {__version__}") == 2


def test_compatibility_flags_work_and_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    shown = capsys.readouterr().out
    for flag in ("--mcp-server", "--enable-view-image", "--dangerously-skip-all-permissions"):
        assert flag not in shown


def test_a_near_miss_of_a_choice_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for given, meant in (("claude", "claude-code"), ("vs-code", "vscode"), ("curser", "cursor")):
        with pytest.raises(SystemExit):
            main(["config", given])
        assert f"hint: did you mean {meant}?" in capsys.readouterr().err


def test_the_log_is_limited_to_a_time(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert shell("write", "a.txt", "--content", "x")[0] == 0
    assert b"create a.txt" in shell("log", "--since", "1h")[1]
    assert shell("log", "--until", "1h")[0] == 3
    code, _, errors = shell("log", "--since", "soon")
    assert (code, "Not an ISO 8601 time: soon" in errors) == (2, True)

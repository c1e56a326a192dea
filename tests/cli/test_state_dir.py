"""Commands find the history where the server finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A folder with one document, and a person with no settings."""
    made = Shell(tmp_path)
    del made.env["REDLINE_STATE_DIR"]
    made.env |= {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "default")}
    (made.folder / "a.yaml").write_text("port: 1\n")
    return made


def _histories(folder: Path) -> list[str]:
    return sorted(str(each.relative_to(folder)) for each in folder.glob("**/journal"))


@pytest.mark.parametrize("source", ["environment", "config file"])
def test_history_is_shared_with_a_server_of_the_same_settings(
    source: str, shell: Shell, tmp_path: Path
) -> None:
    if source == "environment":
        shell.env["REDLINE_STATE_DIR"] = str(tmp_path / "named")
    else:
        (tmp_path / "redline.toml").write_text(f'state_dir = "{tmp_path / "named"}"\n')
        shell.env["REDLINE_CONFIG"] = str(tmp_path / "redline.toml")
    assert shell("set", "a.yaml", "port", "2")[0] == 0
    assert b"edit a.yaml" in shell("log")[1]
    assert _histories(tmp_path) == ["named/journal"]
    assert shell("undo")[0] == 0
    assert (shell.folder / "a.yaml").read_text() == "port: 1\n"


def test_the_flag_wins_over_the_environment(shell: Shell, tmp_path: Path) -> None:
    shell.env["REDLINE_STATE_DIR"] = str(tmp_path / "named")
    assert shell("set", "a.yaml", "port", "2", "--state-dir", str(tmp_path / "flag"))[0] == 0
    assert _histories(tmp_path) == ["flag/journal"]


def test_a_setting_that_cannot_be_used_is_named_in_one_line(shell: Shell, tmp_path: Path) -> None:
    shell.env["REDLINE_CONFIG"] = str(tmp_path / "missing.toml")
    code, _, said = shell("set", "a.yaml", "port", "2")
    assert code == 2
    assert "missing.toml" in said
    assert "Traceback" not in said
    assert (shell.folder / "a.yaml").read_text() == "port: 1\n"

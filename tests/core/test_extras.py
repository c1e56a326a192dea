"""The hint for an extra is a command that fits how this Redline was installed."""

from __future__ import annotations

import shlex
import sys

import pytest

from redline.core.extras import install_extra


@pytest.mark.parametrize(
    ("prefix", "start"),
    [
        ("/home/a/.local/share/pipx/venvs/redline-mcp", "pipx install --force "),
        ("/home/a/.local/share/uv/tools/redline-mcp", "uv tool install --force "),
        ("/home/a/project/.venv", f"{shlex.quote(sys.executable)} -m pip install "),
    ],
)
def test_the_command_follows_the_installer(
    prefix: str, start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    said = install_extra("redis")
    assert said.startswith(start)
    assert said.endswith("[redis]'")

"""The hint for an extra is a command that fits how this Redline was installed."""

from __future__ import annotations

import shlex
import sys

import pytest

from redline.core.extras import install_extra
from redline.server.http.auth import open_authenticator
from redline.settings import Settings, SettingsError
from redline.teams.wiring.group import open_group


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


def test_a_group_is_refused_with_the_command_that_installs_what_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(SettingsError, match=r"install .*\[teams\]"):
        open_group(Settings(shared="redis://127.0.0.1:1/0"))


def test_an_issuer_is_refused_with_the_command_that_installs_what_it_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jwt", None)
    with pytest.raises(SettingsError, match=r"install .*\[oauth\]"):
        open_authenticator(Settings(oauth_issuer="https://issuer.example"))

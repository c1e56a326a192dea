"""Flags, environment and config file: precedence, validation, and roots."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from redline.cli.commands.server.serve import _settings
from redline.cli.parser import build_parser
from redline.settings import Settings, SettingsError, load, parse_size, read_config


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project directory, and no settings from the machine."""
    for name in list(os.environ):
        if name.startswith(("REDLINE_", "CODING_TOOLS_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    project = tmp_path / "project"
    for name in ("rw", "ro", "more"):
        (project / name).mkdir(parents=True)
    monkeypatch.chdir(project)
    return project


def parse(*flags: str) -> Settings:
    return _settings(build_parser("serve").parse_args(["serve", *flags]))


def test_without_anything_the_workspace_is_here() -> None:
    settings = parse()
    assert settings.roots == ((".", True),)
    assert (settings.host, settings.port, settings.tools) == ("127.0.0.1", 8000, ())


def test_roots_keep_the_order_of_the_command_line() -> None:
    settings = parse("--allow-read", "ro", "--allow-write", "rw", "--allow-read", "more")
    assert settings.roots == (("ro", False), ("rw", True), ("more", False))
    assert parse("--workspace", "rw", "--allow-read", "ro").roots == (("rw", True), ("ro", False))
    assert parse("-w", "rw", "-w", "more").roots == (("rw", True), ("more", True))


def test_a_sandbox_profile_adds_its_directories_last(tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    profile.write_text('{"read_write": ["rw"], "read_only": ["ro"]}')
    settings = parse("--allow-write", "more", "--sandbox-profile", str(profile), "--mcp-server")
    assert settings.roots == (("more", True), ("rw", True), ("ro", False))


@pytest.mark.parametrize("text", ["[]", "{", '{"read_write": "x"}', '{"read_only": [1]}'])
def test_a_malformed_sandbox_profile_is_explained(tmp_path: Path, text: str) -> None:
    profile = tmp_path / "profile.json"
    profile.write_text(text)
    with pytest.raises(SettingsError, match=r"profile\.json"):
        parse("--sandbox-profile", str(profile))


def test_flag_beats_environment_beats_config(tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text('tools = ["yaml"]\nhistory-days = 3\nport = 1111\n')
    environ = {"REDLINE_TOOLS": "files,json", "REDLINE_PORT": "2222"}
    found = load({"port": 3333}, environ, read_config(str(config)))
    assert (found.tools, found.history_days, found.port) == (("files", "json"), 3.0, 3333)


@pytest.mark.requirement("egress-settings")
def test_allowed_domains_come_from_flags_environment_and_config() -> None:
    given = parse("--allow-domain", "Example.ORG.", "--allow-domain", "*.b.example:81")
    assert given.allow_domains == ("example.org", "*.b.example:81")
    assert load({}, {"REDLINE_ALLOW_DOMAINS": "a.example, b.example"}).allow_domains == (
        "a.example",
        "b.example",
    )
    assert load({}, {}, {"allow-domains": ["a.example"]}).allow_domains == ("a.example",)
    assert load({}, {}).allow_domains == ()


def test_the_variables_of_the_coding_profile_work() -> None:
    environ = {
        "CODING_TOOLS_MCP_WORKSPACE": "rw",
        "CODING_TOOLS_MCP_TRACE": "1",
        "CODING_TOOLS_MCP_ENABLE_VIEW_IMAGE": "0",
        "CODING_TOOLS_MCP_EXEC_ALLOW_ROOTS": os.pathsep.join(["/a", "/b"]),
    }
    found = load({}, environ)
    assert found.workspace == "rw"
    assert found.trace is True
    assert found.view_image is False
    assert found.exec_allow_roots == ("/a", "/b")
    assert parse("--dangerously-skip-all-permissions").sandbox == "dangerous"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"port": 70000}, "Bad port from command line: expected 0 to 65535"),
        ({"history_days": "-1"}, "at least 0"),
        ({"sandbox": "off"}, "expected one of safe, trusted, dangerous"),
        ({"read_only": "perhaps"}, "expected 1 or 0"),
        ({"allow_domains": ["*"]}, "Bad allow_domains from command line: a wildcard needs"),
        ({"allow_domains": ["https://example.org"]}, "not a port"),
        ({"allow_domains": ["127.1"]}, "Bad allow_domains"),
        ({"host": "0.0.0.0"}, "token is required"),
        ({"host": "example.org"}, "token is required"),
        ({"host": "127.evil.test"}, "token is required"),
        ({"auth_token": "short"}, "16 characters"),
        ({"oauth_issuer": "https://i"}, "--oauth-audience"),
        ({"workspace": "/"}, "too broad for a workspace"),
        ({"workspace": "~nowhere"}, "No such directory"),
        ({"directories": [("/", False)]}, "too broad for a workspace"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(given, {})
    assert words in str(caught.value)


@pytest.mark.parametrize("given", ["original", "seed"])
def test_original_tool_names_are_also_accepted_under_their_former_value(given: str) -> None:
    assert load({"tool_names": given}, {}).tool_names == "original"


def test_the_former_value_of_tool_names_is_not_offered() -> None:
    with pytest.raises(SettingsError, match="expected one of auto, original, portable, got dots"):
        load({"tool_names": "dots"}, {})


def test_the_home_directory_needs_to_be_asked_for(
    somewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(somewhere))
    with pytest.raises(SettingsError, match="home directory"):
        parse()
    assert parse("--allow-any-root").roots == ((".", True),)


def test_config_files_with_unknown_names_or_bad_toml_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="Unknown setting in config file: colour"):
        load({}, {}, {"colour": 1})
    bad = tmp_path / "bad.toml"
    bad.write_text("= 3")
    with pytest.raises(SettingsError, match="not valid TOML"):
        read_config(str(bad))
    with pytest.raises(SettingsError, match="Cannot read config file"):
        read_config(str(tmp_path / "absent.toml"))


@pytest.mark.requirement("server-settings")
def test_a_workspace_cannot_bring_its_own_config(somewhere: Path) -> None:
    (somewhere / "redline.toml").write_text('sandbox = "dangerous"\n')
    assert parse().sandbox == "safe"


def test_a_persons_own_config_is_read(tmp_path: Path) -> None:
    own = tmp_path / "config" / "redline" / "redline.toml"
    own.parent.mkdir(parents=True)
    own.write_text('sandbox = "trusted"\nallow-read = ["ro"]\n')
    settings = parse()
    assert settings.sandbox == "trusted"
    assert ("ro", False) in settings.directories


@pytest.mark.parametrize(
    ("text", "count"), [("10", 10), ("1K", 1024), ("2MiB", 2 << 20), ("1.5g", 3 << 29), ("0", 0)]
)
def test_sizes_can_be_written_with_units(text: str, count: int) -> None:
    assert parse_size(text) == count


@pytest.mark.parametrize("flags", [["--http", "nonsense"], ["--http", ":80"], ["--http", "a:b"]])
def test_an_address_needs_a_host_and_a_port(flags: list[str]) -> None:
    with pytest.raises(SettingsError, match="HOST:PORT"):
        parse(*flags)


def test_addresses_of_the_sixth_version_are_bracketed() -> None:
    assert parse("--http", "[::1]:9000").host == "::1"

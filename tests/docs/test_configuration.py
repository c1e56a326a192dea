"""The examples of configuration files load, and name everything there is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from redline.core.access.rights import Right
from redline.policy.reading import read_policy
from redline.settings import PARSERS, Settings, gather, load, read_config, read_sandbox_profile
from redline.teams.people.users import parse_users
from tests.support import REPO

EXAMPLES = REPO / "docs" / "examples"


@pytest.mark.requirement("meta-configuration-examples")
def test_the_example_of_redline_toml_names_every_setting_and_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = load({}, {}, read_config(str(EXAMPLES / "redline.toml")))
    kept = {"tools": ("agent",), "guarded_paths": ("deploy/*.yaml", "!.envrc")}
    assert {k: v for k, v in kept.items() if getattr(shown, k) == v} == kept
    default = Settings()._replace(**kept)  # type: ignore[arg-type]
    sizes = {"history_size", "max_body"}
    assert {
        name
        for name in Settings._fields
        if getattr(shown, name) != getattr(default, name) and name not in sizes
    } == set()
    text = (EXAMPLES / "redline.toml").read_text()
    every = tomllib.loads(text.replace("#! ", ""))
    assert gather({}, {}, every)
    assert {*every, "directories"} - {"allow_write", "allow_read"} == set(PARSERS)


@pytest.mark.requirement("meta-configuration-examples")
def test_the_other_examples_load() -> None:
    users = parse_users((EXAMPLES / "users.toml").read_text())
    assert Right.RUN in users.by_name["ana"].rights
    assert read_policy((EXAMPLES / "policy.toml").read_bytes(), "policy.toml")
    profile = read_sandbox_profile(str(EXAMPLES / "sandbox-profile.json"))
    assert profile == (("services/api", True), ("services/web", True), ("docs", False))


@pytest.mark.requirement("meta-configuration-examples")
def test_the_page_links_an_example_of_every_file() -> None:
    page = (REPO / "docs" / "configuration.md").read_text()
    for name in ("redline.toml", "policy.toml", "users.toml", "sandbox-profile.json"):
        assert f"(examples/{name})" in page

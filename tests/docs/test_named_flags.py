"""The commands and flags that pages name are those of the parser."""

from __future__ import annotations

import argparse
import re

import pytest

from redline.cli.main import COMMANDS
from redline.cli.parser import build_parser
from scripts.plain_pages import pages

_SPAN = re.compile(r"`([^`\n]+)`|^(?: {4}|\$ )(redline .*)$", re.MULTILINE)
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_REDLINE = re.compile(r"redline ([a-z]+)\b([^|;&#]*)")


def _flags(parser: argparse.ArgumentParser) -> set[str]:
    """Return the flags of a command and of the commands below it."""
    found: set[str] = set()
    for action in parser._actions:
        found.update(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            found.update(*map(_flags, action.choices.values()))
    return found


def _commands() -> dict[str, set[str]]:
    (subparsers,) = (
        action
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return {name: _flags(parser) for name, parser in subparsers.choices.items()}


def _wrong(page: str, known: dict[str, set[str]]) -> list[str]:
    """Return the commands and flags that a page names and nobody takes."""
    every, found = set().union(*known.values()) | {"--version"}, []
    for match in _SPAN.finditer(page):
        said = match[1] or match[2]
        for command, rest in _REDLINE.findall(said):
            if command not in known:
                found.append(f"redline {command}")
                continue
            own = rest.partition(" -- ")[0]  # what follows is a command of its own
            found += [
                f"{command} {flag}" for flag in _FLAG.findall(own) if flag not in known[command]
            ]
        if said.startswith("--"):
            found += [flag for flag in _FLAG.findall(said.partition(" ")[0]) if flag not in every]
    return found


@pytest.mark.requirement("meta-flags-exist")
def test_every_command_and_flag_on_a_page_exists() -> None:
    known = _commands() | {"help": set(), "version": set()}
    assert set(known) >= set(COMMANDS)
    wrong = {name: _wrong(text, known) for name, text in pages().items()}
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.requirement("meta-flags-exist")
def test_the_check_finds_what_does_not_exist() -> None:
    known = _commands()
    page = "`--trace` and `redline serve --trace`, `redline nothing`; `redline run -- ls --all`"
    assert _wrong(page, known) == ["--trace", "serve --trace", "redline nothing"]

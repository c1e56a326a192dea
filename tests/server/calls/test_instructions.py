"""What a client is told on connecting is true for the tools in its list."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from redline.server.calls.catalog import Catalog, load_toolsets, portable
from redline.server.calls.tool_server import write_instructions
from redline.toolsets import OWN, TOOLSETS
from redline.toolsets.tool import Client

TOGETHER = [name for name in TOOLSETS if name != OWN]
CHOICES = [
    (OWN,),
    *(chosen for count in range(1, len(TOGETHER) + 1) for chosen in combinations(TOGETHER, count)),
]
ALL_NAMES = {tool.name for toolset in load_toolsets(["all"]) for tool in toolset.tools}
CLIENTS = [Client(name="some"), Client(name="claude-code")]
CHANGING = re.compile(r"(?i)\b(chang(e|es|ing) (files|code)|appl(y|ies)|undo|undone|back|run)\b")


def _words(text: str) -> set[str]:
    return set(re.findall(r"[\w.]*\w", text))


def _told(
    chosen: tuple[str, ...], client: Client, *, read_only: bool = False, names: str = "auto"
) -> tuple[str, list[str]]:
    """The instructions, and the names in the list, of one client."""
    catalog = Catalog(load_toolsets(chosen), read_only=read_only, tool_names=names)
    return write_instructions(catalog, client), [tool["name"] for tool in catalog.list(client)]


@pytest.mark.requirement("server-instructions")
@pytest.mark.parametrize("names", ["auto", "original", "portable"])
@pytest.mark.parametrize("read_only", [False, True])
def test_every_tool_that_is_named_is_in_the_list_under_that_name(
    read_only: bool, names: str
) -> None:
    known = ALL_NAMES | {portable(name) for name in ALL_NAMES}
    for chosen in CHOICES:
        for client in CLIENTS:
            text, listed = _told(chosen, client, read_only=read_only, names=names)
            assert "{" not in text
            assert _words(text) & known <= set(listed), (chosen, client.name, text)


@pytest.mark.requirement("server-instructions")
def test_nothing_is_said_about_changes_where_none_can_be_made() -> None:
    for chosen in CHOICES:
        text, _ = _told(chosen, CLIENTS[0], read_only=True)
        assert "read-only" in text
        rest = text.replace("nothing can be changed", "")
        assert not CHANGING.search(rest), (chosen, text)


@pytest.mark.requirement("server-instructions")
def test_the_paths_that_are_asked_for_are_taken_by_every_toolset_that_is_on() -> None:
    for chosen in CHOICES:
        text, _ = _told(chosen, CLIENTS[0])
        assert ("Paths are relative to the workspace." in text) == ("coding" in chosen)
        assert ("Paths are absolute;" in text) == ("files" in chosen and "coding" not in chosen)
        assert ("Paths are absolute, or relative" in text) == (OWN in chosen)


@pytest.mark.requirement("server-instructions")
def test_a_tool_that_is_switched_off_takes_its_sentence_with_it() -> None:
    toolsets = load_toolsets(["coding"])
    text = write_instructions(Catalog(toolsets, without=["exec_command"]), CLIENTS[0])
    assert "exec_command" not in text
    assert "apply_patch" in text

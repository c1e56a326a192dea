"""Which clients are offered the page, and what it says about changes that wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from redline.toolsets.change_records import META_VIEW
from tests.review.person import Person
from tests.review.test_held import HELD, hold
from tests.wire.client import MODERN, Client, Json, connect

UI = "io.modelcontextprotocol/ui"
APPS = {"extensions": {UI: {"mimeTypes": ["text/html;profile=mcp-app"]}}}
OTHERS: list[Json] = [
    {},
    {"extensions": {UI: {}}},
    {"extensions": {UI: {"mimeTypes": ["text/html"]}}},
    {"extensions": [UI]},
]
URI = "ui://redline/review"


def _look(root: Path, transport: str, protocol: str, capabilities: Json) -> tuple[Any, ...]:
    """What a client finds: in tools, resources, the page, an answer, the server's capabilities."""
    args = ["--tools", "files,history", "--workspace", str(root)]
    with connect(transport, args, protocol=protocol, capabilities=capabilities) as client:
        client.call("write_file", {"path": "a.txt", "content": "x\n"})
        tools = client.request("tools/list", {})["result"]["tools"]
        resources = client.request("resources/list", {})["result"]["resources"]
        page = client.request("resources/read", {"uri": URI})
        answer = client.call("show_change", {})["result"]
        if protocol == MODERN:
            declared = client.request("server/discover", {})["result"]["capabilities"]
        else:
            declared = client.initialize_result["capabilities"]
    named = [tool["name"] for tool in tools if "ui" in tool.get("_meta", {})]
    listed = [each for each in resources if each["uri"] == URI]
    assert answer["content"][0]["text"].endswith("+x\n")
    return named, listed, page, answer.get("_meta", {}).get(META_VIEW), declared.get("extensions")


def _resources_of(client: Client) -> list[str]:
    """The addresses of the resources that a client is offered."""
    return [each["uri"] for each in client.request("resources/list", {})["result"]["resources"]]


@pytest.mark.requirement("web-app-declared")
@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("protocol", ["2025-11-25", MODERN])
def test_a_client_that_shows_pages_is_offered_one(
    tmp_path: Path, transport: str, protocol: str
) -> None:
    named, listed, page, view, declared = _look(tmp_path, transport, protocol, APPS)
    assert named == ["list_changes", "show_change"]
    assert [each["mimeType"] for each in listed] == ["text/html;profile=mcp-app"]
    (content,) = page["result"]["contents"]
    assert content["text"].startswith("<!doctype html>")
    assert len(content["text"]) < 40_000
    assert content["_meta"] == {"ui": {"prefersBorder": True}}
    assert "a.txt" in view["html"]
    assert set(view["calls"]) == {"show", "undo"}
    assert declared == {UI: {}}


@pytest.mark.requirement("web-app-declared")
@pytest.mark.parametrize("capabilities", OTHERS, ids=["none", "no types", "other type", "a list"])
def test_another_client_finds_no_trace_of_it(tmp_path: Path, capabilities: Json) -> None:
    named, listed, page, view, declared = _look(tmp_path, "stdio", "2025-11-25", capabilities)
    assert (named, listed, view, declared) == ([], [], None, None)
    assert "error" in page


@pytest.mark.requirement("web-app-declared")
def test_the_toolset_agent_has_the_page_too(tmp_path: Path) -> None:
    args = ["--tools", "agent", "--workspace", str(tmp_path)]
    with connect("stdio", args, capabilities=APPS) as client:
        client.call("write", {"path": "a.txt", "content": "x\n"})
        answer = client.call("changes", {"id": "latest"})["result"]
        view = answer["_meta"][META_VIEW]
        names = [view["calls"][each]["name"] for each in ("show", "undo")]
        assert names == ["changes", "undo"]
        listed = client.call("changes", {"max": 1})["result"]
        assert "create a.txt" in listed["content"][0]["text"]
        shown = listed["_meta"][META_VIEW]
        assert "a.txt" in shown["html"]
        assert shown["calls"] == {"open": {"name": "changes", "arguments": {}}}
        client.call("write", {"path": "b.txt", "content": "x\n"})
        older = client.call("changes", {"max": 1})["result"]["_meta"][META_VIEW]["calls"]["older"]
        listed = client.call(older["name"], older["arguments"])["result"]
        assert "create a.txt" in listed["content"][0]["text"]
        for each in ("show", "undo"):
            called = view["calls"][each]
            assert client.call(called["name"], called["arguments"])["result"]["isError"] is False
        assert URI in _resources_of(client)
    with connect("stdio", args) as client:
        assert "_meta" not in client.call("changes", {})["result"]
        assert _resources_of(client) == ["redline://changes"]
        assert "error" in client.request("resources/read", {"uri": URI})


@pytest.mark.requirement("web-app-approves-nothing")
def test_the_page_names_what_waits_and_decides_nothing(person: Person) -> None:
    change = person.edit(("b", "two\n"))
    (person.root / "a").write_text("one\n")
    app = person.bench.app.review_app
    assert "redline review" not in app.draw_change(change, can_undo=True)
    hold(person.bench.app)
    shown = app.draw_change(change, can_undo=True)
    assert HELD in shown
    assert "redline review" in shown
    page = app.write_page() + shown
    for word in ("approve", "refuse", "Approve", "Refuse", "/held"):
        assert word not in page


@pytest.mark.requirement("web-app-in-client")
def test_large_changes_are_cut_and_undone_ones_have_no_buttons(person: Person) -> None:
    large = "".join(f"line {n}\n" for n in range(5000))
    first = person.edit(*((f"f{n}.txt", large if n == 0 else "x\n") for n in range(60)))
    shown = person.bench.app.review_app.draw_change(first, can_undo=True)
    assert len(shown) < 200_000
    assert "More lines are not shown" in shown
    assert "20 more files are not shown" in shown
    assert "<button" in shown
    assert "<button" not in person.bench.app.review_app.draw_change(first, can_undo=False)
    person.bench.undo(first)
    assert "<button" not in person.bench.app.review_app.draw_change(first, can_undo=True)

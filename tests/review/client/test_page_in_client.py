"""A change inside a client: the page and the extension's own host, in a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.review.browser import WAIT, open_browser
from tests.support import NODE_MODULES, need, need_node
from tests.wire.client import MODERN, Client, Json, connect

pytestmark = pytest.mark.node
APPS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
URI = "ui://redline/review"
LINES = [f"line {n}\n" for n in range(1, 41)]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The host as one script."""
    node = need_node()
    package = NODE_MODULES / "@modelcontextprotocol" / "ext-apps"
    need(package.exists(), "@modelcontextprotocol/ext-apps (make node)")
    # Next to the packages it imports.
    source = NODE_MODULES.parent / f"host-{tmp_path_factory.mktemp('host').parent.name}.mjs"
    source.write_text(Path(__file__).with_name("host.mjs").read_text())
    try:
        done = subprocess.run(
            [str(node), str(NODE_MODULES / "rolldown" / "bin" / "cli.mjs"), str(source),
             "--format", "iife", "--platform", "browser"],
            capture_output=True, text=True, timeout=120, cwd=NODE_MODULES.parent,
        )  # fmt: skip
    finally:
        source.unlink()
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as found:
        yield found


@pytest.fixture(params=["2025-11-25", MODERN])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Client]:
    """A server and a client that shows pages, with a change of two hunks."""
    args = ["--tools", "files,history", "--workspace", str(tmp_path)]
    with connect("stdio", args, protocol=request.param, capabilities=APPS) as client:
        client.call("write_file", {"path": "a.txt", "content": "".join(LINES)})
        edits = [
            {"oldText": "line 3\n", "newText": "three <b>&\n"},
            {"oldText": "line 30\n", "newText": "thirty\n"},
        ]
        client.call("edit_file", {"path": "a.txt", "edits": edits})
        yield client


class Host:
    """A page of the browser that acts as the client."""

    def __init__(self, browser: Any, bundle: str, server: Client) -> None:
        self.server = server
        self.called: list[Json] = []
        self.page = browser.new_page(viewport={"width": 1000, "height": 920})
        self.page.set_default_timeout(WAIT)
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("request", lambda request: self.problems.append(f"asks for {request.url}"))
        self.page.expose_function("callTool", self._call)
        self.page.set_content("<!doctype html><title>host</title>")
        self.page.add_script_tag(content=bundle)

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def _call(self, params: Json) -> Json:
        self.called.append(params)
        return _result(self.server.call(params["name"], params.get("arguments", {})))

    def show(self, result: Json, **options: Any) -> Any:
        page = self.server.request("resources/read", {"uri": URI})["result"]["contents"][0]
        assert page["mimeType"] == "text/html;profile=mcp-app"
        options = {"theme": "dark", "hasTools": True, **options}
        self.page.evaluate("([html, options]) => showPage(html, options)", [page["text"], options])
        self.page.evaluate("result => bridge.sendToolInput({arguments: {}})"
                           ".then(() => bridge.sendToolResult(result))", result)  # fmt: skip
        return self.page.frame_locator("iframe")

    def seen(self, name: str) -> Any:
        return self.page.evaluate(f"seen.{name}")

    def wait_for(self, condition: str) -> None:
        self.page.wait_for_function(condition)


@pytest.fixture
def host(browser: Any, bundle: str, server: Client) -> Iterator[Host]:
    found = Host(browser, bundle, server)
    yield found
    found.page.close()
    assert found.problems == []


def _result(reply: Json) -> Json:
    result: Json = reply["result"]
    return {key: value for key, value in result.items() if key != "resultType"}


def _shown(client: Client) -> Json:
    return _result(client.call("show_change", {}))


@pytest.mark.requirement("web-app-in-client")
def test_a_change_is_shown_and_a_hunk_taken_back_through_the_extensions_own_host(
    host: Host, tmp_path: Path
) -> None:
    frame = host.show(_shown(host.server))
    frame.locator("h1:has-text('a.txt')").wait_for()
    assert frame.locator("tr.a td:last-child").all_inner_texts() == ["+three <b>&", "+thirty"]
    assert frame.locator("html").get_attribute("data-theme") == "dark"
    assert host.seen("app.info")["name"] == "redline"
    host.wait_for("seen.sizes.length && seen.sizes.at(-1).height > 100")
    frame.locator("button[aria-label='Undo hunk 2 of a.txt']").click()
    frame.locator("tr.h.gone").wait_for()
    text = (tmp_path / "a.txt").read_text()
    assert "three <b>&" in text
    assert "line 30\n" in text
    undo, show = host.called
    assert (undo["name"], undo["arguments"]["hunks"]) == ("undo_change", [2])
    assert show["name"] == "show_change"
    host.wait_for("seen.contexts.length")
    assert "took this back" in host.seen("contexts[0].content[0].text")
    frame.locator("input[name=hunk][value='1']").check()
    frame.locator("text=Undo selected hunks").click()
    host.wait_for("seen.contexts.length > 1")
    assert (tmp_path / "a.txt").read_text() == "".join(LINES)
    assert host.page.evaluate("bridge.teardownResource({})") == {}


@pytest.mark.requirement("web-app-list")
def test_a_list_of_changes_opens_one_and_leads_back(host: Host, tmp_path: Path) -> None:
    host.server.call("write_file", {"path": "b/<i>.txt", "content": "one\ntwo\n"})
    listed = _result(host.server.call("list_changes", {"limit": 2}))
    frame = host.show(listed)
    frame.locator(".op").nth(1).wait_for()
    assert frame.locator("h1").inner_text() == "Changes"
    names = [text.strip() for text in frame.locator("a.files").all_inner_texts()]
    assert [name.split("\n")[0].rstrip("new").strip() for name in names] == ["b/<i>.txt", "a.txt"]
    assert frame.locator(".op .plus").all_inner_texts() == ["+2", "+2"]
    frame.locator("a.files").nth(1).click()
    frame.locator("h1:has-text('a.txt')").wait_for()
    assert frame.locator("tr.a td:last-child").all_inner_texts() == ["+three <b>&", "+thirty"]
    frame.locator("button[aria-label='Undo hunk 2 of a.txt']").click()
    frame.locator("tr.h.gone").wait_for()
    assert "line 30\n" in (tmp_path / "a.txt").read_text()
    frame.locator("text=All changes").click()
    frame.locator("h1:has-text('Changes')").wait_for()
    frame.locator("text=Older changes").click()
    frame.locator("a.files:has-text('new')").first.wait_for()
    assert frame.locator("text=All changes").count() == 0
    wanted = [(call["name"], sorted(call["arguments"])) for call in host.called]
    assert wanted == [
        ("show_change", ["id"]),
        ("undo_change", ["hunks", "id"]),
        ("show_change", ["id"]),
        ("list_changes", ["cursor", "limit"]),
    ]


@pytest.mark.requirement("web-app-list")
def test_a_list_in_a_client_that_calls_no_tools_has_neither_links_nor_buttons(host: Host) -> None:
    frame = host.show(_result(host.server.call("list_changes", {"limit": 1})), hasTools=False)
    frame.locator(".op").first.wait_for()
    assert frame.locator("a, button").count() == 0


@pytest.mark.requirement("web-app-in-client")
def test_what_stands_in_the_way_of_an_undo_is_said_in_the_page(host: Host, tmp_path: Path) -> None:
    frame = host.show(_shown(host.server))
    edit = [{"oldText": "thirty", "newText": "another thirty"}]
    host.server.call("edit_file", {"path": "a.txt", "edits": edit})
    frame.locator("button[aria-label='Undo hunk 2 of a.txt']").click()
    frame.locator("#live:has-text('UNDO_BLOCKED')").wait_for()
    assert frame.locator("button[aria-label='Undo hunk 1 of a.txt']").is_enabled()
    assert "another thirty" in (tmp_path / "a.txt").read_text()


@pytest.mark.requirement("web-app-in-client")
def test_a_client_that_calls_no_tools_for_the_page_gets_no_buttons(host: Host) -> None:
    frame = host.show(_shown(host.server), hasTools=False, theme="light")
    frame.locator("h1:has-text('a.txt')").wait_for()
    assert frame.locator("button").count() == 0
    plain = {"content": [{"type": "text", "text": "<i>only text</i>"}]}
    host.page.evaluate("result => bridge.sendToolResult(result)", plain)
    frame.locator("pre:has-text('<i>only text</i>')").wait_for()


@pytest.mark.requirement("web-app-declared")
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_finds_the_page(tmp_path: Path, era: str) -> None:
    node = need_node()
    inspector = NODE_MODULES / "@modelcontextprotocol" / "inspector"
    binary = json.loads((inspector / "package.json").read_text())["bin"]
    script = inspector / (binary if isinstance(binary, str) else next(iter(binary.values())))
    serve = [sys.executable, "-m", "redline", "serve", "--stdio", "--tools", "history",
             "--workspace", str(tmp_path), "--state-dir", f"{tmp_path}-state"]  # fmt: skip
    done = subprocess.run(
        [str(node), str(script), "--cli", *serve, "--method", "tools/call",
         "--tool-name", "show_change", "--app-info", "--advertise-apps", "--protocol-era", era],
        capture_output=True, text=True, timeout=120, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert json.loads(done.stdout)["resourceUri"] == URI

"""What waits for a person, decided in a real browser: two tabs, reloads, a killed server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.review.held import list_held
from tests.review.browser import visit
from tests.review.test_held import hold
from tests.review.test_in_browser import Desk
from tests.support import NODE_MODULES, need, need_program
from tests.wire.client import Client, Json, connect

POLICY = """
[[rule]]
name = "deployments"
paths = ["deploy/**"]
action = "ask"
reason = "they go live at once"
"""


class Office(Desk):
    """A desk, and an agent whose changes of deploy/ are held."""

    def __init__(self, top: Path, browser: Any) -> None:
        super().__init__(top, browser)
        policy = top / "policy.toml"
        policy.write_text(POLICY)
        args = ["--tools", "files,history", "--workspace", str(self.root)]
        args += ["--state-dir", str(top / "state"), "--policy", str(policy)]
        self.client: Client = connect("stdio", args)
        self.count = 0

    def close(self) -> None:
        self.client.close()
        super().close()

    def write(self, name: str, content: str) -> str:
        """Have the agent write a file, which is held; its id."""
        reply = self.client.call("write_file", {"path": f"deploy/{name}", "content": content})
        assert "held as" in str(reply), reply
        (held,) = [
            each
            for each in list_held(self.agent.bench.app)
            if each.change_set.paths[-1].relative == f"deploy/{name}"
        ]
        return held.id

    def read(self, name: str) -> str | None:
        path = self.root / "deploy" / name
        return path.read_text() if path.exists() else None

    def run(self, arguments: Json) -> Json:
        """Have the agent run a command; the sandbox it ran in."""
        reply = self.client.call("execute_command", arguments)
        found: Json = reply["result"]["structuredContent"]["sandbox"]
        return found

    def hear(self) -> str:
        """What the agent's next answer says."""
        return str(self.client.call("list_changes", {"limit": 1})["result"]["content"])


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Office]:
    found = Office(tmp_path_factory.mktemp("office"), browser)
    yield found
    found.close()


@pytest.mark.requirement("web-held-in-browser")
def test_a_held_change_appears_and_is_approved_in_one_of_two_tabs(office: Office) -> None:
    page = office.go("held")
    page.wait_for_selector("#state[data-state=on]")
    held = office.write("a.yaml", "replicas: 3\n")
    page.wait_for_selector("nav .count")
    page.click(f"a[href='/held/{held}']")
    page.wait_for_selector("text=they go live at once")
    assert page.locator("tr.a td:last-child").inner_text() == "+replicas: 3"
    second = office.open_page(f"{office.server.address}held/{held}")
    second.wait_for_selector("#approve")
    second.wait_for_selector("#state[data-state=on]")
    page.keyboard.press("a")
    page.wait_for_selector(".message >> text=change")
    assert office.read("a.yaml") == "replicas: 3\n"
    second.wait_for_selector("text=approved by the reviewer")
    assert second.locator("#approve").count() == 0
    second.close()
    assert f"Held change {held} was approved by" in office.hear()


@pytest.mark.requirement("web-held-in-browser")
def test_a_held_change_is_approved_with_an_edit(office: Office) -> None:
    held = office.write("b.yaml", "replicas: 30\n")
    page = office.go(f"held/{held}")
    page.click("text=Approve with an edit")
    page.fill("textarea", "replicas: 4\n")
    page.click("text=Approve with this content")
    page.wait_for_selector(".message >> text=change")
    assert office.read("b.yaml") == "replicas: 4\n"
    assert "with other contents than asked for" in office.hear()


@pytest.mark.requirement("web-held-in-browser")
def test_a_refusal_reaches_the_agent_with_its_reason(office: Office) -> None:
    held = office.write("c.yaml", "image: latest\n")
    page = office.go(f"held/{held}")
    page.fill("input[name=reason]", "half a rea")
    page.reload()
    page.fill("input[name=reason]", "pin the image, please")
    page.click("button:has-text('Refuse')")
    page.wait_for_selector("h2:has-text('Decided')")
    assert office.read("c.yaml") is None
    assert "pin the image, please" in office.hear()
    again: Json = {"path": "deploy/c.yaml", "content": "image: latest\n"}
    assert "pin the image, please" in str(office.client.call("write_file", again))


@pytest.mark.requirement("web-held-in-browser")
def test_a_change_that_no_longer_fits_is_said_so_and_not_made(office: Office) -> None:
    (office.root / "deploy").mkdir(exist_ok=True)
    (office.root / "deploy" / "d.yaml").write_text("one: 1\n")
    held = office.write("d.yaml", "one: 2\n")
    page = office.go(f"held/{held}")
    page.wait_for_selector("#approve")
    (office.root / "deploy" / "d.yaml").write_text("by: hand\n")
    page.click("#approve")
    page.wait_for_selector("text=The held change is stale")
    assert office.read("d.yaml") == "by: hand\n"
    office.go(f"held/{held}").wait_for_selector("text=These files have changed since")


@pytest.mark.requirement("web-held-in-browser")
def test_a_change_that_expired_while_it_was_looked_at_is_not_made(office: Office) -> None:
    (office.root / "a").write_text("one\n")
    page = office.go("held")
    page.wait_for_selector("#state[data-state=on]")
    hold(office.agent.bench.app, held_id="eeff", expires=time.time() + 4)
    visit(page, f"{office.server.address}held/eeff")
    page.wait_for_selector("text=This change has expired")
    assert page.locator("#approve").count() == 0
    late = page.evaluate(
        """async () => {
          const form = { method: 'POST', body: new URLSearchParams() };
          const answer = await redline.send('/held/eeff/approve', form);
          return [answer.status, await answer.text()];
        }"""
    )
    assert late[0] == 409
    assert "expired" in late[1]
    assert (office.root / "a").read_text() == "one\n"


@pytest.mark.requirement("web-held-in-browser")
def test_a_held_change_outlives_the_server_under_an_open_page(office: Office) -> None:
    held = office.write("e.yaml", "e: 1\n")
    page = office.go(f"held/{held}")
    page.wait_for_selector("#state[data-state=on]")
    office.server.kill()
    page.wait_for_selector("#state[data-state=lost]")
    office.server.start()
    page.wait_for_selector("#state[data-state=on]")
    page.click("#approve")
    page.wait_for_selector(".message >> text=change")
    assert office.read("e.yaml") == "e: 1\n"


@pytest.mark.requirement("web-questions")
def test_a_command_asks_on_the_open_page_and_is_then_in_the_timeline(office: Office) -> None:
    need_program("bwrap")
    page = office.go("held")
    page.wait_for_selector("#state[data-state=on]")
    wanted: Json = {"command": "curl --version && exit 3"}
    assert office.run(wanted)["net"] == "none"
    page.wait_for_selector(".question")
    assert 'command: "curl --version && exit 3"' in page.locator(".asked").inner_text()
    page.click("text=Allow once")
    page.wait_for_selector("text=allowed")
    assert page.locator(".question").count() == 0
    page = office.go("")
    page.wait_for_selector("#state[data-state=on]")
    runs = ".op.run .exit.failure >> text=exit 3"
    assert page.locator(runs).count() == 1
    assert office.run(wanted)["net"] != "none"
    page.wait_for_selector(f"{runs} >> nth=1")
    page.locator(".op.run a.files").first.click()
    page.wait_for_selector("pre.command >> text=curl --version")


@pytest.mark.requirement("web-accessible")
def test_axe_finds_nothing_in_what_waits(office: Office) -> None:
    axe = NODE_MODULES / "axe-core" / "axe.min.js"
    need(axe.exists(), "axe-core (make node)")
    held = office.write("f.yaml", "f: 1\n")
    for command in ("curl --help", "curl --version"):
        office.run({"command": command})
    found = []
    for scheme in ("light", "dark"):
        context = office.open_context(
            color_scheme=scheme, storage_state=office.context.storage_state(), bypass_csp=True
        )
        page = office.open_page(office.server.address, context)
        views = ("held", f"held/{held}", "run/1", "?show=commands")
        for where in views if scheme == "light" else views[:2]:
            visit(page, office.server.address + where)
            page.evaluate(axe.read_text("utf-8"))
            chosen = {} if scheme == "light" else {"runOnly": ["color-contrast"]}
            result = page.evaluate("options => axe.run(options)", chosen)
            found += [
                (scheme, where, each["id"], [node["html"][:200] for node in each["nodes"]])
                for each in result["violations"]
            ]
        context.close()
    assert found == []


@pytest.mark.requirement("web-narrow")
def test_no_view_is_wider_than_a_narrow_screen(office: Office) -> None:
    held = office.write("n.yaml", "n: 1\n")
    office.client.call("execute_command", {"command": "curl --version"})
    context = office.open_context(
        viewport={"width": 360, "height": 700}, storage_state=office.context.storage_state()
    )
    page = office.open_page(office.server.address, context)
    made = page.locator(".op a.files").first.get_attribute("href").lstrip("/")
    views = ("", "held", f"held/{held}", "run/1", made, f"{made}?view=split", "checkpoints")
    for where in (*views, "sign-in", "comments", "?show=commands"):
        visit(page, office.server.address + where)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, where
    # Below the screen is fine, beside it is not: every button can be pressed.
    visit(page, f"{office.server.address}held/{held}")
    for button in page.locator("main button:visible").all():
        box = button.bounding_box()
        assert box["x"] + box["width"] <= 360
    visit(page, f"{office.server.address}{made}?view=unified")
    context.close()

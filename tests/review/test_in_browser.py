"""The page as a person uses it, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.review.browser import WAIT, PageServer, visit
from tests.review.person import Person
from tests.support import NODE_MODULES, need

LINES = [f"line {n}\n" for n in range(1, 61)]


def wait_until(page: Any, condition: str) -> None:
    """Ask again and again; the page's own policy forbids it to evaluate text for us."""
    for _ in range(WAIT // 100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    raise AssertionError(condition)


class Desk:
    """A person with a browser, an agent at work, and the server between them."""

    def __init__(self, top: Path, browser: Any) -> None:
        self.agent = Person(top)
        self.root = self.agent.root
        self.agent.edit(("a.txt", "".join(LINES)), ("b.py", "def f():\n    return 1\n"))
        edited = list(LINES)
        edited[2], edited[30] = "three\n", "thirty-one\n"
        self.change = self.agent.edit(
            ("a.txt", "".join(edited)), ("b.py", "def f():\n    return 2\n"), summary="two places"
        )
        self.server = PageServer(self.root, top / "state")
        self.browser = browser
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.context = self.open_context()
        self.page = self.open_page(self.server.address + self.server.key)
        self.page.wait_for_selector("body.act .op")

    def open_context(self, **options: Any) -> Any:
        options = {"viewport": {"width": 1200, "height": 760}, **options}
        context = self.browser.new_context(**options)
        context.set_default_timeout(WAIT)
        context.on("request", lambda request: self.requests.append(request.url))
        return context

    def open_page(self, where: str, context: Any = None) -> Any:
        page = (context or self.context).new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.goto(where)
        return page

    def go(self, path: str) -> Any:
        visit(self.page, self.server.address + path)
        return self.page

    def close(self) -> None:
        self.context.close()
        self.server.kill()
        self.agent.close()
        assert self.problems == []
        outside = [url for url in self.requests if not url.startswith(self.server.address)]
        assert outside == []


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Desk]:
    found = Desk(tmp_path_factory.mktemp("desk"), browser)
    yield found
    found.close()


@pytest.mark.requirement("web-live")
def test_a_change_appears_in_every_tab_while_it_is_open(desk: Desk) -> None:
    page = desk.go("")
    assert "key" not in page.url
    second = desk.open_page(desk.server.address)
    for each in (page, second):
        each.wait_for_selector("#state[data-state=on]")
    made = desk.agent.edit(("live.txt", "x\n"), client="codex 1", session="live")
    for each in (page, second):
        each.wait_for_selector(f"#op-{made}")
        assert each.locator(".op").first.get_attribute("data-id") == made
    again = desk.agent.edit(("live.txt", "y\n"), client="codex 1", session="live")
    page.wait_for_selector(f"#op-{again}")
    assert page.locator(".who:has-text('Codex')").count() == 1
    desk.agent.bench.undo(again)
    page.wait_for_selector(f"#op-{again}.undone")
    second.close()


@pytest.mark.requirement("web-undo-in-browser")
def test_hunks_are_taken_back_with_the_mouse_and_the_keyboard(desk: Desk) -> None:
    page = desk.go(f"change/{desk.change}")
    page.check("input[name=hunk][value='2']")
    page.click("text=Undo 1 selected hunk")
    page.wait_for_selector(".message")
    text = (desk.root / "a.txt").read_text()
    assert "three" in text
    assert "thirty-one" not in text
    page.click(".message >> text=Redo")
    page.wait_for_selector('.message >> text="Undo"')  # whole: the first one says Undone
    assert "thirty-one" in (desk.root / "a.txt").read_text()
    page = desk.go(f"change/{desk.change}")
    for key in ("j", "x", "u"):
        page.keyboard.press(key)
    page.wait_for_selector(".message")
    assert "three" not in (desk.root / "a.txt").read_text()
    visit(page, f"{desk.server.address}?q=two+places")
    page.keyboard.press("j")
    page.keyboard.press("o")
    page.wait_for_selector("#undo-all")
    assert desk.change in page.url
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.wait_for_selector("table.split")
    page.keyboard.press("s")
    page.wait_for_selector("table.unified")
    page.keyboard.press("b")
    page.wait_for_selector("#search")
    page.keyboard.press("/")
    page.keyboard.type("nothing such")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Nothing matches")


@pytest.mark.requirement("web-in-place")
def test_views_follow_each_other_in_one_page_and_the_way_back_leads_where_one_was(
    desk: Desk,
) -> None:
    many = [desk.agent.edit(("place.txt", f"{n}\n"), session=f"p{n}") for n in range(60)]
    page = desk.go("")
    page.wait_for_selector("#state[data-state=on]")
    page.evaluate("window.stays = 'here'")
    page.locator(f"#op-{many[20]}").scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 0
    page.click(f"#op-{many[20]} a.files")
    page.wait_for_selector("body[data-view=change] table.diff")
    assert page.evaluate("[scrollY, document.activeElement.id]") == [0, "main"]
    assert page.url.endswith(f"/change/{many[20]}")
    assert many[20] in page.title()
    page.click("text=Blame")
    page.wait_for_selector("table.blame")
    page.go_back()
    page.wait_for_selector("table.unified")
    made = desk.agent.edit(("place.txt", "meanwhile\n"), session="later")
    page.go_back()
    page.wait_for_selector(f"body[data-view=activity] #op-{many[20]}")
    place = f"document.getElementById('op-{many[20]}').getBoundingClientRect()"
    wait_until(page, f"{place}.top > 0 && {place}.bottom < innerHeight")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_selector(f"#op-{made}")
    page.go_forward()
    page.wait_for_selector("table.unified")
    page.focus(".skip")
    page.keyboard.press("Enter")  # a place within the view
    wait_until(page, "location.hash === '#main'")
    page.go_back()
    page.go_back()
    page.wait_for_selector("#timeline")
    assert page.evaluate("window.stays") == "here", "the page was loaded again"
    page.reload()
    page.wait_for_selector("body.act #timeline .op")


@pytest.mark.requirement("web-in-place")
def test_a_link_leads_to_a_whole_page_where_nobody_is_signed_in_any_more(desk: Desk) -> None:
    context = desk.open_context(storage_state=desk.context.storage_state())
    page = desk.open_page(desk.server.address, context)
    page.wait_for_selector("body.act .op")
    context.clear_cookies()
    # The page's own click: a pointer's once hung while the list was live. It comes after this call,
    # which must not wait for a page that is left by then.
    page.evaluate("() => { setTimeout(() => document.querySelector('.op a.files')?.click()); }")
    page.wait_for_selector("#sign-in")
    context.close()


@pytest.mark.requirement("web-one-time-key")
def test_the_address_with_the_key_signs_in_also_in_a_tab_that_is_open(
    desk: Desk, tmp_path: Path
) -> None:
    server = PageServer(desk.root, tmp_path / "state")
    context = desk.open_context()
    page = context.new_page()
    try:
        page.goto(server.address)
        page.wait_for_selector("#sign-in")
        page.goto(page.url + server.key)
        page.wait_for_selector("body.act")
        assert "key" not in page.url
    finally:
        context.close()
        desk.requests = [url for url in desk.requests if not url.startswith(server.address)]
        server.kill()


@pytest.mark.requirement("web-undo-blocked")
def test_a_blocked_undo_is_merged_with_one_click(desk: Desk) -> None:
    desk.agent.edit(("c.txt", "".join(LINES)))
    change = desk.agent.edit(("c.txt", "".join(["one\n", *LINES[1:]])))
    (desk.root / "c.txt").write_text("".join(["by hand\n", *LINES[1:]]))
    page = desk.go(f"change/{change}")
    page.click("#undo-all")
    page.wait_for_selector("table.sides")
    assert page.locator("td.now").inner_text().strip() == "by hand"
    page.click("text=Overwrite these lines")
    page.wait_for_selector(".message")
    assert (desk.root / "c.txt").read_text() == "".join(LINES)


@pytest.mark.requirement("web-needs-scripts")
def test_with_scripts_blocked_nothing_is_shown_and_the_page_says_why(desk: Desk) -> None:
    made = desk.agent.edit(("d.txt", "".join(LINES)))
    context = desk.open_context(
        java_script_enabled=False, storage_state=desk.context.storage_state()
    )
    page = context.new_page()
    for where in ("", f"change/{made}"):
        page.goto(desk.server.address + where)
        page.wait_for_selector("text=This page needs JavaScript")
        assert "d.txt" not in page.content()
    context.close()


@pytest.mark.requirement("web-survives-restart")
def test_an_open_page_goes_on_after_the_server_was_killed(desk: Desk) -> None:
    page = desk.go("")
    page.wait_for_selector("#state[data-state=on]")
    desk.server.kill()
    page.wait_for_selector("#state[data-state=lost]")
    made = desk.agent.edit(("restart.txt", "x\n"))
    desk.server.start()
    page.wait_for_selector(f"#op-{made}")
    page.wait_for_selector("#state[data-state=on]")
    page.reload()
    page.wait_for_selector(f"body.act #op-{made}")
    page = desk.go(f"change/{made}")
    desk.server.kill()
    page.click("#undo-all")
    page.wait_for_selector("text=Redline does not answer: nothing was done")
    assert page.locator("#undo-all").count() == 1
    desk.server.start()


@pytest.mark.requirement("web-accessible")
@pytest.mark.parametrize(("scheme", "rules"), [("light", []), ("dark", ["color-contrast"])])
def test_axe_finds_nothing(desk: Desk, scheme: str, rules: list[str]) -> None:
    axe = NODE_MODULES / "axe-core" / "axe.min.js"
    need(axe.exists(), "axe-core (make node)")
    picture = desk.root / "p.png"
    Image.new("RGB", (4, 4)).save(picture)
    desk.agent.edit(("q.png", picture.read_bytes()))
    context = desk.open_context(
        color_scheme=scheme, storage_state=desk.context.storage_state(), bypass_csp=True
    )
    page = desk.open_page(desk.server.address, context)
    found = []
    change = f"change/{desk.change}"
    views = [
        *("", change, f"{change}?view=split", f"{change}?comment=0:new:3&view=unified"),
        *("checkpoints", "comments", "blame?path=b.py", "file?path=b.py", "sign-in", "nowhere"),
        f"export?id={desk.change}",
    ]
    for where in views[:4] if rules else views:
        visit(page, desk.server.address + where)
        page.evaluate(axe.read_text("utf-8"))
        chosen = {"runOnly": rules} if rules else {}
        result = page.evaluate("options => axe.run(options)", chosen)
        found += [
            (where, each["id"], [node["html"][:200] for node in each["nodes"]])
            for each in result["violations"]
        ]
    context.close()
    assert found == []


@pytest.mark.requirement("web-virtual-timeline")
def test_a_long_timeline_holds_only_what_is_near_the_screen(desk: Desk) -> None:
    desk.go("checkpoints")  # not the timeline: it would reload while hundreds of changes arrive
    # A file each: changes of one file are folded into one line.
    made = [desk.agent.edit((f"long{n}.txt", "x\n"), session=f"long {n // 40}") for n in range(320)]
    page = desk.go("")
    page.wait_for_selector(".op")
    first = f"document.getElementById('op-{made[0]}')"
    wait_until(page, f"scrollTo(0, document.body.scrollHeight), {first} !== null")
    wait_until(page, "document.querySelectorAll('.op').length < 260")
    assert page.locator(".spacer").count() > 0
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_selector(f"#op-{made[-1]}")


@pytest.mark.requirement("web-filters")
def test_the_panel_of_filters_closes_as_a_menu_does(desk: Desk) -> None:
    page = desk.go("")
    page.wait_for_selector("body.act .op")
    panel = page.locator(".filters[open]")
    page.click(".filters summary")
    page.fill(".filters input[name=path]", "src/")
    assert panel.count() == 1
    page.keyboard.press("Escape")
    assert panel.count() == 0
    page.click(".filters summary")
    assert page.input_value(".filters input[name=path]") == "src/"
    page.click("h1")
    assert panel.count() == 0

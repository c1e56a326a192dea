"""The page of a session as a person uses it, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from redline.core.ports.history import PROMPT, Origin
from tests.review.browser import visit
from tests.review.test_in_browser import Desk, wait_until
from tests.support import NODE_MODULES, need

pytestmark = pytest.mark.requirement("web-session")
FILES = 12


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Desk]:
    found = Desk(tmp_path_factory.mktemp("session"), browser)
    asked = Origin(PROMPT, "claude-code", summary="Say it in words", session="words")
    found.agent.bench.editor.note_prompt(asked)
    for number in range(FILES):
        name = f"src-{number:02}.txt"
        found.agent.edit((name, "1\n"), session="words", client="claude-code 2.1")
        found.agent.edit((name, "one\n"), session="words", client="claude-code 2.1")
    yield found
    found.close()


def test_the_session_is_read_marked_and_undone_by_keyboard(desk: Desk) -> None:
    page = desk.go("")
    page.click(".at-work a[href='/session/words']")
    page.wait_for_selector("h1:has-text('Say it in words')")
    page.wait_for_selector(f"#unseen:has-text('{FILES} of {FILES} files not seen')")
    page.click(".contents summary:has-text('files')")
    page.click("section.file:first-of-type .seen input")
    page.wait_for_selector(f"#unseen:has-text('{FILES - 1} of {FILES} files not seen')")
    page.reload()
    page.wait_for_selector(f"#unseen:has-text('{FILES - 1} of {FILES} files not seen')")
    for _ in range(FILES):
        page.keyboard.press("j")
    page.wait_for_selector(f"#h{FILES}.here")
    before = page.evaluate("scrollY")
    page.keyboard.press("u")
    page.wait_for_selector(f"#h{FILES}.gone")
    assert not (desk.root / f"src-{FILES - 1:02}.txt").exists()
    assert before > 0
    assert page.evaluate("scrollY") > 0
    page.click("#undo-all")
    page.wait_for_selector("#h2.gone, .hint:has-text('undone')")
    assert not any(path.name.startswith("src-") for path in desk.root.iterdir())


@pytest.mark.requirement("web-stays")
def test_an_undo_far_down_keeps_the_place_and_the_rows_that_were_loaded(desk: Desk) -> None:
    lines = [f"line {number}\n" for number in range(708)]
    desk.agent.edit(("long.txt", "".join(lines)), session="setup")
    lines[5::12] = ["changed\n"] * len(lines[5::12])
    desk.agent.edit(("first.txt", "1\n"), ("long.txt", "".join(lines)), session="long")
    page = desk.go("session/long")
    for _ in range(40):
        page.evaluate("scrollBy(0, 2000)")
        page.wait_for_timeout(50)
        if page.locator("#h60").count():
            break
    page.evaluate("document.getElementById('h50').scrollIntoView({block: 'center'})")
    top = "document.getElementById('h50').getBoundingClientRect().top"
    before = page.evaluate(top)
    for undone in ("click", "live"):
        if undone == "click":
            page.click("#h50 button")
        else:
            desk.agent.edit(("other.txt", "x\n"), session="long")
            page.wait_for_selector("section[aria-label='other.txt']", state="attached")
        page.wait_for_selector("#h50.gone")
        page.wait_for_timeout(500)
        assert abs(page.evaluate(top) - before) < 60
        assert page.locator("#h60").count() == 1
    page.go_back()
    page.wait_for_selector("#timeline, h1:has-text('Say it in words')")


def test_files_that_changed_since_the_last_visit_say_how_often(desk: Desk) -> None:
    desk.agent.edit(("old.txt", "1\n"), ("more.txt", "1\n"), session="visited")
    page = desk.go("session/visited")
    page.wait_for_selector("#unseen")
    assert page.locator(".unread").count() == 0
    for text in ("2\n", "3\n"):
        desk.agent.edit(("more.txt", text), session="visited")
    page = desk.go("session/visited")
    page.wait_for_selector("section[aria-label='more.txt'] .unread:has-text('2 new')")
    assert page.locator(".unread").count() == 2
    page = desk.go("session/visited")
    page.wait_for_selector("#unseen:has-text('2 of 2')")
    assert page.locator(".unread").count() == 0


def test_control_enter_sends_a_comment_and_escape_closes_an_empty_one(desk: Desk) -> None:
    page = desk.go(f"change/{desk.change}?comment=0:new:3")
    page.wait_for_selector("#c-new textarea")
    page.keyboard.press("Escape")
    page.wait_for_selector("#c-new", state="detached")
    desk.go(f"change/{desk.change}?comment=0:new:3")
    page.fill("#c-new textarea", "Why three?")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".comment:has-text('Why three?')")
    page.click("tr.a td[data-n] >> nth=1")
    page.fill("#c-new textarea", "Still writing")
    page.click("tr.d td[data-n] >> nth=0")
    assert page.locator("#c-new").count() == 1
    assert page.input_value("#c-new textarea") == "Still writing"
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"


@pytest.mark.requirement("web-accessible")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 380)])
def test_axe_finds_nothing_on_a_session(desk: Desk, scheme: str, width: int) -> None:
    axe = NODE_MODULES / "axe-core" / "axe.min.js"
    need(axe.exists(), "axe-core (make node)")
    context = desk.open_context(
        color_scheme=scheme,
        viewport={"width": width, "height": 760},
        storage_state=desk.context.storage_state(),
        bypass_csp=True,
    )
    desk.agent.edit(("fresh.txt", f"{scheme} {width}\n"), session="words", client="claude-code 2.1")
    page = desk.open_page(desk.server.address, context)
    found = []
    for where in ("", "session/words"):
        visit(page, desk.server.address + where)
        wait_until(page, "document.querySelector('h1') !== null")
        page.evaluate(axe.read_text("utf-8"))
        result = page.evaluate("() => axe.run()")
        found += [
            (where, each["id"], [node["html"][:200] for node in each["nodes"]])
            for each in result["violations"]
        ]
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, where
    context.close()
    assert found == []

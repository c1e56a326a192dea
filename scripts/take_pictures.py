"""Take the pictures of docs/review.md: a small project, an agent at work, the page in a browser.

python scripts/take_pictures.py
"""

from __future__ import annotations

import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState
from redline.core.paths import Access
from redline.core.ports.commands import CommandRun, RunEnd
from redline.core.ports.history import HistoryQuery, Origin
from redline.core.ports.pages import ReviewApp
from redline.core.ports.review import Action, HeldChange, PermissionQuestion, Ruling
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.review.browser import PageServer, open_browser

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
RETRY = '''"""Try again after a failure, later each time."""

from __future__ import annotations

import random
import time


def backoff(attempt: int, base: float = 0.5, most: float = 30.0) -> float:
    """Seconds to wait before the next attempt."""
    delay = base * 2**attempt
    return min(delay, most)


def retry(call, attempts: int = 3):
    """Call until it succeeds."""
    for attempt in range(attempts):
        try:
            return call()
        except OSError:
            time.sleep(backoff(attempt))
    raise TimeoutError("every attempt failed")


def jitter(delay: float) -> float:
    """Spread attempts of many clients."""
    return delay * random.uniform(0.8, 1.2)
'''
QUEUE = '''"""Jobs in the order they are due."""

from __future__ import annotations

import heapq


class Queue:
    """A heap of jobs."""

    def __init__(self) -> None:
        self._jobs: list[tuple[float, str]] = []

    def add(self, due: float, name: str) -> None:
        heapq.heappush(self._jobs, (due, name))

    def next(self) -> str:
        return heapq.heappop(self._jobs)[1]
'''
SERVICE = "replicas: 2\nimage: orbit:1.4\nresources:\n  limits:\n    memory: 256Mi\n"


class Workspace:
    """The project, and agents that change it."""

    def __init__(self, home: str) -> None:
        self.root, self.state = Path(home, "orbit"), Path(home, "state")
        self.root.mkdir()
        self.redline = Redline(Settings(workspace=str(self.root), state_dir=str(self.state)))

    def edit(self, client: str, session: str, tool: str, why: str, **files: str) -> str:
        steps = []
        for name, text in files.items():
            path = self.redline.workspace.resolve(
                name.replace("__", "/").replace("_py", ".py").replace("_yaml", ".yaml"),
                Access.WRITE,
                follow=False,
            )
            folder = path.parent
            if folder.parts and self.redline.tree.state(folder) == ABSENT:
                steps.append(Change(folder, ABSENT, DirState()))
            now = self.redline.tree.state(path)
            steps.append(Change(path, now, FileState.of(text.encode())))
        origin = Origin(tool, client, "", why, session)
        return self.redline.editor.commit(ChangeSet(tuple(steps)), origin).id

    def run(
        self, client: str, session: str, line: str, code: int, change: str = "", shown: str = ""
    ) -> None:
        """Note that a command was run."""
        held_by = "safe; bubblewrap: writes only in the workspace and a private tmp; network none"
        noted = CommandRun(time.time(), "run", client, "", session, line, ".", held_by)
        number = self.redline.runs.begin(noted)
        self.redline.runs.end(number, RunEnd("exited", code, "", 0.8, change, shown))


def work(place: Workspace) -> str:
    """Let two agents work; the change to look at."""
    claude, codex = "claude-code 2.1.325", "codex 0.166.0"
    place.edit(claude, "5be1c0de", "write_file", "start the scheduler", orbit__retry_py=RETRY)
    place.edit(claude, "5be1c0de", "write_file", "jobs by due time", orbit__queue_py=QUEUE)
    place.edit(codex, "9ab04c77", "set_value", "describe the service", config__service_yaml=SERVICE)
    place.edit(codex, "9ab04c77", "set_value", "three replicas",
               config__service_yaml=SERVICE.replace("replicas: 2", "replicas: 3"))  # fmt: skip
    new = RETRY.replace("return min(delay, most)", "return min(jitter(delay), most)").replace(
        "attempts: int = 3", "attempts: int = 10"
    )
    new = new.replace("except OSError:", "except (OSError, TimeoutError):")
    queue = QUEUE.replace(
        "        return heapq.heappop(self._jobs)[1]",
        '        if not self._jobs:\n            raise LookupError("no job is due")\n'
        "        return heapq.heappop(self._jobs)[1]",
    )
    asked = Origin("prompt", "claude-code", "", "Make retries robust and add jitter", "77aa01bc")
    place.redline.editor.note_prompt(asked)
    change = place.edit(
        claude, "77aa01bc", "apply_patch", "make retries robust", orbit__retry_py=new,
        orbit__queue_py=queue,
        config__service_yaml=SERVICE.replace("replicas: 2", "replicas: 3").replace("1.4", "1.5"),
    )  # fmt: skip
    failed = "tests/test_retry.py:14: AssertionError\n1 failed, 11 passed in 0.41s\n"
    place.run(claude, "77aa01bc", "pytest -q", 1, "", failed)
    queue = queue.replace("A heap of jobs.", "A heap of jobs, soonest first.")
    made = place.edit(claude, "77aa01bc", "run", "ran ruff format orbit", orbit__queue_py=queue)
    place.run(claude, "77aa01bc", "ruff format orbit", 0, made)
    place.run(claude, "77aa01bc", "pytest -q", 0, "", "12 passed in 0.38s\n")
    return change


def wait(place: Workspace) -> str:
    """Let a rule hold a change, and a command ask; the id of the held change."""
    path = place.redline.workspace.resolve("config/service.yaml", Access.WRITE)
    now = place.redline.tree.state(path)
    text = SERVICE.replace("replicas: 2", "replicas: 3").replace("1.4", "2.0")
    step = Change(path, now, FileState.of(text.encode()))
    origin = Origin("set_value", "codex 0.166.0", "", "use the new image", "9ab04c77")
    reason = "images go live at once"
    ruling = Ruling(Action.ASK, "config/service.yaml", "deployments", 3, reason, "image")
    moment = time.time()
    held = HeldChange("4c1d09e2b7aa", moment, moment + 86400, origin, ChangeSet((step,)), (ruling,))
    place.redline.held.hold(held)
    message = 'Allow network for this command?\ncommand: "pip install tenacity"\ncwd: "."'
    question = PermissionQuestion(
        "7be2", moment, moment + 3600, "run", "claude-code 2.1.325", "", "77aa01bc", message
    )
    place.redline.questions.ask(question)
    return held.id


HOST = """
const frame = document.querySelector('iframe');
const post = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
addEventListener('message', ({ data }) => {
  if (data.method === 'ui/initialize') post({ id: data.id, result: {
    hostCapabilities: { serverTools: {} }, hostContext: { theme: 'dark' } } });
  if (data.method === 'ui/notifications/initialized') post({
    method: 'ui/notifications/tool-result', params: window.answer });
});
"""


def show_in_client(place: Workspace, browser: Any, change: str) -> None:
    """Take the pictures of changes inside a client: the list, and one of them."""
    app = place.redline.review_app
    listed = place.redline.history.list(HistoryQuery(limit=5, steps=20))
    show = {"name": "show_change", "arguments": {}}
    calls = {"open": show, "older": show}
    _show_view(browser, app, "client-list-dark",
               {"html": app.draw_list(listed, has_older=True), "calls": calls})  # fmt: skip
    calls = {"undo": {"name": "undo_change", "arguments": {"id": change}}}
    view = {"html": app.draw_change(change, can_undo=True), "calls": calls}
    _show_view(browser, app, "client-dark", view)


def _show_view(browser: Any, app: ReviewApp, name: str, view: dict[str, Any]) -> None:
    page = browser.new_page(viewport={"width": 1180, "height": 720}, color_scheme="dark")
    page.set_content(
        "<!doctype html><body style='margin:0'><iframe sandbox='allow-scripts'"
        " style='border:0;width:100vw;height:100vh'></iframe>"
    )
    page.evaluate("answer => { window.answer = answer; }", {"_meta": {"redline/view": view}})
    page.add_script_tag(content=HOST)
    page.evaluate("html => { document.querySelector('iframe').srcdoc = html; }", app.write_page())
    page.frame_locator("iframe").locator("h1").wait_for()
    save(page, name)
    page.close()


def save(page: Any, name: str) -> None:
    """Keep a picture with few colours: that is a third of its size."""
    picture = Image.open(BytesIO(page.screenshot()))
    # By coverage: colours of a few pixels, such as those of the mark, stay what they are.
    way = Image.Quantize.MAXCOVERAGE
    small = picture.convert("RGB").quantize(160, way, dither=Image.Dither.NONE)
    small.save(PICTURES / f"{name}.png", optimize=True)


def take(place: Workspace, server: PageServer, browser: Any, change: str) -> None:
    """Go through the tutorial, in light and in dark."""
    options = {"viewport": {"width": 1180, "height": 720}, "color_scheme": "light"}
    light = browser.new_context(**options)
    page = light.new_page()
    page.goto(server.address + server.key)
    page.wait_for_selector("body.act #state[data-state=on]")
    save(page, "activity-light")
    dark = browser.new_context(
        **{**options, "color_scheme": "dark"}, storage_state=light.storage_state()
    )
    night = dark.new_page()
    night.goto(server.address)
    night.wait_for_selector("#state[data-state=on]")
    save(night, "activity-dark")
    for each, theme in ((page, "light"), (night, "dark")):
        each.goto(f"{server.address}session/77aa01bc")
        each.wait_for_selector("#unseen:not(:empty)")
        each.click(".turns summary >> nth=1")
        save(each, f"session-{theme}")
    page.goto(f"{server.address}change/{change}")
    page.check("input[name=hunk][value='2']")
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    save(page, "change-light")
    night.goto(f"{server.address}change/{change}?view=split")
    save(night, "split-dark")
    page.click("#undo-some")
    page.wait_for_selector(".message")
    save(page, "undone-light")
    page.goto(f"{server.address}change/{change}?comment=0:new:12#c-new")
    page.fill("#c-new textarea", "Jitter before the cap: a delay can still be 30 s for everyone.")
    page.click("#c-new button")
    page.wait_for_selector(".says")
    comment = place.redline.comments.list()[0]
    place.redline.comments.resolve(
        comment.id, "claude-code", "Right: the cap comes first now, then the jitter."
    )
    page.reload()
    page.locator(".answer").evaluate("each => each.scrollIntoView({block: 'center'})")
    save(page, "comment-light")
    held = wait(place)
    for each, theme in ((page, "light"), (night, "dark")):
        each.goto(f"{server.address}held")
        each.wait_for_selector(".question")
        save(each, f"waiting-{theme}")
        each.goto(f"{server.address}held/{held}")
        each.wait_for_selector("#approve")
        save(each, f"held-{theme}")
    page.click("#approve")
    page.wait_for_selector(".message")
    save(page, "approved-light")
    night.goto(f"{server.address}run/1")
    save(night, "run-dark")
    show_in_client(place, browser, change)
    file = place.root / "orbit" / "retry.py"
    file.write_text(
        file.read_text().replace("min(jitter(delay), most)", "jitter(min(delay, most))")
    )
    page.goto(f"{server.address}change/{change}")
    page.click("#undo-all")
    page.wait_for_selector("table.sides")
    save(page, "blocked-light")
    night.goto(f"{server.address}blame?path=orbit/retry.py")
    save(night, "blame-dark")
    night.set_viewport_size({"width": 400, "height": 720})
    night.goto(server.address)
    night.wait_for_selector(".op")
    save(night, "narrow-dark")


def main() -> int:
    """Take every picture again."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        place = Workspace(home)
        change = work(place)
        server = PageServer(place.root, place.state)
        try:
            with open_browser() as browser:
                take(place, server, browser, change)
        finally:
            server.kill()
            place.redline.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

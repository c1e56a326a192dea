"""What the page of a session costs and holds: 400 changes in 120 files, 20,000 changed lines.

    python -m bench.programs.session_page [--short]

A browser opens the activity, then clicks the session: how long until its diff is painted, how large
the page is before its diffs, whether it stays where it was after an undo. Then every hunk is undone
by the form of the page, in any order, and the files must be those from before the session.
"""

from __future__ import annotations

import random
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import Access
from redline.core.ports.history import PROMPT, Origin
from redline.core.ports.pages import WebRequest, WebResponse
from redline.review.page.access import ReviewAccess
from redline.review.page.pages import ReviewPages
from redline.services.history.export import read_session
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.review.browser import PageServer, open_browser, visit

CHANGES, FILES, LINES, CHANGED = 400, 120, 1000, 22_000
KEY = "k" * 48
ROUNDS = 7
_BARE = re.compile(r"<tbody>.*?</tbody>", re.DOTALL)
# Milliseconds from the click to the frame in which a row of the diff is on the screen.
_CLICK = """() => new Promise((done) => {
  const begun = performance.now();
  const look = () => {
    const row = document.querySelector('[data-view=session] tr.a, [data-view=session] tr.d');
    if (row) requestAnimationFrame(() => done(performance.now() - begun));
    else requestAnimationFrame(look);
  };
  document.querySelector(".at-work a[href='/session/big']").click();
  look();
})"""


def write(redline: Redline, name: str, lines: list[str], origin: Origin) -> None:
    """Make one change of one file."""
    path = redline.workspace.resolve(name, Access.WRITE)
    after = FileState.of("".join(lines).encode())
    redline.editor.commit(ChangeSet((Change(path, redline.tree.state(path), after),)), origin)


def make_session(redline: Redline, changes: int = CHANGES, changed: int = CHANGED) -> None:
    """Write the files, then a session that changes lines spread over them."""
    chance = random.Random(1)
    before = Origin("write", "setup 1", session="before")
    own = Origin("edit", "claude-code 2.1", session="big")
    texts = [[f"value_{n} = {n}\n" for n in range(LINES)] for _ in range(FILES)]
    for number, lines in enumerate(texts):
        write(redline, f"src/module_{number}.py", lines, before)
    for change in range(changes):
        if change % 40 == 0:
            words = f"Step {change // 40} of the migration"
            redline.editor.note_prompt(Origin(PROMPT, "claude-code", summary=words, session="big"))
        lines = texts[change % FILES]
        for _ in range(changed // changes // 5):
            at = chance.randrange(LINES - 5)
            lines[at : at + 5] = [f"changed_{change}_{at + n} = {n}\n" for n in range(5)]
        write(redline, f"src/module_{change % FILES}.py", lines, own)


class Visitor:
    """A person who sends forms without a browser."""

    def __init__(self, redline: Redline) -> None:
        access = ReviewAccess(redline.review_secret(), KEY)
        self.pages = ReviewPages(redline, access, lambda: None)  # type: ignore[arg-type, return-value]
        self._signed: dict[str, str] = {}
        answer = self.send("POST", "/sign-in", key=KEY)
        cookie = dict(answer.headers)["Set-Cookie"].partition(";")[0]
        self._signed = {"cookie": cookie, "x-redline-token": answer.body.decode()}

    def send(self, method: str, path: str, **form: str) -> WebResponse:
        """Send one request; keywords are the fields of a form."""
        given = {"host": "127.0.0.1:1", "content-type": "application/x-www-form-urlencoded"}
        body = "&".join(f"{name}={value}" for name, value in form.items()).encode()
        return self.pages.answer(
            WebRequest(method, path, {}, given | self._signed, body, is_authenticated=False)
        )


def measure_browser(root: Path, state: Path) -> bool:
    """Open the session by a click, several times; then undo a hunk far down the page."""
    server = PageServer(root, state)
    try:
        with open_browser() as browser:
            page: Any = browser.new_page(viewport={"width": 1200, "height": 760})  # type: ignore[attr-defined]
            page.goto(server.address + server.key)
            page.wait_for_selector("body.act .op")
            clock = page.context.new_cdp_session(page)
            clock.send("Performance.enable", {"timeDomain": "threadTicks"})
            took, worked = [], []
            for _ in range(ROUNDS):
                visit(page, server.address)
                page.wait_for_selector(".at-work a")
                page.wait_for_timeout(1500)
                before = _tasks(clock)
                took.append(page.evaluate(_CLICK))
                worked.append(1000 * (_tasks(clock) - before))
            shown = ", ".join(f"{each:.0f}" for each in took)
            middle = statistics.median(took)
            print(f"from the click to the diff: median {middle:.0f} ms ({shown})")
            print(f"of it processor time of the page: median {statistics.median(worked):.0f} ms")
            stays = _undo_far_down(page)
            print(f"the page stays where it was after an undo: {'yes' if stays else 'NO'}")
            return middle <= 300 and stays
    finally:
        server.kill()


def _tasks(clock: Any) -> float:
    """Return how many seconds of processor time the tasks of the page have taken."""
    metrics = clock.send("Performance.getMetrics")["metrics"]
    return next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")


def _undo_far_down(page: Any) -> bool:
    for _ in range(12):
        page.evaluate("scrollBy(0, 2000)")
        page.wait_for_timeout(300)
    seen = (
        "[...document.querySelectorAll('.h[id]')].find((h) => h.getBoundingClientRect().top > 300)"
    )
    hunk = page.evaluate(f"{seen}.id")
    before = page.evaluate(f"{seen}.getBoundingClientRect().top")
    page.click(f"#{hunk} button")
    page.wait_for_selector(f"#{hunk}.gone", timeout=60_000)
    page.wait_for_timeout(1000)
    after = page.evaluate(f"document.getElementById('{hunk}').getBoundingClientRect().top")
    print(f"{hunk}: {before:.0f} px from the top before, {after:.0f} after")
    return abs(after - before) < 100


def undo_every_hunk(redline: Redline) -> bool:
    """Undo hunk for hunk as the page does; whether the files are those from before."""
    visitor = Visitor(redline)
    page = visitor.send("GET", "/session/big").body.decode()
    size = len(_BARE.sub("", page))
    print(f"page {len(page):,} bytes, {size:,} before diffs")
    session = read_session(redline, "big")
    count = 0
    for number in range(len(session.combined.change_set.steps)):
        rows = b""
        for begin in range(0, 100_000, 600):
            query = {"file": [str(number)], "from": [str(begin)]}
            request = WebRequest("GET", "/session/big/rows", query,
                                 {"host": "127.0.0.1:1", "x-redline": "part", **visitor._signed},
                                 b"", is_authenticated=False)  # fmt: skip
            more = visitor.pages.answer(request).body
            rows += more
            if b'class="load' not in more:
                break
        count += len(set(re.findall(rb'id="h(\d+)"', rows)))
    order = list(range(1, count + 1))
    random.Random(2).shuffle(order)
    refused = [
        number
        for number in order
        if visitor.send("POST", "/undo", id="session/big", only=str(number)).status != 303
    ]
    wanted = "".join(f"value_{n} = {n}\n" for n in range(LINES)).encode()
    top = Path(redline.workspace.roots[0].path)
    wrong = [path.name for path in (top / "src").iterdir() if path.read_bytes() != wanted]
    print(f"{count} hunks undone one by one, {len(refused)} refused, {len(wrong)} files wrong")
    visitor.pages.close()
    return size <= 120_000 and not refused and not wrong


def main(*, short: bool) -> bool:
    """Make the session, open its page, undo it; whether all is as promised."""
    with tempfile.TemporaryDirectory() as top:
        root, state = Path(top, "ws"), Path(top, "state")
        (root / "src").mkdir(parents=True)
        settings = Settings(workspace=str(root), state_dir=str(state), record=False)
        with Redline(settings) as redline:
            make_session(redline, *((40, 400) if short else ()))
            begun = time.process_time()
            session = read_session(redline, "big")
            print(
                f"reading the session: {1000 * (time.process_time() - begun):.0f} ms of processor"
            )
            files = len(session.combined.change_set.steps)
            print(f"{len(session.operations)} changes in {files} files")
            is_quick = measure_browser(root, state)
            return undo_every_hunk(redline) and is_quick


if __name__ == "__main__":
    sys.exit(not main(short="--short" in sys.argv))

"""What the page of a session costs: 400 changes in 120 files, 20,000 changed lines.

    python -m bench.programs.session_page

Prints milliseconds of processor time for the first answer and for each later part of it, the size
of the page without rows of diffs, and how many hunks can be undone.
"""

from __future__ import annotations

import random
import re
import tempfile
import time
from pathlib import Path

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import Access
from redline.core.ports.history import PROMPT, Origin
from redline.core.ports.pages import WebRequest
from redline.review.page.access import ReviewAccess
from redline.review.page.pages import ReviewPages
from redline.services.history.sessions import read_session
from redline.settings import Settings
from redline.wiring.workspace import Redline

CHANGES, FILES, LINES, CHANGED = 400, 120, 1000, 20_000
KEY = "k" * 48


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


def ask(pages: ReviewPages, method: str, path: str, **headers: str) -> bytes:
    """Send one request; the body of the answer."""
    body = f"key={KEY}".encode() if method == "POST" else b""
    given = {"host": "127.0.0.1:1", "content-type": "application/x-www-form-urlencoded", **headers}
    answer = pages.answer(WebRequest(method, path, {}, given, body, False))
    cookie = dict(answer.headers).get("Set-Cookie", "").partition(";")[0]
    return cookie.encode() + b"\n" + answer.body if method == "POST" else answer.body


def main() -> None:
    """Make the session, open its page three times, and print what it took."""
    with tempfile.TemporaryDirectory() as top:
        root = Path(top, "ws")
        (root / "src").mkdir(parents=True)
        settings = Settings(workspace=str(root), state_dir=str(Path(top, "state")), record=False)
        with Redline(settings) as redline:
            make_session(redline)
            access = ReviewAccess(redline.review_secret(), KEY)
            pages = ReviewPages(redline, access, lambda: None)  # type: ignore[arg-type, return-value]
            cookie, _, token = ask(pages, "POST", "/sign-in").decode().partition("\n")
            signed = {"cookie": cookie, "x-redline-token": token}
            # A person comes by the list, which draws the session at work in a thread.
            ask(pages, "GET", "/", **signed)
            time.sleep(2)
            for attempt in ("first", "second", "third"):
                cpu, wall = time.process_time(), time.perf_counter()
                page = ask(pages, "GET", "/session/big", **signed).decode()
                took = time.process_time() - cpu
                print(
                    f"{attempt} answer: {1000 * took:.0f} ms of processor,"
                    f" {1000 * (time.perf_counter() - wall):.0f} ms"
                )
            bare = re.sub(r"<tbody>.*?</tbody>", "", page, flags=re.DOTALL)
            print(f"page {len(page) / 1024:.0f} KiB, without rows {len(bare) / 1024:.0f} KiB")
            cpu = time.process_time()
            session = read_session(redline, "big")
            print(f"reading the session: {1000 * (time.process_time() - cpu):.0f} ms")
            files = len(session.combined.change_set.steps)
            print(f"{len(session.operations)} changes in {files} files")
            pages.close()


if __name__ == "__main__":
    main()

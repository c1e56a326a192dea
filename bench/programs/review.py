"""What the review page costs: a commit until it is shown, a large diff, scrolling, open pages.

    python -m bench.programs.review [--short]

Times are the browser's own, on one clock with the commit.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.library.measure import Report, Row
from bench.programs.history import SHM, fill
from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.review.browser import PageServer, open_browser

LARGE = 5000
PAGES = 20
_TICKS = os.sysconf("SC_CLK_TCK")
# Goals of the review page, in milliseconds and in percent of a core.
SHOWN_MS, DIFF_MS, IDLE_PERCENT = 200, 150, 5

_WATCH = """
(wanted) => {
  window.found = {};
  addEventListener('click', (event) => { found.click = event.timeStamp; }, true);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) found.shown = found.shown || entry.renderTime;
  }).observe({ type: 'element', buffered: true });
  new MutationObserver(() => {
    const cell = document.querySelector(wanted);
    if (cell && !cell.hasAttribute('elementtiming')) cell.setAttribute('elementtiming', 'shown');
  }).observe(document.body, { childList: true, subtree: true });
}
"""
_SCROLL = """
async () => {
  const frames = []; let most = 0; let last = performance.now();
  const older = document.querySelector('#older');
  for (let quiet = 0; quiet < 120;) {
    await new Promise(requestAnimationFrame);
    const now = performance.now(); frames.push(now - last); last = now;
    most = Math.max(most, document.querySelectorAll('.op').length);
    const before = scrollY; scrollBy(0, 400);
    quiet = scrollY === before ? quiet + 1 : 0;
    if (quiet > 30 && (!older || older.closest('p').hidden)) break;
  }
  frames.sort((a, b) => a - b);
  const at = (share) => frames[Math.floor(frames.length * share)];
  return {p50: at(.5), p95: at(.95), count: frames.length, most};
}
"""


def _commit(redline: Redline, name: str, old: str | None, new: str) -> str:
    path = WorkspacePath(0, (name,))
    before = ABSENT if old is None else redline.tree.state(path)
    change = Change(path, before, FileState.of(new.encode()))
    return redline.editor.commit(ChangeSet((change,)), Origin("edit_file", "bench 1")).id


def _spread(found: list[float]) -> tuple[float, float]:
    found = sorted(found)
    return found[len(found) // 2], found[min(len(found) - 1, int(len(found) * 0.95))]


def measure_shown(report: Report, redline: Redline, page: Any, count: int) -> None:
    """From a commit's return to the row in an open page."""
    page.wait_for_selector("#state[data-state=on]")
    times = []
    for number in range(count):
        made = _commit(redline, f"shown{number}.txt", None, "x\n")
        committed = time.time() * 1000
        page.wait_for_selector(f"#op-{made}", state="attached")
        marks = page.evaluate(
            "performance.getEntriesByName('redline-shown')"
            ".map(m => [m.detail, performance.timeOrigin + m.startTime])"
        )
        times.append(dict(marks)[made] - committed)
    p50, p95 = _spread(times)
    note = f"goal {SHOWN_MS} ms"
    report.add(Row("commit until it is on the page", "redline", 0, p50, p95, note=note))


def measure_diff(report: Report, redline: Redline, page: Any, base: str, count: int) -> None:
    """From the click to a diff on the screen, each of a change that was not looked at before.

    The click's time and the time at which a line of the diff was drawn are the browser's.
    """
    text = "".join(f"value_{n} = {n}\n" for n in range(LARGE))
    _commit(redline, "large.py", None, text)
    changes = []
    for number in range(2 * count):
        after = "".join(f"value_{n} = {n + (n + number) % 2}\n" for n in range(LARGE))
        changes.append(_commit(redline, "large.py", text, after))
        text = after
    # The same for a view with nothing in it is what the browser and this machine take.
    found: dict[str, list[float]] = {"diff": [], "empty": [], "alone": []}
    for made in changes[:count]:
        for kind, link, shown in (
            ("diff", f"#op-{made} a.files", "table.diff tr:not(.h) td:last-child"),
            ("empty", "nav a[href='/comments']", "main .empty"),
        ):
            page.goto(base)
            page.wait_for_selector("#state[data-state=on]")
            page.evaluate(_WATCH, shown)
            page.click(link)
            while not (times := page.evaluate("window.found")).get("shown"):
                page.wait_for_timeout(50)
            found[kind].append(times["shown"] - times["click"])
    for made in changes[count:]:
        page.goto(f"{base}change/{made}")
        page.wait_for_timeout(300)
        paints = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        found["alone"].append(page.evaluate(paints))
    task = f"diff of {LARGE} lines readable after the click"
    note = f"goal {DIFF_MS} ms"
    report.add(Row(task, "redline", 0, *_spread(found["diff"]), note=note))
    report.add(Row("an empty view after the click", "redline", 0, *_spread(found["empty"])))
    task = f"diff of {LARGE} lines as the first page of a tab"
    report.add(Row(task, "redline", 0, *_spread(found["alone"])))


def measure_scrolling(report: Report, page: Any, base: str, operations: int) -> None:
    """Frames while the whole timeline is scrolled through."""
    page.goto(base)
    page.wait_for_selector(".op")
    found = page.evaluate(_SCROLL)
    task = f"a frame while {operations} operations scroll by"
    note = f"{found['count']} frames, at most {found['most']} rows in the page"
    report.add(Row(task, "redline", 0, found["p50"], found["p95"], note=note))


def measure_idle(report: Report, server: PageServer, cookie: str, seconds: float) -> None:
    """What open pages cost the server while nothing happens."""
    port = int(server.address.rstrip("/").rpartition(":")[2])
    head = f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n".encode()
    open_pages = [socket.create_connection(("127.0.0.1", port)) for _ in range(PAGES)]
    for link in open_pages:
        link.sendall(head)
        assert b"200" in link.recv(100)
    time.sleep(1)
    before, began = _cpu(server.process.pid), time.monotonic()
    time.sleep(seconds)
    spent = _cpu(server.process.pid) - before
    share = 100 * spent / (time.monotonic() - began)
    for link in open_pages:
        link.close()
    note = f"{share:.2f} % of a core, goal {IDLE_PERCENT} %"
    cpu = 1000 * spent / seconds
    report.add(Row(f"{PAGES} open pages, a second", "redline", cpu, cpu, cpu, note=note))


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def main(arguments: list[str]) -> int:
    """A history of 10,000 operations, or a short one."""
    short = "--short" in arguments
    report = Report("review")
    operations = 400 if short else 10_000
    with tempfile.TemporaryDirectory(dir=SHM) as home:
        root, state = Path(home, "ws"), Path(home, "state")
        root.mkdir()
        redline = Redline(Settings(workspace=str(root), state_dir=str(state)))
        fill(redline, operations)
        server = PageServer(root, state)
        try:
            with open_browser() as browser:
                page = browser.new_page(viewport={"width": 1280, "height": 800})  # type: ignore[attr-defined]
                page.goto(server.address + server.key)
                page.wait_for_selector("body.act .op")
                measure_shown(report, redline, page, 5 if short else 30)
                measure_diff(report, redline, page, server.address, 3 if short else 15)
                measure_scrolling(report, page, server.address, operations)
                cookies = page.context.cookies()
                page.goto("about:blank")
                cookie = "; ".join(f"{each['name']}={each['value']}" for each in cookies)
                measure_idle(report, server, cookie, 3 if short else 20)
        finally:
            server.kill()
            redline.close()
    report.finish(short=short)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

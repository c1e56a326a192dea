"""A real browser: Debian's chromium, driven by Playwright; one for all tests of a module."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support import need_program

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
WAIT = 60_000  # milliseconds; a loaded machine is slow


@contextmanager
def open_browser() -> Iterator[object]:
    """Start the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=need_program("chromium"), args=FLAGS, timeout=WAIT
        )
        try:
            yield browser
        finally:
            browser.close()


def visit(page: Any, url: str) -> None:
    """Go to an address as somebody who is signed in; the page is fetched by its script."""
    page.goto(url)
    page.wait_for_selector("#theme:not([hidden])", timeout=WAIT)


class PageServer:
    """`redline review` as its own process."""

    def __init__(self, root: Path, state: Path, port: int = 0) -> None:
        self._command = [
            *(sys.executable, "-m", "redline", "review", "--no-open", "--port", str(port)),
            *("--workspace", str(root), "--state-dir", str(state)),
        ]
        self.start()

    def start(self) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        found = re.fullmatch(r"review (http://127\.0\.0\.1:(\d+)/)(#key=\w+)\n",
                             self.process.stdout.readline())  # fmt: skip
        assert found, "the server did not start"
        self.address, self.key = found[1], found[3]
        self._command[self._command.index("--port") + 1] = found[2]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

"""What a language server answers is checked: one refusal, no wrong edit, no process left."""

from __future__ import annotations

import json
import random
import time
from dataclasses import replace
from pathlib import Path

import pytest

from redline.adapters.language_servers.pool import measure_servers
from redline.adapters.language_servers.sessions import LspSession
from redline.adapters.language_servers.table import ROWS
from redline.adapters.language_servers.wire import Wire
from redline.core.call_scope import UNCANCELLABLE
from redline.core.changes import Change, FileState
from redline.core.errors import CannotApply
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.tree import Root
from redline.services.code.rename import RenameRequest, plan_symbol_rename
from redline.wiring.workspace import Redline
from tests.adapters.language_servers.conftest import SHOP, USE, Make
from tests.support import LONG

RIGHT = {"a.py": SHOP.replace("size", "extent"), "use.py": USE.replace("size", "extent")}
REFUSED = {
    "crash": "fake stopped",
    "dies at once": "fake stopped",
    "leaves a child": "fake stopped",
    "hang": "fake did not answer within 1 seconds",
    "truncated": "fake stopped",
    "no header": "fake sent what is not a message",
    "huge": "fake sent a message without a length",
    "not json": "fake sent what is not JSON",
    "deep": "fake sent what is not JSON",
    "outside": "a file outside of the workspace refers to it: file:///etc/passwd",
    "climbs": "a file outside of the workspace",
    "wrong text": "answered an edit that does not fit: a.py:2",
    "far": "named a place that the file does not have",
    "backwards": "answered what is not an edit",
    "other words": "answered an edit that does not fit: a.py:2",
    "no file": "named a file that cannot be read: none.py",
    "numbers": "answered what is not",
    "list": "answered what is not an edit",
    "text": "answered what is not an edit",
    "null": "this cannot be renamed",
    "file": "files would have to be renamed with it",
    "booleans": "answered what is not a place",
}
MODES = ["right", "half", "writes", "flood", *REFUSED]


def rename(redline: Redline) -> dict[str, str]:
    """The texts that a rename of the member plans."""
    place = redline.workspace.resolve("a.py", Access.READ)
    request = RenameRequest("size", "extent", place, 2)
    made = plan_symbol_rename(redline, request, Access.READ, UNCANCELLABLE)
    return {
        step.path.relative: step.after.content.decode()
        for step in made.change_set.steps
        if isinstance(step, Change) and isinstance(step.after, FileState) and step.after.content
    }


@pytest.mark.requirement("agent-rename-server-hostile")
@pytest.mark.parametrize("mode", REFUSED)
def test_a_server_that_fails_or_lies_costs_one_refusal(open_shop: Make, mode: str) -> None:
    current = [mode]
    with open_shop(lambda: current[0], patience=1.0 if mode == "hang" else 20.0) as redline:
        with pytest.raises(CannotApply, match=REFUSED[mode].replace("(", r"\(")):
            rename(redline)
        if mode in ("hang", "crash"):
            current[0] = "right"
            redline.language_servers.patience = 20.0  # type: ignore[attr-defined]
            assert rename(redline) == RIGHT


@pytest.mark.requirement("agent-rename-server-members")
@pytest.mark.parametrize("mode", ["right", "half"])
def test_what_a_server_leaves_out_is_joined_with_what_declarations_bind(
    open_shop: Make, mode: str
) -> None:
    with open_shop(lambda: mode) as redline:
        assert rename(redline) == RIGHT


class _Said:
    """A stream on which a server published problems of an older text without its version."""

    def __init__(self, *published: list[str]) -> None:
        self.left = list(published)

    def send(self, data: bytes) -> None:
        """Take what is sent."""

    def receive(self, seconds: float) -> bytes:
        """Return the next message."""
        assert seconds >= 0
        place = {"line": 0, "character": 0}
        problems = [{"range": {"start": place, "end": place}, "message": m} for m in self.left[0]]
        given = {"uri": "file:///shop/A.java", "diagnostics": problems}
        body = json.dumps({"method": "textDocument/publishDiagnostics", "params": given}).encode()
        del self.left[0]
        return b"Content-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.requirement("agent-rename-server-members")
def test_problems_without_a_version_are_those_of_the_text_that_was_shown_last() -> None:
    row = next(row for row in ROWS if row.name == "jdtls")
    stream = _Said([], ["no such member"])
    session = LspSession(replace(row, reading=()), Wire(stream), [Root("/shop", False)])  # type: ignore[arg-type]
    session.ends = time.monotonic() + 60.0
    path = WorkspacePath(0, ("A.java",))
    session.show({path: "class A {}"})
    assert session.problems([path]) == []
    session.show({path: "class B {}"})
    assert [each.text.strip() for each in session.problems([path]) or ()] == ["no such member"]


@pytest.mark.requirement("agent-rename-server-sandbox")
def test_a_server_writes_nothing(open_shop: Make, tmp_path: Path) -> None:
    with open_shop(lambda: "writes") as redline:
        assert rename(redline) == RIGHT
    assert not (tmp_path / "shop" / "evil").exists()
    assert not Path("/etc/evil").exists()
    assert not Path("~/evil").expanduser().exists()


@pytest.mark.requirement("agent-rename-server-idle")
def test_a_server_is_used_again_and_ended_when_idle(open_shop: Make, tmp_path: Path) -> None:
    root = str(tmp_path / "shop")
    with open_shop(lambda: "right", idle=3600.0) as redline:
        assert rename(redline) == RIGHT
        (first,) = measure_servers(root)
        assert first.name == "fake"
        assert 0 < first.resident < 1 << 30
        assert rename(redline) == RIGHT
        (again,) = measure_servers(root)
        assert again.pid == first.pid
        redline.rest()
    with open_shop(lambda: "right", idle=0.0) as redline:
        assert rename(redline) == RIGHT


@pytest.mark.requirement("agent-rename-server-hostile")
@pytest.mark.slow
def test_starts_kills_hangs_and_hostile_answers_leave_nothing(
    open_shop: Make, tmp_path: Path
) -> None:
    chosen = random.Random(36)
    current = ["right"]
    counts = {True: 0, False: 0}
    with open_shop(lambda: current[0], patience=2.0) as redline:
        for _ in range(1000 if LONG else 30):
            current[0] = chosen.choice(MODES)
            redline.language_servers.rest()  # type: ignore[attr-defined]
            try:
                planned = rename(redline)
            except CannotApply:
                counts[False] += 1
                continue
            counts[True] += 1
            assert planned == RIGHT
    assert min(counts.values()) > 0
    assert (tmp_path / "shop" / "a.py").read_text() == SHOP


@pytest.mark.requirement("agent-rename-server-missing")
def test_the_docs_say_how_to_install_each_server_as_a_refusal_does() -> None:
    page = (Path(__file__).parents[3] / "docs/tools/agent.md").read_text().replace("`", "")
    for row in ROWS:
        _, _, how = row.install.partition(": ")
        assert all(each in page for each in how.split(", or ")), row.name
        assert row.name in page.lower(), row.name


def test_only_servers_that_projects_install_are_taken_from_a_project(tmp_path: Path) -> None:
    folder = tmp_path / ".venv/bin"
    folder.mkdir(parents=True)
    for name in ("ty", "basedpyright-langserver", "clangd", "gopls", "jdtls"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    found = {row.name for row in ROWS if row.find([str(tmp_path)], str(tmp_path / "none"))}
    assert found == {"ty", "basedpyright", "clangd"}

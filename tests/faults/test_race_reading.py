"""Searches, listings and git reads stay inside while a directory is swapped for a link outside."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from redline.adapters.ripgrep.search_port import Ripgrep
from redline.adapters.sandbox import read_guard
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.search import GrepQuery
from redline.core.ports.tree import FactLists
from redline.search.levels import ListingScope
from redline.search.listing import list_directory, list_files
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.adapters.ripgrep.test_search_port import Patient
from tests.adapters.test_git import ENVIRONMENT
from tests.faults.race import OUTSIDE, swapping
from tests.search.plain_tree import PlainTree
from tests.support import LONG

TOP, INNER = WorkspacePath(0, ()), WorkspacePath(0, ("d",))
TRIES = 3000 if LONG else 200


def _tried(work: Callable[[], object]) -> str:
    """What the call showed; a refusal shows nothing."""
    try:
        return str(work())
    except RedlineError:
        return ""


def _names(prefix: str, facts: FactLists) -> list[str]:
    return [prefix + name for name in facts.names]


@pytest.mark.requirement("coding-no-escape")
@pytest.mark.parametrize("has_landlock", [True, False])
def test_no_search_or_listing_escapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_landlock: bool
) -> None:
    if not has_landlock:
        monkeypatch.setattr(read_guard, "_restrict_this_thread", lambda *_: False)
    word = OUTSIDE.decode().split(":")[0]
    scope = ListingScope(hidden=True, ignored=True)
    query = GrepQuery(word, literal=True, hidden=True, ignored=True)
    with swapping(tmp_path) as root:
        redline = Redline(Settings(workspace=str(root), state_dir=str(tmp_path / "state")))
        for _ in range(TRIES):
            for place in (TOP, INNER):
                query = GrepQuery(word, literal=True, hidden=True, ignored=True)
                found = _tried(
                    lambda q=query, p=place: redline.grep.search([p], q, Patient()).lines
                )
                assert "outside" not in found
                for listing in (
                    lambda p=place: list_directory(redline.tree, p, scope, Patient()),
                    lambda p=place: list_files(redline.tree, p, scope, Patient(), _names),
                ):
                    listed = _tried(lambda work=listing: work().entries)
                    assert "only-outside" not in listed
        confined = redline.grep.processes.guard.confined  # type: ignore[attr-defined]
        redline.close()
    if has_landlock and not confined:
        pytest.skip("no Landlock here: ripgrep is not held by the kernel")


@pytest.mark.requirement("coding-no-escape")
def test_no_git_read_escapes(tmp_path: Path) -> None:
    def git(root: Path, *arguments: str) -> None:
        command = ["git", "-c", "core.safecrlf=false", *arguments]
        subprocess.run(command, cwd=root, env=ENVIRONMENT, check=False, capture_output=True)

    def commit(root: Path) -> None:
        """Everything committed at rest, then changed, so that a diff reads every file."""
        git(root, "init", "-q")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "x")
        for file in (root / "d").iterdir():
            if file.is_file():
                file.write_bytes(file.read_bytes() + b"changed\n")

    with swapping(tmp_path, pause=0.0005, prepare=commit) as root:
        redline = Redline(Settings(workspace=str(root), state_dir=str(tmp_path / "state")))
        for _ in range(TRIES * 3):
            diff = _tried(lambda: redline.git.diff(TOP, staged=False, context=3))
            assert "never to be seen" not in diff
            status = _tried(lambda: redline.git.status(TOP, untracked=True))
            assert "only-outside" not in status
        redline.close()


def test_without_the_guard_a_swapped_directory_would_be_read(tmp_path: Path) -> None:
    """The harness sees an escape when there is one: the guard is what stops it."""
    root, outside = tmp_path / "ws", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "f").write_bytes(OUTSIDE)
    (root / "d").symlink_to(outside)
    unguarded = Ripgrep([str(root)], PlainTree(root))
    unguarded.processes.guard._roots = ["/"]
    found = unguarded.search([INNER], GrepQuery("outside"), Patient())
    assert [line.place for line in found.lines] == [WorkspacePath(0, ("d", "f"))]

"""A file that becomes a link while a search runs leads to nothing that tools may not read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from redline.adapters.ripgrep import texts_in_memory
from redline.adapters.sandbox import read_guard
from redline.core.call_scope import UNCANCELLABLE
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Binary, GrepQuery, GrepResult
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.support import need

pytestmark = pytest.mark.requirement("files-search-swap")
SECRET = "needle of the owner\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that is a workspace, so that Redline's own state lies in it."""
    home = tmp_path / "home"
    (home / ".config" / "redline").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (home / "a.txt").write_text("needle\n")
    return home


def _search(home: Path, query: GrepQuery) -> GrepResult:
    with Redline(Settings(workspace=str(home), allow_any_root=True)) as redline:
        return redline.grep.search([WorkspacePath(0, ())], query, UNCANCELLABLE)


def _swap(place: Path, target: Path) -> Callable[[int, str], bool]:
    """Take every file, and put a link in the place of one when it is asked about.

    That is after ripgrep has listed what may match.
    """

    def wanted(_root: int, name: str) -> bool:
        if name == place.name:
            os.symlink(target, place.with_name("link"))
            os.replace(place.with_name("link"), place)
        return True

    return wanted


@pytest.mark.parametrize("binary", list(Binary))
def test_a_link_to_the_state_of_redline_shows_nothing(home: Path, binary: Binary) -> None:
    secret = home / ".config" / "redline" / "policy.toml"
    secret.write_text(SECRET)
    wanted = _swap(home / "a.txt", secret)
    found = _search(home, GrepQuery("needle", wanted=wanted, binary=binary))
    assert (found.lines, found.total, found.binary) == ((), 0, ())
    assert (home / "a.txt").is_symlink()


def test_a_link_out_of_the_workspace_shows_nothing_where_the_kernel_has_no_guard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_guard, "_restrict_this_thread", lambda *_: False)
    (tmp_path / "secret").write_text(SECRET)
    base = tmp_path / "work"
    base.mkdir()
    (base / "a.txt").write_text("needle\n")
    settings = Settings(workspace=str(base), state_dir=str(tmp_path / "state"))
    with Redline(settings) as redline:
        query = GrepQuery("needle", wanted=_swap(base / "a.txt", tmp_path / "secret"))
        found = redline.grep.search([WorkspacePath(0, ())], query, UNCANCELLABLE)
    assert (found.lines, found.total) == ((), 0)
    assert (base / "a.txt").is_symlink()


@pytest.mark.parametrize("has_writer", [False, True])
def test_a_file_that_becomes_a_fifo_delays_a_search_by_a_moment(
    tmp_path: Path, has_writer: bool
) -> None:
    need(Path("/proc/self/wchan").exists(), "a system that says what a process waits for")
    base, pipe = tmp_path / "work", tmp_path / "work" / "b.txt"
    base.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (base / name).write_text("needle\n")
    writers: list[int] = []

    def wanted(_root: int, name: str) -> bool:
        if name == pipe.name and pipe.is_file():
            os.mkfifo(base / "fifo")
            os.replace(base / "fifo", pipe)
            if has_writer:
                writers.append(os.open(pipe, os.O_RDWR))
        return True

    settings = Settings(workspace=str(base), state_dir=str(tmp_path / "state"))
    try:
        with Redline(settings) as redline:
            query = GrepQuery("needle", wanted=wanted, deadline=60)
            found = redline.grep.search([WorkspacePath(0, ())], query, UNCANCELLABLE)
    finally:
        for writer in writers:
            os.close(writer)
    assert not found.timed_out
    assert [line.path for line in found.lines] == ["a.txt", "c.txt"]


@pytest.mark.parametrize(
    ("content", "binary", "lines", "total"),
    [
        (b"one\nneedle\n" * 40, Binary.SKIP, [2, 4, 6], 4),
        (b"\xef\xbb\xbfneedle\n" + b"x\n" * 100, Binary.SKIP, [1], 1),
        (b"\xff\xfe" + ("needle\n" + "x\n" * 100).encode("utf-16-le"), Binary.SKIP, [1], 1),
        (b"needle\n" + b"x\n" * 100 + b"\0", Binary.SKIP, [], 0),
        (b"needle\n" + b"x\n" * 100 + b"\0", Binary.TEXT, [1], 1),
    ],
)
def test_a_file_that_is_too_long_to_be_held_is_searched_all_the_same(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    binary: Binary,
    lines: list[int],
    total: int,
) -> None:
    monkeypatch.setattr(texts_in_memory, "MAX_FILE", 100)
    (home / "a.txt").write_bytes(content)
    query = GrepQuery("^needle$", binary=binary, max_matches=3)
    found = _search(home, query)
    assert ([line.line for line in found.lines], found.total) == (lines, total)
    assert found.counted == (total <= 3)
    named = _search(home, GrepQuery("needle", binary=Binary.NAME)).binary
    assert [path.name for path in named] == ["a.txt"] * content.endswith(b"x\n\0")

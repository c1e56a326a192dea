"""Reading many files for the code index: in parallel, in order, as long as there is time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from redline.adapters.code_index.build import IndexBuilder, SourceReader, Stale
from redline.adapters.code_index.database import SqliteIndex
from redline.code.analysis import Analysis
from redline.code.index.facts import FileFacts
from redline.code.index.packing import pack
from redline.code.syntax.languages import Language
from redline.core.call_scope import UNCANCELLABLE
from redline.services.code.lookup import MAX_FILES, CodeLookup
from redline.settings import Settings
from redline.wiring.workspace import Redline

FILES = 300


@pytest.fixture
def redline(tmp_path: Path) -> Iterator[Redline]:
    root = tmp_path / "work"
    root.mkdir()
    for number in range(FILES):
        (root / f"m{number:03}.py").write_text(f"def f{number}(): return shared\n")
    state = str(tmp_path / "state")
    with Redline(Settings(workspace=str(root), state_dir=state, read_only=True)) as redline:
        yield redline


def _stale(redline: Redline, tmp_path: Path) -> list[Stale]:
    index = SqliteIndex(str(tmp_path / "i"), redline.tree, redline.grep, 1, redline.analysis)
    builder: IndexBuilder = index._builder
    return builder.survey().stale


class Pairs:
    """Answers two calls only when both have come: it shows that they run at once."""

    def __init__(self) -> None:
        self.both = threading.Barrier(2)
        self.calls = 0

    def facts(self, files: Sequence[tuple[bytes, Language]], _ends: float) -> list[FileFacts]:
        self.calls += 1
        if self.calls <= 2:
            self.both.wait(60)
        return [FileFacts((), {content.decode(): pack([1])}, 1) for content, _ in files]


def test_many_files_are_parsed_by_two_workers_and_come_in_order(
    redline: Redline, tmp_path: Path
) -> None:
    stale = _stale(redline, tmp_path)
    reader = SourceReader(redline.tree, cast(Analysis, Pairs()), lambda: None)
    found = [*reader.read(stale, float("inf"))]
    assert [file.file for _, files in found for file in files] == stale
    assert found[-1][0] == FILES
    for _, files in found:
        for file in files:
            assert file.facts is not None
            (text,) = file.facts.uses
            assert f"f{int(file.file.path.name[1:4])}()" in text


def test_who_stops_reading_waits_for_no_more_than_what_is_being_parsed(
    redline: Redline, tmp_path: Path
) -> None:
    pairs = Pairs()
    reading = SourceReader(redline.tree, cast(Analysis, pairs), lambda: None).read(
        _stale(redline, tmp_path), float("inf")
    )
    next(reading)
    cast(Any, reading).close()
    assert pairs.calls < FILES / 8, "what was not begun never is"


def test_an_index_of_many_files_holds_every_one(redline: Redline, tmp_path: Path) -> None:
    index = SqliteIndex(str(tmp_path / "i"), redline.tree, redline.grep, 1, redline.analysis)
    reported: list[tuple[int, int]] = []
    assert index.build(lambda done, total: reported.append((done, total))) == FILES
    assert reported[-1] == (FILES, FILES)
    assert [done for done, _ in reported] == sorted({done for done, _ in reported})
    for number in (0, 1, FILES // 2, FILES - 1):
        (found,) = index.definitions(f"f{number}")
        assert found.path.relative == f"m{number:03}.py"
    assert index.uses("shared")[1] == FILES
    assert index.refresh() == "ready"


def test_a_build_that_runs_out_of_time_says_how_far_it_came(
    redline: Redline, tmp_path: Path
) -> None:
    index = SqliteIndex(str(tmp_path / "i"), redline.tree, redline.grep, 1, redline.analysis)
    builder: IndexBuilder = index._builder
    survey = builder.survey()
    assert builder.take_lease()
    done = builder.update(survey, ends=time.monotonic())
    assert 0 <= done < FILES
    files, total = index.structure(files=FILES)
    assert total == done
    assert all(symbols for _, symbols in files), "before anything is ranked"
    assert index.build() == FILES - done, "the rest is left to the next build"
    assert index.structure()[1] == FILES


@pytest.mark.requirement("code-index-while-it-grows")
def test_what_is_indexed_so_far_is_added_to_what_a_text_search_finds(
    redline: Redline, tmp_path: Path
) -> None:
    root = tmp_path / "work"
    (root / "a_definition.py").write_text("def shared(): return 1\n")
    for number in range(MAX_FILES):
        (root / f"m{number:03}.py").write_text("shared = shared + shared\nshared\n")
    index = redline.code_index
    assert isinstance(index, SqliteIndex)
    answers: list[tuple[str, set[str], set[str]]] = []

    def ask(done: int, _total: int) -> None:
        if done < FILES:
            lookup = CodeLookup(other, UNCANCELLABLE)
            defining = {file.path.name for file, _ in lookup.definitions("shared")}
            using = {row.path.name for row in lookup.users("shared")}
            answers.append((lookup.state, defining, using))

    settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"), read_only=True)
    with Redline(settings) as other:
        index.build(ask)
    assert answers
    for state, defining, using in answers:
        assert state == "building"
        assert "a_definition.py" in defining, "many files have the name more often"
        assert {"a_definition.py", *(f"m{number:03}.py" for number in range(MAX_FILES))} <= using


@pytest.mark.requirement("code-index-while-it-grows")
def test_asked_symbols_are_answered_first_while_the_index_grows(
    redline: Redline, tmp_path: Path
) -> None:
    index = redline.code_index
    assert isinstance(index, SqliteIndex)
    asked = f"f{FILES - 1}"
    answers: list[tuple[str, list[str], list[str]]] = []

    def ask(done: int, _total: int) -> None:
        """Ask as another process does: for one that is stored by now, and for the last one."""
        if done == FILES:
            return
        lookup = CodeLookup(other, UNCANCELLABLE)
        last = [file.path.name for file, _ in lookup.definitions(asked)]
        stored = [row.path.name for row in other.code_index.definitions("f0")]
        answers.append((lookup.state, last, stored))

    settings = Settings(
        workspace=str(tmp_path / "work"), state_dir=str(tmp_path / "state"), read_only=True
    )
    with Redline(settings) as other:
        assert index.build(ask) == FILES
        assert answers, "it is stored in more than one part"
        for answer in answers:
            assert answer == ("building", [f"m{FILES - 1}.py"], ["m000.py"])
        assert CodeLookup(other, UNCANCELLABLE).refresh() == "ready"

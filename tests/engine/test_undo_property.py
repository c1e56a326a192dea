"""Any sequence of changes, undone one by one, restores every byte; redone, the end state."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.changes import ABSENT, Change, DirState, FileState, LinkState, Rename
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath
from redline.core.ports.tree import Kind
from tests.engine.bench import Bench
from tests.support import LONG

EXAMPLES = 3000 if LONG else 100
NAMES = st.sampled_from(["a", "b", "c", "é", "with space", "\udcff"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(lambda parts: WorkspacePath(0, tuple(parts)))
CONTENTS = st.binary(max_size=30) | st.sampled_from([b"x\n" * 200, b"\xef\xbb\xbfbom\r\n"])
MODES = st.sampled_from([None, 0o644, 0o600, 0o755, 0o444])
STEPS = st.one_of(
    st.tuples(st.just("write"), PATHS, CONTENTS, MODES),
    st.tuples(st.just("write"), PATHS, CONTENTS, MODES),
    st.tuples(st.just("mkdir"), PATHS, st.sampled_from([None, 0o700, 0o755])),
    st.tuples(st.just("delete"), PATHS),
    st.tuples(st.just("link"), PATHS, st.sampled_from(["a", "../x", "/nowhere"])),
    st.tuples(st.just("move"), PATHS, PATHS),
    st.tuples(st.just("mode"), PATHS, st.sampled_from([0o640, 0o711])),
)


def _plan(bench: Bench, step: tuple[object, ...]) -> list[Change | Rename]:
    """What a planner would make of *step* on the tree as it is now."""
    kind, path = step[0], step[1]
    assert isinstance(path, WorkspacePath)
    before = bench.tree.state(path)
    match kind:
        case "write":
            return [Change(path, before, FileState.of(step[2], step[3]))]  # type: ignore[arg-type]
        case "mkdir":
            return [Change(path, before, DirState(step[2]))]  # type: ignore[arg-type]
        case "link":
            return [Change(path, before, LinkState(str(step[2])))]
        case "move":
            assert isinstance(step[2], WorkspacePath)
            return [Rename(path, step[2])]
        case "mode":
            if isinstance(before, FileState):
                after = FileState(before.digest, before.size, step[2], before.content)  # type: ignore[arg-type]
                return [Change(path, before, after)]
            if isinstance(before, DirState):
                return [Change(path, before, DirState(step[2]))]  # type: ignore[arg-type]
            return []
        case _:
            return _removal(bench, path)


def _removal(bench: Bench, path: WorkspacePath) -> list[Change | Rename]:
    entry = bench.tree.stat(path)
    if entry is None:
        return []
    steps: list[Change | Rename] = []
    if entry.kind is Kind.DIRECTORY:
        for child in bench.tree.scan(path):
            steps += _removal(bench, child.path)
    return [*steps, Change(path, bench.tree.state(path), ABSENT)]


@pytest.mark.requirement("engine-undo-restores")
@settings(max_examples=EXAMPLES)
@given(st.lists(st.lists(STEPS, min_size=1, max_size=3), max_size=12))
def test_undone_one_by_one_the_tree_is_restored_and_redone_it_is_the_end_state(
    sequence: list[list[tuple[object, ...]]],
) -> None:
    top = tempfile.mkdtemp()
    try:
        root = Path(top, "ws")
        root.mkdir()
        bench = Bench(root, state_dir=os.path.join(top, "state"))
        states = [bench.snapshot()]
        for steps in sequence:
            try:
                operation = bench.commit(*(s for step in steps for s in _plan(bench, step)))
            except RedlineError:
                assert bench.snapshot() == states[-1]  # refused means: nothing happened
                continue
            if operation.id:
                states.append(bench.snapshot())
        for state in reversed(states[:-1]):
            bench.undo()
            assert bench.snapshot() == state
        for state in states[1:]:
            bench.redo()
            assert bench.snapshot() == state
        bench.app.close()
    finally:
        shutil.rmtree(top, ignore_errors=True)

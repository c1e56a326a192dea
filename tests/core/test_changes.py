"""Change sets as data: what they touch, what they undo, and when they change nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from redline.core.changes import (
    ABSENT,
    Change,
    ChangeSet,
    DirState,
    FileState,
    LinkState,
    Rename,
    State,
    digest_of,
)
from redline.core.paths import WorkspacePath

PATHS = st.builds(
    WorkspacePath, st.integers(0, 1), st.lists(st.sampled_from("abc"), min_size=1).map(tuple)
)
STATES: st.SearchStrategy[State] = st.one_of(
    st.just(ABSENT),
    st.builds(FileState.of, st.binary(max_size=8), st.sampled_from([None, 0o644])),
    st.builds(DirState, st.sampled_from([None, 0o755])),
    st.builds(LinkState, st.sampled_from(["a", "../b"])),
)
STEPS = st.one_of(st.builds(Change, PATHS, STATES, STATES), st.builds(Rename, PATHS, PATHS))
CHANGE_SETS = st.lists(STEPS, max_size=6).map(lambda steps: ChangeSet(tuple(steps)))


@given(CHANGE_SETS)
def test_the_inverse_of_the_inverse_is_the_change_set(change_set: ChangeSet) -> None:
    assert change_set.inverse().inverse() == change_set


@given(CHANGE_SETS)
def test_the_inverse_touches_the_same_paths(change_set: ChangeSet) -> None:
    assert set(change_set.inverse().paths) == set(change_set.paths)
    assert change_set.inverse().is_empty == change_set.is_empty


@given(CHANGE_SETS, CHANGE_SETS)
def test_two_sets_are_undone_in_reverse_order(first: ChangeSet, second: ChangeSet) -> None:
    assert (first + second).inverse() == second.inverse() + first.inverse()


@given(CHANGE_SETS)
def test_every_touched_path_is_listed_once_in_order(change_set: ChangeSet) -> None:
    ends = [
        path
        for step in change_set.steps
        for path in ((step.source, step.target) if isinstance(step, Rename) else (step.path,))
    ]
    assert list(change_set.paths) == list(dict.fromkeys(ends))


def test_a_set_is_empty_when_no_step_changes_anything() -> None:
    path = WorkspacePath(0, ("f",))
    same = Change(path, FileState.of(b"x"), FileState.of(b"x"))
    assert ChangeSet().is_empty
    assert ChangeSet((same,)).is_empty
    assert not ChangeSet((same, Change(path, FileState.of(b"x"), ABSENT))).is_empty
    assert not ChangeSet((Rename(path, path),)).is_empty


def test_files_are_compared_by_digest_and_mode_not_by_loaded_content() -> None:
    loaded = FileState.of(b"content", 0o644)
    assert loaded == FileState(digest_of(b"content"), 7, 0o644)
    assert loaded != FileState.of(b"content", 0o600)
    assert loaded != FileState.of(b"another", 0o644)

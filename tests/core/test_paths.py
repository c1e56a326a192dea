"""Workspace paths and the names that are shown for them."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from redline.core.paths import WorkspacePath, outermost, read_name, show_name

PARTS = st.lists(st.sampled_from(["a", "b", "a b", "ü"]), max_size=4).map(tuple)
PATHS = st.builds(WorkspacePath, st.integers(0, 1), PARTS)
NAMES = st.binary(max_size=12).map(lambda raw: os.fsdecode(raw))


@given(PATHS, st.sampled_from(["x", "y"]))
def test_a_child_lies_beneath_its_parent(path: WorkspacePath, name: str) -> None:
    child = path.child(name)
    assert child.parent == path
    assert child.name == name
    assert child.is_beneath(path)
    assert not path.is_beneath(child)


@given(PATHS)
def test_a_parent_is_a_workspace_path_too(path: WorkspacePath) -> None:
    assert isinstance(path.parent, WorkspacePath)
    assert path.is_beneath(path.parent)


def test_a_root_is_its_own_parent_and_has_no_name() -> None:
    root = WorkspacePath(1, ())
    assert root.parent == root
    assert (root.name, root.relative) == ("", ".")
    assert not WorkspacePath(0, ("a",)).is_beneath(root)


def test_a_name_that_only_begins_alike_is_not_beneath() -> None:
    assert not WorkspacePath(0, ("ab",)).is_beneath(WorkspacePath(0, ("a",)))


@given(st.lists(PATHS, max_size=8))
def test_the_outermost_paths_cover_all_and_none_covers_another(paths: list[WorkspacePath]) -> None:
    outer = outermost(paths)
    assert all(any(path.is_beneath(top) for top in outer) for path in paths)
    assert not any(a != b and a.is_beneath(b) for a in outer for b in outer)
    assert set(outer) <= set(paths)


@given(NAMES)
def test_a_shown_name_fits_utf_8(name: str) -> None:
    shown = show_name(name)
    shown.encode("utf-8")
    assert name == shown or any("\udc80" <= char <= "\udcff" for char in name)


@given(NAMES.filter(lambda name: "\\x" not in name))
def test_a_shown_name_is_read_back(name: str) -> None:
    assert read_name(show_name(name)) == name

"""What is known of the workspace's entries: exactly what was noted, in little memory."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.changes import DirState, FileState, LinkState, State, digest_of
from redline.core.paths import WorkspacePath
from redline.recorder.known_entries import KnownEntries
from redline.recorder.ports import KnownEntry, Mark

NAMES = st.sampled_from(["a", "b", "link", "größe", "x\udcff"])
DIRECTORIES = st.builds(
    WorkspacePath, st.integers(0, 1), st.lists(NAMES, max_size=2).map(lambda names: (*names,))
)
MODES = st.none() | st.integers(0, 0o7777)
STATES: st.SearchStrategy[State | None] = st.one_of(
    st.none(),
    st.builds(lambda content, mode: FileState(digest_of(content), len(content), mode),
              st.binary(max_size=3), MODES),
    st.builds(DirState, MODES),
    st.builds(LinkState, NAMES),
)  # fmt: skip
NUMBERS = st.integers(0, 2**63)
MARKS: st.SearchStrategy[Mark | None] = st.none() | st.tuples(
    NUMBERS, st.tuples(NUMBERS, NUMBERS), NUMBERS, NUMBERS, NUMBERS
)
ENTRIES = st.builds(KnownEntry, MARKS, STATES)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), DIRECTORIES, NAMES, ENTRIES),
        st.tuples(st.just("remove"), DIRECTORIES, NAMES, st.none()),
        st.tuples(st.just("remove_all"), DIRECTORIES, st.just(""), st.none()),
    ),
    max_size=30,
)


@pytest.mark.requirement("recorder-memory")
@given(STEPS)
def test_entries_are_what_a_dictionary_of_them_would_be(
    steps: list[tuple[str, WorkspacePath, str, KnownEntry | None]],
) -> None:
    known, expected = KnownEntries(), dict[WorkspacePath, dict[str, KnownEntry]]()
    for step, directory, name, entry in steps:
        path = directory.child(name)
        if entry is not None:
            known.put(path, entry)
            expected.setdefault(directory, {})[name] = entry
        elif step == "remove":
            assert known.remove(path) == expected.get(directory, {}).pop(name, None)
        else:
            assert known.remove_all(directory) == expected.pop(directory, {})
        assert known.at(path) == expected.get(directory, {}).get(name)
    for root in (0, 1):
        found = known.beneath(WorkspacePath(root, ()))
        assert {*found} == {directory for directory in expected if directory.root == root}
    for directory, entries in expected.items():
        assert directory in known
        assert known.of(directory) == entries


@pytest.mark.requirement("recorder-memory")
def test_an_entry_takes_less_than_300_bytes() -> None:
    files = 20_000
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        known = KnownEntries()
        for number in range(files):
            mark: Mark = (0o100644, (64768, 10**7 + number), number, 10**18 + number, 10**18)
            state = FileState(digest_of(b"%d" % number), number, 0o644)
            path = WorkspacePath(0, (f"folder{number // 100}", f"some_module_{number}.py"))
            known.put(path, KnownEntry(mark, state))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (after - before) / files < 300
    last = known.at(WorkspacePath(0, ("folder199", "some_module_19999.py")))
    assert last is not None
    assert last.state == FileState(digest_of(b"19999"), 19999, 0o644)

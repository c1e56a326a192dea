"""Operations as journal text: read back as they were, and asked without being read."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from redline.adapters.journal import records
from redline.core.changes import (
    ABSENT,
    Change,
    ChangeSet,
    DirState,
    FileState,
    LinkState,
    Rename,
    State,
)
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Origin
from tests.support import LONG

ROOTS = ["/one", "/two"]
# Names as `os.fsdecode` gives them, and some that look like a part of the record.
LETTERS = st.characters(exclude_characters="/\0", exclude_categories=["Cs"]) | st.sampled_from(
    ["\udc80", "\udcff", '"', "\\", "\n", "[", ","]
)
TRICKY = st.sampled_from(
    [
        '["f","' + "a" * 64 + '",',
        "\\",
        '"',
        "steps",
        '["c",[',
        ',"steps":[',
        '],"notes":',
        '[0,"x"]',
    ]
)
NAMES = st.text(LETTERS, min_size=1, max_size=8) | TRICKY
PATHS = st.builds(
    WorkspacePath, st.integers(0, 1), st.lists(NAMES, min_size=1, max_size=3).map(tuple)
)
FILES = st.builds(lambda content, mode: FileState.of(content, mode), st.binary(), st.just(0o644))
STATES: st.SearchStrategy[State] = st.one_of(
    st.just(ABSENT),
    FILES.map(lambda file: FileState(file.digest, file.size, file.mode)),
    st.just(DirState(0o755)),
    NAMES.map(LinkState),
)
STEPS = st.builds(Change, PATHS, STATES, STATES) | st.builds(Rename, PATHS, PATHS)


@settings(max_examples=200 if LONG else 80)
@given(steps=st.lists(STEPS, max_size=5), summary=NAMES)
def test_a_record_is_read_back_and_tells_its_contents_and_names(
    steps: list[Change | Rename], summary: str
) -> None:
    change_set, origin = ChangeSet(tuple(steps)), Origin("tool", "client", "", summary)
    body = records.encode_body(change_set, origin, ("note",), ROOTS.__getitem__)
    assert records.decode_body(body, ROOTS.index) == (change_set, origin, ("note",))
    assert records.digests_in(body) == {
        state.digest
        for step in steps
        if isinstance(step, Change)
        for state in (step.before, step.after)
        if isinstance(state, FileState)
    }
    for path in change_set.paths:
        assert all(records.plain_part(part) in body for part in path.parts)


def test_a_name_that_is_nowhere_in_a_record_is_told_apart() -> None:
    change = Change(WorkspacePath(0, ("d", "file")), ABSENT, DirState(0o755))
    body = records.encode_body(ChangeSet((change,)), Origin("t"), (), ROOTS.__getitem__)
    assert records.plain_part("other") not in body
    assert records.plain_part("") == b""


@settings(max_examples=200 if LONG else 80)
@given(steps=st.lists(STEPS, max_size=6), summary=NAMES, places=st.lists(PATHS, max_size=3))
def test_what_a_record_touches_is_told_as_its_paths_would_tell(
    steps: list[Change | Rename], summary: str, places: list[WorkspacePath]
) -> None:
    change_set = ChangeSet(tuple(steps))
    body = records.encode_body(change_set, Origin("t", summary), (summary,), ROOTS.__getitem__)
    above = [path.parent for path in change_set.paths]
    longer = [path.child("x") for path in change_set.paths]
    cut = [path.parent.child(path.name[:-1]) for path in change_set.paths if path.name[:-1]]
    roots = [WorkspacePath(0, ()), WorkspacePath(1, ())]
    for place in [*places, *change_set.paths, *above, *longer, *cut, *roots]:
        wanted = any(path.is_beneath(place) for path in change_set.paths)
        assert records.touches(body, place, ROOTS.index) is wanted, place


@settings(max_examples=200 if LONG else 80)
@given(steps=st.lists(STEPS, max_size=6), summary=NAMES, most=st.integers(0, 7))
def test_a_shortened_record_has_the_first_steps_and_counts_the_rest(
    steps: list[Change | Rename], summary: str, most: int
) -> None:
    origin = Origin("t", summary)
    body = records.encode_body(ChangeSet(tuple(steps)), origin, (summary,), ROOTS.__getitem__)
    assert records.shorten(body, None) == (body, 0)
    short, lost = records.shorten(body, most)
    change_set = ChangeSet(tuple(steps[:most]))
    assert records.decode_body(short, ROOTS.index) == (change_set, origin, (summary,))
    assert lost == max(0, len(steps) - most)

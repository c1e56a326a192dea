"""Operations as journal text: read back as they were, and asked without being read."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from redline.adapters import records
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

ROOTS = ["/one", "/two"]
# Names as `os.fsdecode` gives them, and some that look like a part of the record.
LETTERS = st.characters(exclude_characters="/\0", exclude_categories=["Cs"]) | st.sampled_from(
    ["\udc80", "\udcff", '"', "\\", "\n", "[", ","]
)
TRICKY = st.sampled_from(['["f","' + "a" * 64 + '",', "\\", '"', "steps"])
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


@settings(max_examples=200, deadline=None)
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
        assert all(records.may_name(body, part) for part in path.parts)


def test_a_name_that_is_nowhere_in_a_record_is_told_apart() -> None:
    change = Change(WorkspacePath(0, ("d", "file")), ABSENT, DirState(0o755))
    body = records.encode_body(ChangeSet((change,)), Origin("t"), (), ROOTS.__getitem__)
    assert not records.may_name(body, "other")
    assert records.may_name(body, "")

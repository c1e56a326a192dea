"""What a ChangeSet did, as people read it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.core.changes import ABSENT, Change, ChangeSet, FileState, LinkState, State
from redline.core.diff import unified_diff
from redline.core.encodings.opening import open_versions
from redline.core.paths import WorkspacePath
from redline.plan.describe import diff_of

PLACE = WorkspacePath(0, ("f",))
BYTES = st.lists(
    st.sampled_from([b"a\n", b"b\n", b"c", b"\xef\xbb\xbf", b"\xff", b"\xfe", b"\xe2\x82\xac\n"]),
    max_size=12,
).map(b"".join)


def described(before: State, after: State) -> str:
    return diff_of(ChangeSet((Change(PLACE, before, after),)), lambda path: path.relative)


@settings(max_examples=200, deadline=None)
@given(old=BYTES, new=BYTES)
@example(old=b"a\n", new=b"\xff\xfe")
@example(old=b"\xff\xfea\0", new=b"\xff\xfeb\0")
def test_a_changed_file_is_shown_as_the_diff_of_its_readable_text(old: bytes, new: bytes) -> None:
    files = open_versions(old, new)
    plain = [raw.decode("utf-8", "replace") for raw in (old, new)]
    texts = [x.text if x.is_foreign else y for x, y in zip(files, plain, strict=True)]
    # Files that differ only in how they are encoded are shown by their bytes.
    expected = unified_diff(*texts, "a/f", "b/f") or unified_diff(*plain, "a/f", "b/f")
    same = FileState.of(old).digest == FileState.of(new).digest
    nothing = f"{'mode' if same else 'edit'} empty file f\n"
    assert described(FileState.of(old), FileState.of(new)) == (expected or nothing)


def test_files_that_come_and_go_and_links_are_shown_too() -> None:
    assert described(ABSENT, FileState.of(b"x\n")).startswith("--- /dev/null\n+++ b/f\n@@ -0,0 +1")
    assert described(FileState.of(b"x\n"), ABSENT).endswith("@@ -1 +0,0 @@\n-x\n")
    assert "-gone\n" in described(LinkState("gone"), LinkState("here"))
    assert "+\udcff\n" in described(LinkState("gone"), LinkState("\udcff"))
    assert described(ABSENT, FileState.of(b"")) == "create empty file f\n"


def test_what_is_no_text_is_only_named() -> None:
    assert described(FileState.of(b"x"), FileState.of(b"\0")) == "Binary or large file f: edit\n"
    assert described(FileState.of(b"\0"), ABSENT) == "Binary or large file f: delete\n"
    left_out = replace(FileState.of(b"x"), content=None)
    assert described(left_out, ABSENT) == "removed file f\n"

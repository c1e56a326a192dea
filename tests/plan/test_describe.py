"""What a ChangeSet did, as people read it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from redline.core.changes import ABSENT, Change, ChangeSet, FileState, LinkState, State
from redline.core.diff import unified_diff
from redline.core.encodings.opening import open_versions
from redline.core.paths import WorkspacePath, show_name
from redline.plan.describe import diff_of

PLACE = WorkspacePath(0, ("f",))
BYTES = st.lists(
    st.sampled_from([b"a\n", b"b\n", b"c", b"\xef\xbb\xbf", b"\xff", b"\xfe", b"\xe2\x82\xac\n"]),
    max_size=12,
).map(b"".join)


def described(before: State, after: State) -> str:
    return diff_of(ChangeSet((Change(PLACE, before, after),)), lambda path: path.relative)


@settings(max_examples=200)
@given(old=BYTES, new=BYTES)
@example(old=b"a\n", new=b"\xff\xfe")
@example(old=b"\xff\xfea\0", new=b"\xff\xfeb\0")
def test_a_changed_file_is_shown_as_the_diff_of_its_readable_text(old: bytes, new: bytes) -> None:
    files = open_versions(old, new)
    plain = [raw.decode("utf-8", "surrogateescape") for raw in (old, new)]
    texts = [x.text if x.is_foreign else y for x, y in zip(files, plain, strict=True)]
    # Files that differ only in how they are encoded are shown by their bytes.
    expected = unified_diff(*texts, "a/f", "b/f") or unified_diff(*plain, "a/f", "b/f")
    shown = described(FileState.of(old), FileState.of(new))
    assert shown == (show_name(expected) or "mode empty file f\n")
    # Bytes that are no text are shown too, so that no change is without a line.
    assert (old == new) == (not expected)


@pytest.mark.requirement("encodings-order")
def test_a_diff_shows_a_file_in_the_encoding_that_the_workspace_names() -> None:
    change = Change(PLACE, FileState.of(b"caf\xe9\n"), FileState.of(b"th\xe9\n"))
    label = lambda path: path.relative  # noqa: E731
    assert "-caf\\xe9\n+th\\xe9\n" in diff_of(ChangeSet((change,)), label)
    assert "-café\n+thé\n" in diff_of(ChangeSet((change,)), label, lambda _: "iso8859-1")


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

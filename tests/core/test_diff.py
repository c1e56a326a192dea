"""Diffs apply with git; hidden characters are shown."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from redline.core.diff import unified_diff, visible

TEXT = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "x"]), max_size=30).map("".join)


@settings(max_examples=30, deadline=None)
@given(old=TEXT, new=TEXT)
def test_a_diff_applied_with_git_gives_the_new_text(
    tmp_path_factory: object, old: str, new: str
) -> None:
    diff = unified_diff(old, new, "a/f", "b/f")
    if not diff:
        assert old == new
        return
    folder = Path(tmp_path_factory.mktemp("diff"))  # type: ignore[attr-defined]
    target = folder / "f"
    target.write_bytes(old.encode())
    if not old or not new:
        return  # git wants /dev/null labels for created and deleted files
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"], input=diff.encode(), cwd=folder, check=True
    )
    assert target.read_bytes() == new.encode()


def test_distant_changes_give_separate_hunks() -> None:
    old = "".join(f"{n}\n" for n in range(40))
    new = old.replace("3\n", "three\n", 1).replace("35\n", "thirtyfive\n", 1)
    assert unified_diff(old, new, "a", "b").count("@@ -") == 2


def test_a_change_of_only_the_final_newline_is_visible() -> None:
    diff = unified_diff("a\n", "a", "a", "b")
    assert "-a\n+a\n\\ No newline at end of file\n" in diff


def test_hidden_characters_are_escaped_and_counted() -> None:
    assert visible("a\u202eb\x1b[0m\tc\n") == ("a\\u202eb\\u001b[0m\tc\n", 2)

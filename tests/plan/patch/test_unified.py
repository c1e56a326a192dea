"""Unified diffs do what `git apply` does with them, or are refused; never anything else."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from redline.core.errors import AlreadyApplied, PatchError, RedlineError
from redline.plan.patch.parse import parse_patch
from tests.plan.patch.in_memory import patched

WORDS = ["alpha", "beta", "gamma", "", "", "    deep", "--", "++", "@@ x", "*** y", "-- a/z"]
NAMES = ["plain.txt", "dir/with blank.txt", "na\u00efve.py"]


def _git(folder: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return done.stdout


def _lines(rng: random.Random) -> list[str]:
    return [" ".join(rng.choices(WORDS, k=2)) for _ in range(rng.choice([0, 1, 3, 12, 30]))]


def _text(rng: random.Random, lines: list[str]) -> bytes:
    return ("\n".join(lines) + ("\n" if lines and rng.random() < 0.8 else "")).encode()


def _changed(rng: random.Random, lines: list[str]) -> list[str]:
    changed = list(lines)
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(changed))
        changed[at : at + rng.randint(0, 2)] = rng.choices([*WORDS, "new"], k=rng.randint(0, 2))
    return changed


def _trees(rng: random.Random) -> tuple[dict[str, bytes], dict[str, bytes]]:
    before, after = {}, {}
    for name in NAMES[: rng.randint(1, 3)]:
        lines = _lines(rng)
        before[name] = _text(rng, lines)
        kind = rng.random()
        if kind < 0.15:
            continue
        target = f"moved/{name}" if kind < 0.3 else name
        after[target] = before[name] if rng.random() < 0.2 else _text(rng, _changed(rng, lines))
    if rng.random() < 0.3:
        after["new/file"] = _text(rng, _lines(rng))
    return before, after


def _fill(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _diff(tmp: Path, before: dict[str, bytes], after: dict[str, bytes], *options: str) -> str:
    """What git prints for the change; `git apply` must turn *before* into *after* with it."""
    _git(tmp, "init", "-q", "repo")
    repo = tmp / "repo"
    _fill(repo, before)
    _git(repo, "add", "-A")
    tree = _git(repo, "write-tree").decode().strip()
    for name in before:
        (repo / name).unlink()
    _fill(repo, after)
    _git(repo, "add", "-A")
    raw = _git(repo, "diff", "--cached", "-M", *options, tree)
    (tmp / "given.diff").write_bytes(raw)
    if raw:
        judged = tmp / "judged"
        judged.mkdir()
        _git(judged, "init", "-q")
        _fill(judged, before)
        _git(judged, "apply", "--unidiff-zero", str(tmp / "given.diff"))
        assert {name: (judged / name).read_bytes() for name in after} == after
    return raw.decode()


def _without(diff: str, *starts: str) -> str:
    return "\n".join(line for line in diff.split("\n") if not line.startswith(starts))


@pytest.mark.requirement("coding-patch-unified")
@pytest.mark.parametrize("seed", range(40))
def test_a_diff_of_git_does_what_git_apply_does(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    before, after = _trees(rng)
    diff = _diff(tmp_path, before, after, f"-U{rng.choice([0, 1, 3, 3])}")
    if not diff:
        return
    # With the hash of the content the numbers are evidence: nothing need be refused.
    assert patched(before, diff) == after
    try:
        found = patched(before, _without(diff, "index "))
    except RedlineError:
        return
    assert found == after


@pytest.mark.requirement("coding-patch-unified")
@pytest.mark.parametrize(
    "spoil",
    [
        lambda diff: _without(diff, "index ", "diff --git "),
        lambda diff: diff.replace("@@ -2,7 +2,7 @@", "@@ -40,9 +41,3 @@"),
        lambda diff: diff.replace("@@ -2,7 +2,7 @@", "@@"),
        lambda diff: diff.replace("a/src/x.py", "src/x.py").replace("b/src/x.py", "src/x.py"),
        lambda diff: diff.replace("--- a/", "--- ").replace("diff --git", "diff -u"),
        lambda diff: _without(diff, "index ", "diff ").replace("b/src", "a/src"),
        lambda diff: f"```diff\n{diff}```",
        lambda diff: f"apply_patch <<'EOF'\n{diff}EOF\n",
        lambda diff: diff.replace("\n \n", "\n\n"),
        lambda diff: f"commit 0123456789abcdef\nAuthor: x\n\n    message\n\n{diff}",
        lambda diff: f"From 0123456789abcdef Mon Sep 17 2001\nSubject: x\n---\n{diff}-- \n2.45\n",
        lambda diff: f"Index: src/x.py\n{'=' * 67}\n{_without(diff, 'index ', 'diff ')}",
        lambda diff: _without(diff, "index ", "diff ").replace("x.py\n", "x.py\t2026-01-01\n"),
    ],
)
def test_a_diff_that_models_write_is_read_as_the_diff_of_git(
    tmp_path: Path, spoil: Callable[[str], str]
) -> None:
    lines = [f"line {number}" if number % 4 else "" for number in range(1, 13)]
    before = {"src/x.py": "\n".join(lines).encode() + b"\n"}
    after = {"src/x.py": before["src/x.py"].replace(b"line 5", b"line five")}
    diff = _diff(tmp_path, before, after)
    assert "@@ -2,7 +2,7 @@" in diff
    assert patched(before, spoil(diff)) == after


NEW = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+one\n+two\n"


def test_files_are_created_deleted_and_renamed_without_the_headers_of_git() -> None:
    assert patched({}, NEW) == {"new.py": b"one\ntwo\n"}
    assert patched({}, NEW + "\\ No newline at end of file\n") == {"new.py": b"one\ntwo"}
    assert patched({}, NEW.replace("/dev/null", "a/new.py")) == {"new.py": b"one\ntwo\n"}
    gone = "--- a/new.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"
    assert patched({"new.py": b"one\ntwo\n"}, gone) == {}
    moved = "diff --git a/x b/y\nrename from x\nrename to y\n"
    assert patched({"x": b"1\n"}, moved) == {"y": b"1\n"}


def test_a_diff_of_several_files_needs_no_true_counts_between_them() -> None:
    text = "\n".join(
        ["--- a/x", "+++ b/x", "@@ -1,9 +1,9 @@", " one", "-two", "+2", "",
         "--- a/y", "+++ b/y", "@@ -7 +7 @@", "-p", "+q"]
    )  # fmt: skip
    files = {"x": b"one\ntwo\n", "y": b"p\n"}
    assert patched(files, text) == {"x": b"one\n2\n", "y": b"q\n"}


def test_a_removed_line_that_looks_like_a_header_is_a_line_where_the_counts_say_so() -> None:
    text = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n one\n--- two\n+++ 2\n@@ -4 +4 @@\n-p\n+q\n"
    before = {"x.sql": b"one\n-- two\nthree\np\n"}
    assert patched(before, text) == {"x.sql": b"one\n++ 2\nthree\nq\n"}


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        (b"x\ny", ["-y", "\\ No newline at end of file", "+y"], b"x\ny\n"),
        (b"x\ny\n", ["-y", "+y", "\\ No newline at end of file"], b"x\ny"),
        (b"x\r\ny", ["-y", "\\ No newline at end of file", "+z"], b"x\r\nz\r\n"),
        (b"x\ny", [" x", "-y", "\\ No newline at end of file"], b"x\n"),
        (b"x\ny", ["-y", "\\ No newline at end of file", "+z", "\\ No newline at end of file"],
         b"x\nz"),
        (b"y\nx\ny", ["-y", "\\ No newline at end of file", "+z"], b"y\nx\nz\n"),
    ],
)  # fmt: skip
def test_the_newline_at_the_end_of_a_file_is_as_the_diff_says(
    before: bytes, hunk: list[str], after: bytes
) -> None:
    text = "\n".join(["--- a/f", "+++ b/f", "@@ -1,1 +1,1 @@", *hunk])
    assert patched({"f": before}, text) == {"f": after}


def test_line_numbers_choose_nothing_unless_the_diff_was_made_from_this_very_content() -> None:
    before = {"f": b"x\ny\nx\ny\n"}
    diff = "diff --git a/f b/f\nindex {} 100644\n--- a/f\n+++ b/f\n@@ -3 +3 @@\n-x\n+z\n"
    with pytest.raises(PatchError, match="matched 2 places"):
        patched(before, diff.format("1234567..7654321"))
    known = subprocess.run(
        ["git", "hash-object", "--stdin"], input=before["f"], capture_output=True, check=True
    )
    index = f"{known.stdout.decode()[:9]}..1234567"
    assert patched(before, diff.format(index)) == {"f": b"x\ny\nz\ny\n"}
    # Numbers that contradict the lines are no evidence either.
    with pytest.raises(PatchError, match="only \\+ lines"):
        patched(before, diff.format(index).replace("-x\n", ""))


def test_the_heading_of_a_diff_decides_only_when_one_place_follows_it() -> None:
    text = "--- a/f\n+++ b/f\n@@ -9,2 +9,2 @@ {}\n-    x\n+    y\n"
    before = {"f": b"def a():\n    x\nif 1:\n    x\ndef b():\n    x\n"}
    assert patched(before, text.format("def b():")) == {
        "f": b"def a():\n    x\nif 1:\n    x\ndef b():\n    y\n"
    }
    # The block of the heading is not where the hunk must be: git names the last one before it.
    with pytest.raises(PatchError, match="matched"):
        patched(before, text.format("def a():"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@@ -1 +1 @@\n-x\n+y\n", "outside of any file"),
        ("--- a/f\n@@ -1 +1 @@\n-x\n+y\n", "no \\+\\+\\+ line"),
        ("--- a/f\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n", "two names"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-x\n+y\n", "names no file"),
        ("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "change of mode"),
        ("diff --git a/f b/f\nBinary files a/f and b/f differ\n", "binary"),
        ("diff --git a/f b/g\ncopy from f\ncopy to g\n", "copy"),
        ("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+f\n",
         "not a regular file"),
        ("--- a/f\n+++ b/f\nhello\n@@ -1 +1 @@\n-x\n+y\n", "outside of any file"),
        ("diff --git a/f b/f\nhello\n", "no header"),
        ("--- a/f\n+++ b/f\n@@@ -1 -1 +1 @@@\n- x\n+ y\n", "several files"),
        ("--- /dev/null\n+++ b/n\n@@ -1 +1,2 @@\n x\n+y\n", "other lines"),
        ("--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-x\n\\ No newline at end of file\n y\n", "goes on"),
    ],
)  # fmt: skip
def test_a_diff_that_does_not_say_what_is_meant_is_refused(text: str, said: str) -> None:
    with pytest.raises(PatchError, match=said):
        parse_patch(text)


@pytest.mark.parametrize(
    ("files", "text", "said"),
    [
        ({"a/f": b"x\n", "f": b"x\n"}, "--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n", "more than one"),
        ({}, "--- /dev/null\n+++ a/f\n@@ -0,0 +1 @@\n+y\n", "more than one"),
        ({"f": b"x\nz\n"}, "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "other lines"),
        ({"f": b"x\n"}, "diff --git a/f b/f\ndeleted file mode 100644\n", "other lines"),
        ({"f": b"x\n"}, "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+y\n", "only \\+ lines"),
        ({"f": b"\xef\xbb\xbfx\n"}, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-\ufeffx\n+x\n", "mark"),
    ],
)  # fmt: skip
def test_a_diff_that_the_files_do_not_settle_is_refused(
    files: dict[str, bytes], text: str, said: str
) -> None:
    with pytest.raises(PatchError, match=said):
        patched(files, text)


def test_a_prefix_on_both_sides_is_a_directory_only_where_the_file_is() -> None:
    text = "--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n"
    assert patched({"a/f": b"x\n"}, text) == {"a/f": b"y\n"}
    assert patched({"f": b"x\n"}, text) == {"f": b"y\n"}


def test_a_diff_that_was_applied_already_says_so() -> None:
    text = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
    with pytest.raises(AlreadyApplied):
        patched({"f": b"one\nthree\n"}, text)
    with pytest.raises(AlreadyApplied):
        patched({"new.py": b"one\ntwo\n"}, NEW)

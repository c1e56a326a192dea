"""apply_patch over the wire takes patches as models send them, and never guesses."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.toolsets.coding_tools.conftest import Tools, patch

UPDATE = patch("*** Update File: src/a.py", "@@", " one", "-two", "+2")
BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"
DIFF = "--- a/src/a.py\n+++ b/src/a.py\n@@ -90,2 +90,2 @@\n one\n-two\n+2\n"


def _applies(tools: Tools, text: str) -> None:
    """The patch is shown by a dry run, which writes nothing, and then made."""
    tools.write({"src/a.py": BEFORE})
    shown = tools.ok("apply_patch", patch=text, dry_run=True)
    assert "-two\n+2\n" in shown["diff"]
    assert (tools.base / "src/a.py").read_text() == BEFORE
    assert tools.ok("apply_patch", patch=text)["summary"] == "M src/a.py"
    assert (tools.base / "src/a.py").read_text() == AFTER


@pytest.mark.requirement("coding-patch-wrapped")
@pytest.mark.parametrize(
    "text",
    [
        f"apply_patch <<'EOF'\n{UPDATE}\nEOF\n",
        f"bash -lc \"apply_patch <<'PATCH'\n{UPDATE}\nPATCH\"",
        f"cat <<'EOF' | apply_patch\n{UPDATE}\nEOF",
        f"```diff\n{UPDATE}\n```",
        json.dumps({"command": ["apply_patch", UPDATE]}),
        f"```diff\n{DIFF}```",
    ],
)
def test_what_is_around_a_patch_is_taken_off(tools: Tools, text: str) -> None:
    _applies(tools, text)


@pytest.mark.requirement("coding-patch-wrapped")
def test_a_patch_that_the_shell_would_change_is_refused(tools: Tools) -> None:
    tools.write({"src/a.py": BEFORE})
    text = UPDATE.replace("+2", "+$HOME")
    error = tools.fails("apply_patch", patch=f"apply_patch <<EOF\n{text}\nEOF")
    assert error["code"] == "PATCH_FAILED"
    assert "$HOME" in error["message"]
    assert (tools.base / "src/a.py").read_text() == BEFORE


@pytest.mark.requirement("coding-patch-loose")
@pytest.mark.parametrize(
    "text",
    [
        UPDATE.replace("*** Update", "  *** Update"),
        UPDATE.replace("Begin Patch", "Begin Patch ***").replace("End Patch", "End Patch ***"),
        UPDATE.replace("@@", "@@\n@@"),
        UPDATE.replace("+2", "+2\n@@"),
        UPDATE.replace(" one", "one"),
    ],
)
def test_loose_headers_and_context_are_understood(tools: Tools, text: str) -> None:
    _applies(tools, text)


@pytest.mark.requirement("coding-patch-unified")
@pytest.mark.parametrize(
    "text",
    [
        DIFF,
        f"diff --git a/src/a.py b/src/a.py\nindex 1234567..89abcde 100644\n{DIFF}",
        DIFF.replace("a/src", "src").replace("b/src", "src"),
        DIFF.replace("@@ -90,2 +90,2 @@", "@@"),
    ],
)
def test_a_unified_diff_is_a_patch(tools: Tools, text: str) -> None:
    _applies(tools, text)


@pytest.mark.requirement("coding-patch-unified")
def test_a_diff_of_git_makes_the_tree_that_git_apply_makes(tools: Tools, tmp_path: Path) -> None:
    before = {"keep": "a\nb\nc\n", "gone": "x\n", "old name": "m\nn\no\np\n", "open": "end"}
    after = {"keep": "a\nB\nc\n", "new name": "m\nn\no\nq\n", "open": "end\n", "run.sh": "#!\n"}

    def git(*arguments: str) -> bytes:
        command = ["git", "-C", str(tmp_path), *arguments]
        return subprocess.run(command, capture_output=True, check=True).stdout

    git("init", "-q")
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    git("add", "-A")
    tree = git("write-tree").decode().strip()
    for name in before:
        (tmp_path / name).unlink()
    for name, text in after.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "run.sh").chmod(0o755)
    git("add", "-A")
    diff = git("diff", "--cached", "-M", tree).decode()
    tools.write(dict(before))
    found = tools.ok("apply_patch", patch=diff)
    assert "R old name -> new name" in found["summary"]
    names = {path.name for path in tools.base.iterdir() if path.is_file()}
    assert {name: (tools.base / name).read_text() for name in names} == after
    assert (tools.base / "run.sh").stat().st_mode & 0o111


@pytest.mark.requirement("coding-patch-one-reading")
def test_a_patch_that_fits_in_two_readings_changes_nothing(tools: Tools) -> None:
    tools.write({"a": "x\n*** Update File: b\n\np\n", "b": "p\n"})
    lines = ["*** Update File: a", "@@", "-x", "+y", " *** Update File: b", "@@", "-p", "+q"]
    error = tools.fails("apply_patch", patch=patch(*lines))
    assert error["code"] == "PATCH_FAILED"
    assert "more than one way" in error["message"]
    assert (tools.base / "b").read_text() == "p\n"


@pytest.mark.requirement("coding-patch-absolute")
def test_an_absolute_path_is_taken_inside_the_workspace_only(tools: Tools, tmp_path: Path) -> None:
    inside = patch(f"*** Add File: {tools.base}/d/new", "+x")
    assert tools.ok("apply_patch", patch=inside)["summary"] == "A d/new"
    assert (tools.base / "d/new").read_text() == "x\n"
    link = tmp_path / "link"
    link.symlink_to(tools.base)
    by_link = patch(f"*** Update File: {link}/d/new", "@@", "-x", "+y")
    assert tools.ok("apply_patch", patch=by_link)["summary"] == "M d/new"
    for outside in (f"{tmp_path}/f", f"{tools.base}2/f", f"{tools.base.parent}/f"):
        error = tools.fails("apply_patch", patch=patch(f"*** Add File: {outside}", "+x"))
        assert error["code"] == "ABSOLUTE_PATH_DENIED"
        assert not Path(outside).exists()
    dots = patch(f"*** Add File: {tools.base}/../f", "+x")
    assert tools.fails("apply_patch", patch=dots)["code"] == "PATH_OUTSIDE_WORKSPACE"
    (tools.base / "out").symlink_to(tmp_path)
    escaping = patch(f"*** Add File: {tools.base}/out/f", "+x")
    assert tools.fails("apply_patch", patch=escaping)["category"] == "security"
    assert list(tmp_path.iterdir()) == [link]


@pytest.mark.requirement("coding-patch-mark")
def test_a_quoted_byte_order_mark_is_the_files_own(tools: Tools) -> None:
    tools.write({"a": b"\xef\xbb\xbfx\ny\n"})
    tools.ok("apply_patch", patch=patch("*** Update File: a", "@@", " \ufeffx", "-y", "+z"))
    assert (tools.base / "a").read_bytes() == b"\xef\xbb\xbfx\nz\n"
    tools.ok("apply_patch", patch=patch("*** Update File: a", "@@", "-\ufeffx", "+w"))
    assert (tools.base / "a").read_bytes() == b"\xef\xbb\xbfw\nz\n"


@pytest.mark.requirement("coding-patch-past-end")
def test_a_blank_context_line_past_the_end_is_none(tools: Tools) -> None:
    tools.write({"a": "x\ny\n"})
    tools.ok("apply_patch", patch=patch("*** Update File: a", "@@", " x", "-y", "+z", " "))
    assert (tools.base / "a").read_text() == "x\nz\n"


@pytest.mark.requirement("coding-patch-only-adds")
def test_added_lines_without_a_place_are_refused_with_two_ways_to_say_where(tools: Tools) -> None:
    tools.write({"a": "x\ny\n"})
    error = tools.fails("apply_patch", patch=patch("*** Update File: a", "@@", "+new"))
    assert error["code"] == "PATCH_FAILED"
    assert "context line" in error["message"]
    assert "after @@" in error["message"]
    assert (tools.base / "a").read_text() == "x\ny\n"
    tools.ok("apply_patch", patch=patch("*** Update File: a", "@@", " x", "+new"))
    tools.ok("apply_patch", patch=patch("*** Update File: a", "@@ y", "+last"))
    assert (tools.base / "a").read_text() == "x\nnew\ny\nlast\n"


@pytest.mark.requirement("coding-patch-no-change")
@pytest.mark.parametrize("lines", [[], ["@@"], ["@@", " x"], ["@@", "-x", "+x"]])
def test_an_update_that_changes_nothing_says_so(tools: Tools, lines: list[str]) -> None:
    tools.write({"a": "x\n"})
    text = patch("*** Update File: a", *lines)
    for dry_run in (True, False):
        found = tools.ok("apply_patch", patch=text, dry_run=dry_run)
        assert found["warnings"] == ["a: the patch changes nothing in this file"]
    assert (tools.base / "a").read_text() == "x\n"


@pytest.mark.requirement("coding-patch-onto-link")
@pytest.mark.parametrize("target", ["/etc/hostname", "a", "../nowhere"])
def test_nothing_is_moved_or_added_onto_a_link(tools: Tools, target: str) -> None:
    tools.write({"a": "x\n"})
    (tools.base / "link").symlink_to(target)
    for lines in (
        ["*** Add File: link", "+x"],
        ["*** Update File: a", "*** Move to: link"],
        ["*** Update File: link", "@@", "-x", "+y"],
        ["*** Delete File: link"],
    ):
        error = tools.fails("apply_patch", patch=patch(*lines))
        assert (error["code"], error["category"]) == ("SYMLINK_ESCAPE", "security")
    assert (tools.base / "link").is_symlink()
    assert (tools.base / "a").read_text() == "x\n"


@pytest.mark.requirement("coding-path-drive")
@pytest.mark.parametrize("path", ["C:\\x", "C:/x", "c:/", "Z:\\a\\b"])
def test_a_windows_drive_is_an_absolute_path(tools: Tools, path: str) -> None:
    calls: dict[str, dict[str, object]] = {
        "read_file": {"path": path},
        "list_dir": {"path": path},
        "list_files": {"path": path},
        "search_text": {"query": "x", "path": path},
        "view_image": {"path": path},
        "git_status": {"path": path},
        "git_diff": {"path": path},
        "exec_command": {"cmd": "true", "workdir": path},
        "apply_patch": {"patch": patch(f"*** Add File: {path}", "+x")},
    }
    for tool, arguments in calls.items():
        error = tools.fails(tool, **arguments)
        assert error["code"] == "ABSOLUTE_PATH_DENIED", (tool, error)
    assert not (tools.base / path).exists()

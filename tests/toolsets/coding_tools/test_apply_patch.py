"""apply_patch over the wire: all of it or nothing, and every untouched byte kept."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.toolsets.coding_tools.conftest import Tools, patch

SECURITY = ("denied", "forbidden", "permission", "outside", "escape", "unsafe", "blocked")


def _snapshot(base: Path) -> dict[str, bytes]:
    return {
        path.relative_to(base).as_posix(): path.read_bytes()
        for path in sorted(base.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


@pytest.mark.requirement("coding-patch", "coding-patch-summary")
def test_add_update_delete_and_move_happen_together(tools: Tools) -> None:
    tools.write({"a": "1\n2\n", "gone": "x\n", "old": "m\nn\n"})
    (tools.base / "old").chmod(0o755)
    found = tools.ok(
        "apply_patch",
        patch=patch(
            "*** Add File: new/deep/file.txt",
            "+hello",
            "+",
            "*** Update File: a",
            "@@",
            " 1",
            "-2",
            "+two",
            "*** Delete File: gone",
            "*** Update File: old",
            "*** Move to: moved/new",
            "@@",
            "-m",
            "+M",
        ),
    )
    assert found["summary"] == "A new/deep/file.txt\nM a\nD gone\nR old -> moved/new"
    assert found["affected_files"] == [
        {"path": "new/deep/file.txt", "operation": "add"},
        {"path": "a", "operation": "update"},
        {"path": "gone", "operation": "delete"},
        {"path": "moved/new", "operation": "move", "old_path": "old"},
    ]
    assert (found["dry_run"], found["clean"], found["warnings"]) == (False, True, [])
    assert _snapshot(tools.base) == {
        "a": b"1\ntwo\n",
        "moved/new": b"M\nn\n",
        "new/deep/file.txt": b"hello\n\n",
    }
    assert (tools.base / "moved/new").stat().st_mode & 0o777 == 0o755


@pytest.mark.requirement("coding-patch-dry-run")
def test_a_dry_run_shows_and_writes_nothing(tools: Tools) -> None:
    tools.write({"a": "1\n"})
    before = _snapshot(tools.base)
    text = patch("*** Update File: a", "@@", "-1", "+2", "*** Add File: d/n", "+x")
    found = tools.ok("apply_patch", patch=text, dry_run=True)
    assert found["dry_run"] is True
    assert "-1\n+2\n" in found["diff"]
    assert _snapshot(tools.base) == before
    assert not (tools.base / "d").exists()
    assert tools.fails("apply_patch", patch=text.replace("-1", "-9"), dry_run=True)


@pytest.mark.requirement("coding-patch-all-or-nothing")
@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["*** Update File: b", "@@", "-nowhere", "+x"], "PATCH_FAILED"),
        (["*** Update File: b", "@@", "-twice", "+x"], "PATCH_FAILED"),
        (["*** Add File: b", "+x"], "PATCH_FAILED"),
        (["*** Delete File: missing"], "NOT_FOUND"),
        (["*** Delete File: d"], "PATCH_FAILED"),
        (["*** Update File: missing", "@@", "-x"], "NOT_FOUND"),
        (["*** Update File: b", "*** Move to: a"], "PATCH_FAILED"),
        (["*** Frobnicate: b"], "PATCH_FAILED"),
        (["*** Update File: ../b", "@@", "-x"], "PATH_OUTSIDE_WORKSPACE"),
        (["*** Add File: /tmp/evil", "+x"], "ABSOLUTE_PATH_DENIED"),
        (["*** Update File: link", "@@", "-x"], "SYMLINK_ESCAPE"),
        (["*** Update File: inner", "@@", "-1", "+2"], "SYMLINK_ESCAPE"),
        (["*** Add File: linked_dir/x", "+x"], None),
    ],
)
def test_one_bad_operation_leaves_everything_as_it_was(
    tools: Tools, lines: list[str], code: str | None
) -> None:
    tools.write({"a": "1\n", "b": "twice\ntwice\n", "d/f": "x\n"})
    (tools.base / "link").symlink_to("/etc/hostname")
    (tools.base / "inner").symlink_to("a")
    (tools.base / "linked_dir").symlink_to("/tmp")
    before = _snapshot(tools.base)
    error = tools.fails(
        "apply_patch",
        patch=patch("*** Add File: n", "+x", "*** Update File: a", "@@", "-1", *lines),
    )
    assert code is None or error["code"] == code
    assert _snapshot(tools.base) == before
    if error["category"] == "security":
        assert any(word in str(error).lower() for word in SECURITY)


@pytest.mark.requirement("coding-patch-ambiguous")
def test_an_ambiguous_hunk_says_how_many_places_matched(tools: Tools) -> None:
    tools.write({"a": "x\ny\nx\n"})
    error = tools.fails("apply_patch", patch=patch("*** Update File: a", "@@", "-x", "+z"))
    assert "matched 2" in error["message"]
    assert error["details"]["lines"] == [1, 3]


@pytest.mark.requirement("coding-patch-nearest")
def test_a_hunk_without_a_place_names_the_nearest_text(tools: Tools) -> None:
    tools.write({"a": "alpha\nbeta gamma\ndelta\n"})
    text = patch("*** Update File: a", "@@", " alpha", "-beta gumma", "+x")
    error = tools.fails("apply_patch", patch=text)
    assert error["code"] == "PATCH_FAILED"
    assert "beta gamma" in error["message"]


@pytest.mark.requirement("coding-patch-bytes")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xef\xbb\xbfa\r\nb\r\nc", b"\xef\xbb\xbfa\r\nB\r\nc"),
        (b"a\r\nb\nc\r\nd\n", b"a\r\nB\nc\r\nd\n"),
        (b"a\n\x0cpage\x85\nb\ncaf\xe9\n", b"a\n\x0cpage\x85\nB\ncaf\xe9\n"),
        (b"a\rx\nb", b"a\rx\nB"),
        (b"\xe2\x80\xa8\nb\n\xe2\x80\xa9", b"\xe2\x80\xa8\nB\n\xe2\x80\xa9"),
    ],
)
def test_untouched_bytes_stay(tools: Tools, before: bytes, after: bytes) -> None:
    tools.write({"a": before})
    tools.ok("apply_patch", patch=patch("*** Update File: a", "@@", "-b", "+B"))
    assert (tools.base / "a").read_bytes() == after


@pytest.mark.requirement("coding-patch-tolerance")
@pytest.mark.parametrize(
    ("before", "lines", "after"),
    [
        ("x = 1   \ny\n", [" x = 1", "-y", "+z"], "x = 1   \nz\n"),
        ("if a:\n        b()\n        c()\n", ["     b()", "-    c()", "+    d()"],
         "if a:\n        b()\n        d()\n"),
        ("say “hi”\nend\n", [' say "hi"', "-end", "+fin"], "say “hi”\nfin\n"),
        ("a\n\nb\n", [" a", "", "-b", "+c"], "a\n\nc\n"),
    ],
)  # fmt: skip
def test_almost_right_hunks_apply_where_one_place_fits(
    tools: Tools, before: str, lines: list[str], after: str
) -> None:
    tools.write({"a": before})
    tools.ok("apply_patch", patch=patch("*** Update File: a", "@@ -7,3 +7,3 @@", *lines))
    assert (tools.base / "a").read_text() == after


@pytest.mark.requirement("coding-patch-heading", "coding-patch-end-of-file")
def test_headings_and_the_end_of_file_choose_the_place(tools: Tools) -> None:
    tools.write({"a": "def f():\n    x\n\ndef g():\n    x\n"})
    tools.ok("apply_patch", patch=patch("*** Update File: a", "@@ def f():", "-    x", "+    y"))
    assert (tools.base / "a").read_text() == "def f():\n    y\n\ndef g():\n    x\n"
    tools.write({"b": "x\nx\n"})
    text = patch("*** Update File: b", "@@", "-x", "+y", "*** End of File")
    tools.ok("apply_patch", patch=text + "\n\n")
    assert (tools.base / "b").read_text() == "x\ny\n"


@pytest.mark.requirement("coding-patch-twice")
def test_a_patch_sent_twice_is_said_to_be_applied(tools: Tools) -> None:
    tools.write({"a": "1\n2\n"})
    text = patch("*** Update File: a", "@@", " 1", "-2", "+3")
    tools.ok("apply_patch", patch=text)
    error = tools.fails("apply_patch", patch=text)
    assert "already" in error["message"]
    assert error["details"]["already_applied"] is True
    assert (tools.base / "a").read_text() == "1\n3\n"


def test_the_very_same_patch_is_not_made_again_where_its_lines_still_stand(tools: Tools) -> None:
    tools.write({"a": "x = 1\n\n\n\ny = 2\n"})
    text = patch("*** Update File: a", "@@", "-", " y = 2")
    tools.ok("apply_patch", patch=text)
    error = tools.fails("apply_patch", patch=text)
    assert error["details"]["already_applied"] is True
    assert (tools.base / "a").read_text() == "x = 1\n\n\ny = 2\n"


@pytest.mark.requirement("coding-patch-expected")
def test_an_expected_version_that_is_gone_is_a_conflict(tools: Tools) -> None:
    tools.write({"a": "1\n2\n"})
    version = tools.ok("read_file", path="a")["version"]
    text = patch("*** Update File: a", "@@", "-2", "+3")
    (tools.base / "a").write_text("changed\n2\n")
    for expected in (version, version["sha256"]):
        error = tools.fails("apply_patch", patch=text, expected={"a": expected})
        assert error["code"] == "CONFLICT"
    assert (tools.base / "a").read_text() == "changed\n2\n"
    now = hashlib.sha256(b"changed\n2\n").hexdigest()
    tools.ok("apply_patch", patch=text, expected={"a": now})


@pytest.mark.requirement("coding-patch-sees-itself")
def test_operations_on_one_path_see_each_other(tools: Tools) -> None:
    tools.write({"a": "1\n"})
    tools.ok(
        "apply_patch",
        patch=patch(
            "*** Update File: a",
            "@@",
            "-1",
            "+2",
            "*** Update File: a",
            "*** Move to: b",
            "@@",
            "-2",
            "+3",
            "*** Add File: a",
            "+fresh",
        ),
    )
    assert _snapshot(tools.base) == {"a": b"fresh\n", "b": b"3\n"}


@pytest.mark.requirement("coding-patch-add-empty")
def test_small_rules_of_the_envelope(tools: Tools) -> None:
    tools.write({"a": "1\n"})
    tools.ok("apply_patch", patch=patch("*** Add File: empty"))
    assert (tools.base / "empty").read_bytes() == b"\n"
    assert tools.ok("apply_patch", patch=patch("*** Update File: a"))["summary"] == "M a"

"""Whatever models put around a patch, it is read as the patch alone would be, or refused."""

from __future__ import annotations

import json

import pytest

from redline.core.errors import AlreadyApplied, PatchError
from redline.plan.patch.parse import parse_patch
from tests.plan.patch.in_memory import patched

PATCH = "\n".join(
    [
        "*** Begin Patch",
        "*** Update File: a.py",
        "@@",
        " x = 1",
        "-y = 2",
        "+y = 3",
        "*** End Patch",
    ]
)
BEFORE = {"a.py": b"x = 1\ny = 2\nz = 3\n"}
AFTER = {"a.py": b"x = 1\ny = 3\nz = 3\n"}


def _loose(old: str, new: str) -> str:
    assert old in PATCH
    return PATCH.replace(old, new)


@pytest.mark.parametrize(
    "text",
    [
        f"apply_patch <<'EOF'\n{PATCH}\nEOF",
        f"apply_patch <<'EOF'\n{PATCH}\nEOF\n\n",
        f'apply_patch <<"PATCH-1"\n{PATCH}\nPATCH-1',
        f"apply_patch <<EOF\n{PATCH}\nEOF",
        f"<<'EOF'\n{PATCH}\nEOF\n",
        f"cat <<'EOF'\n{PATCH}\nEOF",
        f"cat <<'EOF' | apply_patch\n{PATCH}\nEOF",
        f"bash -lc \"apply_patch <<'EOF'\n{PATCH}\nEOF\"",
        f"bash -lc \"apply_patch <<'EOF'\n{PATCH}\nEOF\n\"",
        f"bash -lc 'apply_patch <<\"EOF\"\n{PATCH}\nEOF'",
        f"bash -lc 'apply_patch <<'EOF'\n{PATCH}\nEOF'",
        f"/bin/bash -c \"apply_patch <<'EOF'\n{PATCH}\nEOF\"",
        f"applypatch <<'EOF'\n{PATCH}\nEOF",
        f'apply_patch "{PATCH}"',
        f"apply_patch '{PATCH}'",
        f"apply_patch\n{PATCH}",
        f"```\n{PATCH}\n```",
        f"```diff\n{PATCH}\n```\n",
        f"~~~~patch\n{PATCH}\n~~~~",
        f"```bash\napply_patch <<'EOF'\n{PATCH}\nEOF\n```",
        f"apply_patch <<'EOF'\n```\n{PATCH}\n```\nEOF",
        json.dumps({"patch": PATCH}),
        json.dumps({"input": PATCH}),
        json.dumps(["apply_patch", PATCH]),
        json.dumps({"command": ["apply_patch", PATCH]}),
        json.dumps({"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}),
        "\ufeff" + PATCH,
        PATCH.replace("\n", "\r\n"),
        "\n".join(f"    {line}" for line in PATCH.split("\n")),
        _loose("*** Begin Patch", "*** Begin Patch ***").replace("End Patch", "End Patch ***"),
        _loose("*** Begin Patch", "***Begin Patch"),
        _loose("*** Begin", "  *** Begin").replace("*** End", " *** End"),
        _loose("*** Update", "   *** Update"),
        _loose("*** Update", "\t*** Update").replace("@@", "  @@"),
        _loose("Update File: a.py", "Update File:a.py"),
        _loose("Update File: a.py", "Update File: `a.py`"),
        _loose("Update File: a.py", "Update File: a.py ***"),
        _loose("@@", "@@\n@@"),
        _loose("@@", "@@ ... @@"),
        _loose("@@\n", ""),
        _loose("+y = 3", "+y = 3\n@@"),
        _loose("+y = 3", "+y = 3\n@@\n@@ x = 1"),
        _loose("@@", "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@"),
        _loose(" x = 1", "x = 1"),
    ],
)
def test_what_is_around_a_patch_changes_nothing_about_it(text: str) -> None:
    assert patched(BEFORE, text) == AFTER


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"apply_patch <<EOF\n{PATCH.replace('3', '$x')}\nEOF", "shell would change"),
        (f"apply_patch <<EOF\n{PATCH.replace('3', chr(92) * 2)}\nEOF", "shell would change"),
        (f"bash -lc \"apply_patch <<'EOF'\n{PATCH.replace('3', chr(34))}\nEOF\"", "shell would"),
        (f"bash -lc 'apply_patch <<\"EOF\"\n{PATCH.replace('3', chr(39))}\nEOF'", "shell would"),
        (f"apply_patch '{PATCH.replace('3', chr(39))}'", "shell would change"),
        (f"apply_patch <<'EOF'\n{PATCH}\n", "does not end with EOF"),
        (f"```\n{PATCH}\n", "not closed"),
        (f'apply_patch "{PATCH}', "not closed"),
        (json.dumps({"patch": PATCH, "dry_run": True}), "more than a patch"),
        (json.dumps(["rm", PATCH]), "more than a patch"),
        (json.dumps({"revert": PATCH}), "more than a patch"),
        (f"Here is the patch:\n{PATCH}", "first line"),
        (f"{PATCH}\nDone!", "last line"),
        (PATCH.removesuffix("*** End Patch"), "last line"),
        (PATCH.replace("\n", "\\n"), "first line"),
    ],
)
def test_a_wrapping_that_leaves_a_doubt_is_refused(text: str, said: str) -> None:
    with pytest.raises(PatchError, match=said):
        parse_patch(text)


def test_line_breaks_that_were_escaped_are_named() -> None:
    with pytest.raises(PatchError) as refused:
        parse_patch(PATCH.replace("\n", "\\n"))
    assert "line breaks" in str(refused.value.hint)


def test_paths_count_from_the_directory_that_the_command_changes_to() -> None:
    text = f"cd src && apply_patch <<'EOF'\n{PATCH}\nEOF"
    assert patched({"src/a.py": BEFORE["a.py"]}, text) == {"src/a.py": AFTER["a.py"]}


DOC = b"# Patches\n*** Update File: b\nend\n"


def test_an_indented_header_is_context_where_the_file_has_that_line() -> None:
    text = "\n".join(
        ["*** Begin Patch", "*** Update File: doc", "@@", " # Patches", " *** Update File: b",
         "-end", "+fin", "*** End Patch"]
    )  # fmt: skip
    assert patched({"doc": DOC}, text) == {"doc": DOC.replace(b"end", b"fin")}


def test_a_patch_that_fits_in_two_readings_is_refused() -> None:
    files = {"a": b"x\n*** Update File: b\n\np\n", "b": b"p\n"}
    text = "\n".join(
        ["*** Begin Patch", "*** Update File: a", "@@", "-x", "+y", " *** Update File: b", "@@",
         "-p", "+q", "*** End Patch"]
    )  # fmt: skip
    with pytest.raises(PatchError, match="more than one way"):
        patched(files, text)
    assert patched({**files, "a": b"x\n"}, text) == {"a": b"y\n", "b": b"q\n"}


def _update(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", "*** Update File: a", *lines, "*** End Patch"])


def test_context_lines_without_their_blank_match_only_to_the_letter() -> None:
    before = {"a": b"def f():\n    one()\n    two()\n"}
    whole = _update("@@", "def f():", "    one()", "-    two()", "+    three()")
    assert patched(before, whole) == {"a": b"def f():\n    one()\n    three()\n"}
    some = _update("@@", "def f():", "     one()", "-    two()", "+    three()")
    assert patched(before, some) == {"a": b"def f():\n    one()\n    three()\n"}
    for wrong in ("   one()", "one()"):
        with pytest.raises(PatchError, match="Line 4"):
            patched(before, _update("@@", "def f():", wrong, "-    two()", "+    three()"))
    almost = {"a": before["a"].replace(b":", b": ")}
    with pytest.raises(PatchError, match="Line 4"):
        patched(almost, _update("@@", "def f():", "     one()", "-    two()"))


def test_a_blank_context_line_may_lie_behind_the_end_of_the_file() -> None:
    hunk = ["@@", " x", "-y", "+z", " "]
    assert patched({"a": b"x\ny\n"}, _update(*hunk)) == {"a": b"x\nz\n"}
    assert patched({"a": b"x\ny"}, _update(*hunk)) == {"a": b"x\nz"}
    assert patched({"a": b"x\ny\n\nq\n"}, _update(*hunk)) == {"a": b"x\nz\n\nq\n"}
    with pytest.raises(PatchError):
        patched({"a": b"x\ny\nq\n"}, _update(*hunk))
    with pytest.raises(AlreadyApplied):
        patched({"a": b"x\nz\n"}, _update(*hunk))
    with pytest.raises(PatchError):
        patched({"a": b"x\ny\n"}, _update(*hunk, " "))
    with pytest.raises(PatchError):  # it was made at the first place, and may not be at the last
        patched({"a": b"x\nz\n\nx\ny\n"}, _update(*hunk))


@pytest.mark.parametrize(
    ("hunk", "after"),
    [
        (["-\ufeffx", "+z"], b"\xef\xbb\xbfz\ny\nx\n"),
        (["-\ufeffx", "+\ufeffz"], b"\xef\xbb\xbfz\ny\nx\n"),
        ([" \ufeffx", "-y", "+z"], b"\xef\xbb\xbfx\nz\nx\n"),
        ([" x", "+\ufeffz", " y"], b"\xef\xbb\xbfx\nz\ny\nx\n"),
    ],
)
def test_a_byte_order_mark_in_a_quoted_line_is_that_of_the_file(
    hunk: list[str], after: bytes
) -> None:
    assert patched({"a": b"\xef\xbb\xbfx\ny\nx\n"}, _update("@@", *hunk)) == {"a": after}


def test_a_byte_order_mark_that_the_file_lacks_is_not_there() -> None:
    with pytest.raises(PatchError):
        patched({"a": b"x\ny\n"}, _update("@@", "-\ufeffx", "+z"))


@pytest.mark.parametrize("opening", ["@@", "@@ -1,0 +2 @@", "@@ -4,0 +5 @@ x"])
def test_only_added_lines_without_a_place_are_refused_with_two_ways_to_say_where(
    opening: str,
) -> None:
    with pytest.raises(PatchError, match="only \\+ lines") as refused:
        patched({"a": b"x\ny\n"}, _update(opening, "+new"))
    assert refused.value.hint is not None
    assert "context line" in refused.value.hint
    assert "after @@" in refused.value.hint


def test_only_added_lines_go_into_an_empty_file() -> None:
    assert patched({"a": b""}, _update("@@", "+new")) == {"a": b"new\n"}


def test_a_hunk_that_only_quotes_lines_stands_for_nothing_but_must_be_there() -> None:
    text = _update("@@", " x", "@@", "-y", "+z")
    assert patched({"a": b"x\nx\ny\n"}, text) == {"a": b"x\nx\nz\n"}
    with pytest.raises(PatchError):
        patched({"a": b"q\ny\n"}, text)

"""write appends, move copies and says what is left, search shows the match in a long line."""

from __future__ import annotations

import pytest

from tests.toolsets.agent.conftest import Desk
from tests.wire.test_dry_run_names import contents


@pytest.mark.requirement("agent-write-appends")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\n", "one\ntwo é\n".encode()),
        (b"one\r\n", "one\r\ntwo é\r\n".encode()),
        ("one ü\n".encode("utf-16"), "one ü\ntwo é\n".encode("utf-16")),
        (None, "two é\n".encode()),
    ],
)
def test_append_adds_to_the_end_in_the_files_own_form(
    desk: Desk, before: bytes | None, after: bytes
) -> None:
    if before is not None:
        (desk.root / "log.txt").write_bytes(before)
    desk.text("write", path="log.txt", content="two é\n", append=True)
    assert (desk.root / "log.txt").read_bytes() == after
    desk.text("undo")
    left = desk.root / "log.txt"
    assert (left.read_bytes() if left.exists() else None) == before


@pytest.mark.requirement("agent-write-appends")
def test_nothing_is_appended_to_a_binary_file(desk: Desk) -> None:
    before = contents(desk.root)
    assert desk.failure("write", path="dot.png", content="x", append=True).startswith("BINARY")
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-move-copies")
def test_a_directory_is_copied_with_everything_in_it(desk: Desk) -> None:
    desk.write({"src/deep/x.sh": "echo x\n"})
    (desk.root / "src/deep/x.sh").chmod(0o755)
    (desk.root / "src/link").symlink_to("app.py")
    before = contents(desk.root)
    desk.text("move", path="src", to="copied", copy=True)
    assert (desk.root / "copied/app.py").read_bytes() == (desk.root / "src/app.py").read_bytes()
    assert (desk.root / "copied/deep/x.sh").stat().st_mode & 0o111
    assert (desk.root / "copied/link").is_symlink()
    desk.text("undo")
    assert contents(desk.root) == before


@pytest.mark.requirement("agent-move-copies")
def test_a_copy_replaces_nothing_unless_told(desk: Desk) -> None:
    said = desk.failure("move", path="a.txt", to="conf.json", copy=True)
    assert said.startswith("ALREADY_EXISTS")
    desk.text("move", path="a.txt", to="conf.json", copy=True, overwrite=True)
    assert (desk.root / "conf.json").read_text() == (desk.root / "a.txt").read_text()
    assert "into itself" in desk.failure("move", path="src", to="src/in", copy=True)
    said = desk.failure("move", path="a.txt", to="b.txt", copy=True, imports=True)
    assert "Imports do not follow a copy" in said


@pytest.mark.requirement("agent-move-notes")
def test_a_move_without_imports_counts_those_that_name_the_old_path(desk: Desk) -> None:
    said = desk.text("move", path="src/app.py", to="src/core.py")
    assert "note: 1 import still names the old path" in said
    said = desk.text("move", path="src/core.py", to="src/app.py", imports=False)
    assert "old path" not in said


@pytest.mark.requirement("agent-move-notes")
def test_a_new_package_without_an_init_file_is_noted_where_its_siblings_have_one(
    desk: Desk,
) -> None:
    desk.write({"pkg/__init__.py": "", "pkg/a/__init__.py": "", "plain/x/y.py": ""})
    assert "pkg/b has no __init__.py" in desk.text("write", path="pkg/b/m.py", content="x = 1\n")
    assert "__init__" not in desk.text("write", path="pkg/b/n.py", content="x = 1\n")
    assert "__init__" not in desk.text("write", path="plain/z/m.py", content="x = 1\n")
    patch = (
        "*** Begin Patch\n*** Add File: pkg/c/__init__.py\n+\n*** Add File: pkg/c/m.py\n+x = 1\n"
    )
    assert "has no" not in desk.text("apply_patch", patch=patch + "*** End Patch")


@pytest.mark.requirement("agent-search-window")
@pytest.mark.parametrize("regex", [False, True])
@pytest.mark.parametrize("before", [2_000, 20_000])
def test_search_shows_what_is_around_the_match_in_a_long_line(
    desk: Desk, before: int, regex: bool
) -> None:
    desk.write({"min.js": "a" * before + ";findMe(1);" + "b" * 5_000 + "\n"})
    said = desk.text("search", query="findMe", regex=regex)
    assert ";findMe(1);" in said
    assert said.count("...") == 2
    assert len(said) < 600

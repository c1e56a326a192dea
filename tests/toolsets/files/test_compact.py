"""`compact` says the same in fewer words; without it the answers are as they always were."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from redline.search.globs import is_glob, matcher
from redline.toolsets.compact import by_directory, equal_lines_once
from tests.toolsets.files.conftest import Desk

_NAMES = st.text(alphabet="ab{},*?[]\\ .-é", min_size=1, max_size=6).filter(
    lambda name: name not in (".", "..")
)
_PATHS = st.lists(
    st.lists(_NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=30, unique=True
)


@settings(max_examples=200)
@given(_PATHS)
def test_every_line_is_a_path_or_a_glob_of_exactly_its_paths(paths: list[str]) -> None:
    left = set(paths)
    for line in by_directory(paths):
        named = {line} if line in left else {path for path in left if matcher((line,))(path)}
        assert named, line
        left -= named
    assert not left


def test_a_directory_of_many_files_stays_within_what_a_glob_may_hold() -> None:
    paths = [f"d/{number}" for number in range(1000)]
    lines = by_directory(paths)
    assert all(is_glob(line) for line in lines)
    assert [path for path in paths if any(matcher((line,))(path) for line in lines)] == paths


def test_equal_lines_stand_once_with_all_their_places() -> None:
    found = [("a", 1, "  x = 1"), ("a", 7, "x = 1"), ("b", 2, "y"), ("c", 3, "x = 1 ")]
    assert equal_lines_once(found) == ["x = 1", " a:1,7", " c:3", "b:2:y"]


def test_files_found_come_by_directory_without_links(desk: Desk) -> None:
    for name in ("src/a.py", "src/b.py", "top.py"):
        desk.file(name)
    found = desk.call("glob_search", directory=desk.here, globs=["**/*.py"], compact=True)
    (block,) = found["content"]
    assert sorted(block["text"].splitlines()) == [
        f"[3 matches in {desk.here}]",
        "src/{a.py,b.py}",
        "top.py",
    ]
    assert len(found["structuredContent"]["matches"]) == 3
    named = desk.call("search_files", directory=desk.here, nameContains="a.p", compact=True)
    assert named["content"][0]["text"] == f"[1 match in {desk.here}]\nsrc/a.py"


def test_what_was_found_can_be_handed_on_as_a_glob(desk: Desk) -> None:
    for name in ("src/a.py", "src/b.py"):
        desk.file(name, "old\n")
    told = desk.text("glob_search", directory=desk.here, globs=["**/*.py"], compact=True)
    glob = told.splitlines()[1]
    edits = [{"oldText": "old", "newText": "new"}]
    done = desk.text("edit_files", paths=[f"{desk.here}/{glob}"], edits=edits, compact=True)
    assert done == f"Edited 2 files\n{desk.here}/{glob}"
    assert (desk.here / "src" / "b.py").read_text() == "new\n"


def test_lines_found_are_relative_and_equal_ones_stand_once(desk: Desk) -> None:
    desk.file("a.py", "import os\nx = os.sep\n")
    desk.file("b.py", "    import os\n")
    told = desk.text("grep_files", directory=desk.here, regex="os", compact=True)
    assert told == f"import os\n a.py:1\n b.py:1\na.py:2:x = os.sep\n[3 matches in {desk.here}]"
    around = desk.text("grep_files", directory=desk.here, regex="sep", contextLines=1, compact=True)
    assert around.splitlines()[:2] == ["a.py-1-import os", "a.py:2:x = os.sep"]
    nothing = desk.text("grep_files", directory=desk.here, regex="absent", compact=True)
    assert nothing == "(no matches found)"


def test_files_of_a_glob_without_the_text_are_only_counted(desk: Desk) -> None:
    desk.file("a.py", "old\n")
    for name in ("b.py", "c.py"):
        desk.file(name, "other\n")
    named = desk.file("named.txt", "other\n")
    call = {
        "paths": [f"{desk.here}/*.py", str(named)],
        "edits": [{"oldText": "old", "newText": "new"}],
        "compact": True,
    }
    dry = desk.text("edit_files", **call, dryRun=True)
    assert dry.startswith("Would edit 1 file; no match in 2 files of the globs\n")
    assert "+new" in dry
    done = desk.call("edit_files", **call)["content"]
    assert len(done) == 1
    head, edited, failed, *_ = done[0]["text"].splitlines()
    assert head == "Edited 1 file; no match in 2 files of the globs"
    assert edited == f"{desk.here}/a.py"
    assert failed.startswith(f"{named}: [error ")


def test_when_no_file_of_a_glob_holds_the_text_the_first_says_why(desk: Desk) -> None:
    for name in ("a.py", "b.py"):
        desk.file(name, "other\n")
    edits = [{"oldText": "absent", "newText": "x"}]
    told = desk.text("edit_files", paths=[f"{desk.here}/*.py"], edits=edits, compact=True)
    head, why, *_ = told.splitlines()
    assert head == "Edited 0 files; no match in 2 files of the globs"
    assert why.startswith(f"{desk.here}/a.py: [error ")
    assert "hint:" in told


def test_advice_is_given_once_and_every_file_keeps_its_own_item(desk: Desk) -> None:
    for name in ("a.py", "b.py", "c.py"):
        desk.file(name, "other\n")
    edits = [{"oldText": "absent", "newText": "x"}]
    items = desk.call("edit_files", paths=[f"{desk.here}/*.py"], edits=edits)["content"]
    texts = [item["text"] for item in items]
    assert [text.count("hint:") for text in texts] == [1, 0, 0]
    assert all("[error -32603] oldText not found" in text for text in texts)

"""`charset` of `.editorconfig`, as editors apply it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from redline.core.encodings.opening import configured_encoding
from redline.core.paths import WorkspacePath
from tests.search.plain_tree import PlainTree

pytestmark = pytest.mark.requirement("encodings-order")


def _configured(folder: Path, name: str, **files: str) -> str | None:
    for place, text in files.items():
        target = folder / place.replace("__", "/") / ".editorconfig"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return configured_encoding(PlainTree(folder), WorkspacePath(0, tuple(name.split("/"))))


@pytest.mark.parametrize(
    ("glob", "name", "selected"),
    [
        ("*", "a/b.txt", True),
        ("*.txt", "a/b.txt", True),
        ("*.{c,h}", "x.h", True),
        ("*.{c,h}", "x.cc", False),
        ("{*.a,sub/*.b}", "sub/q.b", True),
        ("src/**.py", "src/a/b.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("/x.py", "x.py", True),
        ("/x.py", "a/x.py", False),
        ("**/t/**", "a/t/q/z", True),
        ("file{1..3}.txt", "file2.txt", True),
        ("file{1..3}.txt", "file4.txt", False),
        ("[a-c].md", "b.md", True),
        ("[!abc].md", "b.md", False),
        ("a?c", "abc", True),
        ("a\\*c", "abc", False),
    ],
)
def test_sections_select_as_editorconfig_says(
    tmp_path: Path, glob: str, name: str, selected: bool
) -> None:
    text = f"root = true\n[{glob}]\ncharset = latin1\n"
    assert _configured(tmp_path, name, **{"": text}) == ("iso8859-1" if selected else None)


def test_the_nearest_file_and_the_last_section_win_up_to_the_root(tmp_path: Path) -> None:
    top = "[*]\ncharset = utf-8\n[*.rc]\ncharset = cp1251\n"
    assert _configured(tmp_path, "a/x.rc", **{"": top}) == "cp1251"
    assert _configured(tmp_path, "a/x.rc", a="# comment\n[*]\nCharset = UTF-8-BOM\n") == "utf-8"
    assert _configured(tmp_path, "a/b/x.rc", a__b="root=true\n[*.h]\ncharset = latin1\n") is None


def test_a_hostile_file_costs_little(tmp_path: Path) -> None:
    text = "\n".join([f"[{'{a,b}' * 30}**/*{'a*' * 4}]\ncharset = latin1\n" for _ in range(200)])
    start = time.process_time()
    assert _configured(tmp_path, "a" * 500, **{"": text}) is None
    assert time.process_time() - start < 5

"""Renames over the wire: one binding of a word, told from its namesakes, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.client import Client, connect
from tests.wire.test_code_tools import _bad, _edit, _good

TRANSPORTS_TAKE_TURNS = True

PYTHON = """count = 0


def first(items):
    count = len(items)
    return count


print(count, first([]))
"""
GO = """package a

func one() int {
\tn := 1
\treturn n
}

func two() int {
\tn := 2
\treturn n
}
"""


@pytest.fixture
def client(tmp_path: Path, transport: str) -> Client:
    (tmp_path / "a.py").write_text(PYTHON)
    (tmp_path / "a.go").write_text(GO)
    return connect(transport, ["--tools", "code,history"], cwd=tmp_path)


@pytest.mark.requirement("code-rename")
def test_a_local_of_the_same_name_stays(client: Client, tmp_path: Path) -> None:
    with client:
        _good(_edit(client, "a.py", edit_instruction="rename count to total"))
        assert (tmp_path / "a.py").read_text() == PYTHON.replace("count = 0", "total = 0").replace(
            "print(count", "print(total"
        )
        _good(_edit(client, "a.py", edit_instruction="rename count to size", start_line=5))
        assert "    size = len(items)\n    return size\n" in (tmp_path / "a.py").read_text()


@pytest.mark.requirement("code-rename")
def test_what_cannot_be_told_is_refused_with_its_lines(client: Client, tmp_path: Path) -> None:
    with client:
        refused = _bad(_edit(client, "a.go", edit_instruction="rename n to m"), "INVALID_INPUT")
        assert (tmp_path / "a.go").read_text() == GO
        assert "4" in refused["message"]
        assert "9" in refused["message"]
        _good(_edit(client, "a.go", edit_instruction="rename n to m everywhere"))
        assert (tmp_path / "a.go").read_text() == (
            GO.replace("\tn :=", "\tm :=").replace("return n", "return m")
        )

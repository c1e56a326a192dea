"""`redline map`, `outline` and `where`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from redline.cli.main import main


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    (root / "lib").mkdir(parents=True)
    (root / "lib" / "core.py").write_text(
        'class Engine:\n    """Runs."""\n\n    def start(self): return 1\n'
    )
    for name in ("a", "b", "c"):
        (root / f"{name}.py").write_text("from lib.core import Engine\n\nEngine().start()\n")
    (root / ".gitignore").write_text("hidden.py\n")
    (root / "hidden.py").write_text("class Secret: pass\n")
    monkeypatch.chdir(root)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return root


def test_map_shows_the_most_used_file_first(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["map"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("lib/core.py  python, 4 lines\n     1  class     Engine  Runs.\n")
    assert "hidden" not in shown


def test_map_says_what_it_left_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["map", "--files", "1"]) == 0
    assert "and 3 more files" in capsys.readouterr().out


def test_map_leaves_nothing_in_the_workspace(project: Path) -> None:
    before = sorted(project.rglob("*"))
    assert main(["map"]) == 0
    assert sorted(project.rglob("*")) == before


def test_outline_nests_symbols(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["outline", "lib/core.py"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["1", "class", "class", "Engine", "Runs."]
    assert lines[2].startswith("     4    method")
    assert lines[0] == "core.py  python, 2 symbols"
    assert main(["outline", "hidden.py"]) == 0
    assert capsys.readouterr().out.startswith("hidden.py  python, 1 symbol\n")


def test_outline_of_a_file_without_a_grammar_fails(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "notes.txt").write_text("x\n")
    assert main(["outline", "notes.txt"]) == 1
    assert "No grammar" in capsys.readouterr().err


def test_where_shows_definitions_and_uses(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["where", "Engine.start"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("lib/core.py\n     4  method    def start(self)\n")
    assert "a.py  3" in shown


def test_where_tells_certain_uses_from_possible_ones(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "d.py").write_text("def go(thing):\n    thing.start()\n")
    (project / "e.py").write_text("def start(): pass\n\nstart()\n")
    assert main(["where", "Engine.start"]) == 0
    shown = capsys.readouterr().out
    assert "used on 4 lines, 3 of them for certain:" in shown
    assert "a.py  3\n" in shown
    assert "d.py  2?\n" in shown
    assert "\ne.py" not in shown


def test_where_sees_a_change_made_since(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["where", "Engine"]) == 0
    (project / "lib" / "core.py").write_text("\n\nclass Engine: pass\n")
    capsys.readouterr()
    assert main(["where", "Engine"]) == 0
    assert "     3  class" in capsys.readouterr().out


def test_where_of_an_unknown_symbol_fails(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["where", "Nope"]) == 3
    assert "No such symbol: Nope" in capsys.readouterr().err


def test_rewrite_lists_changes_and_can_be_undone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / "a.py").read_text()
    assert main(["rewrite", "Engine()", "--language", "python"]) == 0
    assert "a.py:3:Engine()" in capsys.readouterr().out
    assert main(["rewrite", "Engine()", "Engine(1)", "--language", "python"]) == 0
    assert "Changed 3 files" in capsys.readouterr().out
    assert "Engine(1).start()" in (project / "a.py").read_text()
    assert main(["rewrite", "Motor()", "Engine(1)", "--language", "python"]) == 3
    assert main(["rewrite", "Motor()", "--language", "python"]) == 3
    assert main(["undo"]) == 0
    assert (project / "a.py").read_text() == before


def test_rename_takes_every_file_along(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rename", "Engine", "Motor", "--dry-run"]) == 0
    assert "+class Motor:" in capsys.readouterr().out
    assert "class Engine:" in (project / "lib/core.py").read_text()
    assert main(["rename", "Engine", "Motor"]) == 0
    assert (project / "a.py").read_text() == "from lib.core import Motor\n\nMotor().start()\n"
    assert main(["rename", "Motor.start", "go", "--file", "lib/core.py"]) == 0
    assert (project / "b.py").read_text() == "from lib.core import Motor\n\nMotor().go()\n"


@pytest.mark.requirement("agent-check-formats")
def test_a_rewrite_can_be_checked(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    monkeypatch.setenv("PATH", os.pathsep.join(programs))
    (project / "ruff.toml").write_text("")
    (project / "made.py").write_text("print(1)\n")
    line = ["rewrite", "print($A)", "print( $A+zero)", "--file", "made.py", "--check"]
    assert main(line) == 0
    assert (project / "made.py").read_text() == "print(1 + zero)\n"
    assert "new problem: made.py:1: F821 Undefined name `zero` (ruff)" in capsys.readouterr().err

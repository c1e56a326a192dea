"""`redline context`, `rewrite` and `rename`."""

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


def test_context_of_a_project_shows_the_most_used_file_first(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(project.rglob("*"))
    assert main(["context"]) == 0
    shown = capsys.readouterr().out
    assert "class Engine" in shown.partition("a.py")[0]
    assert "hidden" not in shown
    assert sorted(project.rglob("*")) == before


def test_context_of_a_symbol_shows_definitions_and_uses(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["context", "Engine.start"]) == 0
    assert "def start(self)" in capsys.readouterr().out
    assert main(["context", "Engine", "--kind", "references"]) == 0
    assert "a.py" in capsys.readouterr().out
    (project / "lib" / "core.py").write_text("\n\nclass Engine: pass\n")
    assert main(["context", "Engine"]) == 0
    assert "core.py:3" in capsys.readouterr().out
    assert main(["context", "Nope"]) == 3


def test_rewrite_lists_changes_and_can_be_undone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / "a.py").read_text()
    assert main(["rewrite", "Engine()", "--language", "python"]) == 0
    assert "a.py:3:Engine()" in capsys.readouterr().out
    assert main(["rewrite", "Engine()", "Engine(1)", "--language", "python"]) == 0
    assert "3 places" in capsys.readouterr().out
    assert "Engine(1).start()" in (project / "a.py").read_text()
    assert main(["rewrite", "Motor()", "Engine(1)", "--language", "python"]) == 3
    assert main(["rewrite", "Motor()", "--language", "python"]) == 3
    assert main(["undo"]) == 0
    assert (project / "a.py").read_text() == before


@pytest.mark.requirement("agent-rewrite-loses-nothing")
def test_rewrite_names_the_places_that_it_left_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "more.py").write_text("import os, sys\nimport re\n")
    line = ["rewrite", "import $X", "import $X as z", "--file", "more.py"]
    for flag in (["--dry-run"], []):
        assert main([*line, *flag]) == 0
        said = capsys.readouterr().out
        assert "left alone, 1 place holds more than the pattern: more.py:1 `, sys`" in said
    assert (project / "more.py").read_text() == "import os, sys\nimport re as z\n"
    (project / "more.py").write_text("import os, sys\n")
    assert main(line) == 3
    assert "1 place holds more than the pattern: more.py:1 `, sys`" in capsys.readouterr().err


def test_rename_takes_every_file_along(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rename", "Engine", "Motor", "--dry-run"]) == 0
    assert "Motor" in capsys.readouterr().out
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
    assert "made.py:1: F821 Undefined name `zero` (ruff)" in capsys.readouterr().out

"""Hints name the program as the person in front of the terminal can call it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from redline.cli.terminal import program


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program at .venv/bin below the current directory, not on the PATH."""
    place = tmp_path / "clone" / ".venv" / "bin" / "redline"
    place.parent.mkdir(parents=True)
    place.write_text("")
    monkeypatch.chdir(tmp_path / "clone")
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(sys, "argv", [str(place)])
    return place


def test_it_is_named_from_where_the_person_stands(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert program() == os.path.join(".venv", "bin", "redline")
    monkeypatch.chdir(installed.parents[3])
    assert program() == os.path.join("clone", ".venv", "bin", "redline")
    monkeypatch.chdir(installed.parent)
    assert program() == os.path.join(".", "redline")
    (installed.parents[3] / "far").mkdir()
    monkeypatch.chdir(installed.parents[3] / "far")
    assert program() == str(installed)


def test_on_the_path_the_name_is_enough(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(installed.parent))
    assert program() == "redline"


def test_another_program_of_that_name_on_the_path_does_not_count(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "elsewhere" / "redline"
    other.parent.mkdir()
    other.write_text("")
    monkeypatch.setenv("PATH", f"{other.parent}{os.pathsep}{installed.parent}")
    assert program() == os.path.join(".venv", "bin", "redline")


def test_run_as_a_module_it_goes_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/lib/python3/redline/__main__.py"])
    assert program() == "redline"

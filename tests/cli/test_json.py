"""redline json as a shell sees it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BEFORE = '{\n  "port": 8080,  \n  "ratio": 1.50,\n  "hosts": ["a", "b"]\n}\n'


class Shell:
    """Runs the real command in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("REDLINE_")},
            "PYTHONPATH": str(ROOT / "src"),
            "REDLINE_STATE_DIR": str(folder / "state"),
        }

    def __call__(self, *args: str, stdin: str = "", **env: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "redline", *args],
            cwd=self.folder,
            env={**self.env, **env},
            input=stdin.encode(),
            capture_output=True,
            timeout=60,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    (made.folder / "c.json").write_text(BEFORE)
    return made


@pytest.mark.requirement("json-shell")
def test_a_file_is_changed_in_place_and_the_change_is_undone(shell: Shell) -> None:
    file = shell.folder / "c.json"
    code, out, err = shell("json", "set the port to 9090", "c.json", "--yes")
    assert (code, err) == (0, "")
    assert '-  "port": 8080,  \n+  "port": 9090,  \n' in out
    assert file.read_text() == BEFORE.replace("8080", "9090")
    assert shell("undo")[0] == 0
    assert file.read_text() == BEFORE


@pytest.mark.requirement("json-shell")
def test_a_dry_run_only_shows(shell: Shell) -> None:
    code, out, _ = shell("json", "remove b from hosts", "c.json", "--dry-run")
    assert code == 0
    assert '+  "hosts": ["a"]' in out
    assert (shell.folder / "c.json").read_text() == BEFORE


def test_the_diff_has_colour_where_someone_looks(shell: Shell) -> None:
    _, out, _ = shell("json", "increment port", "c.json", "--dry-run", FORCE_COLOR="1")
    assert '\x1b[32m+  "port": 8081,  \x1b[0m' in out


def test_nobody_to_ask_means_nothing_is_changed(shell: Shell) -> None:
    code, out, _ = shell("json", "set the port to 9090", "c.json")
    assert code == 1
    assert "Nothing was changed" in out
    assert (shell.folder / "c.json").read_text() == BEFORE


PEOPLE = '{"people": [{"name": "Ann", "age": 3}, {"name": "Bob", "age": 4}]}'


@pytest.mark.requirement("json-candidates")
def test_the_readings_of_an_ambiguous_instruction_are_a_numbered_choice(shell: Shell) -> None:
    file = shell.folder / "p.json"
    file.write_text(PEOPLE)
    code, _, err = shell("instruct", "p.json", "set the age to 9", "--yes")
    assert code == 1
    assert "1. set /people/0/age to 9" in err
    assert "2. set /people/1/age to 9" in err
    assert file.read_text() == PEOPLE
    assert shell("instruct", "p.json", "set the age to 9", "--yes", "--choose", "2")[0] == 0
    assert file.read_text() == PEOPLE.replace("4", "9")
    assert shell("instruct", "p.json", "set the age to 5", "--yes", "--choose", "7")[0] == 1


@pytest.mark.requirement("json-other-formats")
def test_a_yaml_file_is_changed_by_instruction(shell: Shell) -> None:
    file = shell.folder / "c.yaml"
    file.write_text("port: 80 # public\n")
    assert shell("instruct", "c.yaml", "set the port to 81", "--yes")[0] == 0
    assert file.read_text() == "port: 81 # public\n"


@pytest.mark.requirement("json-other-formats")
@pytest.mark.parametrize(
    ("name", "before", "wanted"),
    [
        ("n.yaml", "a: 1.5\nb: 2 # x\n", "a: 12.50\nb: 1e3 # x\n"),
        ("n.toml", "a = 1.5\nb = 2.0\n", "a = 12.50\nb = 1e3\n"),
        ("n.json5", "{a: 1.5, b: 2}\n", "{a: 12.50, b: 1e3}\n"),
        ("n.json", '{"a": 1.5, "b": 2}\n', '{"a": 12.50, "b": 1e3}\n'),
    ],
)
def test_numbers_are_written_as_the_instruction_has_them(
    shell: Shell, name: str, before: str, wanted: str
) -> None:
    (shell.folder / name).write_text(before)
    assert shell("instruct", name, "set a to 12.50 and b to 1e3", "--yes")[0] == 0
    assert (shell.folder / name).read_text() == wanted


def test_nothing_to_change_has_its_own_exit_code(shell: Shell) -> None:
    assert shell("json", "set the port to 8080", "c.json", "--yes")[0] == 3


def test_standard_input_goes_to_standard_output(shell: Shell) -> None:
    code, out, _ = shell("json", "double the port", "-", stdin=BEFORE)
    assert (code, out) == (0, BEFORE.replace("8080", "16160"))


def test_a_file_that_is_not_json_is_refused(shell: Shell) -> None:
    (shell.folder / "bad.json").write_text("{nope")
    code, _, err = shell("json", "set a to 1", "bad.json", "--yes")
    assert code == 1
    assert "redline:" in err

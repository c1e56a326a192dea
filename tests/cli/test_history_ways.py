"""History commands from subdirectories, with filters, mistakes and conflicts; the recipes."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from redline.core.ports.history import Origin
from tests.cli.test_history_tools import Project, Run, _edited, project, run

__all__ = ["project", "run"]

PAGE = Path(__file__).parents[2] / "docs/history.md"


@pytest.mark.requirement("history-found-from-anywhere")
def test_paths_are_meant_from_the_current_directory_or_as_diffs_name_them(
    project: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = project.write("src/app.py", _edited(3))
    (project.root / "src/deep").mkdir()
    for place, name in (
        ("src", "app.py"),
        ("src/deep", "../app.py"),
        ("src/deep", "src/app.py"),
        (".", "src"),
    ):
        monkeypatch.chdir(project.root / place)
        assert change.id in run("log", name), (place, name)
        assert "+line 3\n" in run("undo", "@", "--paths", name, "--dry-run"), (place, name)
    monkeypatch.chdir(project.root / "src/deep")
    (project.root / "src/app.py").unlink()
    assert change.id in run("log", "../app.py"), "gone, but not from the history"


@pytest.mark.requirement("history-command-line")
def test_the_next_page_keeps_the_filters_and_no_match_is_not_an_empty_history(
    project: Project, run: Run
) -> None:
    assert run("log", "--mine", code=3) == "no changes yet\n"
    ids = [project.write("src/app.py", _edited(n)).id for n in (1, 2, 3)]
    project.write("src/app.py", _edited(4), session="another")
    shown = run("log", "app.py", "--session", "1f2e3d4c", "--client", "my-agent", "-n", "1")
    more = shown.splitlines()[-1].partition("more: ")[2]
    assert ids[1] in run(*shlex.split(more)[1:])
    assert run("log", "--mine", code=3) == "no change matches\n"
    assert "--mine" in run("log", "--mine", "--client", "x", code=2)


@pytest.mark.requirement("history-command-line")
def test_a_mistyped_flag_is_answered_with_the_nearest(project: Project, run: Run) -> None:
    assert "did you mean --session?" in run("undo", "--sesion", "x", code=2)
    assert "did you mean --hunks?" in run("undo", "--hunk5=1", code=2)
    assert "redline log --help lists" in run("log", "a", "b", code=2)


@pytest.mark.requirement("history-whose")
def test_who_made_a_change_is_the_client_and_whom_it_works_for(project: Project, run: Run) -> None:
    project.redline.editor.note_checkpoint(Origin("t", "agent 1", "alice", "c", "s1"))
    assert "agent 1 for alice  s1" in run("log")
    assert "agent 1 for alice" not in run("log", "--principal", "bob", code=3)
    shown = run("show")
    assert "client: agent 1\nprincipal: alice\nsession: s1\n" in shown


@pytest.mark.requirement("history-undo-merges")
def test_a_refused_undo_names_what_is_in_the_way_and_nothing_that_was_taken_back(
    project: Project, run: Run
) -> None:
    first = project.write("src/app.py", _edited(3))
    run("undo")
    run("redo")
    other = project.write("src/app.py", _edited(3).replace("new 3", "other"), session="another")
    taken = project.write("src/app.py", _edited(3).replace("new 3", "third"), session="another")
    run("undo", taken.id)
    shown = run("undo", first.id, code=1)
    assert f"Changed since by change {other.id}: " in shown
    assert f"<<<<<<< now, changed by {other.id}\nother\n=======\nline 3\n>>>>>>> wanted" in shown
    assert "other" in project.app.read_text()


@pytest.mark.requirement("history-undo-parts")
def test_show_says_in_words_that_a_part_was_taken_back(project: Project, run: Run) -> None:
    change = project.write("src/app.py", _edited(3, 20))
    run("undo", "@", "--hunks", "2")
    assert f"reverts: a part of {change.id}\n" in run("show")


@pytest.mark.requirement("history-examples-run")
def test_the_recipes_of_the_page_run_as_printed(
    project: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    recipes = PAGE.read_text("utf-8").partition("## Six recipes")[2].partition("\n## ")[0]
    blocks = re.findall(r"```\n(.*?)```", recipes, re.DOTALL)
    assert len(blocks) == 6
    asked = Origin("prompt", "my-agent", summary="go on", session="1f2e3d4c")
    for block in blocks:
        project.redline.editor.note_prompt(asked)
        project.write("notes", block)
        project.redline.editor.note_prompt(asked)
        project.write("README", "not of the latest change\n" + block)
        project.write("src/app.py", _edited(3, 20))
        for line in block.splitlines():
            run(*shlex.split(line)[1:])
            if line.startswith("redline checkpoint"):
                project.write("src/app.py", _edited(5))
    words = {word for block in blocks for word in re.findall(r"redline (\w+)", block)}
    assert {"undo", "show", "checkpoint", "rewind", "log", "blame", "restore"} <= words


@pytest.mark.requirement("history-command-line")
def test_what_does_not_fit_the_screen_goes_through_the_pager(
    project: Project, tmp_path: Path
) -> None:
    ids = [project.write("src/app.py", _edited(n)).id for n in range(1, 8)]
    reader = "import sys; open('paged', 'w').write(sys.stdin.read())"
    ours, terminal = pty.openpty()
    for rows, is_paged in ((24, False), (5, True)):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 200, 0, 0))
        subprocess.run(
            [sys.executable, "-m", "redline", "log"],
            stdout=terminal,
            check=True,
            cwd=project.root / "src",
            env={**os.environ, "PAGER": shlex.join([sys.executable, "-c", reader])},
        )
        paged = project.root / "src/paged"
        assert paged.exists() == is_paged
    assert all(each in paged.read_text() for each in ids)
    os.close(ours)
    os.close(terminal)


@pytest.mark.requirement("history-completions")
def test_bash_completes_an_id_as_a_person_types_it(project: Project, run: Run) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    change = project.write("src/app.py", _edited(3))
    script = run("completions", "bash")
    typed = f"COMP_WORDS=(redline undo {change.id[:3]}); COMP_CWORD=2; _redline; echo $COMPREPLY"
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(
        [bash, "-c", f"{script}\n{typed}"],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        check=True,
    )
    assert done.stdout.strip() == change.id


@pytest.mark.requirement("history-undo-follows-moves")
def test_a_move_in_a_file_manager_is_undone_after_edits_and_blame_looks_behind_it(
    project: Project, run: Run
) -> None:
    edit = project.write("src/app.py", _edited(3))
    run("watch", "--once")
    project.app.rename(project.root / "src/main.py")
    moved = run("watch", "--once")
    assert "delete src/app.py, create src/main.py" in moved
    later = project.write("src/main.py", _edited(3, 20))
    lines = run("blame", "main.py").splitlines()
    assert lines[2].startswith(edit.id)
    assert lines[19].startswith(later.id)
    assert lines[5].startswith("."), "not made by the move"
    shown = run("undo", moved.split()[0])
    assert "rename from src/main.py\nrename to src/app.py\n" in shown
    assert project.app.read_text() == _edited(3, 20)
    assert run("blame", "app.py").splitlines()[19].startswith(later.id)
    run("redo")
    assert (project.root / "src/main.py").read_text() == _edited(3, 20)

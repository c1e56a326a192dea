"""What the history commands say of files that are not plain text, and of changes without files."""

from __future__ import annotations

import re

import pytest

from redline.cli.main import main
from redline.cli.parser import build_parser
from redline.cli.terminal import escape_for_terminal, fit, paint
from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState
from redline.core.paths import Access
from redline.core.ports.history import Origin
from tests.cli.test_history_tools import Project, Run, _edited, project, run

__all__ = ["project", "run"]


def _commit(project: Project, name: str, content: bytes, session: str = "1f2e3d4c") -> str:
    path = project.redline.workspace.resolve(name, Access.WRITE)
    change = Change(path, project.redline.tree.state(path), FileState.of(content))
    origin = Origin("edit_file", "my-agent 2", "", "make it better", session)
    return project.redline.editor.commit(ChangeSet((change,)), origin).id


def test_lines_of_utf_16_are_counted_and_blamed(project: Project, run: Run) -> None:
    (project.root / "wide.txt").write_bytes("eins\r\nzwei\r\n".encode("utf-16"))
    change = _commit(project, "wide.txt", "eins\r\nzwei €\r\ndrei\r\n".encode("utf-16"))
    assert "+2  -1  edit wide.txt" in run("log")
    lines = run("blame", str(project.root / "wide.txt")).splitlines()
    assert [line.split("  ")[-1] for line in lines] == ["eins", "zwei €", "drei"]
    assert [line.startswith(change) for line in lines] == [False, True, True]


def test_the_lines_of_a_binary_file_have_no_makers(project: Project, run: Run) -> None:
    (project.root / "b.bin").write_bytes(bytes(range(256)))
    assert run("blame", str(project.root / "b.bin"), code=1) == "redline: Binary file: b.bin\n"


def test_a_diff_of_cr_lf_shows_no_line_ends(project: Project, run: Run) -> None:
    (project.root / "w.txt").write_bytes(b"one\r\ntwo\r\n")
    _commit(project, "w.txt", b"one\r\n2\r\n")
    assert " one\n-two\n+2\n" in run("show")


def test_changes_without_files_say_what_they_are(project: Project, run: Run) -> None:
    change = project.write("src/app.py", _edited(3)).id
    project.app.write_text(_edited())
    run("undo", change)
    project.redline.editor.note_grant(Origin("run", "my-agent 2", "", "network: curl example.org"))
    shown = run("log")
    assert f"nothing was left to undo of {change}\n" in shown
    assert "permission given: network: curl example.org\n" in shown


def test_a_change_that_git_hid_and_brought_back_is_undone_after_a_redo(
    project: Project, run: Run
) -> None:
    change = project.write("src/app.py", _edited(3)).id
    project.app.write_text(_edited())  # git stash
    run("undo", change)
    project.app.write_text(_edited(3, 5))  # git stash pop
    assert "redo it and then undo it again" in run("undo", change, code=3)
    run("redo", change)
    assert "-new 3\n+line 3\n" in run("undo", change)
    assert project.app.read_text() == _edited(5)


def test_restore_shows_what_it_would_do(project: Project, run: Run) -> None:
    project.write("src/app.py", _edited(3))
    project.write("src/app.py", _edited(3, 4))
    assert "-new 4\n+line 4\n" in run("restore", "app.py", "--at", "@-1", "--dry-run")
    assert project.app.read_text() == _edited(3, 4)
    said = run("restore", "app.py", "--at", "@", "--dry-run")
    assert said == "the file already is as it was then\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("log", "-n", "0"), "must be 1 or more: 0"),
        (("log", "-n", "-3"), "must be 1 or more: -3"),
        (("review", "--no-open", "--port", "99999"), "must be 0 to 65535: 99999"),
        (("completions",), "arguments are required: SHELL\n"),
    ],
)
def test_a_wrong_number_or_a_missing_word_is_a_wrong_command_line(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from redline.cli.main import main

    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.requirement("history-whose")
def test_the_help_of_undo_says_whose_change_a_bare_undo_takes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        build_parser("undo").parse_args(["undo", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "default: your own latest change, by any local client" in said
    assert "redline undo your own latest change; later edits" in said


@pytest.mark.requirement("history-log-files")
def test_the_log_names_files_before_the_directories_made_for_them(
    project: Project, run: Run
) -> None:
    place = project.redline.workspace.resolve
    folders = [place(name, Access.WRITE) for name in ("a", "a/b", "a/b/c")]
    file = place("a/b/c/f.txt", Access.WRITE)
    steps = [Change(folder, ABSENT, DirState()) for folder in folders]
    made = Change(file, ABSENT, FileState.of(b"x\n" * 5))
    project.redline.editor.commit(ChangeSet((*steps, made)), Origin("write", "my-agent 2"))
    assert "+5  -0  create a/b/c/f.txt\n" in run("log")


@pytest.mark.requirement("history-log-files")
def test_a_painted_row_is_cut_to_the_width_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    row = f"{paint('ab12', 'bold')}  {paint('create', 'green')} src/行/app.py"
    assert fit(row, 80) == row
    shown = re.sub(r"\x1b\[[0-9;]*m", "", escape_for_terminal(fit(row, 18)))
    assert shown == "ab12  create src/…"
    assert fit(row, 8).endswith(paint("", "bold")[-3:])


@pytest.mark.requirement("history-undo-refusal")
def test_a_refused_undo_says_so_and_shows_no_diff(
    project: Project, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project.root / ".cursor"
    folder.mkdir()
    path = project.redline.workspace.resolve(".cursor/mcp.json", Access.WRITE)
    change = Change(path, ABSENT, FileState.of(b"{}\n"))
    allowed = Origin("write", "my-agent 2", consent=lambda *_: True)
    project.redline.editor.commit(ChangeSet((change,)), allowed)
    capsys.readouterr()
    assert main(["undo"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "other programs run what this file says" in said.err
    assert (folder / "mcp.json").exists()
    assert "-{}\n" in run("undo", "--allow-guarded")

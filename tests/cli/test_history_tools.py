"""The history commands as people know them from git: names, points, places, examples."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from redline.cli.main import COMMANDS, main
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import Access
from redline.core.ports.history import Operation, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline

TEXT = "".join(f"line {number}\n" for number in range(1, 41))
HISTORY = [name for name, (module, _) in COMMANDS.items() if ".history." in module]


class Project:
    """A workspace found by where it is, with an agent that edits it."""

    def __init__(self, home: Path) -> None:
        self.root = home / "project"
        (self.root / "src").mkdir(parents=True)
        self.app = self.root / "src/app.py"
        self.app.write_text(TEXT)
        self.redline = Redline(Settings(workspace=str(self.root)))

    def write(self, name: str, text: str, session: str = "1f2e3d4c") -> Operation:
        """Commit one file as an agent does."""
        path = self.redline.workspace.resolve(name, Access.WRITE)
        change = Change(path, self.redline.tree.state(path), FileState.of(text.encode()))
        origin = Origin("edit_file", "my-agent 2", "", "make it better", session)
        return self.redline.editor.commit(ChangeSet((change,)), origin)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project, with the current directory in it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("REDLINE_STATE_DIR", raising=False)
    made = Project(tmp_path)
    monkeypatch.chdir(made.root / "src")
    with made.redline:
        yield made


Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command and return what it prints."""

    def call(*args: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main(args) == code, capsys.readouterr().err
        found = capsys.readouterr()
        return found.out if code == 0 else found.err or found.out

    return call


def _edited(*numbers: int) -> str:
    lines = TEXT.splitlines(keepends=True)
    return "".join(f"new {n}\n" if n in numbers else line for n, line in enumerate(lines, 1))


@pytest.mark.requirement("history-found-from-anywhere")
def test_a_change_is_undone_from_any_directory_inside_the_workspace(
    project: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("src/app.py", _edited(3))
    assert "edit src/app.py" in run("log")
    run("undo")
    assert project.app.read_text() == TEXT
    monkeypatch.chdir(project.root)
    assert "undo" in run("log")


@pytest.mark.requirement("history-found-from-anywhere")
def test_a_change_in_one_root_is_undone_from_another(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("one", "two/deep"):
        (tmp_path / name).mkdir(parents=True)
    settings = Settings(
        workspace=str(tmp_path / "one"), directories=((str(tmp_path / "two"), True),)
    )
    with Redline(settings) as redline:
        path = redline.workspace.resolve(str(tmp_path / "one/f"), Access.WRITE)
        change = Change(path, redline.tree.state(path), FileState.of(b"x"))
        redline.editor.commit(ChangeSet((change,)), Origin("t"))
    monkeypatch.chdir(tmp_path / "two/deep")
    run("undo")
    assert not (tmp_path / "one/f").exists()
    assert str(tmp_path / "one") in run("log", "--all")


@pytest.mark.requirement("history-found-from-anywhere")
def test_a_file_named_by_path_is_recorded_in_its_own_repository(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("here", "there/.git", "there/conf"):
        (tmp_path / name).mkdir(parents=True)
    file = tmp_path / "there/conf/c.yaml"
    file.write_text("a: 1\n")
    monkeypatch.chdir(tmp_path / "here")
    command = [sys.executable, "-m", "redline", "set", str(file), "a", "2"]
    subprocess.run(command, check=True, capture_output=True)
    monkeypatch.chdir(tmp_path / "there")
    run("undo")
    assert file.read_text() == "a: 1\n"


@pytest.mark.requirement("history-command-line")
def test_log_is_aligned_counts_lines_and_filters_by_who(project: Project, run: Run) -> None:
    change = project.write("src/app.py", _edited(3, 4))
    project.write("src/other.py", "x\n", session="another")
    run("checkpoint", "here")
    lines = run("log").splitlines()
    assert len(lines) == 3
    assert f"{change.id}  " in lines[2]
    assert "my-agent 2    1f2e3d4c  edit_file   +2  -2  edit src/app.py" in lines[2]
    assert " s ago" in lines[2]
    assert run("log", "--mine").count("\n") == 1
    assert run("log", "--session", "another").count("\n") == 1
    assert run("log", "--client", "my-agent").count("\n") == 2
    assert run("log", "--principal", "someone", code=3) == "no change matches\n"
    rows = json.loads(run("log", "--json"))
    assert [(row["kind"], row["added"], row["removed"]) for row in rows] == [
        ("checkpoint", 0, 0),
        ("change", 1, 0),
        ("change", 2, 2),
    ]


@pytest.mark.requirement("history-command-line")
def test_operations_are_named_by_prefix_and_by_how_far_back_they_are(
    project: Project, run: Run
) -> None:
    ids = [project.write("src/app.py", _edited(n)).id for n in (1, 2, 3)]
    assert run("show", "@").startswith(ids[2])
    assert run("show", "@-2").startswith(ids[0])
    assert run("show", ids[1][:7]).startswith(ids[1])
    assert "No operation has this id: zzzzzzzzz" in run("show", "zzzzzzzzz", code=3)
    assert "The history does not go that far back: @-3" in run("show", "@-3", code=3)


@pytest.mark.requirement("history-command-line")
def test_status_and_diff_compare_with_the_last_commit(project: Project, run: Run) -> None:
    _git(project, "init", "-q")
    _git(project, "add", ".")
    _git(project, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "first")
    project.write("src/app.py", _edited(3))
    (project.root / "beside.txt").write_text("new\n")
    shown = run("status", "--since", "HEAD")
    assert "src/app.py" in shown
    assert "beside.txt" in shown
    diff = run("diff", "HEAD")
    assert diff.count("\n@@ ") == 2
    assert "+new" in diff


@pytest.mark.requirement("history-command-line")
def test_status_and_diff_compare_with_a_point(project: Project, run: Run) -> None:
    first = project.write("src/app.py", _edited(3))
    run("checkpoint", "before")
    project.write("src/app.py", _edited(3, 20))
    project.app.write_text(_edited(3, 20) + "mine\n")
    shown = run("status")
    assert f"workspace {project.root}" in shown
    assert "changed since checkpoint before:\n  edit  +2  -1  src/app.py" in shown
    assert "-line 20\n+new 20\n" in run("diff")
    assert "-line 3\n" not in run("diff", first.id)
    assert "-line 3\n" in run("diff", "1h")
    assert "+mine" not in run("diff", first.id, "@")
    assert run("diff", "@") == run("diff", "@"), "and a person's own edits do not fail it"
    assert "did you mean the checkpoint before?" in run("diff", "befor", code=3)


@pytest.mark.requirement("history-command-line")
def test_blame_names_the_change_of_each_line_and_leaves_undone_ones_out(
    project: Project, run: Run
) -> None:
    first = project.write("src/app.py", _edited(3))
    second = project.write("src/app.py", _edited(3, 20))
    third = project.write("src/app.py", _edited(3, 20, 30))
    project.app.write_text(_edited(3, 20, 30) + "mine\n")
    run("undo", second.id)
    lines = run("blame", "app.py").splitlines()
    assert lines[2].startswith(first.id)
    assert lines[19].startswith("."), "the undo put the old line back"
    assert lines[29].startswith(third.id)
    assert lines[40].startswith(".")
    assert lines[40].endswith("41  mine")


@pytest.mark.requirement("history-command-line")
def test_a_rewind_goes_back_to_a_point_and_restore_brings_a_content_back(
    project: Project, run: Run
) -> None:
    project.write("src/app.py", _edited(3))
    run("checkpoint", "before")
    project.write("src/app.py", _edited(3, 20))
    project.write("src/new.py", "new\n")
    run("rewind", "before", "--dry-run")
    assert project.app.read_text() == _edited(3, 20)
    run("rewind", "before")
    assert project.app.read_text() == _edited(3)
    assert not (project.root / "src/new.py").exists()
    run("redo")
    assert project.app.read_text() == _edited(3, 20)
    run("restore", "app.py", "--at", "before")
    assert project.app.read_text() == _edited(3)
    run("undo")
    assert project.app.read_text() == _edited(3, 20)


def _git(project: Project, *args: str) -> str:
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    done = subprocess.run(
        ["git", *settings, *args], cwd=project.root, capture_output=True, check=True, text=True
    )
    return done.stdout


@pytest.mark.requirement("history-export")
def test_changes_become_a_commit_and_index_and_work_tree_stay(project: Project, run: Run) -> None:
    _git(project, "init", "-q")
    _git(project, "config", "user.name", "A")
    _git(project, "config", "user.email", "a@example.com")
    _git(project, "add", ".")
    _git(project, "commit", "-qm", "first")
    project.write("src/app.py", _edited(3))
    project.write("src/app.py", _edited(3, 20))
    project.write("src/new.py", "new\n")
    (project.root / "staged").write_text("staged\n")
    _git(project, "add", "staged")
    run("export", "@-1", "@", "--commit", "-m", "Only line 20")
    assert _git(project, "show", "HEAD:src/app.py") == _edited(20), "merged into what HEAD has"
    assert _git(project, "show", "HEAD:src/new.py") == "new\n"
    body = _git(project, "log", "-1", "--format=%an%n%B")
    assert body.startswith("A\nOnly line 20\n\nRedline-Change: ")
    trailers = _git(project, "log", "-1", "--format=%(trailers)")
    assert "Redline-Tool: edit_file\nRedline-Client: my-agent 2\nRedline-Session: 1f2e3d4c" in (
        trailers
    )
    assert project.app.read_text() == _edited(3, 20)
    assert "A  staged" in _git(project, "status", "--short")
    patch = run("export", "@-2", "--patch")
    (project.root / "p").write_text(patch)
    _git(project, "apply", "--check", "--cached", "-C1", "p")


@pytest.mark.requirement("history-command-line")
def test_an_unknown_command_is_answered_with_the_nearest(run: Run) -> None:
    assert "did you mean rewind?" in run("rewnid", code=2)


@pytest.mark.requirement("history-command-line")
def test_where_all_is_undone_redo_is_named(project: Project, run: Run) -> None:
    assert "There is nothing to undo\n" in run("undo", code=3)
    change = project.write("src/app.py", _edited(3))
    run("undo", change.id)
    said = run("undo", code=3)
    assert "There is nothing to undo" in said
    assert "hint: redo brings back what was undone last" in said


@pytest.mark.requirement("history-completions")
def test_completions_offer_commands_flags_ids_checkpoints_sessions_and_keys(
    project: Project, run: Run
) -> None:
    change = project.write("src/app.py", _edited(3))
    run("checkpoint", "before it")
    (project.root / "src/c.yaml").write_text("server:\n  port: 1\n  host: x\n")

    def words(*given: str) -> list[str]:
        return run("completions", "words", "--", *given).splitlines()

    assert words("un") == ["undo"]
    assert change.id in words("undo", "")
    assert words("undo", change.id[:5]) == [change.id]
    assert "before it" in words("rewind", "")
    assert words("log", "--session", "1f") == ["1f2e3d4c"]
    assert words("log", "--client", "my") == ["my-agent"]
    assert words("log", "--principal", "") == []
    assert words("diff", "HE") == words("status", "--since", "HE") == ["HEAD"]
    assert "--hunks" in words("undo", "--")
    assert words("get", "c.yaml", "server.") == ["server.port", "server.host"]
    assert words("get", "") == []


@pytest.mark.requirement("history-completions")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_valid(shell: str, run: Run, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(run("completions", shell))
    try:
        subprocess.run([shell, "-n", str(script)], check=True)
    except FileNotFoundError:
        assert "redline completions words" in script.read_text()


def _examples() -> list[tuple[str, str]]:
    found = []
    for name in HISTORY:
        module = import_module(COMMANDS[name][0])
        lines = [line for line in module.EXAMPLES.splitlines() if line.startswith("  redline ")]
        found += [(name, line.strip().partition("  ")[0].partition(" > ")[0]) for line in lines]
    return found


@pytest.mark.requirement("history-examples-run")
@pytest.mark.parametrize(("name", "line"), _examples(), ids=lambda value: value)
def test_every_example_of_the_help_texts_runs(
    name: str, line: str, project: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    _git(project, "init", "-q")
    _git(project, "config", "user.name", "A")
    _git(project, "config", "user.email", "a@example.com")
    _git(project, "add", ".")
    _git(project, "commit", "-qm", "first")
    run("checkpoint", "before-refactoring")
    asked = Origin("prompt", "my-agent", summary="go on", session="1f2e3d4c")
    project.redline.editor.note_prompt(asked)
    project.write("notes", "one\n")
    project.redline.editor.note_prompt(asked)
    project.write("src/app.py", _edited(3))
    project.write("src/app.py", _edited(3, 20))
    project.write("a.py", "a\n")
    shown = project.write("src/app.py", _edited(3, 20, 35, 12))
    project.write("a.py", "a\nb\n")
    many = project.write("src/app.py", _edited(3, 20, 35, 12, 28))
    if "--commit" in line:
        project.write("b.py", "b\n")
    if "--hunks" in line or "--paths" in line:
        project.write("a.py", TEXT)
        project.write("a.py", _edited(3, 20, 37))
        project.write("src/other.py", "x\n")
    if name == "redo":
        shown = Operation(run("undo", many.id).splitlines()[-1][:8], 0, Origin(""), ChangeSet())
    words = shlex.split(line.replace("ab12", shown.id[:5]))
    assert words[0] == "redline"
    run(*words[1:])


@pytest.mark.requirement("history-examples-run")
def test_every_history_command_has_examples() -> None:
    assert {name for name, _ in _examples()} == set(HISTORY)

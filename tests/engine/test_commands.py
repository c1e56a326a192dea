"""What a command changed is one operation, and undoing it brings everything back."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.adapters.processes.workspace_snapshots import WorkspaceSnapshots
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import NothingToUndo, UndoBlocked
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Finished
from redline.core.ports.history import HistoryQuery, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.adapters.processes.ground import Patience, require

TOP = WorkspacePath(0, ())


class Shop:
    """A workspace with commands that are recorded."""

    def __init__(self, base: Path) -> None:
        self.root = base / "ws"
        self.root.mkdir()
        self.redline = Redline(Settings(workspace=str(self.root), state_dir=str(base / "state")))

    def limit_snapshots(self, **limits: int) -> None:
        made = WorkspaceSnapshots(self.redline.workspace, self.redline.tree, **limits)
        self.redline.__dict__["_snapshots"] = made

    def run(self, line: str, session: str = "") -> Finished:
        command = Command(line, TOP, timeout=60.0, keeps_git_data=True)
        origin = Origin("exec_command", session=session)
        return self.redline.commands.run(command, origin, Patience(), 1 << 20)

    def git(self, *words: str, check: bool = True) -> str:
        """Run git as the person does, outside."""
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        call = ["git", "-C", str(self.root), *who, *words]
        return subprocess.run(call, check=check, capture_output=True, text=True).stdout.strip()

    def undo(self, operation: str | None) -> None:
        self.redline.editor.undo(operation, Origin("undo_change"))

    def redo(self) -> None:
        self.redline.editor.redo(None, Origin("redo_change"))

    def picture(self) -> dict[str, object]:
        """Everything in the workspace: kind, mode, content."""
        found: dict[str, object] = {}
        for where, directories, files in os.walk(self.root):
            for name in directories + files:
                path = Path(where, name)
                key = str(path.relative_to(self.root))
                mode = path.lstat().st_mode
                if path.is_symlink():
                    found[key] = ("link", os.readlink(path))
                else:
                    found[key] = (mode, path.read_bytes() if path.is_file() else None)
        return found


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    require("bubblewrap")
    made = Shop(tmp_path)
    yield made
    made.redline.close()


@pytest.mark.requirement("coding-exec-undo")
@pytest.mark.parametrize(
    "line",
    [
        "rm a.txt",
        "rm -r d",
        "sed -i s/one/two/ a.txt",
        "mv a.txt d/b.txt",
        "mv d e",
        "mkdir -p x/y/z && echo 1 > x/y/z/f",
        "chmod 755 a.txt",
        "ln -s a.txt l && rm d/link",
        "rm a.txt && mkdir a.txt && touch a.txt/in",
        "rm -r d && echo file > d",
        "printf '\\377\\000' > bin; : > a.txt",
    ],
)
def test_undo_takes_back_what_a_command_did_and_redo_repeats_it(shop: Shop, line: str) -> None:
    (shop.root / "a.txt").write_text("one\n")
    (shop.root / "d").mkdir()
    (shop.root / "d" / "deep").write_bytes(b"\xff\x00data")
    (shop.root / "d" / "link").symlink_to("deep")
    before = shop.picture()
    finished = shop.run(line)
    assert finished.state.exit_code == 0, finished.stderr
    after = shop.picture()
    assert after != before
    assert finished.change
    shop.undo(finished.change)
    assert shop.picture() == before
    shop.redo()
    assert shop.picture() == after


@pytest.mark.requirement("coding-exec-undo")
def test_a_command_that_changes_nothing_records_nothing(shop: Shop) -> None:
    (shop.root / "a.txt").write_text("one\n")
    finished = shop.run("cat a.txt; touch a.txt; echo $$ > /tmp/x")
    assert finished.change is None
    assert finished.notes == ()


_MOVES = [
    ("git commit -q --allow-empty -m second", "git: commit {head} on main"),
    ("git commit -q --amend --allow-empty -m again", "git: commit (amend) {head} on main"),
    ("git switch -q other", "git: switched to branch other"),
    ("git switch -qc new", "git: switched to branch new"),
    ("git checkout -q --detach", "git: switched to {head}"),
    ("git branch x && git tag v1", "git: made branch x; made tag v1"),
    ("git branch -D other", "git: deleted branch other"),
    ("git branch -m trunk || true", "git: switched to branch trunk; deleted branch main"),
    ("git branch -qf other HEAD~1", "git: moved branch other to {other}"),
    ("git merge -q --no-edit other && git merge -q ahead", "git: merge ahead {head} on main"),
    ("git reset -q --hard HEAD~1", "git: reset {head} on main"),
    ("echo three > a.txt && git stash -q", "git: stashed"),
    ("git rebase -q ahead", "git: rebased main"),
]


@pytest.mark.requirement("agent-run-git-line")
@pytest.mark.parametrize(("line", "said"), _MOVES, ids=[line for line, _ in _MOVES])
@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_what_git_did_is_recorded_once(shop: Shop, line: str, said: str, packed: bool) -> None:
    shop.git("init", "-qb", "main")
    (shop.root / "a.txt").write_text("one\n")
    shop.git("add", ".")
    shop.git("commit", "-qm", "first")
    shop.git("commit", "-q", "--allow-empty", "-m", "second")
    shop.git("branch", "other")
    shop.git("checkout", "-qb", "ahead")
    (shop.root / "b.txt").write_text("two\n")
    shop.git("add", ".")
    shop.git("commit", "-qm", "third")
    shop.git("checkout", "-q", "main")
    if packed:
        shop.git("pack-refs", "--all")
    done = shop.run(line)
    assert done.state.exit_code == 0, done.stderr
    (made,) = shop.redline.history.list(HistoryQuery())
    names = {"head": shop.git("rev-parse", "--short=7", "HEAD")}
    names["other"] = shop.git("rev-parse", "--short=7", "other", check=False)
    assert made.git.startswith(said.format(**names))
    assert (done.change == made.id) == bool(made.step_count)
    run = shop.redline.runs.of_change(made.id)
    assert run is not None
    assert run.line == line
    if not made.step_count:
        with pytest.raises(NothingToUndo):
            shop.undo(None)


@pytest.mark.requirement("agent-run-git-line")
def test_what_only_asks_git_or_keeps_data_is_no_line(shop: Shop) -> None:
    shop.git("init", "-qb", "main")
    (shop.root / "a.txt").write_text("one\n")
    shop.run("git add . && git status && git diff && git log || true")
    assert not shop.redline.history.list(HistoryQuery())


@pytest.mark.requirement("coding-exec-undo-uncovered")
def test_what_is_ignored_is_not_covered_and_the_answer_says_so(shop: Shop) -> None:
    (shop.root / ".gitignore").write_text("out/\n*.log\n")
    (shop.root / "node_modules").mkdir()
    finished = shop.run("mkdir out; touch out/x node_modules/y z.log; echo hi > real.txt")
    operation = shop.redline.history.get(finished.change or "")
    assert [path.relative for path in operation.change_set.paths] == ["real.txt"]
    assert finished.notes == ("Undo does not cover: node_modules/ (ignored), out/ (ignored)",)


@pytest.mark.requirement("coding-exec-undo")
@pytest.mark.parametrize("rule", ["d/", "*", "*.txt"])
def test_a_command_that_edits_an_ignore_file_is_recorded_as_it_was(shop: Shop, rule: str) -> None:
    """What the new rules ignore is neither gone nor beyond undo; what the old ones ignored is."""
    (shop.root / ".gitignore").write_text("*.log\n")
    (shop.root / "d" / "e").mkdir(parents=True)
    (shop.root / "d" / ".gitignore").write_text("*.tmp\n")
    for name in ("a.txt", "a.log", "d/b.txt", "d/b.tmp", "d/e/c.txt"):
        (shop.root / name).write_text("old\n")
    before = shop.picture()
    line = "for f in a.txt a.log d/b.txt d/b.tmp d/e/c.txt d/e/new; do echo new > $f; done"
    finished = shop.run(f"{line}; echo '{rule}' > .gitignore; rm d/.gitignore")
    operation = shop.redline.history.get(finished.change or "")
    found = sorted(path.relative for path in operation.change_set.paths)
    covered = [".gitignore", "a.txt", "d/.gitignore", "d/b.txt", "d/e/c.txt", "d/e/new"]
    assert found == covered
    shop.undo(finished.change)
    after = shop.picture()
    assert {name for name in before if after[name] != before[name]} == {"a.log", "d/b.tmp"}
    assert "d/e/new" not in after


@pytest.mark.requirement("coding-exec-undo-uncovered")
def test_a_session_is_told_once_that_what_is_ignored_is_not_covered(shop: Shop) -> None:
    shop.limit_snapshots(max_file=10)
    (shop.root / ".gitignore").write_text("out/\n")
    make = "mkdir -p out; mktemp -p out"
    assert shop.run(make, session="s1").notes == ("Undo does not cover: out/ (ignored)",)
    assert shop.run(make, session="s1").notes == ()
    assert shop.run(make, session="s2").notes == ("Undo does not cover: out/ (ignored)",)
    said = shop.run(f"{make}; seq 99 > big", session="s1").notes
    assert said == ("Undo does not cover: big (too large or unreadable)",)


@pytest.mark.requirement("coding-exec-undo-uncovered")
def test_a_file_over_the_size_limit_is_named_as_not_covered(shop: Shop) -> None:
    shop.limit_snapshots(max_file=10)
    (shop.root / "big").write_text("x" * 100)
    finished = shop.run("rm big; echo hi > small")
    assert "big (too large or unreadable)" in finished.notes[0]
    assert finished.change


@pytest.mark.requirement("coding-exec-undo-uncovered")
def test_a_workspace_with_too_many_files_is_said_not_to_be_covered(shop: Shop) -> None:
    shop.limit_snapshots(max_entries=3)
    for number in range(5):
        (shop.root / str(number)).touch()
    finished = shop.run("rm 1")
    assert finished.change is None
    assert finished.notes == ("Undo does not cover: everything: more than 3 files",)


def test_edits_made_meanwhile_by_other_tools_are_not_the_command_s(shop: Shop) -> None:
    (shop.root / "gate").touch()
    (shop.root / "mine.txt").write_text("old\n")
    line = "while test -e gate; do sleep 0.01; done; echo new > made.txt"
    command = Command(line, TOP, timeout=60.0)
    job = shop.redline.commands.start(command, Origin("exec_command"))
    path = TOP.child("mine.txt")
    change = Change(path, shop.redline.tree.state(path), FileState.of(b"edited\n"))
    gate = Change(
        TOP.child("gate"), shop.redline.tree.state(TOP.child("gate")), shop.redline.tree.state(
            TOP.child("absent"))
    )  # fmt: skip
    shop.redline.editor.commit(ChangeSet((change, gate)), Origin("apply_patch"))
    job.wait(60)
    operation = shop.redline.history.get(job.change or "")
    assert [path.relative for path in operation.change_set.paths] == ["made.txt"]


def test_undo_after_a_later_edit_is_refused_and_changes_nothing(shop: Shop) -> None:
    finished = shop.run("echo one > f")
    (shop.root / "f").write_text("later\n")
    with pytest.raises(UndoBlocked):
        shop.undo(finished.change)
    assert (shop.root / "f").read_text() == "later\n"


def test_recorded_changes_outlive_the_process(shop: Shop, tmp_path: Path) -> None:
    (shop.root / "f").write_text("precious\n")
    finished = shop.run("rm f")
    again = Redline(Settings(workspace=str(shop.root), state_dir=str(tmp_path / "state")))
    again.editor.undo(finished.change, Origin("undo_change"))
    assert (shop.root / "f").read_text() == "precious\n"
    again.close()


_NAMES = st.sampled_from(["a", "b", "c/x", "c/y", "d/e/z"])
_ACTS = st.one_of(
    st.tuples(st.just("write"), _NAMES, st.binary(max_size=8)),
    st.tuples(st.just("remove"), _NAMES, st.just(b"")),
    st.tuples(st.just("link"), _NAMES, st.just(b"")),
    st.tuples(st.just("mode"), _NAMES, st.just(b"")),
)


def _act(root: Path, kind: str, name: str, content: bytes) -> None:
    path = root / name
    if kind == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            path.unlink()
        path.write_bytes(content)
    elif kind == "remove" and (path.exists() or path.is_symlink()):
        path.unlink()
        if path.parent != root and not any(path.parent.iterdir()):
            path.parent.rmdir()
    elif kind == "link" and not path.exists() and not path.is_symlink():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to("nowhere")
    elif kind == "mode" and path.is_file() and not path.is_symlink():
        path.chmod(0o600)


@settings(max_examples=40)
@given(first=st.lists(_ACTS, max_size=6), then=st.lists(_ACTS, min_size=1, max_size=8))
def test_any_changes_between_two_looks_can_be_undone(
    first: list[tuple[str, str, bytes]],
    then: list[tuple[str, str, bytes]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    shop = Shop(tmp_path_factory.mktemp("any"))
    try:
        for act in first:
            _act(shop.root, *act)
        before = shop.picture()
        looks = shop.redline._snapshots
        look = looks.take()
        for act in then:
            _act(shop.root, *act)
        found = looks.compare(look)
        assert found.uncovered == ()
        operation = shop.redline.editor.record(found.change_set, Origin("exec_command"))
        if shop.picture() == before:
            assert operation.id == ""
        else:
            shop.undo(operation.id)
            assert shop.picture() == before
    finally:
        shop.redline.close()

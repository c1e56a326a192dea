"""Exports of all kinds of changes, judged by git."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from redline import CannotApply, Workspace
from redline.services.history.export import commit_to_git, load_in_order, patch_of
from redline.wiring.command_line import open_committer

pytestmark = pytest.mark.requirement("history-export")

OLD = "".join(f"line {number}\n" for number in range(1, 31))


class Repository:
    """A work tree with one commit, and a workspace that changes it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = Workspace.open(root)

    def git(self, *args: str, given: bytes = b"") -> bytes:
        settings = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        done = subprocess.run(
            ["git", *settings, *args], cwd=self.root, input=given, capture_output=True, check=True
        )
        return done.stdout

    def patch(self, *ids: str) -> bytes:
        app = self.workspace._app
        return patch_of(app, partial(open_committer, str(self.root)), load_in_order(app, ids))

    def commit(self, *ids: str) -> None:
        app = self.workspace._app
        commit_to_git(app, open_committer(str(self.root)), load_in_order(app, ids), "Export")

    def ids(self) -> list[str]:
        return [operation.id for operation in self.workspace.log()]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "project"
    (root / "lib/deep").mkdir(parents=True)
    (root / "latin").write_bytes(b"caf\xe9\nend\n")
    (root / "binary").write_bytes(bytes(range(256)))
    (root / "lib/a.py").write_text(OLD)
    (root / "lib/deep/two words.py").write_text("x = 1\n")
    (root / "run").write_text("#!/bin/sh\n")
    (root / "run").chmod(0o755)
    (root / "link").symlink_to("run")
    made = Repository(root)
    made.git("init", "-q")
    made.git("config", "user.name", "A")
    made.git("config", "user.email", "a@example.com")
    made.git("add", ".")
    made.git("commit", "-qm", "first")
    with made.workspace:
        yield made


def _change_everything(workspace: Workspace) -> None:
    workspace.replace("latin", "end", "fin")
    workspace.write("binary", b"\0new\0")
    workspace.replace("run", "/bin/sh", "/bin/bash")
    workspace.delete("link")
    workspace.move("lib", "src")
    workspace.replace("src/a.py", "line 3\n", "third\n")
    workspace.move("src/a.py", "moved.py")
    workspace.write("src/new.py", "new\n")
    workspace.write("src/new.py", "newer\n")
    workspace.write("passing", "by\n")
    workspace.delete("passing")


def test_git_applies_a_patch_of_all_kinds_of_changes(repository: Repository) -> None:
    _change_everything(repository.workspace)
    patch = repository.patch(*repository.ids())
    repository.git("add", "-A")
    wanted = repository.git("write-tree")
    repository.git("reset", "-q", "--hard")
    repository.git("clean", "-qfd")
    repository.git("apply", "--index", given=patch)
    assert repository.git("write-tree") == wanted


def test_a_commit_has_all_kinds_of_changes(repository: Repository) -> None:
    _change_everything(repository.workspace)
    repository.commit(*repository.ids())
    repository.git("read-tree", "HEAD")
    assert repository.git("status", "--porcelain") == b""


def test_what_lies_between_two_changes_is_not_exported_with_them(repository: Repository) -> None:
    first = repository.workspace.replace("lib/a.py", "line 3\n", "third\n")
    repository.workspace.replace("lib/a.py", "line 15\n", "between\n")
    last = repository.workspace.replace("lib/a.py", "line 27\n", "last\n")
    patch = repository.patch(first.id, last.id)
    assert b"between" not in patch
    repository.git("checkout", "-q", "lib/a.py")
    repository.git("apply", given=patch)
    assert (repository.root / "lib/a.py").read_text() == OLD.replace("line 3\n", "third\n").replace(
        "line 27\n", "last\n"
    )


def test_changes_that_need_others_are_not_exported_without_them(repository: Repository) -> None:
    workspace = repository.workspace
    first = workspace.replace("lib/a.py", "line 3\n", "third\n")
    workspace.replace("lib/a.py", "third\n", "3\n")
    last = workspace.replace("lib/a.py", "3\n", "three\n")
    with pytest.raises(CannotApply, match=r"Other changes of this file lie between .*lib/a\.py"):
        repository.patch(first.id, last.id)
    moved = workspace.move("run", "start")
    workspace.move("start", "run")
    edited = workspace.replace("run", "/bin/sh", "/bin/bash")
    with pytest.raises(CannotApply, match="Other changes of this file lie between those: run"):
        repository.patch(moved.id, edited.id)


def test_a_directory_that_git_does_not_know_is_not_exported(repository: Repository) -> None:
    (repository.root / "untracked").mkdir()
    (repository.root / "untracked/a").write_text("a\n")
    moved = repository.workspace.move("untracked", "elsewhere")
    with pytest.raises(CannotApply, match="git does not know which files this directory had"):
        repository.patch(moved.id)


def test_a_file_moves_without_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a").write_text("a\n")
    repository = Repository(tmp_path / "plain")
    with repository.workspace as workspace:
        assert b"rename from a\nrename to b\n" in repository.patch(workspace.move("a", "b").id)


def test_a_link_that_changed_since_head_is_compared_as_a_link(repository: Repository) -> None:
    repository.workspace.delete("link")
    (repository.root / "link").symlink_to("latin")
    from redline.services.history.lines import difference_from_head

    found = difference_from_head(repository.workspace._app, open_committer(str(repository.root)))
    (step,) = found.steps
    assert repository.workspace._diff(found) == (
        "--- a/link\n+++ b/link\n@@ -1 +1 @@\n-run\n\\ No newline at end of file\n"
        "+latin\n\\ No newline at end of file\n"
    ), step

"""Repositories are read as git reads them, and nothing they name is run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from redline.adapters.git import LibGit
from redline.core.errors import GitFailed
from redline.core.paths import WorkspacePath
from redline.core.ports.git import GitEntry, GitStatus
from redline.settings import Settings
from redline.wiring.workspace import Redline

TOP = WorkspacePath(0, ())
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}
Run = Callable[..., str]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "ws"
    base.mkdir()
    return base


@pytest.fixture
def git(base: Path) -> Run:
    def run(*arguments: str, cwd: Path = base, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=cwd, env=ENVIRONMENT, capture_output=True, check=check
        )
        return done.stdout.decode("utf-8", "surrogateescape")

    run("init", "-q", "-b", "main")
    return run


@pytest.fixture
def reader(base: Path, tmp_path: Path) -> Iterator[LibGit]:
    with Redline(Settings(workspace=str(base), state_dir=str(tmp_path / "state"))) as redline:
        yield redline.git  # type: ignore[misc]


def _commit(git: Run, base: Path, **files: str) -> None:
    for name, content in files.items():
        (base / name).write_text(content)
    git("add", "-A")
    git("commit", "-qm", "x")


def _porcelain(git: Run) -> set[tuple[str, str, str | None]]:
    found = set()
    pieces = iter(git("status", "--porcelain=v1", "-z").split("\0"))
    for piece in pieces:
        if piece:
            renamed = piece[0] in "RC"
            found.add((piece[:2], piece[3:], next(pieces) if renamed else None))
    return found


def _ours(status: GitStatus | None) -> set[tuple[str, str, str | None]]:
    assert status is not None
    return {(e.index + e.worktree, e.path, e.original) for e in status.entries}


def test_every_letter_is_the_one_git_prints(base: Path, git: Run, reader: LibGit) -> None:
    text = "".join(f"line {i}\n" for i in range(20))
    _commit(git, base, mod="1\n", both="1\n", gone="1\n", staged_gone="1\n", old=text, kind="1\n")
    (base / "mod").write_text("2\n")
    (base / "both").write_text("2\n")
    git("add", "both")
    (base / "both").write_text("3\n")
    (base / "gone").unlink()
    git("rm", "-q", "staged_gone")
    git("mv", "old", "new name")
    (base / "added").write_text("x\n")
    git("add", "added")
    (base / "kind").unlink()
    (base / "kind").symlink_to("mod")
    (base / "untracked").write_text("x\n")
    (base / "dir").mkdir()
    (base / "dir" / "inner").write_text("x\n")
    assert _ours(reader.status(TOP, untracked=True)) == _porcelain(git)
    letters = {path: index + work for index, work, path in _letters(reader)}
    assert letters["kind"] == " T"
    assert letters["new name"] == "R "
    without = reader.status(TOP, untracked=False)
    assert without is not None
    assert all(entry.index != "?" for entry in without.entries)


def _letters(reader: LibGit) -> list[tuple[str, str, str]]:
    status = reader.status(TOP, untracked=True)
    assert status is not None
    return [(e.index, e.worktree, e.path) for e in status.entries]


def test_conflicts_have_both_letters(base: Path, git: Run, reader: LibGit) -> None:
    _commit(git, base, a="base\n")
    git("checkout", "-qb", "side")
    _commit(git, base, a="side\n")
    git("checkout", "-q", "main")
    _commit(git, base, a="main\n")
    git("merge", "side", check=False)
    assert _ours(reader.status(TOP, untracked=True)) == _porcelain(git) == {("UU", "a", None)}


def test_an_unborn_branch_is_named_and_has_no_head(base: Path, git: Run, reader: LibGit) -> None:
    (base / "a").write_text("1\n")
    git("add", "a")
    status = reader.status(TOP, untracked=True)
    assert status is not None
    assert (status.branch, status.head) == ("main", "")
    assert status.entries == (GitEntry("a", "A", " "),)
    [staged] = reader.diff(TOP, staged=True, context=3) or ()
    assert b"+1\n" in staged.text
    assert (staged.path, staged.status) == ("a", "added")


def test_upstream_ahead_and_behind_are_counted(base: Path, git: Run, reader: LibGit) -> None:
    _commit(git, base, a="1\n")
    git("branch", "up")
    _commit(git, base, a="2\n")
    _commit(git, base, a="3\n")
    git("branch", "-q", "--set-upstream-to=up")
    git("update-ref", "refs/heads/up", git("commit-tree", "HEAD^{tree}", "-m", "y").strip())
    status = reader.status(TOP, untracked=True)
    assert status is not None
    assert (status.upstream, status.ahead, status.behind) == ("up", 3, 1)


def test_a_detached_head_is_said_to_be_so(base: Path, git: Run, reader: LibGit) -> None:
    _commit(git, base, a="1\n")
    git("checkout", "-q", "--detach")
    status = reader.status(TOP, untracked=True)
    assert status is not None
    assert status.detached
    assert status.head == git("rev-parse", "HEAD").strip()


def test_a_linked_worktree_and_a_submodule_are_read(base: Path, git: Run, reader: LibGit) -> None:
    _commit(git, base, a="1\n")
    git("worktree", "add", "-q", "-b", "other", str(base / "wt"))
    (base / "wt" / "a").write_text("2\n")
    status = reader.status(WorkspacePath(0, ("wt",)), untracked=True)
    assert status is not None
    assert (status.branch, status.entries) == ("other", (GitEntry("a", " ", "M"),))
    library = base / "lib"
    library.mkdir()
    git("init", "-q", cwd=library)
    (library / "x").write_text("1\n")
    git("add", "-A", cwd=library)
    git("commit", "-qm", "x", cwd=library)
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./lib", "sub")
    git("commit", "-qm", "sub")
    (base / "sub" / "x").write_text("2\n")
    letters = {path: work for _, work, path in _letters(reader)}
    assert letters["sub"] == "M"
    inside = reader.status(WorkspacePath(0, ("sub",)), untracked=True)
    assert inside is not None
    assert inside.entries == (GitEntry("x", " ", "M"),)


def test_names_that_are_not_utf8_come_through(base: Path, git: Run, reader: LibGit) -> None:
    name = os.fsdecode(b'caf\xe9 "q"')
    (base / name).write_text("1\n")
    status = reader.status(TOP, untracked=True)
    assert status is not None
    assert [entry.path for entry in status.entries] == [name]
    git("add", "-A")
    git("commit", "-qm", "x")
    (base / name).write_bytes(b"\xe9\n")
    [found] = reader.diff(TOP, staged=False, context=3) or ()
    assert found.path == name
    assert b"+\xe9\n" in found.text


def test_a_diff_is_what_git_prints_and_paths_select(base: Path, git: Run, reader: LibGit) -> None:
    (base / "d").mkdir()
    _commit(git, base, a="1\n2\n3\n4\n5\n6\n7\n8\n9\n", b="x\n", **{"d/c": "y\n"})
    (base / "a").write_text("1\n2\n3\n4\nfive\n6\n7\n8\n9\n")
    (base / "d" / "c").write_text("z\n")
    (base / "b").unlink()
    for context in (0, 3):
        files = reader.diff(TOP, staged=False, context=context) or ()
        assert b"".join(file.text for file in files).decode() == git("diff", f"-U{context}")
    picked = reader.diff(TOP, staged=False, context=3, paths=[WorkspacePath(0, ("d",))]) or ()
    assert [file.path for file in picked] == ["d/c"]
    assert [f.status for f in reader.diff(TOP, staged=False, context=3) or ()] == [
        "modified",
        "deleted",
        "modified",
    ]
    git("add", "-A")
    staged = reader.diff(TOP, staged=True, context=3) or ()
    assert b"".join(file.text for file in staged).decode() == git("diff", "--cached")


def _random_versions(random: Random) -> tuple[str, str, str, str]:
    """A file, two edits of it that may clash, and what somebody made of the clash."""
    base = [random.choice(["a", "b", "def f():", "  x", ""]) for _ in range(random.randint(0, 30))]

    def edit(lines: list[str]) -> list[str]:
        lines = list(lines)
        for _ in range(random.randint(1, 4)):
            at = random.randint(0, len(lines))
            new = [random.choice(["a", "new", "p", "q"]) for _ in range(random.randint(0, 3))]
            lines[at : at + random.randint(0, 3)] = new
        return lines

    ours, theirs = edit(base), edit(base)
    end = random.choice(["\n", "\n", ""])
    texts = ["\n".join(lines) + (end if lines else "") for lines in (base, ours, theirs)]
    texts.append("\n".join(edit(random.choice([ours, theirs, ours + theirs]))) + end)
    return texts[0], texts[1], texts[2], texts[3]


@pytest.mark.requirement("coding-git-diff-conflicts")
def test_the_diff_of_conflicts_is_what_git_prints(base: Path, git: Run, reader: LibGit) -> None:
    random = Random(32)
    versions = {f"f{number:03}": _random_versions(random) for number in range(150)}
    gone = {"gone.txt": ("1\n", "2\n", None), "left.txt": ("1\n", None, "3\n")}
    both = {name: made[:3] for name, made in versions.items()}
    both["data.bin"] = ("\0 1", "\0 2", "\0 3")
    both["run.sh"] = ("1\n", "2\n", "3\n")

    def write(side: int) -> None:
        for name, made in {**both, **gone}.items():
            text = made[side]
            if text is None:
                (base / name).unlink()
            else:
                (base / name).write_text(text)
        git("add", "-A")
        git("commit", "-q", "-m", str(side))

    write(0)
    git("checkout", "-q", "-b", "side")
    write(2)
    git("checkout", "-q", "main")
    write(1)
    git("merge", "side", check=False)
    (base / "run.sh").chmod(0o755)

    def compare() -> int:
        compared = 0
        for context in (3, 0, 1):
            found = reader.diff(TOP, staged=False, context=context, limit=1 << 24) or ()
            printed = git("diff", f"-U{context}").replace(f",{2**64 - 1} ", ",0 ")  # below zero
            parts = re.split(r"(?m)^(?=diff --|\* Unmerged)", printed)
            assert sorted(file.text.decode() for file in found) == sorted(filter(None, parts))
            compared += printed.count("diff --cc")
        return compared

    assert compare() > 100
    staged = reader.diff(TOP, staged=True, context=3, limit=1 << 24) or ()
    lines = [line for file in staged for line in file.text.decode().splitlines()]
    expected = git("diff", "--cached").splitlines()
    unmerged = {line for line in expected if line.startswith("* Unmerged path ")}
    assert {line for line in lines if line.startswith("* Unmerged path ")} == unmerged
    assert len(unmerged) > 30
    assert not any("mode 0" in line for line in lines)
    for name, made in versions.items():
        (base / name).write_text(made[3])
    assert compare() > 100
    (base / "run.sh").unlink()
    assert b"deleted file mode 100644,100644" in b"".join(
        file.text for file in reader.diff(TOP, staged=False, context=3) or ()
    )
    compare()


def test_a_binary_file_is_marked(base: Path, git: Run, reader: LibGit) -> None:
    _commit(git, base, a="1\n")
    (base / "a").write_bytes(b"\0\1\2")
    [found] = reader.diff(TOP, staged=False, context=3) or ()
    assert found.binary


def test_outside_a_repository_there_is_no_status(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    redline = Redline(Settings(workspace=str(tmp_path / "plain"), state_dir=str(tmp_path / "s")))
    assert redline.git.status(TOP, untracked=True) is None
    assert redline.git.diff(TOP, staged=False, context=3) is None


@pytest.mark.parametrize("way", ["gitdir", "worktree", "link"])
def test_a_git_directory_or_work_tree_elsewhere_is_refused(
    way: str, base: Path, git: Run, reader: LibGit, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("s\n")
    _commit(git, base, a="1\n")
    if way == "worktree":
        git("config", "core.worktree", str(outside))
    else:
        (base / ".git").rename(outside / "moved")
        if way == "gitdir":
            (base / ".git").write_text(f"gitdir: {outside / 'moved'}\n")
        else:
            (base / ".git").symlink_to(outside / "moved")
    if way == "link":
        assert reader.status(TOP, untracked=True) is None
        return
    with pytest.raises(GitFailed):
        reader.status(TOP, untracked=True)


SLOTS = re.findall(
    r"\S+",
    """
core.fsmonitor core.sshCommand core.editor core.pager core.askPass core.gitProxy
core.alternateRefsCommand diff.external diff.evil.command diff.evil.textconv merge.evil.driver
filter.evil.clean filter.evil.smudge filter.evil.process gpg.program gpg.ssh.program
credential.helper sequence.editor pager.status pager.diff uploadpack.packObjectsHook
remote.origin.uploadpack remote.origin.receivepack trailer.evil.command interactive.diffFilter
alias.status alias.diff browser.evil.cmd man.evil.cmd difftool.evil.cmd mergetool.evil.cmd
submodule.sub.update sendemail.sendmailCmd instaweb.browser web.browser guitool.evil.cmd
""",
)
HOOKS = re.findall(
    r"\S+",
    """
applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg
commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update
post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite
fsmonitor-watchman post-index-change
""",
)


def plant_programs(base: Path, marker: Path) -> None:
    """Name a program that leaves a mark in every place git might run one from."""
    program = base.parent / "evil"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{marker}"\ncat\n')
    program.chmod(0o755)
    with (base / ".git" / "config").open("a") as config:
        for slot in SLOTS:
            section, key = slot.rsplit(".", 1)
            head, _, sub = section.partition(".")
            value = f"!{program}" if head in ("alias", "credential") else str(program)
            config.write(
                f"[{head}{f' {chr(34)}{sub}{chr(34)}' if sub else ''}]\n\t{key} = {value}\n"
            )
    (base / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    for hook in HOOKS:
        path = base / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(program.read_text())
        path.chmod(0o755)


@pytest.mark.requirement("coding-git-runs-nothing")
def test_nothing_that_a_repository_names_is_run(
    base: Path, git: Run, reader: LibGit, tmp_path: Path
) -> None:
    _commit(git, base, a="1\n", b="2\n")
    marker = tmp_path / "marker"
    plant_programs(base, marker)
    (base / "a").write_text("changed\n")
    (base / "new").write_text("x\n")
    os.utime(base / "b", (1, 1))
    assert reader.status(TOP, untracked=True)
    assert reader.diff(TOP, staged=False, context=3)
    assert reader.diff(TOP, staged=True, context=3) is not None
    assert not marker.exists()
    # The same repository makes git itself run them: the planting works.
    git("diff", check=False)
    assert marker.exists()


def _let_rest(base: Path) -> None:
    """Make the configuration look old: only then is a repository kept open between calls."""
    config = base / ".git" / "config"
    old = config.stat().st_mtime - 60
    os.utime(config, (old, old))


def test_a_repository_that_is_kept_open_shows_every_change(
    base: Path, git: Run, reader: LibGit
) -> None:
    _commit(git, base, a="1\n", b="1\n")

    def agrees() -> bool:
        shown = b"".join(file.text for file in reader.diff(TOP, staged=False, context=3) or ())
        found = reader.status(TOP, untracked=True)
        assert found is not None
        is_same_head = found.head == git("rev-parse", "HEAD").strip()
        is_same = _ours(found) == _porcelain(git) and shown.decode() == git("diff")
        return is_same and is_same_head

    _let_rest(base)
    assert agrees()
    (base / "a").write_text("2\n")
    assert agrees()
    git("add", "a")
    assert agrees()
    (base / "new.log").write_text("x\n")
    assert agrees()
    (base / ".gitignore").write_text("*.log\n")
    assert agrees()
    _commit(git, base, b="2\n")
    assert agrees()
    (base / "a").chmod(0o755)
    assert agrees()
    (base / "b").write_text("3\n")
    for letters in ("20", "12"):  # libgit2 keeps this for as long as a repository is open
        git("config", "core.abbrev", letters)
        _let_rest(base)
        assert agrees()
    subprocess.run(["rm", "-rf", str(base / ".git")], check=True)
    git("init", "-q", "-b", "other")
    _commit(git, base, c="3\n")
    _let_rest(base)
    (base / "c").write_text("4\n")
    assert agrees()


def test_a_configuration_that_includes_others_is_read_each_time(
    base: Path, git: Run, reader: LibGit
) -> None:
    _commit(git, base, a="1\n")
    (base / "a").write_text("2\n")
    git("config", "include.path", "more")
    _let_rest(base)
    for letters in ("20", "12"):
        (base / ".git" / "more").write_text(f"[core]\n\tabbrev = {letters}\n")
        (file,) = reader.diff(TOP, staged=False, context=3) or ()
        assert file.text.decode() == git("diff")

"""Commands do git's everyday work, and can plant nothing that git would run later."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from redline.adapters.processes.commands import SandboxedCommands
from redline.adapters.processes.git_layers import is_harmless, without_programs
from redline.core.ports.commands import Command, Finished
from tests.adapters.processes.ground import BACKENDS, ROOT, Patience, commands_in, require, run

pytestmark = pytest.mark.requirement("coding-exec-git-data")


@dataclass
class Bench:
    """A repository with two branches, its commands, and git outside of the sandbox."""

    top: Path
    commands: SandboxedCommands

    def run(self, line: str, *, fails: bool = False) -> Finished:
        done = run(self.commands, line, owner="one", keeps_git_data=True)
        assert (done.state.exit_code != 0) == fails, (done.stdout + done.stderr).decode()
        return done

    def said(self, line: str) -> str:
        return self.run(line).stdout.decode().strip()

    def git(self, *words: str, check: bool = True) -> str:
        """Run git as the person does, outside."""
        done = subprocess.run(
            ["git", "-C", str(self.top), *words],
            check=check,
            capture_output=True,
            text=True,
            env={**os.environ, "GIT_EDITOR": "true", "HOME": str(self.top.parent)},
        )
        return done.stdout.strip()

    def names(self) -> set[str]:
        """Every file of the git directory that is no object."""
        home = self.top / ".git"
        return {
            str(path.relative_to(home))
            for path in home.rglob("*")
            if path.is_file() and "objects/" not in str(path.relative_to(home))
        }


@pytest.fixture(params=BACKENDS)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    require(request.param)
    top = tmp_path / "work"
    top.mkdir()
    with commands_in(top, "safe", request.param) as commands:
        made = Bench(top, commands)
        made.git("init", "-q", "-b", "main")
        made.git("config", "user.name", "Ada")
        made.git("config", "user.email", "ada@example.org")
        (top / "a.txt").write_text("one\n")
        made.git("add", ".")
        made.git("commit", "-qm", "first")
        made.git("branch", "other")
        yield made
        assert made.git("fsck", "--strict") is not None


def test_add_commit_checkout_switch_stash_and_merge_work_and_last(bench: Bench) -> None:
    bench.run("echo two >> a.txt && git add a.txt && git commit -qm second")
    assert bench.git("log", "--format=%s %an") == "second Ada\nfirst Ada"
    bench.run("git checkout -q -b topic && echo t > t.txt && git add t.txt && git commit -qm topic")
    assert bench.git("branch", "--show-current") == "topic"
    assert bench.git("status", "--short") == ""
    bench.run("echo three >> a.txt && git stash -q")
    assert bench.git("stash", "list").startswith("stash@{0}")
    bench.run("git stash pop -q && git checkout -q a.txt && git switch -q main")
    assert bench.git("stash", "list") == ""
    assert not (bench.top / "t.txt").exists()
    bench.run("git merge -q --no-ff -m merged topic && git tag v1 && git branch -q -D other")
    assert bench.git("log", "-1", "--format=%s") == "merged"
    assert bench.git("tag") == "v1"
    assert bench.git("branch", "--format=%(refname:short)") == "main\ntopic"
    assert bench.git("reflog", "-1", "--format=%gs").startswith("merge topic")


def test_a_rebase_that_stops_is_gone_on_with_by_the_next_command(bench: Bench) -> None:
    bench.run("echo main > a.txt && git commit -qam main && git switch -q other")
    bench.run("echo other > a.txt && git commit -qam other")
    bench.run("git rebase -q main", fails=True)
    assert (bench.top / ".git" / "rebase-merge").is_dir()
    assert "rebase in progress" in bench.git("status")
    bench.run("echo both > a.txt && git add a.txt && GIT_EDITOR=true git rebase --continue")
    assert not (bench.top / ".git" / "rebase-merge").exists()
    assert bench.git("log", "--format=%s") == "other\nmain\nfirst"


_PLANTED = {
    "config": "[core]\n\tfsmonitor = {mark}\n\thooksPath = {top}\n\tsshCommand = {mark}\n",
    "config.worktree": "[core]\n\tfsmonitor = {mark}\n",
    "hooks/pre-commit": "#!/bin/sh\n{mark}\n",
    "hooks/post-checkout": "#!/bin/sh\n{mark}\n",
    "hooks/reference-transaction": "#!/bin/sh\n{mark}\n",
    "info/attributes": "* filter=evil diff=evil merge=evil\n",
    "info/grafts": "x\n",
    "objects/info/alternates": "{top}/planted/objects\n",
    "objects/info/http-alternates": "http://127.0.0.1/\n",
    "commondir": "{top}/planted\n",
    "gitdir": "{top}/planted\n",
    "modules/sub/config": "[core]\n\tfsmonitor = {mark}\n",
    "modules/sub/HEAD": "ref: refs/heads/main\n",
    "modules/sub/hooks/post-checkout": "#!/bin/sh\n{mark}\n",
    "worktrees/w/config.worktree": "[core]\n\tfsmonitor = {mark}\n",
    "worktrees/w/commondir": "{top}/planted\n",
    "worktrees/w/gitdir": "{top}/.git\n",
    "worktrees/w/HEAD": "ref: refs/heads/main\n",
    "remotes/origin": "URL: ext::{mark}\n",
    "branches/origin": "ext::{mark}\n",
    "refs/heads/-x": "0\n",
    "sharedindex." + "0" * 40: "DIRC",
    "rebase-merge/strategy": "{mark}\n",
    "sequencer/opts": "[options]\n\tstrategy = {mark}\n",
    "rebase-apply/apply-opt": "--unsafe-paths\n",
    "rebase-merge/author-script": "GIT_AUTHOR_NAME=$({mark})\n",
    "svn/authors-prog": "{mark}\n",
    "lfs/hooks": "{mark}\n",
    "fsmonitor--daemon/x": "{mark}\n",
}


def test_a_program_that_is_planted_anywhere_in_git_never_gets_there(bench: Bench) -> None:
    ran = bench.top.parent / "ran"
    mark = bench.top / "mark.sh"
    mark.write_text(f"#!/bin/sh\ntouch {ran}\n")
    mark.chmod(0o755)
    before = bench.names()
    config = (bench.top / ".git" / "config").read_bytes()
    plant = bench.top / "plant.py"
    contents = {name: text.format(mark=mark, top=bench.top) for name, text in _PLANTED.items()}
    plant.write_text(
        "import os\n"
        f"for name, text in {contents!r}.items():\n"
        "    path = os.path.join('.git', name)\n"
        "    try:\n"
        "        os.makedirs(os.path.dirname(path), exist_ok=True)\n"
        "        if os.path.lexists(path): os.rename(path, path + '.old')\n"
        "    except OSError: pass\n"
        "    try:\n"
        "        open(path, 'w').write(text); os.chmod(path, 0o755)\n"
        "    except OSError: pass\n"
        "for name in ('.git/COMMIT_EDITMSG', '.git/index', '.git/refs/heads/main'):\n"
        "    try: os.unlink(name); os.symlink('/etc/passwd', name)\n"
        "    except OSError: pass\n"
    )
    done = bench.run("git init -q --bare planted; python3 plant.py")
    assert any("can make git run programs" in note or "was removed" in note for note in done.notes)
    assert bench.names() == before
    assert (bench.top / ".git" / "config").read_bytes() == config
    assert not ran.exists()
    bench.git("status")
    bench.git("commit", "-q", "--allow-empty", "-m", "x")
    bench.git("checkout", "-q", "other")
    assert not ran.exists()


def test_the_git_directory_is_not_exchanged_and_its_removal_is_not_kept(bench: Bench) -> None:
    before = bench.names()
    bench.run("mv .git old; mkdir -p .git/hooks; git init -q fresh; mv fresh/.git .git; true")
    bench.run("rm -rf .git; true")
    bench.run("rm -f .git/HEAD; rm -rf .git/objects/* .git/refs; true")
    assert bench.names() == before
    assert bench.git("log", "--format=%s") == "first"


def test_a_step_of_a_rebase_that_runs_a_program_is_left_out(bench: Bench) -> None:
    ran = bench.top.parent / "ran"
    bench.run("echo x >> a.txt && git commit -qam x && echo y >> a.txt && git commit -qam y")
    editor = "sed -i 's/^pick/edit/'"
    bench.run(f'GIT_SEQUENCE_EDITOR="{editor}" git rebase -q -i HEAD~2')
    done = bench.run(f"echo 'exec touch {ran}' >> .git/rebase-merge/git-rebase-todo")
    assert any("without the steps that run a program" in note for note in done.notes)
    bench.git("rebase", "--continue")
    bench.git("rebase", "--continue", check=False)
    assert not ran.exists()
    assert bench.git("log", "--format=%s") == "y\nx\nfirst"


def test_no_hook_fsmonitor_filter_or_driver_of_the_repository_runs(bench: Bench) -> None:
    ran = bench.top / "ran.log"
    for name in ("pre-commit", "post-checkout", "reference-transaction"):
        hook = bench.top / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\necho {name} >> {ran}\n")
        hook.chmod(0o755)
    with (bench.top / ".git" / "config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "echo fsmonitor >> {ran}; false"\n')
        for section, key in (("filter", "clean"), ("diff", "textconv"), ("merge", "driver")):
            config.write(f'[{section} "own"]\n\t{key} = "echo {section} >> {ran}; cat"\n')
        config.write(f'\t[diff "own"]\n\tcommand = "echo external >> {ran}"\n')
    (bench.top / ".gitattributes").write_text("*.txt filter=own diff=own merge=own\n")
    line = (
        "echo 2 >> a.txt && git add . && git commit -qm two && echo 3 >> a.txt && git diff"
        " && git stash -q && git checkout -q other && echo z > a.txt && git commit -qam z"
        " && git merge main"
    )
    bench.run(line, fails=True)  # a conflict
    assert not ran.exists()
    with commands_in(bench.top, "safe", git_writes=True) as free:
        run(free, "git commit -q --allow-empty -m x; git diff main", keeps_git_data=True)
    assert ran.exists()


def test_what_another_program_changed_meanwhile_stays(bench: Bench) -> None:
    job_line = (
        "git commit -q --allow-empty -m mine; echo ready; while ! test -e go; do sleep 0.05; done"
    )
    from redline.core.ports.commands import Command
    from tests.adapters.processes.ground import ROOT, Patience

    command = Command(job_line, ROOT, timeout=60, owner="one", keeps_git_data=True)
    job = bench.commands.start(command)
    job.wait(30, for_output=True)
    bench.git("commit", "-q", "--allow-empty", "-m", "theirs")
    (bench.top / "go").touch()
    done = bench.commands.finish(job, Patience(), 1000)
    assert any("was changed by another program" in note for note in done.notes)
    assert bench.git("log", "--format=%s") == "theirs\nfirst"


def test_a_lock_of_another_git_is_respected(bench: Bench) -> None:
    (bench.top / "n.txt").touch()
    slow = Command("git add n.txt; echo ready; sleep 0.5", ROOT, owner="one", keeps_git_data=True)
    started = bench.commands.start(slow)
    started.wait(30, for_output=True)
    (bench.top / ".git" / "index.lock").touch()
    done = bench.commands.finish(started, Patience(), 1000)
    assert any("another git runs" in note for note in done.notes)
    (bench.top / ".git" / "index.lock").unlink()


@pytest.mark.parametrize("path", [b".git/hooks/x", b".GIT/x", b"../x", b"a/.git./b", b"/etc/x"])
def test_an_index_that_names_a_place_outside_of_the_work_tree_is_not_kept(path: bytes) -> None:
    assert is_harmless("index", _index(b"src/app.py"))
    assert not is_harmless("index", _index(path))
    assert not is_harmless("index", _index(b"a")[:40])


def _index(path: bytes) -> bytes:
    entry = bytes(60) + len(path).to_bytes(2, "big") + path
    entry += bytes(8 - len(entry) % 8)
    return b"DIRC" + (2).to_bytes(4, "big") + (1).to_bytes(4, "big") + entry + bytes(20)


def test_only_names_and_values_that_git_itself_writes_are_data() -> None:
    assert is_harmless("refs/heads/feature/x", b"a" * 40 + b"\n")
    assert is_harmless("HEAD", b"ref: refs/heads/main\n")
    for name in ("refs/heads/-x", "refs/heads/a..b", "refs/heads/.x", "refs/heads/x.lock", "refs"):
        assert not is_harmless(name, b"a" * 40 + b"\n"), name
    assert not is_harmless("HEAD", b"ref: ../../x\n")
    assert not is_harmless("refs/heads/x", b"evil")
    assert not is_harmless("HEAD", None)
    assert is_harmless("MERGE_HEAD", None)
    todo = b"pick 12 x\nexec evil\nx evil\n# exec\n\nlabel a\n"
    kept = b"pick 12 x\n# exec\n\nlabel a\n"
    assert without_programs("rebase-merge/git-rebase-todo", todo) == kept

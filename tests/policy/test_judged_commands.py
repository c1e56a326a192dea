"""What becomes of a command's changes under a policy: made, not made, or held."""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from redline.core.changes import ABSENT, Absent, Change, FileState
from redline.core.errors import PathDenied, SandboxUnavailable
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.commands import SAVED_MEANWHILE, Command, CommandView, JobState, Written
from redline.core.ports.history import Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.adapters.processes.ground import BACKENDS, require
from tests.policy.hostile_commands import FILES, Stage, picture, save, wait_for_ready

TOP = WorkspacePath(0, ())
GLOB = "[[rule]]\npaths = ['*.pb.go']\naction = 'deny'\n"


@pytest.fixture(params=BACKENDS)
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    require(request.param)
    made = Stage(tmp_path, request.param)
    made.lay_out()
    made.policy.write_text(GLOB)
    yield made
    made.redline.close()


def run(stage: Stage, line: str) -> tuple[str | None, list[str]]:
    """Run a command to its end; its operation, and what its answer says."""
    job = stage.start(line, b"")
    notes = stage.finish(job)
    return job.change, notes


def approve(stage: Stage) -> None:
    """Approve the only change that is held."""
    (held,) = stage.redline.held.list()
    stage.redline.editor.commit_approved(stage.redline.held.get(held.id), "the person")


@pytest.mark.requirement("policy-commands-made")
def test_what_is_allowed_is_made_wholly_and_undo_takes_it_back(stage: Stage) -> None:
    before = picture(stage.root)
    line = (
        "echo new > src/a.py; chmod 750 src/a.py; mkdir -p lib/in; echo x > lib/in/f;"
        " ln -s f lib/l; rm docs/d.md; mv docs/old.txt docs/older.txt; rm -r gen;"
        " echo file > gen; rm a.txt; mkdir a.txt; touch a.txt/in"
    )
    change, notes = run(stage, line)
    assert notes == []
    found = picture(stage.root)
    assert found["src/a.py"] == b"new\n"
    assert (stage.root / "src/a.py").stat().st_mode & 0o777 == 0o750
    assert found["lib/in/f"] == b"x\n"
    assert os.readlink(stage.root / "lib/l") == "f"
    assert "docs/d.md" not in found
    assert found["docs/older.txt"] == b"old\n"
    assert found["gen"] == b"file\n"
    assert found["a.txt/in"] == b""
    stage.redline.editor.undo(change, Origin("undo_change"))
    assert picture(stage.root) == before


@pytest.mark.requirement("policy-commands-made")
def test_ignored_directories_and_large_files_are_made_and_named_as_not_covered(
    stage: Stage,
) -> None:
    (stage.root / ".gitignore").write_text("out/\n")
    line = (
        "mkdir out node_modules; echo x > out/x; echo y > node_modules/y; head -c 5000000 /dev/zero"
    )
    _, notes = run(stage, f"{line} > big.bin; chmod 700 out/x")
    assert notes == [
        "Undo does not cover: big.bin (too large), node_modules/ (ignored), out/ (ignored)"
    ]
    assert (stage.root / "out/x").stat().st_mode & 0o777 == 0o700
    assert (stage.root / "big.bin").stat().st_size == 5_000_000
    _, notes = run(stage, "mv big.bin out/big; echo more >> out/x; rm node_modules/y")
    assert (stage.root / "out/big").stat().st_size == 5_000_000
    assert (stage.root / "out/x").read_text() == "x\nmore\n"
    assert not (stage.root / "big.bin").exists()
    assert not (stage.root / "node_modules/y").exists()


@pytest.mark.requirement("policy-commands-made")
def test_a_large_file_that_may_not_go_where_it_was_moved_stays(stage: Stage) -> None:
    (stage.root / "big.bin").write_bytes(b"x" * 20_000_000)
    _, notes = run(stage, "mv big.bin src/big.pb.go; rm -rf src/../docs/d.md")
    assert (stage.root / "big.bin").stat().st_size == 20_000_000
    assert "denies it" in notes[0]
    assert not (stage.root / "docs/d.md").exists()


@pytest.mark.requirement("policy-commands")
def test_what_a_rule_asks_about_in_an_ignored_directory_is_held_only_if_it_names_it(
    stage: Stage,
) -> None:
    (stage.root / ".gitignore").write_text("out/\nsecrets/\n")
    named = "[[rule]]\npaths = ['secrets/**']\naction = 'ask'\n"
    stage.policy.write_text(f"default = 'ask'\n{named}")
    _, notes = run(stage, "mkdir out secrets; echo x > out/x; echo s > secrets/s")
    assert not (stage.root / "out").exists()
    assert not (stage.root / "secrets").exists()
    assert any("not held" in note and "out/x" in note for note in notes)
    (held,) = stage.redline.held.list()
    assert {path.relative for path in held.change_set.paths} == {"secrets", "secrets/s"}
    approve(stage)
    assert (stage.root / "secrets/s").read_text() == "s\n"


@pytest.mark.requirement("policy-commands-saves")
def test_what_a_command_wrote_over_a_save_can_still_be_approved(stage: Stage) -> None:
    job = stage.start("echo ready; read x; echo command > a.txt", None)
    wait_for_ready(job)
    save(stage.root / "a.txt", b"person\n", is_replaced=True)
    job.send(b"go\n")
    (note,) = stage.finish(job)
    assert "Left as another program saved it" in note
    assert (stage.root / "a.txt").read_text() == "person\n"
    approve(stage)
    assert (stage.root / "a.txt").read_text() == "command\n"


@pytest.mark.requirement("policy-commands-saves")
def test_what_the_person_removed_moved_or_put_there_meanwhile_stays_so(stage: Stage) -> None:
    other = stage.root / "other"
    other.mkdir()
    (other / "z.txt").write_text("moved in\n")
    line = "echo ready; read x; echo command > docs/old.txt; rm -r gen; echo new > src/new.py"
    job = stage.start(line, None)
    wait_for_ready(job)
    (stage.root / "docs/old.txt").unlink()
    (stage.root / "gen").rename(stage.root / "was")
    other.rename(stage.root / "gen")
    (stage.root / "gen" / "more.txt").write_text("person\n")
    job.send(b"go\n")
    stage.finish(job)
    assert not (stage.root / "docs/old.txt").exists()
    assert (stage.root / "gen/z.txt").read_text() == "moved in\n"
    assert (stage.root / "gen/more.txt").read_text() == "person\n"
    assert (stage.root / "was/z.txt").read_text() == FILES["gen/z.txt"]
    assert (stage.root / "src/new.py").read_text() == "new\n"


@pytest.mark.requirement("policy-commands-saves")
def test_a_save_between_comparing_and_making_stays(stage: Stage) -> None:
    """Every way of making a change gives back what it displaced, if that is another."""
    answers: dict[str, str] = {}

    def finish(view: CommandView, _: JobState) -> tuple[str | None, Sequence[str]]:
        changes = {each.path.relative: each for each in view.read().changes}
        for number, name in enumerate(sorted(changes)):
            save(stage.root / name, b"person\n", is_replaced=number % 2 == 0)
        for name, change in changes.items():
            answers[name] = view.place(change)
        return None, ()

    line = "echo command > a.txt; echo command > src/a.py; rm docs/d.md docs/old.txt; echo n > new"
    job = stage.redline._processes.start_judged(Command(line, TOP, owner="me"), finish)
    stage.finish(job)
    assert answers == dict.fromkeys(
        ("a.txt", "src/a.py", "docs/d.md", "docs/old.txt", "new"), SAVED_MEANWHILE
    )
    for name in answers:
        assert (stage.root / name).read_bytes() == b"person\n"
    assert not [name for name in picture(stage.root) if ".redline-" in name]


@pytest.mark.requirement("policy-commands-saves")
def test_a_save_that_leaves_size_and_time_as_they_were_stays(stage: Stage) -> None:
    answers: list[str] = []

    def finish(view: CommandView, _: JobState) -> tuple[str | None, Sequence[str]]:
        changes = view.read().changes
        for change in changes:
            path = stage.root / change.path.relative
            facts = path.stat()
            path.write_text("me\n" if facts.st_size == 3 else "me  \n")
            os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
            assert path.stat().st_size == facts.st_size
        answers.extend(map(view.place, changes))
        return None, ()

    (stage.root / "docs/old.txt").write_text("olds\n")
    line = "echo command > a.txt; rm docs/old.txt"
    (stage.root / "a.txt").write_text("on\n")
    job = stage.redline._processes.start_judged(Command(line, TOP, owner="me"), finish)
    stage.finish(job)
    assert answers == [SAVED_MEANWHILE] * 2
    assert (stage.root / "a.txt").read_text() == "me\n"
    assert (stage.root / "docs/old.txt").read_text() == "me  \n"


@pytest.mark.requirement("policy-commands")
def test_what_a_running_command_wrote_is_out_of_reach_of_tools(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stage.root / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(stage.root / "tmp"))
    job = stage.start("echo allowed > a.txt; echo ready; read x", None)
    wait_for_ready(job)
    (written,) = (stage.root / "tmp").rglob("upper/a.txt")
    with pytest.raises(PathDenied):
        stage.redline.workspace.resolve(str(written), Access.WRITE)
    job.send(b"go\n")
    stage.finish(job)
    assert (stage.root / "a.txt").read_text() == "allowed\n"


@pytest.mark.requirement("policy-commands-saves")
def test_a_file_that_is_open_for_writing_is_not_replaced(stage: Stage) -> None:
    with open(stage.root / "a.txt", "a") as file:
        _, notes = run(stage, "echo command > a.txt")
        file.write("person\n")
    assert (stage.root / "a.txt").read_text() == "one\nperson\n"
    assert "Left as another program saved it" in notes[0]


@pytest.mark.requirement("policy-commands-guarded")
def test_a_guarded_file_that_a_command_wrote_is_made_when_the_person_approves(
    stage: Stage,
) -> None:
    _, notes = run(stage, "echo evil > .envrc; echo fine > a.txt")
    assert "it takes a person's consent (other programs run what this file says" in notes[0]
    assert not (stage.root / ".envrc").exists()
    assert (stage.root / "a.txt").read_text() == "fine\n"
    approve(stage)
    assert (stage.root / ".envrc").read_text() == "evil\n"


@pytest.mark.requirement("policy-commands-refused")
def test_a_command_without_a_view_of_its_own_is_refused(tmp_path: Path) -> None:
    require("landlock")
    stage = Stage(tmp_path, "landlock")
    try:
        assert run(stage, "echo x > a")[0]
        stage.policy.write_text(GLOB)
        stage.redline._processes._helper.offer()["namespaces"] = False
        with pytest.raises(SandboxUnavailable, match="while a policy is in force"):
            stage.start("true", b"")
    finally:
        stage.redline.close()
    other = tmp_path / "other"
    other.mkdir()
    settings = Settings(
        workspace=str(other),
        state_dir=str(tmp_path / "more"),
        policy=str(stage.policy),
        sandbox="dangerous",
    )
    redline = Redline(settings)
    try:
        with pytest.raises(SandboxUnavailable, match="No command runs without a sandbox"):
            redline.commands.start(Command("true", TOP), Origin("exec_command"))
    finally:
        redline.close()


class FullDisk:
    """A view of a command that moved files, on a disk that takes no new file."""

    def __init__(self, *changes: Change) -> None:
        self.changes = changes
        self.made: list[Change] = []

    def read(self) -> Written:
        return Written(self.changes)

    def load(self, state: FileState) -> FileState:
        return state

    def complete(self, change: Change) -> Change:
        return change

    def place(self, step: Change) -> str:
        if isinstance(step.before, Absent) and isinstance(step.after, FileState):
            return "no space is left"
        self.made.append(step)
        return ""


@pytest.mark.requirement("policy-commands-made")
def test_a_file_is_not_removed_when_its_content_could_not_be_written_where_it_went(
    stage: Stage,
) -> None:
    # Without their contents: these are not in the history.
    moved, gone = FileState("moved", 6), FileState("gone", 5)
    view = FullDisk(
        Change(TOP.child("a"), moved, ABSENT),
        Change(TOP.child("b"), ABSENT, moved),
        Change(TOP.child("c"), gone, ABSENT),
    )
    rules = stage.redline.commands._rules  # type: ignore[attr-defined]
    change, notes = rules.settle(view, Command("mv a b; rm c", TOP), Origin("exec_command"))
    assert [step.path.relative for step in view.made] == ["c"]
    assert notes[0] == "Not made, because no space is left: b, a"
    assert change is None


@pytest.mark.requirement("policy-commands-saves")
def test_what_a_command_wrote_is_held_while_another_change_goes_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = stage.redline._store
    monkeypatch.setattr(store.locks, "_wait", 0.1)
    held = store.locks.acquire(frozenset(), directories=True)
    try:
        change, (note,) = run(stage, "echo command > a.txt")
    finally:
        held.release()
    assert change is None
    assert note.startswith("Not made, because another change to the same files went on; what")
    assert (stage.root / "a.txt").read_text() == FILES["a.txt"]
    approve(stage)
    assert (stage.root / "a.txt").read_text() == "command\n"


def access_list(user: int) -> bytes:
    """The value of an access list that lets one more user read."""
    entries = [(1, 7, -1), (2, 4, user), (4, 0, -1), (16, 4, -1), (32, 0, -1)]
    return b"\2\0\0\0" + b"".join(struct.pack("<HHi", *entry) for entry in entries)


@pytest.mark.requirement("policy-commands-made")
def test_extended_attributes_access_lists_and_times_are_kept(stage: Stage) -> None:
    access, theirs, own = "system.posix_acl_access", access_list(1234), access_list(os.getuid())
    (stage.root / ".gitignore").write_text("out\n")
    for name in ("a.txt", "src/a.py"):
        os.setxattr(stage.root / name, "user.was", b"there")
        os.setxattr(stage.root / name, access, theirs)
    (stage.root / "try.py").write_text(
        "import os\n"
        "open('a.txt', 'a').write('more')\n"
        "open('src/a.py', 'a').write('more')\n"
        "os.removexattr('src/a.py', 'user.was')\n"
        "for name in ('new', 'out'):\n"
        "    open(name, 'w').write('new')\n"
        f"    os.setxattr(name, {access!r}, {own!r})\n"
        "    os.setxattr(name, 'user.mine', b'x')\n"
        "    os.utime(name, (1, 1_000_000_000))\n"
    )
    change, notes = run(stage, "python3 try.py")
    assert notes == ["Undo does not cover: out (ignored)"]
    kept = {
        name: {each: os.getxattr(stage.root / name, each) for each in os.listxattr(path)}
        for name in ("a.txt", "src/a.py", "new", "out")
        for path in [stage.root / name]
    }
    assert kept == {
        "a.txt": {"user.was": b"there", access: theirs},
        "src/a.py": {access: theirs},
        "new": {"user.mine": b"x", access: own},
        "out": {"user.mine": b"x", access: own},
    }
    for name in ("new", "out"):
        assert (stage.root / name).stat().st_mtime == 1_000_000_000
    stage.redline.editor.undo(change, Origin("undo_change"))
    assert (stage.root / "a.txt").read_text() == FILES["a.txt"]

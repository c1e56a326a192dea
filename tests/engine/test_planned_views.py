"""A command on a view of a planned change sees what the change would leave."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.core.call_scope import UNCANCELLABLE
from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState, LinkState, Rename
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Finished
from redline.core.ports.history import Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline

ROOT = WorkspacePath(0, ())
# Prints each path below the directory with its kind, mode, and content or target.
LIST = """find . -mindepth 1 ! -path './.git*' -printf '%P %y %m %l\\n' | sort
find . -type f ! -path './.git*' | sort | while read -r f; do echo "$f: $(cat "$f")"; done"""


def at(name: str) -> WorkspacePath:
    return WorkspacePath(0, tuple(name.split("/")))


@pytest.fixture
def redline(tmp_path: Path) -> Iterator[Redline]:
    root = tmp_path / "root"
    for name, text in {"a.txt": "a", "d/b.txt": "b", "d/e/c.txt": "c", "run.sh": "echo"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("a.txt")
    settings = Settings(workspace=str(root), state_dir=str(tmp_path / "state"), record=False)
    with Redline(settings) as made:
        yield made


def run(redline: Redline, line: str, planned: ChangeSet) -> Finished:
    command = Command(line, ROOT, timeout=60, overlay=True, planned=planned)
    done = redline.commands.run(command, Origin("test"), UNCANCELLABLE, 1 << 20)
    assert done.state.exit_code == 0, done.stderr
    return done


def listed(top: Path) -> list[str]:
    """What `LIST` prints, by this process."""
    lines, texts = [], []
    for where, folders, files in os.walk(top):
        for name in (*folders, *files):
            path = Path(where, name)
            inside = path.relative_to(top)
            status = path.lstat()
            kind = "l" if path.is_symlink() else "d" if path.is_dir() else "f"
            target = os.readlink(path) if path.is_symlink() else ""
            lines.append(f"{inside} {kind} {stat.S_IMODE(status.st_mode):o} {target}")
            if kind == "f":
                texts.append(f"./{inside}: {path.read_text().rstrip()}")
    return [*sorted(lines), *sorted(texts)]


def changes(redline: Redline) -> dict[str, ChangeSet]:
    """Changes of every kind."""
    state = redline.tree.state

    def change(name: str, after: object) -> Change:
        return Change(at(name), state(at(name)), after)  # type: ignore[arg-type]

    new = FileState.of(b"new\n")
    mode = state(at("run.sh")).mode  # type: ignore[union-attr]
    moved = Rename(at("d/b.txt"), at("n.txt"))
    return {
        "none": ChangeSet(),
        "edit": ChangeSet((change("a.txt", FileState.of(b"A", 0o644)),)),
        "mode is kept": ChangeSet((change("run.sh", FileState.of(b"exit", mode)),)),
        "create": ChangeSet((change("x", DirState()), change("x/y.txt", new))),
        "delete": ChangeSet((change("d/b.txt", ABSENT),)),
        "delete a folder": ChangeSet(
            tuple(change(name, ABSENT) for name in ("d/b.txt", "d/e/c.txt", "d/e", "d"))
        ),
        "link": ChangeSet((change("link", LinkState("run.sh")),)),
        "move": ChangeSet((moved,)),
        "move and edit": ChangeSet((moved, Change(at("n.txt"), state(at("d/b.txt")), new))),
        "move a folder": ChangeSet((Rename(at("d"), at("z")),)),
        "edit, then move its folder": ChangeSet(
            (
                change("d/b.txt", FileState.of(b"B", 0o644)),
                change("d/e/c.txt", ABSENT),
                change("d/new.txt", new),
                Rename(at("d"), at("z")),
            )
        ),
        "move there and back": ChangeSet((moved, moved.inverse())),
        "file for a folder": ChangeSet(
            (change("d/e/c.txt", ABSENT), change("d/e", ABSENT), Change(at("d/e"), ABSENT, new))
        ),
    }


CASES = (
    "none", "edit", "mode is kept", "create", "delete", "delete a folder", "link", "move",
    "move and edit", "move a folder", "edit, then move its folder", "move there and back",
    "file for a folder",
)  # fmt: skip


@pytest.mark.requirement("agent-check-view")
def test_a_view_of_a_plan_is_what_the_workspace_becomes(redline: Redline, tmp_path: Path) -> None:
    os.umask(0o022)
    top = tmp_path / "root"
    before = listed(top)
    for name in CASES:
        planned = changes(redline)[name]
        done = run(redline, LIST, planned)
        assert listed(top) == before, name
        assert done.proposal is not None
        assert done.proposal.is_empty, name
        operation = redline.editor.commit(planned, Origin("test"))
        seen = sorted(done.stdout.decode().splitlines())
        assert seen == sorted(listed(top)), name
        if operation.id:
            redline.editor.commit(operation.change_set.inverse(), Origin("test"))
            assert listed(top) == before, name


@pytest.mark.requirement("agent-check-view")
def test_what_a_command_makes_of_a_plan_is_its_proposal(redline: Redline) -> None:
    planned = changes(redline)["edit"]
    done = run(redline, "printf a > a.txt; printf 2 > d/b.txt", planned)
    assert done.proposal is not None
    found = {step.path: step for step in done.proposal.steps if isinstance(step, Change)}
    assert set(found) == {at("a.txt"), at("d/b.txt")}
    before, after = found[at("a.txt")].before, found[at("a.txt")].after
    assert isinstance(before, FileState)
    assert isinstance(after, FileState)
    assert (before.content, after.content) == (b"A", b"a")

"""An afternoon of changes beside Redline, and whether the history has all of them.

    python -m tests.recorder.afternoon [CHANGES] [SEED]

Programs edit in place, save by rename, run sed and shells, move, delete, check out and stash, and
format hundreds of files; a second person and an agent with hooks write at the same time, and
Redline's own tools edit, too, some of it in files that the second person is writing. Afterwards

- the operations on each file, in the history's order, lead from its first state to its last,
- each names the right side; in a shared file each changed only lines of its side,
- no line that the second person wrote is missing,
- undone one by one, the newest first, each gives back the bytes that it found.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from redline.core.changes import Change, ChangeSet, FileState, State
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.core.ports.history import OUTSIDE, HistoryQuery, Operation, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.recorder.adapters.hook_runs import run_hook

FILES = 600
SHARED = 5
QUIET = 60.0


@dataclass
class Verdict:
    """What was done and what the history has of it."""

    changes: int = 0
    operations: int = 0
    gaps: list[str] = field(default_factory=list)
    sides: Counter[str] = field(default_factory=Counter)
    wrong_side: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    not_undone: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)


class Afternoon:
    """One workspace, its recorder and everybody who works in it."""

    def __init__(self, base: Path, seed: int) -> None:
        self.root = base / "ws"
        self.counting = threading.Lock()
        self.dice = random.Random(seed)
        for number in range(FILES):
            path = self.root / f"d{number % 20}" / f"f{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"file {number}\n" * 5)
        for number in range(SHARED):
            (self.root / f"s{number}.txt").write_text("redline 0\n" + "-\n" * 9 + "person 0\n")
        self.git("init", "-q", "-b", "main")
        self.git("config", "gc.auto", "0")
        self.git("config", "maintenance.auto", "false")
        self.commit("first")
        self.redline = Redline(Settings(workspace=str(self.root), state_dir=str(base / "state")))
        self.learned = threading.Event()
        session = self.redline.recording.open(lambda _: self.learned.set())
        assert session is not None
        self.session = session
        self.first = self.states()
        session.start()
        assert self.learned.wait(QUIET), session.limits
        self.done = self.at_once = 0
        self.written: list[tuple[str, str]] = []

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self, message: str) -> None:
        self.git("add", "-A", "--", ":(glob)d*/**")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def states(self) -> dict[str, str]:
        """The digest of every file."""
        return {
            str(path.relative_to(self.root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".git" not in path.parts
        }

    def outside(self, kind: str) -> None:
        """One change by another program, in the files that git knows."""
        files = list(self.root.glob("d*/*.txt"))
        path = self.dice.choice(files)
        text = f"{self.dice.random()}\n"
        if kind == "in place":
            with path.open("a") as file:
                file.write(text)
        elif kind == "rename":
            swap = path.with_suffix(".swp")
            swap.write_text(text)
            os.replace(swap, path)
        elif kind == "sed":
            subprocess.run(["sed", "-i", f"1s/.*/{text.strip()}/", str(path)], check=True)
        elif kind == "heredoc":
            subprocess.run(["sh", "-c", f"cat > {path} <<'E'\n{text}E"], check=True)
        elif kind == "remove" and len(files) > FILES // 2:
            path.unlink()
        elif kind == "move":
            os.rename(path, path.with_name(f"m{self.done}.txt"))
        elif kind == "format":
            for one in files[: self.at_once]:
                one.write_text(one.read_text().swapcase())
            self.changed(self.at_once - 1)
        elif kind == "checkout":
            self.commit("state")
            self.git("checkout", "-q", "-B", f"b{self.done}", "HEAD~1")
        elif kind == "stash":
            path.write_text(text)
            self.git("stash", "-q")
        self.changed()

    def ours(self, stop: threading.Event) -> None:
        """Edits by Redline's own tools, in files of their own and in shared ones."""
        number = 0
        while not stop.is_set():
            number += 1
            name = f"g{number % 7}.md" if number % 2 else f"s{number % SHARED}.txt"
            path = self.redline.workspace.resolve(name, Access.WRITE)
            try:
                before = self.redline.tree.state(path)
                lines = [b""]
                if isinstance(before, FileState):
                    lines = (before.content or self.redline.tree.read(path)).split(b"\n")
                lines[0] = b"redline %d" % number
                change = Change(path, before, FileState.of(b"\n".join(lines)))
                self.redline.editor.commit(ChangeSet((change,)), Origin("edit_file"))
            except RedlineError:
                continue
            self.changed()
            stop.wait(0.05)

    def second(self, stop: threading.Event) -> None:
        """Another person, who writes in files of their own and in shared ones."""
        number = 0
        while not stop.is_set():
            number += 1
            shared = f"s{number % SHARED}.txt"
            with (self.root / shared).open("a") as file:
                file.write(f"person {number}\n")
            self.written.append((shared, f"person {number}"))
            (self.root / f"p{number % 9}.txt").write_text(f"{number}\n")
            self.changed(2)
            stop.wait(0.03)

    def agent(self, stop: threading.Event) -> None:
        """An agent that edits with its client's own tool, between the client's hooks."""
        number = 0
        while not stop.is_set():
            number += 1
            path = self.root / f"a{number % 5}.txt"
            event = {"session_id": "s1", "cwd": str(self.root), "tool_name": "Edit"}
            event |= {"tool_use_id": str(number), "prompt_id": "p1"}
            given = {**event, "tool_input": {"file_path": str(path)}}
            self.say({**given, "hook_event_name": "PreToolUse"})
            path.write_text(f"{number}\n")
            self.say({**given, "hook_event_name": "PostToolUse"})
            self.changed()

    def say(self, event: dict[str, object]) -> None:
        run_hook("claude-code", json.dumps(event).encode(), state=self.root.parent / "state")

    def changed(self, count: int = 1) -> None:
        with self.counting:
            self.done += count

    def work(self, changes: int) -> None:
        stop = threading.Event()
        self.at_once = min(500, changes // 4)
        others = [
            threading.Thread(target=one, args=(stop,))
            for one in (self.ours, self.second, self.agent)
        ]
        for other in others:
            other.start()
        kinds = ["in place", "rename", "sed", "heredoc", "remove", "move"] * 8
        kinds += ["checkout", "stash"]
        formatted = 0
        try:
            while self.done < changes:
                is_due = self.done * 3 > changes * (formatted + 1)
                formatted += is_due
                self.outside("format" if is_due else self.dice.choice(kinds))
                if self.dice.random() < 0.2:
                    time.sleep(self.dice.random() / 4)
        finally:
            stop.set()
            for other in others:
                other.join()

    def judge(self) -> Verdict:
        """Stop recording and compare."""
        self.session.close()
        for thread in threading.enumerate():
            if thread.name == "recorder":
                thread.join(QUIET)  # `close` waits less, which a loaded machine may exceed
        verdict = Verdict(changes=self.done, limits=list(self.session.limits))
        operations = list(self.redline.history.list(HistoryQuery(limit=100_000)))
        verdict.operations = len(operations)
        verdict.gaps = find_gaps(operations, self.first, self.states())
        for operation in operations:
            verdict.sides[_side_of(operation)] += 1
            for step in operation.change_set.steps:
                if isinstance(step, Change) and not self.is_right_side(operation, step):
                    verdict.wrong_side.append(f"{step.path.relative}: {operation.origin}")
        for name, line in self.written:
            if line not in (self.root / name).read_text().split("\n"):
                verdict.lost.append(f"{name}: {line}")
        for operation in operations:
            verdict.not_undone += self.undo(operation)
        if self.states() != self.first:
            verdict.not_undone.append("the first state")
        return verdict

    def is_right_side(self, operation: Operation, step: Change) -> bool:
        """Whether the side that an operation names made such a change."""
        side, name = _side_of(operation), step.path.relative
        if "/" in name or not name.startswith("s"):
            return side == {"g": "redline", "a": "agent"}.get(name[0], "person")
        old, new = (self.lines_of(state) for state in (step.before, step.after))
        changed = Counter(new)
        changed.subtract(Counter(old))
        return {line.split()[0] for line, count in changed.items() if count} <= {side}

    def lines_of(self, state: State) -> list[str]:
        if not isinstance(state, FileState):
            return []
        content = self.redline.history.load_content(state).content or b""
        return content.decode().strip("\n").split("\n")

    def undo(self, operation: Operation) -> list[str]:
        """Take an operation back; the files that are not as it found them.

        Where an edit of Redline's came in between, that is kept: such files are judged at the end.
        """
        found = self.redline.history.get(operation.id).change_set.steps
        now = {path: _name(self.redline.tree.state(path)) for path in ChangeSet(found).paths}
        try:
            self.redline.editor.undo(operation.id, Origin("undo_change"))
        except RedlineError as error:
            return [f"{operation.id}: {error.message}"]
        steps = [step for step in found if isinstance(step, Change)]
        return [
            f"{operation.id}: {step.path.relative}"
            for step in steps
            if now[step.path] == _name(step.after)
            and _name(self.redline.tree.state(step.path)) != _name(step.before)
        ]

    def close(self) -> None:
        self.redline.close()


def _name(state: State) -> str:
    return state.digest if isinstance(state, FileState) else "-"


def _side_of(operation: Operation) -> str:
    if operation.origin.client == "claude-code":
        return "agent" if operation.origin.tool == "Edit" else "unknown"
    return "person" if operation.origin.tool == OUTSIDE else "redline"


def find_gaps(
    operations: Sequence[Operation], first: dict[str, str], last: dict[str, str]
) -> list[str]:
    """Where the operations, newest first, do not lead from the first state of a file to its last.

    Each must begin with what the one before it left.
    """
    now = dict(first)
    found = []
    for operation in reversed(operations):
        for step in operation.change_set.steps:
            if isinstance(step, Change):
                name = step.path.relative
                if now.get(name, "-") != _name(step.before):
                    found.append(f"{name} before {operation.id}")
                now[name] = _name(step.after)
    return found + [name for name in {*now, *last} if now.get(name, "-") != last.get(name, "-")]


def spend(changes: int, seed: int) -> Verdict:
    """A whole afternoon."""
    with tempfile.TemporaryDirectory() as base:
        afternoon = Afternoon(Path(base), seed)
        try:
            afternoon.work(changes)
            return afternoon.judge()
        finally:
            afternoon.close()


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    print(spend(*(numbers + [2000, 1][len(numbers) :])))

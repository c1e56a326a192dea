"""An afternoon of changes beside Redline, and whether the history has all of them.

    python -m tests.engine.recording.afternoon [CHANGES] [SEED]

Programs edit in place, save by rename, run sed and shells, move, delete, check out and stash, and
format hundreds of files, while Redline's own tools edit too. Afterwards the operations on each file
must lead from its first state to its last without a gap, and each must name the right side.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from redline.app import Redline
from redline.core.changes import Change, ChangeSet, FileState, State
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.core.ports.history import HistoryQuery, Origin
from redline.engine.recording.attribution import OUTSIDE
from redline.settings import Settings

FILES = 600
QUIET = 60.0


@dataclass
class Verdict:
    """What was done and what the history has of it."""

    changes: int = 0
    operations: int = 0
    gaps: list[str] = field(default_factory=list)
    wrong_side: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)


class Afternoon:
    """One workspace, its recorder and everybody who works in it."""

    def __init__(self, base: Path, seed: int) -> None:
        self.root = base / "ws"
        self.dice = random.Random(seed)
        for number in range(FILES):
            path = self.root / f"d{number % 20}" / f"f{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"file {number}\n" * 5)
        self.git("init", "-q", "-b", "main")
        self.commit("first")
        self.redline = Redline(Settings(workspace=str(self.root), state_dir=str(base / "state")))
        self.learned = threading.Event()
        session = self.redline.open_recording(lambda _: self.learned.set())
        assert session is not None
        self.session = session
        self.first = self.states()
        session.start()
        assert self.learned.wait(QUIET), session.limits
        self.done = 0

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
        """One change by another program; `g` files are Redline's own and left alone."""
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
            for one in files[:500]:
                one.write_text(one.read_text().replace("file", "File"))
            self.done += 499
        elif kind == "checkout":
            self.commit("state")
            self.git("checkout", "-q", "-B", f"b{self.done}", "HEAD~1")
        elif kind == "stash":
            path.write_text(text)
            self.git("stash", "-q")
        self.done += 1

    def ours(self, stop: threading.Event) -> None:
        """Edits by Redline's own tools in files that no one else touches."""
        number = 0
        while not stop.is_set():
            path = self.redline.workspace.resolve(f"g{number % 7}.md", Access.WRITE)
            after = FileState.of(f"{number}\n".encode())
            try:
                before = self.redline.tree.state(path)
                change = ChangeSet((Change(path, before, after),))
                self.redline.editor.commit(change, Origin("edit_file"))
            except RedlineError:
                continue
            number += 1
            stop.wait(0.05)

    def work(self, changes: int) -> None:
        stop = threading.Event()
        own = threading.Thread(target=self.ours, args=(stop,))
        own.start()
        kinds = ["in place", "rename", "sed", "heredoc", "remove", "move"] * 8
        kinds += ["checkout", "stash"]
        try:
            while self.done < changes:
                kind = "format" if self.done and self.done % 700 == 0 else self.dice.choice(kinds)
                self.outside(kind)
                if self.dice.random() < 0.2:
                    time.sleep(self.dice.random() / 4)
        finally:
            stop.set()
            own.join()

    def judge(self) -> Verdict:
        """Stop recording and compare."""
        self.session.close()
        verdict = Verdict(changes=self.done, limits=list(self.session.limits))
        last = self.states()
        flow: dict[str, Counter[str]] = defaultdict(Counter)
        operations = self.redline.history.list(HistoryQuery(limit=100_000))
        verdict.operations = len(operations)
        for operation in operations:
            for step in operation.change_set.steps:
                if not isinstance(step, Change):
                    continue
                name = step.path.relative
                if not isinstance(step.before, FileState) and not isinstance(step.after, FileState):
                    continue
                flow[name][_name(step.before)] += 1
                flow[name][_name(step.after)] -= 1
                if name.startswith("g") is not (operation.origin.tool != OUTSIDE):
                    verdict.wrong_side.append(f"{name}: {operation.origin.tool}")
        for name in {*flow, *self.first, *last}:
            wanted: Counter[str] = Counter()
            wanted[self.first.get(name, "-")] += 1
            wanted[last.get(name, "-")] -= 1
            if {k: v for k, v in flow[name].items() if v} != {k: v for k, v in wanted.items() if v}:
                verdict.gaps.append(name)
        return verdict

    def close(self) -> None:
        self.redline.close()


def _name(state: State) -> str:
    return state.digest if isinstance(state, FileState) else "-"


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

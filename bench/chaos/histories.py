"""Looks at what a run left on disk: files, histories, and what takes them back to the start."""

from __future__ import annotations

import threading
from pathlib import Path

from bench.chaos.ledger import Ledger
from redline.core.errors import RedlineError
from redline.library.workspace import Workspace


class NumberWatch(threading.Thread):
    """Sees the number of each workspace's lease, which may only rise."""

    def __init__(self, state: Path, ledger: Ledger, stop: threading.Event) -> None:
        super().__init__(name="numbers", daemon=True)
        self._state = state
        self._ledger = ledger
        self._ending = stop
        self.seen: dict[str, int] = {}

    def run(self) -> None:
        """Look until *stop*."""
        while not self._ending.wait(0.05):
            self.look()

    def look(self) -> None:
        """Look once."""
        for path in self._state.glob("*/lease-number"):
            try:
                number = int(path.read_text())
            except (OSError, ValueError):
                continue
            before = self.seen.get(path.parent.name, 0)
            if number < before:
                self._ledger.blame(f"{path.parent.name}: lease {number} after {before}")
            self.seen[path.parent.name] = number


def judge_workspace(ledger: Ledger, folder: Path, state: Path) -> None:
    """Compare the files of a workspace with the ledger, and its history with both."""
    name = folder.name
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    expected = {each.file for each in ledger.attempts.values() if each.workspace == name}
    for file in sorted(files | expected):
        path = folder / file
        ledger.judge_file(name, file, path.read_text() if path.is_file() else "")
    litter = [str(path) for path in folder.rglob(".*") if path.name != ".envrc"]
    if litter:
        ledger.blame(f"{name}: litter: {litter[:3]}")
    with Workspace.open(str(folder), state_dir=str(state / name)) as workspace:
        operations = workspace.log(limit=1_000_000)
        ids = [operation.id for operation in operations]
        if len(ids) != len(set(ids)):
            ledger.blame(f"{name}: an id is twice in the history")
        ledger.count("operations in histories", len(ids))
        acknowledged = {a.change for a in ledger.attempts.values() if a.workspace == name}
        for change in acknowledged - {""} - set(ids):
            ledger.blame(f"{name}: {change} was acknowledged and is not in the history")


def replay_backwards(ledger: Ledger, folder: Path, state: Path, start: dict[str, str]) -> None:
    """Undo everything as one change: what is left must be what the run began with."""
    name = folder.name
    with Workspace.open(
        str(folder), state_dir=str(state / name), guarded_paths=("!.envrc",)
    ) as workspace:
        operations = workspace.log(limit=1_000_000)
        if operations:
            try:
                workspace.undo(since=operations[-1].id)
            except RedlineError as failure:
                ledger.blame(f"{name}: the history cannot be undone: {failure}")
                return
    left = {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}
    if left != start:
        wrong = sorted(set(left.items()) ^ set(start.items()))[:3]
        ledger.blame(f"{name}: undone, it is not what it was: {wrong}")
    ledger.count("histories undone to the start")

"""Commands whose changes to the workspace become operations: journalled, listed, undoable."""

from __future__ import annotations

import time
from collections.abc import Sequence

from redline.core.changes import Change, ChangeSet, State
from redline.core.paths import WorkspacePath
from redline.core.ports import (
    Cancel,
    Command,
    Difference,
    Editor,
    Finished,
    Job,
    Origin,
    Processes,
    SandboxFacts,
    Snapshots,
    Store,
)

_SHOWN = 5


class RecordedCommands:
    """See `core.ports.Commands`."""

    def __init__(
        self, processes: Processes, snapshots: Snapshots, editor: Editor, store: Store
    ) -> None:
        self._processes = processes
        self._snapshots = snapshots
        self._editor = editor
        self._store = store

    def start(self, command: Command, origin: Origin) -> Job:
        """Start it; what it changed is recorded when it has ended."""
        began = time.time()
        before = self._snapshots.take()
        return self._processes.start(command, lambda: self._record(before, began, origin))

    def run(self, command: Command, origin: Origin, cancel: Cancel, limit: int) -> Finished:
        """Run it to its end; cancelling kills it."""
        job = self.start(command, origin)
        return self._processes.finish(job, cancel, limit)

    def get(self, job_id: str, owner: str) -> Job:
        """The job of that owner."""
        return self._processes.get(job_id, owner)

    def forget(self, job_id: str, owner: str) -> None:
        """Give the handle back."""
        self._processes.forget(job_id, owner)

    def describe(self) -> SandboxFacts:
        """What would hold a command started now."""
        return self._processes.describe()

    def is_privileged(self, word: str) -> bool:
        """Whether *word* would run a setuid or setgid program."""
        return self._processes.is_privileged(word)

    def close(self) -> None:
        """End what runs while it can still be recorded."""
        self._processes.close()

    def _record(
        self, before: object, began: float, origin: Origin
    ) -> tuple[str | None, Sequence[str]]:
        found = self._snapshots.compare(before)
        mine = self._without_known(found.change_set, began)
        notes = _not_covered(found)
        if mine.is_empty:
            return None, notes
        operation = self._editor.record(mine, origin)
        return operation.id or None, notes

    def _without_known(self, change_set: ChangeSet, began: float) -> ChangeSet:
        """Without what other operations did meanwhile: those are in the journal already."""
        known: dict[WorkspacePath, State] = {}
        for operation in self._store.newest_first():
            if operation.time < began:
                break
            for step in operation.change_set.steps:
                if isinstance(step, Change):
                    known.setdefault(step.path, step.after)
        steps: list[Change] = []
        for step in change_set.steps:
            if not isinstance(step, Change) or known.get(step.path) == step.after:
                continue
            steps.append(step)
        return ChangeSet(tuple(steps))


def _not_covered(found: Difference) -> list[str]:
    names = found.uncovered
    if not names:
        return []
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return [f"Undo does not cover: {', '.join(names[:_SHOWN])}{more}"]

"""Commands whose changes to the workspace become operations: journalled, listed, undoable."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock

from redline.core.changes import Change, ChangeSet, State
from redline.core.error_families.wording import naming
from redline.core.errors import InvalidArgument, SessionNotFound
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import (
    Command,
    CommandRuns,
    Difference,
    Finished,
    Job,
    JobState,
    Processes,
    SandboxFacts,
    Snapshots,
)
from redline.core.ports.history import ChangeEditor, Operation, Origin
from redline.core.ports.recording import Activity
from redline.core.ports.search import Cancel
from redline.core.ports.store import Store
from redline.core.ports.tree import Tree
from redline.engine.command_rules import CommandRules
from redline.engine.run_notes import RunNote

_SHOWN = 5
_KEPT = 16


class RecordedCommands:
    """See `core.ports.commands.Commands`."""

    def __init__(
        self,
        processes: Processes,
        snapshots: Snapshots,
        editor: ChangeEditor,
        store: Store,
        tree: Tree,
        activity: Activity,
        rules: CommandRules,
        runs: CommandRuns,
    ) -> None:
        self._runs = runs
        self._activity = activity
        self._rules = rules
        self._tree = tree
        self._lock = Lock()
        self._proposals: dict[str, tuple[str, str, Difference]] = {}
        self._processes = processes
        self._snapshots = snapshots
        self._editor = editor
        self._store = store

    def start(self, command: Command, origin: Origin) -> Job:
        """Start it; what it changed is recorded when it has ended."""
        note = RunNote(self._runs, command, origin)
        if command.overlay:
            job = self._start_dry(command, note)
        else:
            job = self._start(command, origin, note)
        note.begin(job.sandbox)
        return job

    def _start(self, command: Command, origin: Origin, note: RunNote) -> Job:
        began = time.time()
        ended = self._activity.begin()

        def finish(state: JobState) -> tuple[str | None, Sequence[str]]:
            change = None
            try:
                change, notes = self._record(before, began, origin, ended)
            finally:
                note.end(state, change)
            return change, notes

        try:
            before = self._snapshots.take()
            self._rules.require_sight(self._snapshots.blindness(before))
            sealed = self._rules.sealed_places(origin)
            return self._processes.start(replace(command, sealed=sealed), finish)
        except BaseException:
            ended()
            raise

    def run(self, command: Command, origin: Origin, cancel: Cancel, limit: int) -> Finished:
        """Run it to its end; cancelling kills it."""
        job = self.start(command, origin)
        done = self._processes.finish(job, cancel, limit)
        if not command.overlay:
            return done
        with self._lock:
            kept = self._proposals.pop(job.id, None)
        return replace(done, proposal=kept[2].change_set if kept else ChangeSet())

    def get(self, job_id: str, owner: str) -> Job:
        """The job of that owner."""
        return self._processes.get(job_id, owner)

    def release(self, job_id: str, owner: str) -> None:
        """Release the handle; a dry run's proposal is dropped with it."""
        with self._lock:
            if job_id in self._proposals and self._proposals[job_id][0] == owner:
                del self._proposals[job_id]
        self._processes.release(job_id, owner)

    def describe(self) -> SandboxFacts:
        """What would hold a command started now."""
        return self._processes.describe()

    def is_privileged(self, word: str) -> bool:
        """Whether *word* would run a setuid or setgid program."""
        return self._processes.is_privileged(word)

    def _start_dry(self, command: Command, note: RunNote) -> Job:
        def propose(
            job_id: str, found: Difference, state: JobState
        ) -> tuple[str | None, Sequence[str]]:
            note.end(state, None)
            with self._lock:
                while len(self._proposals) >= _KEPT:
                    self._proposals.pop(next(iter(self._proposals)))
                self._proposals[job_id] = (command.owner, command.line, found)
            notes = [f"Not part of the dry run: {name}" for name in found.uncovered[:_SHOWN]]
            return None, notes

        return self._processes.start_dry(command, self._tree, propose)

    def proposal(self, job_id: str, owner: str) -> Difference | None:
        """What a dry run would have changed."""
        with self._lock:
            kept = self._proposals.get(job_id)
        return kept[2] if kept is not None and kept[0] == owner else None

    def apply(self, job_id: str, owner: str, line: str, origin: Origin) -> Operation:
        """Commit the proposal of a dry run."""
        with self._lock:
            kept = self._proposals.get(job_id)
        if kept is None or kept[0] != owner:
            raise SessionNotFound(
                f"No dry run to apply, or access to it is denied: {job_id}",
                hint=naming("call {exec_command} with dry_run first"),
            )
        if kept[1] != line:
            raise InvalidArgument(f"That dry run was of another command: {kept[1]}", field="apply")
        operation = self._editor.commit(kept[2].change_set, origin)
        with self._lock:
            self._proposals.pop(job_id, None)
        return operation

    def close(self) -> None:
        """End what runs while it can still be recorded."""
        self._processes.close()

    def _record(
        self, before: object, began: float, origin: Origin, ended: Callable[[], None]
    ) -> tuple[str | None, Sequence[str]]:
        try:
            return self._record_changes(before, began, origin)
        finally:
            ended()

    def _record_changes(
        self, before: object, began: float, origin: Origin
    ) -> tuple[str | None, Sequence[str]]:
        found = self._snapshots.compare(before)
        mine = self._without_known(found.change_set, began)
        notes = _not_covered(found, self._rules.is_active())
        if mine.is_empty:
            return None, notes
        operation = self._editor.record(mine, origin)
        return operation.id or None, [*self._rules.enforce(mine, origin), *notes]

    def _without_known(self, change_set: ChangeSet, began: float) -> ChangeSet:
        """Leave out what other operations did at the same time: the journal has those already."""
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


def _not_covered(found: Difference, is_ruled: bool) -> list[str]:
    names = found.uncovered
    if not names:
        return []
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    also = ", nor does the policy" if is_ruled else ""
    return [f"Undo does not cover{also}: {', '.join(names[:_SHOWN])}{more}"]

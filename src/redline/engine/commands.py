"""Commands whose changes to the workspace become operations: journalled, listed, undoable."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from threading import Event, Lock
from typing import BinaryIO, NamedTuple

from redline.core.changes import Absent, Change, ChangeSet, DirState, State
from redline.core.errors import InvalidArgument, RedlineError, SessionNotFound
from redline.core.guarded import GuardedPath
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports import commands
from redline.core.ports.history import ChangeEditor, Operation, Origin
from redline.core.ports.recording import Activity
from redline.core.ports.search import Cancel
from redline.core.ports.store import Store
from redline.core.ports.tree import Tree
from redline.core.records import replace
from redline.core.wording import naming

MAX_RUNS = 16
MAX_BYTES = 256 << 20


class DryRun(NamedTuple):
    """The proposal of one command; `owner` may apply it, with the same command line."""

    owner: str
    line: str
    found: commands.Difference


class _Kept(NamedTuple):
    owner: str
    size: int
    file: BinaryIO


class KeptDryRuns:
    """Keeps the newest proposals, up to a number and a size in all; the oldest are dropped.

    *open_file* returns a new file without a name, which nothing else can write.
    """

    def __init__(self, open_file: Callable[[], BinaryIO]) -> None:
        self._open_file = open_file
        self._lock = Lock()
        self._kept: dict[str, _Kept] = {}

    def keep(self, job_id: str, run: DryRun) -> bool:
        """Keep a proposal; False when it alone has more bytes than all may have."""
        data = pickle.dumps(run, pickle.HIGHEST_PROTOCOL)
        if len(data) > MAX_BYTES:
            return False
        file = self._open_file()
        try:
            file.write(data)
            file.flush()
        except BaseException:
            file.close()
            raise
        with self._lock:
            while len(self._kept) >= MAX_RUNS or self._size() + len(data) > MAX_BYTES:
                self._drop(next(iter(self._kept)))
            self._kept[job_id] = _Kept(run.owner, len(data), file)
        return True

    def get(self, job_id: str, owner: str) -> DryRun | None:
        """Return the proposal of a dry run of *owner*."""
        with self._lock:
            kept = self._kept.get(job_id)
            if kept is None or kept.owner != owner:
                return None
            kept.file.seek(0)
            run: DryRun = pickle.load(kept.file)  # noqa: S301 - no one else can write this file
        return run

    def drop(self, job_id: str, owner: str) -> None:
        """Forget the proposal of a dry run of *owner*."""
        with self._lock:
            if job_id in self._kept and self._kept[job_id].owner == owner:
                self._drop(job_id)

    def close(self) -> None:
        """Forget every proposal."""
        with self._lock:
            for job_id in list(self._kept):
                self._drop(job_id)

    def _size(self) -> int:
        return sum(kept.size for kept in self._kept.values())

    def _drop(self, job_id: str) -> None:
        self._kept.pop(job_id).file.close()


_PATIENCE = 10.0
# Bytes that are kept of the beginning and of the end of an output.
_MAX_KEPT = 1500
_MAX_SESSIONS = 256


class RunNote:
    """The note of one run. That it cannot be written never keeps a command from running."""

    def __init__(
        self, runs: commands.CommandRuns, command: commands.Command, origin: Origin
    ) -> None:
        self._runs = runs
        self._command = command
        self._origin = origin
        self._began = time.time()
        self._number = 0
        self._job: commands.Job | None = None
        # The end may be noticed before the start is noted.
        self._is_noted = Event()

    def begin(self, job: commands.Job) -> None:
        """Note that a command was started, and its sandbox."""
        command, origin = self._command, self._origin
        self._job = job
        run = commands.CommandRun(
            self._began,
            origin.tool,
            origin.client,
            origin.principal,
            origin.session,
            command.line,
            command.cwd.relative or ".",
            describe_sandbox(job.sandbox),
            command.overlay,
        )
        try:
            self._number = self._runs.begin(run)
        except RedlineError:
            pass
        finally:
            self._is_noted.set()

    def end(self, state: commands.JobState, change: str | None) -> None:
        """Note how it ended."""
        self._is_noted.wait(_PATIENCE)
        if not self._number or self._job is None:
            return
        signal, shown = state.signal or "", _head_and_tail(self._job.recall())
        end = commands.RunEnd(
            state.status, state.exit_code, signal, state.elapsed, change or "", shown
        )
        try:
            self._runs.end(self._number, end)
        except RedlineError:
            pass


def _head_and_tail(printed: commands.Captured) -> str:
    """Return the first and the last lines of an output, with how much is left out between."""
    data = printed.head + printed.tail
    if not printed.lost and len(data) <= 2 * _MAX_KEPT:
        return data.decode("utf-8", "replace")
    head = data[:_MAX_KEPT].rpartition(b"\n")[0] or data[:_MAX_KEPT]
    tail = data[-_MAX_KEPT:].partition(b"\n")[2] or data[-_MAX_KEPT:]
    left_out = len(data) + printed.lost - len(head) - len(tail)
    shown = (part.decode("utf-8", "replace") for part in (head, tail))
    return f"\n[{left_out:,} bytes left out]\n".join(shown)


def describe_sandbox(facts: commands.SandboxFacts) -> str:
    """Describe the sandbox of a command in one line."""
    return f"{facts.mode}; {facts.fs}; network {facts.net}"


class SessionNotices:
    """Say once in each session that undo does not cover what git ignores."""

    def __init__(self) -> None:
        self._noticed: dict[str, None] = {}

    def leave_out(self, found: commands.Difference, origin: Origin) -> commands.Difference:
        """Return *found* without ignored names, if the session of *origin* has read of some."""
        ignored = [name for name in found.uncovered if name.endswith("(ignored)")]
        session = origin.session or origin.client
        if not ignored:
            return found
        if session not in self._noticed:
            while len(self._noticed) >= _MAX_SESSIONS:
                self._noticed.pop(next(iter(self._noticed)), None)
            self._noticed[session] = None
            return found
        rest = tuple(name for name in found.uncovered if name not in ignored)
        return replace(found, uncovered=rest)


_SHOWN = 5


class RecordedCommands:
    """See `core.ports.commands.Commands`."""

    def __init__(
        self,
        processes: commands.Processes,
        snapshots: commands.Snapshots,
        editor: ChangeEditor,
        store: Store,
        tree: Tree,
        activity: Activity,
        rules: commands.CommandPolicy | None,
        find_guarded: Callable[[ChangeSet], Sequence[GuardedPath]],
        runs: commands.CommandRuns,
        dry_runs: KeptDryRuns,
    ) -> None:
        self._runs = runs
        self._dry_runs = dry_runs
        self._activity = activity
        self._rules = rules
        self._find_guarded = find_guarded
        self._tree = tree
        self._processes = processes
        self._snapshots = snapshots
        self._editor = editor
        self._store = store
        self._noticed = SessionNotices()

    def start(self, command: commands.Command, origin: Origin) -> commands.Job:
        """Start it; what it changed is judged and recorded when it has ended."""
        note = RunNote(self._runs, command, origin)
        if command.overlay:
            job = self._start_dry(command, note)
        elif self._rules is not None and self._rules.is_active():
            job = self._start_judged(self._rules, command, origin, note)
        else:
            job = self._start(command, origin, note)
        note.begin(job)
        return job

    def _start(self, command: commands.Command, origin: Origin, note: RunNote) -> commands.Job:
        began = time.time()
        ended = self._activity.begin()

        def finish(state: commands.JobState) -> tuple[str | None, Sequence[str]]:
            made = Operation("", 0.0, origin, ChangeSet())
            try:
                made, notes = self._record(before, began, origin, state.git)
            finally:
                ended()
                note.end(state, made.id or None)
            return (made.id or None) if made.step_count else None, notes

        try:
            before = self._snapshots.take()
            return self._processes.start(command, finish)
        except BaseException:
            ended()
            raise

    def _start_judged(
        self,
        rules: commands.CommandPolicy,
        command: commands.Command,
        origin: Origin,
        note: RunNote,
    ) -> commands.Job:
        """Start it on a view of its own: nothing that it writes is in the workspace unjudged."""

        def finish(
            view: commands.CommandView, state: commands.JobState
        ) -> tuple[str | None, Sequence[str]]:
            change = None
            ended = self._activity.begin()
            try:
                change, notes = rules.settle(view, command, origin)
            finally:
                ended()
                note.end(state, change)
            return change, notes

        sealed = rules.sealed_places(origin)
        return self._processes.start_judged(replace(command, sealed=sealed), finish)

    def run(
        self, command: commands.Command, origin: Origin, cancel: Cancel, limit: int
    ) -> commands.Finished:
        """Run it to its end; cancelling kills it."""
        job = self.start(command, origin)
        done = self._processes.finish(job, cancel, limit)
        if not command.overlay:
            return done
        kept = self._dry_runs.get(job.id, command.owner)
        self._dry_runs.drop(job.id, command.owner)
        return replace(done, proposal=kept.found.change_set if kept else ChangeSet())

    def get(self, job_id: str, owner: str) -> commands.Job:
        """Return the job of that owner."""
        return self._processes.get(job_id, owner)

    def release(self, job_id: str, owner: str) -> None:
        """Release the handle; a dry run's proposal is dropped with it."""
        self._dry_runs.drop(job_id, owner)
        self._processes.release(job_id, owner)

    def describe(self) -> commands.SandboxFacts:
        """Return the sandbox of a command that would start now."""
        return self._processes.describe()

    def is_privileged(self, word: str) -> bool:
        """Return whether *word* would run a setuid or setgid program."""
        return self._processes.is_privileged(word)

    def _start_dry(self, command: commands.Command, note: RunNote) -> commands.Job:
        def propose(
            job_id: str, found: commands.Difference, state: commands.JobState
        ) -> tuple[str | None, Sequence[str]]:
            note.end(state, None)
            notes = [f"Not part of the dry run: {name}" for name in found.uncovered[:_SHOWN]]
            if not self._dry_runs.keep(job_id, DryRun(command.owner, command.line, found)):
                notes.append("The dry run changed too much to be shown or applied")
            return None, notes

        return self._processes.start_dry(command, self._tree, propose)

    def proposal(self, job_id: str, owner: str) -> commands.Difference | None:
        """Return what a dry run would have changed."""
        kept = self._dry_runs.get(job_id, owner)
        return None if kept is None else kept.found

    def apply(self, job_id: str, owner: str, line: str, origin: Origin) -> Operation:
        """Commit the proposal of a dry run."""
        kept = self._dry_runs.get(job_id, owner)
        if kept is None:
            raise SessionNotFound(
                f"No dry run to apply, or access to it is denied: {job_id}",
                hint=naming("call {exec_command} with dry_run first"),
            )
        if kept.line != line:
            raise InvalidArgument(
                f"That dry run was of another command: {kept.line}", field="apply"
            )
        operation = self._editor.commit(kept.found.change_set, origin)
        self._dry_runs.drop(job_id, owner)
        return operation

    def close(self) -> None:
        """End what runs while it can still be recorded."""
        self._processes.close()
        self._dry_runs.close()

    def _record(
        self, before: object, began: float, origin: Origin, git: str
    ) -> tuple[Operation, Sequence[str]]:
        """Journal what the command changed and what git did in it; notes on the rest."""
        found = self._noticed.leave_out(self._snapshots.compare(before), origin)
        mine = self._without_known(found.change_set, began)
        notes = [*self._name_guarded(found, mine), *_not_covered(found)]
        if git and mine.is_empty:
            return self._editor.note_git(replace(origin, summary=git)), notes
        return self._editor.record(mine, origin, notes=(git,) if git else ()), notes

    def _name_guarded(self, found: commands.Difference, mine: ChangeSet) -> list[str]:
        """Say which changes concern files that a person's own tools execute."""
        new = (Change(path, Absent(), DirState()) for path in found.repositories)
        guarded = self._find_guarded(mine + ChangeSet(tuple(new)))
        if not guarded:
            return []
        names = _shorten([show_name(each.path.relative) for each in guarded])
        return [f"Your own tools run what is in these files, look at them first: {names}"]

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


def _not_covered(found: commands.Difference) -> list[str]:
    return [f"Undo does not cover: {_shorten(found.uncovered)}"] if found.uncovered else []


def _shorten(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more

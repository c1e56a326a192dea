"""Watches the workspace in a thread of its own and records until it is closed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from threading import Event, Thread

from redline.core.errors import LimitReached, RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.history import Operation
from redline.core.ports.recording import Activity
from redline.core.ports.tree import Kind, PathResolver, Tree
from redline.recorder.claims import may_write
from redline.recorder.ports import HookEvent, Moment, Watcher
from redline.recorder.recording import Recorder

_HEAD = (".git", "logs", "HEAD")
_STASH = (".git", "logs", "refs", "stash")
_RUNNING = (".git", "index.lock")
_MAX_NEW = 64 << 10
_MAX_SHOWN = 120


class GitMoves:
    """Notices checkouts, commits, pulls, rebases and stashes of the repositories at the roots."""

    def __init__(self, tree: Tree, workspace: PathResolver) -> None:
        self._tree = tree
        self._roots = range(len(workspace.roots))
        self._sizes = {path: self._size(path) for path in self._logs()}

    def is_running(self) -> bool:
        """Return whether git is changing a work tree right now."""
        return any(self._size(WorkspacePath(root, _RUNNING)) >= 0 for root in self._roots)

    def take(self) -> str:
        """Return what git did since this was asked last, or an empty text."""
        found = ""
        for path in self._logs():
            before, now = self._sizes.get(path, -1), self._size(path)
            self._sizes[path] = now
            if now == before:
                continue
            if path.parts == _STASH:
                found = "git stash"
            elif now > max(before, 0) and not found:
                found = self._message(path, max(before, 0, now - _MAX_NEW))
        return found

    def _logs(self) -> list[WorkspacePath]:
        return [WorkspacePath(root, log) for root in self._roots for log in (_STASH, _HEAD)]

    def _size(self, path: WorkspacePath) -> int:
        try:
            found = self._tree.stat(path)
        except RedlineError:
            return -1
        return found.size if found is not None and found.kind is Kind.FILE else -1

    def _message(self, path: WorkspacePath, start: int) -> str:
        """Return what the last new line of a log says."""
        try:
            text = self._tree.read_range(path, start, _MAX_NEW).decode("utf-8", "replace")
        except RedlineError:
            return "git"
        lines = [line for line in text.splitlines() if "\t" in line]
        said = lines[-1].partition("\t")[2] if lines else ""
        return f"git {show_name(said)[:_MAX_SHOWN]}" if said else "git"


# How long a change waits for the command or the git process that may be making it.
MAX_WAIT = 10.0
_POLL = 0.05
_MORE_LOOKS = 10
_MAX_NAMED = 20
_DENIED = "not recorded while it may not be read"

Report = Callable[[Sequence[Operation]], None]


class RecordingSession:
    """One recorder at work; `failure` says what is wrong with it now, if something is.

    *publish* gets what is not recorded whenever that changes, *warn* each new text of it.
    """

    def __init__(
        self,
        workspace: PathResolver,
        recorder: Recorder,
        watcher: Watcher,
        moves: GitMoves,
        activity: Activity,
        report: Report,
        hook_limits: str = "",
        *,
        publish: Callable[[Sequence[str]], None] = lambda _: None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._workspace = workspace
        self._recorder = recorder
        self._watcher = watcher
        self._moves = moves
        self._activity = activity
        self._report = report
        self._hook_limits = hook_limits
        self._publish = publish
        self._warn = warn
        self._said: Sequence[str] | None = None
        self._is_started = self._is_over_limit = False
        self._closed = Event()
        self.failure = self._reason = ""
        self._thread = Thread(target=self._run, name="recorder", daemon=True)

    @property
    def limits(self) -> Sequence[str]:
        """What is not recorded as it should be, for people."""
        uncovered = [f"not recorded: {name}" for name in self._recorder.uncovered]
        denied = sorted(show_name(path.relative) for path in self._recorder.unreadable)
        uncovered += [f"{_DENIED}: {name}" for name in denied[:_MAX_NAMED]]
        if len(denied) > _MAX_NAMED:
            uncovered.append(f"{_DENIED}: {len(denied) - _MAX_NAMED} more")
        general = (self.failure, self._watcher.limits, self._hook_limits, self._reason)
        return [text for text in general if text] + uncovered

    def start(self) -> None:
        """Begin in a thread of its own."""
        self._thread.start()

    def run(self) -> None:
        """Record in this thread until closed."""
        self._run()

    def close(self) -> None:
        """Stop, and record what changed until now."""
        self._closed.set()
        self._watcher.close()
        if self._thread.is_alive():
            self._thread.join(MAX_WAIT)

    def note_event(self, event: HookEvent) -> None:
        """Record what changed until a prompt, then the prompt; or an edited file around its edit.

        The agent waits for this: what others wrote shortly before its edit is not taken for its.
        """
        is_prompt = event.moment is Moment.PROMPT
        if not (is_prompt or may_write(event)):
            return
        is_free = self._is_started and not self._activity.is_busy()
        try:
            if is_free and is_prompt:
                self._report(self._recorder.settle(None, time.time_ns(), self._moves.take()))
            elif is_free and not self._moves.is_running():
                self._report(self._recorder.settle(self._paths(event.files), time.time_ns()))
            if is_prompt:
                self._recorder.note_prompt(event)
        except RedlineError as error:
            self._warn(f"not recorded: {event.moment} {event.tool}: {error.message}")

    def _run(self) -> None:
        self._say_limits()
        self._look(None)
        while (noticed := self._watcher.wait()) is not None:
            self._reason = noticed.reason
            self._say_limits()
            self._look(None if noticed.paths is None else self._paths(noticed.paths))
        self._look(None)

    def _look(self, paths: set[WorkspacePath] | None) -> None:
        """Record what changed; after a failure, begin the next time with what was last saved."""
        if self._is_over_limit:
            return
        try:
            if self._is_started:
                self._settle(paths)
            else:
                self._wait_for_others()
                self._report(self._recorder.start(time.time_ns(), self._wait_for_others))
            self._is_started, self.failure, self._reason = True, "", ""
        except LimitReached as error:
            self._is_over_limit = True
            self.failure = f"recording stopped: {error.message}"
        except Exception as error:
            self._is_started = False
            text = error.message if isinstance(error, RedlineError) else repr(error)
            self.failure = f"recording failed, and is tried again with the next change: {text}"
        self._say_limits()

    def _say_limits(self) -> None:
        """Publish what is not recorded, and warn of what was not said yet."""
        limits = self.limits
        if limits == self._said:
            return
        new = [text for text in limits if text not in (self._said or ())]
        self._said = limits
        self._publish(limits)
        for text in new:
            self._warn(text)

    def _settle(self, paths: set[WorkspacePath] | None) -> None:
        still_busy = self._wait_for_others()
        denied = self._recorder.unreadable
        cause = self._moves.take()
        if still_busy and not cause:
            cause = "while a command ran"
        self._report(self._recorder.settle(paths, time.time_ns(), cause))
        for _ in range(_MORE_LOOKS):
            if not self._recorder.is_waiting:
                break
            time.sleep(_POLL)
            self._report(self._recorder.settle((), time.time_ns(), cause))
        if denied - self._recorder.unreadable:
            # The kernel watches none of the directories that could not be read until now.
            self._watcher.renew()
            self._report(self._recorder.settle(None, time.time_ns(), cause))

    def _wait_for_others(self) -> bool:
        """Wait for commands and git to finish what they do; return whether one goes on."""
        ends = time.monotonic() + MAX_WAIT
        while (self._activity.is_busy() or self._moves.is_running()) and not self._closed.is_set():
            if time.monotonic() > ends:
                return self._activity.is_busy()
            self._closed.wait(_POLL)
        return False

    def _paths(self, texts: Iterable[str]) -> set[WorkspacePath]:
        """Return the places that were noticed; what lies in no root is left out."""
        found: set[WorkspacePath] = set()
        for text in texts:
            for number, root in enumerate(self._workspace.roots):
                base = root.path.rstrip("/")
                if text.startswith(base + "/"):
                    parts = tuple(text[len(base) + 1 :].split("/"))
                    if parts[0] != ".git":
                        found.add(WorkspacePath(number, parts))
        return found

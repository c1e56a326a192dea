"""A workspace whose changes by other programs are recorded."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from redline.core.once import built_once
from redline.settings import Settings
from redline.wiring.storage import StoredWorkspace

if TYPE_CHECKING:
    from redline.adapters.recorder.activity import LockedActivity
    from redline.core.ports.git import Git
    from redline.core.ports.history import Operation
    from redline.core.ports.recording import RecorderCondition
    from redline.engine.recording.session import RecordingSession

# Servers answer their first calls before they look at every file.
_RECORD_AFTER = 1.0
_ASK_AGAIN = 15.0


class RecordedWorkspace(StoredWorkspace):
    """Adds the recorder, and what it asks git."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._opening = Lock()
        self._is_closing = False

    def close(self) -> None:
        """Close every part; a recorder that is being opened is waited for."""
        with self._opening:
            self._is_closing = True
        super().close()

    @built_once
    def _root_handles(self) -> list[int | str]:
        """The roots for other programs and libraries: descriptors if possible, else paths."""
        roots = range(len(self.workspace.roots))
        handles = [self.workspace.handle(number) for number in roots]
        if os.path.isdir("/proc/self/fd"):
            return list(handles)
        return [root.path for root in self.workspace.roots]

    @built_once
    def git(self) -> Git:
        """Repositories, for reading."""
        from redline.adapters.git import LibGit

        return LibGit(self.workspace, self.tree, self._root_handles)

    @built_once
    def _activity(self) -> LockedActivity:
        from redline.adapters.recorder.activity import LockedActivity

        return LockedActivity(self.state_dir)

    def record_soon(self) -> None:
        """Record what other programs change, from a moment after the server has started."""
        from threading import Timer

        def start() -> None:
            from redline.core.errors import RedlineError  # not while tools are only listed

            with self._opening:
                if self._is_closing:
                    return
                try:
                    session = self.open_recording(lambda _: None, self._notices.append)
                except RedlineError as error:
                    session = None
                    self._notices.append(f"changes by other programs are not recorded: {error}")
                if session is not None:
                    session.start()
                else:  # another process records, or it failed: take over when that ends
                    wait(_ASK_AGAIN)

        def wait(seconds: float) -> None:
            timer = Timer(seconds, start)
            timer.daemon = True
            self.at_close(timer.cancel)
            timer.start()

        wait(_RECORD_AFTER)

    def recorder(self) -> RecorderCondition | None:
        """Return which process records this workspace now; None when none does."""
        from redline.adapters.recorder.activity import read_condition

        return read_condition(self.state_dir)

    def session_of_call(self, client: str, params: Mapping[str, Any]) -> str:
        """Return the session whose hook announced a tools/call; "" if none or several did."""
        from redline.adapters.recorder.hook_listener import ask_session

        return ask_session(self.state_dir, client, params)

    def open_recording(
        self,
        report: Callable[[Sequence[Operation]], None],
        warn: Callable[[str], None] = lambda _: None,
    ) -> RecordingSession | None:
        """Prepare to record what other programs change; None when another process does.

        *warn* gets each text about something that is not recorded, once.
        """
        from redline.adapters.recorder.activity import RecorderLock
        from redline.adapters.recorder.hook_listener import HookListener
        from redline.adapters.recorder.known_files import DatabaseOfFiles
        from redline.adapters.recorder.watching import KernelWatcher
        from redline.core.errors import RedlineError
        from redline.engine.recording.claims import Claims
        from redline.engine.recording.git_moves import GitMoves
        from redline.engine.recording.looking import Looking
        from redline.engine.recording.recorder import Recorder
        from redline.engine.recording.session import RecordingSession

        lock = RecorderLock(self.state_dir)
        if not lock.take():
            lock.close()
            return None
        try:
            files = DatabaseOfFiles(self.workspace, self.state_dir, self.git)
        except RedlineError:
            lock.close()
            raise
        self.at_close(lock.close)
        self.at_close(files.close)
        looking = Looking(self.tree, self.workspace)
        claims = Claims()
        listener = HookListener(self.state_dir, claims.note)
        self.at_close(listener.close)
        recorder = Recorder(looking, files, self.editor, self._store, claims, listener.catch_up)
        watcher = KernelWatcher([root.path for root in self.workspace.roots if root.writable])
        moves = GitMoves(self.tree, self.workspace)
        session = RecordingSession(
            self.workspace,
            recorder,
            watcher,
            moves,
            self._activity,
            report,
            listener.limits,
            publish=lock.publish,
            warn=warn,
        )
        listener.settled = session.note_event
        listener.asked = claims.session_of
        self.at_close(session.close)
        return session

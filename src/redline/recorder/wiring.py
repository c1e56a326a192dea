"""Connects the recorder of one workspace to its adapters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any

from redline.core.once import built_once

if TYPE_CHECKING:
    from redline.core.ports.history import Operation
    from redline.core.ports.recording import RecorderCondition
    from redline.core.ports.store import Store
    from redline.recorder.adapters.locks import LockedActivity
    from redline.recorder.session import RecordingSession
    from redline.wiring.workspace import Redline

# Servers answer their first calls before they look at every file.
_RECORD_AFTER = 1.0
_ASK_AGAIN = 15.0


class Recording:
    """Records what other programs change in one workspace; *notify* gets notes for the operator."""

    def __init__(
        self, redline: Redline, store: Callable[[], Store], notify: Callable[[str], None]
    ) -> None:
        self._redline = redline
        self._store = store
        self._notify = notify
        self._opening = Lock()
        self._is_closing = False

    def close(self) -> None:
        """Wait for a session that is being opened; open none afterwards."""
        with self._opening:
            self._is_closing = True

    @built_once
    def activity(self) -> LockedActivity:
        """Commands that run now."""
        from redline.recorder.adapters.locks import LockedActivity

        return LockedActivity(self._redline.state_dir)

    def condition(self) -> RecorderCondition | None:
        """Return which process records this workspace now; None when none does."""
        from redline.recorder.adapters.locks import read_condition

        return read_condition(self._redline.state_dir)

    def session_of_call(self, client: str, params: Mapping[str, Any]) -> str:
        """Return the session whose hook announced a tools/call; "" if none or several did."""
        from redline.recorder.adapters.hook_program import FOLDER, SOCKET

        state_dir = self._redline.state_dir
        if not os.path.exists(os.path.join(state_dir, FOLDER, SOCKET)):
            return ""  # nobody listens, and a command need not load what asks
        from redline.recorder.adapters.hook_listener import ask_session

        return ask_session(state_dir, client, params)

    def start_soon(self) -> None:
        """Start to record in a moment; when another process records, when that one ends."""
        self._wait(_RECORD_AFTER)

    def _wait(self, seconds: float) -> None:
        timer = Timer(seconds, self._start)
        timer.daemon = True
        self._redline.at_close(timer.cancel)
        timer.start()

    def _start(self) -> None:
        from redline.core.errors import RedlineError

        with self._opening:
            if self._is_closing:
                return
            try:
                session = self.open(lambda _: None, self._notify)
            except RedlineError as error:
                session = None
                self._notify(f"changes by other programs are not recorded: {error}")
            if session is not None:
                session.start()
            else:
                self._wait(_ASK_AGAIN)

    def open(
        self,
        report: Callable[[Sequence[Operation]], None],
        warn: Callable[[str], None] = lambda _: None,
    ) -> RecordingSession | None:
        """Prepare to record what other programs change; None when another process does.

        *warn* gets each text about something that is not recorded, once.
        """
        from redline.core.errors import RedlineError
        from redline.recorder.adapters.hook_listener import HookListener
        from redline.recorder.adapters.known_files import DatabaseOfFiles
        from redline.recorder.adapters.locks import RecorderLock
        from redline.recorder.adapters.watching import KernelWatcher
        from redline.recorder.claims import Claims
        from redline.recorder.entries import EntryReader
        from redline.recorder.recording import Recorder
        from redline.recorder.session import GitMoves, RecordingSession

        redline, state_dir = self._redline, self._redline.state_dir
        tree, workspace = redline.tree, redline.workspace
        lock = RecorderLock(state_dir)
        if not lock.take():
            lock.close()
            return None
        try:
            files = DatabaseOfFiles(workspace, state_dir, redline.git)
        except RedlineError:
            lock.close()
            raise
        redline.at_close(lock.close)
        redline.at_close(files.close)
        entries = EntryReader(tree, workspace)
        claims = Claims()
        listener = HookListener(state_dir, claims.note)
        redline.at_close(listener.close)
        store = self._store()
        recorder = Recorder(entries, files, redline.editor, store, claims, listener.catch_up)
        watcher = KernelWatcher([root.path for root in workspace.roots if root.writable])
        session = RecordingSession(
            workspace,
            recorder,
            watcher,
            GitMoves(tree, workspace),
            self.activity,
            report,
            listener.limits,
            publish=lock.publish,
            warn=warn,
        )
        listener.settled = session.note_event
        listener.asked = claims.session_of
        redline.at_close(session.close)
        return session


def hook_program() -> str:
    """Return the file that clients run as their hook."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "adapters", "hook_program.py")

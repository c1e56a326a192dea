"""Keep the list of runs: each command is noted when it starts and when it has ended."""

from __future__ import annotations

import time
from threading import Event

from redline.core.errors import RedlineError
from redline.core.ports.commands import (
    Command,
    CommandRun,
    CommandRuns,
    JobState,
    RunEnd,
    SandboxFacts,
)
from redline.core.ports.history import Origin

_PATIENCE = 10.0


class RunNote:
    """The note of one run. That it cannot be written never keeps a command from running."""

    def __init__(self, runs: CommandRuns, command: Command, origin: Origin) -> None:
        self._runs = runs
        self._command = command
        self._origin = origin
        self._began = time.time()
        self._number = 0
        # The end may be noticed before the start is noted.
        self._is_noted = Event()

    def begin(self, held_by: SandboxFacts) -> None:
        """Note that it was started, and what holds it."""
        command, origin = self._command, self._origin
        run = CommandRun(
            self._began,
            origin.tool,
            origin.client,
            origin.principal,
            origin.session,
            command.line,
            command.cwd.relative or ".",
            describe_sandbox(held_by),
            command.overlay,
        )
        try:
            self._number = self._runs.begin(run)
        except RedlineError:
            pass
        finally:
            self._is_noted.set()

    def end(self, state: JobState, change: str | None) -> None:
        """Note how it ended."""
        self._is_noted.wait(_PATIENCE)
        if not self._number:
            return
        signal = state.signal or ""
        end = RunEnd(state.status, state.exit_code, signal, state.elapsed, change or "")
        try:
            self._runs.end(self._number, end)
        except RedlineError:
            pass


def describe_sandbox(facts: SandboxFacts) -> str:
    """Say in one line what holds a command."""
    return f"{facts.mode}; {facts.fs}; network {facts.net}"

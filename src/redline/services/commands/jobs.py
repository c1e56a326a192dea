"""Commands that may outlive the call that starts them: start, type, stop, apply a dry run."""

from __future__ import annotations

import time

from redline.core.errors import SandboxUnavailable, SessionNotFound
from redline.core.ports.commands import Command, Job
from redline.core.ports.history import Operation, Origin
from redline.core.ports.search import Cancel
from redline.services.runtime import Runtime

# How long output on a terminal is given to be followed by more or by the end.
_SETTLE = 0.05
_SETTLE_AT_START = 0.25
_ENDING = 3.0


def start_job(
    runtime: Runtime, command: Command, origin: Origin, cancel: Cancel, patience: float
) -> Job:
    """Start a command and wait *patience* seconds for its end, on a terminal for output too.

    A command that ends soon after it wrote to its terminal has ended when this returns.
    SandboxUnavailable.
    """
    deadline = time.monotonic() + patience
    job = runtime.commands.start(command, origin)
    cancel.on_cancel(lambda: job.kill("KILL"))
    job.wait(patience, for_output=command.tty)
    if command.tty:
        _settle(job, _SETTLE_AT_START, deadline)
    if not job.state().has_ended and job.state().elapsed >= command.timeout:
        job.wait(_ENDING)
    cancel.check()
    if job.state().status == "failed":
        runtime.commands.release(job.id, command.owner)
        raise SandboxUnavailable(job.notes[0])
    return job


def type_into(job: Job, typed: str, patience: float) -> None:
    """Send input to a running command and wait *patience* seconds for what it answers."""
    deadline = time.monotonic() + patience
    before = job.byte_count
    job.send(typed.encode("utf-8", "surrogateescape"))
    job.wait(patience, beyond=before)
    _settle(job, _SETTLE, deadline)


def _settle(job: Job, pause: float, deadline: float) -> None:
    """Wait *pause* for the end, and until *deadline* where only its bookkeeping is left."""
    job.wait(min(pause, deadline - time.monotonic()))
    if job.is_ending:
        job.wait(deadline - time.monotonic())


def stop_job(job: Job, signal: str, patience: float) -> None:
    """Send *signal* to a command that runs, and kill it if it has not ended *patience* later."""
    if not job.state().has_ended:
        job.kill(signal)
        job.wait(patience)
    if not job.state().has_ended:
        job.kill("KILL")
        job.wait(_ENDING)


def apply_dry_run(
    runtime: Runtime, job_id: str, owner: str, line: str, origin: Origin
) -> Operation:
    """Make the changes of an earlier dry run of *line*, without running anything."""
    operation = runtime.commands.apply(job_id, owner, line, origin)
    try:
        runtime.commands.release(job_id, owner)
    except SessionNotFound:
        pass  # the handle was dropped: too many commands ran since
    return operation

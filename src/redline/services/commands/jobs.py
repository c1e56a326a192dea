"""Commands that may outlive the call that starts them: start, type, stop, apply a dry run."""

from __future__ import annotations

from redline.core.errors import SandboxUnavailable, SessionNotFound
from redline.core.ports.commands import Command, Job
from redline.core.ports.history import Operation, Origin
from redline.core.ports.search import Cancel
from redline.services.runtime import Runtime

_SETTLE = 0.05
_ENDING = 3.0


def start_job(
    runtime: Runtime, command: Command, origin: Origin, cancel: Cancel, patience: float
) -> Job:
    """Start a command and wait *patience* seconds for its end, on a terminal for output too.

    SandboxUnavailable.
    """
    job = runtime.commands.start(command, origin)
    cancel.on_cancel(lambda: job.kill("KILL"))
    job.wait(patience, for_output=command.tty)
    if not job.state().has_ended and job.state().elapsed >= command.timeout:
        job.wait(_ENDING)
    cancel.check()
    if job.state().status == "failed":
        runtime.commands.release(job.id, command.owner)
        raise SandboxUnavailable(job.notes[0])
    return job


def type_into(job: Job, typed: str, patience: float) -> None:
    """Send input to a running command and wait *patience* seconds for what it answers."""
    before = job.byte_count
    job.send(typed.encode("utf-8", "surrogateescape"))
    job.wait(patience, beyond=before)
    job.wait(min(_SETTLE, patience))


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

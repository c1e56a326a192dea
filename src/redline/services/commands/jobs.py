"""Commands that may outlive the call that starts them, and what to answer of their output."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

from redline.core.errors import InvalidArgument, SandboxUnavailable, SessionNotFound
from redline.core.ports.commands import Captured, Command, Job, JobState, SandboxFacts
from redline.core.ports.history import Operation, Origin
from redline.core.ports.search import Cancel
from redline.core.records import dataclass
from redline.services.runtime import Runtime
from redline.services.text_lines import parse_range

# After output on a terminal: how long to wait for more output or for the end, in seconds.
_SETTLE = 0.05
_SETTLE_AT_START = 0.25
# How long a killed command gets to be reported as ended, in seconds.
_ENDING = 3.0


def start_job(
    runtime: Runtime, command: Command, origin: Origin, cancel: Cancel, patience: float
) -> Job:
    """Start a command and wait up to *patience* seconds until it ends.

    On a terminal, output also ends the wait, after a short pause in which the command may still
    end. Raises SandboxUnavailable when the command could not be started.
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
    """Send input to a running command and wait up to *patience* seconds for new output."""
    deadline = time.monotonic() + patience
    before = job.byte_count
    job.send(typed.encode("utf-8", "surrogateescape"))
    job.wait(patience, beyond=before)
    _settle(job, _SETTLE, deadline)


def _settle(job: Job, pause: float, deadline: float) -> None:
    """Wait *pause* seconds for the end; until *deadline* once the last process is gone."""
    job.wait(min(pause, deadline - time.monotonic()))
    if job.is_ending:
        job.wait(deadline - time.monotonic())


def stop_job(job: Job, signal: str, patience: float) -> None:
    """Send *signal* to a running command; kill it if it still runs *patience* seconds later."""
    if not job.state().has_ended:
        job.kill(signal)
        job.wait(patience)
    if not job.state().has_ended:
        job.kill("KILL")
        job.wait(_ENDING)


def apply_dry_run(
    runtime: Runtime, job_id: str, owner: str, line: str, origin: Origin
) -> Operation:
    """Commit the changes of an earlier dry run of *line* without running it again."""
    operation = runtime.commands.apply(job_id, owner, line, origin)
    try:
        runtime.commands.release(job_id, owner)
    except SessionNotFound:
        pass  # too many commands ran since, so the handle was dropped already
    return operation


MAX_LINES = 2000
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class OutputCut:
    """The end of a stream that fits, and why there is not more."""

    data: bytes
    by: str | None


def keep_ends(head: bytes, tail: bytes, lost: int, max_bytes: int) -> tuple[bytes, int]:
    """Return the beginning and the end of a stream, and how many bytes between them are left out.

    A stream is *head*, *lost* bytes that were not kept, and *tail*. The first error of a compiler
    is at the beginning, what came of it all is at the end.
    """
    whole = head + tail
    if not lost and len(whole) <= max_bytes:
        return whole, 0
    first = whole[: min(len(head) if lost else len(whole), max_bytes // 4)]
    first = first[: first.rfind(b"\n") + 1] or first
    last = keep_tail(whole[len(first) :] if not lost else tail, max_bytes - len(first)).data
    left_out = len(whole) + lost - len(first) - len(last)
    if not left_out:
        return first + last, 0
    between = f"[... {left_out} bytes left out ...]\n".encode()
    return (first if first.endswith(b"\n") else first + b"\n") + between + last, left_out


def pick_lines(got: Captured, lines: str, max_bytes: int) -> tuple[str, bytes]:
    """Return which *lines* of all output these are (`10-40/500`), and the lines.

    InvalidArgument where the range is none, or where it lies in what was not kept.
    """
    if got.lost:  # the lines around the gap are not whole
        head = _LINE.findall(got.head)[: got.head.count(b"\n")]
        tail = _LINE.findall(got.tail)[1:]
        start = len(head) + got.lost_lines + 2
    else:
        head, tail = _LINE.findall(got.head + got.tail), []
        start = len(head) + 1
    total = start + len(tail) - 1
    first, last = parse_range(lines, total)
    if first > len(head) and last < start:
        raise InvalidArgument(
            f"Lines {len(head) + 1}-{start - 1} of the output were not kept",
            field="lines",
            hint=f"1-{len(head)} and {start}-{total} are",
        )
    numbered = [*enumerate(head, 1), *enumerate(tail, start)]
    wanted = [(number, line) for number, line in numbered if first <= number <= last]
    data, shown = b"", first
    for number, line in wanted:
        if len(data) + len(line) > max_bytes and data:
            break
        data, shown = data + line[:max_bytes], number
    return f"{wanted[0][0] if wanted else 0}-{shown if wanted else 0}/{total}", data


def keep_tail(data: bytes, max_bytes: int, max_lines: int = MAX_LINES) -> OutputCut:
    """The last whole lines within both limits; a last line that is too long keeps its end."""
    by = None
    start = _start_of_last_lines(data, max_lines)
    if start:
        data, by = data[start:], "lines"
    if len(data) <= max_bytes:
        return OutputCut(data, by)
    start = len(data) - max_bytes
    if data[start - 1 : start] != b"\n":
        line_end = data.find(b"\n", start)
        if 0 <= line_end < len(data) - 1:
            start = line_end + 1
    while start < len(data) and data[start] & 0xC0 == 0x80:  # not inside a character
        start += 1
    return OutputCut(data[start:], "bytes")


def _start_of_last_lines(data: bytes, count: int) -> int:
    position = len(data) - 1 if data.endswith(b"\n") else len(data)
    for _ in range(count):
        position = data.rfind(b"\n", 0, position)
        if position < 0:
            return 0
    return position + 1


_REFUSED = (
    r"(?:Read-only file system|Permission denied|Operation not permitted|Device or resource busy)"
)
_GIT = re.compile(rf"\.git\b[^\n]*{_REFUSED}|{_REFUSED}[^\n]*\.git\b")
_GIT_HINT = (
    "The person who runs the server can allow it: REDLINE_GIT_WRITES=1, or git_writes = true in"
    " the config file"
)
_NETWORK = re.compile(
    r"Could not resolve|Temporary failure in name resolution|Name or service not known"
    r"|Network is unreachable|EAI_AGAIN|ENETUNREACH|ENOTFOUND|dns error"
    r"|NameResolutionError|Failed to establish a new connection"
)


def remarks_on(
    state: JobState,
    facts: SandboxFacts,
    notes: Sequence[str],
    output: str,
    network_hint: str,
    background_hint: str = "",
) -> Iterator[str]:
    """Yield what the caller should know beside the output.

    *notes* are those of the ended command; *network_hint* says how to get the network,
    *background_hint* how to keep a process.
    """
    yield from facts.warnings
    if state.has_ended:
        yield from notes
    if state.has_ended:
        yield from _explain_failure(state, output, facts, network_hint)
    # What a command over its time, or killed, was doing was not in the background.
    if state.left_behind and state.status == "exited":
        ended = f"Background processes were ended with the command: {state.left_behind}"
        yield ended + background_hint


def _explain_failure(
    state: JobState, output: str, facts: SandboxFacts, network_hint: str
) -> Iterator[str]:
    """Yield why the sandbox may be the reason of a failure; only ever a hint.

    The program that failed may stand before a pipe or a `;`, so its line need not have failed.
    """
    is_git = _GIT.search(output) is not None
    if is_git and "of .git its data" in facts.fs:
        yield (
            "Commands may not write the configuration and hooks of git here; `git -c KEY=VALUE`"
            f" sets a value for one command. {_GIT_HINT}"
        )
    elif is_git and ".git read-only" in facts.fs and state.exit_code != 0:
        yield f"Commands may not write .git here. {_GIT_HINT}"
    if not state.lacked_network and not _NETWORK.search(output):
        return
    if facts.net.startswith("only "):
        yield (
            f"This command reaches {facts.net}, and these only through the proxy that HTTP_PROXY"
            " and HTTPS_PROXY name: a program that looks up names itself finds none"
        )
    elif facts.net == "none":
        yield f"This command had no network. {network_hint}"

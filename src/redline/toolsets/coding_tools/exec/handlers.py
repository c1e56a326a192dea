"""exec_command, write_stdin, kill_session: commands in the sandbox, as sessions on the wire."""

from __future__ import annotations

from redline.core.changes import ABSENT, Change, ChangeSet
from redline.core.errors import NotADirectory, NotFound, SessionClosed
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Captured, Command, Job, Look
from redline.core.ports.tree import Kind
from redline.core.text_limits import shorten
from redline.plan.describe import diff_of
from redline.services.commands.check import CommandLine, check_env, pass_gate
from redline.services.commands.jobs import apply_dry_run, start_job, stop_job, type_into
from redline.services.commands.output import keep_tail
from redline.services.commands.remarks import remarks_on
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import success
from redline.toolsets.coding_tools.exec.permissions import NETWORK_HINT, ExecPermits
from redline.toolsets.coding_tools.paths import existing, shown
from redline.toolsets.tool import Json

TIMEOUT_MS, YIELD_MS, OUTPUT_BYTES, WAIT_MS = 30_000, 1_000, 65_536, 5_000
_MAX_SUMMARY_CHARS = 80


def exec_command(call: Call) -> Result:
    """Run a shell line; answer at its end, its deadline, or after the time to wait."""
    given = call.arguments
    cwd = _workdir(call, given.get("workdir") or ".")
    env = check_env(given.get("env") or {})
    if given.get("apply"):
        return _apply_proposal(call)
    line = CommandLine(given["cmd"], cwd, "cmd", env, others=call.others_at_work)
    granted = pass_gate(call.runtime, line, ExecPermits(call))
    typed = str(given.get("stdin") or "").encode("utf-8", "surrogateescape")
    command = Command(
        line=given["cmd"],
        cwd=cwd,
        timeout=given.get("timeout_ms", TIMEOUT_MS) / 1000,
        env=env,
        stdin=typed,
        tty=bool(given.get("tty")),
        rows=given.get("rows", 24),
        cols=given.get("cols", 80),
        owner=call.owner,
        permissions=granted & {"network"},
        overlay=bool(given.get("dry_run")),
    )
    summary = f"ran {shorten(given['cmd'], _MAX_SUMMARY_CHARS)}"
    patience = given.get("yield_time_ms", YIELD_MS) / 1000
    job = start_job(call.runtime, command, call.origin(summary), call.cancel, patience)
    return _answer_started(call, job)


def _apply_proposal(call: Call) -> Result:
    """Make the proposal of an earlier dry run real, without running anything."""
    given, line = call.arguments, call.arguments["cmd"]
    origin = call.origin(f"applied {shorten(line, _MAX_SUMMARY_CHARS)}")
    operation = apply_dry_run(call.runtime, given["apply"], call.owner, line, origin)
    fields = dry_run_fields(operation.change_set)
    return success(fields | {"dry_run": False, "status": "applied", "change_id": operation.id})


def _answer_started(call: Call, job: Job) -> Result:
    look = job.take()
    state = look.state
    fields = _payload(call, job, look)
    fields["elapsed_ms"] = round(state.elapsed * 1000)
    if state.has_ended and fields["truncated"]:
        _warn(fields, "More of the output: write_stdin with this session_id and no chars, and a"
              " larger max_output_bytes; then kill_session")  # fmt: skip
    elif state.has_ended and "dry_run" not in fields:
        call.runtime.commands.release(job.id, call.owner)
    return success(fields)


def write_stdin(call: Call) -> Result:
    """Type into a running command, or look what it has written.

    A client that has seen the end gets that answer again, as the profile has it.
    """
    given = call.arguments
    job = call.runtime.commands.get(given["session_id"], call.owner)
    chars = str(given.get("chars") or "")
    patience = given.get("yield_time_ms", YIELD_MS) / 1000
    if job.state().has_ended:
        if chars:
            raise SessionClosed(
                f"The command has ended; input is denied: {job.id}",
                hint="poll with empty chars to read its last output",
            )
        return success(_payload(call, job, job.last_look or job.take()))
    if chars:
        type_into(job, chars, patience)
    else:
        job.wait(patience, for_output=True)
    call.cancel.check()
    return success(_payload(call, job, job.take()))


def kill_session(call: Call) -> Result:
    """End a command and everything it started, and give its handle back."""
    given = call.arguments
    commands, owner = call.runtime.commands, call.owner
    job = commands.get(given["session_id"], owner)
    was_running = not job.state().has_ended
    stop_job(job, given.get("signal", "TERM"), given.get("wait_ms", WAIT_MS) / 1000)
    fields = _payload(call, job, job.take())
    fields |= {"killed": was_running, "status": "terminated" if was_running else "exited"}
    commands.release(job.id, owner)
    return success(fields)


def _payload(call: Call, job: Job, look: Look) -> Json:
    state = look.state
    status = "exited" if state.status == "killed" else state.status
    fields: Json = {
        "session_id": job.id,
        "status": status,
        "exit_code": state.exit_code,
        "signal": state.signal,
        "timed_out": state.status == "timeout",
        **session_fields(look, _output_cap(call)),
        "sandbox": job.sandbox.wire(),
    }
    output = fields["stderr"] + fields["stdout"]
    for remark in remarks_on(state, job.sandbox, job.notes, output, NETWORK_HINT):
        _warn(fields, remark)
    found = call.runtime.commands.proposal(job.id, call.owner) if state.has_ended else None
    if found is not None:
        fields |= dry_run_fields(found.change_set) | {"dry_run": True}
        for note in call.foresee(found.change_set, "exec_command"):
            _warn(fields, note)
        _warn(fields, "Nothing was changed. To apply: exec_command with the same cmd and"
              " apply=session_id; to drop: kill_session")  # fmt: skip
    if state.has_ended and job.change:
        fields["change_id"] = job.change
    return fields


def _warn(fields: Json, text: str) -> None:
    fields.setdefault("warnings", []).append(text)


def _output_cap(call: Call) -> int:
    return int(call.arguments.get("max_output_bytes", OUTPUT_BYTES))


def _workdir(call: Call, raw: str) -> WorkspacePath:
    place = existing(call, raw)
    entry = call.runtime.tree.stat(place)
    if entry is None:
        raise NotFound(raw)
    if entry.kind is not Kind.DIRECTORY:
        raise NotADirectory(raw)
    return place


_MOST = 262_144


def dry_run_fields(change_set: ChangeSet) -> Json:
    """`diff` and `affected_files` of the changes, the diff cut at whole lines."""
    diff = diff_of(change_set, _label)
    cut = len(diff) > _MOST
    if cut:
        diff = diff[: diff.rfind("\n", 0, _MOST) + 1]
    files = [
        {"path": shown(step.path), "operation": _operation(step)}
        for step in change_set.steps
        if isinstance(step, Change)
    ]
    return {"diff": diff, "diff_truncated": cut, "affected_files": files}


def _label(path: WorkspacePath) -> str:
    return shown(path)


def _operation(step: Change) -> str:
    if step.before == ABSENT:
        return "add"
    return "delete" if step.after == ABSENT else "update"


_HEAD_SHARE = 4
_HEAD_MOST = 8192


def stream_fields(name: str, got: Captured, max_bytes: int) -> Json:
    """The fields of one stream; `<name>_head` is there only when the start was cut off."""
    whole = got.tail if got.lost else got.head + got.tail
    cut = keep_tail(whole, max_bytes)
    by = cut.by or ("bytes" if got.lost else None)
    text = cut.data.decode("utf-8", "replace")
    fields: Json = {
        name: text,
        f"{name}_truncated": by is not None,
        f"{name}_truncated_by": by,
        f"{name}_output_lines": text.count("\n") + (not text.endswith("\n") if text else 0),
        f"{name}_output_bytes": len(cut.data),
        f"{name}_dropped_bytes": got.lost_ever,
        f"{name}_omitted_bytes": got.lost,
    }
    head = _head(got, len(cut.data), max_bytes) if by else b""
    if head:
        fields[f"{name}_head"] = head.decode("utf-8", "replace")
    return fields


def _head(got: Captured, shown: int, max_bytes: int) -> bytes:
    room = min(max_bytes // _HEAD_SHARE, _HEAD_MOST)
    if not got.lost:
        room = min(room, len(got.head) + len(got.tail) - shown)
    head = got.head[:room]
    end = head.rfind(b"\n")
    return head[: end + 1] if end >= 0 else b""


def session_fields(look: Look, max_bytes: int) -> Json:
    """Return the fields of both streams of *look*."""
    fields = stream_fields("stdout", look.stdout, max_bytes)
    fields |= stream_fields("stderr", look.stderr, max_bytes)
    fields["truncated"] = fields["stdout_truncated"] or fields["stderr_truncated"]
    return fields

"""run and session: commands in the sandbox."""

from __future__ import annotations

import json

from redline.core.encodings.opening import configured_in
from redline.core.errors import InvalidArgument, SessionNotFound
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.commands import Captured, Command, Job, JobState
from redline.core.text_limits import MAX_SHOWN, shorten
from redline.core.wording import quote
from redline.plan.describe import list_touched
from redline.services.brief_diff import brief_change, name_changes
from redline.services.commands.gate import CommandLine, check_env, pass_gate
from redline.services.commands.jobs import (
    apply_dry_run,
    keep_ends,
    pick_lines,
    remarks_on,
    start_job,
    stop_job,
    type_into,
)
from redline.services.history.listing import bounded_diff
from redline.services.select import require_directory
from redline.toolsets.agent.answer import answer_committed, number_of, resolve
from redline.toolsets.call import Call, Result
from redline.toolsets.consent import ON_PAGE, AskPermits
from redline.toolsets.tool import Json

_TIMEOUT, _WAIT = 120, 30
_MAX_SUMMARY_CHARS = 80
_MAX_BRIEF = 3_000
_MAX_DIFF = 65_536
_STOPPING = 5.0
_FILES = 500
_TO_KEEP = '; one that is to go on is run alone, without "&" and with {"wait": 0}'
_ASK_OPERATOR = (
    "ask the person who runs the server to start it with --allow-domain NAME or --sandbox trusted"
)


def run(call: Call) -> Result:
    """Run a shell line; a command that takes longer than `wait` becomes a session."""
    given = call.arguments
    if given.get("apply"):
        return _apply(call)
    text, cwd = given["command"], _directory(call)
    if not text.strip():
        raise InvalidArgument("command is empty", field="command")
    env = check_env(given.get("env") or {})
    line = CommandLine(text, cwd, "command", env, any_shell=True, others=call.others_at_work)
    described = [f"command: {quote(text)}", f"cwd: {quote(call.label(cwd))}"]
    described += [f"{name}: {quote(given[name])}" for name in ("env", "stdin") if given.get(name)]
    permits = AskPermits(call, "\n".join(described), f"do it another way, or {_ASK_OPERATOR}")
    granted = pass_gate(call.runtime, line, permits)
    command = Command(
        text,
        cwd,
        timeout=float(number_of(call, "timeout", _TIMEOUT, 1, 600)),
        env=env,
        stdin=str(given.get("stdin") or "").encode("utf-8", "surrogateescape"),
        tty=given.get("tty") is True,
        owner=call.owner,
        permissions=granted & {"network"},
        overlay=given.get("dry_run") is True,
        keeps_git_data=True,
        bash=True,
    )
    summary = f"ran {shorten(text, _MAX_SUMMARY_CHARS)}"
    patience = float(number_of(call, "wait", _WAIT, 0, 60))
    job = start_job(call.runtime, command, call.origin(summary), call.cancel, patience)
    return _answer(call, job)


def session(call: Call) -> Result:
    """Type into a running command, look at its output, or stop it."""
    given = call.arguments
    job = call.runtime.commands.get(given["session"], call.owner)
    patience = float(number_of(call, "wait", 1, 0, 60))
    typed = given.get("input") or ""
    if given.get("stop") is True:
        return _stop(call, job)
    if given.get("lines"):
        return _recall(job, given["lines"])
    if typed:
        type_into(job, typed, patience)
    elif not job.state().has_ended:
        job.wait(patience, for_output=True)
    call.cancel.check()
    return _answer(call, job)


def _recall(job: Job, lines: str) -> Result:
    """Answer some lines of all output that is kept; what is unread stays so."""
    shown, data = pick_lines(job.recall(), lines, MAX_SHOWN)
    text = data.decode("utf-8", "replace")
    fields: Json = {"lines": shown, "output": text, "status": job.state().status}
    return Result.of_text(f"[lines {shown}]\n{text}".rstrip("\n"), fields)


def _stop(call: Call, job: Job) -> Result:
    stop_job(job, call.arguments.get("signal", "TERM"), _STOPPING)
    answer = _answer(call, job, stopped=True)
    try:
        call.runtime.commands.release(job.id, call.owner)
    except SessionNotFound:
        pass  # its end was answered, so it is released already
    return answer


def _apply(call: Call) -> Result:
    """Make the changes of an earlier dry run, without running anything."""
    given, line = call.arguments, call.arguments["command"]
    origin = call.origin(f"applied {shorten(line, _MAX_SUMMARY_CHARS)}")
    operation = apply_dry_run(call.runtime, given["apply"], call.owner, line, origin)
    return answer_committed(call, operation)


def _answer(call: Call, job: Job, *, stopped: bool = False) -> Result:
    look = job.take()
    state = look.state
    room = MAX_SHOWN - min(_size(look.stdout), MAX_SHOWN * 2 // 3)
    errors, cut_errors = _output(look.stderr, room)
    out, cut_out = _output(look.stdout, MAX_SHOWN - min(_size(look.stderr), room))
    hint = f"To get it, {_ASK_OPERATOR}; or {ON_PAGE}"
    remarks = list(remarks_on(state, job.sandbox, job.notes, errors + out, hint, _TO_KEEP))
    fields: Json = {
        "status": "stopped" if stopped else state.status,
        "exit_code": state.exit_code,
        "signal": state.signal,
        "stdout": out,
        "stderr": errors,
        "truncated": cut_out or cut_errors,
        "seconds": round(state.elapsed, 3),
        "sandbox": job.sandbox.wire(),
        "notes": remarks,
    }
    parts = [out.rstrip("\n"), f"[stderr]\n{errors.rstrip()}" if errors.strip() else ""]
    parts += [f"note: {remark}" for remark in remarks]
    if fields["truncated"]:
        parts.append(_lead_on(job))
    parts.append(_describe_end(state, job, stopped))
    keeps = not state.has_ended
    if state.has_ended:
        keeps = _add_changes(call, job, fields, parts) or fields["truncated"]
    if keeps:
        fields["session"] = job.id
    elif not stopped:
        call.runtime.commands.release(job.id, call.owner)
    failed = state.has_ended and not stopped and state.exit_code != 0
    return Result.of_text("\n".join(filter(None, parts)) or "(no output)", fields, is_error=failed)


def _add_changes(call: Call, job: Job, fields: Json, parts: list[str]) -> bool:
    """Add what an ended command changed, or would; return whether its handle is kept."""
    if job.change:
        fields["id"] = job.change
        parts += [*_name_changes(call, job.change), f"change {job.change}"]
    found = call.runtime.commands.proposal(job.id, call.owner)
    if found is None:
        return False
    label = call.label
    configured = configured_in(call.runtime.tree)
    diff = bounded_diff(found.change_set, label, _MAX_DIFF, configured)
    fields["diff"], fields["dry_run"] = diff.text, True
    fields["files"] = [each.wire() for each in list_touched(found.change_set, label, _FILES)]
    parts.append(show_name(brief_change(found.change_set, label, _MAX_BRIEF, configured)))
    foreseen = call.foresee(found.change_set, "run")
    fields["notes"] += foreseen
    parts += [f"note: {note}" for note in foreseen]
    if found.change_set.is_empty:
        parts.append("dry run: it changes nothing")
        return False
    parts.append(f"dry run: nothing was changed; run it with apply {job.id} to make the changes")
    return True


def _name_changes(call: Call, change: str) -> list[str]:
    """Return on one line what a command made of which files."""
    operation = call.runtime.history.get(change, _FILES)
    configured = configured_in(call.runtime.tree)
    named = name_changes(operation.change_set, call.label, configured, operation.left_out)
    return [show_name(", ".join(named))] if named else []


def _lead_on(job: Job) -> str:
    """Say how the rest of long output is asked for."""
    sent = json.dumps({"session": job.id, "lines": "1-400"})
    return f"note: all output is kept by its lines: session {sent}"


def _describe_end(state: JobState, job: Job, stopped: bool) -> str:
    if not state.has_ended:
        return f"[running: session {job.id}]"
    if stopped:
        return "[stopped]"
    if state.status == "timeout":
        return f"[timed out after {state.elapsed:.0f} s]"
    if state.signal:
        return f"[ended by {state.signal}]"
    return f"[exit {state.exit_code}]" if state.exit_code else ""


def _size(got: Captured) -> int:
    return len(got.head) + got.lost + len(got.tail)


def _output(got: Captured, room: int) -> tuple[str, bool]:
    data, left_out = keep_ends(got.head, got.tail, got.lost, room)
    return data.decode("utf-8", "replace"), bool(left_out)


def _directory(call: Call) -> WorkspacePath:
    raw = call.arguments.get("cwd")
    if raw is None:
        roots = call.runtime.workspace.roots
        return WorkspacePath(next((n for n, root in enumerate(roots) if root.writable), 0), ())
    return require_directory(call.runtime, resolve(call, raw), raw)

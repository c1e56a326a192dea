"""run and session: commands in the sandbox."""

from __future__ import annotations

from redline.core.errors import NotADirectory, NotFound, SandboxUnavailable, SessionNotFound
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Job, JobState
from redline.core.ports.tree import Kind
from redline.core.text_limits import shorten
from redline.plan.describe import list_touched
from redline.services.brief_diff import brief_diff
from redline.services.commands.check import CommandLine, check_env, pass_gate
from redline.services.commands.output import keep_tail
from redline.services.commands.remarks import remarks_on
from redline.services.history.listing import bounded_diff
from redline.toolsets.agent.answer import answer_committed, label_for, number_of, resolve
from redline.toolsets.call import Call, Result
from redline.toolsets.consent import quote
from redline.toolsets.permission import AskPermits
from redline.toolsets.tool import Json

_TIMEOUT, _WAIT = 120, 30
_OUTPUT = 65_536
_MAX_SUMMARY_CHARS = 80
_MAX_BRIEF = 6_000
_MAX_DIFF = 65_536
_SETTLE = 0.05
_ENDING = 3.0
_STOPPING = 5.0
_FILES = 500
_ASK_OPERATOR = "ask the person who runs the server to start it with --sandbox trusted"


def run(call: Call) -> Result:
    """Run a shell line; a command that takes longer than `wait` becomes a session."""
    given = call.arguments
    if given.get("apply"):
        return _apply(call)
    text, cwd = given["command"], _directory(call)
    env = check_env(given.get("env") or {})
    line = CommandLine(text, cwd, "command", env, absolute_paths=True)
    described = [f"command: {quote(text)}", f"cwd: {quote(label_for(call)(cwd))}"]
    described += [f"{name}: {quote(given[name])}" for name in ("env", "stdin") if given.get(name)]
    permits = AskPermits(call, "\n".join(described), f"do it another way, or {_ASK_OPERATOR}")
    granted = pass_gate(call.runtime, line, permits)
    timeout = float(number_of(call, "timeout", _TIMEOUT, 1, 600))
    tty = given.get("tty") is True
    command = Command(
        text,
        cwd,
        timeout=timeout,
        env=env,
        stdin=str(given.get("stdin") or "").encode("utf-8", "surrogateescape"),
        tty=tty,
        owner=_owner(call),
        permissions=granted & {"network"},
        overlay=given.get("dry_run") is True,
    )
    summary = f"ran {shorten(text, _MAX_SUMMARY_CHARS)}"
    job = call.runtime.commands.start(command, call.origin(summary))
    call.cancel.on_cancel(lambda: job.kill("KILL"))
    job.wait(float(number_of(call, "wait", _WAIT, 0, 60)), for_output=tty)
    if not job.state().has_ended and job.state().elapsed >= timeout:
        job.wait(_ENDING)
    call.cancel.check()
    if job.state().status == "failed":
        call.runtime.commands.release(job.id, _owner(call))
        raise SandboxUnavailable(job.notes[0])
    return _answer(call, job)


def session(call: Call) -> Result:
    """Type into a running command, look at its output, or stop it."""
    given = call.arguments
    job = call.runtime.commands.get(given["session"], _owner(call))
    patience = float(number_of(call, "wait", 1, 0, 60))
    typed = given.get("input") or ""
    if given.get("stop") is True:
        return _stop(call, job)
    if typed:
        before = job.byte_count
        job.send(typed.encode("utf-8", "surrogateescape"))
        job.wait(patience, beyond=before)
        job.wait(min(_SETTLE, patience))
    elif not job.state().has_ended:
        job.wait(patience, for_output=True)
    call.cancel.check()
    return _answer(call, job)


def _stop(call: Call, job: Job) -> Result:
    if not job.state().has_ended:
        job.kill(call.arguments.get("signal", "TERM"))
        job.wait(_STOPPING)
    if not job.state().has_ended:
        job.kill("KILL")
        job.wait(_ENDING)
    answer = _answer(call, job, stopped=True)
    try:
        call.runtime.commands.release(job.id, _owner(call))
    except SessionNotFound:
        pass  # its end was answered, so it is released already
    return answer


def _apply(call: Call) -> Result:
    """Make the changes of an earlier dry run, without running anything."""
    given, commands, owner = call.arguments, call.runtime.commands, _owner(call)
    origin = call.origin(f"applied {shorten(given['command'], _MAX_SUMMARY_CHARS)}")
    operation = commands.apply(given["apply"], owner, given["command"], origin)
    try:
        commands.release(given["apply"], owner)
    except SessionNotFound:
        pass  # the handle was dropped: too many commands ran since
    return answer_committed(call, operation)


def _answer(call: Call, job: Job, *, stopped: bool = False) -> Result:
    state = job.state()
    out, cut_out = _output(job, "stdout")
    errors, cut_errors = _output(job, "stderr")
    hint = f"To get it, {_ASK_OPERATOR}"
    remarks = list(remarks_on(state, job.sandbox, job.notes, errors + out, hint))
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
    if fields["truncated"]:
        parts.append("[the beginning of the output was cut]")
    parts += [f"note: {remark}" for remark in remarks]
    parts.append(_ending(state, job, stopped))
    keeps = not state.has_ended
    if state.has_ended:
        keeps = _add_changes(call, job, fields, parts)
    if keeps:
        fields["session"] = job.id
    elif not stopped:
        call.runtime.commands.release(job.id, _owner(call))
    failed = state.has_ended and not stopped and state.exit_code != 0
    return Result.of_text("\n".join(filter(None, parts)) or "(no output)", fields, is_error=failed)


def _add_changes(call: Call, job: Job, fields: Json, parts: list[str]) -> bool:
    """Add what an ended command changed, or would; return whether its handle is kept."""
    if job.change:
        fields["id"] = job.change
        parts.append(f"change {job.change}")
    found = call.runtime.commands.proposal(job.id, _owner(call))
    if found is None:
        return False
    label = label_for(call)
    diff = bounded_diff(found.change_set, label, _MAX_DIFF)
    fields["diff"], fields["dry_run"] = diff.text, True
    fields["files"] = [each.wire() for each in list_touched(found.change_set, label, _FILES)]
    parts.append(brief_diff(diff.text, _MAX_BRIEF))
    if found.change_set.is_empty:
        parts.append("dry run: it changes nothing")
        return False
    parts.append(f"dry run: nothing was changed; run it with apply {job.id} to make the changes")
    return True


def _ending(state: JobState, job: Job, stopped: bool) -> str:
    if not state.has_ended:
        return f"[running: session {job.id}]"
    if stopped:
        return "[stopped]"
    if state.status == "timeout":
        return f"[timed out after {state.elapsed:.0f} s]"
    if state.signal:
        return f"[ended by {state.signal}]"
    return f"[exit {state.exit_code}]" if state.exit_code else ""


def _output(job: Job, stream: str) -> tuple[str, bool]:
    got = job.take(stream)
    cut = keep_tail(got.tail if got.lost else got.head + got.tail, _OUTPUT)
    return cut.data.decode("utf-8", "replace"), bool(cut.by or got.lost)


def _owner(call: Call) -> str:
    return f"{call.client.principal}\0{call.client.connection}"


def _directory(call: Call) -> WorkspacePath:
    raw = call.arguments.get("cwd")
    if raw is None:
        roots = call.runtime.workspace.roots
        return WorkspacePath(next((n for n, root in enumerate(roots) if root.writable), 0), ())
    path = resolve(call, raw)
    entry = call.runtime.tree.stat(path)
    if entry is None:
        raise NotFound(raw)
    if entry.kind is not Kind.DIRECTORY:
        raise NotADirectory(raw)
    return path

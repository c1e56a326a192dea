"""exec_command, write_stdin, kill_session and request_permissions: commands in the sandbox.

A permission is given by a person, never silently.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

from redline.core.access.rights import Right
from redline.core.changes import ABSENT, Change, ChangeSet
from redline.core.errors import InvalidArgument, SessionClosed
from redline.core.ports.commands import Captured, Command, Job, Look
from redline.core.ports.review import HeldState
from redline.core.ports.session_memory import Grant
from redline.core.text_limits import shorten
from redline.core.wording import quote
from redline.plan.describe import diff_of
from redline.services.commands.gate import CommandLine, check_env, pass_gate
from redline.services.commands.jobs import (
    apply_dry_run,
    keep_tail,
    remarks_on,
    start_job,
    stop_job,
    type_into,
)
from redline.services.names import iso_time
from redline.services.select import require_directory
from redline.toolsets.call import Call, Question, Result
from redline.toolsets.coding_tools.answer import existing, failure, shown, success
from redline.toolsets.consent import (
    ON_PAGE,
    ask_for_call,
    ask_person,
    decision_question,
    digest_of,
    is_allowed_on_page,
)
from redline.toolsets.tool import Json

TIMEOUT_MS, YIELD_MS, OUTPUT_BYTES, WAIT_MS = 30_000, 1_000, 65_536, 5_000
_MAX_SUMMARY_CHARS = 80


def exec_command(call: Call) -> Result:
    """Run a shell line; answer at its end, its deadline, or after the time to wait."""
    given = call.arguments
    raw = given.get("workdir") or "."
    cwd = require_directory(call.runtime, existing(call, raw), raw)
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
                f"The command has ended and takes no more input: {job.id}",
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


_MOST = 262_144


def dry_run_fields(change_set: ChangeSet) -> Json:
    """`diff` and `affected_files` of the changes, the diff cut at whole lines."""
    diff = diff_of(change_set, shown)
    cut = len(diff) > _MOST
    if cut:
        diff = diff[: diff.rfind("\n", 0, _MOST) + 1]
    files = [
        {"path": shown(step.path), "operation": _operation(step)}
        for step in change_set.steps
        if isinstance(step, Change)
    ]
    return {"diff": diff, "diff_truncated": cut, "affected_files": files}


def _operation(step: Change) -> str:
    if step.before == ABSENT:
        return "add"
    return "delete" if step.after == ABSENT else "update"


_HEAD_SHARE = 4
_HEAD_MOST = 8192


def stream_fields(name: str, got: Captured, max_bytes: int) -> Json:
    """Return the fields of one stream; `<name>_head` is there only when the start was cut off."""
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


NETWORK_HINT = (
    "Ask with request_permissions(tool_name='exec_command', permission='network', ...) and repeat"
    " the call"
)
# apply_patch is journalled and undoable; it asks for no permission by this tool.
_NEEDS_NONE = ("apply_patch",)
_CANNOT_ASK = {
    "exec_command": "this client cannot ask a person; call exec_command, the person is asked on"
    " the review page (redline review), or restart the server with --sandbox trusted",
    "apply_patch": "this client cannot ask a person; apply_patch needs no permission: call it",
}
# What decides what a command does, with the values of a call that does not name them.
_DEFAULTS: Json = {
    "workdir": ".",
    "env": {},
    "stdin": "",
    "tty": False,
    "timeout_ms": 30000,
    "dry_run": False,
}
_ALWAYS_SHOWN = ("cmd", "workdir", "env", "stdin")
# These decide only how its output is answered.
_OF_THE_ANSWER = frozenset({"yield_time_ms", "max_output_bytes", "rows", "cols"})


def digest_of_command(arguments: Mapping[str, Any]) -> str:
    """Return the hash that a grant for an exec_command call is bound to."""
    return digest_of("exec_command", _complete(arguments))


class ExecPermits:
    """See `services.commands.check.Permits`: grants of request_permissions, else a question."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def consume(self, permission: str) -> Grant | None:
        """Take a grant that was given for this very call."""
        digest = digest_of_command(self._call.arguments)
        owner = self._call.owner
        return self._call.runtime.grants.consume(owner, "exec_command", permission, digest)

    @property
    def can_ask(self) -> bool:
        """Whether the person is asked here: a client with a session asks for a grant first."""
        return self._call.ask is not None and not self._call.client.has_session

    def ask(self, permissions: Sequence[str]) -> None:
        """Ask for *permissions* within the call; PermissionDenied."""
        ask_for_call(self._call, permissions, _describe(self._call.arguments))

    def is_allowed_on_page(self, permissions: Sequence[str]) -> bool:
        """Put the whole call on the review page where the client cannot ask; PermissionDenied."""
        described = _describe(self._call.arguments)
        return self._call.ask is None and is_allowed_on_page(self._call, permissions, described)

    def hint(self, permission: str) -> str:
        """Name the tool that asks the person."""
        page = f"; {ON_PAGE}" if self._call.ask is None else ""
        return (
            f"ask with request_permissions(tool_name='exec_command',"
            f" permission='{permission}', ...) and repeat the call, or do it another way{page}"
        )


def request_permissions(call: Call) -> Result:
    """Ask the person for a permission, or say why nothing was granted."""
    if call.runtime.options.get("sandbox") == "dangerous":
        return _everything_allowed(call)
    if Right.APPROVE not in call.client.rights:
        return _answer_unsupported(
            call, f"{call.client.principal} does not have the right to approve; do it another way"
        )
    if call.ask is None:
        return _answer_unsupported(call, _CANNOT_ASK[call.arguments["tool_name"]])
    if call.arguments["tool_name"] in _NEEDS_NONE:
        return success({"status": "not_required", "grant_id": None, "expires_at": None})
    if not call.client.has_session:
        # Nothing tells this client from others of its principal: a grant would be theirs too.
        return _answer_unsupported(
            call, "without a session nothing is kept: call exec_command, the person is asked there"
        )
    decision = ask_person(call, _question(call.arguments), "")
    if decision is None or decision.state is not HeldState.APPROVED:
        return _answer_denied(call, "cancel" if decision is None else "decline")
    return _answer_granted(call)


def _question(arguments: Json) -> Question:
    if not arguments["arguments"].get("cmd"):
        raise InvalidArgument(
            "arguments must hold every argument of the call; cmd is missing",
            field="arguments",
            hint="pass the arguments exec_command will be called with",
        )
    seconds = _ttl(arguments)
    remembered = (
        f"for this call, as often as it is made during {seconds} seconds"
        if arguments.get("scope") == "session"
        else f"for this one call within {seconds} seconds"
    )
    message = (
        f"Allow {arguments['permission']} for {arguments['tool_name']} {remembered}?\n"
        f"{_describe(arguments['arguments'])}\nReason given: {quote(arguments['reason'])}"
    )
    return decision_question(message, "permission")


def _complete(arguments: Mapping[str, Any]) -> Json:
    given = {key: value for key, value in arguments.items() if key not in _OF_THE_ANSWER}
    return {**_DEFAULTS, **given}


def _describe(arguments: Mapping[str, Any]) -> str:
    """Everything the grant is bound to, one line each."""
    return "\n".join(
        f"{quote(key)[1:-1]}: {quote(value)}"
        for key, value in sorted(_complete(arguments).items(), key=_in_order)
        if key in _ALWAYS_SHOWN or value != _DEFAULTS.get(key)
    )


def _in_order(item: tuple[str, Any]) -> tuple[int, str]:
    key = item[0]
    return (_ALWAYS_SHOWN.index(key) if key in _ALWAYS_SHOWN else len(_ALWAYS_SHOWN)), key


def _ttl(arguments: Json) -> int:
    return int(arguments.get("ttl_seconds", 300))


def _answer_granted(call: Call) -> Result:

    arguments = call.arguments
    grant = Grant(
        id=f"grant-{secrets.token_urlsafe(12)}",
        owner=call.owner,
        tool=arguments["tool_name"],
        permission=arguments["permission"],
        scope=arguments.get("scope", "once"),
        expires_at=time.time() + _ttl(arguments),
        digest=digest_of_command(arguments["arguments"]),
        reason=arguments["reason"],
    )
    # Written down first: a permission that is not in the journal is not given.
    remembered = "one call" if grant.scope == "once" else f"{_ttl(arguments)} s"
    noted = call.runtime.editor.note_grant(
        call.origin(f"{grant.permission} for {grant.tool}, {remembered}: {quote(grant.reason)}")
    )
    call.runtime.grants.add(grant)
    constraints: Json = {"tool_name": grant.tool, "permission": grant.permission}
    constraints |= {"scope": grant.scope, "arguments": dict(arguments["arguments"])}
    return success(
        {
            "status": "granted",
            "grant_id": grant.id,
            "expires_at": iso_time(grant.expires_at),
            "constraints": constraints,
            "id": noted.id,
            "warnings": [],
        }
    )


def _answer_denied(call: Call, action: str) -> Result:
    return failure(
        "PERMISSION_DENIED",
        f"Permission denied by the person ({action}): {call.arguments['permission']}"
        "\nhint: go on without it, or explain in `reason` why it is needed",
        "permission",
        details={"requested": call.arguments, "action": action},
        status="denied",
        grant_id=None,
        expires_at=None,
    )


def _answer_unsupported(call: Call, hint: str) -> Result:
    return failure(
        "ELICITATION_UNSUPPORTED",
        f"Permission was not granted: {call.arguments['permission']}\nhint: {hint}",
        "permission",
        details={"requested": call.arguments},
        status="unsupported",
        grant_id=None,
        expires_at=None,
    )


def _everything_allowed(call: Call) -> Result:
    workspace = call.runtime.workspace.roots[0].path
    return success(
        {
            "status": "granted",
            "grant_id": "dangerously-skip-all-permissions",
            "expires_at": None,
            "constraints": {
                "mode": "dangerous",
                "workspace": workspace,
                "requested": call.arguments,
            },
            "warnings": ["every permission check is off: the server runs in dangerous mode"],
        }
    )

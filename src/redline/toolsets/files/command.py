"""execute_command."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.errors import InvalidArgument, OutsideRoots
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Finished
from redline.core.wording import quote
from redline.services.commands.gate import CommandLine, pass_gate
from redline.services.commands.jobs import remarks_on
from redline.toolsets.call import Call, Result
from redline.toolsets.consent import ON_PAGE, AskPermits
from redline.toolsets.files.answer import dry_run_text, resolve_directory, shown
from redline.toolsets.files.tools import is_rich
from redline.toolsets.tool import Json

_DEFAULT_SECONDS = 30
_MAX_SECONDS = 60
_GRACE = 3.0
_CAP = 512 << 10
_ASK_OPERATOR = "ask the person who runs the server to start it with --sandbox trusted"


def execute_command(call: Call) -> Result:
    """Run a shell line to its end; a failing exit and a time-out are isError results."""
    asked = call.arguments.get("timeout") or 0
    seconds = min(asked, _MAX_SECONDS) if asked > 0 else _DEFAULT_SECONDS
    text = call.arguments["command"]
    if not text:
        raise InvalidArgument("command must not be empty", field="command")
    cwd = _working_directory(call)
    line = CommandLine(text, cwd, "command", any_shell=True, others=call.others_at_work)
    described = f"command: {quote(text)}\nworkingDirectory: {quote(shown(call, cwd))}"
    hint = f"do it another way, or {_ASK_OPERATOR}"
    granted = pass_gate(call.runtime, line, AskPermits(call, described, hint))
    command = Command(
        text,
        cwd,
        timeout=float(seconds),
        owner=call.client.principal,
        permissions=granted & {"network"},
        grace=_GRACE,
        overlay=call.arguments.get("dryRun") is True,
        keeps_git_data=True,
    )
    done = call.runtime.commands.run(command, call.origin(f"run {text[:80]}"), call.cancel, _CAP)
    return _answer(call, done)


def _working_directory(call: Call) -> WorkspacePath:
    raw = call.arguments.get("workingDirectory")
    if raw is None:
        return _default_directory(call)
    return resolve_directory(call, raw)


def _default_directory(call: Call) -> WorkspacePath:
    roots = call.runtime.workspace.roots
    if not roots:
        raise OutsideRoots(".", hint="no directory is allowed; start with --allow-write DIR")
    number = next((n for n, root in enumerate(roots) if root.writable), 0)
    return WorkspacePath(number, ())


def _answer(call: Call, done: Finished) -> Result:
    late = done.state.status == "timeout"
    code = done.state.exit_code if done.state.exit_code is not None else -1
    if late or done.state.signal is not None:
        code = -1
    out, errors = _decode(done.stdout), _decode(done.stderr)
    hint = f"To get it, {_ASK_OPERATOR}; or {ON_PAGE}"
    remarks = list(remarks_on(done.state, done.sandbox, done.notes, errors + out, hint))
    content = [_block(_stdout_text(out, code, late, done.stdout_truncated, remarks))]
    if errors:
        note = _truncation_note(errors, done.stderr_truncated)
        content.append(_block(f"[stderr]\n{errors}{note}"))
    if done.proposal is not None:
        content.append(_block(dry_run_text(call, done.proposal, "make these changes")))
    has_failed = code != 0 or late
    sandbox = done.sandbox.wire()
    if has_failed and errors:
        content.append(_block(f"[sandbox: {done.sandbox.fs}; network {done.sandbox.net}]"))
    structured: Json = {
        "exitCode": code,
        "stdout": out,
        "stderr": errors,
        "timedOut": late,
        "truncated": done.stdout_truncated or done.stderr_truncated,
        "sandbox": sandbox,
        "warnings": remarks,
    }
    if is_rich(call.client):
        return Result(content, structured, has_failed)
    return Result(content, None, has_failed, {"redline/sandbox": sandbox})


def _stdout_text(out: str, code: int, late: bool, truncated: bool, remarks: Sequence[str]) -> str:
    """Return the output, below it what is worth knowing, and the exit code as the last line."""
    body = out or "(no output)"
    head = "[command timed out]\n" if late else ""
    gap = "" if body.endswith("\n") and not truncated else "\n"
    notes = "".join(f"[note: {remark}]\n" for remark in remarks)
    return f"{head}{body}{_truncation_note(out, truncated)}{gap}{notes}[exit code: {code}]"


def _truncation_note(text: str, truncated: bool) -> str:
    if not truncated:
        return ""
    return ("" if text.endswith("\n") else "\n") + "[output truncated at 512 KB]"


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _block(text: str) -> Json:
    return {"type": "text", "text": text}

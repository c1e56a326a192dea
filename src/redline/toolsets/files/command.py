"""execute_command."""

from __future__ import annotations

from redline.core.errors import NotADirectory, OutsideRoots
from redline.core.paths import WorkspacePath
from redline.core.ports.commands import Command, Finished
from redline.core.ports.tree import Kind
from redline.toolsets.files.adapt import is_rich
from redline.toolsets.files.answer import resolve, shown
from redline.toolsets.files.dry_run import dry_run_text
from redline.toolsets.tool import Call, Json, Result

_DEFAULT = 30
_MOST = 60
_GRACE = 3.0
_CAP = 512 << 10


def execute_command(call: Call) -> Result:
    """Run a shell line to its end; a failing exit and a time-out are isError results."""
    asked = call.arguments.get("timeout") or 0
    seconds = min(asked, _MOST) if asked > 0 else _DEFAULT
    command = Command(
        call.arguments["command"],
        _working_directory(call),
        timeout=float(seconds),
        owner=call.client.principal,
        grace=_GRACE,
        overlay=call.arguments.get("dryRun") is True,
    )
    origin = call.origin(f"run {call.arguments['command'][:80]}")
    done = call.runtime.commands.run(command, origin, call.cancel, _CAP)
    return _answered(call, done)


def _working_directory(call: Call) -> WorkspacePath:
    raw = call.arguments.get("workingDirectory")
    if raw is None:
        return _default_directory(call)
    path = resolve(call, raw)
    entry = call.runtime.tree.stat(path)
    if entry is None or entry.kind is not Kind.DIRECTORY:
        raise NotADirectory(shown(call, path))
    return path


def _default_directory(call: Call) -> WorkspacePath:
    roots = call.runtime.workspace.roots
    if not roots:
        raise OutsideRoots(".", hint="no directory is allowed; start with --allow-write DIR")
    number = next((n for n, root in enumerate(roots) if root.writable), 0)
    return WorkspacePath(number, ())


def _answered(call: Call, done: Finished) -> Result:
    late = done.state.status == "timeout"
    code = done.state.exit_code if done.state.exit_code is not None else -1
    if late or done.state.signal is not None:
        code = -1
    out, errors = _decoded(done.stdout), _decoded(done.stderr)
    content = [_block(_stdout_text(out, code, late, done.stdout_truncated))]
    if done.proposal is not None:
        content.append(_block(dry_run_text(call, done.proposal, "make these changes")))
    if errors:
        content.append(_block("[stderr]\n" + errors + _cut(errors, done.stderr_truncated)))
    structured: Json = {
        "exitCode": code,
        "stdout": out,
        "stderr": errors,
        "timedOut": late,
        "truncated": done.stdout_truncated or done.stderr_truncated,
    }
    return Result(content, structured if is_rich(call.client) else None, code != 0 or late)


def _stdout_text(out: str, code: int, late: bool, truncated: bool) -> str:
    body = out or "(no output)"
    head = "[command timed out]\n" if late else ""
    gap = "" if body.endswith("\n") and not truncated else "\n"
    return f"{head}{body}{_cut(out, truncated)}{gap}[exit code: {code}]"


def _cut(text: str, truncated: bool) -> str:
    if not truncated:
        return ""
    return ("" if text.endswith("\n") else "\n") + "[output truncated at 512 KB]"


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _block(text: str) -> Json:
    return {"type": "text", "text": text}

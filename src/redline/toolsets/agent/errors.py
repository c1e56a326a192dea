"""Failures as results: the fact, and the call to make next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from redline.core import errors as e
from redline.core.paths import show_name
from redline.services.runtime import Runtime
from redline.toolsets.call import FailedCall, Result
from redline.toolsets.tool import Json

# The first class an error is an instance of decides: its code, and what to call next where the
# error itself does not say.
_CODES: tuple[tuple[type[e.RedlineError], str, str], ...] = (
    (e.InvalidArgument, "INVALID_ARGUMENT", ""),
    (e.ReadOnlyRoot, "READ_ONLY", "change files of a writable directory; find lists them"),
    (e.PathDenied, "OUTSIDE_WORKSPACE", "find with details lists the allowed directories"),
    (e.NotFound, "NOT_FOUND", "find with a glob shows what there is"),
    (e.AlreadyExists, "ALREADY_EXISTS", "choose another path, or pass overwrite"),
    (e.IsADirectory, "IS_A_DIRECTORY", "find lists a directory"),
    (e.NotADirectory, "NOT_A_DIRECTORY", "read shows a file"),
    (e.BinaryFile, "BINARY", "write replaces a whole file; run can inspect it"),
    (e.UnsupportedEncoding, "ENCODING", "pass encoding, for example cp1252 or gbk"),
    (e.TooLarge, "TOO_LARGE", "read fewer lines, or search in it"),
    (e.PathError, "BAD_PATH", "find shows what there is"),
    (e.AlreadyApplied, "ALREADY_APPLIED", "nothing to do"),
    (e.AmbiguousMatch, "AMBIGUOUS", "quote more of the text around it, or pass all"),
    (e.InvalidPattern, "BAD_PATTERN", "mend the pattern"),
    (e.NoMatch, "NO_MATCH", "read the file and quote it as it is now"),
    (e.MatchError, "NO_MATCH", "read the file and quote it as it is now"),
    (e.PatchError, "BAD_PATCH", "read the file and write the patch from it, or use edit"),
    (e.NodeNotFound, "NO_VALUE", "get without key shows what there is"),
    (e.DocumentSyntax, "SYNTAX", "read the file and mend it with edit"),
    (e.DocumentError, "CANNOT_APPLY", "do it with edit"),
    (e.StaleBase, "STALE", "read the file again and repeat the call"),
    (e.UndoBlocked, "UNDO_BLOCKED", "changes shows what was changed since; edit instead"),
    (e.Locked, "LOCKED", "repeat the call"),
    (e.Conflict, "CONFLICT", "read the file again and repeat the call"),
    (e.HistoryError, "NO_CHANGE", "changes lists the ids"),
    (e.ReadOnlyMode, "READ_ONLY", "the server runs with --read-only: only read"),
    (e.PermissionRequired, "PERMISSION_REQUIRED", "do it another way"),
    (e.Refused, "REFUSED", "do it another way"),
    (e.Cancelled, "CANCELLED", "repeat the call if it is still wanted"),
    (e.TimeLimit, "TIME_LIMIT", "ask for less, or repeat the call"),
    (e.LimitReached, "LIMIT_REACHED", "ask for less"),
    (e.SessionError, "NO_SESSION", "start the command again with run"),
    (e.NotWritable, "REFUSED", "leave the file as it is"),
    (e.Unavailable, "UNAVAILABLE", "repeat the call; doctor on the command line says more"),
)

# What this toolset calls the arguments and tools that errors name.
WORDS = {
    "oldText": "old",
    "newText": "new",
    "edit_file": "edit",
    "write_file": "write",
    "read_file": "read",
    "grep_files": "search",
    "exec_command": "run",
    "session_id": "session",
    "undo_change": "undo",
    "list_changes": "changes",
    "create_parents": "create",
    "doc_index": "document",
    "query": "get",
}


def say(error: e.RedlineError) -> tuple[str, str, str]:
    """Return the stable code of *error*, the fact and what to do next in this toolset's words."""
    code, otherwise = next(
        ((code, hint) for kind, code, hint in _CODES if isinstance(error, kind)), ("FAILED", "")
    )
    error.use_words(WORDS)
    return code, show_name(error.message), show_name(error.hint or otherwise)


def word(error: e.RedlineError, call: FailedCall) -> Result:
    """Return an isError result that says what is wrong and what to call next."""
    if isinstance(error, e.IsADirectory) and call.tool == "read":
        error.hint = f"find {quote({'path': error.path})}"
    if "into" in error.details:
        error.hint = f"to move it into this directory, pass {quote({'to': error.details['into']})}"
    if isinstance(error, e.NotFound) and call.runtime is not None:
        name_similar(error, call.runtime, call.arguments)
    code, message, hint = say(error)
    hint += _other_way(error) + _meant_key(error, call.arguments)
    details = {key: value for key, value in error.details.items() if key != "diff"}
    body: Json = {"code": code, "message": message, "details": details}
    lines = [f"{code}: {message}"]
    if hint:
        body["hint"] = hint
        lines.append(f"hint: {hint}")
    if error.details.get("diff"):
        body["diff"] = error.details["diff"]
        lines.append(str(error.details["diff"]))
    return Result.of_text("\n".join(lines), {"error": body}, is_error=True)


def _meant_key(error: e.RedlineError, arguments: Mapping[str, Any]) -> str:
    """Return the argument to send for a key or a checkpoint that is not there."""
    if "checkpoint" in error.details:
        return f" pass {quote({'to': error.details['checkpoint']})}"
    meant = error.details.get("meant")
    if meant is None:
        return ""
    edits = arguments.get("edits")
    for number, item in enumerate(edits if isinstance(edits, list) else ()):
        if isinstance(item, dict) and item.get("key") == error.details["path"]:
            return f"; pass edits[{number}]: {quote({'key': meant})}"
    return f"; pass {quote({'key': meant})}" if "key" in arguments else ""


def name_similar(error: e.NotFound, runtime: Runtime, arguments: Mapping[str, Any]) -> None:
    """Have *error* name paths like the one that is not there, and the call with the only one."""
    if error.hint:
        return  # it was no path
    from redline.services.similar import find_similar_paths  # late: most calls succeed

    similar = find_similar_paths(runtime, error.path)
    if len(similar) == 1:
        error.hint = _repeat_with(arguments, error.path, similar[0])
    elif similar:
        error.hint = f"similar: {', '.join(similar)}"


def _repeat_with(arguments: Mapping[str, Any], missing: str, path: str) -> str:
    """Return the hint to send the call again with *path* in the place of what is not there."""
    for key in ("path", "to"):
        if isinstance(given := arguments.get(key), str) and given.startswith(missing):
            return f"pass {quote({key: path + given.removeprefix(missing)})}"
    edits = arguments.get("edits")
    for number, item in enumerate(edits if isinstance(edits, list) else ()):
        if isinstance(item, dict) and item.get("path") == missing:
            return f"pass edits[{number}]: {quote({'path': path})}"
    return f"did you mean {path}?"


def quote(arguments: Mapping[str, object]) -> str:
    """Return arguments as text that can be sent as it is."""
    return json.dumps(arguments, ensure_ascii=False)


def _other_way(error: e.RedlineError) -> str:
    """Return another repair of the call: text that occurs exactly can be replaced everywhere."""
    is_literal = isinstance(error, e.AmbiguousMatch) and error.details.get("level") == "literal"
    return "; or pass all: true to change every one" if is_literal and error.hint else ""

"""The codes and words of this toolset's failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.core import errors
from redline.core.paths import show_name
from redline.core.text_limits import shorten
from redline.toolsets.call import FailedCall, RpcFailure
from redline.toolsets.tool import Json

NOT_ALLOWED = -32001
NOT_FOUND = -32002
INVALID_PARAMS = -32602
FAILED = -32603

# In the way of what these tools create is a file; for any other tool nothing is at such a path.
_CREATES = ("write_file", "create_directory", "move_file")
_MAX_SNIPPET_CHARS = 83
_POINTER = "list_allowed_directories shows what this server may touch"


def word(error: errors.RedlineError, call: FailedCall) -> RpcFailure:
    """Return the JSON-RPC error for *error*."""
    return RpcFailure(code_of(error, call.tool), message_of(error, call), _data(error))


def code_of(error: errors.RedlineError, tool: str = "") -> int:
    """Return the code the toolset's specification gives this failure."""
    if isinstance(error, errors.PathDenied | errors.Refused):
        return NOT_ALLOWED
    if isinstance(error, errors.NotFound):
        return NOT_FOUND
    if isinstance(error, errors.NotADirectory) and tool not in _CREATES:
        return NOT_FOUND
    if isinstance(error, errors.InvalidArgument):
        return INVALID_PARAMS
    return FAILED


def message_of(error: errors.RedlineError, call: FailedCall) -> str:
    """Return the fact, and on a second line what to do."""
    text = error.text
    if isinstance(error, errors.MatchError):
        text = match_text(error, _edit(call.arguments, error))
    elif isinstance(error, errors.PathDenied) and not error.hint:
        text = f"{error.message}\nhint: {_POINTER}"
    elif isinstance(error, errors.InvalidArgument):
        text = _argument_text(error, call)
    return show_name(text)


def match_text(error: errors.MatchError, edit: Mapping[str, Any]) -> str:
    """Return how edit_file speaks of an edit that cannot be placed."""
    old = edit.get("oldText")
    quoted = f' "{_snippet(old)}"' if isinstance(old, str) and old else ""
    hint = f"\nhint: {error.hint}" if error.hint else ""
    which = "pattern" if edit.get("isRegex") else "oldText"
    if isinstance(error, errors.AmbiguousMatch):
        return _not_unique(error, quoted) + hint + _limit_hint(error)
    if isinstance(error, errors.NoMatch) and not _is_still_there(error, edit):
        return f"{which} not found:{quoted}. {error.message}{hint}"
    if old == "":
        return f"oldText must not be empty{hint}"
    return error.text


def _is_still_there(error: errors.NoMatch, edit: Mapping[str, Any]) -> bool:
    """Whether the old text is in the file, as a part of the new text or left by this very call."""
    if not isinstance(error, errors.AlreadyApplied):
        return False
    old, new = edit.get("oldText"), edit.get("newText")
    is_part = isinstance(old, str) and isinstance(new, str) and old in new
    return is_part or bool(error.details.get("repeated"))


def _not_unique(error: errors.AmbiguousMatch, quoted: str) -> str:
    kind = "occurrences"
    level = error.details.get("level", "literal")
    if level != "literal":
        kind = "whitespace-normalized matches" if "typo" not in level else "look-alike matches"
    places = list(dict.fromkeys(error.lines))
    lines = ", ".join(map(str, places[:50]))
    more = ", ..." if len(places) > 50 else ""
    return f"oldText is not unique: found {error.count} {kind} of{quoted} (lines {lines}{more})"


def _limit_hint(error: errors.AmbiguousMatch) -> str:
    """Return the hint to replace every occurrence, which works only for exact matches."""
    is_literal = error.details.get("level", "literal") == "literal"
    return "; or set limit: 0 to replace all of them" if is_literal and error.hint else ""


def _snippet(old: str) -> str:
    first = old.strip("\r\n").replace("\r\n", "\n").replace("\n", "\\n")
    return shorten(first, _MAX_SNIPPET_CHARS)


def _edit(arguments: Mapping[str, Any], error: errors.RedlineError) -> Mapping[str, Any]:
    edits = arguments.get("edits")
    number = error.details.get("edit", 0)
    item: Any = edits[number] if isinstance(edits, list) and number < len(edits) else None
    return item if isinstance(item, dict) else {}


def _argument_text(error: errors.InvalidArgument, call: FailedCall) -> str:
    if call.tool == "grep_files" and isinstance(call.arguments.get("regex"), bool):
        return (
            "regex is the pattern itself, not a flag: it must be a string\n"
            'hint: pass the text to search for as regex, for example "regex": "TODO"'
        )
    return error.text


def _data(error: errors.RedlineError) -> Json | None:
    """Details that are plain JSON."""
    data = {key: value for key, value in error.details.items() if _plain(value)}
    return data or None


def _plain(value: Any) -> bool:
    if isinstance(value, str):
        return value.isprintable() or value.isascii()
    if isinstance(value, list):
        return all(map(_plain, value))
    return isinstance(value, int | float | bool) or value is None

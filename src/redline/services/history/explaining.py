"""What the history knows about a refused call: where its text went, and what changed since."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from redline.core.changes import Change, FileState, State
from redline.core.encodings.opening import open_text
from redline.core.errors import HistoryError
from redline.core.paths import WorkspacePath
from redline.core.ports.history import Operation
from redline.core.text_limits import shorten
from redline.services.history.news import clock_time, name_actor
from redline.services.runtime import Runtime
from redline.services.versions import LENGTH

# Changes of a file that are looked at, and the size of a version that is searched.
_MAX_CHANGES = 20
_MAX_BYTES = 1 << 20
_MAX_SHOWN = 80


def explain_lost_text(runtime: Runtime, path: WorkspacePath, text: str, session: str) -> str:
    """Return what became of *text*, which the file has no longer; empty where it is not known.

    The latest changes of the file are looked at. *session* is the one that asks.
    """
    if not text.strip():
        return ""
    wanted = text.replace("\r\n", "\n")
    removed: Operation | None = None
    for operation, step in _changes(runtime, path):
        had, has = wanted in _text(runtime, step.before), wanted in _text(runtime, step.after)
        if removed is None and has:
            return ""  # the file had it after its last known change
        if removed is None and had:
            removed = operation
        if removed is not None and has and not had:
            return _tell(removed, operation.id if operation.origin.session == session else "")
    if removed is None:
        return ""
    return _tell(removed, "", is_own=removed.origin.session == session)


def _tell(removed: Operation, made: str, *, is_own: bool = False) -> str:
    """Return a sentence on who took a text out of a file, which change *made* had written."""
    who = "you" if is_own else name_actor(removed.origin)
    verb = "undone" if removed.kind == "undo" else "replaced"
    whose = f"was yours ({made})" if made else "was in the file"
    return f"this text {whose} and was {verb} by {who} at {clock_time(removed.time)} ({removed.id})"


def explain_stale(runtime: Runtime, path: WorkspacePath, version: str, connection: str) -> str:
    """Return how a file differs from *version*, and who changed it last; empty if not known."""
    now = runtime.tree.state(path)
    if not isinstance(now, FileState):
        return "it is not there any more" + _last_change(runtime, path)
    was = _find_version(runtime, path, version, connection)
    if was is None or was == _text(runtime, now):
        return _last_change(runtime, path).lstrip("; ")
    return _first_difference(was, _text(runtime, now)) + _last_change(runtime, path)


def _last_change(runtime: Runtime, path: WorkspacePath) -> str:
    for operation in islice(runtime.history.touching(path, None), 1):
        who, when = name_actor(operation.origin), clock_time(operation.time)
        return f"; last changed by {who} at {when} ({operation.id})"
    return ""


def _find_version(
    runtime: Runtime, path: WorkspacePath, version: str, connection: str
) -> str | None:
    """Return the text of a version that the connection read or that the history has."""
    wanted = version.removeprefix("@").removeprefix("sha256:").lower()[:LENGTH]
    seen = runtime.reads.last_seen(connection, path)
    if seen is not None and seen.content is not None and seen.digest.startswith(wanted):
        return _text(runtime, FileState.of(seen.content))
    for _, step in _changes(runtime, path):
        for state in (step.before, step.after):
            if isinstance(state, FileState) and state.digest.startswith(wanted):
                return _text(runtime, state)
    return None


def _first_difference(was: str, now: str) -> str:
    """Return the first line that differs, before and after."""
    old, new = was.split("\n"), now.split("\n")
    at = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    if at is None:
        at = min(len(old), len(new)) - 1
    shown = [
        shorten(lines[at].strip(), _MAX_SHOWN) if at < len(lines) else "" for lines in (old, new)
    ]
    return f"line {at + 1} was `{shown[0]}` and is `{shown[1]}`"


def _changes(runtime: Runtime, path: WorkspacePath) -> Iterator[tuple[Operation, Change]]:
    """Yield the latest changes of a file, the newest first; contents are not loaded."""
    for operation in islice(runtime.history.touching(path, None), _MAX_CHANGES):
        for step in operation.change_set.steps:
            if isinstance(step, Change) and step.path == path:
                yield operation, step


def _text(runtime: Runtime, state: State) -> str:
    """Return the text of a state; empty where it is no file, too large, or lost."""
    if not isinstance(state, FileState) or state.size > _MAX_BYTES:
        return ""
    try:
        content = runtime.history.load_content(state).content or b""
    except HistoryError:
        return ""
    return open_text(content).text.replace("\r\n", "\n")

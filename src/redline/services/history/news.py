"""What others did to the work of a session: reported once, and when a call fails because of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from redline.core.changes import Change, FileState, State
from redline.core.encodings.opening import open_text
from redline.core.errors import HistoryError
from redline.core.paths import WorkspacePath
from redline.core.ports.history import OUTSIDE, Author, HistoryQuery, Operation, Origin
from redline.core.text_limits import shorten
from redline.services.history.turns import BY_HAND, family_of, is_agents, name_agent
from redline.services.names import display_name, iso_time
from redline.services.runtime import Runtime
from redline.services.versions import LENGTH

_MAX_LINES = 5
_MAX_NAMED = 3
_MAX_DEPTH = 4
_MAX_SESSION = 36


def describe_news(runtime: Runtime, session: str, connection: str) -> str:
    """Return what others did to what *session* made and *connection* saw since the last call.

    Empty where nothing was done; otherwise a few lines at most.
    """
    overlaps = list(_list_overlaps(runtime, session))
    found = runtime.history.take_arrivals(session)
    if not found and not overlaps:
        return ""
    lines = [*_list_undone(runtime, session, found), *_list_changed(runtime, connection, found)]
    lines += overlaps
    more = len(lines) - _MAX_LINES
    if more > 0:
        lines = [*lines[:_MAX_LINES], f"note: {more} more of the kind; changes lists them"]
    return "\n".join(lines)


def is_same_agent(first: Origin, second: Origin) -> bool:
    """Return whether two sessions may be one agent's: its own tools and its calls of Redline's.

    Hooks name a client without a version. What they tell of has the client's session, its calls
    have the connection's, and the client's too where a hook announced them.
    """
    if first.hook_session or second.hook_session:
        names = [each.hook_session or each.session for each in (first, second)]
        return names[0] == names[1]
    if family_of(first.client) != family_of(second.client):
        return False
    return (" " in first.client) != (" " in second.client)


def describe_work_of_others(runtime: Runtime, origin: Origin) -> str:
    """Return what other agents changed in the last minutes, in a few words; empty if nothing."""
    found = [
        each
        for each in runtime.history.recent_of_others(origin.session)
        if is_agents(each.operation.origin) and not is_same_agent(origin, each.operation.origin)
    ]
    if not found:
        return ""
    latest = found[0].operation
    names = _names(runtime, [each.path for each in found if each.operation.id == latest.id])
    return f"{_describe(latest)} changed {names}"


def _list_overlaps(runtime: Runtime, session: str) -> Iterator[str]:
    """Say which files that this session has just changed another session changed recently."""
    by_operation: dict[str, tuple[Operation, list[WorkspacePath]]] = {}
    own: Origin | None = None
    for path, operation in runtime.history.take_overlaps(session):
        own = own or _origin_of(runtime, session)
        if is_agents(operation.origin) and not (own and is_same_agent(own, operation.origin)):
            by_operation.setdefault(operation.id, (operation, []))[1].append(path)
    for operation, paths in by_operation.values():
        when = clock_time(operation.time)
        yield (
            f"note: {_describe(operation)} is at work in {_names(runtime, paths)}, too: last at"
            f" {when} ({operation.id}); read before you edit there again"
        )


def _origin_of(runtime: Runtime, session: str) -> Origin | None:
    found = runtime.history.list(HistoryQuery(limit=1, steps=0, by=Author(session=session)))
    return found[0].origin if found else None


def _describe(operation: Operation) -> str:
    origin = operation.origin
    return f"{name_agent(origin.client)} (session {origin.session[:_MAX_SESSION]})"


def name_actor(origin: Origin) -> str:
    """Return who made a change, in words for an agent."""
    if origin.client in BY_HAND:
        return origin.principal or "a person"
    if origin.tool == OUTSIDE:
        return "another program"
    return origin.who or "another client"


def clock_time(moment: float) -> str:
    """Return the time of day in UTC, to the minute."""
    return f"{iso_time(moment)[11:16]}Z"


def _list_undone(runtime: Runtime, session: str, found: Sequence[Operation]) -> Iterator[str]:
    """Say which changes of the session were undone, in whole or in part, or done again."""
    said: dict[str, str] = {}
    for operation in found:
        if operation.kind not in ("undo", "redo"):
            continue
        for made, is_part in _own_changes(runtime, session, operation):
            if operation.kind == "redo" and made in said:
                del said[made]  # undone and done again since the last call
                continue
            verb = "undid" if operation.kind == "undo" else "redid"
            what = "a part of your change" if is_part else "your change"
            names = _names(runtime, operation.change_set.paths)
            who, when = name_actor(operation.origin), clock_time(operation.time)
            said[made] = f"note: {who} {verb} {what} {made} ({names}) at {when}"
    yield from said.values()


def _own_changes(
    runtime: Runtime, session: str, operation: Operation, depth: int = 0
) -> Iterator[tuple[str, bool]]:
    """Yield the changes of *session* that an undo or redo is about, and whether of a part."""
    for token in (operation.reverts or "").split(","):
        name = token.strip("+~")
        if not name:
            continue
        try:
            reverted = runtime.history.get(name, steps=0)
        except HistoryError:
            continue  # pruned
        if reverted.kind in ("undo", "redo") and reverted.reverts:
            if depth < _MAX_DEPTH:
                yield from _own_changes(runtime, session, reverted, depth + 1)
        elif reverted.origin.session == session:
            yield name, token.endswith("~")


def _list_changed(runtime: Runtime, connection: str, found: Sequence[Operation]) -> Iterator[str]:
    """Say which files that the connection saw or edited are not what they were, and by whom."""
    latest: dict[WorkspacePath, tuple[Operation, Change]] = {}
    for operation in found:
        for step in operation.change_set.steps if operation.kind == "change" else ():
            if isinstance(step, Change):
                latest[step.path] = operation, step
    by_operation: dict[str, tuple[Operation, list[WorkspacePath]]] = {}
    for path, (operation, step) in latest.items():
        if _is_new_to(runtime, connection, step):
            by_operation.setdefault(operation.id, (operation, []))[1].append(path)
    for operation, paths in by_operation.values():
        who, when = name_actor(operation.origin), clock_time(operation.time)
        names = _names(runtime, paths)
        yield f"note: {who} changed {names} at {when} ({operation.id}); read before you edit"


def _is_new_to(runtime: Runtime, connection: str, step: Change) -> bool:
    """Return whether the connection knows the file, and not as *step* leaves it."""
    reads = runtime.reads
    seen, made = reads.last_seen(connection, step.path), reads.last_change(connection, step.path)
    known = {seen.digest if seen else "", made[1] if made else ""} - {""}
    return bool(known) and not (isinstance(step.after, FileState) and step.after.digest in known)


def _names(runtime: Runtime, paths: Sequence[WorkspacePath]) -> str:
    shown = ", ".join(display_name(runtime.workspace, path) for path in paths[:_MAX_NAMED])
    more = len(paths) - _MAX_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


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

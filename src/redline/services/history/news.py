"""What others did to the work of a session, reported once, with the next answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redline.core.changes import Change, FileState
from redline.core.errors import HistoryError
from redline.core.paths import WorkspacePath
from redline.core.ports.history import OUTSIDE, Author, HistoryQuery, Operation, Origin
from redline.services.history.turns import BY_HAND, family_of, is_agents, name_agent
from redline.services.names import display_name, iso_time
from redline.services.runtime import Runtime

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
    """Whether two sessions may be one agent's: its own tools and its calls of Redline's.

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
    """Say which files that the session has just changed another one changed lately, too."""
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
    """Whether the connection knows the file, and not as *step* leaves it."""
    reads = runtime.reads
    seen, made = reads.last_seen(connection, step.path), reads.last_change(connection, step.path)
    known = {seen.digest if seen else "", made[1] if made else ""} - {""}
    return bool(known) and not (isinstance(step.after, FileState) and step.after.digest in known)


def _names(runtime: Runtime, paths: Sequence[WorkspacePath]) -> str:
    shown = ", ".join(display_name(runtime.workspace, path) for path in paths[:_MAX_NAMED])
    more = len(paths) - _MAX_NAMED
    return f"{shown} and {more} more" if more > 0 else shown

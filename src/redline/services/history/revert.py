"""Undo, redo and rewind: by operation, by part, by session, by point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from redline.core.errors import InvalidArgument, NothingToUndo, RightMissing
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.history import Author, Direction, History, Operation, Origin, Revert
from redline.core.records import dataclass
from redline.core.wording import naming
from redline.services.history.references import find_operation, find_point
from redline.services.history.turns import changes_of, find_turn, list_turns, names_prompt
from redline.services.runtime import Runtime

CURRENT = "current"
_WAYS = ("id", "session", "turn", "since", "to")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller wants to take back or do again, in its own words.

    Of `id`, `session`, `turn`, `since` and `to` at most one is given; without any it is the latest
    change of `own`. `since` takes back the operation it names too, `to` keeps it. Both take back
    only what `by` matches and, where they name a prompt, only what its session did. `turn` is a
    prompt too, but later turns stay. With `only_of`, changes of other principals are refused.
    """

    direction: Direction
    own: Author | None = None
    id: str | None = None
    paths: Sequence[str] = ()
    hunks: Sequence[int] = ()
    session: str | None = None
    turn: str | None = None
    since: str | None = None
    to: str | None = None
    by: Author | None = None
    only_of: str | None = None

    @classmethod
    def read(
        cls, direction: Direction, own: Author, only_of: str | None, given: Mapping[str, Any]
    ) -> Wish:
        """Return what the arguments of a call ask for; it takes back what is its *own*."""
        return cls(
            direction,
            own,
            id=given.get("id"),
            paths=tuple(given.get("paths", ())),
            hunks=tuple(given.get("hunks", ())),
            session=given.get("session"),
            since=given.get("since"),
            to=given.get("to"),
            by=own,
            only_of=only_of,
        )

    @property
    def summary(self) -> str:
        """Say in a few words what is wanted, for the journal."""
        for name in ("session", "turn", "since", "to"):
            value = getattr(self, name)
            if value is not None:
                return f"{self.direction} {name} {value}"
        return f"{self.direction} {self.id or 'latest'}"


def plan_revert(runtime: Runtime, wish: Wish) -> Operation:
    """Return what `revert` would do, after the same checks; its id is ""."""
    return runtime.editor.plan_revert(_request(runtime, wish))


def revert(runtime: Runtime, wish: Wish, origin: Origin) -> Operation:
    """Take back or do again what is wished as one operation: all of it or nothing."""
    return runtime.editor.revert(_request(runtime, wish), origin)


def create_checkpoint(runtime: Runtime, name: str, origin: Origin) -> Operation:
    """Journal a point to go back to; the origin's summary becomes its name."""
    check_checkpoint_name(name)
    return runtime.editor.note_checkpoint(origin)


def check_checkpoint_name(name: str) -> None:
    """Refuse a name that a checkpoint cannot have."""
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise InvalidArgument(
            "A checkpoint has a name of 1 to 100 printable characters", field="name"
        )


def _request(runtime: Runtime, wish: Wish) -> Revert:
    given = [name for name in _WAYS if getattr(wish, name) is not None]
    if len(given) > 1:
        raise InvalidArgument(f"Pass only one of these: {', '.join(given)}", field=given[1])
    if (wish.paths or wish.hunks) and given not in ([], ["id"]):
        raise InvalidArgument("Parts are taken of one change: pass its id", field=given[0])
    if given and given != ["id"]:
        ids = _ids_of_group(runtime, wish)
        check_owner(runtime, ids, wish.only_of)
        return Revert(Direction.REWIND, ids)
    ids = () if wish.id is None else (find_operation(runtime.history, wish.id),)
    check_owner(runtime, ids, wish.only_of)
    return Revert(
        wish.direction,
        ids,
        wish.own,
        tuple(_place(runtime, path) for path in wish.paths),
        frozenset(wish.hunks),
    )


def check_owner(runtime: Runtime, ids: Sequence[str], principal: str | None) -> None:
    """Refuse changes of other principals; RightMissing."""
    if principal is None:
        return
    for operation in ids:
        made_by = runtime.history.get(operation, steps=0).origin.principal
        if made_by != principal:
            raise RightMissing(
                f"{operation} is a change of {made_by or 'another program'},"
                f" and {principal} does not have the right to undo-others",
                hint=naming("{list_changes} with principal shows your own"),
            )


def _ids_of_group(runtime: Runtime, wish: Wish) -> tuple[str, ...]:
    history = runtime.history
    if wish.session is not None:
        by = wish.own if wish.session == CURRENT else Author(session=wish.session)
        own = {*history.changed_since(None, by), *_made_by_connections(history, wish.session)}
        found = tuple(root for root in history.changed_since(None, None) if root in own)
        nothing = f"No change of this session is left to take back: {wish.session}"
    elif names_prompt(name := wish.turn or wish.since or wish.to or ""):
        turn, later = find_turn(history, name, wish.by)
        found = changes_of(history, turn, later if wish.turn is None else ())
        nothing = f"Nothing of this prompt is left to take back: {name}"
    elif wish.turn is not None:
        raise InvalidArgument(f"Not a prompt, such as @prompt-2: {wish.turn}", field="turn")
    else:
        point = find_point(history, name, inclusive=wish.since is not None)
        found = tuple(history.changed_since(point.last, wish.by))
        nothing = f"Nothing to take back has changed since then: {name}"
    if not found:
        raise NothingToUndo(nothing, hint=naming("{list_changes} lists the ids and sessions"))
    return found


def _made_by_connections(history: History, session: str) -> Iterator[str]:
    """Yield what the connections of a client's session did for its prompts."""
    turns = [turn for turn in list_turns(history) if turn.session == session]
    if turns:
        yield from changes_of(history, turns[0], turns[1:])


def _place(runtime: Runtime, path: str) -> WorkspacePath:
    return runtime.workspace.resolve(path, Access.READ, follow=False)

"""Turns of sessions: the changes of an agent for one prompt or, without hooks, between pauses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from redline.core.errors import NothingToUndo
from redline.core.late_regex import late_regex
from redline.core.ports.history import (
    OUTSIDE,
    PROMPT,
    SILENT_KINDS,
    Author,
    History,
    HistoryQuery,
    Operation,
    Origin,
)
from redline.core.records import dataclass, field

# The clients through which a person acts.
BY_HAND = ("review page", "review", "command line")
# Product names by the first word of the client's name, as hooks and connections report it.
AGENTS = {
    "claude": "Claude Code",
    "codex": "Codex",
    "cursor": "Cursor",
    "gemini": "Gemini",
}
# Without prompts, a longer pause between two changes, in seconds, begins another turn.
PAUSE = 300.0
_MAX_READ = 4000
_TURN = late_regex(r"@(prompt|turn)(?:-(\d{1,4}))?")


@dataclass(slots=True)
class Turn:
    """One turn: its operations, the oldest first, and what opened it.

    `prompt` is the record of the prompt that opened it, None where a pause did. `session` is the
    client's session, or the connection where hooks named none.
    """

    session: str
    client: str
    time: float
    prompt: Operation | None = None
    operations: list[Operation] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The first words of the prompt; empty where a pause opened the turn."""
        return self.prompt.origin.summary if self.prompt else ""

    @property
    def end(self) -> float:
        """When the last change of it was made."""
        return self.operations[-1].time if self.operations else self.time

    @property
    def opener(self) -> str:
        """The operation that the turn begins with."""
        return self.prompt.id if self.prompt else self.operations[0].id


def name_actor(origin: Origin) -> str:
    """Return who made a change, for people: You, a reviewer, an agent, or Other programs."""
    if origin.client in BY_HAND or (origin.client == "library" and not origin.session):
        return "You" if origin.client == "command line" else origin.principal or "You"
    if origin.tool == OUTSIDE or not origin.client:
        return "Other programs"
    return name_agent(origin.client)


def name_agent(client: str) -> str:
    """Return the product name of an agent's client, or its own name."""
    return AGENTS.get(family_of(client), client)


def family_of(client: str) -> str:
    """Return the first word of a client's name: hooks and connections name one differently."""
    return re.split(r"[\s\-_/]", client.lower(), maxsplit=1)[0]


def is_agents(origin: Origin) -> bool:
    """Return whether an agent made a change, not a person by hand or another program."""
    return bool(origin.session) and origin.client not in BY_HAND and origin.tool != OUTSIDE


def group_turns(operations: Iterable[Operation]) -> list[Turn]:
    """Group *operations*, oldest first, into turns, the newest turn last.

    A call belongs to the session whose hook announced it; without that, to its connection.
    """
    turns: list[Turn] = []
    current: dict[str, Turn] = {}
    for operation in operations:
        origin = operation.origin
        if operation.kind == PROMPT:
            turn = Turn(origin.session, origin.client, operation.time, operation)
        elif operation.kind in SILENT_KINDS or not is_agents(origin):
            continue
        else:
            session = origin.hook_session or origin.session
            known = current.get(session)
            if known is not None and (known.prompt or operation.time - known.end <= PAUSE):
                known.operations.append(operation)
                continue
            turn = Turn(session, origin.client, operation.time, None, [operation])
        turns.append(turn)
        current[turn.session] = turn
    return turns


def list_turns(history: History, most: int = _MAX_READ, *, steps: int | None = 0) -> list[Turn]:
    """Return the turns of the latest *most* operations, the newest turn last."""
    found = history.list(HistoryQuery(limit=most, steps=steps, prompts=True))
    return group_turns(reversed(found))


def turns_of(turns: Sequence[Turn], by: Author | None) -> list[Turn]:
    """Return the turns of the sessions with an operation that *by* matches; None matches all."""
    if by is None:
        return list(turns)
    sessions = {
        turn.session
        for turn in turns
        for operation in (*turn.operations, *([turn.prompt] if turn.prompt else []))
        if by.matches(operation.origin)
    }
    return [turn for turn in turns if turn.session in sessions]


def names_prompt(text: str) -> bool:
    """Return whether *text* names a turn: `@prompt-2` is the second prompt before the latest.

    `@turn` also counts turns that a pause opened.
    """
    return _TURN.fullmatch(text) is not None


def find_turn(history: History, text: str, by: Author | None = None) -> tuple[Turn, list[Turn]]:
    """Return the turn that *text* names and the later ones of its session; NothingToUndo."""
    turns = turns_of(list_turns(history), by)
    found = _TURN.fullmatch(text)
    kind, back = (found[1], int(found[2] or 0)) if found else ("", 0)
    named = [turn for turn in turns if turn.prompt or kind == "turn"]
    if back >= len(named):
        raise NothingToUndo(
            f"The history does not go back so many {kind}s: {text}",
            hint="`redline rewind` lists them; without hooks of the client there are no prompts,"
            " and @turn is the latest turn that a pause opened",
        )
    turn = named[-1 - back]
    after = turns.index(turn) + 1
    return turn, [later for later in turns[after:] if later.session == turn.session]


def before_turn(history: History, turn: Turn) -> str | None:
    """Return the operation after which a turn's changes begin; None at the start of the history."""
    if turn.prompt:
        return turn.prompt.id
    older = history.list(HistoryQuery(before_id=turn.opener, limit=1, steps=0))
    return older[0].id if older else None


def changes_of(history: History, turn: Turn, later: Sequence[Turn]) -> tuple[str, ...]:
    """Return the changes to undo, newest first, for a turn and *later* ones of its session.

    They include older changes that the agent undid in these turns, but not the work of others.
    """
    start = before_turn(history, turn)
    own = {operation.id for each in (turn, *later) for operation in each.operations}
    undone = {
        token.strip("+~")
        for each in (turn, *later)
        for operation in each.operations
        for token in (operation.reverts or "").split(",")
    }
    return tuple(root for root in history.changed_since(start, None) if root in own | undone)

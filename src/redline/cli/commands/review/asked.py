"""What a command asks a person, as `redline held` shows it."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

from redline.cli.commands.history.view import print_long, when
from redline.cli.terminal import one_line, out, paint
from redline.core.errors import UnknownHeld
from redline.core.ports.review import HeldChange, HeldState, PermissionQuestion
from redline.services.review.held import list_held
from redline.services.review.questions import list_questions
from redline.wiring.workspace import Redline

STYLES = {
    HeldState.WAITING: "yellow",
    HeldState.APPROVED: "green",
    HeldState.REFUSED: "red",
    HeldState.EXPIRED: "dim",
}


def find_waiting(redline: Redline, ident: str) -> HeldChange | PermissionQuestion:
    """Return the held change or the question whose id starts with *ident*; UnknownHeld."""
    every: list[HeldChange | PermissionQuestion] = []
    every += list_held(redline, decided=True)
    every += list_questions(redline, decided=True)
    found = [each for each in every if each.id.startswith(ident)]
    if len(found) != 1:
        several = f": it could be {', '.join(each.id for each in found)}" if found else ""
        raise UnknownHeld(
            f"Nothing that waits has this id: {ident}{several}",
            hint="redline held lists what waits",
        )
    return found[0]


def first_line(question: PermissionQuestion) -> str:
    """Return a question on one line: what would run, without the lines below it."""
    asked, _, described = question.message.partition("\n")
    return one_line(described.partition("\n")[0] or asked)


def question_text(question: PermissionQuestion) -> str:
    """Return who asks, and all of what is asked."""
    who = f"{one_line(question.client)} {one_line(question.principal)}".strip()
    return f"wanted by  {who}, tool {one_line(question.tool)}\n{question.message}"


def print_question(question: PermissionQuestion, as_json: bool) -> None:
    """Print one question."""
    if as_json:
        out(json.dumps(question_wire(question)))
        return
    state = question.state(time.time())
    lines = [
        f"{paint(question.id, 'yellow', 'bold')}  {paint(state.value, STYLES[state])}",
        f"asked      {when(question.time)}",
        f"expires    {when(question.expires)}",
    ]
    if question.decision is not None:
        by, reason = one_line(question.decision.by), one_line(question.decision.reason)
        lines.append(f"decided by {by}, {when(question.decision.time)} {reason}")
    print_long([*lines, *question_text(question).split("\n")])


def question_wire(question: PermissionQuestion) -> dict[str, Any]:
    """Return a question as JSON has it."""
    return {
        **common_wire("command", question),
        "tool": question.tool,
        "client": question.client,
        "principal": question.principal,
        "session": question.session,
        "message": question.message,
    }


def common_wire(kind: str, waiting: HeldChange | PermissionQuestion) -> dict[str, Any]:
    """Return what changes and questions have in common."""
    decision = waiting.decision
    return {
        "id": waiting.id,
        "kind": kind,
        "state": waiting.state(time.time()).value,
        "time": _iso(waiting.time),
        "expires": _iso(waiting.expires),
        "decided_by": decision.by if decision else None,
        "reason": decision.reason if decision else None,
    }


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()

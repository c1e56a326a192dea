"""Questions to the person: sent at once where the transport can, else by a sealed retry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redline.server.rpc.messages import StateRefused
from redline.toolsets.call import Answer, Question
from redline.toolsets.tool import Json

if TYPE_CHECKING:
    from redline.server.calls.dispatch import Context
    from redline.server.calls.elicitation.sealed_states import SealedStates

Asker = Callable[[Question], Answer]
_PIECE = 1 << 16


class NeedsAnswer(BaseException):
    """Ends a call of the stateless era that must run again with an answer.

    Not an Exception, so that no handler catches it.
    """

    def __init__(
        self, question: Question, binding: bytes, answers: Json, states: SealedStates
    ) -> None:
        super().__init__(question.key)
        self._question = question
        self._binding = binding
        self._answers = answers
        self._states = states

    def input_request(self) -> Json:
        """Build the result that asks the client to call again with the person's answer."""
        key = self._question.key
        # Answers given so far travel sealed in the state, so several questions can follow.
        state = self._states.seal(self._binding, self._answers, key)
        return {
            "resultType": "input_required",
            "inputRequests": {key: elicitation(self._question)},
            "requestState": state,
        }


def asker_for(
    params: Json,
    tool: str,
    arguments: Json,
    context: Context,
    states: SealedStates,
    workspace: str = "",
) -> Asker | None:
    """Return how this call can ask the person; None when its client cannot show a question.

    *workspace* names the one of many that the call is for.
    """
    if not can_elicit(context.client.capabilities):
        return None
    if not context.client.is_modern:
        return context.asker
    principal = context.client.principal
    binding = bind([tool, arguments, principal, workspace])
    answers = _read_answers(params, binding, principal, states)

    def look_up(question: Question) -> Answer:
        found = answers.get(question.key)
        if found is None:
            raise NeedsAnswer(question, binding, answers, states)
        return read_answer(found)

    return look_up


def can_elicit(capabilities: Any) -> bool:
    """Return whether the client can show forms; an empty elicitation object means it can."""
    declared = capabilities.get("elicitation")
    return isinstance(declared, dict) and (not declared or "form" in declared)


def elicitation(question: Question) -> Json:
    """Return the elicitation request, which is the same in both eras."""
    return {
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": question.message,
            "requestedSchema": question.schema,
        },
    }


def read_answer(found: Any) -> Answer:
    """Read what the person did from the client's answer; anything unclear is a cancel."""
    if not isinstance(found, dict) or found.get("action") not in ("accept", "decline", "cancel"):
        return Answer("cancel")
    content = found.get("content")
    return Answer(found["action"], content if isinstance(content, dict) else {})


def _read_answers(params: Json, binding: bytes, principal: str, states: SealedStates) -> Json:
    state, given = params.get("requestState"), params.get("inputResponses")
    if state is None:
        return {}
    if not isinstance(state, str):
        raise StateRefused
    if not isinstance(given, dict):
        return {}
    asked, before = states.open(binding, state, principal)
    return {**before, asked: given[asked]} if asked in given else before


def bind(values: Any) -> bytes:
    """Return a digest that equal JSON values have, and no others; long texts are not copied.

    Each value is preceded by its kind and length, so that none can be taken for two.
    """
    import hashlib
    import json

    digest = hashlib.sha256()
    rest = [values]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            digest.update(b"text %d:" % len(value))
            for start in range(0, len(value), _PIECE):
                digest.update(value[start : start + _PIECE].encode("utf-8", "surrogatepass"))
        elif isinstance(value, dict):
            digest.update(b"object %d:" % len(value))
            for key in sorted(value):
                rest += (value[key], key)
        elif isinstance(value, list):
            digest.update(b"list %d:" % len(value))
            rest += value
        else:
            digest.update(b"other %s;" % json.dumps(value).encode())
    return digest.digest()

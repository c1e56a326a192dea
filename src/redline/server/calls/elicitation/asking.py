"""Questions to the person: sent at once where the transport can, else by a sealed retry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redline.server.calls.elicitation.used_states import UsedStates
from redline.server.rpc.cancel import StateRefused
from redline.toolsets.call import Answer, Question
from redline.toolsets.tool import Json

if TYPE_CHECKING:
    from redline.server.calls.dispatch import Context

Asker = Callable[[Question], Answer]
_LIFETIME = 600.0


class NeedsAnswer(BaseException):
    """Ends a call of the stateless era that must run again with an answer.

    Not an Exception, so that no handler catches it.
    """

    def __init__(self, question: Question, binding: bytes, answers: Json) -> None:
        super().__init__(question.key)
        self._question = question
        self._binding = binding
        self._answers = answers

    def input_request(self) -> Json:
        """Build the result that asks the client to call again with the person's answer."""
        key = self._question.key
        # Answers given so far travel sealed in the state, so several questions can follow.
        state = _seal(self._binding, self._answers, key)
        return {
            "resultType": "input_required",
            "inputRequests": {key: elicitation(self._question)},
            "requestState": state,
        }


def asker_for(
    params: Json, tool: str, arguments: Json, context: Context, workspace: str = ""
) -> Asker | None:
    """Return how this call can ask the person; None when its client cannot show a question.

    *workspace* names the one of many that the call is for.
    """
    if not can_elicit(context.client.capabilities):
        return None
    if not context.client.is_modern:
        return context.asker
    principal = context.client.principal
    binding = _bind(tool, arguments, principal, workspace)
    answers = _read_answers(params, binding, principal)

    def look_up(question: Question) -> Answer:
        found = answers.get(question.key)
        if found is None:
            raise NeedsAnswer(question, binding, answers)
        return read_answer(found)

    return look_up


def can_elicit(capabilities: Any) -> bool:
    """Whether the client can show forms; an empty elicitation object means it can."""
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


def _read_answers(params: Json, binding: bytes, principal: str) -> Json:
    state, given = params.get("requestState"), params.get("inputResponses")
    if state is None:
        return {}
    if not isinstance(state, str):
        raise StateRefused
    if not isinstance(given, dict):
        return {}
    asked, before = _open(binding, state, principal)
    return {**before, asked: given[asked]} if asked in given else before


_secret: list[bytes] = []
_used = UsedStates()


def _key() -> bytes:
    if not _secret:
        import secrets

        _secret.append(secrets.token_bytes(32))
    return _secret[0]


def _bind(tool: str, arguments: Json, principal: str, workspace: str) -> bytes:
    import hashlib
    import json

    text = json.dumps([tool, arguments, principal, workspace], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _seal(binding: bytes, answers: Json, asked: str) -> str:
    # The client holds this and could change it: it is authenticated, bound to the call and to the
    # principal, and valid once, for ten minutes.
    import base64
    import json
    import secrets
    import time

    body = json.dumps([asked, answers, time.time() + _LIFETIME, secrets.token_hex(8)]).encode()
    return base64.urlsafe_b64encode(_tag(binding, body) + body).decode()


def _open(binding: bytes, state: str, principal: str) -> tuple[str, Json]:
    import base64
    import hmac
    import json
    import time

    try:
        sealed = base64.urlsafe_b64decode(state.encode())
    except ValueError:
        raise StateRefused from None
    if base64.urlsafe_b64encode(sealed).decode() != state:
        raise StateRefused  # other base64 text for the same bytes is an altered state too
    if not hmac.compare_digest(sealed[:32], _tag(binding, sealed[32:])):
        raise StateRefused
    asked, answers, expires, nonce = json.loads(sealed[32:])
    if not _used.take(principal, nonce, expires, time.time()):
        raise StateRefused
    return asked, answers


def _tag(binding: bytes, body: bytes) -> bytes:
    import hashlib
    import hmac

    return hmac.new(_key(), binding + body, hashlib.sha256).digest()

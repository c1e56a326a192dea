"""Asking the person at the client: at once where a request can be sent, else by a sealed retry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redline.server.calls.elicitation.used_states import Spent
from redline.server.rpc.cancel import StateRefused
from redline.toolsets.tool import Answer, Json, Question, Result

if TYPE_CHECKING:
    from redline.server.calls.dispatch import Context

_LIFETIME = 600.0


class _NeedsAnswer(BaseException):
    """Leaves a handler that must be run again; not an Exception, so no handler swallows it."""

    def __init__(self, question: Question) -> None:
        super().__init__(question.key)
        self.question = question


class Asking:
    """How one call may ask: `ask` for the handler, `run` around it."""

    __slots__ = ("ask",)

    def __init__(self, ask: Callable[[Question], Answer] | None) -> None:
        self.ask = ask

    def run(self, handler: Callable[[], Result]) -> Result | Json:
        """Run the handler; on a stateless connection a question ends the call."""
        return handler()


class _Stateless(Asking):
    __slots__ = ("_answers", "_binding")

    def __init__(self, binding: bytes, answers: Json) -> None:
        super().__init__(self._lookup)
        self._binding = binding
        self._answers = answers

    def _lookup(self, question: Question) -> Answer:
        found = self._answers.get(question.key)
        if found is None:
            raise _NeedsAnswer(question)
        return read_answer(found)

    def run(self, handler: Callable[[], Result]) -> Result | Json:
        try:
            return handler()
        except _NeedsAnswer as needed:
            question = needed.question
            # Answers given so far travel sealed in the state, so several questions can follow.
            state = _seal(self._binding, self._answers, question.key)
            return {
                "resultType": "input_required",
                "inputRequests": {question.key: elicitation(question)},
                "requestState": state,
            }


def asker_for(params: Json, tool: str, arguments: Json, context: Context) -> Asking:
    """The way this call can ask, from what its client said it can do."""
    if not can_elicit(context.client.capabilities):
        return Asking(None)
    if not context.client.is_modern:
        return Asking(context.asker)
    principal = context.client.principal
    binding = _bind(tool, arguments, principal)
    return _Stateless(binding, _answers(params, binding, principal))


def can_elicit(capabilities: Any) -> bool:
    """Whether the client shows forms; an empty elicitation object means forms."""
    declared = capabilities.get("elicitation")
    return isinstance(declared, dict) and (not declared or "form" in declared)


def elicitation(question: Question) -> Json:
    """The elicitation request, as both eras spell it."""
    return {
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": question.message,
            "requestedSchema": question.schema,
        },
    }


def read_answer(found: Any) -> Answer:
    """What the client says the person did; anything unclear is a cancel."""
    if not isinstance(found, dict) or found.get("action") not in ("accept", "decline", "cancel"):
        return Answer("cancel")
    content = found.get("content")
    return Answer(found["action"], content if isinstance(content, dict) else {})


def _answers(params: Json, binding: bytes, principal: str) -> Json:
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
_spent = Spent()


def _key() -> bytes:
    if not _secret:
        import secrets

        _secret.append(secrets.token_bytes(32))
    return _secret[0]


def _bind(tool: str, arguments: Json, principal: str) -> bytes:
    import hashlib
    import json

    text = json.dumps([tool, arguments, principal], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _seal(binding: bytes, answers: Json, asked: str) -> str:
    # The client holds this and may change it: it is authentic, bound to the call and to the
    # principal, and good once, for ten minutes.
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
        raise StateRefused  # another spelling of the same bytes is an altered state too
    if not hmac.compare_digest(sealed[:32], _tag(binding, sealed[32:])):
        raise StateRefused
    asked, answers, expires, nonce = json.loads(sealed[32:])
    if not _spent.take(principal, nonce, expires, time.time()):
        raise StateRefused
    return asked, answers


def _tag(binding: bytes, body: bytes) -> bytes:
    import hashlib
    import hmac

    return hmac.new(_key(), binding + body, hashlib.sha256).digest()

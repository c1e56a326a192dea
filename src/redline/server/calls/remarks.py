"""What a person has to say to the session of a client, added to its next answer; each once."""

from __future__ import annotations

from redline.core.errors import RedlineError
from redline.server.observe.log import warn
from redline.services.runtime import Runtime
from redline.toolsets.call import session_of
from redline.toolsets.tool import Client, Json


def add_remarks(answer: Json, runtime: Runtime, client: Client) -> Json:
    """Return *answer* with new decisions about held changes and comments on lines, if any."""
    session = session_of(client)
    blocks = []
    for describe in (_decisions, _answers, _comments):
        try:
            text = describe(runtime, session)
        except RedlineError as failure:
            # The call itself is done.
            warn(f"what a person said about changes cannot be read: {failure.message}")
            continue
        if text:
            blocks.append({"type": "text", "text": text})
    return {**answer, "content": [*answer.get("content", ()), *blocks]} if blocks else answer


def _decisions(runtime: Runtime, session: str) -> str:
    found = runtime.held.take_decisions(session)
    if not found:
        return ""
    from redline.toolsets.consent import describe_decision

    return "\n".join(describe_decision(held) for held in found)


def _answers(runtime: Runtime, session: str) -> str:
    found = runtime.questions.take_decisions(session)
    if not found:
        return ""
    from redline.toolsets.permission import describe_answer

    return "\n".join(describe_answer(question) for question in found)


def _comments(runtime: Runtime, session: str) -> str:
    found = runtime.comments.take_undelivered(session)
    if not found:
        return ""
    from redline.services.comments import announce_comments

    return announce_comments(found)

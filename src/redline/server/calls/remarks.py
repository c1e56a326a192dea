"""What a person has to say to the session of a client, added to its next answer; each once."""

from __future__ import annotations

from redline.core.errors import RedlineError
from redline.server.observe.log import warn
from redline.services.runtime import Runtime
from redline.toolsets.call import session_of
from redline.toolsets.tool import Client, Json


def add_remarks(answer: Json, runtime: Runtime, client: Client, *, with_news: bool) -> Json:
    """Return *answer* with new decisions about held changes and comments on lines, if any.

    *with_news* adds what others did to the session's changes and to the files that it knows.
    """
    blocks = []
    for describe in (_decisions, _answers, _comments, _news)[: 4 if with_news else 3]:
        try:
            text = describe(runtime, client)
        except RedlineError as failure:
            # The call itself is done.
            warn(f"what a person said about changes cannot be read: {failure.message}")
            continue
        if text:
            blocks.append({"type": "text", "text": text})
    return {**answer, "content": [*answer.get("content", ()), *blocks]} if blocks else answer


def _decisions(runtime: Runtime, client: Client) -> str:
    found = runtime.held.take_decisions(session_of(client))
    if not found:
        return ""
    from redline.toolsets.consent import describe_decision

    return "\n".join(describe_decision(held) for held in found)


def _answers(runtime: Runtime, client: Client) -> str:
    found = runtime.questions.take_decisions(session_of(client))
    if not found:
        return ""
    from redline.toolsets.permission import describe_answer

    return "\n".join(describe_answer(question) for question in found)


def _comments(runtime: Runtime, client: Client) -> str:
    found = runtime.comments.take_undelivered(session_of(client))
    if not found:
        return ""
    from redline.services.comments import announce_comments

    return announce_comments(found)


def _news(runtime: Runtime, client: Client) -> str:
    from redline.services.history.news import describe_news

    return describe_news(runtime, session_of(client), client.connection)

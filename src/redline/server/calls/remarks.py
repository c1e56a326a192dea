"""What a person has to say to the session of a client, added to its next answer; each once."""

from __future__ import annotations

from collections.abc import Iterator

from redline.services.runtime import Runtime
from redline.toolsets.call import session_of
from redline.toolsets.tool import Client, Json


def add_remarks(answer: Json, runtime: Runtime, client: Client) -> Json:
    """Return *answer* with decisions about held changes and comments on lines, if there are new."""
    blocks = [{"type": "text", "text": text} for text in _remarks(runtime, session_of(client))]
    return {**answer, "content": [*answer.get("content", ()), *blocks]} if blocks else answer


def _remarks(runtime: Runtime, session: str) -> Iterator[str]:
    decided = runtime.held.take_decisions(session)
    if decided:
        from redline.toolsets.consent import describe_decision

        yield "\n".join(describe_decision(held) for held in decided)
    comments = runtime.comments.take_undelivered(session)
    if comments:
        from redline.services.comments import announce_comments

        yield announce_comments(comments)

"""The prompts and resources about changes, as values: `change_records` has their handlers.

The page ui://redline/review is where clients that show pages show changes. It approves nothing: a
server cannot tell whether a person or an agent answers from a client.
"""

from __future__ import annotations

from redline.toolsets.tool import APP_TYPE, Prompt, PromptArgument, Resource

_RECORDS = "redline.toolsets.change_records"
_SINCE = PromptArgument("since", "An id, a checkpoint, an ISO time or a duration such as 2h.")
_COMPLETE_ID = f"{_RECORDS}:complete_id"
REVIEW_APP = Resource(
    uri="ui://redline/review",
    name="review",
    title="A change to review",
    description="A change as hunks that the person can take back.",
    mime_type=APP_TYPE,
    handler=f"{_RECORDS}:read_page",
    ttl_ms=3_600_000,
    meta={"ui": {"prefersBorder": True}},
)


def prompts_for(lists: str, undoes: str) -> tuple[Prompt, ...]:
    """Return the prompts, for a toolset whose tools *lists* and *undoes* do what they ask for."""
    return (
        Prompt(
            name="what_changed",
            title="What changed?",
            description="What changed in this workspace, by whom and to what end.",
            handler=f"{_RECORDS}:what_changed",
            arguments=(_SINCE,),
            tools=(lists,),
        ),
        Prompt(
            name="undo",
            title="Undo a change",
            description="Take a change back: the latest, or the one with this id.",
            handler=f"{_RECORDS}:undo",
            arguments=(
                PromptArgument("id", "The id of a change, or its start.", completer=_COMPLETE_ID),
            ),
            tools=(undoes,),
        ),
        Prompt(
            name="review",
            title="Review changes",
            description="Look for mistakes in the recent changes.",
            handler=f"{_RECORDS}:review",
            arguments=(_SINCE,),
            tools=(lists,),
        ),
    )


def resources_for(lists: str) -> tuple[Resource, ...]:
    """Return the resources, for a toolset whose tool *lists* shows as much."""
    return (
        Resource(
            uri="redline://changes",
            name="changes",
            title="Recent changes",
            description="The recent changes of this workspace, newest first, one line each.",
            mime_type="text/plain",
            handler=f"{_RECORDS}:read_changes",
            tools=(lists,),
        ),
        Resource(
            uri="redline://changes/{id}",
            name="change",
            title="A change",
            description="One change of this workspace with its diff.",
            mime_type="text/x-diff",
            handler=f"{_RECORDS}:read_change",
            lister=f"{_RECORDS}:list_recent",
            completer=_COMPLETE_ID,
            tools=(lists,),
        ),
        REVIEW_APP,
    )

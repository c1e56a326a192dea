"""The page ui://redline/review, in which clients that show pages show changes.

It approves nothing: a server cannot tell whether a person or an agent answers from a client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from redline.toolsets.tool import APP_TYPE, Json, Resource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redline.core.ports.history import Operation
    from redline.toolsets.call import Call, Result

REVIEW_APP = Resource(
    uri="ui://redline/review",
    name="review",
    title="A change to review",
    description="A change as hunks that the person can take back.",
    mime_type=APP_TYPE,
    handler="redline.toolsets.review_app:read_page",
    ttl_ms=3_600_000,
    meta={"ui": {"prefersBorder": True}},
)
# In the _meta of an answer, which models do not see: what the page shows and may call.
META_VIEW = "redline/view"


def read_page(call: Call) -> Result:
    """Return the page."""
    from redline.toolsets.call import Result

    return Result.of_text(call.runtime.review_app.write_page())


def view_meta(call: Call, change_id: str, *, show: str, undo: str) -> Json | None:
    """Return what a client's page shows for a change; None for a client without pages.

    *show* and *undo* are the tools by which the page reads the change again and takes hunks back.
    """
    if not call.client.shows_apps:
        return None
    from redline.core.access.rights import Right

    can_undo = Right.WRITE in call.client.rights and not call.runtime.options.get("read_only")
    html = call.runtime.review_app.draw_change(change_id, can_undo=can_undo)
    names = {"show": show, "undo": undo} if can_undo else {"show": show}
    calls = {key: {"name": name, "arguments": {"id": change_id}} for key, name in names.items()}
    return {META_VIEW: {"html": html, "calls": calls}}


def list_meta(
    call: Call, operations: Sequence[Operation], *, show: str, older: Json | None
) -> Json | None:
    """Return what a client's page shows for a list of changes; None for a client without pages.

    *show* is the tool by which the page opens one of them, *older* the arguments for this call
    with which it lists those before them, None where there are none.
    """
    if not call.client.shows_apps:
        return None
    html = call.runtime.review_app.draw_list(operations, has_older=older is not None)
    calls: Json = {"open": {"name": show, "arguments": {}}}
    if older is not None:
        calls["older"] = {"name": call.tool.name, "arguments": {**call.arguments, **older}}
    return {META_VIEW: {"html": html, "calls": calls}}

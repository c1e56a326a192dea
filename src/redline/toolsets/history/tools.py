"""The history toolset: what every change of every toolset did, and how to take it back."""

from __future__ import annotations

from redline.toolsets import schemas as s
from redline.toolsets.change_offers import REVIEW_APP, prompts_for, resources_for
from redline.toolsets.tool import READS, Hints, Json, Tool, Toolset

_HERE = "redline.toolsets.history"
_REVERTS = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)
_NOTES = Hints(read_only=False, destructive=False, idempotent=False, open_world=False)


def _tool(
    name: str,
    title: str,
    description: str,
    takes: Json,
    gives: Json,
    hints: Hints = READS,
    app: str = "",
) -> Tool:
    return Tool(
        name=name,
        title=title,
        description=description,
        input_schema=takes,
        output_schema=gives,
        handler=f"{_HERE}.handlers:{name}",
        hints=hints,
        writes=not hints.read_only,
        app=app,
    )


_FILES = {"files": s.OBJECTS, "files_total": s.INTEGER}
_OPERATION = {
    "id": s.TEXT,
    "time": s.TEXT,
    "tool": s.TEXT,
    "client": s.TEXT,
    "principal": s.TEXT,
    "session": s.TEXT,
    "kind": s.choice("change", "undo", "redo", "grant", "checkpoint", "git"),
    "summary": s.TEXT,
    "undone": s.FLAG,
    "reverts": s.TEXT_OR_NULL,
    "reverted_by": s.TEXT_OR_NULL,
    **_FILES,
}
_REVERTED = s.record(
    "id reverts dry_run files",
    id=s.TEXT_OR_NULL,
    reverts=s.TEXT,
    dry_run=s.FLAG,
    merged=s.FLAG,
    **_FILES,
    diff=s.TEXT,
)

TOOLS = (
    _tool(
        "list_changes",
        "List changes",
        "List changes, newest first, by path, tool, maker (session current: yours), ISO time.",
        s.only(
            "",
            path=s.TEXT,
            tool=s.TEXT,
            session=s.TEXT,
            client=s.TEXT,
            principal=s.TEXT,
            since=s.TEXT,
            until=s.TEXT,
            limit=s.integer(1, 200),
            cursor=s.TEXT,
        ),
        s.whole(
            changes=s.array(s.record("id time tool kind files", **_OPERATION)),
            next_cursor=s.TEXT_OR_NULL,
        ),
        app=REVIEW_APP.uri,
    ),
    _tool(
        "show_change",
        "Show change",
        "Show a change, or the latest, as numbered hunks.",
        s.only("", id=s.TEXT, max_bytes=s.integer(1024, 1048576)),
        s.record(
            "id time tool kind files diff truncated",
            **_OPERATION,
            diff=s.TEXT,
            truncated=s.FLAG,
            notes=s.TEXTS,
        ),
        app=REVIEW_APP.uri,
    ),
    _tool(
        "undo_change",
        "Undo change",
        "Take back your latest change, one by id (or its paths or hunks), a session, or yours"
        " since or to an id, checkpoint or time: all or nothing, keeping later changes.",
        s.only(
            "",
            id=s.TEXT,
            paths=s.TEXTS,
            hunks=s.array(s.INTEGER),
            session=s.TEXT,
            since=s.TEXT,
            to=s.TEXT,
            dry_run=s.FLAG,
        ),
        _REVERTED,
        _REVERTS,
    ),
    _tool(
        "redo_change",
        "Redo change",
        "Redo an undone change, by either id, or your latest.",
        s.only("", id=s.TEXT, dry_run=s.FLAG),
        _REVERTED,
        _REVERTS,
    ),
    _tool(
        "create_checkpoint",
        "Create checkpoint",
        "Name this moment, to undo to.",
        s.only("", name=s.TEXT, dry_run=s.FLAG) | {"required": ["name"]},
        s.record("name", id=s.TEXT, name=s.TEXT),
        _NOTES,
    ),
    _tool(
        "review_comments",
        "Review comments",
        "List open comments of the person on your changes (all: of every session), or resolve one"
        " by id with an answer.",
        s.only("", all=s.FLAG, resolve=s.TEXT, answer=s.TEXT),
        s.whole(comments=s.OBJECTS),
        _NOTES,
    ),
)

TOOLSET = Toolset(
    name="history",
    title="History",
    tools=TOOLS,
    wording=f"{_HERE}.handlers:word",
    instructions=(
        "{list_changes} lists every change.",
        "{undo_change} takes one back.",
    ),
    prompts=prompts_for("list_changes", "undo_change"),
    resources=resources_for("list_changes"),
)

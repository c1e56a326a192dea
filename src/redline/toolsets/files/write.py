"""write_file, create_directory, move_file, delete_file."""

from __future__ import annotations

from collections.abc import Callable

from redline.core.changes import ChangeSet
from redline.core.errors import NotFound
from redline.core.paths import Access
from redline.plan.file_ops import plan_delete, plan_make_directory, plan_move, plan_write
from redline.services.commit import Planned, commit_plan
from redline.services.select import encode_content, refuse_roots
from redline.toolsets.call import Call, Result
from redline.toolsets.files.answer import answer_with_notes, dry_run_text, resolve, shown


def write_file(call: Call) -> Result:
    """Create a file or replace all of its content."""
    path = resolve(call, call.arguments["path"], _access(call))
    name = shown(call, path)
    tree, content = call.runtime.tree, encode_content(call.take("content"))
    return _carry_out(
        call,
        lambda: plan_write(tree, path, name, content),
        f"write {name}",
        f"Successfully wrote {name}",
    )


def create_directory(call: Call) -> Result:
    """Create a directory and its parents."""
    path = resolve(call, call.arguments["path"], _access(call))
    name = shown(call, path)
    tree = call.runtime.tree
    return _carry_out(
        call,
        lambda: plan_make_directory(tree, path, name),
        f"create directory {name}",
        f"Created directory {name}",
    )


def move_file(call: Call) -> Result:
    """Move or rename; a link is moved itself, not what it points at."""
    source = resolve(call, call.arguments["source"], _access(call), follow=False)
    target = resolve(call, call.arguments["destination"], _access(call), follow=False)
    refuse_roots(call.runtime.workspace, source, "moved")
    refuse_roots(call.runtime.workspace, target, "replaced")
    overwrite = call.arguments.get("overwrite") is True
    old, new = shown(call, source), shown(call, target)
    tree = call.runtime.tree
    try:
        return _carry_out(
            call,
            lambda: plan_move(tree, source, target, new, overwrite=overwrite),
            f"move {old} to {new}",
            f"Moved {old} -> {new}",
        )
    except NotFound:
        raise NotFound(old) from None


def delete_file(call: Call) -> Result:
    """Delete a file, a link, or a directory with everything in it."""
    path = resolve(call, call.arguments["path"], _access(call), follow=False)
    name = shown(call, path)
    refuse_roots(call.runtime.workspace, path, "deleted")
    return _carry_out(
        call,
        lambda: plan_delete(call.runtime.tree, path, name),
        f"delete {name}",
        f"Deleted {name}",
    )


def _access(call: Call) -> Access:
    return Access.READ if call.arguments.get("dryRun") is True else Access.WRITE


def _carry_out(call: Call, plan: Callable[[], ChangeSet], summary: str, success: str) -> Result:
    """Commit what *plan* returns and answer *success*; with dryRun, only show it."""
    if call.arguments.get("dryRun") is True:
        return Result.of_text(dry_run_text(call, plan(), summary))
    origin = call.origin(summary)
    made = commit_plan(call.runtime.editor, lambda: Planned(plan(), None), origin, call.cancel)
    return answer_with_notes(success, made.notes)

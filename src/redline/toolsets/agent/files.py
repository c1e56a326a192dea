"""write, move and delete: whole files and directories."""

from __future__ import annotations

from collections.abc import Iterator

from redline.core.changes import ChangeSet
from redline.core.errors import InvalidArgument, NotFound
from redline.plan.file_ops import plan_delete, plan_make_directory, plan_move, plan_write
from redline.services.code.move_imports import MovedImports, plan_moved_imports
from redline.services.file_changes import encode_content, refuse_roots
from redline.services.versions import check_versions
from redline.toolsets.agent.answer import access_of, carry_out, resolve
from redline.toolsets.call import Call, Result


def write(call: Call) -> Result:
    """Create a file or replace all of its content; a path that ends in / makes a directory."""
    raw = call.arguments["path"]
    path = resolve(call, raw, access_of(call))
    name, tree = call.label(path), call.runtime.tree
    if call.arguments.get("content") is None:
        if not raw.endswith("/"):
            raise InvalidArgument(
                "content is needed",
                field="content",
                hint='"" makes an empty file, path/ a directory',
            )
        return carry_out(call, lambda: plan_make_directory(tree, path, name), f"create {name}")
    if raw.endswith("/"):
        raise InvalidArgument(f"A directory has no content: {raw}", field="content")
    data = encode_content(call.take("content"))
    expected = {path: str(call.arguments["version"])} if call.arguments.get("version") else {}

    def plan() -> ChangeSet:
        check_versions(tree, expected)
        return plan_write(tree, path, name, data)

    return carry_out(call, plan, f"write {name}")


def move(call: Call) -> Result:
    """Move or rename; a link is moved itself."""
    source = resolve(call, call.arguments["path"], access_of(call), follow=False)
    target = resolve(call, call.arguments["to"], access_of(call), follow=False)
    workspace, tree = call.runtime.workspace, call.runtime.tree
    refuse_roots(workspace, source, "moved")
    refuse_roots(workspace, target, "replaced")
    old, new = call.label(source), call.label(target)
    overwrite = call.arguments.get("overwrite") is True
    if tree.stat(source) is None:
        raise NotFound(old)
    notes: list[str] = []

    def plan() -> ChangeSet:
        moved = plan_move(tree, source, target, new, overwrite=overwrite)
        if call.arguments.get("imports") is not True or moved.is_empty:
            return moved
        followed = plan_moved_imports(call.runtime, source, target, access_of(call), call.cancel)
        notes[:] = _note_imports(followed)
        return moved + followed.change_set

    return carry_out(call, plan, f"move {old} to {new}", lambda: notes)


def _note_imports(followed: MovedImports) -> Iterator[str]:
    yield f"{followed.count} import{'' if followed.count == 1 else 's'} updated"
    if followed.untouched:
        yield f"may mean it too, not touched: {', '.join(followed.untouched)}"


def delete(call: Call) -> Result:
    """Delete files, links, and directories with everything in them."""
    workspace, tree = call.runtime.workspace, call.runtime.tree
    path = resolve(call, call.arguments["path"], access_of(call), follow=False)
    refuse_roots(workspace, path, "deleted")
    name = call.label(path)
    return carry_out(call, lambda: plan_delete(tree, path, name), f"delete {name}")

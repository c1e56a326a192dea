"""write, move and delete: whole files and directories."""

from __future__ import annotations

from collections.abc import Iterator

from redline.core.changes import ABSENT, FileState
from redline.core.encodings.opening import open_file
from redline.core.errors import BinaryFile, InvalidArgument, NotFound
from redline.plan.file_ops import plan_copy, plan_delete, plan_make_directory, plan_move, plan_write
from redline.services.code.move_imports import MovedImports, count_left_imports, plan_moved_imports
from redline.services.commit import Planned
from redline.services.select import encode_content, refuse_roots
from redline.services.text_edits import note_broken_content
from redline.toolsets.agent.answer import access_of, carry_out, check_unchanged, resolve
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

        def make() -> Planned[None]:
            return Planned(plan_make_directory(tree, path, name), None)

        return carry_out(call, make, f"create {name}")
    if raw.endswith("/"):
        raise InvalidArgument(f"A directory has no content: {raw}", field="content")
    content = call.take("content")
    data = encode_content(content)
    expected = {path: str(call.arguments["version"])} if call.arguments.get("version") else {}
    appends = call.arguments.get("append") is True

    def plan() -> Planned[None]:
        # What was changed since would be lost, so the call is not offered again.
        check_unchanged(call, expected, lambda _path, _version: "")
        before = tree.state(path) if appends else ABSENT
        whole = data
        if isinstance(before, FileState):
            file = open_file(tree, path, before.content or b"")
            if file.is_binary:
                raise BinaryFile(name)
            added = content.replace("\r\n", "\n").replace("\n", file.newline)
            whole = file.with_text(file.text + added)
        notes = note_broken_content(call.runtime, path, whole)
        return Planned(plan_write(tree, path, name, whole), None, tuple(notes))

    summary = f"{'append to' if appends else 'write'} {name}"
    return carry_out(call, plan, summary)


def move(call: Call) -> Result:
    """Move or rename; a link is moved itself."""
    source = resolve(call, call.arguments["path"], access_of(call), follow=False)
    target = resolve(call, call.arguments["to"], access_of(call), follow=False)
    workspace, tree = call.runtime.workspace, call.runtime.tree
    refuse_roots(workspace, source, "moved")
    refuse_roots(workspace, target, "replaced")
    old, new = call.label(source), call.label(target)
    overwrite = call.arguments.get("overwrite") is True
    imports, copies = call.arguments.get("imports"), call.arguments.get("copy") is True
    if tree.stat(source) is None:
        raise NotFound(old)
    if copies and imports:
        raise InvalidArgument("Imports do not follow a copy", field="imports")

    def plan() -> Planned[None]:
        if copies:
            return Planned(plan_copy(tree, source, target, new, overwrite=overwrite), None)
        moved = plan_move(tree, source, target, new, overwrite=overwrite)
        if moved.is_empty:
            return Planned(moved, None)
        if imports is True:
            followed = plan_moved_imports(
                call.runtime, source, target, access_of(call), call.cancel
            )
            return Planned(moved + followed.change_set, None, tuple(_note_imports(followed)))
        left = count_left_imports(call.runtime, source, target, call.cancel)
        return Planned(moved, None, (_note_left(left),) if left and imports is None else ())

    return carry_out(call, plan, f"{'copy' if copies else 'move'} {old} to {new}")


def _note_left(count: int) -> str:
    if count == 1:
        return "1 import still names the old path; with imports: true it would follow"
    return f"{count} imports still name the old path; with imports: true they would follow"


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

    def plan() -> Planned[None]:
        return Planned(plan_delete(tree, path, name), None)

    return carry_out(call, plan, f"delete {name}")

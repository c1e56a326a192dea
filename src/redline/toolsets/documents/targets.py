"""Which files a call means: one path, or every file a glob selects."""

from __future__ import annotations

from redline.core.errors import InvalidArgument, NotFound
from redline.core.paths import Access, WorkspacePath, show_name
from redline.search.globs import is_glob, split_base
from redline.search.walk import anchored_files
from redline.toolsets.tool import Call

MOST_FILES = 500


def targets(call: Call, access: Access) -> list[WorkspacePath]:
    """The files of the call's `file` argument, proven usable for *access*."""
    raw = str(call.arguments["file"])
    workspace = call.runtime.workspace
    if not is_glob(raw) or _exists(call, raw):
        return [workspace.resolve(raw, access, must_exist=True)]
    base, pattern = split_base(raw.replace("\\", "/"))
    folder = workspace.resolve(base or ".", Access.READ, must_exist=True)
    found = sorted(anchored_files(call.runtime.tree, folder, pattern, call.cancel))
    if not found:
        raise NotFound(raw, f"No file matches: {raw}", hint="** stands for any number of folders")
    if len(found) > MOST_FILES:
        raise InvalidArgument(
            f"The glob selects {len(found)} files, more than {MOST_FILES}: {raw}", field="file"
        )
    return [workspace.resolve(workspace.absolute(path), access, must_exist=True) for path in found]


def _exists(call: Call, raw: str) -> bool:
    """Whether a name with glob characters is simply the name of a file."""
    try:
        place = call.runtime.workspace.resolve(raw, Access.READ)
    except InvalidArgument:
        return False
    return call.runtime.tree.stat(place) is not None


def shown(call: Call, path: WorkspacePath) -> str:
    """How a file is named in answers: relative to the workspace, absolute in other roots."""
    return show_name(path.relative if path.root == 0 else call.runtime.workspace.absolute(path))

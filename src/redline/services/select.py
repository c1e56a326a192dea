"""Which files a name selects: one path, or every file that a glob matches."""

from __future__ import annotations

from redline.core.errors import InvalidArgument, NotFound
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.search import Cancel
from redline.search.globs import is_glob, split_base
from redline.search.walk import anchored_files
from redline.services.runtime import Runtime

MAX_FILES = 500


def select_files(runtime: Runtime, raw: str, access: Access, cancel: Cancel) -> list[WorkspacePath]:
    """Return the files that *raw* names, each resolved for *access*; NotFound if there is none."""
    workspace = runtime.workspace
    if not is_glob(raw) or _is_name_of_file(runtime, raw):
        return [workspace.resolve(raw, access, must_exist=True)]
    base, pattern = split_base(raw.replace("\\", "/"))
    folder = workspace.resolve(base or ".", Access.READ, must_exist=True)
    found = sorted(anchored_files(runtime.tree, folder, pattern, cancel))
    if not found:
        raise NotFound(raw, f"No file matches: {raw}", hint="** stands for any number of folders")
    if len(found) > MAX_FILES:
        raise InvalidArgument(
            f"The glob selects {len(found)} files, more than {MAX_FILES}: {raw}", field="file"
        )
    return [workspace.resolve(workspace.absolute(path), access, must_exist=True) for path in found]


def _is_name_of_file(runtime: Runtime, raw: str) -> bool:
    """Whether a name with glob characters is simply the name of a file."""
    try:
        place = runtime.workspace.resolve(raw, Access.READ)
    except InvalidArgument:
        return False
    return runtime.tree.stat(place) is not None

"""Which files a name selects: one path, every file that a glob matches, or a directory."""

from __future__ import annotations

from redline.core.errors import InvalidArgument, NotADirectory, NotFound, PathDenied
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports.search import Cancel
from redline.core.ports.tree import Kind, PathResolver
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
    """Return whether a name with glob characters is simply the name of a file."""
    try:
        place = runtime.workspace.resolve(raw, Access.READ)
    except InvalidArgument:
        return False
    return runtime.tree.stat(place) is not None


def require_directory(runtime: Runtime, path: WorkspacePath, name: str) -> WorkspacePath:
    """Return *path*, which errors call *name*; NotFound, NotADirectory."""
    entry = runtime.tree.stat(path)
    if entry is None:
        raise NotFound(name)
    if entry.kind is not Kind.DIRECTORY:
        raise NotADirectory(name)
    return path


def refuse_roots(workspace: PathResolver, path: WorkspacePath, verb: str) -> None:
    """Refuse an allowed directory itself and a directory that holds one; PathDenied."""
    place = workspace.absolute(path).rstrip("/")
    for root in workspace.roots:
        if not path.parts or root.path == place or root.path.startswith(place + "/"):
            name = show_name(workspace.absolute(path))
            raise PathDenied(name, f"An allowed directory itself is never {verb}: {name}")


def encode_content(content: str) -> bytes:
    """Return the bytes of a new file; InvalidArgument for a lone surrogate."""
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument("content holds a lone surrogate, which no file can") from None

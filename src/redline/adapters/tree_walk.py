"""Walking a directory from its handle: each level is opened from the one above, never by path."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

from redline.adapters.disk import Dir, Disk
from redline.core.ports.tree import Folder

# A handle stays open for every level between here and the top; deeper trees are cut off there.
_DEEPEST = 200


def walk_down(
    disk: Disk,
    top: Dir,
    staged: str,
    depth: int | None,
    enter: Callable[[str], bool] | None,
) -> Iterator[Folder]:
    """Every directory from *top* down, parents first; *top* is given back at the end."""
    deepest = _DEEPEST if depth is None else min(depth, _DEEPEST)
    handles = [top]
    try:
        folder = _folder(disk, top, "", staged)
        yield folder
        waiting = [_reversed(folder, enter)] if deepest else []
        while waiting:
            if not waiting[-1]:
                waiting.pop()
                disk.close_dir(handles.pop())
                continue
            prefix, name = waiting[-1].pop()
            try:
                handle = disk.open_child(handles[-1], name)
            except OSError:
                continue
            handles.append(handle)
            try:
                folder = _folder(disk, handle, f"{prefix}{name}/", staged)
            except OSError:
                disk.close_dir(handles.pop())
                continue
            yield folder
            waiting.append(_reversed(folder, enter) if len(handles) <= deepest else [])
    finally:
        for handle in handles:
            disk.close_dir(handle)


def _folder(disk: Disk, handle: Dir, prefix: str, staged: str) -> Folder:
    directories, files, links, others = disk.split(handle)
    for names in (directories, files, links, others):
        names.sort()
    first = bisect_left(files, staged)
    if first < len(files) and files[first].startswith(staged):
        files = [name for name in files if not name.startswith(staged)]
    return Folder(prefix, directories, files, links, others)


def _reversed(folder: Folder, enter: Callable[[str], bool] | None) -> list[tuple[str, str]]:
    """The directories to enter, the first one last."""
    prefix = folder.prefix
    return [
        (prefix, name)
        for name in reversed(folder.directories)
        if enter is None or enter(prefix + name)
    ]

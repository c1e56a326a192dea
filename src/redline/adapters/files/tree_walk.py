"""Walking a directory from its handle: each level is opened from the one above, never by path."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator

from redline.adapters.files.disk import Dir, Disk
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
    """Yield every directory from *top* down, parents first; *top* is closed at the end."""
    deepest = _DEEPEST if depth is None else min(depth, _DEEPEST)
    handles = [top]
    try:
        folder = read_folder(disk, top, "", staged)
        yield folder
        waiting = [_reverse(folder, enter)] if deepest else []
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
                folder = read_folder(disk, handle, f"{prefix}{name}/", staged)
            except OSError:
                disk.close_dir(handles.pop())
                continue
            yield folder
            waiting.append(_reverse(folder, enter) if len(handles) <= deepest else [])
    finally:
        for handle in handles:
            disk.close_dir(handle)


def read_folder(disk: Disk, handle: Dir, prefix: str, staged: str) -> Folder:
    """Return what is in one directory, by kind; Redline's *staged* files left out."""
    directories, files, links, others = disk.split(handle)
    for names in (directories, files, links, others):
        names.sort()
    return Folder(prefix, directories, without_staged(files, staged), links, others)


def without_staged(names: list[str], staged: str) -> list[str]:
    """Sorted *names* without those that begin with *staged*."""
    first = bisect_left(names, staged)
    if first < len(names) and names[first].startswith(staged):
        return [name for name in names if not name.startswith(staged)]
    return names


def _reverse(folder: Folder, enter: Callable[[str], bool] | None) -> list[tuple[str, str]]:
    """Return the directories to enter, the first one last."""
    prefix = folder.prefix
    return [
        (prefix, name)
        for name in reversed(folder.directories)
        if enter is None or enter(prefix + name)
    ]

"""list_directory, directory_tree, get_file_info, list_allowed_directories."""

from __future__ import annotations

from operator import itemgetter
from stat import filemode

import orjson

from redline.core.changes import SpecialKind
from redline.core.errors import NotFound, RedlineError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports.tree import Entry, Folder, Kind
from redline.services.names import iso_time
from redline.toolsets.call import Call, Result
from redline.toolsets.files.answer import answer, resolve, resolve_directory, shown
from redline.toolsets.tool import Json

_NAME = itemgetter("name")
_MODE_LETTERS = {Kind.FILE: "-", Kind.DIRECTORY: "d", Kind.SYMLINK: "l"}
_SPECIAL_LETTERS = {SpecialKind.FIFO: "p", SpecialKind.SOCKET: "s", SpecialKind.DEVICE: "c"}


def list_directory(call: Call) -> Result:
    """Return one line per entry, sorted by name."""
    path = resolve_directory(call, call.arguments["path"])
    folder = next(iter(call.runtime.tree.walk(path, depth=0)))
    kinds = dict.fromkeys(folder.directories, True)
    kinds.update(dict.fromkeys([*folder.files, *folder.others], False))
    kinds.update((name, _leads_to_directory(call, path.child(name))) for name in folder.links)
    entries = [
        {"name": show_name(name), "type": "directory" if is_dir else "file"}
        for name, is_dir in sorted(kinds.items())
    ]
    lines = [f"{'[DIR] ' if e['type'] == 'directory' else '[FILE]'} {e['name']}" for e in entries]
    return answer(call, "\n".join(lines), {"path": shown(call, path), "entries": entries})


def directory_tree(call: Call) -> Result:
    """The tree as JSON; a link to a directory is one without children, since it is not followed."""
    path = resolve_directory(call, call.arguments["path"])
    depth = call.arguments.get("depth")
    root: Json = {"name": show_name(_name(call, path)), "type": "directory", "children": []}
    if depth != 0:
        nodes = {"": root["children"]}
        below = None if depth is None else depth - 1
        for folder in call.runtime.tree.walk(path, depth=below):
            call.cancel.check()
            leading = [
                name
                for name in folder.links
                if _leads_to_directory(call, path.child(*folder.prefix.split("/")[:-1], name))
            ]
            _fill(folder, leading, nodes)
    return answer(call, orjson.dumps(root).decode(), root)


def _fill(folder: Folder, leading: list[str], nodes: dict[str, list[Json]]) -> None:
    children = nodes.pop(folder.prefix)
    children += [{"name": name, "type": "directory", "children": []} for name in leading]
    for name in folder.directories:
        inner: list[Json] = []
        nodes[f"{folder.prefix}{name}/"] = inner
        children.append({"name": name, "type": "directory", "children": inner})
    plain = folder.files
    if folder.links or folder.others:
        plain = sorted([*plain, *(set(folder.links) - set(leading)), *folder.others])
    children += [{"name": name, "type": "file"} for name in plain]
    if leading or (folder.directories and plain):
        children.sort(key=_NAME)
    if not "".join([*folder.directories, *leading, *plain]).isascii():
        for child in children:
            child["name"] = show_name(child["name"])


def get_file_info(call: Call) -> Result:
    """Four facts, one per line."""
    path = resolve(call, call.arguments["path"])
    entry = call.runtime.tree.stat(path)
    if entry is None:
        raise NotFound(shown(call, path))
    facts = {
        "type": entry.kind.value,
        "size": entry.size,
        "modified": _format_time(entry.mtime_ns),
        "permissions": f"{entry.mode & 0o7777:03o}",
    }
    text = "\n".join(f"{key}: {value}" for key, value in facts.items())
    created = call.runtime.tree.created_ns(path)
    more = {
        "created": _format_time(entry.mtime_ns if created is None else created),
        "mode": _mode_letter(entry) + filemode(entry.mode)[1:],
    }
    return answer(call, text, {"path": shown(call, path), **facts, **more})


def list_allowed_directories(call: Call) -> Result:
    """Return one line per root."""
    roots = [
        {
            "path": show_name(root.path),
            "access": "read-write" if root.writable else "read-only",
            "writable": root.writable,
        }
        for root in call.runtime.workspace.roots
    ]
    lines = [f"{root['path']} ({root['access']})" for root in roots]
    text = "\n".join(lines) or "No directories are allowed; start the server with --allow-write DIR"
    return answer(call, text, {"directories": roots})


def _leads_to_directory(call: Call, link: WorkspacePath) -> bool:
    """Return whether a link points at a directory that may be read."""
    workspace = call.runtime.workspace
    try:
        target = workspace.resolve(show_name(workspace.absolute(link)), Access.READ)
        entry = call.runtime.tree.stat(target)
    except RedlineError:
        return False
    return entry is not None and entry.kind is Kind.DIRECTORY


def _name(call: Call, path: WorkspacePath) -> str:
    return path.name or call.runtime.workspace.absolute(path).rstrip("/").rpartition("/")[2] or "/"


def _mode_letter(entry: Entry) -> str:
    """Return the first letter of a mode as `ls -l` writes it."""
    if entry.special is not None:
        return _SPECIAL_LETTERS[entry.special]
    return _MODE_LETTERS[entry.kind]


def _format_time(nanoseconds: int) -> str:
    return iso_time(nanoseconds // 1_000_000_000)

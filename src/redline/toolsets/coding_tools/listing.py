"""list_dir and list_files."""

from __future__ import annotations

from stat import S_IFLNK
from typing import Any

from redline.core.errors import RedlineError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports.tree import Kind
from redline.search.levels import ListingScope
from redline.search.listing import Listed, Listing, list_directory
from redline.search.listing import list_files as find_files
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import as_spelled, success
from redline.toolsets.coding_tools.file_facts import KIND, KINDS, Files, modified
from redline.toolsets.coding_tools.paths import existing, shown
from redline.toolsets.tool import Json


def list_dir(call: Call) -> Result:
    """The entries of a directory."""
    arguments = call.arguments
    directory = existing(call, arguments.get("path") or ".")
    listing = list_directory(
        call.runtime.tree,
        directory,
        _scope(arguments),
        call.cancel,
        depth=arguments.get("max_depth", 1) if arguments.get("recursive") else 1,
        most=arguments.get("max_entries", 1000),
        order=arguments.get("sort", "name"),
    )
    entries = [_entry(call, directory.root, listed) for listed in listing.entries]
    return success(
        {
            "path": shown(directory),
            "entries": entries,
            **_cut(listing, "entries", "max_entries"),
        }
    )


def list_files(call: Call) -> Result:
    """Files by glob."""
    arguments = call.arguments
    directory = existing(call, arguments.get("path") or ".")
    glob = arguments.get("glob")
    listing = find_files(
        call.runtime.tree,
        directory,
        _scope(arguments),
        call.cancel,
        Files().spell,
        patterns=arguments.get("patterns") or ([glob] if glob else []),
        exclude=arguments.get("exclude_patterns", ()),
        most=arguments.get("max_results", 5000),
        order=arguments.get("sort", "path"),
        keeps_link=lambda path: _leads_to_file(call, path),
    )
    return success(
        {
            "path": shown(directory),
            "files": as_spelled(f"[{','.join(listing.entries)}]"),
            **_cut(listing, "files", "max_results"),
        }
    )


def _scope(arguments: Json) -> ListingScope:
    return ListingScope(
        hidden=arguments.get("include_hidden", False),
        ignored=arguments.get("include_ignored", False),
    )


def _cut(listing: Listing[Any], what: str, limit: str) -> Json:
    if not listing.truncated:
        return {"truncated": False, "warnings": []}
    of = f"{listing.shown} of {listing.total}" if listing.total else "the first"
    return {
        "truncated": True,
        "warnings": [f"{of} {what}; raise {limit} or narrow the path"],
    }


def _entry(call: Call, root: int, listed: Listed) -> Json:
    path, mode, size, mtime, ignored = listed
    name = path.rpartition("/")[2]
    fields: Json = {
        "name": show_name(name),
        "path": show_name(path),
        "type": KINDS.get(mode & KIND, "other"),
        "size_bytes": size,
        "modified": modified(mtime),
        "is_hidden": name.startswith("."),
        "is_ignored": ignored,
    }
    if mode & KIND == S_IFLNK:
        try:
            place = WorkspacePath(root, tuple(path.split("/")))
            fields["symlink_target"] = show_name(call.runtime.tree.read_link(place))
        except RedlineError:
            pass  # the link went away while it was listed
    return fields


def _leads_to_file(call: Call, path: str) -> bool:
    """Whether a link stays inside and ends at a file."""
    try:
        target = call.runtime.workspace.resolve(
            path, Access.READ, relative_only=True, must_exist=True
        )
        entry = call.runtime.tree.stat(target)
    except RedlineError:
        return False
    return entry is not None and entry.kind is Kind.FILE

"""list_dir and list_files."""

from __future__ import annotations

from datetime import UTC, datetime

from redline.core.errors import RedlineError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports import Entry, Kind
from redline.dialects.coding.answer import success
from redline.dialects.coding.places import existing, shown
from redline.dialects.tool import Call, Json, Result
from redline.search.listing import Listing, Scope, list_directory
from redline.search.listing import list_files as find_files

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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
    entries = [_entry(call, listed.entry, listed.is_ignored) for listed in listing.entries]
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
        patterns=arguments.get("patterns") or ([glob] if glob else []),
        exclude=arguments.get("exclude_patterns", ()),
        most=arguments.get("max_results", 5000),
        order=arguments.get("sort", "path"),
        keeps_link=lambda path: _leads_to_file(call, path),
    )
    files = [
        {
            "path": show_name("/".join(listed.entry.path.parts)),
            "type": listed.entry.kind.value,
            "size_bytes": listed.entry.size,
            "modified": modified(listed.entry.mtime_ns),
        }
        for listed in listing.entries
    ]
    return success(
        {"path": shown(directory), "files": files, **_cut(listing, "files", "max_results")}
    )


def modified(mtime_ns: int) -> str:
    """A time as ISO-8601 in UTC."""
    seconds, rest = divmod(mtime_ns, 1_000_000_000)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        moment = _EPOCH
    return f"{moment.isoformat()[:19]}.{rest // 1000:06d}Z"


def _scope(arguments: Json) -> Scope:
    return Scope(
        hidden=arguments.get("include_hidden", False),
        ignored=arguments.get("include_ignored", False),
    )


def _cut(listing: Listing, what: str, limit: str) -> Json:
    if not listing.truncated:
        return {"truncated": False, "warnings": []}
    told = f"{len(listing.entries)} of {listing.total} {what}; raise {limit} or narrow the path"
    return {"truncated": True, "warnings": [told]}


def _entry(call: Call, entry: Entry, is_ignored: bool) -> Json:
    fields: Json = {
        "name": show_name(entry.path.name),
        "path": shown(entry.path),
        "type": entry.kind.value,
        "size_bytes": entry.size,
        "modified": modified(entry.mtime_ns),
        "is_hidden": entry.path.name.startswith("."),
        "is_ignored": is_ignored,
    }
    if entry.kind is Kind.SYMLINK:
        try:
            fields["symlink_target"] = show_name(call.runtime.tree.read_link(entry.path))
        except RedlineError:
            pass  # the link went away while it was listed
    return fields


def _leads_to_file(call: Call, path: WorkspacePath) -> bool:
    """Whether a link stays inside and ends at a file."""
    try:
        target = call.runtime.workspace.resolve(
            path.relative, Access.READ, relative_only=True, must_exist=True
        )
        entry = call.runtime.tree.stat(target)
    except RedlineError:
        return False
    return entry is not None and entry.kind is Kind.FILE

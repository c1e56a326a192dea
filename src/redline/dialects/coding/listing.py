"""list_dir and list_files."""

from __future__ import annotations

from datetime import UTC, datetime
from stat import S_IFDIR, S_IFLNK, S_IFREG
from typing import Any

from redline.core.errors import RedlineError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports.tree import FactLists, Kind
from redline.dialects.coding.answer import spelled, success
from redline.dialects.coding.places import existing, shown
from redline.dialects.tool import Call, Json, Result
from redline.search.listing import Listed, Listing, Scope, list_directory
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
        _Files().render,
        patterns=arguments.get("patterns") or ([glob] if glob else []),
        exclude=arguments.get("exclude_patterns", ()),
        most=arguments.get("max_results", 5000),
        order=arguments.get("sort", "path"),
        keeps_link=lambda path: _leads_to_file(call, path),
    )
    files = spelled(call, listing.entries)
    return success(
        {"path": shown(directory), "files": files, **_cut(listing, "files", "max_results")}
    )


class _Files:
    """Makes entries of files, tens of thousands of them."""

    def __init__(self) -> None:
        self._stamps = _Stamps()

    def render(self, prefix: str, facts: FactLists) -> list[Json]:
        """The files of one directory; nearly always their paths fit JSON as they are."""
        stamps, kinds, names = self._stamps, _KINDS, facts.names
        if not (prefix.isascii() and "".join(names).isascii()):
            prefix, names = show_name(prefix), [show_name(name) for name in names]
        return [
            {
                "path": prefix + name,
                "type": kinds[mode & _KIND],
                "size_bytes": size,
                "modified": stamps[mtime // _SECOND],
            }
            for name, mode, size, mtime in zip(names, *facts[1:], strict=True)
        ]


_SECOND = 1_000_000_000
_KIND = 0o170000
_KINDS = {S_IFREG: "file", S_IFDIR: "directory", S_IFLNK: "symlink"}


class _Stamps(dict[int, str]):
    """Times by their second, each spelled once: many files are of the same."""

    def __missing__(self, second: int) -> str:
        self[second] = stamp = modified(second * _SECOND)
        return stamp


def modified(mtime_ns: int) -> str:
    """A time as ISO-8601 in UTC, to the second where that is exact."""
    seconds, rest = divmod(mtime_ns, _SECOND)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        moment = _EPOCH
    fraction = f".{rest // 1000:06d}" if rest else ""
    return f"{moment.isoformat()[:19]}{fraction}Z"


def _scope(arguments: Json) -> Scope:
    return Scope(
        hidden=arguments.get("include_hidden", False),
        ignored=arguments.get("include_ignored", False),
    )


def _cut(listing: Listing[Any], what: str, limit: str) -> Json:
    if not listing.truncated:
        return {"truncated": False, "warnings": []}
    of = f"{len(listing.entries)} of {listing.total}" if listing.total else "the first"
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
        "type": _KINDS.get(mode & _KIND, "other"),
        "size_bytes": size,
        "modified": modified(mtime),
        "is_hidden": name.startswith("."),
        "is_ignored": ignored,
    }
    if mode & _KIND == S_IFLNK:
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

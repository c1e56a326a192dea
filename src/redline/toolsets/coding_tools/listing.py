"""list_dir and list_files."""

from __future__ import annotations

from datetime import UTC, datetime
from stat import S_IFDIR, S_IFLNK, S_IFREG
from typing import Any

import orjson

from redline.core.errors import RedlineError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports.tree import FactLists, Kind
from redline.search.levels import ListingScope
from redline.search.listing import Listed, Listing, list_directory
from redline.search.listing import list_files as find_files
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import existing, raw_json, shown, success
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
            "files": raw_json(f"[{','.join(listing.entries)}]"),
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


KIND = 0o170000
KINDS = {S_IFREG: "file", S_IFDIR: "directory", S_IFLNK: "symlink"}
_SECOND = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def modified(mtime_ns: int) -> str:
    """A time as ISO-8601 in UTC, to the second where that is exact."""
    seconds, rest = divmod(mtime_ns, _SECOND)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        moment = _EPOCH
    fraction = f".{rest // 1000:06d}" if rest else ""
    return f"{moment.isoformat()[:19]}{fraction}Z"


class Files:
    """Makes JSON of files: tens of thousands are in one answer, and nearly all of their names
    are JSON as they are."""

    def __init__(self) -> None:
        self._ends = _Ends()

    def spell(self, prefix: str, facts: FactLists) -> str:
        """Some files, given with the start of their paths: objects with commas between."""
        ends, (_, modes, sizes, seconds, _) = self._ends, facts
        prefix, names = _quotable(prefix, facts.names)
        numbers = orjson.dumps(sizes)[1:-1].decode().split(",")
        start = f'{{"path":"{prefix}'
        if _all_same(modes) and _all_same(seconds):
            # As most directories are: what is between two sizes and names is always the same.
            middle, end = _middle(modes[0] & KIND), ends[seconds[0]]
            rows = map(middle.join, zip(names, numbers, strict=True))
            return start + f"{end},{start}".join(rows) + end
        middles = {mode: _middle(mode & KIND) for mode in set(modes)}
        columns = zip(names, modes, numbers, seconds, strict=True)
        return ",".join([f"{start}{n}{middles[m]}{z}{ends[s]}" for n, m, z, s in columns])


def _all_same(values: list[int]) -> bool:
    return values.count(values[0]) == len(values)


def _middle(kind: int) -> str:
    return f'","type":"{KINDS[kind]}","size_bytes":'


def _quotable(prefix: str, names: list[str]) -> tuple[str, list[str]]:
    """A path in two parts between the quotes of a JSON string."""
    together = prefix + "".join(names)
    if together.isascii() and len(orjson.dumps(together)) == len(together) + 2:
        return prefix, names
    return _quote(prefix), [_quote(name) for name in names]


def _quote(name: str) -> str:
    return orjson.dumps(show_name(name)).decode()[1:-1]


class _Ends(dict[int, str]):
    """The end of a row by its second, encoded once: many files share it."""

    def __missing__(self, second: int) -> str:
        self[second] = end = f',"modified":"{modified(second * _SECOND)}"}}'
        return end

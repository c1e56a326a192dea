"""list_dir, list_files and search_text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from stat import S_IFDIR, S_IFLNK, S_IFREG
from typing import Any

import orjson

from redline.core.errors import RedlineError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.ports.search import GrepLine, GrepQuery, GrepResult
from redline.core.ports.tree import FactLists, Kind
from redline.search.found_lines import WholeLines, cut_around, name_undecoded
from redline.search.ignore import EXCLUDED_DIRECTORIES
from redline.search.levels import ListingScope
from redline.search.listing import Listed, Listing, list_directory
from redline.search.listing import list_files as find_files
from redline.toolsets.call import Call, Result
from redline.toolsets.coding_tools.answer import encode_once, existing, raw_json, shown, success
from redline.toolsets.tool import Json


def list_dir(call: Call) -> Result:
    """Return the entries of a directory."""
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
    """Return whether a link stays inside and ends at a file."""
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
    """Return a time as ISO-8601 in UTC, to the second where that is exact."""
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
        """Return some files, given with the start of their paths: objects with commas between."""
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
    """Return a path in two parts between the quotes of a JSON string."""
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


PREVIEW_CHARACTERS = 500
_CUT = " ... [truncated]"
_CUT_BEFORE = "[truncated] ... "
_SECONDS = 20.0
_EXCLUDED = tuple(f"{name}/" for name in sorted(EXCLUDED_DIRECTORIES))


def search_text(call: Call) -> Result:
    """Matching lines in path order; a flood of them is counted to its end only on request."""
    arguments = call.arguments
    place = existing(call, arguments.get("path") or ".")
    glob = arguments.get("glob")
    most = arguments.get("max_results", 1000)
    query = GrepQuery(
        arguments["query"],
        literal=not arguments.get("regex", False),
        ignore_case=not arguments.get("case_sensitive", False),
        context=arguments.get("context_lines", 0),
        max_matches=most,
        include=(*arguments.get("include_globs", ()), *((glob,) if glob else ())),
        exclude=(*_EXCLUDED, *arguments.get("exclude_globs", ())),
        deadline=_SECONDS,
        utf8_only=True,
        counts=arguments.get("count_all", False),
    )
    found = call.runtime.grep.search([place], query, call.cancel)
    preview_bytes = arguments.get("max_preview_bytes", 512)
    whole = WholeLines(call.runtime.tree)
    lines = [_complete(line, whole.read(line)) for line in found.lines]
    matches = _matches(lines, query.context, preview_bytes)
    return success(
        {
            "query": query.pattern,
            "matches": encode_once(matches),
            "total_matches": found.total,
            "truncated": found.total > len(matches) or found.timed_out,
            "warnings": _warnings(call, found, len(matches)),
            "engine": "rg",
        }
    )


def _complete(line: GrepLine, whole: bytes | None) -> GrepLine:
    """Return *line* with all of its text, and with its column in characters of that."""
    if whole is None:
        return line
    column = line.column
    beyond = column - 1 - len(line.text)
    if beyond > 0:  # counted in bytes from where the line was cut
        shown = len(line.text.encode("utf-8", "surrogateescape"))
        column = len(whole[: shown + beyond].decode("utf-8", "replace")) + 1
    return line._replace(text=whole.decode("utf-8", "replace"), column=column)


def _matches(lines: Sequence[GrepLine], context: int, preview_bytes: int) -> list[Json]:
    """Return one entry per matching line, with the lines around it where context was asked for."""
    found: list[Json] = []
    for index, line in enumerate(lines):
        if not line.is_match:
            continue
        preview, by = cut_preview(line.text, preview_bytes, line.column - 1)
        match: Json = {
            "path": show_name(line.path),
            "line": line.line,
            "column": line.column,
            "preview": preview,
            "before": _around(lines, index, -1, context, preview_bytes),
            "after": _around(lines, index, 1, context, preview_bytes),
        }
        if by:
            match |= {"preview_truncated": True, "preview_truncated_by": by}
        found.append(match)
    return found


def _around(
    lines: Sequence[GrepLine], index: int, step: int, context: int, preview_bytes: int
) -> list[str]:
    here = lines[index]
    around: list[str] = []
    for distance in range(1, context + 1):
        at = index + step * distance
        if not 0 <= at < len(lines):
            break
        line = lines[at]
        if line.path != here.path or line.line != here.line + step * distance:
            break
        around.append(cut_preview(line.text, preview_bytes)[0])
    return around[::step]


def cut_preview(text: str, most_bytes: int, at: int = 0) -> tuple[str, str | None]:
    """*text* within 500 characters and *most_bytes* bytes, and which of them cut it.

    The beginning is shown unless what is *at* lies behind it.
    """
    most = min(len(text), PREVIEW_CHARACTERS)
    by = "chars" if most < len(text) else None
    shown = _cut_text(text, most, at)
    while (size := len(shown.encode())) > most_bytes:
        by = "bytes"
        most = min(most - 1, most * most_bytes // size)
        shown = _cut_text(text, most, at)
    return shown, by


def _cut_text(text: str, most: int, at: int) -> str:
    """Return at most *most* characters, the marks of what was cut included."""
    if len(text) <= most:
        return text
    room = most - len(_CUT)
    if at < room // 2:
        return text[:room] + _CUT
    start, end = cut_around(text, at, room - len(_CUT_BEFORE))
    return _CUT_BEFORE + text[start:end] + (_CUT if end < len(text) else "")


def _warnings(call: Call, found: GrepResult, returned: int) -> list[str]:
    warnings = []
    if not found.counted:
        warnings.append(
            f"the first {returned} matches; there are many more, which count_all counts; "
            "raise max_results or narrow path and globs"
        )
    elif found.total > returned:
        warnings.append(
            f"{returned} of {found.total} matches; raise max_results or narrow path and globs"
        )
    if found.timed_out:
        warnings.append("the search ran out of time and is incomplete; narrow path and globs")
    if undecoded := name_undecoded([call.label(path) for path in found.undecoded]):
        warnings.append(f"{undecoded}; read_file takes encoding")
    return warnings

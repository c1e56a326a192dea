"""find and search: files by name, lines by content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from stat import S_ISDIR, S_ISLNK, filemode

from redline.core.errors import NotFound, RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.search import GrepLine, GrepQuery
from redline.core.ports.tree import FactLists, Kind
from redline.core.text_limits import shorten
from redline.search.ignore import EXCLUDED_DIRECTORIES
from redline.search.levels import ListingScope
from redline.search.listing import Listed, Listing, list_directory, list_files
from redline.services.names import iso_time
from redline.toolsets.agent.answer import globs_of, number_of, resolve
from redline.toolsets.call import Call, Result
from redline.toolsets.compact import by_directory, equal_lines_once
from redline.toolsets.tool import Json

_MAX_ENTRIES = 1000
_MAX_MATCHES = 200
_MAX_LINE = 500
_SECONDS = 20.0
_SECOND = 1_000_000_000
_EXCLUDED = tuple(f"{name}/" for name in sorted(EXCLUDED_DIRECTORIES))


def find(call: Call) -> Result:
    """List a directory, find files by glob, or state the facts of one file."""
    given = call.arguments
    path = resolve(call, given.get("path") or ".", exists=True)
    entry = call.runtime.tree.stat(path)
    if entry is None:
        raise NotFound(given["path"])
    if entry.kind is not Kind.DIRECTORY:
        mode = entry.mode | (0o120000 if entry.kind is Kind.SYMLINK else 0o100000)
        only: Listed = (path.relative, mode, entry.size, entry.mtime_ns, False)
        return _answer(call, path.root, Listing([only], 1, False, 1), details=True)
    scope = ListingScope(hidden=bool(given.get("hidden")), ignored=bool(given.get("hidden")))
    most = number_of(call, "max", _MAX_ENTRIES, 1, 50_000)
    globs = globs_of(call)
    if not globs:
        listing = list_directory(
            call.runtime.tree,
            path,
            scope,
            call.cancel,
            depth=number_of(call, "depth", 1, 1, 20),
            most=most,
        )
    else:
        listing = _by_glob(call, path, scope, globs, most)
    return _answer(call, path.root, listing, details=bool(given.get("details")))


def _by_glob(
    call: Call, path: WorkspacePath, scope: ListingScope, globs: Sequence[str], most: int
) -> Listing[Listed]:
    found = list_files(
        call.runtime.tree,
        path,
        scope,
        call.cancel,
        _rows,
        patterns=[glob for glob in globs if not glob.startswith("!")],
        exclude=[glob[1:] for glob in globs if glob.startswith("!")],
        most=most,
        keeps_link=lambda link: _leads_to_file(call, path.root, link),
    )
    rows = [row for group in found.entries for row in group]
    return Listing(rows, found.shown, found.truncated, found.total)


def _rows(prefix: str, facts: FactLists) -> list[Listed]:
    return [
        (prefix + name, mode, size, second * _SECOND + nano, False)
        for name, mode, size, second, nano in zip(*facts, strict=True)
    ]


def _leads_to_file(call: Call, root: int, relative: str) -> bool:
    """Whether a link stays inside and ends at a file."""
    workspace = call.runtime.workspace
    link = WorkspacePath(root, tuple(relative.split("/")))
    try:
        entry = call.runtime.tree.stat(resolve(call, workspace.absolute(link), exists=True))
    except RedlineError:
        return False
    return entry is not None and entry.kind is Kind.FILE


def _answer(call: Call, root: int, listing: Listing[Listed], *, details: bool) -> Result:
    label = call.label
    entries = [_entry(label(_place(root, row[0])), row) for row in listing.entries]
    lines = [_describe(entry) for entry in entries] if details else _brief(entries)
    roots = [
        {"path": show_name(root.path), "writable": root.writable}
        for root in call.runtime.workspace.roots
    ]
    if details and len(entries) != 1:
        lines += [_root_line(root) for root in roots]
    if listing.truncated:
        lines.append(f"[the first {listing.shown}; narrow it, or raise max]")
    structured = {"entries": entries, "truncated": listing.truncated, "roots": roots}
    return Result.of_text("\n".join(lines) or "(nothing found)", structured)


def _brief(entries: Sequence[Json]) -> list[str]:
    """Return names by directory; a directory is named where nothing in it is."""
    files = [entry["path"] for entry in entries if entry["type"] != "directory"]
    shown = {path.rpartition("/")[0] for path in (entry["path"] for entry in entries)}
    empty = [
        f"{entry['path']}/"
        for entry in entries
        if entry["type"] == "directory" and entry["path"] not in shown
    ]
    return [*empty, *by_directory(files)]


def _root_line(root: Json) -> str:
    return f"[root {root['path']}, {'writable' if root['writable'] else 'read-only'}]"


def _place(root: int, relative: str) -> WorkspacePath:
    return WorkspacePath(root, () if relative == "." else tuple(relative.split("/")))


def _entry(name: str, row: Listed) -> Json:
    _, mode, size, mtime, _ = row
    kind = "directory" if S_ISDIR(mode) else "symlink" if S_ISLNK(mode) else "file"
    return {
        "path": name,
        "type": kind,
        "size": size,
        "modified": iso_time(mtime // _SECOND),
        "mode": filemode(mode),
    }


def _describe(entry: Json) -> str:
    return f"{entry['mode']} {entry['size']} {entry['modified']} {entry['path']}"


def search(call: Call) -> Result:
    """Find lines that hold a text or match a regex."""
    given = call.arguments
    place = resolve(call, given.get("path") or ".", exists=True)
    globs = globs_of(call)
    context = number_of(call, "context", 0, 0, 20)
    query = GrepQuery(
        given["query"],
        literal=not given.get("regex"),
        ignore_case=bool(given.get("ignore_case")),
        context=context,
        max_matches=number_of(call, "max", _MAX_MATCHES, 1, 10_000),
        include=tuple(glob for glob in globs if not glob.startswith("!")),
        exclude=(
            *(() if given.get("hidden") else _EXCLUDED),
            *(glob[1:] for glob in globs if glob.startswith("!")),
        ),
        hidden=bool(given.get("hidden")),
        ignored=bool(given.get("hidden")),
        deadline=_SECONDS,
        columns=False,
    )
    found = call.runtime.grep.search([place], query, call.cancel)
    label = call.label
    rows = [_row(label(line.place), line) for line in found.lines]
    count = sum(row["is_match"] for row in rows)
    lines = list(_with_context(rows)) if context else _plain(rows)
    if found.total > count:
        lines.append(f"[{count} of {found.total} matching lines; narrow it, or raise max]")
    if found.timed_out:
        lines.append("[out of time, so there may be more; narrow path and globs]")
    structured = {
        "matches": rows,
        "total": found.total,
        "truncated": found.total > count or found.timed_out,
    }
    return Result.of_text("\n".join(lines) or "(no match)", structured)


def _row(name: str, line: GrepLine) -> Json:
    text = shorten(show_name(line.text), _MAX_LINE)
    return {"path": name, "line": line.line, "text": text, "is_match": line.is_match}


def _plain(rows: Sequence[Json]) -> list[str]:
    return equal_lines_once([(row["path"], row["line"], row["text"]) for row in rows])


def _with_context(rows: Sequence[Json]) -> Iterator[str]:
    """Yield lines as grep prints them, each file named once."""
    path, last = "", 0
    for row in rows:
        if row["path"] != path:
            yield row["path"]
        elif row["line"] > last + 1:
            yield "--"
        yield f"{row['line']}{':' if row['is_match'] else '-'}{row['text']}"
        path, last = row["path"], row["line"]

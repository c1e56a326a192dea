"""find and search: files by name, lines by content."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from stat import S_ISDIR, S_ISLNK, filemode

from redline.core.errors import NotFound, RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.search import GrepLine, GrepQuery, GrepResult
from redline.core.ports.tree import FactLists, Kind
from redline.core.records import replace
from redline.core.text_limits import shorten, shorten_around
from redline.search.found_lines import WholeLines, name_undecoded
from redline.search.ignore import EXCLUDED_DIRECTORIES
from redline.search.levels import ListingScope
from redline.search.listing import Listed, Listing, list_directory, list_files
from redline.services.names import iso_time
from redline.toolsets.agent.answer import globs_of, number_of, resolve
from redline.toolsets.call import Call, Result
from redline.toolsets.compact import by_directory, equal_lines_once, fit_rows
from redline.toolsets.tool import Json

_MAX_ENTRIES = 1000
_MAX_MATCHES = 200
_MAX_LINE = 500
# Of lines that are only counted, this many at most, each cut to this many bytes.
_MAX_COUNTED = 50_000
_SHORT_LINE = 64
_SECONDS = 20.0
_SECOND = 1_000_000_000
# What hardly anybody looks for as text.
_REGEX = re.compile(r"\\[bBdDsSwW.()\[\]{}|*+?^$]|[.)\]][*+?]|\|\w|\(\?|^\^|\w\$$|\[\^?\w-\w")
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
    """Return whether a link stays inside and ends at a file."""
    workspace = call.runtime.workspace
    link = WorkspacePath(root, tuple(relative.split("/")))
    try:
        entry = call.runtime.tree.stat(resolve(call, workspace.absolute(link), exists=True))
    except RedlineError:
        return False
    return entry is not None and entry.kind is Kind.FILE


def _answer(call: Call, root: int, listing: Listing[Listed], *, details: bool) -> Result:
    label = call.label
    listed = [_entry(label(_place(root, row[0])), row) for row in listing.entries]
    entries, lines = fit_rows(listed, _lines_in_full if details else _brief)
    is_cut = len(entries) < len(listed)
    roots = [
        {"path": show_name(root.path), "writable": root.writable}
        for root in call.runtime.workspace.roots
    ]
    if details and len(entries) != 1:
        lines += [_root_line(root) for root in roots]
    if is_cut:
        lines.append(f"[the first {len(entries)}; narrow it]")
    elif listing.truncated:
        lines.append(f"[the first {listing.shown}; narrow it, or raise max]")
    structured = {
        "entries": list(entries),
        "truncated": is_cut or listing.truncated,
        "roots": roots,
    }
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


def _lines_in_full(entries: Sequence[Json]) -> list[str]:
    return [f"{e['mode']} {e['size']} {e['modified']} {e['path']}" for e in entries]


def search(call: Call) -> Result:
    """Find lines that hold a text or match a regex, or only the files that have such lines."""
    given = call.arguments
    output = given.get("output", "lines")
    place = resolve(call, given.get("path") or ".", exists=True)
    globs = globs_of(call)
    context = number_of(call, "context", 0, 0, 20)
    most = number_of(call, "max", _MAX_MATCHES, 1, 10_000)
    query = GrepQuery(
        given["query"],
        literal=not given.get("regex"),
        ignore_case=bool(given.get("ignore_case")),
        context=context,
        max_matches=most,
        include=tuple(glob for glob in globs if not glob.startswith("!")),
        exclude=(
            *(() if given.get("hidden") else _EXCLUDED),
            *(glob[1:] for glob in globs if glob.startswith("!")),
        ),
        hidden=bool(given.get("hidden")),
        ignored=bool(given.get("hidden")),
        deadline=_SECONDS,
        columns=bool(given.get("regex")),
    )
    if output != "lines":
        return _search_files(call, place, query, counts=output == "counts")
    found = call.runtime.grep.search([place], query, call.cancel)
    label, whole = call.label, WholeLines(call.runtime.tree)
    listed = [_row(label(line.place), line, query, whole) for line in found.lines]
    rows, lines = fit_rows(listed, _with_context if context else _plain)
    count = sum(row["is_match"] for row in rows)
    if found.total > count:
        more = "" if len(rows) < len(listed) else ", or raise max"
        lines.append(f"[{count} of {found.total} matching lines; narrow it{more}]")
    if found.timed_out:
        lines.append("[out of time, so there may be more; narrow path and globs]")
    structured = {
        "matches": list(rows),
        "total": found.total,
        "truncated": found.total > count or found.timed_out,
    }
    shown = [*(lines or [_say_nothing(query)]), *_undecoded(call, found)]
    return Result.of_text("\n".join(shown), structured)


def _say_nothing(query: GrepQuery) -> str:
    """Return the answer without a match; a text that looks like a regex may be meant as one."""
    looks_so = query.literal and _REGEX.search(query.pattern)
    return "(no match)" + ' searched as text; for a regex pass {"regex": true}' * bool(looks_so)


def _undecoded(call: Call, found: GrepResult) -> list[str]:
    said = name_undecoded([call.label(path) for path in found.undecoded])
    return [f"[{said}; read takes encoding]"] if said else []


def _search_files(call: Call, place: WorkspacePath, query: GrepQuery, *, counts: bool) -> Result:
    """Return the files with matching lines, at most `max_matches`, or how many each has."""
    wide = replace(query, context=0, max_matches=_MAX_COUNTED, longest_line=_SHORT_LINE)
    found = call.runtime.grep.search([place], wide, call.cancel)
    files = Counter(call.label(line.place) for line in found.lines)
    wanted = list(files.items())[: query.max_matches]
    shown, lines = fit_rows(wanted, _counts if counts else _names)
    is_cut = len(shown) < len(files)
    is_partial = found.total > len(found.lines) or found.timed_out
    if is_cut:
        lines.append(f"[{len(shown)} of {len(files)} files; narrow it, or raise max]")
    if is_partial:
        lines.append("[too many matches to look at all files; narrow path and globs]")
    structured = {
        "matches": [{"path": path, "count": count} for path, count in shown],
        "total": found.total,
        "truncated": is_cut or is_partial,
    }
    lines = lines or ["(no match)"]
    lines += _undecoded(call, found)
    return Result.of_text("\n".join(lines), structured)


def _counts(found: Sequence[tuple[str, int]]) -> list[str]:
    return [f"{path}:{count}" for path, count in found]


def _names(found: Sequence[tuple[str, int]]) -> list[str]:
    return by_directory([path for path, _ in found])


def _row(name: str, line: GrepLine, query: GrepQuery, whole: WholeLines) -> Json:
    text = line.text if len(line.text) <= _MAX_LINE else _window(line, query, whole)
    return {"path": name, "line": line.line, "text": show_name(text), "is_match": line.is_match}


def _window(line: GrepLine, query: GrepQuery, whole: WholeLines) -> str:
    """Return what is around the match in a long line."""
    text = line.text
    if not line.is_match:
        return shorten(text, _MAX_LINE)
    rest = whole.read(line)
    if rest is not None:
        text = rest.decode("utf-8", "surrogateescape")
    at = line.column - 1
    if query.literal:
        fold = str.lower if query.ignore_case else str
        at = fold(text).find(fold(query.pattern))
    return shorten_around(text, _MAX_LINE, max(at, 0))


def _plain(rows: Sequence[Json]) -> list[str]:
    return equal_lines_once([(row["path"], row["line"], row["text"]) for row in rows])


def _with_context(rows: Sequence[Json]) -> list[str]:
    """Return lines as grep prints them, each file named once."""
    lines: list[str] = []
    path, last = "", 0
    for row in rows:
        if row["path"] != path:
            lines.append(row["path"])
        elif row["line"] > last + 1:
            lines.append("--")
        lines.append(f"{row['line']}{':' if row['is_match'] else '-'}{row['text']}")
        path, last = row["path"], row["line"]
    return lines

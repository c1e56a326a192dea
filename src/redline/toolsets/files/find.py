"""search_files and glob_search: files by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from redline.core.errors import InvalidArgument, PathDenied, RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.search import GrepLine
from redline.core.ports.tree import Kind
from redline.search.content import Base, ContentQuestion, ContentSearch, SearchScope
from redline.search.found_lines import ContentFound, name_undecoded
from redline.search.globs import is_glob, matcher, selects, split_base
from redline.search.walk import Excludes, matching_files, names_containing
from redline.toolsets.call import Call, Result
from redline.toolsets.compact import below, by_directory, equal_lines_once
from redline.toolsets.files.answer import answer, clean, link, resolve, resolve_directory, shown
from redline.toolsets.files.tools import is_rich
from redline.toolsets.tool import Json

_CAP = 1000
# Hosts that show only text must not lose the answer: so many paths are in the text, too.
_MAX_PATHS_IN_TEXT = 200


def search_files(call: Call) -> Result:
    """Files and directories whose name contains a text."""
    directory = _text(call, "directory", "path")
    wanted = _text(call, "nameContains", "pattern")
    exclude = _texts(call, "excludeGlobs", "excludePatterns")
    base = resolve_directory(call, directory)
    hits = names_containing(call.runtime.tree, base, wanted, exclude, call.cancel)
    return _answer_with(call, base, hits, "(no matches found)", {})


def glob_search(call: Call) -> Result:
    """Files that any of the globs selects."""
    base = resolve_directory(call, call.arguments["directory"])
    exclude = _texts(call, "excludeGlobs")
    here = call.runtime.workspace.absolute(base).rstrip("/") + "/"
    globs = [re.sub(f"^{re.escape(here)}", "./", glob) for glob in call.arguments["globs"]]
    hits = matching_files(call.runtime.tree, base, globs, exclude, call.cancel)
    cap = call.arguments.get("max", _CAP)
    truncated = 0 < cap < len(hits)
    if truncated:
        hits = hits[:cap]
    return _answer_with(call, base, hits, "(no matches)", {"truncated": truncated})


def _answer_with(
    call: Call, base: WorkspacePath, hits: Sequence[str], nothing: str, facts: Json
) -> Result:
    prefix = call.runtime.workspace.absolute(base).rstrip("/") + "/"
    places = [prefix + hit for hit in hits]
    matches = [clean(place) for place in places]
    notice = f"[truncated at {len(hits)}]" if facts.get("truncated") else ""
    facts = {"matches": matches, "count": len(matches), **facts}
    if hits and call.arguments.get("compact") is True:
        place = shown(call, base)
        names = by_directory(below(place, match) for match in matches)
        text = "\n".join([f"[{_count(hits)} in {place}] {notice}".rstrip(), *names])
        return answer(call, text, facts)
    if not is_rich(call.client):
        return answer(call, "\n".join([notice] * bool(notice) + matches) or nothing, {})
    count = f"[{_count(hits)}]" if hits else nothing
    lines = [f"{count} {notice}".rstrip(), *matches[:_MAX_PATHS_IN_TEXT]]
    if len(matches) > _MAX_PATHS_IN_TEXT:
        lines.append(f"[{len(matches) - _MAX_PATHS_IN_TEXT} more in structuredContent]")
    return answer(call, "\n".join(lines), facts, *map(link, places))


def _count(hits: Sequence[str]) -> str:
    return f"{len(hits)} match{'' if len(hits) == 1 else 'es'}"


def _text(call: Call, name: str, alias: str) -> str:
    value: Any = call.arguments.get(name, call.arguments.get(alias))
    if value is None:
        raise InvalidArgument(f"{name} is required", hint=f"give {name} (string)", field=name)
    if not isinstance(value, str) or not value:
        raise InvalidArgument(f"{name} must be a non-empty string", field=name)
    return value


def _texts(call: Call, name: str, alias: str = "") -> list[str]:
    value: Any = call.arguments.get(name, call.arguments.get(alias, []))
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidArgument(f"{name} must be a list of globs", field=name)
    return value


_DEFAULT_RESULTS = 500
_MAX_RESULTS = 10_000
_MAX_CONTEXT = 50
_Report: TypeAlias = tuple[str, int, str, bool]
"""Path as shown, line number, text, and whether it matches."""


def grep_files(call: Call) -> Result:
    """Search file contents line by line, like grep -n."""
    given = call.arguments
    if given.get("directory") is None and not given.get("globs"):
        raise InvalidArgument("Give directory, globs or both", field="directory")
    if not given["regex"]:
        raise InvalidArgument("regex must not be empty", field="regex")
    question = ContentQuestion(
        given["regex"],
        given.get("caseInsensitive") is True,
        min(given.get("contextLines", 0), _MAX_CONTEXT),
        min(given.get("maxResults", _DEFAULT_RESULTS), _MAX_RESULTS),
    )
    scope, skipped = _scope(call)
    runtime = call.runtime
    search = ContentSearch(runtime.tree, runtime.regex, runtime.grep, call.cancel)
    found = search.run(question, scope) if scope.bases else ContentFound((), False)
    skipped += sum(_leads_outside(call, link) for link in scope.links(runtime.tree, call.cancel))
    empty = not found.lines and scope.is_empty(runtime.tree, call.cancel)
    return _answer_lines(
        call, found, skipped, "(no files to search)" if empty else "(no matches found)"
    )


def _scope(call: Call) -> tuple[SearchScope, int]:
    """Return where to search, and how many globs lie outside of every root."""
    directory = call.arguments.get("directory")
    globs = call.arguments.get("globs") or []
    top = resolve_directory(call, directory) if directory is not None else WorkspacePath(0, ())
    excludes = Excludes(call.arguments.get("excludeGlobs") or [])
    bases: list[Base] = []
    relative = [glob for glob in globs if not glob.startswith("/")]
    if relative or not globs:
        bases.append(Base(top, selects(relative) if relative else None))
    skipped = 0
    for glob in globs:
        if glob.startswith("/"):
            try:
                bases += _absolute(call, glob)
            except PathDenied:
                skipped += 1
    return SearchScope(tuple(bases), top, excludes), skipped


def _leads_outside(call: Call, link: WorkspacePath) -> bool:
    try:
        resolve(call, shown(call, link))
    except PathDenied:
        return True
    except RedlineError:
        return False
    return False


def _absolute(call: Call, glob: str) -> Iterator[Base]:
    """Yield the base of an absolute glob; a plain path is searched itself, with what lies in it."""
    base, rest = split_base(glob)
    path = resolve(call, base if is_glob(rest) else glob)
    entry = call.runtime.tree.stat(path)
    if entry is None:
        return
    if entry.kind is Kind.DIRECTORY:
        yield Base(path, matcher((rest,)) if is_glob(rest) else None)
    elif not is_glob(rest):
        yield Base(path, None, is_file=True)


def _answer_lines(call: Call, found: ContentFound, skipped: int, nothing: str) -> Result:
    tops = [show_name(root.path.rstrip("/")) for root in call.runtime.workspace.roots]
    report = [
        (f"{tops[root]}/{path}", line, text, is_match)
        for root, path, line, text, is_match, _ in _presentable(found.lines)
    ]
    hits = found.count
    base = _base(call, tops[0]) if call.arguments.get("compact") is True else ""
    count = f"{hits} match{'' if hits == 1 else 'es'}{base and f' in {base}'}"
    lines = [f"[truncated at {hits} matches]"] if found.truncated else []
    lines += _lines(report, base, bool(call.arguments.get("contextLines")))
    lines.append(f"[{count}]" if hits else nothing)
    if skipped:
        lines.append(f"[{skipped} path(s) skipped: outside allowed directories]")
    if undecoded := name_undecoded([shown(call, path) for path in found.undecoded]):
        lines.append(f"[{undecoded}; read_file takes encoding]")
    facts = {
        "matches": [
            {"path": path, "line": line, "text": text, "isMatch": is_match}
            for path, line, text, is_match in report
        ],
        "count": hits,
        "truncated": found.truncated,
        "skipped": skipped,
    }
    return answer(call, "\n".join(lines), facts)


def _presentable(lines: Sequence[GrepLine]) -> Sequence[GrepLine]:
    """Lines that fit JSON; nearly always they do as they are."""
    if "".join([line[1] + line[3] for line in lines]).isascii():
        return lines
    return [line._replace(path=clean(line.path), text=clean(line.text)) for line in lines]


def _base(call: Call, top: str) -> str:
    """Return what the paths of a compact answer are relative to."""
    directory = call.arguments.get("directory")
    return shown(call, resolve(call, directory)) if directory is not None else top


def _lines(report: Sequence[_Report], base: str, grouped: bool) -> Iterable[str]:
    if base:
        report = [(below(base, path), line, text, hit) for path, line, text, hit in report]
    if grouped:
        return _with_context(report)
    if base:
        return equal_lines_once([(path, line, text) for path, line, text, _ in report])
    return [f"{path}:{line}:{text}" for path, line, text, _ in report]


def _with_context(report: Sequence[_Report]) -> Iterator[str]:
    """Lines as grep prints them; groups of one file are set apart."""
    last_path, last_line = "", 0
    for path, line, text, is_match in report:
        if path == last_path and line > last_line + 1:
            yield "--"
        mark = ":" if is_match else "-"
        yield f"{path}{mark}{line}{mark}{text}"
        last_path, last_line = path, line

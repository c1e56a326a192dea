"""grep_files: lines of contents that match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from redline.core.errors import InvalidArgument, PathDenied, RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.search import GrepLine
from redline.core.ports.tree import Kind
from redline.search.content import Base, ContentQuestion, ContentSearch, SearchScope
from redline.search.found_lines import ContentFound, name_undecoded
from redline.search.globs import is_glob, matcher, selects, split_base
from redline.search.walk import Excludes
from redline.toolsets.call import Call, Result
from redline.toolsets.compact import below, equal_lines_once
from redline.toolsets.files.answer import answer, clean, resolve, resolve_directory, shown

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
    return _answer_with(
        call, found, skipped, "(no files to search)" if empty else "(no matches found)"
    )


def _scope(call: Call) -> tuple[SearchScope, int]:
    """Where to search, and how many globs lie outside of every root."""
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
    """The base of an absolute glob; a plain path is searched itself, with what lies in it."""
    base, rest = split_base(glob)
    path = resolve(call, base if is_glob(rest) else glob)
    entry = call.runtime.tree.stat(path)
    if entry is None:
        return
    if entry.kind is Kind.DIRECTORY:
        yield Base(path, matcher((rest,)) if is_glob(rest) else None)
    elif not is_glob(rest):
        yield Base(path, None, is_file=True)


def _answer_with(call: Call, found: ContentFound, skipped: int, nothing: str) -> Result:
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
    """What the paths of a compact answer are relative to."""
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

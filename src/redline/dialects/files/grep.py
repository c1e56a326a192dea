"""grep_files: lines of contents that match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from redline.core.errors import InvalidArgument, PathDenied
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.search import GrepLine
from redline.core.ports.tree import Kind
from redline.dialects.files.answer import answer, clean, resolve, shown
from redline.dialects.files.compact import below, equal_lines_once
from redline.dialects.files.find import searched
from redline.dialects.tool import Call, Result
from redline.search.content import Base, ContentSearch, Found, Question, Scope
from redline.search.globs import is_glob, matcher, selects, split_base
from redline.search.walk import Excludes

_DEFAULT_RESULTS = 500
_MOST_RESULTS = 10_000
_MOST_CONTEXT = 50


def grep_files(call: Call) -> Result:
    """Search file contents line by line, like grep -n."""
    given = call.arguments
    if given.get("directory") is None and not given.get("globs"):
        raise InvalidArgument("Give directory, globs or both", field="directory")
    if not given["regex"]:
        raise InvalidArgument("regex must not be empty", field="regex")
    question = Question(
        given["regex"],
        given.get("caseInsensitive") is True,
        min(given.get("contextLines", 0), _MOST_CONTEXT),
        min(given.get("maxResults", _DEFAULT_RESULTS), _MOST_RESULTS),
    )
    scope, skipped = _scope(call)
    runtime = call.runtime
    search = ContentSearch(runtime.tree, runtime.regex, runtime.grep, call.cancel)
    found = search.run(question, scope) if scope.bases else Found((), False)
    empty = not found.lines and scope.is_empty(runtime.tree, call.cancel)
    return _answered(
        call, found, skipped, "(no files to search)" if empty else "(no matches found)"
    )


def _scope(call: Call) -> tuple[Scope, int]:
    """Where to search, and how many globs lie outside of every root."""
    directory = call.arguments.get("directory")
    globs = call.arguments.get("globs") or []
    top = searched(call, directory) if directory is not None else WorkspacePath(0, ())
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
    return Scope(tuple(bases), top, excludes), skipped


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


def _answered(call: Call, found: Found, skipped: int, nothing: str) -> Result:
    tops = [show_name(root.path.rstrip("/")) for root in call.runtime.workspace.roots]
    # Lines of one file share its path, and comparing what it is spares comparing what it says.
    names = {
        id(path): f"{tops[path.root]}/{clean('/'.join(path.parts))}"
        for path in {id(line.path): line.path for line in found.lines}.values()
    }
    lines = [f"[truncated at {found.count} matches]"] if found.truncated else []
    base = _base(call, tops[0]) if call.arguments.get("compact") is True else ""
    lines += _compact_lines(call, found, names, base) if base else _lines(call, found, names)
    count = f"{found.count} match{'' if found.count == 1 else 'es'}{base and f' in {base}'}"
    lines.append(f"[{count}]" if found.count else nothing)
    if skipped:
        lines.append(f"[{skipped} path(s) skipped: outside allowed directories]")
    matches = [
        {"path": names[id(line.path)], "line": line.line, "text": clean(line.text)}
        for line in found.lines
        if line.is_match
    ]
    facts = {"matches": matches, "truncated": found.truncated, "skipped": skipped}
    return answer(call, "\n".join(lines), facts)


def _base(call: Call, top: str) -> str:
    """What the paths of a compact answer are relative to."""
    directory = call.arguments.get("directory")
    return shown(call, resolve(call, directory)) if directory is not None else top


def _compact_lines(call: Call, found: Found, names: dict[int, str], base: str) -> Iterable[str]:
    names = {key: below(base, name) for key, name in names.items()}
    if call.arguments.get("contextLines"):
        return _lines(call, found, names)
    return equal_lines_once(
        [(names[id(line.path)], line.line, clean(line.text)) for line in found.lines]
    )


def _lines(call: Call, found: Found, names: dict[int, str]) -> Iterable[str]:
    return _grep_lines(found, names, bool(call.arguments.get("contextLines")))


def _grep_lines(found: Found, names: dict[int, str], grouped: bool) -> Iterator[str]:
    """Lines as grep prints them; groups of one file are set apart when there is context."""
    last: GrepLine | None = None
    for line in found.lines:
        if grouped and last is not None and last.path == line.path and line.line > last.line + 1:
            yield "--"
        mark = ":" if line.is_match else "-"
        yield f"{names[id(line.path)]}{mark}{line.line}{mark}{clean(line.text)}"
        last = line

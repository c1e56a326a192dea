"""doc_get, doc_query and doc_validate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from redline.core.errors import DocumentSyntax, InvalidArgument, NotFound, PathError, RedlineError
from redline.core.paths import Access, WorkspacePath
from redline.documents.base.model import MAX_BYTES
from redline.documents.base.path import parse_path, render_path
from redline.documents.isolated import Source, detect, named_schema, query, read, validate
from redline.documents.query import Match
from redline.documents.schema import Problem, is_dialect, syntax_problem
from redline.toolsets.documents.targets import shown, targets
from redline.toolsets.tool import Call, Json, Result

# A match's source is shown up to here; doc_get gives the rest.
_SHOWN = 400
_MOST_TEXT = 200_000


def doc_get(call: Call) -> Result:
    """The source text of one value."""
    steps = parse_path(call.arguments.get("path", ""))
    raw = call.arguments["file"]
    place = call.runtime.workspace.resolve(raw, Access.READ, must_exist=True)
    source = _source(call, place)
    with _named(call, place):
        found = read(call.runtime.confined, source, steps)
    text = found.text.encode("utf-8", "replace").decode()
    notes = list(found.notes)
    if len(text) > _MOST_TEXT:
        notes.append(f"cut at {_MOST_TEXT} of {len(text)} characters; ask for a deeper path")
        text = text[:_MOST_TEXT]
    structured = {
        "text": text,
        "kind": found.kind,
        "line": found.line,
        "column": found.column,
        "format": source.form,
        "notes": notes,
    }
    return Result.of_text(text, structured)


def doc_query(call: Call) -> Result:
    """The values an expression selects, with paths, lines and source."""
    limit = int(call.arguments.get("limit", 100))
    regex = call.runtime.regex

    def test(pattern: str, text: str, whole: bool) -> bool:
        call.cancel.check()
        wrapped = f"^(?:{pattern})$" if whole else pattern
        return bool(regex.find(wrapped, text, flags="u", limit=1))

    matches: list[Json] = []
    total = 0
    places = targets(call, Access.READ)
    for place in places:
        call.cancel.check()
        with _named(call, place):
            found, count = query(
                call.runtime.confined,
                _source(call, place),
                call.arguments["expression"],
                test,
                limit - len(matches),
            )
        total += count
        name = shown(call, place)
        matches += [_match(match, name if len(places) > 1 else None) for match in found]
    structured = {"matches": matches, "total": total, "truncated": total > len(matches)}
    lines = [_line(match) for match in matches]
    if total > len(matches):
        lines.append(f"... {total - len(matches)} more; raise limit or narrow the expression")
    return Result.of_text("\n".join(lines) or "no match", structured)


def doc_validate(call: Call) -> Result:
    """What is wrong with one or several files."""
    problems: list[Json] = []
    checked: list[Json] = []
    for place in targets(call, Access.READ):
        call.cancel.check()
        name = shown(call, place)
        found, schema = _validate(call, place)
        checked.append({"file": name, "schema": schema, "problems": len(found)})
        for problem in found:
            facts = {k: v for k, v in asdict(problem).items() if v not in (None, "")}
            problems.append({"file": name, **facts})
    structured = {"valid": not problems, "problems": problems, "checked": checked}
    lines = [_problem_line(problem) for problem in problems[:200]]
    if not problems:
        lines = [
            f"{item['file']}: valid" + (f" ({item['schema']})" if item["schema"] else "")
            for item in checked
        ]
    return Result.of_text("\n".join(lines), structured)


def _source(call: Call, place: WorkspacePath) -> Source:
    data = call.runtime.tree.read(place, MAX_BYTES)
    form = detect(call.runtime.confined, shown(call, place), data, call.arguments.get("format"))
    return Source(data, form, call.arguments.get("doc_index", 0))


@contextmanager
def _named(call: Call, place: WorkspacePath) -> Iterator[None]:
    """What fails inside says in which file."""
    try:
        yield
    except RedlineError as error:
        error.details.setdefault("file", shown(call, place))
        raise


def _validate(call: Call, place: WorkspacePath) -> tuple[list[Problem], str | None]:
    try:
        source = _source(call, place)
        with _named(call, place):
            named = named_schema(call.runtime.confined, source)
        schema = _schema_of(call, named, place)
        if schema is None:
            return [], None
        found, total = validate(
            call.runtime.confined, source, schema, lambda name: _read(call, name)
        )
    except DocumentSyntax as error:
        return [syntax_problem(error)], None
    if total > len(found):
        found.append(Problem(f"{total - len(found)} more problems"))
    return found, schema


def _schema_of(call: Call, named: str | None, place: WorkspacePath) -> str | None:
    """The schema to use, as a path from the workspace: only files, never an address.

    None where nothing names one. InvalidArgument when the document names one that is not here:
    "valid" would be a guess.
    """
    given = call.arguments.get("schema")
    if given is not None:
        return str(given)
    if named is None or named.startswith(("#", "none")):
        return None
    if is_dialect(named):
        return named
    if "://" in named:
        raise _not_here(named, "only files of the workspace are read")
    path = WorkspacePath(place.root, place.parent.parts)
    relative = f"{call.runtime.workspace.absolute(path)}/{named.partition('#')[0]}"
    try:
        return _name(call, relative)
    except PathError as error:
        raise _not_here(named, error.message) from None


def _not_here(named: str, why: str) -> InvalidArgument:
    return InvalidArgument(
        f"The document names a schema that cannot be used ({why}): {named}",
        field="schema",
        hint="give schema: the path of a schema file in the workspace",
    )


def _name(call: Call, raw: str) -> str:
    found = call.runtime.workspace.resolve(raw, Access.READ, must_exist=True)
    return shown(call, found)


def _read(call: Call, name: str) -> bytes:
    try:
        place = call.runtime.workspace.resolve(name, Access.READ, must_exist=True)
        return call.runtime.tree.read(place, MAX_BYTES)
    except NotFound as error:
        raise InvalidArgument(f"No such schema file: {error.path}", field="schema") from None


def _match(match: Match, file: str | None) -> Json:
    found: Json = {"path": render_path(match.path)}
    if file is not None:
        found["file"] = file
    if match.slice is not None:
        text = match.slice.text.encode("utf-8", "replace").decode()
        found["line"] = match.slice.line
        found["kind"] = match.slice.kind
        found["text"] = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    return found


def _line(match: Json) -> str:
    where = ":".join(str(match[key]) for key in ("file", "line") if key in match)
    return f"{where}: {match['path'] or '(root)'} = {match.get('text', '')}"


def _problem_line(problem: Json) -> str:
    where = ":".join(str(problem[key]) for key in ("file", "line", "column") if key in problem)
    path = f" {problem['path']}:" if problem.get("path") else ""
    return f"{where}:{path} {problem['message']}"

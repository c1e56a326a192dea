"""doc_get, doc_query and doc_validate."""

from __future__ import annotations

from redline.core.paths import Access
from redline.core.records import asdict
from redline.core.text_limits import shorten
from redline.documents.base.path import parse_path, render_path
from redline.documents.query import Match
from redline.services.documents.read import naming_file, open_document, query_files, read_value
from redline.services.documents.validate import validate_file
from redline.services.names import display_name
from redline.toolsets.call import Call, Result
from redline.toolsets.documents.targets import options_of, targets
from redline.toolsets.tool import Json

# The source of a match is shown up to this length; doc_get returns the rest.
_MAX_MATCH_CHARS = 403
_MAX_TEXT = 200_000


def doc_get(call: Call) -> Result:
    """The source text of one value."""
    runtime = call.runtime
    steps = parse_path(call.arguments.get("path", ""))
    place = runtime.workspace.resolve(call.arguments["file"], Access.READ, must_exist=True)
    source = open_document(runtime, place, options_of(call))
    with naming_file(display_name(runtime.workspace, place)):
        found = read_value(runtime, source, steps)
    text = found.text.encode("utf-8", "replace").decode()
    notes = list(found.notes)
    if len(text) > _MAX_TEXT:
        notes.append(f"cut at {_MAX_TEXT} of {len(text)} characters; ask for a deeper path")
        text = text[:_MAX_TEXT]
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
    places = targets(call, Access.READ)
    found, total = query_files(
        call.runtime, places, call.arguments["expression"], options_of(call), limit, call.cancel
    )
    matches = [_match(each.match, each.file if len(places) > 1 else None) for each in found]
    structured = {"matches": matches, "total": total, "truncated": total > len(matches)}
    lines = [_line(match) for match in matches]
    if total > len(matches):
        lines.append(f"... {total - len(matches)} more; raise limit or narrow the expression")
    return Result.of_text("\n".join(lines) or "no match", structured)


def doc_validate(call: Call) -> Result:
    """What is wrong with one or several files."""
    problems: list[Json] = []
    checked: list[Json] = []
    given = call.arguments.get("schema")
    schema = None if given is None else str(given)
    for place in targets(call, Access.READ):
        call.cancel.check()
        done = validate_file(call.runtime, place, options_of(call), schema)
        checked.append({"file": done.file, "schema": done.schema, "problems": len(done.problems)})
        for problem in done.problems:
            facts = {k: v for k, v in asdict(problem).items() if v not in (None, "")}
            problems.append({"file": done.file, **facts})
    structured = {"valid": not problems, "problems": problems, "checked": checked}
    lines = [_problem_line(problem) for problem in problems[:200]]
    if not problems:
        lines = [
            f"{item['file']}: valid" + (f" ({item['schema']})" if item["schema"] else "")
            for item in checked
        ]
    return Result.of_text("\n".join(lines), structured)


def _match(match: Match, file: str | None) -> Json:
    found: Json = {"path": render_path(match.path)}
    if file is not None:
        found["file"] = file
    if match.slice is not None:
        text = match.slice.text.encode("utf-8", "replace").decode()
        found["line"] = match.slice.line
        found["kind"] = match.slice.kind
        found["text"] = shorten(text, _MAX_MATCH_CHARS)
    return found


def _line(match: Json) -> str:
    where = ":".join(str(match[key]) for key in ("file", "line") if key in match)
    return f"{where}: {match['path'] or '(root)'} = {match.get('text', '')}"


def _problem_line(problem: Json) -> str:
    where = ":".join(str(problem[key]) for key in ("file", "line", "column") if key in problem)
    path = f" {problem['path']}:" if problem.get("path") else ""
    return f"{where}:{path} {problem['message']}"

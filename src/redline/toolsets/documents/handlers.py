"""The tools of `docs`: get, query, validate, set, insert and delete; one call is one operation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from redline.core.diff import diff_labels, first_of, pieces_of_diff
from redline.core.errors import DocumentError, InvalidArgument, RedlineError
from redline.core.paths import Access, WorkspacePath, show_name
from redline.core.records import asdict
from redline.core.text_limits import shorten
from redline.documents.base.path import parse_path, render_path
from redline.documents.editing import DocEdit, Options
from redline.documents.query import Match
from redline.services import documents
from redline.services.names import display_name
from redline.services.select import select_files
from redline.toolsets.call import Call, FailedCall, Result
from redline.toolsets.tool import Json


def targets(call: Call, access: Access) -> list[WorkspacePath]:
    """Return the files of the call's `file` argument, resolved for *access*."""
    return select_files(call.runtime, str(call.arguments["file"]), access, call.cancel)


def options_of(call: Call) -> Options:
    """Return how the call wants its files to be read and edited."""
    arguments = call.arguments
    return Options(
        arguments.get("format"),
        arguments.get("doc_index", 0),
        create_parents=bool(arguments.get("create_parents")),
    )


# The source of a match is shown up to this length; doc_get returns the rest.
_MAX_MATCH_CHARS = 403
_MAX_TEXT = 200_000


def doc_get(call: Call) -> Result:
    """Return the source text of one value."""
    runtime = call.runtime
    steps = parse_path(call.arguments.get("path", ""))
    place = runtime.workspace.resolve(call.arguments["file"], Access.READ, must_exist=True)
    source = documents.open_document(runtime, place, options_of(call))
    with documents.naming_file(display_name(runtime.workspace, place)):
        found = documents.read_value(runtime, source, steps)
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
    """Return the values an expression selects, with paths, lines and source."""
    limit = int(call.arguments.get("limit", 100))
    places = targets(call, Access.READ)
    found, total = documents.query_files(
        call.runtime, places, call.arguments["expression"], options_of(call), limit, call.cancel
    )
    matches = [_match(each.match, each.file if len(places) > 1 else None) for each in found]
    structured = {"matches": matches, "total": total, "truncated": total > len(matches)}
    lines = [_line(match) for match in matches]
    if total > len(matches):
        lines.append(f"... {total - len(matches)} more; raise limit or narrow the expression")
    return Result.of_text("\n".join(lines) or "no match", structured)


def doc_validate(call: Call) -> Result:
    """Return what is wrong with one or several files."""
    problems: list[Json] = []
    checked: list[Json] = []
    given = call.arguments.get("schema")
    schema = None if given is None else str(given)
    for place in targets(call, Access.READ):
        call.cancel.check()
        done = documents.validate_file(call.runtime, place, options_of(call), schema)
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


_MAX_DIFF = 100_000


def doc_set(call: Call) -> Result:
    """Replace values, or carry out several edits."""
    arguments = call.arguments
    single: Json = {
        key: arguments[key] for key in ("path", "value", "value_format") if key in arguments
    }
    listed: list[Json] = arguments.get("edits", [])
    if listed and single:
        raise InvalidArgument("Give either path and value or edits, not both", field="edits")
    if not listed and not {"path", "value"} <= set(single):
        raise InvalidArgument("path and value are needed (or edits)", field="path")
    edits = [_edit(raw, number) for number, raw in enumerate(listed)] or [_edit(single, 0)]
    return _carry_out(call, edits)


def doc_insert(call: Call) -> Result:
    """Add a list item or key."""
    return _carry_out(call, [_edit({**call.arguments, "action": "insert"}, 0)])


def doc_delete(call: Call) -> Result:
    """Remove a key or list item."""
    return _carry_out(call, [_edit({**call.arguments, "action": "delete"}, 0)])


def _edit(raw: Json, number: int) -> DocEdit:
    action = raw.get("action", "set")
    if action != "delete" and "value" not in raw:
        raise InvalidArgument(f"edits[{number}] has no value", field="edits")
    as_json = raw.get("value_format") == "json"
    return DocEdit(action, parse_path(raw["path"]), raw.get("value", ""), as_json)


def _carry_out(call: Call, edits: Sequence[DocEdit]) -> Result:
    arguments, runtime = call.arguments, call.runtime
    dry_run = bool(arguments.get("dry_run"))
    places = targets(call, Access.READ if dry_run else Access.WRITE)
    options = options_of(call)
    label = call.label
    try:
        if dry_run:
            done = documents.plan_edits(runtime, places, edits, options, label, call.cancel)
        else:
            summary = f"{edits[0].action} {arguments.get('path', f'{len(edits)} values')}"
            origin = call.origin(summary)
            done = documents.edit_documents(
                runtime, places, edits, options, label, origin, call.cancel
            )
    except DocumentError as error:
        error.details.setdefault("file", label(places[0]))
        raise
    foreseen = call.foresee(done.change_set) if dry_run else []
    return _answer(done, foreseen, dry_run=dry_run)


def _answer(done: documents.EditedDocuments, foreseen: Sequence[str], *, dry_run: bool) -> Result:
    files = [file.name for file in done.changed]
    diff, notes = _diff(done), [*_notes(done), *foreseen]
    operation = done.operation.id if done.operation is not None else ""
    structured = {
        "id": operation or None,
        "dry_run": dry_run,
        "files": files,
        "diff": diff,
        "notes": notes,
    }
    lines = [f"note: {note}" for note in notes]
    if not diff:
        lines.append("no change")
    elif operation:
        lines.append(f"changed {', '.join(files[:5])}{' ...' if len(files) > 5 else ''}")
    return Result.of_text("\n".join([*lines, diff]).rstrip("\n"), structured)


def _notes(done: documents.EditedDocuments) -> list[str]:
    several = len(done.files) > 1
    notes = [
        f"{file.name}: {note}" if several else note for file in done.changed for note in file.notes
    ]
    return [*notes, *(done.operation.notes if done.operation is not None else ())]


def _diff(done: documents.EditedDocuments) -> str:
    pieces = (
        pieces_of_diff(file.source, file.after, *diff_labels(file.name), fold=True)
        for file in done.changed
    )
    diff, size = first_of(chain.from_iterable(pieces), _MAX_DIFF)
    if size > _MAX_DIFF:
        diff = f"{diff}\n... cut at {_MAX_DIFF} of {size} characters\n"
    return diff


def word(error: RedlineError, call: FailedCall) -> Result:
    """Return the failure as a result: the fact, the hint, and machine-readable details."""
    structured = {
        "error": type(error).__name__,
        "message": show_name(error.message),
        "tool": call.tool,
        **{k: v for k, v in error.details.items() if k not in ("error", "message", "tool")},
    }
    if error.hint:
        structured["hint"] = show_name(error.hint)
    return Result.of_text(show_name(error.text), structured, is_error=True)

"""get and set: values of YAML, JSON, JSONC, JSON5 and TOML files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redline.core.changes import ChangeSet
from redline.core.errors import CannotApply, DocumentError, InvalidArgument, NodeNotFound
from redline.core.paths import Access, WorkspacePath
from redline.core.records import asdict
from redline.core.text_limits import MAX_SHOWN, shorten
from redline.core.wording import join_texts
from redline.documents.base.path import Path, read_path, render_path
from redline.documents.editing import DocEdit, Options, edit_at
from redline.documents.isolated import DocumentSource
from redline.instruct.model.values import dumps
from redline.services import documents
from redline.services.commit import Planned
from redline.services.select import select_files
from redline.toolsets.agent.answer import access_of, carry_out, edits_of, number_of, resolve
from redline.toolsets.call import Call, Result
from redline.toolsets.compact import fit_rows
from redline.toolsets.exact_arguments import exact_argument
from redline.toolsets.tool import Json

_MAX_MATCH = 400
_MAX_MATCHES = 100
_MAX_KEYS = 3
_MAX_SUMMARY = 200
_OWN_SCHEMA = "own"
_SEVERAL = "of several files, give key as a JSONPath, such as $..port"


def get(call: Call) -> Result:
    """Return the source text of values, the values a JSONPath selects, or what is not valid."""
    given = call.arguments
    if given.get("schema"):
        return _validate(call)
    key = given.get("key") or ""
    if key.startswith("$"):
        return _query(call, key)
    path = resolve(call, given["path"], exists=True, for_globs=_SEVERAL)
    name = call.label(path)
    with documents.naming_file(name):
        documents.refuse_code(name, call.arguments.get("format"))
        source = documents.open_document(call.runtime, path, _options(call))
        wanted = read_path(key)
        try:
            found = documents.read_value(call.runtime, source, wanted)
        except NodeNotFound as error:
            other = _other_document(call, source, wanted)
            error.hint = (
                error.hint if other is None else f'pass {{"document": {other}}}, which has it'
            )
            raise
    text = documents.as_own_document(found).encode("utf-8", "replace").decode()
    notes = list(found.notes)
    if len(text) > MAX_SHOWN:
        notes.append(f"cut at {MAX_SHOWN} of {len(text)} characters; ask for a deeper key")
        text = text[:MAX_SHOWN]
    value = {"path": name, "key": key, "text": text, "kind": found.kind, "line": found.line}
    lines = [text, *(f"note: {note}" for note in notes)]
    return Result.of_text("\n".join(lines), {"values": [value], "total": 1, "notes": notes})


def _query(call: Call, expression: str) -> Result:
    places = _select(call, Access.READ)
    most = number_of(call, "max", _MAX_MATCHES, 1, 1000)
    found, total = documents.query_files(
        call.runtime,
        places,
        expression,
        _options(call),
        most,
        call.cancel,
        every_document="document" not in call.arguments,
    )
    values: list[Json] = []
    for each in found:
        value: Json = {"path": each.file, "key": render_path(each.match.path)}
        if each.document:
            value["document"] = each.document
        if each.match.slice is not None:
            text = each.match.slice.text.encode("utf-8", "replace").decode()
            value |= {
                "text": shorten(text, _MAX_MATCH),
                "kind": each.match.slice.kind,
                "line": each.match.slice.line,
            }
        values.append(value)
    shown, lines = fit_rows(values, _lines_of_values)
    notes = [f"{total - len(shown)} more; raise max or narrow key"] if total > len(shown) else []
    text = "\n".join([*lines, *(f"note: {note}" for note in notes)]) or "(no match)"
    return Result.of_text(text, {"values": list(shown), "total": total, "notes": notes})


def _lines_of_values(values: Sequence[Json]) -> list[str]:
    return [
        f"{v['path']}:{v.get('line', '')}: {v['key'] or '(all)'} = {v.get('text', '')}"
        + (f"  (document {v['document']})" if "document" in v else "")
        for v in values
    ]


def _validate(call: Call) -> Result:
    schema = call.arguments["schema"]
    problems: list[Json] = []
    lines: list[str] = []
    for place in _select(call, Access.READ):
        call.cancel.check()
        done = documents.validate_file(
            call.runtime, place, _options(call), None if schema == _OWN_SCHEMA else schema
        )
        if not done.problems:
            by = f" by {done.schema}" if done.schema else ": it parses, and names no schema"
            lines.append(f"{done.file}: valid{by}")
        for problem in done.problems:
            facts = {k: v for k, v in asdict(problem).items() if v not in (None, "")}
            problems.append({"file": done.file, **facts})
            where = ":".join(str(facts[k]) for k in ("line", "column") if k in facts)
            lines.append(f"{done.file}:{where}: {facts.get('path', '')} {facts['message']}")
    shown, _ = fit_rows(lines, list)
    cut = [] if len(shown) == len(lines) else [f"[the first {len(shown)} of {len(lines)} lines]"]
    text = "\n".join([*shown, *cut])
    return Result.of_text(text, {"valid": not problems, "problems": problems})


def set_values(call: Call) -> Result:
    """Set, insert and delete values, all of them or none."""
    groups = _groups(call)
    options, label = _options(call), call.label

    def plan() -> Planned[None]:
        changes, notes = ChangeSet(), list[str]()
        for path, edits in groups.items():
            documents.refuse_code(label(path), options.form)
            try:
                _require_document(call, path, edits)
                done = documents.plan_edits(
                    call.runtime, [path], edits, options, label, call.cancel
                )
            except DocumentError as error:
                error.details.setdefault("file", label(path))
                if len(groups) > 1:
                    error.message = join_texts(
                        f"{label(path)}: ", error.message_text, " (no file was changed)"
                    )
                raise
            changes += done.change_set
            notes.extend(done.notes)
        return Planned(changes, None, tuple(notes))

    return carry_out(call, plan, _summarize(call, groups))


def _summarize(call: Call, groups: dict[WorkspacePath, list[DocEdit]]) -> str:
    """Say which values are set and where, for the history."""
    named = (e.selection or render_path(e.path) for edits in groups.values() for e in edits)
    keys = list(dict.fromkeys(named))
    more = f" and {len(keys) - _MAX_KEYS} more" if len(keys) > _MAX_KEYS else ""
    where = call.label(next(iter(groups))) if len(groups) == 1 else f"{len(groups)} files"
    return shorten(f"set {', '.join(keys[:_MAX_KEYS])}{more} in {where}", _MAX_SUMMARY)


def _require_document(call: Call, path: WorkspacePath, edits: list[DocEdit]) -> None:
    """Refuse a key that the first document of a file does not have, but another has; CannotApply.

    It would be new in the first one.
    """
    if "document" in call.arguments:
        return
    source = documents.open_document(call.runtime, path, _options(call))
    for edit in edits if documents.has_several(source) else ():
        other = None if edit.selection else _other_document(call, source, edit.path)
        if other:
            raise CannotApply(
                f"Not in document 0 of the file but in document {other}: {render_path(edit.path)}",
                hint=f'pass {{"document": {other}}}, or 0 for the first document',
            )


def _other_document(call: Call, source: DocumentSource, path: Path) -> int | None:
    """Return the document of a file that has *path*, if the call names none."""
    if "document" in call.arguments or not documents.has_several(source):
        return None
    return documents.find_document(call.runtime, source, path)


def _groups(call: Call) -> dict[WorkspacePath, list[DocEdit]]:
    """Return the edits of each file, in order."""
    exact: Any = exact_argument(call, "edits", call.arguments["edits"])
    groups: dict[WorkspacePath, list[DocEdit]] = {}
    for number, ((raw, item), written) in enumerate(zip(edits_of(call), exact, strict=True)):
        edit = _edit(number, item, written)
        for path in select_files(call.runtime, raw, access_of(call), call.cancel):
            groups.setdefault(path, []).append(edit)
    return groups


def _edit(number: int, item: Json, written: Any) -> DocEdit:
    action, key, name = item.get("action", "set"), item["key"], item.get("rename")
    values = [field for field in ("value", "source", "rename") if field in item]
    if len(values) != (action != "delete"):
        raise InvalidArgument(f"edits[{number}] needs one of value, source, rename", field="edits")
    if name is not None and (action != "set" or not name or item.get("after")):
        raise InvalidArgument(
            f"edits[{number}]: rename needs a name, and no action or after", field="edits"
        )
    if action == "delete":
        return edit_at(action, key, selects=True)
    if name is not None:
        return edit_at("rename", key, name, selects=True)
    after = item.get("after") or ""
    if "source" in item:
        return edit_at(action, key, item["source"], after=after, selects=True)
    given = dumps(written["value"])
    return edit_at(action, key, given, as_json=True, after=after, selects=True)


def _select(call: Call, access: Access) -> list[WorkspacePath]:
    return select_files(call.runtime, str(call.arguments["path"]), access, call.cancel)


def _options(call: Call) -> Options:
    given = call.arguments
    return Options(
        given.get("format"),
        given.get("document", 0),
        create_parents=bool(given.get("create")),
        every_document="document" not in given,
    )

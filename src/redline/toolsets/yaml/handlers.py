"""noyalib_get and noyalib_set."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core import errors
from redline.core.diff import diff_of_files
from redline.core.errors import NotFound
from redline.core.paths import Access, WorkspacePath, show_name
from redline.documents.base.path import parse_path
from redline.documents.editing import DocEdit, Options
from redline.documents.yaml.edit.fragment import Fragment
from redline.services import documents
from redline.toolsets.call import Call, FailedCall, Result, RpcFailure
from redline.toolsets.tool import Json


def get(call: Call) -> Result:
    """Return the source text of the value at a path."""
    arguments = call.arguments
    steps = parse_path(arguments["path"])
    place = _file(call, Access.READ)
    found = documents.read_value(
        call.runtime, documents.open_document(call.runtime, place, _options(arguments)), steps
    )
    result = Result.of_text(found.text)
    if not found.notes:
        return result
    return Result(result.content, meta={"redline/notes": list(found.notes)})


def set_value(call: Call) -> Result:
    """Replace the value at a path, or add the key."""
    arguments, runtime = call.arguments, call.runtime
    edits = [DocEdit("set", parse_path(arguments["path"]), arguments["value"])]
    options = _options(arguments)
    access = Access.READ if arguments.get("dry_run") else Access.WRITE
    places = [_file(call, access)]
    label = runtime.workspace.absolute
    if arguments.get("dry_run"):
        planned = documents.plan_edits(runtime, places, edits, options, label, call.cancel)
        return _preview(arguments, planned.files[0], call.foresee(planned.change_set))
    origin = call.origin(f"set {arguments['path']} in {arguments['file']}")
    done = documents.edit_documents(runtime, places, edits, options, label, origin, call.cancel)
    return _answer(
        f"set {arguments['path']} = {_written(arguments['value'])} in {arguments['file']} "
        "(lossless: comments and formatting preserved)",
        done.notes,
    )


def _written(value: str) -> str:
    """Return the value without the comments around it, which are not written."""
    return Fragment(value).text.decode("utf-8") if "#" in value else value


def _file(call: Call, access: Access) -> WorkspacePath:
    raw = call.arguments["file"]
    if not raw:
        raise NotFound(raw, hint="pass the path of a YAML file")
    return call.runtime.workspace.resolve(raw, access, must_exist=True)


def _options(arguments: Json) -> Options:
    return Options(
        "yaml", arguments.get("doc_index", 0), create_parents=arguments.get("create_parents", False)
    )


def _preview(arguments: Json, file: documents.EditedDocument, foreseen: Sequence[str]) -> Result:
    name = arguments["file"]
    diff = diff_of_files(file.source, file.after, name, name)
    return _answer(diff or "no change", (*file.notes, *foreseen))


def _answer(text: str, notes: Sequence[str]) -> Result:
    blocks = [{"type": "text", "text": text}]
    if notes:
        blocks.append({"type": "text", "text": "\n".join(f"note: {n}" for n in notes)})
    return Result(blocks)


IO = -32000
PARSE = -32001
NOT_FOUND = -32002
CANNOT_APPLY = -32003
INVALID_PARAMS = -32602

# No tool here inserts.
_INDEX_HINT = "indexes begin at 0; to add an item, set the whole sequence"


def word(error: errors.RedlineError, call: FailedCall) -> RpcFailure:
    """Return the JSON-RPC error for *error*."""
    text = f"{error.message}\nhint: {_INDEX_HINT}" if "length" in error.details else error.text
    return RpcFailure(_code(error, call), show_name(text), dict(error.details) or None)


def _code(error: errors.RedlineError, call: FailedCall) -> int:
    is_set = call.tool == "noyalib_set"
    if isinstance(error, errors.NodeNotFound) or _is_malformed_path(error, call):
        return CANNOT_APPLY if is_set else NOT_FOUND
    if isinstance(error, errors.InvalidArgument):
        return INVALID_PARAMS
    if isinstance(error, errors.DocumentSyntax):
        return PARSE
    if isinstance(error, errors.CannotApply | errors.MatchError):
        return CANNOT_APPLY if is_set else PARSE
    return IO


def _is_malformed_path(error: errors.RedlineError, call: FailedCall) -> bool:
    """Return whether the path is text that leads nowhere; the argument code is for other types."""
    is_about_path = isinstance(error, errors.InvalidArgument) and error.field == "path"
    return is_about_path and isinstance(call.arguments.get("path"), str)

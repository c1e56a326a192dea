"""noyalib_get and noyalib_set."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.diff import diff_of_files
from redline.core.errors import NotFound
from redline.core.paths import Access, WorkspacePath
from redline.documents.base.path import parse_path
from redline.documents.editing import DocEdit, Options
from redline.documents.yaml.edit.fragment import Fragment
from redline.services.documents.edit import EditedDocument, edit_documents, plan_edits
from redline.services.documents.read import open_document, read_value
from redline.toolsets.call import Call, Result
from redline.toolsets.tool import Json


def get(call: Call) -> Result:
    """The source text of the value at a path."""
    arguments = call.arguments
    steps = parse_path(arguments["path"])
    place = _file(call, Access.READ)
    found = read_value(call.runtime, open_document(call.runtime, place, _options(arguments)), steps)
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
        planned = plan_edits(runtime, places, edits, options, label, call.cancel)
        return _preview(arguments, planned.files[0], call.foresee(planned.change_set))
    origin = call.origin(f"set {arguments['path']} in {arguments['file']}")
    done = edit_documents(runtime, places, edits, options, label, origin, call.cancel)
    return _answer(
        f"set {arguments['path']} = {_written(arguments['value'])} in {arguments['file']} "
        "(lossless: comments and formatting preserved)",
        done.notes,
    )


def _written(value: str) -> str:
    """The value without the comments around it, which are not written."""
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


def _preview(arguments: Json, file: EditedDocument, foreseen: Sequence[str]) -> Result:
    name = arguments["file"]
    diff = diff_of_files(file.source, file.after, name, name)
    return _answer(diff or "no change", (*file.notes, *foreseen))


def _answer(text: str, notes: Sequence[str]) -> Result:
    blocks = [{"type": "text", "text": text}]
    if notes:
        blocks.append({"type": "text", "text": "\n".join(f"note: {n}" for n in notes)})
    return Result(blocks)

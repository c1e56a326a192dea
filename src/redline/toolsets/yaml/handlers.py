"""noyalib_get and noyalib_set."""

from __future__ import annotations

from collections.abc import Sequence

from redline.core.changes import FileState
from redline.core.diff import diff_of_files
from redline.core.errors import IsADirectory, NotFound, StaleBase
from redline.core.paths import Access, WorkspacePath
from redline.documents.base.model import MAX_BYTES
from redline.documents.base.path import parse_path
from redline.documents.editing import DocEdit, EditedFile, Options, change_of
from redline.documents.isolated import Source, apply_edits, read
from redline.toolsets.tool import Call, Json, Result

# Somebody else may change the file between reading and writing; the edit is then planned again on
# what they left, so that parallel edits of one file are all kept.
_TRIES = 50


def get(call: Call) -> Result:
    """The source text of the value at a path."""
    arguments = call.arguments
    steps = parse_path(arguments["path"])
    place = call.runtime.workspace.resolve(arguments["file"], Access.READ, must_exist=True)
    source = call.runtime.tree.read(place, MAX_BYTES)
    document = Source(source, "yaml", arguments.get("doc_index", 0))
    found = read(call.runtime.confined, document, steps)
    result = Result.of_text(found.text)
    if not found.notes:
        return result
    return Result(result.content, meta={"redline/notes": list(found.notes)})


def set_value(call: Call) -> Result:
    """Replace the value at a path, or add the key."""
    arguments = call.arguments
    edit = DocEdit("set", parse_path(arguments["path"]), arguments["value"])
    options = Options(
        "yaml", arguments.get("doc_index", 0), create_parents=arguments.get("create_parents", False)
    )
    access = Access.READ if arguments.get("dry_run") else Access.WRITE
    place = call.runtime.workspace.resolve(arguments["file"], access, must_exist=True)
    for attempt in range(_TRIES):
        before = _state(call, place)
        done = apply_edits(
            call.runtime.confined, place.name, before.content or b"", [edit], options
        )
        if arguments.get("dry_run"):
            return _previewed(arguments, before, done)
        summary = f"set {arguments['path']} in {arguments['file']}"
        try:
            change = change_of(place, before, done.after)
            operation = call.runtime.editor.commit(change, call.origin(summary))
        except StaleBase:
            if attempt == _TRIES - 1:
                raise
            call.cancel.check()
            continue
        break
    return _answer(
        f"set {arguments['path']} = {arguments['value']} in {arguments['file']} "
        "(lossless: comments and formatting preserved)",
        (*done.notes, *operation.notes),
    )


def _state(call: Call, place: WorkspacePath) -> FileState:
    state = call.runtime.tree.state(place)
    if isinstance(state, FileState):
        return state
    shown = call.runtime.workspace.absolute(place)
    entry = call.runtime.tree.stat(place)
    raise NotFound(shown) if entry is None else IsADirectory(shown)


def _previewed(arguments: Json, before: FileState, done: EditedFile) -> Result:
    name = arguments["file"]
    diff = diff_of_files(before.content or b"", done.after, name, name)
    return _answer(diff or "no change", done.notes)


def _answer(text: str, notes: Sequence[str]) -> Result:
    blocks = [{"type": "text", "text": text}]
    if notes:
        blocks.append({"type": "text", "text": "\n".join(f"note: {n}" for n in notes)})
    return Result(blocks)

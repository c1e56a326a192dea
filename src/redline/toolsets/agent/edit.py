"""edit, apply_patch, write, move and delete: each call is all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redline.core.changes import ABSENT, FileState
from redline.core.encodings.opening import open_file
from redline.core.errors import AlreadyApplied, BinaryFile, InvalidArgument, NoMatch, NotFound
from redline.core.paths import WorkspacePath
from redline.core.wording import join_texts
from redline.plan.file_ops import plan_copy, plan_delete, plan_make_directory, plan_move, plan_write
from redline.plan.patch.parse import parse_patch
from redline.plan.replace import TextEdit
from redline.search.globs import is_glob
from redline.services.code.move_imports import MovedImports, count_left_imports, plan_moved_imports
from redline.services.commit import Planned
from redline.services.history.news import explain_lost_text
from redline.services.select import encode_content, refuse_roots, select_files
from redline.services.text_edits import (
    FileEdits,
    note_broken_content,
    plan_checked_patch,
    plan_many_edits,
)
from redline.toolsets.agent import answer
from redline.toolsets.agent.answer import access_of, carry_out, check_unchanged, resolve
from redline.toolsets.agent.errors import quote
from redline.toolsets.call import Call, Result, session_of
from redline.toolsets.repeated_edits import cause_of, refuse_repeated
from redline.toolsets.tool import Json


def edit(call: Call) -> Result:
    """Replace quoted text in one or several files."""
    created = _create(call)
    if created is not None:
        return created
    files, versions = _targets(call)
    cause = cause_of(call)
    is_plain = all(e.limit == 1 and not e.is_regex for file in files for e in file.edits)

    def plan() -> Planned[int]:
        answer.check_unchanged(
            call, versions, lambda path, version: _repeat(call, files, path, version)
        )
        try:
            planned = plan_many_edits(call.runtime, files, call.cancel)
        except NoMatch as error:
            _say_where_it_went(call, files, error)
            raise
        if is_plain and not answer.is_dry(call):
            refuse_repeated(call, planned.change_set, cause)
        return planned._replace(notes=(*planned.notes, *_note_without(planned.detail)))

    named = call.label(files[0].path) if len(files) == 1 else f"{len(files)} files"
    return answer.carry_out(call, plan, f"edit {named}", cause=cause)


def _create(call: Call) -> Result | None:
    """Write a file that is not there or empty, of which no text is quoted; otherwise None."""
    (raw, item), *more = answer.edits_of(call)
    asks_more = item.get("regex") or item.get("version") or call.arguments.get("encoding")
    if more or item["old"] or asks_more or is_glob(raw):
        return None
    path = answer.resolve(call, raw, answer.access_of(call))
    state = call.runtime.tree.state(path)
    if state is not ABSENT and not (isinstance(state, FileState) and not state.size):
        return None
    name, data = call.label(path), encode_content(item.get("new", ""))

    def plan() -> Planned[None]:
        notes = note_broken_content(call.runtime, path, data)
        return Planned(plan_write(call.runtime.tree, path, name, data), None, tuple(notes))

    return answer.carry_out(call, plan, f"create {name}")


def _repeat(call: Call, files: Sequence[FileEdits], path: WorkspacePath, version: str) -> str:
    """Return the arguments that name the version of a file now, where the call named it."""
    now, edits = quote({"version": version}), call.arguments["edits"]
    numbers = next((file.numbers for file in files if file.path == path), [])
    return ", ".join(f"edits[{n}]: {now}" for n in numbers if edits[n].get("version")) or now


def _say_where_it_went(call: Call, files: Sequence[FileEdits], error: NoMatch) -> None:
    """Have *error* say what became of the text, where the history knows it."""
    if isinstance(error, AlreadyApplied):
        return
    number, name = error.details.get("edit"), error.details.get("file")
    for file in files:
        if number in file.numbers and call.label(file.path) == name:
            old = file.edits[file.numbers.index(number)].old
            said = explain_lost_text(call.runtime, file.path, old, session_of(call.client))
            if said:
                error.message = join_texts(error.message_text, f"; {said}")


def _note_without(count: int) -> Iterator[str]:
    """Yield a note on the files of a glob that do not hold the text, where there are any."""
    if count:
        said = "1 file of the glob does" if count == 1 else f"{count} files of the glob do"
        yield f"{said} not hold the text"


def _targets(call: Call) -> tuple[list[FileEdits], dict[WorkspacePath, str]]:
    """Return each file with its edits in order, and the versions that are asked for."""
    files: dict[WorkspacePath, FileEdits] = {}
    versions: dict[WorkspacePath, str] = {}
    for number, (raw, item) in enumerate(answer.edits_of(call)):
        version = item.get("version")
        named = not is_glob(raw)
        for path in select_files(call.runtime, raw, answer.access_of(call), call.cancel):
            file = files.setdefault(path, FileEdits(path, encoding=call.arguments.get("encoding")))
            file.edits.append(_edit(item))
            file.numbers.append(number)
            file.by_glob = file.by_glob and not named
            if version:
                versions[path] = version
    return list(files.values()), versions


def _edit(item: Json) -> TextEdit:
    return TextEdit(
        item["old"],
        item.get("new", ""),
        0 if item.get("all") else 1,
        bool(item.get("regex")),
        bool(item.get("ignore_case")),
    )


def apply_patch(call: Call) -> Result:
    """Apply a patch envelope or a unified diff."""
    readings = parse_patch(call.arguments["patch"])
    given: Json = call.arguments.get("versions") or {}
    versions = {answer.resolve(call, raw): str(version) for raw, version in given.items()}
    cause = cause_of(call)

    def place(raw: str) -> WorkspacePath:
        return answer.resolve(call, raw, answer.access_of(call), follow=False)

    def plan() -> Planned[None]:
        answer.check_unchanged(
            call,
            versions,
            lambda path, version: quote({"versions": {**given, call.label(path): version}}),
        )
        patch = plan_checked_patch(
            call.runtime, readings, place, None, call.arguments.get("encoding")
        )
        if not answer.is_dry(call):
            refuse_repeated(call, patch.change_set, cause)
        return Planned(patch.change_set, None, patch.notes)

    return answer.carry_out(call, plan, "apply a patch", cause=cause)


def write(call: Call) -> Result:
    """Create a file or replace all of its content; a path that ends in / makes a directory."""
    raw = call.arguments["path"]
    path = resolve(call, raw, access_of(call))
    name, tree = call.label(path), call.runtime.tree
    if call.arguments.get("content") is None:
        if not raw.endswith("/"):
            raise InvalidArgument(
                "content is needed",
                field="content",
                hint='"" makes an empty file, path/ a directory',
            )

        def make() -> Planned[None]:
            return Planned(plan_make_directory(tree, path, name), None)

        return carry_out(call, make, f"create {name}")
    if raw.endswith("/"):
        raise InvalidArgument(f"A directory has no content: {raw}", field="content")
    content = call.take("content")
    data = encode_content(content)
    expected = {path: str(call.arguments["version"])} if call.arguments.get("version") else {}
    appends = call.arguments.get("append") is True

    def plan() -> Planned[None]:
        # What was changed since would be lost, so the call is not offered again.
        check_unchanged(call, expected, lambda _path, _version: "")
        before = tree.state(path) if appends else ABSENT
        whole = data
        if isinstance(before, FileState):
            file = open_file(tree, path, before.content or b"")
            if file.is_binary:
                raise BinaryFile(name)
            added = content.replace("\r\n", "\n").replace("\n", file.newline)
            whole = file.with_text(file.text + added)
        notes = note_broken_content(call.runtime, path, whole)
        return Planned(plan_write(tree, path, name, whole), None, tuple(notes))

    summary = f"{'append to' if appends else 'write'} {name}"
    return carry_out(call, plan, summary)


def move(call: Call) -> Result:
    """Move or rename; a link is moved itself."""
    source = resolve(call, call.arguments["path"], access_of(call), follow=False)
    target = resolve(call, call.arguments["to"], access_of(call), follow=False)
    workspace, tree = call.runtime.workspace, call.runtime.tree
    refuse_roots(workspace, source, "moved")
    refuse_roots(workspace, target, "replaced")
    old, new = call.label(source), call.label(target)
    overwrite = call.arguments.get("overwrite") is True
    imports, copies = call.arguments.get("imports"), call.arguments.get("copy") is True
    if tree.stat(source) is None:
        raise NotFound(old)
    if copies and imports:
        raise InvalidArgument("Imports do not follow a copy", field="imports")

    def plan() -> Planned[None]:
        if copies:
            return Planned(plan_copy(tree, source, target, new, overwrite=overwrite), None)
        moved = plan_move(tree, source, target, new, overwrite=overwrite)
        if moved.is_empty:
            return Planned(moved, None)
        if imports is True:
            followed = plan_moved_imports(
                call.runtime, source, target, access_of(call), call.cancel
            )
            return Planned(moved + followed.change_set, None, tuple(_note_imports(followed)))
        left = count_left_imports(call.runtime, source, target, call.cancel)
        return Planned(moved, None, (_note_left(left),) if left and imports is None else ())

    return carry_out(call, plan, f"{'copy' if copies else 'move'} {old} to {new}")


def _note_left(count: int) -> str:
    if count == 1:
        return "1 import still names the old path; with imports: true it would follow"
    return f"{count} imports still name the old path; with imports: true they would follow"


def _note_imports(followed: MovedImports) -> Iterator[str]:
    yield f"{followed.count} import{'' if followed.count == 1 else 's'} updated"
    if followed.untouched:
        yield f"may mean it too, not touched: {', '.join(followed.untouched)}"


def delete(call: Call) -> Result:
    """Delete files, links, and directories with everything in them."""
    workspace, tree = call.runtime.workspace, call.runtime.tree
    path = resolve(call, call.arguments["path"], access_of(call), follow=False)
    refuse_roots(workspace, path, "deleted")
    name = call.label(path)

    def plan() -> Planned[None]:
        return Planned(plan_delete(tree, path, name), None)

    return carry_out(call, plan, f"delete {name}")

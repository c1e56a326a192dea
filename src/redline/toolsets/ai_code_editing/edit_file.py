"""Answer `ai_code_editing.edit_file`: resolve the path, plan, check, commit."""

from __future__ import annotations

from redline.code.syntax.errors import SyntaxIssue
from redline.code.syntax.languages import language_of
from redline.core import errors
from redline.core.changes import ABSENT, Change, ChangeSet, DirState, FileState, digest_of
from redline.core.diff import unified_diff
from redline.core.encodings.opening import open_file, open_versions
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.models import Llm, LlmRequest
from redline.core.records import replace
from redline.core.text_limits import shorten
from redline.core.textfile import TextFile, line_body, split_lines
from redline.services.commit import MAX_ATTEMPTS
from redline.toolsets.ai_code_editing.instruction import (
    DELETE,
    EditRequest,
    fenced_block,
    wants_new_file,
)
from redline.toolsets.ai_code_editing.planning import needs_provider, plan_edit
from redline.toolsets.ai_code_editing.source import FileUnderEdit, PlannedEdit
from redline.toolsets.call import Call, Result
from redline.toolsets.repeated_edits import cause_of
from redline.toolsets.tool import Json

_SYSTEM = (
    "You write code for an editor. Answer with exactly one fenced code block and nothing else: the "
    "code that is to be put in place, with the indentation it has in the file. Do not repeat lines "
    "that stay as they are outside the range, do not add placeholders or stubs."
)
_MAX_SHOWN_LINES = 400


def generate_block(llm: Llm, source: FileUnderEdit, request: EditRequest) -> str:
    """Return the code that the model writes; raise ProviderFailed if it is not one block."""
    reply = llm.ask(LlmRequest(system=_SYSTEM, user=_question(source, request)))
    _, block = fenced_block(reply.text)
    if block is None:
        raise errors.ProviderFailed(
            f"The provider must answer with exactly one code block, and did not: {llm.name}",
            hint="pass code_block, or repeat the call",
        )
    return block


def _question(source: FileUnderEdit, request: EditRequest) -> str:
    lines = source.lines
    first, last = request.first or 1, request.last or len(lines)
    start = max(0, min(first, len(lines)) - 1 - _MAX_SHOWN_LINES // 2)
    shown = "".join(
        f"{number}: {line_body(line)}\n"
        for number, line in enumerate(lines[start : start + _MAX_SHOWN_LINES], start + 1)
    )
    where = f"Replace lines {first}-{last}." if request.first else "Write the code to insert."
    if request.symbol:
        where = f"Write the new {request.symbol}."
    language = source.language.name if source.language else "plain text"
    kept = "\n".join(part for part in split_lines(request.instruction) if part.strip())
    return f"File: {request.file} ({language})\n{where}\nTask: {kept}\n\nThe file:\n{shown}"


MAX_FILE = 32 << 20
_MAX_SHOWN_ISSUES = 5
_MAX_SUMMARY_CHARS = 120


def edit_file(call: Call) -> Result:
    """Edit one file, or raise and leave it unchanged.

    When another writer was faster, an edit that names no lines is planned again on its result.
    """
    request = EditRequest.of(call.arguments)
    workspace = call.runtime.workspace
    path = workspace.resolve(request.file, Access.WRITE, relative_only=True)
    for _ in range(MAX_ATTEMPTS - 1):
        try:
            return _edit_current(call, request, path)
        except errors.StaleBase:
            if request.first is not None or request.expected_hash is not None:
                raise
            call.cancel.check()
    return _edit_current(call, request, path)


def _edit_current(call: Call, request: EditRequest, path: WorkspacePath) -> Result:
    """Plan the edit on the file as it is, and commit it; StaleBase if another writer was faster."""
    found = call.runtime.tree.stat(path)
    if found is None:
        return _create(call, request, path)
    state = call.runtime.tree.state(path)
    if not isinstance(state, FileState):
        raise errors.IsADirectory(request.file)
    content = call.runtime.tree.read(path, MAX_FILE) if state.content is None else state.content
    _refuse_other_version(request, content)
    encoding = call.arguments.get("encoding")
    file = open_file(call.runtime.tree, path, content, encoding, request.file)
    if file.is_binary:
        raise errors.BinaryFile(request.file)
    if _was_just_done(call, path, content):
        again = "The very same edit was made by the call before; nothing was changed."
        hint = "To make it once more, pass expected_hash."
        return _answer(request, f"{again} {hint}", "", "", digest_of(content))
    seen, language = _last_seen(call, path, file), language_of(path.name)
    source = FileUnderEdit(file.text, seen, language, call.runtime.analysis)
    try:
        planned = _plan(call, source, request)
    except errors.AlreadyApplied as error:
        if request.first is not None and error.details.get("line") != request.first:
            # The new text is at other lines; the requested lines are still to be edited.
            raise
        return _answer(request, str(error), "", "", digest_of(content))
    after = _encode(file, planned.text)
    change = Change(path, state, FileState.of(after, state.mode))
    return _finish(call, request, ChangeSet((change,)), source.text, planned, after)


def _last_seen(call: Call, path: WorkspacePath, file: TextFile) -> str | None:
    """Return the text this connection last read; of a huge file only its version is known."""
    seen = call.runtime.reads.last_seen(call.client.connection, path)
    if seen is None or not seen.was_read:
        return None
    if seen.content is not None:
        return open_versions(file.raw, seen.content, call.arguments.get("encoding"))[1].text
    if seen.digest != digest_of(file.raw) and call.arguments.get("start_line") is not None:
        raise errors.StaleBase(path.relative)
    return None


def _was_just_done(call: Call, path: WorkspacePath, content: bytes) -> bool:
    """Return whether the last change this connection saw was made by an identical call."""
    seen = call.runtime.reads.last_seen(call.client.connection, path)
    return seen is not None and seen.cause == cause_of(call) and seen.digest == digest_of(content)


def _refuse_other_version(request: EditRequest, content: bytes) -> None:
    wanted = request.expected_hash
    if wanted is None:
        return
    given = wanted.removeprefix("sha256:").lower()
    if given != digest_of(content):
        raise errors.Conflict(
            f"The file is not the expected version: {request.file}",
            hint="read the file again; expected_hash is the SHA-256 of its bytes in hex",
            details={"file_hash": digest_of(content)},
        )


def _plan(call: Call, source: FileUnderEdit, request: EditRequest) -> PlannedEdit:
    if needs_provider(request) and call.runtime.llm is not None:
        block = generate_block(call.runtime.llm, source, request)
        return plan_edit(source, replace(request, block=block))
    return plan_edit(source, request)


def _encode(file: TextFile, text: str) -> bytes:
    try:
        return file.with_text(text)
    except UnicodeEncodeError as error:
        raise errors.InvalidArgument(
            "code_block holds half of a surrogate pair", field="code_block"
        ) from error


def _create(call: Call, request: EditRequest, path: WorkspacePath) -> Result:
    inserts = request.edit_type in (None, "insert") and request.first is None
    wanted = request.create or wants_new_file(request.instruction)
    if not (inserts and wanted and not request.expected_text and not request.expected_hash):
        raise errors.NotFound(
            request.file,
            hint="check the path; to create the file insert with create: true",
        )
    language = language_of(path.name)
    block = request.block
    if block is None and call.runtime.llm is not None and request.edit_type != DELETE:
        empty = FileUnderEdit("", None, language, call.runtime.analysis)
        block = generate_block(call.runtime.llm, empty, request)
    if block is None:
        raise errors.InvalidArgument(
            "There is no code to write: pass code_block", field="code_block"
        )
    text = block if block.endswith("\n") or not block else block + "\n"
    content = _encode(TextFile(b""), text)
    steps = [*_missing_parents(call, path), Change(path, ABSENT, FileState.of(content))]
    planned = PlannedEdit(text, ("Created the file.",))
    return _finish(call, request, ChangeSet(tuple(steps)), None, planned, content)


def _missing_parents(call: Call, path: WorkspacePath) -> list[Change]:
    missing: list[Change] = []
    parent = path.parent
    while parent.parts and call.runtime.tree.stat(parent) is None:
        missing.append(Change(parent, ABSENT, DirState()))
        parent = parent.parent
    return missing[::-1]


def _finish(
    call: Call,
    request: EditRequest,
    change_set: ChangeSet,
    before: str | None,
    planned: PlannedEdit,
    content: bytes,
) -> Result:
    path = change_set.paths[-1]
    is_strict = bool(call.arguments.get("strict") or call.runtime.options.get("strict_syntax"))
    issues, unchecked = _check_syntax(call, path.name, before or "", planned.text, is_strict)
    warnings = unchecked or _warnings(issues)
    for warning in warnings:
        call.log("warning", f"{path.relative}: {warning}")
    notes = [*planned.notes, *warnings]
    if issues and is_strict:
        raise errors.InvalidArgument(
            f"The edit introduces a syntax error: {issues[0].text}",
            field="code_block",
            hint="repair the code, or repeat without strict",
            details={"issues": [issue.text for issue in issues[:_MAX_SHOWN_ISSUES]]},
        )
    label = path.relative
    old_label = "/dev/null" if before is None else f"a/{label}"
    diff = unified_diff(before or "", planned.text, old_label, f"b/{label}")
    if call.arguments.get("dry_run"):
        head = "; ".join(("Dry run: nothing was written", *call.foresee(change_set)))
        return _answer(request, " ".join((f"{head}.", *notes)), diff, None, digest_of(content))
    operation = call.runtime.editor.commit(change_set, call.origin(_summary(request)))
    call.runtime.reads.note(call.client.connection, path, content, cause_of(call))
    head = "File updated successfully." if operation.id else "Nothing to change."
    message = " ".join((head, *notes, *operation.notes))
    return _answer(request, message, diff, operation.id, digest_of(content))


def _summary(request: EditRequest) -> str:
    return shorten(" ".join(request.instruction.split()), _MAX_SUMMARY_CHARS)


def _check_syntax(
    call: Call, name: str, before: str, after: str, is_strict: bool
) -> tuple[list[SyntaxIssue], list[str]]:
    """Return the syntax errors that an edit introduces, or a warning if they are unknown."""
    language = language_of(name)
    if language is None or len(after) > MAX_FILE >> 3:
        return [], []
    try:
        found = call.runtime.analysis.introduced_issues(
            before, after, language, at_any_cost=is_strict
        )
        return found, []
    except (errors.ParserFailed, errors.Busy) as error:
        return [], [f"Warning, syntax not checked: {error.message}."]


def _warnings(issues: list[SyntaxIssue]) -> list[str]:
    if not issues:
        return []
    shown = "; ".join(issue.text for issue in issues[:_MAX_SHOWN_ISSUES])
    more = (
        f"; and {len(issues) - _MAX_SHOWN_ISSUES} more" if len(issues) > _MAX_SHOWN_ISSUES else ""
    )
    return [f"Warning, new syntax errors: {shown}{more}."]


def _answer(
    request: EditRequest, message: str, diff: str, operation: str | None, file_hash: str
) -> Result:
    structured: Json = {
        "status": "success",
        "file_path": request.file,
        "message": message,
        "diff": diff,
        "file_hash": file_hash,
    }
    if operation is not None:
        structured["operation"] = operation
    return Result.of_json(structured)

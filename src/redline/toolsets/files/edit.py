"""edit_file, edit_files, write_file, create_directory, move_file and delete_file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import starmap
from typing import Any

from redline.core.changes import Change, ChangeSet, Rename
from redline.core.diff import diff_of_files, pieces_of_bytes
from redline.core.errors import InvalidArgument, NoMatch, NotFound, RedlineError
from redline.core.paths import Access, WorkspacePath
from redline.core.ports.tree import Kind, Tree
from redline.core.records import dataclass
from redline.core.text_limits import shorten
from redline.core.textfile import TextFile
from redline.core.wording import visible
from redline.plan.file_ops import plan_delete, plan_make_directory, plan_move, plan_write
from redline.plan.replace import Replaced, TextEdit
from redline.services.commit import Planned, commit_plan
from redline.services.select import encode_content, refuse_roots
from redline.services.text_edits import plan_text_edits
from redline.toolsets.call import Call, FailedCall, Result
from redline.toolsets.compact import by_directory
from redline.toolsets.files.answer import (
    add_notes,
    answer_with_notes,
    clean,
    dry_run_text,
    resolve,
    shown,
)
from redline.toolsets.files.errors import code_of, message_of
from redline.toolsets.repeated_edits import cause_of, note_made, refuse_repeated
from redline.toolsets.tool import Json


@dataclass(frozen=True, slots=True)
class Outcome:
    """One file: its diff or the line that says it was edited, or why it was not.

    Of an error only the type is kept: the error itself would hold the file's text in its frames.
    """

    name: str
    report: str
    error: type[RedlineError] | None = None
    from_glob: bool = False
    notes: tuple[str, ...] = ()

    @property
    def is_expected(self) -> bool:
        """Whether a glob merely took in a file that does not hold the text."""
        return self.from_glob and self.is_no_match

    @property
    def is_no_match(self) -> bool:
        """Whether the file does not hold the text."""
        return self.error is not None and issubclass(self.error, NoMatch)


def in_full(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield one text per file; advice that was given once is not repeated for the next file."""
    seen: set[str] = set()
    for outcome in outcomes:
        report = outcome.report
        if outcome.is_no_match:
            advice = report.removeprefix(outcome.name)
            fact, separator, _ = advice.partition(". ")
            report = outcome.name + fact if separator and advice in seen else report
            seen.add(advice)
        yield report


def in_brief(outcomes: Sequence[Outcome], *, dry: bool) -> str:
    """What was edited by directory, how many files of globs lack the text, and every failure."""
    done = [outcome for outcome in outcomes if outcome.error is None]
    without = [outcome for outcome in outcomes if outcome.is_expected]
    head = f"{'Would edit' if dry else 'Edited'} {_files(len(done))}"
    head += f"; no match in {_files(len(without))} of the globs" if without else ""
    lines = [head]
    lines += [o.report for o in done] if dry else by_directory(o.name for o in done)
    if not dry:
        lines += [f"note: {o.name}: {note}" for o in done for note in o.notes]
    lines += [o.report for o in outcomes if o.error is not None and not o.is_expected]
    if without and not done:
        lines.append(without[0].report)
    return "\n".join(lines)


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


_MAX_QUOTE_CHARS = 100


def edit_file(call: Call) -> Result:
    """Carry out the edits in order, all of them or none; with dryRun only show the diff."""
    edits = _edits(call.arguments["edits"])
    dry = call.arguments.get("dryRun") is True
    path = resolve(call, call.arguments["path"], Access.READ if dry else Access.WRITE)
    name = shown(call, path)
    try:
        if dry:
            planned = _plan(call, path, name, edits)
            foreseen = call.foresee(planned.change_set)
            return Result(_preview(name, planned) + [_text(f"note: {note}") for note in foreseen])
        cause = cause_of(call)
        is_repeatable = any(edit.limit != 1 or edit.is_regex for edit in edits)

        def plan() -> Planned[None]:
            encoding = call.arguments.get("encoding")
            planned = plan_text_edits(call.runtime, path, name, edits, encoding)
            if not is_repeatable:
                refuse_repeated(call, planned.change_set, cause)
            return Planned(planned.change_set, None, _notes(planned))

        made = commit_plan(call.runtime.editor, plan, call.origin(f"edit {name}"), call.cancel)
        note_made(call, made.operation.change_set, cause)
    except NotFound:
        if dry:
            return Result.of_text(_describe_intended(name, edits))
        raise
    return answer_with_notes(f"Successfully edited {name}", made.notes)


def edit_files(call: Call) -> Result:
    """Plan every file, commit all that succeed as one operation, report the others in place."""
    edits = _edits(call.arguments["edits"])
    dry = call.arguments.get("dryRun") is True
    targets = _targets(call, dry)

    def plan_all() -> Planned[list[Outcome]]:
        outcomes: list[Outcome] = []
        steps: list[Change | Rename] = []
        for path, name, from_glob in targets:
            call.cancel.check()
            try:
                plan = _plan(call, path, name, edits)
            except RedlineError as error:
                outcomes.append(Outcome(name, _inline(call, name, error), type(error), from_glob))
                continue
            outcomes.append(Outcome(name, _report(name, plan, dry=dry), notes=plan.notes))
            steps += plan.change_set.steps
        return Planned(ChangeSet(tuple(steps)), outcomes)

    notes: Sequence[str]
    if dry:
        planned = plan_all()
        outcomes, notes = planned.detail, call.foresee(planned.change_set)
    else:
        origin = call.origin(f"edit {len(targets)} files")
        made = commit_plan(call.runtime.editor, plan_all, origin, call.cancel)
        outcomes, notes = made.detail, made.notes
    report = [f"note: {note}" for note in notes]
    if call.arguments.get("compact") is True:
        return Result.of_text("\n".join([in_brief(outcomes, dry=dry), *report]))
    return Result([_text(line) for line in [*in_full(outcomes), *report]])


def _plan(call: Call, path: WorkspacePath, name: str, edits: list[TextEdit]) -> Replaced:
    return plan_text_edits(call.runtime, path, name, edits, call.arguments.get("encoding"))


def _targets(call: Call, dry: bool) -> list[tuple[WorkspacePath, str, bool]]:
    """Every file meant, each once, and whether a glob named it; an empty glob aborts the call."""
    from redline.search.globs import is_glob

    access = Access.READ if dry else Access.WRITE
    found: dict[WorkspacePath, bool] = {}
    for raw in call.arguments["paths"]:
        for path in _expand(call, raw, access) if is_glob(raw) else ():
            found.setdefault(path, True)
        if not is_glob(raw):
            path = resolve(call, raw, access)
            found[path] = False
    return [(path, shown(call, path), from_glob) for path, from_glob in found.items()]


def _expand(call: Call, raw: str, access: Access) -> list[WorkspacePath]:
    from redline.search.globs import split_base
    from redline.search.walk import anchored_files

    base_text, pattern = split_base(raw)
    tree = call.runtime.tree
    base = resolve(call, base_text or ".", Access.READ)
    hits = anchored_files(tree, base, pattern, call.cancel)
    # Each is resolved again: a link may lead outside, and a root may have a read-only one in it.
    places = [(hit, resolve(call, shown(call, hit), access)) for hit in hits]
    files = [place for hit, place in places if hit == place or _is_file(tree, place)]
    if not files:
        raise NotFound(raw, f"The glob matches no file: {raw}", hint=_escape_hint(call, raw))
    return files


def _escape_hint(call: Call, raw: str) -> str | None:
    """Return how to name the file whose name only looks like a glob, as `[id].tsx` does."""
    try:
        path = resolve(call, raw, Access.READ)
    except RedlineError:
        return None
    if not _is_file(call.runtime.tree, path):
        return None
    escaped = re.sub(r"[*?\[\]{}]", r"\\\g<0>", raw)
    return f"to name the file that is called so, write {escaped}"


def _is_file(tree: Tree, path: WorkspacePath) -> bool:
    entry = tree.stat(path)
    return entry is not None and entry.kind is Kind.FILE


def _edits(items: list[Any]) -> list[TextEdit]:
    return list(starmap(_edit, enumerate(items)))


def _edit(number: int, item: Any) -> TextEdit:
    where = f"edits[{number}]"
    if not isinstance(item, dict):
        raise InvalidArgument(f"{where} must be an object with oldText and newText")
    if not isinstance(item.get("oldText"), str):
        raise InvalidArgument(f"{where}.oldText is required and must be a string")
    new, limit = item.get("newText", ""), item.get("limit", 1)
    if not isinstance(new, str):
        raise InvalidArgument(f"{where}.newText must be a string")
    if isinstance(limit, bool) or not isinstance(limit, int | float) or limit != int(limit):
        raise InvalidArgument(f"{where}.limit must be an integer")
    flags = {key: item.get(key, False) for key in ("isRegex", "caseInsensitive")}
    for key, value in flags.items():
        if not isinstance(value, bool):
            raise InvalidArgument(f"{where}.{key} must be true or false")
    return TextEdit(
        item["oldText"], new, int(limit), flags["isRegex"], flags["caseInsensitive"], strict=True
    )


def _preview(name: str, plan: Replaced) -> list[Json]:
    """Return the diff as text; what a reader would not see in it is in further blocks."""
    before, after = (TextFile(raw, plan.encoding) for raw in (plan.before, plan.after))
    if before.has_bom or before.is_foreign:
        diff = diff_of_files(before.view, after.view, name, name)
    else:  # a mark that is new is to be seen
        diff = "".join(pieces_of_bytes(plan.before, plan.after, name, name))
    if not diff:
        return [_text("(no changes)")]
    blocks = [_text(clean(diff))]
    _, hidden = visible(diff.replace("\r\n", "\n"))
    if hidden:
        noun = "character" if hidden == 1 else "characters"
        blocks.append(_text(f"note: the diff holds {hidden} control or invisible {noun}"))
    return blocks + [_text(f"note: {note}") for note in plan.notes]


def _report(name: str, plan: Replaced, *, dry: bool) -> str:
    """Return what edit_files says of one file."""
    if dry:
        return "".join(block["text"] for block in _preview(name, plan))
    return add_notes(f"Successfully edited {name}", _notes(plan))


def _notes(plan: Replaced) -> tuple[str, ...]:
    """Return what to say beside a success."""
    return plan.notes if plan.before != plan.after else (*plan.notes, "the edits change nothing")


def _describe_intended(name: str, edits: list[TextEdit]) -> str:
    lines = [f"(file does not exist: {name}) intended edits:"]
    for number, edit in enumerate(edits, 1):
        kind = "regex" if edit.is_regex else "literal"
        lines.append(f"{number}. {kind}: {_quote(edit.old)} -> {_quote(edit.new)}")
    return "\n".join(lines)


def _quote(text: str) -> str:
    return shorten(repr(text), _MAX_QUOTE_CHARS)


def _inline(call: Call, name: str, error: RedlineError) -> str:
    failed = FailedCall(call.tool.name, call.arguments, call.client, call.request_id)
    return f"{name}: [error {code_of(error)}] {message_of(error, failed)}"


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def write_file(call: Call) -> Result:
    """Create a file or replace all of its content."""
    path = resolve(call, call.arguments["path"], _access(call))
    name = shown(call, path)
    tree, content = call.runtime.tree, encode_content(call.take("content"))
    return _carry_out(
        call,
        lambda: plan_write(tree, path, name, content),
        f"write {name}",
        f"Successfully wrote {name}",
    )


def create_directory(call: Call) -> Result:
    """Create a directory and its parents."""
    path = resolve(call, call.arguments["path"], _access(call))
    name = shown(call, path)
    tree = call.runtime.tree
    return _carry_out(
        call,
        lambda: plan_make_directory(tree, path, name),
        f"create directory {name}",
        f"Created directory {name}",
    )


def move_file(call: Call) -> Result:
    """Move or rename; a link is moved itself, not what it points at."""
    source = resolve(call, call.arguments["source"], _access(call), follow=False)
    target = resolve(call, call.arguments["destination"], _access(call), follow=False)
    refuse_roots(call.runtime.workspace, source, "moved")
    refuse_roots(call.runtime.workspace, target, "replaced")
    overwrite = call.arguments.get("overwrite") is True
    old, new = shown(call, source), shown(call, target)
    tree = call.runtime.tree
    try:
        return _carry_out(
            call,
            lambda: plan_move(tree, source, target, new, overwrite=overwrite),
            f"move {old} to {new}",
            f"Moved {old} -> {new}",
        )
    except NotFound:
        raise NotFound(old) from None


def delete_file(call: Call) -> Result:
    """Delete a file, a link, or a directory with everything in it."""
    path = resolve(call, call.arguments["path"], _access(call), follow=False)
    name = shown(call, path)
    refuse_roots(call.runtime.workspace, path, "deleted")
    return _carry_out(
        call,
        lambda: plan_delete(call.runtime.tree, path, name),
        f"delete {name}",
        f"Deleted {name}",
    )


def _access(call: Call) -> Access:
    return Access.READ if call.arguments.get("dryRun") is True else Access.WRITE


def _carry_out(call: Call, plan: Callable[[], ChangeSet], summary: str, success: str) -> Result:
    """Commit what *plan* returns and answer *success*; with dryRun, only show it."""
    if call.arguments.get("dryRun") is True:
        return Result.of_text(dry_run_text(call, plan(), summary))
    origin = call.origin(summary)
    made = commit_plan(call.runtime.editor, lambda: Planned(plan(), None), origin, call.cancel)
    return answer_with_notes(success, made.notes)

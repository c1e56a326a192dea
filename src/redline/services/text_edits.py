"""Edits of text files by quotation or patch, checked against the syntax of the file.

Edits of several files are planned as one change: all of them or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from redline.code.syntax.languages import language_of
from redline.core import errors
from redline.core.changes import Change, ChangeSet, FileState, Rename, State
from redline.core.encodings.opening import open_versions
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.tree import Tree
from redline.core.records import dataclass, field, replace
from redline.core.textfile import TextFile, encode
from redline.core.wording import join_texts, naming
from redline.documents.formats import named_format
from redline.plan.match.after_indentation import Repair, repair_hint, unclear
from redline.plan.replace import (
    Replaced,
    TextEdit,
    find_repairs,
    plan_replace,
    read_text,
    replace_all,
    with_repairs,
)
from redline.services.commit import Planned
from redline.services.names import display_name
from redline.services.runtime import Runtime

# Only for the type checker: most edits parse nothing.
if TYPE_CHECKING:
    from redline.code.analysis import Analysis
    from redline.core.ports.confined import Confined
    from redline.core.ports.search import Cancel, Regex
    from redline.plan.patch.apply import PatchPlan, Resolve
    from redline.plan.patch.model import PatchReading

# Files beyond this many bytes are not parsed: the edit would wait for it.
MAX_PARSED_BYTES = 1 << 20
# Indentations that are tried before a broken file is taken for what was meant.
_MAX_REPAIRS = 6
# Files of a patch that are parsed.
_MAX_PARSED_FILES = 50


class Ports(Protocol):
    """What text edits use of a runtime; the last two only where something is parsed."""

    @property
    def tree(self) -> Tree: ...
    @property
    def regex(self) -> Regex: ...
    @property
    def confined(self) -> Confined: ...
    @property
    def analysis(self) -> Analysis: ...


def plan_text_edits(
    ports: Ports,
    path: WorkspacePath,
    shown: str,
    edits: Sequence[TextEdit],
    encoding: str | None = None,
) -> Replaced:
    """Plan *edits* as `plan_replace` does, with a note if the file parsed and no longer does.

    UnclearIndentation where one shift of the new text would keep the file parsing.
    """
    try:
        planned = plan_replace(ports.tree, path, shown, edits, ports.regex, encoding)
    except errors.UnclearIndentation as refused:
        _, file = read_text(ports.tree, path, shown, encoding)
        _check_repairs(ports, path.name, file.text, edits, refused)
        raise
    longest = max(len(planned.before), len(planned.after))
    if not planned.change_set.steps or longest > MAX_PARSED_BYTES or not _has_parser(path.name):
        return planned
    before, after = (
        TextFile(raw, planned.encoding).text for raw in (planned.before, planned.after)
    )
    error = find_broken_syntax(ports, path.name, before, after)
    if error is None:
        return planned
    refuse_if_shift_parses(ports, path.name, before, edits)
    note = f"the file parsed before this edit and no longer does: {error}"
    return replace(planned, notes=(*planned.notes, note))


def replace_text(ports: Ports, name: str, text: str, edits: Sequence[TextEdit]) -> str:
    """Return *text*, the content of a file called *name*, after *edits*.

    UnclearIndentation as `plan_text_edits` raises it; nothing is parsed for edits without another
    indentation to try.
    """
    try:
        after = replace_all(text, edits, ports.regex)
    except errors.UnclearIndentation as error:
        _check_repairs(ports, name, text, edits, error)
        raise
    if len(after) > MAX_PARSED_BYTES or not any(find_repairs(text, edits, ports.regex)):
        return after
    if find_broken_syntax(ports, name, text, after):
        refuse_if_shift_parses(ports, name, text, edits)
    return after


def plan_checked_patch(
    ports: Ports,
    readings: Sequence[PatchReading],
    resolve: Resolve,
    expected: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> PatchPlan:
    """Plan a patch as `plan_patch` does, with a note for each file that no longer parses."""
    # Imported here: an edit alone does not load what reads patches.
    from redline.plan.patch.apply import plan_patch

    planned = plan_patch(ports.tree, readings, resolve, expected, encoding)
    changed = {each.path: each.old_path or each.path for each in planned.affected}
    notes = [
        f"{show_name(path.relative)}: {note}"
        for path, source in islice(changed.items(), _MAX_PARSED_FILES)
        if path in planned.states and source in planned.states
        for before, after in [(planned.states[source][0], planned.states[path][1])]
        for note in [_note_broken(ports, path.name, before, after, "patch", encoding)]
        if note
    ]
    return replace(planned, notes=(*planned.notes, *notes))


def find_broken_syntax(ports: Ports, name: str, before: str | None, after: str) -> str | None:
    """Return the first syntax error of *after* if *before* parses or is None, as of a new file.

    None if that is unknown.
    """
    language = language_of(name)
    if language is not None:
        from redline.code.index.facts import is_minified
        from redline.code.syntax.word_changes import changes_words_only

        if is_minified(after):
            return None
        if before is not None and changes_words_only(before, after, language):
            return None
    try:
        error = _find_error(ports, name, after)
        parsed = before is None or not error or not _find_error(ports, name, before)
        return error if parsed else None
    except errors.Cancelled:
        raise
    except (errors.LimitReached, errors.TooLarge):
        return None


def note_broken_content(ports: Ports, path: WorkspacePath, data: bytes) -> list[str]:
    """Return a note if *data*, all of a file that is new or parsed before, does not parse."""
    state = ports.tree.state(path)
    note = _note_broken(ports, path.name, state, FileState.of(data), "edit")
    return [note] if note else []


def _note_broken(
    ports: Ports, name: str, before: State, after: State, what: str, encoding: str | None = None
) -> str:
    """Return a note if a file does not parse as *after* and is new, or parsed as *before*."""
    if not isinstance(after, FileState) or not _has_parser(name):
        return ""
    old = before.content or b"" if isinstance(before, FileState) else b""
    new = after.content or b""
    if not new or max(len(old), len(new)) > MAX_PARSED_BYTES:
        return ""
    was, becomes = open_versions(old, new, encoding)
    error = find_broken_syntax(ports, name, was.text if old else None, becomes.text)
    if error is None:
        return ""
    if old:
        return f"the file parsed before this {what} and no longer does: {error}"
    return f"the new file does not parse: {error}"


def _has_parser(name: str) -> bool:
    return language_of(name) is not None or named_format(name) is not None


def _find_error(ports: Ports, name: str, text: str) -> str | None:
    """Return the first syntax error of a file's text, found in a worker process.

    None for text that parses, and for what no parser is known for.
    """
    form, language = named_format(name), language_of(name)
    if form is not None:
        from redline.documents.isolated import find_syntax_error

        return find_syntax_error(ports.confined, encode(text), form)
    issue = ports.analysis.first_issue(text, language) if language else None
    return issue.text if issue else None


def _check_repairs(
    ports: Ports,
    name: str,
    before: str,
    edits: Sequence[TextEdit],
    error: errors.UnclearIndentation,
) -> None:
    """Take the calls out of *error* that would leave a file which does not parse any more."""
    if not error.repairs or len(before) > MAX_PARSED_BYTES or not _has_parser(name):
        return
    try:
        after = replace_all(before, with_repairs(edits, error.repairs), ports.regex)
    except errors.MatchError:
        return  # another edit fails, which the error says
    if find_broken_syntax(ports, name, before, after):
        error.repairs = {}
        error.hint = repair_hint({})
        for key in ("old", "new"):
            error.details.pop(key, None)


def refuse_if_shift_parses(ports: Ports, name: str, before: str, edits: Sequence[TextEdit]) -> None:
    """Refuse *edits*, which break the file, if it parses with some of them indented otherwise."""
    tried = list(find_repairs(before, edits, ports.regex))
    for repairs in (*tried[:_MAX_REPAIRS], *tried[_MAX_REPAIRS:][-1:]):
        if _parses(ports, name, before, with_repairs(edits, repairs)):
            raise unclear(
                naming(
                    "The file parses now and would not after this edit to the letter; it would with"
                    " {newText} at another indentation"
                ),
                _only_needed(ports, name, before, edits, repairs),
            )


def _only_needed(
    ports: Ports,
    name: str,
    before: str,
    edits: Sequence[TextEdit],
    repairs: Mapping[int, Repair],
) -> dict[int, Repair]:
    """Return *repairs* without those that the file parses without."""
    kept = dict(repairs)
    for number in list(repairs)[:_MAX_REPAIRS]:
        fewer = {other: repair for other, repair in kept.items() if other != number}
        if fewer and _parses(ports, name, before, with_repairs(edits, fewer)):
            kept = fewer
    return kept


def _parses(ports: Ports, name: str, before: str, edits: Sequence[TextEdit]) -> bool:
    """Return whether the file parses after *edits*; False where they do not fit."""
    try:
        return _find_error(ports, name, replace_all(before, edits, ports.regex)) is None
    except errors.Cancelled:
        raise
    except (errors.MatchError, errors.LimitReached, errors.TooLarge):
        return False


@dataclass(slots=True)
class FileEdits:
    """The edits of one file; `numbers` are their places in the call.

    `by_glob` says that only a glob named the file: it need not hold the text.
    """

    path: WorkspacePath
    edits: list[TextEdit] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    by_glob: bool = True
    encoding: str | None = None


def plan_many_edits(runtime: Runtime, files: Sequence[FileEdits], cancel: Cancel) -> Planned[int]:
    """Plan the edits of every file; the detail is how many files of globs lack the text.

    The first failure is raised and names its file. Edits whose indentation is unclear are refused
    together, each with the edit that works.
    """
    steps: list[Change | Rename] = []
    notes: list[str] = []
    missed: list[errors.RedlineError] = []
    doubts: list[errors.UnclearIndentation] = []
    is_alone = len({number for file in files for number in file.numbers}) == 1
    for file in files:
        cancel.check()
        name = display_name(runtime.workspace, file.path)
        edits = [
            replace(edit, number=number)
            for edit, number in zip(file.edits, file.numbers, strict=True)
        ]
        try:
            planned = plan_text_edits(runtime, file.path, name, edits, file.encoding)
        except errors.RedlineError as error:
            if file.by_glob and isinstance(error, errors.NoMatch):
                missed.append(error)
                continue
            named = _name_file(error, name, file, is_alone, len(files) == 1)
            if not isinstance(named, errors.UnclearIndentation) or not named.repairs:
                raise (doubts[0] if doubts else named) from None
            doubts.append(named)
            continue
        steps += planned.change_set.steps
        notes += [f"{name}: {note}" for note in planned.notes]
    if len(doubts) > 1:
        calls = {number: call for doubt in doubts for number, call in doubt.repairs.items()}
        doubts[0].hint = repair_hint(calls)
    if doubts:
        raise doubts[0]
    if missed and len(missed) == len(files):
        raise missed[0]
    return Planned(ChangeSet(tuple(steps)), len(missed), tuple(notes))


def _name_file(
    error: errors.RedlineError, name: str, file: FileEdits, is_alone: bool, is_one_file: bool
) -> errors.RedlineError:
    """Return *error* with its file, and the number of its edit in the whole call.

    *is_alone* says that the call has no other edit.
    """
    number = error.details.get("edit")
    if isinstance(number, int) and number < len(file.numbers):
        error.details["edit"] = file.numbers[number]
        if not is_alone:
            error.message = join_texts(f"edits[{file.numbers[number]}]: ", error.message_text)
    if isinstance(error, errors.UnclearIndentation) and file.numbers != list(
        range(len(file.numbers))
    ):
        error.repairs = {file.numbers[n]: call for n, call in error.repairs.items()}
        error.hint = repair_hint(error.repairs)
    error.details.setdefault("file", name)
    if not is_one_file:
        error.message = join_texts(f"{name}: ", error.message_text, " (no file was changed)")
    return error

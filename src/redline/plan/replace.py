"""A list of find-and-replace edits carried out on one text, in order, all or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from redline.core.budget import check_count, check_lines
from redline.core.cancellation import cancellable, checkpoint
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.encodings.opening import open_file
from redline.core.error_families.wording import naming
from redline.core.errors import (
    AlreadyApplied,
    BinaryFile,
    InvalidArgument,
    IsADirectory,
    MatchError,
    NotARegularFile,
    NotFound,
    RedlineError,
)
from redline.core.paths import WorkspacePath
from redline.core.ports.search import Regex
from redline.core.ports.tree import Tree
from redline.core.splice import Splice
from redline.core.textfile import TextFile
from redline.plan.match.compose import dominant_end
from redline.plan.match.engine import MatchLevel, Placement, ambiguous, apply_placements, place
from redline.plan.match.hanging import Repair, repairs
from redline.plan.match.made_before import is_certain
from redline.plan.match.nearest import nearest
from redline.plan.match.views import TextView, unify_ends
from redline.plan.regex import replace_regex
from redline.plan.splices import apply_all_splices, splices_of

_MARK = "\ufeff"
# From here on it pays not to hold the new text beside the new bytes.
_LARGE = 1 << 16


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace `old` by `new`: once and only where it is unique, or the first `limit` (0 = all)."""

    old: str
    new: str = ""
    limit: int = 1
    is_regex: bool = False
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Replaced:
    """One file's plan: its bytes before and after, and the change that makes it so."""

    before: bytes
    after: bytes
    change_set: ChangeSet
    encoding: str = "utf-8"
    notes: tuple[str, ...] = ()


def plan_replace(
    tree: Tree,
    path: WorkspacePath,
    shown: str,
    edits: Sequence[TextEdit],
    regex: Regex,
    encoding: str | None = None,
) -> Replaced:
    """Every edit in order, each on the outcome of the one before; the first failure is raised.

    Of several edits, those that are in place already are skipped and named in the notes.
    *encoding* is that of the file, where the caller names it.
    """
    state = tree.state(path)
    if not isinstance(state, FileState) or state.content is None:
        entry = tree.stat(path)
        if entry is None:
            raise NotFound(shown)
        raise IsADirectory(shown) if entry.kind.value == "directory" else NotARegularFile(shown)
    file = open_file(tree, path, state.content, encoding, shown)
    if file.is_binary:
        hint = naming("{edit_file} changes text; {write_file} replaces whole files")
        raise BinaryFile(shown, hint=hint)
    is_large = len(file.raw) > _LARGE and not file.is_foreign
    content = _splice_large(file, edits) if is_large else None
    notes: list[str] = []
    if content is None:
        content = file.with_text(replace_all(file.text, edits, regex, notes))
    change = Change(path, state, FileState.of(content, state.mode))
    steps = (change,) if content != state.content else ()
    return Replaced(state.content, content, ChangeSet(steps), file.encoding, tuple(notes))


def _splice_large(file: TextFile, edits: Sequence[TextEdit]) -> bytes | None:
    """A large file after one plain edit, without the new text as a whole; None for other edits.

    The same bytes as the longer way gives.
    """
    if len(edits) != 1 or edits[0].is_regex:
        return None
    return apply_all_splices(file, _splices(file, file.text, edits[0]))


def _splices(file: TextFile, text: str, edit: TextEdit) -> list[Splice]:
    """What *edit* does to the bytes; *text* lives no longer than it takes to find that out."""
    try:
        return splices_of(file, text, _placements(text, edit))
    except RedlineError as error:
        error.details.setdefault("edit", 0)
        raise


def replace_all(
    text: str, edits: Sequence[TextEdit], regex: Regex, notes: list[str] | None = None
) -> str:
    """*text* after every edit; an error carries the number of its edit in details["edit"].

    Of several edits, one that is in place before any of them is skipped, which *notes* then say.
    """
    given, skipped = text, 0
    for number, edit in enumerate(edits):
        checkpoint()
        try:
            text = replace_one(text, edit, regex)
        except RedlineError as error:
            error.details.setdefault("edit", number)
            # The last edit cannot be skipped when all before it were: nothing would be left.
            if skipped == len(edits) - 1 or not _is_in_place(given, edits, number, error):
                raise
            skipped += 1
            line = error.details["line"]
            if notes is not None:
                notes.append(f"edits[{number}] is already in place at line {line} and was skipped")
    return text


def _is_in_place(given: str, edits: Sequence[TextEdit], number: int, error: RedlineError) -> bool:
    """Whether an edit that failed as done was done in the text as *given*, or is sent twice.

    What another edit of the same call wrote is no evidence for one that quotes other text; nor are
    blanks and blank lines around the old text for one that adds just these.
    """
    edit = edits[number]
    if not isinstance(error, AlreadyApplied) or edit in edits[:number]:
        return isinstance(error, AlreadyApplied)
    if edit.old.split() == edit.new.split() and unify_ends(edit.old) in unify_ends(given):
        return False
    try:
        _placements(given, edit)
    except AlreadyApplied:
        return is_certain(given, edit.old, edit.new)
    except MatchError:
        return False
    return False


def find_repairs(
    text: str, edits: Sequence[TextEdit], regex: Regex
) -> Iterator[tuple[int, list[TextEdit]]]:
    """Yield the edits again with one of them indented otherwise, and the number of that one.

    Only an edit that fits to the letter has such repairs.
    """
    for number, edit in enumerate(edits):
        if edit.limit == 1 and not edit.is_regex and not edit.ignore_case:
            for repair in _repairs_of(text, edit):
                fixed = replace(edit, old=repair.old, new=repair.new)
                yield number, [*edits[:number], fixed, *edits[number + 1 :]]
        try:
            text = replace_one(text, edit, regex)
        except AlreadyApplied:
            continue


def _repairs_of(text: str, edit: TextEdit) -> Iterator[Repair]:
    old, new = edit.old.removeprefix(_MARK), edit.new.removeprefix(_MARK)
    try:
        placement = place(text, old, new)
    except MatchError:
        return
    if placement.level is MatchLevel.LITERAL:
        yield from repairs(text, placement, old, new)


def replace_one(text: str, edit: TextEdit, regex: Regex) -> str:
    """*text* after one edit."""
    if edit.is_regex:
        _check(edit)
        limit = max(edit.limit, 0)
        return replace_regex(
            text, edit.old, edit.new, regex, limit=limit, ignore_case=edit.ignore_case
        )
    return apply_placements(text, _placements(text, edit))


def _placements(text: str, edit: TextEdit) -> list[Placement]:
    """Where a plain edit goes, in order."""
    _check(edit)
    check_lines(text)
    limit = max(edit.limit, 0)
    old, new = edit.old.removeprefix(_MARK), edit.new.removeprefix(_MARK)
    if limit == 1 and not edit.ignore_case and old:
        return [place(text, old, new)]
    view = TextView(text, str)
    if not edit.ignore_case:  # counted before anything is made of each
        check_count(view.text.count(unify_ends(edit.old)))
    placements = list(_occurrences(text, view, unify_ends(edit.old), edit.new, edit.ignore_case))
    if not placements:
        raise nearest(text, edit.old)
    if limit == 1 and len(placements) > 1:
        raise ambiguous([placement.line for placement in placements])
    return placements[:limit] if limit else placements


def _check(edit: TextEdit) -> None:
    if not edit.old:
        raise MatchError("The text to find must not be empty", hint="quote the text to change")
    try:
        edit.new.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument("The new text holds a lone surrogate, which no file can") from None


def _occurrences(
    text: str, view: TextView, old: str, new: str, ignore_case: bool
) -> Iterator[Placement]:
    """Occurrences from the left that do not overlap, line ends counting as the same."""
    wanted = re.compile(re.escape(old), re.IGNORECASE if ignore_case else 0)
    end = dominant_end(text) or "\n"
    replacement = unify_ends(new).replace("\n", end)
    line, counted = 1, 0
    for count, found in enumerate(cancellable(wanted.finditer(view.text))):
        check_count(count)
        start, stop = view.raw_offset(found.start()), view.raw_offset(found.end())
        line, counted = line + text.count("\n", counted, start), start
        yield Placement(start, stop, replacement, MatchLevel.LITERAL, line)

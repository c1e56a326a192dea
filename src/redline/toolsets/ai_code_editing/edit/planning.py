"""Turn an edit request and a file's text into the new text. Pure: nothing is written here."""

from __future__ import annotations

import re

from redline.code.rename.in_file import apply_replacements
from redline.code.syntax.doc_comments import doc_start
from redline.core.errors import InvalidArgument
from redline.core.textfile import line_body, split_lines
from redline.plan.match.elision import find_placeholder
from redline.plan.match.engine import (
    already_applied,
    apply_placements,
    place,
    place_lines,
    place_range,
)
from redline.toolsets.ai_code_editing.edit import instruction as said
from redline.toolsets.ai_code_editing.edit.inserting import plan_insert
from redline.toolsets.ai_code_editing.edit.request import DELETE, INSERT, EditRequest
from redline.toolsets.ai_code_editing.edit.seen import current_range
from redline.toolsets.ai_code_editing.edit.source import (
    FileUnderEdit,
    Notes,
    PlannedEdit,
    expected_range,
    indented_as,
    one_symbol,
    refuse_stale_symbol,
    span_of,
    whole_hunk,
)

_BY_WORDS = (said.DeleteSymbol, said.DeleteText)


def needs_provider(request: EditRequest) -> bool:
    """Return whether the request does not say which code to write."""
    if request.block is not None or request.edit_type == DELETE:
        return False
    return said.directive_in(request.instruction) is None


def plan_edit(source: FileUnderEdit, request: EditRequest) -> PlannedEdit:
    """Return the file's text after the edit; raise InvalidArgument, Conflict or MatchError."""
    notes = Notes()
    left_out = None if request.block is None else find_placeholder(request.block, source.text)
    if left_out is not None:
        raise InvalidArgument(
            f"code_block leaves code out: {left_out}",
            field="code_block",
            hint="send the code in full, and nothing that only shows where it belongs",
        )
    if request.block is None:
        text = _without_block(source, request, notes)
    elif _is_insert(request):
        text = plan_insert(source, request, request.block, notes)
    else:
        text = _replace(source, request, request.block, notes)
    return PlannedEdit(text, tuple(notes.texts))


def _is_insert(request: EditRequest) -> bool:
    if request.edit_type is not None:
        return request.edit_type == INSERT
    if request.first is not None or request.symbol or request.expected_text:
        return False
    return not said.says_replace(request.instruction)


def _without_block(source: FileUnderEdit, request: EditRequest, notes: Notes) -> str:
    order = said.directive_in(request.instruction)
    explicit = request.first is not None or request.symbol or request.expected_text
    if request.edit_type == DELETE and (explicit or not isinstance(order, _BY_WORDS)):
        return _delete(source, request, order, notes)
    match order:
        case said.DeleteLines():
            return _delete(source, request, order, notes)
        case said.DeleteSymbol(name):
            return _delete_symbol(source, name, notes)
        case said.DeleteText(text):
            return _delete_text(source, text, notes)
        case said.RenameSymbol():
            return _rename(source, request, order, notes)
        case said.ReplaceText(old, new, everywhere):
            return _replace_text(source, request, old, new, everywhere=everywhere, notes=notes)
        case None:
            raise InvalidArgument(
                "There is no code to write: pass code_block",
                field="code_block",
                hint="the instruction is not one of: a fenced block, delete ..., rename X to Y, "
                "replace `A` with `B`; and no model provider is configured",
            )


# Replacing


def _replace(source: FileUnderEdit, request: EditRequest, block: str, notes: Notes) -> str:
    if request.symbol:
        return _replace_symbol(source, request.symbol, block, notes)
    if request.first is not None and request.last is not None:
        return _replace_range(source, request, request.first, request.last, block, notes)
    if request.expected_text:
        placement = place_lines(source.text, whole_hunk(request.expected_text, block))
        notes.texts.append(f"Replaced the text at line {placement.line}.")
        return apply_placements(source.text, [placement])
    return _replace_subject(source, request, block, notes)


def _replace_subject(source: FileUnderEdit, request: EditRequest, block: str, notes: Notes) -> str:
    """Replace what the instruction names: lines, a definition or a quoted text."""
    subject = said.subject_in(request.instruction)
    if isinstance(subject, said.DeleteLines):
        return _replace_range(source, request, subject.first, subject.last, block, notes)
    if subject and source.has_symbols and source.find(subject):
        return _replace_symbol(source, subject, block, notes)
    if subject and any(f"{quote}{subject}{quote}" in request.instruction for quote in "`'\""):
        return _replace_text(source, request, subject, block, everywhere=False, notes=notes)
    raise InvalidArgument(
        "A replace needs to know what to replace",
        field="start_line",
        hint="pass start_line and end_line, symbol or expected_text, or say: replace function "
        "NAME, replace lines N-M, replace `text`",
    )


def _replace_range(
    source: FileUnderEdit, request: EditRequest, first: int, last: int, block: str, notes: Notes
) -> str:
    asked = (first, last)
    if request.expected_text:
        placement = expected_range(source, request.expected_text, first, last, block)
        size = len(split_lines(source.text[placement.start : placement.end])) or 1
        notes.add_correction(asked, (placement.line, placement.line + size - 1))
    else:
        found = _current_lines(source, first, last)
        _refuse_repeated(source, found, block)
        placement = place_range(source.text, *found, block)
        notes.add_correction(asked, found)
    if not notes.texts:
        notes.texts.append(f"Replaced {span_of(*asked)}.")
    return apply_placements(source.text, [placement])


def _current_lines(source: FileUnderEdit, first: int, last: int) -> tuple[int, int]:
    """Return the current numbers of the lines; raise Conflict if the caller saw other lines."""
    if source.seen is not None:
        return current_range(source.seen, source.text, first, last)
    return first, last


def _refuse_repeated(source: FileUnderEdit, found: tuple[int, int], block: str) -> None:
    """Refuse an edit that was sent twice: its result is already in place."""
    if source.seen is None:
        return
    wanted = [line_body(line) for line in split_lines(block)]
    first, last = found
    now = [line_body(line) for line in source.lines[first - 1 : first - 1 + len(wanted)]]
    if wanted and now == wanted and len(wanted) == last - first + 1:
        raise already_applied(first)


def _replace_symbol(source: FileUnderEdit, name: str, block: str, notes: Notes) -> str:
    symbol = one_symbol(source, name)
    refuse_stale_symbol(source, symbol)
    fitted = indented_as(source, symbol, block)
    placement = place_range(source.text, symbol.start, symbol.end, fitted)
    notes.texts.append(f"Replaced {symbol.kind} {symbol.qualified}.")
    return apply_placements(source.text, [placement])


def _replace_text(
    source: FileUnderEdit,
    request: EditRequest,
    old: str,
    new: str,
    *,
    everywhere: bool,
    notes: Notes,
) -> str:
    if everywhere:
        count = source.text.count(old)
        if not count:
            place(source.text, old, new)
        notes.texts.append(f"Replaced {count} occurrences.")
        return source.text.replace(old, new)
    within = None
    if request.first is not None and request.last is not None:
        first, last = _current_lines(source, request.first, request.last)
        within = range(first - 1, last)
    placement = place(source.text, old, new, within=within)
    notes.texts.append(f"Replaced the text at line {placement.line}.")
    return apply_placements(source.text, [placement])


def _rename(
    source: FileUnderEdit, request: EditRequest, order: said.RenameSymbol, notes: Notes
) -> str:
    lines = None
    if request.first is not None:
        first, last = _current_lines(source, request.first, request.last or request.first)
        lines = range(first, last + 1)
    replacements = source.rename(order.old, order.new, lines=lines, everywhere=order.everywhere)
    plural = "" if len(replacements) == 1 else "s"
    notes.texts.append(
        f"Renamed {order.old} to {order.new}: {len(replacements)} reference{plural}."
    )
    return apply_replacements(source.text, replacements)


# Deleting


def _delete(
    source: FileUnderEdit, request: EditRequest, order: said.Directive | None, notes: Notes
) -> str:
    if request.symbol:
        return _delete_symbol(source, request.symbol, notes)
    first, last = request.first, request.last
    if first is None and isinstance(order, said.DeleteLines):
        first, last = order.first, order.last
        if last < first:
            raise InvalidArgument(f"Bad line range: {first}-{last}", field="edit_instruction")
    if first is not None and last is not None:
        text = _replace_range(source, request, first, last, "", notes)
        notes.texts[:] = [note.replace("Replaced", "Deleted") for note in notes.texts]
        return text
    if request.expected_text:
        placement = place_lines(source.text, whole_hunk(request.expected_text, ""))
        notes.texts.append(f"Deleted the text at line {placement.line}.")
        return apply_placements(source.text, [placement])
    raise InvalidArgument(
        "A delete needs to know what to delete",
        field="start_line",
        hint="pass start_line and end_line, symbol, or expected_text",
    )


def _delete_symbol(source: FileUnderEdit, name: str, notes: Notes) -> str:
    symbol = one_symbol(source, name)
    refuse_stale_symbol(source, symbol)
    lines = [line_body(line) for line in source.lines]
    comment = source.language.comment if source.language else ""
    first = doc_start(lines, symbol.start - 1, comment) + 1
    placement = place_range(source.text, first, symbol.end, "")
    notes.texts.append(f"Deleted {symbol.kind} {symbol.qualified} ({span_of(first, symbol.end)}).")
    return apply_placements(source.text, [placement])


def _delete_text(source: FileUnderEdit, text: str, notes: Notes) -> str:
    if source.has_symbols and re.fullmatch(r"[\w.:#$]+(?:\(\))?", text):
        name = text.removesuffix("()")
        if len(source.find(name)) == 1:
            return _delete_symbol(source, name, notes)
    placement = place(source.text, text, "")
    line = source.lines[placement.line - 1]
    whole = line.strip() == text.strip()
    if not whole:
        notes.texts.append(f"Deleted the text at line {placement.line}.")
        return apply_placements(source.text, [placement])
    notes.texts.append(f"Deleted line {placement.line}.")
    return apply_placements(
        source.text, [place_range(source.text, placement.line, placement.line, "")]
    )

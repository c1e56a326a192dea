"""Turn an edit request and the text of a file into the new text. Nothing is written here."""

from __future__ import annotations

import re

from redline.code.rename.in_file import apply_replacements
from redline.code.syntax.definitions import Symbol
from redline.code.syntax.doc_comments import doc_start
from redline.core.errors import AlreadyApplied, InvalidArgument
from redline.core.textfile import line_body, split_lines
from redline.plan.match import engine
from redline.plan.match.elision import find_placeholder
from redline.plan.match.indent import indent_of
from redline.toolsets.ai_code_editing import instruction as said
from redline.toolsets.ai_code_editing import places
from redline.toolsets.ai_code_editing.places import unclear_places, unclear_verb
from redline.toolsets.ai_code_editing.source import (
    FileUnderEdit,
    Notes,
    PlannedEdit,
    current_gap,
    current_range,
    expected_range,
    indented_as,
    indented_by,
    one_symbol,
    refuse_stale_symbol,
    span_of,
    whole_hunk,
)

_BY_WORDS = (said.DeleteSymbol, said.DeleteText)


def needs_provider(request: said.EditRequest) -> bool:
    """Return whether the request does not say which code to write."""
    if request.block is not None or request.edit_type == said.DELETE:
        return False
    return said.directive_in(request.instruction) is None


def plan_edit(source: FileUnderEdit, request: said.EditRequest) -> PlannedEdit:
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


def _is_insert(request: said.EditRequest) -> bool:
    if request.edit_type is not None:
        return request.edit_type == said.INSERT
    if request.first is not None or request.symbol or request.expected_text:
        return False
    return not said.says_replace(request.instruction)


def _without_block(source: FileUnderEdit, request: said.EditRequest, notes: Notes) -> str:
    order = said.directive_in(request.instruction)
    explicit = request.first is not None or request.symbol or request.expected_text
    if request.edit_type == said.DELETE and (explicit or not isinstance(order, _BY_WORDS)):
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


def _replace(source: FileUnderEdit, request: said.EditRequest, block: str, notes: Notes) -> str:
    if request.symbol:
        return _replace_symbol(source, request.symbol, block, notes)
    if request.first is not None and request.last is not None:
        return _replace_range(source, request, request.first, request.last, block, notes)
    if request.expected_text:
        placement = engine.place_lines(source.text, whole_hunk(request.expected_text, block))
        notes.texts.append(f"Replaced the text at line {placement.line}.")
        return engine.apply_placements(source.text, [placement])
    return _replace_subject(source, request, block, notes)


def _replace_subject(
    source: FileUnderEdit, request: said.EditRequest, block: str, notes: Notes
) -> str:
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
    source: FileUnderEdit,
    request: said.EditRequest,
    first: int,
    last: int,
    block: str,
    notes: Notes,
) -> str:
    asked = (first, last)
    if request.expected_text:
        placement = expected_range(source, request.expected_text, first, last, block)
        size = len(split_lines(source.text[placement.start : placement.end])) or 1
        notes.add_correction(asked, (placement.line, placement.line + size - 1))
    else:
        found = _current_lines(source, first, last)
        _refuse_repeated(source, found, block)
        placement = engine.place_range(source.text, *found, block)
        notes.add_correction(asked, found)
    if not notes.texts:
        notes.texts.append(f"Replaced {span_of(*asked)}.")
    return engine.apply_placements(source.text, [placement])


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
        raise engine.already_applied(first)


def _replace_symbol(source: FileUnderEdit, name: str, block: str, notes: Notes) -> str:
    symbol = one_symbol(source, name)
    refuse_stale_symbol(source, symbol)
    fitted = indented_as(source, symbol, block)
    placement = engine.place_range(source.text, symbol.start, symbol.end, fitted)
    notes.texts.append(f"Replaced {symbol.kind} {symbol.qualified}.")
    return engine.apply_placements(source.text, [placement])


def _replace_text(
    source: FileUnderEdit,
    request: said.EditRequest,
    old: str,
    new: str,
    *,
    everywhere: bool,
    notes: Notes,
) -> str:
    if everywhere:
        count = source.text.count(old)
        if not count:
            engine.place(source.text, old, new)
        notes.texts.append(f"Replaced {count} occurrences.")
        return source.text.replace(old, new)
    within = None
    if request.first is not None and request.last is not None:
        first, last = _current_lines(source, request.first, request.last)
        within = range(first - 1, last)
    placement = engine.place(source.text, old, new, within=within)
    notes.texts.append(f"Replaced the text at line {placement.line}.")
    return engine.apply_placements(source.text, [placement])


def _rename(
    source: FileUnderEdit, request: said.EditRequest, order: said.RenameSymbol, notes: Notes
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
    source: FileUnderEdit, request: said.EditRequest, order: said.Directive | None, notes: Notes
) -> str:
    if request.symbol:
        return _delete_symbol(source, request.symbol, notes)
    first, last = request.first, request.last
    if first is None and isinstance(order, said.DeleteLines):
        first, last = order.first, order.last
        if last < first:
            raise InvalidArgument(f"Lines run backwards: {first}-{last}", field="edit_instruction")
    if first is not None and last is not None:
        text = _replace_range(source, request, first, last, "", notes)
        notes.texts[:] = [note.replace("Replaced", "Deleted") for note in notes.texts]
        return text
    if request.expected_text:
        placement = engine.place_lines(source.text, whole_hunk(request.expected_text, ""))
        notes.texts.append(f"Deleted the text at line {placement.line}.")
        return engine.apply_placements(source.text, [placement])
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
    placement = engine.place_range(source.text, first, symbol.end, "")
    notes.texts.append(f"Deleted {symbol.kind} {symbol.qualified} ({span_of(first, symbol.end)}).")
    return engine.apply_placements(source.text, [placement])


def _delete_text(source: FileUnderEdit, text: str, notes: Notes) -> str:
    if source.has_symbols and re.fullmatch(r"[\w.:#$]+(?:\(\))?", text):
        name = text.removesuffix("()")
        if len(source.find(name)) == 1:
            return _delete_symbol(source, name, notes)
    placement = engine.place(source.text, text, "")
    line = source.lines[placement.line - 1]
    whole = line.strip() == text.strip()
    if not whole:
        notes.texts.append(f"Deleted the text at line {placement.line}.")
        return engine.apply_placements(source.text, [placement])
    notes.texts.append(f"Deleted line {placement.line}.")
    return engine.apply_placements(
        source.text, [engine.place_range(source.text, placement.line, placement.line, "")]
    )


_BODIES = {"class", "interface", "struct", "trait", "enum", "union", "namespace", "module"}
_IMPORT = re.compile(r"(?:import|from|#\s*include|use|using|require|package|extern crate)\b")


def plan_insert(source: FileUnderEdit, request: said.EditRequest, block: str, notes: Notes) -> str:
    if not block:
        raise InvalidArgument("code_block is empty: nothing to insert", field="code_block")
    if request.symbol:
        line, block = _near_symbol(source, request.symbol, request.instruction, block, notes)
    elif request.first is not None:
        line = _gap(source, request, request.first, notes)
    else:
        line, block = _named_place(source, request, block, notes)
    _refuse_repeated_insert(source, line, block)
    notes.texts.append(f"Inserted at line {line}.")
    return engine.apply_placements(source.text, [engine.place_insert(source.text, line, block)])


def _near_symbol(
    source: FileUnderEdit, name: str, instruction: str, block: str, notes: Notes
) -> tuple[int, str]:
    """Return the place before, after or inside the symbol that the call names."""
    symbol = one_symbol(source, name)
    top = places.edge_in(instruction)
    if top is not None:
        return _at_edge_of(source, symbol, top, block)
    after = not said.says_before(instruction)
    unclear = unclear_places(instruction, [], lambda _: False)
    if unclear:
        where = f"{'after' if after else 'before'} {symbol.kind} {symbol.qualified}"
        notes.add_unused_place(unclear[0], where)
    return _beside(source, symbol, after, block)


def _gap(source: FileUnderEdit, request: said.EditRequest, before: int, notes: Notes) -> int:
    if request.expected_text:
        size = len(split_lines(request.expected_text))
        stop = min(before + size - 1, len(source.lines))
        probe = expected_range(
            source, request.expected_text, min(before, stop), stop, request.expected_text
        )
        notes.add_correction((before, before), (probe.line, probe.line))
        return probe.line
    if source.seen is not None:
        found = current_gap(source.seen, source.text, before)
        notes.add_correction((before, before), (found, found))
        return found
    return before


def _named_place(
    source: FileUnderEdit, request: said.EditRequest, block: str, notes: Notes
) -> tuple[int, str]:
    """Return where the instruction says, or the end of the file.

    An explicit `insert` is made even if the instruction speaks of something else, or of a place
    that is not understood. Without it such an instruction is refused.
    """
    is_explicit = request.edit_type == said.INSERT
    if not is_explicit:
        _refuse_unclear_verb(source, request.instruction)
    read = places.read_places(request.instruction, _definitions(source))
    if read.unknown and not is_explicit:
        raise _unknown_place(read.unknown[0])
    if read.unknown and not read.places:
        notes.add_unused_place(read.unknown[0], "at the end of the file")
    found = {_resolve(source, named, block) for named in read.places}
    if len(found) > 1:
        lines = ", ".join(str(line) for line, _ in sorted(found))
        raise InvalidArgument(
            f"The instruction names several places, lines {lines}",
            field="edit_instruction",
            hint="name one place, or pass start_line",
        )
    return found.pop() if found else (len(source.lines) + 1, block)


def _refuse_unclear_verb(source: FileUnderEdit, instruction: str) -> None:
    verb = unclear_verb(instruction, _definitions(source).symbol)
    if verb is not None:
        raise InvalidArgument(
            f"An insert adds code, but the instruction says something else: {verb}",
            field="edit_instruction",
            hint="pass edit_type replace with start_line and end_line or symbol, or say where to "
            f"add the code; {places.FORMS}",
        )


def _unknown_place(words: str) -> InvalidArgument:
    return InvalidArgument(
        f"The instruction names a place that is not understood: {words}",
        field="edit_instruction",
        hint=places.FORMS,
    )


def _definitions(source: FileUnderEdit) -> places.Defined:
    """Return tests for what the file defines; it is parsed once, for the first name in question."""
    kinds: dict[str, set[str]] = {}

    def kinds_of(name: str) -> set[str]:
        if name not in kinds:
            known = source.has_symbols and re.fullmatch(r"[\w.:#$]+", name)
            kinds[name] = {symbol.kind for symbol in source.find(name)} if known else set()
        return kinds[name]

    return places.Defined(
        lambda name: bool(kinds_of(name)), lambda name: bool(kinds_of(name) & _BODIES)
    )


def _resolve(source: FileUnderEdit, named: places.Place, block: str) -> tuple[int, str]:
    match named:
        case places.AtEdge(top):
            return (_top(source) if top else len(source.lines) + 1), block
        case places.AtLine(line, after):
            return _at_line(source, line, after), block
        case places.AtSymbol(name, after):
            return _beside(source, one_symbol(source, name), after, block)
        case places.AtText(text, after):
            return _at_text(source, text, after, block)
        case places.InSymbol(name):
            return _inside(source, one_symbol(source, name), block)
        case places.AtEdgeOf(name, top):
            return _at_edge_of(source, one_symbol(source, name), top, block)
        case places.AfterImports():
            return _after_imports(source), block


def _at_line(source: FileUnderEdit, line: int, after: bool) -> int:
    if not 1 <= line <= len(source.lines):
        raise InvalidArgument(
            f"Line {line} does not exist; the last line is {len(source.lines)}",
            field="edit_instruction",
        )
    before = line + after
    return before if source.seen is None else current_gap(source.seen, source.text, before)


def _at_text(source: FileUnderEdit, text: str, after: bool, block: str) -> tuple[int, str]:
    name = text.removesuffix("()")
    if source.language is not None and re.fullmatch(r"[\w.:#$]+", name):
        found = source.find(name)
        if len(found) == 1:
            return _beside(source, found[0], after, block)
    return engine.place(source.text, text, text + " ").line + after, block


def _top(source: FileUnderEdit) -> int:
    """Return the first line for code: a `#!` line and an opening PHP tag stay first."""
    first = source.lines[0] if source.lines else ""
    return 2 if first.startswith(("#!", "<?php")) else 1


def _after_imports(source: FileUnderEdit) -> int:
    last = 0
    for number, line in enumerate(source.lines, 1):
        if _IMPORT.match(line):
            last = number
        elif line[:1].isalpha() and last and not line.startswith(("if ", "try")):
            break
    if not last:
        return _top(source)
    closing = _closing_line(source, last)
    return closing + 1


def _closing_line(source: FileUnderEdit, line: int) -> int:
    """Return the last line of the statement that begins on *line*, by its brackets."""
    depth = 0
    for number in range(line, len(source.lines) + 1):
        text = source.lines[number - 1]
        depth += sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
        if depth <= 0:
            return number
    return line


def _beside(source: FileUnderEdit, symbol: Symbol, after: bool, block: str) -> tuple[int, str]:
    fitted = indented_as(source, symbol, block)
    if after:
        return symbol.end + 1, fitted
    lines = [line_body(line) for line in source.lines]
    comment = source.language.comment if source.language else ""
    return doc_start(lines, symbol.start - 1, comment) + 1, fitted


def _inside(source: FileUnderEdit, symbol: Symbol, block: str) -> tuple[int, str]:
    """Return the end of a type's body, and *block* indented like that body."""
    if symbol.kind not in _BODIES or symbol.end - symbol.start < 1:
        raise _unclear(symbol)
    body = [line for line in source.lines[symbol.line : symbol.end] if line.strip()]
    closed = bool(body) and body[-1].strip().rstrip(";,)") in ("}", "end")
    inner = body[:-1] if closed else body
    return symbol.end + (not closed), indented_by(block, _inner_margin(source, symbol, inner))


def _inner_margin(source: FileUnderEdit, symbol: Symbol, inner: list[str]) -> str:
    """Return the indentation of a body of which *inner* are the lines."""
    return indent_of(inner[0]) if inner else indent_of(source.lines[symbol.start - 1]) + "    "


def _unclear(symbol: Symbol) -> InvalidArgument:
    return InvalidArgument(
        f"It is not clear where in {symbol.kind} {symbol.qualified} the code belongs",
        field="edit_instruction",
        hint=f"say at the start of or at the end of {symbol.qualified}, or pass start_line "
        f"({symbol.start}-{symbol.end} is the {symbol.kind})",
    )


def _at_edge_of(source: FileUnderEdit, symbol: Symbol, top: bool, block: str) -> tuple[int, str]:
    """Return the first or last line of a definition's body, and *block* indented like it."""
    body = source.body(symbol)
    if body is None:
        raise _unclear(symbol)
    first, last = _line_of(source, body.start), _line_of(source, body.end - 1)
    if source.text[body.start] == "{":
        opened = source.text[body.start + 1 :].split("\n", 1)[0].strip()
        if opened or not source.lines[last - 1].lstrip().startswith("}"):
            raise _unclear(symbol)  # a body on one line
        inner = [line for line in source.lines[first : last - 1] if line.strip()]
        margin = _inner_margin(source, symbol, inner)
        return (first + 1 if top else last), indented_by(block, margin)
    margin = indent_of(source.lines[first - 1])
    begins = source.text.rfind("\n", 0, body.start) + 1
    if source.text[begins : body.start].strip():
        raise _unclear(symbol)
    if not top:
        return last + 1, indented_by(block, margin)
    after_doc = _line_of(source, body.doc_end - 1) + 1 if body.doc_end else first
    return after_doc, indented_by(block, margin)


def _line_of(source: FileUnderEdit, offset: int) -> int:
    return source.text.count("\n", 0, offset) + 1


def _refuse_repeated_insert(source: FileUnderEdit, line: int, block: str) -> None:
    """Refuse an insert that was sent twice: the same lines are there already."""
    wanted = [line_body(part) for part in split_lines(block)]
    if sum(bool(body.strip()) for body in wanted) < 2:
        return
    bodies = [line_body(part) for part in source.lines]
    for start in (line - 1, line - 1 - len(wanted)):
        if start >= 0 and bodies[start : start + len(wanted)] == wanted:
            raise AlreadyApplied(
                f"The code is already in place at line {start + 1}; nothing was changed",
                hint="nothing to do, unless the code is wanted twice",
                details={"line": start + 1},
            )

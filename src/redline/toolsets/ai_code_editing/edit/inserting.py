"""Determine where to insert code: by line, next to a symbol, or as the instruction says."""

from __future__ import annotations

import re

from redline.code.syntax.definitions import Symbol
from redline.code.syntax.doc_comments import doc_start
from redline.core.errors import AlreadyApplied, InvalidArgument
from redline.core.textfile import line_body, split_lines
from redline.plan.match.engine import apply_placements, place, place_insert
from redline.plan.match.indent import indent_of
from redline.toolsets.ai_code_editing.edit import instruction as said
from redline.toolsets.ai_code_editing.edit import places
from redline.toolsets.ai_code_editing.edit.request import INSERT, EditRequest
from redline.toolsets.ai_code_editing.edit.seen import current_gap
from redline.toolsets.ai_code_editing.edit.source import (
    FileUnderEdit,
    Notes,
    expected_range,
    indented_as,
    indented_by,
    one_symbol,
)
from redline.toolsets.ai_code_editing.edit.unclear import unclear_places, unclear_verb

_BODIES = {"class", "interface", "struct", "trait", "enum", "union", "namespace", "module"}
_IMPORT = re.compile(r"(?:import|from|#\s*include|use|using|require|package|extern crate)\b")


def plan_insert(source: FileUnderEdit, request: EditRequest, block: str, notes: Notes) -> str:
    if not block:
        raise InvalidArgument("code_block is empty: nothing to insert", field="code_block")
    if request.symbol:
        line, block = _near_symbol(source, request.symbol, request.instruction, block, notes)
    elif request.first is not None:
        line = _gap(source, request, request.first, notes)
    else:
        line, block = _named_place(source, request, block, notes)
    _refuse_repeated(source, line, block)
    notes.texts.append(f"Inserted at line {line}.")
    return apply_placements(source.text, [place_insert(source.text, line, block)])


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


def _gap(source: FileUnderEdit, request: EditRequest, before: int, notes: Notes) -> int:
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
    source: FileUnderEdit, request: EditRequest, block: str, notes: Notes
) -> tuple[int, str]:
    """Return where the instruction says, or the end of the file.

    An explicit `insert` is made even if the instruction speaks of something else, or of a place
    that is not understood. Without it such an instruction is refused.
    """
    is_explicit = request.edit_type == INSERT
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
            f"Line {line} is not in the file, it has {len(source.lines)}",
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
    return place(source.text, text, text + " ").line + after, block


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


def _refuse_repeated(source: FileUnderEdit, line: int, block: str) -> None:
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

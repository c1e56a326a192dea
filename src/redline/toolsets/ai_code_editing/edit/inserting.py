"""Determine where to insert code: by line, next to a symbol, or as the instruction says."""

from __future__ import annotations

import re

from redline.code.syntax.definitions import Symbol, doc_start
from redline.core.errors import AlreadyApplied, InvalidArgument
from redline.core.textfile import line_body, split_lines
from redline.plan.match.engine import apply_placements, place, place_insert
from redline.toolsets.ai_code_editing.edit import instruction as said
from redline.toolsets.ai_code_editing.edit.request import EditRequest
from redline.toolsets.ai_code_editing.edit.seen import current_gap
from redline.toolsets.ai_code_editing.edit.source import (
    FileUnderEdit,
    Notes,
    expected_range,
    indented_as,
    indented_by,
    one_symbol,
)

_BODIES = {"class", "interface", "struct", "trait", "enum", "union", "namespace", "module"}
_IMPORT = re.compile(r"(?:import|from|#\s*include|use|using|require|package|extern crate)\b")


def plan_insert(source: FileUnderEdit, request: EditRequest, block: str, notes: Notes) -> str:
    if not block:
        raise InvalidArgument("code_block is empty: nothing to insert", field="code_block")
    if request.symbol:
        after = not said.says_before(request.instruction)
        line, block = _beside(source, one_symbol(source, request.symbol), after, block)
    elif request.first is not None:
        line = _gap(source, request, request.first, notes)
    else:
        line, block = _named_place(source, request, block)
    _refuse_repeated(source, line, block)
    notes.texts.append(f"Inserted at line {line}.")
    return apply_placements(source.text, [place_insert(source.text, line, block)])


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


def _named_place(source: FileUnderEdit, request: EditRequest, block: str) -> tuple[int, str]:
    places = said.places_in(request.instruction) or _containers(source, request.instruction)
    found = {_resolve(source, named, block) for named in places}
    if len(found) > 1:
        lines = ", ".join(str(line) for line, _ in sorted(found))
        raise InvalidArgument(
            f"The instruction names several places, lines {lines}",
            field="edit_instruction",
            hint="name one place, or pass start_line",
        )
    return found.pop() if found else (len(source.lines) + 1, block)


def _containers(source: FileUnderEdit, instruction: str) -> list[said.Place]:
    """Return the definitions of this file that the instruction puts code into."""
    names = said.containers_in(instruction)
    if not names or source.language is None:
        return []
    return [said.InSymbol(name) for name in names if source.find(name)]


def _resolve(source: FileUnderEdit, named: said.Place, block: str) -> tuple[int, str]:
    match named:
        case said.AtEdge(top):
            return (_top(source) if top else len(source.lines) + 1), block
        case said.AtLine(line, after):
            if not 1 <= line <= len(source.lines):
                raise InvalidArgument(
                    f"Line {line} is not in the file, it has {len(source.lines)}",
                    field="edit_instruction",
                )
            return _now(source, line + after), block
        case said.AtSymbol(name, after):
            return _beside(source, one_symbol(source, name), after, block)
        case said.AtText(text, after):
            return _at_text(source, text, after, block)
        case said.InSymbol(name):
            return _inside(source, one_symbol(source, name), block)
        case said.AfterImports():
            return _after_imports(source), block


def _now(source: FileUnderEdit, before: int) -> int:
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
        raise InvalidArgument(
            f"It is not clear where in {symbol.kind} {symbol.qualified} the code belongs",
            field="edit_instruction",
            hint=f"pass start_line ({symbol.start}-{symbol.end} is the {symbol.kind}), or symbol",
        )
    body = [line for line in source.lines[symbol.line : symbol.end] if line.strip()]
    closed = bool(body) and body[-1].strip().rstrip(";,)") in ("}", "end")
    inner = body[:-1] if closed else body
    margin = _margin(inner[0]) if inner else _margin(source.lines[symbol.start - 1]) + "    "
    return symbol.end + (not closed), indented_by(block, margin)


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


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

"""The file to edit: its text, the version the caller last read, and its symbols."""

from __future__ import annotations

from redline.code.analysis import Analysis
from redline.code.index.facts import MAX_LINE_LENGTH, is_minified
from redline.code.rename.in_file import Replacement
from redline.code.syntax.bodies import Body
from redline.code.syntax.definitions import Symbol, find_occurrences, find_symbols
from redline.code.syntax.languages import Language
from redline.core.errors import Conflict, InvalidArgument, ParserFailed
from redline.core.records import dataclass, field
from redline.core.textfile import line_body, split_lines
from redline.plan.match.engine import Placement, place_lines, place_range

_MAX_NAMES = 30
_MANY_LINES = 5_000


@dataclass(frozen=True, slots=True)
class FileUnderEdit:
    """The current text of a file, and the text that the caller last read, if any."""

    text: str
    seen: str | None
    language: Language | None
    analysis: Analysis
    # The lines with their line ends.
    lines: list[str] = field(init=False, repr=False, compare=False)
    # What was found by name: the place of an insert is asked for more than once.
    _found: dict[str, list[Symbol]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _bodies: dict[Symbol, Body | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", split_lines(self.text))

    @property
    def has_symbols(self) -> bool:
        """Return whether definitions can be found in it."""
        return self.language is not None and not is_minified(self.text)

    def first_names(self) -> list[str]:
        """Return the first names that the file defines; InvalidArgument if they are unknown."""
        language = self._grammar()
        # Of a long file, its beginning has enough of them.
        parts = ["".join(self.lines[:_MANY_LINES])] if len(self.lines) > _MANY_LINES else []
        found: list[Symbol] = []
        for text in (*parts, self.text):
            try:
                found = self.analysis.symbols(text, language)
            except ParserFailed as error:
                raise _unknown_syntax(error) from None
            if len(found) > _MAX_NAMES:
                break
        return [symbol.qualified for symbol in found[:_MAX_NAMES]]

    def find(self, name: str) -> list[Symbol]:
        """Return the definitions that *name* names; none if the parser fails on the file."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> list[Symbol]:
        language = self._grammar()
        if not find_occurrences(self.text, name):
            return []
        try:
            found = self.analysis.bodies(self.text, language, name)
        except ParserFailed:
            return []
        self._bodies.update(found)
        return find_symbols(list(found), name)

    def body(self, symbol: Symbol) -> Body | None:
        """Return where the statements of a *symbol* that was found begin and end, if it has any."""
        return self._bodies[symbol]

    def rename(
        self, old: str, new: str, *, lines: range | None, everywhere: bool
    ) -> list[Replacement]:
        """Plan a rename as `plan_rename` does; raise InvalidArgument if the file does not parse."""
        language = self._grammar()
        try:
            return self.analysis.rename(
                self.text, language, (old, new), lines=lines, everywhere=everywhere
            )
        except ParserFailed as error:
            raise _unknown_syntax(error) from None

    def _grammar(self) -> Language:
        """Return the language; raise InvalidArgument without a grammar or for a minified file."""
        if self.language is None:
            raise InvalidArgument(
                "No grammar is known for this kind of file, so symbols cannot be found in it",
                hint="give start_line and end_line instead",
            )
        if is_minified(self.text):
            raise InvalidArgument(
                f"The file has a line of more than {MAX_LINE_LENGTH} characters, as minified files "
                "do, so symbols are not looked for in it",
                hint="edit_file of the files toolset replaces exact text",
            )
        return self.language


def _unknown_syntax(error: ParserFailed) -> InvalidArgument:
    return InvalidArgument(
        f"Symbols cannot be found in this file: {error.message}",
        hint="give start_line and end_line instead",
    )


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """The new text, and notes for the caller on how it was made."""

    text: str
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Notes:
    """Notes for the caller, collected while an edit is planned."""

    texts: list[str] = field(default_factory=list)

    def add_correction(self, asked: tuple[int, int], found: tuple[int, int]) -> None:
        """Add a note if the text is at other lines than those *asked* for."""
        if asked != found:
            self.texts.append(
                f"Lines corrected: asked for {span_of(*asked)}, the text is at {span_of(*found)}."
            )

    def add_unused_place(self, words: str, where: str) -> None:
        """Add a note that *words* of the instruction were not read as a place."""
        self.texts.append(f"The code is {where}: these words were not read as a place: {words}.")


def whole_hunk(old: str, new: str) -> list[tuple[str, str]]:
    removed = [("-", line_body(line)) for line in split_lines(old)]
    return removed + [("+", line_body(line)) for line in split_lines(new)]


def expected_range(
    source: FileUnderEdit, expected: str, first: int, last: int, block: str
) -> Placement:
    count = len(source.lines)
    stop = min(last, count)
    if 1 <= first <= stop:
        return place_range(source.text, first, stop, block, expected=expected)
    return place_lines(source.text, whole_hunk(expected, block))


def indented_as(source: FileUnderEdit, symbol: Symbol, block: str) -> str:
    """Indent *block* like *symbol*, unless it is indented already."""
    line = source.lines[symbol.start - 1]
    return indented_by(block, line[: len(line) - len(line.lstrip(" \t"))])


def indented_by(block: str, margin: str) -> str:
    """Indent *block* by *margin*, unless it is indented already."""
    filled = [part for part in split_lines(block) if part.strip()]
    if not margin or not filled or filled[0][0] in " \t":
        return block
    return "".join(margin + part if part.strip() else part for part in split_lines(block))


def one_symbol(source: FileUnderEdit, name: str) -> Symbol:
    found = source.find(name)
    if len(found) == 1:
        return found[0]
    if not found:
        known = ", ".join(source.first_names())
        raise InvalidArgument(
            f"No such symbol in the file: {name}",
            field="symbol",
            hint=f"the file defines: {known}" if known else "the file defines no symbols",
        )
    where = ", ".join(f"{symbol.qualified} (line {symbol.line})" for symbol in found[:10])
    raise InvalidArgument(
        f"Several symbols have this name: {where}",
        field="symbol",
        hint="qualify the name, or give start_line and end_line",
    )


def refuse_stale_symbol(source: FileUnderEdit, symbol: Symbol) -> None:
    if source.seen is None or source.seen == source.text or source.language is None:
        return
    now = source.text[symbol.span[0] : symbol.span[1]]
    try:
        seen = source.analysis.symbols(source.seen, source.language, symbol.qualified)
        then = find_symbols(seen, symbol.qualified)
        is_same = any(source.seen[old.span[0] : old.span[1]] == now for old in then)
    except ParserFailed:
        is_same = now in source.seen
    if not is_same:
        raise Conflict(
            f"{symbol.qualified} changed since it was read",
            hint="read it again and repeat the edit",
            details={"lines": [symbol.start, symbol.end]},
        )


def span_of(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _bodies(text: str) -> list[str]:
    return [line_body(line) for line in split_lines(text)]


def _common(a: list[str], b: list[str]) -> int:
    limit = min(len(a), len(b))
    return next((i for i in range(limit) if a[i] != b[i]), limit)


def current_range(seen: str, now: str, first: int, last: int) -> tuple[int, int]:
    """Return where lines *first*..*last* of *seen* are in *now*; raise Conflict if changed.

    Lines before the first difference keep their numbers, lines after the last one move with the
    end of the file. Between them, only text that is unique in both versions can be located.
    """
    then, lines = _bodies(seen), _bodies(now)
    if then == lines:
        return first, last
    head = _common(then, lines)
    tail = _common(then[::-1], lines[::-1])
    shift = len(lines) - len(then)
    in_head, in_tail = last <= head, first > len(then) - tail
    if in_head and in_tail and shift:
        raise _conflict(first, last)
    if in_head:
        return first, last
    if in_tail:
        return first + shift, last + shift
    wanted = then[first - 1 : last]
    if last <= len(then) and any(body.strip() for body in wanted):
        before, after = _starts(then, wanted), _starts(lines, wanted)
        if len(before) == len(after) == 1:
            return after[0] + 1, after[0] + len(wanted)
    raise _conflict(first, last)


def current_gap(seen: str, now: str, before: int) -> int:
    """Return where the gap before line *before* of *seen* is in *now*; raise Conflict if gone."""
    then, lines = _bodies(seen), _bodies(now)
    if then == lines:
        return before
    head = _common(then, lines)
    tail = _common(then[::-1], lines[::-1])
    in_head, in_tail = before - 1 <= head, before > len(then) - tail
    if in_head and in_tail and len(lines) != len(then):
        raise _conflict(before, before)
    if in_head:
        return before
    if in_tail:
        return before + len(lines) - len(then)
    raise _conflict(before, before)


def _starts(lines: list[str], wanted: list[str]) -> list[int]:
    size = len(wanted)
    return [
        at
        for at in range(len(lines) - size + 1)
        if lines[at] == wanted[0] and lines[at : at + size] == wanted
    ]


def _conflict(first: int, last: int) -> Conflict:
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    return Conflict(
        f"The file changed at {where} since it was read",
        hint="read the lines again and repeat the edit with their new numbers",
        details={"lines": [first, last]},
    )

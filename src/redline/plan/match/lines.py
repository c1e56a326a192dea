"""Candidates for edits of whole lines, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from redline.core.errors import NoMatch
from redline.core.records import dataclass
from redline.core.textfile import line_body, line_end, split_lines, unify_ends
from redline.plan.match.align import Opcode, opcodes
from redline.plan.match.blank_lines import find_blocks, find_twin, requote
from redline.plan.match.compose import Rewrite, as_given, compose
from redline.plan.match.indent import (
    AS_GIVEN,
    OPENERS,
    Shift,
    explain,
    indent_of,
    is_one_change,
    unit_of,
)
from redline.plan.match.normalized import MAX_HITS, end_at
from redline.plan.match.placement import MatchLevel, Placement
from redline.plan.match.searched_text import KEYS, SearchedText, prepare_search
from redline.plan.match.typography import FileTypography, fold

_BLANKS = " \t"
_SAMPLED = 5
_MAX_COMPARED = 20_000

_INDENTED = (MatchLevel.INDENT, MatchLevel.TYPOGRAPHY_INDENT)


def block_candidates(
    text: str, old: str, new: str, level: MatchLevel, strict: bool = False
) -> list[Placement]:
    """Return every block of whole lines that is *old* at *level*; see `explain` for *strict*."""
    if level is MatchLevel.TYPOGRAPHY_INDENT:
        if (text.isascii() and old.isascii()) or not may_stand(fold(text), fold(old)):
            return []
    elif not may_stand(text, old):
        return []
    wanted = split_lines(unify_ends(old))
    edit = _Edit(prepare_search(text), wanted, split_lines(unify_ends(new)), None, strict)
    if level is MatchLevel.BLANK_LINES:
        return edit.recounted()
    return edit.places(list(edit.starts(level)), level)


def list_blocks(text: str, old: str) -> list[Placement]:
    """Return where *text* has the lines of *old* by one change of indentation, or none."""
    if not may_stand(text, old):
        return []
    edit = _Edit(prepare_search(text), split_lines(unify_ends(old)), [], None)
    level = MatchLevel.INDENT
    return edit.list_places([at for at in edit.starts(level) if edit.is_explained(at)], level)


def place_block(text: str, old: list[str], new: list[str]) -> Placement | None:
    """Return the placement of *old* as whole lines; None unless the text has them exactly once."""
    edit = _Edit(prepare_search(text), old, new, None)
    starts = list(edit.starts(MatchLevel.LITERAL))
    return edit.place(starts[0], MatchLevel.LITERAL) if len(starts) == 1 else None


def may_stand(text: str, old: str) -> bool:
    """Whether the words of *old* are in *text* at all: a quick no, before any line is looked at."""
    cores = sorted({line.strip() for line in old.split("\n")}, key=len)
    return bool(cores[-1]) and all(core in text for core in cores[-_SAMPLED:])


def hunk_candidates(
    text: SearchedText,
    hunk: Sequence[tuple[str, str]],
    within: range | None,
    at_end: bool,
    roles_given: bool = True,
) -> list[Placement]:
    """Return every place for a hunk at the strictest level that has one."""
    old = [f"{body}\n" for role, body in hunk if role != "+"]
    new = [f"{body}\n" for role, body in hunk if role != "-"]
    blank = not any(line.strip() for line in old)
    if not (blank or text.is_indexed or may_stand(text.folded_text, fold("".join(old)))):
        return []
    edit = _Edit(text, old, new, _hunk_codes(hunk) if roles_given else None)

    def starts(level: MatchLevel) -> list[int]:
        if (blank and level is not MatchLevel.LITERAL) or not edit.may_differ(level):
            return []
        return [start for start in edit.starts(level) if edit.fits(start, within, at_end)]

    for level in KEYS:
        found = edit.places(starts(level), level)
        if found and level is MatchLevel.INDENT:
            # Look-alike characters are as far from what was quoted as another indentation.
            found += edit.list_places(starts(MatchLevel.TYPOGRAPHY), MatchLevel.TYPOGRAPHY)
        if found:
            return found
    return []


def ambiguous_typography(line: int) -> NoMatch:
    """Return the refusal of new text whose quotes could be written in two ways."""
    return NoMatch(
        f"The text at line {line} has typographic quotes or dashes that the call writes otherwise,"
        " and it is not clear how to write the new ones",
        hint="quote the line with the characters of the file",
        details={"line": line},
    )


def _hunk_codes(hunk: Sequence[tuple[str, str]]) -> list[Opcode]:
    """Opcodes as the roles say; a line removed and added again unchanged counts as kept."""
    codes: list[Opcode] = []
    i = j = 0
    removed: list[str] = []
    added: list[str] = []
    for role, body in [*hunk, (" ", "")]:
        if role == "-":
            removed.append(body)
        elif role == "+":
            added.append(body)
        else:
            codes += [
                (tag, i + i1, i + i2, j + j1, j + j2)
                for tag, i1, i2, j1, j2 in opcodes(removed, added)
            ]
            i, j = i + len(removed), j + len(added)
            codes.append(("equal", i, i + 1, j, j + 1))
            i, j = i + 1, j + 1
            removed, added = [], []
    return codes[:-1]


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of the file at one candidate, cut as the old text is."""

    lines: list[str]
    start: int
    end: int
    line: int


class _Edit:
    """Old and new lines against one text."""

    def __init__(
        self,
        file: SearchedText,
        old: list[str],
        new: list[str],
        codes: list[Opcode] | None,
        strict: bool = False,
    ) -> None:
        self.file = file
        self.strict = strict
        self.text = file.text
        self.old, self.new, self.codes = old, new, codes
        self.old_bodies = [line_body(line) for line in old]
        self.new_bodies = [line_body(line) for line in new]
        self.ascii = file.is_ascii and all(line.isascii() for line in old)
        # Where lines start that were found without cutting the text into all its lines.
        self._offsets: dict[int, int] = {}

    def may_differ(self, level: MatchLevel) -> bool:
        """Return whether *level* can find more than the stricter ones."""
        return not (self.ascii and level in (MatchLevel.TYPOGRAPHY, MatchLevel.TYPOGRAPHY_INDENT))

    def starts(self, level: MatchLevel) -> Iterator[int]:
        """Yield the lines (from 0) where the old lines match at *level*."""
        most = max(2, min(MAX_HITS, _MAX_COMPARED // len(self.old)))
        is_plain = level is MatchLevel.LITERAL and not self.file.is_indexed
        if is_plain and "\r" not in self.text and any(self.old_bodies):
            self._offsets = dict(islice(self._literal_starts(), most))
            return iter(self._offsets)
        return islice(self._key_starts(level), most)

    def _literal_starts(self) -> Iterator[tuple[int, int]]:
        """Lines where the old lines occur unchanged, and their offsets; every line ends in LF."""
        text, wanted = self.text, "\n".join(self.old_bodies)
        line = counted = 0
        at = 0 if text.startswith(wanted) else text.find(f"\n{wanted}") + 1 or -1
        while at >= 0:
            end = at + len(wanted)
            # After the last line end there is no further, empty line.
            if text[end] == "\n" if end < len(text) else self.old_bodies[-1]:
                line, counted = line + text.count("\n", counted, at), at
                yield line, at
            at = text.find(f"\n{wanted}", at) + 1 or -1

    def _key_starts(self, level: MatchLevel) -> Iterator[int]:
        have, places = self.file.at_level(level)
        want = list(map(KEYS[level], self.old_bodies))
        rarest = min(range(len(want)), key=lambda index: len(places.get(want[index], ())))
        for at in places.get(want[rarest], ()):
            start = at - rarest
            if start >= 0 and have[start : start + len(want)] == want:
                yield start

    def fits(self, start: int, within: range | None, at_end: bool) -> bool:
        """Return whether a match from line *start* keeps to where it may be."""
        stop = start + len(self.old)
        inside = within is None or (within.start <= start and stop <= within.stop)
        return inside and (not at_end or stop == self.file.line_count)

    def places(self, starts: list[int], level: MatchLevel) -> list[Placement]:
        """Return a placement for every line of *starts* where the old lines can be meant.

        Of several none is written, so it is enough to know where they are: a place that the new
        lines do not fit is a place all the same.
        """
        if len(starts) > 1 and level in _INDENTED:
            starts = [start for start in starts if self.is_explained(start)]
        if len(starts) > 1:
            return self.list_places(starts, level)
        return [placement for start in starts if (placement := self.place(start, level))]

    def list_places(self, starts: list[int], level: MatchLevel) -> list[Placement]:
        """Return where the blocks at *starts* are, with nothing to write there."""
        blocks = map(self._block, starts)
        return [Placement(found.start, found.end, "", level, found.line) for found in blocks]

    def recounted(self) -> list[Placement]:
        """Every block that is the old lines but for the number of blank lines between them."""
        level = MatchLevel.BLANK_LINES
        blocks = list(islice(find_blocks(self.old_bodies, self.file.bodies), MAX_HITS))
        starts = [block.start for block in blocks]
        if len(blocks) == 1:
            twin = find_twin(self.old_bodies, self.file.bodies, blocks[0])
            starts += [] if twin is None else [twin]
        if len(starts) > 1:
            offsets = [(self.file.offsets[start], start + 1) for start in sorted(starts)]
            return [Placement(at, at, "", level, line) for at, line in offsets]
        for block in blocks:
            lines = [f"{body}\n" for body in self.file.bodies[block.start : block.stop]]
            new = requote(self.old, self.new, self._kept_pairs(), lines)
            if new is not None:
                if not line_end(self.old[-1]):
                    lines[-1] = line_body(lines[-1])
                placement = _Edit(self.file, lines, new, None).place(block.start, level)
                return [placement] if placement else []
        return []

    def place(self, start: int, level: MatchLevel) -> Placement | None:
        """Return the placement at line *start*; None when no one reading explains it."""
        block = self._block(start)
        shift: Shift | None = None
        if level in _INDENTED:
            shift = self._shift(block)
            if level is MatchLevel.INDENT and self._is_as_given(block, shift):
                shift = AS_GIVEN
            if shift is None:
                return None
        rewrite = self._rewrite(block, level, shift)
        replacement = self._compose(block, rewrite)
        name = shift.name if shift else ""
        return Placement(block.start, block.end, replacement, level, block.line, name)

    def _compose(self, block: _Block, rewrite: Rewrite) -> str:
        """Return the replacement, terminated exactly when the place it takes is."""
        open_end = bool(line_end(self.old[-1])) and not line_end(block.lines[-1])
        lines = (
            [*block.lines[:-1], block.lines[-1] + self.file.line_end] if open_end else block.lines
        )
        behind = end_at(self.text, block.end)
        replacement = compose(
            lines, self.old, self.new, self.file.line_end, rewrite, self.codes, behind
        )
        return line_body(replacement) if open_end else replacement

    def _block(self, start: int) -> _Block:
        offset = self._offsets.get(start)
        if offset is None:
            offset = self.file.offsets[start]
            lines = list(self.file.lines[start : start + len(self.old)])
        else:
            length = sum(map(len, self.old_bodies)) + len(self.old)
            lines = split_lines(self.text[offset : offset + length])
        if not line_end(self.old[-1]):
            lines[-1] = line_body(lines[-1])
        return _Block(lines, offset, offset + sum(map(len, lines)), start + 1)

    def is_explained(self, start: int) -> bool:
        """Whether one change of indentation makes the old lines those from line *start* on."""
        found = [fold_indent(line_body(line)) for line in self._block(start).lines]
        return is_one_change([fold_indent(body) for body in self.old_bodies], found)

    def _shift(self, block: _Block) -> Shift | None:
        found = [fold_indent(line_body(line)) for line in block.lines]
        kept = set(self._kept_pairs().values())
        changed = [body for j, body in enumerate(self.new_bodies) if j not in kept]
        called = [fold_indent(body) for body in self.old_bodies]
        unit = unit_of(self.file.bodies)
        return explain(called, found, self.new_bodies, changed, unit, strict=self.strict)

    def _is_as_given(self, block: _Block, shift: Shift | None) -> bool:
        """Whether only context lines of a hunk are indented otherwise, and new lines are not.

        The file's own lines stay in their place, so it does not matter how they were quoted, if
        the lines around new ones, or the new ones themselves, count from the file's margin.
        """
        if self.codes is None or not self.new_bodies:
            return False
        same = [
            not body.strip() or indent_of(line) == indent_of(body)
            for line, body in zip(block.lines, self.old_bodies, strict=True)
        ]
        removed = [i for tag, i1, i2, _, _ in self.codes if tag != "equal" for i in range(i1, i2)]
        if not all(same[i] for i in removed):
            return False
        added = [code for code in self.codes if code[4] > code[3] and code[0] != "equal"]
        if shift is None:
            return all(self._is_beside_same(code, same) for code in added)
        return bool(added) and all(self._hangs(block, code) for code in added)

    def _is_beside_same(self, code: Opcode, same: Sequence[bool]) -> bool:
        """Whether new lines replace lines, or stand beside one, that the call indents as it is."""
        _, i1, i2, _, _ = code
        filled = [i for i, body in enumerate(self.old_bodies) if body.strip()]
        above = [i for i in filled if i < i1][-1:]
        below = [i for i in filled if i >= i2][:1]
        return i2 > i1 or any(same[i] for i in above + below)

    def _hangs(self, block: _Block, code: Opcode) -> bool:
        """Return whether new lines are deeper than the line above them, which opens nothing.

        They are as deep as the file has that line: only its indentation was left out.
        """
        _, i1, _, j1, j2 = code
        new = next((body for body in self.new_bodies[j1:j2] if body.strip()), None)
        above = [i for i in range(i1) if self.old_bodies[i].strip()][-1:]
        if new is None or not above:
            return False
        quoted, found = self.old_bodies[above[0]], line_body(block.lines[above[0]])
        is_deeper = len(indent_of(new)) > len(indent_of(quoted))
        opens = quoted.rstrip().endswith(OPENERS)
        return is_deeper and not opens and indent_of(new) == indent_of(found)

    def _kept_pairs(self) -> dict[int, int]:
        """Return which new line each old line that stays becomes."""
        codes = self.codes
        if codes is None:
            codes = opcodes(self.old_bodies, self.new_bodies)
        same = ((i1, i2, j1) for tag, i1, i2, j1, _ in codes if tag == "equal")
        return {i: j1 + i - i1 for i1, i2, j1 in same for i in range(i1, i2)}

    def _rewrite(self, block: _Block, level: MatchLevel, shift: Shift | None) -> Rewrite:
        if level in (MatchLevel.LITERAL, MatchLevel.TRAILING, MatchLevel.BLANK_LINES):
            return as_given
        found = [line_body(line) for line in block.lines]
        if level is MatchLevel.INDENT:
            return lambda body, _: _shift(body, shift)
        cores = [body.lstrip() for body in self.old_bodies], [body.lstrip() for body in found]
        typography = FileTypography(zip(*cores, strict=True), self.text)

        def rewrite(body: str, index: int | None) -> str:
            pair = ("", "") if index is None else (cores[0][index], cores[1][index])
            rewritten = typography.rewrite(body.lstrip(_BLANKS), *pair)
            if rewritten is None:
                raise ambiguous_typography(block.line)
            moved = indent_of(body) + rewritten
            return moved if shift is None else _shift(moved, shift)

        return rewrite


def fold_indent(body: str) -> str:
    """*body* with look-alike spaces at its beginning as blanks."""
    core = body.lstrip()
    return fold(body[: len(body) - len(core)]) + core


def _shift(body: str, shift: Shift | None) -> str:
    moved = shift.apply(body) if shift else body
    return body if moved is None else moved

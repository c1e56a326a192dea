"""How deep a YAML text can nest, found out in linear time before any native parser sees it."""

from __future__ import annotations

import re

from redline.core.errors import CannotApply
from redline.documents.depth import too_deep
from redline.documents.model import MAX_DEPTH
from redline.documents.possessive import compiled
from redline.documents.yaml_block import BlockScanner
from redline.documents.yaml_brackets import bracket_bounds
from redline.documents.yaml_passing import quoted_end

_BOM = b"\xef\xbb\xbf"

# Every open block collection has a column and a kind of its own, so `width` columns hold at most
# 2 * (width + 1) of them; each bracket may hold a pair, which is a level too. Together that has to
# stay within the limit.
_BOTH = MAX_DEPTH // 2 - 1
_LEADING = bytes.maketrans(b"\t-?:", b"    ")
_WINDOW = 1 << 16
# So few columns are counted rather than hoped for.
_NARROW = 16
# A tag or an anchor between two indicators: then the columns of a line reach further.
_MARKED = tuple(compiled(mark + rb"[^ \t\r\n]*+[ \t]++[-?:][ \t]") for mark in (b"&", b"!"))
_MARKS = rb"(?:(?:[-?:]|[&!][^ \t\r\n]*+)(?:[ \t]++|$))*+"
_LEAD = compiled(rb"( *+)(" + _MARKS + rb")", re.MULTILINE)
_LEADS = compiled(rb"\n(?!\n)( *+" + _MARKS + rb")", re.MULTILINE)
_BLANK = compiled(rb"[ \t]*+(?:#[^\n]*+)?+\r?+(?:\n|\Z)")
_MARKER = re.compile(rb"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_PROPERTIES = compiled(rb"[ \t]*+(?:[&!][^ \t\r\n]*+[ \t]++)*+")
_BLOCK_SCALAR = re.compile(rb"[|>][0-9+-]{0,2}(?:[ \t]+#[^\n]*|[ \t]*)\r?$", re.MULTILINE)
_WORD = re.compile(rb"[^ \t]+")


def require_bounded(source: bytes) -> bool:
    """Refuse what nests too deeply; whether a parser's tree has to be measured to be sure."""
    is_marked = any(mark.search(source) for mark in _MARKED)
    for brackets in bracket_bounds(source):
        if not is_marked and not _is_wide(source, _BOTH - brackets):
            return False
        if 2 * brackets <= MAX_DEPTH and 2 * (len(_columns(source)) + brackets) <= MAX_DEPTH:
            return False
    _Walk(source).over()
    return True


def _is_wide(source: bytes, width: int) -> bool:
    """Whether block collections may start at the column *width* or further right."""
    if width < _NARROW:
        return True
    line = b"\n" + b" " * width
    if b"\n" + source[: width + 3].lstrip(_BOM)[:width].translate(_LEADING) == line:
        return True
    return any(
        line in source[start : start + _WINDOW + width].translate(_LEADING)
        for start in range(0, len(source), _WINDOW)
    )


def _columns(source: bytes) -> set[int]:
    """The columns at which block collections can start."""
    columns: set[int] = set()
    first = _LEAD.match(source, 3 if source.startswith(_BOM) else 0)
    if len(source) < _WINDOW:
        leads = set(_LEADS.findall(source))
    else:
        leads = {match[1] for match in _LEADS.finditer(source)}
    for lead in leads | {first[0] if first else b""}:
        columns.update(match.start() for match in _WORD.finditer(lead))
        columns.add(len(lead))
        if len(columns) > MAX_DEPTH:
            break
    return columns


class _Walk:
    """One pass over the lines that keeps the columns of the open block collections."""

    def __init__(self, source: bytes) -> None:
        self.scanner = BlockScanner(source, bom=3 if source.startswith(_BOM) else 0)
        self.source = source
        # Twice the column, one more for a list: it may stand at the column of its key.
        self.open: list[int] = []
        self.block = self.flow = 0

    def over(self) -> None:
        """Go over all lines; refuse when brackets or block collections pass the limit."""
        at = self.scanner.bom
        while at < len(self.source):
            at = self._line(at)
            if max(self.block, self.flow) > MAX_DEPTH:
                raise too_deep()

    def _line(self, at: int) -> int:
        """Take in the line at *at*; where to go on."""
        blank = _BLANK.match(self.source, at)
        if blank:
            return max(blank.end(), at + 1)
        if _MARKER.match(self.source, at):
            self.open.clear()
            return self._content(at, at + 3)
        lead = _LEAD.match(self.source, at)
        indent, marks = (len(lead[1]), lead[2]) if lead else (0, b"")
        while self.open and self.open[-1] >> 1 > indent:
            self.open.pop()
        for word in _WORD.finditer(marks):
            if word[0] in (b"-", b"?", b":"):
                self._enter(indent + word.start(), is_list=word[0] == b"-")
        return self._content(at, at + indent + len(marks))

    def _enter(self, column: int, *, is_list: bool) -> None:
        level = 2 * column + is_list
        if self.open and self.open[-1] > level:
            self.open.pop()
        if not self.open or self.open[-1] < level:
            self.open.append(level)
        self.block = max(self.block, len(self.open))

    def _content(self, line: int, at: int) -> int:
        scanner, source, end = self.scanner, self.source, len(self.source)
        key = scanner.key_at(at, end)
        if key is not None:
            self._enter(at - line, is_list=False)
            at = key[2]
        properties = _PROPERTIES.match(source, at)
        at = properties.end() if properties else at
        first = source[at : at + 1]
        if first in (b"[", b"{"):
            at = self._flow_from(at)
        elif first in (b'"', b"'"):
            try:
                at = quoted_end(source, at, end)
            except CannotApply:
                at += 1
        elif _BLOCK_SCALAR.match(source, at):
            return self._behind_text(at)
        stop = source.find(b"\n", at)
        return end if stop < 0 else stop + 1

    def _flow_from(self, at: int) -> int:
        """Behind the flow collection at *at*, its brackets counted."""
        depth, source = 0, self.source
        while at < len(source) and source[at] in b"[]{}":
            depth += 1 if source[at] in b"[{" else -1
            self.flow = max(self.flow, depth)
            if depth <= 0 or depth > MAX_DEPTH:
                return at + 1
            at = self.scanner.flat_end(at + 1, len(source))
        return at

    def _behind_text(self, at: int) -> int:
        """Behind a block scalar: the first line that stands no deeper than its collection."""
        column = (self.open[-1] >> 1) if self.open else -1
        end = re.compile(rb"\n {0,%d}+(?=[^ \r\n])" % max(column, 0)).search(self.source, at)
        return end.start() + 1 if end and column >= 0 else len(self.source)

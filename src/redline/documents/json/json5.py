"""A large JSON5 document, validated run by run: never more of it than a run is held as values."""

from __future__ import annotations

import re
from typing import Any

from redline.core.errors import DocumentSyntax
from redline.core.records import dataclass, field
from redline.documents.base.depth import too_deep
from redline.documents.base.model import MAX_DEPTH
from redline.documents.json.runs import PIECE, members_end
from redline.documents.json.values import parse_text
from redline.documents.json.walk import KEY, JsonEntry, Mask, Run, last_mark, skip_space, value_end

# A place in a string that is not within an escape, nor within a character.
_CUT = re.compile(rb"[^\\]{16}(?=[\x00-\x7f\xc0-\xff])")
_CLOSES = {0x7B: 0x7D, 0x5B: 0x5D}


@dataclass(slots=True)
class _Open:
    """A container whose end is not reached yet."""

    member: int
    start: int
    named: bool
    closer: int
    runs: list[Run] = field(default_factory=list)


class Json5Reader:
    """One pass over a document: pyjson5 reads the source of every run, in its own brackets.

    Where runs are cut is seen in the mask. A run starts where a member starts; when pyjson5 reads
    it as whole members, it also ends where a member ends.
    """

    def __init__(self, source: bytes, mask: Mask, root: JsonEntry, piece: int = PIECE) -> None:
        self._source = source
        self._mask = mask
        self._root = root
        self._piece = piece
        self._open: list[_Open] = []
        # The runs of every container that is larger than one, by where it starts.
        self.runs: dict[int, list[Run]] = {}

    def read(self) -> bool:
        """Validate everything; False when the text cannot be read in runs."""
        root = self._root
        if self._mask[root.start : root.start + 1] not in (b"{", b"["):
            return False
        try:
            self._parse(0, root.start, "", "0")
            self._parse(root.end, len(self._source), "0", "")
            self._enter(root.start, root.start)
            at = root.start + 1
            while self._open:
                at = self._step(at)
        except DocumentSyntax:
            return False
        return at == root.end

    def _enter(self, member: int, start: int) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise too_deep()
        first = self._mask[start]
        self._open.append(_Open(member, start, first == 0x7B, _CLOSES[first]))

    def _step(self, at: int) -> int:
        """Read a run, enter a large member or leave the container: where to go on."""
        holder = self._open[-1]
        end = members_end(self._mask, at, at + self._piece, named=holder.named)
        if end > at:
            return self._run(holder, at, end)
        place = skip_space(self._mask, at)
        if self._byte(place) == holder.closer:
            return self._leave(holder, at, place)
        return self._member(holder, at)

    def _run(self, holder: _Open, at: int, end: int) -> int:
        if holder.named:
            self._parse(at, end, "{", "}")
            length = 0
        else:
            length = len(self._parse(at, end, "[", "]"))
        comma = self._mask[end - 1] == 0x2C
        holder.runs.append(Run(at, last_mark(self._mask, end - comma) + 1, length))
        return end

    def _leave(self, holder: _Open, at: int, place: int) -> int:
        self._parse(at, place, "[0", "]")
        self._open.pop()
        if place + 1 - holder.start > self._piece:
            self.runs[holder.start] = holder.runs
        return self._behind(holder.member, place + 1) if self._open else place + 1

    def _member(self, holder: _Open, at: int) -> int:
        """Return a member that is too large for a run, or nests too deeply to be seen as one."""
        value = skip_space(self._mask, at)
        if holder.named:
            found = KEY.match(self._mask, at)
            value = found.end() if found else at
        self._parse(at, value, "{" if holder.named else "[", "0}" if holder.named else "0]")
        if self._byte(value) in _CLOSES:
            self._enter(at, value)
            return value + 1
        end = value_end(self._mask, value)
        self._scalar(value, end)
        return self._behind(at, end)

    def _scalar(self, start: int, end: int) -> None:
        """A number, or a string: a long one in parts, since pyjson5 takes much more than it."""
        quote = chr(self._mask[start])
        if quote not in "\"'":
            self._parse(start, end, "", "")
            return
        at = start + 1
        while cut := _CUT.search(self._source, at + self._piece, end - 1):
            self._parse(at, cut.end(), quote, quote)
            at = cut.end()
        self._parse(at, end, quote, "")

    def _behind(self, member: int, end: int) -> int:
        """Past the comma that follows a member, or to the end of the container."""
        self._open[-1].runs.append(Run(member, end, 1))
        place = skip_space(self._mask, end)
        if self._byte(place) == self._open[-1].closer:
            return end
        if self._byte(place) != 0x2C:
            raise DocumentSyntax("A comma was expected")
        self._parse(end, place, "[0", "]")
        return place + 1

    def _byte(self, at: int) -> int:
        return self._mask[at] if at < len(self._mask) else 0

    def _parse(self, start: int, end: int, before: str, behind: str) -> Any:
        """Return what pyjson5 reads there, between brackets; DocumentSyntax."""
        text = str(memoryview(self._source)[start:end], "utf-8-sig")
        return parse_text(before + text + behind)

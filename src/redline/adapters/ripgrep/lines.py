"""Makes lines of what ripgrep wrote about files: `12:5:text`, or `11-text` for context."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

_LINE = re.compile(rb"(\d+)(?:-|:(\d+):)(.*)", re.DOTALL)
_LINE_WITHOUT_COLUMN = re.compile(rb"(\d+)(?:-|:())(.*)", re.DOTALL)
_OMITTED = re.compile(rb" \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long line)\]\Z")
_BOM = "\ufeff"

Hit: TypeAlias = tuple[str, int, int, str]
"""Path, line number, column, text."""


class LineParser:
    """Reads lines; *needle* finds the column where ripgrep was not asked for it.

    A column is 0 for context, -1 where the match lies after the place at which a line was cut.
    The mark at the start of a *marked* file is left away.
    """

    def __init__(
        self,
        longest_line: int,
        *,
        columns: bool,
        context: bool = False,
        needle: re.Pattern[str] | None = None,
        marked: bool = False,
    ) -> None:
        self._longest = longest_line
        self._columns = columns
        self._context = context
        self._needle = needle
        self._marked = marked

    def hits(self, files: Sequence[tuple[str, bytes]]) -> list[Hit]:
        """The lines of *files*."""
        joined = b"\n".join([body for _, body in files])
        if self._is_plain(joined):
            hits = self._at_once(files, joined.decode("utf-8", "surrogateescape"))
        else:
            hits = list(self._one_by_one(files))
        return hits if self._needle is None else self._locate(hits, self._needle.search)

    def _is_plain(self, lines: bytes) -> bool:
        """Whether there is nothing to look at twice."""
        if self._context or b"\r" in lines or b" [... " in lines:
            return False
        return lines.isascii() or not (self._columns or self._marked)

    def _at_once(self, files: Sequence[tuple[str, bytes]], lines: str) -> list[Hit]:
        if not lines:
            return []
        paths = [path for path, body in files for _ in range(body.count(b"\n") + 1)]
        if self._columns:
            parts = [line.split(":", 2) for line in lines.split("\n")]
            return [(path, int(n), int(c), t) for path, (n, c, t) in zip(paths, parts, strict=True)]
        pairs = [line.partition(":") for line in lines.split("\n")]
        return [(path, int(n), 1, t) for path, (n, _, t) in zip(paths, pairs, strict=True)]

    def _one_by_one(self, files: Sequence[tuple[str, bytes]]) -> Iterator[Hit]:
        pattern = _LINE if self._columns else _LINE_WITHOUT_COLUMN
        for path, body in files:
            for raw in body.split(b"\n"):
                found = pattern.match(raw)
                if found:
                    yield self._hit(path, *found.groups())

    def _hit(self, path: str, number: bytes, column: bytes | None, raw: bytes) -> Hit:
        if len(raw) > self._longest:
            raw = _OMITTED.sub(b"", raw)
        where = 0 if column is None else _character(raw, int(column or 1))
        text = raw.removesuffix(b"\r").decode("utf-8", "surrogateescape")
        if self._marked and number == b"1":
            text = text.removeprefix(_BOM)
        return path, int(number), where, text

    def _locate(
        self, hits: Sequence[Hit], search: Callable[[str], re.Match[str] | None]
    ) -> list[Hit]:
        found = ((hit, search(hit[3]) if hit[2] else None) for hit in hits)
        return [
            (path, number, match.start() + 1 if match else -column, text)
            for (path, number, column, text), match in found
        ]


def _character(text: bytes, column: int) -> int:
    """A 1-based byte column as a 1-based character column."""
    if text.isascii():
        return column
    before = text[: column - 1]
    return len(before.decode("utf-8", "surrogateescape")) + 1 + max(0, column - 1 - len(before))

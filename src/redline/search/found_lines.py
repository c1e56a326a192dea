"""Lines that a search found, with what is around them, cut to how many were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redline.core.encodings.opening import open_file
from redline.core.errors import RedlineError
from redline.core.paths import WorkspacePath, show_name
from redline.core.ports.search import GrepLine
from redline.core.ports.tree import Tree
from redline.core.records import dataclass
from redline.core.textfile import BOM

MAX_LINE = 8192
# Files larger than this are not read again for the rest of a line.
LARGEST = 64 << 20
# ripgrep cuts before a character that does not fit whole.
_SLACK = 64
_MAX_UNDECODED = 5


@dataclass(frozen=True, slots=True)
class ContentFound:
    """Matching and context lines in order; `truncated` when more match than were asked for.

    `undecoded` is as in `GrepResult`.
    """

    lines: tuple[GrepLine, ...]
    truncated: bool
    undecoded: tuple[WorkspacePath, ...] = ()

    @property
    def count(self) -> int:
        """How many lines match."""
        return sum(line.is_match for line in self.lines)


class WholeLines:
    """Reads lines again that were cut, one file at a time."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._place: WorkspacePath | None = None
        self._lines: list[bytes] = []

    def read(self, line: GrepLine) -> bytes | None:
        """Return all of a line that was cut; None for one that is whole or cannot be read."""
        if len(line.text) * 4 < MAX_LINE - _SLACK:
            return None  # the usual case, and cheap to tell
        shown = line.text.encode("utf-8", "surrogateescape")
        if len(shown) < MAX_LINE - _SLACK:
            return None
        if line.place != self._place:
            self._place, self._lines = line.place, self._read(line.place)
        whole = b"".join(self._lines[line.line - 1 : line.line]).removesuffix(b"\r")
        # The file may have changed since the search.
        return whole if len(whole) > len(shown) and whole.startswith(shown) else None

    def _read(self, place: WorkspacePath) -> list[bytes]:
        try:
            file = open_file(self._tree, place, self._tree.read(place, LARGEST))
        except RedlineError:
            return []
        return file.view.removeprefix(BOM).split(b"\n")


def name_undecoded(names: Sequence[str]) -> str:
    """Return a sentence about files that may match and whose encoding is not certain, if any."""
    if not names:
        return ""
    more = f" and {len(names) - _MAX_UNDECODED} more" if len(names) > _MAX_UNDECODED else ""
    listed = ", ".join(map(show_name, names[:_MAX_UNDECODED]))
    return f"not decoded, the encoding is not certain: {listed}{more}"


def cut_around(text: str, at: int, most: int) -> tuple[int, int]:
    """Return the ends of a part of *text* of *most* characters that shows what is *at*."""
    start = max(0, min(at - most // 4, len(text) - most))
    return start, min(len(text), start + most)


def cut_to_cap(lines: Sequence[GrepLine], cap: int, context: int) -> ContentFound:
    """Return the first *cap* matches of *lines* with *context* lines around each."""
    if not context:
        return ContentFound(tuple(lines[:cap]), len(lines) > cap)
    matches = [index for index, line in enumerate(lines) if line.is_match]
    truncated = len(matches) > cap
    shown = lines[: matches[cap]] if truncated else lines
    return ContentFound(_near_matches(shown, context), truncated)


def _near_matches(lines: Sequence[GrepLine], context: int) -> tuple[GrepLine, ...]:
    """*lines* without the context of matches that were cut off."""
    matches = {(line.root, line.path, line.line) for line in lines if line.is_match}
    steps = range(-context, context + 1)
    return tuple(
        line
        for line in lines
        if any((line.root, line.path, line.line + step) in matches for step in steps)
    )


def lines_with_context(
    path: WorkspacePath, content: bytes, found: Sequence[int], most: int, context: int
) -> Iterator[GrepLine]:
    """Yield the first *most* lines *found* with what is around them, up to the first left out."""
    numbers = found[:most]
    if not numbers:
        return
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    matching = set(numbers)
    relative = "/".join(path.parts)
    end = found[most] if len(found) > most else len(lines)
    shown = {
        near
        for number in numbers
        for near in range(max(number - context, 0), min(number + context + 1, end))
    }
    for number in sorted(shown):
        text = lines[number].removesuffix(b"\r")[:MAX_LINE]
        decoded = text.decode("utf-8", "surrogateescape")
        is_match = number in matching
        yield GrepLine(path.root, relative, number + 1, decoded, is_match, int(is_match))

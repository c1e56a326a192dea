"""A change in the fewest words: the lines that differ, each file once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NOTHING = "/dev/null"
_MOVED = re.compile(r"^rename from (.*)\nrename to (.*)$", re.MULTILINE)
# It counts those in the context too.
_COUNTED = re.compile(
    r"\Awarning: \d+ hidden characters? (?:is|are)(?= shown escaped$)", re.MULTILINE
)
MAX_FILES = 20


@dataclass(slots=True)
class _FileLines:
    """The lines of one file that differ, with where they are."""

    old: str
    new: str = ""
    added: int = 0
    removed: int = 0
    # Changed lines that follow each other, with where they begin.
    runs: list[tuple[str, list[str]]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The file's name, without the letter before the slash."""
        return (self.old if self.new == _NOTHING else self.new).partition("/")[2]

    @property
    def head(self) -> str:
        """What happened to the file, and how much of it."""
        if self.old == _NOTHING:
            return f"created {self.name} (+{self.added})"
        if self.new == _NOTHING:
            return f"deleted {self.name} (-{self.removed})"
        return f"edited {self.name} (+{self.added} -{self.removed})"


def brief_diff(diff: str, max_chars: int) -> str:
    """Return a unified diff without context; above *max_chars* only which files differ.

    New and deleted files are named, not shown.
    """
    found = list(_parse(diff))
    whole = "\n".join(line for part in found for line in _show(part))
    whole = _MOVED.sub(
        r"moved \1 to \2", _COUNTED.sub("warning: hidden characters are", whole, count=1)
    )
    if len(whole) <= max_chars:
        return whole
    heads = [part.head if isinstance(part, _FileLines) else part for part in found]
    more = [f"and {len(heads) - MAX_FILES} more files"] if len(heads) > MAX_FILES else []
    return "\n".join([*heads[:MAX_FILES], *more])


def _show(part: _FileLines | str) -> list[str]:
    if isinstance(part, str):
        return [part]
    if _NOTHING in (part.old, part.new):
        return [part.head]
    return [line for where, lines in part.runs for line in _show_run(where, lines)]


def _show_run(where: str, lines: list[str]) -> list[str]:
    """Show changed lines that follow each other; each line once where most of it stays."""
    removed = [line[1:] for line in lines if line[0] == "-"]
    added = [line[1:] for line in lines if line[0] == "+"]
    pairs = [_merge(*pair) for pair in zip(removed, added, strict=False)]
    if len(removed) != len(added) or None in pairs:
        # Where only the newline at the end differs, nothing else would tell the lines apart.
        is_same = bool(removed and added) and removed[-1] == added[-1]
        return [where, *(line for line in lines if is_same or line[0] != "\\")]
    return [f"{where}:{pairs[0]}", *(f" {pair}" for pair in pairs[1:])]


def _merge(old: str, new: str) -> str | None:
    """Return two lines as one, `[-old-]{+new+}` where they differ; None if most of it differs."""
    if old == new:
        return None
    head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    if head is None:
        head = min(len(old), len(new))
    most = min(len(old), len(new)) - head
    ends = zip(reversed(old), reversed(new), strict=False)
    tail = next((i for i, (a, b) in enumerate(ends) if a != b or i >= most), most)
    # Whole words are read more easily than parts of them.
    while head and _is_word(old[head - 1]):
        head -= 1
    while tail and _is_word(old[len(old) - tail]):
        tail -= 1
    if (head + tail) * 2 < len(old) or "[-" in old + new or "{+" in old + new:
        return None
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    marks = (f"[-{gone}-]" if gone else "") + (f"{{+{come}+}}" if come else "")
    return f"{old[:head]}{marks}{old[len(old) - tail :]}"


def _is_word(char: str) -> bool:
    return char.isalnum() or char in "_."


def _parse(diff: str) -> Iterator[_FileLines | str]:
    """Yield each file with its changed lines, and every other line of the diff as it is."""
    file: _FileLines | None = None
    hunk = _HunkReader()
    for text in diff.split("\n"):
        if file is not None and (hunk.is_inside or text.startswith("\\")):
            hunk.take(text, file)
        elif file is not None and (not text or _is_of_file(text, file)):
            hunk = _HunkReader.at(text)
        elif text:
            if file is not None:
                yield file
            file = _FileLines(text[4:]) if text.startswith("--- ") else None
            if file is None:
                yield text
    if file is not None:
        yield file


def _is_of_file(text: str, file: _FileLines) -> bool:
    """Whether a line opens a hunk or gives the new name; a new name is kept."""
    if text.startswith("+++ "):
        file.new = text[4:]
        return True
    return _HUNK.match(text) is not None


@dataclass(slots=True)
class _HunkReader:
    """Reads the lines of one hunk: how many are left of each side, and where the next one is."""

    old: int = 0
    new: int = 0
    line: int = 0
    is_open: bool = False

    @classmethod
    def at(cls, text: str) -> _HunkReader:
        """Return the reader of the hunk that *text* opens; one that is done for any other line."""
        found = _HUNK.match(text)
        if found is None:
            return cls()
        return cls(int(found[2] or 1), int(found[4] or 1), int(found[3]) or 1)

    @property
    def is_inside(self) -> bool:
        """Whether further lines belong to the hunk."""
        return self.old > 0 or self.new > 0

    def take(self, text: str, file: _FileLines) -> None:
        """Read one line; changed ones go to *file*, with the place of the first in a row."""
        mark = text[:1] or " "
        if mark == "\\":
            if self.is_open:
                file.runs[-1][1].append(text)
            return
        is_changed = mark in "-+"
        if is_changed:
            if not self.is_open:
                file.runs.append((f"{file.name}:{self.line}", []))
            file.runs[-1][1].append(text)
        self.is_open = is_changed
        self.old -= mark != "+"
        self.new -= mark != "-"
        self.line += mark != "-"
        file.added += mark == "+"
        file.removed += mark == "-"

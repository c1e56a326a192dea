"""Changes of source files as people make them."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

WORD = re.compile(r"[A-Za-z_]\w{2,}")
MAX_BYTES = 80_000
_SPECIAL = (r"s.replace('$1', '\1')", 'echo "$& ${x} $$"', r"re.sub(r'\g<0>')")


@dataclass(frozen=True, slots=True)
class SourceChange:
    """Lines [start, stop) of a file become `new`; bodies only."""

    name: str
    lines: tuple[str, ...]
    start: int
    stop: int
    new: tuple[str, ...]

    @property
    def after(self) -> tuple[str, ...]:
        """The lines of the file afterwards."""
        return self.lines[: self.start] + self.new + self.lines[self.stop :]


def split_source(raw: bytes) -> tuple[str, ...] | None:
    """The lines of a file that is fit for changes; None for one that is not."""
    if len(raw) > MAX_BYTES or b"\0" in raw or b"\r" in raw:
        return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = tuple(text.split("\n")[:-1]) if text.endswith("\n") else ()
    return lines if 12 <= len(lines) <= 1500 else None


def invent_change(name: str, lines: tuple[str, ...], rng: random.Random) -> SourceChange | None:
    """A change as people make them: alter, add, remove, or wrap lines."""
    filled = [i for i, line in enumerate(lines) if line.strip()]
    if not filled:
        return None
    at = rng.choice(filled)
    size = rng.randint(1, 4)
    block = lines[at : at + size]
    kind = rng.choice(("alter", "alter", "add", "add", "remove", "wrap", "rewrite"))
    if kind == "alter":
        new = tuple(alter_line(line, rng) for line in block)
        return SourceChange(name, lines, at, at + len(block), new) if new != block else None
    if kind == "add":
        return SourceChange(name, lines, at + 1, at + 1, _invent_lines(lines, at, rng))
    if kind == "remove":
        return SourceChange(name, lines, at, at + len(block), ())
    margin = margin_of(lines[at])
    if kind == "wrap":
        deeper = tuple("    " + line if line.strip() else line for line in block)
        return SourceChange(name, lines, at, at + len(block), (f"{margin}if ready:", *deeper))
    return SourceChange(name, lines, at, at + len(block), _invent_lines(lines, at, rng))


def alter_line(line: str, rng: random.Random) -> str:
    """*line* with another name in it, where it has one."""
    words = list(WORD.finditer(line))
    if not words:
        return line
    word = rng.choice(words)
    fresh = word[0] + rng.choice(("_new", "2", "Ex", "s"))
    return line[: word.start()] + fresh + line[word.end() :]


def _invent_lines(lines: tuple[str, ...], at: int, rng: random.Random) -> tuple[str, ...]:
    margin = margin_of(lines[at])
    pool = [line.strip() for line in lines if line.strip()]
    bodies = [alter_line(rng.choice(pool), rng) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.2:
        bodies.append(rng.choice(_SPECIAL))
    return tuple(margin + body for body in bodies)


def margin_of(line: str) -> str:
    """The indentation of *line*."""
    return line[: len(line) - len(line.lstrip(" \t"))]

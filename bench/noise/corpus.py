"""Real files, and real and invented changes of them."""

from __future__ import annotations

import difflib
import random
import re
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.library.peers import REPO

EXTENSIONS = (".py", ".js", ".ts", ".c", ".h", ".md", ".rst", ".toml", ".yaml", ".css", ".rs")


WORD = re.compile(r"[A-Za-z_]\w{2,}")


_SPECIAL = (r"s.replace('$1', '\1')", 'echo "$& ${x} $$"', r"re.sub(r'\g<0>')")


@dataclass(frozen=True, slots=True)
class Change:
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


def corpus(limit: int, rng: random.Random) -> list[tuple[str, tuple[str, ...]]]:
    """Text files of installed packages, headers and this repository, as lines."""
    places = [REPO, Path(sysconfig.get_paths()["purelib"]), Path(sysconfig.get_paths()["stdlib"])]
    places += [Path("/usr/include"), REPO / ".cache"]
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            files = list(_text_files(place))
            rng.shuffle(files)
            found += files[: limit * 2 // len(places) + limit // 4]
    rng.shuffle(found)
    kept: list[tuple[str, tuple[str, ...]]] = []
    for path in found:
        lines = _lines_of(path)
        if lines is not None:
            kept.append((path.name, lines))
        if len(kept) >= limit:
            break
    return kept


@cache
def _text_files(place: Path) -> tuple[Path, ...]:
    files = (p for p in place.rglob("*") if p.suffix in EXTENSIONS and p.is_file())
    return tuple(sorted(p for p in files if ".git/" not in str(p)))


def _lines_of(path: Path) -> tuple[str, ...] | None:
    raw = path.read_bytes()
    if len(raw) > 80_000 or b"\0" in raw or b"\r" in raw:
        return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = tuple(text.split("\n")[:-1]) if text.endswith("\n") else ()
    return lines if 12 <= len(lines) <= 1500 else None


@cache
def history(limit: int) -> tuple[Change, ...]:
    """Changes from this repository's own commits, one region each."""
    log = _git("log", "--format=%H", "--no-merges", f"-{limit}")
    changes: list[Change] = []
    for commit in log.split():
        for row in _git(
            "diff-tree", "-r", "--diff-filter=M", "--no-commit-id", commit
        ).splitlines():
            fields = row.split()
            if len(fields) < 6 or not fields[5].endswith(EXTENSIONS):
                continue
            old, new = _git("cat-file", "blob", fields[2]), _git("cat-file", "blob", fields[3])
            changes += _regions(fields[5], old.split("\n")[:-1], new.split("\n")[:-1])
    return tuple(changes)


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(REPO), *arguments], capture_output=True, check=False, text=True
    )
    return done.stdout if done.returncode == 0 else ""


def _regions(name: str, old: list[str], new: list[str]) -> Iterator[Change]:
    if not 4 <= len(old) <= 1500:
        return
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal" and i2 - i1 < 40 and j2 - j1 < 40:
            yield Change(name.rsplit("/", 1)[-1], tuple(old), i1, i2, tuple(new[j1:j2]))


def invent_change(name: str, lines: tuple[str, ...], rng: random.Random) -> Change | None:
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
        return Change(name, lines, at, at + len(block), new) if new != block else None
    if kind == "add":
        return Change(name, lines, at + 1, at + 1, _added(lines, at, rng))
    if kind == "remove":
        return Change(name, lines, at, at + len(block), ())
    margin = margin_of(lines[at])
    if kind == "wrap":
        deeper = tuple("    " + line if line.strip() else line for line in block)
        return Change(name, lines, at, at + len(block), (f"{margin}if ready:", *deeper))
    return Change(name, lines, at, at + len(block), _added(lines, at, rng))


def alter_line(line: str, rng: random.Random) -> str:
    words = list(WORD.finditer(line))
    if not words:
        return line
    word = rng.choice(words)
    fresh = word[0] + rng.choice(("_new", "2", "Ex", "s"))
    return line[: word.start()] + fresh + line[word.end() :]


def _added(lines: tuple[str, ...], at: int, rng: random.Random) -> tuple[str, ...]:
    margin = margin_of(lines[at])
    pool = [line.strip() for line in lines if line.strip()]
    bodies = [alter_line(rng.choice(pool), rng) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.2:
        bodies.append(rng.choice(_SPECIAL))
    return tuple(margin + body for body in bodies)


def margin_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]

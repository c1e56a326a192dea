"""Real files, and real changes of them."""

from __future__ import annotations

import difflib
import random
import subprocess
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bench.library.peers import REPO
from redline.trials.changes import SourceChange, split_source

EXTENSIONS = (".py", ".js", ".ts", ".c", ".h", ".md", ".rst", ".toml", ".yaml", ".css", ".rs")


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
        lines = split_source(path.read_bytes())
        if lines is not None:
            kept.append((path.name, lines))
        if len(kept) >= limit:
            break
    return kept


@cache
def _text_files(place: Path) -> tuple[Path, ...]:
    files = (p for p in place.rglob("*") if p.suffix in EXTENSIONS and p.is_file())
    return tuple(sorted(p for p in files if ".git/" not in str(p)))


@cache
def history(limit: int) -> tuple[SourceChange, ...]:
    """Changes from this repository's own commits, one region each."""
    log = _git("log", "--format=%H", "--no-merges", f"-{limit}")
    changes: list[SourceChange] = []
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


def _regions(name: str, old: list[str], new: list[str]) -> Iterator[SourceChange]:
    if not 4 <= len(old) <= 1500:
        return
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal" and i2 - i1 < 40 and j2 - j1 < 40:
            yield SourceChange(name.rsplit("/", 1)[-1], tuple(old), i1, i2, tuple(new[j1:j2]))

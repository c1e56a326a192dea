"""Real files, and real changes of them."""

from __future__ import annotations

import difflib
import os
import random
import subprocess
import sysconfig
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path

from bench.library.peers import REPO
from bench.trials.changes import SourceChange, split_source

EXTENSIONS = (".py", ".js", ".ts", ".c", ".h", ".md", ".rst", ".toml", ".yaml", ".css", ".rs")

# A commit to read back from, so that a test sees the same changes whatever is committed.
_SETTLED = "3fdb92d64ea4d04c43fceaf66357778d82c83935"


def corpus(
    limit: int, rng: random.Random, *, is_settled: bool
) -> list[tuple[str, tuple[str, ...]]]:
    """Text files of the interpreter; unless settled, of packages and this repository too."""
    places = [Path(sysconfig.get_paths()["stdlib"])]
    if not is_settled:
        places += [REPO, Path(sysconfig.get_paths()["purelib"]), Path("/usr/include")]
        places += [REPO / ".cache"]
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
    found: list[Path] = []
    for folder, folders, names in os.walk(place):
        folders[:] = [n for n in folders if n != "site-packages" and not n.endswith(".git")]
        found += [Path(folder, name) for name in names if name.endswith(EXTENSIONS)]
    return tuple(sorted(path for path in found if path.suffix in EXTENSIONS and path.is_file()))


@cache
def history(limit: int, *, is_settled: bool) -> tuple[SourceChange, ...]:
    """Changes from this repository's own commits, one region each; the same ones if settled."""
    last = _SETTLED if is_settled else "HEAD"
    commits = _git("log", "--format=%H", "--no-merges", f"-{limit}", last)
    listing = ("diff-tree", "--stdin", "-r", "--diff-filter=M", "--no-commit-id")
    rows = [row.split() for row in _git(*listing, given=commits).decode().splitlines()]
    edited = [row for row in rows if len(row) >= 6 and row[5].endswith(EXTENSIONS)]
    texts = _texts(sorted({name for row in edited for name in row[2:4]}))
    changes: list[SourceChange] = []
    for row in edited:
        old, new = (texts[name].split("\n")[:-1] for name in row[2:4])
        changes += _regions(row[5], old, new)
    return tuple(changes)


def _texts(names: list[str]) -> dict[str, str]:
    """The contents that git keeps under *names*, with the line ends of Unix."""
    given = "".join(f"{name}\n" for name in names).encode()
    stream = BytesIO(_git("cat-file", "--batch", given=given))
    found = {}
    for name in names:
        size = int(stream.readline().split()[2])
        text = stream.read(size).decode()
        found[name] = text.replace("\r\n", "\n").replace("\r", "\n")
        stream.read(1)
    return found


def _git(*arguments: str, given: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", "-C", str(REPO), *arguments], input=given, capture_output=True, check=False
    )
    return done.stdout if done.returncode == 0 else b""


def _regions(name: str, old: list[str], new: list[str]) -> Iterator[SourceChange]:
    if not 4 <= len(old) <= 1500:
        return
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal" and i2 - i1 < 40 and j2 - j1 < 40:
            yield SourceChange(name.rsplit("/", 1)[-1], tuple(old), i1, i2, tuple(new[j1:j2]))

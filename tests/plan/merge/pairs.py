"""Random pairs of changes to one text, and what `git merge-file` makes of each.

    python -m tests.plan.merge.pairs 10000 [SEED]

counts how `merge_lines` compares with git: the same bytes, refused where git merges, refused where
git conflicts, and wrong (other bytes, or merged where git conflicts), which must be 0.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from redline.core.line_diff import split_lines
from redline.plan.merge.line_history import Version
from redline.plan.merge.three_way import merge_lines

WORDS = ["alpha", "beta", "größe", "行", "🙂 smile", "  indented", "", "}", "return x", "a\tb"]


class Pair(NamedTuple):
    """A text, and two changes of it."""

    base: bytes
    wanted: bytes
    now: bytes


def random_pair(rng: random.Random) -> Pair:
    """Return a text of up to 40 lines and two changed versions."""
    end = rng.choice(["\n", "\n", "\r\n"])
    repeats = rng.choice([0.0, 0.1, 0.1, 0.5])
    lines = [_line(rng, repeats, end) for _ in range(rng.choice([0, 1, 3, 8, 15, 25, 40]))]
    wanted, now = _changed(rng, lines, repeats, end), _changed(rng, lines, repeats, end)
    if rng.random() < 0.1:  # both also make the same change
        lines_after = _changed(rng, lines, repeats, end)
        wanted = now = lines_after
        now = _changed(rng, now, repeats, end)
    return Pair(*(_joined(rng, text) for text in (lines, wanted, now)))


def _line(rng: random.Random, repeats: float, end: str) -> str:
    word = rng.choice(WORDS)
    return (word if rng.random() < repeats else f"{word} {rng.randrange(10**6)}") + end


def _changed(rng: random.Random, lines: list[str], repeats: float, end: str) -> list[str]:
    text = list(lines)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        size = rng.choice([0, 0, 1, 1, 2, 4])
        at = rng.choice([0, len(text), rng.randint(0, len(text)), rng.randint(0, len(text))])
        added = [_line(rng, repeats, end) for _ in range(rng.choice([0, 1, 1, 2, 4]))]
        if rng.random() < 0.1 and text:  # a copy of what is near
            added = text[max(0, at - 2) : at]
        text[at : at + size] = added
    return text


def _joined(rng: random.Random, lines: list[str]) -> bytes:
    text = "".join(lines).encode()
    return text.rstrip(b"\r\n") if rng.random() < 0.15 else text


def git_merge(pair: Pair, folder: Path) -> bytes | None:
    """Return what git merges the pair to, None where it conflicts."""
    names = [str(folder / name) for name in ("now", "base", "wanted")]
    for name, text in zip(names, (pair.now, pair.base, pair.wanted), strict=True):
        Path(name).write_bytes(text)
    done = subprocess.run(["git", "merge-file", "-p", *names], capture_output=True)
    assert done.returncode < 128, done.stderr
    return done.stdout if done.returncode == 0 else None


def our_merge(pair: Pair) -> bytes | None:
    """Return what Redline merges the pair to, None where it refuses."""
    base, wanted, now = (split_lines(text) for text in pair)
    merged = merge_lines(base, wanted, [Version(now)])
    return None if merged.conflicts else b"".join(merged.lines)


def compare(count: int, seed: int, folder: Path) -> tuple[Counter[str], list[Pair]]:
    """Count how *count* pairs came out, and return the wrong ones."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    wrong: list[Pair] = []
    for _ in range(count):
        pair = random_pair(rng)
        expected, found = git_merge(pair, folder), our_merge(pair)
        if found == expected:
            counts["same" if expected is not None else "both refuse"] += 1
        elif found is None:
            counts["refused"] += 1
        else:
            counts["wrong"] += 1
            wrong.append(pair)
    return counts, wrong


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
        first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
        totals, failures = compare(number, first, Path(scratch))
    print(dict(totals))
    for failure in failures[:5]:
        print(failure)
    sys.exit(
        1 if failures or totals["refused"] > 0.02 * (totals["refused"] + totals["same"]) else 0
    )

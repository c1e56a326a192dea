"""Random pairs of changes as real files: one is committed, the other made on top, the first undone.

    python -m tests.plan.merge.undone_files 10000 [SEED]

The second change is a person's or Redline's own, and the file may be moved before or after it. What
the undo leaves is compared with `git merge-file`; a refused one must leave everything as it was.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redline.core.errors import UndoBlocked
from tests.engine.bench import Bench, snapshot
from tests.plan.merge.pairs import Pair, git_merge, random_pair

# Every workspace gets a new history after this many pairs.
_PAIRS = 100


def compare_files(count: int, seed: int) -> tuple[Counter[str], list[Pair]]:
    """Count how undoing came out for *count* pairs, and return the wrong ones."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    wrong: list[Pair] = []
    for first in range(0, count, _PAIRS):
        with _fresh_bench() as bench:
            for _ in range(min(_PAIRS, count - first)):
                pair = random_pair(rng)
                while pair.base == pair.wanted:
                    pair = random_pair(rng)
                outcome, features = _undo_one(bench, pair, rng)
                counts[outcome] += 1
                counts.update(features)
                if outcome == "wrong":
                    wrong.append(pair)
    return counts, wrong


@contextmanager
def _fresh_bench() -> Iterator[Bench]:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as top:
        root = Path(top, "ws")
        root.mkdir()
        bench = Bench(root, state_dir=os.path.join(top, "state"))
        try:
            yield bench
        finally:
            bench.app.close()


def _undo_one(bench: Bench, pair: Pair, rng: random.Random) -> tuple[str, list[str]]:
    """Undo the first change of a pair; say how that compares with git, and what the pair had."""
    name, moved = "file.txt", "moved/file name.txt"
    (bench.root / name).write_bytes(pair.wanted)
    change = bench.commit(bench.write(name, pair.base)).id
    move = rng.choice(["", "", "move before", "move after"])
    features = [rng.choice(["by a person", "by Redline"])]
    if move == "move before":
        name = _move(bench, name, moved)
    if features == ["by a person"]:
        (bench.root / name).write_bytes(pair.now)
    elif pair.now != pair.base:
        bench.commit(bench.write(name, pair.now))
    if move == "move after":
        name = _move(bench, name, moved)
    features += [move] if move else []
    features += ["CRLF"] if b"\r\n" in pair.base + pair.now else []
    features += ["no final newline"] if pair.base[-1:] not in (b"", b"\n") else []
    features += [] if (pair.base + pair.now).isascii() else ["Unicode"]
    before = snapshot(bench.root)
    with tempfile.TemporaryDirectory(dir=bench.root.parent) as scratch:
        expected = git_merge(pair, Path(scratch))
    try:
        bench.undo(change)
        found: bytes | None = (bench.root / name).read_bytes()
    except UndoBlocked:
        found = None
    if found is None and snapshot(bench.root) != before:
        outcome = "wrong"
    elif found == expected:
        outcome = "same" if expected is not None else "both refuse"
    else:
        outcome = "refused" if found is None else "wrong"
    (bench.root / name).unlink()
    return outcome, features


def _move(bench: Bench, name: str, target: str) -> str:
    (bench.root / target).parent.mkdir(exist_ok=True)
    bench.commit(bench.move(name, target))
    return target


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    totals, failures = compare_files(number, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(dict(totals))
    for failure in failures[:5]:
        print(failure)
    too_many = totals["refused"] > 0.02 * (totals["refused"] + totals["same"])
    sys.exit(1 if failures or too_many else 0)

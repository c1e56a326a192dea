"""A recorder that is killed again and again while files change, and what the history says then.

    python -m tests.recorder.kills [KILLS] [SEED]

Each round starts `redline watch`, changes files, as another program and with Redline's own tools,
and kills it at a random moment: while it learns, looks, records or waits. At the end the operations
on each file must lead from its first state to its last without a gap, no edit of Redline's may be
recorded as another program's, and each start may have recorded one operation of what was missed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from redline.core.changes import Change, ChangeSet, FileState
from redline.core.errors import RedlineError
from redline.core.paths import Access
from redline.core.ports.history import OUTSIDE, HistoryQuery, Operation, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.recorder.afternoon import find_gaps

# Few enough for changes of one file to meet.
FILES = 60
MARK = "written by Redline"


@dataclass
class Toll:
    """What was done and what the history has of it."""

    kills: int = 0
    operations: int = 0
    missed: int = 0
    gaps: list[str] = field(default_factory=list)
    mistaken: list[str] = field(default_factory=list)


def survive(kills: int, seed: int) -> Toll:
    """Kill a recorder *kills* times, then judge."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as base:
        root, state = Path(base) / "ws", Path(base) / "state"
        root.mkdir()
        for number in range(FILES):
            (root / f"f{number}.txt").write_text(f"{number}\n" * 200)
        _watch(root, state, "--once").communicate()
        first = _states(root)
        redline = Redline(Settings(workspace=str(root), state_dir=str(state)))
        for _ in range(kills):
            _change(redline, root, dice)  # while nothing records
            process = _watch(root, state)
            if dice.random() < 0.8:
                assert process.stdout is not None
                process.stdout.readline()  # it begins to look
            ends = time.monotonic() + dice.random() * 3
            while time.monotonic() < ends:
                _change(redline, root, dice)
                time.sleep(dice.random() / 10)
            process.kill()
            process.communicate()
        last = _watch(root, state, "--once")
        last.communicate()
        assert last.returncode == 0
        with redline:
            operations = list(redline.history.list(HistoryQuery(limit=100_000)))
            mistaken = _find_mistaken(redline, operations)
        missed = sum("while not watching" in each.origin.summary for each in operations)
        gaps = find_gaps(operations, first, _states(root))
        return Toll(kills, len(operations), missed, gaps, mistaken)


def _watch(root: Path, state: Path, *flags: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "redline", "watch", "--workspace", str(root)]
    argv += ["--state-dir", str(state), *flags]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(argv, stdout=subprocess.PIPE, env=env)


def _change(redline: Redline, root: Path, dice: random.Random) -> None:
    path = root / f"f{dice.randrange(FILES)}.txt"
    kind = dice.randrange(6)
    if kind > 3:
        _edit(redline, path.name, dice)
    elif kind == 0:
        path.unlink(missing_ok=True)
    elif kind == 1:
        swap = root / "f.swp"
        swap.write_text(f"{dice.random()}\n")
        os.replace(swap, path)
    else:
        with path.open("a") as file:
            file.write(f"{dice.random()}\n")


def _edit(redline: Redline, name: str, dice: random.Random) -> None:
    """Write a file with Redline's own tools."""
    path = redline.workspace.resolve(name, Access.WRITE)
    after = FileState.of(f"{MARK} {dice.random()}\n".encode())
    with contextlib.suppress(RedlineError):  # another program was faster
        change = Change(path, redline.tree.state(path), after)
        redline.editor.commit(ChangeSet((change,)), Origin("edit_file"))


def _find_mistaken(redline: Redline, operations: Sequence[Operation]) -> list[str]:
    """The operations of another program that wrote what Redline's own tools had written."""
    found = []
    for operation in operations:
        for step in redline.history.get(operation.id).change_set.steps:
            after = step.after if isinstance(step, Change) else None
            content = (after.content or b"") if isinstance(after, FileState) else b""
            is_ours = content.startswith(MARK.encode()) and content.count(b"\n") == 1
            if is_ours and operation.origin.tool == OUTSIDE:
                found.append(f"{operation.id}: {operation.origin.summary}")
    return found


def _states(root: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(root.iterdir())}


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    print(survive(*(numbers + [100, 1][len(numbers) :])))

"""Two servers that keep their history apart, and a person who saves in the same milliseconds.

    python -m tests.probes.saves [RACES [SEED]]

In each race both servers add a line to one file while a person saves it: in place, by renaming a
new file over it, or by appending. Afterwards every save must be in the file (or in a file beside
it that an answer names), every acknowledged edit too unless the person, whose text has it not,
wrote over it after it was there, and no refused edit. What came after what is the kernel's word
(`directory_events.py`). Prints what is wrong, with the order of events, and how the races ended.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.probes.directory_events import DirectoryEvents, Event
from tests.wire.client import Client, connect

SAVES = ("in place", "by rename", "appended")
NAMES = ("A", "B")


@dataclass(frozen=True, slots=True)
class Edit:
    """One server's part in a race."""

    line: str
    acknowledged: bool
    words: str


def race(
    root: Path,
    clients: list[Client],
    events: DirectoryEvents,
    number: int,
    chance: random.Random,
) -> list[str]:
    """Run one race; what is wrong afterwards, preceded by how it ended."""
    path = root / f"f{number}.txt"
    base = f"base {number}\n"
    path.write_text(base + "END\n")
    kind = SAVES[number % len(SAVES)]
    delay = chance.random() * 0.02
    barrier = threading.Barrier(len(clients) + 1)
    events.take()

    def edit(name: str, client: Client) -> Edit:
        line = f"{name}-{number}"
        edits = [{"oldText": "END", "newText": f"{line}\nEND"}]
        barrier.wait()
        reply = client.call("edit_file", {"path": path.name, "edits": edits})
        failed = "error" in reply or bool(reply["result"].get("isError"))
        return Edit(line, not failed, str(reply))

    def save() -> None:
        barrier.wait()
        time.sleep(delay)
        _save(path, kind, base, f"P-{number}\n")

    with ThreadPoolExecutor(len(clients) + 1) as pool:
        running = [pool.submit(edit, *pair) for pair in zip(NAMES, clients, strict=True)]
        pool.submit(save).result()
        edits = [each.result() for each in running]
    seen = events.take()
    wrong = _judge(path, kind, f"P-{number}", edits, seen)
    if wrong:
        wrong += [f"event {event}" for event in seen] + [f"answer {edit}" for edit in edits]
    count = sum(each.acknowledged for each in edits)
    path.unlink()
    _, after = _swaps(path.name, seen)
    end = f"{kind}, {count} acknowledged, {after} of them after the save"
    return [end, "\n  ".join([f"race {number} ({kind}):", *wrong])] if wrong else [end]


def _save(path: Path, kind: str, base: str, line: str) -> None:
    if kind == "appended":
        with open(path, "a") as file:
            file.write(line)
    elif kind == "in place":
        with open(path, "w") as file:
            file.write(base)
            file.flush()
            file.write(line + "END\n")
    else:
        new = path.with_suffix(".new")
        new.write_text(base + line + "END\n")
        new.replace(path)


def _judge(path: Path, kind: str, saved: str, edits: list[Edit], events: list[Event]) -> list[str]:
    lines = path.read_text().split("\n")
    wrong = []
    beside = list(path.parent.glob(f"{path.name}.saved-*"))
    named = [each for each in beside if any(each.name in edit.words for edit in edits)]
    if saved not in lines and not any(saved in each.read_text() for each in named):
        wrong.append(f"the save is lost: {lines}")
    before, after = _swaps(path.name, events)
    acknowledged = [edit for edit in edits if edit.acknowledged]
    if len(acknowledged) != before + after:
        wrong.append(f"{len(acknowledged)} edits acknowledged, {before + after} made")
    kept = [edit for edit in acknowledged if edit.line in lines]
    if len(kept) != len(acknowledged) and (kind == "appended" or len(kept) < after):
        wrong.append(f"an acknowledged edit is lost: {lines}")
    wrong += [
        f"a refused edit is there: {edit.words}"
        for edit in edits
        if edit.line in lines and not edit.acknowledged
    ]
    wrong += [f"litter: {each.name}" for each in path.parent.glob(".redline-*")]
    return wrong


def _swaps(name: str, events: list[Event]) -> tuple[int, int]:
    """How many edits were swapped in, and not put back, before and after the person's save."""
    swapped: dict[str, bool] = {}
    was_saved = False
    for event in events:
        if event.name != name or event.kind == "created":
            continue
        if event.source.startswith(".redline-"):
            if event.source in swapped:
                del swapped[event.source]  # exchanged a second time: put back
            else:
                swapped[event.source] = was_saved
        else:
            was_saved = True
    late = sum(swapped.values())
    return len(swapped) - late, late


def run(races: int, top: Path, seed: int = 1) -> tuple[list[str], Counter[str]]:
    """Run *races*; everything that was wrong, and how often each ending was seen."""
    root = top / "ws"
    root.mkdir()
    clients = []
    wrong: list[str] = []
    ends: Counter[str] = Counter()
    chance = random.Random(seed)
    events = DirectoryEvents(root)
    try:
        for name in NAMES:
            env = {"XDG_STATE_HOME": str(top / f"state-{name}")}
            args = ["--workspace", str(root), "--tools", "files"]
            clients.append(connect("stdio", args, cwd=root, env=env))
        for number in range(races):
            end, *found = race(root, clients, events, number, chance)
            ends[end] += 1
            wrong += found
    finally:
        events.close()
        for client in clients:
            client.close()
    return wrong, ends


def main() -> int:
    """Run as many races as asked for, 10,000 unless told."""
    races = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory(dir=os.environ.get("REDLINE_RACE_DIR")) as top:
        wrong, ends = run(races, Path(top), seed)
    for line in wrong:
        print(line)
    print(f"{races} races, {len(wrong)} wrong")
    for end, count in sorted(ends.items()):
        print(f"{count:6} {end}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

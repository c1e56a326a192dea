"""Twenty scripted agents in one tree: what each is told of the others, and what gets lost.

    python -m bench.programs.who_is_here [--short]

Every overlap must be said in the answer to an agent's first edit there, before its second; nobody
is warned of itself; no edit may be lost. What this adds to a call is measured alone.
"""

from __future__ import annotations

import random
import re
import statistics
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.noise.seat import Seat
from redline.engine.history import RecentWork
from redline.toolsets.call import session_of
from redline.toolsets.tool import Client

AGENTS, FILES = 20, 12
SECONDS, SHORT = 600.0, 4.0
_OVERLAP = re.compile(r"note: agent \(session (\w+)\) is at work in ([^,]+)")


@dataclass
class Watched:
    """What was done and said, and what was wrong with it."""

    edits: int = 0
    said: int = 0
    problems: list[str] = field(default_factory=list)
    lost: list[tuple[int, str]] = field(default_factory=list)


def work(seat: Seat, seconds: float) -> Watched:
    """Let the agents edit their own lines of the same files, for so many *seconds*."""
    names = [f"f{number}.txt" for number in range(FILES)]
    lines = "".join(f"line of {number}: 0\nbetween\nbetween\n" for number in range(AGENTS))
    seat.write(dict.fromkeys(names, lines))
    found, guard = Watched(), threading.Lock()
    # What each wrote last, and who has changed each file, beside what Redline knows.
    wrote: dict[tuple[int, str], int] = {}
    changed: dict[str, set[int]] = {name: set() for name in names}
    ends = time.monotonic() + seconds

    def act(agent: int) -> None:
        chance, by = random.Random(agent), f"agent{agent}"
        own = session_of(Client("agent", connection=by))
        while time.monotonic() < ends:
            name = chance.choice(names)
            was = wrote.get((agent, name), 0)
            with guard:
                others = changed[name] - {agent}
            edits = [{"old": f"line of {agent}: {was}\n", "new": f"line of {agent}: {was + 1}\n"}]
            text, failed = seat.call("edit", {"path": name, "edits": edits}, by)
            if failed:
                if "STALE" not in text and "LOCKED" not in text:
                    found.problems.append(text)
                continue
            overlaps = _OVERLAP.findall(text)
            said = [each for _, files in overlaps for each in files.split()]
            with guard:
                wrote[agent, name] = was + 1
                changed[name].add(agent)
                found.edits += 1
                found.said += len(said)
            more = "more of the kind" in text
            if was == 0 and others and name not in said and not more:
                found.problems.append(f"{by} was not told of {others} in {name}: {text}")
            if any(session == own for session, _ in overlaps):
                found.problems.append(f"{by} was warned of itself: {text}")

    threads = [threading.Thread(target=act, args=(number,)) for number in range(AGENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    files = seat.read()
    found.lost = [
        (agent, name)
        for (agent, name), number in wrote.items()
        if f"line of {agent}: {number}\n" not in files[name]
    ]
    return found


def measure_added(seat: Seat, rounds: int = 40) -> float:
    """Return milliseconds of processor time that knowing who is here adds to a call, the median.

    Half of the calls come after a change of another session, half find nothing new.
    """
    seat.write({"added.txt": "one\n"})
    recent = RecentWork(seat.redline._store)
    recent.take_overlaps("me")
    taken = []
    for number in range(rounds):
        old, new = ("one", "two") if number % 2 == 0 else ("two", "one")
        arguments = {"path": "added.txt", "edits": [{"old": old, "new": new}]}
        text, failed = seat.call("edit", arguments, "x")
        assert not failed, text
        for _ in range(2):
            begun = time.thread_time_ns()
            recent.take_overlaps("me")
            taken.append(time.thread_time_ns() - begun)
    return statistics.median(taken) / 1e6


def main(*, short: bool) -> bool:
    """Print what came out; whether nothing was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        seat = Seat(Path(folder))
        try:
            added = measure_added(seat)
            found = work(seat, SHORT if short else SECONDS)
        finally:
            seat.close()
    print(f"{AGENTS} agents, {found.edits} edits, {found.said} overlaps said")
    print(f"{len(found.problems)} wrong, {len(found.lost)} lost; {added:.3f} ms added to a call")
    print("\n".join(found.problems[:5]))
    return not found.problems and not found.lost and added <= 0.1


if __name__ == "__main__":
    sys.exit(not main(short="--short" in sys.argv))

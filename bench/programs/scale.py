"""Three servers as one, through haproxy and one Redis, while everything is killed at random.

    python -m bench.programs.scale [--short] [--seconds N] [--seed N] [--clients N] [--workspaces N]

Clients of both eras edit, preview and apply, ask for consent and undo in many workspaces. Servers
are killed, and suspended for longer than their leases last; Redis is stopped, its connections are
cut, leases are deleted. A ledger of what was acknowledged judges at the end: every acknowledged
change is there exactly once, every history is whole, no lease number ever falls, no question and no
session is lost, and a workspace whose server died takes edits again within five seconds.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from pathlib import Path

from bench.chaos.clients import EraClient, HandshakeClient, ModernClient
from bench.chaos.faults import Faults
from bench.chaos.group import Group, missing_programs
from bench.chaos.histories import NumberWatch, judge_workspace, replay_backwards
from bench.chaos.ledger import Ledger
from bench.chaos.work import EMPTY, SHARED, Worker
from bench.library.measure import Report, Row, spread

MAX_TAKEOVER = 5.0
_SERVERS = 3
_SESSIONS_EACH = 3
_COUNTED = (
    "edits acknowledged",
    "changes undone",
    "previews applied",
    "consents carried out",
    "questions asked",
    "questions answered",
    "answered at another server",
    "sessions opened",
    "answers lost",
    "calls refused",
    "servers killed",
    "servers suspended",
    "Redis stopped",
    "Redis connections cut",
    "leases deleted",
    "operations in histories",
    "histories undone to the start",
)


def make_workspaces(folder: Path, names: list[str], clients: int) -> dict[str, str]:
    """Make the workspaces, all alike; return the files of one."""
    start = {SHARED: EMPTY, **{f"client-{n}.txt": EMPTY for n in range(clients)}}
    for name in names:
        (folder / name).mkdir(parents=True)
        for file, text in start.items():
            (folder / name / file).write_text(text)
    return start


def simulate(
    home: Path, seconds: float, clients: int, workspaces: int, seed: int, flags: list[str]
) -> Ledger:
    """The whole run; return what was seen."""
    ledger = Ledger()
    names = [f"team-{number:02}" for number in range(workspaces)]
    folder, state = home / "workspaces", home / "state"
    start = make_workspaces(folder, names, clients)
    group = Group(home, folder, _SERVERS, flags)
    try:
        _work(group, state, names, ledger, seconds, clients, seed)
    finally:
        group.close()
    for name in names:
        judge_workspace(ledger, folder / name, state)
    for name in names[: max(1, len(names) // 5)]:
        replay_backwards(ledger, folder / name, state, start)
    return ledger


def _work(
    group: Group,
    state: Path,
    names: list[str],
    ledger: Ledger,
    seconds: float,
    clients: int,
    seed: int,
) -> None:
    chance = random.Random(seed)
    ending, faults_end = threading.Event(), threading.Event()
    workers = []
    for number in range(clients):
        is_modern = number % 2 == 0
        kind = ModernClient if is_modern else HandshakeClient
        client: EraClient = kind(group.port, ledger)
        own = names if is_modern else chance.sample(names, min(_SESSIONS_EACH, len(names)))
        workers.append(Worker(number, client, own, ledger, ending, seed))
    faults = Faults(group, names, ledger, faults_end, seed)
    numbers = NumberWatch(state, ledger, ending)
    for thread in (*workers, faults, numbers):
        thread.start()
    time.sleep(seconds)
    faults_end.set()
    faults.join()
    time.sleep(2.0)  # work goes on for a moment with everything mended
    ending.set()
    for thread in (*workers, numbers):
        thread.join()
    numbers.look()
    ledger.count("highest lease number", max(numbers.seen.values(), default=0))


def report_of(ledger: Ledger, seconds: float, clients: int, workspaces: int, seed: int) -> Report:
    """What is printed and kept."""
    takeovers = sorted(each.seconds for each in ledger.takeovers if not each.is_redis_away)
    others = [each.seconds for each in ledger.takeovers if each.is_redis_away]
    report = Report("scale")
    row = Row("one call", f"{_SERVERS} servers under faults", 0.0, *spread(ledger.walls or [0.0]))
    row.note = f"{len(ledger.walls) / seconds:.0f} calls/s"
    report.add(row)
    p95 = takeovers[int(len(takeovers) * 0.95)] if takeovers else 0.0
    report.facts = {
        "seconds": round(seconds),
        "seed": seed,
        "servers": _SERVERS,
        "workspaces": workspaces,
        "clients, half of each era": clients,
        **{name: ledger.counts[name] for name in _COUNTED},
        "highest lease number": ledger.counts["highest lease number"],
        "takeovers measured": len(takeovers),
        "takeover, median seconds": round(takeovers[len(takeovers) // 2], 2) if takeovers else 0,
        "takeover, p95 seconds": round(p95, 2),
        "takeover, longest seconds": round(takeovers[-1], 2) if takeovers else 0,
        "takeovers while Redis was away too": len(others),
        "the longest of these, seconds": round(max(others, default=0.0), 2),
        "violations": len(ledger.faults),
    }
    return report


def main(arguments: list[str]) -> int:
    """Run it and say what happened; 1 when anything was lost, doubled or too slow."""
    parser = argparse.ArgumentParser(prog="bench.programs.scale")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", type=int)
    parser.add_argument("--workspaces", type=int)
    given = parser.parse_args(arguments)
    if missing := missing_programs():
        print(f"scale: not installed (make system): {', '.join(missing)}; nothing was measured")
        return 0
    seconds = given.seconds or (20.0 if given.short else 600.0)
    clients = given.clients or (8 if given.short else 40)
    workspaces = given.workspaces or (6 if given.short else 50)
    with tempfile.TemporaryDirectory() as home:
        flags = ["--shared", "REDIS"]
        ledger = simulate(Path(home), seconds, clients, workspaces, given.seed, flags)
    report = report_of(ledger, seconds, clients, workspaces, given.seed)
    for name, value in report.facts.items():
        print(f"{name:36}{value:>10}")
    for reason, number in ledger.counts.most_common():
        if reason.startswith(("refused: ", "lost: ")):
            print(f"{number:6} {reason}")
    for each in sorted(ledger.takeovers)[-5:]:
        print(f"{each.seconds:6.2f} s to take over {each.story[:700]}")
    for fault in ledger.faults[:50]:
        print(f"VIOLATION {fault}")
    report.finish(short=given.short)
    too_slow = report.facts["takeover, p95 seconds"] > MAX_TAKEOVER
    return 1 if ledger.faults or too_slow else 0


if __name__ == "__main__":
    import sys

    raise SystemExit(main(sys.argv[1:]))

"""`make bench`: run every program of bench/programs and say how long each took."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
PROGRAMS = REPO / "bench" / "programs"


# What a program is given when all are run, in full and in short; the others take --short.
ARGUMENTS = {
    "noise": (["--count", "20000"], ["--count", "600"]),
    "context": (["index"], ["index", "--short"]),
    "instruct_paper": ([], []),
}


def main(arguments: list[str]) -> int:
    """Run all, or those named; with `--short` on little data."""
    programs = sorted(p.stem for p in PROGRAMS.glob("*.py") if p.stem != "__init__")
    if unknown := set(arguments) - {*programs, "--short"}:
        print(f"not a program: {', '.join(sorted(unknown))}; there are {', '.join(programs)}")
        return 2
    short = "--short" in arguments
    named = [a for a in arguments if a != "--short"]
    failed, total = [], 0.0
    for program in [p for p in programs if not named or p in named]:
        start, before = time.monotonic(), _cpu()
        given = ARGUMENTS.get(program, ([], ["--short"]))[short]
        command = [sys.executable, "-m", f"bench.programs.{program}", *given]
        code = subprocess.run(command, cwd=REPO, check=False).returncode
        verdict = "ok" if code == 0 else f"exit {code}"
        spent, cpu = time.monotonic() - start, _cpu() - before
        total += spent
        print(f"{program}: {verdict} in {spent:.0f} s, {cpu:.0f} s of CPU", flush=True)
        if code:
            failed.append(program)
    print(f"all: {total:.0f} s; not as hoped: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def _cpu() -> float:
    """Seconds of CPU of everything that was started here and has ended."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

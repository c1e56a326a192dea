"""`make bench`: run every program under bench/ and say how long each took."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOT_PROGRAMS = {
    *("__init__", "measure", "peers", "run", "tokenizer", "load", "balancer", "plot"),
    *("corpora", "definitions", "renames", "references", "language_server", "yaml_shapes"),
}


# What a program is given when all are run, in full and in short; the others take --short.
ARGUMENTS = {
    "noise": (["--count", "20000"], ["--count", "600"]),
    "context": (["index"], ["index", "--files", "500"]),
}


def main(arguments: list[str]) -> int:
    """Run all, or those named; with `--short` on little data."""
    short = "--short" in arguments
    named = [a for a in arguments if not a.startswith("-")]
    programs = sorted(p.stem for p in HERE.glob("*.py") if p.stem not in NOT_PROGRAMS)
    failed, total = [], 0.0
    for program in [p for p in programs if not named or p in named]:
        start, before = time.monotonic(), _cpu()
        given = ARGUMENTS.get(program, ([], ["--short"]))[short]
        command = [sys.executable, "-m", f"bench.{program}", *given]
        code = subprocess.run(command, cwd=HERE.parent, check=False).returncode
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

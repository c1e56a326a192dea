"""`make bench`: run every program under bench/ and say how long each took."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOT_PROGRAMS = {
    *("__init__", "measure", "peers", "run", "tokenizer", "load", "balancer", "plot"),
    *("corpora", "definitions", "renames", "language_server"),
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
    failed = []
    for program in [p for p in programs if not named or p in named]:
        start = time.monotonic()
        given = ARGUMENTS.get(program, ([], ["--short"]))[short]
        command = [sys.executable, "-m", f"bench.{program}", *given]
        code = subprocess.run(command, cwd=HERE.parent, check=False).returncode
        verdict = "ok" if code == 0 else f"exit {code}"
        print(f"{program}: {verdict} in {time.monotonic() - start:.0f} s")
        if code:
            failed.append(program)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

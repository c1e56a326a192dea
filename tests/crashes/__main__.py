"""`python -m tests.crashes TARGET... [--inputs N] [--seed S]`: a long run on one nice core."""

from __future__ import annotations

import argparse
import sys

from tests.crashes.campaign import run
from tests.crashes.targets import TARGETS


def main() -> int:
    """Run the named targets (default: all) and print every finding with its smallest input."""
    parser = argparse.ArgumentParser(prog="python -m tests.crashes")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", default="campaign")
    parser.add_argument("--batch", type=int, default=5_000)
    args = parser.parse_args()
    failed = False
    real = [name for name in TARGETS if not name.startswith("planted")]
    for name in args.targets or real:
        findings = run(name, seed=args.seed, inputs=args.inputs, batch=args.batch)
        print(f"{name}: {args.inputs} inputs, {len(findings)} findings", flush=True)
        for finding in findings:
            failed = True
            print(f"  {finding.what}\n  {finding.smallest!r}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Edits as models send them: real changes of real files, rendered per dialect, with seeded noise.

Every case says what is right: `apply` (one reading only, and this is the outcome), `refuse` (no
reading is safe) or `either` (the outcome or a refusal, never anything else).
`python -m bench.programs.noise --count 20000` prints the table.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from collections import Counter
from typing import Any

from bench.library.measure import RESULTS, Report
from bench.library.peers import REPO
from bench.noise.cases import cases
from bench.noise.plans import PLANS, outcome
from bench.noise.refused_calls import count_refused
from bench.noise.replay import (
    OUTCOMES,
    PRINTED_WRONG,
    REFUSED_AGAIN,
    WORKS,
    WRONG,
    count_outcomes,
)
from bench.trials.drafts import Case
from bench.trials.judging import judge
from redline.core.errors import RedlineError
from redline.core.textfile import TextFile

FULL = 20_000


def table(results: Counter[tuple[str, str, str, str]]) -> str:
    """Counts per verdict, noise and dialect."""
    rows = ["| should | noise | dialect | calls | exact | refused | wrong |", "|" + "---|" * 7]
    groups: dict[tuple[str, str, str], Counter[str]] = {}
    for (verdict, noise, dialect, result), count in results.items():
        groups.setdefault((verdict, noise, dialect), Counter())[result] += count
        groups.setdefault((verdict, "all", "all"), Counter())[result] += count
    for key in sorted(groups, key=lambda k: (k[0], k[1] != "all", k)):
        counts = groups[key]
        numbers = " | ".join(str(counts[r]) for r in ("exact", "refused", "wrong"))
        rows.append(f"| {' | '.join(key)} | {sum(counts.values())} | {numbers} |")
    return "\n".join(rows)


def main() -> int:
    """Run and print the table; the exit code says whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="failing cases to print")
    args = parser.parse_args()
    results: Counter[tuple[str, str, str, str]] = Counter()
    shown = 0
    for case in cases(args.count, args.seed):
        after = outcome(case)
        result = judge(case, after)
        results[case.verdict, case.noise, case.dialect, result] += 1
        failed = result == "wrong" or (case.verdict == "apply" and result != "exact")
        if failed and shown < args.show:
            shown += 1
            _show(case, result, after)
    print(table(results))
    totals = Counter[tuple[str, str]]()
    for (verdict, _, _, result), count in results.items():
        totals[verdict, result] += count
    applied = totals["apply", "exact"] / max(
        1, sum(n for (v, _), n in totals.items() if v == "apply")
    )
    wrong = sum(n for (_, result), n in totals.items() if result == "wrong")
    print(f"\nshould-apply exact {applied:.4%}, wrong {wrong}")
    keep_facts("first generator", _facts(totals), short=args.count < FULL)
    replayed = count_outcomes(args.count // 4, args.seed)
    print(replay_table(replayed))
    facts = replay_facts(replayed)
    keep_facts("refusals sent again", facts, short=args.count < FULL)
    refused = count_refused(args.count // 20, args.seed)
    print(replay_table(refused))
    calls = replay_facts(refused)
    keep_facts("refused calls of every tool", calls, short=args.count < FULL)
    are_kept = are_promises(facts) and are_promises(calls)
    return 0 if wrong == 0 and applied >= 0.999 and are_kept else 1


def replay_table(outcomes: Counter[tuple[str, str]]) -> str:
    """Counts per mistake of what became of calls, and of what their refusals print."""
    rows = ["", f"| mistake | {' | '.join(OUTCOMES)} |", "|" + "---|" * (len(OUTCOMES) + 1)]
    rows += [
        f"| {kind} | {' | '.join(str(outcomes[kind, each]) for each in OUTCOMES)} |"
        for kind in sorted({kind for kind, _ in outcomes})
    ]
    return "\n".join(rows)


def replay_facts(outcomes: Counter[tuple[str, str]]) -> dict[str, int]:
    """How often each outcome was reached."""
    return {each: sum(n for (_, got), n in outcomes.items() if got == each) for each in OUTCOMES}


def are_promises(facts: dict[str, int]) -> bool:
    """Whether nothing was wrong, and nine of ten calls that were printed work."""
    printed = facts[WORKS] + facts[PRINTED_WRONG] + facts[REFUSED_AGAIN]
    is_right = facts[WRONG] == facts[PRINTED_WRONG] == 0
    return is_right and facts[WORKS] >= 0.9 * printed


def _facts(totals: Counter[tuple[str, str]]) -> dict[str, int]:
    """The figures that have bars."""
    by_verdict = Counter[str]()
    for (verdict, _), count in totals.items():
        by_verdict[verdict] += count
    return {
        "calls": by_verdict.total(),
        "wrong": sum(count for (_, result), count in totals.items() if result == "wrong"),
        "should apply": by_verdict["apply"],
        "applied": totals["apply", "exact"],
        "should refuse": by_verdict["refuse"],
        "refused": totals["refuse", "refused"],
        "either": by_verdict["either"],
    }


def keep_facts(name: str, facts: dict[str, Any], *, short: bool) -> None:
    """Put the figures of one generator beside those of the other in bench/results/noise.json."""
    if short:
        return
    kept = RESULTS / "noise.json"
    before = json.loads(kept.read_text("utf-8"))["facts"] if kept.exists() else {}
    saved = Report("noise", facts={**before, name: facts}).save()
    print(f"saved to {saved.relative_to(REPO)}")


def _show(case: Case, result: str, after: bytes | None) -> None:
    print(f"--- {result}: {case.verdict} / {case.noise} / {case.dialect} / {case.name}")
    for key, value in case.call.items():
        print(f"{key}: {value!r}")
    old = case.right.decode("utf-8", "replace").splitlines(keepends=True)
    new = (after or case.content).decode("utf-8", "replace").splitlines(keepends=True)
    sys.stdout.writelines(
        repr(line) + "\n" for line in difflib.unified_diff(old, new, "right", "got", n=2)
    )
    if after is None:
        try:
            PLANS[case.dialect](case, TextFile(case.content))
        except RedlineError as error:
            print("refusal:", error.text)


if __name__ == "__main__":
    sys.exit(main())

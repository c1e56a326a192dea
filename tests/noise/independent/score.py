"""Play cases against the real server over stdio and judge them by bytes.

python -m tests.noise.independent.score --releases FOLDER --history REPO --calls 20000 --seed 1
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.programs.noise import keep_facts
from tests.noise.independent.build import cases
from tests.noise.independent.cases import APPLY, EITHER, REFUSE, STILL, Case, Write
from tests.noise.independent.corpus import Pair, from_history, from_releases
from tests.noise.independent.text import Doc
from tests.wire.client import Client, connect

EXACT, MISSED, WRONG, REFUSED, QUIET = "exact", "missed", "wrong", "refused", "not refused"
CALLS_PER_SERVER = 1500
Json = dict[str, Any]


def failed(reply: Json) -> bool:
    """Whether the caller was told that it did not work."""
    return "error" in reply or bool(reply["result"].get("isError"))


def play(client: Client, workspace: Path, case: Case) -> tuple[dict[str, bytes], Json]:
    """The files before the last step, and the reply to it."""
    for path, content in case.before.items():
        (workspace / path).write_bytes(content)
    reply: Json = {}
    for step in case.steps[:-1]:
        if isinstance(step, Write):
            (workspace / step.path).write_bytes(step.content)
        else:
            client.call(step.tool, step.arguments)
    before = {path: (workspace / path).read_bytes() for path in case.before}
    last = case.steps[-1]
    assert not isinstance(last, Write)
    reply = client.call(last.tool, last.arguments)
    return before, reply


def judge(case: Case, before: dict[str, bytes], after: dict[str, bytes], reply: Json) -> str:
    """One word for what came of a case."""
    untouched = before == after
    if case.must == STILL:
        fits = all(_is_one_of(after[path], case.after[path]) for path in after)
        return EXACT if untouched and fits else WRONG
    if failed(reply):
        if not untouched:
            return WRONG
        return MISSED if case.must == APPLY else REFUSED
    if case.must != REFUSE and all(_is_one_of(after[p], case.after[p]) for p in after):
        return EXACT
    return QUIET if case.must == REFUSE and untouched else WRONG


def _is_one_of(content: bytes, outcomes: Iterable[Doc | bytes]) -> bool:
    return any(
        content == outcome if isinstance(outcome, bytes) else outcome.fits(content)
        for outcome in outcomes
    )


class Score:
    """Counts by dialect and by noise, and the disagreements themselves."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str, str, str]] = Counter()
        self.disagreements: list[tuple[Case, str, dict[str, bytes], Json]] = []

    def add(
        self, case: Case, before: dict[str, bytes], after: dict[str, bytes], reply: Json
    ) -> str:
        """Judge and count one case."""
        found = judge(case, before, after, reply)
        rule = case.rule.split(" [")[0]
        self.counts[case.dialect, rule, case.must, found] += 1
        fine = found == EXACT or (found == REFUSED and case.must in (REFUSE, EITHER))
        if not fine:
            self.disagreements.append((case, found, after, reply))
        return found

    def total(self, *, must: str = "", found: str = "", dialect: str = "") -> int:
        """How many cases there were of a kind."""
        return sum(
            count
            for (d, _, m, f), count in self.counts.items()
            if must in ("", m) and found in ("", f) and dialect in ("", d)
        )

    def meets_bars(self) -> bool:
        """Nothing wrong, everything refused that must be, at most one miss in a thousand."""
        facts = self.summary()
        return (
            facts["wrong"] == 0
            and facts["refused"] == facts["should refuse"]
            and facts["applied"] >= 0.999 * facts["should apply"]
        )

    def summary(self, dialect: str = "") -> Json:
        """The figures that have bars."""
        wrong = self.total(found=WRONG, dialect=dialect)
        apply_, refuse = (self.total(must=m, dialect=dialect) for m in (APPLY, REFUSE))
        applied = self.total(must=APPLY, found=EXACT, dialect=dialect)
        refused = self.total(must=REFUSE, found=REFUSED, dialect=dialect)
        return {
            "calls": self.total(dialect=dialect),
            "wrong": wrong,
            "should apply": apply_,
            "applied": applied,
            "should refuse": refuse,
            "refused": refused,
            "either": self.total(must=EITHER, dialect=dialect),
            "sent twice": self.total(must=STILL, dialect=dialect),
        }


def run(drawn: Iterable[Case]) -> Score:
    """Play cases one after the other, each over a server started for some of them."""
    score, left = Score(), iter(drawn)
    while batch := list(itertools.islice(left, CALLS_PER_SERVER)):
        with tempfile.TemporaryDirectory(dir=_memory()) as folder:
            workspace, state = Path(folder) / "ws", Path(folder) / "state"
            workspace.mkdir()
            env = {"REDLINE_STATE_DIR": str(state), "XDG_CONFIG_HOME": str(state)}
            args = ["--tools", "files,coding,code"]
            with connect("stdio", args, cwd=workspace, env=env) as client:
                for case in batch:
                    before, reply = play(client, workspace, case)
                    after = {path: (workspace / path).read_bytes() for path in case.before}
                    score.add(case, before, after, reply)
                    for path in case.before:
                        (workspace / path).unlink()
    return score


def _memory() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def report(score: Score) -> str:
    """A table by dialect and one by noise."""
    lines = [f"all: {score.summary()}"]
    dialects = sorted({dialect for dialect, *_ in score.counts})
    lines += [f"{dialect}: {score.summary(dialect)}" for dialect in dialects]
    rules = sorted({(rule, must, dialect) for dialect, rule, must, _ in score.counts})
    for rule, must, dialect in rules:
        found = {
            f: score.counts[dialect, rule, must, f] for f in (EXACT, MISSED, REFUSED, QUIET, WRONG)
        }
        shown = ", ".join(f"{name} {count}" for name, count in found.items() if count)
        lines.append(f"  {rule:32} {must:7} {dialect:26} {shown}")
    return "\n".join(lines)


def _shown(outcome: Doc | bytes) -> str:
    if isinstance(outcome, bytes):
        return outcome.decode("latin-1")
    return "".join(map(str.__add__, outcome.lines, outcome.ends))


def show(case: Case, found: str, after: dict[str, bytes], reply: Json) -> Json:
    """A disagreement as something to read."""
    facts = asdict(case)
    facts["after"] = {path: [_shown(one) for one in case.after[path]] for path in case.after}
    facts["before"] = {path: content.decode("latin-1") for path, content in case.before.items()}
    facts["found"] = found
    facts["got"] = {path: content.decode("latin-1") for path, content in after.items()}
    facts["reply"] = reply
    return facts


def main(arguments: list[str]) -> int:
    """Score the server over real edits; exit 1 when a bar is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=Path)
    parser.add_argument("--history", type=Path)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="write disagreements here, one per line")
    parser.add_argument("--save", action="store_true", help="add to bench/results/noise.json")
    parser.add_argument("--name", default="second generator", help="what the figures are called")
    options = parser.parse_args(arguments)
    pairs: list[Pair] = []
    if options.releases:
        pairs += from_releases(options.releases)
    if options.history:
        pairs += from_history(options.history)
    random.Random(options.seed).shuffle(pairs)
    print(f"{len(pairs)} pairs of versions", file=sys.stderr)
    score = run(itertools.islice(cases(pairs, options.seed), options.calls))
    print(report(score))
    if options.keep:
        rows = (json.dumps(show(*row), default=str) for row in score.disagreements)
        options.keep.write_text("\n".join(rows))
    keep_facts(options.name, score.summary(), short=not options.save)
    return 0 if score.meets_bars() else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""What a policy costs one change: judging alone, without a policy, with paths, with fields.

    python -m bench.programs.policy [changes]

At most 0.2 ms for each change where a policy exists, and next to nothing without one. The last row
is the mean over the 200 policies that `tests.policy` generates and every kind of change to its
files. With a number of changes of its own it only prints.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.library.measure import Report, Row, measure_work
from redline.core.changes import ABSENT, Change, ChangeSet, FileState
from redline.core.errors import RuleAsks, RuleDenied
from redline.core.paths import Access
from redline.core.ports.history import NO_PERMITS, Origin
from redline.settings import Settings
from redline.wiring.workspace import Redline
from tests.policy.test_generated_policies import FILES, TOOLS, make_policy, to_toml
from tests.policy.test_generated_policies import POLICIES as GENERATED

LIMITS = {"none": 0.02, "paths": 0.2, "sizes": 0.2, "fields": 0.2, "generated": 0.2}
_PATHS = "".join(
    f'[[rule]]\npaths = ["part{n}/**/*.py", "*.gen{n}"]\nclients = ["agent-{n}*"]\naction = "ask"\n'
    for n in range(30)
)
_SIZES = '[[rule]]\nmore_than = { lines = 5000, files = 90, bytes = 9000000 }\naction = "ask"\n'
_FIELDS = (
    '[[rule]]\npaths = ["*.yaml"]\nfields = ["spec.replicas"]\naction = "allow"\n'
    '[[rule]]\npaths = ["*.yaml"]\nfields = ["**.image", "**.limits"]\naction = "deny"\n'
)
POLICIES = {"none": None, "paths": _PATHS, "sizes": _PATHS + _SIZES, "fields": _PATHS + _FIELDS}
_DOCUMENT = "kind: Deployment\nspec:\n  replicas: %d\n  containers:\n" + "".join(
    f"    - name: c{n}\n      image: web:{n}\n      limits: {{cpu: {n}}}\n" for n in range(8)
)


def main(arguments: list[str]) -> int:
    """Measure each policy on a throw-away workspace; 1 when one costs too much."""
    given = [a for a in arguments if a.isdigit()]
    short = "--short" in arguments or bool(given)
    changes = int(given[0]) if given else 200 if short else 2000
    report = Report("policy", facts={"changes": changes, "limits_ms": LIMITS})
    costs = {name: measure(report, name, changes) for name in POLICIES}
    costs["generated"] = measure_generated(report)
    report.finish(short=short)
    slow = [name for name, cost in costs.items() if cost > LIMITS[name]]
    for name in slow:
        print(f"too slow: {name}: {costs[name]:.3f} ms, at most {LIMITS[name]}")
    return 1 if slow else 0


def measure(report: Report, name: str, changes: int) -> float:
    """The median milliseconds of judging one change."""
    origin = Origin("edit_file", "claude-code 2.1", "ada")
    with workspace({"deploy/web.yaml": _DOCUMENT % 1}) as (app, policy):
        text = POLICIES[name]
        if text is not None:
            write_policy(policy, text)
        path = app.workspace.resolve("deploy/web.yaml", Access.WRITE)
        states = [FileState.of((_DOCUMENT % number).encode()) for number in range(changes + 21)]

        def judge(number: int) -> None:
            change_set = ChangeSet((Change(path, states[number], states[number + 1]),))
            app.rules.check(change_set, origin, NO_PERMITS, app.history.load_content)

        for number in range(20):
            judge(changes + number - 20)
        row = report.add(measure_work(f"judge one change: {name}", "redline", judge, changes))
    return row.p50_ms


def measure_generated(report: Report) -> float:
    """The mean milliseconds of judging one change, over all generated policies."""
    took: list[float] = []
    used = 0.0
    with workspace(FILES) as (app, policy):
        changes = list(every_change(app))
        for number in range(GENERATED):
            rng = random.Random(number)
            write_policy(policy, to_toml(make_policy(rng)))
            for call, change in enumerate([changes[0], *changes]):
                origin = Origin(rng.choice(TOOLS), "policy-test 1", "ada")
                change_set = ChangeSet((change,))
                began, cpu = time.perf_counter(), time.process_time()
                with suppress(RuleDenied, RuleAsks):
                    app.rules.check(change_set, origin, NO_PERMITS, app.history.load_content)
                if call:  # the first call reads the policy
                    took.append((time.perf_counter() - began) * 1000)
                    used += (time.process_time() - cpu) * 1000
    took.sort()
    mean = statistics.mean(took)
    report.add(
        Row(
            f"judge one change: {GENERATED} policies",
            "redline",
            used / len(took),
            took[len(took) // 2],
            took[len(took) * 95 // 100],
            note=f"{mean:.3f} ms on average over {len(took)} changes",
        )
    )
    return mean


def every_change(app: Redline) -> Iterator[Change]:
    """Each file with a value changed, as a new one, and deleted."""
    for name, text in FILES.items():
        path = app.workspace.resolve(name, Access.WRITE)
        old = FileState.of(text.encode())
        new = FileState.of(text.replace("1", "7").replace("o", "0").encode())
        yield Change(path, old, new)
        yield Change(path, ABSENT, new)
        yield Change(path, old, ABSENT)


@contextmanager
def workspace(files: dict[str, str]) -> Iterator[tuple[Redline, Path]]:
    """A workspace with these files, and where its policy belongs."""
    with tempfile.TemporaryDirectory() as made:
        top = Path(made)
        os.environ["XDG_STATE_HOME"] = str(top / "state")
        os.environ["XDG_CONFIG_HOME"] = str(top / "config")
        for name, text in files.items():
            file = top / "ws" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        policy = top / "config" / "redline" / "policy.toml"
        policy.parent.mkdir(parents=True)
        with Redline(Settings(workspace=str(top / "ws"))) as app:
            yield app, policy


def write_policy(file: Path, text: str) -> None:
    """Write a policy, and wait until it is so old that it is not read again at each change."""
    file.write_text(text)
    time.sleep(0.1)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

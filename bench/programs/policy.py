"""What a policy costs one change: judging alone, without a policy, with paths, with fields.

    python -m bench.programs.policy [changes]

At most 0.2 ms for each change where a policy exists, and next to nothing without one. With a number
of changes of its own it only prints.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from bench.library.measure import Report, measure_work
from redline.app import Redline
from redline.core.changes import Change, ChangeSet, FileState
from redline.core.paths import Access
from redline.core.ports.history import NO_PERMITS, Origin
from redline.settings import Settings

LIMITS = {"none": 0.02, "paths": 0.2, "sizes": 0.2, "fields": 0.2}
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
    slow = []
    for name in POLICIES:
        with tempfile.TemporaryDirectory() as top:
            cost = measure(report, Path(top), name, changes)
        if cost > LIMITS[name]:
            slow.append(f"{name}: {cost:.3f} ms, at most {LIMITS[name]}")
    report.finish(short=short)
    for line in slow:
        print(f"too slow: {line}")
    return 1 if slow else 0


def measure(report: Report, top: Path, name: str, changes: int) -> float:
    """The median milliseconds of judging one change."""
    os.environ["XDG_STATE_HOME"] = str(top / "state")
    os.environ["XDG_CONFIG_HOME"] = str(top / "config")
    (top / "ws" / "deploy").mkdir(parents=True)
    (top / "ws" / "deploy" / "web.yaml").write_text(_DOCUMENT % 1)
    (top / "config" / "redline").mkdir(parents=True)
    policy = POLICIES[name]
    if policy is not None:
        file = top / "config" / "redline" / "policy.toml"
        file.write_text(policy)
        os.utime(file, (1, 1))
    origin = Origin("edit_file", "claude-code 2.1", "ada")
    with Redline(Settings(workspace=str(top / "ws"))) as app:
        path = app.workspace.resolve("deploy/web.yaml", Access.WRITE)
        states = [FileState.of((_DOCUMENT % number).encode()) for number in range(changes + 21)]

        def judge(number: int) -> None:
            change_set = ChangeSet((Change(path, states[number], states[number + 1]),))
            app.rules.check(change_set, origin, NO_PERMITS, app.history.load_content)

        for number in range(20):
            judge(changes + number - 20)
        row = report.add(measure_work(f"judge one change: {name}", "redline", judge, changes))
    return row.p50_ms


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

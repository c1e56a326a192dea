"""Runs generated sentences in slices: `python -m tests.instruct.generated FIRST LAST`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from redline.instruct.engine import propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse
from tests.instruct.generator import made, plain
from tests.instruct.generator_documents import Made


@dataclass
class Tally:
    """What came of the sentences of each rule."""

    total: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def run(seeds: range, make: Callable[[int], Made] = made) -> Tally:
    """Read the sentences of *seeds*; acting otherwise than they mean is wrong, refusing is not."""
    tally = Tally()
    for seed in seeds:
        case = make(seed)
        tally.total[case.rule] += 1
        document = parse(json.dumps(case.document))
        proposal = propose(document, case.sentence)
        after = json.loads(dumps(apply_operations(document, proposal.operations)))
        if proposal.status == "ambiguous":
            tally.right[case.rule] += case.result is None
        elif case.result is None or plain(after) != plain(case.result):
            tally.wrong.append(f"{seed} {case.rule}: {case.sentence} -> {proposal.status}")
        else:
            tally.right[case.rule] += 1
    return tally


if __name__ == "__main__":
    import sys

    found = run(range(int(sys.argv[1]), int(sys.argv[2])))
    print("\n".join(found.wrong[:40]))
    print({rule: f"{found.right[rule] / n:.2f}" for rule, n in found.total.items()})
    print(f"{sum(found.total.values())} sentences, {len(found.wrong)} wrong")

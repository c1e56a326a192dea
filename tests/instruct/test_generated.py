"""Nothing generated leads to a wrong change or to an untrue "no changes"."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from redline.instruct.engine import propose
from redline.instruct.model.operations import DocumentOperation, Path, apply_operations, value_at
from redline.instruct.model.values import dumps, parse
from tests.instruct.generated import run
from tests.instruct.generator import made
from tests.instruct.generator_purposes import made_for_a_purpose
from tests.support import LONG

COUNT = 100_000 if LONG else 900


@pytest.mark.requirement("json-readings")
@pytest.mark.requirement("json-no-wrong-change")
def test_a_generated_sentence_means_what_it_says_or_is_refused() -> None:
    tally = run(range(COUNT))
    assert not tally.wrong, "\n".join(tally.wrong[:40])
    shares = {rule: tally.right[rule] / count for rule, count in tally.total.items()}
    assert all(share > 0.65 for rule, share in shares.items() if rule != "remark"), shares


@pytest.mark.requirement("json-readings")
@pytest.mark.requirement("json-no-wrong-change")
def test_what_only_says_why_or_what_is_read_or_refused() -> None:
    tally = run(range(COUNT // 9), made_for_a_purpose)
    assert not tally.wrong, "\n".join(tally.wrong[:40])
    assert all(tally.right[rule] / count > 0.75 for rule, count in tally.total.items()), tally.right


@pytest.mark.requirement("json-readings")
@pytest.mark.parametrize(
    "scope", ["in {group}", "whose score is over 40", "except {name}", "with group {group}"]
)
def test_a_scope_never_widens_what_is_changed(scope: str) -> None:
    for seed in range(0, COUNT, 15):
        case = made(seed)
        document = parse(json.dumps(case.document))
        [kind] = [key for key, value in case.document.items() if isinstance(value, list)]
        record = case.document[kind][seed % 5]
        plain_words = f"Set limit to 777 for all {kind}"
        every = {o.path for o in propose(document, plain_words).operations}
        said = scope.format(group=record["group"], name=record["name"])
        some = {o.path for o in propose(document, f"{plain_words} {said}").operations}
        assert len(every) == 5
        assert some <= every
        assert len(some) == 4 or not scope.startswith("except")


def _after_renames(path: Path, operations: Sequence[DocumentOperation]) -> Path:
    """Return where a place is once the keys above it are renamed."""
    for operation in operations:
        if operation.op == "rename" and path[: len(operation.path)] == operation.path:
            assert operation.new_path is not None
            path = (*operation.new_path, *path[len(operation.path) :])
    return path


@pytest.mark.requirement("json-readings")
def test_what_is_shown_is_what_applying_does() -> None:
    for seed in range(0, COUNT, 7):
        case = made(seed)
        document = parse(json.dumps(case.document))
        proposal = propose(document, case.sentence)
        for held in (proposal.operations, *(c.operations for c in proposal.candidates)):
            after = apply_operations(document, held)
            for operation in held:
                if operation.op == "replace":
                    path = _after_renames(operation.path, held)
                    assert dumps(value_at(after, path)) == dumps(operation.value)
        assert json.loads(dumps(document)) == case.document

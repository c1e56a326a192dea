"""Edits as models send them: never wrong, refused where they must be, landed where they can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from bench.noise.cases import cases
from bench.noise.plans import outcome
from bench.noise.refused_calls import MISTAKES as REFUSED
from bench.noise.refused_calls import count_refused
from bench.noise.replay import MISTAKES, PRINTED_WRONG, WORKS, WRONG, count_outcomes
from bench.programs.noise import are_promises, replay_facts
from bench.trials.drafts import DIALECTS, Case
from bench.trials.harmful import REFUSE
from bench.trials.harmless import APPLY
from bench.trials.judging import judge
from tests.support import LONG
from tests.wire.client import Client, connect

COUNT, SEEDS = (20_000, (1, 2)) if LONG else (600, (1,))
LEAST = 0.999 if LONG else 0.99
_PARSES = "The file parses now and would not"


@pytest.mark.requirement("code-noise")
@pytest.mark.parametrize("seed", SEEDS)
def test_noise_never_leads_to_a_wrong_edit(seed: int) -> None:
    results: Counter[tuple[str, str]] = Counter()
    for case in cases(COUNT, seed, files=400 if LONG else 120, is_settled=not LONG):
        result = judge(case, outcome(case))
        assert result != "wrong", f"{case.verdict}, {case.noise}, {case.dialect}: {case.call}"
        results[case.verdict, result] += 1
    applied = results["apply", "exact"] + results["apply", "refused"]
    assert results["apply", "exact"] / applied >= LEAST, results
    assert results["refuse", "refused"] > COUNT // 10


@pytest.mark.requirement("files-edit-promise")
def test_what_a_refusal_prints_is_right_when_it_is_sent() -> None:
    outcomes = count_outcomes(5000 if LONG else 250, 11, 120, is_settled=not LONG)
    facts = replay_facts(outcomes)
    assert are_promises(facts), outcomes
    assert facts[WORKS] > sum(facts.values()) / 4
    assert len({kind for kind, _ in outcomes}) == len(set(MISTAKES))


@pytest.mark.requirement("agent-refusals-print-the-call")
def test_refused_calls_of_every_tool_reach_what_was_meant_as_printed() -> None:
    outcomes = count_refused(len(REFUSED) * (30 if LONG else 1), 12)
    facts = replay_facts(outcomes)
    assert facts[WRONG] == facts[PRINTED_WRONG] == 0, outcomes
    assert facts[WORKS] >= 0.9 * sum(facts.values()), outcomes


def test_the_generator_makes_every_noise_in_every_dialect() -> None:
    seen = {
        (case.noise, case.dialect)
        for case in cases(3000 if LONG else 1500, 7, 120, is_settled=True)
    }
    noises = {noise for noise, _ in seen}
    assert noises >= (APPLY.keys() | REFUSE.keys())
    assert {dialect for _, dialect in seen} == set(DIALECTS)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    root = tmp_path_factory.mktemp("noise")
    client = connect("stdio", ["--tools", "files,coding,code"], cwd=root)
    yield client, root
    client.close()


def _sent(client: Client, folder: Path, case: Case) -> bytes:
    """The file after the call; every case has a folder of its own, so that none has seen it."""
    folder.mkdir()
    file = folder / case.name
    shown = f"{folder.name}/{case.name}"
    if case.seen is not None:
        file.write_bytes(case.seen)
        client.call("read_file", {"path": shown})
    file.write_bytes(case.content)
    if case.dialect == "edit_file":
        client.call("edit_file", {"path": str(file), **case.call})
    elif case.dialect == "apply_patch":
        header = "*** Update File: "
        patch = case.call["patch"].replace(header + case.name, header + shown, 1)
        client.call("apply_patch", {"patch": patch})
    else:
        client.call("ai_code_editing.edit_file", {**case.call, "target_file": shown})
    return file.read_bytes()


def test_a_sample_over_the_wire_ends_as_planned(server: tuple[Client, Path]) -> None:
    client, root = server
    drawn = cases(10_000, 11, files=120, is_settled=not LONG)
    sample = islice(drawn, 400 if LONG else 120)
    for number, case in enumerate(sample):
        after = _sent(client, root / str(number), case)
        planned = outcome(case)
        assert after == (case.content if planned is None else planned), case.call


def _sent_to_agent(client: Client, folder: Path, case: Case) -> tuple[bytes, object]:
    """The file after the call of the toolset agent that says the same, and the answer."""
    folder.mkdir()
    file = folder / case.name
    file.write_bytes(case.content)
    shown = f"{folder.name}/{case.name}"
    if case.dialect == "edit_file":
        edits = [{"old": e["oldText"], "new": e["newText"]} for e in case.call["edits"]]
        answer = client.call("edit", {"path": shown, "edits": edits})
    else:
        header = "*** Update File: "
        patch = case.call["patch"].replace(header + case.name, header + shown, 1)
        answer = client.call("apply_patch", {"patch": patch})
    return file.read_bytes(), answer


@pytest.mark.requirement("agent-noise")
def test_the_toolset_agent_is_never_wrong(tmp_path: Path) -> None:
    every = cases(40_000, 12, files=120, is_settled=not LONG)
    drawn = (case for case in every if case.dialect != "ai_edit")
    results: Counter[tuple[str, str]] = Counter()
    refused = []
    with connect("stdio", ["--tools", "agent"], cwd=tmp_path) as client:
        for number, case in enumerate(islice(drawn, 5000 if LONG else 100)):
            after, answer = _sent_to_agent(client, tmp_path / str(number), case)
            result = judge(case, after)
            assert result != "wrong", f"{case.verdict}, {case.noise}, {case.dialect}: {case.call}"
            results[case.verdict, result] += 1
            # an edit after which a file does not parse any more is refused as such
            if (case.verdict, result) == ("apply", "refused") and _PARSES not in str(answer):
                refused.append((number, answer))
    print(results)
    exact = results["apply", "exact"]
    assert exact / (exact + len(refused)) >= LEAST, refused

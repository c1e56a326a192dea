"""Scores an examination through the real tools: preview, and apply of what it proposed.

An examination is a list of {id, document, instruction, expected: {outcome, document}}, the outcome
one of change, ambiguous and no_change; a `voice` says who speaks so. Where cases share documents it
is {documents, cases}: a case names its document, and what is expected is given in steps. `python -m
tests.instruct.examination FILE` prints what was not exact and the totals: exact, exact with one
choice among the candidates, wrong, untrue "no changes", and suggestions that lead elsewhere.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from redline.instruct.engine import Proposal, propose
from redline.instruct.model.operations import DocumentOperation, apply_operations
from redline.instruct.model.values import Value, dumps, parse
from tests.instruct.scoring import carry_out
from tests.toolsets.json_editor.desk import Desk

RIGHT = {"change": "success", "ambiguous": "ambiguous", "no_change": "no_changes"}


@dataclass(frozen=True)
class Graded:
    """exact; refused (ambiguous where something certain was expected); idle (no changes where
    something else was expected); wrong (a change that was not expected)."""

    case: dict[str, Any]
    grade: str
    preview: dict[str, Any]
    chosen: bool = False  # exact, or one of the candidates is
    suggested: int = 0
    elsewhere: tuple[str, ...] = ()  # suggestions that make a change the instruction does not mean

    @property
    def outcome(self) -> str:
        return str(self.case["expected"]["outcome"])

    @property
    def voice(self) -> str:
        return str(self.case.get("voice", ""))


def load(paper: Path) -> list[dict[str, Any]]:
    """Return the cases of an examination, each with its document and what should come of it."""
    held = json.loads(paper.read_text("utf-8"))
    if isinstance(held, list):
        return held
    cases = []
    for case in held["cases"]:
        document = held["documents"][case["document"]]
        expected = dict(case["expected"])
        if "steps" in expected:
            expected["document"] = carry_out(copy.deepcopy(document), expected.pop("steps"))
        cases.append({**case, "document": document, "expected": expected})
    return cases


def alike(left: Any, right: Any) -> bool:
    """Whether two documents are the same JSON; true is not 1, the order of keys counts."""
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(alike(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def grade(desk: Desk, case: dict[str, Any]) -> Graded:
    """What preview and apply make of one case."""
    shown, proposal = _previewed(desk, case)
    status, expected = shown["status"], case["expected"]
    if status == "success":
        after = _applied(desk, shown["session_id"])
        wanted = expected["outcome"] == "change" and alike(after, expected["document"])
        return Graded(case, "exact" if wanted else "wrong", {**shown, "after": after}, wanted)
    if status == RIGHT[expected["outcome"]]:
        return Graded(case, "exact", shown, chosen=True)
    if status != "ambiguous":
        return Graded(case, "idle", shown)
    return _grade_refusal(case, shown, proposal)


def _previewed(desk: Desk, case: dict[str, Any]) -> tuple[dict[str, Any], Proposal]:
    """What a client sees, and the proposal it was made from."""
    made: list[Proposal] = []

    def keep(document: Value, instruction: str) -> Proposal:
        made.append(propose(document, instruction))
        return made[-1]

    with mock.patch("redline.services.instructions.propose.propose", keep):
        shown = desk.preview(case["document"], case["instruction"])
    (proposal,) = made
    return shown, proposal


def _grade_refusal(case: dict[str, Any], shown: dict[str, Any], proposal: Proposal) -> Graded:
    """Grade candidates and suggestions of an instruction that has one meaning."""
    document = parse(json.dumps(case["document"]))
    wanted = case["expected"].get("document")
    means_change = case["expected"]["outcome"] == "change"
    chosen = means_change and any(
        alike(_result(document, c.operations), wanted) for c in proposal.candidates
    )
    elsewhere = []
    for suggestion in shown["suggestions"]:
        answer = propose(document, suggestion)
        if answer.status == "success" and not (
            means_change and alike(_result(document, answer.operations), wanted)
        ):
            elsewhere.append(suggestion)
    return Graded(case, "refused", shown, chosen, len(shown["suggestions"]), tuple(elsewhere))


def _result(document: Value, operations: tuple[DocumentOperation, ...]) -> Any:
    return json.loads(dumps(apply_operations(document, operations)))


def _applied(desk: Desk, session_id: str) -> Any:
    """The modified document as the text of the reply spells it."""
    result = desk.call("json_editor_apply", {"session_id": session_id})
    return json.loads(result["content"][0]["text"])["modified_document"]


def examine(folder: Path, cases: list[dict[str, Any]]) -> list[Graded]:
    """Every case graded, on a server of its own."""
    desk = Desk(folder)
    return [grade(desk, case) for case in cases]


def totals(graded: list[Graded]) -> str:
    """One line for each expected outcome, and one for all."""
    lines = []
    for outcome in ("change", "ambiguous", "no_change", ""):
        part = [g for g in graded if not outcome or g.outcome == outcome]
        if part:
            counts = Counter(g.grade for g in part)
            shares = (f"{name} {n} ({n / len(part):.1%})" for name, n in sorted(counts.items()))
            lines.append(f"{outcome or 'all'}: {len(part)} cases, {', '.join(shares)}")
    return "\n".join([*lines, *_by_voice(graded)])


def _by_voice(graded: list[Graded]) -> Iterator[str]:
    """One line for each voice: what was exact, with a choice, wrong, idle and led elsewhere."""
    for voice in sorted({g.voice for g in graded} - {""}):
        part = [g for g in graded if g.voice == voice]
        counts = Counter(g.grade for g in part)
        choice = sum(g.chosen for g in part)
        unclear = [g for g in part if g.outcome == "ambiguous"]
        recognised = sum(g.grade == "exact" for g in unclear)
        elsewhere, suggested = sum(len(g.elsewhere) for g in part), sum(g.suggested for g in part)
        yield (
            f"{voice}: exact {counts['exact']}/{len(part)} ({counts['exact'] / len(part):.1%}), "
            f"with one choice {choice / len(part):.1%}, wrong {counts['wrong']}, "
            f"untrue no changes {counts['idle']}, ambiguous {recognised}/{len(unclear)}, "
            f"suggestions that lead elsewhere {elsewhere}/{suggested}"
        )


def explained(graded: Graded) -> str:
    """A case that was not exact, with what was made of it."""
    asked = f"{graded.outcome} | {graded.case['instruction']}"
    lines = [f"{graded.grade} | {graded.case['id']} | {asked}"]
    lines.append(f"    {graded.preview['status']}: {graded.preview['message']}")
    for change in graded.preview["changes"][:4]:
        where = "/".join(change["path"])
        lines.append(f"    {change['op']} {where}: {change.get('value_json', '')}")
    return "\n".join(lines)


if __name__ == "__main__":
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        found = examine(Path(folder), load(Path(sys.argv[1])))
    for one in found:
        if one.grade != "exact":
            print(explained(one))
    print(totals(found))

"""Scores the engine on cases: [document, instruction, expected].

Expected is "?" (ambiguous), "0" (nothing to change) or steps that turn the document into what it
should be, one after another: ["=", pointer, value], ["+", pointer, value] (a key, an element before
that index, or at the end by -), ["-", pointer], ["r", pointer, new key], ["m", from, to].
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.instruct.engine import Proposal, propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import Value, dumps, parse

HERE = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """One instruction and what should come of it; every third is kept aside while tuning."""

    file: str
    place: int
    document: str
    instruction: str
    expected: Any

    @property
    def held_out(self) -> bool:
        return self.place % 3 == 2


@dataclass(frozen=True)
class Verdict:
    """right; refused (safe, but of no use); wrong (a change nobody asked for); missed (ambiguous
    or without effect, but taken for the other)."""

    case: Case
    grade: str
    proposal: Proposal


def documents() -> dict[str, Value]:
    found: Any = parse((HERE / "documents.json").read_text("utf-8"))
    return dict(found)


def cases() -> list[Case]:
    found: list[Case] = []
    for file in sorted(HERE.glob("batch*.json")):
        for place, (document, instruction, expected) in enumerate(parse(file.read_text("utf-8"))):  # type: ignore[arg-type,misc]
            found.append(Case(file.stem, place, document, instruction, expected))
    return found


def _split(pointer: str) -> list[str]:
    return [p.replace("~1", "/").replace("~0", "~") for p in pointer.split("/")[1:]]


def _holder(document: Any, parts: list[str]) -> tuple[Any, Any]:
    for part in parts[:-1]:
        document = document[int(part)] if isinstance(document, list) else document[part]
    last = parts[-1]
    if isinstance(document, list):
        return document, len(document) if last == "-" else int(last)
    return document, last


def carry_out(document: Any, steps: list[Any]) -> Any:
    """The document after *steps*, mutated in place."""
    for step in steps:
        holder, key = _holder(document, _split(step[1]))
        if step[0] == "=":
            assert key in holder or (isinstance(holder, list) and key < len(holder)), step
            holder[key] = step[2]
        elif step[0] == "+" and isinstance(holder, list):
            holder.insert(key, step[2])
        elif step[0] == "+":
            assert key not in holder, step
            holder[key] = step[2]
        elif step[0] == "-":
            del holder[key]
        elif step[0] == "r":
            renamed = {(step[2] if k == key else k): v for k, v in holder.items()}
            holder.clear()
            holder.update(renamed)
        else:
            value = holder.pop(key)
            carry_out(document, [["+", step[2], value]])
    return document


def judge(case: Case, document: Value) -> Verdict:
    """What the engine's answer to one case is worth."""
    proposal = propose(document, case.instruction)
    if case.expected == "?":
        grade = {"ambiguous": "right", "no_changes": "missed"}.get(proposal.status, "wrong")
    elif case.expected == "0":
        grade = {"no_changes": "right", "ambiguous": "refused"}.get(proposal.status, "wrong")
    elif proposal.status == "success":
        wanted = carry_out(parse(dumps(document)), case.expected)
        after = apply_operations(document, proposal.operations)
        grade = "right" if json.loads(dumps(wanted)) == json.loads(dumps(after)) else "wrong"
    else:
        grade = "refused"
    return Verdict(case, grade, proposal)


def judge_all() -> list[Verdict]:
    held = documents()
    return [judge(case, held[case.document]) for case in cases()]


def summary(verdicts: list[Verdict]) -> str:
    grades = Counter(verdict.grade for verdict in verdicts)
    total = len(verdicts)
    return ", ".join(
        [
            f"{total} cases",
            *(f"{grade} {n} ({n / total:.1%})" for grade, n in sorted(grades.items())),
        ]
    )


if __name__ == "__main__":
    import sys

    found = judge_all()
    for verdict in found:
        if verdict.grade == "right" or (verdict.case.held_out and "--all" not in sys.argv):
            continue
        print(
            verdict.grade,
            "|",
            verdict.case.file,
            verdict.case.document,
            "|",
            verdict.case.instruction,
        )
        print("      ", verdict.proposal.status, verdict.proposal.message)
        for operation in verdict.proposal.operations[:4]:
            print(
                "      ",
                operation.op,
                "/".join(operation.path),
                dumps(operation.value) if operation.op != "remove" else "",
            )
    print("tuned on:", summary([v for v in found if not v.case.held_out]))
    print("held out:", summary([v for v in found if v.case.held_out]))

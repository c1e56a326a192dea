"""Instructions that were written without knowledge of the engine, and what each of them means.

A paper is {documents, cases}: a case names its document, who speaks (`voice`), the instruction and
what is expected: an outcome of change, ambiguous or no_change, and for a change its steps, each
after the other: ["=", pointer, value], ["+", pointer, value] (a key, an element before that index,
or at the end by -), ["-", pointer], ["r", pointer, new key], ["m", from, to]. What a paper scores,
`python -m bench.programs.instruct_paper FILE` prints.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.instruct.engine import Proposal, propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse

FOLDER = Path(__file__).parent / "papers"
STATUS = {"ambiguous": "ambiguous", "no_change": "no_changes"}


@dataclass(frozen=True)
class Case:
    """One instruction; `wanted` is the document after it where a change is expected."""

    id: str
    voice: str
    document: Any
    instruction: str
    outcome: str
    wanted: Any


def cases(paper: Path) -> Iterator[Case]:
    """Yield the cases of a paper."""
    held = json.loads(paper.read_text("utf-8"))
    for case in held["cases"]:
        document, expected = held["documents"][case["document"]], case["expected"]
        wanted = expected.get("document")
        if "steps" in expected:
            wanted = carry_out(copy.deepcopy(document), expected["steps"])
        voice = case.get("voice", "")
        yield Case(case["id"], voice, document, case["instruction"], expected["outcome"], wanted)


def carry_out(document: Any, steps: list[Any]) -> Any:
    """Return the document after *steps*, changed in place."""
    for step in steps:
        holder, key = _holder(document, step[1])
        if step[0] == "=":
            holder[key] = step[2]
        elif step[0] == "+" and isinstance(holder, list):
            holder.insert(key, step[2])
        elif step[0] == "+":
            holder[key] = step[2]
        elif step[0] == "-":
            del holder[key]
        elif step[0] == "r":
            renamed = {(step[2] if k == key else k): v for k, v in holder.items()}
            holder.clear()
            holder.update(renamed)
        else:
            carry_out(document, [["+", step[2], holder.pop(key)]])
    return document


def _holder(document: Any, pointer: str) -> tuple[Any, Any]:
    parts = [p.replace("~1", "/").replace("~0", "~") for p in pointer.split("/")[1:]]
    for part in parts[:-1]:
        document = document[int(part)] if isinstance(document, list) else document[part]
    if isinstance(document, list):
        return document, len(document) if parts[-1] == "-" else int(parts[-1])
    return document, parts[-1]


def alike(left: Any, right: Any) -> bool:
    """Return whether two documents are the same JSON; true is not 1, the order of keys counts."""
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(alike(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def result(document: Any, proposal: Proposal) -> Any:
    """Return the document after a proposal."""
    return json.loads(dumps(apply_operations(parse(json.dumps(document)), proposal.operations)))


def grade(case: Case) -> tuple[str, Proposal]:
    """Return exact, asked, idle (no changes where something was wanted) or wrong."""
    proposal = propose(parse(json.dumps(case.document)), case.instruction)
    if proposal.status == "success":
        right = case.outcome == "change" and alike(result(case.document, proposal), case.wanted)
        return "exact" if right else "wrong", proposal
    if proposal.status == STATUS.get(case.outcome):
        return "exact", proposal
    return "asked" if proposal.status == "ambiguous" else "idle", proposal

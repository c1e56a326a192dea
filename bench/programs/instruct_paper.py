"""How many instructions of a paper are carried out exactly, by who speaks.

    python -m bench.programs.instruct_paper [FILE ...] [-v]

A paper is a JSON list of {id, speaker, document, instruction, expected}. `expected` is the
document afterwards, "ask" where nothing may be changed, or "no_changes". The kept papers are scored
when no file is named. `-v` prints every instruction that was not carried out at once.

exact      the change, or the question, that was expected
repaired   asked, and one of the returned suggestions leads to the change when it is sent back
asked      asked, and none of them does
unchanged  answered that there is nothing to change, where something was expected
wrong      changed to something else than what was expected; nothing else makes a paper fail
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from redline.instruct.engine import Proposal, propose
from redline.instruct.model.operations import apply_operations
from redline.instruct.model.values import dumps, parse
from tests.instruct.papers import FOLDER, cases

OUTCOMES = ("exact", "repaired", "asked", "unchanged", "wrong")


def read_paper(path: Path) -> list[dict[str, Any]]:
    """Return the items of a paper; a kept one shares documents between its cases."""
    held = json.loads(path.read_text("utf-8"))
    if isinstance(held, list):
        return held
    return [
        {
            "id": case.id,
            "speaker": case.voice,
            "document": case.document,
            "instruction": case.instruction,
            "expected": {"change": case.wanted, "no_change": "no_changes"}.get(case.outcome, "ask"),
        }
        for case in cases(path)
    ]


def is_same(left: Any, right: Any) -> bool:
    """Return whether two values are the same JSON, whatever the order of keys; true is not 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def preview(document: Any, instruction: str) -> Proposal:
    """Return the engine's answer on a document of plain values."""
    return propose(parse(json.dumps(document)), instruction)


def after(document: Any, proposal: Proposal) -> Any:
    """Return the document after a proposal, as plain values."""
    return json.loads(dumps(apply_operations(parse(json.dumps(document)), proposal.operations)))


def score(item: dict[str, Any]) -> tuple[str, Proposal]:
    """Return the outcome of one instruction, and what was answered."""
    document, expected = item["document"], item["expected"]
    answer = preview(document, item["instruction"])
    if answer.status == "success":
        return "exact" if is_same(after(document, answer), expected) else "wrong", answer
    if answer.status == "no_changes":
        is_meant = expected == "no_changes" or is_same(document, expected)
        return "exact" if is_meant else "unchanged", answer
    if expected == "ask":
        return "exact", answer
    for text in answer.suggestions:
        second = preview(document, text)
        if second.status == "success" and is_same(after(document, second), expected):
            return "repaired", answer
    return "asked", answer


def main(arguments: list[str]) -> int:
    """Print what each paper scores; 1 when a change was wrong."""
    named = [Path(a) for a in arguments if not a.startswith("-")]
    wrong = 0
    for path in named or sorted(FOLDER.glob("*.json")):
        counts: dict[str, Counter[str]] = {}
        for item in read_paper(path):
            outcome, answer = score(item)
            counts.setdefault(item["speaker"], Counter())[outcome] += 1
            if outcome == "wrong" or (outcome != "exact" and "-v" in arguments):
                print(f"{outcome}: {item['id']}: {item['instruction']}\n    {answer.message}")
        print(path.name)
        for who, found in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
            total = sum(found.values())
            shares = ", ".join(f"{name} {found[name]}" for name in OUTCOMES)
            at_once, at_last = found["exact"], found["exact"] + found["repaired"]
            print(
                f"  {who:10}{total:5}: {shares}; exact at once {at_once / total:.1%}, "
                f"with a suggestion {at_last / total:.1%}"
            )
            wrong += found["wrong"] if who == "all" else 0
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

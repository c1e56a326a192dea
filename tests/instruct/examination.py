"""Scores an examination through the real tools: preview, and apply of what it proposed.

An examination is a list of {id, document, instruction, expected: {outcome, document}}, the outcome
one of change, ambiguous and no_change. `python -m tests.instruct.examination FILE` prints what was
not exact and the totals.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.toolsets.json_editor.desk import Desk

RIGHT = {"change": "success", "ambiguous": "ambiguous", "no_change": "no_changes"}


@dataclass(frozen=True)
class Graded:
    """exact; refused (ambiguous where something certain was expected); idle (no changes where
    something else was expected); wrong (a change that was not expected)."""

    case: dict[str, Any]
    grade: str
    preview: dict[str, Any]

    @property
    def outcome(self) -> str:
        return str(self.case["expected"]["outcome"])


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
    shown = desk.preview(case["document"], case["instruction"])
    status, expected = shown["status"], case["expected"]
    if status == "success":
        after = _applied(desk, shown["session_id"])
        wanted = expected["outcome"] == "change" and alike(after, expected["document"])
        return Graded(case, "exact" if wanted else "wrong", {**shown, "after": after})
    if status == RIGHT[expected["outcome"]]:
        return Graded(case, "exact", shown)
    return Graded(case, "refused" if status == "ambiguous" else "idle", shown)


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
    return "\n".join(lines)


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
        found = examine(Path(folder), json.loads(Path(sys.argv[1]).read_text("utf-8")))
    for one in found:
        if one.grade != "exact":
            print(explained(one))
    print(totals(found))

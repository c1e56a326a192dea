"""Scores the guard with models that are right, or right but for the record, on an examination.

`python -m tests.instruct.stub_models FILE...` puts each case through the provider's path. The right
model proposes exactly the change that is expected; the other puts it on a record beside the one
that is meant, of which nothing may be accepted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.core.errors import ProviderFailed
from redline.core.ports.models import LlmReply, LlmRequest
from redline.instruct.model.operations import apply_operations, pointer
from redline.instruct.model.values import dumps, parse
from redline.services.instructions.propose import propose_with
from tests.instruct.examination import alike, load

Change = dict[str, str]
Path_ = tuple[str, ...]


@dataclass(frozen=True)
class Stub:
    """A provider that always proposes the same changes."""

    changes: list[Change]
    status: str
    name: str

    def ask(self, request: LlmRequest) -> LlmReply:
        assert request.schema
        data = {"status": self.status, "message": "", "changes": self.changes}
        return LlmReply(json.dumps(data), data)


def _change(op: str, path: Path_, value: Any = None) -> Change:
    text = "" if op == "remove" else json.dumps(value)
    return {"op": op, "path": pointer(path), "value_json": text, "new_path": ""}


def changes_between(before: Any, after: Any, path: Path_ = ()) -> Iterator[Change]:
    """Yield the changes that turn one document into another, as a model would put them."""
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_objects(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(before, after, path)
    elif not alike(before, after):
        yield _change("replace", path, after)


def _of_objects(before: dict[str, Any], after: dict[str, Any], path: Path_) -> Iterator[Change]:
    gone = [key for key in before if key not in after]
    new = [key for key in after if key not in before]
    if len(gone) == len(new) == 1 and alike(before[gone[0]], after[new[0]]):
        target = pointer((*path, new[0]))
        yield {
            "op": "rename",
            "path": pointer((*path, gone[0])),
            "value_json": "",
            "new_path": target,
        }
        gone = new = []
    for key in before:
        if key in after:
            yield from changes_between(before[key], after[key], (*path, key))
    yield from (_change("remove", (*path, key)) for key in gone)
    yield from (_change("add", (*path, key), after[key]) for key in new)


def _of_lists(before: list[Any], after: list[Any], path: Path_) -> Iterator[Change]:
    texts = [json.dumps(item) for item in before]
    left = [json.dumps(item) for item in after]
    if len(before) == len(after) and sorted(texts) != sorted(left):
        for place, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changes_between(old, new, (*path, str(place)))
        return
    kept = iter(left)
    if len(after) < len(before) and all(text in texts for text in left):
        wanted = next(kept, None)
        for place, text in enumerate(texts):
            if text == wanted:
                wanted = next(kept, None)
            else:
                yield _change("remove", (*path, str(place)))
        return
    start = next((i for i, t in enumerate(texts) if i >= len(left) or left[i] != t), len(texts))
    added = len(after) - len(before)
    if added > 0 and left[:start] + left[start + added :] == texts:
        for item in after[start : start + added]:
            yield _change("insert", (*path, str(start) if start < len(texts) else "-"), item)
    elif before != after:
        yield _change("replace", path, after)


def beside(document: Any, changes: list[Change]) -> list[Change] | None:
    """Return the changes on other records that could take them; None when there is none."""
    moved = []
    for change in changes:
        parts = [p.replace("~1", "/").replace("~0", "~") for p in change["path"].split("/")[1:]]
        other = _sibling(document, parts)
        if other is None or change["op"] == "rename":
            return None
        moved.append({**change, "path": pointer(other)})
    paths = {change["path"] for change in changes}
    apart = len({c["path"] for c in moved}) == len(moved)
    return moved if moved and apart and not paths & {c["path"] for c in moved} else None


def _sibling(document: Any, parts: list[str]) -> list[str] | None:
    """Return the same place in a record beside the one that a path leads through."""
    value = document
    for depth, part in enumerate(parts[:-1]):
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            for place in range(len(value)):
                other = [*parts[:depth], str(place), *parts[depth + 1 :]]
                if str(place) != part and _is_there(document, other[:-1], parts):
                    return other
        value = value[int(part)] if isinstance(value, list) else value[part]
    return None


def _is_there(document: Any, above: list[str], parts: list[str]) -> bool:
    value = document
    try:
        for part in above:
            value = value[int(part)] if isinstance(value, list) else value[part]
    except (KeyError, IndexError, ValueError):
        return False
    return isinstance(value, list) or (isinstance(value, dict) and bool(parts))


def grade(case: dict[str, Any], *, sibling: bool) -> str:
    """Return exact, candidate, refused or wrong for what comes of a stub's proposal."""
    expected, document = case["expected"], parse(json.dumps(case["document"]))
    outcome = expected["outcome"]
    changes: list[Change] = []
    if outcome == "change":
        changes = list(changes_between(case["document"], expected["document"]))
    status = {"change": "success", "no_change": "no_changes"}.get(outcome, "ambiguous")
    if sibling:
        moved = beside(case["document"], changes)
        if moved is None:
            return "none"
        changes = moved
    name = f"stub {case['id']} {sibling}"
    stub = Stub(changes, status, name)
    try:
        answer = propose_with(lambda: stub, document, case["instruction"])
    except ProviderFailed:
        return "refused"
    if answer.status != "success":
        right = answer.status == {"no_change": "no_changes"}.get(outcome, outcome)
        wanted = [c for c in answer.candidates if "stub" in c.says]
        return "exact" if right else "candidate" if wanted else "refused"
    after = json.loads(dumps(apply_operations(document, answer.operations)))
    return "exact" if outcome == "change" and alike(after, expected["document"]) else "wrong"


if __name__ == "__main__":
    import sys

    for file in (a for a in sys.argv[1:] if not a.startswith("-")):
        cases = load(Path(file))
        for sibling in (False, True):
            graded = [(case, grade(case, sibling=sibling)) for case in cases]
            shown = ("wrong",) if sibling else ("wrong", "refused", "candidate")
            for case, found in graded if "-v" in sys.argv else ():
                if found in shown:
                    print(f"  {found} {case['id']} | {case['instruction']}")
            counts = Counter(found for _, found in graded)
            share = counts["exact"] / len(cases)
            print(Path(file).stem, "sibling" if sibling else f"right {share:.1%}", dict(counts))

"""Models that are right, and models that add to what is right, for the cases of a paper."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from redline.core.ports.models import LlmReply, LlmRequest
from redline.instruct.model.operations import pointer
from tests.instruct.papers import Case, alike

Change = dict[str, str]
Path_ = tuple[str, ...]


@dataclass(frozen=True)
class Stub:
    """A provider that always proposes the same changes."""

    changes: list[Change]
    name: str

    def ask(self, request: LlmRequest) -> LlmReply:
        assert request.schema
        data = {"status": "success", "message": "", "changes": self.changes}
        return LlmReply(json.dumps(data), data)


def change(op: str, path: Path_, value: Any = None) -> Change:
    """Return one change as a model answers it."""
    text = "" if op == "remove" else json.dumps(value)
    return {"op": op, "path": pointer(path), "value_json": text, "new_path": ""}


def changes_between(before: Any, after: Any, path: Path_ = ()) -> Iterator[Change]:
    """Yield the changes that turn one document into another, as a model would put them."""
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_objects(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(before, after, path)
    elif not alike(before, after):
        yield change("replace", path, after)


def _of_objects(before: dict[str, Any], after: dict[str, Any], path: Path_) -> Iterator[Change]:
    gone = [key for key in before if key not in after]
    new = [key for key in after if key not in before]
    if len(gone) == len(new) == 1 and alike(before[gone[0]], after[new[0]]):
        renamed = change("remove", (*path, gone[0]))
        yield {**renamed, "op": "rename", "new_path": pointer((*path, new[0]))}
        gone = new = []
    for key in before:
        if key in after:
            yield from changes_between(before[key], after[key], (*path, key))
    yield from (change("remove", (*path, key)) for key in gone)
    yield from (change("add", (*path, key), after[key]) for key in new)


def _of_lists(before: list[Any], after: list[Any], path: Path_) -> Iterator[Change]:
    texts, left = [json.dumps(item) for item in before], [json.dumps(item) for item in after]
    plain = not any(isinstance(item, dict | list) for item in (*before, *after))
    if plain and sorted(texts) != sorted(left):
        yield from _of_scalars(texts, left, path)
        return
    moved = _one_moved(texts, left)
    if moved is not None:
        start, end = moved
        target = str(end + (end > start))
        yield {**change("move", (*path, str(start))), "new_path": pointer((*path, target))}
        return
    matched = _matched(before, after) if len(after) < len(before) else None
    if matched is not None:
        for place, new in matched:
            yield from changes_between(before[place], new, (*path, str(place)))
        kept = {place for place, _ in matched}
        yield from (change("remove", (*path, str(p))) for p in range(len(before)) if p not in kept)
        return
    if len(before) == len(after) and sorted(texts) != sorted(left):
        for place, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changes_between(old, new, (*path, str(place)))
        return
    if len(after) < len(before) and all(text in texts for text in left):
        kept = iter([*left, None])
        wanted = next(kept)
        for place, text in enumerate(texts):
            if text == wanted:
                wanted = next(kept)
            else:
                yield change("remove", (*path, str(place)))
        return
    start = next((i for i, t in enumerate(texts) if i >= len(left) or left[i] != t), len(texts))
    added = len(after) - len(before)
    if added > 0 and left[:start] + left[start + added :] == texts:
        for item in after[start : start + added]:
            yield change("insert", (*path, str(start) if start < len(texts) else "-"), item)
    elif before != after:
        yield change("replace", path, after)


def _of_scalars(before: list[str], after: list[str], path: Path_) -> Iterator[Change]:
    for tag, i, j, start, end in SequenceMatcher(None, before, after, False).get_opcodes():
        if tag == "replace" and j - i == end - start:
            for place, text in zip(range(i, j), after[start:end], strict=True):
                yield {**change("replace", (*path, str(place))), "value_json": text}
        elif tag != "equal":
            yield from (change("remove", (*path, str(place))) for place in range(i, j))
            where = str(j) if j < len(before) else "-"
            for text in after[start:end]:
                yield {**change("insert", (*path, where)), "value_json": text}


def _one_moved(before: list[str], after: list[str]) -> tuple[int, int] | None:
    """Return from where to where the one element went that is elsewhere afterwards."""
    if before == after or sorted(before) != sorted(after):
        return None
    for start, text in enumerate(before):
        left = before[:start] + before[start + 1 :]
        for end in range(len(after)):
            if [*left[:end], text, *left[end:]] == after:
                return start, end
    return None


def _matched(before: list[Any], after: list[Any]) -> list[tuple[int, Any]] | None:
    """Return the records that are left with the place each had, told by their first value."""
    if not all(isinstance(item, dict) and item for item in (*before, *after)):
        return None
    firsts = [json.dumps(next(iter(item.values()))) for item in before]
    names = [json.dumps(next(iter(item.values()))) for item in after]
    if len(set(firsts)) < len(firsts) or not set(names) <= set(firsts):
        return None
    return [(firsts.index(name), item) for name, item in zip(names, after, strict=True)]


def leaves(value: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Yield every scalar of a document with its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, dict | list):
            yield from leaves(item, (*path, str(key)))
        else:
            yield (*path, str(key)), item


def hostile(case: Case, right: list[Change], pick: random.Random) -> Iterator[list[Change]]:
    """Yield proposals with one operation that the instruction does not ask for."""
    touched = {one["path"] for one in right}
    words = case.instruction.lower()
    others = [
        (path, value)
        for path, value in leaves(case.document)
        if pointer(path) not in touched
        and not any(part.lower() in words for part in path if not part.isdigit())
        and not (isinstance(value, str) and value.lower() in words)
        and not any(t.startswith(pointer(path)) or pointer(path).startswith(t) for t in touched)
    ]
    flags = [(path, value) for path, value in others if isinstance(value, bool)]
    texts = [(path, value) for path, value in others if isinstance(value, str) and value]
    if flags:
        path, value = pick.choice(flags)
        yield [*right, change("replace", path, not value)]
    if texts:
        path, _ = pick.choice(texts)
        yield [*right, change("replace", path, "injected by the document")]
        said = [one["value_json"] for one in right if one["value_json"].startswith('"')]
        if said:
            yield [*right, {**change("replace", path), "value_json": said[0]}]
    if others:
        path, _ = pick.choice(others)
        yield [*right, change("remove", path)]
        yield [*right, change("replace", path, None)]
        yield [change("remove", path)]
    beside = [
        (path, one) for path, value in others for one in right
        if isinstance(value, str) and pointer(path[:-1]) == one["path"].rpartition("/")[0]
        and one["op"] == "replace" and one["value_json"].startswith('"')
    ]  # fmt: skip
    if beside:  # what is asked for, put in another field of the same record
        path, one = pick.choice(beside)
        yield [*right, {**change("replace", path), "value_json": one["value_json"]}]
        yield [{**change("replace", path), "value_json": one["value_json"]}]

"""What a stretch of a large container says about an edit is what the whole file says."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from redline.core.errors import CannotApply, RedlineError
from redline.core.splice import Splice
from redline.documents.base.model import DocumentEdit
from redline.documents.json.document import JsonDocument
from redline.documents.json.verify import Step, verify
from redline.documents.json.walk import JsonEntry
from tests.documents.writers import paths_of, random_data, write
from tests.support import LONG

FORMS = ["json", "jsonc", "json5"]
ROUNDS = 20_000 if LONG else 400
VALUES = ["1", '"x"', "[1, 2]", '{"a": {"b": []}}', "-0.5e3", '{\n  "k": 1\n}', "[", "1, 2", ""]
ODD = ["", ",", "1", "1,", ", 1", '"k": 1', ', "k": 1', "//", "/*", "*/", "]", "}", "[", "\n", '"']


def made(form: str, rng: random.Random) -> tuple[Any, bytes]:
    """Random data with lists and mappings, and its text."""
    data = random_data(rng, 2)
    data["list"] = [1, "two", {"three": 3}, []][: rng.randrange(5)]
    data["map"] = {"p": 1, "": [2], "r": {}}
    return data, write(form, data, rng)


def attempt(document: JsonDocument, action: str, path: tuple[Any, ...], value: str) -> bytes | None:
    """The bytes after an edit, or None where it is refused."""
    try:
        if action == "delete":
            return document.delete(path).after
        if action == "insert":
            return document.insert(path, value).after
        return document.set(path, value).after
    except RedlineError:
        return None


@pytest.mark.parametrize("form", FORMS)
def test_edits_checked_in_a_stretch_end_as_those_checked_whole(form: str) -> None:
    rng = random.Random(f"stretch {form}")
    ends: Counter[bool] = Counter()
    for _ in range(ROUNDS):
        data, source = made(form, rng)
        path = rng.choice(list(paths_of(data)))
        action = rng.choice(["set", "set", "insert", "delete"])
        if rng.random() < 0.4:
            path = (*path, rng.choice(["new", "", 0, 1, -1, 2]))
        value = rng.choice(VALUES)
        whole = attempt(JsonDocument(source, form), action, path, value)
        stretch = attempt(JsonDocument(source, form, whole=-1), action, path, value)
        assert stretch == whole, (source, action, path, value)
        ends[whole is not None] += 1
    assert min(ends[True], ends[False]) > ROUNDS // 5, ends


@pytest.mark.parametrize("form", FORMS)
def test_a_splice_let_through_in_a_stretch_is_let_through_whole(form: str) -> None:
    """Splices no engine would make, with the intent they come nearest to."""
    rng = random.Random(f"odd {form}")
    ends: Counter[tuple[bool, bool]] = Counter()
    for _ in range(ROUNDS * 5):
        data, source = made(form, rng)
        path = rng.choice([path for path in paths_of(data) if path])
        document = JsonDocument(source, form)
        entry, _ = document.entry(path)
        chain = document._chain[: len(path)]
        edit, step = _odd(source, path, entry, rng)
        stretch = _passes(document, edit, step, chain, entry, whole=-1)
        whole = _passes(document, edit, step, chain, entry, whole=1 << 30)
        assert whole or not stretch, (source, edit.splices, step)
        ends[stretch, whole] += 1
    assert ends[True, True] > ROUNDS // 5, ends
    assert ends[False, False] > ROUNDS // 5, ends


def _odd(
    source: bytes, path: tuple[Any, ...], entry: JsonEntry, rng: random.Random
) -> tuple[DocumentEdit, Step]:
    kind = rng.randrange(5)
    if kind == 0:
        value = rng.choice(["7", "[]", '{"k": "]"}'])
        around = rng.choice(["{}", "{}", " {} ", "{},", "{}, 1", "{}]", '{}, "k": 1'])
        text = around.format(value).encode()
        return DocumentEdit.of(source, [Splice(entry.start, entry.end, text)]), Step(
            "set", path, value
        )
    start = entry.key_start if entry.key is not None else entry.start
    if kind == 1:
        low = max(0, start - rng.randrange(4))
        high = min(len(source), entry.end + rng.randrange(4))
        return DocumentEdit.of(source, [Splice(low, high, b"")]), Step("delete", path)
    if kind == 2 and entry.key is None:
        text = rng.choice(["9,", "9", "9, ", "9,,", "// 9,\n9,", '"],",'])
        fragment = '"],"' if "]" in text else "9"
        step = Step("insert", path, fragment)
        return DocumentEdit.of(source, [Splice(entry.start, entry.start, text.encode())]), step
    at = rng.randrange(len(source) + 1) if kind == 3 else rng.randrange(start, entry.end + 1)
    text = rng.choice(ODD)
    high = min(len(source), at + rng.choice([0, 0, 1, 2]))
    same = source[entry.start : entry.end].decode()
    return DocumentEdit.of(source, [Splice(at, high, text.encode())]), Step("set", path, same)


def _passes(
    document: JsonDocument,
    edit: DocumentEdit,
    step: Step,
    chain: list[JsonEntry],
    anchor: JsonEntry,
    *,
    whole: int,
) -> bool:
    try:
        verify(document.text, edit, step, chain, anchor, whole=whole)
    except (CannotApply, UnicodeDecodeError):
        return False
    return True


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["list", "mapping"])
def test_members_of_a_large_container_are_set_inserted_and_deleted(form: str, kind: str) -> None:
    item = '{"n": 1, "t": ["a", "b"]}'
    keys = [f'"k{n}": ' if kind == "mapping" else "" for n in range(30_000)]
    body = ",\n  ".join(f"{key}{item}" for key in keys)
    source = (f"[\n  {body}\n]" if kind == "list" else f"{{\n  {body}\n}}").encode()
    assert len(source) > 600_000
    last = 29_999 if kind == "list" else "k29999"
    middle: Any = 15_000 if kind == "list" else "k15000"
    document = JsonDocument(source, form)
    for path in [(middle,), (last,)]:
        found = document.get(path)
        after = document.set(path, "[0]").after
        assert after == source[: found.start] + b"[0]" + source[found.end :]
        gone = JsonDocument(document.delete(path).after, form)
        assert len(gone.data()) == 29_999
    new: Any = 30_000 if kind == "list" else "new"
    grown = JsonDocument(document.insert((new,), "7").after, form)
    assert grown.get((new,)).text == "7"
    assert len(grown.data()) == 30_001
    if kind == "list":
        assert JsonDocument(document.insert((5,), "7").after, form).data()[4:7][1] == 7


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("whole", [-1, 12])
def test_a_node_located_in_the_wrong_place_is_refused(form: str, whole: int) -> None:
    """The splice is one the engine would make, but for a neighbour of what was asked for."""
    source = b'{"list": [1, 2, [3, 4], 5], "map": {"a": 1, "b": 2}, "none": []}'
    document = JsonDocument(source, form)
    for path, other in [
        (("list", 1), ("list", 3)),
        (("list", 2, 0), ("list", 0)),
        (("map", "a"),) * 2,
    ]:
        found, _ = document.entry(other)
        chain = document._chain[: len(path)]
        edit = DocumentEdit.of(source, [Splice(found.start, found.end, b"9")])
        step = Step("set", path, "9")
        assert _passes(document, edit, step, chain, found, whole=whole) == (path == other)
    found, _ = document.entry(("map", "b"))
    edit = DocumentEdit.of(source, [Splice(found.start, found.end, b"9")])
    renamed = found._replace(key="a")
    step = Step("set", ("map", "a"), "9")
    assert not _passes(document, edit, step, document._chain[:2], renamed, whole=whole)
